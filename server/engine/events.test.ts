import { describe, expect, it } from "vitest";
import { Events } from "./events.js";
import type { StoredEvent } from "./ports.js";

/** A log in memory that can be read as the store is, and counts how often it was. */
function logOf(alone: boolean) {
	const rows: StoredEvent[] = [];
	let reads = 0;
	const events = new Events(
		{
			async events(_conversation, after, limit) {
				reads++;
				return rows.filter((e) => e.seq > after).slice(0, limit);
			},
		},
		alone,
	);
	const event = (seq: number): StoredEvent => ({ seq, kind: "message", taskId: null, body: `{"n":${seq}}`, at: seq });
	return {
		events,
		rows,
		reads: () => reads,
		grow(count: number, hint: "whole" | "bare" | "none" = "whole"): void {
			const added = Array.from({ length: count }, (_, i) => event(rows.length + 1 + i));
			rows.push(...added);
			const last = rows.length;
			if (hint === "whole") events.publish({ conversationId: 1, seq: last, events: added });
			if (hint === "bare") events.publish({ conversationId: 1, seq: last });
		},
	};
}

const seqs = (page: { event: StoredEvent }[] | null): number[] | null => (page === null ? null : page.map((p) => p.event.seq));

describe("a reader of a conversation", () => {
	it("gets what is there, then what comes, each once and in order", async () => {
		const log = logOf(false);
		log.grow(3);
		let woken = 0;
		const reader = log.events.read(1, 1, () => woken++);
		expect(seqs(await reader.next(1e6))).toEqual([2, 3]);
		expect(await reader.next(1e6)).toBeNull();
		log.grow(2);
		expect(woken).toBe(1);
		expect(seqs(await reader.next(1e6))).toEqual([4, 5]);
		expect(await reader.next(1e6)).toBeNull();
	});

	it("reads the log where a hint was lost, or told nothing but that it grew", async () => {
		const log = logOf(false);
		const reader = log.events.read(1, 0, () => undefined);
		expect(await reader.next(1e6)).toBeNull();
		log.grow(2, "none");
		log.grow(1);
		expect(seqs(await reader.next(1e6))).toEqual([1, 2, 3]);
		log.grow(2, "bare");
		expect(await reader.next(1e6)).not.toBeNull();
		expect(reader.seq).toBe(5);
	});

	it("that is slow is sent back to the log and loses nothing", async () => {
		const log = logOf(false);
		const reader = log.events.read(1, 0, () => undefined);
		expect(await reader.next(1e6)).toBeNull();
		for (let i = 0; i < 1_000; i++) log.grow(1);
		const got: number[] = [];
		for (let page = await reader.next(1e6); page; page = await reader.next(1e6)) got.push(...(seqs(page) ?? []));
		expect(got).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
	});

	it("takes no more than it asked for at a time, and at least one", async () => {
		const log = logOf(false);
		const reader = log.events.read(1, 0, () => undefined);
		expect(await reader.next(1)).toBeNull();
		log.grow(3);
		expect(seqs(await reader.next(1))).toEqual([1]);
		expect(seqs(await reader.next(1))).toEqual([2]);
	});

	it("names the first of the numbers that an event stands for", async () => {
		const log = logOf(false);
		log.grow(5);
		log.rows.splice(1, 3);
		const reader = log.events.read(1, 0, () => undefined);
		const page = await reader.next(1e6);
		expect(page?.map(({ event, from }) => [from, event.seq])).toEqual([
			[1, 1],
			[2, 5],
		]);
	});

	it("does not ask the store for what was written a moment ago, where nobody else writes", async () => {
		const log = logOf(true);
		log.grow(2);
		log.grow(2);
		const reader = log.events.read(1, 1, () => undefined);
		expect(seqs(await reader.next(1e6))).toEqual([2, 3, 4]);
		expect(await reader.next(1e6)).toBeNull();
		expect(log.reads()).toBe(0);
		const shared = logOf(false);
		shared.grow(4);
		expect(seqs(await shared.events.read(1, 1, () => undefined).next(1e6))).toEqual([2, 3, 4]);
		expect(shared.reads()).toBe(1);
	});

	it("takes no older write for the end of a log that was published after a newer one", async () => {
		const log = logOf(true);
		log.grow(2);
		log.grow(5, "none");
		const [third, fourth, ...newer] = log.rows.slice(2) as [StoredEvent, StoredEvent, ...StoredEvent[]];
		log.events.publish({ conversationId: 1, seq: 7, events: newer });
		log.events.publish({ conversationId: 1, seq: 4, events: [third, fourth] });
		const reader = log.events.read(1, 2, () => undefined);
		expect(seqs(await reader.next(1e6))).toEqual([3, 4, 5, 6, 7]);
		log.events.publish({ conversationId: 1, seq: 1, events: log.rows.slice(0, 1) });
		expect(seqs(await log.events.read(1, 5, () => undefined).next(1e6))).toEqual([6, 7]);
	});

	it("is forgotten once closed", async () => {
		const log = logOf(false);
		let woken = 0;
		const reader = log.events.read(1, 0, () => woken++);
		await reader.next(1e6);
		reader.close();
		log.grow(1);
		expect(woken).toBe(0);
	});

	it("gives every reader of an event the same text", async () => {
		const log = logOf(false);
		const [a, b] = [log.events.follow(1, "ctx", 0, () => undefined), log.events.follow(1, "ctx", 0, () => undefined)];
		await a.next(1e6);
		await b.next(1e6);
		log.grow(1);
		const [first] = (await a.next(1e6)) ?? [];
		const [second] = (await b.next(1e6)) ?? [];
		expect(first).toBe('{"contextId":"ctx","seq":1,"at":1,"message":{"n":1}}');
		expect(second).toBe(first);
	});
});
