import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestClock, testClock } from "../../test/clock.js";
import { type StorePlace, storePlace } from "../../test/stores.js";
import { Desks } from "./desks.js";
import type { Desk } from "./engine.js";
import { Opening } from "./opening.js";
import type { Store } from "./ports.js";

/** As a computer kept them that knew more zones than this one. */
const UNREADABLE = "Mon-Fri 09:00-17:00 Europe/Atlantis";
const EVERY_MS = 15_000;

let clock: TestClock;
let place: StorePlace;
let store: Store;
let desks: Desks;
let opening: Opening | undefined;
let heard: string[];
let logged: { level: string; desk: unknown; text: string }[];

beforeEach(async () => {
	// A Monday, before nine.
	clock = testClock(Date.UTC(2026, 0, 5, 8, 59));
	place = await storePlace("sqlite");
	store = await place.open(clock);
	desks = new Desks(store, clock, "Test");
	[heard, logged] = [[], []];
});
afterEach(async () => {
	opening?.stop();
	await store.close();
	await place.remove();
});

async function desk(handle: string, hours: string): Promise<number> {
	const profile = { name: handle, ownerName: handle, about: "", language: "en" as const, suggestions: [] };
	await store.write("createOwner", { accountUid: `acc_${handle}`, handle, ...profile, now: clock.now() });
	const { id = 0 } = (await store.read.deskByHandle(handle)) ?? {};
	await store.write("changeDesk", { deskId: id, change: { hours }, now: clock.now() });
	return id;
}

/** Watches, over a store that a test may have fail. Gives what lets time pass until everybody has been looked at. */
function watch(over: Store = store, presence: (desk: Desk) => void = ({ row, face }) => void heard.push(`${row.handle} ${face.online}`)) {
	let looks = 0;
	const counted: Store = { ...over, read: { ...over.read, desks: () => over.read.desks().finally(() => looks++) } };
	const log = (level: string, fields: Record<string, unknown>, text: string) => void logged.push({ level, desk: fields.desk, text });
	opening = new Opening({ store: counted, clock, log, desks, presence });
	opening.start();
	return async (times = 1): Promise<void> => {
		for (let i = 0; i < times; i++) {
			const before = looks;
			clock.turn(EVERY_MS);
			// What is asked of the store in a look is answered before what is asked after it.
			while (looks === before) await new Promise((resolve) => setImmediate(resolve));
			for (const row of await store.read.desks()) await desks.get(row.handle);
			await new Promise((resolve) => setImmediate(resolve));
		}
	};
}

describe("the hours of desks", () => {
	it("are watched, whichever desk's cannot be read, which is said once", async () => {
		await desk("atlantis", UNREADABLE);
		await desk("mira", "Mon-Fri 09:00-17:00 UTC");
		const look = watch();
		await look(8);
		expect(heard).toEqual(["mira true"]);
		expect(logged).toMatchObject([
			{ level: "error", desk: "atlantis", text: expect.stringContaining("Europe/Atlantis is not a time zone") },
		]);
		// Such a desk counts as away, and can be asked for.
		const away = await desks.get("atlantis");
		expect(away?.face).toMatchObject({ online: false });
		expect(away?.face).not.toHaveProperty("opensAt");
	});

	it("are said anew where they are another text, and no more once they are right", async () => {
		const deskId = await desk("atlantis", UNREADABLE);
		const look = watch();
		await look(2);
		await store.write("changeDesk", { deskId, change: { hours: `Sat 10:00-11:00 Mars/Olympus` }, now: clock.now() });
		await look(2);
		await store.write("changeDesk", { deskId, change: { hours: "00:00-24:00 UTC" }, now: clock.now() });
		await look(2);
		expect(logged.map(({ text }) => /\w+\/\w+/.exec(text)?.[0])).toEqual(["Europe/Atlantis", "Mars/Olympus"]);
		expect(heard).toEqual(["atlantis true"]);
	});

	it("are watched at every other desk where one fails, and again where the store failed", async () => {
		await desk("anna", "Mon-Fri 09:00-17:00 UTC");
		await desk("bob", "Mon-Fri 09:00-17:00 UTC");
		let down = true;
		const flaky: Store = {
			...store,
			read: { ...store.read, desks: () => (down ? Promise.reject(new Error("the database is away")) : store.read.desks()) },
		};
		const look = watch(flaky, ({ row }) => {
			heard.push(row.handle);
			if (row.handle === "anna") throw new Error("somebody who listens broke");
		});
		await look(2);
		expect(logged).toHaveLength(2);
		down = false;
		await look(6);
		expect(heard).toEqual(["anna", "bob"]);
		expect(logged.slice(2)).toMatchObject([{ level: "error", desk: "anna" }]);
	});
});
