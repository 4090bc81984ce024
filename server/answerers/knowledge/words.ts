/**
 * Turns text into keys by which a question and a note meet: English stems, Chinese words, pairs and characters, concepts of the
 * lexicon (`#price`), days and months (`day:7`), numbers. Linear in its text; knows nothing of notes or visitors.
 */
import { calendarKeys, figureOf, hanFigureAt, hanFigures, monthsOf, takeDates } from "./calendar.js";
import {
	askedConceptsOf,
	conceptsOf,
	isItselfToo,
	isKnown,
	isLight,
	isStop,
	LONGEST_HAN,
	noteKeys,
	questionKeys,
	relationsOf,
	stem,
} from "./vocabulary.js";

/** What a question asks for, one a word. Any of `keys` in a note meets it. */
export interface Term {
	keys: string[];
	/** The keys of the very words, where `keys` holds a concept: a note with them all is nearer. */
	literal?: readonly string[];
	/** How much of a fact it carries: 1, less for general words and numbers. */
	factor: number;
	/** Key of a concept whose mention in a note means that the note does not speak of something else. */
	kind?: string;
	/** What holds for the kind holds for it, prices too. */
	isOne?: boolean;
	/** The desk says it of itself: no news, unless its notes treat it. */
	isOwn?: boolean;
	/** Key that stands for `keys` where the notes have none of them. */
	whole?: string;
	/** A follow-up's term replaces the earlier one of its class. */
	class?: "day" | "month" | "number";
	/** As it was written. */
	text: string;
	/** A word of a script with spaces, written small: it may be misspelt. */
	plain?: boolean;
}

const FACTOR = { word: 1, light: 0.2, number: 0.5, character: 0.7 } as const;

/** Compatibility forms folded, accents taken off, quotes and dashes made plain. Keeps case. */
export const normalise = (text: string): string =>
	text
		.normalize("NFKD")
		.replace(/[\u0300-\u036f]/g, "")
		.replace(/[‘’ʼ]/g, "'")
		.replace(/[–—−－]/g, "-")
		.replace(/[～〜]/g, "~");

const RUN = /(\p{Script=Han}+)|((?:(?!\p{Script=Han})[\p{L}\p{N}])+(?:'[\p{L}]+)?)/gu;

/** Words of a text in their order: a run of Chinese characters, or one word of another script without 's. */
function* runs(text: string): Generator<{ han: boolean; text: string }> {
	for (const m of text.matchAll(RUN)) yield m[1] ? { han: true, text: m[1] } : { han: false, text: (m[2] as string).replace(/'s$/i, "") };
}

const segmenter = new Intl.Segmenter("zh", { granularity: "word" });

/** Words of a run of Chinese characters, in pieces: the segmenter's time grows with the square of what it is given. */
function* hanWords(run: string): Generator<string> {
	for (let i = 0; i < run.length; i += 200) for (const { segment } of segmenter.segment(run.slice(i, i + 200))) yield segment;
}

// Notes -----------------------------------------------------------------------------------------------------------------

/** All keys of a note's text, with repeats. `text` is normalised. */
export function keysOf(text: string): string[] {
	const keys = calendarKeys(text);
	// An empty word between keeps English phrases from reaching over Chinese.
	const words: string[] = [];
	for (const run of runs(text)) {
		words.push(run.han ? "" : run.text.toLowerCase());
		if (run.han) keys.push(...hanKeys(run.text));
	}
	const stems = words.map(stem);
	for (let i = 0; i < words.length; i++) {
		if (words[i] === "") continue;
		keys.push(figureOf(words[i] as string) ?? (stems[i] as string));
		for (let n = 1; n <= 3; n++) for (const name of conceptsOf(stems.slice(i, i + n).join(" "))) keys.push(...noteKeys(name));
	}
	return keys;
}

/** Characters, pairs and concepts of a run; a character that is a word by itself has a key with `=` besides. */
function hanKeys(run: string): string[] {
	const keys = [...run, ...hanFigures(run)];
	for (let i = 0; i < run.length; i++) {
		for (let n = Math.min(LONGEST_HAN, run.length - i); n >= 2; n--) {
			const word = run.slice(i, i + n);
			if (n === 2) keys.push(word);
			for (const name of conceptsOf(word)) keys.push(...noteKeys(name));
		}
	}
	for (const whole of hanWords(run)) {
		const word = verbOf(whole);
		// 含铅 is 含 and 铅: two words that the segmenter left together.
		const pair = word.length === 2 && !isKnown(word) && isKnown(word[0] as string) && isKnown(word[1] as string);
		if (word.length > 1 && !pair) continue;
		for (const one of word) {
			keys.push(`=${one}`);
			// One character means a concept only where it is a word: 约 means to book, 大约 does not.
			for (const name of conceptsOf(one)) keys.push(...noteKeys(name));
		}
	}
	return keys;
}

/** 寄 of 寄出, 买 of 买到: a verb of one character without what completes it. */
const verbOf = (word: string): string =>
	word.length === 2 && /[出到往回给来去好完掉过起上下入]$/.test(word) && isKnown(word[0] as string) && !isKnown(word)
		? (word[0] as string)
		: word;

// Questions -------------------------------------------------------------------------------------------------------------

/** 含不含 asks 含. */
const A_NOT_A = /(\p{Script=Han})不\1/gu;
const AGE = /(?:\d{1,3}|[一二两三四五六七八九十]{1,3})\s?(岁)|(?<![\p{L}\p{N}])(?:\d{1,3}|[a-z]{3,9})[\s-](years?[\s-]olds?)(?![\p{L}])/giu;

/** What a question asks for, in its order. `text` is normalised. */
export function termsOf(text: string): Term[] {
	// How old somebody is asks for a limit of age, which is another number.
	const { dates, rest } = takeDates(text.replace(AGE, "$1$2").replace(A_NOT_A, (whole, word: string) => (isKnown(word) ? word : whole)));
	const terms: Term[] = dates.map((date) => ({ ...date, factor: FACTOR.word }));
	let words: string[] = [];
	for (const run of runs(rest)) {
		if (!run.han) {
			words.push(run.text);
			continue;
		}
		terms.push(...latinTerms(words), ...hanTerms(run.text));
		words = [];
	}
	terms.push(...latinTerms(words));
	const seen = new Set<string>();
	return terms.filter(({ keys }) => !seen.has(keys.join(" ")) && seen.add(keys.join(" ")));
}

function latinTerms(written: readonly string[]): Term[] {
	const terms: Term[] = [];
	const words = written.map((word) => word.toLowerCase());
	const stems = words.map(stem);
	for (let i = 0; i < words.length; ) {
		const word = words[i] as string;
		const root = stems[i] as string;
		let n = Math.min(3, words.length - i);
		while (n > 1 && askedConceptsOf(stems.slice(i, i + n).join(" ")).length === 0) n--;
		const names = n > 1 || !isStop(word) ? askedConceptsOf(stems.slice(i, i + n).join(" ")) : [];
		const text = written.slice(i, i + n).join(" ");
		const figure = figureOf(word);
		// "A logo for my bakery": whose it is says little of what is asked.
		const light =
			isLight(stems.slice(i, i + n).join(" ")) || (/^(?:my|our)$/.test(words[i - 1] ?? "") && /^(?:for|of)$/.test(words[i - 2] ?? ""));
		if (names.length > 0) terms.push(conceptTerm(names, text, stems.slice(i, i + n), light));
		else if (figure !== undefined) terms.push({ keys: [figure], factor: FACTOR.number, class: "number", text });
		else if (!isStop(word) && (word.length > 1 || !/\p{Script=Latin}/u.test(word))) {
			terms.push({ keys: [root], factor: light ? FACTOR.light : FACTOR.word, text, plain: text === word });
		}
		i += n;
	}
	return terms;
}

function conceptTerm(names: readonly string[], text: string, literal: readonly string[], light: boolean): Term {
	const keys = names.flatMap((name) => [...questionKeys(name), ...monthsOf(name)]);
	if (literal.length === 1 && isItselfToo(literal[0] as string)) keys.push(literal[0] as string);
	const partOfDay = names.some((name) => name === "morning" || name === "afternoon" || name === "evening");
	const factor = light ? FACTOR.light : partOfDay ? FACTOR.number : FACTOR.word;
	return { keys, factor, text, literal, ...names.map(relationsOf).find((relations) => relations.kind ?? relations.whole) };
}

/** Longest words of the lexicon first, what stands between them by the segmenter. */
function hanTerms(run: string): Term[] {
	const terms: Term[] = [];
	let between = "";
	const flush = () => {
		for (const word of joined(hanWords(between))) terms.push(...hanTerm(word, word.length === 1 ? FACTOR.character : FACTOR.word));
		between = "";
	};
	for (let i = 0; i < run.length; ) {
		const number = hanFigureAt(run, i);
		let n = number?.length ?? Math.min(LONGEST_HAN, run.length - i);
		while (n > 1 && !number && !isKnown(run.slice(i, i + n))) n--;
		if (n === 1) {
			between += run[i++];
			continue;
		}
		flush();
		if (number) terms.push({ keys: [number.figure], factor: FACTOR.number, class: "number", text: run.slice(i, i + n) });
		else terms.push(...hanTerm(run.slice(i, i + n), FACTOR.word));
		i += n;
	}
	flush();
	return terms;
}

function hanTerm(word: string, factor: number): Term[] {
	const names = askedConceptsOf(word);
	if (names.length > 0) return [conceptTerm(names, word, [word], isLight(word))];
	if (isStop(word)) return [];
	return [{ keys: [word], factor: isLight(word) ? FACTOR.light : factor, text: word }];
}

/** Characters that the segmenter leaves single and nobody knows are one unknown word: 医保, not 医 and 保. */
function joined(words: Iterable<string>): string[] {
	const all: string[] = [];
	let open = false;
	for (const whole of words) {
		const word = verbOf(whole);
		const loose = word.length === 1 && !isKnown(word);
		// 要带 is 带 with a word that says nothing.
		const isPrefixed = word.length > 1 && !isKnown(word) && isStop(word[0] as string) && isKnown(word.slice(1));
		if (loose && open) all[all.length - 1] += word;
		else all.push(isPrefixed ? word.slice(1) : word);
		open = loose;
	}
	return all;
}
