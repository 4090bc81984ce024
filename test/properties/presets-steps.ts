/** What T-PRESET does: steps of one desk's owner, key, visitors and turns, and what befalls all desks of a server between them. */
import fc from "fast-check";
import type { Channel } from "../../server/engine/ports.js";
import { LIMITS } from "../../shared/limits.js";
import type { AppAccess } from "../../shared/presets.js";

export type Tool = "webSearch" | "calendar";

/** What only ever takes something away. */
export type Narrowing =
	| { do: "set"; webSearch?: boolean; calendar?: AppAccess }
	| { do: "remove"; app: "calendar" | "search" }
	| { do: "site"; state?: "allowed" | "blocked" | "none"; anySite?: boolean }
	| { do: "guests"; on: boolean }
	| { do: "embedGone" };

export type Step =
	| Narrowing
	| { do: "decide"; which: number; decision: "approved" | "denied" }
	| { do: "connect"; app: "calendar" | "search"; most: "busy" | "read" }
	| { do: "begin"; channel: Channel; goesOn: boolean; numbered: boolean }
	/** `waits`: it stays under way until `land`. */
	| { do: "use"; tool: Tool; waits: boolean }
	/** What was under way comes. */
	| { do: "land" }
	/** One of the turn's calls once more. */
	| { do: "again"; which: number }
	/** A call and something that takes away, both at once. */
	| { do: "race"; tool: Tool; narrowing: Narrowing }
	| { do: "end" };

/** What befalls every desk after a round of steps. */
export interface Befalls {
	/** Milliseconds that go by. */
	time: number;
	/** Upkeep ends approvals while the next steps are taken. */
	upkeep: boolean;
}

/** Sequences that are played side by side on one server, a step of each at a time. */
export interface Batch {
	plans: Step[][];
	befalls: Befalls[];
	/** The round after which the process dies and another one opens; undefined: it does not. */
	crashAfter: number | undefined;
}

export const AT_ONCE = 40;
const STEPS = 14;
/** The first round after which there is something to be cut off. */
export const FIRST_CRASH = 4;
const LONGEST = STEPS + 8;

const access = fc.constantFrom<AppAccess>("none", "busy", "read");
const app = fc.constantFrom<"calendar" | "search">("calendar", "search");
const tool = fc.constantFrom<Tool>("webSearch", "calendar");
const one = <const D extends string>(name: D): fc.Arbitrary<D> => fc.constant(name);

const narrowing: fc.Arbitrary<Narrowing> = fc.oneof(
	{ weight: 3, arbitrary: fc.record({ do: one("set"), webSearch: fc.constant(false) }) },
	{ weight: 3, arbitrary: fc.record({ do: one("set"), calendar: fc.constantFrom<AppAccess>("none", "none", "busy") }) },
	{ weight: 1, arbitrary: fc.record({ do: one("remove"), app }) },
	{ weight: 1, arbitrary: fc.record({ do: one("site"), state: one("blocked") }) },
	{ weight: 1, arbitrary: fc.record({ do: one("site"), state: one("none"), anySite: fc.constant(false) }) },
	{ weight: 1, arbitrary: fc.record({ do: one("guests"), on: fc.constant(false) }) },
	{ weight: 1, arbitrary: fc.record({ do: one("embedGone") }) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({ do: one("set"), calendar: access, webSearch: fc.boolean() }, { requiredKeys: ["do"] }),
	},
	{
		weight: 8,
		arbitrary: fc.record({
			do: one("decide"),
			which: fc.nat(3),
			decision: fc.constantFrom("approved" as const, "approved" as const, "denied" as const),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ do: one("connect"), app, most: fc.constantFrom("busy" as const, "read" as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: one("remove"), app }) },
	{
		weight: 3,
		arbitrary: fc.record(
			{
				do: one("site"),
				state: fc.constantFrom("allowed" as const, "allowed" as const, "blocked" as const, "none" as const),
				anySite: fc.boolean(),
			},
			{ requiredKeys: ["do"] },
		),
	},
	{ weight: 2, arbitrary: fc.record({ do: one("guests"), on: fc.constantFrom(true, true, false) }) },
	{ weight: 1, arbitrary: fc.record({ do: one("embedGone") }) },
	{
		weight: 6,
		arbitrary: fc.record({
			do: one("begin"),
			channel: fc.constantFrom<Channel>("embed", "embed", "embed", "embed", "embed", "a2a", "page"),
			goesOn: fc.boolean(),
			numbered: fc.boolean(),
		}),
	},
	{ weight: 12, arbitrary: fc.record({ do: one("use"), tool, waits: fc.boolean() }) },
	{ weight: 8, arbitrary: fc.record({ do: one("land") }) },
	{ weight: 5, arbitrary: fc.record({ do: one("again"), which: fc.nat(2) }) },
	{ weight: 5, arbitrary: fc.record({ do: one("race"), tool, narrowing }) },
	{ weight: 2, arbitrary: fc.record({ do: one("end") }) },
);

const BOTH: Step[] = [
	{ do: "connect", app: "calendar", most: "read" },
	{ do: "connect", app: "search", most: "read" },
];
const TURN: Step = { do: "begin", channel: "embed", goesOn: false, numbered: true };
/**
 * Where they begin: at nothing; with a turn that began with nothing connected; with a turn under way and more asked for; with something to lose, and a call that brings it under way;
 * with something that was withheld and would be given now. */
const GIVEN: Step[] = [...BOTH, { do: "set", calendar: "read" }, { do: "decide", which: 0, decision: "approved" }, TURN];
const OPENINGS: Step[][] = [
	[],
	[TURN, ...BOTH, { do: "land" }, { do: "land" }, { do: "use", tool: "webSearch", waits: false }],
	[...BOTH, TURN, { do: "set", calendar: "busy" }],
	[...BOTH, TURN, { do: "use", tool: "webSearch", waits: true }, { do: "again", which: 0 }, { do: "again", which: 0 }],
	GIVEN,
	[...GIVEN, { do: "use", tool: "calendar", waits: true }],
	[...GIVEN, { do: "use", tool: "calendar", waits: true }, { do: "set", calendar: "busy" }, { do: "land" }],
	[
		...BOTH,
		TURN,
		{ do: "use", tool: "webSearch", waits: true },
		{ do: "set", webSearch: false },
		{ do: "land" },
		{ do: "set", webSearch: true },
		{ do: "decide", which: 0, decision: "approved" },
	],
];

const plan = fc
	.tuple(fc.constantFrom(...OPENINGS), fc.array(step, { minLength: 4, maxLength: STEPS }))
	.map(([opening, steps]) => [...opening, ...steps]);
const befalls: fc.Arbitrary<Befalls> = fc.record({
	time: fc.constantFrom(...Array<number>(12).fill(0), LIMITS.callMs, LIMITS.approvalMs / 2, LIMITS.approvalMs),
	upkeep: fc.constantFrom(false, false, false, true),
});

export const batches: fc.Arbitrary<Batch> = fc.record({
	plans: fc.array(plan, { minLength: AT_ONCE, maxLength: AT_ONCE }),
	befalls: fc.array(befalls, { minLength: LONGEST, maxLength: LONGEST }),
	crashAfter: fc.oneof(
		{ weight: 3, arbitrary: fc.constant(undefined) },
		{ weight: 1, arbitrary: fc.integer({ min: FIRST_CRASH, max: FIRST_CRASH + 6 }) },
	),
});
