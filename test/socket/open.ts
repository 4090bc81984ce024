/** A whole desk with a clock that is turned by hand, listening, and closed when the test or the suite ends. */
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { Cards } from "../../server/a2a/card.js";
import { Gate } from "../../server/a2a/limits.js";
import { attachWebsocket, type Websocket } from "../../server/a2a/websocket.js";
import type { Engine } from "../../server/engine/engine.js";
import type { Answerer } from "../../server/engine/ports.js";
import { LIMITS, type Limits } from "../../shared/limits.js";
import { type TestClock, testClock } from "../clock.js";
import { openTestDesk, type TestDesk, type TestDeskOptions } from "../desk.js";

export interface SocketDesk extends TestDesk {
	clock: TestClock;
	/** `http://127.0.0.1:<port>`, which is its PUBLIC_URL. */
	url: string;
	port: number;
}

export async function openSocketDesk(
	options: Omit<TestDeskOptions, "clock" | "config"> & { limits?: Partial<Limits>; trustProxy?: number } = {},
): Promise<SocketDesk> {
	const { limits, trustProxy = 0, ...rest } = options;
	const clock = testClock();
	const desk = await openTestDesk({ ...rest, clock, config: { limits: { ...LIMITS, ...limits }, trustProxy } });
	const { url, port } = await desk.serve();
	return {
		...desk,
		clock,
		url,
		port,
		async close() {
			// A turn that still runs is given its time, which only this clock gives.
			let closed = false;
			const closing = desk.close().finally(() => (closed = true));
			await turnUntil(clock, () => closed, 1_000);
			await closing;
		},
	};
}

export interface Attached {
	port: number;
	handle: string;
	sockets: Websocket;
	/** The server's side of the connections, in the order in which they were made. */
	wires: Socket[];
	close(): Promise<void>;
}

/** One more server with the binding on it, over the desk's engine or over one that the test has put something in front of. */
export async function attach(desk: SocketDesk, engine: Engine = desk.engine): Promise<Attached> {
	const wires: Socket[] = [];
	const server = createServer().on("connection", (wire) => wires.push(wire));
	const { config, clock, handle } = desk;
	const cards = new Cards({ config, version: "1" });
	const sockets = attachWebsocket({ server, engine, config, log: () => undefined, gate: new Gate(clock, config.limits), cards });
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
	return {
		port: (server.address() as AddressInfo).port,
		handle,
		sockets,
		wires,
		async close() {
			await sockets.close();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Lets everything happen that can happen without time going by. */
export async function settle(): Promise<void> {
	for (let i = 0; i < 20; i++) await turnOfTheLoop();
}

/**
 * Turns the clock until something holds; fails with the test's own deadline when it never does. Without `stepMs` no faster than
 * real time goes by: what the writer thread does meanwhile takes that, and by this clock the server measures its patience.
 */
export async function turnUntil(clock: TestClock, holds: () => boolean, stepMs?: number): Promise<void> {
	let before = performance.now();
	while (!holds()) {
		const wholeMs = Math.floor(performance.now() - before);
		before += wholeMs;
		clock.turn(stepMs ?? wholeMs);
		await settle();
	}
}

/** An answerer that says words when the test lets it, and ends when it is told to. */
export function paced(): Answerer & { say(text: string): void; end(): void } {
	const waiting: (string | null)[] = [];
	let woken: () => void = () => undefined;
	const give = (text: string | null): void => {
		waiting.push(text);
		woken();
	};
	return {
		name: "paced",
		inProcess: true,
		maySilence: false,
		async *answer(_turn, signal) {
			signal.addEventListener("abort", () => woken());
			while (!signal.aborted) {
				const next = waiting.shift();
				if (next === undefined) await new Promise<void>((resolve) => (woken = resolve));
				else if (next === null) return yield { type: "reply" as const, asks: false };
				else yield { type: "text" as const, text: next };
			}
		},
		say: (text) => give(text),
		end: () => give(null),
	};
}
