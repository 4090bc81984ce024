/** The addresses of badges (LINK-2): `/@handle/badge.svg` and its twin `/@handle/chat-badge.png`. Open to every site, kept shortly by everybody, the same bytes for all who ask. */
import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { SIZES } from "../../shared/embed.js";
import { AUTO_STYLE, type BadgeOptions, drawBadge } from "./badge.js";
import { badgePicture } from "./badge-picture.js";
import type { SiteParts } from "./door.js";
import { isFresh, NO_STORE, OPEN, SVG } from "./headers.js";

/** A new name shows within minutes; README pages and mail ask seldom anyway. */
const CACHE = "public, max-age=300, stale-while-revalidate=86400";
const STYLE_HASH = createHash("sha256").update(AUTO_STYLE).digest("base64");
/** Raised when the drawing of the PNG changes: its tag is made from the SVG's bytes. */
const PICTURE = "1";

export function badges(parts: SiteParts): Hono {
	const app = new Hono();

	/** What an address asks for. A value that is none counts as not given: a badge is never a broken picture. */
	const optionsOf = async (c: Context): Promise<BadgeOptions | undefined> => {
		const desk = await parts.deskAt((c.req.param("at") ?? "").slice(1));
		const { size, theme, lang } = c.req.query();
		return (
			desk && {
				handle: desk.row.handle,
				name: desk.face.name,
				size: SIZES.find((s) => s === size) ?? "small",
				theme: theme === "light" || theme === "auto" ? theme : "dark",
				language: lang === "zh" ? "zh" : "en",
			}
		);
	};
	const tag = (text: string): string => `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
	const nobody = (c: Context) => c.text("There is no desk of that name.", 404, NO_STORE);

	app.get("/:at{@[^/]+}/badge.svg", async (c) => {
		const options = await optionsOf(c);
		if (!options) return nobody(c);
		const svg = drawBadge(options);
		const etag = tag(svg);
		const style =
			options.theme === "auto" ? { "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; sandbox` } : {};
		const all = { ...SVG, ...style, "cache-control": CACHE, etag };
		return isFresh(c.req.header("if-none-match"), etag) ? c.body(null, 304, all) : c.body(svg, 200, all);
	});
	app.get("/:at{@[^/]+}/chat-badge.png", async (c) => {
		const options = await optionsOf(c);
		if (!options) return nobody(c);
		const etag = tag(`${PICTURE} ${options.name} ${drawBadge(options)}`);
		const all = { ...OPEN, "cache-control": CACHE, etag };
		if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304, all);
		const png = await badgePicture(etag, options);
		return c.body(png as Uint8Array<ArrayBuffer>, 200, { ...all, "content-type": "image/png" });
	});
	return app;
}
