/** What the visitor has seen, heard and judged: the page's number, the sound of one tab, the thumbs of one conversation. */
import { describe, expect, test } from "vitest";
import { CHAT_METHODS } from "../../shared/channel.js";
import { called, DESK, memoryStorage, message, opened, settle, type Visit, visit } from "./fakes.js";
import type { TabMessage } from "./tabs.js";

describe("seen and unread", () => {
	test("what is looked at is seen, and the server is told once", async () => {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.server.reply("ctx1", "tsk1", ["Hello"]);
		await settle();
		expect(called(v, CHAT_METHODS.seen)).toEqual([{ contextId: "ctx1", seq: 5 }]);
		expect(v.posted.filter((m) => m.type === "unread")).toEqual([{ type: "unread", count: 0 }]);
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
			{ type: "unread", count: 0 },
			{ type: "unread", count: 1 },
			{ type: "unread", count: 2 },
			{ type: "unread", count: 0 },
		]);
	});

	test("the page is told where things stand at the first Hello, once, whatever it believed", async () => {
		const away = visit();
		away.server.desk = { ...DESK, online: false };
		away.looking = false;
		const ctx = away.server.begin();
		for (const id of ["a", "b"]) away.server.add(ctx, { message: message(id, "ROLE_AGENT", "Hello") });
		expect(away.posted).toEqual([]);
		away.session.open();
		await settle();
		expect(away.posted).toEqual([
			{ type: "unread", count: 2 },
			{ type: "online", online: false },
		]);
		expect((await opened()).posted).toEqual([
			{ type: "unread", count: 0 },
			{ type: "online", online: true },
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
});

describe("the sound", () => {
	/** So many tabs of one visitor in one conversation, with the sound on. None of them is looked at. */
	async function tabs(count: number): Promise<Visit[]> {
		const shared = { storage: memoryStorage(), tabs: new Set<(message: TabMessage) => void>() };
		const first = await opened(shared);
		first.session.send("Hi");
		await settle();
		const all = [first];
		while (all.length < count) all.push(await opened({ ...shared, server: first.server, clock: first.clock }));
		for (const one of all) one.looking = false;
		first.session.setSound(true);
		return all;
	}
	const say = (v: Visit, id: string): number => v.server.add("ctx1", { message: message(id, "ROLE_AGENT", "") });

	test("is made only when it is wanted and nobody looks", async () => {
		const [v] = (await tabs(1)) as [Visit];
		v.session.setSound(false);
		say(v, "a1");
		v.session.setSound(true);
		await v.clock.pass(1_000);
		say(v, "a2");
		await v.clock.pass(1_000);
		v.looking = true;
		say(v, "a3");
		await v.clock.pass(1_000);
		expect(v.rung).toEqual(["a2"]);
	});

	test("is one for several words that come at once", async () => {
		const [v] = (await tabs(1)) as [Visit];
		for (const id of ["a1", "a2", "a3"]) say(v, id);
		await v.clock.pass(1_000);
		expect(v.rung).toEqual(["a3"]);
	});

	test.each(["looking", "shown"] as const)("is made by no tab while another one is %s, whichever of them hears first", async (how) => {
		const [a, b, c] = (await tabs(3)) as [Visit, Visit, Visit];
		b[how] = true;
		say(a, "a1");
		await a.clock.pass(1_000);
		expect([a.rung, b.rung, c.rung]).toEqual([[], [], []]);
		b[how] = false;
		say(a, "a2");
		await a.clock.pass(1_000);
		expect([a.rung, b.rung, c.rung]).toEqual(Array(3).fill(["a2"]));
	});

	test("is not made for what the visitor came to look at meanwhile", async () => {
		const [v] = (await tabs(1)) as [Visit];
		say(v, "a1");
		v.looking = true;
		await v.clock.pass(1_000);
		expect(v.rung).toEqual([]);
	});
});

describe("what the visitor thinks of answers", () => {
	/** A conversation with a thumb on its first answer. */
	async function rated(): Promise<Visit> {
		const v = await opened();
		v.session.send("Hi");
		await settle();
		v.server.reply("ctx1", "tsk1", ["Hello"]);
		v.session.rate(5, "up");
		await settle();
		expect(v.session.state.ratings).toEqual({ 5: "up" });
		return v;
	}
	const ways: [string, (v: Visit) => unknown][] = [
		["the visitor begins a new one", (v) => v.session.begin()],
		[
			"the server opens another one",
			(v) => {
				v.server.begin("other");
				v.server.add("other", { message: message("o", "ROLE_USER", "Other") });
				v.server.tick([{ contextId: "ctx1", seq: 99, hash: "00000000" }]);
			},
		],
		[
			"the one there was is gone",
			(v) => {
				v.server.contexts.length = 0;
				v.session.send("Still there?");
			},
		],
	];

	test.each(ways)("belongs to one conversation: none is left when %s", async (_, change) => {
		const v = await rated();
		change(v);
		await settle();
		await settle();
		expect(v.session.state.conversation.contextId).not.toBe("ctx1");
		expect(v.session.state.ratings).toEqual({});
	});

	test("stays while the same conversation goes on", async () => {
		const v = await rated();
		v.server.refuse.set(CHAT_METHODS.ratings, [() => ({ result: { ratings: [{ seq: 5, value: "up" }] } })]);
		v.server.tick([{ contextId: "ctx1", seq: 99, hash: "00000000" }]);
		await settle();
		v.server.add("ctx1", { message: message("more", "ROLE_AGENT", "More") });
		expect(v.session.state.ratings).toEqual({ 5: "up" });
	});
});
