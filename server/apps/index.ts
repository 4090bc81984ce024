/**
 * What a turn may use outside: one line a kind of app. Each kind reads what its owner gave and does the one thing that it is for; what of it
 * a visitor's turn may have is decided by the engine, never here.
 */
import type { AppKind, Apps, Call, Connected, ConnectInput, Findings } from "../engine/apps-ports.js";
import type { Outbound } from "../outbound/fetch.js";
import { calendarFeed } from "./calendar.js";
import { brave, searxng, tavily } from "./search.js";

/** One way to reach an app. `settings` is JSON that only this kind reads. */
export interface Kind {
	/** Throws `invalid_params` for what cannot be used, `unavailable` where the one try fails. */
	connect(input: ConnectInput, world: World, signal: AbortSignal): Promise<Omit<Connected, "kind">>;
	call(call: Call, settings: string, world: World, signal: AbortSignal): Promise<Findings[Call["tool"]]>;
}

export interface World {
	outbound: Outbound;
	now(): number;
}

const KINDS: Record<AppKind, Kind> = { ical: calendarFeed, searxng, brave, tavily };

export const createApps = (world: World): Apps => ({
	connect: async (input, signal) => ({ ...(await KINDS[input.kind].connect(input, world, signal)), kind: input.kind }),
	call: async <C extends Call>(call: C, { kind, settings }: { kind: AppKind; settings: string }, _access: unknown, signal: AbortSignal) =>
		(await KINDS[kind].call(call, settings, world, signal)) as Findings[C["tool"]],
});
