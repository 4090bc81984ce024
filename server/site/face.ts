/**
 * A face drawn from a handle: always the same, friendly, less than a kilobyte as an SVG of our own. One table is drawn for all: as
 * that SVG, inside a badge, and as the shapes of which a page's script makes elements. Only numbers that come
 * from a hash go into it, never a name or anything else that somebody wrote.
 */
import { createHash } from "node:crypto";
import type { FaceShape } from "../../shared/embed.js";

/** Ground, skin, ink, cheeks: each pair of ground and skin reads well in light and in dark surroundings. */
const COLOURS = [
	["#ffe1cc", "#f0a07a", "#43241a", "#e2724f"],
	["#dbe9d6", "#93b487", "#22331d", "#6d9a62"],
	["#d5e7f3", "#85b4d4", "#16324a", "#5a93bb"],
	["#e7dff4", "#ae99d3", "#2c2149", "#8a6fbd"],
	["#fbebc0", "#ecc25f", "#46330a", "#d69a2d"],
	["#f8dade", "#e2929f", "#4b1a29", "#cb6478"],
	["#d1ece3", "#72bda5", "#14382d", "#459c81"],
	["#eee3d2", "#c8a67d", "#3c2d18", "#aa7f4c"],
	["#dfe4ec", "#93a4bd", "#222c3c", "#6c809f"],
	["#fbd8ce", "#ee8169", "#4c190f", "#d45a41"],
] as const;

/** Outlines of the head, all about the point 48,56. */
const HEADS = [
	"M48 26c19 0 31 13 31 31 0 19-13 30-31 30S17 76 17 57c0-18 12-31 31-31Z",
	"M48 28c24 0 30 6 30 29s-6 29-30 29-30-6-30-29 6-29 30-29Z",
	"M48 24c14 0 34 25 34 41S66 87 48 87 14 81 14 65s20-41 34-41Z",
	"M46 27c20-3 33 10 34 28 1 20-13 32-32 32S17 78 16 60c-1-17 11-30 30-33Z",
] as const;

/** What grows on top; `S` is the skin, `I` the ink, `C` the cheeks. */
const TOPS: readonly FaceShape[][] = [
	[
		[
			"path",
			{
				d: "M48 28c-1-8 2-13 9-15M48 22c-3-6-9-8-14-6 2 6 8 9 14 6Z",
				fill: "C",
				stroke: "I",
				"stroke-width": "3",
				"stroke-linecap": "round",
				"stroke-linejoin": "round",
			},
		],
	],
	[["path", { d: "M22 42 20 18l19 12M74 42l2-24-19 12", fill: "S", stroke: "S", "stroke-width": "6", "stroke-linejoin": "round" }]],
	[
		["circle", { cx: "24", cy: "33", r: "10", fill: "S" }],
		["circle", { cx: "72", cy: "33", r: "10", fill: "S" }],
		["circle", { cx: "24", cy: "33", r: "4.5", fill: "C" }],
		["circle", { cx: "72", cy: "33", r: "4.5", fill: "C" }],
	],
	[
		["path", { d: "M48 28V16", stroke: "I", "stroke-width": "3", "stroke-linecap": "round" }],
		["circle", { cx: "48", cy: "14", r: "5", fill: "C" }],
	],
	[["path", { d: "M38 29c0-8 6-10 10-16 1 5 1 8-1 10 4-1 7-4 9-7 2 6 1 10-2 13", fill: "I" }]],
	[["path", { d: "M30 40h0M37 31h0M48 28h0M59 31h0M66 40h0", stroke: "I", "stroke-width": "17", "stroke-linecap": "round" }]],
];

const CHEEKS: readonly FaceShape[] = [
	["circle", { cx: "28.5", cy: "66", r: "5", fill: "C", opacity: ".55" }],
	["circle", { cx: "67.5", cy: "66", r: "5", fill: "C", opacity: ".55" }],
];

const EYES: readonly FaceShape[][] = [
	[
		["circle", { cx: "37", cy: "56", r: "4", fill: "I" }],
		["circle", { cx: "59", cy: "56", r: "4", fill: "I" }],
	],
	[
		["ellipse", { cx: "37", cy: "56", rx: "4", ry: "5.5", fill: "I" }],
		["ellipse", { cx: "59", cy: "56", rx: "4", ry: "5.5", fill: "I" }],
		["circle", { cx: "38.5", cy: "54", r: "1.5", fill: "#fff" }],
		["circle", { cx: "60.5", cy: "54", r: "1.5", fill: "#fff" }],
	],
	[["path", { d: "M32 58c2-5 8-5 10 0M54 58c2-5 8-5 10 0", fill: "none", stroke: "I", "stroke-width": "3.5", "stroke-linecap": "round" }]],
	[
		["circle", { cx: "37", cy: "56", r: "7", fill: "#fff" }],
		["circle", { cx: "59", cy: "56", r: "7", fill: "#fff" }],
		["circle", { cx: "38", cy: "57", r: "3.5", fill: "I" }],
		["circle", { cx: "60", cy: "57", r: "3.5", fill: "I" }],
	],
];

const MOUTHS: readonly FaceShape[] = [
	["path", { d: "M41 67c3 5 11 5 14 0", fill: "none", stroke: "I", "stroke-width": "3", "stroke-linecap": "round" }],
	["path", { d: "M40 66h16c0 6-3 9-8 9s-8-3-8-9Z", fill: "I" }],
	[
		"path",
		{
			d: "M41 67c1 4 6 4 7 0 1 4 6 4 7 0",
			fill: "none",
			stroke: "I",
			"stroke-width": "3",
			"stroke-linecap": "round",
			"stroke-linejoin": "round",
		},
	],
	["path", { d: "M42 69c5 2 10 0 13-4", fill: "none", stroke: "I", "stroke-width": "3", "stroke-linecap": "round" }],
];

/** The shapes of a handle's face, in the order that `FaceShape` promises: for whoever makes elements of them. */
export function faceShapes(handle: string): FaceShape[] {
	const digits = createHash("sha256").update(`face ${handle}`).digest();
	const pick = <T>(at: number, from: readonly T[]): T => from[(digits[at] as number) % from.length] as T;
	const [ground, S, I, C] = pick(0, COLOURS);
	const colours: Readonly<Record<string, string>> = { S, I, C };
	const drawn: FaceShape[] = [
		["path", { d: "M0 0h96v96H0z", fill: ground }],
		...pick(1, TOPS),
		["path", { d: pick(2, HEADS), fill: "S" }],
		...CHEEKS,
		...pick(3, EYES),
		pick(4, MOUTHS),
	];
	const coloured = (value: string): string => colours[value] ?? value;
	return drawn.map(([element, attributes]) => [
		element,
		Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, coloured(value)])),
	]);
}

/** The same as SVG text, on a square of 96: for whoever draws them into another picture. No value of ours needs escaping. */
export const faceMarkup = (handle: string): string =>
	faceShapes(handle)
		.map(
			([element, attributes]) =>
				`<${element}${Object.entries(attributes)
					.map(([name, value]) => ` ${name}="${value}"`)
					.join("")}/>`,
		)
		.join("");

/** The face of a handle, as SVG text with the size it is best seen at. */
export const drawFace = (handle: string): string =>
	`<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96">${faceMarkup(handle)}</svg>`;
