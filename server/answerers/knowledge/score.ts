/**
 * Judges one passage by one question: how much of the question it covers, whether that is enough to be an answer, and how near
 * it is among others that are. Coverage alone decides whether; everything else only orders.
 */
import type { Language } from "./language.js";
import type { Need } from "./needs.js";
import { contains, type Note, type Shelf } from "./shelf.js";
import type { Term } from "./words.js";

export interface Question {
	/** As it was asked. */
	text: string;
	language: Language;
	terms: Term[];
	needs: Need[];
	/** What was asked before, where this goes on from it: weighs less, and alone is no match. */
	earlier: Term[];
}

/** A word of a question against all notes. */
export interface Weighed {
	term: Term;
	/** How rare it is in the notes, times how much of a fact it carries. */
	weight: number;
	/** It stands somewhere in the notes. */
	known: boolean;
	earlier: boolean;
	/** It stands in a heading: something these notes treat by itself. */
	topic: boolean;
}

export interface Scored {
	note: Note;
	/** Coverage, more where the question's very words stand there and not only others of the same meaning. */
	exact: number;
	rank: number;
}

/** Share of a question that a passage must contain to answer it. */
const ENOUGH = 0.68;
/** The same where a word of the question stands nowhere in the notes. */
const ENOUGH_WITH_UNKNOWN = 0.75;
/** Taken off for a subject of its own that the question names and the passage is not about. */
const OTHER_TOPIC = 0.15;
/** What is left of the weight of a word missing from a passage that speaks of its kind in general. */
const KIND = 0.3;
/** Weight of what was said before. */
const EARLIER = 0.5;
/** Factor of what the desk says of itself, at most. */
const OWN = 0.4;
/** Words at or below this factor are general: they match, but are no match by themselves. */
export const GENERAL = 0.3;
/** A general word is never rarer than this: that it stands nowhere in the notes says nothing. */
const GENERAL_RARITY = 1.5;
/** What orders passages that answer, beside coverage itself, which is 1 at most. */
const ORDER = { language: 0.2, near: 0.3, subject: 0.08, literal: 0.06, bm25: 0.01 } as const;

const least = ({ term, weight }: Weighed): number => (term.kind === undefined ? weight : weight * KIND);

/** The words of a question with their weights by these shelves. A misspelt word becomes the one it stands for. */
export function weigh(question: Question, shelves: readonly Shelf[]): Weighed[] {
	const total = shelves.reduce((sum, shelf) => sum + shelf.notes.length, 0);
	const count = (keys: readonly string[]) => keys.reduce((sum, key) => sum + shelves.reduce((n, shelf) => n + shelf.count(key), 0), 0);
	const one = (given: Term, earlier: boolean): Weighed => {
		let term = given;
		if (term.whole !== undefined && count(term.keys) === 0) term = { ...term, keys: [term.whole] };
		if (term.plain && count(term.keys) === 0) {
			const alike = shelves.map((shelf) => shelf.alike(given.keys[0] as string)).find((word) => word !== undefined);
			if (alike !== undefined) term = { ...given, keys: [alike] };
		}
		const times = Math.min(count(term.keys), total);
		const rarity = Math.log(1 + total / (times + 0.5));
		const general = term.factor <= GENERAL;
		const topic = !general && term.keys.some((key) => shelves.some((shelf) => shelf.topics.has(key)));
		if (term.isOwn && !topic) term = { ...term, factor: Math.min(term.factor, OWN) };
		return {
			term,
			weight: (general ? Math.min(rarity, GENERAL_RARITY) : rarity) * term.factor * (earlier ? EARLIER : 1),
			known: times > 0,
			earlier,
			topic,
		};
	};
	return [...question.terms.map((term) => one(term, false)), ...question.earlier.map((term) => one(term, true))];
}

/**
 * Keys of which a passage must have some to cover enough: those of the heaviest words. The lighter ones, which half the notes
 * contain, need not be looked up. None where the words that stand nowhere in the notes already weigh too much.
 */
export function worthSearching(weighed: readonly Weighed[]): Map<string, number> {
	const weights = new Map<string, number>();
	const enough = ENOUGH * weighed.reduce((sum, w) => sum + least(w), 0);
	const known = weighed.filter((w) => w.known).sort((a, b) => b.weight - a.weight);
	let rest = known.reduce((sum, w) => sum + w.weight, 0);
	if (rest < enough) return weights;
	for (const { term, weight } of known) {
		for (const key of term.keys) weights.set(key, weight);
		rest -= weight;
		// Further than needed, so that what BM25 leaves out is not the best.
		if (rest < enough * 0.7) break;
	}
	return weights;
}

/**
 * @param bm25 the index's own measure, 0 to 1.
 * @param named only a passage under a heading of just the question's words will do.
 * @returns null where the passage is no answer.
 */
export function score(question: Question, weighed: readonly Weighed[], note: Note, bm25: number, named: boolean): Scored | null {
	const asked = cover(question, weighed, note);
	const fit = asked === null ? 0 : subjectFit(weighed, note);
	if (asked === null || (named && fit < 1)) return null;
	let near = 0;
	let literal = 0;
	for (const { term, weight, topic } of asked.found) {
		near += weight * Math.max(...term.keys.map((key) => nearness(note, key, topic)));
		if (!topic && saysLiterally(note, term)) literal += weight;
	}
	const exact = asked.coverage + ORDER.literal * (literal / asked.weight);
	const language = note.language === null || note.language === question.language ? ORDER.language : 0;
	return { note, exact, rank: exact + ORDER.near * (near / asked.weight) + ORDER.subject * fit + ORDER.bm25 * bm25 + language };
}

/** What a passage covers of a question, or null where that does not make it an answer. */
function cover(question: Question, weighed: readonly Weighed[], note: Note): { coverage: number; weight: number; found: Weighed[] } | null {
	const { needs } = question;
	const lacking = needs.filter((need) => !note.facts.includes(need));
	// "When is shipping free?" may ask under what condition: then every word must be there.
	const condition = lacking.length === 1 && lacking[0] === "when";
	// "How much is shipping to Japan?" is answered by "We do not ship outside Europe": then too.
	const denied = lacking.length > 0 && note.denies;
	if (lacking.length > 0 && !condition && !denied) return null;
	const matches = weighed.map(({ term }) => Math.max(...term.keys.map((key) => matchOf(note, key))));
	const found = weighed.filter((_, i) => (matches[i] as number) > 0);
	const solid = found.filter((w) => w.term.factor > GENERAL);
	const whole = weighed.filter((w, i) => w.term.factor > GENERAL && matches[i] === 1).length;
	if (solid.length === 0 || (condition && whole < 2)) return null;
	// One word denied ("no experience is needed") denies too little.
	if (denied && new Set(solid.map((w) => w.term.keys[0])).size < 2) return null;
	// What is for sale is named first ("Mugs: €28"); a price further on may be of something else.
	if (needs.includes("sale") && !solid.some((w) => w.term.keys.some((key) => opensWith(note, key)))) return null;
	const measures = needs.some((need) => need === "price" || need === "size" || need === "weight" || need === "sale");
	const all = { weight: 0, covered: 0 };
	const now = { weight: 0, covered: 0 };
	let enough = ENOUGH;
	let otherTopic = false;
	for (const [i, word] of weighed.entries()) {
		const { term, known, earlier, topic } = word;
		const match = matches[i] as number;
		// Another day's note is no answer, however much else it says.
		if (match === 0 && !earlier && (term.class === "day" || term.class === "month")) return null;
		// "My vase arrived broken" is answered by "if a piece arrives broken", its price only by a note that names it.
		const ofKind =
			match === 0 && term.kind !== undefined && (!measures || term.isOne === true) && whole >= (known ? 1 : 2) && note.own.has(term.kind);
		if (match === 0 && term.factor > GENERAL) {
			otherTopic ||= topic && !ofKind;
			if (!known) enough = ENOUGH_WITH_UNKNOWN;
		}
		for (const sum of earlier || term.factor <= GENERAL ? [all] : [all, now]) {
			sum.weight += ofKind ? least(word) : word.weight;
			sum.covered += word.weight * match;
		}
	}
	const coverage = all.covered / all.weight - (otherTopic ? OTHER_TOPIC : 0);
	if (denied && (now.covered < now.weight || otherTopic)) return null;
	if (coverage < enough || (condition && !denied && coverage < 1) || (now.weight > 0 && now.covered / now.weight < enough)) return null;
	return { coverage, weight: all.weight, found };
}

const matchOf = (note: Note, key: string): number => Math.max(contains(note.own, key), contains(note.place.context, key));

const opensWith = (note: Note, key: string): boolean => contains(note.opening, key) === 1 || note.place.heading.has(key);

/** How much a key is what the passage itself speaks of. A subject of these notes is best sought under its own heading. */
function nearness(note: Note, key: string, topic: boolean): number {
	const own = Math.max(0.9 * contains(note.own, key), contains(note.opening, key));
	if (!topic) return Math.max(own, (note.place.isAnswer ? 1 : 0.6) * contains(note.place.heading, key));
	const filed = contains(note.place.context, key);
	// An item of a list under its subject does not name it again.
	if (note.passage.kind !== "paragraph" && note.place.heading.has(key)) return 1;
	return filed > 0 ? 0.85 * filed + 0.15 * own : 0.7 * own;
}

const saysLiterally = (note: Note, { literal }: Term): boolean =>
	literal?.every((key) => contains(note.own, key) === 1 || contains(note.place.heading, key) === 1) ?? false;

/** How much of its heading or label the question says: one about something more is less near. */
function subjectFit(weighed: readonly Weighed[], note: Note): number {
	const asked = new Set(weighed.flatMap((w) => w.term.keys));
	const share = (words: readonly (readonly string[])[]) =>
		words.length === 0 ? 0 : words.filter((keys) => keys.some((key) => asked.has(key))).length / words.length;
	return Math.max(share(note.place.subject), share(note.label));
}
