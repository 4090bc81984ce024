/**
 * Turns text into keys by which a question and a note meet: English stems, Chinese words, pairs and characters, concepts
 * of the lexicon, days, months and numbers. Everything here is linear in its text and knows nothing of notes or visitors.
 */
import { CONCEPTS, LIGHT, STOP } from "./lexicon.js";

/** What a question asks for, one a word. Any of `keys` in a note meets it. */
export interface Term {
	keys: string[];
	/** The word's own key, where `keys` holds a concept: a note with this very word is nearer. */
	literal?: string;
	/** How much of a fact it carries: 1, less for general words and numbers. */
	factor: number;
	/** Concept whose mention in a note means that the note does not speak of something else. */
	kind?: string;
	/** `day`, `month`: a follow-up's term replaces the earlier one of its class. */
	class?: "day" | "month" | "number";
	/** As it was written. */
	text: string;
	/** A word of a script with spaces, written small: it may be misspelt. */
	plain?: boolean;
}

const FACTOR = { word: 1, light: 0.2, number: 0.5, character: 0.7 } as const;

/** Compatibility forms folded, accents taken off, quotes made straight. Keeps case. */
export const normalise = (text: string): string =>
	text
		.normalize("NFKD")
		.replace(/[\u0300-\u036f]/g, "")
		.replace(/[‘’ʼ]/g, "'")
		.replace(/[–—−－]/g, "-")
		.replace(/[～〜]/g, "~");

/** A light stem: plurals, -ing, -ed and a silent e off, doubled consonants made one. */
export function stem(word: string): string {
	let w = word;
	if (w.length <= 3 || /\d/.test(w)) return w;
	if (w.endsWith("ies") && w.length > 4) w = `${w.slice(0, -3)}y`;
	else if (/(?:ss|sh|ch|x|zz)es$/.test(w)) w = w.slice(0, -2);
	else if (w.endsWith("s") && !/(?:ss|us|is)$/.test(w)) w = w.slice(0, -1);
	if (w.endsWith("ing") && /[aeiouy].*ing$/.test(w) && w.length > 5) w = w.slice(0, -3);
	else if (w.endsWith("ied") && w.length > 4) w = `${w.slice(0, -3)}y`;
	else if (w.endsWith("ed") && /[aeiouy].*ed$/.test(w) && w.length > 4) w = w.slice(0, -2);
	if (/([bdgmnprt])\1$/.test(w)) w = w.slice(0, -1);
	if (w.endsWith("e") && w.length > 3) w = w.slice(0, -1);
	return w;
}

// The lexicon, read once ------------------------------------------------------------------------------------------------

interface Concept {
	wider?: string;
	kind?: string;
}

const concepts = new Map<string, Concept>();
/** English phrases by their stems with spaces, Chinese words as they are. */
const phrases = new Map<string, string[]>();
/** A note about these months speaks of the feast too. */
const FEASTS: Readonly<Record<string, readonly string[]>> = { christmas: ["month:12"], newyear: ["month:12", "month:1"] };
const stop = new Set<string>();
const light = new Set<string>();
let longestHan = 1;

const english = (words: string): string[] =>
	words
		.split(/\s+/)
		.filter(Boolean)
		.map((w) => w.split("_").map(stem).join(" "));
const chinese = (words: string): string[] => words.split(/\s+/).filter(Boolean);

for (const line of CONCEPTS.trim().split("\n")) {
	const [, name, wider, kind, rest] = /^(\w+)(?: <(\w+))?(?: ~(\w+))?:(.*)$/.exec(line) as unknown as [
		string,
		string,
		string?,
		string?,
		string?,
	];
	concepts.set(name, { wider, kind });
	const [en = "", zh = ""] = (rest ?? "").split("|");
	for (const word of [...english(en), ...chinese(zh.toLowerCase())]) phrases.set(word, [...(phrases.get(word) ?? []), name]);
}
for (const [set, text] of [[stop, STOP] as const, [light, LIGHT] as const]) {
	const [en = "", zh = ""] = text.split("|");
	for (const word of en.split(/\s+/)) set.add(set === stop ? word : stem(word));
	for (const word of chinese(zh)) set.add(word);
}
for (const word of [...phrases.keys(), ...stop, ...light]) if (/\p{Script=Han}/u.test(word)) longestHan = Math.max(longestHan, word.length);

/** Keys of a concept in a note: its own, and `#<` of all that it is a kind of. A question about a concept is met by both. */
function withWider(name: string): string[] {
	const keys = [`#${name}`];
	for (let at = concepts.get(name)?.wider; at !== undefined; at = concepts.get(at)?.wider) keys.push(`#<${at}`);
	return keys;
}

// Days and months -------------------------------------------------------------------------------------------------------

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
const HAN_DAYS = "一二三四五六日";
const HAN_MONTHS = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];

/** Full names in any case; short ones, and May and March, only with a capital letter ("the sun", "it may"). */
const DAY_WORD =
	/(?<![\p{L}\p{N}])(?:(monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?|(Mon|Tues?|Wed|Thu|Thurs?|Fri|Sat|Sun)\.?)(?![\p{L}\p{N}])|(?:周|星期|礼拜)([一二三四五六日天])/giu;
const MONTH_WORD =
	/(?<![\p{L}\p{N}])(?:(january|february|march|april|may|june|july|august|september|october|november|december)|(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)(?![\p{L}\p{N}])|(?<![\d个])(1[0-2]|0?[1-9])\s?月(?!大)|(?<![一二三四五六七八九十个每])(十[一二]|[一二三四五六七八九十])月/giu;
const BETWEEN = /^\s*(?:-|~|to|till|until|through|thru|至|到|——?)\s*$/i;

interface Found {
	from: number;
	to: number;
	/** Every number named: 1 to 7, or 1 to 12. */
	numbers: number[];
}

function dayOf(m: RegExpMatchArray): number {
	if (m[3]) return m[3] === "天" ? 7 : HAN_DAYS.indexOf(m[3]) + 1;
	const name = m[1] ?? m[2] ?? "";
	if (m[2] && !/^[A-Z]/.test(name)) return 0;
	return DAYS.findIndex((d) => d.startsWith(name.toLowerCase().slice(0, 3))) + 1;
}

function monthOf(m: RegExpMatchArray): number {
	if (m[3]) return Number(m[3]);
	if (m[4]) return HAN_MONTHS.indexOf(m[4]) + 1;
	const name = m[1] ?? m[2] ?? "";
	if ((m[2] || /^ma/i.test(name)) && !/^[A-Z]/.test(name)) return 0;
	return MONTHS.findIndex((d) => d.startsWith(name.toLowerCase().slice(0, 3))) + 1;
}

/** What a text names out of a circle of `size` (days, months); "Tuesday to Friday" names the days between too. */
function findCircle(text: string, word: RegExp, numberOf: (m: RegExpMatchArray) => number, size: number): Found[] {
	const found: Found[] = [];
	for (const m of text.matchAll(word)) {
		const number = numberOf(m);
		if (number === 0) continue;
		const from = m.index ?? 0;
		const last = found.at(-1);
		if (last && from - last.to <= 12 && BETWEEN.test(text.slice(last.to, from))) {
			for (let n = last.numbers.at(-1) as number; n !== number; n = (n % size) + 1) last.numbers.push((n % size) + 1);
			last.to = from + m[0].length;
		} else found.push({ from, to: from + m[0].length, numbers: [number] });
	}
	return found;
}

/** A time in a note; the hour, and am or pm where they stand. */
const CLOCK = /(?<![\d:.])([01]?\d|2[0-3])(?::[0-5]\d(?:\s?(am|pm|a\.m|p\.m))?|\s?(am|pm)(?!\p{L}))(?!\d)/giu;

/** The concepts of the parts of the day that a text's times lie in or span. */
function partsOfDay(text: string): string[] {
	const parts = ["#morning", "#afternoon", "#evening"];
	const found = new Set<string>();
	let last: { part: number; to: number } | undefined;
	for (const time of text.matchAll(CLOCK)) {
		const hour = Number(time[1]) + (/^p/i.test(time[2] ?? time[3] ?? "") && Number(time[1]) < 12 ? 12 : 0);
		const part = hour < 12 ? 0 : hour < 17 ? 1 : 2;
		const spans = last && time.index - last.to <= 8 && BETWEEN.test(text.slice(last.to, time.index));
		for (let p = spans ? (last?.part ?? part) : part; p <= part; p++) found.add(parts[p] as string);
		last = { part, to: time.index + time[0].length };
	}
	return [...found];
}

const EVERY_DAY = /\b(?:every day|daily|seven days)\b|每天|天天|全年无休/i;
const WEEKDAYS = /\bweekdays?\b|平日/i;
const WEEKENDS = /\bweekends?\b|周末/i;
const THIS_DAY = /\b(?:today|tomorrow|tonight)\b|今天|明天|后天|今晚|今日|明日/i;

const range = (prefix: string, from: number, to: number): string[] =>
	Array.from({ length: to - from + 1 }, (_, i) => `${prefix}${from + i}`);

// Runs of one script ----------------------------------------------------------------------------------------------------

const RUN = /(\p{Script=Han}+)|((?:(?!\p{Script=Han})[\p{L}\p{N}])+(?:'[\p{L}]+)?)/gu;

/** Words of a text in their order: a run of Chinese characters, or one word of another script without 's. */
function* runs(text: string): Generator<{ han: boolean; text: string; at: number }> {
	for (const m of text.matchAll(RUN)) {
		if (m[1]) yield { han: true, text: m[1], at: m.index };
		else yield { han: false, text: (m[2] as string).replace(/'s$/i, ""), at: m.index };
	}
}

/** Pairs of a run of Chinese characters; a character that is a word by itself has a key with `=` besides. */
const pairsOf = (run: string): string[] => Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2));

const segmenter = new Intl.Segmenter("zh", { granularity: "word" });

/** Words of a run of Chinese characters, in pieces: the segmenter's time grows with the square of what it is given. */
function* hanWords(run: string): Generator<string> {
	for (let i = 0; i < run.length; i += 200) for (const { segment } of segmenter.segment(run.slice(i, i + 200))) yield segment;
}

/** All keys of a note's text, with repeats. `text` is normalised. */
export function keysOf(text: string): string[] {
	const keys: string[] = [];
	const words: string[] = [];
	for (const run of runs(text)) {
		if (!run.han) {
			words.push(stem(run.text.toLowerCase()));
			continue;
		}
		words.push("");
		keys.push(...run.text, ...pairsOf(run.text));
		for (let i = 0; i < run.text.length; i++) {
			for (let n = Math.min(longestHan, run.text.length - i); n >= 2; n--) {
				for (const name of phrases.get(run.text.slice(i, i + n)) ?? []) keys.push(...withWider(name));
			}
		}
		// One character means a concept only where it is a word: 约 does, 大约 does not.
		for (const word of hanWords(run.text)) if (word.length === 1) for (const name of phrases.get(word) ?? []) keys.push(...withWider(name));
	}
	for (let i = 0; i < words.length; i++) {
		const word = words[i] as string;
		if (word === "") continue;
		keys.push(word);
		for (let n = 1; n <= 3; n++) for (const name of phrases.get(words.slice(i, i + n).join(" ")) ?? []) keys.push(...withWider(name));
	}
	for (const day of findCircle(text, DAY_WORD, dayOf, 7)) keys.push(...day.numbers.map((n) => `day:${n}`));
	for (const month of findCircle(text, MONTH_WORD, monthOf, 12)) keys.push(...month.numbers.map((n) => `month:${n}`));
	keys.push(...partsOfDay(text));
	if (EVERY_DAY.test(text)) keys.push(...range("day:", 1, 7));
	if (WEEKDAYS.test(text)) keys.push(...range("day:", 1, 5));
	if (WEEKENDS.test(text)) keys.push("day:6", "day:7");
	return keys;
}

// Questions -------------------------------------------------------------------------------------------------------------

/** What a question asks for, in its order. `text` is normalised. */
export function termsOf(text: string): Term[] {
	const terms: Term[] = [];
	let rest = text;
	const take = (found: Found[], prefix: "day" | "month") => {
		for (const one of found) {
			const written = rest.slice(one.from, one.to);
			terms.push({ keys: one.numbers.map((n) => `${prefix}:${n}`), factor: FACTOR.word, class: prefix, text: written });
			rest = rest.slice(0, one.from) + " ".repeat(written.length) + rest.slice(one.to);
		}
	};
	take(findCircle(rest, DAY_WORD, dayOf, 7), "day");
	take(findCircle(rest, MONTH_WORD, monthOf, 12), "month");
	for (const [words, keys] of [
		[WEEKENDS, ["day:6", "day:7"]],
		[WEEKDAYS, range("day:", 1, 5)],
		[THIS_DAY, range("day:", 1, 7)],
	] as const) {
		const written = words.exec(rest)?.[0];
		if (written === undefined) continue;
		terms.push({ keys: [...keys], factor: FACTOR.word, class: "day", text: written });
		rest = rest.replace(written, " ");
	}
	rest = rest.replace(TIME_OF_DAY, " ");
	const words: { word: string; written: string }[] = [];
	const flush = () => {
		terms.push(...latinTerms(words));
		words.length = 0;
	};
	for (const run of runs(rest)) {
		if (run.han) {
			flush();
			terms.push(...hanTerms(run.text));
		} else words.push({ word: run.text.toLowerCase(), written: run.text });
	}
	flush();
	return unique(terms);
}

const TIME_OF_DAY =
	/\d{1,2}[:：]\d{2}|\d{1,2}\s?(?:am|pm|a\.m\.|p\.m\.|o'clock)(?![\p{L}])|(?:\d{1,2}|[一二两三四五六七八九十]{1,2})点(?:半|钟)?/giu;

const NUMBER_WORD = /^(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty|hundred)$/;

function latinTerms(words: readonly { word: string; written: string }[]): Term[] {
	const terms: Term[] = [];
	const stems = words.map((w) => stem(w.word));
	for (let i = 0; i < words.length; ) {
		let n = 3;
		let names: string[] | undefined;
		for (; n >= 1 && !names; n--)
			if (i + n <= words.length && !(n === 1 && stop.has(words[i]?.word ?? ""))) names = phrases.get(stems.slice(i, i + n).join(" "));
		n = names ? n + 1 : 1;
		const { word, written } = words[i] as { word: string; written: string };
		const text = words
			.slice(i, i + n)
			.map((w) => w.written)
			.join(" ");
		if (names) terms.push(conceptTerm(names, text, n === 1 ? (stems[i] as string) : undefined, n === 1 && light.has(stems[i] as string)));
		else if (/^\d+$/.test(word) || NUMBER_WORD.test(word)) terms.push({ keys: [stem(word)], factor: FACTOR.number, class: "number", text });
		else if (!stop.has(word) && (word.length > 1 || /\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(word))) {
			terms.push({
				keys: [stems[i] as string],
				factor: light.has(stems[i] as string) ? FACTOR.light : FACTOR.word,
				text,
				plain: written === word,
			});
		}
		i += n;
	}
	return terms;
}

function conceptTerm(names: string[], text: string, literal: string | undefined, isLight: boolean): Term {
	const kind = names.map((name) => concepts.get(name)?.kind).find((k) => k !== undefined);
	return {
		keys: names.flatMap((name) => [`#${name}`, `#<${name}`, ...(FEASTS[name] ?? [])]),
		factor: isLight ? FACTOR.light : FACTOR.word,
		text,
		...(literal ? { literal } : {}),
		...(kind ? { kind: `#${kind}` } : {}),
	};
}

/** Longest words of the lexicon first, what stands between them by the segmenter. */
function hanTerms(run: string): Term[] {
	const terms: Term[] = [];
	let unknown = "";
	const flush = () => {
		for (const word of joined(hanWords(unknown))) {
			if (stop.has(word)) continue;
			const names = phrases.get(word);
			if (names) terms.push(conceptTerm(names, word, word, light.has(word)));
			else
				terms.push({
					keys: [word],
					factor: light.has(word) ? FACTOR.light : word.length === 1 ? FACTOR.character : FACTOR.word,
					text: word,
				});
		}
		unknown = "";
	};
	for (let i = 0; i < run.length; ) {
		let n = Math.min(longestHan, run.length - i);
		while (n > 1 && !known(run.slice(i, i + n))) n--;
		if (n === 1) {
			unknown += run[i++];
			continue;
		}
		flush();
		const word = run.slice(i, i + n);
		const names = phrases.get(word);
		if (names) terms.push(conceptTerm(names, word, word, light.has(word)));
		else if (!stop.has(word)) terms.push({ keys: [word], factor: FACTOR.light, text: word });
		i += n;
	}
	flush();
	return terms;
}

/** Characters that the segmenter leaves single and nobody knows are one unknown word: 医保, not 医 and 保. */
function joined(words: Iterable<string>): string[] {
	const all: string[] = [];
	let open = false;
	for (const word of words) {
		const loose = word.length === 1 && !known(word);
		if (loose && open) all[all.length - 1] += word;
		// 要带 is 带 with a word that says nothing.
		else all.push(!known(word) && word.length > 1 && stop.has(word[0] as string) && known(word.slice(1)) ? word.slice(1) : word);
		open = loose;
	}
	return all;
}

const known = (word: string): boolean => phrases.has(word) || stop.has(word) || light.has(word);

function unique(terms: Term[]): Term[] {
	const seen = new Set<string>();
	return terms.filter((term) => {
		const key = term.keys.join(" ");
		if (seen.has(key)) return false;
		seen.add(key);
		return true;
	});
}
