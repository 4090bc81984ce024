/**
 * Tells files that speak to people from data and code. What counts as rare or as a subject of a desk's notes is taken from its
 * prose alone, so that a price table for a machine or a stray `package.json` changes no answer that the prose gives.
 */
import type { MemoryFile } from "../../engine/ports.js";

/** Endings of files that people write to be read. A name without an ending is one of them. */
const PROSE = /^(?:md|markdown|mdx|txt|text|rst|adoc|asciidoc|org)$/i;
/** Characters looked at. */
const SAMPLE_CHARS = 4_000;
/** More signs of a programming language or a data format than this for each letter, and it is one. */
const SIGNS_PER_LETTER = 0.1;

/** Whether a file is prose: by its ending, and where that says so by how it looks (JSON pasted into `notes.txt` is data). */
export function isProse({ path, text }: Pick<MemoryFile, "path" | "text">): boolean {
	const name = path.split("/").at(-1) as string;
	const ending = /[^.]\.([^.\s]+)$/.exec(name)?.[1];
	if (ending !== undefined && !PROSE.test(ending)) return false;
	const sample = text.slice(0, SAMPLE_CHARS);
	const letters = sample.match(/\p{L}/gu)?.length ?? 0;
	const signs = sample.match(/[{}[\]<>"=;\\]/g)?.length ?? 0;
	return signs <= letters * SIGNS_PER_LETTER;
}
