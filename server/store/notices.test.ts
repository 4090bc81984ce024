/** Which writes leave notices, on both databases: in their transaction, under numbers that rise by one in the order of commits. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type TestEngine } from "../../test/engine.js";
import { DATABASES, type StorePlace, storePlace } from "../../test/stores.js";
import type { Desk } from "../engine/engine.js";
import type { NoticeHint } from "../engine/ports.js";

describe.each(DATABASES)("notices on %s", (database) => {
	let place: StorePlace;
	let one: TestEngine;
	let desk: Desk;
	const told: NoticeHint[] = [];

	beforeAll(async () => {
		place = await storePlace(database);
		one = await openEngine(place);
		one.store.onNotice((hint) => told.push(hint));
		desk = await one.desk();
	});
	afterAll(async () => {
		await one.close();
		await place.remove();
	});

	/** What a change leaves: as it was told by the time at which it resolves, which is what is kept. */
	async function left(change: () => Promise<unknown>): Promise<unknown[]> {
		const before = await one.store.read.lastNotice();
		told.length = 0;
		await change();
		const notices = told.map(({ notice }) => notice);
		const kept = (await one.store.read.notices(before + 1, 100)).map(({ id, what }) => ({ id, notice: JSON.parse(what) as unknown }));
		expect(kept).toEqual(told);
		expect(kept.map(({ id }) => id)).toEqual(kept.map((_, i) => before + 1 + i));
		return notices;
	}

	it("tell of a desk that is new or changed", async () => {
		const { owner } = one.engine;
		const deskId = desk.row.id;
		expect(await left(() => owner.createOwner({ handle: "anna", name: "Anna" }))).toEqual([{ about: "desk", deskId: null }]);
		expect(await left(() => owner.changeProfile("mira", { about: "Portraits" }))).toEqual([{ about: "desk", deskId }]);
		expect(await left(() => owner.changeSettings("mira", { waitMs: 1_000 }))).toEqual([{ about: "desk", deskId }]);
		expect(await left(() => one.engine.presets.change("mira", { webSearch: false }))).toEqual([{ about: "desk", deskId }]);
	});

	it("tell of presence where that changes with a setting, and not where it does not", async () => {
		const { owner } = one.engine;
		const deskId = desk.row.id;
		const present = [{ about: "desk", deskId, presence: true }];
		expect(await left(() => owner.changeSettings("mira", { builtInAnswerer: false }))).toEqual(present);
		expect(await left(() => owner.changeSettings("mira", { builtInAnswerer: false }))).toEqual([{ about: "desk", deskId }]);
		// Nobody is there either way.
		expect(await left(() => owner.changeSettings("mira", { hours: "Mon 09:00-10:00 UTC" }))).toEqual([{ about: "desk", deskId }]);
		expect(await left(() => owner.changeSettings("mira", { builtInAnswerer: true }))).toEqual(present);
		// Away as before, and back at another time.
		expect(await left(() => owner.changeSettings("mira", { hours: "Tue 09:00-10:00 UTC" }))).toEqual(present);
		expect(await left(() => owner.changeSettings("mira", { hours: "" }))).toEqual(present);
	});

	it("tell of whom a narrower setting shuts out, and of nobody where it becomes wider", async () => {
		const { owner } = one.engine;
		const deskId = desk.row.id;
		const changed = { about: "desk", deskId };
		const narrower = { a2a: false, guests: false };
		expect(await left(() => owner.changeSettings("mira", narrower))).toEqual([
			changed,
			{ about: "access", who: { deskId, everybody: true } },
			{ about: "access", who: { deskId } },
		]);
		expect(await left(() => owner.changeSettings("mira", { a2a: true, guests: true, allowAnySite: true }))).toEqual([changed]);
		expect(await left(() => owner.changeSites("mira", { anySite: false }))).toEqual([
			changed,
			{ about: "access", who: { deskId, site: "*" } },
		]);
	});

	it("tell of a guest and of a key that are revoked", async () => {
		const { owner } = one.engine;
		const { principal } = await one.caller();
		const who = { principalId: principal?.id };
		expect(await left(() => owner.revokeGuest("mira", principal?.uid as string))).toEqual([{ about: "access", who }]);
		await owner.createKey("mira", "one");
		const [key] = await owner.keys("mira");
		const account = { about: "access", who: { principalId: desk.row.ownerId } };
		expect(await left(() => owner.revokeKey("mira", key?.uid as string))).toEqual([account]);
		// Nothing is written for one that is revoked already.
		expect(await left(() => owner.revokeKey("mira", key?.uid as string))).toEqual([]);
	});

	it("tell of sites and embeds that lose the chat, and of none that gains it", async () => {
		const { owner } = one.engine;
		const deskId = desk.row.id;
		const site = "https://shop.example";
		const lost = (rule: string) => [{ about: "access", who: { deskId, site: rule } }];
		expect(await left(() => owner.setSite("mira", site, "allowed"))).toEqual([]);
		expect(await left(() => owner.setSite("mira", site, "blocked"))).toEqual(lost(site));
		expect(await left(() => owner.removeSite("mira", site))).toEqual([]);
		await owner.setSite("mira", site, "allowed");
		expect(await left(() => owner.removeSite("mira", site))).toEqual(lost(site));
		expect(await left(() => owner.changeSites("mira", { allow: [site] }))).toEqual([]);
		expect(await left(() => owner.changeSites("mira", { remove: [site] }))).toEqual(lost("*"));
		const { number } = await owner.saveEmbed("mira", { mode: "pet" });
		expect(await left(() => owner.deleteEmbed("mira", number))).toEqual([{ about: "access", who: { deskId, embed: number } }]);
	});

	it("are left by nothing that is refused, and by nothing that is said", async () => {
		const refused = () => one.engine.owner.deleteEmbed("mira", 77).catch(() => undefined);
		expect(await left(refused)).toEqual([]);
		expect(await left(() => one.caller().then((guest) => one.ask(guest, "hello")))).toEqual([]);
	});

	it("have numbers without a gap where many are left at once", async () => {
		const changes = Array.from({ length: 40 }, (_, i) => one.engine.owner.changeProfile(i % 2 ? "mira" : "anna", { about: `${i}` }));
		const before = await one.store.read.lastNotice();
		told.length = 0;
		await Promise.all(changes);
		const kept = await one.store.read.notices(before + 1, 100);
		expect(kept.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, i) => before + 1 + i));
		expect(told.map(({ id }) => id).sort((a, b) => a - b)).toEqual(kept.map(({ id }) => id));
	});

	it("are kept by the thousand, the last of them", async () => {
		const from = await one.store.read.lastNotice();
		for (let i = 0; i < 1_010; i += 10)
			await Promise.all(Array.from({ length: 10 }, () => one.engine.owner.changeProfile("anna", { about: "again" })));
		const first = (await one.store.read.notices(0, 1))[0]?.id as number;
		const last = await one.store.read.lastNotice();
		expect(last).toBe(from + 1_010);
		expect(first).toBe(last - 999);
	});
});
