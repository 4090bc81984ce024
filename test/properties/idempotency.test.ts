/**
 * T-IDEM (reliability.md G-03, G-04): however often a message is sent, through whatever door, before or after a restart, it has one
 * effect and comes to one task; the same key with other content is refused, and somebody else's same key is another.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Caller, Engine } from "../../server/engine/engine.js";
import type { Answerer, Turn } from "../../server/engine/ports.js";
import type { PrincipalRow } from "../../server/engine/rows.js";
import { DeskError } from "../../shared/errors.js";
import { openTestDesk, type TestDesk } from "../desk.js";
import { openEngine, type Script, type TestEngine, textsOf } from "../engine.js";
import { type Binding, httpJson, jsonRpc, webSocket } from "../interop/bindings.js";
import { WIDE_LIMITS } from "../limits.js";
import { DATABASES, type StorePlace, storePlace } from "../stores.js";
import { CALLERS, DESKS, judge, type Outcome, play, type Send, sequences, totals, type World } from "./sends.js";

const SEED = Number(process.env.SEED ?? 20_260_101);
const minutes = (n: number): number => n * 60_000;
/** Sequences that are played side by side. */
const AT_ONCE = 40;
const SEQUENCES = process.env.LONG ? 20_000 : Number(process.env.SMALL ?? 2_000);
const THROUGH_DOORS = process.env.LONG ? 2_000 : Number(process.env.SMALL ?? 200);
/** One restart of the store in so many runs: a writer's thread takes a while to come up. */
const RESTART_EVERY = 5;
const FORGETFUL = new URL("../store/forgetful-writer.js", import.meta.url);

const asks = (text: string): boolean => text.includes("?>");
const script: Script = function* (turn) {
	const texts = textsOf(turn);
	if (texts.includes("<message>")) return yield { type: "message", parts: [{ text: "No task, just this." }] };
	yield { type: "text", text: `You said: ${texts.join(" | ")}` };
	if (texts.includes("<sign>")) yield { type: "needs_authorisation", explanation: "Sign in." };
	else if (texts.includes("<refused>")) yield { type: "rejected", explanation: "No." };
	else if (texts.includes("<broken>")) yield { type: "failed", explanation: "Broken." };
	else yield { type: "reply", asks: texts.some(asks) };
};

/** Makes the desks of the game where they are not there yet. */
async function furnish(engine: Engine): Promise<void> {
	for (const handle of DESKS) {
		if (!(await engine.desk(handle))) await engine.owner.createOwner({ handle, name: handle });
		if (handle === "kit") await engine.owner.changeSettings(handle, { retryScope: "context" });
	}
}

interface Person {
	principal: PrincipalRow;
	token: string;
}

/** The callers of each sequence: its own guests, and the accounts, which are the same in all. */
class People {
	private readonly of = new Map<number, Person[]>();
	constructor(private readonly accounts: readonly Person[]) {}

	/** Makes the guests of some sequences. Returns everybody there is in them. */
	async invite(engine: Engine, first: number, count: number): Promise<Set<PrincipalRow>> {
		const desks = await Promise.all(DESKS.map((handle) => engine.desk(handle)));
		const invited = Array.from({ length: count }, async (_, i) => {
			const guests = CALLERS.filter((desk) => desk !== undefined).map(async (desk, n): Promise<Person> => {
				const at = desks[desk];
				if (!at) throw new Error("a desk is gone");
				return await engine.welcomeGuest(at, `guest ${n} of sequence ${first + i}`);
			});
			this.of.set(first + i, [...(await Promise.all(guests)), ...this.accounts]);
		});
		await Promise.all(invited);
		return new Set(
			Array.from({ length: count }, (_, i) => this.of.get(first + i) ?? []).flatMap((people) => people.map(({ principal }) => principal)),
		);
	}

	who(sequence: number, caller: number): Person {
		const found = this.of.get(sequence)?.[caller];
		if (!found) throw new Error("nobody by that number");
		return found;
	}
}

/** Keys of the accounts of two owners: callers at any desk. */
async function accountsOf(engine: Engine): Promise<Person[]> {
	const keys = ["mira", "juno"].map(async (handle) => {
		const token = await engine.owner.createKey(handle, "idempotency");
		const desk = await engine.desk(handle);
		const principal = desk && (await engine.identify(token, desk));
		if (!principal) throw new Error("a key just made is not good");
		return { principal, token };
	});
	return await Promise.all(keys);
}

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

const refusedAs = (error: unknown): Outcome => {
	if (error instanceof DeskError) return { refused: error.code };
	throw error;
};

async function openEngineWorld(place: StorePlace): Promise<World & { people: People; restart(): Promise<void>; close(): Promise<void> }> {
	const open = (): Promise<TestEngine> => openEngine(place, { script, limits: WIDE_LIMITS });
	let now = await open();
	await furnish(now.engine);
	const people = new People(await accountsOf(now.engine));
	return {
		people,
		principal: (sequence, caller) => people.who(sequence, caller).principal,
		engine: () => now.engine,
		async send(sequence, { caller, desk, message }) {
			const at = await now.engine.desk(DESKS[desk] as string);
			if (!at) throw new Error("a desk is gone");
			const who: Caller = { principal: people.who(sequence, caller).principal, provenance: { channel: "a2a" }, extensions: [] };
			return await now.engine
				.send(who, at, message, {})
				.then(({ taskId, contextId, attached }) => ({ taskId, contextId, attached }), refusedAs);
		},
		async breathe() {
			await turnOfTheLoop();
			now.clock.turn(50);
		},
		async restart() {
			await now.crash();
			now = await open();
		},
		close: () => now.close(),
	};
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

// Through the doors

const answering: Answerer = { name: "scripted", inProcess: true, maySilence: false, answer: (turn: Turn, signal) => script(turn, signal) };

/** The same message in another spelling: snake_case, its keys in another order, the role by its number. */
function spelled(message: Send["message"], spelling: number): Record<string, unknown> {
	const turned = Object.fromEntries(Object.entries(message).reverse());
	if (spelling === 1) return turned;
	if (spelling === 2) return { ...turned, role: 1 };
	if (spelling !== 3) return { ...message };
	const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
	return Object.fromEntries(Object.entries(message).map(([name, value]) => [snake(name), value]));
}

/** What may differ between two times of the same send, and changes nothing of what it is. */
const CONFIGURATIONS = [{}, { returnImmediately: true }, { historyLength: 0 }, { returnImmediately: true, historyLength: 1 }];

async function openDoors(options: { workerUrl?: URL } = {}) {
	const dir = await mkdtemp(join(tmpdir(), "idempotency-"));
	let desk: TestDesk;
	let doors: Binding[][] = [];
	const open = async (): Promise<void> => {
		desk = await openTestDesk({ dir, answerer: answering, config: { limits: WIDE_LIMITS }, ...options });
		await furnish(desk.engine);
		const { url } = await desk.serve();
		doors = DESKS.map((handle) => [jsonRpc(url, handle), httpJson(url, handle), webSocket(url, handle)]);
	};
	const hangUp = (): void => {
		for (const door of doors.flat()) door.close();
	};
	await open();
	const people = new People(await accountsOf((desk! as TestDesk).engine));
	const call = async (
		desk: number,
		door: number,
		credential: string | undefined,
		message: Record<string, unknown>,
	): Promise<Outcome & { token?: string }> => {
		const binding = doors[desk]?.[door % 3] as Binding;
		const method = door % 12 < 9 ? "SendMessage" : "SendStreamingMessage";
		const { result, events, error, headers } = await binding.call(
			method,
			{ message, configuration: CONFIGURATIONS[door % 4] },
			{ credential },
		);
		if (error) return { refused: (error.reason ?? String(error.code)).toLowerCase() };
		const { id, contextId } = ((events?.[0] ?? result) as { task: { id: string; contextId: string } }).task;
		const token = headers.get("eol-guest-token");
		return { taskId: id, contextId, ...(token ? { token } : {}) };
	};
	/** The answer itself: a task or a message, of a stream its last event of either. */
	const answerOf = async (binding: number, method: string, credential: string, params: Record<string, unknown>): Promise<Record<string, unknown>> => {
		const { result, events, error } = await (doors[0]?.[binding] as Binding).call(method, params, { credential });
		if (error) throw new Error(`${method} was refused: ${error.message}`);
		return (events?.findLast((event) => "task" in (event as object) || "message" in (event as object)) ?? result) as Record<string, unknown>;
	};
	return {
		people,
		call,
		answerOf,
		principal: (sequence: number, caller: number) => people.who(sequence, caller).principal,
		engine: () => desk.engine,
		send: (sequence: number, { caller, desk, message, door, spelling }: Send) =>
			call(desk, door, people.who(sequence, caller).token, spelled(message, spelling)),
		breathe: async () => void (await turnOfTheLoop()),
		async restart() {
			hangUp();
			await desk.close();
			await open();
		},
		async close() {
			hangUp();
			await desk.close();
			await rm(dir, { recursive: true, force: true });
		},
	};
}

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

	it.each(["reply", "asks?", "refused", "broken", "sign", "message"])("is answered as the first was, in every binding (%s)", { timeout: minutes(1) }, async (ending) => {
		const world = await openDoors();
		onTestFinished(() => world.close());
		await world.people.invite(world.engine(), 0, 1);
		const { token } = world.people.who(0, 0);
		// Over AUTH_REQUIRED a stream stays open (a2a.md C7).
		const methods = ending === "sign" ? ["SendMessage"] : METHODS;
		const say = (messageId: string, more: Record<string, unknown> = {}) => ({ message: { messageId, role: "ROLE_USER", parts: [{ text: `<${ending}>` }], ...more } });
		for (const [i, firstMethod] of methods.entries()) {
			for (const binding of [0, 1, 2]) {
				const params = say(`first-${binding}-${i}`);
				const first = await world.answerOf(binding, firstMethod, token, params);
				const firstKnown = firstMethod === "SendMessage" || "message" in first ? first : await world.answerOf(binding, "SendMessage", token, params);
				for (const again of [0, 1, 2]) {
					for (const method of methods) expect(known(await world.answerOf(again, method, token, params))).toEqual(known(firstKnown));
					expect(known(await world.answerOf(again, "SendMessage", token, { ...params, configuration: { returnImmediately: true } }))).toEqual(known(firstKnown));
				}
			}
		}
	});

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
			for (const method of METHODS) for (const params of [goOn, begin]) expect(await world.answerOf(binding, method, token, params)).toEqual(first);
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
