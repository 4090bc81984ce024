import { describe, expect, test } from "vitest";
import { CHAT_METHODS, stateHash } from "../../shared/channel.js";
import { DESK, memoryStorage, message, settle, type Visit, visit } from "./fakes.js";
import type { TabMessage } from "./tabs.js";

/** What the visitor reads, top to bottom, with what is on its way. */
const read = ({ session }: Visit): string[] => [
	...session.state.conversation.messages.map((m) => m.message.parts[0]?.text ?? ""),
	...session.state.conversation.outgoing.map((o) => `${o.text} (${o.state})`),
];
const called = (v: Visit, method: string): unknown[] =>
	v.server.sockets.flatMap((s) => s.sent.filter((f) => f.method === method).map((f) => f.params));

async function opened(options: Parameters<typeof visit>[0] = {}): Promise<Visit> {
	const v = visit(options);
	v.session.open();
	await settle();
	return v;
}

describe("opening", () => {
	test("says Hello with the ticket, keeps the token it is given, and speaks with it from then on", async () => {
		const storage = memoryStorage();
		const v = await opened({ storage });
		expect(v.server.hellos).toMatchObject([{ version: "1.0", ticket: "eolt_1" }]);
		expect(v.server.hellos[0]?.credential).toBeUndefined();
		expect(v.server.hellos[0]?.nonce.length).toBeGreaterThanOrEqual(16);
		expect(v.session.state).toMatchObject({ link: "open", desk: DESK, kept: true });
		const next = await opened({ storage });
		expect(next.server.hellos).toMatchObject([{ credential: `eolg_${v.server.hellos[0]?.nonce}` }]);
	});

	test("asks for the same guest when the first answer was lost", async () => {
		const v = visit();
		v.server.refuse.set("Hello", [() => undefined]);
		v.session.open();
		await v.clock.pass(15_000);
		expect(v.server.hellos).toHaveLength(1);
		const first = v.server.sockets[0]?.sent[0]?.params as { nonce: string };
		expect(v.server.hellos[0]?.nonce).toBe(first.nonce);
	});

	test("opens the newest conversation, with what was said", async () => {
		const v = visit();
		const ctx = v.server.begin();
		v.server.add(ctx, { message: message("q", "ROLE_USER", "Hi") });
		v.server.add(ctx, { message: message("a", "ROLE_AGENT", "Hello") });
		v.session.open();
		await settle();
		expect(read(v)).toEqual(["Hi", "Hello"]);
	});

	test("without a ticket, or where the site hides it, there is no chat and no socket", async () => {
		const closed = await opened({ boot: { ticket: undefined } });
		expect([closed.session.state.closed, closed.server.sockets.length]).toEqual(["forbidden", 0]);
		const hidden = await opened({ sandboxed: true });
		expect([hidden.session.state.closed, hidden.server.sockets.length]).toEqual(["sandboxed", 0]);
	});

	test("loads the document anew when its ticket is no longer taken, but not again and again", async () => {
		const v = await opened();
		v.server.cut(4401);
		expect([v.reloads, v.session.state.closed]).toEqual([1, "reload"]);
		v.lately = true;
		v.session.tryAgain();
		await settle();
		v.server.cut(4401);
		expect([v.reloads, v.session.state.closed]).toEqual([1, "reload"]);
	});

	test("shut out, it says so and stays away until it is asked to try again", async () => {
		const v = await opened();
		v.server.cut(4403);
		await v.clock.pass(300_000);
		expect([v.session.state.closed, v.server.sockets.length]).toEqual(["forbidden", 1]);
		v.session.tryAgain();
		await settle();
		expect(v.session.state).toMatchObject({ closed: undefined, link: "open" });
	});
});

describe("talking", () => {
	test("a message is sent once, answered in pieces, and the answer announced once it is whole", async () => {
		const v = await opened();
		v.session.send("What do you do?");
		expect(read(v)).toEqual(["What do you do? (sending)"]);
		await settle();
		expect(read(v)).toEqual(["What do you do?"]);
		expect(v.server.sends).toMatchObject([{ role: "ROLE_USER", parts: [{ text: "What do you do?" }] }]);
		expect(called(v, "SendMessage")).toMatchObject([{ configuration: { returnImmediately: true } }]);
		expect(v.session.state.said).toBeUndefined();
		v.server.reply("ctx1", "tsk1", ["I ", "answer."]);
		expect(read(v)).toEqual(["What do you do?", "I answer."]);
		expect(v.session.state.said?.message.parts[0]?.text).toBe("I answer.");
	});

	test("several go one after the other, and only the first begins a conversation", async () => {
		const v = await opened();
		for (const text of ["one", "two", "three"]) v.session.send(text);
		await settle();
		await settle();
		expect(v.server.sends.map((m) => [m.parts[0]?.text, m.contextId])).toEqual([
			["one", undefined],
			["two", "ctx1"],
			["three", "ctx1"],
		]);
		expect(v.server.contexts).toHaveLength(1);
	});

	test("an answer to the agent's question names its task, and only then", async () => {
		const v = await opened();
		v.session.send("Book a table");
		await settle();
		v.server.reply("ctx1", "tsk1", ["For how many?"], "TASK_STATE_INPUT_REQUIRED");
		v.session.send("Four");
		await settle();
		v.session.send("And a cake");
		await settle();
		expect(v.server.sends.map((m) => m.taskId)).toEqual([undefined, "tsk1", "tsk1"]);
		v.server.reply("ctx1", "tsk1", ["Done."]);
		v.session.send("Thanks");
		await settle();
		expect(v.server.sends.at(-1)?.taskId).toBeUndefined();
	});

	test("stop cancels what is being answered", async () => {
		const v = await opened();
		v.session.send("Tell me everything");
		await settle();
		v.server.add("ctx1", { statusUpdate: { taskId: "tsk1", contextId: "ctx1", status: { state: "TASK_STATE_WORKING" } } });
		v.session.stop();
		await settle();
		expect(called(v, "CancelTask")).toEqual([{ id: "tsk1" }]);
	});

	test("says that the visitor types, once every three seconds", async () => {
		const v = await opened();
		v.session.write("no conversation yet");
		v.session.send("Hi");
		await settle();
		v.session.write("a");
		v.session.write("ab");
		await v.clock.pass(3_000);
		v.session.write("abc");
		v.session.write("");
		expect(called(v, CHAT_METHODS.typing)).toEqual([{ contextId: "ctx1" }, { contextId: "ctx1" }]);
	});

	test("the desk's typing ends by itself", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.server.tell("ctx1", { contextId: "ctx1", signal: { kind: "typing", side: "desk" } });
		expect(v.session.state.conversation.deskTyping).toBe(true);
		await v.clock.pass(6_000);
		expect(v.session.state.conversation.deskTyping).toBe(false);
	});

	test("older messages come when asked for", async () => {
		const v = visit();
		const ctx = v.server.begin();
		v.server.add(ctx, { message: message("old", "ROLE_USER", "Old") });
		v.server.add(ctx, { message: message("new", "ROLE_USER", "New") });
		const whole = v.server.state(ctx);
		v.server.state = () => ({ ...whole, messages: whole.messages.slice(1), more: true });
		v.server.refuse.set(
			"History",
			[
				() => ({ result: { messages: whole.messages.slice(0, 1), more: false } }),
				() => ({ error: { code: -32603, message: "no" } }),
			].reverse(),
		);
		v.session.open();
		await settle();
		v.session.older();
		await settle();
		expect([read(v), v.session.state.older]).toEqual([["New"], "failed"]);
		v.session.older();
		expect(v.session.state.older).toBe("loading");
		await settle();
		expect([read(v), v.session.state.older]).toEqual([["Old", "New"], "idle"]);
		expect(called(v, "History")).toEqual(Array(2).fill({ contextId: ctx, before: 2, limit: 50 }));
	});
});

describe("a connection that breaks", () => {
	test("goes on from the last number, and misses nothing", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.server.cut();
		v.server.add("ctx1", { message: message("a", "ROLE_AGENT", "While you were away") });
		await v.clock.pass(1_000);
		expect(v.server.hellos[1]).toMatchObject({ follow: [{ contextId: "ctx1", after: 2 }] });
		expect(read(v)).toEqual(["Hi", "While you were away"]);
	});

	test("a short break is not worth a word, a longer one is", async () => {
		const v = await opened();
		v.server.down = true;
		v.server.cut();
		await v.clock.pass(2_400);
		expect(v.session.state.away).toBe(false);
		await v.clock.pass(200);
		expect(v.session.state.away).toBe(true);
		v.server.down = false;
		await v.clock.pass(30_000);
		expect(v.session.state.away).toBe(false);
	});

	test("what was written meanwhile is kept over a reload and sent once, as the same message", async () => {
		const storage = memoryStorage();
		const first = await opened({ storage });
		first.server.down = true;
		first.server.cut();
		first.session.send("Typed offline");
		first.session.send("And more");
		await settle();
		expect(read(first)).toEqual(["Typed offline (waiting)", "And more (waiting)"]);
		const ids = first.session.state.conversation.outgoing.map((o) => o.messageId);
		first.session.suspend();

		first.server.down = false;
		const second = await opened({ storage, server: first.server, clock: first.clock });
		await settle();
		expect(read(second)).toEqual(["Typed offline", "And more"]);
		expect(second.server.sends.map((m) => m.messageId)).toEqual(ids);
		const third = await opened({ storage, server: first.server, clock: first.clock });
		expect(third.server.sends).toHaveLength(2);
		expect(storage.getItem("earthonline:mira:outbox")).toBeNull();
	});

	test("a send whose answer was lost is sent again unchanged, and is there once", async () => {
		const v = await opened();
		v.server.refuse.set("SendMessage", [
			() => {
				// It was taken in, and the answer never left.
				const ctx = v.server.begin();
				const sent = v.server.sends[0] as (typeof v.server.sends)[0];
				v.server.add(ctx, { message: { ...sent, contextId: ctx } }, { silent: true });
				queueMicrotask(() => v.server.cut());
				return undefined;
			},
		]);
		v.session.send("Once");
		await settle();
		expect(read(v)).toEqual(["Once (waiting)"]);
		await v.clock.pass(1_000);
		expect(read(v)).toEqual(["Once"]);
		expect(v.server.sends).toHaveLength(1);
	});

	test("a retry names no more than the first try did", async () => {
		const v = await opened();
		v.server.refuse.set("SendMessage", [() => ({ error: { code: -32000, message: "", data: [{ reason: "UNAVAILABLE" }] } })]);
		v.session.send("First");
		await settle();
		const ctx = v.server.begin("elsewhere");
		v.server.add(ctx, { message: message("x", "ROLE_USER", "From another tab") });
		await v.clock.pass(1_000);
		expect(v.server.sends.map((m) => [m.messageId, m.contextId])).toEqual(Array(2).fill([v.server.sends[0]?.messageId, undefined]));
	});

	test("numbers that are missing, or a state that differs, make it read the conversation anew, once", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.server.add("ctx1", { message: message("lost", "ROLE_AGENT", "Lost") }, { silent: true });
		v.server.add("ctx1", { message: message("a", "ROLE_AGENT", "Here") });
		await settle();
		expect(read(v)).toEqual(["Hi", "Lost", "Here"]);
		expect(v.server.hellos[1]?.follow).toBeUndefined();

		v.server.tick([{ contextId: "ctx1", seq: 4, hash: "00000000" }]);
		await settle();
		expect(v.server.hellos).toHaveLength(3);
		v.server.tick([{ contextId: "ctx1", seq: 4, hash: "00000000" }]);
		await settle();
		expect(v.server.hellos).toHaveLength(3);
	});

	test("a tick that agrees changes nothing", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		const hash = stateHash({
			seq: 2,
			lastMessage: { seq: 1, messageId: v.server.sends[0]?.messageId ?? "" },
			openTasks: [{ id: "tsk1", state: "TASK_STATE_SUBMITTED" }],
			microphone: "desk",
		});
		v.server.tick([{ contextId: "ctx1", seq: 2, hash }]);
		await settle();
		expect(v.server.hellos).toHaveLength(1);
	});

	test("a gap brings the state with it", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.server.add("ctx1", { message: message("a", "ROLE_AGENT", "Pruned") }, { silent: true });
		v.server.socket.say({ method: "gap", params: { contextId: "ctx1", from: 3, to: 3, state: v.server.state("ctx1") } });
		expect(read(v)).toEqual(["Hi", "Pruned"]);
	});

	test("hidden away, it closes; shown again, it goes on", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.session.suspend();
		expect(v.server.socket.closed).toBe(true);
		await v.clock.pass(120_000);
		expect(v.server.sockets).toHaveLength(1);
		v.session.open();
		await settle();
		expect(v.server.hellos[1]).toMatchObject({ follow: [{ contextId: "ctx1", after: 2 }] });
	});
});

describe("refusals", () => {
	const refusal = (reason: string, retryDelay?: string) => () => ({
		error: { code: -32000, message: "", data: [{ reason }, ...(retryDelay ? [{ retryDelay }] : [])] },
	});

	test("a busy server is asked again without a word", async () => {
		const v = await opened();
		v.server.refuse.set("SendMessage", [refusal("UNAVAILABLE"), refusal("UNAVAILABLE")]);
		v.session.send("Hi");
		await v.clock.pass(10_000);
		expect(read(v)).toEqual(["Hi"]);
		expect(new Set(v.server.sends.map((m) => m.messageId)).size).toBe(1);
	});

	test("what is refused is shown with why, can be tried again, and can be discarded", async () => {
		const v = await opened();
		v.server.refuse.set("SendMessage", [refusal("RATE_LIMITED", "60s"), refusal("TOO_LARGE")]);
		v.session.send("One");
		v.session.send("Two");
		await settle();
		expect(v.session.state.conversation.outgoing).toMatchObject([
			{ state: "failed", problem: "fast" },
			{ state: "failed", problem: "long" },
		]);
		const [one, two] = v.session.state.conversation.outgoing;
		v.session.withdraw(two?.messageId ?? "");
		v.session.retry(one?.messageId ?? "");
		await settle();
		expect(read(v)).toEqual(["One"]);
		expect(v.store.get("outbox")).toBeUndefined();
	});

	test("a conversation that is gone: the words begin a new one, all of them the same", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.server.contexts.length = 0;
		v.session.send("Still there?");
		v.session.send("Hello?");
		await settle();
		await settle();
		expect(read(v)).toEqual(["Still there?", "Hello?"]);
		expect(v.server.contexts).toHaveLength(1);
	});
});

describe("what the browser keeps", () => {
	test("the draft, until it is sent", async () => {
		const v = await opened();
		v.session.write("Half a sen");
		expect(visit({ storage: memoryStorage() }).session.draft()).toBe("");
		expect(v.session.draft()).toBe("Half a sen");
		v.session.send("Half a sentence");
		expect(v.session.draft()).toBe("");
	});

	test("nothing, where it refuses: the chat works and says so", async () => {
		const v = await opened({
			storage: {
				...memoryStorage(),
				setItem() {
					throw new DOMException("denied", "SecurityError");
				},
			} as Storage,
		});
		expect(v.session.state.kept).toBe(false);
		v.session.send("Hi");
		await settle();
		v.server.cut();
		await v.clock.pass(1_000);
		expect(read(v)).toEqual(["Hi"]);
		expect(v.server.hellos[1]?.credential).toBe(`eolg_${v.server.hellos[0]?.nonce}`);
	});

	test("nothing any more, once the visitor wants to be forgotten", async () => {
		const storage = memoryStorage();
		const v = await opened({ storage });
		v.session.write("secret");
		v.session.forget();
		expect([storage.length, v.reloads, v.server.socket.closed]).toEqual([0, 1, true]);
	});
});

describe("a new conversation", () => {
	test("begins with the next message, also after a reload, and hears no more of the old one", async () => {
		const storage = memoryStorage();
		const v = await opened({ storage });
		v.session.send("Old");
		await settle();
		v.session.begin();
		v.server.add("ctx1", { message: message("late", "ROLE_AGENT", "A late answer") });
		expect(read(v)).toEqual([]);

		const again = await opened({ storage, server: v.server });
		expect(again.server.hellos.at(-1)).toMatchObject({ new: true });
		again.session.send("New");
		await settle();
		expect(read(again)).toEqual(["New"]);
		expect(v.server.contexts).toHaveLength(2);
		const third = await opened({ storage, server: v.server });
		expect(read(third)).toEqual(["New"]);
	});

	test("that is begun while Hello is under way is not taken back", async () => {
		const v = visit();
		const ctx = v.server.begin();
		v.server.add(ctx, { message: message("q", "ROLE_USER", "Old") });
		const result = { you: { id: "usr_1", kind: "guest" }, desk: DESK, following: [], extensions: [], context: v.server.state(ctx) };
		v.server.refuse.set("Hello", [
			() => {
				v.session.begin();
				return { result };
			},
		]);
		v.session.open();
		await settle();
		expect(v.session.state.link).toBe("open");
		expect(read(v)).toEqual([]);
		v.session.send("New");
		await settle();
		expect(v.server.sends[0]?.contextId).toBeUndefined();
	});
});

describe("seen and unread", () => {
	test("what is looked at is seen, and the server is told once", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.server.reply("ctx1", "tsk1", ["Hello"]);
		await settle();
		expect(called(v, CHAT_METHODS.seen)).toEqual([{ contextId: "ctx1", seq: 5 }]);
		expect(v.posted.filter((m) => m.type === "unread")).toEqual([]);
	});

	test("what is not looked at is counted, until it is", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.looking = false;
		v.server.reply("ctx1", "tsk1", ["Hello"]);
		v.server.add("ctx1", { message: message("more", "ROLE_AGENT", "More") });
		v.looking = true;
		v.session.look();
		expect(v.posted.filter((m) => m.type === "unread")).toEqual([
			{ type: "unread", count: 1 },
			{ type: "unread", count: 2 },
			{ type: "unread", count: 0 },
		]);
	});

	test("the page is told whether the desk is there", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.server.tell("ctx1", { contextId: "ctx1", signal: { kind: "presence", online: false } });
		expect(v.posted.filter((m) => m.type === "online")).toEqual([
			{ type: "online", online: true },
			{ type: "online", online: false },
		]);
		expect(v.session.state.desk?.online).toBe(false);
	});

	test("a sound is made only when it is wanted and nobody looks", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.looking = false;
		v.server.add("ctx1", { message: message("a1", "ROLE_AGENT", "") });
		v.session.setSound(true);
		v.server.add("ctx1", { message: message("a2", "ROLE_AGENT", "") });
		v.looking = true;
		v.server.add("ctx1", { message: message("a3", "ROLE_AGENT", "") });
		expect(v.rung).toEqual(["a2"]);
	});
});

describe("two tabs", () => {
	async function two(): Promise<[Visit, Visit, () => Visit]> {
		const shared = { storage: memoryStorage(), tabs: new Set<(message: TabMessage) => void>() };
		const a = visit(shared);
		const another = (): Visit => visit({ ...shared, server: a.server, clock: a.clock });
		const b = another();
		a.session.open();
		b.session.open();
		await settle();
		return [a, b, another];
	}

	test("opened at once are one guest", async () => {
		const [a] = await two();
		const [first, second] = a.server.hellos;
		expect(second?.nonce).toBe(first?.nonce);
	});

	test("see the same conversation from its first message on", async () => {
		const [a, b] = await two();
		a.session.send("Hi");
		await settle();
		await settle();
		expect(read(b)).toEqual(["Hi"]);
		b.session.send("From here too");
		await settle();
		expect([read(a), read(b)]).toEqual(Array(2).fill(["Hi", "From here too"]));
	});

	test("begin anew together, and what is seen in one is seen in both", async () => {
		const [a, b] = await two();
		a.session.send("Hi");
		await settle();
		await settle();
		b.looking = false;
		a.looking = false;
		a.server.reply("ctx1", "tsk1", ["Hello"]);
		expect(b.posted.at(-1)).toEqual({ type: "unread", count: 1 });
		a.looking = true;
		a.session.look();
		expect(b.posted.at(-1)).toEqual({ type: "unread", count: 0 });
		b.session.begin();
		expect(read(a)).toEqual([]);
	});

	test("that both hold the same message have one effect", async () => {
		const [a, b, another] = await two();
		a.server.down = true;
		a.server.cut();
		a.session.send("Offline");
		const c = another();
		c.session.open();
		await settle();
		expect(read(c)).toEqual(["Offline (waiting)"]);
		a.server.down = false;
		await a.clock.pass(10_000);
		expect(new Set(a.server.sends.map((m) => JSON.stringify(m))).size).toBe(1);
		expect([read(a), read(b), read(c)]).toEqual(Array(3).fill(["Offline"]));
	});
});
