/**
 * What turns do outside in SQL: what `beginCall` and `endCall` of `engine/apps-operations.ts` are shown, and what they write. The
 * conversation is held first, then the desk: a preset that is narrowed is seen by every call that comes after.
 */

import { LIMITS } from "../../shared/limits.js";
import type { BeginCallInput, BeginCallPlan, CallRow, EndCallInput, PruneCallsInput, UseRows } from "../engine/apps-operations.js";
import type { Connection } from "../engine/apps-ports.js";
import type { AppCallRow } from "../engine/reads.js";
import { loadTurn } from "./conversations.js";
import { holdDesk } from "./desks.js";
import { loadEmbed } from "./embeds.js";
import { loadRules } from "./sites.js";
import { all, one, run, type Steps } from "./sql.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Of the last 24 hours, whatever the time of day. */
const MADE = `select
	(select count(*) from (select 1 from app_call where asker_id = ? and desk_id = ? and at > ? limit ?) g) as asker,
	(select count(*) from (select 1 from app_call where desk_id = ? and at > ? limit ?) d) as desk`;

/** Newest first. */
export const loadCalls = (deskId: number, limit: number): Steps<AppCallRow[]> =>
	all<AppCallRow>("select uid, tool, call, state, at from app_call where desk_id = ? order by at desc, id desc limit ?", deskId, limit);

function* loadUse(input: { turnUid: string; now: number }): Steps<UseRows> {
	const rows = yield* loadTurn(input);
	const { conversation } = rows;
	const none: UseRows = {
		...rows,
		pinned: "",
		elsewhere: false,
		askerId: 0,
		rules: [],
		embedGone: false,
		connections: [],
		calls: [],
		made: { asker: 0, desk: 0 },
	};
	if (!conversation) return none;
	const { deskId } = conversation;
	const now = yield* holdDesk(deskId);
	const pinned = yield* one<{ preset: string }>("select preset from turn_preset where turn_uid = ?", input.turnUid);
	const elsewhere = yield* one("select 1 as elsewhere from conversation_elsewhere where conversation_id = ?", conversation.id);
	const rules = yield* loadRules(deskId);
	const embedGone = conversation.embed !== null && (yield* loadEmbed(deskId, Number(conversation.embed))) === undefined;
	const connections = yield* all<Connection>("select app, uid, kind, label, most, settings from app_connection where desk_id = ?", deskId);
	const calls = yield* all<CallRow>("select uid, call, state, result from app_call where turn_uid = ? order by id", input.turnUid);
	const asker = yield* one<{ id: number }>(
		"select principal_id as id from participant where conversation_id = ? and side = 'asker'",
		conversation.id,
	);
	const since = input.now - DAY_MS;
	const { callsPerGuestPerDay, callsPerDeskPerDay } = LIMITS;
	const made = yield* one<UseRows["made"]>(
		MADE,
		...[asker?.id ?? 0, deskId, since, callsPerGuestPerDay, deskId, since, callsPerDeskPerDay],
	);
	return {
		...none,
		now,
		pinned: pinned?.preset ?? "",
		elsewhere: elsewhere !== undefined,
		askerId: asker?.id ?? 0,
		rules,
		embedGone,
		connections,
		calls,
		made: made ?? none.made,
	};
}

const beginCall = {
	load: (input: BeginCallInput): Steps<UseRows> => loadUse(input),
	*write(_input: BeginCallInput, _rows: UseRows, plan: BeginCallPlan): Steps<void> {
		yield* run(
			"insert into app_call (uid, desk_id, conversation_id, turn_uid, asker_id, tool, call, state, at) values (?, ?, ?, ?, ?, ?, ?, 'begun', ?)",
			...[plan.uid, plan.deskId, plan.conversationId, plan.turnUid, plan.askerId, plan.tool, plan.call, plan.at],
		);
	},
};

const endCall = {
	load: (input: EndCallInput): Steps<UseRows> => loadUse(input),
	*write(input: EndCallInput, _rows: UseRows, plan: { state: string; result: string }): Steps<void> {
		yield* run("update app_call set state = ?, result = ? where uid = ? and state = 'begun'", plan.state, plan.result, input.uid);
	},
};

const pruneCalls = {
	*load(input: PruneCallsInput): Steps<{ results: number[]; calls: number[] }> {
		const ids = (before: number, which: string) =>
			all<{ id: number }>(`select id from app_call where at < ?${which} order by at limit ?`, before, input.limit);
		const results = yield* ids(input.resultsBefore, " and result <> ''");
		const calls = yield* ids(input.callsBefore, "");
		return { results: results.map((r) => r.id), calls: calls.map((r) => r.id) };
	},
	*write(_input: PruneCallsInput, _rows: unknown, plan: { results: number[]; calls: number[] }): Steps<void> {
		for (const id of plan.results) yield* run("update app_call set result = '' where id = ?", id);
		for (const id of plan.calls) yield* run("delete from app_call where id = ?", id);
	},
};

/** By the names under which `operations.ts` lists them. */
export const callHalves = { beginCall, endCall };
export const callUpkeepHalves = { pruneCalls };
