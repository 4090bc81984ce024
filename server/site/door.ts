/**
 * The door of the open web: the script that sites paste, the framed chat, the pages of people. Joins the parts of this
 * folder and gives every refusal a page or a JSON in the reader's language, never a stack trace.
 */
import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { DeskError, type ErrorCode } from "../../shared/errors.js";
import type { Desk, Engine } from "../engine/engine.js";
import { ask } from "./ask.js";
import { assets, readClientFiles } from "./assets.js";
import { badges } from "./badge-door.js";
import { check } from "./check.js";
import { docs } from "./docs.js";
import { embed } from "./embed.js";
import { refuseEmbed } from "./embed-refusal.js";
import { COMMON, documentHeaders, isFresh, prefersText } from "./headers.js";
import { notice, SITE_CSS_PATH } from "./layout.js";
import { pages } from "./pages.js";
import { pictures } from "./pictures.js";
import { snippet } from "./snippet.js";
import { SITE_CSS } from "./style.js";
import { type Language, languageOf, TEXTS } from "./texts.js";

export interface SiteDoorOptions {
	engine: Pick<Engine, "clock" | "desk" | "desks" | "embed" | "followUps" | "identify" | "pictures">;
	config: {
		/** Origin under which people reach this server, without a slash at its end. */
		publicUrl: string;
		brandName: string;
		allowLocalhostSites: boolean;
	};
	/** Folder of the built client. */
	clientDir: string;
	/**
	 * Counts a picture that somebody sends, and takes a place for it. `network`: where it comes from · `grow`: so many more bytes of it are in
	 * memory · `kept`: it is kept, and so large · `end`: it is not in memory any more. Throws `rate_limited`; `grow` also `unavailable`.
	 */
	takePicture(c: Context): { network: string; grow(bytes: number): void; kept(bytes: number): void; end(): void };
	/** Takes a place for a picture that somebody fetches; what is returned gives it back. Throws `rate_limited`. */
	readPicture(c: Context): () => void;
	/** Folder of the guide's Markdown; undefined: there is no guide. */
	docsDir: string | undefined;
	/** Counts a question of somebody without a credential; `words` make it the same when it is sent again, which costs nothing a few times. Throws `rate_limited`. */
	countQuestion(c: Context, desk: Desk, words: string): void;
	log: (level: "info" | "warn" | "error", fields: Record<string, unknown>, text: string) => void;
}

/** What the parts of this door share. */
export interface SiteParts extends SiteDoorOptions {
	/** The desk at a handle; undefined also for what is no handle. */
	deskAt(handle: string): Promise<Desk | undefined>;
	/** Address of the pages' style sheet. */
	css: string;
	/** Addresses of the built chat; undefined where it has not been built. */
	chat: { script: string; style: string | undefined } | undefined;
	/** The page for whatever has no page. */
	refuse(
		c: Context,
		status: 400 | 403 | 404 | 405 | 429 | 500 | 503,
		what: "missing" | "broken" | "busy",
		line?: string,
	): Promise<Response>;
}

/** `[a-z0-9_-]{2,32}`, not starting `ag_` (A2A-1). */
const HANDLE = /^(?!ag_)[a-z0-9_-]{2,32}$/;

/** How a refusal of the engine looks on a page; everything else is ours to mend. */
const STATUS: Partial<Record<ErrorCode, { status: 400 | 403 | 404 | 429 | 503; what: "missing" | "broken" | "busy" }>> = {
	not_found: { status: 404, what: "missing" },
	context_not_found: { status: 404, what: "missing" },
	invalid_params: { status: 400, what: "missing" },
	invalid_request: { status: 400, what: "missing" },
	forbidden: { status: 403, what: "missing" },
	unauthenticated: { status: 403, what: "missing" },
	rate_limited: { status: 429, what: "busy" },
	unavailable: { status: 503, what: "busy" },
	deadline_exceeded: { status: 503, what: "busy" },
};

/** Builds the door; `app.ts` mounts it at the root. */
export function siteDoor(options: SiteDoorOptions): Hono {
	const { engine, log } = options;
	const files = readClientFiles(options.clientDir);
	const script = files.address("/assets/chat.js");
	const cssTag = `"${createHash("sha256").update(SITE_CSS).digest("base64url").slice(0, 22)}"`;

	const refuse: SiteParts["refuse"] = async (c, status, what, line) => {
		const language = languageOf(c.req.header("accept-language"));
		const texts = TEXTS[language];
		const said = line ?? (what === "missing" ? texts.missingLine : texts.brokenLine);
		const headers = {
			...documentHeaders(options.config.publicUrl, { ancestors: "'none'", chat: false }),
			"cache-control": "no-store",
			vary: "Accept, Accept-Language",
		};
		const accept = c.req.header("accept") ?? "";
		if (prefersText(accept) || c.req.path.endsWith(".md")) return c.text(`${said}\n`, status, headers);
		if (accept.includes("application/json") && !accept.includes("text/html"))
			return c.json({ error: { code: what, message: said } }, status, headers);
		return c.html(await notice({ language, css: parts.css, title: texts[what], line: said, home: true }), status, headers);
	};

	const parts: SiteParts = {
		...options,
		css: `${SITE_CSS_PATH}?v=${cssTag.slice(1, 9)}`,
		chat: script === undefined ? undefined : { script, style: files.address("/assets/chat.css") },
		deskAt: (handle) => (HANDLE.test(handle) ? engine.desk(handle) : Promise.resolve(undefined)),
		refuse,
	};

	const app = new Hono();
	app.onError((error, c) => {
		const known = error instanceof DeskError ? STATUS[error.code] : undefined;
		const { path } = c.req;
		if (!known) {
			log("error", { err: error, path }, "A page could not be made.");
			const { broken, brokenLine } = TEXTS.en;
			return refuseEmbed(path, 500, `${broken}. ${brokenLine}`) ?? refuse(c, 500, "broken");
		}
		const { message, detail } = error as DeskError;
		const retry: Record<string, string> = detail.retryAfterSeconds === undefined ? {} : { "retry-after": String(detail.retryAfterSeconds) };
		for (const [name, value] of Object.entries(retry)) c.header(name, value);
		return refuseEmbed(path, known.status, message, retry) ?? refuse(c, known.status, known.what, message);
	});
	app.get(SITE_CSS_PATH, (c) => {
		const headers = { ...COMMON, "content-type": "text/css; charset=utf-8", "cache-control": "no-cache", etag: cssTag };
		return isFresh(c.req.header("if-none-match"), cssTag) ? c.body(null, 304, headers) : c.body(SITE_CSS, 200, headers);
	});
	app.route("/", assets(files));
	app.route("/", pictures(parts));
	app.route("/", embed(parts));
	app.route("/", check(parts));
	app.route("/", snippet(parts));
	app.route("/", badges(parts));
	app.route("/", ask(parts));
	app.route("/", docs(parts));
	app.route("/", pages(parts));
	// This door is mounted last: what nobody knows ends here.
	app.get("*", (c) => refuse(c, 404, "missing"));
	app.all("*", (c) => {
		c.header("allow", "GET, HEAD");
		return refuse(c, 405, "missing", TEXTS[languageOf(c.req.header("accept-language"))].onlyRead);
	});
	return app;
}

/** The reader's language: `?lang=`, the browser's, the desk's. */
export const languageFor = (c: Context, desk?: Desk): Language => {
	const asked = c.req.query("lang");
	return asked === "zh" || asked === "en" ? asked : languageOf(c.req.header("accept-language"), desk?.row.language ?? "en");
};
