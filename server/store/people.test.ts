import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type TestEngine } from "../../test/engine.js";
import { DATABASES, type StorePlace, storePlace } from "../../test/stores.js";

describe.each(DATABASES)("a desk's profile and memory on %s", (database) => {
	let place: StorePlace;
	let desk: TestEngine;

	beforeAll(async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
	});
	afterAll(async () => {
		await desk.close();
		await place.remove();
	});

	it("changes what is given and keeps the rest, for the next who asks", async () => {
		const { owner } = desk.engine;
		await owner.createOwner({ handle: "anna", name: "Anna", ownerName: "Anna Berg", about: "Portraits", suggestions: ["When?"] });
		const before = await desk.engine.desk("anna");
		desk.clock.turn(1_000);
		await owner.changeProfile("anna", { name: "Anna's studio", ownerName: "A. Berg", suggestions: ["How much?", "Where?"] });
		const after = await desk.engine.desk("anna");
		expect(after?.face).toMatchObject({
			name: "Anna's studio",
			ownerName: "A. Berg",
			about: "Portraits",
			suggestions: ["How much?", "Where?"],
		});
		// What doors keep for a desk, its card above all, is kept by this object and by this time.
		expect(after).not.toBe(before);
		expect(after?.row.changedAt).toBeGreaterThan(before?.row.changedAt ?? 0);
		await owner.changeProfile("anna", { about: "", language: "zh" });
		expect((await desk.engine.desk("anna"))?.row).toMatchObject({ name: "Anna's studio", about: "", language: "zh" });
	});

	it("keeps two changes of different things made at once", async () => {
		const { owner } = desk.engine;
		await owner.createOwner({ handle: "both", name: "Both" });
		await Promise.all([owner.changeProfile("both", { name: "Changed" }), owner.changeProfile("both", { about: "Changed too" })]);
		expect((await desk.engine.desk("both"))?.row).toMatchObject({ name: "Changed", about: "Changed too" });
	});

	it("refuses what no desk may say, and changes nothing then", async () => {
		const { owner } = desk.engine;
		await owner.createOwner({ handle: "strict", name: "Strict" });
		await expect(owner.changeProfile("strict", { about: "new", suggestions: ["a", "b", "c", "d"] })).rejects.toMatchObject({
			code: "invalid_params",
			detail: { violations: [{ field: "suggestions" }] },
		});
		expect((await desk.engine.desk("strict"))?.row.about).toBe("");
		await expect(owner.changeProfile("nobody", { name: "x" })).rejects.toMatchObject({ code: "not_found" });
	});

	it("takes a file out of the memory only where it is, and none that is empty in", async () => {
		const { owner } = desk.engine;
		await owner.createOwner({ handle: "notes", name: "Notes" });
		await owner.putMemory("notes", "hours.md", "Closed on Monday.");
		await expect(owner.putMemory("notes", "hours.md", " \n")).rejects.toMatchObject({ code: "invalid_params" });
		expect(await owner.memory("notes")).toEqual([{ path: "hours.md", text: "Closed on Monday." }]);
		await expect(owner.removeMemory("notes", "prices.md")).rejects.toMatchObject({ code: "not_found" });
		await owner.removeMemory("notes", "hours.md");
		expect(await owner.memory("notes")).toEqual([]);
	});
});
