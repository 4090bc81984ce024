import { describe, expect, test } from "vitest";
import { CHAT_METHODS } from "../../shared/channel.js";
import { called, DESK, memoryStorage, message, opened, read, settle, visit } from "./fakes.js";

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
