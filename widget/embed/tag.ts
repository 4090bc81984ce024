/**
 * Finds the tags on a page and reads what they ask for. A tag is any script that loads an `/embed.js` and has a handle:
 * `document.currentScript` is null in modules and wrong under script managers, so it only says which server is ours.
 */
import type { EmbedLook, Language, Mode, Size, Theme } from "../../shared/embed.js";

/** What one tag asks for. */
export interface Options {
	/** The server that the script came from. */
	origin: string;
	handle: string;
	/** The number of an embed whose look the server keeps (EMB-2). */
	embed?: string;
	mode: Mode;
	size?: Size;
	/** CSS selector of the site's own elements that open the chat; with `button` they are the button. */
	selector?: string;
	/** Anything but light and dark is auto. */
	theme?: Theme;
	/** As it was written: whoever draws with it asks `isAccent`, as the frame does. */
	accent?: string;
	/** Anything but en and zh: the visitor's browser decides. */
	lang?: Language;
	greeting?: string;
	/** Pixels, `inline` only. */
	height?: string;
	/** Stacking order; absent: above nearly everything. */
	z?: string;
}

/** The server that a script came from; undefined for a script that is none of ours. */
export const originOf = (script: HTMLScriptElement | null): string | undefined =>
	/^(\w+:..[^/]+)\/(.*\/)?embed\.js\b/.exec(script?.src as string)?.[1];

/** Attributes; those of the address where a tag manager keeps only that (`/embed.js?handle=mira`). */
const asked = (script: HTMLScriptElement): Record<string, string | undefined> => ({
	...Object.fromEntries(new URLSearchParams(script.src.split("?")[1])),
	...script.dataset,
});

/** Reads a tag as it is now, or what its number stands for. What is no value of an attribute is left to whoever uses it, here or on the server. */
export function readTag(script: HTMLScriptElement, look?: EmbedLook): Options {
	const all = { ...asked(script), ...(look && { accent: undefined, ...look }), origin: originOf(script) } as unknown as Options;
	if (!/^(floating|pet|button|inline)$/.test(all.mode)) all.mode = all.selector ? "button" : "floating";
	return all;
}

/** `?…` of what of these names has a value, in their order; empty for nothing. */
export const queryText = (values: object, names: string[]): string => {
	// JSON picks by a list of names, and leaves out what is undefined.
	const said = `${new URLSearchParams(JSON.parse(JSON.stringify(values, names)))}`;
	return said && `?${said}`;
};

/** What a tag asks for, as the query of the one question: the server says what of it is not known. Empty for a bare tag. */
export const queryOf = (script: HTMLScriptElement): string =>
	queryText(asked(script), ["embed", "mode", "size", "theme", "accent", "lang", "height", "z", "greeting"]);

/**
 * Gives every tag of the page for a server; for any server where ours is not known. One without a handle only where the
 * server is known: an `embed.js` may be somebody else's. `own` is the script that runs, where the browser says: some
 * managers take it out of the page at once, and then it stands for itself.
 */
export function findTags(ours: string | undefined, take: (script: HTMLScriptElement) => void, own?: HTMLScriptElement | null): void {
	const tags = [...document.scripts].filter((script) => {
		const origin = originOf(script);
		return origin && (ours ? origin === ours : readTag(script).handle);
	});
	for (const script of tags[0] || !own ? tags : [own]) take(script);
}
