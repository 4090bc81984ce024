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

/** A preset as its owner left it. `version` counts its changes. */
export interface DeskPreset extends Preset {
	version: number;
}

export const presetOf = (text: string): DeskPreset => (text === "" ? { ...DEFAULT_PRESET, version: 0 } : (JSON.parse(text) as DeskPreset));
/** The most that the apps that are connected could give. */
export const mostOf = (text: string): Preset => (text === "" ? NOTHING : (JSON.parse(text) as Preset));

/** What is given now to turns that begin now: the owner's preset, as far as apps are connected. */
export const given = (desk: Pick<DeskOf, "preset" | "apps">): Preset => meet(mostOf(desk.apps), presetOf(desk.preset));

/** What a turn that begins now may do at most, to be kept with it; nothing where it may do nothing (PRE-2). */
export function pinOf(
	desk: Pick<DeskOf, "preset" | "apps">,
	channel: Channel,
	turnUid: string,
): { turnUid: string; preset: string } | undefined {
	if (channel !== "embed" || desk.apps === "") return undefined;
	return { turnUid, preset: JSON.stringify(given(desk)) };
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
	opened: { uid: string; conversationId: number | null; part: string; widening: string; expiresAt: number }[];
	connection?: { put: Omit<ConnectionRow, "connectedAt"> & { settings: string } } | { remove: string };
	/** Version that what stays open is counted from. */
	version: number;
	at: number;
}

export const nothingPlanned = (version: number, at: number): PresetPlan => ({
	preset: null,
	apps: null,
	closed: [],
	opened: [],
	version,
	at,
});

export const presetText = ({ webSearch, apps }: Preset, version: number): string => JSON.stringify({ version, webSearch, apps });

export const noDesk = (): DeskError => new DeskError("not_found", "There is no such desk.");

export interface ChangePresetInput {
	deskId: number;
	change: PresetChange;
	/** Ids for what has to wait, as many as the change has parts. */
	approvalUids: string[];
	/** The conversation that it was asked in; null: in none. */
	conversationId: number | null;
	now: number;
}

export interface ChangePresetAnswer {
	preset: DeskPreset;
	/** What waits for the owner now because of this change. */
	waiting: { uid: string; widening: Widening; expiresAt: number }[];
	/** Calls that were under way when it was narrowed: what they bring is withheld. */
	underWay: number;
}

/** Narrows at once, asks for the rest. Throws `invalid_params` for an app that is not connected (PRE-1). */
export function decideChangePreset(rows: PresetRows, input: ChangePresetInput): { plan: PresetPlan | null; answer: ChangePresetAnswer } {
	const { desk } = rows;
	if (!desk) throw noDesk();
	const { now } = input;
	const most = mostOf(desk.apps);
	for (const [app, to] of Object.entries(input.change.apps ?? {})) checkApp(most, app, to);
	const before = presetOf(desk.preset);
	const { preset, settled, wider } = narrow(before, input.change);
	const isChanged =
		JSON.stringify({ ...preset, version: 0 }) !== JSON.stringify({ webSearch: before.webSearch, apps: before.apps, version: 0 });
	const version = isChanged ? before.version + 1 : before.version;
	const plan = nothingPlanned(version, now);
	if (isChanged) plan.preset = presetText(preset, version);

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
		checkRoom([...open.values()], plan.opened, input.conversationId);
		const uid = input.approvalUids[i];
		if (uid === undefined) throw new Error("a change with more parts than ids for them");
		const expiresAt = now + LIMITS.approvalMs;
		const { conversationId } = input;
		plan.opened.push({ uid, conversationId, part: widening.part, widening: JSON.stringify(widening), expiresAt });
		waiting.push({ uid, widening, expiresAt });
	}
	const nothing = plan.preset === null && plan.closed.length === 0 && plan.opened.length === 0;
	return { plan: nothing ? null : plan, answer: { preset: { ...preset, version }, waiting, underWay: isChanged ? rows.underWay : 0 } };
}

function checkApp(most: Preset, app: string, to: string): void {
	const field = `apps.${app}`;
	const cap = accessTo(most, app);
	if (cap === "none") {
		const connected = Object.keys(most.apps);
		const those = connected.length === 0 ? "None is connected yet." : `Connected: ${connected.join(", ")}.`;
		const description = `The app ${app} is not connected, so it cannot be set. ${those} Its owner connects one with: earthonline app connect`;
		throw new DeskError("invalid_params", description, { violations: [{ field, description }] });
	}
	if (cap === "busy" && to === "read") {
		const description = `The app ${app} was connected for busy at most. Connect it again to give more.`;
		throw new DeskError("invalid_params", description, { violations: [{ field, description }] });
	}
}

/** Nobody is to be worn down by cards (reliability.md 63). */
function checkRoom(open: readonly { conversationId: number | null }[], opened: PresetPlan["opened"], conversationId: number | null): void {
	const all = [...open, ...opened];
	const here = conversationId === null ? 0 : all.filter((a) => a.conversationId === conversationId).length;
	if (all.length < LIMITS.approvalsPerDesk && here < LIMITS.approvalsPerConversation) return;
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
	const close = (state: "approved" | "denied" | "expired" | "void", reason: string, preset?: Preset) => {
		const version = preset ? before.version + 1 : before.version;
		const plan = nothingPlanned(version, input.now);
		plan.closed.push({ id, state, reason });
		if (preset) plan.preset = presetText(preset, version);
		return { plan, answer: { uid, state, reason, widening, first: state === input.decision } };
	};
	if (approval.expiresAt <= input.now) return close("expired", "");
	if (input.decision === "denied") return close("denied", "");
	// What it was asked of is not what there is now, however that came about: it is not what the owner was shown.
	if (approval.presetVersion !== before.version || partOf(before, widening.part) !== widening.from) return close("void", "changed");
	return close("approved", "", widened(before, widening));
}

export interface ExpireApprovalsInput {
	now: number;
	/** Rows of one slice. */
	limit: number;
}
/** Closes what nobody decided in time. */
export const decideExpireApprovals = (
	rows: { expired: number[] },
	input: ExpireApprovalsInput,
): { plan: number[] | null; answer: { expired: number; more: boolean } } => ({
	plan: rows.expired.length === 0 ? null : rows.expired,
	answer: { expired: rows.expired.length, more: rows.expired.length === input.limit },
});

/** By the names under which `operations.ts` lists them. */
export const presetDecides = {
	changePreset: decideChangePreset,
	decideApproval: decideDecideApproval,
	expireApprovals: decideExpireApprovals,
};
