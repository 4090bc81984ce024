/**
 * Finds the tags on a page and reads what they ask for. A tag is any `script[data-handle]` that loads an `/embed.js`:
 * `document.currentScript` is null in modules and wrong under script managers, so it only says which server is ours.
 */
import type { Language, Mode, Theme } from "../../shared/embed.js";
import { say } from "./say.js";

/** What one tag asks for. */
export interface Options {
	/** The server that the script came from. */
	origin: string;
	handle: string;
	mode: Mode;
	/** Anything but light and dark is auto. */
	theme?: Theme;
	accent?: string;
	/** Anything but en and zh: the visitor's browser decides. */
	lang?: Language;
	/** Pixels, `inline` only. */
	height: number;
	/** Stacking order; absent: above nearly everything. */
	z?: string;
}

/** The server of a tag; undefined for a script that is none of ours. */
export const originOf = (script: HTMLScriptElement | null): string | undefined =>
	script?.dataset?.handle && /^(\w+:\/\/[^/]+)\/(.*\/)?embed\.js\b/.exec(script.src)?.[1];

/** Gives every tag of the page for a server; for any server where ours is not known. */
export function findTags(own: string | undefined, take: (script: HTMLScriptElement) => void): void {
	for (const script of document.querySelectorAll<HTMLScriptElement>("script[data-handle]")) {
		const origin = originOf(script);
		if (origin && origin === (own ?? origin)) take(script);
	}
}

/** Reads a tag as it is now. What is no value of an attribute is left to whoever uses it, here or on the server. */
export const readTag = (script: HTMLScriptElement): Options =>
	({
		...script.dataset,
		origin: originOf(script),
		mode: script.dataset.mode === "inline" ? "inline" : "floating",
		height: +(script.dataset.height as string) || 600,
	}) as unknown as Options;

/** Says so where a tag asks for a mode that there is not. */
export function checkMode({ dataset: { handle, mode } }: HTMLScriptElement): void {
	if (mode && mode !== "floating" && mode !== "inline") say(handle as string, `data-mode="${mode}" is not known. Use floating or inline.`);
}
