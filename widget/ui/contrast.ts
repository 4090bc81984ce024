/**
 * Keeps the owner's accent readable whatever it is (EMB-8): the ink that goes on it, and a tint of it that can be read on
 * a panel, both at WCAG 2's 4.5:1 or better. Pure arithmetic on `#rgb` and `#rrggbb`.
 */

type Rgb = [red: number, green: number, blue: number];

/** WCAG 2.2, 1.4.3: text of ordinary size. */
const READABLE = 4.5;

function parse(hex: string): Rgb {
	const digits = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, "$&$&") : hex;
	const value = Number.parseInt(digits.slice(1), 16);
	return [value >> 16, (value >> 8) & 255, value & 255];
}

const print = (rgb: Rgb): string => `#${rgb.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;

/** Relative luminance, 0 to 1 (WCAG 2.2). */
function luminance(rgb: Rgb): number {
	const [red, green, blue] = rgb.map((channel) => {
		const c = channel / 255;
		return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	}) as Rgb;
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours, 1 to 21. */
export function contrast(a: string, b: string): number {
	const [darker, lighter] = [luminance(parse(a)), luminance(parse(b))].sort((x, y) => x - y) as [number, number];
	return (lighter + 0.05) / (darker + 0.05);
}

/** `#000000` or `#ffffff`, whichever reads better on `accent`. One of the two always reaches 4.58:1. */
export const inkOn = (accent: string): string => (contrast(accent, "#ffffff") >= contrast(accent, "#000000") ? "#ffffff" : "#000000");

/**
 * `accent` itself where it can be read as text on `background`, else the nearest mix of it with black or white that can.
 * Twenty steps: the eye sees no finer, and the last one is the ink itself, which always reads.
 */
export function tintOn(accent: string, background: string): string {
	const from = parse(accent);
	const towards = parse(inkOn(background));
	for (let step = 0; step < 20; step++) {
		const mixed = print(from.map((channel, i) => Math.round(channel + ((towards[i] as number) - channel) * (step / 20))) as Rgb);
		if (contrast(mixed, background) >= READABLE) return mixed;
	}
	return print(towards);
}
