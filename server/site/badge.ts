/**
 * The badge of a desk as an SVG (LINK-2): a picture that goes to the chat, for places where no script runs. It shows no
 * online dot, since a picture is kept by whoever shows it, and nothing in it moves. Its bytes depend on the desk and on the
 * three values of its address alone. The button of the embed is this badge drawn live (EMB-5), so the numbers that
 * both hold to stand here, in `BADGE`.
 */
import type { Size } from "../../shared/embed.js";
import { cut, fitting, measure, type Weight, xml } from "./badge-text.js";
import { faceMarkup } from "./face.js";

export type BadgeTheme = "dark" | "light" | "auto";
export type BadgeLanguage = "en" | "zh";

/** Lengths are pixels. A pill: its radius is half its height. The face is a circle, `inset` from the left edge and in the middle. */
export const BADGE = {
	small: { height: 36, face: 24, inset: 6, gap: 8, end: 15 },
	medium: { height: 40, face: 28, inset: 6, gap: 9, end: 17 },
	large: { height: 56, face: 40, inset: 8, gap: 12, end: 24 },
	/** Of the words on one line, of the name above them, of what is beside or below. */
	text: { size: 14, weight: 600 },
	name: { size: 16, weight: 600 },
	beside: { size: 13, weight: 400 },
	/** Between the words and the handle. */
	apart: 8,
	/** Longest name and handle; what is longer ends in an ellipsis. */
	longest: 260,
	/** Ground, edge (1 px, inside), ink of the words, ink of what is beside them. */
	dark: { ground: "#1c1917", edge: "#44403c", ink: "#f5f5f4", dim: "#a8a29e" },
	light: { ground: "#ffffff", edge: "#e7e5e4", ink: "#1c1917", dim: "#57534e" },
	fonts: "system-ui, -apple-system, 'Segoe UI', Roboto, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif",
} as const;

export const BADGE_WORDS: Readonly<Record<BadgeLanguage, string>> = { en: "Chat with my agent", zh: "与我的智能体聊天" };

export interface BadgeOptions {
	handle: string;
	name: string;
	size: Size;
	theme: BadgeTheme;
	language: BadgeLanguage;
}

/** Some words in one place. `y`: of the baseline. `width`: as measured; `known`: what draws it is held to that. */
export interface Line {
	text: string;
	x: number;
	y: number;
	size: number;
	weight: Weight;
	dim: boolean;
	width: number;
	known: boolean;
}

export interface Badge {
	width: number;
	height: number;
	/** What it says to whoever cannot see it. */
	title: string;
	lines: Line[];
}

/** Where everything stands. */
export function layOut({ handle, name, size, language }: BadgeOptions): Badge {
	const { height, face, inset, gap, end } = BADGE[size];
	const at = `@${handle}`;
	const shown = fitting(name) || at;
	const words = BADGE_WORDS[language];
	const left = inset + face + gap;
	const line = (text: string, x: number, y: number, style: { size: number; weight: Weight }, dim = false): Line => {
		const short = cut(text, BADGE.longest, style.size, style.weight);
		return { text: short, x, y, ...style, dim, ...measure(short, style.size, style.weight) };
	};
	const lines: Line[] = [];
	if (size === "large") {
		const below = line(words, left, 43, BADGE.beside, true);
		lines.push(line(shown, left, 24, BADGE.name), below, line(at, left + below.width + BADGE.apart, 43, BADGE.beside, true));
	} else {
		const first = line(words, left, height / 2 + 5, BADGE.text);
		lines.push(first);
		if (size === "medium") lines.push(line(at, left + first.width + BADGE.apart, height / 2 + 5, BADGE.beside, true));
	}
	const width = Math.ceil(Math.max(...lines.map((l) => l.x + l.width)) + end);
	return { width, height, title: shown === at ? `${words}: ${at}` : `${words}: ${shown} (${at})`, lines };
}

const n = (value: number): string => String(Math.round(value * 100) / 100);

/** What a line becomes inside the picture. */
export type DrawLine = (line: Line, colour: string) => string;

/** Words in the reader's own fonts, held to the width that was measured. `spacingAndGlyphs` leaves joined letters joined. */
const asText: DrawLine = ({ text, x, y, size, weight, width, known, dim }, colour) =>
	`<text class="${dim ? "d" : "i"}" x="${n(x)}" y="${n(y)}" font-family="${xml(BADGE.fonts)}" font-size="${size}" font-weight="${weight}" fill="${colour}"${known ? ` textLength="${n(width)}" lengthAdjust="spacingAndGlyphs"` : ""}>${xml(text)}</text>`;

/** The one style that a badge may have: that of `theme=auto`, which is dark until its reader's system is light. */
export const AUTO_STYLE = `@media (prefers-color-scheme:light){.g{fill:${BADGE.light.ground};stroke:${BADGE.light.edge}}.i{fill:${BADGE.light.ink}}.d{fill:${BADGE.light.dim}}}`;

/** The picture as SVG text. Colours are attributes, which no policy of a page that shows it can take away. */
export function drawBadge(options: BadgeOptions, draw: DrawLine = asText): string {
	const badge = layOut(options);
	const { width, height, title, lines } = badge;
	const { face, inset } = BADGE[options.size];
	const colours = options.theme === "light" ? BADGE.light : BADGE.dark;
	const top = (height - face) / 2;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t">`,
		`<title id="t">${xml(title)}</title>`,
		options.theme === "auto" ? `<style>${AUTO_STYLE}</style>` : "",
		`<clipPath id="c"><circle cx="${inset + face / 2}" cy="${height / 2}" r="${face / 2}"/></clipPath>`,
		`<rect class="g" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="${(height - 1) / 2}" fill="${colours.ground}" stroke="${colours.edge}"/>`,
		`<g clip-path="url(#c)"><g transform="translate(${inset} ${top}) scale(${n(face / 96)})">${faceMarkup(options.handle)}</g></g>`,
		...lines.map((line) => draw(line, line.dim ? colours.dim : colours.ink)),
		"</svg>",
	].join("");
}
