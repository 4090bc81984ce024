import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { openEngine, type TestEngine } from "../../test/engine.js";
import { DATABASES, type StorePlace, storePlace } from "../../test/stores.js";
import type { Caller } from "../engine/engine.js";
import { migrateSqlite } from "./migrate.js";
import { loadRoom } from "./pictures.js";

describe.each(DATABASES)("pictures, ratings and hours on %s", (database) => {
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

	const keep = async (caller: Caller, more: { bytes?: number; limits?: typeof LIMITS; guest?: boolean } = {}) => {
		const uid = String(++made).padStart(32, "p");
		const { row } = await desk.desk();
		const now = desk.clock.now();
		await desk.store.write("keepPicture", {
			...{ uid, mediaType: "image/png", bytes: more.bytes ?? 10, width: 2, height: 1 },
			...{ deskId: row.id, principalId: caller.principal?.id ?? 0, guest: more.guest ?? true, since: now - 1_000, now },
			limits: more.limits ?? LIMITS,
		});
		return uid;
	};
	const drop = async () =>
		(await desk.store.write("dropPictures", { unsentBefore: desk.clock.now() - LIMITS.pictureUnsentMs, after: "", limit: 50 })).gone;
	const send = async (caller: Caller, ...uids: string[]) =>
		await desk.send(caller, "Look", {
			parts: [{ text: "Look" }, ...uids.map((uid) => ({ url: `https://desk.example/f/${uid}`, mediaType: "image/png" }))],
		});

	it("belong to the conversation that they are sent in, and are kept in it", async () => {
		const caller = await desk.caller();
		const [sent, unsent] = [await keep(caller), await keep(caller)];
		await send(caller, sent);
		expect(await desk.store.read.picture(sent)).toMatchObject({ mediaType: "image/png", width: 2, height: 1, bytes: 10 });
		expect(await desk.store.read.picture(unsent)).toBeDefined();
		expect(await drop()).toEqual([]);
	});

	it("of somebody else are not taken along by naming them", async () => {
		const [one, other] = [await desk.caller(), await desk.caller()];
		const theirs = await keep(other);
		await send(one, theirs);
		await desk.store.write("dropPictures", { unsentBefore: desk.clock.now() + 1, after: "", limit: 50 });
		expect(await desk.store.read.picture(theirs)).toBeUndefined();
	});

	it("that nobody sent go: marked first, then told again until their bytes are gone, then forgotten", async () => {
		const caller = await desk.caller();
		const uid = await keep(caller);
		const all = async () => (await desk.store.write("dropPictures", { unsentBefore: desk.clock.now() + 1, after: "", limit: 50 })).gone;
		expect(await all()).toContain(uid);
		expect(await all()).toContain(uid);
		await desk.store.write("forgetPictures", { uids: await all() });
		expect(await all()).not.toContain(uid);
	});

	it("that have to go are told a slice after the other: one that stays keeps none from being told", async () => {
		const caller = await desk.caller();
		const uids = [await keep(caller), await keep(caller), await keep(caller)];
		const slice = (after: string, limit = 1) => desk.store.write("dropPictures", { unsentBefore: 0, after, limit });
		const { row } = await desk.desk();
		await desk.store.write("removePictures", { deskId: row.id, uids, from: null, since: 0, until: 0, limit: 50 });
		const told: string[] = [];
		for (let after = ""; ; ) {
			const { gone, after: next } = await slice(after);
			if (gone.length === 0) break;
			told.push(...gone);
			after = next;
		}
		expect(told).toEqual(uids);
		await desk.store.write("forgetPictures", { uids });
		expect((await slice("", 50)).gone).toEqual([]);
	});

	it("are taken away by the desk's owner: by their ids, of a time, of a guest, and none of another desk", async () => {
		const [one, two] = [await desk.caller(), await desk.caller()];
		const { row } = await desk.desk();
		desk.clock.jump(1_000);
		const early = [await keep(one), await keep(two)];
		await send(one, early[0] as string);
		desk.clock.jump(1_000);
		const late = [await keep(one), await keep(two)];
		const since = desk.clock.now();
		const remove = (which: { uids?: string[]; from?: string; since?: number; until?: number; deskId?: number; limit?: number }) =>
			desk.store.write("removePictures", { deskId: row.id, uids: null, from: null, since: 0, until: 9e15, limit: 50, ...which });
		const left = async () =>
			(await desk.store.read.deskPictures(row.id, 50)).map(({ uid }) => uid).filter((uid) => [...early, ...late].includes(uid));
		expect(await left()).toEqual([...late, ...early]);
		expect(await remove({ uids: [...early, ...late], deskId: row.id + 1 })).toEqual({ removed: 0, more: false });
		expect(await remove({ since, until: since })).toEqual({ removed: 0, more: false });
		expect(await remove({ since, from: two.principal?.uid ?? "" })).toEqual({ removed: 1, more: false });
		expect(await left()).toEqual([late[0], ...early]);
		expect(await remove({ since: since - 1_000, until: since, limit: 1 })).toEqual({ removed: 1, more: true });
		expect(await remove({ since: since - 1_000, until: since, limit: 2 })).toEqual({ removed: 1, more: false });
		expect(await left()).toEqual([late[0]]);
		// Gone for everybody at once, also out of the conversation that it was sent in.
		expect(await desk.store.read.picture(early[0] as string)).toBeUndefined();
		expect(await remove({ uids: [late[0] as string, "x".repeat(32)] })).toEqual({ removed: 1, more: false });
		expect(await left()).toEqual([]);
		await desk.store.write("forgetPictures", { uids: [...early, ...late] });
	});

	it("are listed for the desk's owner with who sent them, and whether it was said", async () => {
		const caller = await desk.caller();
		desk.clock.jump(1_000);
		const [sent, unsent] = [await keep(caller), await keep(caller, { bytes: 20 })];
		await send(caller, sent);
		const { row } = await desk.desk();
		const before = (await desk.store.read.pictureRoom(row.id, 0, 0)).desk;
		const list = await desk.store.read.deskPictures(row.id, 2);
		const from = caller.principal?.uid;
		expect(list).toEqual([
			{ uid: sent, mediaType: "image/png", bytes: 10, width: 2, height: 1, from, sent: true, at: desk.clock.now() },
			{ uid: unsent, mediaType: "image/png", bytes: 20, width: 2, height: 1, from, sent: false, at: desk.clock.now() },
		]);
		await desk.store.write("removePictures", { deskId: row.id, uids: [unsent], from: null, since: 0, until: 0, limit: 1 });
		// Its bytes may still be there.
		expect((await desk.store.read.pictureRoom(row.id, 0, 0)).desk).toEqual(before);
		await desk.store.write("forgetPictures", { uids: [unsent] });
		expect((await desk.store.read.pictureRoom(row.id, 0, 0)).desk).toEqual({ pictures: before.pictures - 1, bytes: before.bytes - 20 });
	});

	it("of one message are so many, whoever sends it; a message with more is not taken in", async () => {
		const caller = await desk.caller();
		const uids = await Promise.all(Array.from({ length: LIMITS.picturesPerMessage + 1 }, () => keep(caller)));
		const asked = await send(caller, ...uids.slice(1));
		await expect(send(caller, ...uids)).rejects.toMatchObject({
			code: "invalid_params",
			message: "message.parts: Give at most 4 pictures; send the others as another message.",
		});
		await expect(send(desk.nobody, ...uids)).rejects.toMatchObject({ code: "invalid_params" });
		const { row } = await desk.desk();
		const sent = (await desk.store.read.deskPictures(row.id, 50)).filter((one) => uids.includes(one.uid) && one.sent).map(({ uid }) => uid);
		expect(sent.sort()).toEqual(uids.slice(1).sort());
		expect((await desk.log(caller, asked.contextId)).filter((line) => line.message?.role === "ROLE_USER")).toHaveLength(1);
	});

	it("are counted: a guest's an hour, and a desk's room", async () => {
		const caller = await desk.caller();
		const limits = { ...LIMITS, picturesPerGuestPerHour: 2 } as unknown as typeof LIMITS;
		await keep(caller, { limits });
		await keep(caller, { limits });
		await expect(keep(caller, { limits })).rejects.toMatchObject({ code: "rate_limited" });
		await keep(caller, { limits, guest: false });
		const full = { ...LIMITS, pictureBytesPerDesk: 1 } as unknown as typeof LIMITS;
		await expect(keep(await desk.caller(), { limits: full })).rejects.toMatchObject({ code: "unavailable" });
		// However small they are.
		const { row } = await desk.desk();
		const { pictures } = (await desk.store.read.pictureRoom(row.id, 0, 0)).desk;
		const last = { ...LIMITS, picturesPerDesk: pictures + 1 } as unknown as typeof LIMITS;
		await keep(await desk.caller(), { limits: last, bytes: 1 });
		await expect(keep(await desk.caller(), { limits: last, bytes: 1 })).rejects.toMatchObject({ code: "unavailable" });
	});

	it("a thumb is kept once an answer, can be changed and taken back, and is read by asker and owner", async () => {
		const caller = await desk.caller();
		const { row, ...rest } = await desk.desk();
		const asked = await desk.ask(caller, "Hello?");
		const contextId = asked.contextId as string;
		const log = await desk.log(caller, contextId);
		const answer = log.find((line) => line.message?.role === "ROLE_AGENT") as { seq: number };
		const question = log.find((line) => line.message?.role === "ROLE_USER") as { seq: number };
		const rate = (seq: number, value: "up" | "down" | "none", by = caller) => desk.engine.rate(by, { row, ...rest }, contextId, seq, value);
		await rate(answer.seq, "up");
		await rate(answer.seq, "down");
		expect(await desk.engine.ratings(caller, { row, ...rest }, contextId)).toEqual([{ seq: answer.seq, value: "down" }]);
		expect(await desk.engine.owner.ratings(row.handle)).toEqual([
			{ contextId, seq: answer.seq, value: "down", text: "You said: Hello?", at: expect.any(Number) },
		]);
		await rate(answer.seq, "none");
		expect(await desk.engine.ratings(caller, { row, ...rest }, contextId)).toEqual([]);
		await expect(rate(question.seq, "up")).rejects.toMatchObject({ code: "invalid_params" });
		await expect(rate(9_999, "up")).rejects.toMatchObject({ code: "invalid_params" });
		await expect(rate(answer.seq, "up", await desk.caller())).rejects.toMatchObject({ code: "context_not_found" });
	});

	it("hours are kept as they were written; outside them questions wait, and are taken up when they begin", async () => {
		const caller = await desk.caller();
		const { handle } = (await desk.desk()).row;
		// A night that has begun: it ends in two hours, and the day after it is long.
		const two = (h: number): string => `${String((new Date(desk.clock.now()).getUTCHours() + h) % 24).padStart(2, "0")}:00`;
		const hours = `${two(2)}-${two(20)} UTC`;
		const after = await desk.engine.owner.changeSettings(handle, { hours });
		expect(after.settings.hours).toBe(hours);
		expect(after.face).toMatchObject({ online: false, opensAt: expect.any(Number) });
		const asked = await desk.send(caller, "Anybody there.");
		expect(asked.state).toBe("TASK_STATE_SUBMITTED");
		let isOnline = false;
		const stop = desk.engine.onPresence((_, { online }) => {
			isOnline = online;
		});
		desk.clock.turn((after.face.opensAt ?? 0) - desk.clock.now());
		await desk.pass(1_000, () => isOnline);
		await desk.pass(100, () => desk.turns.some((turn) => turn.incoming.some((m) => m.message.parts[0]?.text === "Anybody there.")));
		await expect.poll(async () => (await desk.task(caller, asked.taskId)).status.state).toBe("TASK_STATE_COMPLETED");
		stop();
		await expect(desk.engine.owner.changeSettings(handle, { hours: "whenever" })).rejects.toMatchObject({ code: "invalid_params" });
		await desk.engine.owner.changeSettings(handle, { hours: "" });
	});
});

describe("the room of a desk's pictures", () => {
	it("is known from an index: no picture's row is read for it", () => {
		const dir = mkdtempSync(join(tmpdir(), "pictures-"));
		const connection = new Database(join(dir, "desk.sqlite"));
		migrateSqlite(connection, join(dir, "desk.sqlite"), 0);
		const plans: string[] = [];
		const steps = loadRoom(1, 1, 1);
		for (let step = steps.next(); !step.done; step = steps.next([])) {
			const plan = connection.prepare(`explain query plan ${step.value.text}`).all(...step.value.values) as { detail: string }[];
			plans.push(...plan.map(({ detail }) => detail));
		}
		connection.close();
		rmSync(dir, { recursive: true });
		expect(plans).toEqual([
			"SEARCH picture USING COVERING INDEX picture_by_desk (desk_id=?)",
			"SEARCH picture USING COVERING INDEX picture_by_principal (principal_id=? AND created_at>?)",
		]);
	});
});
