/**
 * The one who does what a turn asks to be done outside. An answerer may ask for anything; what is in force is looked at here, in the
 * store, when the call is written down and again when it has brought something, and nothing else decides (reliability.md 51, 57). A call is
 * made once at most: one that a crash cut off is never begun again, since nobody knows what came of it.
 */
import { LIMITS } from "../../shared/limits.js";
import { type AppAccess, accessTo } from "../../shared/presets.js";
import type { Apps, CalendarView, Call, CallResult, Engagement, Findings, Refusal, Tool, Use, WebPage } from "./apps-ports.js";
import type { EngineParts } from "./engine.js";
import type { NewId } from "./ids.js";
import type { Clock, Provenance, Store, TurnMay } from "./ports.js";
import { given, mostOf } from "./presets-operations.js";
import type { DeskRow } from "./rows.js";

export interface UseParts {
	store: Store;
	clock: Clock;
	newId: NewId;
	log: EngineParts["log"];
	apps: Apps;
}

/** What the answerer of a turn that begins now may plan with: `none` is an app that is connected and of which nothing is given. */
export function mayOf(desk: Pick<DeskRow, "preset" | "apps">, { channel, site }: Provenance): TurnMay {
	if (channel !== "embed" || site === undefined) return { webSearch: false, apps: {} };
	const now = given(desk);
	const connected = Object.keys(mostOf(desk.apps).apps);
	return { webSearch: now.webSearch, apps: Object.fromEntries(connected.map((app) => [app, accessTo(now, app)])) };
}

/** Makes the calls of one turn, under the claim that it runs under. */
export function useOf(parts: UseParts, { turnUid, claim }: { turnUid: string; claim: string }, signal: AbortSignal): Use {
	const { store, clock, newId, log, apps } = parts;
	const refuse = (why: Refusal) => ({ done: false as const, why });

	const make = async (call: Call): Promise<CallResult> => {
		const { tool } = call;
		const uid = newId("cal");
		const begun = await store.write("beginCall", { turnUid, claim, uid, call, now: clock.now() });
		if (!begun.begun)
			return "why" in begun ? refuse(begun.why) : { done: true, found: shown(tool, JSON.parse(begun.result), begun.access) };
		let result: string | null = null;
		try {
			const found = await inTime(clock, signal, (until) => apps.call(call, begun.connection, begun.access, until));
			result = JSON.stringify(shown(tool, found, begun.access));
			if (Buffer.byteLength(result) > LIMITS.callResultBytes) throw new Error("it brought more than a call may bring");
		} catch (error) {
			result = null;
			log("warn", { turn: turnUid, app: begun.connection.kind, err: error }, "an app did not answer as it should");
		}
		const ended = await store.write("endCall", { turnUid, claim, uid, tool, result, now: clock.now() });
		if ("why" in ended || result === null) return refuse("why" in ended ? ended.why : "failed");
		return { done: true, found: shown(tool, JSON.parse(result), ended.access) };
	};

	const use = async (asked: Call): Promise<CallResult> => {
		const call = readCall(asked);
		if (!call) return refuse("invalid");
		if (signal.aborted) return refuse("stopped");
		try {
			const result = await make(call);
			return signal.aborted ? refuse("stopped") : result;
		} catch (error) {
			// Not written down, so not made; or made, and not known whether it still counts.
			log("warn", { turn: turnUid, err: error }, "what a turn does outside could not be written down");
			return refuse("failed");
		}
	};
	return use as Use;
}

/** Waits for a call no longer than one may take, whatever the hand does: what is said to be under way is no older. */
async function inTime<T>(clock: Clock, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const late = new AbortController();
	let stopTimer: () => void = () => undefined;
	const over = new Promise<never>((_, reject) => {
		stopTimer = clock.after(LIMITS.callMs, () => {
			late.abort();
			reject(new Error("it took longer than a call may take"));
		});
	});
	try {
		return await Promise.race([over, call(AbortSignal.any([signal, late.signal]))]);
	} finally {
		stopTimer();
	}
}

/** A call as we know it and nothing more: an answerer may be a program of somebody else's. Undefined for what is none. */
export function readCall(asked: unknown): Call | undefined {
	if (typeof asked !== "object" || asked === null) return undefined;
	const { tool, query, from, to } = asked as { tool?: unknown; query?: unknown; from?: unknown; to?: unknown };
	if (tool === "webSearch" && typeof query === "string") {
		const words = query.toWellFormed().replaceAll("\0", " ").replace(/\s+/g, " ").trim();
		return words === "" ? undefined : { tool, query: [...words].slice(0, LIMITS.searchChars).join("") };
	}
	if (tool === "calendar" && Number.isSafeInteger(from) && Number.isSafeInteger(to)) {
		const span = { tool, from: from as number, to: to as number } as const;
		return span.to > span.from && span.to - span.from <= LIMITS.calendarSpanMs ? span : undefined;
	}
	return undefined;
}

/** What of a hand's findings may be given. Built anew from what we know: whatever else a hand brought is left behind. */
function shown<T extends Tool>(tool: T, found: Findings[T], access: AppAccess): Findings[T] {
	return (tool === "webSearch" ? pages(found as WebPage[]) : calendar(found as CalendarView, access)) as Findings[T];
}

const cut = (text: string, chars: number): string => {
	const whole = [...text.toWellFormed().replaceAll("\0", " ").replace(/\s+/g, " ").trim()];
	return whole.length > chars ? `${whole.slice(0, chars - 1).join("")}…` : whole.join("");
};

function pages(found: readonly WebPage[]): WebPage[] {
	const isWeb = ({ url }: WebPage): boolean => {
		if (!URL.canParse(url)) return false;
		const { protocol, username, password } = new URL(url);
		return (protocol === "https:" || protocol === "http:") && username === "" && password === "";
	};
	return found
		.filter((page) => isWeb(page) && page.url.length <= LIMITS.pageUrlChars)
		.slice(0, LIMITS.searchPages)
		.map(({ title, url, text }) => ({
			title: cut(title, LIMITS.pageTitleChars),
			url: new URL(url).href,
			text: cut(text, LIMITS.pageTextChars),
		}));
}

/** At `busy`: intervals, joined so that not even how many there are is told (reliability.md 57). */
function calendar({ timeZone, hours, engagements }: CalendarView, access: AppAccess): CalendarView {
	const { from, to, days } = hours;
	const sorted = [...engagements].sort((a, b) => a.from - b.from || a.to - b.to);
	return { timeZone, hours: { from, to, days: [...days] }, engagements: access === "read" ? sorted.map(titled) : joined(sorted) };
}

const titled = ({ from, to, title }: Engagement): Engagement => ({
	from,
	to,
	...(title === undefined ? {} : { title: cut(title, LIMITS.eventTitleChars) }),
});

function joined(sorted: readonly Engagement[]): Engagement[] {
	const whole: Engagement[] = [];
	for (const { from, to } of sorted) {
		const last = whole.at(-1);
		if (last && from <= last.to) last.to = Math.max(last.to, to);
		else whole.push({ from, to });
	}
	return whole;
}

/** Of a program that reaches no apps. */
export const NO_APPS: Apps = {
	connect: () => Promise.reject(new Error("this program reaches no apps")),
	call: () => Promise.reject(new Error("this program reaches no apps")),
};
