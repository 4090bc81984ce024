/**
 * The policies of a desk that `requirements.md` marks *setting*, with their defaults, which are EarthOnline's. A row in
 * the database holds only what its owner changed. One table: a new policy is a line here.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { isOpen, wrongHours } from "./hours.js";

export interface DeskSettings {
	/** Whether the desk is listed in the site's card and answers over A2A. */
	a2a: boolean;
	/** Whether people without an account may ask (A2A-3, EMB-12). */
	guests: boolean;
	/** The built-in answerer answers from the memory (RUN-6). */
	builtInAnswerer: boolean;
	/** When the desk answers, as `hours.ts` reads it; empty: at any time. */
	hours: string;
	/** SITE-1: any site may show the chat. */
	allowAnySite: boolean;
	/** A2A-1: `open` answers whoever may call; `credential` asks for a token or key. */
	extendedCard: "open" | "credential";
	/** A2A-4: how a request without a version reads. */
	missingVersion: "0.3" | "1.0";
	/** A2A-6: how long a blocking send waits, milliseconds. */
	waitMs: number;
	/** A2A-7: the parts that a message may have. */
	parts: "all" | "text+data" | "text";
	/** A2A-8: what `status.message` says. */
	statusMessage: "templates" | "reply";
	/** A2A-14 and Radioso: what a retry key is scoped to when the message names no context. */
	retryScope: "desk" | "context";
	/** A2A-15: `X-API-Key` serves like a Bearer token. */
	apiKey: boolean;
	/** Whether a caller's own new context id is taken. Only the kit's server turns it on (a2a.md C11). */
	clientContexts: boolean;
	/** All callers without a credential are one. Only the kit's server turns it on (a2a.md 2). */
	sharedAnonymous: boolean;
}

export const DEFAULT_SETTINGS: DeskSettings = {
	a2a: true,
	guests: true,
	builtInAnswerer: true,
	hours: "",
	allowAnySite: false,
	extendedCard: "open",
	missingVersion: "0.3",
	waitMs: LIMITS.sendWaitMs,
	parts: "all",
	statusMessage: "templates",
	retryScope: "desk",
	apiKey: false,
	clientContexts: false,
	sharedAnonymous: false,
};

const CHOICES: { [K in keyof DeskSettings]?: readonly DeskSettings[K][] } = {
	extendedCard: ["open", "credential"],
	missingVersion: ["0.3", "1.0"],
	parts: ["all", "text+data", "text"],
	statusMessage: ["templates", "reply"],
	retryScope: ["desk", "context"],
};

const EXPECTED: { [type: string]: string } = { boolean: "Give on or off.", number: "Give a whole number.", string: "Give a word." };

/** Checks a change of settings. Throws `invalid_params` naming every value that is none. */
export function checkSettings(change: Record<string, unknown>): Partial<DeskSettings> {
	const violations: { field: string; description: string }[] = [];
	for (const [field, value] of Object.entries(change)) {
		const known = DEFAULT_SETTINGS[field as keyof DeskSettings];
		if (known === undefined) {
			violations.push({ field, description: `There is no such setting. Those are ${Object.keys(DEFAULT_SETTINGS).join(", ")}.` });
		} else if (typeof value !== typeof known) {
			violations.push({ field, description: EXPECTED[typeof known] ?? `Give a ${typeof known}.` });
		} else if (field === "waitMs" && (!Number.isInteger(value) || (value as number) < 0 || (value as number) > LIMITS.sendWaitMs)) {
			violations.push({ field, description: `Give whole milliseconds from 0 to ${LIMITS.sendWaitMs}.` });
		} else if (field === "hours") {
			const wrong = wrongHours(value as string);
			if (wrong !== undefined) violations.push({ field, description: wrong });
		} else {
			const choices = CHOICES[field as keyof DeskSettings] as readonly unknown[] | undefined;
			if (choices && !choices.includes(value)) violations.push({ field, description: `Give one of: ${choices.join(", ")}.` });
		}
	}
	if (violations.length > 0) throw new DeskError("invalid_params", "Some settings cannot be saved; see the fields named.", { violations });
	return change as Partial<DeskSettings>;
}

/** Whether somebody is there to answer at this moment (RUN-6): what visitors see as online. */
export const isThere = (settings: Pick<DeskSettings, "builtInAnswerer" | "hours">, now: number): boolean =>
	settings.builtInAnswerer && isOpen(settings.hours, now);

const read = new Map<string, DeskSettings>();

/** Settings in force, from the text of a desk's row. */
export function settingsOf(text: string): DeskSettings {
	let settings = read.get(text);
	if (!settings) {
		settings = { ...DEFAULT_SETTINGS, ...(JSON.parse(text) as Partial<DeskSettings>) };
		if (read.size > 1_000) read.clear();
		read.set(text, settings);
	}
	return settings;
}
