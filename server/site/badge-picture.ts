/**
 * The badge as PNG at twice its size, for where no SVG shows (mail). The same layout as the SVG's, its words drawn as
 * outlines; the drawing program is loaded when the first picture is asked for, and a bounded number of pictures is kept.
 */
import { LIMITS } from "../../shared/limits.js";
import { type BadgeOptions, drawBadge, type Line, layOut } from "./badge.js";
import { glyphOf } from "./badge-font.js";
import { characters, fitting, type Weight } from "./badge-text.js";

const SCALE = 2;
/** Letters of the font are narrower than those of most systems: they may grow this much to fill what was measured. */
const GROWS = 1.12;
const SHRINKS = 0.85;

const n = (value: number): string => String(Math.round(value * 1000) / 1000);

/** A name as far as the font has shapes for it; empty where what it has would be no name any more. */
async function drawable(name: string, weight: Weight): Promise<string> {
	const all = characters(fitting(name));
	const shapes = await Promise.all(all.map((character) => glyphOf(character, weight)));
	const kept = fitting(all.map((character, i) => (shapes[i] ? character : " ")).join(""));
	const letters = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
	return letters(kept) < letters(fitting(name)) ? "" : kept;
}

/** A line as outlines, from left to right, as wide as it was measured. */
async function outlines(line: Line): Promise<string> {
	// The font's own ellipsis is that of Chinese, in the middle of its line.
	const drawnCharacters = characters(line.text.replace("…", "..."));
	const shapes = await Promise.all(drawnCharacters.map((character) => glyphOf(character, line.weight)));
	const natural = shapes.reduce((sum, shape) => sum + (shape?.width ?? 0.3), 0) * line.size;
	const wide = shapes.filter((shape) => shape?.width === 1).length * line.size;
	// Only what is not as wide as it is high has room to grow.
	const grown = natural > wide ? Math.min(GROWS, Math.max(SHRINKS, (line.width - wide) / (natural - wide))) : 1;
	let x = line.x;
	let drawn = "";
	for (const shape of shapes) {
		if (!shape) {
			x += 0.3 * line.size;
			continue;
		}
		const size = line.size * (shape.width === 1 ? 1 : grown);
		const scale = shape.scale * size;
		if (shape.path) drawn += `<path transform="translate(${n(x)} ${n(line.y)}) scale(${n(scale)} ${n(-scale)})" d="${shape.path}"/>`;
		x += shape.width * size;
	}
	return drawn;
}

/** The badge of a desk as PNG. */
async function draw(options: BadgeOptions): Promise<Uint8Array> {
	const name = await drawable(options.name, 600);
	const shown = { ...options, name, theme: options.theme === "light" ? "light" : "dark" } as const;
	const { lines } = layOut(shown);
	const drawn = new Map(await Promise.all(lines.map(async (line) => [line.text, await outlines(line)] as const)));
	const svg = drawBadge(shown, (line, colour) => `<g fill="${colour}">${drawn.get(line.text) ?? ""}</g>`);
	const { renderAsync } = await import("@resvg/resvg-js");
	const picture = await renderAsync(svg, { fitTo: { mode: "zoom", value: SCALE }, font: { loadSystemFonts: false } });
	return new Uint8Array(picture.asPng());
}

const kept = new Map<string, Promise<Uint8Array>>();
/** How many there are. */
export const picturesKept = (): number => kept.size;

/** The same, kept by its tag; whoever asks while it is drawn waits for the same one. */
export function badgePicture(etag: string, options: BadgeOptions): Promise<Uint8Array> {
	const known = kept.get(etag);
	kept.delete(etag);
	const picture = known ?? draw(options);
	kept.set(etag, picture);
	picture.catch(() => kept.delete(etag));
	for (const oldest of kept.keys()) {
		if (kept.size <= LIMITS.badgePictures) break;
		kept.delete(oldest);
	}
	return picture;
}
