import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ContextState, FollowResult, LogEvent } from "../../shared/channel.js";
import { LIMITS } from "../../shared/limits.js";
import { type Client, dial, message, newNonce } from "../../test/socket/client.js";
import { openSocketDesk, paced, type SocketDesk, settle, turnUntil } from "../../test/socket/open.js";

type Sent = { task: { id: string; contextId: string; status: { state: string }; artifacts?: { parts: { text: string }[] }[] } };

const NOW = { configuration: { returnImmediately: true } };
const upTo = (seq: number, from = 1): number[] => Array.from({ length: seq - from + 1 }, (_, i) => from + i);
const stateOf = (event: LogEvent): string | undefined => event.statusUpdate?.status.state ?? event.task?.status.state;
const kindOf = (event: LogEvent): string =>
	event.message
		? "message"
		: event.task
			? "task"
			: event.statusUpdate
				? "status"
				: event.artifactUpdate
					? "artifact"
					: event.signal
						? "signal"
						: "other";

describe("a conversation", () => {
	let desk: SocketDesk;
	beforeAll(async () => {
		desk = await openSocketDesk({
			limits: { guestMessagesPerMinute: 1_000, guestMessagesPerHour: 10_000, newGuestsPerMinutePerAddress: 1_000 },
		});
	});
	afterAll(() => desk.close());

	async function guest(): Promise<{ client: Client; credential: string }> {
		const client = await dial(desk);
		const { guestToken } = await client.hello();
		return { client, credential: guestToken as string };
	}
	async function back(credential: string, contextId: string, after: number): Promise<Client> {
		const client = await dial(desk);
		await client.hello({ credential, follow: [{ contextId, after }] });
		return client;
	}

	it("that a send begins is followed from its beginning, each event once", async () => {
		const { client } = await guest();
		const { task } = await client.call<Sent>("SendMessage", { ...message(newNonce(), "hello"), ...NOW });
		await client.until(() => client.events.length >= 6);
		await settle();
		expect(client.seqs).toEqual(upTo(6));
		expect(client.events.map(kindOf)).toEqual(["message", "task", "status", "artifact", "message", "status"]);
		expect(client.events.every((e) => e.contextId === task.contextId && e.at === desk.clock.now())).toBe(true);
		expect(client.events.at(-1)?.statusUpdate?.status.state).toBe("TASK_STATE_COMPLETED");
	});

	it("that goes on is heard of on every socket of its guest, in one order", async () => {
		const { client, credential } = await guest();
		const { task } = await client.call<Sent>("SendMessage", message(newNonce(), "hello"));
		const { contextId } = task;
		const other = await back(credential, contextId, 0);
		const sends = Array.from({ length: 10 }, (_, i) =>
			(i % 2 ? client : other).call("SendMessage", message(newNonce(), `n${i}`, { contextId })),
		);
		await Promise.all(sends);
		const last = Math.max(...client.seqs, ...other.seqs);
		await Promise.all([client, other].map((c) => c.until(() => c.seqs.at(-1) === last)));
		await settle();
		expect(client.seqs).toEqual(upTo(client.seqs.length));
		expect(other.events).toEqual(client.events);
	});

	it("is gone on with from any number, with nothing left out and nothing twice", async () => {
		const { client, credential } = await guest();
		const { task } = await client.call<Sent>("SendMessage", message(newNonce(), "hello"));
		for (const text of ["again", "and again"]) await client.call("SendMessage", message(newNonce(), text, { contextId: task.contextId }));
		await client.until(() => client.events.length === 18);
		const all = client.events;
		for (let after = 0; after <= 18; after++) {
			const reader = await back(credential, task.contextId, after);
			await reader.until(() => reader.events.length === 18 - after);
			await settle();
			expect(reader.events).toEqual(all.slice(after));
			await reader.close();
		}
	});

	it("is gone on with while it grows, whatever the moment", async () => {
		const { client, credential } = await guest();
		const { task } = await client.call<Sent>("SendMessage", message(newNonce(), "hello"));
		const { contextId } = task;
		const readers: Client[] = [];
		for (let i = 0; i < 8; i++) {
			const send = client.call("SendMessage", message(newNonce(), `n${i}`, { contextId }));
			const reader = await back(credential, contextId, i);
			await send;
			if (readers.length < 4) readers.push(reader);
			else await reader.close();
		}
		await client.until(() => client.events.length === 54);
		for (const [i, reader] of readers.entries()) {
			await reader.until(() => reader.seqs.at(-1) === 54);
			expect(reader.seqs).toEqual(upTo(54, i + 1));
		}
	});

	it("is given as it is to whoever is ahead of the log, and goes on from there", async () => {
		const { client, credential } = await guest();
		const { task } = await client.call<Sent>("SendMessage", message(newNonce(), "hello"));
		const { task: second } = await client.call<Sent>("SendMessage", message(newNonce(), "another"));
		const late = await dial(desk);
		const result = await late.hello({
			credential,
			follow: [
				{ contextId: task.contextId, after: 99 },
				{ contextId: second.contextId, after: 77 },
			],
		});
		expect(result.context).toMatchObject({ contextId: task.contextId, seq: 6 });
		const gap = await late.find((f) => f.method === "gap");
		expect(gap.params).toMatchObject({ contextId: second.contextId, from: 7, to: 77, state: { seq: 6 } });
		await client.call("SendMessage", message(newNonce(), "more", { contextId: task.contextId }));
		await late.until(() => late.events.length === 6);
		expect(late.seqs).toEqual(upTo(12, 7));
		expect(await late.call("Events", { contextId: task.contextId, after: 50 })).toEqual({ events: [], seq: 12, gap: { from: 13, to: 50 } });
	});

	it("tells which numbers an event stands for where pieces were folded away", async () => {
		const answerer = paced();
		const own = await openSocketDesk({ answerer });
		try {
			const client = await dial(own);
			const { guestToken } = await client.hello();
			const { task } = await client.call<Sent>("SendMessage", { ...message(newNonce(), "tell"), ...NOW });
			for (let i = 0; i < 5; i++) {
				const before = client.events.length;
				answerer.say(`piece ${i} `);
				await turnUntil(own.clock, () => client.events.length > before);
			}
			answerer.end();
			await turnUntil(own.clock, () => client.events.some((e) => stateOf(e) === "TASK_STATE_COMPLETED"));
			const last = client.seqs.at(-1) as number;
			const whole = client.events.flatMap((e) => e.artifactUpdate?.artifact.parts.map((p) => p.text) ?? []).join("");
			expect(client.events.every((e) => e.from === undefined)).toBe(true);

			await client.close();

			// A day later housekeeping has folded them.
			const row = await own.engine.desk("mira");
			const principal = (row && (await own.engine.identify(guestToken as string, row))) ?? null;
			const caller = { principal, provenance: { channel: "a2a" as const }, extensions: [] };
			const { conversationId } = (row && (await own.engine.openContext(caller, row))) ?? { conversationId: 0 };
			const pieces = async (): Promise<number> =>
				(await own.store.read.events(conversationId, 0, 500, 1_000_000)).filter((e) => e.kind === "artifact").length;
			expect(await pieces()).toBeGreaterThan(4);
			own.clock.turn(LIMITS.chunkRowsMs);
			while ((await pieces()) > 0) {
				own.clock.turn(60_000);
				await settle();
			}
			// Written behind the fold: when its answer is here, the fold's is.
			await own.engine.owner.putMemory("mira", "a.md", "x");

			// From the beginning, and from the midst of the pieces.
			for (const after of [0, 5]) {
				const reader = await dial(own);
				await reader.hello({ credential: guestToken as string, follow: [{ contextId: task.contextId, after }] });
				await reader.until(() => reader.seqs.at(-1) === last);
				let next = after + 1;
				for (const event of reader.events) {
					expect(event.from ?? event.seq).toBe(next);
					next = (event.seq as number) + 1;
				}
				const folded = reader.events.filter((e) => e.from !== undefined);
				expect(folded).toHaveLength(1);
				expect(folded[0]?.artifactUpdate?.append).not.toBe(true);
				expect(folded[0]?.artifactUpdate?.artifact.parts[0]?.text).toBe(whole);
			}
		} finally {
			await own.close();
		}
	});

	it("is followed anew, from where it is asked, and no more when it is not wanted", async () => {
		const { client } = await guest();
		const { task } = await client.call<Sent>("SendMessage", message(newNonce(), "hello"));
		const { contextId } = task;
		await client.until(() => client.events.length === 6);
		expect(await client.call("Unfollow", { contextId })).toEqual({});
		await client.call("Unfollow", { contextId });
		await client.call("ListTasks");
		const { configuration } = NOW;
		// A send makes it followed again, from what the send made on: what is before was not asked for.
		await client.call("SendMessage", { ...message(newNonce(), "unseen", { contextId }), configuration });
		await client.until(() => client.seqs.at(-1) === 12);
		expect(client.seqs).toEqual([...upTo(6), ...upTo(12, 9)]);
		expect(client.signals).toMatchObject([{ contextId, task: { status: { state: "TASK_STATE_SUBMITTED" } } }]);

		const from = client.frames.length;
		expect(await client.call<FollowResult>("Follow", { contextId, after: 7 })).toEqual({ following: [{ contextId, after: 12 }] });
		await client.find((f) => (f.params as unknown as LogEvent)?.seq === 12, from);
		const replayed = client.frames.slice(from).filter((f) => f.method === "event");
		expect(replayed.map((f) => (f.params as unknown as LogEvent).seq)).toEqual(upTo(12, 8));
		// The answer is there before the first of them.
		expect(client.frames[from]?.result).toBeDefined();
	});

	it("is given as it is to whoever follows it without a number", async () => {
		const { client, credential } = await guest();
		const { task } = await client.call<Sent>("SendMessage", message(newNonce(), "hello"));
		const other = await dial(desk);
		await other.hello({ credential, new: true });
		const { context, following } = await other.call<FollowResult & { context: ContextState }>("Follow", { contextId: task.contextId });
		expect(context).toMatchObject({ seq: 6, messages: [{ seq: 1 }, { seq: 5 }] });
		expect(following).toEqual([{ contextId: task.contextId, after: 6 }]);
		await other.call("SendMessage", message(newNonce(), "more", { contextId: task.contextId }));
		await other.until(() => other.events.length === 6);
		expect(other.seqs).toEqual(upTo(12, 7));
	});

	it.each([
		["Follow", { after: 0 }],
		["Follow", {}],
		["History", { before: 10 }],
		["Events", { after: 0 }],
	])("of somebody else is not there: %s %o", async (method, params) => {
		const { client: theirs } = await guest();
		const { task } = await theirs.call<Sent>("SendMessage", message(newNonce(), "secret"));
		const { client } = await guest();
		const foreign = await client.refusal(method, { ...params, contextId: task.contextId });
		const missing = await client.refusal(method, { ...params, contextId: "ctx_01abcdefghjkmnpqrstvwxyz01" });
		expect(foreign.error).toEqual(missing.error);
		expect(foreign.reason).toBe("CONTEXT_NOT_FOUND");
		expect(await client.call("Unfollow", { contextId: task.contextId })).toEqual({});
	});

	it.each<[string, unknown]>([
		["Follow", {}],
		["Follow", { contextId: "c", after: -1 }],
		["Follow", { contextId: 7 }],
		["History", { contextId: "c" }],
		["History", { contextId: "c", before: 0 }],
		["History", { contextId: "c", before: 1, limit: 51 }],
		["Events", { contextId: "c", after: 0, waitMs: 55_001 }],
		["Events", { contextId: "c", after: 0, limit: 0 }],
		["Events", { contextId: "c", after: 1.5 }],
		["Unfollow", "c"],
	])("is asked for by params that are right: %s %o is not", async (method, params) => {
		const { client } = await guest();
		const { error } = await client.refusal(method, params);
		expect(error.code).toBe(-32602);
		expect(error.data).toHaveLength(1);
	});

	it("has a history in pages", async () => {
		const { client } = await guest();
		const { task } = await client.call<Sent>("SendMessage", message(newNonce(), "m0"));
		const { contextId } = task;
		for (let i = 1; i < 4; i++) await client.call("SendMessage", message(newNonce(), `m${i}`, { contextId }));
		type Page = { messages: { seq: number; message: { parts: { text: string }[] } }[]; more: boolean };
		const newest = await client.call<Page>("History", { contextId, before: 1_000, limit: 3 });
		expect(newest.messages.map((m) => m.message.parts[0]?.text)).toEqual(["You said: m2", "m3", "You said: m3"]);
		expect(newest.more).toBe(true);
		const older = await client.call<Page>("History", { contextId, before: newest.messages[0]?.seq });
		expect(older.messages.map((m) => m.message.parts[0]?.text)).toEqual(["m0", "You said: m0", "m1", "You said: m1", "m2"]);
		expect(older.more).toBe(false);
	});

	it("can be polled: at once, and with a wait for what comes", async () => {
		const { client } = await guest();
		const { task } = await client.call<Sent>("SendMessage", message(newNonce(), "hello"));
		const { contextId } = task;
		await client.until(() => client.events.length === 6);
		const all = await client.call<{ events: LogEvent[]; seq: number }>("Events", { contextId, after: 0 });
		expect(all).toEqual({ events: client.events, seq: 6 });
		const some = await client.call<{ events: LogEvent[]; seq: number }>("Events", { contextId, after: 1, limit: 2 });
		expect(some).toEqual({ events: client.events.slice(1, 3), seq: 3 });
		expect(await client.call("Events", { contextId, after: 6 })).toEqual({ events: [], seq: 6 });

		const waiting = client.call<{ events: LogEvent[]; seq: number }>("Events", { contextId, after: 6, waitMs: 30_000 });
		await client.call("SendMessage", message(newNonce(), "more", { contextId }));
		const came = await waiting;
		expect(came.events[0]).toMatchObject({ seq: 7, message: { parts: [{ text: "more" }] } });
	});
});

describe("methods that stream or wait", () => {
	let desk: SocketDesk;
	let answerer: ReturnType<typeof paced>;
	beforeEach(async () => {
		answerer = paced();
		desk = await openSocketDesk({ answerer });
	});
	afterEach(() => desk.close());

	it("SendStreamingMessage answers once, with the task as it ended, after all of its events", async () => {
		const client = await dial(desk);
		await client.hello();
		const answer = client.call<Sent>("SendStreamingMessage", message("m", "tell me"));
		await client.until(() => client.events.length >= 3);
		answerer.say("one ");
		await turnUntil(desk.clock, () => client.events.some((e) => e.artifactUpdate));
		answerer.say("two");
		answerer.end();
		await turnUntil(desk.clock, () => client.frames.some((f) => f.id === 2));
		const { task } = await answer;
		expect(task.status.state).toBe("TASK_STATE_COMPLETED");
		expect(task.artifacts?.[0]?.parts.map((p) => p.text).join("")).toBe("one two");
		await settle();
		const at = client.frames.findIndex((f) => f.id === 2);
		const ended = client.frames.findIndex(
			(f) => f.method === "event" && stateOf(f.params as unknown as LogEvent) === "TASK_STATE_COMPLETED",
		);
		expect(ended).toBeGreaterThan(0);
		expect(ended).toBeLessThan(at);
		expect(client.seqs).toEqual(upTo(client.seqs.length));
		expect(client.frames.filter((f) => f.id === 2)).toHaveLength(1);
	});

	it("SendMessage waits by default while its events come", async () => {
		const client = await dial(desk);
		await client.hello();
		const answer = client.call<Sent>("SendMessage", message("m", "tell me"));
		await client.until(() => client.events.length >= 3);
		answerer.say("words");
		await turnUntil(desk.clock, () => client.events.some((e) => e.artifactUpdate));
		expect(client.frames.some((f) => f.id === 2)).toBe(false);
		answerer.end();
		expect((await answer).task.status.state).toBe("TASK_STATE_COMPLETED");
	});

	it("SubscribeToTask brings the task and then the log where the context was not followed, and answers at the end", async () => {
		const sender = await dial(desk);
		const { guestToken: credential } = await sender.hello();
		const { task } = await sender.call<Sent>("SendMessage", { ...message("m", "tell me"), ...NOW });
		answerer.say("so far ");
		await turnUntil(desk.clock, () => sender.events.some((e) => e.artifactUpdate));

		const client = await dial(desk);
		await client.hello({ credential: credential as string, new: true });
		const answer = client.call<Sent>("SubscribeToTask", { id: task.id });
		await client.until(() => client.signals.length === 1);
		const [snapshot] = client.signals;
		expect(snapshot).toMatchObject({ contextId: task.contextId, task: { id: task.id, status: { state: "TASK_STATE_WORKING" } } });
		expect(snapshot?.task?.artifacts?.[0]?.parts[0]?.text).toBe("so far ");
		const { seq } = sender.events.at(-1) as LogEvent;
		answerer.say("and the rest");
		answerer.end();
		await turnUntil(desk.clock, () => client.frames.some((f) => f.id === 2));
		expect((await answer).task.status.state).toBe("TASK_STATE_COMPLETED");
		await sender.until(() => sender.events.some((e) => stateOf(e) === "TASK_STATE_COMPLETED"));
		expect(client.events).toEqual(sender.events.filter((e) => (e.seq as number) > (seq as number)));

		// On the socket that follows it already there is nothing to bring.
		const { task: second } = await sender.call<Sent>("SendMessage", { ...message("m2", "and?", { contextId: task.contextId }), ...NOW });
		const again = sender.call<Sent>("SubscribeToTask", { id: second.id });
		// The task goes on only when the subscription has been taken in.
		await sender.ping();
		await settle();
		answerer.say("done");
		answerer.end();
		await turnUntil(desk.clock, () =>
			sender.frames.some((f) => f.result && (f.result as Sent).task?.status?.state === "TASK_STATE_COMPLETED"),
		);
		expect((await again).task.id).toBe(second.id);
		expect(sender.signals).toEqual([]);
		expect(sender.seqs).toEqual(upTo(sender.seqs.length));
	});

	it("refuses what it would refuse over HTTP, at once", async () => {
		const client = await dial(desk);
		await client.hello();
		expect((await client.refusal("SubscribeToTask", { id: "tsk_none" })).error.code).toBe(-32001);
		expect((await client.refusal("SendStreamingMessage", { message: {} })).error.code).toBe(-32602);
		expect((await client.refusal("SendStreamingMessage", message("x", "y", { contextId: "ctx_none" }))).reason).toBe("CONTEXT_NOT_FOUND");
	});

	it("lets a caller have as many streams as over HTTP", async () => {
		await desk.close();
		desk = await openSocketDesk({ answerer, limits: { streamsPerCaller: 1 } });
		const client = await dial(desk);
		await client.hello();
		const first = client.call("SendStreamingMessage", message("a", "one"));
		await client.until(() => client.events.length >= 3);
		expect((await client.refusal("SendStreamingMessage", message("b", "two"))).reason).toBe("RATE_LIMITED");
		answerer.say("x");
		answerer.end();
		await turnUntil(desk.clock, () => client.frames.some((f) => f.id === 2));
		await first;
		expect(client.events.filter((e) => e.message?.messageId === "b")).toEqual([]);
	});

	it("goes on with its task when the client has gone in the middle", async () => {
		const client = await dial(desk);
		const { guestToken: credential } = await client.hello();
		void client.call("SendStreamingMessage", message("m", "tell me")).catch(() => undefined);
		await client.until(() => client.events.length >= 3);
		const { contextId } = client.events[0] as LogEvent;
		client.socket.terminate();
		await client.closed;
		const later = await dial(desk);
		await later.hello({ credential: credential as string, follow: [{ contextId, after: 3 }] });
		answerer.say("for whoever comes back");
		answerer.end();
		await turnUntil(desk.clock, () => later.events.some((e) => stateOf(e) === "TASK_STATE_COMPLETED"));
		expect(later.seqs).toEqual(upTo(later.seqs.at(-1) as number, 4));
		expect(desk.logged).toEqual([]);
	});

	it("takes a message once, however often it is sent, on one socket or another", async () => {
		const client = await dial(desk);
		const { guestToken: credential } = await client.hello();
		const first = await client.call<Sent>("SendMessage", { ...message("same", "hello"), ...NOW });
		const other = await dial(desk);
		await other.hello({ credential: credential as string, new: true });
		const again = await other.call<Sent>("SendMessage", { ...message("same", "hello"), ...NOW });
		expect(again.task.id).toBe(first.task.id);
		// It holds nothing of the context: it is told from the beginning.
		await other.until(() => other.events.length >= 3);
		expect(other.seqs.slice(0, 3)).toEqual([1, 2, 3]);
		expect(other.events.filter((e) => e.message?.messageId === "same")).toHaveLength(1);
		expect((await other.refusal("SendMessage", message("same", "something else"))).reason).toBe("IDEMPOTENCY_CONFLICT");
	});
});
