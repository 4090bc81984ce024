/**
 * Whether a page is light or dark, and when that changes. Reads what EMB-7 names and nothing else of the page, in its
 * order: the page's `color-scheme`, a class or `data-theme` on `html` or `body`, its background, the visitor's system.
 */
import { listen } from "./listen.js";

export type Scheme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme:dark)");

const numbersIn = (color: string): number[] => (color.replace("p3", "").match(/[\d.]+/g) ?? []).map(Number);

/**
 * `dark` or `light` for a computed colour, empty for one that is not painted. Browsers give `rgb(…)` for what was written
 * so, and `oklch(…)`, `lab(…)`, `color(srgb …)` for the rest, where the first number is the lightness or all are 0 to 1.
 */
export function shadeOf(color: string): Scheme | "" {
	const [a = 0, b = 0, c = 0, alpha = 1] = numbersIn(color);
	const light = /^(ok)?l/.test(color) ? a : a * 0.3 + b * 0.59 + c * 0.11;
	return alpha < 0.5 ? "" : light < ({ r: 128, l: 50 }[color[0] as string] ?? 0.5) ? "dark" : "light";
}

/** Black or white, whichever reads better on a colour (EMB-8): one of the two always reaches 4.5:1. */
export function inkOn(color: string): string {
	const { style } = new Option();
	// A browser gives any colour back as `rgb(…)`.
	style.color = color;
	const [r = 0, g = 0, b = 0] = numbersIn(style.color).map((channel) => (channel / 255) ** 2.2);
	return r * 0.21 + g * 0.72 + b * 0.07 > 0.18 ? "#000" : "#fff";
}

const clues: ((place: HTMLElement) => string)[] = [
	(place) => getComputedStyle(place).colorScheme,
	(place) => `${place.className} ${place.dataset.theme}`,
	(place) => shadeOf(getComputedStyle(place).backgroundColor),
];

/** Reads a page. */
export function pageScheme(): Scheme {
	for (const clue of clues) {
		for (const place of [document.body, document.documentElement]) {
			const words = clue(place).split(" ");
			const dark = words.includes("dark");
			// Both is no answer: `light dark` follows the system, and what stands on the page is a better clue.
			if (dark !== words.includes("light")) return dark ? "dark" : "light";
		}
	}
	return system.matches ? "dark" : "light";
}

/** Calls back when what the page says may have changed, but for attributes: their one observer is the instance's. */
export function watchScheme(call: () => void, signal: AbortSignal): void {
	listen(system, "change", call, signal);
	// A style sheet that comes late.
	listen(window, "load pageshow", call, signal);
	// A background that fades: what is read at the start of a fade is the old one.
	listen(document, "transitionend", ({ target }) => (target as Element).matches("html,body") && call(), signal);
}
