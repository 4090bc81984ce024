/**
 * Words as outlines, for the badge as PNG: whoever draws it there has no fonts. Reads the slices of Noto Sans SC that
 * `@fontsource/noto-sans-sc` ships as woff (tables packed by zlib), only those that a text needs, and keeps a bounded number of
 * them. Knows what a text costs in width and which characters it has no shape for; does not shape: scripts whose letters join, and
 * emoji, count as missing.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { inflateSync } from "node:zlib";
import { LIMITS } from "../../shared/limits.js";
import type { Weight } from "./badge-text.js";

/** A shape in units of its font: SVG path data, y upwards. */
interface Glyph {
	advance: number;
	path: string;
}

interface Slice {
	unitsPerEm: number;
	/** By code point; undefined: not in this slice. */
	glyph(code: number): Glyph | undefined;
}

type Ranges = readonly (readonly [from: number, to: number])[];

let index: Promise<{ folder: string; slices: { name: string; ranges: Ranges }[] }> | undefined;
const slices = new Map<string, Promise<Slice>>();

/** Which characters stand in which slice, as the package says. */
async function readIndex() {
	const require = createRequire(import.meta.url);
	const file = require.resolve("@fontsource/noto-sans-sc/unicode.json");
	const listed = JSON.parse(await readFile(file, "utf8")) as Record<string, string>;
	const ranges = (text: string): Ranges =>
		text.split(",").map((range) => {
			const [from = "", to = from] = range.trim().replace(/^U\+/i, "").split("-");
			return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
		});
	return {
		folder: join(dirname(file), "files"),
		// `[12]` is the slice 12, `latin` the slice of that name.
		slices: Object.entries(listed).map(([name, text]) => ({ name: name.replace(/[[\]]/g, ""), ranges: ranges(text) })),
	};
}

async function slicesOf(code: number, weight: Weight): Promise<Slice[]> {
	index ??= readIndex();
	index.catch(() => {
		index = undefined;
	});
	const { folder, slices: known } = await index;
	const holding = known.filter(({ ranges }) => ranges.some(([from, to]) => code >= from && code <= to));
	return await Promise.all(holding.map(({ name }) => sliceAt(join(folder, `noto-sans-sc-${name}-${weight}-normal.woff`))));
}

function sliceAt(file: string): Promise<Slice> {
	const known = slices.get(file);
	// What is used again stays longest.
	slices.delete(file);
	const slice = known ?? readFile(file).then(readFont);
	slices.set(file, slice);
	slice.catch(() => slices.delete(file));
	for (const oldest of slices.keys()) {
		if (slices.size <= LIMITS.badgeFontSlices) break;
		slices.delete(oldest);
	}
	return slice;
}

/** One character as it is drawn at 1 px an em, y downwards: how far it reaches, and its shape. Undefined: there is no shape for it. */
export async function glyphOf(character: string, weight: Weight): Promise<{ width: number; path: string; scale: number } | undefined> {
	const code = character.codePointAt(0);
	// More than one code point is a sequence, which would need shaping.
	if (code === undefined || character.length !== String.fromCodePoint(code).length) return undefined;
	for (const slice of await slicesOf(code, weight)) {
		const glyph = slice.glyph(code);
		if (glyph) return { width: glyph.advance / slice.unitsPerEm, path: glyph.path, scale: 1 / slice.unitsPerEm };
	}
	return undefined;
}

/** The tables of a woff file by their names. Throws for a file that is none. */
function tablesOf(woff: Buffer): Map<string, Buffer> {
	if (woff.toString("latin1", 0, 4) !== "wOFF") throw new Error("The font of the badges is not a woff file.");
	const tables = new Map<string, Buffer>();
	for (let i = 0; i < woff.readUInt16BE(12); i++) {
		const at = 44 + 20 * i;
		const [offset, packed, length] = [woff.readUInt32BE(at + 4), woff.readUInt32BE(at + 8), woff.readUInt32BE(at + 12)];
		const bytes = woff.subarray(offset, offset + packed);
		tables.set(woff.toString("latin1", at, at + 4), packed < length ? inflateSync(bytes) : bytes);
	}
	return tables;
}

export function readFont(woff: Buffer): Slice {
	const tables = tablesOf(woff);
	const table = (name: string): Buffer => {
		const bytes = tables.get(name);
		if (!bytes) throw new Error(`The font of the badges has no table ${name}.`);
		return bytes;
	};
	const [head, loca, glyf, hmtx] = [table("head"), table("loca"), table("glyf"), table("hmtx")];
	const metrics = table("hhea").readUInt16BE(34);
	const long = head.readInt16BE(50) === 1;
	const find = readCmap(table("cmap"));
	const at = (glyph: number): number => (long ? loca.readUInt32BE(4 * glyph) : 2 * loca.readUInt16BE(2 * glyph));
	const outline = (glyph: number): Buffer => glyf.subarray(at(glyph), at(glyph + 1));
	return {
		unitsPerEm: head.readUInt16BE(18),
		glyph(code) {
			const glyph = find(code);
			if (glyph === 0) return undefined;
			return { advance: hmtx.readUInt16BE(4 * Math.min(glyph, metrics - 1)), path: drawGlyph(outline, glyph, 0) };
		},
	};
}

/** From code points to glyphs; 0 is none. Formats 4 and 12, which are all that fonts for the web have. */
function readCmap(cmap: Buffer): (code: number) => number {
	let four: number | undefined;
	for (let i = 0; i < cmap.readUInt16BE(2); i++) {
		const at = cmap.readUInt32BE(4 + 8 * i + 4);
		const format = cmap.readUInt16BE(at);
		if (format === 12) return (code) => inGroups(cmap, at, code);
		if (format === 4) four = at;
	}
	if (four === undefined) throw new Error("The font of the badges has no map of characters that is known here.");
	const at = four;
	return (code) => (code > 0xffff ? 0 : inSegments(cmap, at, code));
}

function inGroups(cmap: Buffer, at: number, code: number): number {
	for (let i = 0; i < cmap.readUInt32BE(at + 12); i++) {
		const group = at + 16 + 12 * i;
		const first = cmap.readUInt32BE(group);
		if (code >= first && code <= cmap.readUInt32BE(group + 4)) return cmap.readUInt32BE(group + 8) + code - first;
	}
	return 0;
}

function inSegments(cmap: Buffer, at: number, code: number): number {
	const doubled = cmap.readUInt16BE(at + 6);
	for (let i = 0; i < doubled; i += 2) {
		if (code > cmap.readUInt16BE(at + 14 + i)) continue;
		const [start, delta, range] = [16, 16 + doubled, 16 + 2 * doubled].map((part) => at + part + doubled + i) as [number, number, number];
		const first = cmap.readUInt16BE(start);
		if (code < first) return 0;
		const offset = cmap.readUInt16BE(range);
		const shift = cmap.readInt16BE(delta);
		if (offset === 0) return (code + shift) & 0xffff;
		const glyph = cmap.readUInt16BE(range + offset + 2 * (code - first));
		return glyph === 0 ? 0 : (glyph + shift) & 0xffff;
	}
	return 0;
}

interface Point {
	x: number;
	y: number;
	on: boolean;
}

/** Fonts nest parts of glyphs this deep at most. */
const NESTING = 5;

function drawGlyph(outline: (glyph: number) => Buffer, glyph: number, depth: number): string {
	return contoursOf(outline, glyph, depth).map(drawContour).join("");
}

function contoursOf(outline: (glyph: number) => Buffer, glyph: number, depth: number): Point[][] {
	const bytes = outline(glyph);
	if (bytes.length === 0 || depth > NESTING) return [];
	const count = bytes.readInt16BE(0);
	return count >= 0 ? simpleContours(bytes, count) : compositeContours(bytes, outline, depth);
}

function simpleContours(bytes: Buffer, count: number): Point[][] {
	const ends = Array.from({ length: count }, (_, i) => bytes.readUInt16BE(10 + 2 * i));
	const points = (ends.at(-1) ?? -1) + 1;
	let at = 12 + 2 * count + bytes.readUInt16BE(10 + 2 * count);
	const flags: number[] = [];
	while (flags.length < points) {
		const flag = bytes.readUInt8(at++);
		flags.push(flag);
		if (flag & 8) for (let again = bytes.readUInt8(at++); again > 0; again--) flags.push(flag);
	}
	const axis = (short: number, same: number): number[] => {
		let value = 0;
		return flags.slice(0, points).map((flag) => {
			if (flag & short) value += flag & same ? bytes.readUInt8(at++) : -bytes.readUInt8(at++);
			else if (!(flag & same)) {
				value += bytes.readInt16BE(at);
				at += 2;
			}
			return value;
		});
	};
	const xs = axis(2, 16);
	const ys = axis(4, 32);
	let from = 0;
	return ends.map((end) => {
		const contour = flags.slice(from, end + 1).map((flag, i) => ({ x: xs[from + i] ?? 0, y: ys[from + i] ?? 0, on: (flag & 1) === 1 }));
		from = end + 1;
		return contour;
	});
}

function compositeContours(bytes: Buffer, outline: (glyph: number) => Buffer, depth: number): Point[][] {
	const all: Point[][] = [];
	let at = 10;
	for (let more = true; more; ) {
		const flags = bytes.readUInt16BE(at);
		const glyph = bytes.readUInt16BE(at + 2);
		at += 4;
		const [dx, dy] = flags & 1 ? [bytes.readInt16BE(at), bytes.readInt16BE(at + 2)] : [bytes.readInt8(at), bytes.readInt8(at + 1)];
		at += flags & 1 ? 4 : 2;
		const fixed = (): number => {
			at += 2;
			return bytes.readInt16BE(at - 2) / 16384;
		};
		let [a, b, c, d] = [1, 0, 0, 1];
		if (flags & 0x08) a = d = fixed();
		else if (flags & 0x40) [a, d] = [fixed(), fixed()];
		else if (flags & 0x80) [a, b, c, d] = [fixed(), fixed(), fixed(), fixed()];
		for (const contour of contoursOf(outline, glyph, depth + 1))
			all.push(contour.map(({ x, y, on }) => ({ x: a * x + c * y + dx, y: b * x + d * y + dy, on })));
		more = (flags & 0x20) !== 0;
	}
	return all;
}

const n = (value: number): string => String(Math.round(value * 10) / 10);
const middle = (p: Point, q: Point): Point => ({ x: (p.x + q.x) / 2, y: (p.y + q.y) / 2, on: true });

/** A closed outline of straight lines and quadratic curves; between two points beside the curve lies one on it. */
function drawContour(points: Point[]): string {
	const [first, last] = [points[0], points.at(-1)];
	if (!first || !last || points.length < 2) return "";
	const start = first.on ? first : last.on ? last : middle(first, last);
	let path = `M${n(start.x)} ${n(start.y)}`;
	let beside: Point | undefined;
	for (const point of first.on ? [...points.slice(1), start] : [...points, start]) {
		if (point.on) path += beside ? `Q${n(beside.x)} ${n(beside.y)} ${n(point.x)} ${n(point.y)}` : `L${n(point.x)} ${n(point.y)}`;
		else if (beside) {
			const between = middle(beside, point);
			path += `Q${n(beside.x)} ${n(beside.y)} ${n(between.x)} ${n(between.y)}`;
		}
		beside = point.on ? undefined : point;
	}
	return `${path}Z`;
}
