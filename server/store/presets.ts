/**
 * Presets, approvals and connections in SQL: what the operations of `engine/presets-operations.ts` and `engine/apps-operations.ts` are shown, and
 * how their one kind of plan is written. The desk's row is held first: changes, decisions and calls of a desk come one after the other.
 */

import { LIMITS } from "../../shared/limits.js";
import type { RemoveAppInput } from "../engine/apps-operations.js";
import type {
	DecideApprovalInput,
	ExpireApprovalsInput,
	ExpireApprovalsRows,
	PresetPlan,
	PresetRows,
	PruneApprovalsInput,
} from "../engine/presets-operations.js";
import type { ApprovalRow, ConnectionRow } from "../engine/reads.js";
import { holdDesk } from "./desks.js";
import { all, one, run, type Steps } from "./sql.js";

const APPROVAL =
	'id, uid, part, widening, preset_version as "presetVersion", state, reason, created_at as "createdAt", expires_at as "expiresAt", decided_at as "decidedAt"';

/** Everything but what is secret of them. */
export const loadConnections = (deskId: number): Steps<ConnectionRow[]> =>
	all<ConnectionRow>(
		'select app, uid, kind, label, most, connected_at as "connectedAt" from app_connection where desk_id = ? order by app',
		deskId,
	);

/** Those that are open, then so many of the others; each newest first. */
export function* loadApprovals(deskId: number, limit: number): Steps<ApprovalRow[]> {
	const open = yield* all<ApprovalRow>(`select ${APPROVAL} from approval where desk_id = ? and state = 'open' order by id desc`, deskId);
	const others = yield* all<ApprovalRow>(
		`select ${APPROVAL} from approval where desk_id = ? and state <> 'open' order by id desc limit ?`,
		deskId,
		limit,
	);
	return [...open, ...others];
}

export function* loadPreset(input: { deskId: number; now: number }): Steps<PresetRows> {
	const desk = yield* holdDesk(input.deskId);
	const approvals = yield* all<ApprovalRow>(
		`select ${APPROVAL} from approval where desk_id = ? and state = 'open' order by id`,
		input.deskId,
	);
	const connections = yield* loadConnections(input.deskId);
	// One that a crash cut off stays as it was begun: it is under way no longer than a call may take.
	const underWay = yield* one<{ n: number }>(
		"select count(*) as n from app_call where desk_id = ? and state = 'begun' and at > ?",
		input.deskId,
		input.now - LIMITS.callMs,
	);
	return { desk, approvals, connections, underWay: underWay?.n ?? 0 };
}

/** Void ones beyond the newest: a key may ask and ask again. What their owner decided is not counted. */
const DROP_VOID = `delete from approval where desk_id = ? and state = 'void'
	and id <= (select id from approval where desk_id = ? and state = 'void' order by id desc limit 1 offset ?)`;

export function* writePreset(input: { deskId: number }, _rows: unknown, plan: PresetPlan): Steps<void> {
	const { deskId } = input;
	if (plan.preset !== null) yield* run("update desk set preset = ?, changed_at = ? where id = ?", plan.preset, plan.at, deskId);
	if (plan.apps !== null) yield* run("update desk set apps = ?, changed_at = ? where id = ?", plan.apps, plan.at, deskId);
	for (const { id, state, reason } of plan.closed) {
		const won = yield* one(
			"update approval set state = ?, reason = ?, decided_at = ? where id = ? and state = 'open' returning id",
			...[state, reason, plan.at, id],
		);
		// Whoever closes one holds the desk's row, so this one is open still; if it is not, nothing of this may stand.
		if (!won) throw new Error("an approval was closed by somebody who did not hold its desk's row");
	}
	for (const { uid, part, widening, presetVersion, expiresAt } of plan.opened) {
		yield* run(
			"insert into approval (uid, desk_id, part, widening, preset_version, state, created_at, expires_at) values (?, ?, ?, ?, ?, 'open', ?, ?)",
			...[uid, deskId, part, widening, presetVersion, plan.at, expiresAt],
		);
	}
	if (plan.closed.some(({ state }) => state === "void")) yield* run(DROP_VOID, deskId, deskId, LIMITS.approvalsVoidPerDesk);
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
	/** One desk's: of another, the row would have to be held as well. */
	*load({ now }: ExpireApprovalsInput): Steps<ExpireApprovalsRows> {
		const first = yield* one<{ deskId: number }>(
			"select desk_id as \"deskId\" from approval where state = 'open' and expires_at <= ? order by expires_at limit 1",
			now,
		);
		if (!first) return { expired: [] };
		yield* holdDesk(first.deskId);
		const rows = yield* all<{ id: number }>(
			"select id from approval where desk_id = ? and state = 'open' and expires_at <= ? order by id",
			first.deskId,
			now,
		);
		return { deskId: first.deskId, expired: rows.map((r) => r.id) };
	},
	*write({ now }: ExpireApprovalsInput, _rows: unknown, plan: number[]): Steps<void> {
		for (const id of plan) yield* run("update approval set state = 'expired', decided_at = ? where id = ? and state = 'open'", now, id);
	},
};

const pruneApprovals = {
	*load(input: PruneApprovalsInput): Steps<{ decided: number[] }> {
		const rows = yield* all<{ id: number }>(
			"select id from approval where state <> 'open' and decided_at < ? order by decided_at limit ?",
			input.before,
			input.limit,
		);
		return { decided: rows.map((r) => r.id) };
	},
	*write(_input: PruneApprovalsInput, _rows: unknown, plan: number[]): Steps<void> {
		for (const id of plan) yield* run("delete from approval where id = ? and state <> 'open'", id);
	},
};

const preset = { load: loadPreset, write: writePreset };
/** By the names under which `operations.ts` lists them. */
export const presetHalves = {
	changePreset: preset,
	decideApproval,
	expireApprovals,
	pruneApprovals,
	connectApp: preset,
	removeApp: preset as { load: (input: RemoveAppInput) => Steps<PresetRows>; write: typeof writePreset },
};
