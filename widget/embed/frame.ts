/**
 * The frame that holds the chat: made once, on intent, and kept. Its address carries no secret; the page learns from it
 * only what the messages say.
 */
import { type Options, queryText } from "./tag.js";
import type { Scheme } from "./theme.js";

/** Address of the framed document. The scheme is in it so that its first paint is right; to the frame a button of the site's is what one of ours is. */
export const frameUrl = (base: string, { embed, accent, lang, mode }: Options, site: string, theme: Scheme): string =>
	`${base}/embed${queryText({ site, embed, theme, accent, lang, mode: mode === "none" ? "button" : mode })}`;

export function createFrame(url: string): HTMLIFrameElement {
	const frame = document.createElement("iframe");
	frame.allow = "clipboard-write";
	frame.referrerPolicy = "no-referrer";
	frame.src = url;
	return frame;
}

/**
 * Whether a page around this one belongs to somebody else. Then the browser refuses the frame whatever we do:
 * `frame-ancestors` wants every ancestor to be the one site (site-builder previews).
 */
export function framedByStranger(): boolean {
	try {
		// Reading a stranger's window throws.
		for (let w: Window = window; w.parent.origin && w !== w.parent; w = w.parent);
		return false;
	} catch {
		return true;
	}
}
