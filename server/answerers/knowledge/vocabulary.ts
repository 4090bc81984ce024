/**
 * The lexicon made ready for looking up, once. `lexicon.ts` holds the data and says how it is written; here phrases are
 * found by their stems, so that "shipping", "ships" and "shipped" are one.
 */
import { CONCEPTS, LIGHT, STOP } from "./lexicon.js";

/**
 * A light stem: plurals, -ing, -ed and a silent e off, doubled consonants made one. Takes small letters. A word of four letters
 * keeps its e, and gets it back after -ing and -ed: care is no car and firing no fir.
 */
export function stem(word: string): string {
	let w = word;
	// The border's customs are no custom.
	if (w === "customs") return w;
	if (w.length <= 3 || /\d/.test(w)) return w;
	if (w.endsWith("ies") && w.length > 4) w = `${w.slice(0, -3)}y`;
	else if (/(?:ss|sh|ch|x|zz)es$/.test(w)) w = w.slice(0, -2);
	else if (w.endsWith("s") && !/(?:ss|us|is)$/.test(w)) w = w.slice(0, -1);
	if (w.endsWith("ing") && /[aeiouy].*ing$/.test(w) && w.length > 5) w = w.slice(0, -3);
	else if (w.endsWith("ied") && w.length > 4) w = `${w.slice(0, -3)}y`;
	else if (w.endsWith("ed") && /[aeiouy].*ed$/.test(w) && w.length > 4) w = w.slice(0, -2);
	if (/([bdgmnprt])\1$/.test(w)) w = w.slice(0, -1);
	else if (w.length === 3 && w !== word && /(?:ing|ed)$/.test(word) && /^[^aeiouy][aeiou][^aeiouwxy]$/.test(w)) w = `${w}e`;
	if (w.endsWith("e") && w.length > 4) w = w.slice(0, -1);
	return w;
}

const concepts = new Map<string, { wider?: string; kind?: string; whole?: string }>();
/** Names of concepts by English phrases (stems, with spaces) and Chinese words. */
const phrases = new Map<string, string[]>();
/** The same for what means them only in questions. */
const asked = new Map<string, string[]>();
/** Those of them that may as well mean just themselves. */
const itself = new Set<string>();
/** English ones as they are written, Chinese ones. */
const stop = new Set<string>();
/** English phrases by their stems, Chinese words. */
const light = new Set<string>();

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

for (const line of CONCEPTS.trim().split("\n")) {
	const [head = "", rest = ""] = line.split(":");
	const [name = "", ...signs] = head.split(" ");
	const sign = (mark: string) => signs.find((s) => s.startsWith(mark))?.slice(1);
	concepts.set(name, { wider: sign("<"), kind: sign("~"), whole: sign("^") });
	const [english = "", chinese = ""] = rest.split("|");
	const all = [...words(english).map((phrase) => phrase.split("_").map(stem).join(" ")), ...words(chinese)];
	for (const phrase of new Set(all)) {
		const mark = /^[?+]/.exec(phrase)?.[0];
		const [map, key] = mark ? [asked, stem(phrase.slice(1))] : [phrases, phrase];
		if (mark === "+") itself.add(key);
		map.set(key, [...(map.get(key) ?? []), name]);
	}
}
for (const [set, text] of [[stop, STOP] as const, [light, LIGHT] as const]) {
	const [english = "", chinese = ""] = text.split("|");
	for (const word of words(english)) set.add(set === stop ? word : word.split("_").map(stem).join(" "));
	for (const word of words(chinese)) set.add(word);
}

/** Names of the concepts that a phrase stands for; a phrase is stems with spaces between, or a Chinese word. */
export const conceptsOf = (phrase: string): readonly string[] => phrases.get(phrase) ?? [];

/** The same for a phrase in a question. */
export const askedConceptsOf = (phrase: string): readonly string[] => phrases.get(phrase) ?? asked.get(phrase) ?? [];

/** Whether what means a concept in a question may also mean just itself: 收到 asks for a delivery, or says that something came. */
export const isItselfToo = (phrase: string): boolean => itself.has(phrase);

/**
 * Key of the kind of which something of this concept is, and of the whole it is a part of. `isOne`: it is one of the kind
 * in every respect, so that even a price of the kind is its price (a dog is a pet; a cup is only some item).
 */
export function relationsOf(name: string): { kind?: string; isOne?: boolean; whole?: string } {
	const { wider, kind, whole } = concepts.get(name) ?? {};
	return { ...(kind ? { kind: `#${kind}`, isOne: kind === wider } : {}), ...(whole ? { whole: `#${whole}` } : {}) };
}

/** Keys of a concept in a note: its own, and `#<` of all that it is a kind of. */
export function noteKeys(name: string): string[] {
	const keys = [`#${name}`];
	for (let at = concepts.get(name)?.wider; at !== undefined; at = concepts.get(at)?.wider) keys.push(`#<${at}`);
	return keys;
}

/** Keys that a note must have one of to speak of a concept. */
export const questionKeys = (name: string): string[] => [`#${name}`, `#<${name}`];

/** A word that carries no fact: an English word as it is written, or a Chinese one. */
export const isStop = (word: string): boolean => stop.has(word);

/** What carries little: an English phrase by its stems, or a Chinese word. */
export const isLight = (word: string): boolean => light.has(word);

/** Whether the lexicon has a Chinese word at all. */
export const isKnown = (word: string): boolean => phrases.has(word) || stop.has(word) || light.has(word);

/** Characters of the longest Chinese word. */
export const LONGEST_HAN = Math.max(
	...[...phrases.keys(), ...stop, ...light].map((word) => (/\p{Script=Han}/u.test(word) ? word.length : 0)),
);
