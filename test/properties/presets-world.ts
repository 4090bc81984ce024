/** What a player of T-PRESET stands in, and how it says how much a call was given. */
import type { Call, CallResult } from "../../server/engine/apps-ports.js";
import type { Engine } from "../../server/engine/engine.js";
import type { Turn } from "../../server/engine/ports.js";
import type { AppAccess, Preset } from "../../shared/presets.js";
import type { gate } from "../engine.js";
import type { Tool } from "./presets-steps.js";

export const SITE = "https://a.site.example";
const LEVELS: readonly AppAccess[] = ["none", "busy", "read"];
export const lowest = (...levels: AppAccess[]): AppAccess => LEVELS[Math.min(...levels.map((level) => LEVELS.indexOf(level)))] ?? "none";

/** The world as it is now: another engine after a crash. */
export interface World {
	engine(): Engine;
	now(): number;
	/** What a turn does, by the words that began it. */
	begun: Map<string, (turn: Turn) => Promise<void>>;
	/** Calls that were made outside, each of its own text. */
	made: Set<string>;
	/** Calls that wait for an answer from outside, and what lets it come. */
	slow: Map<string, { dialled(): void; answered: Promise<void> }>;
	/** Counts what has been seen. */
	seen(what: string): void;
}

/** A call of the turn that is under way. */
export interface Made {
	call: Call;
	/** As it was begun. */
	level: AppAccess;
	/** What it may have been begun as instead: in a race nobody can tell. */
	or?: AppAccess;
	at: number;
	/** `begun`: nobody has ended it (yet). */
	state: "begun" | "done" | "withheld";
	/** While it is under way in a process that lives. */
	coming?: { result: Promise<CallResult>; land(): void };
}

export interface Running {
	pinned: Preset;
	calls: Made[];
	use: Turn["use"];
	/** Begun anew by the process after a crash. */
	again: ReturnType<typeof gate<void>>;
	contextId: string;
	end(): Promise<void>;
}

/** What a call came to: how much it was given, or why nothing. */
export function levelOf(tool: Tool, result: CallResult): string {
	if (!result.done) return result.why;
	return tool === "webSearch" || JSON.stringify(result.found).includes("title") ? "read" : "busy";
}
