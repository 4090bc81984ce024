/**
 * T-PRESET (reliability.md 4.3): whatever owners, keys, turns and visitors do in whatever order, a call is made exactly if a small model
 * says that it is in force: the lowest of the owner's preset now, the one at the turn's start, what is connected, and the site.
 */
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CallResult } from "../../server/engine/apps-ports.js";
import type { Caller, Desk } from "../../server/engine/engine.js";
import type { Channel, Turn } from "../../server/engine/ports.js";
import { LIMITS } from "../../shared/limits.js";
import {
	type AppAccess,
	accessTo,
	DEFAULT_PRESET,
	meet,
	NOTHING,
	narrow,
	type Preset,
	type Widening,
	widened,
} from "../../shared/presets.js";
import { scriptedApps } from "../apps/scripted.js";
import { gate, openEngine, type TestEngine } from "../engine.js";
import { LENIENCE, LENIENT } from "../store/lenient.js";
import { DATABASES, type Database, storePlace } from "../stores.js";

const SEED = Number(process.env.SEED ?? 20_260_302);
const SEQUENCES = process.env.LONG ? 50_000 : Number(process.env.SMALL ?? 2_000);
const AT_ONCE = 40;
const STEPS = 14;
const minutes = (n: number): number => n * 60_000;
const SITE = "https://a.site.example";

type Step =
	| { do: "set"; webSearch?: boolean; calendar?: AppAccess }
	| { do: "decide"; which: number; decision: "approved" | "denied" }
	| { do: "connect"; app: "calendar" | "search"; most: "busy" | "read" }
	| { do: "remove"; app: "calendar" | "search" }
	| { do: "site"; state: "allowed" | "blocked" }
	| { do: "begin"; channel: Channel; goesOn: boolean }
	| { do: "use"; tool: "webSearch" | "calendar" }
	| { do: "end" };

const access = fc.constantFrom<AppAccess>("none", "busy", "read");
const app = fc.constantFrom<"calendar" | "search">("calendar", "search");
const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({ do: fc.constant("set" as const), calendar: access, webSearch: fc.boolean() }, { requiredKeys: ["do"] }),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant("decide" as const),
			which: fc.nat(3),
			decision: fc.constantFrom("approved" as const, "approved" as const, "denied" as const),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant("connect" as const), app, most: fc.constantFrom("busy" as const, "read" as const) }),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), app }) },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant("site" as const),
			state: fc.constantFrom("allowed" as const, "allowed" as const, "blocked" as const),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constant("begin" as const),
			channel: fc.constantFrom<Channel>("embed", "embed", "embed", "embed", "a2a", "page"),
			goesOn: fc.boolean(),
		}),
	},
	{
		weight: 6,
		arbitrary: fc.record({ do: fc.constant("use" as const), tool: fc.constantFrom("webSearch" as const, "calendar" as const) }),
	},
	{ weight: 1, arbitrary: fc.constant({ do: "end" as const }) },
);
const BOTH: Step[] = [
	{ do: "connect", app: "calendar", most: "read" },
	{ do: "connect", app: "search", most: "read" },
];
const TURN: Step = { do: "begin", channel: "embed", goesOn: false };
/** Where they begin: at nothing; with a turn under way and more asked for; with something to lose. */
const OPENINGS: Step[][] = [
	[],
	[...BOTH, TURN, { do: "set", calendar: "busy" }],
	[...BOTH, { do: "set", calendar: "read" }, { do: "decide", which: 0, decision: "approved" }, TURN],
];
const sequences = fc.array(
	fc
		.tuple(fc.constantFrom(...OPENINGS), fc.array(step, { minLength: 4, maxLength: STEPS }))
		.map(([opening, steps]) => [...opening, ...steps]),
	{ minLength: AT_ONCE, maxLength: AT_ONCE },
);

/** What there should be. */
interface Model {
	preset: Preset;
	most: Preset;
	approvals: { uid: string; widening: Widening; state: string }[];
	site: "allowed" | "blocked";
	turn?: { pinned: Preset; embed: boolean; elsewhere: boolean; made: number };
	elsewhere: boolean;
	begunIn?: Channel;
}

interface World {
	world: TestEngine;
	/** What a turn waits for, by the words that began it. */
	begun: Map<string, (turn: Turn) => Promise<void>>;
	/** Calls that were made outside, each of its own text. */
	made: Set<string>;
}

interface Running {
	use: Turn["use"];
	contextId: string;
	end(): Promise<void>;
}

/** Plays one sequence at a desk of its own and says what went otherwise than the model. */
async function play({ world, begun, made }: World, number: number, steps: readonly Step[]): Promise<string[]> {
	const { engine } = world;
	const handle = `d${number}`;
	await engine.owner.createOwner({ handle, name: "Mira" });
	await engine.owner.setSite(handle, SITE, "allowed");
	const desk = async () => (await engine.desk(handle)) as Desk;
	const { principal } = await engine.welcomeGuest(await desk(), `nonce-of-${handle}`);
	const model: Model = { preset: DEFAULT_PRESET, most: NOTHING, approvals: [], site: "allowed", elsewhere: false };
	const wrong: string[] = [];
	const holds = (what: string, found: unknown, meant: unknown): void => {
		if (JSON.stringify(found) !== JSON.stringify(meant))
			wrong.push(`${what}: ${JSON.stringify(found)} where ${JSON.stringify(meant)} was meant`);
	};
	let running: Running | undefined;
	let said = 0;
	let asked = 0;

	const begin = async (channel: Channel, goesOn: boolean): Promise<void> => {
		const contextId = running?.contextId;
		await running?.end();
		const caller: Caller = { principal, provenance: { channel, ...(channel === "embed" ? { site: SITE } : {}) }, extensions: [] };
		const started = gate<Turn>();
		const over = gate();
		const words = `${handle} ${++said}`;
		begun.set(words, async (turn) => {
			started.open(turn);
			await over.promise;
		});
		const message = { messageId: words, role: "ROLE_USER" as const, parts: [{ text: words }] };
		const isNew = !goesOn || contextId === undefined;
		const sent = await engine.send(caller, await desk(), { ...message, ...(isNew ? {} : { contextId }) }, {});
		const turn = await started.promise;
		running = {
			use: turn.use,
			contextId: sent.contextId,
			end: async () => {
				over.open();
				await engine.answer(caller, await desk(), sent, { waitMs: 20_000 });
			},
		};
		if (isNew) {
			model.begunIn = channel;
			model.elsewhere = false;
		} else if (channel !== model.begunIn) model.elsewhere = true;
		const embed = model.begunIn === "embed";
		model.turn = { pinned: embed ? meet(model.most, model.preset) : NOTHING, embed, elsewhere: model.elsewhere, made: 0 };
	};

	const use = async (tool: "webSearch" | "calendar"): Promise<void> => {
		if (!running || !model.turn) return;
		const { turn } = model;
		asked++;
		const call =
			tool === "webSearch" ? ({ tool, query: `${handle} ${asked}` } as const) : ({ tool, from: number, to: number + asked } as const);
		const result: CallResult = await running.use(call as Parameters<Turn["use"]>[0]);
		const inForce = turn.embed && !turn.elsewhere && model.site === "allowed" ? meet(model.most, model.preset, turn.pinned) : NOTHING;
		const level = tool === "webSearch" ? (inForce.webSearch ? "read" : "none") : accessTo(inForce, "calendar");
		const meant = level === "none" ? "not_allowed" : turn.made >= LIMITS.callsPerTurn ? "too_many" : level;
		if (meant === level) turn.made++;
		const got = !result.done
			? result.why
			: tool === "webSearch"
				? "read"
				: JSON.stringify(result.found).includes("title")
					? "read"
					: "busy";
		holds(`${handle} ${tool}`, got, meant);
		// Nothing is even asked of anybody outside (I11).
		holds(`${handle} ${tool}, made`, made.has(JSON.stringify(call)), meant === level);
	};

	const take = async (step: Step): Promise<void> => {
		switch (step.do) {
			case "set": {
				const calendar = step.calendar !== undefined && accessTo(model.most, "calendar") !== "none" ? step.calendar : undefined;
				const tooWide = calendar === "read" && accessTo(model.most, "calendar") === "busy";
				const change = {
					...(step.webSearch === undefined ? {} : { webSearch: step.webSearch }),
					...(calendar === undefined || tooWide ? {} : { apps: { calendar } }),
				};
				if (Object.keys(change).length === 0) break;
				const { preset, settled, wider } = narrow(model.preset, change);
				model.preset = preset;
				for (const approval of model.approvals) {
					const other = wider.find((w) => w.part === approval.widening.part);
					if (approval.state === "open" && (settled.includes(approval.widening.part) || (other && other.to !== approval.widening.to)))
						approval.state = "void";
				}
				const state = await engine.presets.change(handle, change);
				for (const { uid, widening } of state.waiting)
					if (!model.approvals.some((a) => a.uid === uid)) model.approvals.push({ uid, widening, state: "open" });
				for (const widening of wider)
					if (!model.approvals.some((a) => a.state === "open" && a.widening.part === widening.part && a.widening.to === widening.to))
						wrong.push(`${handle}: nothing waits for ${JSON.stringify(widening)}`);
				break;
			}
			case "decide": {
				const approval = model.approvals[model.approvals.length - 1 - step.which];
				if (!approval) break;
				const answer = await engine.presets.decide(handle, approval.uid, step.decision);
				const meant = approval.state === "open" ? step.decision : approval.state;
				holds(`${handle} ${approval.uid}`, [answer.state, answer.first], [meant, approval.state === "open"]);
				if (approval.state === "open" && step.decision === "approved") model.preset = widened(model.preset, approval.widening);
				approval.state = meant;
				break;
			}
			case "connect":
			case "remove": {
				const connected = step.app === "search" ? model.most.webSearch : accessTo(model.most, "calendar") !== "none";
				if (step.do === "remove" && !connected) break;
				if (step.do === "connect")
					await engine.presets.connectApp(handle, { kind: step.app === "search" ? "brave" : "ical", most: step.most });
				else await engine.presets.removeApp(handle, step.app);
				const to: AppAccess = step.do === "connect" ? step.most : "none";
				model.most =
					step.app === "search" ? { ...model.most, webSearch: step.do === "connect" } : { ...model.most, apps: { calendar: to } };
				if (step.app === "search") break;
				model.preset = narrow(model.preset, { apps: { calendar: "none" } }).preset;
				for (const approval of model.approvals)
					if (approval.state === "open" && approval.widening.part === "calendar") approval.state = "void";
				break;
			}
			case "site":
				await engine.owner.setSite(handle, SITE, step.state);
				model.site = step.state;
				break;
			case "begin":
				await begin(step.channel, step.goesOn);
				break;
			case "use":
				await use(step.tool);
				break;
			case "end":
				await running?.end();
				running = undefined;
				model.turn = undefined;
		}
		const { webSearch, apps } = (await engine.presets.get(handle)).preset;
		holds(`${handle} after ${step.do}`, meet({ webSearch, apps }), meet(model.preset));
	};
	try {
		for (const step of steps) await take(step);
	} catch (error) {
		wrong.push(`${handle}: ${error}`);
	} finally {
		await running?.end();
	}
	return wrong;
}

async function openWorld(database: Database, workerUrl?: URL): Promise<World> {
	const place = await storePlace(database, workerUrl ? { workerUrl } : {});
	const begun = new Map<string, (turn: Turn) => Promise<void>>();
	const made = new Set<string>();
	const apps = scriptedApps();
	apps.before(async (call) => void made.add(JSON.stringify(call)));
	const world = await openEngine(place, {
		apps,
		limits: { ...LIMITS, turnsPerEmbed: 100_000, turnsPerDesk: 100_000 },
		async *script(turn) {
			await begun.get(turn.incoming.at(-1)?.message.parts[0]?.text ?? "")?.(turn);
			yield { type: "text", text: "Done." };
			yield { type: "reply" };
		},
	});
	onTestFinished(async () => {
		await world.close();
		await place.remove();
	});
	return { world, begun, made };
}

describe.each(DATABASES)("presets, whatever is done in whatever order, on %s", (database) => {
	const count = database === "sqlite" ? SEQUENCES : SEQUENCES / 20;
	it(`give what a small model gives: ${count} sequences`, { timeout: minutes(20) }, async () => {
		const world = await openWorld(database);
		let played = 0;
		await fc.assert(
			fc.asyncProperty(sequences, async (plans) => {
				const first = played;
				played += plans.length;
				const wrong = await Promise.all(plans.map((plan, i) => play(world, first + i, plan)));
				world.begun.clear();
				for (const [i, one] of wrong.entries()) expect(one, JSON.stringify(plans[i])).toEqual([]);
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
	});
});

describe("a store that forgets one rule of them", () => {
	it.each(LENIENT)("is found out: %s", { timeout: minutes(2) }, async (name) => {
		process.env[LENIENCE] = name;
		onTestFinished(() => void delete process.env[LENIENCE]);
		const world = await openWorld("sqlite", new URL("../store/lenient-writer.js", import.meta.url));
		const wrong: string[] = [];
		for (const [run, plans] of fc.sample(sequences, { seed: SEED, numRuns: SEQUENCES / AT_ONCE }).entries()) {
			wrong.push(...(await Promise.all(plans.map((plan, i) => play(world, run * AT_ONCE + i, plan)))).flat());
			if (wrong.length > 0) break;
		}
		expect(wrong.length).toBeGreaterThan(0);
	});
});
