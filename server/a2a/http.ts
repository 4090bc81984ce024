/**
 * One HTTP exchange as the A2A door sees it: headers, path and body of Node's own request where there is one, of a test's
 * Request otherwise; and the answers, with their headers given once and whole. Kept lean: this runs on every request.
 */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { RequestLike } from "../callers.js";

/** What a browser of another origin may read of an answer (a2a.md 1.14). Any origin may ask: nothing here looks at cookies. */
const CORS = {
	"access-control-allow-origin": "*",
	"access-control-expose-headers":
		"eol-guest-token, ratelimit-limit, ratelimit-remaining, ratelimit-reset, a2a-extensions, etag, retry-after, www-authenticate",
};

const COMMON = { ...CORS, "x-content-type-options": "nosniff" };

/** For answers that are somebody's own: no cache keeps them. */
const PRIVATE = { ...COMMON, "cache-control": "no-store" };

const PREFLIGHT = {
	"access-control-allow-origin": "*",
	"access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
	"access-control-allow-headers":
		"authorization, content-type, a2a-version, a2a-extensions, x-a2a-extensions, x-api-key, idempotency-key, accept, last-event-id",
	"access-control-max-age": "7200",
};

const JSON_TYPE = "application/json";
const A2A_TYPE = "application/a2a+json";

/** Header sets that most answers use, made once. */
const JSON_HEADERS: Record<string, string> = { "content-type": JSON_TYPE, ...PRIVATE };
const REST_HEADERS: Record<string, Record<string, string>> = {
	[JSON_TYPE]: { "content-type": JSON_TYPE, vary: "Accept", ...PRIVATE },
	[A2A_TYPE]: { "content-type": A2A_TYPE, vary: "Accept", ...PRIVATE },
};

/** `no-transform` and the last one: a proxy between must neither pack nor hold back what is written. */
export const STREAM_HEADERS: Record<string, string> = {
	"content-type": "text/event-stream",
	...COMMON,
	"cache-control": "no-cache, no-transform",
	"x-accel-buffering": "no",
};

/** Why nothing waits any more; made once, since an error made for each would cost more than most answers. */
const GONE = new DOMException("The client has gone.", "AbortError");

export class Exchange implements RequestLike {
	readonly method: string;
	/** As it came: nothing decoded, nothing normalised. */
	readonly path: string;
	/** With its `?`, or empty. */
	readonly query: string;
	private made: AbortController | undefined;

	constructor(private readonly context: Context) {
		const url = context.req.url;
		const start = url.indexOf("/", url.indexOf("://") + 3);
		const mark = url.indexOf("?", start);
		this.method = context.req.method;
		this.path = mark < 0 ? url.slice(start) : url.slice(start, mark);
		this.query = mark < 0 ? "" : url.slice(mark);
	}

	private get bindings(): Partial<HttpBindings> | undefined {
		return this.context.env as Partial<HttpBindings> | undefined;
	}

	get target(): string {
		return this.path + this.query;
	}

	get incoming(): HttpBindings["incoming"] | undefined {
		return this.bindings?.incoming;
	}

	get outgoing(): HttpBindings["outgoing"] | undefined {
		return this.bindings?.outgoing;
	}

	/** The body where there is no `incoming`. */
	get body(): ReadableStream<Uint8Array> | null {
		return this.context.req.raw.body;
	}

	header(name: string): string | undefined {
		const incoming = this.incoming;
		if (!incoming) return this.context.req.header(name);
		const value = incoming.headers[name];
		return typeof value === "string" ? value : value?.join(", ");
	}

	/** Aborted when the client has gone, and by whoever ends what this exchange holds open. Made when first asked for. */
	get controller(): AbortController {
		if (this.made) return this.made;
		const controller = new AbortController();
		this.made = controller;
		const leave = (): void => controller.abort(GONE);
		const outgoing = this.outgoing;
		// Node says it on the response: the request's side is long closed by then (reliability.md G-16). It closes after a whole answer too.
		if (outgoing?.destroyed) leave();
		else if (outgoing) outgoing.once("close", () => outgoing.writableFinished || leave());
		else this.context.req.raw.signal.addEventListener("abort", leave, { once: true });
		return controller;
	}
}

/** The answer to a browser that asks whether it may ask. */
export const preflight = (): Response => new Response(null, { status: 204, headers: PREFLIGHT });

/** An answer of the JSON-RPC binding: always application/json (a2a.md C3). */
export const rpcResponse = (status: number, text: string, headers?: Record<string, string>): Response =>
	new Response(text, { status, headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS });

/** An answer of the HTTP+JSON binding in the type agreed on. */
export function restResponse(type: RestType, status: number, text: string, headers?: Record<string, string>): Response {
	const base = REST_HEADERS[type] as Record<string, string>;
	return new Response(text, { status, headers: headers ? { ...base, ...headers } : base });
}

/** Headers of a card, which anyone may read and keep for as long as `cacheControl` says. */
export const cardHeaders = (etag: string, lastModified: string, cacheControl: string): Record<string, string> => ({
	"content-type": JSON_TYPE,
	...COMMON,
	"cache-control": cacheControl,
	etag,
	"last-modified": lastModified,
});

export type RestType = typeof JSON_TYPE | typeof A2A_TYPE;

/**
 * The content type of an HTTP+JSON answer (a2a.md C3): A2A's own where the caller names it or spoke in it, else plain JSON,
 * which is what clients that accept anything can read.
 */
export function restType(request: RequestLike): RestType {
	const accept = request.header("accept");
	if (accept?.includes("a2a+json") && accepts(accept, A2A_TYPE)) return A2A_TYPE;
	if (mediaTypeOf(request.header("content-type")) === A2A_TYPE && (accept === undefined || !accepts(accept, JSON_TYPE))) return A2A_TYPE;
	return JSON_TYPE;
}

/** Whether an Accept header names a type itself, with a weight above nothing. */
function accepts(accept: string, type: string): boolean {
	return accept.split(",").some((range) => {
		const [name = "", ...parameters] = range.split(";");
		if (name.trim().toLowerCase() !== type) return false;
		return !parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/i.test(parameter));
	});
}

/** A media type without its parameters, lower-case; empty where there is none. */
export const mediaTypeOf = (header: string | undefined): string => {
	if (header === undefined) return "";
	const end = header.indexOf(";");
	return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
};
