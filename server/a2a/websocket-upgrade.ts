/**
 * The handshake: what is refused before there is a socket, with an HTTP status and a sentence in JSON (reliability.md 25, 89).
 * Whoever asks for another upgrade than a WebSocket's (HTTP/2 in clear text, as Java's client does on every first request) is
 * answered as if it had not: Node gives us those too.
 */
import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { DeskError } from "../../shared/errors.js";
import { addressOf, networkOf, type RequestLike, refuseTokenInQuery } from "../callers.js";
import type { Desk, Engine } from "../engine/engine.js";
import type { Log } from "./call.js";
import { asDeskError, errorHeaders, restError } from "./errors.js";
import type { Gate } from "./limits.js";
import type { Places } from "./websocket-places.js";

export interface UpgradeParts {
	server: Server;
	engine: Engine;
	/** Read at each handshake. */
	config: { publicUrl: string; trustProxy: number };
	gate: Gate;
	places: Places;
	log: Log;
	stopping(): boolean;
	/** Completes the handshake and begins the socket. */
	accept(request: IncomingMessage, socket: Duplex, head: Buffer, desk: Desk, network: string): void;
}

/** `/a2a/mira/ws`, and `/a2a/mira/mira/ws` of clients that append the tenant (a2a.md C8). */
const PATH = /^\/a2a\/([a-z0-9_-]{2,32})(?:\/\1)?\/ws\/?$/;

/** What is told to a client of another version than RFC 6455's. */
const VERSION_HEADERS = { "sec-websocket-version": "13", upgrade: "websocket" };

/** The listener of a server's upgrades. */
export function upgrades(parts: UpgradeParts): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
	let warned = false;
	return (request, socket, head) => {
		// Until the library has it, nobody else listens: an error without a listener would end the process.
		socket.on("error", drop);
		const wanted = request.headers.upgrade;
		if (wanted !== undefined && wanted.toLowerCase() !== "websocket") return asPlain(parts.server, request, socket, head);
		if (!warned && parts.config.trustProxy === 0 && request.headers["x-forwarded-for"] !== undefined) {
			warned = true;
			const text =
				"A proxy stands before the server and is not trusted: all visitors share one address's limits. If the proxy is yours, set TRUST_PROXY=1.";
			parts.log("warn", { variable: "TRUST_PROXY" }, text);
		}
		judge(parts, request)
			.then(({ desk, network }) => {
				if (socket.destroyed) return;
				parts.places.check(network, desk.row.id);
				socket.removeListener("error", drop);
				parts.accept(request, socket, head, desk, network);
			})
			.catch((thrown: unknown) => {
				const error = asDeskError(thrown, (fault) => parts.log("error", { err: fault }, "A WebSocket handshake failed"));
				refuse(socket, error, error.code === "invalid_request" && !versionOf(request) ? 426 : undefined);
			});
	};
}

const versionOf = (request: IncomingMessage): boolean => request.headers["sec-websocket-version"] === "13";

/** Throws DeskError for everything that is refused. */
async function judge(parts: UpgradeParts, request: IncomingMessage): Promise<{ desk: Desk; network: string }> {
	const target = request.url ?? "";
	const like: RequestLike = { header: (name) => headerOf(request, name), target, incoming: request };
	const network = networkOf(addressOf(like, parts.config.trustProxy));
	if (network !== "") parts.gate.request(network);
	if (parts.stopping())
		throw new DeskError("unavailable", "The server is restarting. Try again in a few seconds.", { retryAfterSeconds: 2 });
	if (request.method !== "GET") throw new DeskError("invalid_request", "A WebSocket is opened with GET.");
	if (!versionOf(request)) throw new DeskError("invalid_request", "This server speaks version 13 of the WebSocket protocol (RFC 6455).");
	refuseTokenInQuery(target);
	checkOrigin(request.headers.origin, parts.config.publicUrl);
	const handle = PATH.exec(target.split("?", 1)[0] as string)?.[1];
	const desk = handle === undefined ? undefined : await parts.engine.desk(handle);
	if (!desk)
		throw new DeskError("not_found", "There is no desk's socket at this address. A desk's is at /a2a/<handle>/ws, as its card says.");
	return { desk, network };
}

const headerOf = (request: IncomingMessage, name: string): string | undefined => {
	const value = request.headers[name];
	return typeof value === "string" ? value : value?.join(", ");
};

/**
 * A browser names the page's origin, and inside our frame that is ours whatever site it stands on (reliability.md F8): a page of
 * another origin, or of none (`null`: a sandboxed frame, F11), has no business here. Programs send none.
 */
function checkOrigin(origin: string | undefined, ours: string): void {
	if (origin === undefined || origin === ours) return;
	const sandboxed = "This frame hides where it is. Open the desk's own page instead.";
	throw new DeskError(
		"forbidden",
		origin === "null" ? sandboxed : "Pages of other sites do not open this socket. Use the desk's tag, or its page.",
	);
}

const drop = function (this: Duplex): void {
	this.destroy();
};

/** Answers over the bare connection and ends it. */
export function refuse(socket: Duplex, error: DeskError, status?: number): void {
	if (socket.destroyed || !socket.writable) return void socket.destroy();
	const answer = restError(error, status);
	const headers: Record<string, string> = {
		connection: "close",
		"content-type": "application/json",
		"content-length": String(Buffer.byteLength(answer.text)),
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
		...errorHeaders(error),
		...(status === 426 ? VERSION_HEADERS : undefined),
	};
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	// Whatever the client still sends is not waited for.
	socket.once("finish", () => socket.destroy());
	socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}\r\n${lines.join("")}\r\n${answer.text}`);
}

/** Headers that ask for an upgrade. */
const ASKING = new Set(["upgrade", "http2-settings"]);

/** Gives a request back to the server without its wish for an upgrade, which a server may ignore (RFC 9110, 7.8). */
function asPlain(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
	const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
	for (let i = 0; i < request.rawHeaders.length; i += 2) {
		const name = request.rawHeaders[i] as string;
		const value = request.rawHeaders[i + 1] as string;
		if (ASKING.has(name.toLowerCase())) continue;
		const kept =
			name.toLowerCase() === "connection" ? value.split(",").filter((token) => !ASKING.has(token.trim().toLowerCase())) : [value];
		if (kept.length > 0) lines.push(`${name}: ${kept.join(",").trim()}`);
	}
	socket.removeListener("error", drop);
	socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
	server.emit("connection", socket);
}
