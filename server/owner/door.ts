/**
 * The owner's door: the sign-in link is exchanged for a session here, and the session opens a page that shows what the desk is
 * allowed, knows and was asked in vain. It changes nothing: every unsafe request is checked for its origin, the cookie is never
 * readable by a script, and no page here may be framed (reliability.md 29, 30).
 */
import { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Desk, Engine } from "../engine/engine.js";
import { agentPage, notSignedInPage, SIGN_IN_SCRIPT, signInPage } from "./pages.js";

export interface OwnerDoorOptions {
	engine: Engine;
	config: { publicUrl: string; brandName: string };
}

const SESSION_SECONDS = 30 * 24 * 60 * 60;

const HEADERS = {
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
export function ownerDoor({ engine, config }: OwnerDoorOptions): Hono {
	const secure = config.publicUrl.startsWith("https:");
	const cookie = secure ? "__Host-eol_session" : "eol_session";
	const app = new Hono();

	app.get("/sign-in", (c) => c.html(signInPage(config.brandName), 200, HEADERS));
	app.get("/sign-in.js", (c) => c.body(SIGN_IN_SCRIPT, 200, { ...HEADERS, "content-type": "text/javascript; charset=utf-8" }));

	app.post("/sign-in", async (c) => {
		// A code planted by another site would sign its reader in as somebody else (reliability.md 31).
		if (c.req.header("origin") !== config.publicUrl || !c.req.header("content-type")?.startsWith("application/json")) {
			return c.json({ ok: false, error: { code: "forbidden", message: "Open the sign-in link itself, in your browser." } }, 403, HEADERS);
		}
		const secret = await readSecret(c.req.raw);
		const session = typeof secret === "string" && secret.length <= 128 ? await engine.owner.signIn(secret) : undefined;
		if (session === undefined) {
			return c.json(
				{
					ok: false,
					error: {
						code: "unauthenticated",
						message: "This link has been used or has run out. Make a new one: earthonline owner link <handle>",
					},
				},
				401,
				HEADERS,
			);
		}
		setCookie(c, cookie, session, { httpOnly: true, secure, sameSite: "Strict", path: "/", maxAge: SESSION_SECONDS });
		return c.json({ ok: true }, 200, HEADERS);
	});

	app.get("/agent", async (c) => {
		const session = getCookie(c, cookie);
		const owner = session === undefined ? undefined : await engine.owner.session(session);
		if (!owner) return c.html(notSignedInPage(config.brandName), 401, HEADERS);
		const desks = (await engine.desks()).filter((d) => d.row.ownerId === owner.id);
		return c.html(agentPage(config, await Promise.all(desks.map((desk) => shown(engine, desk)))), 200, HEADERS);
	});
	return app;
}

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
