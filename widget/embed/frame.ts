/**
 * The frame that holds the chat: made once, on intent, and kept. Its address carries no secret; the page learns from it
 * only what the messages say.
 */
import { framePath } from "../../shared/embed.js";
import type { Options } from "./tag.js";
import type { Scheme } from "./theme.js";

/** Address of the framed document. The scheme is in it so that its first paint is right. */
export const frameUrl = ({ origin, handle, accent, lang, mode }: Options, site: string, theme: Scheme): string =>
	origin + framePath(handle, { site, theme, accent, lang, mode });

export function createFrame(title: string): HTMLIFrameElement {
	const frame = document.createElement("iframe");
	frame.title = title;
	frame.allow = "clipboard-write";
	frame.referrerPolicy = "no-referrer";
	return frame;
}

/** Opens a connection before it is needed. The hint is the caller's to take away. */
export function preconnect(origin: string): HTMLLinkElement {
	const link = document.createElement("link");
	link.rel = "preconnect";
	link.href = origin;
	document.head.append(link);
	return link;
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
