/**
 * Who calls: the credential and the address of a request, for every door alike, and the bytes of its body. A credential comes in a
 * header and from nowhere else; an address is the socket's, or what a trusted proxy says it is. Decides no rights.
 */
import type { IncomingMessage } from "node:http";
import proxyaddr from "proxy-addr";
import { DeskError } from "../shared/errors.js";
import { LIMITS } from "../shared/limits.js";

/** A request as far as a door needs to look at it: the same for Node's and for one made in a test. */
export interface RequestLike {
	/** One header by its lower-case name; several of a name are joined by a comma. */
	header(name: string): string | undefined;
	/** Path and query as they came. */
	target: string;
	/** Absent where there is no socket (a test's request). */
	incoming?: IncomingMessage;
}

const BEARER = /^bearer +([!-~]+) *$/i;

/**
 * The credential that a request bears, or undefined where it bears none. `apiKey`: `X-API-Key` serves too, Authorization
 * wins (requirements.md A2A-15). Throws `unauthenticated` for an Authorization that is no Bearer token.
 */
export function credentialOf(request: RequestLike, apiKey: boolean): string | undefined {
	const authorization = request.header("authorization");
	if (authorization !== undefined && authorization.trim() !== "") {
		const token = BEARER.exec(authorization)?.[1];
		if (token === undefined)
			throw new DeskError("unauthenticated", "Send the credential as Authorization: Bearer, followed by the token or key.");
		return token;
	}
	if (!apiKey) return undefined;
	const key = request.header("x-api-key")?.trim();
	return key === "" ? undefined : key;
}

/** What a valid credential is called where it is known and not known to us: the answer to a token that has ended or never was. */
export const unknownCredential = (): DeskError =>
	new DeskError(
		"unauthenticated",
		"This token or key is not valid here (any more). Send another, or none to come as a new guest where the desk takes guests.",
		{
			metadata: { cause: "invalid_token" },
		},
	);

/** Names under which people put tokens into addresses, and what a token of ours looks like anywhere in one. */
const TOKEN_PARAMETER =
	/[?&](?:access_token|api_?key|x-api-key|apikey|auth|authorization|bearer|credential|guest_?token|eol-guest-token|token)=/i;
const TOKEN_VALUE = /eol[gc](?:_|%5f)/i;

/** Throws `invalid_request` where the query bears a token, valid or not: addresses are logged and passed on (reliability.md 4.2, 2). */
export function refuseTokenInQuery(target: string): void {
	const at = target.indexOf("?");
	if (at < 0) return;
	const query = target.slice(at);
	if (!TOKEN_PARAMETER.test(query) && !TOKEN_VALUE.test(query)) return;
	throw new DeskError(
		"invalid_request",
		"A token never stands in an address: send it as Authorization: Bearer. If this one was real, it may have been logged on its way: make another.",
	);
}

/** What proxies write for an address besides the address itself: IPv4 mapped into IPv6, a port, brackets. */
const DRESSED = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$|^\[([^\]]+)\](?::\d+)?$/i;

/**
 * The address a request came from. `hops` is how many proxies in front are ours (TRUST_PROXY): that many entries of
 * X-Forwarded-For are believed, counted from the right, and none without. Empty where there is no socket.
 */
export function addressOf(request: RequestLike, hops: number): string {
	const incoming = request.incoming;
	if (!incoming) return "";
	const address = hops === 0 ? incoming.socket.remoteAddress : proxyaddr(incoming, (_address, index) => index < hops);
	if (address === undefined) return "";
	return bareAddress(address);
}

/** An address without what systems and proxies write around it. */
export function bareAddress(address: string): string {
	const dressed = DRESSED.exec(address);
	return dressed?.[1] ?? dressed?.[2] ?? address;
}

/** What a limit counts as one: an IPv4 address, or the /64 of an IPv6 address, since a household has a whole one to draw from. */
export function networkOf(address: string): string {
	if (!address.includes(":")) return address;
	const [head = "", tail] = (address.split("%")[0] as string).split("::");
	const left = head === "" ? [] : head.split(":");
	if (tail !== undefined) {
		const right = tail === "" ? [] : tail.split(":");
		while (left.length + right.length < 8) left.push("0");
		left.push(...right);
	}
	return `${left
		.slice(0, 4)
		.map((group) => group.toLowerCase().replace(/^0+(?=.)/, ""))
		.join(":")}::/64`;
}

/** The /48 of such a network, of which a provider may give one customer all; undefined for IPv4. */
export const siteOf = (network: string): string | undefined =>
	network.includes(":") ? `${network.split(":", 3).join(":")}::/48` : undefined;

export const tooLarge = (): DeskError =>
	new DeskError(
		"too_large",
		`The body is larger than ${LIMITS.bodyBytes} bytes. Send less, or put large files on the web and send their url.`,
	);

/** A client that goes away while it sends gets no answer; whoever awaits this is told all the same. */
export const cutOff = (): DeskError => new DeskError("invalid_request", "The body ended before it was whole. Send the request again.");

/** The bytes of a body, counted as they come and never past `LIMITS.bodyBytes`; none for no body. Throws `too_large`, `invalid_request`. */
export async function readStream(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
	if (!body) return new Uint8Array(0);
	const reader = body.getReader();
	const chunks: Uint8Array[] = [];
	let size = 0;
	for (;;) {
		const { done, value } = await reader.read().catch(() => {
			throw cutOff();
		});
		if (done) return Buffer.concat(chunks, size);
		size += value.byteLength;
		if (size > LIMITS.bodyBytes) {
			reader.cancel().catch(() => undefined);
			throw tooLarge();
		}
		chunks.push(value);
	}
}
