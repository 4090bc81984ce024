/**
 * Decides which notes answer a question, and whether any does. A passage answers when it covers the question: the share of
 * what is asked that it contains, rare words weighing most, and the kind of fact that is asked for. Anything less is "not
 * known": sharing a few words with a question is no answer to it.
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

/** Passages that are quoted together: of one section, in the file's order. */
export interface Found {
	notes: Note[];
	/** How much of the question they cover, 0 to 1. */
	coverage: number;
}

/** Share of a question that a passage must contain. */
const ENOUGH = 0.62;
/** The same where a word of the question stands nowhere in the notes. */
const ENOUGH_WITH_UNKNOWN = 0.72;
/** Taken off for a subject of its own that the question names and the passage is not about. */
const OTHER_TOPIC = 0.15;
const EARLIER = 0.5;
/** Words at or below this factor are general: they match, but are no match by themselves. */
const GENERAL = 0.3;
const CANDIDATES = 60;
/** Passages as near as this to the best answer as well as it does. */
const TIE = 0.015;
const QUOTE_CHARS = 900;
const QUOTE_GROUPS = 2;

interface Weighed {
	term: Term;
	weight: number;
	known: boolean;
	earlier: boolean;
	topic: boolean;
}

interface Scored {
	note: Note;
	coverage: number;
	/** Coverage, more where the question's very words stand there and not only others of the same meaning. */
	exact: number;
	rank: number;
}

/** @returns the passages that answer, best first; empty where the notes do not say. */
export function find(question: Question, shelves: readonly Shelf[]): Found[] {
	// A question of general words only ("What should I bring?") asks for a subject, if there is one of just that name.
	const general = question.needs.length === 0 && question.earlier.length === 0 && question.terms.every((term) => term.factor <= GENERAL);
	const weighed = weigh(general ? { ...question, terms: question.terms.map((term) => ({ ...term, factor: 1 })) } : question, shelves);
	const weights = new Map<string, number>();
	for (const { term, weight } of weighed) for (const key of term.keys) weights.set(key, weight);
	const scored: Scored[] = [];
	for (const shelf of shelves) {
		for (const { note, share } of shelf.search(weights, CANDIDATES)) {
			const one = score(question, weighed, note, share, general);
			if (one) scored.push(one);
		}
	}
	scored.sort((a, b) => b.rank - a.rank);
	const solid = weighed.filter((w) => w.term.factor > GENERAL && !w.earlier);
	const only = solid.length === 1 && question.needs.length === 0 && question.earlier.length === 0 ? solid[0] : undefined;
	return (only && overview(scored, only.term)) ?? group(scored);
}

function weigh(question: Question, shelves: readonly Shelf[]): Weighed[] {
	const isTopic = (term: Term) => term.keys.some((key) => shelves.some((shelf) => shelf.topics.has(key)));
	const total = shelves.reduce((sum, shelf) => sum + shelf.notes.length, 0);
	const one = (given: Term, earlier: boolean): Weighed => {
		let term = given;
		const count = (keys: string[]) => keys.reduce((sum, key) => sum + shelves.reduce((n, shelf) => n + shelf.count(key), 0), 0);
		let n = count(term.keys);
		if (n === 0 && term.plain) {
			const alike = shelves.map((shelf) => shelf.alike(term.keys[0] as string)).find((word) => word !== undefined);
			if (alike !== undefined) {
				term = { ...term, keys: [alike] };
				n = count(term.keys);
			}
		}
		const times = Math.min(n, total);
		const rare = Math.log(1 + total / (times + 0.5));
		// That a general word stands nowhere in the notes says nothing.
		const rarity = term.factor > GENERAL ? rare : Math.min(rare, 1.5);
		const topic = term.factor > GENERAL && isTopic(term);
		return { term, weight: rarity * term.factor * (earlier ? EARLIER : 1), known: n > 0, earlier, topic };
	};
	return [...question.terms.map((term) => one(term, false)), ...question.earlier.map((term) => one(term, true))];
}

function score(question: Question, weighed: readonly Weighed[], note: Note, share: number, general: boolean): Scored | null {
	if (!question.needs.every((need) => note.facts.includes(need))) return null;
	let asked = 0;
	let covered = 0;
	let ownTerms = 0;
	let ownCovered = 0;
	let near = 0;
	let literal = 0;
	let otherTopic = false;
	let unknown = false;
	let solid = false;
	for (const { term, weight, known, earlier, topic } of weighed) {
		const match = Math.max(...term.keys.map((key) => Math.max(contains(note.own, key), contains(note.context, key))));
		// "My vase arrived broken" is answered by "if a piece arrives broken": a piece is no other thing than the vase.
		const spoken = match === 0 && term.kind !== undefined && (note.own.has(term.kind) || note.context.has(term.kind)) ? weight * 0.3 : weight;
		asked += spoken;
		covered += weight * match;
		if (!earlier && term.factor > GENERAL) {
			ownTerms += spoken;
			ownCovered += weight * match;
		}
		if (match === 0) {
			otherTopic ||= topic && spoken === weight;
			unknown ||= !known && term.factor > GENERAL;
			continue;
		}
		solid ||= term.factor > GENERAL;
		near += weight * Math.max(...term.keys.map((key) => nearness(note, key, topic)));
		if (!topic && term.literal !== undefined && (contains(note.own, term.literal) === 1 || contains(note.heading, term.literal) === 1)) literal += weight;
	}
	if (asked === 0 || !solid) return null;
	const enough = unknown ? ENOUGH_WITH_UNKNOWN : ENOUGH;
	const coverage = covered / asked - (otherTopic ? OTHER_TOPIC : 0);
	const ownCoverage = ownTerms === 0 ? 1 : ownCovered / ownTerms;
	if (coverage < enough || ownCoverage < enough) return null;
	const language = note.language === null || note.language === question.language ? 0.2 : 0;
	const fit = subjectFit(weighed, note);
	if (general && fit < 1) return null;
	const exact = coverage + 0.06 * (literal / asked);
	const rank = exact + 0.3 * (near / asked) + 0.08 * fit + 0.02 * share + language;
	return { note, coverage, exact, rank };
}

/** How much a key is what the passage itself speaks of. A subject of these notes is best sought under its own heading. */
function nearness(note: Note, key: string, topic: boolean): number {
	const own = contains(note.own, key);
	if (!topic) return Math.max(own, (note.isAnswer ? 1 : 0.6) * contains(note.heading, key));
	const filed = contains(note.context, key);
	return filed > 0 ? 0.85 * filed + 0.15 * own : 0.7 * own;
}

/** How much of its heading or label the question says: one about something more is less near. */
function subjectFit(weighed: readonly Weighed[], note: Note): number {
	const asked = new Set(weighed.flatMap((w) => w.term.keys));
	return Math.max(...note.subjects.map((words) => (words.length === 0 ? 0 : words.filter((keys) => keys.some((key) => asked.has(key))).length / words.length)));
}

/** For a question that names a subject and asks nothing about it ("Workshops?"): its notes from their beginning. */
function overview(scored: readonly Scored[], term: Term): Found[] | null {
	const best = scored[0]?.note;
	if (!best || !term.keys.some((key) => best.title.has(key))) return null;
	const under = scored.filter((s) => s.note.passage.path === best.passage.path && s.note.passage.headings[0] === best.passage.headings[0]);
	under.sort((a, b) => a.note.order - b.note.order);
	const found: Found[] = [];
	let chars = 0;
	for (const { note, coverage } of under) {
		chars += note.passage.lines.join("\n").length;
		if (chars > QUOTE_CHARS && found.length > 0) break;
		const last = found.at(-1);
		if (last?.notes[0]?.passage.section === note.passage.section) last.notes.push(note);
		else found.push({ notes: [note], coverage });
	}
	return found;
}

/** The best passage with its equals of the same section; then the equals of another section. */
function group(scored: readonly Scored[]): Found[] {
	const best = scored[0];
	if (!best) return [];
	const found: Found[] = [];
	const taken = new Set<Note>();
	for (const first of scored) {
		if (first.rank < best.rank - TIE || found.length === QUOTE_GROUPS) break;
		if (taken.has(first.note)) continue;
		const { path, section } = first.note.passage;
		const same = scored.filter((s) => s.rank >= best.rank - TIE && s.note.passage.path === path && s.note.passage.section === section);
		// Where the question singles out no item of a list, the list answers it.
		const lists = same.filter((s) => s.note.passage.kind !== "paragraph");
		same.push(...scored.filter((s) => !same.includes(s) && lists.some((l) => isSibling(l.note, s.note) && s.exact >= l.exact - 0.001)));
		for (const s of same) taken.add(s.note);
		found.push({ notes: fitting(same.map((s) => s.note)), coverage: first.coverage });
	}
	return found;
}

const isSibling = (a: Note, b: Note): boolean => a.passage.path === b.passage.path && a.passage.block === b.passage.block;

/** As many as may be quoted at once, best first, then put back in the order of the file. */
function fitting(notes: readonly Note[]): Note[] {
	let chars = 0;
	const taken = notes.filter((note, i) => {
		chars += note.passage.lines.join("\n").length;
		return i === 0 || chars <= QUOTE_CHARS;
	});
	return taken.sort((a, b) => a.order - b.order);
}
