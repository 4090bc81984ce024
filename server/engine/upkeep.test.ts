import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { type TestClock, testClock } from "../../test/clock.js";
import { type StorePlace, storePlace } from "../../test/stores.js";
import { Events } from "./events.js";
import type { Store } from "./ports.js";
import { Upkeep } from "./upkeep.js";

const EVERYTHING = ["pruneTickets", "pruneFollowUps", "expireApprovals", "pruneApprovals", "pruneCalls", "foldChunks"];

let clock: TestClock;
let place: StorePlace;
let store: Store;
let logged: { text: string; error: unknown }[];

beforeEach(async () => {
	clock = testClock();
	place = await storePlace("sqlite");
	store = await place.open(clock);
	logged = [];
});
afterEach(async () => {
	await store.close();
	await place.remove();
});

const upkeepOf = (over: Store, tidyPictures: () => Promise<void> = () => Promise.resolve()) =>
	new Upkeep({
		store: over,
		clock,
		log: (_level, fields, text) => void logged.push({ text, error: fields.err }),
		events: new Events(over.read, true),
		grown: () => undefined,
		tidyPictures,
	});

/** A store that notes what is asked of it, and where one thing fails. */
function failingAt(what: string): { store: Store; asked: Set<string> } {
	const asked = new Set<string>();
	const fails = (name: string): boolean => {
		asked.add(name);
		return name === what;
	};
	const broken = { ...store };
	broken.write = (name, input) => (fails(name) ? Promise.reject(new Error(`${name} is out of order`)) : store.write(name, input));
	broken.read = {
		...store.read,
		idleTasks: (...args) => (fails("idleTasks") ? Promise.reject(new Error("idleTasks is out of order")) : store.read.idleTasks(...args)),
	};
	return { store: broken, asked };
}

describe("upkeep", () => {
	it.each([...EVERYTHING, "idleTasks", "pictures"])("does everything else where %s fails, and says what failed", async (what) => {
		const { store: broken, asked } = failingAt(what);
		const upkeep = upkeepOf(broken, async () => {
			asked.add("pictures");
			if (what === "pictures") throw new Error("pictures is out of order");
		});
		await upkeep.tidy();
		expect([...asked].sort()).toEqual([...EVERYTHING, "idleTasks", "pictures"].sort());
		expect(logged).toMatchObject([{ text: expect.stringContaining("Upkeep failed at"), error: { message: `${what} is out of order` } }]);
	});

	it("is done again and again, also after it failed, until it is stopped", async () => {
		const { store: broken, asked } = failingAt("pruneTickets");
		const upkeep = upkeepOf(broken);
		upkeep.start();
		for (let run = 0; run < 3; run++) {
			asked.clear();
			while (!asked.has("foldChunks")) {
				clock.turn(60_000);
				await new Promise((resolve) => setImmediate(resolve));
			}
		}
		upkeep.stop();
		asked.clear();
		clock.turn(600_000);
		expect([...asked]).toEqual([]);
	});

	it("ends every task that it can, whichever cannot be ended, and asks a store that takes nothing no more than it must", async () => {
		const idle = new Set(Array.from({ length: 130 }, (_, i) => `tsk_${i}`));
		let tried = 0;
		const world = (bad: (uid: string) => boolean): Store => ({
			...store,
			read: { ...store.read, idleTasks: async (_before, limit) => [...idle].slice(0, limit) },
			write: (async (name: string, input: { taskUid: string }) => {
				if (name !== "expireTask") return await store.write(name as never, input as never);
				tried++;
				if (bad(input.taskUid)) throw new Error("this one is broken");
				idle.delete(input.taskUid);
				return { conversationId: 1, events: [] };
			}) as Store["write"],
		});
		const broken = ["tsk_0", "tsk_1", "tsk_77"];
		await upkeepOf(world((uid) => broken.includes(uid))).tidy();
		expect([...idle]).toEqual(broken);
		expect(tried).toBe(130);
		expect(logged).toMatchObject([
			{ text: expect.stringContaining("interrupted tasks"), error: { message: expect.stringContaining("3") } },
		]);
		for (let i = 200; i < 400; i++) idle.add(`tsk_${i}`);
		tried = 0;
		await upkeepOf(world(() => true)).tidy();
		expect(tried).toBeLessThanOrEqual(50);
	});

	it("forgets what became of approvals and calls after as long as it is said to keep them", async () => {
		await store.write("createOwner", {
			accountUid: "acc_1",
			handle: "mira",
			name: "Mira",
			ownerName: "Mira",
			about: "",
			language: "en",
			suggestions: [],
			now: clock.now(),
		});
		const deskId = (await store.read.deskByHandle("mira"))?.id ?? 0;
		const connection = { app: "calendar" as const, uid: "app_1", kind: "ical", label: "x", most: "read" as const, settings: "{}" };
		await store.write("connectApp", { deskId, ...connection, now: clock.now() });
		const change = (to: "none" | "busy") =>
			store.write("changePreset", { deskId, change: { apps: { calendar: to } }, approvalUids: [`apr_${clock.now()}`], now: clock.now() });
		const states = async () => (await store.read.approvals(deskId, 10)).map(({ state }) => state);
		await change("busy");
		await change("none");
		clock.jump(1);
		await change("busy");
		await upkeepOf(store).tidy();
		expect(await states()).toEqual(["open", "void"]);
		clock.jump(LIMITS.callsKeptMs - 1);
		await upkeepOf(store).tidy();
		expect(await states()).toEqual(["expired", "void"]);
		clock.jump(1);
		await upkeepOf(store).tidy();
		expect(await states()).toEqual(["expired"]);
		clock.jump(LIMITS.callsKeptMs);
		await upkeepOf(store).tidy();
		expect(await states()).toEqual([]);
		expect(logged).toEqual([]);
	});
});
