/**
 * How wide a text is, without a browser: widths of the system fonts that badges are drawn with, near enough that
 * `textLength` moves no letter visibly. What a badge says of a person is made fit to be shown: nothing that turns text
 * around, nothing that XML cannot hold, cut with an ellipsis between whole characters.
 */

export type Weight = 400 | 600;

/** Thousandths of an em from the space (32) to the tilde (126), of a plain sans serif. */
const REGULAR =
	"278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
		.split(" ")
		.map(Number);
/** The same, half bold. */
const STRONG =
	"278 306 414 556 556 889 694 214 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 306 306 584 584 584 584 995 694 694 722 722 667 611 778 722 278 528 694 584 833 722 778 667 778 722 667 611 722 667 944 667 667 611 306 278 306 526 556 333 556 584 528 584 556 306 584 584 250 250 528 250 861 584 584 584 584 361 528 306 584 528 750 528 528 500 362 270 362 584"
		.split(" ")
		.map(Number);

const MARK = /^\p{M}$/u;
/** As wide as they are high, in every font. */
const WIDE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]$/u;
const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
/** Letters with a mark count as what they are drawn on. */
const base = (character: string): string => character.normalize("NFD").charAt(0);

const ELLIPSIS = 1000;
/** Of scripts that no table here knows: generous, so that nothing is drawn over the edge. */
const UNKNOWN = 680;
const EMOJI = 1300;

/** Thousandths of an em of one whole character; `known`: from a table, not guessed. */
function widthOfOne(character: string, weight: Weight): { width: number; known: boolean } {
	const first = String.fromCodePoint(character.codePointAt(0) ?? 32);
	if (PICTURE.test(character)) return { width: EMOJI, known: false };
	if (WIDE.test(first)) return { width: 1000, known: true };
	if (first === "…") return { width: ELLIPSIS, known: true };
	if (MARK.test(first)) return { width: 0, known: false };
	const at = base(first).charCodeAt(0) - 32;
	const width = (weight === 600 ? STRONG : REGULAR)[at];
	return width === undefined ? { width: UNKNOWN, known: false } : { width, known: true };
}

const whole = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Whole characters, as a reader counts them. */
export const characters = (text: string): string[] => [...whole.segment(text)].map(({ segment }) => segment);

/** Pixels, and whether every character of it was known: only then may a browser be held to the width. */
export function measure(text: string, size: number, weight: Weight): { width: number; known: boolean } {
	let sum = 0;
	let known = true;
	for (const character of characters(text)) {
		const one = widthOfOne(character, weight);
		sum += one.width;
		known &&= one.known;
	}
	return { width: (sum * size) / 1000, known };
}

/** Controls, changes of direction, what no XML holds, halves of a pair. A joiner stays: emoji are made with it. */
const UNFIT = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]/gu;

/** A name as a picture may show it: one line, nothing in it that a reader does not see. May be empty. */
export const fitting = (text: string): string => text.replace(UNFIT, " ").replace(/\s+/g, " ").trim();

/** Cut to a width in pixels, with an ellipsis where something was left out. */
export function cut(text: string, width: number, size: number, weight: Weight): string {
	if (measure(text, size, weight).width <= width) return text;
	let kept = "";
	for (const character of characters(text)) {
		if (measure(`${kept}${character}…`, size, weight).width > width) break;
		kept += character;
	}
	return `${kept.trimEnd()}…`;
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** Text for an element or an attribute of XML. */
export const xml = (text: string): string => text.replace(/[&<>"']/g, (c) => ESCAPES[c] as string);
