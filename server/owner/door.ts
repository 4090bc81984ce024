/**
 * The owner's door: the sign-in link is exchanged for a session here, and the session opens a page that shows what the desk is
 * allowed, knows and was asked in vain. Of a desk it changes nothing: every unsafe request is checked for its origin, the cookie is never
 * readable by a script, and no page here may be framed (reliability.md 29, 30).
 */
import { type Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Desk, Engine } from "../engine/engine.js";
import { AGENT_SCRIPT, agentPage, notSignedInPage, refusalPage, SIGN_IN_SCRIPT, signInPage } from "./pages.js";

export interface OwnerDoorOptions {
	engine: Engine;
	config: {
		publicUrl: string;
		brandName: string;
		/** What stands before `npx earthonline` in a shell for it to reach this server's folder: `DATA_DIR=.data/demo `, or nothing. */
		commandPrefix?: string;
	};
	log: (level: "info" | "warn" | "error", fields: Record<string, unknown>, text: string) => void;
}

const PAGE_HEADERS = {
	"content-security-policy":
		"default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	"x-content-type-options": "nosniff",
	"x-frame-options": "DENY",
	"referrer-policy": "no-referrer",
	"cache-control": "no-store",
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
} as const;

/** Builds the door; `app.ts` mounts it at the root. */
export function ownerDoor({ engine, config, log }: OwnerDoorOptions): Hono {
	const secure = config.publicUrl.startsWith("https:");
	const HEADERS = { ...PAGE_HEADERS, ...(secure ? { "strict-transport-security": "max-age=31536000" } : {}) };
	const command = `${config.commandPrefix ?? ""}npx earthonline`;
	const cookie = secure ? "__Host-eol_session" : "eol_session";
	const app = new Hono();

	const script = (text: string) => (c: Context) => c.body(text, 200, { ...HEADERS, "content-type": "text/javascript; charset=utf-8" });
	/** Another site's page sends another origin, and cannot send this type without asking first (reliability.md 29). */
	const isOurs = (c: Context): boolean =>
		c.req.header("origin") === config.publicUrl && c.req.header("content-type")?.startsWith("application/json") === true;
	const ownerOf = async (c: Context) => {
		const session = getCookie(c, cookie);
		return session === undefined ? undefined : await engine.owner.session(session);
	};

	app.onError((error, c) => {
		const busy = error instanceof DeskError && error.code === "unavailable";
		if (!busy) log("error", { err: error, path: c.req.path }, "An owner's page could not be made.");
		const message = busy ? error.message : "Something went wrong on our side. Please try again in a moment.";
		const status = busy ? 503 : 500;
		if (c.req.method === "POST") return c.json({ ok: false, error: { code: busy ? "unavailable" : "internal", message } }, status, HEADERS);
		return c.html(refusalPage(config.brandName, message), status, HEADERS);
	});

	app.get("/sign-in", (c) => c.html(signInPage(config.brandName, command), 200, HEADERS));
	app.get("/sign-in.js", script(SIGN_IN_SCRIPT));
	app.get("/agent.js", script(AGENT_SCRIPT));

	app.post("/sign-in", async (c) => {
		// A code planted by another site would sign its reader in as somebody else (reliability.md 31).
		if (!isOurs(c)) {
			return c.json({ ok: false, error: { code: "forbidden", message: "Open the sign-in link itself, in your browser." } }, 403, HEADERS);
		}
		const secret = await readSecret(c.req.raw);
		const session = typeof secret === "string" && secret.length <= 128 ? await engine.owner.signIn(secret) : undefined;
		if (session === undefined) {
			// Whoever opens their link a second time, still signed in by the first, wants their page.
			if (await ownerOf(c)) return c.json({ ok: true }, 200, HEADERS);
			return c.json(
				{
					ok: false,
					error: {
						code: "unauthenticated",
						message: `This link has been used or has run out. Make a new one: ${command} owner link <handle>`,
					},
				},
				401,
				HEADERS,
			);
		}
		setCookie(c, cookie, session, { httpOnly: true, secure, sameSite: "Strict", path: "/", maxAge: LIMITS.sessionMs / 1000 });
		return c.json({ ok: true }, 200, HEADERS);
	});

	app.post("/sign-out", async (c) => {
		if (!isOurs(c)) {
			return c.json({ ok: false, error: { code: "forbidden", message: "Sign out from your desk's own page." } }, 403, HEADERS);
		}
		const session = getCookie(c, cookie);
		if (session !== undefined) await engine.owner.signOut(session);
		deleteCookie(c, cookie, { httpOnly: true, secure, sameSite: "Strict", path: "/" });
		return c.json({ ok: true }, 200, HEADERS);
	});

	app.get("/agent", async (c) => {
		const owner = await ownerOf(c);
		if (!owner) return c.html(notSignedInPage(config.brandName, command), 401, HEADERS);
		const desks = (await engine.desks()).filter((d) => d.row.ownerId === owner.id);
		return c.html(agentPage({ ...config, command }, await Promise.all(desks.map((desk) => shown(engine, desk)))), 200, HEADERS);
	});
	// Whatever else is asked of these addresses.
	for (const [path, allow] of Object.entries(VERBS)) {
		app.all(path, (c) => c.html(refusalPage(config.brandName, `This address takes ${allow}.`), 405, { ...HEADERS, allow }));
	}
	return app;
}

/** What each address takes. */
const VERBS = {
	"/sign-in": "GET, HEAD, POST",
	"/sign-in.js": "GET, HEAD",
	"/sign-out": "POST",
	"/agent": "GET, HEAD",
	"/agent.js": "GET, HEAD",
} as const;

/** A secret of ours is 43 characters: nothing longer is worth reading. */
const SECRET_BODY_BYTES = 1_024;

/** The `secret` of a small JSON body; undefined for anything else. Reads no further than such a body goes. */
async function readSecret(request: Request): Promise<unknown> {
	let text = "";
	const decoder = new TextDecoder();
	for await (const chunk of request.body ?? []) {
		text += decoder.decode(chunk as Uint8Array, { stream: true });
		if (text.length > SECRET_BODY_BYTES) return undefined;
	}
	try {
		return (JSON.parse(text) as { secret?: unknown } | null)?.secret;
	} catch {
		return undefined;
	}
}

/** What the page shows of one desk. */
export type ShownDesk = Awaited<ReturnType<typeof shown>>;

async function shown(engine: Engine, desk: Desk) {
	const { handle } = desk.row;
	const [sites, memory, gaps, keys] = await Promise.all([
		engine.owner.sites(handle),
		engine.owner.memory(handle),
		engine.owner.gaps(handle),
		engine.owner.keys(handle),
	]);
	return { desk, sites, memory, gaps, keys };
}
