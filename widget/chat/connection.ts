/**
 * The chat's socket: dials, says Hello, gives every call an id and a deadline, and comes back by itself when the socket
 * is lost. It holds no conversation: what Hello says and what a frame means is for the session. Time, chance and the
 * socket itself are given to it.
 */
import {
	CLOSE,
	decodeServerFrame,
	encodeCall,
	type HelloParams,
	type HelloResult,
	type RpcError,
	type ServerFrame,
} from "../../shared/channel.js";
import { LIMITS } from "../../shared/limits.js";

/** What is used of a WebSocket. */
export interface Socket {
	onopen: (() => void) | null;
	onmessage: ((event: { data: unknown }) => void) | null;
	onclose: ((event: { code: number }) => void) | null;
	send(text: string): void;
	close(code?: number): void;
}

/** Milliseconds, and a call after some of them; what it returns stops it. */
export interface Clock {
	now(): number;
	after(ms: number, call: () => void): () => void;
}

/** `idle`: not wanted now. `waiting`: lost, and coming back by itself. `stopped`: coming back would be of no use. */
export type Link = "idle" | "dialling" | "open" | "waiting" | "stopped";

/** Why it stopped. `ticket`: this document's ticket is no longer taken, a fresh document has another. */
export type Stop = "ticket" | "forbidden";

export type Notice = Extract<ServerFrame, { method: string }>;

export interface ConnectionParts {
	dial(): Socket;
	clock: Clock;
	/** From 0 up to, not including, 1. */
	random(): number;
	/** Asked at every Hello: it says where the conversation stands by then. */
	hello(): HelloParams;
	onReady(result: HelloResult): void;
	onNotice(notice: Notice): void;
	onLink(link: Link, why?: Stop): void;
}

export interface Connection {
	readonly link: Link;
	/** Dials; nothing while it is dialling or open. From `waiting` or `stopped` it tries at once. */
	open(): void;
	/** Closes and stays closed until `open` (a page that is hidden away, or left). */
	close(): void;
	/** Says Hello anew on a new socket, at once. */
	renew(): void;
	/** The browser says that there is a network again, or the page is looked at again: no need to wait any longer. */
	nudge(): void;
	/** Rejects with `Refusal` where the server refuses, with `Lost` where its answer will not come. */
	call(method: string, params: unknown, deadlineMs?: number): Promise<unknown>;
}

/** A refusal of the server's. Decided upon by `reason` (google.rpc.ErrorInfo) or code, never by text. */
export class Refusal extends Error {
	declare readonly code: number;
	declare readonly reason: string;
	/** Milliseconds after which the same may be asked again. */
	declare readonly retryAfterMs: number | undefined;
	constructor(error: RpcError) {
		super(error.message);
		this.name = "Refusal";
		this.code = error.code;
		const details = (Array.isArray(error.data) ? error.data : []) as {
			reason?: unknown;
			retryDelay?: unknown;
			metadata?: { retryAfterSeconds?: unknown };
		}[];
		const info = details.find((detail) => typeof detail?.reason === "string");
		this.reason = info ? (info.reason as string) : "";
		const delay = details.map((detail) => detail?.retryDelay ?? detail?.metadata?.retryAfterSeconds).find((value) => value !== undefined);
		const seconds = Number.parseFloat(String(delay));
		this.retryAfterMs = seconds >= 0 ? seconds * 1_000 : undefined;
	}
}

/** No answer will come; what was asked may have happened. */
export class Lost extends Error {
	constructor() {
		super("The connection is gone.");
		this.name = "Lost";
	}
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** A server that restarts is back within seconds: so long after a good connection was lost, no wait is above a second. */
const QUICK_FOR_MS = 5_000;
/** A connection that has held this long is a good one: the next loss starts from the shortest wait. */
const STABLE_MS = 5_000;
/** From dialling to Hello's answer. */
const READY_MS = 10_000;
const CALL_MS = 15_000;
/** Told that it asks too much, or that the server is busy. */
const BUSY_WAIT_MS = 5_000;
/** The server restarts and did not say for how long. */
const RESTART_WAIT_MS = 2_000;

export function createConnection(parts: ConnectionParts): Connection {
	const { clock, random } = parts;
	let link: Link = "idle";
	let socket: Socket | undefined;
	let attempts = 0;
	/** Whether the open connection is a good one, and until when after its loss the waits stay short. */
	let stable = false;
	let quickUntil = 0;
	let heardAt = 0;
	let lastId = 0;
	/** Wait that the server asked for before it closed. */
	let asked: number | undefined;
	const waiting = new Map<number | string, { resolve(result: unknown): void; reject(error: Error): void }>();
	const timers = new Map<string, () => void>();

	const timer = (name: string, ms: number | undefined, call?: () => void): void => {
		timers.get(name)?.();
		timers.delete(name);
		if (ms !== undefined && call) timers.set(name, clock.after(ms, call));
	};
	const become = (next: Link, why?: Stop): void => {
		link = next;
		parts.onLink(next, why);
	};

	/** Lets go of the socket; whoever waits for an answer on it hears that none will come. */
	function drop(): void {
		for (const name of [...timers.keys()]) timer(name, undefined);
		const old = socket;
		socket = undefined;
		if (old) {
			old.onopen = old.onmessage = old.onclose = null;
			try {
				old.close(1000);
			} catch {
				// Already gone.
			}
		}
		const lost = [...waiting.values()];
		waiting.clear();
		for (const call of lost) call.reject(new Lost());
	}

	function dial(): void {
		drop();
		become("dialling");
		timer("ready", READY_MS, () => lost());
		try {
			const fresh = parts.dial();
			socket = fresh;
			fresh.onopen = hello;
			fresh.onmessage = ({ data }) => typeof data === "string" && hear(data);
			fresh.onclose = ({ code }) => lost(code);
		} catch {
			lost();
		}
	}

	/** Full jitter: anything up to the wait, so that many clients of one server do not come back together. */
	function lost(code?: number): void {
		drop();
		if (code === CLOSE.forbidden || code === CLOSE.credential) {
			become("stopped", code === CLOSE.forbidden ? "forbidden" : "ticket");
			return;
		}
		if (stable) quickUntil = clock.now() + QUICK_FOR_MS;
		stable = false;
		const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempts);
		// Meanwhile the wait is doubled but once, up to a second; then it grows on from there.
		attempts = clock.now() < quickUntil ? 1 : attempts + 1;
		let wait = random() * most;
		if (asked !== undefined) wait = asked * (1 + random());
		else if (code === CLOSE.restarting) wait = random() * RESTART_WAIT_MS;
		else if (code === CLOSE.busy || code === CLOSE.limits) wait += BUSY_WAIT_MS;
		asked = undefined;
		become("waiting");
		timer("retry", wait, dial);
	}

	async function hello(): Promise<void> {
		try {
			const result = (await call("Hello", parts.hello(), READY_MS)) as HelloResult;
			timer("ready", undefined);
			timer("stable", STABLE_MS, () => {
				attempts = 0;
				stable = true;
			});
			listen();
			become("open");
			parts.onReady(result);
		} catch (error) {
			// Lost: whoever lost it has seen to what comes next.
			if (error instanceof Refusal) refused(error);
		}
	}

	/** The server closes after a refused Hello, and its code says the same; here it is known a moment sooner, and when to come back. */
	function refused(refusal: Refusal): void {
		const reason = refusal.reason.toUpperCase();
		asked = refusal.retryAfterMs;
		if (reason.startsWith("TICKET") || reason === "UNAUTHENTICATED" || reason === "VERSION_NOT_SUPPORTED") lost(CLOSE.credential);
		else if (reason === "FORBIDDEN" || reason === "NOT_FOUND") lost(CLOSE.forbidden);
		else if (reason === "RATE_LIMITED" || reason === "UNAVAILABLE") lost(CLOSE.busy);
	}

	/** A socket may die without a word. The server is never silent for long, so silence says it. */
	function listen(): void {
		timer("silence", Math.max(0, heardAt + LIMITS.silenceMs - clock.now()), () => {
			if (clock.now() - heardAt >= LIMITS.silenceMs) lost();
			else listen();
		});
	}

	function hear(text: string): void {
		heardAt = clock.now();
		const frame = decodeServerFrame(text);
		if (!frame) return;
		if ("method" in frame) {
			if (frame.method === "bye") asked = frame.params.retryAfterMs;
			parts.onNotice(frame);
			return;
		}
		const asking = frame.id === null ? undefined : waiting.get(frame.id);
		if (!asking) return;
		waiting.delete(frame.id as number);
		if ("error" in frame) asking.reject(new Refusal(frame.error));
		else asking.resolve(frame.result);
	}

	function call(method: string, params: unknown, deadlineMs = CALL_MS): Promise<unknown> {
		return new Promise((resolve, reject) => {
			if (!socket) throw new Lost();
			const id = ++lastId;
			const done = (): void => timer(`call ${id}`, undefined);
			waiting.set(id, {
				resolve: (result) => {
					done();
					resolve(result);
				},
				reject: (error) => {
					done();
					reject(error);
				},
			});
			// An answer that does not come means a socket that does not work: the next one says how things are.
			timer(`call ${id}`, deadlineMs, () => lost());
			try {
				socket.send(encodeCall(id, method, params));
			} catch {
				lost();
			}
		});
	}

	return {
		get link() {
			return link;
		},
		open() {
			if (link !== "dialling" && link !== "open") dial();
		},
		close() {
			drop();
			become("idle");
		},
		renew() {
			if (link !== "idle") dial();
		},
		nudge() {
			if (link === "waiting") dial();
			else if (link === "open" && clock.now() - heardAt >= LIMITS.silenceMs) dial();
		},
		call: (method, params, deadlineMs) => (link === "open" ? call(method, params, deadlineMs) : Promise.reject(new Lost())),
	};
}
