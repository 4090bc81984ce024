/**
 * What the tag on a site, the framed chat and the server must agree on: the tag's attributes, the two addresses, the
 * site's config answer, and the messages between the two windows. Imports nothing: `embed.js` is built from it.
 */

/** Attributes of the tag, without `data-` (requirements.md EMB-3). Modes and numbers beyond these come with numbered embeds. */
export const MODES = ["floating", "inline"] as const;
export type Mode = (typeof MODES)[number];
export type Theme = "light" | "dark" | "auto";
export type Language = "en" | "zh";

/** Answer of `GET /embed/<handle>`, whose query is the tag's attributes: `no-store`, no credentials. The site is what the browser names in `Origin`. */
export interface SiteConfig {
	/** Whether the chat may show on this site. */
	show: boolean;
	/** Why not. */
	reason?: "unlisted" | "blocked" | "guests_off" | "no_such_desk" | "malformed_site";
	/** For the console of the site's owner: why the chat does not show, or a line for each attribute whose value is not known. */
	help?: string;
	/** The site as the server read it: the frame's `site` must be the same. */
	site?: string;
	handle: string;
	name?: string;
	/** URL path of the picture on our origin. */
	face?: string;
	online?: boolean;
	greeting?: string;
	suggestions?: string[];
	language?: Language;
}

/** `/@<handle>/embed?site=…`: the framed document. */
export const framePath = (
	handle: string,
	query: { site: string; theme?: Theme; accent?: string; lang?: Language; mode?: Mode },
): string => {
	const params = new URLSearchParams();
	for (const [key, value] of Object.entries(query)) if (value) params.set(key, value);
	return `/@${handle}/embed?${params}`;
};

/** `#rgb` or `#rrggbb`; anything else is no accent. */
export const isAccent = (value: string): boolean => /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value);

/** The first message each way, by `postMessage` to a known origin; what follows goes over the port it carries. */
export const HELLO = "earthonline:hello";

/** Page to frame: repeated every 250 ms until `ready` comes; carries the port once. */
export interface PageHello {
	type: typeof HELLO;
	version: 1;
}

/** Page to frame, over the port. */
export type PageMessage =
	| { type: "open" }
	| { type: "close" }
	| { type: "theme"; theme: "light" | "dark" }
	| { type: "viewport"; fullScreen: boolean };

/** Frame to page, over the port. */
export type FrameMessage =
	| { type: "ready" }
	| { type: "close" }
	| { type: "unread"; count: number }
	| { type: "online"; online: boolean }
	| { type: "reload" };

/** Whether a value is an object whose `type` is one of a union's. */
const isOneOf = (data: unknown, types: string): data is Record<string, unknown> => {
	return types.split(" ").includes((data as { type?: string } | null | undefined)?.type as string);
};

/** Reads what came over the port in the frame; undefined for anything outside the union. */
export function asPageMessage(data: unknown): PageMessage | undefined {
	if (!isOneOf(data, "open close theme viewport")) return undefined;
	if (data.type === "theme" && data.theme !== "light" && data.theme !== "dark") return undefined;
	if (data.type === "viewport" && typeof data.fullScreen !== "boolean") return undefined;
	return data as PageMessage;
}

/** Reads what came over the port on the page; undefined for anything outside the union. */
export function asFrameMessage(data: unknown): FrameMessage | undefined {
	if (!isOneOf(data, "ready close unread online reload")) return undefined;
	if (data.type === "unread" && !Number.isInteger(data.count)) return undefined;
	if (data.type === "online" && typeof data.online !== "boolean") return undefined;
	return data as FrameMessage;
}

/** What the server writes into the framed document for the chat: JSON in `<script type="application/json" id="boot">`. */
export interface FrameBoot {
	handle: string;
	/** The desk's name and the URL path of its picture, drawn before the socket has answered. */
	name?: string;
	face?: string;
	/** Absent on a page that may not show the chat. */
	ticket?: string;
	/** The one origin that may frame the document; absent on the chat page. */
	site?: string;
	mode: Mode | "page";
	theme: Theme;
	accent?: string;
	language?: Language;
	/** Path of the socket, of our own origin. */
	socket: string;
	brand: string;
}
