import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { openEngine, type TestEngine } from "../../test/engine.js";
import { DATABASES, type StorePlace, storePlace } from "../../test/stores.js";

describe.each(DATABASES)("embeds on %s", (database) => {
	let place: StorePlace;
	let desk: TestEngine;
	let made = 0;

	beforeAll(async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
	});
	afterAll(async () => {
		await desk.close();
		await place.remove();
	});

	/** A desk without embeds. */
	async function fresh() {
		const handle = `desk${++made}`;
		const { row } = await desk.engine.owner.createOwner({ handle, name: "Mira" });
		return {
			handle,
			id: row.id,
			owner: desk.engine.owner,
			numbers: async () => (await desk.engine.owner.embeds(handle)).map((e) => e.number),
		};
	}

	it("count up a desk, and a number that was given is never given again", async () => {
		const { handle, owner, numbers } = await fresh();
		const other = await fresh();
		for (const mode of ["floating", "pet", "button"]) await owner.saveEmbed(handle, { mode });
		await owner.deleteEmbed(handle, 3);
		await owner.deleteEmbed(handle, 1);
		expect((await owner.saveEmbed(handle, { mode: "inline" })).number).toBe(4);
		expect(await numbers()).toEqual([2, 4]);
		expect((await owner.saveEmbed(other.handle, { mode: "pet" })).number).toBe(1);
	});

	it("leave nothing behind when they are deleted, however often one is made and deleted", async () => {
		const { id, handle, owner, numbers } = await fresh();
		const other = await fresh();
		await owner.saveEmbed(handle, { mode: "pet", name: "kept" });
		for (let number = 2; number <= LIMITS.embeds + 5; number++) {
			expect((await owner.saveEmbed(handle, { mode: "pet", name: "gone" })).number).toBe(number);
			await owner.deleteEmbed(handle, number);
		}
		expect(await numbers()).toEqual([1]);
		expect(await desk.store.read.embed(id, 2)).toBeUndefined();
		// A change of one that is there gives no number away.
		await owner.saveEmbed(handle, { theme: "dark" }, 1);
		await owner.deleteEmbed(handle, 1);
		expect((await owner.saveEmbed(handle, { mode: "pet" })).number).toBe(LIMITS.embeds + 6);
		expect((await owner.saveEmbed(other.handle, { mode: "pet" })).number).toBe(1);
	});

	it("made all at once get a number each", async () => {
		const { handle, owner, numbers } = await fresh();
		await Promise.all(Array.from({ length: 20 }, () => owner.saveEmbed(handle, { mode: "floating" })));
		expect(await numbers()).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
	});

	it("keep what was said of them, and change in what is said", async () => {
		const { id, handle, owner } = await fresh();
		const look = { mode: "pet", name: "Shop 店", theme: "dark", accent: "#2563eb", greeting: true, greetingText: "你好 👋" };
		const row = await owner.saveEmbed(handle, look);
		expect(await desk.store.read.embed(id, 1)).toEqual(row);
		expect(row).toMatchObject({ ...look, greeting: 1, createdAt: desk.clock.now(), changedAt: desk.clock.now() });
		desk.clock.turn(1_000);
		await Promise.all([owner.saveEmbed(handle, { accent: "" }, 1), owner.saveEmbed(handle, { theme: "light" }, 1)]);
		expect(await desk.store.read.embed(id, 1)).toEqual({ ...row, accent: null, theme: "light", changedAt: desk.clock.now() });
		await expect(owner.saveEmbed(handle, { mode: "button" }, 1)).rejects.toMatchObject({ code: "invalid_params" });
	});

	it("that are deleted are gone, and no other desk's can be touched", async () => {
		const { id, handle, owner } = await fresh();
		const other = await fresh();
		await owner.saveEmbed(handle, { mode: "pet" });
		for (const act of [() => owner.deleteEmbed(other.handle, 1), () => owner.saveEmbed(other.handle, { theme: "dark" }, 1)])
			await expect(act()).rejects.toMatchObject({ code: "not_found" });
		await owner.deleteEmbed(handle, 1);
		expect(await desk.store.read.embed(id, 1)).toBeUndefined();
		for (const act of [() => owner.deleteEmbed(handle, 1), () => owner.saveEmbed(handle, { theme: "dark" }, 1)])
			await expect(act()).rejects.toMatchObject({ code: "not_found" });
	});

	it("are at most so many, not counting those deleted", async () => {
		const { handle, owner } = await fresh();
		for (let i = 0; i < LIMITS.embeds; i++) await owner.saveEmbed(handle, { mode: "pet" });
		await expect(owner.saveEmbed(handle, { mode: "pet" })).rejects.toMatchObject({ code: "invalid_params" });
		await owner.deleteEmbed(handle, 7);
		expect((await owner.saveEmbed(handle, { mode: "pet" })).number).toBe(LIMITS.embeds + 1);
	});

	it("leave a key to the desk of its account alone", async () => {
		const [one, other] = [await fresh(), await fresh()];
		const key = await one.owner.createKey(one.handle, "ci");
		const found = await one.owner.deskByKey(key);
		expect(found).toMatchObject({ desk: { row: { handle: one.handle } }, key: { name: "ci", last4: key.slice(-4) } });
		await expect(one.owner.revokeKey(other.handle, found?.key.uid as string)).rejects.toMatchObject({ code: "not_found" });
		await one.owner.revokeKey(one.handle, found?.key.uid as string);
		for (const nobody of [key, "eolc_nobody", "", "eolg_x", key.slice(5)]) expect(await one.owner.deskByKey(nobody)).toBeUndefined();
	});
});
