/**
 * Bad input through every door of a listening server, case by case from a seed: JSON-RPC, HTTP+JSON, pages, handshakes and frames of
 * sockets, streams that are left, and what is no HTTP at all. `fuzzDoors` says what was wrong with how it was taken.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Driver } from "../../server/store/db.js";
import { openTestDesk } from "../desk.js";
import { WIDE_LIMITS } from "../limits.js";
import type { Seeded } from "../seeded.js";
import { anyBody, anyString, caseOf, METHODS, mangled, pieces, REQUESTS, rpcRequest } from "./generate.js";
import { heapBytes, insidesIn, polluted } from "./watch.js";
import { clientFrame, type Heard, type HttpAnswer, readAnswer, say, serverFrames, upgradeRequest } from "./wire.js";

export interface FuzzOptions {
	seed: number;
	cases: number;
	/** Stops at the first thing that is wrong. */
	untilFound?: boolean;
	/** What lies below breaks now and then: then answers may say that something went wrong here, and no more than that. */
	driver?: (driver: Driver) => Driver;
}

export interface Fuzzed {
	/** Each with the number of its case. */
	wrong: string[];
	/** How often each kind came to each status or end. */
	tally: Map<string, number>;
	/** Growth of the heap over all but the first cases, bytes. */
	grown: number;
}

/** What is answered at all is answered within this, however busy the machine. */
const DEADLINE_MS = 20_000;
const AT_ONCE = 16;
const HEALTH_EVERY = 320;
const CLOSE = 8;

const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "get", "FOO", "M-SEARCH"];
const TYPES = ["application/json", "application/json; charset=utf-8", "application/a2a+json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "*/*", ";", ""];
const RPC_PATHS = ["/a2a/mira", "/a2a/mira/", "/a2a", "/a2a/", "/a2a/mira/mira", "/a2a/nobody", "/a2a/MIRA", "/a2a//mira", "/a2a/mira?x=1", "/a2a/mira?token=x", "/a2a/%6dira"];
const REST = ["message:send", "message:stream", "tasks", "/", "tsk_01kdvdna00aa56jgsnzcvmjzg1", ":cancel", ":subscribe", "pushNotificationConfigs", "extendedAgentCard", "card", ".well-known/agent-card.json", "%3A", "%2F", "..", "%", "?", "pageSize=", "10", "&", "historyLength=", "A2A-Version=1.0", "__proto__", "ws"];
const SITE = ["/", "@mira", "@", "chat", "embed", "embed/mira", "embed.js", "assets/", "face.svg", "icon.svg", "site.css", "sign-in", "sign-in.js", "agent", "healthz", "readyz", "metrics", "?site=", "https://", "site.com", "&theme=dark", "&accent=%23fff", "?lang=zh", "%2e%2e", "%00", "//", "\\", ".well-known/"];

/** What fits into the first line of a request: everything else as percent signs. */
const target = (text: string): string => text.toWellFormed().replace(/[^!-~]/gu, (char) => encodeURIComponent(char));

class Doors {
	readonly tally = new Map<string, number>();
	constructor(
		private readonly port: number,
		private readonly tokens: readonly string[],
		private readonly faulty: boolean,
	) {}

	/** One case. Returns what was wrong with it. */
	async play(random: Seeded): Promise<string | undefined> {
		const roll = random.int(20);
		if (roll < 7) return await this.rpc(random);
		if (roll < 12) return await this.rest(random);
		if (roll < 14) return await this.site(random);
		if (roll < 16) return await this.raw(random);
		if (roll < 17) return await this.leave(random);
		return await this.socket(random);
	}

	private headers(random: Seeded): string[] {
		const some = (chance: number, line: () => string): string[] => (random.chance(chance) ? [line()] : []);
		const odd = (): string => anyString(random).slice(0, 2_000).replace(/[^\t -~]/g, "");
		return [
			...some(0.9, () => `A2A-Version: ${random.chance(0.9) ? "1.0" : odd()}`),
			...some(0.4, () => `Authorization: ${random.chance(0.7) ? `Bearer ${random.pick(this.tokens)}` : odd()}`),
			...some(0.2, () => `Accept: ${random.chance(0.5) ? random.pick(TYPES) : odd()}`),
			...some(0.1, () => `A2A-Extensions: ${odd()}`),
			...some(0.1, () => `X-API-Key: ${odd()}`),
			...some(0.1, () => `Origin: ${random.pick(["null", "https://evil.example", odd()])}`),
			...some(0.05, () => `X-Forwarded-For: ${odd()}`),
			...some(0.05, () => `__proto__: ${odd()}`),
			...some(0.05, () => `Cookie: eol_session=${odd()}`),
			...some(0.03, () => "Expect: 100-continue"),
			...some(0.03, () => `Content-Encoding: ${random.pick(["gzip", "br", "identity", odd()])}`),
			...some(0.03, () => `Last-Event-ID: ${odd()}`),
		];
	}

	/** A request whose outside is right, whatever it asks. */
	private request(random: Seeded, verb: string, path: string, type: string, body: Uint8Array): Buffer {
		const lines = [`${verb} ${path} HTTP/1.1`, "Host: 127.0.0.1", "Connection: close", ...this.headers(random), ...(type === "" ? [] : [`Content-Type: ${type}`])];
		if (body.length === 0 && random.chance(0.8)) return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
		if (random.chance(0.9)) return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n`), body]);
		const cut = random.int(body.length + 1);
		const chunk = (bytes: Uint8Array): Buffer => (bytes.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]));
		return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\nTransfer-Encoding: chunked\r\n\r\n`), chunk(body.subarray(0, cut)), chunk(body.subarray(cut)), Buffer.from("0\r\n\r\n")]);
	}

	private async ask(random: Seeded, kind: string, request: Buffer): Promise<{ heard: Heard; answer?: HttpAnswer; wrong?: string }> {
		const heard = await say(this.port, request, { deadlineMs: DEADLINE_MS, chunks: random.pick([1, 1, 1, 3]), enough: (bytes) => isWhole(bytes) });
		const answer = readAnswer(heard.bytes);
		const end = answer ? String(answer.status) : heard.bytes.length === 0 ? "closed" : "cut";
		this.tally.set(`${kind} ${end}`, (this.tally.get(`${kind} ${end}`) ?? 0) + 1);
		if (heard.ended === "deadline") return { heard, answer, wrong: "was not answered in time" };
		if (!answer) return { heard };
		const inside = insidesIn(answer.body) ?? insidesIn([...answer.headers.values()].join("\n"));
		if (inside !== undefined) return { heard, answer, wrong: `told of ${JSON.stringify(inside)}` };
		if (answer.status >= 500 && !(this.faulty && (answer.status === 500 || answer.status === 503))) return { heard, answer, wrong: `answered ${answer.status}: ${answer.body.slice(0, 300)}` };
		return { heard, answer };
	}

	private async rpc(random: Seeded): Promise<string | undefined> {
		const path = random.chance(0.8) ? random.pick(RPC_PATHS.slice(0, 2)) : random.pick(RPC_PATHS);
		const type = random.chance(0.9) ? "application/json" : random.pick(TYPES);
		const { answer, wrong } = await this.ask(random, "JSON-RPC", this.request(random, "POST", path, type, anyBody(random, rpcRequest(random))));
		return wrong ?? (answer && shapeOf(answer, path.startsWith("/a2a//") ? "any" : "rpc"));
	}

	private async rest(random: Seeded): Promise<string | undefined> {
		const known = random.chance(0.5);
		const path = target(`/a2a/mira/${known ? random.pick(REST) : pieces(random, REST, 6)}`);
		const verb = known && random.chance(0.7) ? "POST" : random.pick(VERBS);
		const method = random.pick(METHODS);
		const body = verb === "POST" || random.chance(0.2) ? anyBody(random, REQUESTS[method]?.(random)) : new Uint8Array();
		const { answer, wrong } = await this.ask(random, "HTTP+JSON", this.request(random, verb, path, random.chance(0.8) ? "application/json" : random.pick(TYPES), body));
		return wrong ?? (answer && shapeOf(answer, "any"));
	}

	private async site(random: Seeded): Promise<string | undefined> {
		const path = target(`/${pieces(random, SITE, 5)}`);
		const verb = random.chance(0.7) ? "GET" : random.pick(VERBS);
		return (await this.ask(random, "pages", this.request(random, verb, path, random.pick(TYPES), verb === "GET" ? new Uint8Array() : anyBody(random, { secret: "x" })))).wrong;
	}

	/** What is no request, or half of one. Whoever says such a thing is answered or left; nobody waits. */
	private async raw(random: Seeded): Promise<string | undefined> {
		const good = this.request(random, random.pick(["GET", "POST"]), random.pick(["/a2a/mira", "/", "/a2a/mira/tasks"]), "application/json", anyBody(random, rpcRequest(random)));
		if (random.chance(0.3)) {
			// A client that goes in the middle, and says nothing more.
			await say(this.port, good, { deadlineMs: DEADLINE_MS, goAfter: random.int(good.length) });
			return undefined;
		}
		const bytes = random.chance(0.3) ? Buffer.from(mangled(random, good.toString("latin1"))) : Buffer.from(random.pick(NO_REQUESTS)(random), "latin1");
		// With our side closed nothing can be waited for.
		const heard = await say(this.port, bytes, { deadlineMs: DEADLINE_MS, half: true, chunks: random.pick([1, 4]) });
		const answer = readAnswer(heard.bytes);
		this.tally.set(`raw ${answer?.status ?? "closed"}`, (this.tally.get(`raw ${answer?.status ?? "closed"}`) ?? 0) + 1);
		if (heard.ended === "deadline") return "was not let go";
		if (!answer) return undefined;
		const inside = insidesIn(answer.body);
		if (inside !== undefined) return `told of ${JSON.stringify(inside)}`;
		return answer.status >= 500 && answer.status !== 501 && answer.status !== 505 && !this.faulty ? `answered ${answer.status}: ${answer.body.slice(0, 200)}` : undefined;
	}

	/** A stream that is left after some bytes of it. */
	private async leave(random: Seeded): Promise<string | undefined> {
		const params = REQUESTS.SendStreamingMessage?.(random);
		const [path, value] = random.chance(0.5) ? ["/a2a/mira", { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params }] : ["/a2a/mira/message:stream", params];
		const body = JSON.stringify(value);
		const request = `POST ${path} HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
		const bytes = random.int(1_500);
		const heard = await say(this.port, Buffer.from(request), { deadlineMs: DEADLINE_MS, enough: (so) => so.length >= bytes || isWhole(so) });
		this.tally.set(`stream ${heard.ended}`, (this.tally.get(`stream ${heard.ended}`) ?? 0) + 1);
		return heard.ended === "deadline" ? "no stream came" : undefined;
	}

	private async socket(random: Seeded): Promise<string | undefined> {
		if (random.chance(0.2)) {
			const lines = upgradeRequest(target(random.pick(["/a2a/mira/ws", "/a2a/mira/mira/ws", "/a2a/nobody/ws", "/ws", `/a2a/${anyString(random).slice(0, 99)}/ws`]))).trimEnd().split("\r\n");
			if (random.chance(0.7)) lines.splice(1 + random.int(lines.length - 1), 1);
			lines.push(random.pick(["Sec-WebSocket-Version: 12", "Sec-WebSocket-Key: x", "Origin: null", "Origin: https://evil.example", "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99", "Sec-WebSocket-Protocol: a, b", "Upgrade: h2c", "Content-Length: 5", "X: y"]));
			const { answer, wrong } = await this.ask(random, "handshake", Buffer.from(`${lines.join("\r\n")}\r\n\r\n`));
			return wrong ?? (answer && answer.status !== 101 ? shapeOf(answer, "any") : undefined);
		}
		const last = { jsonrpc: "2.0", id: "the last one", method: "Nothing" };
		const frames: Uint8Array[] = random.chance(0.85) ? [clientFrame(Buffer.from(JSON.stringify(hello(random, this.tokens))))] : [];
		for (let i = random.int(6); i > 0; i--) frames.push(anyFrame(random));
		frames.push(clientFrame(Buffer.from(JSON.stringify(last))));
		const bytes = Buffer.concat([Buffer.from(upgradeRequest("/a2a/mira/ws")), ...frames]);
		const heard = await say(this.port, bytes, {
			deadlineMs: DEADLINE_MS,
			chunks: random.pick([1, 1, 7]),
			enough: (so) => so.includes("the last one") || serverFrames(so).some(({ opcode }) => opcode === CLOSE),
		});
		const said = serverFrames(heard.bytes);
		const end = said.find(({ opcode }) => opcode === CLOSE);
		const code = end ? `close ${end.payload.length >= 2 ? end.payload.readUInt16BE(0) : "bare"}` : heard.ended;
		this.tally.set(`socket ${code}`, (this.tally.get(`socket ${code}`) ?? 0) + 1);
		if (heard.ended === "deadline") return "the socket said nothing more";
		for (const { opcode, payload } of said) {
			const text = payload.toString();
			const inside = opcode === 1 || opcode === CLOSE ? insidesIn(text) : undefined;
			if (inside !== undefined) return `told of ${JSON.stringify(inside)} in a frame`;
			const fault = opcode === 1 ? frameFault(text) : undefined;
			if (fault !== undefined && !this.faulty) return fault;
		}
		if (end && end.payload.length >= 2 && end.payload.readUInt16BE(0) === 1011) return "the socket was closed as broken";
		return undefined;
	}

	/** Whether somebody who asks properly is answered. */
	async healthy(): Promise<string | undefined> {
		const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: REQUESTS.SendMessage?.(caseOf(1, 1)) });
		const request = `POST /a2a/mira HTTP/1.1\r\nHost: x\r\nConnection: close\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
		const { bytes } = await say(this.port, Buffer.from(request), { deadlineMs: DEADLINE_MS });
		const answer = readAnswer(bytes);
		return answer?.status === 200 && answer.body.includes('"task"') ? undefined : `a proper question came to ${answer?.status} ${answer?.body.slice(0, 300)}`;
	}
}

/** A whole answer has come, by what its head says of its length. */
function isWhole(bytes: Buffer): boolean {
	const end = bytes.indexOf("\r\n\r\n");
	if (end < 0) return false;
	const head = bytes.subarray(0, end).toString("latin1");
	if (/^HTTP\/1\.1 101/.test(head)) return true;
	const length = /^content-length: (\d+)/im.exec(head)?.[1];
	return length !== undefined && bytes.length >= end + 4 + Number(length);
}

/** What is wrong with the form of an answer of the A2A door; undefined: it is the protocol's own. */
function shapeOf({ status, headers, body }: HttpAnswer, binding: "rpc" | "any"): string | undefined {
	// The HTTP server's own refusals, of what is no HTTP; and what has no body by its nature.
	if (body === "") return [204, 304, 400, 405, 408, 413, 417, 431].includes(status) || status === 200 || status === 404 || status === 401 || status === 415 || status === 429 ? undefined : `answered ${status} with nothing`;
	const type = headers.get("content-type") ?? "";
	if (type.startsWith("text/event-stream")) {
		const lines = body.split("\n").filter((line) => line.startsWith("data: "));
		return lines.map((line) => jsonFault(line.slice(6), status, binding === "rpc")).find((fault) => fault !== undefined);
	}
	if (!/^application\/(?:a2a\+)?json/.test(type)) return `answered ${status} as ${type}: ${body.slice(0, 200)}`;
	return jsonFault(body, status, binding === "rpc");
}

function jsonFault(text: string, status: number, rpc: boolean): string | undefined {
	let value: Record<string, unknown>;
	try {
		value = JSON.parse(text) as Record<string, unknown>;
	} catch {
		return `answered what is no JSON: ${text.slice(0, 200)}`;
	}
	if (rpc || value.jsonrpc !== undefined) return rpcFault(value);
	if (status < 400) return undefined;
	const error = value.error as { code?: unknown; status?: unknown; message?: unknown } | undefined;
	const good = error?.code === status && /^[A-Z_]+$/.test(String(error.status)) && typeof error.message === "string" && error.message.length > 10;
	return good ? undefined : `answered ${status} with ${text.slice(0, 200)}`;
}

function rpcFault(value: Record<string, unknown>): string | undefined {
	const { jsonrpc, id, result, error } = value as { jsonrpc?: unknown; id?: unknown; result?: unknown; error?: { code?: unknown; message?: unknown; data?: unknown } };
	const whole = jsonrpc === "2.0" && id !== undefined && (result === undefined) !== (error === undefined);
	const good = !error || (Number.isInteger(error.code) && typeof error.message === "string" && error.message.length > 10 && (error.data === undefined || Array.isArray(error.data)));
	if (!whole || !good) return `answered ${JSON.stringify(value).slice(0, 200)}`;
	return undefined;
}

/** What is wrong with a text frame of the server's. */
function frameFault(text: string): string | undefined {
	try {
		const frame = JSON.parse(text) as Record<string, unknown>;
		if (typeof frame.method === "string") return frame.jsonrpc === "2.0" && typeof frame.params === "object" ? undefined : `said ${text.slice(0, 200)}`;
		return rpcFault(frame) ?? ((frame.error as { code?: number } | undefined)?.code === -32603 ? `broke in a request: ${text.slice(0, 200)}` : undefined);
	} catch {
		return `said what is no JSON: ${text.slice(0, 200)}`;
	}
}

const hello = (random: Seeded, tokens: readonly string[]) => ({
	jsonrpc: "2.0",
	id: 1,
	method: "Hello",
	params: { version: "1.0", nonce: `nonce of a case ${random.int(1_000_000)}`, ...(random.chance(0.6) ? { credential: random.pick(tokens) } : {}), ...(random.chance(0.3) ? { follow: [{ contextId: "ctx_x", after: 3 }] } : {}) },
});

const OWN = ["Follow", "Unfollow", "History", "Events", "Hello", "https://lobby.earthonlines.com/a2a/ext/chat/v1/Typing"];
/** A frame that should not be: by what it says, or by what it is. */
function anyFrame(random: Seeded): Uint8Array {
	const request = random.chance(0.6) ? rpcRequest(random) : { jsonrpc: "2.0", id: random.int(9), method: random.pick(OWN), params: { contextId: "ctx_x", after: 0, before: 9, waitMs: 0, limit: 3 } };
	const body = anyBody(random, request);
	switch (random.int(16)) {
		case 0:
			return clientFrame(body.subarray(0, 1_000), { opcode: random.int(16) });
		case 1:
			return clientFrame(body, { reserved: 1 + random.int(7) });
		case 2:
			return clientFrame(body.subarray(0, 2_000), { masked: false });
		case 3:
			return clientFrame(body.subarray(0, 100), { length: random.pick([125, 126, 65_535, 65_537, 2 ** 31, Number.MAX_SAFE_INTEGER]) });
		case 4:
			return clientFrame(Uint8Array.from({ length: 2 }, () => random.int(256)), { opcode: CLOSE });
		case 5:
			return clientFrame(body.subarray(0, random.int(3)), { opcode: CLOSE });
		case 6:
			return clientFrame(body.subarray(0, random.int(300)), { opcode: 9, fin: random.chance(0.8) });
		case 7:
			return Buffer.concat(Array.from({ length: random.int(24) }, (_, i) => clientFrame(body.subarray(i, i + 1), { opcode: i === 0 ? 1 : 0, fin: false })));
		case 8:
			return clientFrame(Uint8Array.from({ length: random.int(60) }, () => 128 + random.int(128)));
		case 9:
			return Uint8Array.from({ length: random.int(60) }, () => random.int(256));
		case 10:
			return clientFrame(Buffer.alloc(random.pick([65_536, 65_537, 200_000]), "x"));
		default:
			return clientFrame(body);
	}
}

const POST = "POST /a2a/mira HTTP/1.1\r\nHost: x\r\n";
const NO_REQUESTS: ((random: Seeded) => string)[] = [
	() => `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
	() => `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
	() => `${POST}Content-Length: -1\r\n\r\n{}`,
	() => `${POST}Content-Length: 99999999999999999999\r\n\r\n{}`,
	() => `${POST}Content-Length: 100\r\n\r\n{}`,
	() => `${POST}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}`,
	() => `${POST}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`,
	() => `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
	() => `${POST}Transfer-Encoding: x\r\n\r\n{}`,
	(random) => `${POST}X: ${"x".repeat(random.int(100_000))}\r\n\r\n`,
	(random) => `${POST}${"a: b\r\n".repeat(random.int(4_000))}\r\n`,
	() => "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
	() => "GET / HTTP/1.1\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
	() => "GET / HTTP/1.1\nHost: x\n\n",
	() => "GET  /  HTTP/1.1\r\nHost: x\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n",
	() => "GET http://evil.example/a2a/mira HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	() => "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	() => "CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	() => "GET //evil.example/%2e%2e HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	() => "GET ?x HTTP/1.1\r\nHost: x\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: [::\r\nConnection: close\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
	() => "GET /a2a/mira/tasks HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n",
	() => "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /a2a/mira/tasks HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	() => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
	() => `${POST}Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 2\r\n\r\n{}`,
	() => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	() => "\r\n\r\n\r\n",
	(random) => Array.from({ length: random.int(300) }, () => String.fromCharCode(random.int(256))).join(""),
];

/** Sockets of this process, theirs and ours. */
const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;

/** Plays cases through a server made for it, and closes that. */
export async function fuzzDoors({ seed, cases, untilFound = false, driver }: FuzzOptions): Promise<Fuzzed> {
	const clientDir = await mkdtemp(join(tmpdir(), "client-"));
	await mkdir(join(clientDir, "assets"));
	for (const name of ["embed.js", "assets/chat.js", "assets/chat.css"]) await writeFile(join(clientDir, name), "0");
	const desk = await openTestDesk({ clientDir, config: { limits: WIDE_LIMITS }, ...(driver ? { driver } : {}) });
	const wrong: string[] = [];
	try {
		const found = await desk.engine.desk("mira");
		if (!found) throw new Error("there is no desk");
		const { token } = await desk.engine.welcomeGuest(found, "the nonce of the fuzzing");
		const { port } = await desk.serve();
		const doors = new Doors(port, [token, desk.key, "eolg_no.1.token", "x"], driver !== undefined);
		const before = sockets();
		let heap = 0;
		for (let number = 0; number < cases && !(untilFound && wrong.length > 0); number += AT_ONCE) {
			const group = Array.from({ length: Math.min(AT_ONCE, cases - number) }, (_, i) => number + i);
			await Promise.all(group.map(async (n) => {
				const fault = await doors.play(caseOf(seed, n));
				if (fault !== undefined) wrong.push(`case ${n}: ${fault}`);
				if (fault !== undefined) (await import("node:fs")).appendFileSync("/tmp/dbg/doors.log", `case ${n}: ${fault}\n`);
			}));
			if (polluted()) wrong.push(`case ${number} or one of the ${AT_ONCE} from it on: got into a prototype`);
			if (number % HEALTH_EVERY === 0 && !driver) {
				const ill = await doors.healthy();
				if (ill !== undefined) wrong.push(`after case ${number}: ${ill}`);
			}
			if (heap === 0 && number >= cases / 5) heap = heapBytes();
		}
		for (let tries = 0; sockets() > before && tries < 200; tries++) await pause(50);
		if (sockets() > before) wrong.push(`${sockets() - before} connections were never let go`);
		if (!driver) for (const { level, text, fields } of desk.logged) if (level === "error") wrong.push(`logged: ${text} ${String((fields.error as Error | undefined)?.stack ?? (fields.err as Error | undefined)?.stack ?? JSON.stringify(fields)).slice(0, 400)}`);
		return { wrong, tally: doors.tally, grown: heapBytes() - heap };
	} finally {
		await desk.close();
		await rm(clientDir, { recursive: true, force: true });
	}
}
