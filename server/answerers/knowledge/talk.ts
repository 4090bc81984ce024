/**
 * Reads the questions in what a visitor wrote, and what each goes on from. Pure. It looks at the form of sentences only; whether there is an answer is for `find.ts`.
 */
import type { Language } from "./language.js";
import { needsOf, withoutAsking } from "./needs.js";
import { GENERAL, type Question } from "./score.js";
import { stem } from "./vocabulary.js";
import { normalise, type Term, termsOf } from "./words.js";

/** A question as it was asked, and how it hangs on what was said before. */
export interface Asked {
	text: string;
	/** `goes on`: it opens like a continuation. `points`: it has a word that stands for something said before. */
	follows: "goes on" | "points" | null;
}

const SENTENCE = /[^.!?。！？\n]+(?:[.!](?!\s|$)[^.!?。！？\n]*)*[.!?。！？]*/g;
const GOES_ON = /^(?:and|but|or|also|so|then|what about|how about|what if|same for)\b|^(?:那么?|还有|另外|换成|如果是|要是)|呢\s*[?？]*$/i;
const POINTS =
	/\b(?:it|its|they|them|their|that|this|these|those|ones?|he|she|him|her)\b|它|这个|那个|这些|那些|这样|那样|这种|那种|她|他/i;
const QUESTIONS = 5;

/** The questions of one message: its sentences with a question mark, or without any the whole. */
export function questionsOf(message: string): Asked[] {
	const sentences = (message.match(SENTENCE) ?? []).map((s) => s.trim()).filter((s) => /[\p{L}\p{N}]/u.test(s));
	const marked: string[] = [];
	for (const [i, sentence] of sentences.entries()) {
		if (!/[?？]/.test(sentence)) continue;
		// "My bowl arrived broken. What should I do?": the second says nothing without the first.
		const alone = termsOf(normalise(sentence)).some((term) => term.factor > GENERAL);
		const before = i > 0 && !/[?？]/.test(sentences[i - 1] as string) ? sentences[i - 1] : undefined;
		marked.push(alone || before === undefined ? sentence : `${before} ${sentence}`);
	}
	const texts = marked.length > 0 ? marked : sentences.length > 0 ? [sentences.join(" ")] : [];
	return texts.slice(0, QUESTIONS).map((text) => ({ text, follows: followsOf(text) }));
}

function followsOf(text: string): Asked["follows"] {
	if (GOES_ON.test(text)) return "goes on";
	return POINTS.test(text) ? "points" : null;
}

const JOINTS = /[,，;；]\s*(?:and |but |or )?|\s+(?:and|but)\s+|还有|以及|另外|并且|同时/i;
const OPENS =
	/^(?:also |then )?(?:who|what|when|where|which|how|do|does|did|is|are|can|could|would|will|shall|should|may|have|has)\b|吗|呢|什么|哪|怎|几|多少|多久|如何|能不能|可不可以|有没有|是否/i;

/** The questions that stand joined in one sentence; itself alone where it is one. */
export function clausesOf(text: string): string[] {
	const clauses = text
		.split(JOINTS)
		.map((c) => c.trim())
		.filter((c) => c !== "");
	return clauses.length > 1 && clauses.length <= QUESTIONS && clauses.every((c) => OPENS.test(c)) ? clauses : [text];
}

const AND = /^\s*(?:and|or|和|与|跟|及|以及|或|或者|、|,|，)\s*(?:(?:the|an?|some|for|to)\s+)?$/i;

/**
 * The same question about each of the things that it names with "and" between ("the mug and the teapot"): no passage need
 * speak of both. Itself alone where it names one.
 */
export function eachOf(question: Question): Question[] {
	const text = normalise(question.text);
	let from = 0;
	// Words side by side are one thing: the small bowl.
	const things: { terms: Term[]; from: number; to: number }[] = [];
	const placed = question.terms
		.map((term) => ({ term, at: text.toLowerCase().indexOf(term.text.toLowerCase()) }))
		.sort((a, b) => a.at - b.at);
	for (const { term, at } of placed) {
		const last = things.at(-1);
		const to = Math.max(at, from) + term.text.length;
		if (last && at >= last.to && text.slice(last.to, at).trim() === "") {
			last.terms.push(term);
			last.to = to;
		} else things.push({ terms: [term], from: at, to });
		from = to;
	}
	for (const [i, thing] of things.entries()) {
		const next = things[i + 1];
		if (!next || !AND.test(text.slice(thing.to, next.from))) continue;
		const without = (other: { terms: Term[] }) => ({ ...question, terms: question.terms.filter((term) => !other.terms.includes(term)) });
		return [without(next), without(thing)];
	}
	return [question];
}

/** What the desk is itself called and described as: known to whoever asks it. */
export interface Self {
	names: readonly string[];
	about: string;
}

/**
 * @param said what the visitor wrote before, oldest first; looked through for what a continuation goes on from.
 * @returns what to look for by itself, and together with what was said before.
 */
export function readQuestion(
	asked: Asked,
	language: Language,
	said: readonly string[],
	self: Self,
): { alone: Question; going: Question | null } {
	const terms = ownTerms(asked.text, self);
	const needs = needsOf(normalise(asked.text));
	// "Where are you?" asks for the address without the word.
	if (needs.includes("where") && !terms.some((term) => term.factor > GENERAL) && !/\bfrom\b|来自|哪里人/i.test(asked.text)) {
		terms.push({ keys: ["#place"], factor: 1, text: asked.text });
	}
	const alone: Question = { text: asked.text, language, terms, needs, earlier: [] };
	const few = terms.filter((term) => term.factor > GENERAL).length <= 1;
	if (asked.follows === null && !few) return { alone, going: null };
	// "And on Sunday?" and "and the mugs?" ask the same of another day, another piece.
	const replaced = new Set(terms.flatMap((term) => [term.class, term.kind]).filter((c) => c !== undefined));
	const earlier: Term[] = [];
	let earlierNeeds: Question["needs"] = [];
	for (const text of said.slice(-4).reverse()) {
		for (const term of ownTerms(text, self)) {
			if ((term.class && replaced.has(term.class)) || (term.kind && replaced.has(term.kind))) continue;
			if (!terms.concat(earlier).some((t) => t.keys.join() === term.keys.join())) earlier.push(term);
		}
		if (earlierNeeds.length === 0) earlierNeeds = needsOf(normalise(text));
		if (!questionsOf(text).some((q) => q.follows === "goes on")) break;
	}
	return { alone, going: earlier.length === 0 ? null : { ...alone, needs: needs.length > 0 ? needs : earlierNeeds, earlier } };
}

/** The concept of the place where the owner works. */
const HERE = "#studio";

/**
 * Terms of a question without the desk's own names, unless it asks for nothing else ("Who is Mira?"). What its line about
 * itself says is no news in a question, nor are the words price and pay in one that asks how much.
 */
function ownTerms(text: string, self: Self): Term[] {
	const names = new Set(self.names.flatMap((name) => normalise(name).toLowerCase().split(/\s+/).map(stem)));
	const about = new Set(termsOf(normalise(self.about)).flatMap((term) => term.keys));
	const all = termsOf(withoutAsking(normalise(text)));
	// The studio that is asked is meant anyway ("When is the studio open?"), unless nothing else is asked for.
	const here = all.some((term) => term.factor > GENERAL) ? HERE : undefined;
	const others = all.filter((term) => !term.keys.every((key) => names.has(key)) && term.keys[0] !== here);
	const needs = needsOf(normalise(text));
	const priced = needs.includes("price");
	return (others.length > 0 || needs.length > 0 ? others : all).map((term) => {
		if (priced && (term.keys.includes("#price") || term.keys.includes("#pay"))) return { ...term, factor: 0.2 };
		return term.keys.some((key) => about.has(key)) ? { ...term, isOwn: true } : term;
	});
}
