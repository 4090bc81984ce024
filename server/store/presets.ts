/**
 * Presets, approvals and connections in SQL: what the operations of `engine/presets-operations.ts` and `engine/apps-operations.ts` are shown, and
 * how their one kind of plan is written. The desk's row is held first: changes, decisions and calls of a desk come one after the other.
 */

import { DeskError } from "../../shared/errors.js";
import type { RemoveAppInput } from "../engine/apps-operations.js";
import type { DecideApprovalInput, ExpireApprovalsInput, PresetPlan, PresetRows } from "../engine/presets-operations.js";
import type { ApprovalRow, ConnectionRow } from "../engine/reads.js";
import { all, one, run, type Steps } from "./sql.js";

const APPROVAL =
	'id, uid, conversation_id as "conversationId", part, widening, preset_version as "presetVersion", state, reason, created_at as "createdAt", expires_at as "expiresAt", decided_at as "decidedAt"';

/** Everything but what is secret of them. */
export const loadConnections = (deskId: number): Steps<ConnectionRow[]> =>
	all<ConnectionRow>(
		'select app, uid, kind, label, most, connected_at as "connectedAt" from app_connection where desk_id = ? order by app',
		deskId,
	);

/** Newest first, whatever became of them. */
export const loadApprovals = (deskId: number, limit: number): Steps<ApprovalRow[]> =>
	all<ApprovalRow>(`select ${APPROVAL} from approval where desk_id = ? order by id desc limit ?`, deskId, limit);

/** What a desk's row says of its preset, the row held. */
export const holdPreset = (deskId: number): Steps<{ preset: string; apps: string } | undefined> =>
	one<{ preset: string; apps: string }>("select preset, apps from desk where id = ? {lock}", deskId);

export function* loadPreset(input: { deskId: number }): Steps<PresetRows> {
	const desk = yield* holdPreset(input.deskId);
	const approvals = yield* all<ApprovalRow>(
		`select ${APPROVAL} from approval where desk_id = ? and state = 'open' order by id`,
		input.deskId,
	);
	const connections = yield* loadConnections(input.deskId);
	const underWay = yield* one<{ n: number }>("select count(*) as n from app_call where desk_id = ? and state = 'begun'", input.deskId);
	return { desk, approvals, connections, underWay: underWay?.n ?? 0 };
}

export function* writePreset(input: { deskId: number }, _rows: unknown, plan: PresetPlan): Steps<void> {
	const { deskId } = input;
	if (plan.preset !== null) yield* run("update desk set preset = ?, changed_at = ? where id = ?", plan.preset, plan.at, deskId);
	if (plan.apps !== null) yield* run("update desk set apps = ?, changed_at = ? where id = ?", plan.apps, plan.at, deskId);
	for (const { id, state, reason } of plan.closed) {
		const won = yield* one(
			"update approval set state = ?, reason = ?, decided_at = ? where id = ? and state = 'open' returning id",
			...[state, reason, plan.at, id],
		);
		// Held with the desk's row, it cannot have changed; if it has, nothing of this may stand.
		if (!won) throw new DeskError("unavailable", "This approval is being decided at this moment. Try again.", { retryAfterSeconds: 1 });
	}
	// What stays open was not touched by this change: it is asked of the preset as it is now.
	yield* run("update approval set preset_version = ? where desk_id = ? and state = 'open'", plan.version, deskId);
	for (const { uid, conversationId, part, widening, expiresAt } of plan.opened) {
		yield* run(
			"insert into approval (uid, desk_id, conversation_id, part, widening, preset_version, state, created_at, expires_at) values (?, ?, ?, ?, ?, ?, 'open', ?, ?)",
			...[uid, deskId, conversationId, part, widening, plan.version, plan.at, expiresAt],
		);
	}
	if (!plan.connection) return;
	if ("remove" in plan.connection) {
		yield* run("delete from app_connection where desk_id = ? and app = ?", deskId, plan.connection.remove);
		return;
	}
	const { app, uid, kind, label, most, settings } = plan.connection.put;
	yield* run(
		`insert into app_connection (desk_id, app, uid, kind, label, most, settings, connected_at) values (?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (desk_id, app) do update set uid = excluded.uid, kind = excluded.kind, label = excluded.label, most = excluded.most, settings = excluded.settings, connected_at = excluded.connected_at`,
		...[deskId, app, uid, kind, label, most, settings, plan.at],
	);
}

const decideApproval = {
	*load(input: DecideApprovalInput): Steps<PresetRows & { approval?: ApprovalRow }> {
		const rows = yield* loadPreset(input);
		const approval = yield* one<ApprovalRow>(`select ${APPROVAL} from approval where desk_id = ? and uid = ?`, input.deskId, input.uid);
		return approval ? { ...rows, approval } : rows;
	},
	write: writePreset,
};

const expireApprovals = {
	*load(input: ExpireApprovalsInput): Steps<{ expired: number[] }> {
		const rows = yield* all<{ id: number }>(
			"select id from approval where state = 'open' and expires_at <= ? order by expires_at limit ?",
			input.now,
			input.limit,
		);
		return { expired: rows.map((r) => r.id) };
	},
	*write(input: ExpireApprovalsInput, _rows: unknown, plan: number[]): Steps<void> {
		for (const id of plan)
			yield* run("update approval set state = 'expired', decided_at = ? where id = ? and state = 'open'", input.now, id);
	},
};

const preset = { load: loadPreset, write: writePreset };
/** By the names under which `operations.ts` lists them. */
export const presetHalves = {
	changePreset: preset,
	decideApproval,
	expireApprovals,
	connectApp: preset,
	removeApp: preset as { load: (input: RemoveAppInput) => Steps<PresetRows>; write: typeof writePreset },
};
