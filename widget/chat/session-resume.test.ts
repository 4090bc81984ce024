import { describe, expect, test } from "vitest";
import { stateHash } from "../../shared/channel.js";
import { DESK, memoryStorage, message, opened, read, settle, type Visit, visit } from "./fakes.js";
import { rowsOf } from "./rows.js";
import type { TabMessage } from "./tabs.js";

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
		const still = await opened({ storage, server: first.server, clock: first.clock });
		expect(rowsOf(still.session.state.conversation).map((row) => row.key)).toEqual(ids);
		still.session.suspend();

		first.server.down = false;
		const second = await opened({ storage, server: first.server, clock: first.clock });
		await settle();
		expect(read(second)).toEqual(["Typed offline", "And more"]);
		expect(second.server.sends.map((m) => m.messageId)).toEqual(ids);
		const third = await opened({ storage, server: first.server, clock: first.clock });
		expect(third.server.sends).toHaveLength(2);
		expect(storage.getItem("earthonline:mira:outbox")).toBeNull();
	});

	test("what was written in a conversation that the visitor has left is sent there, and not shown in the next", async () => {
		const storage = memoryStorage();
		const first = await opened({ storage });
		first.session.send("Hi");
		await settle();
		first.server.down = true;
		first.server.cut();
		first.session.send("Typed offline");
		first.session.begin();
		first.session.suspend();
		const next = await opened({ storage, server: first.server, clock: first.clock });
		expect(rowsOf(next.session.state.conversation)).toEqual([]);
		first.server.down = false;
		await next.clock.pass(30_000);
		expect(next.server.sends.at(-1)).toMatchObject({ contextId: "ctx1", parts: [{ text: "Typed offline" }] });
		expect(rowsOf(next.session.state.conversation)).toEqual([]);
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

describe("what the browser keeps", () => {
	test("the draft, until the box is empty: what is said beside it leaves it alone", async () => {
		const v = await opened();
		v.session.write("Half a sen");
		expect(visit({ storage: memoryStorage() }).session.draft()).toBe("");
		v.session.send("From the page", { byPage: true });
		await settle();
		expect(v.session.draft()).toBe("Half a sen");
		v.session.write("");
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
		expect(v.posted.at(-1)).toEqual({ type: "unread", count: 0 });
	});

	test("nothing in the other tabs either, though the chat was never opened in the one that forgets", async () => {
		const shared = { storage: memoryStorage(), tabs: new Set<(message: TabMessage) => void>() };
		const open = await opened(shared);
		open.session.send("Hi");
		await settle();
		visit({ ...shared, server: open.server, clock: open.clock }).session.forget();
		expect([shared.storage.length, open.reloads]).toEqual([0, 1]);
		expect(open.posted.at(-1)).toEqual({ type: "unread", count: 0 });
	});
});

describe("a chat that waits to be touched", () => {
	test("shows what the document says of the desk, and keeps and asks nothing", async () => {
		const storage = memoryStorage();
		const v = visit({ storage, boot: { mode: "inline", desk: { ...DESK, online: false } } });
		v.session.wait();
		await v.clock.pass(60_000);
		expect(v.session.state).toMatchObject({ link: "idle", kept: true, desk: { about: "About Mira", online: false } });
		expect([v.server.sockets.length, storage.length]).toEqual([0, 0]);
		expect(v.posted).toContainEqual({ type: "online", online: false });
		v.session.open();
		await settle();
		expect(v.session.state).toMatchObject({ link: "open", desk: DESK });
	});

	test("goes on at once with an earlier conversation, and with what was not sent", async () => {
		const storage = memoryStorage();
		const first = await opened({ storage });
		first.session.send("Hi");
		await settle();
		const next = visit({ storage, server: first.server, clock: first.clock, boot: { mode: "inline", desk: DESK } });
		next.session.wait();
		await settle();
		expect(read(next)).toEqual(["Hi"]);

		const unsent = memoryStorage();
		const offline = visit({ storage: unsent });
		offline.server.down = true;
		offline.session.open();
		offline.session.send("Typed offline");
		await settle();
		offline.session.suspend();
		expect(unsent.getItem("earthonline:mira:token")).toBeNull();
		offline.server.down = false;
		const later = visit({ storage: unsent, server: offline.server, clock: offline.clock, boot: { mode: "inline", desk: DESK } });
		later.session.wait();
		await settle();
		expect(read(later)).toEqual(["Typed offline"]);
	});

	test("is opened by whatever is said in it, however that was done", async () => {
		const v = visit({ boot: { mode: "inline", desk: DESK } });
		v.session.wait();
		v.session.send("Asked without a touch");
		await settle();
		await settle();
		expect(read(v)).toEqual(["Asked without a touch"]);
	});

	test("says so where it cannot be reached, without a touch", () => {
		const v = visit({ sandboxed: true, boot: { mode: "inline", desk: DESK } });
		v.session.wait();
		expect([v.session.state.closed, v.server.sockets.length]).toEqual(["sandboxed", 0]);
	});

	test("that was hidden away comes back as it was: asking for nothing, or connected", async () => {
		const v = visit({ boot: { mode: "inline", desk: DESK } });
		v.session.wait();
		v.session.suspend();
		v.session.resume();
		await settle();
		expect(v.server.sockets).toHaveLength(0);
		v.session.open();
		await settle();
		v.session.suspend();
		v.session.resume();
		await settle();
		expect([v.server.sockets.length, v.session.state.link]).toEqual([2, "open"]);
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
