import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { openEngine, type TestEngine } from "../../test/engine.js";
import { DATABASES, type StorePlace, storePlace } from "../../test/stores.js";

describe.each(DATABASES)("questions asked by a link, and private links, on %s", (database) => {
	let place: StorePlace;
	let desk: TestEngine;
	let deskId: number;
	let made = 0;

	beforeAll(async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
		deskId = (await desk.desk()).row.id;
	});
	afterAll(async () => {
		await desk.close();
		await place.remove();
	});

	const hash = (letter: string) => letter.repeat(64).slice(0, 60) + String(made).padStart(4, "0");
	const guest = () => `gst_${String(++made).padStart(26, "0")}`;
	const open = (question: string, linkHash: string) =>
		desk.store.write("openAsk", { deskId, hash: question, guestUid: guest(), linkHash, now: desk.clock.now() });
	const more = (linkHash: string, of = deskId) =>
		desk.store.write("askMore", { deskId: of, linkHash, guestUid: guest(), now: desk.clock.now() });
	const read = (linkHash: string, of = deskId) => desk.store.read.followUp(linkHash, of, desk.clock.now());

	it("makes one guest of the same question within a while, and each time a link", async () => {
		const question = hash("a");
		const [one, two, three] = ["b", "c", "d"].map(hash) as [string, string, string];
		const { guestUid } = await open(question, one);
		desk.clock.jump(LIMITS.askRepeatMs - 1);
		expect(await open(question, two)).toEqual({ guestUid, free: true });
		expect(await read(one)).toMatchObject({ first: { uid: guestUid, kind: "guest", deskId }, speaker: undefined, free: true });
		expect(await read(two)).toMatchObject({ first: { uid: guestUid } });
		desk.clock.jump(1);
		expect((await open(question, three)).guestUid).not.toBe(guestUid);
	});

	it("makes one guest also where the same question comes thirty times in one moment", async () => {
		const question = hash("e");
		const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => open(question, hash("f") + i)));
		expect(new Set(answers.map((a) => a.guestUid)).size).toBe(1);
	});

	it("gives the conversation to the first link that asks more, also of twenty at once, and a guest of its own to every other", async () => {
		const question = hash("g");
		const links = Array.from({ length: 20 }, (_, i) => `${hash("h")}-${i}`);
		let first = "";
		for (const link of links) first = (await open(question, link)).guestUid;
		const speakers = await Promise.all(links.map((link) => more(link)));
		expect(speakers.filter((s) => s.speakerUid === first)).toHaveLength(1);
		expect(new Set(speakers.map((s) => s.speakerUid)).size).toBe(20);
		expect(await Promise.all(links.map((link) => more(link)))).toEqual(speakers);
		// One that is made after that reads the question and never becomes that guest, also when the first has ended.
		const late = hash("i");
		await open(question, late);
		const taker = links[speakers.findIndex((s) => s.speakerUid === first)] as string;
		await desk.store.write("endFollowUp", { deskId, linkHash: taker });
		expect(await read(late)).toMatchObject({ free: false });
		expect((await more(late)).speakerUid).not.toBe(first);
	});

	it("ends a link when it is ended, when its time is over, and when its guest is revoked", async () => {
		const [one, two, three] = ["j", "k", "l"].map(hash) as [string, string, string];
		await open(hash("m"), one);
		await desk.store.write("endFollowUp", { deskId, linkHash: one });
		expect(await read(one)).toBeUndefined();
		await expect(more(one)).rejects.toMatchObject({ code: "not_found" });

		await open(hash("n"), two);
		desk.clock.jump(LIMITS.followUpMs - 1);
		await more(two);
		desk.clock.jump(LIMITS.followUpMs - 1);
		expect(await read(two)).toBeDefined();
		desk.clock.jump(1);
		expect(await read(two)).toBeUndefined();
		await expect(more(two)).rejects.toMatchObject({ code: "not_found" });

		const question = hash("o");
		const { guestUid } = await open(question, three);
		await desk.engine.owner.revokeGuest("mira", guestUid);
		expect(await read(three)).toBeUndefined();
		await expect(more(three)).rejects.toMatchObject({ code: "not_found" });
		expect((await open(question, hash("p"))).guestUid).not.toBe(guestUid);
	});

	it("knows a link at its own desk only", async () => {
		const { row } = await desk.engine.owner.createOwner({ handle: `other${++made}`, name: "Other" });
		const link = hash("q");
		await open(hash("r"), link);
		expect(await read(link, row.id)).toBeUndefined();
		await expect(more(link, row.id)).rejects.toMatchObject({ code: "not_found" });
		await desk.store.write("endFollowUp", { deskId: row.id, linkHash: link });
		expect(await read(link)).toBeDefined();
	});

	it("forgets what is over in slices", async () => {
		const prune = (limit: number) =>
			desk.store.write("pruneFollowUps", { now: desk.clock.now(), askedBefore: desk.clock.now() - LIMITS.askRepeatMs, limit });
		// What the tests before have left.
		desk.clock.jump(LIMITS.followUpMs);
		while ((await prune(100)).more);
		for (const letter of "stuvw") await open(hash(letter), `${hash(letter)}-`);
		expect(await prune(2)).toEqual({ pruned: 0, more: false });
		desk.clock.jump(LIMITS.askRepeatMs);
		expect(await prune(3)).toEqual({ pruned: 3, more: true });
		expect(await prune(3)).toEqual({ pruned: 2, more: false });
		desk.clock.jump(LIMITS.followUpMs);
		expect(await prune(100)).toEqual({ pruned: 5, more: false });
		expect(await prune(100)).toEqual({ pruned: 0, more: false });
	});
});
