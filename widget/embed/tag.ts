/**
 * Finds the tags on a page and reads what they ask for. A tag is any script that loads an `/embed.js` and has a `data-handle`:
 * `document.currentScript` is null in modules and wrong under script managers, so it only says which server is ours.
 */
import type { Language, Mode, Theme } from "../../shared/embed.js";

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

/** The server that a script came from; undefined for a script that is none of ours. */
export const originOf = (script: HTMLScriptElement | null): string | undefined =>
	/^(\w+:\/\/[^/]+)\/(.*\/)?embed\.js\b/.exec(script?.src as string)?.[1];

/**
 * Gives every tag of the page for a server; for any server where ours is not known. One without a handle only where the
 * server is known: an `embed.js` may be somebody else's.
 */
export function findTags(own: string | undefined, take: (script: HTMLScriptElement) => void): void {
	for (const script of document.querySelectorAll("script")) {
		const origin = originOf(script);
		if (origin && (own ? origin === own : script.dataset.handle)) take(script);
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

/** What a tag asks for, as the query of the one question: the server says what of it is not known. Empty for a bare tag. */
export function queryOf({ dataset }: HTMLScriptElement): string {
	const asked = Object.entries(dataset).filter(([name]) => /^(mode|theme|accent|lang|height|z)$/.test(name));
	return asked[0] ? `?${new URLSearchParams(asked as string[][])}` : "";
}
