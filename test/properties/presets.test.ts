/**
 * T-PRESET (reliability.md 4.3, rows 54 and 55): whatever owners, keys, turns and visitors do in whatever order, and whatever befalls the server meanwhile, a call
 * is made and what it brings is given exactly as far as a small model says that it is in force (`presets-player.ts`).
 */
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Turn } from "../../server/engine/ports.js";
import { LIMITS } from "../../shared/limits.js";
import { scriptedApps } from "../apps/scripted.js";
import { testClock } from "../clock.js";
import { openEngine, type TestEngine } from "../engine.js";
import { LENIENCE, LENIENT } from "../store/lenient.js";
import { DATABASES, type Database, storePlace } from "../stores.js";
import { Player } from "./presets-player.js";
import { AT_ONCE, type Batch, batches, FIRST_CRASH } from "./presets-steps.js";
import type { World } from "./presets-world.js";

const SEED = Number(process.env.SEED ?? 20_260_302);
const SEQUENCES = process.env.LONG ? 50_000 : Number(process.env.SMALL ?? 600);
const minutes = (n: number): number => n * 60_000;

interface Server extends World {
	/** Lets time pass that wakes nobody. */
	pass(ms: number): void;
	/** Ends every approval that has run out, as upkeep does. */
	tidy(): Promise<void>;
	/** The process dies, and another opens what it left. */
	die(): Promise<void>;
	/** What has been seen, and how often. */
	tally: Map<string, number>;
}

async function openServer(database: Database, workerUrl?: URL): Promise<Server> {
	const place = await storePlace(database, workerUrl ? { workerUrl } : {});
	const clock = testClock();
	const begun: World["begun"] = new Map<string, (turn: Turn) => Promise<void>>();
	const made: World["made"] = new Set<string>();
	const slow: World["slow"] = new Map();
	const tally = new Map<string, number>();
	const apps = scriptedApps();
	apps.before(async (call) => {
		const key = JSON.stringify(call);
		made.add(key);
		const waits = slow.get(key);
		waits?.dialled();
		await waits?.answered;
	});
	const open = (): Promise<TestEngine> =>
		openEngine(place, {
			apps,
			clock,
			limits: { ...LIMITS, turnsPerEmbed: 100_000, turnsPerDesk: 100_000 },
			async *script(turn) {
				await begun.get(turn.incoming.at(-1)?.message.parts[0]?.text ?? "")?.(turn);
				yield { type: "text", text: "Done." };
				yield { type: "reply" };
			},
		});
	let world = await open();
	onTestFinished(async () => {
		await world.close();
		await place.remove();
	});
	return {
		engine: () => world.engine,
		now: clock.now,
		begun,
		made,
		slow,
		tally,
		seen: (what) => void tally.set(what, (tally.get(what) ?? 0) + 1),
		pass: (ms) => clock.jump(ms),
		async tidy() {
			while ((await world.store.write("expireApprovals", { now: clock.now() })).more);
		},
		async die() {
			await world.crash();
			// Where others may write, what it held is free once its leases have run out.
			if (database === "postgres") clock.jump(LIMITS.turnLeaseMs + 1);
			world = await open();
		},
	};
}

/** Plays a batch, a round of steps at a time, and says for each sequence what went otherwise than the model. With `untilFound` no further than needed. */
async function play(server: Server, first: number, { plans, befalls, crashAfter }: Batch, untilFound = false): Promise<string[][]> {
	const players = plans.map((_, i) => new Player(server, first + i));
	await Promise.all(players.map((player) => player.open()));
	for (let round = 0; round < Math.max(...plans.map((plan) => plan.length)); round++) {
		const { time = 0, upkeep = false } = befalls[round] ?? {};
		const steps = players.map(async (player, i) => {
			const step = plans[i]?.[round];
			if (step) await player.take(step);
		});
		await Promise.all([...steps, ...(upkeep ? [server.tidy()] : [])]);
		if (untilFound && players.some(({ wrong }) => wrong.length > 0)) break;
		server.pass(time);
		if (round !== crashAfter) continue;
		for (const player of players) player.crash();
		server.seen("a crash");
		await server.die();
		await Promise.all(players.map((player) => player.resumed()));
	}
	await Promise.all(players.map((player) => player.close()));
	server.begun.clear();
	server.slow.clear();
	return players.map(({ wrong }) => wrong);
}

describe.each(DATABASES)("presets, whatever is done in whatever order, on %s", (database) => {
	const count = database === "sqlite" ? SEQUENCES : Math.max(2 * AT_ONCE, SEQUENCES / 20);
	it(`give what a small model gives: ${count} sequences`, { timeout: minutes(20) }, async () => {
		const server = await openServer(database);
		let played = 0;
		await fc.assert(
			fc.asyncProperty(batches, async (batch) => {
				const first = played;
				played += batch.plans.length;
				// The first is cut off, and on PostgreSQL, where there are few, each.
				const crashAfter = batch.crashAfter ?? (first === 0 || database === "postgres" ? FIRST_CRASH : undefined);
				const wrong = await play(server, first, { ...batch, crashAfter });
				for (const [i, one] of wrong.entries()) expect(one, JSON.stringify({ ...batch, crashAfter, plans: batch.plans[i] })).toEqual([]);
			}),
			{
				seed: SEED,
				numRuns: Math.ceil(count / AT_ONCE),
				endOnFailure: !process.env.SHRINK,
				interruptAfterTimeLimit: minutes(19),
				markInterruptAsFailure: true,
			},
		);
		expect(played).toBeGreaterThanOrEqual(count);
		// It means something only if everything was met.
		const met = (what: string): boolean => (server.tally.get(what) ?? 0) > 0;
		if (database === "sqlite") expect(MET.filter((what) => !met(what))).toEqual([]);
		expect(met("a crash")).toBe(true);
	});
});

const MET = [
	"the embed is gone",
	"guests are off",
	"the site is blocked",
	"any site is off",
	"what comes is given",
	"what comes is given as less",
	"what comes is withheld",
	"what comes after its turn is withheld",
	"done, asked again",
	"withheld, asked again",
	"begun, asked again",
	"begun before a crash, asked again",
	"a turn is begun anew where more is given now",
	"open is decided",
	"expired is decided",
	"void is decided",
	"a race: made",
	"a race: withheld",
	"a race: not made",
];

describe("a store that forgets one rule of them", () => {
	it.each(LENIENT)("is found out: %s", { timeout: minutes(2) }, async (name) => {
		process.env[LENIENCE] = name;
		onTestFinished(() => void delete process.env[LENIENCE]);
		const server = await openServer("sqlite", new URL("../store/lenient-writer.js", import.meta.url));
		const wrong: string[] = [];
		for (const [run, batch] of fc.sample(batches, { seed: SEED, numRuns: SEQUENCES / AT_ONCE }).entries()) {
			const crashAfter = batch.crashAfter ?? (name === "begun anew" ? FIRST_CRASH : undefined);
			wrong.push(...(await play(server, run * AT_ONCE, { ...batch, crashAfter }, true)).flat());
			if (wrong.length > 0) break;
		}
		expect(wrong.length).toBeGreaterThan(0);
	});
});
