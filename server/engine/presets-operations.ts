/**
 * What is written about a desk's preset, judged inside the transaction that holds the desk's row: narrowing holds at once and voids
 * what it contradicts; widening becomes an approval and changes nothing until that is decided (PRE-3; reliability.md 4.3). Pure.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import {
	accessTo,
	DEFAULT_PRESET,
	meet,
	NOTHING,
	narrow,
	type Preset,
	type PresetChange,
	partOf,
	type Widening,
	widened,
} from "../../shared/presets.js";
import type { DeskOf } from "./changes.js";
import type { Channel } from "./ports.js";
import type { ApprovalRow, ConnectionRow } from "./reads.js";

/** A preset as its owner left it. */
export interface DeskPreset extends Preset {
	/** Counts its changes. */
	version: number;
	/** The version that last changed a part, by the part's name; one that is not named is as it was at first. */
	changed: Readonly<Record<string, number>>;
}

export const presetOf = (text: string): DeskPreset =>
	text === "" ? { ...DEFAULT_PRESET, version: 0, changed: {} } : (JSON.parse(text) as DeskPreset);
/** The most that the apps that are connected could give. */
export const mostOf = (text: string): Preset => (text === "" ? NOTHING : (JSON.parse(text) as Preset));

/** What is given now to turns that begin now: the owner's preset, as far as apps are connected. */
export const given = (desk: Pick<DeskOf, "preset" | "apps">): Preset => meet(mostOf(desk.apps), presetOf(desk.preset));

/**
 * What a turn that is claimed now may do at most, to be kept with it; nothing where it may do nothing (PRE-2). `epoch`: of its claim before this
 * one, 0 for none. One that is begun anew keeps what it had, and where that was nothing, nothing: whatever was given since is for turns that begin after.
 */
export function pinOf(
	desk: Pick<DeskOf, "preset" | "apps">,
	channel: Channel,
	turn: { uid: string; epoch: number },
): { turnUid: string; preset: string } | undefined {
	if (channel !== "embed" || desk.apps === "" || turn.epoch > 0) return undefined;
	return { turnUid: turn.uid, preset: JSON.stringify(given(desk)) };
}

/** A desk whose row is held. */
export interface PresetRows {
	desk?: { preset: string; apps: string };
	/** Those that are open, oldest first. */
	approvals: ApprovalRow[];
	connections: ConnectionRow[];
	/** Calls that are under way at this moment. */
	underWay: number;
}

/** What a change of a preset writes. */
export interface PresetPlan {
	/** As presets are kept; null: it stays. */
	preset: string | null;
	/** As what apps could give is kept; null: it stays. */
	apps: string | null;
	/** Approvals that are not open any more. */
	closed: { id: number; state: "approved" | "denied" | "expired" | "void"; reason: string }[];
	opened: Pick<ApprovalRow, "uid" | "part" | "widening" | "presetVersion" | "expiresAt">[];
	connection?: { put: Omit<ConnectionRow, "connectedAt"> & { settings: string } } | { remove: string };
	at: number;
}

export const nothingPlanned = (at: number): PresetPlan => ({ preset: null, apps: null, closed: [], opened: [], at });

/** A preset after a change: what of it is another now carries the number of this change. The same object, where nothing is. */
export function revised(before: DeskPreset, after: Preset): DeskPreset {
	const parts = new Set(["webSearch", ...Object.keys(before.apps), ...Object.keys(after.apps)]);
	const others = [...parts].filter((part) => partOf(before, part) !== partOf(after, part));
	if (others.length === 0) return before;
	const version = before.version + 1;
	const changed = { ...before.changed, ...Object.fromEntries(others.map((part) => [part, version])) };
	return { version, webSearch: after.webSearch, apps: after.apps, changed };
}

export const noDesk = (): DeskError => new DeskError("not_found", "There is no such desk.");

export interface ChangePresetInput {
	deskId: number;
	change: PresetChange;
	/** Ids for what has to wait, as many as the change has parts. */
	approvalUids: string[];
	now: number;
}

export interface ChangePresetAnswer {
	preset: DeskPreset;
	/** What waits for the owner now because of this change. */
	waiting: { uid: string; widening: Widening; expiresAt: number }[];
	/** Calls that were under way when it was narrowed: what they bring is withheld. */
	underWay: number;
}

/** Narrows at once, asks for the rest. Throws `invalid_params` for an app that is not connected (PRE-1), and for a change of nothing. */
export function decideChangePreset(rows: PresetRows, input: ChangePresetInput): { plan: PresetPlan | null; answer: ChangePresetAnswer } {
	const { desk } = rows;
	if (!desk) throw noDesk();
	const { now, change } = input;
	const apps = Object.entries(change.apps ?? {});
	if (change.webSearch === undefined && apps.length === 0)
		throw new DeskError("invalid_params", "Say what is to change: webSearch, apps or both.");
	const most = mostOf(desk.apps);
	for (const [app, to] of apps) checkApp(most, app, to);
	const before = presetOf(desk.preset);
	const { preset: narrowed, settled, wider } = narrow(before, change);
	const preset = revised(before, narrowed);
	const isChanged = preset !== before;
	const plan = nothingPlanned(now);
	if (isChanged) plan.preset = JSON.stringify(preset);

	const open = new Map<string, ApprovalRow>();
	for (const approval of rows.approvals) {
		if (approval.expiresAt <= now) plan.closed.push({ id: approval.id, state: "expired", reason: "" });
		else if (settled.includes(approval.part)) plan.closed.push({ id: approval.id, state: "void", reason: "narrowed" });
		else open.set(approval.part, approval);
	}
	const waiting: ChangePresetAnswer["waiting"] = [];
	for (const [i, widening] of wider.entries()) {
		const asked = open.get(widening.part);
		// The same is asked once.
		if (asked && (JSON.parse(asked.widening) as Widening).to === widening.to) {
			waiting.push({ uid: asked.uid, widening, expiresAt: asked.expiresAt });
			continue;
		}
		if (asked) {
			plan.closed.push({ id: asked.id, state: "void", reason: "replaced" });
			open.delete(asked.part);
		}
		checkFewWait(open.size + plan.opened.length);
		const uid = input.approvalUids[i];
		if (uid === undefined) throw new Error("a change with more parts than ids for them");
		const expiresAt = now + LIMITS.approvalMs;
		plan.opened.push({ uid, part: widening.part, widening: JSON.stringify(widening), presetVersion: preset.version, expiresAt });
		waiting.push({ uid, widening, expiresAt });
	}
	const nothing = plan.preset === null && plan.closed.length === 0 && plan.opened.length === 0;
	return { plan: nothing ? null : plan, answer: { preset, waiting, underWay: isChanged ? rows.underWay : 0 } };
}

function checkApp(most: Preset, app: string, to: string): void {
	const field = `apps.${app}`;
	const cap = accessTo(most, app);
	if (cap === "none") {
		const connected = Object.keys(most.apps);
		const those = connected.length === 0 ? "None is connected yet." : `Connected: ${connected.join(", ")}.`;
		const description = `The app ${app} is not connected, so it cannot be set. ${those} Its owner connects one with: npx earthonline app connect`;
		throw new DeskError("invalid_params", description, { violations: [{ field, description }] });
	}
	if (cap === "busy" && to === "read") {
		const description = `The app ${app} was connected for busy at most. Connect it again to give more.`;
		throw new DeskError("invalid_params", description, { violations: [{ field, description }] });
	}
}

/** Nobody is to be worn down by cards (reliability.md 63). */
function checkFewWait(waiting: number): void {
	if (waiting < LIMITS.approvalsPerDesk) return;
	throw new DeskError("rate_limited", "Too many approvals wait for the owner already. Wait until some of them are decided.", {
		retryAfterSeconds: 60 * 60,
	});
}

export interface DecideApprovalInput {
	deskId: number;
	uid: string;
	decision: "approved" | "denied";
	now: number;
}
export interface DecideApprovalAnswer {
	uid: string;
	state: "approved" | "denied" | "expired" | "void";
	/** Of a void one: `narrowed`, `replaced`, `disconnected`, `changed`. */
	reason: string;
	widening: Widening;
	/** This very call decided it. */
	first: boolean;
}

/** The first decision counts, every later one is told it (reliability.md 59, 61). Throws `not_found`. */
export function decideDecideApproval(
	rows: PresetRows & { approval?: ApprovalRow },
	input: DecideApprovalInput,
): { plan: PresetPlan | null; answer: DecideApprovalAnswer } {
	const { approval, desk } = rows;
	if (!desk || !approval) throw new DeskError("not_found", "There is no such approval at this desk.");
	const widening = JSON.parse(approval.widening) as Widening;
	const { uid, id } = approval;
	if (approval.state !== "open") {
		return { plan: null, answer: { uid, state: approval.state, reason: approval.reason, widening, first: false } };
	}
	const before = presetOf(desk.preset);
	const close = (state: "approved" | "denied" | "expired" | "void", reason = "", after: Preset = before) => {
		const plan = nothingPlanned(input.now);
		plan.closed.push({ id, state, reason });
		const preset = revised(before, after);
		if (preset !== before) plan.preset = JSON.stringify(preset);
		return { plan, answer: { uid, state, reason, widening, first: state === input.decision } };
	};
	if (approval.expiresAt <= input.now) return close("expired");
	if (input.decision === "denied") return close("denied");
	// Its part has been another since it was asked, and may be so again: that is not what the owner was shown, however it came about.
	if ((before.changed[widening.part] ?? 0) > approval.presetVersion) return close("void", "changed");
	return close("approved", "", widened(before, widening));
}

export interface ExpireApprovalsInput {
	now: number;
}
export interface ExpireApprovalsRows {
	/** A desk at which something was open that has run out, its row held; absent: there is none. */
	deskId?: number;
	/** What has run out there and is open still. */
	expired: number[];
}
/** Closes what nobody decided in time, a desk at a time. `more`: there may be another desk. */
export const decideExpireApprovals = (
	rows: ExpireApprovalsRows,
	_input: ExpireApprovalsInput,
): { plan: number[] | null; answer: { expired: number; more: boolean } } => ({
	plan: rows.expired.length === 0 ? null : rows.expired,
	answer: { expired: rows.expired.length, more: rows.deskId !== undefined },
});

export interface PruneApprovalsInput {
	/** Those decided before this are forgotten. */
	before: number;
	/** Rows of one slice. */
	limit: number;
}
/** Forgets what was decided long ago, or closed without a decision, a slice at a time. */
export const decidePruneApprovals = (
	rows: { decided: number[] },
	input: PruneApprovalsInput,
): { plan: number[] | null; answer: { more: boolean } } => ({
	plan: rows.decided.length === 0 ? null : rows.decided,
	answer: { more: rows.decided.length === input.limit },
});

/** By the names under which `operations.ts` lists them. */
export const presetDecides = {
	changePreset: decideChangePreset,
	decideApproval: decideDecideApproval,
	expireApprovals: decideExpireApprovals,
	pruneApprovals: decidePruneApprovals,
};
