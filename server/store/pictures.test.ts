import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { openEngine, type TestEngine } from "../../test/engine.js";
import { DATABASES, type StorePlace, storePlace } from "../../test/stores.js";
import type { Caller } from "../engine/engine.js";

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
		(await desk.store.write("dropPictures", { unsentBefore: desk.clock.now() - LIMITS.pictureUnsentMs, limit: 50 })).gone;
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
		await desk.store.write("dropPictures", { unsentBefore: desk.clock.now() + 1, limit: 50 });
		expect(await desk.store.read.picture(theirs)).toBeUndefined();
	});

	it("that nobody sent go: marked first, then told again until their bytes are gone, then forgotten", async () => {
		const caller = await desk.caller();
		const uid = await keep(caller);
		const all = async () => (await desk.store.write("dropPictures", { unsentBefore: desk.clock.now() + 1, limit: 50 })).gone;
		expect(await all()).toContain(uid);
		expect(await all()).toContain(uid);
		await desk.store.write("forgetPictures", { uids: await all() });
		expect(await all()).not.toContain(uid);
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
