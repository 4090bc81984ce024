/**
 * The two addresses behind the script tag (design.md, "The embed handshake", steps 1 to 3): may the chat show on the site
 * that the browser names, and the document that only that site may frame. The browser's `frame-ancestors` is what enforces
 * it; what is answered here to a script is a courtesy. Sets no cookie and stores nothing at the visitor's.
 */
import { type Context, Hono } from "hono";
import { type FrameBoot, isAccent, MODES, type Mode, type SiteConfig, type Theme } from "../../shared/embed.js";
import type { Desk } from "../engine/engine.js";
import { type NoSite, readExactSite } from "../engine/sites.js";
import { languageFor, type SiteParts } from "./door.js";
import { documentHeaders, NO_STORE, OPEN } from "./headers.js";
import { chatDocument, notice } from "./layout.js";
import { type Attribute, HELP, TEXTS } from "./texts.js";

/** What a site is: ours, somebody's, or none. */
type Reading = { own: true } | { site: string } | { refused: NoSite };

export function embed(parts: SiteParts): Hono {
	const { engine, config } = parts;
	const app = new Hono();

	const read = (text: string): Reading =>
		text === config.publicUrl ? { own: true } : readExactSite(text, { localhost: config.allowLocalhostSites });

	/** The site is the page's `Origin`; a page of our own sends none and is known by what the browser says instead. */
	const named = (c: Context): Reading => {
		const origin = c.req.header("origin");
		if (origin !== undefined) return read(origin);
		return c.req.header("sec-fetch-site") === "same-origin" ? { own: true } : { refused: "opaque" };
	};

	app.get("/embed/:handle", async (c) => {
		const handle = c.req.param("handle");
		const desk = await parts.deskAt(handle);
		const reading = named(c);
		// The same text for all readers of one site: nothing here depends on who asks.
		const answer = desk
			? await configOf(desk, reading, c.req.header("origin") ?? "", c.req.query())
			: { show: false, reason: "no_such_desk" as const, help: HELP.en.no_such_desk(handle.slice(0, 64)), handle };
		return c.body(JSON.stringify(answer satisfies SiteConfig), 200, {
			...OPEN,
			...NO_STORE,
			"content-type": "application/json",
			vary: "Origin, Sec-Fetch-Site",
		});
	});

	async function configOf(desk: Desk, reading: Reading, origin: string, asked: Record<string, string>): Promise<SiteConfig> {
		const { handle, language } = desk.row;
		const help = HELP[language];
		if ("refused" in reading) {
			const why = reading.refused;
			const known = why === "not_https" || why === "local" || why === "address";
			return { show: false, reason: "malformed_site", help: known ? help[why](origin.slice(0, 300)) : help.malformed_site(), handle };
		}
		const site = "own" in reading ? config.publicUrl : reading.site;
		const verdict = "own" in reading ? await ownVerdict(desk) : await engine.embed.ask(desk, site);
		if (!verdict.show) return { show: false, reason: verdict.reason, help: help[verdict.reason](handle, site), site, handle };
		const { name, face, online } = desk.face;
		const unknown = unknownValues(asked).map(([attribute, value]) => help.value(attribute, value));
		return { show: true, site, handle, name, face, online, language, ...(unknown.length ? { help: unknown.join("\n") } : {}) };
	}

	/** Our own pages need no rule; guests do need to be welcome. */
	const ownVerdict = async (desk: Desk) =>
		desk.settings.guests ? ({ show: true } as const) : ({ show: false, reason: "guests_off" } as const);

	app.get("/:at{@[^/]+}/embed", async (c) => {
		const desk = await parts.deskAt(c.req.param("at").slice(1));
		const reading = read(c.req.query("site") ?? "");
		const language = languageFor(c, desk);
		const texts = TEXTS[language];
		const { theme, mode } = look(c);

		const refuse = async (status: 403 | 404 | 400 | 503, ancestors: string, title: string, line: string) =>
			c.html(await notice({ language, css: parts.css, theme, title, line, bare: true }), status, {
				...documentHeaders(config.publicUrl, { ancestors, chat: false }),
				...NO_STORE,
			});
		const neutral = (status: 403 | 404 | 400) => refuse(status, "'none'", texts.neutral, texts.neutralLine);

		if ("refused" in reading) return neutral(400);
		if (!desk) return neutral(404);
		const site = "own" in reading ? config.publicUrl : reading.site;
		const verdict = "own" in reading ? await ownVerdict(desk) : await engine.embed.check(desk, site);
		if (!verdict.show) {
			if (verdict.reason === "blocked") return neutral(403);
			const { name } = desk.face;
			return verdict.reason === "guests_off"
				? refuse(403, site, texts.guestsOff, texts.guestsOffLine(name))
				: refuse(403, site, texts.notOpen, texts.notOpenLine(name));
		}
		if (!parts.chat) return refuse(503, site, texts.busy, texts.notBuilt);
		// Our own pages speak with the rights of the chat page: presets are for other people's sites.
		const ticket = engine.embed.issueTicket(desk, "own" in reading ? null : site);
		const boot = { ...bootOf(c, desk, config.brandName), ticket, site, mode };
		return c.html(await chatDocument({ language, title: texts.chatWith(desk.face.name), ...parts.chat, boot }), 200, {
			...documentHeaders(config.publicUrl, { ancestors: site, chat: true }),
			...NO_STORE,
		});
	});

	return app;
}

/** What the tag's attributes may say (docs/embed.md). */
const VALUES: Readonly<Record<Attribute, (value: string) => boolean>> = {
	mode: (value) => MODES.some((mode) => mode === value),
	theme: (value) => ["light", "dark", "auto"].includes(value),
	lang: (value) => ["en", "zh"].includes(value),
	accent: isAccent,
	height: (value) => Number(value) > 0,
	z: (value) => /^-?\d+$/.test(value),
};

/** Attributes of a tag whose values are none, cut to what a line can hold. An empty one counts as absent, as in the tag. */
function unknownValues(asked: Record<string, string>): [Attribute, string][] {
	const found: [Attribute, string][] = [];
	for (const name of Object.keys(VALUES) as Attribute[]) {
		const value = asked[name];
		if (value && !VALUES[name](value)) found.push([name, value.slice(0, 64)]);
	}
	return found;
}

/** What every chat is told about its desk and its looks. */
export function bootOf(c: Context, desk: Desk, brand: string): Omit<FrameBoot, "mode"> {
	const { theme, accent } = look(c);
	const lang = c.req.query("lang");
	const { handle } = desk.row;
	return {
		handle,
		name: desk.face.name,
		face: desk.face.face,
		theme,
		...(accent === undefined ? {} : { accent }),
		...(lang === "zh" || lang === "en" ? { language: lang } : {}),
		socket: `/a2a/${handle}/ws`,
		brand,
	};
}

/** The look that an address asks for; a value that is none counts as not given. */
export function look(c: Context): { theme: Theme; accent: string | undefined; mode: Mode } {
	const { theme, accent, mode } = c.req.query();
	return {
		theme: theme === "dark" || theme === "light" ? theme : "auto",
		accent: accent !== undefined && isAccent(accent) ? accent : undefined,
		mode: MODES.find((m) => m === mode) ?? "floating",
	};
}
