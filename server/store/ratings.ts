/** Ratings in SQL: load and write of `engine/ratings-operations.ts`, and what is read of them. */
import type { Rating } from "../../shared/channel.js";
import type { decideRate, RatedRow, RateInput, RateRows } from "../engine/ratings-operations.js";
import { all, one, run, type Steps } from "./sql.js";

/** Those of one conversation, in its order. */
export const loadRatings = (conversationId: number): Steps<{ seq: number; value: Rating }[]> =>
	all<{ seq: number; value: Rating }>("select seq, value from rating where conversation_id = ? order by seq", conversationId);

/** Those of a desk, the newest first, each with the answer that it is about. */
export const loadRatedAnswers = (deskId: number, limit: number): Steps<RatedRow[]> =>
	all<RatedRow>(
		`select c.uid as "contextId", r.seq, r.value, e.body, r.at from rating r join conversation c on c.id = r.conversation_id
		join event e on e.conversation_id = r.conversation_id and e.seq = r.seq where c.desk_id = ? order by r.at desc, r.seq desc limit ?`,
		deskId,
		limit,
	);

const rate = {
	*load(input: RateInput): Steps<RateRows> {
		const conversation = yield* one<{ id: number }>(
			"select c.id from conversation c join participant p on p.conversation_id = c.id where c.uid = ? and c.desk_id = ? and p.principal_id = ? and p.side = 'asker'",
			input.contextUid,
			input.deskId,
			input.principalId,
		);
		if (!conversation) return {};
		const event = yield* one<{ body: string }>(
			"select body from event where conversation_id = ? and seq = ? and kind in ('message', 'bare')",
			conversation.id,
			input.seq,
		);
		return { conversationId: conversation.id, ...(event ? { body: event.body } : {}) };
	},
	*write(_input: RateInput, _rows: RateRows, plan: ReturnType<typeof decideRate>["plan"]): Steps<void> {
		if (plan.value === null) yield* run("delete from rating where conversation_id = ? and seq = ?", plan.conversationId, plan.seq);
		else
			yield* run(
				"insert into rating (conversation_id, seq, value, at) values (?, ?, ?, ?) on conflict (conversation_id, seq) do update set value = excluded.value, at = excluded.at",
				...[plan.conversationId, plan.seq, plan.value, plan.at],
			);
	},
};

/** By the names under which `operations.ts` lists them. */
export const ratingHalves = { rate };
