/**
 * The one door through which anything is asked of an address that somebody typed. What it promises: only https on 443, or an origin that
 * the operator named; no private address, no redirect, no unpacking; not longer and not more than the limits say (reliability.md, E). It knows
 * nothing of who asks or why.
 */
import { Agent, type Dispatcher, errors, request } from "undici";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { sameAddress } from "./addresses.js";
import { type Dial, reach, refused, systemDial, type Target } from "./dial.js";

export interface Ask {
	method?: "GET" | "POST";
	headers?: Record<string, string>;
	body?: string;
	/** Bytes that the answer may have; LIMITS.outboundBodyBytes. */
	maxBytes?: number;
	signal?: AbortSignal;
}

export interface Told {
	status: number;
	/** Media type without its parameters, in small letters; empty where none was said. */
	type: string;
	/** Text in UTF-8. */
	text: string;
}

export interface Outbound {
	/**
	 * Asks an address. Any status but a redirect is an answer. Throws DeskError: `invalid_params` for an address that is never called,
	 * `unavailable` for one that did not answer as it should; `detail.metadata.reason` says why (`Reason`).
	 */
	ask(url: string, ask?: Ask): Promise<Told>;
	/** Throws what `ask` would for an address that is never called, as far as that can be told without asking anybody. */
	check(url: string): URL;
	close(): Promise<void>;
}

export interface OutboundOptions {
	/** Origins whose addresses may be private, whose port may be any, and which may be plain http (`ALLOW_PRIVATE_APPS`). */
	privateOrigins: readonly string[];
	/** Names of this server and of what stands behind it. */
	ownHosts: readonly string[];
	/** Addresses of this machine. */
	ownAddresses: readonly string[];
	dial?: Dial;
	/** Milliseconds; LIMITS. */
	times?: { connect: number; headers: number; total: number };
}

const USER_AGENT = "EarthOnline/1";

export function createOutbound(options: OutboundOptions): Outbound {
	const dial = options.dial ?? systemDial;
	const times = options.times ?? {
		connect: LIMITS.outboundConnectMs,
		headers: LIMITS.outboundHeadersMs,
		total: LIMITS.outboundTotalMs,
	};
	const named = new Set(options.privateOrigins);
	const isOwn = (address: string): boolean => options.ownAddresses.some((own) => sameAddress(own, address));
	const ownHosts = new Set(options.ownHosts.map((host) => host.toLowerCase()));

	const targetOf = (url: URL): Target => ({
		host: url.hostname,
		port: Number(url.port) || (url.protocol === "https:" ? 443 : 80),
		secure: url.protocol === "https:",
		mayBePrivate: named.has(url.origin),
	});

	const check = (text: string): URL => {
		// What a parser drops or folds is a way to mean two things at once.
		// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
		if (text.length > 2_000 || /[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text))
			throw refused("malformed", "That is no address. Write it whole, as https://calendar.example.com/feed.ics.");
		const url = new URL(text);
		if (url.username !== "" || url.password !== "")
			throw refused("userinfo", "An address with a name or password in it is not called. Leave them out.");
		if (url.hash !== "") throw refused("malformed", "An address with a # in it is not called. Leave out what follows it.");
		if (url.protocol !== "https:" && url.protocol !== "http:")
			throw refused("scheme", "Only https addresses are called. Write it with https://.");
		if (named.has(url.origin)) return url;
		if (url.protocol !== "https:")
			throw refused("scheme", "Only https addresses are called. Plain http goes only to an origin named in ALLOW_PRIVATE_APPS.");
		if (url.port !== "") throw refused("port", "Only port 443 is called. Another one goes only to an origin named in ALLOW_PRIVATE_APPS.");
		const host = url.hostname.replace(/\.$/, "");
		if (ownHosts.has(host) || host === "localhost" || host.endsWith(".localhost"))
			throw refused("own", `${host} is this server itself. Give an address elsewhere.`);
		return url;
	};

	const agent = new Agent({
		connect: (to, done) => {
			const url = new URL(`${to.protocol}//${to.host ?? to.hostname}`);
			reach(targetOf(url), dial, isOwn, times.connect).then(
				(socket) => done(null, socket),
				(error: Error) => done(error, null),
			);
		},
		headersTimeout: times.headers,
		bodyTimeout: times.total,
		maxHeaderSize: LIMITS.outboundHeaderBytes,
		// Each call is looked at anew: a connection that was good is not kept for the next.
		pipelining: 0,
	});

	return {
		check,
		async ask(text, ask = {}) {
			const url = check(text);
			const late = AbortSignal.timeout(times.total);
			const signal = ask.signal ? AbortSignal.any([late, ask.signal]) : late;
			try {
				const answer = await request(url, {
					dispatcher: agent,
					method: ask.method ?? "GET",
					headers: { "user-agent": USER_AGENT, accept: "*/*", ...ask.headers, "accept-encoding": "identity" },
					body: ask.body ?? null,
					signal,
				});
				return await told(answer, url, ask.maxBytes ?? LIMITS.outboundBodyBytes);
			} catch (error) {
				throw reasonOf(error, url.hostname, late.aborted, ask.signal?.aborted === true);
			}
		},
		close: () => agent.destroy(),
	};
}

async function told(answer: Dispatcher.ResponseData, { hostname }: URL, maxBytes: number): Promise<Told> {
	const { statusCode: status, headers, body } = answer;
	const one = (name: string): string => [headers[name] ?? ""].flat()[0] ?? "";
	const stop = async (error: DeskError): Promise<never> => {
		body.on("error", () => undefined).destroy();
		throw error;
	};
	if (status >= 300 && status < 400)
		return await stop(
			refused("redirect", `${hostname} sends elsewhere (${status}), which is not followed. Give the address that it leads to.`),
		);
	const encoding = one("content-encoding").trim().toLowerCase();
	if (encoding !== "" && encoding !== "identity")
		return await stop(refused("encoded", `${hostname} answers in packed form (${encoding}), though it was asked not to.`));
	const tooLarge = refused("too_large", `${hostname} answers with more than ${maxBytes} bytes.`);
	if (Number(one("content-length")) > maxBytes) return await stop(tooLarge);
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		// Leaving the loop destroys the rest unread.
		if (bytes > maxBytes) throw tooLarge;
		chunks.push(chunk);
	}
	const type = one("content-type").split(";")[0]?.trim().toLowerCase() ?? "";
	return { status, type, text: new TextDecoder().decode(Buffer.concat(chunks)) };
}

/** Says whatever was thrown in our words, by its kind and never by its text. */
function reasonOf(error: unknown, host: string, late: boolean, stopped: boolean): DeskError {
	const cause = (error as { cause?: unknown }).cause;
	for (const one of [error, cause]) if (one instanceof DeskError) return one;
	if (stopped) return refused("stopped", `Nobody waits for ${host} any more.`);
	const slow = late || error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
	if (slow) return refused("too_slow", `${host} takes too long to answer. Try again later.`);
	if (error instanceof errors.HeadersOverflowError) return refused("too_large", `${host} answers with too many headers.`);
	return refused("broken", `${host} broke off or did not answer as a web server does. Try again later.`);
}
