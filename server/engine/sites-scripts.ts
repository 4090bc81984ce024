/**
 * Whether a site's name may be taken for another: letters of one script drawn like those of another (reliability.md 4.1).
 * Sites are kept and shown as browsers name them, `xn--…`; this reads such a name back into its letters to look at their scripts.
 * A warning and nothing more: many honest names are written so.
 */

/** Scripts whose letters look like Latin ones. */
const LOOKALIKE = ["Cyrillic", "Greek", "Armenian", "Cherokee", "Lisu"] as const;
/** Scripts that are written together with Latin, or with each other, in one word. */
const TOGETHER = ["Han", "Hiragana", "Katakana", "Bopomofo", "Hangul"] as const;
const OTHERS = ["Latin", "Arabic", "Hebrew", "Thai", "Devanagari", "Bengali", "Tamil", "Georgian", "Ethiopic", "Khmer", "Lao"] as const;
const SCRIPTS = [...LOOKALIKE, ...TOGETHER, ...OTHERS].map((name) => ({ name, letter: new RegExp(`\\p{Script=${name}}`, "u") }));

/** The scripts of a label's letters; digits, hyphens, marks and what all scripts share belong to none. A letter of a script that is not listed is `other`. */
function scriptsOf(label: string): Set<string> {
	const found = new Set<string>();
	for (const char of label) {
		if (!/\p{L}/u.test(char) || /[\p{Script=Common}\p{Script=Inherited}]/u.test(char)) continue;
		found.add(SCRIPTS.find(({ letter }) => letter.test(char))?.name ?? "other");
	}
	return found;
}

const isLookalike = (script: string): boolean => LOOKALIKE.some((name) => name === script);
const isTogether = (script: string): boolean => TOGETHER.some((name) => name === script);

/**
 * What an owner should know of a rule or site before they allow it: undefined for most. Two ways to be taken for another:
 * one label of several scripts, or one wholly in letters that look Latin under a Latin ending (аррӏе.com).
 */
export function scriptWarning(rule: string): string | undefined {
	const host = rule
		.replace(/^\w+:\/\//, "")
		.replace(/^\*\./, "")
		.replace(/:\d+$/, "");
	if (!host.includes("xn--")) return undefined;
	const labels = host.split(".").map((label) => (label.startsWith("xn--") ? (decodeLabel(label.slice(4)) ?? label) : label));
	const scripts = labels.map(scriptsOf);
	const latinEnding = scripts.at(-1)?.has("Latin") === true;
	const doubtful = scripts.some((found) => {
		const strangers = [...found].filter((script) => script !== "Latin" && !isTogether(script));
		const several = strangers.length > 1 || (strangers.length === 1 && found.size > 1);
		return several || (latinEnding && strangers.some(isLookalike));
	});
	if (!doubtful) return undefined;
	return `Look twice: ${host} is written ${labels.join(".")}, and its letters may be taken for those of another name.`;
}

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const LAST_CODE_POINT = 0x10ffff;

/** Punycode (RFC 3492, section 6.2) of one label without its `xn--`; undefined for what is none. */
export function decodeLabel(text: string): string | undefined {
	const split = text.lastIndexOf("-");
	const points = split > 0 ? Array.from(text.slice(0, split), (c) => c.charCodeAt(0)) : [];
	let at = split > 0 ? split + 1 : 0;
	let code = 128;
	let place = 0;
	let bias = 72;
	while (at < text.length) {
		const before = place;
		for (let weight = 1, k = BASE; ; k += BASE) {
			const digit = Number.parseInt(text[at++] ?? "", 36);
			if (Number.isNaN(digit)) return undefined;
			// Letters are 0 to 25 and digits 26 to 35: the other way round than parseInt reads them.
			const value = digit < 10 ? digit + 26 : digit - 10;
			place += value * weight;
			const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias));
			if (value < threshold) break;
			weight *= BASE - threshold;
			if (place > Number.MAX_SAFE_INTEGER || weight > Number.MAX_SAFE_INTEGER) return undefined;
		}
		const length = points.length + 1;
		bias = adapt(place - before, length, before === 0);
		code += Math.floor(place / length);
		if (code > LAST_CODE_POINT || (code >= 0xd800 && code <= 0xdfff)) return undefined;
		place %= length;
		points.splice(place++, 0, code);
	}
	return String.fromCodePoint(...points);
}

function adapt(delta: number, length: number, first: boolean): number {
	let rest = first ? Math.floor(delta / 700) : delta >> 1;
	rest += Math.floor(rest / length);
	let k = 0;
	for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
	return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + 38));
}
