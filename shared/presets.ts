/**
 * What an agent may do beyond its notes in a turn that a visitor started in the embed, as a small lattice: web search off < on,
 * an app none < busy < read. Pure. There is no value for writing: what the type cannot say, nobody can be given (PRE-1).
 */

/** How far an app may be looked into. `busy`: of a calendar only when somebody is engaged. */
export const APP_ACCESS = ["none", "busy", "read"] as const;
export type AppAccess = (typeof APP_ACCESS)[number];

export interface Preset {
	webSearch: boolean;
	/** By the app's name; one that is not named is `none`. */
	apps: Readonly<Record<string, AppAccess>>;
}

/** What is to become of some of it; what is not named stays. */
export interface PresetChange {
	webSearch?: boolean;
	apps?: Readonly<Record<string, AppAccess>>;
}

/** Of a desk whose owner has said nothing (PRE-1). */
export const DEFAULT_PRESET: Preset = { webSearch: true, apps: {} };
/** The least. */
export const NOTHING: Preset = { webSearch: false, apps: {} };

export const isAppAccess = (value: unknown): value is AppAccess => APP_ACCESS.includes(value as AppAccess);

/** How far a preset goes for an app. */
export const accessTo = (preset: Preset, app: string): AppAccess =>
	Object.hasOwn(preset.apps, app) ? (preset.apps[app] ?? "none") : "none";

const rank = (access: AppAccess): number => APP_ACCESS.indexOf(access);
const lower = (a: AppAccess, b: AppAccess): AppAccess => (rank(a) <= rank(b) ? a : b);

/** The highest that is no higher than any of them, part by part. Apps at `none` are left out. */
export function meet(first: Preset, ...others: readonly Preset[]): Preset {
	let { webSearch } = first;
	let apps = Object.entries(first.apps);
	for (const other of others) {
		webSearch &&= other.webSearch;
		apps = apps.map(([app, access]) => [app, lower(access, accessTo(other, app))]);
	}
	return { webSearch, apps: Object.fromEntries(apps.filter(([, access]) => access !== "none")) };
}

/** Whether `to` gives anything that `from` does not. */
export const widens = (from: Preset, to: Preset): boolean =>
	(to.webSearch && !from.webSearch) || Object.keys(to.apps).some((app) => rank(accessTo(to, app)) > rank(accessTo(from, app)));

/** One part of a preset, by its name: `webSearch`, or an app. */
export type Widening = { part: "webSearch"; from: false; to: true } | { part: string; from: AppAccess; to: AppAccess };

/** A preset with one part as it was widened to. */
export const widened = (preset: Preset, { part, to }: Widening): Preset =>
	typeof to === "boolean" ? { ...preset, webSearch: to } : { ...preset, apps: { ...preset.apps, [part]: to } };

/** What a preset says of one part. */
export const partOf = (preset: Preset, part: string): boolean | AppAccess =>
	part === "webSearch" ? preset.webSearch : accessTo(preset, part);

export interface Narrowed {
	/** With everything that the change makes narrower, and nothing that it makes wider. */
	preset: Preset;
	/** Parts that the change says are to be as they are, or less: whatever would widen them contradicts it. */
	settled: string[];
	/** What it makes wider, which waits for the owner (PRE-3). */
	wider: Widening[];
}

/** Takes a change apart: what holds at once and what has to wait. */
export function narrow(preset: Preset, change: PresetChange): Narrowed {
	const settled: string[] = [];
	const wider: Widening[] = [];
	let { webSearch } = preset;
	if (change.webSearch === true && !webSearch) wider.push({ part: "webSearch", from: false, to: true });
	else if (change.webSearch !== undefined) {
		settled.push("webSearch");
		webSearch &&= change.webSearch;
	}
	const apps = new Map(Object.entries(preset.apps));
	for (const [app, to] of Object.entries(change.apps ?? {})) {
		const from = accessTo(preset, app);
		if (rank(to) > rank(from)) wider.push({ part: app, from, to });
		else {
			settled.push(app);
			if (to === "none") apps.delete(app);
			else apps.set(app, to);
		}
	}
	return { preset: { webSearch, apps: Object.fromEntries(apps) }, settled, wider };
}
