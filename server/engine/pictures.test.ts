/** A picture is kept whole or not at all, and what has to go goes, whatever else is in the way. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { openEngine, type TestEngine } from "../../test/engine.js";
import { type StorePlace, storePlace } from "../../test/stores.js";
import type { Caller, Desk } from "./engine.js";
import { Pictures } from "./pictures.js";
import type { PictureHand } from "./ports.js";

let place: StorePlace;
let program: TestEngine;
let desk: Desk;
let caller: Caller;
let logged: { level: string; fields: Record<string, unknown> }[];
/** What lies on the disk, by its name. */
let disk: Map<string, Uint8Array>;
/** Names that the disk refuses. */
let stuck: (uid: string) => boolean;
let full: boolean;
let made: number;

beforeEach(async () => {
	place = await storePlace("sqlite");
	program = await openEngine(place);
	desk = await program.desk();
	caller = await program.caller();
	[logged, disk, stuck, full, made] = [[], new Map(), () => false, false, 0];
});
afterEach(async () => {
	await program.close();
	await place.remove();
});

const hand: PictureHand = {
	make: async (bytes) => ({ bytes, mediaType: "image/png", width: 1, height: 1 }),
	async put(uid, bytes) {
		if (full) throw new Error("no space left on device");
		disk.set(uid, bytes);
	},
	open: async () => undefined,
	async remove(uid) {
		if (stuck(uid)) throw new Error("not permitted");
		disk.delete(uid);
	},
};

const pictures = (): Pictures =>
	new Pictures({
		store: program.store,
		clock: program.clock,
		random: { bytes: (n) => new Uint8Array(n).fill(++made) },
		log: (level, fields) => void logged.push({ level, fields }),
		hand,
		limits: LIMITS,
		deskAt: async () => desk,
	});
const take = () =>
	pictures().take(caller.principal as NonNullable<Caller["principal"]>, desk, new Uint8Array(10), {
		said: "image/png",
		network: "",
	});
const room = async () =>
	(await program.store.read.pictureRoom(desk.row.id, caller.principal?.id ?? 0, 0)) as { desk: object; lately: number };

describe("a picture that cannot be kept", () => {
	it("leaves nothing behind, and counts against nobody", async () => {
		full = true;
		await expect(take()).rejects.toThrow("no space left on device");
		expect(await room()).toEqual({ desk: { pictures: 0, bytes: 0 }, lately: 0 });
		expect((await program.store.write("dropPictures", { unsentBefore: Number.MAX_SAFE_INTEGER, after: "", limit: 50 })).gone).toEqual([]);
		full = false;
		await take();
		expect(await room()).toEqual({ desk: { pictures: 1, bytes: 10 }, lately: 1 });
	});

	it("is not even written down where it cannot be made, or the desk takes none", async () => {
		const { make } = hand;
		hand.make = () => Promise.reject(new Error("broken"));
		await expect(take()).rejects.toThrow("broken");
		hand.make = make;
		await program.engine.owner.changeSettings("mira", { parts: "text" });
		desk = await program.desk();
		await expect(take()).rejects.toMatchObject({ code: "content_type_not_supported" });
		expect(await room()).toMatchObject({ desk: { pictures: 0 } });
	});
});

describe("pictures that have to go", () => {
	it("go, though some of them cannot be removed: those are said, and tried again", async () => {
		const uids: string[] = [];
		// More than two slices, of which the first is stuck as a whole.
		for (let i = 0; i < 120; i++) {
			const { uid } = await pictures().take(
				{ ...(caller.principal as NonNullable<Caller["principal"]>), kind: "account" },
				desk,
				new Uint8Array(1),
				{ said: undefined, network: "" },
			);
			uids.push(uid);
		}
		const first = new Set(uids.sort().slice(0, 60));
		stuck = (uid) => first.has(uid);
		program.clock.jump(LIMITS.pictureUnsentMs + 1);
		await pictures().tidy();
		expect([...disk.keys()].sort()).toEqual([...first].sort());
		expect(logged).toEqual([{ level: "error", fields: { err: new Error("not permitted"), pictures: 60 } }]);
		// What is still there takes up room.
		expect(await room()).toMatchObject({ desk: { pictures: 60, bytes: 60 } });
		stuck = () => false;
		await pictures().tidy();
		expect(disk.size).toBe(0);
		expect(logged).toHaveLength(1);
		expect(await room()).toMatchObject({ desk: { pictures: 0, bytes: 0 } });
	});

	it("go when their owner says so: a row, its bytes and the room that they took", async () => {
		const { uid } = await take();
		await take();
		expect(await pictures().remove("mira", { uids: [uid, "x".repeat(32)] })).toBe(1);
		expect(await pictures().list("mira")).toMatchObject({ room: { pictures: 1, bytes: 10 }, newest: [{ from: caller.principal?.uid }] });
		expect(disk.has(uid)).toBe(false);
		expect(await pictures().remove("mira", { since: 0, until: Number.MAX_SAFE_INTEGER, from: "gst_nobody" })).toBe(0);
		expect(await pictures().remove("mira", { since: 0, until: Number.MAX_SAFE_INTEGER })).toBe(1);
		expect(disk.size).toBe(0);
	});

	it("go all of them, however many there are", async () => {
		const who = { ...(caller.principal as NonNullable<Caller["principal"]>), kind: "account" as const };
		const now = program.clock.now();
		for (let i = 0; i < 1_001; i++) {
			const row = { uid: String(i).padStart(32, "0"), mediaType: "image/png" as const, bytes: 1, width: 1, height: 1 };
			void program.store.write("keepPicture", {
				...row,
				deskId: desk.row.id,
				principalId: who.id,
				guest: false,
				since: 0,
				limits: LIMITS,
				now,
			});
		}
		expect(await pictures().remove("mira", { since: now, until: now + 1 })).toBe(1_001);
		expect(await room()).toMatchObject({ desk: { pictures: 0 } });
	});
});
