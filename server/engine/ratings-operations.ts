/** What an asker thinks of an answer, judged where it is written: one thumb an answer, theirs to change and to take back. */
import type { Message } from "../../shared/a2a.schema.js";
import type { Rating } from "../../shared/channel.js";
import { DeskError } from "../../shared/errors.js";

export interface RateInput {
	deskId: number;
	principalId: number;
	contextUid: string;
	seq: number;
	value: Rating | "none";
	now: number;
}
export interface RateRows {
	/** Absent: not there, or not theirs. */
	conversationId?: number;
	/** Wire JSON of the message at the seq. */
	body?: string;
}

/** Throws `context_not_found`, and `invalid_params` for what is no answer of the desk's. */
export function decideRate(
	rows: RateRows,
	input: RateInput,
): { plan: { conversationId: number; seq: number; value: Rating | null; at: number }; answer: null } {
	if (rows.conversationId === undefined) throw new DeskError("context_not_found", "There is no such conversation of yours with this desk.");
	const isAnswer = rows.body !== undefined && (JSON.parse(rows.body) as Message).role === "ROLE_AGENT";
	if (!isAnswer) {
		throw new DeskError("invalid_params", "There is no answer of the desk's at this seq. Name the seq of one of its messages.", {
			violations: [{ field: "seq", description: "Not the seq of a message of the desk's." }],
		});
	}
	const value = input.value === "none" ? null : input.value;
	return { plan: { conversationId: rows.conversationId, seq: input.seq, value, at: input.now }, answer: null };
}

/** An answer that somebody has rated, as its owner reads it. */
export interface RatedRow {
	contextId: string;
	seq: number;
	value: Rating;
	/** Wire JSON of the answer. */
	body: string;
	at: number;
}
