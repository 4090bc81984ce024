/** The looks that are not fixed: theme, accent, full screen. Only attributes and custom properties of the document's root, set through the CSSOM, as the frame's policy wants. */
import { isAccent, type Theme } from "../../shared/embed.js";
import { contrast, inkOn, tintOn } from "../ui/contrast.js";

/** The panels of tokens.css, on which an accent must be seen. */
const PANELS = { light: "#ffffff", dark: "#1c1917" } as const;
/** A bubble that differs less from the panel gets an edge. */
const BARELY = 1.3;

export function setTheme(root: HTMLElement, theme: Theme): void {
	root.dataset.theme = theme;
}

export function setFullScreen(root: HTMLElement, full: boolean): void {
	root.toggleAttribute("data-full", full);
}

/** Anything but `#rgb` and `#rrggbb` leaves the accent as it is: the ink. */
export function setAccent(root: HTMLElement, accent: string | undefined): void {
	if (accent === undefined || !isAccent(accent)) return;
	const set = (name: string, value: string): void => root.style.setProperty(`--${name}`, value);
	set("accent-light", accent);
	set("accent-dark", accent);
	set("on-accent-light", inkOn(accent));
	set("on-accent-dark", inkOn(accent));
	for (const [theme, panel] of Object.entries(PANELS)) {
		set(`tint-${theme}`, tintOn(accent, panel));
		if (contrast(accent, panel) < BARELY) set(`edge-${theme}`, "var(--soft)");
	}
}
