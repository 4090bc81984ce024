/**
 * The two addresses behind the script tag (design.md, "The embed handshake", steps 1 to 3): may the chat show on the site
 * that the browser names, and the document that only that site may frame. The browser's `frame-ancestors` is what enforces
 * it; what is answered here to a script is a courtesy. Sets no cookie and stores nothing at the visitor's.
 */
import { type Context, Hono } from "hono";
import {
	type EmbedLook,
	type FrameBoot,
	GREETING_CHARS,
	isAccent,
	MODES,
	type Mode,
	SIZES,
	type SiteConfig,
	THEMES,
	type Theme,
} from "../../shared/embed.js";
import type { Desk } from "../engine/engine.js";
import type { EmbedRow } from "../engine/reads.js";
import { type NoSite, readExactSite } from "../engine/sites.js";
import { languageFor, type SiteParts } from "./door.js";
import { faceShapes } from "./face.js";
import { documentHeaders, NO_STORE, OPEN } from "./headers.js";
import { chatDocument, notice } from "./layout.js";
import { type Attribute, HELP, type Language, TEXTS } from "./texts.js";

/** Whose page it is: a site's, ours (null), or nobody's. */
type Reading = { site: string | null } | { refused: NoSite };

export function embed(parts: SiteParts): Hono {
	const { engine, config } = parts;
	const app = new Hono();

	const read = (text: string): Reading =>
		text === config.publicUrl ? { site: null } : readExactSite(text, { localhost: config.allowLocalhostSites });
	/** As it is named to the page: ours has the origin of this server. */
	const named = (site: string | null): string => site ?? config.publicUrl;

	/** The site is the page's `Origin`; a page of our own sends none and is known by what the browser says instead. */
	const asking = (c: Context): Reading => {
		const origin = c.req.header("origin");
		if (origin !== undefined) return read(origin);
		return c.req.header("sec-fetch-site") === "same-origin" ? { site: null } : { refused: "opaque" };
	};

	app.get("/embed/:handle", async (c) => {
		const handle = c.req.param("handle");
		const desk = await parts.deskAt(handle);
		const reading = asking(c);
		const answer = desk
			? await configOf(c, desk, reading)
			: { show: false, reason: "no_such_desk" as const, help: HELP.en.no_such_desk(handle.slice(0, 64)), handle };
		return c.body(JSON.stringify(answer satisfies SiteConfig), 200, {
			...OPEN,
			...NO_STORE,
			"content-type": "application/json",
			vary: "Origin, Sec-Fetch-Site, Accept-Language",
		});
	});

	/** Nothing in it depends on who asks, but the language of the greeting. */
	async function configOf(c: Context, desk: Desk, reading: Reading): Promise<SiteConfig> {
		const { handle, language } = desk.row;
		const help = HELP[language];
		if ("refused" in reading) {
			const why = reading.refused;
			const known = why === "not_https" || why === "local" || why === "address";
			const origin = (c.req.header("origin") ?? "").slice(0, 300);
			return { show: false, reason: "malformed_site", help: known ? help[why](origin) : help.malformed_site(), handle };
		}
		const asked = c.req.query();
		const number = numberOf(c);
		const answer = await engine.embed.ask(desk, reading.site, number);
		const site = named(reading.site);
		if (!answer.show)
			return { show: false, reason: answer.reason, help: help[answer.reason](handle, site, number?.slice(0, 32) ?? ""), site, handle };
		const row = answer.embed;
		const greeting = greetingOf(row ?? asked, desk.face.name, languageFor(c, desk));
		const unknown = unknownValues(asked, row !== undefined).map(([attribute, value]) => help.value(attribute, value));
		const { name, online } = desk.face;
		return {
			show: true,
			site,
			handle,
			...(row ? { embed: lookOf(row) } : {}),
			name,
			face: faceShapes(handle),
			online,
			...(greeting === undefined ? {} : { greeting }),
			language,
			...(unknown.length ? { help: unknown.join("\n") } : {}),
		};
	}

	app.get("/:at{@[^/]+}/embed", async (c) => {
		const desk = await parts.deskAt(c.req.param("at").slice(1));
		const reading = read(c.req.query("site") ?? "");
		const language = languageFor(c, desk);
		const texts = TEXTS[language];
		const { theme } = look(c);

		const refuse = async (status: 403 | 404 | 400 | 503, ancestors: string, title: string, line: string) =>
			c.html(await notice({ language, css: parts.css, theme, title, line, bare: true }), status, {
				...documentHeaders(config.publicUrl, { ancestors, chat: false }),
				...NO_STORE,
			});
		const neutral = (status: 403 | 404 | 400) => refuse(status, "'none'", texts.neutral, texts.neutralLine);

		if ("refused" in reading) return neutral(400);
		if (!desk) return neutral(404);
		const site = named(reading.site);
		const answer = await engine.embed.check(desk, reading.site, numberOf(c));
		if (!answer.show) {
			if (answer.reason === "blocked") return neutral(403);
			const { name } = desk.face;
			if (answer.reason === "guests_off") return refuse(403, site, texts.guestsOff, texts.guestsOffLine(name));
			if (answer.reason === "no_such_embed") return refuse(404, site, texts.noEmbed, texts.noEmbedLine(name));
			return refuse(403, site, texts.notOpen, texts.notOpenLine(name));
		}
		if (!parts.chat) return refuse(503, site, texts.busy, texts.notBuilt);
		const row = answer.embed;
		const ticket = engine.embed.issueTicket(desk, reading.site, row?.number);
		const shown = look(c, row);
		const boot = { ...bootOf(c, desk, config.brandName, shown), ticket, site, mode: shown.mode };
		return c.html(await chatDocument({ language, title: texts.chatWith(desk.face.name), ...parts.chat, boot }), 200, {
			...documentHeaders(config.publicUrl, { ancestors: site, chat: true }),
			...NO_STORE,
		});
	});

	return app;
}

/** The number of the embed that a tag names; undefined where it names none. An empty one counts as none, as in the tag. */
const numberOf = (c: Context): string | undefined => c.req.query("embed") || undefined;

/** What an embed's number stands for (EMB-2). */
const lookOf = ({ number, mode, theme, accent }: EmbedRow): EmbedLook => ({
	id: number,
	mode,
	theme,
	...(accent === null ? {} : { accent }),
});

/** A line of plain text as it is said: one line, nothing at its ends. Empty where it is too long to be one. */
const lineOf = (text: string): string => (text.length > GREETING_CHARS ? "" : text.replace(/[\s\p{Cc}]+/gu, " ").trim());

/** What the agent says beside its face (EMB-9): the embed's or the tag's own line, else the usual words; undefined: nothing. */
function greetingOf(from: EmbedRow | Record<string, string>, name: string, language: Language): string | undefined {
	const given = isEmbed(from) ? (from.greeting ? from.greetingText : undefined) : from.greeting;
	return given === undefined ? undefined : lineOf(given) || TEXTS[language].greeting(name);
}

const isEmbed = (from: EmbedRow | Record<string, string>): from is EmbedRow => typeof from.number === "number";

/** What the tag's attributes may say (docs/embed.md). */
const VALUES: Readonly<Record<Attribute, (value: string) => boolean>> = {
	mode: (value) => MODES.some((mode) => mode === value),
	theme: (value) => THEMES.some((theme) => theme === value),
	lang: (value) => ["en", "zh"].includes(value),
	accent: isAccent,
	size: (value) => SIZES.some((size) => size === value),
	greeting: (value) => value.length <= GREETING_CHARS,
	height: (value) => Number(value) > 0,
	z: (value) => /^-?\d+$/.test(value),
};
/** Those that a line with a number leaves to the embed (EMB-2): whatever they say counts for nothing. */
const OF_THE_EMBED: readonly string[] = ["mode", "theme", "accent", "greeting"] satisfies Attribute[];

/** Attributes of a tag whose values are none, cut to what a line can hold. An empty one counts as absent, as in the tag. */
function unknownValues(asked: Record<string, string>, numbered: boolean): [Attribute, string][] {
	const found: [Attribute, string][] = [];
	for (const name of Object.keys(VALUES) as Attribute[]) {
		const value = asked[name];
		if (numbered && OF_THE_EMBED.includes(name)) continue;
		if (value && !VALUES[name](value)) found.push([name, value.slice(0, 64)]);
	}
	return found;
}

type Look = { theme: Theme; accent: string | undefined };

/** What every chat is told about its desk and its looks. */
export function bootOf(c: Context, desk: Desk, brand: string, { theme, accent }: Look = look(c)): Omit<FrameBoot, "mode"> {
	const lang = c.req.query("lang");
	const { handle } = desk.row;
	return {
		handle,
		name: desk.face.name,
		face: desk.face.face,
		desk: desk.face,
		theme,
		...(accent === undefined ? {} : { accent }),
		...(lang === "zh" || lang === "en" ? { language: lang } : {}),
		socket: `/a2a/${handle}/ws`,
		brand,
	};
}

/**
 * The look that an address asks for; a value that is none counts as not given. A numbered embed has its own: only where its theme
 * is `auto` does the address say how the page looks at this moment.
 */
export function look(c: Context, row?: EmbedRow): Look & { mode: Mode } {
	const { theme, accent, mode } = c.req.query();
	const asked = theme === "dark" || theme === "light" ? theme : "auto";
	if (row) return { theme: row.theme === "auto" ? asked : row.theme, accent: row.accent ?? undefined, mode: row.mode };
	return {
		theme: asked,
		accent: accent !== undefined && isAccent(accent) ? accent : undefined,
		mode: MODES.find((m) => m === mode) ?? "floating",
	};
}
