/**
 * The frame that holds the chat: made once, on intent, and kept. Its address carries no secret; the page learns from it
 * only what the messages say.
 */
import { type Options, queryText } from "./tag.js";
import type { Scheme } from "./theme.js";

/** Address of the framed document. The scheme is in it so that its first paint is right. */
export const frameUrl = (base: string, options: Options, site: string, theme: Scheme): string =>
	`${base}/embed${queryText({ ...options, site, theme }, ["site", "embed", "theme", "accent", "lang", "mode"])}`;

export function createFrame(url: string): HTMLIFrameElement {
	const frame = document.createElement("iframe");
	frame.allow = "clipboard-write";
	frame.referrerPolicy = "no-referrer";
	frame.src = url;
	return frame;
}
