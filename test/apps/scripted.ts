/** A hand for the engine's tests: gives what a test says, and notes every call that it was asked to make. */
import type { Apps, CalendarView, Call, ConnectInput, Connection, Findings, WebPage } from "../../server/engine/apps-ports.js";
import type { AppAccess } from "../../shared/presets.js";

export interface ScriptedApps extends Apps {
	/** Everything that was asked of it. */
	made: { call: Call; connection: Connection; access: AppAccess }[];
	/** What it does from now on instead of giving `PAGES` and `DIARY`. */
	before(work: (call: Call, signal: AbortSignal) => Promise<void>): void;
}

export const PAGES: WebPage[] = [{ title: "A page", url: "https://page.example/a", text: "What the page says" }];
/** More than it should bring: a hand may be wrong about what is to be given. */
export const DIARY: CalendarView = {
	timeZone: "Europe/Lisbon",
	hours: { from: 9, to: 17, days: [1, 2, 3, 4, 5] },
	engagements: [
		{ from: 2_000, to: 3_000, title: "Dentist, again" },
		{ from: 1_000, to: 2_000, title: "Lunch with Ada" },
		{ from: 5_000, to: 6_000, title: "Divorce lawyer" },
	],
};

export function scriptedApps(): ScriptedApps {
	const made: ScriptedApps["made"] = [];
	let work: (call: Call, signal: AbortSignal) => Promise<void> = () => Promise.resolve();
	return {
		made,
		before(next) {
			work = next;
		},
		connect({ kind, address, key, most }: ConnectInput) {
			const app = kind === "ical" ? "calendar" : "search";
			return Promise.resolve({ app, kind, label: "app.example", most: most ?? "read", settings: JSON.stringify({ address, key }) });
		},
		async call<C extends Call>(call: C, connection: Connection, access: AppAccess, signal: AbortSignal): Promise<Findings[C["tool"]]> {
			made.push({ call, connection, access });
			await work(call, signal);
			return (call.tool === "webSearch" ? PAGES : DIARY) as Findings[C["tool"]];
		},
	};
}
