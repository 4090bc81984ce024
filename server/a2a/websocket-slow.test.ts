import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { dial, message } from "../../test/socket/client.js";
import { type Attached, attach, openSocketDesk, type SocketDesk, settle } from "../../test/socket/open.js";

type Sent = { task: { contextId: string } };
const upTo = (seq: number): number[] => Array.from({ length: seq }, (_, i) => i + 1);

let desk: SocketDesk;
let there: Attached;
beforeEach(async () => {
	desk = await openSocketDesk({ limits: { requestsPerMinutePerAddress: 10_000 } });
});
afterEach(async () => {
	await there.close();
	await desk.close();
});

it("one event for many reaches each of them once, from one and the same log", async () => {
	there = await attach(desk);
	const writer = await dial(there);
	await writer.hello({ credential: desk.key, new: true });
	const { task } = await writer.call<Sent>("SendMessage", message("first", "hello"));
	const readers = await Promise.all(
		Array.from({ length: 150 }, async () => {
			const reader = await dial(there);
			await reader.hello({ credential: desk.key });
			return reader;
		}),
	);
	expect(there.sockets.count).toBe(151);
	await writer.call("SendMessage", message("second", "and now?", { contextId: task.contextId }));
	await writer.until(() => writer.seqs.at(-1) === 12);
	for (const reader of readers) {
		await reader.until(() => reader.seqs.at(-1) === 12);
		expect(reader.events).toEqual(writer.events.slice(6));
	}
	await Promise.all(readers.map((reader) => reader.close()));
	await settle();
	expect(there.sockets.count).toBe(1);
});

it("a log that cannot be read closes the socket with 1013, and the client goes on when it can", async () => {
	let broken = true;
	there = await attach(desk, {
		...desk.engine,
		follow(...where) {
			const following = desk.engine.follow(...where);
			const gone = new DeskError("unavailable", "The database does not answer.");
			return broken ? { seq: where[2], next: () => Promise.reject(gone), close: () => following.close() } : following;
		},
	});
	const client = await dial(there);
	await client.hello({ credential: desk.key });
	const { task } = await client.call<Sent>("SendMessage", { ...message("m", "hello"), configuration: { returnImmediately: true } });
	expect((await client.closed).code).toBe(1013);
	expect(client.events).toEqual([]);
	broken = false;
	const again = await dial(there);
	await again.hello({ credential: desk.key, follow: [{ contextId: task.contextId, after: 0 }] });
	await again.until(() => again.seqs.at(-1) === 6);
	expect(again.seqs).toEqual(upTo(6));
});

it("a client that goes in the middle leaves nothing waiting for it", async () => {
	const signals: AbortSignal[] = [];
	const { engine } = desk;
	const noted = <T extends { signal?: AbortSignal }>(options: T): T => {
		if (options.signal) signals.push(options.signal);
		return options;
	};
	there = await attach(desk, {
		...engine,
		events: (caller, at, query) => engine.events(caller, at, noted(query)),
		answer: (caller, at, sent, options) => engine.answer(caller, at, sent, noted(options)),
		followSent: (caller, at, sent, options) => engine.followSent(caller, at, sent, noted(options)),
	});
	const client = await dial(there);
	await client.hello({ credential: desk.key, new: true });
	const { task } = await client.call<Sent>("SendMessage", message("m", "hello"));
	await client.until(() => client.seqs.at(-1) === 6);
	await desk.engine.owner.takeMicrophone("mira", task.contextId);
	signals.length = 0;
	const ask = (id: string, method: string, params: unknown): void => client.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
	ask("wait", "SendMessage", message("w", "wait", { contextId: task.contextId }));
	ask("stream", "SendStreamingMessage", message("s", "stream", { contextId: task.contextId }));
	await client.until(() => client.events.filter((e) => e.task).length === 3);
	ask("poll", "Events", { contextId: task.contextId, after: client.seqs.at(-1), waitMs: 55_000 });
	while (signals.length < 3) await settle();
	client.socket.terminate();
	while (there.sockets.count > 0) await settle();
	expect(signals.map((signal) => signal.aborted)).toEqual([true, true, true]);
});

describe("a reader that stops reading", () => {
	beforeEach(async () => {
		there = await attach(desk);
	});

	it("costs little, holds up nobody, and misses nothing", async () => {
		const writer = await dial(there);
		await writer.hello({ credential: desk.key, new: true });
		const { task } = await writer.call<Sent>("SendMessage", message("first", "hello"));
		const { contextId } = task;
		const slow = await dial(there);
		await slow.hello({ credential: desk.key, follow: [{ contextId, after: 0 }] });
		await slow.until(() => slow.events.length === 6);
		slow.socket.pause();

		const text = "x".repeat(LIMITS.messageTextBytes - 100);
		const turns = 300;
		let most = 0;
		for (let i = 0; i < turns; i++) {
			await writer.call("SendMessage", message(`n${i}`, text, { contextId }));
			most = Math.max(most, ...there.wires.map((wire) => wire.writableLength));
			// Its frames are counted by a clock that stands still.
			if (i % 50 === 49) desk.clock.turn(3_000);
		}
		const last = 6 * (turns + 1);
		await writer.until(() => writer.seqs.at(-1) === last);
		expect(writer.seqs).toEqual(upTo(last));
		// Some 15 MB have been written to the log; of that little more than a page waits for the slow one.
		expect(slow.seqs.at(-1)).toBeLessThan(last);
		expect(most).toBeLessThan(256 * 1024);
		expect(most).toBeGreaterThan(0);

		slow.socket.resume();
		await slow.until(() => slow.seqs.at(-1) === last);
		expect(slow.seqs).toEqual(upTo(last));
		expect(slow.events.map((e) => e.message?.messageId)).toEqual(writer.events.map((e) => e.message?.messageId));
	});

	it("is not read from while its answers wait", async () => {
		const writer = await dial(there);
		await writer.hello({ credential: desk.key, new: true });
		const text = "x".repeat(LIMITS.messageTextBytes - 100);
		const { task } = await writer.call<Sent>("SendMessage", message("first", text));
		for (let i = 0; i < 24; i++) await writer.call("SendMessage", message(`n${i}`, text, { contextId: task.contextId }));

		const greedy = await dial(there);
		await greedy.hello({ credential: desk.key, new: true });
		greedy.socket.pause();
		const wire = there.wires.at(-1) as Socket;
		let asked = 0;
		// Each answer is some 800 KB; the connection itself takes a few MB.
		while (!wire.isPaused()) {
			if (asked < 55)
				greedy.send(
					JSON.stringify({ jsonrpc: "2.0", id: `h${asked++}`, method: "History", params: { contextId: task.contextId, before: 1_000 } }),
				);
			await settle();
		}
		expect(wire.writableLength).toBeLessThan(LIMITS.socketBufferBytes + LIMITS.socketCalls * 900_000);
		const ids = Array.from({ length: asked }, (_, i) => `h${i}`);
		greedy.socket.resume();
		await greedy.until(() => ids.every((id) => greedy.frames.some((f) => f.id === id)));
		expect(wire.isPaused()).toBe(false);
		expect(greedy.frames.filter((f) => f.result).length + greedy.frames.filter((f) => f.error).length).toBe(asked + 1);
	});
});
