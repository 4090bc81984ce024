import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Caller } from "../../server/engine/engine.js";
import { openEngine } from "../engine.js";
import { DATABASES, storePlace } from "../stores.js";
import { judge, play, sequences, totals, type World } from "./sends.js";

import { openDoors, openEngineWorld, type People, script } from "./worlds.js";

const SEED = Number(process.env.SEED ?? 20_260_101);
const minutes = (n: number): number => n * 60_000;
/** Sequences that are played side by side. */
const AT_ONCE = 40;
const SEQUENCES = process.env.LONG ? 20_000 : Number(process.env.SMALL ?? 2_000);
const THROUGH_DOORS = process.env.LONG ? 2_000 : Number(process.env.SMALL ?? 200);
/** One restart of the store in so many runs: a writer's thread takes a while to come up. */
const RESTART_EVERY = 5;
const FORGETFUL = new URL("../store/forgetful-writer.js", import.meta.url);

/** Plays `count` sequences in runs and judges them. Rejects with the first that went wrong; with SHRINK=1 made small, which takes a while. */
async function prove(world: World & { people: People; restart(): Promise<void> }, count: number): Promise<void> {
	let played = 0;
	let runs = 0;
	const property = fc.asyncProperty(sequences(AT_ONCE), fc.nat(4), async (plans, pause) => {
		const first = played;
		played += plans.length;
		const restarts = runs++ % RESTART_EVERY === 1;
		const people = await world.people.invite(world.engine(), first, plans.length);
		const made = await totals(world, people);
		const games = await play(world, plans, first, async (round) => {
			if (restarts && round === pause) await world.restart();
		});
		for (const game of games) expect(await judge(world, game, made), JSON.stringify(plans[game.sequence - first])).toEqual([]);
		expect(await totals(world, people)).toEqual(made);
	});
	await fc.assert(property, {
		seed: SEED,
		numRuns: Math.ceil(count / AT_ONCE),
		endOnFailure: !process.env.SHRINK,
		interruptAfterTimeLimit: minutes(20),
		markInterruptAsFailure: true,
	});
	if (runs >= RESTART_EVERY) expect(played).toBeGreaterThanOrEqual(count);
}

describe.each(DATABASES)("whatever is sent how often on %s", (database) => {
	const count = database === "sqlite" ? SEQUENCES : SEQUENCES / 20;
	it(`has one effect: ${count} sequences`, { timeout: minutes(20) }, async () => {
		const place = await storePlace(database);
		onTestFinished(() => place.remove());
		const world = await openEngineWorld(place);
		onTestFinished(() => world.close());
		await prove(world, count);
	});

	it.each([true, false])("is carried out once of 50 first times at once (answerer in this process: %s)", async (inProcess) => {
		const place = await storePlace(database);
		onTestFinished(() => place.remove());
		const desk = await openEngine(place, { script, inProcess });
		onTestFinished(() => desk.close());
		const me = await desk.caller();
		const other = await desk.caller();
		const say = async (who: Caller, text: string) => {
			const sent = await desk.send(who, text, { messageId: "the-one" });
			return { sent, answered: await desk.engine.answer(who, await desk.desk(), sent, { waitMs: 60_000 }) };
		};
		const all = await Promise.all(Array.from({ length: 50 }, () => say(me, "<once>")));
		expect(new Set(all.map(({ sent }) => sent.taskId)).size).toBe(1);
		expect(all.filter(({ sent }) => !sent.attached)).toHaveLength(1);
		// Those that attached waited with the first, and were answered the same.
		const [answer, ...others] = all.map(({ answered }) => JSON.parse(answered.json));
		for (const other of others) expect(other).toEqual(answer);
		expect(all[0]?.answered).toMatchObject({ kind: "task", state: "TASK_STATE_COMPLETED" });
		const { contextId, taskId } = all[0]?.sent ?? { contextId: "", taskId: "" };
		const log = await desk.log(me, contextId);
		expect(log.filter((line) => line.message).map((line) => line.message.role)).toEqual(["ROLE_USER", "ROLE_AGENT"]);
		if (!inProcess) expect(desk.turns).toHaveLength(1);

		await expect(say(me, "<something else>")).rejects.toMatchObject({ code: "idempotency_conflict" });
		const theirs = await say(other, "<something else>");
		expect(theirs.sent.attached).toBe(false);
		expect(theirs.sent.taskId).not.toBe(taskId);
	});
});

describe("whatever is sent through whichever door how often", () => {
	it(`has one effect: ${THROUGH_DOORS} sequences`, { timeout: minutes(20) }, async () => {
		const world = await openDoors();
		onTestFinished(() => world.close());
		await prove(world, THROUGH_DOORS);
	});

	it("is carried out once of 50 first times at once, over three bindings", { timeout: minutes(1) }, async () => {
		const world = await openDoors();
		onTestFinished(() => world.close());
		await world.people.invite(world.engine(), 0, 1);
		const message = { messageId: "the-one", role: "ROLE_USER" as const, parts: [{ text: "<once>" }] };
		const outcomes = await Promise.all(
			Array.from({ length: 50 }, (_, i) => world.send(0, { caller: 0, desk: 0, message, door: i % 12, spelling: i % 4 })),
		);
		expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
		expect(outcomes[0]).toHaveProperty("taskId");
		const again = await world.send(0, { caller: 0, desk: 0, message: { ...message, parts: [{ text: "<twice>" }] }, door: 1, spelling: 0 });
		expect(again).toEqual({ refused: "idempotency_conflict" });
		expect(
			await world.send(0, { caller: 1, desk: 0, message: { ...message, parts: [{ text: "<twice>" }] }, door: 1, spelling: 0 }),
		).toHaveProperty("taskId");
	});

	it("is a new guest's without a credential, and that guest's own again with the token it was given", { timeout: minutes(1) }, async () => {
		const world = await openDoors();
		onTestFinished(() => world.close());
		const message = { messageId: "from-nobody", role: "ROLE_USER", parts: [{ text: "<who am I>" }] };
		const first = [
			await world.call(0, 0, undefined, message),
			await world.call(0, 1, undefined, message),
			await world.call(0, 0, undefined, { ...message, parts: [{ text: "<other>" }] }),
		];
		expect(new Set(first.map((outcome) => (outcome as { taskId: string }).taskId)).size).toBe(3);
		await world.restart();
		for (const { token, ...outcome } of first.slice(0, 2)) {
			for (const door of [0, 1, 2]) expect(await world.call(0, door, token, message)).toEqual(outcome);
			expect(await world.call(0, 2, token, { ...message, parts: [{ text: "<other>" }] })).toEqual({ refused: "idempotency_conflict" });
		}
	});
});

describe("a retry of what has been answered", () => {
	const METHODS = ["SendMessage", "SendStreamingMessage"];
	/** What came of it, and when it came to that: a retry changes neither. */
	const known = ({ task, message }: Record<string, unknown>): unknown => {
		const { id, contextId, status, artifacts } = (task ?? {}) as Record<string, unknown>;
		return message ?? { id, contextId, status, artifacts };
	};

	it.each(["reply", "asks?", "refused", "broken", "sign", "message"])(
		"is answered as the first was, in every binding (%s)",
		{ timeout: minutes(1) },
		async (ending) => {
			const world = await openDoors();
			onTestFinished(() => world.close());
			await world.people.invite(world.engine(), 0, 1);
			const { token } = world.people.who(0, 0);
			// Over AUTH_REQUIRED a stream stays open (a2a.md C7).
			const methods = ending === "sign" ? ["SendMessage"] : METHODS;
			const say = (messageId: string, more: Record<string, unknown> = {}) => ({
				message: { messageId, role: "ROLE_USER", parts: [{ text: `<${ending}>` }], ...more },
			});
			for (const [i, firstMethod] of methods.entries()) {
				for (const binding of [0, 1, 2]) {
					const params = say(`first-${binding}-${i}`);
					const first = await world.answerOf(binding, firstMethod, token, params);
					const firstKnown =
						firstMethod === "SendMessage" || "message" in first ? first : await world.answerOf(binding, "SendMessage", token, params);
					for (const again of [0, 1, 2]) {
						for (const method of methods) expect(known(await world.answerOf(again, method, token, params))).toEqual(known(firstKnown));
						expect(
							known(await world.answerOf(again, "SendMessage", token, { ...params, configuration: { returnImmediately: true } })),
						).toEqual(known(firstKnown));
					}
				}
			}
		},
	);

	it("is found though its task is not shown any more", { timeout: minutes(1) }, async () => {
		const world = await openDoors();
		onTestFinished(() => world.close());
		await world.people.invite(world.engine(), 0, 1);
		const { token } = world.people.who(0, 0);
		const begin = { message: { messageId: "begin", role: "ROLE_USER", parts: [{ text: "<which?>" }] } };
		const { task } = (await world.answerOf(0, "SendMessage", token, begin)) as { task: { id: string } };
		const goOn = { message: { messageId: "go-on", role: "ROLE_USER", parts: [{ text: "<message>" }], taskId: task.id } };
		const first = await world.answerOf(1, "SendMessage", token, goOn);
		expect(first.message).toMatchObject({ parts: [{ text: "No task, just this." }] });
		await world.restart();
		for (const binding of [0, 1, 2]) {
			for (const method of METHODS)
				for (const params of [goOn, begin]) expect(await world.answerOf(binding, method, token, params)).toEqual(first);
		}
		// It takes nothing new.
		expect(await world.call(0, 0, token, { ...goOn.message, messageId: "other" })).toEqual({ refused: "task_not_found" });
		expect(await world.call(0, 0, token, { ...goOn.message, parts: [{ text: "<other>" }] })).toEqual({ refused: "idempotency_conflict" });
	});
});

describe("a store that keeps no retry keys", () => {
	it("is found out by the engine's game", { timeout: minutes(2) }, async () => {
		const place = await storePlace("sqlite", { workerUrl: FORGETFUL });
		onTestFinished(() => place.remove());
		const world = await openEngineWorld(place);
		onTestFinished(() => world.close());
		expect(await foundOut(world)).toMatch(/one message, two tasks/);
	});

	it("is found out through the doors", { timeout: minutes(2) }, async () => {
		const world = await openDoors({ workerUrl: FORGETFUL });
		onTestFinished(() => world.close());
		expect(await foundOut(world)).toMatch(/one message, two tasks/);
	});
});

/** What the judge says of one run, without making it small. */
async function foundOut(world: World & { people: People }): Promise<string> {
	const [plans] = fc.sample(sequences(AT_ONCE), { seed: SEED, numRuns: 1 });
	await world.people.invite(world.engine(), 0, AT_ONCE);
	const games = await play(world, plans ?? [], 0, () => Promise.resolve());
	const wrong = await Promise.all(games.map((game) => judge(world, game, new Map())));
	return wrong.flat().join("\n");
}
