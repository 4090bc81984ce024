/**
 * From what somebody chose to what they paste: reads the form's fields, names those that cannot be, and writes the tag, the
 * badge's lines and the addresses. Pure; a value that is wrong never gets into a line.
 */
import {
	EMBED_NUMBER,
	escapeAttribute,
	GREETING_CHARS,
	isAccent,
	MODES,
	type Mode,
	SIZES,
	type Size,
	THEMES,
	type Theme,
	tagLine,
} from "../../shared/embed.js";
import { BADGE } from "./badge.js";
import type { Language } from "./texts.js";

/** Fields of the form that can be wrong; the others are chosen from a list. */
export type WrongField = "embed" | "selector" | "height" | "accent" | "greeting_text" | "z";

/** What somebody chose. Empty text: nothing. */
export interface Choice {
	handle: string;
	/** Number of an embed: its look is at the desk, and what the tag says of mode, theme, accent and greeting counts for nothing (EMB-2). */
	embed: string;
	mode: Mode;
	size: Size;
	selector: string;
	height: string;
	theme: Theme;
	accent: string;
	lang: Language | "";
	greeting: boolean;
	greetingText: string;
	z: string;
	/** How the preview is looked at. */
	view: "wide" | "phone";
	page: "light" | "dark";
}

const oneOf = <T extends string>(from: readonly T[], value: string | undefined, otherwise: T): T =>
	from.find((one) => one === value) ?? otherwise;

/** What the fields say. A field that is wrong is named in `wrong` and counts as empty. */
export function readChoice(fields: Record<string, string>): { choice: Choice; wrong: WrongField[]; typed: Record<string, string> } {
	const wrong: WrongField[] = [];
	const typed: Record<string, string> = {};
	const text = (name: WrongField, good: (value: string) => boolean): string => {
		const value = (fields[name] ?? "").trim().slice(0, 400);
		typed[name] = value;
		if (value === "" || good(value)) return value;
		wrong.push(name);
		return "";
	};
	const choice: Choice = {
		handle: (fields.handle ?? "").trim().toLowerCase().replace(/^@/, "").slice(0, 32),
		embed: text("embed", (value) => EMBED_NUMBER.test(value)),
		mode: oneOf(MODES, fields.mode, "floating"),
		size: oneOf(SIZES, fields.size, "small"),
		// One element by its id: other selectors work as well, but whoever knows them needs no form.
		selector: text("selector", (value) => /^#[a-zA-Z_][\w-]{0,63}$/.test(value)),
		height: text("height", (value) => /^[0-9]{2,4}$/.test(value) && Number(value) >= 200),
		theme: oneOf(THEMES, fields.theme, "auto"),
		accent: text("accent", isAccent),
		lang: oneOf(["", "en", "zh"], fields.chat_lang, ""),
		greeting: fields.greeting === "on",
		greetingText: text("greeting_text", (value) => value.length <= GREETING_CHARS),
		z: text("z", (value) => /^-?[0-9]{1,10}$/.test(value)),
		view: oneOf(["wide", "phone"], fields.view, "wide"),
		page: oneOf(["light", "dark"], fields.page, "light"),
	};
	return { choice, wrong, typed };
}

/** The line's attributes, without `data-`. Null: the bare attribute · undefined: none. */
function attributesOf(choice: Choice): Record<string, string | null | undefined> {
	const { handle, embed, mode, size, selector, height, theme, accent, lang, greeting, greetingText, z } = choice;
	const own = embed === "";
	/** An attribute that is left away unless it says something there. */
	const where = (when: boolean, value: string): string | undefined => (when && value !== "" ? value : undefined);
	return {
		handle,
		embed: where(true, embed),
		mode: where(own && mode !== "floating", mode),
		size: where(mode === "button" && selector === "" && size !== "small", size),
		selector: where(mode === "button", selector),
		height: where(mode === "inline", height),
		theme: where(own && theme !== "auto", theme),
		accent: where(own, accent),
		lang: where(true, lang),
		greeting: own && greeting && (mode === "floating" || mode === "pet") ? greetingText || null : undefined,
		z: where(mode !== "inline", z),
	};
}

/** The line to paste. `publicUrl` empty: for a page of our own. */
export const lineOf = (publicUrl: string, choice: Choice): string => tagLine(publicUrl, attributesOf(choice));

/** The same line for a tag manager that drops attributes: the script's address says them. */
export function managedLineOf(publicUrl: string, choice: Choice): string {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(attributesOf(choice))) if (value !== undefined) query.set(name, value ?? "");
	return `<script src="${escapeAttribute(`${publicUrl}/embed.js?${query}`)}" async></script>`;
}

export interface BadgeLines {
	/** Address of the chat as a page. */
	link: string;
	markdown: string;
	/** With the SVG, for pages. */
	html: string;
	/** With the PNG, for e-mail. */
	mail: string;
	/** URL path of the picture. */
	picture: string;
	height: number;
}

/** The lines for places where no script runs. `alt`: what is read where the picture is not shown. */
export function badgesOf(publicUrl: string, { handle, size, theme, lang }: Choice, alt: string): BadgeLines {
	const query = new URLSearchParams();
	if (size !== "small") query.set("size", size);
	if (theme === "light") query.set("theme", "light");
	if (lang === "zh") query.set("lang", "zh");
	const end = query.size > 0 ? `?${query}` : "";
	const link = `${publicUrl}/@${handle}/chat`;
	const picture = (name: string): string => `/@${handle}/${name}${end}`;
	const image = (name: string): string =>
		`<a href="${link}"><img src="${publicUrl}${escapeAttribute(picture(name))}" alt="${escapeAttribute(alt)}" height="${BADGE[size].height}"></a>`;
	return {
		link,
		markdown: `[![${alt}](${publicUrl}${picture("badge.svg")})](${link})`,
		html: image("badge.svg"),
		mail: image("chat-badge.png"),
		picture: picture("badge.svg"),
		height: BADGE[size].height,
	};
}

/** The owner's command that keeps this look at the desk, under a number. */
export function embedCommand({ handle, mode, theme, accent, greeting, greetingText }: Choice): string {
	const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
	const words = ["npx earthonline embed save", handle, "--mode", mode];
	if (theme !== "auto") words.push("--theme", theme);
	if (accent) words.push("--accent", quote(accent));
	if (greeting) words.push("--greeting", "on");
	if (greeting && greetingText) words.push("--greeting-text", quote(greetingText));
	return words.join(" ");
}

/** The choice as a query, for the preview and for links that keep it. */
export function queryOf(choice: Choice): string {
	const { greeting, greetingText, lang, ...plain } = choice;
	const fields = { ...plain, chat_lang: lang, greeting: greeting ? "on" : "", greeting_text: greetingText };
	// Without a handle the page takes the first desk there is; with an empty one it asks for one.
	return new URLSearchParams(Object.entries(fields).filter(([name, value]) => name === "handle" || value !== "")).toString();
}
