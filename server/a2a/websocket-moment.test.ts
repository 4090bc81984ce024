import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHAT_METHODS, stateHash, type Tick } from "../../shared/channel.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { LIMITS } from "../../shared/limits.js";
import { type Client, dial, message } from "../../test/socket/client.js";
import { openSocketDesk, paced, type SocketDesk, settle, turnUntil } from "../../test/socket/open.js";

type Sent = { task: { id: string; contextId: string; status: { state: string } } };
const NOW = { configuration: { returnImmediately: true } };
const chat = { extensions: [EXTENSIONS.chat] };
const ticksOf = (client: Client): Tick[] => client.frames.filter((f) => f.method === "tick").map((f) => f.params as unknown as Tick);

let desk: SocketDesk;
let answerer: ReturnType<typeof paced>;
beforeEach(async () => {
	answerer = paced();
	desk = await openSocketDesk({ answerer });
});
afterEach(() => desk.close());

/** Two sockets of one guest that follow one conversation, whose first task is being worked on. */
async function twoTabs(): Promise<{ one: Client; two: Client; credential: string; contextId: string; taskId: string }> {
	const one = await dial(desk);
	const { guestToken } = await one.hello(chat);
	const credential = guestToken as string;
	const { task } = await one.call<Sent>("SendMessage", { ...message("m", "hello"), ...NOW });
	await one.until(() => one.events.length === 3);
	const two = await dial(desk);
	await two.hello({ ...chat, credential });
	return { one, two, credential, contextId: task.contextId, taskId: task.id };
}

describe("typing and seen", () => {
	it("reach the other sockets of the conversation and not the one they came from", async () => {
		const { one, two, contextId } = await twoTabs();
		expect(await one.call(CHAT_METHODS.typing, { contextId })).toEqual({});
		await two.until(() => two.signals.length === 1);
		expect(await two.call(CHAT_METHODS.seen, { contextId, seq: 2 })).toEqual({});
		await one.until(() => one.signals.length === 1);
		await settle();
		expect(two.signals).toEqual([{ contextId, signal: { kind: "typing", side: "asker" } }]);
		expect(one.signals).toEqual([{ contextId, signal: { kind: "seen", side: "asker", seq: 2 } }]);
	});

	it("move a mark forward only, and never past the log", async () => {
		const { one, two, credential, contextId } = await twoTabs();
		await two.call(CHAT_METHODS.seen, { contextId, seq: 99 });
		await two.call(CHAT_METHODS.seen, { contextId, seq: 1 });
		await one.until(() => one.signals.length === 1);
		await settle();
		expect(one.signals).toEqual([{ contextId, signal: { kind: "seen", side: "asker", seq: 3 } }]);
		const again = await (await dial(desk)).hello({ credential });
		expect(again.context?.read).toEqual({ asker: 3, desk: 0 });
	});

	it("are for those who turned the extension on", async () => {
		const { one, credential, contextId } = await twoTabs();
		const plain = await dial(desk);
		await plain.hello({ credential });
		await one.call(CHAT_METHODS.typing, { contextId });
		await settle();
		expect(plain.signals).toEqual([]);
		expect((await plain.refusal(CHAT_METHODS.typing, { contextId })).error.code).toBe(-32601);
	});

	it("of a conversation that is not theirs are refused, and nobody hears of them", async () => {
		const { one, two, contextId } = await twoTabs();
		const stranger = await dial(desk);
		await stranger.hello(chat);
		expect((await stranger.refusal(CHAT_METHODS.typing, { contextId })).reason).toBe("CONTEXT_NOT_FOUND");
		expect((await stranger.refusal(CHAT_METHODS.seen, { contextId, seq: 3 })).reason).toBe("CONTEXT_NOT_FOUND");
		await settle();
		expect([...one.signals, ...two.signals]).toEqual([]);
	});
});

describe("presence and the microphone", () => {
	it("presence reaches every chat of the desk, whatever it follows", async () => {
		const idle = await dial(desk);
		await idle.hello(chat);
		const agent = await dial(desk);
		await agent.hello();
		await desk.engine.owner.changeSettings("mira", { builtInAnswerer: false });
		await idle.until(() => idle.signals.length === 1);
		expect(idle.signals).toEqual([{ contextId: "", signal: { kind: "presence", online: false } }]);
		await settle();
		expect(agent.frames.filter((f) => f.method === "event")).toEqual([]);
	});

	it("the microphone stands in the log, so that everybody counts it", async () => {
		const { one, contextId } = await twoTabs();
		await desk.engine.owner.takeMicrophone("mira", contextId);
		await one.until(() => one.events.length === 4);
		expect(one.events[3]).toMatchObject({ seq: 4, signal: { kind: "microphone", microphone: "owner", name: "Mira" } });
	});
});

describe("a socket that has heard nothing for 20 seconds", () => {
	it("is told where each context stands, with a hash that the client can make of what it holds", async () => {
		const { one, two, contextId, taskId } = await twoTabs();
		desk.clock.turn(LIMITS.tickMs - 600);
		await settle();
		expect(ticksOf(one)).toEqual([]);
		desk.clock.turn(1_000);
		await Promise.all([one, two].map((c) => c.until(() => ticksOf(c).length === 1)));
		const working = stateHash({
			seq: 3,
			lastMessage: { seq: 1, messageId: "m" },
			openTasks: [{ id: taskId, state: "TASK_STATE_WORKING" }],
			microphone: "desk",
		});
		for (const client of [one, two]) expect(ticksOf(client)).toEqual([{ contexts: [{ contextId, seq: 3, hash: working }] }]);

		answerer.say("done");
		answerer.end();
		await turnUntil(desk.clock, () => one.events.some((e) => e.statusUpdate?.status.state === "TASK_STATE_COMPLETED"));
		const last = one.events.findLast((e) => e.message);
		const { seq } = one.events.at(-1) ?? {};
		desk.clock.turn(LIMITS.tickMs + 500);
		await Promise.all([one, two].map((c) => c.until(() => ticksOf(c).length === 2)));
		const ended = stateHash({
			seq: seq as number,
			lastMessage: { seq: last?.seq as number, messageId: last?.message?.messageId as string },
			openTasks: [],
			microphone: "desk",
		});
		for (const client of [one, two]) expect(ticksOf(client)[1]).toEqual({ contexts: [{ contextId, seq, hash: ended }] });
	});

	it("is told again every 20 seconds, also where it follows nothing", async () => {
		const client = await dial(desk);
		await client.hello();
		for (let i = 1; i <= 5; i++) {
			desk.clock.turn(LIMITS.tickMs + 500);
			await client.until(() => ticksOf(client).length === i);
			// Its answer to the ping that came with the tick.
			await client.call("Unfollow", { contextId: "x" });
		}
		expect(ticksOf(client)).toEqual(Array.from({ length: 5 }, () => ({ contexts: [] })));
	});

	it("is cut when it has answered nothing for 45, and one that answers is not", async () => {
		const { one, two, contextId, credential } = await twoTabs();
		one.socket.pause();
		let pings = 0;
		two.socket.on("ping", () => pings++);
		for (let i = 1; i <= 3; i++) {
			desk.clock.turn(15_500);
			await two.call("Unfollow", { contextId: "x" });
			await settle();
		}
		one.socket.resume();
		expect((await one.closed).code).toBe(1006);
		expect(two.socket.readyState).toBe(two.socket.OPEN);
		expect(pings).toBe(0);
		// What it was cut from goes on where it left off.
		const again = await dial(desk);
		await again.hello({ credential, follow: [{ contextId, after: 3 }] });
		answerer.say("x");
		answerer.end();
		await turnUntil(desk.clock, () => again.events.some((e) => e.statusUpdate));
		expect(again.seqs[0]).toBe(4);
	});

	it("is asked by a ping, again and again, so that a browser answers without a word of the page's", async () => {
		const client = await dial(desk);
		await client.hello();
		let pings = 0;
		client.socket.on("ping", () => pings++);
		// Three times as long as it may be silent: its answers to the pings are all that is heard of it.
		for (let i = 1; i <= 6; i++) {
			desk.clock.turn(LIMITS.tickMs + 500);
			await client.until(() => ticksOf(client).length === i);
			// A pong is on its way before anything that is sent after it.
			await settle();
			expect(pings).toBe(i);
		}
		expect(client.socket.readyState).toBe(client.socket.OPEN);
	});
});
