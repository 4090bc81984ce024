/**
 * Cuts a desk's notes into passages, the smallest pieces that can be quoted by themselves: a paragraph, an item of a list,
 * a row of a table, a question with its answer. What a passage says is always a piece of its file, letter for letter.
 *
 * Never read: files whose name, or a folder of theirs, begins with `_`, and `instructions.md`, which speak to an agent and
 * not to visitors; front matter and HTML comments, which no reader of the file sees.
 */
import type { MemoryFile } from "../../engine/ports.js";

export interface Passage {
	path: string;
	/** Headings above it, outermost first, as plain text. */
	headings: string[];
	/** Number of its section within the file: passages under the same heading share it. */
	section: number;
	/** Number of its block: items of one list, rows of one table share it. */
	block: number;
	kind: "paragraph" | "item" | "row";
	/** Lines of the file that say it. */
	lines: string[];
	/** Lines of the file without which it is not understood: the line before a list, the head of a table. */
	lead: string[];
}

/** Longer paragraphs and items are cut between sentences. */
const PARAGRAPH_CHARS = 600;

/** Whether a file may be quoted to visitors. */
function isQuotable(path: string): boolean {
	const names = path.split("/");
	return !names.some((name) => name.startsWith("_") || name.startsWith(".")) && names.at(-1)?.toLowerCase() !== "instructions.md";
}

/** @returns the passages of one file in their order; none for a file that is not quotable. */
export function passagesOf(file: MemoryFile): Passage[] {
	return isQuotable(file.path) ? new Cutter(file.path).cut(file.text) : [];
}

const HEADING = /^ {0,3}(#{1,6})\s+(.+?)(?:\s+#+)?\s*$/;
const ITEM = /^(\s*)(?:[-*+•]|\d{1,3}[.)、])\s+\S/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const QUESTION = /^(?:\*\*)?(?:Q|Question|问|问题)\s*\d*\s*[:：.]/i;
const ANSWER = /^(?:\*\*)?(?:A|Answer|答|回答)\s*\d*\s*[:：.]/i;
const RULE = /^ {0,3}(?:[-*_] ?){3,}\s*$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

class Cutter {
	private readonly passages: Passage[] = [];
	private readonly headings: { level: number; text: string }[] = [];
	private section = 0;
	private block = 0;
	private paragraph: string[] = [];
	/** The line that a list just begun goes on from, if it ends in a colon. */
	private lead: string[] = [];

	constructor(private readonly path: string) {}

	cut(text: string): Passage[] {
		const lines = withoutHidden(text).split(/\r?\n/);
		for (let i = 0; i < lines.length; ) i = this.line(lines, i);
		this.flush();
		return this.passages;
	}

	/** Takes what begins at a line; returns where the next begins. */
	private line(lines: string[], i: number): number {
		const line = lines[i] as string;
		const fence = FENCE.exec(line)?.[1];
		if (fence) return this.code(lines, i, fence);
		const heading = HEADING.exec(line);
		if (heading) {
			this.flush();
			this.enter((heading[1] as string).length, plain(heading[2] as string));
		} else if (line.trim() === "" || RULE.test(line)) {
			this.flush();
		} else if (line.includes("|") && TABLE_RULE.test(lines[i + 1] ?? "") && (lines[i + 1] as string).includes("-")) {
			return this.table(lines, i);
		} else if (ITEM.test(line)) {
			return this.list(lines, i);
		} else {
			if (QUESTION.test(line.trim()) && this.paragraph.length > 0) this.flush();
			this.paragraph.push(line);
		}
		return i + 1;
	}

	private enter(level: number, text: string): void {
		while ((this.headings.at(-1)?.level ?? 0) >= level) this.headings.pop();
		this.headings.push({ level, text });
		this.section++;
		this.lead = [];
	}

	/** Ends a paragraph. An answer after an empty line still belongs to its question. */
	private flush(): void {
		const lines = this.paragraph;
		this.paragraph = [];
		if (lines.length === 0) return;
		const last = this.passages.at(-1);
		if (
			ANSWER.test((lines[0] as string).trim()) &&
			last?.section === this.section &&
			last.lines.length === 1 &&
			QUESTION.test((last.lines[0] as string).trim())
		) {
			last.lines.push(...lines);
			return;
		}
		this.block++;
		this.add("paragraph", lines, []);
		this.lead = /[:：]\s*\**$/.test(lines.at(-1) as string) ? [lines.at(-1) as string] : [];
	}

	/** Items with the lines and lesser items indented under them. */
	private list(lines: string[], from: number): number {
		this.flush();
		const lead = this.lead;
		this.lead = [];
		this.block++;
		const depth = ITEM.exec(lines[from] as string)?.[1]?.length ?? 0;
		let item: string[] = [];
		let i = from;
		for (; i < lines.length; i++) {
			const line = lines[i] as string;
			const mark = ITEM.exec(line);
			if (mark && (mark[1] as string).length <= depth + 1) {
				if (item.length > 0) this.add("item", item, lead);
				item = [line];
			} else if (line.trim() === "") {
				if (!/^\s{2,}\S/.test(lines[i + 1] ?? "") && !ITEM.test(lines[i + 1] ?? "")) break;
			} else if (HEADING.test(line) || (!/^\s{2,}\S/.test(line) && (lines[i - 1] as string).trim() === "")) {
				break;
			} else item.push(line);
		}
		if (item.length > 0) this.add("item", item, lead);
		return i;
	}

	private table(lines: string[], from: number): number {
		this.flush();
		this.block++;
		const head = [lines[from] as string, lines[from + 1] as string];
		let i = from + 2;
		for (; i < lines.length && (lines[i] as string).includes("|"); i++) this.add("row", [lines[i] as string], head);
		return i;
	}

	private code(lines: string[], from: number, fence: string): number {
		this.flush();
		let to = from + 1;
		while (to < lines.length && (lines[to] as string).trim() !== fence) to++;
		this.block++;
		this.add("paragraph", lines.slice(from, to + 1), []);
		return to + 1;
	}

	private add(kind: Passage["kind"], lines: string[], lead: string[]): void {
		const headings = this.headings.map((h) => h.text);
		for (const part of kind === "row" ? [lines] : shorter(lines)) {
			this.passages.push({ path: this.path, headings, section: this.section, block: this.block, kind, lines: part, lead });
		}
	}
}

/** Front matter and comments away. What stands between two rules at the top is front matter only if it reads like it. */
function withoutHidden(text: string): string {
	const front = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text.replace(/^\ufeff/, ""));
	const isFront = front?.[1]?.split("\n").every((line) => /^\s*(?:[\w-]+\s*:|- |#|$)/.test(line)) ?? false;
	const shown = text.replace(/^\ufeff/, "").slice(isFront ? front?.[0].length : 0);
	return shown.replace(/<!--[\s\S]*?(?:-->|$)/g, "");
}

/** A paragraph, or where it is long pieces of whole sentences. */
function shorter(lines: string[]): string[][] {
	if (lines.join("\n").length <= PARAGRAPH_CHARS) return [lines];
	const pieces: string[][] = [];
	let piece: string[] = [];
	let length = 0;
	for (const line of lines) {
		for (const sentence of line.match(/.{1,600}?(?:[.!?](?=\s|$)|[。！？；]|$)\s*/gsu) ?? [line]) {
			if (length > 0 && length + sentence.length > PARAGRAPH_CHARS / 2) {
				pieces.push(piece);
				piece = [];
				length = 0;
			}
			piece.push(sentence.trim());
			length += sentence.length;
		}
	}
	if (piece.length > 0) pieces.push(piece);
	return pieces;
}

/** A heading or a line as it is seen. */
export const plain = (markdown: string): string =>
	markdown
		.replace(/!\[[^\]]{0,300}\]\([^)]{0,300}\)/g, "")
		.replace(/\[([^\]]{0,300})\]\([^)]{0,300}\)/g, "$1")
		.replace(/[*`]+|~~/g, "")
		.trim();
