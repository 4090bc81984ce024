/**
 * What is written about apps and about what a turn does outside, judged inside the transaction: connections, and calls. A call is
 * written down before it is made, in the transaction that finds it allowed, so it is made once at most and never without
 * the preset that allows it (reliability.md G-40, I11). Pure.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { type AppAccess, accessTo, meet, NOTHING, type Preset } from "../../shared/presets.js";
import type { App, AppKind, Call, Connection, Refusal, Tool } from "./apps-ports.js";
import { given, mostOf, noDesk, nothingPlanned, type PresetPlan, type PresetRows, presetOf, revised } from "./presets-operations.js";
import type { SiteRow } from "./reads.js";
import { settingsOf } from "./settings.js";
import { judge } from "./sites.js";
import { held, type TurnRows } from "./turn-operations.js";

export interface ConnectAppInput {
	deskId: number;
	app: App;
	uid: string;
	kind: AppKind;
	label: string;
	most: "busy" | "read";
	settings: string;
	now: number;
}

const withMost = (most: Preset, app: App, to: "busy" | "read" | "none"): Preset =>
	app === "search" ? { ...most, webSearch: to !== "none" } : { ...most, apps: { ...most.apps, [app]: to } };

const without = (preset: Preset, app: App): Preset => ({
	webSearch: preset.webSearch,
	apps: Object.fromEntries(Object.entries(preset.apps).filter(([name]) => name !== app)),
});

/** A plan that leaves nothing given of an app, nor asked for. */
function atNone(rows: PresetRows, app: App, now: number): { plan: PresetPlan; narrowed: boolean } {
	if (!rows.desk) throw noDesk();
	const before = presetOf(rows.desk.preset);
	const preset = revised(before, without(before, app));
	const plan = nothingPlanned(now);
	if (preset !== before) plan.preset = JSON.stringify(preset);
	for (const { id, part, expiresAt } of rows.approvals) {
		if (part !== app) continue;
		plan.closed.push(expiresAt <= now ? { id, state: "expired", reason: "" } : { id, state: "void", reason: "disconnected" });
	}
	return { plan, narrowed: preset !== before };
}

/**
 * Connects an app, in the place of the one before. What was allowed of one calendar is not allowed of another. Web search is no app's: it is
 * leave to search, and an owner who connects something else to search with has not taken it back.
 */
export function decideConnectApp(rows: PresetRows, input: ConnectAppInput): { plan: PresetPlan; answer: { narrowed: boolean } } {
	const { app, uid, kind, label, most, settings } = input;
	const { plan, narrowed } = atNone(rows, app, input.now);
	plan.apps = JSON.stringify(withMost(mostOf(rows.desk?.apps ?? ""), app, most));
	plan.connection = { put: { app, uid, kind, label, most, settings } };
	return { plan, answer: { narrowed } };
}

export interface RemoveAppInput {
	deskId: number;
	app: string;
	now: number;
}
/** Ends a connection; what was given of it ends with it, also for turns under way. Throws `not_found`. */
export function decideRemoveApp(
	rows: PresetRows,
	input: RemoveAppInput,
): { plan: PresetPlan; answer: { narrowed: boolean; underWay: number } } {
	const known = rows.connections.find((c) => c.app === input.app);
	if (!rows.desk) throw noDesk();
	if (!known) throw new DeskError("not_found", `The app ${input.app} is not connected to this desk.`);
	const { plan, narrowed } = atNone(rows, known.app, input.now);
	const left = withMost(mostOf(rows.desk.apps), known.app, "none");
	const apps = meet(left).apps;
	plan.apps = left.webSearch || Object.keys(apps).length > 0 ? JSON.stringify({ webSearch: left.webSearch, apps }) : "";
	plan.connection = { remove: known.app };
	return { plan, answer: { narrowed, underWay: rows.underWay } };
}

/** A call as it is kept. `unknown`: begun, and nobody knows what came of it. */
export interface CallRow {
	uid: string;
	call: string;
	state: "begun" | "done" | "failed" | "withheld";
	result: string;
}

/** A turn with everything that decides what it may do. */
export interface UseRows extends TurnRows {
	/** The desk as it is now, its row held: what `desk` says may be older. */
	now?: { preset: string; apps: string; settings: string };
	/** What the turn began with; empty: nothing. */
	pinned: string;
	/** Somebody wrote into the conversation by another door. */
	elsewhere: boolean;
	/** Whose conversation it is. */
	askerId: number;
	rules: SiteRow[];
	/** The numbered embed that the visitor came by has been deleted. */
	embedGone: boolean;
	connections: Connection[];
	/** Of this turn. */
	calls: CallRow[];
	/** Of the last day: of this asker at this desk, of this desk. Counted no further than they may be. */
	made: { asker: number; desk: number };
}

/**
 * What is in force for a call at this moment: the lowest of what the owner says now, what the turn began with, what is connected,
 * and nothing at all where the visitor's site or embed may not show the chat (any more) or the turn is no visitor's in the embed (PRE-2).
 */
export function inForce(rows: UseRows): Preset {
	const { conversation, now } = rows;
	if (!conversation || !now || rows.pinned === "" || rows.elsewhere || rows.embedGone) return NOTHING;
	if (conversation.channel !== "embed" || conversation.site === null) return NOTHING;
	const { guests, allowAnySite } = settingsOf(now.settings);
	if (!guests || judge(rows.rules, conversation.site, allowAnySite) !== "allowed") return NOTHING;
	return meet(given(now), JSON.parse(rows.pinned) as Preset);
}

/** How far a call may look; `none`: it may not be made. */
export const accessOf = (preset: Preset, tool: Tool): AppAccess =>
	tool === "webSearch" ? (preset.webSearch ? "read" : "none") : accessTo(preset, "calendar");

const appOf = (tool: Tool): App => (tool === "webSearch" ? "search" : "calendar");

export interface BeginCallInput {
	turnUid: string;
	claim: string;
	uid: string;
	call: Call;
	now: number;
}
export type BegunCall =
	| { begun: true; connection: Connection; access: AppAccess; conversationId: number }
	/** The same turn made it before: what it brought then. */
	| { begun: false; result: string; access: AppAccess }
	| { begun: false; why: Refusal };

export interface BeginCallPlan {
	uid: string;
	deskId: number;
	conversationId: number;
	turnUid: string;
	askerId: number;
	tool: Tool;
	call: string;
	at: number;
}

/** Whether a turn may make a call now, and that it does: what this answers with `begun` is on disk before anything is dialled. */
export function decideBeginCall(rows: UseRows, input: BeginCallInput): { plan: BeginCallPlan | null; answer: BegunCall } {
	const no = (why: Refusal) => ({ plan: null, answer: { begun: false as const, why } });
	const mine = held(rows, input.claim);
	if (!mine) return no("stopped");
	const { tool } = input.call;
	const access = accessOf(inForce(rows), tool);
	const connection = rows.connections.find((c) => c.app === appOf(tool));
	if (access === "none" || !connection) return no("not_allowed");
	const call = JSON.stringify(input.call);
	const known = rows.calls.find((c) => c.call === call);
	if (known?.state === "done") return { plan: null, answer: { begun: false, result: known.result, access } };
	if (known) return no(known.state === "begun" ? "unknown" : known.state === "withheld" ? "not_allowed" : "failed");
	if (rows.calls.length >= LIMITS.callsPerTurn) return no("too_many");
	if (rows.made.asker >= LIMITS.callsPerGuestPerDay || rows.made.desk >= LIMITS.callsPerDeskPerDay) return no("too_many");
	const { conversation } = mine;
	return {
		plan: {
			uid: input.uid,
			deskId: conversation.deskId,
			conversationId: conversation.id,
			turnUid: input.turnUid,
			askerId: rows.askerId,
			tool,
			call,
			at: input.now,
		},
		answer: { begun: true, connection, access, conversationId: conversation.id },
	};
}

export interface EndCallInput {
	turnUid: string;
	claim: string;
	uid: string;
	tool: Tool;
	/** JSON of what it brought; null: it failed. */
	result: string | null;
	now: number;
}
export type EndedCall = { access: AppAccess } | { why: Refusal };

/** Notes what came of a call. What has been narrowed meanwhile is withheld: what a call brings is given by what is in force when it comes. */
export function decideEndCall(
	rows: UseRows,
	input: EndCallInput,
): { plan: { state: "done" | "failed" | "withheld"; result: string }; answer: EndedCall } {
	if (input.result === null) return { plan: { state: "failed", result: "" }, answer: { why: "failed" } };
	const mine = held(rows, input.claim);
	const access = accessOf(inForce(rows), input.tool);
	if (!mine) return { plan: { state: "withheld", result: "" }, answer: { why: "stopped" } };
	if (access === "none") return { plan: { state: "withheld", result: "" }, answer: { why: "not_allowed" } };
	return { plan: { state: "done", result: input.result }, answer: { access } };
}

export interface PruneCallsInput {
	/** What calls brought is dropped where they were made before this. */
	resultsBefore: number;
	/** Calls made before this are forgotten. */
	callsBefore: number;
	limit: number;
}
/** Drops what is not needed any more, a slice at a time. */
export const decidePruneCalls = (
	rows: { results: number[]; calls: number[] },
	input: PruneCallsInput,
): { plan: { results: number[]; calls: number[] } | null; answer: { more: boolean } } => ({
	plan: rows.results.length + rows.calls.length === 0 ? null : rows,
	answer: { more: rows.results.length === input.limit || rows.calls.length === input.limit },
});

/** By the names under which `operations.ts` lists them. */
export const appDecides = {
	connectApp: decideConnectApp,
	removeApp: decideRemoveApp,
	beginCall: decideBeginCall,
	endCall: decideEndCall,
	pruneCalls: decidePruneCalls,
};
