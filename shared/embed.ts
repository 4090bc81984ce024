/**
 * What the tag on a site, the framed chat and the server must agree on: the tag's attributes, the two addresses, the
 * site's config answer, and the messages between the two windows. Imports nothing that runs: `embed.js` is built from it.
 */
import type { DeskFace } from "./channel.js";
import { isVisible } from "./names.js";

/** Attributes of the tag, without `data-` (requirements.md EMB-3). */
export const MODES = ["floating", "pet", "button", "inline"] as const;
export type Mode = (typeof MODES)[number];
/** Sizes of a badge and of the button that is one drawn live (EMB-5, LINK-2). */
export const SIZES = ["small", "medium", "large"] as const;
export type Size = (typeof SIZES)[number];
/** Longest greeting of a site's own, characters as they are counted by `String.length` (EMB-3). */
export const GREETING_CHARS = 120;
/** Looks of the chat; `auto` follows the page that shows it. */
export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export type Language = "en" | "zh";
/** An embed's number as a tag bears it: in its one spelling, and no larger than a column holds. `EMBED_NUMBER_MAX` is the greatest. */
export const EMBED_NUMBER = /^[1-9][0-9]{0,8}$/;
export const EMBED_NUMBER_MAX = 999_999_999;

/** Text as it stands between the quotes of an attribute, in HTML that is written by hand. */
export const escapeAttribute = (text: string): string => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

/**
 * The line that a site's owner pastes. `publicUrl`: origin of the desk's server. `attributes`: without `data-`, in the order in which
 * they are written; null is the bare attribute, undefined none. Whatever a value holds, it ends neither its attribute nor the tag.
 */
export const tagLine = (publicUrl: string, attributes: Readonly<Record<string, string | null | undefined>>): string => {
	const written = Object.entries(attributes).map(([name, value]) => {
		if (value === undefined) return "";
		const bare = ` data-${name}`;
		return value === null ? bare : `${bare}="${escapeAttribute(value)}"`;
	});
	return `<script src="${publicUrl}/embed.js"${written.join("")} async></script>`;
};

/** Answer of `GET /embed/<handle>`, whose query is the tag's attributes: `no-store`, no credentials. The site is what the browser names in `Origin`. */
export interface SiteConfig {
	/** Whether the chat may show on this site. */
	show: boolean;
	/** Why not. */
	reason?: "unlisted" | "blocked" | "guests_off" | "no_such_desk" | "no_such_embed" | "malformed_site";
	/** For the console of the site's owner: why the chat does not show, or a line for each attribute whose value is not known. */
	help?: string;
	/** The site as the server read it: the frame's `site` must be the same. */
	site?: string;
	handle: string;
	/** The look of the numbered embed that the tag names (EMB-2): it holds whatever the tag says besides. Absent for a bare tag. */
	embed?: EmbedLook;
	name?: string;
	/** The agent's face: drawn from its handle, or the URL path of a picture on our origin. */
	face?: string | FaceShape[];
	online?: boolean;
	/** What the agent says beside its face a few seconds in (EMB-9), in the language that the tag or the browser asks for; absent: nothing. */
	greeting?: string;
	language?: Language;
}

/**
 * One shape of a drawn face, on a square of 96 × 96: an SVG element's name and its attributes. A page makes elements of them, so a
 * face needs no request and no `img-src` there. In order: the square behind the face; what grows on top; the head; the cheeks, the only
 * ones with `opacity`; the eyes; the mouth, the last.
 */
export type FaceShape = [element: "path" | "circle" | "ellipse", attributes: Record<string, string>];

/** What of an embed's look its number stands for. */
export interface EmbedLook {
	id: number;
	mode: Mode;
	theme: Theme;
	accent?: string;
}

/** `#rgb` or `#rrggbb`; anything else is no accent. */
export const isAccent = (value: string): boolean => /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value);

/** The first message each way, by `postMessage` to a known origin; what follows goes over the port it carries. */
export const HELLO = "earthonline:hello";

/** Page to frame: repeated every 250 ms until `ready` comes. Each one carries the port of a new channel; the frame keeps that of the one it answers. */
export interface PageHello {
	type: typeof HELLO;
	version: 1;
}

/** Longest name or address that a page may give for a visitor, and longest text that it may send in a visitor's name; characters. */
export const CLAIM_CHARS = 200;
export const PAGE_TEXT_CHARS = 4_000;

/** What the page's script says of the visitor: a claim that is shown as one, never a proof of anything. */
export interface Claim {
	name?: string;
	email?: string;
}

/** Page to frame, over the port. */
export type PageMessage =
	| { type: "open" }
	| { type: "close" }
	| { type: "theme"; theme: "light" | "dark" }
	| { type: "viewport"; fullScreen: boolean }
	/** A claim without name and address takes back the one before. */
	| ({ type: "identify" } & Claim)
	/** Nothing of this visitor stays in this browser. */
	| { type: "logout" }
	/** The page's script writes, not the visitor: what is sent says so (reliability.md 27). */
	| { type: "send"; text: string };

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

/** Whether a value is text that says something, of at most so many characters. */
const isText = (value: unknown, chars: number): value is string => typeof value === "string" && /\S/.test(value) && value.length <= chars;

/** Reads what came over the port in the frame: an object of our own with what the union names and nothing else; undefined for anything outside it. */
export function asPageMessage(data: unknown): PageMessage | undefined {
	if (!isOneOf(data, "open close theme viewport identify logout send")) return undefined;
	const { type, theme, fullScreen, text } = data;
	if (type === "theme") return theme === "light" || theme === "dark" ? { type, theme } : undefined;
	if (type === "viewport") return typeof fullScreen === "boolean" ? { type, fullScreen } : undefined;
	if (type === "send") return isText(text, PAGE_TEXT_CHARS) ? { type, text } : undefined;
	if (type !== "identify") return { type } as PageMessage;
	const claim: Claim = {};
	for (const key of ["name", "email"] as const) {
		const said = data[key];
		if (said === undefined) continue;
		if (!isText(said, CLAIM_CHARS) || !isVisible(said)) return undefined;
		claim[key] = said;
	}
	return { type, ...claim };
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
	/** The desk at this moment, for a chat that asks for no socket before it is touched (`inline`). */
	desk?: DeskFace;
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
