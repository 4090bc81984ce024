/**
 * Whether a page is light or dark, and when that changes. Reads what EMB-7 names and nothing else of the page, in its order: the
 * page's `color-scheme` (style, then `meta`), a class or `data-theme` on `html` or `body`, its background, the visitor's system.
 */
import { listen } from "./listen.js";

export type Scheme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme:dark)");

/**
 * `dark` or `light` for a computed colour, empty for one that is not painted. Browsers give `rgb(…)` for what was written
 * so, and `oklch(…)`, `lab(…)`, `color(srgb …)` for the rest, where the first number is the lightness or all are 0 to 1; some
 * names of a gamut have numbers in them (`display-p3`, `rec2020`).
 */
export function shadeOf(color: string): Scheme | "" {
	const [a = 0, b = 0, c = 0, alpha = 1] = (color.replace(/[a-z]\d+/, "").match(/[\d.]+/g) ?? []).map(Number);
	const light = /^(ok)?l/.test(color) ? a : a * 0.3 + b * 0.59 + c * 0.11;
	return alpha < 0.5 ? "" : light < ({ r: 128, l: 50 }[color[0] as string] ?? 0.5) ? "dark" : "light";
}

/** Where a page may say which schemes it has: browsers leave this out of the computed style. */
export const schemeTag = (): HTMLMetaElement | null => document.querySelector("meta[name=color-scheme]");

const clues: ((place: HTMLElement) => string)[] = [
	(place) => getComputedStyle(place).colorScheme,
	() => `${schemeTag()?.content}`,
	(place) => `${place.className} ${place.dataset.theme}`,
	(place) => shadeOf(getComputedStyle(place).backgroundColor),
];

/** Whether a page is dark: read once a look for all its chats, since computed styles are dear. */
export function isDarkPage(): boolean {
	for (const clue of clues) {
		for (const place of [document.body, document.documentElement]) {
			const words = clue(place).split(" ");
			const dark = words.includes("dark");
			// Both is no answer: `light dark` follows the system, and what stands on the page is a better clue.
			if (dark !== words.includes("light")) return dark;
		}
	}
	return system.matches;
}

/** Calls back when what the page says may have changed, but for attributes: their one observer is the page's (main.ts). */
export function watchScheme(call: () => void, signal: AbortSignal): void {
	listen(system, "change", call, signal);
	// A style sheet that comes late.
	listen(window, "load pageshow", call, signal);
	// A background that fades: what is read at the start of a fade is the old one.
	listen(document, "transitionend", ({ target }) => (target as Element).matches("html,body") && call(), signal);
}
