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
import { anyFrame, hello, NO_REQUESTS } from "./abuse.js";
import { REST, RPC_PATHS, SITE, TYPES, target, VERBS } from "./addresses.js";
import { anyBody, anyString, caseOf, mangled, pieces } from "./generate.js";
import { METHODS, REQUESTS, rpcRequest } from "./requests.js";
import { frameFault, isWhole, shapeOf } from "./shapes.js";
import { heapBytes, insidesIn, polluted } from "./watch.js";
import { CLOSE, clientFrame, readAnswer, say, serverFrames, upgradeRequest } from "./wire.js";

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

/** Whose answers a path asks for: steps up may lead out of the A2A door. */
const formOf = (path: string): "any" | "page" => (new URL(path, "http://x").pathname.startsWith("/a2a/") ? "any" : "page");

class Doors {
	readonly tally = new Map<string, number>();
	constructor(
		private readonly port: number,
		private readonly tokens: readonly string[],
		private readonly faulty: boolean,
		/** The server's folder: an owner's page names it in the commands that reach it (server/owner/pages.ts). */
		private readonly folder: string,
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
		const odd = (): string =>
			anyString(random)
				.slice(0, 2_000)
				.replace(/[^\t -~]/g, "");
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
		const lines = [
			`${verb} ${path} HTTP/1.1`,
			"Host: 127.0.0.1",
			"Connection: close",
			...this.headers(random),
			...(type === "" ? [] : [`Content-Type: ${type}`]),
		];
		if (body.length === 0 && random.chance(0.8)) return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
		if (random.chance(0.9)) return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n`), body]);
		const cut = random.int(body.length + 1);
		const chunk = (bytes: Uint8Array): Buffer =>
			bytes.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
		return Buffer.concat([
			Buffer.from(`${lines.join("\r\n")}\r\nTransfer-Encoding: chunked\r\n\r\n`),
			chunk(body.subarray(0, cut)),
			chunk(body.subarray(cut)),
			Buffer.from("0\r\n\r\n"),
		]);
	}

	/** Asks, and looks at the answer. `form`: what the answers of this address are made of. */
	private async ask(random: Seeded, kind: string, request: Buffer, form: "rpc" | "any" | "page"): Promise<string | undefined> {
		const fault = await this.faultOf(random, kind, request, form);
		return fault && `${request.subarray(0, request.indexOf("\r\n")).toString("latin1").slice(0, 200)}: ${fault}`;
	}

	private async faultOf(random: Seeded, kind: string, request: Buffer, form: "rpc" | "any" | "page"): Promise<string | undefined> {
		const heard = await say(this.port, request, {
			deadlineMs: DEADLINE_MS,
			chunks: random.pick([1, 1, 1, 3]),
			enough: (bytes) => isWhole(bytes),
		});
		const answer = readAnswer(heard.bytes);
		const end = answer ? String(answer.status) : heard.bytes.length === 0 ? "closed" : "cut";
		this.tally.set(`${kind} ${end}`, (this.tally.get(`${kind} ${end}`) ?? 0) + 1);
		if (heard.ended === "deadline") return "was not answered in time";
		if (!answer) return undefined;
		if (answer.status === 500 || answer.body.includes('"code":-32603')) this.tally.set("broke", (this.tally.get("broke") ?? 0) + 1);
		const body = form === "page" ? answer.body.replaceAll(this.folder, "") : answer.body;
		const inside = insidesIn(body) ?? insidesIn([...answer.headers.values()].join("\n"));
		if (inside !== undefined) return `told of ${JSON.stringify(inside)}`;
		if (answer.status >= 500 && !(this.faulty && (answer.status === 500 || answer.status === 503)))
			return `answered ${answer.status}: ${answer.body.slice(0, 300)}`;
		return form === "page" || answer.status === 101 ? undefined : shapeOf(answer, form, request.subarray(0, 5).toString() === "HEAD ");
	}

	private async rpc(random: Seeded): Promise<string | undefined> {
		const path = random.chance(0.8) ? random.pick(RPC_PATHS.slice(0, 2)) : random.pick(RPC_PATHS);
		const type = random.chance(0.9) ? "application/json" : random.pick(TYPES);
		const request = this.request(random, "POST", path, type, anyBody(random, rpcRequest(random)));
		return await this.ask(random, "JSON-RPC", request, path.startsWith("/a2a//") ? "any" : "rpc");
	}

	private async rest(random: Seeded): Promise<string | undefined> {
		const known = random.chance(0.5);
		const path = target(`/a2a/mira/${known ? random.pick(REST) : pieces(random, REST, 6)}`);
		const verb = known && random.chance(0.7) ? "POST" : random.pick(VERBS);
		const method = random.pick(METHODS);
		const body = verb === "POST" || random.chance(0.2) ? anyBody(random, REQUESTS[method]?.(random)) : new Uint8Array();
		const type = random.chance(0.8) ? "application/json" : random.pick(TYPES);
		return await this.ask(random, "HTTP+JSON", this.request(random, verb, path, type, body), formOf(path));
	}

	private async site(random: Seeded): Promise<string | undefined> {
		const path = target(`/${pieces(random, SITE, 5)}`);
		const verb = random.chance(0.7) ? "GET" : random.pick(VERBS);
		const body = verb === "GET" ? new Uint8Array() : anyBody(random, { secret: "x" });
		return await this.ask(random, "pages", this.request(random, verb, path, random.pick(TYPES), body), "page");
	}

	/** What is no request, or half of one. Whoever says such a thing is answered or left; nobody waits. */
	private async raw(random: Seeded): Promise<string | undefined> {
		const good = this.request(
			random,
			random.pick(["GET", "POST"]),
			random.pick(["/a2a/mira", "/", "/a2a/mira/tasks"]),
			"application/json",
			anyBody(random, rpcRequest(random)),
		);
		if (random.chance(0.3)) {
			// A client that goes in the middle, and says nothing more.
			await say(this.port, good, { deadlineMs: DEADLINE_MS, goAfter: random.int(good.length) });
			return undefined;
		}
		const bytes = random.chance(0.3)
			? Buffer.from(mangled(random, good.toString("latin1")))
			: Buffer.from(random.pick(NO_REQUESTS)(random), "latin1");
		// With our side closed nothing can be waited for.
		const heard = await say(this.port, bytes, { deadlineMs: DEADLINE_MS, half: true, chunks: random.pick([1, 4]) });
		const answer = readAnswer(heard.bytes);
		this.tally.set(`raw ${answer?.status ?? "closed"}`, (this.tally.get(`raw ${answer?.status ?? "closed"}`) ?? 0) + 1);
		if (heard.ended === "deadline") return "was not let go";
		if (!answer) return undefined;
		const inside = insidesIn(answer.body);
		if (inside !== undefined) return `told of ${JSON.stringify(inside)}`;
		return answer.status >= 500 && answer.status !== 501 && answer.status !== 505 && !this.faulty
			? `answered ${answer.status}: ${answer.body.slice(0, 200)}`
			: undefined;
	}

	/** A stream that is left after some bytes of it. */
	private async leave(random: Seeded): Promise<string | undefined> {
		const params = REQUESTS.SendStreamingMessage?.(random);
		const [path, value] = random.chance(0.5)
			? ["/a2a/mira", { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params }]
			: ["/a2a/mira/message:stream", params];
		const body = JSON.stringify(value);
		const request = `POST ${path} HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
		const bytes = random.int(1_500);
		const heard = await say(this.port, Buffer.from(request), {
			deadlineMs: DEADLINE_MS,
			enough: (so) => so.length >= bytes || isWhole(so),
		});
		this.tally.set(`stream ${heard.ended}`, (this.tally.get(`stream ${heard.ended}`) ?? 0) + 1);
		return heard.ended === "deadline" ? "no stream came" : undefined;
	}

	private async socket(random: Seeded): Promise<string | undefined> {
		if (random.chance(0.2)) {
			const lines = upgradeRequest(
				target(random.pick(["/a2a/mira/ws", "/a2a/mira/mira/ws", "/a2a/nobody/ws", "/ws", `/a2a/${anyString(random).slice(0, 99)}/ws`])),
			)
				.trimEnd()
				.split("\r\n");
			if (random.chance(0.7)) lines.splice(1 + random.int(lines.length - 1), 1);
			lines.push(
				random.pick([
					"Sec-WebSocket-Version: 12",
					"Sec-WebSocket-Key: x",
					"Origin: null",
					"Origin: https://evil.example",
					"Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99",
					"Sec-WebSocket-Protocol: a, b",
					"Upgrade: h2c",
					"Content-Length: 5",
					"X: y",
				]),
			);
			const form = formOf(lines[0]?.split(" ")[1] ?? "");
			return await this.ask(random, "handshake", Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), form);
		}
		const last = { jsonrpc: "2.0", id: "the last one", method: "Nothing" };
		const frames: Uint8Array[] = random.chance(0.85) ? [clientFrame(Buffer.from(JSON.stringify(hello(random, this.tokens))))] : [];
		for (let i = random.int(6); i > 0; i--) frames.push(anyFrame(random));
		// What says that it is longer than it is takes the last one for its own: then only our end ends it.
		const greedy = random.chance(0.1);
		if (greedy)
			frames.push(
				random.chance(0.5)
					? clientFrame(Buffer.from("x"), { length: random.pick([125, 126, 65_535]) })
					: Uint8Array.from({ length: random.int(60) }, () => random.int(256)),
			);
		frames.push(clientFrame(Buffer.from(JSON.stringify(last))));
		const bytes = Buffer.concat([Buffer.from(upgradeRequest("/a2a/mira/ws")), ...frames]);
		const heard = await say(this.port, bytes, {
			deadlineMs: DEADLINE_MS,
			chunks: random.pick([1, 1, 7]),
			half: greedy,
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
		return answer?.status === 200 && answer.body.includes('"task"')
			? undefined
			: `a proper question came to ${answer?.status} ${answer?.body.slice(0, 300)}`;
	}
}

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
		const doors = new Doors(port, [token, desk.key, "eolg_no.1.token", "x"], driver !== undefined, desk.dir);
		const before = sockets();
		let heap = 0;
		for (let number = 0; number < cases && !(untilFound && wrong.length > 0); number += AT_ONCE) {
			const group = Array.from({ length: Math.min(AT_ONCE, cases - number) }, (_, i) => number + i);
			await Promise.all(
				group.map(async (n) => {
					const fault = await doors.play(caseOf(seed, n));
					if (fault !== undefined) wrong.push(`case ${n}: ${fault}`);
				}),
			);
			if (polluted()) wrong.push(`case ${number} or one of the ${AT_ONCE} from it on: got into a prototype`);
			if (number % HEALTH_EVERY === 0 && !driver) {
				const ill = await doors.healthy();
				if (ill !== undefined) wrong.push(`after case ${number}: ${ill}`);
			}
			if (heap === 0 && number >= cases / 5) heap = heapBytes();
		}
		const ill = driver ? undefined : await doors.healthy();
		if (ill !== undefined) wrong.push(`afterwards: ${ill}`);
		for (let tries = 0; sockets() > before && tries < 200; tries++) await pause(50);
		if (sockets() > before) wrong.push(`${sockets() - before} connections were never let go`);
		if (!driver)
			for (const { level, text, fields } of desk.logged)
				if (level === "error")
					wrong.push(
						`logged: ${text} ${String((fields.error as Error | undefined)?.stack ?? (fields.err as Error | undefined)?.stack ?? JSON.stringify(fields)).slice(0, 400)}`,
					);
		return { wrong, tally: doors.tally, grown: heapBytes() - heap };
	} finally {
		await desk.close();
		await rm(clientDir, { recursive: true, force: true });
	}
}
