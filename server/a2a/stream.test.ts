import { type AddressInfo, connect } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { afterEach, describe, expect, it } from "vitest";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { TaskEvent } from "../engine/engine.js";
import { Exchange, STREAM_HEADERS } from "./http.js";
import { type StreamOptions, streamResponse } from "./stream.js";

/** A clock that stands still until it is turned. */
class Turned {
	private at = 0;
	private readonly due = new Map<object, { at: number; call: () => void }>();
	now = () => this.at;
	elapsed = () => this.at;
	after = (ms: number, call: () => void) => {
		const entry = { at: this.at + ms, call };
		this.due.set(entry, entry);
		return () => void this.due.delete(entry);
	};
	turn(ms: number) {
		this.at += ms;
		for (const entry of [...this.due.values()])
			if (entry.at <= this.at) {
				this.due.delete(entry);
				entry.call();
			}
	}
	get waiting() {
		return this.due.size;
	}
}

/** A task's events, given by hand. `left` resolves when the reader has detached itself. */
function script() {
	const queue: (TaskEvent | Error)[] = [];
	let wake: () => void = () => undefined;
	let leave: () => void = () => undefined;
	const left = new Promise<void>((resolve) => (leave = resolve));
	let taken = 0;
	return {
		left,
		get taken() {
			return taken;
		},
		push(...events: (TaskEvent | Error)[]) {
			queue.push(...events);
			wake();
		},
		async *events(signal: AbortSignal): AsyncGenerator<TaskEvent> {
			signal.addEventListener("abort", () => wake());
			try {
				while (!signal.aborted) {
					const next = queue.shift();
					if (next instanceof Error) throw next;
					if (next) {
						taken++;
						yield next;
						if (next.last) return;
					} else {
						await new Promise<void>((resolve) => (wake = resolve));
					}
				}
			} finally {
				leave();
			}
		},
	};
}

const event = (seq: number, last = false, json = `{"n":${seq}}`): TaskEvent => ({ seq, json, last });

const closers: (() => void)[] = [];
afterEach(() => {
	for (const close of closers.splice(0)) close();
});

/** A route that streams a script, without a socket (`app.request`) or over one (`url`). */
async function streaming() {
	const clock = new Turned();
	const task = script();
	const errors: unknown[] = [];
	let ended = 0;
	let end: () => void = () => undefined;
	const over = new Promise<void>((resolve) => (end = resolve));
	let abort: AbortController | undefined;
	const app = new Hono().get("/", (c: Context) => {
		const exchange = new Exchange(c);
		abort = exchange.controller;
		const options: StreamOptions = {
			clock,
			codec: { event: (json) => `{"r":${json}}`, error: (error) => `{"e":"${error.code}"}` },
			headers: { ...STREAM_HEADERS, "eol-guest-token": "eolg_1" },
			abort,
			asError: (thrown) => {
				errors.push(thrown);
				return thrown instanceof DeskError ? thrown : new DeskError("internal", "x");
			},
			onEnd() {
				ended++;
				end();
			},
		};
		return streamResponse(exchange.outgoing, task.events(abort.signal), options);
	});
	const server = createAdaptorServer({ fetch: app.fetch });
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closers.push(() => {
		if ("closeAllConnections" in server) server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return {
		clock,
		task,
		errors,
		app,
		port,
		/** How often the stream has ended, once it and its reader of the task have. */
		ended: () => Promise.all([over, task.left]).then(() => ended),
		shut: (reason: unknown) => abort?.abort(reason),
		open: { "without a socket": async () => app.request("/"), "over a socket": async () => fetch(`http://127.0.0.1:${port}/`) },
	};
}

/** Reads until the text so far satisfies. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, enough: (text: string) => boolean): Promise<string> {
	let text = "";
	while (!enough(text)) {
		const { done, value } = await reader.read();
		if (done) return `${text}<end>`;
		text += new TextDecoder().decode(value);
	}
	return text;
}

describe.each(["without a socket", "over a socket"] as const)("a stream %s", (way) => {
	it("writes each event with its number, in the binding's form, and ends after the last", async () => {
		const { task, open, ended, clock } = await streaming();
		task.push(event(4), event(5), event(9, true));
		const response = await open[way]();
		expect(response.status).toBe(200);
		expect(Object.fromEntries(response.headers)).toMatchObject({
			"content-type": "text/event-stream",
			"cache-control": "no-cache, no-transform",
			"x-accel-buffering": "no",
			"eol-guest-token": "eolg_1",
			"access-control-allow-origin": "*",
		});
		expect(await response.text()).toBe('id: 4\ndata: {"r":{"n":4}}\n\nid: 5\ndata: {"r":{"n":5}}\n\nid: 9\ndata: {"r":{"n":9}}\n\n');
		expect(await ended()).toBe(1);
		expect(clock.waiting).toBe(0);
	});

	it("begins before there is anything to say, and keeps a silent line open with comments", async () => {
		const { task, open, clock } = await streaming();
		const response = await open[way]();
		expect(response.status).toBe(200);
		const reader = (response.body as ReadableStream<Uint8Array>).getReader();
		clock.turn(LIMITS.streamHeartbeatMs);
		expect(await readUntil(reader, (text) => text !== "")).toBe(": ka\n\n");
		clock.turn(LIMITS.streamHeartbeatMs);
		expect(await readUntil(reader, (text) => text !== "")).toBe(": ka\n\n");
		task.push(event(1, true));
		expect(await readUntil(reader, () => false)).toBe('id: 1\ndata: {"r":{"n":1}}\n\n<end>');
		expect(clock.waiting).toBe(0);
	});

	it("gives an event when it comes, not when the stream ends", async () => {
		const { task, open } = await streaming();
		task.push(event(1));
		const reader = ((await open[way]()).body as ReadableStream<Uint8Array>).getReader();
		expect(await readUntil(reader, (text) => text.endsWith("\n\n"))).toContain("id: 1\n");
		task.push(event(2));
		expect(await readUntil(reader, (text) => text.endsWith("\n\n"))).toBe('id: 2\ndata: {"r":{"n":2}}\n\n');
		task.push(event(3, true));
		expect(await readUntil(reader, () => false)).toContain("id: 3\n");
	});

	it("tells of a failure half-way as one last event", async () => {
		const { task, open, errors, ended } = await streaming();
		const broken = new Error("disk gone");
		task.push(event(1), broken);
		expect(await (await open[way]()).text()).toBe('id: 1\ndata: {"r":{"n":1}}\n\ndata: {"e":"internal"}\n\n');
		expect(errors).toEqual([broken]);
		expect(await ended()).toBe(1);
	});

	it("detaches itself when its reader leaves", async () => {
		const { task, open, ended, clock } = await streaming();
		task.push(event(1));
		const reader = ((await open[way]()).body as ReadableStream<Uint8Array>).getReader();
		await readUntil(reader, (text) => text.endsWith("\n\n"));
		await reader.cancel();
		expect(await ended()).toBe(1);
		expect(clock.waiting).toBe(0);
	});

	it("ends with the reason when its caller is shut out", async () => {
		const { task, open, shut } = await streaming();
		task.push(event(1));
		const reader = ((await open[way]()).body as ReadableStream<Uint8Array>).getReader();
		await readUntil(reader, (text) => text.endsWith("\n\n"));
		shut(new DeskError("unauthenticated", "x"));
		expect(await readUntil(reader, () => false)).toBe('data: {"e":"unauthenticated"}\n\n<end>');
		await task.left;
	});
});

describe("a reader that takes nothing", () => {
	it("stops the stream from taking more, and is cut off in the end", async () => {
		const { task, port, clock, ended } = await streaming();
		const big = JSON.stringify("x".repeat(256 * 1024));
		for (let i = 1; i <= 200; i++) task.push(event(i, false, big));
		const socket = connect(port, "127.0.0.1");
		closers.push(() => socket.destroy());
		socket.on("error", () => undefined);
		socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
		socket.pause();
		// Until it takes no more: the kernel's buffers are full.
		let before = -1;
		while (task.taken !== before || before === 0) {
			before = task.taken;
			for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
		}
		expect(task.taken).toBeGreaterThan(0);
		expect(task.taken).toBeLessThan(100);
		for (let i = 0; i < 4; i++) clock.turn(LIMITS.streamHeartbeatMs);
		expect(await ended()).toBe(1);
		expect(clock.waiting).toBe(0);
	});

	it("gets everything, in order, once it reads on", async () => {
		const { task, port } = await streaming();
		const big = "x".repeat(64 * 1024);
		for (let i = 1; i <= 100; i++) task.push(event(i, i === 100, JSON.stringify(big)));
		const socket = connect(port, "127.0.0.1");
		closers.push(() => socket.destroy());
		socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
		socket.pause();
		while (task.taken === 0) await new Promise((resolve) => setImmediate(resolve));
		let text = "";
		for await (const chunk of socket) text += chunk;
		expect([...text.matchAll(/^id: (\d+)$/gm)].map((m) => Number(m[1]))).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
	});
});
