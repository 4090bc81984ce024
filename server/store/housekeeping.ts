/** Load and write of `engine/housekeeping.ts`. */
import type { FoldInput, FoldPlan, FoldRows } from "../engine/housekeeping.js";
import { OPEN_STATES } from "./columns.js";
import { all, run, type Steps } from "./sql.js";

export const housekeepingHalves = {
	foldChunks: {
		*load(input: FoldInput): Steps<FoldRows> {
			// Ended tasks that still have their answer in pieces. `at` stands first in the index that this walks.
			const tasks = yield* all<{ id: number; uid: string; contextId: string; conversationId: number }>(
				`select t.id, t.uid, c.uid as "contextId", t.conversation_id as "conversationId" from event e join task t on t.id = e.task_id join conversation c on c.id = t.conversation_id
				where e.kind = 'artifact' and e.at < ? and t.state not in ${OPEN_STATES} group by t.id, t.uid, c.uid, t.conversation_id limit ?`,
				input.before,
				input.limit,
			);
			const rows: FoldRows = { tasks: [] };
			for (const task of tasks) {
				const chunks = yield* all<FoldRows["tasks"][number]["chunks"][number]>(
					"select id, seq, kind, body from event where conversation_id = ? and kind in ('artifact', 'whole') and task_id = ? order by seq",
					task.conversationId,
					task.id,
				);
				rows.tasks.push({ contextId: task.contextId, uid: task.uid, chunks });
			}
			return rows;
		},
		*write(_input: FoldInput, _rows: FoldRows, plan: FoldPlan): Steps<void> {
			for (const row of plan.rewrite) yield* run("update event set kind = 'whole', body = ? where id = ?", row.body, row.id);
			for (const id of plan.drop) yield* run("delete from event where id = ?", id);
		},
	},
};
