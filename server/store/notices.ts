/** Notices in SQL: left by `perform` in the transaction of whatever they tell of, read by every process in the order of commits. */
import type { Notice } from "../engine/notices-operations.js";
import type { NoticeHint } from "../engine/ports.js";
import type { NoticeRow } from "../engine/reads.js";
import { all, one, run, type Steps } from "./sql.js";

/** A node that was away for more than these looks at everything again. */
const KEPT = 1_000;

/** Writes notices, and drops those that are more than are kept. Gives them with their numbers. */
export function* leaveNotices(notices: readonly Notice[]): Steps<NoticeHint[]> {
	const head = yield* one<{ last: number }>("update notice_head set last = last + ? returning last", notices.length);
	if (!head) throw new Error("The notices have no head.");
	const first = head.last - notices.length + 1;
	const hints = notices.map((notice, i) => ({ id: first + i, notice }));
	for (const { id, notice } of hints) yield* run("insert into notice (id, what) values (?, ?)", id, JSON.stringify(notice));
	yield* run("delete from notice where id <= ?", head.last - KEPT);
	return hints;
}

/** From a number on, that one among them if it is still kept. */
export const loadNotices = (from: number, limit: number): Steps<NoticeRow[]> =>
	all<NoticeRow>("select id, what from notice where id >= ? order by id limit ?", from, limit);

/** The number of the last; 0 before there was one. */
export function* loadLastNotice(): Steps<number> {
	return (yield* one<{ last: number }>("select last from notice_head"))?.last ?? 0;
}
