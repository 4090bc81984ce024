/**
 * What a turn may use outside: one line a kind of app. Each kind reads what its owner gave and does the one thing that it is for; what of it
 * a visitor's turn may have is decided by the engine, never here.
 */
import { DeskError } from "../../shared/errors.js";
import type { Apps, Call, Connected, ConnectInput, Findings } from "../engine/apps-ports.js";
import type { Outbound } from "../outbound/fetch.js";
import { calendarFeed } from "./calendar.js";
import type { FeedReader } from "./feed-reader.js";
import { isKind, KIND_NAMES, type KindName } from "./kinds.js";
import { brave, searxng, tavily } from "./search.js";

/** One way to reach an app. `settings` is JSON that only this kind reads. */
export interface Kind {
	/** Throws `invalid_params` for what cannot be used, `unavailable` where the one try fails. */
	connect(input: ConnectInput, world: World, signal: AbortSignal): Promise<Omit<Connected, "kind">>;
	call(call: Call, settings: string, world: World, signal: AbortSignal): Promise<Findings[Call["tool"]]>;
}

export interface World {
	outbound: Outbound;
	/** Reads what a calendar's feed says. */
	feeds: FeedReader;
	now(): number;
}

const REACHED: Record<KindName, Kind> = { ical: calendarFeed, searxng, brave, tavily };

/** Throws `invalid_params` for a kind that is none: it is what an owner typed, or was kept by another version. */
function kindAt(name: string): Kind {
	if (isKind(name)) return REACHED[name];
	throw new DeskError("invalid_params", `There is no app ${name}. Connect one of ${KIND_NAMES.join(", ")}.`);
}

export const createApps = (world: World): Apps => ({
	connect: async (input, signal) => ({ ...(await kindAt(input.kind).connect(input, world, signal)), kind: input.kind }),
	call: async <C extends Call>(call: C, { kind, settings }: { kind: string; settings: string }, _access: unknown, signal: AbortSignal) =>
		(await kindAt(kind).call(call, settings, world, signal)) as Findings[C["tool"]],
});
