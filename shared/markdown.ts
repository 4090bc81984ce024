/**
 * Markdown as agents write it, read into blocks that are drawn as elements: never as HTML, so that nothing in the words
 * can become script, style or a request. Linear in its input; depth, columns and lengths are bounded, and whatever is
 * not understood stays the plain text that it is. A single line break is a line break, as people in a chat expect.
 */
import { parseInline, type Span, wordsOf } from "./inline.js";

export type Block =
	| { type: "paragraph"; spans: Span[] }
	/** Every level looks alike: a chat has no outline. */
	| { type: "heading"; spans: Span[] }
	| { type: "code"; language: string; text: string }
	| { type: "quote"; blocks: Block[] }
	| { type: "list"; ordered: boolean; start: number; items: Block[][] }
	| { type: "table"; align: Align[]; head: Span[][]; rows: Span[][][] }
	| { type: "rule" };

export type Align = "start" | "center" | "end" | undefined;

/** Quotes and lists within each other; deeper ones are text. */
const DEEPEST = 8;
const MOST_COLUMNS = 24;

/** Reads a whole text, or what has come of it so far: an open fence holds everything after it. */
export const parseMarkdown = (source: string): Block[] =>
	parse(
		source
			.replace(/\r\n?/g, "\n")
			.split("\n")
			.map((line) => (line.includes("\t") ? untab(line) : line)),
		0,
	);

/** The words alone, as they are read out. */
export function plainWords(blocks: readonly Block[]): string {
	return blocks
		.map((block) => {
			if (block.type === "code") return block.text;
			if (block.type === "quote") return plainWords(block.blocks);
			if (block.type === "list") return block.items.map(plainWords).join("\n");
			if (block.type === "table") return [block.head, ...block.rows].map((row) => row.map(wordsOf).join(", ")).join("\n");
			return block.type === "rule" ? "" : wordsOf(block.spans);
		})
		.filter((words) => words !== "")
		.join("\n");
}

/** Only the blanks a line starts with decide anything. */
function untab(line: string): string {
	const words = line.trimStart();
	return line.slice(0, line.length - words.length).replace(/\t/g, "    ") + words;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
const isBlank = (line: string): boolean => line.trim() === "";

const FENCE = /^ *(`{3,}|~{3,})([^`\n]*)$/;
const HEADING = /^ {0,3}#{1,6} +(\S.*)$/;
const MARKER = /^( *)([-*+]|\d{1,9}[.)])(?: +|$)/;

interface Marker {
	indent: number;
	/** Where the item's words start. */
	width: number;
	/** `-`, `*`, `+`, `.` or `)`: another one is another list. */
	kind: string;
	start: number;
}

function markerOf(line: string): Marker | undefined {
	const found = MARKER.exec(line);
	if (!found || isRule(line)) return undefined;
	const indent = (found[1] as string).length;
	const sign = found[2] as string;
	// Five blanks after the sign are one blank and words that are set in.
	const gap = found[0].length - indent - sign.length;
	return { indent, width: indent + sign.length + (gap > 4 || gap === 0 ? 1 : gap), kind: sign.slice(-1), start: Number.parseInt(sign, 10) };
}

function isRule(line: string): boolean {
	const signs = line.replace(/ /g, "");
	return signs.length >= 3 && indentOf(line) < 4 && (/^-+$/.test(signs) || /^\*+$/.test(signs) || /^_+$/.test(signs));
}

/** Whether a line ends the paragraph before it. */
function interrupts(lines: readonly string[], at: number, depth: number): boolean {
	const line = lines[at] as string;
	if (isBlank(line) || FENCE.test(line) || HEADING.test(line) || isRule(line)) return true;
	if (depth < DEEPEST) {
		if (/^ {0,3}>/.test(line)) return true;
		const marker = markerOf(line);
		if (marker && marker.width < line.length && !(marker.start > 1)) return true;
	}
	return columnsAt(lines, at) !== undefined;
}

function parse(lines: readonly string[], depth: number): Block[] {
	const blocks: Block[] = [];
	let at = 0;
	while (at < lines.length) {
		const line = lines[at] as string;
		const fence = FENCE.exec(line);
		const heading = HEADING.exec(line);
		const columns = columnsAt(lines, at);
		if (isBlank(line)) {
			at++;
		} else if (fence) {
			const { text, next } = readFence(lines, at, fence[1] as string);
			blocks.push({ type: "code", language: ((fence[2] as string).trim().split(/\s/)[0] as string).slice(0, 32), text });
			at = next;
		} else if (heading) {
			blocks.push({ type: "heading", spans: parseInline(withoutClosing(heading[1] as string)) });
			at++;
		} else if (isRule(line)) {
			blocks.push({ type: "rule" });
			at++;
		} else if (depth < DEEPEST && /^ {0,3}>/.test(line)) {
			const inner: string[] = [];
			for (; at < lines.length && /^ {0,3}>/.test(lines[at] as string); at++) inner.push((lines[at] as string).replace(/^ {0,3}> ?/, ""));
			blocks.push({ type: "quote", blocks: parse(inner, depth + 1) });
		} else if (depth < DEEPEST && markerOf(line)) {
			const { block, next } = readList(lines, at, depth);
			blocks.push(block);
			at = next;
		} else if (columns) {
			const rows: Span[][][] = [];
			for (at += 2; at < lines.length && !isBlank(lines[at] as string) && (lines[at] as string).includes("|"); at++) {
				const cells = cellsOf(lines[at] as string);
				rows.push(columns.align.map((_, i) => parseInline(cells[i] ?? "")));
			}
			blocks.push({ type: "table", align: columns.align, head: columns.head.map(parseInline), rows });
		} else {
			const words = [line.trim()];
			for (at++; at < lines.length && !interrupts(lines, at, depth); at++) words.push((lines[at] as string).trim());
			blocks.push({ type: "paragraph", spans: parseInline(words.join("\n")) });
		}
	}
	return blocks;
}

/** A heading without the `#` that may close it. */
function withoutClosing(words: string): string {
	let end = words.trimEnd().length;
	const last = end;
	while (words.charAt(end - 1) === "#") end--;
	return end < last && (end === 0 || words.charAt(end - 1) === " ") ? words.slice(0, end).trimEnd() : words.slice(0, last);
}

function readFence(lines: readonly string[], start: number, fence: string): { text: string; next: number } {
	const indent = indentOf(lines[start] as string);
	const inner: string[] = [];
	for (let at = start + 1; at < lines.length; at++) {
		const line = lines[at] as string;
		const words = line.trim();
		if (words.length >= fence.length && words.startsWith(fence) && words === fence.charAt(0).repeat(words.length))
			return { text: inner.join("\n"), next: at + 1 };
		inner.push(line.slice(Math.min(indent, indentOf(line))));
	}
	return { text: inner.join("\n"), next: lines.length };
}

function readList(lines: readonly string[], start: number, depth: number): { block: Block; next: number } {
	const first = markerOf(lines[start] as string) as Marker;
	const items: Block[][] = [];
	let at = start;
	for (let marker: Marker | undefined = first; marker && marker.kind === first.kind && marker.indent <= first.indent + 1; ) {
		const { width, indent } = marker;
		const inner = [(lines[at] as string).slice(width)];
		let gap = false;
		for (at++; at < lines.length; at++) {
			const line = lines[at] as string;
			if (isBlank(line)) {
				gap = true;
				inner.push("");
				continue;
			}
			const set = indentOf(line);
			// Agents set nested lists in by two blanks under "1.", which strictly needs three.
			const within = set >= Math.min(width, indent + 2);
			if (!within && (gap || markerOf(line) || interrupts(lines, at, depth))) break;
			inner.push(line.slice(Math.min(set, width)));
			gap = false;
		}
		items.push(parse(inner, depth + 1));
		marker = at < lines.length ? markerOf(lines[at] as string) : undefined;
	}
	return { block: { type: "list", ordered: !Number.isNaN(first.start), start: first.start || 0, items }, next: at };
}

/** Head and alignment where a table starts: a line of cells over a line of dashes with as many. */
function columnsAt(lines: readonly string[], at: number): { head: string[]; align: Align[] } | undefined {
	const line = lines[at] as string;
	const below = lines[at + 1];
	if (!line.includes("|") || below === undefined || !below.includes("-") || !/^[ |:-]+$/.test(below)) return undefined;
	const head = cellsOf(line);
	const dashes = cellsOf(below);
	if (head.length > MOST_COLUMNS || head.length !== dashes.length || !dashes.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
	const align = dashes.map((cell): Align => {
		const end = cell.endsWith(":");
		return cell.startsWith(":") ? (end ? "center" : "start") : end ? "end" : undefined;
	});
	return { head, align };
}

/** Cells of a row, without the outer bars; `\|` is a bar within one. */
function cellsOf(line: string): string[] {
	const row = line.trim();
	const cells: string[] = [];
	let cell = "";
	for (let at = row.startsWith("|") ? 1 : 0; at < row.length; at++) {
		const char = row.charAt(at);
		if (char === "\\" && row.charAt(at + 1) === "|") {
			cell += "|";
			at++;
		} else if (char === "|") {
			cells.push(cell.trim());
			cell = "";
		} else {
			cell += char;
		}
	}
	if (cell.trim() !== "" || !row.endsWith("|")) cells.push(cell.trim());
	return cells;
}
