/**
 * The words within a paragraph of markdown, as a flat list of spans: never a tree, so that no input nests deep enough to
 * hurt. Linear in its input: every search is bounded by what an earlier one has shown. Emphasis follows CommonMark, with
 * the amendment that lets `**。**` close beside Chinese, Japanese and Korean characters, which have no spaces.
 */
import { addressAt, type Link, mailAt, safeLink } from "./links.js";

/** Words of one style. `break` is a line break and has no words. */
export interface Span {
	text: string;
	bold?: boolean;
	italic?: boolean;
	strike?: boolean;
	code?: boolean;
	break?: boolean;
	link?: Link;
}

type Token =
	| { kind: "text" | "code" | "break"; text: string }
	| { kind: "address"; text: string; link: Link }
	| { kind: "run"; char: string; count: number; length: number; opens: boolean; closes: boolean }
	| { kind: "bracket"; text: string };

type Style = "bold" | "italic" | "strike";
/** A style or a link from one token to another, both outside it. */
type Mark = { from: number; to: number } & ({ style: Style } | { link: Link });

const SPACE = /\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const CJK = /[\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]/;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0", "#39": "'", apos: "'" };
const SPECIAL = /[\\`*_~[\]!<&\nhHwW@]/;

/** Reads one paragraph. */
export function parseInline(source: string): Span[] {
	const { tokens, marks } = tokenize(source);
	return spansOf(tokens, marks);
}

/** The words alone. */
export const wordsOf = (spans: readonly Span[]): string => spans.map((span) => (span.break ? "\n" : span.text)).join("");

function tokenize(source: string): { tokens: Token[]; marks: Mark[] } {
	const tokens: Token[] = [];
	const marks: Mark[] = [];
	const brackets: number[] = [];
	const runs: number[] = [];
	let from = 0;
	let at = 0;
	const ticks = tickRuns(source);
	/** Everything before `end` that is no token yet becomes text; reading goes on at `next`. */
	const take = (end: number, next: number, token?: Token): void => {
		if (end > from) tokens.push({ kind: "text", text: source.slice(from, end) });
		if (token) tokens.push(token);
		from = at = next;
	};
	while (at < source.length) {
		const char = source.charAt(at);
		if (!SPECIAL.test(char)) {
			at++;
		} else if (char === "\n") {
			take(at, at + 1, { kind: "break", text: "" });
		} else if (char === "\\") {
			if (source.charAt(at + 1) === "\n") take(at, at + 1);
			else if (ESCAPABLE.test(source.charAt(at + 1))) take(at, at + 2, { kind: "text", text: source.charAt(at + 1) });
			else at++;
		} else if (char === "`") {
			const length = runLength(source, at);
			const end = ticks(length, at + length);
			if (end === undefined) at += length;
			else take(at, end + length, { kind: "code", text: codeText(source.slice(at + length, end)) });
		} else if (char === "*" || char === "_" || char === "~") {
			const run = readRun(source, at);
			take(at, at + run.length, run);
			runs.push(tokens.length - 1);
		} else if (char === "[" || (char === "!" && source.charAt(at + 1) === "[")) {
			const text = char === "[" ? "[" : "![";
			take(at, at + text.length, { kind: "bracket", text });
			brackets.push(tokens.length - 1);
		} else if (char === "]") {
			const open = brackets.pop();
			const target = open !== undefined && source.charAt(at + 1) === "(" ? readTarget(source, at + 2) : undefined;
			if (open === undefined || !target) {
				at++;
				continue;
			}
			take(at, target.end, { kind: "bracket", text: "" });
			const to = tokens.length - 1;
			// A picture is never loaded: it is a link by its description, or by where it leads when it has none.
			if (to === open + 1) tokens.splice(to, 0, { kind: "text", text: target.link.where });
			(tokens[open] as { text: string }).text = "";
			marks.push({ from: open, to: tokens.length - 1, link: target.link });
			let outside = runs.length;
			while (outside > 0 && (runs[outside - 1] as number) > open) outside--;
			emphasize(tokens, runs.splice(outside), marks);
			brackets.length = 0;
		} else if (char === "<") {
			const end = angleEnd(source, at);
			const inner = source.slice(at + 1, end);
			const link = end === undefined ? undefined : safeLink(/^[^:/\s]+@[^:/\s]+$/.test(inner) ? `mailto:${inner}` : inner);
			if (link && end !== undefined) take(at, end + 1, { kind: "address", text: inner, link });
			else if (end !== undefined && /^br ?\/?$/i.test(inner)) take(at, end + 1, { kind: "break", text: "" });
			else at++;
		} else if (char === "&") {
			const name = /^&(#?[a-z0-9]{2,4});/.exec(source.slice(at, at + 7))?.[1];
			const text = name === undefined ? undefined : ENTITIES[name];
			if (text !== undefined && name !== undefined) take(at, at + name.length + 2, { kind: "text", text });
			else at++;
		} else if (char === "@") {
			const mail = mailAt(source, at, from);
			if (mail) take(mail.start, mail.end, { kind: "address", text: source.slice(mail.start, mail.end), link: mail.link });
			else at++;
		} else {
			const address = char === "!" ? undefined : addressAt(source, at);
			if (address?.link)
				take(at, at + address.length, { kind: "address", text: source.slice(at, at + address.length), link: address.link });
			else at += address?.length ?? 1;
		}
	}
	take(source.length, source.length);
	emphasize(tokens, runs, marks);
	return { tokens, marks };
}

function runLength(source: string, at: number): number {
	let end = at + 1;
	while (source.charAt(end) === source.charAt(at)) end++;
	return end - at;
}

/** Finds the next run of exactly so many backticks at or after a place. Places must be asked for in rising order. */
function tickRuns(source: string): (length: number, after: number) => number | undefined {
	const places = new Map<number, number[]>();
	for (let at = source.indexOf("`"); at >= 0; ) {
		const length = runLength(source, at);
		const known = places.get(length);
		if (known) known.push(at);
		else places.set(length, [at]);
		at = source.indexOf("`", at + length);
	}
	const read = new Map<number, number>();
	return (length, after) => {
		const known = places.get(length) ?? [];
		let next = read.get(length) ?? 0;
		while (next < known.length && (known[next] as number) < after) next++;
		read.set(length, next);
		return known[next];
	};
}

function codeText(inner: string): string {
	const line = inner.replace(/\n/g, " ");
	return line.length > 2 && line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "" ? line.slice(1, -1) : line;
}

/** A run of `*`, `_` or `~`, and whether it may open and close (CommonMark 6.2, "flanking"). */
function readRun(source: string, at: number): Extract<Token, { kind: "run" }> {
	const char = source.charAt(at);
	const length = runLength(source, at);
	const before = source.charAt(at - 1) || " ";
	const after = source.charAt(at + length) || " ";
	const soft = (c: string): boolean => PUNCTUATION.test(c) && !CJK.test(c);
	const edge = (c: string): boolean => SPACE.test(c) || PUNCTUATION.test(c) || CJK.test(c);
	const left = !SPACE.test(after) && (!soft(after) || edge(before));
	const right = !SPACE.test(before) && (!soft(before) || edge(after));
	const word = char === "_";
	const count = char === "~" && length !== 2 ? 0 : length;
	return {
		kind: "run",
		char,
		length,
		count: length,
		opens: count > 0 && left && (!word || !right || PUNCTUATION.test(before)),
		closes: count > 0 && right && (!word || !left || PUNCTUATION.test(after)),
	};
}

/** Pairs the runs (places of tokens, rising) and marks what stands between them. */
function emphasize(tokens: readonly Token[], runs: readonly number[], marks: Mark[]): void {
	const openers: number[] = [];
	/** For a kind of closer: no opener for it lies below this height. */
	const floors = new Map<string, number>();
	for (const place of runs) {
		const closer = tokens[place] as Extract<Token, { kind: "run" }>;
		while (closer.closes && closer.count > 0) {
			const kind = `${closer.char}${closer.opens}${closer.length % 3}`;
			const floor = floors.get(kind) ?? 0;
			let height = openers.length - 1;
			while (height >= floor && !pairs(tokens[openers[height] as number] as Extract<Token, { kind: "run" }>, closer)) height--;
			if (height < floor) {
				floors.set(kind, openers.length);
				break;
			}
			const from = openers[height] as number;
			const opener = tokens[from] as Extract<Token, { kind: "run" }>;
			const width = opener.count >= 2 && closer.count >= 2 ? 2 : 1;
			opener.count -= width;
			closer.count -= width;
			marks.push({ from, to: place, style: closer.char === "~" ? "strike" : width === 2 ? "bold" : "italic" });
			openers.length = opener.count > 0 ? height + 1 : height;
			for (const [key, value] of floors) if (value > openers.length) floors.set(key, openers.length);
		}
		if (closer.opens && closer.count > 0) openers.push(place);
	}
}

function pairs(opener: Extract<Token, { kind: "run" }>, closer: Extract<Token, { kind: "run" }>): boolean {
	if (opener.char !== closer.char) return false;
	if (!(opener.closes || closer.opens)) return true;
	return (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

/** What stands in the round brackets of a link, from after the first: `address "title")`. */
function readTarget(source: string, start: number): { link: Link; end: number } | undefined {
	let at = start;
	const blanks = (): void => {
		while (at < start + 2_600 && SPACE.test(source.charAt(at))) at++;
	};
	blanks();
	let address: string;
	if (source.charAt(at) === "<") {
		const end = angleEnd(source, at);
		if (end === undefined) return undefined;
		address = source.slice(at + 1, end);
		at = end + 1;
	} else {
		const from = at;
		for (let depth = 0; at - from <= 2_048 && at < source.length; at++) {
			const char = source.charAt(at);
			if (SPACE.test(char) || (char === ")" && depth === 0)) break;
			depth += char === "(" ? 1 : char === ")" ? -1 : 0;
			if (depth > 8) return undefined;
			if (char === "\\" && ESCAPABLE.test(source.charAt(at + 1))) at++;
		}
		address = source.slice(from, at).replace(/\\([!-/:-@[-`{-~])/g, "$1");
	}
	blanks();
	const quote = source.charAt(at);
	if (quote === '"' || quote === "'") {
		const end = source.slice(at + 1, at + 512).indexOf(quote);
		if (end < 0) return undefined;
		at += end + 2;
		blanks();
	}
	const link = source.charAt(at) === ")" ? safeLink(address) : undefined;
	return link && { link, end: at + 1 };
}

/** Where the `>` of a `<…>` without blanks in it is. */
function angleEnd(source: string, at: number): number | undefined {
	for (let end = at + 1; end < at + 2_050 && end < source.length; end++) {
		const char = source.charAt(end);
		if (char === ">") return end > at + 1 ? end : undefined;
		if (char === "<" || char === "\n") return undefined;
	}
	return undefined;
}

function spansOf(tokens: readonly Token[], marks: readonly Mark[]): Span[] {
	const changes = new Map<number, { mark: Mark; by: 1 | -1 }[]>();
	const change = (place: number, mark: Mark, by: 1 | -1): void => {
		const known = changes.get(place);
		if (known) known.push({ mark, by });
		else changes.set(place, [{ mark, by }]);
	};
	for (const mark of marks) {
		change(mark.from + 1, mark, 1);
		change(mark.to, mark, -1);
	}
	const depth = { bold: 0, italic: 0, strike: 0 };
	let link: Link | undefined;
	const spans: Span[] = [];
	tokens.forEach((token, place) => {
		for (const { mark, by } of changes.get(place) ?? []) {
			if ("style" in mark) depth[mark.style] += by;
			else link = by > 0 ? mark.link : undefined;
		}
		const text = token.kind === "run" ? token.char.repeat(token.count) : token.text;
		if (text === "" && token.kind !== "break") return;
		const span: Span = { text };
		if (depth.bold > 0) span.bold = true;
		if (depth.italic > 0) span.italic = true;
		if (depth.strike > 0) span.strike = true;
		if (token.kind === "code") span.code = true;
		if (token.kind === "break") span.break = true;
		const leads = link ?? (token.kind === "address" ? token.link : undefined);
		if (leads) span.link = leads;
		const last = spans.at(-1);
		if (last && alike(last, span)) last.text += text;
		else spans.push(span);
	});
	return spans;
}

const alike = (a: Span, b: Span): boolean =>
	a.bold === b.bold && a.italic === b.italic && a.strike === b.strike && a.link === b.link && !a.code && !b.code && !a.break && !b.break;
