/** What askers think of answers: said by them, read back by them, and read by the owner. Kept beside the log, since the desk's answerer is not to see it. */
import type { Message } from "../../shared/a2a.schema.js";
import { type Rating, textOf } from "../../shared/channel.js";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Caller, Desk } from "./engine.js";
import type { Clock, Store } from "./ports.js";

/** One rated answer. */
export interface RatedAnswer {
	contextId: string;
	seq: number;
	value: Rating;
	/** The answer's words. */
	text: string;
	/** When it was rated, milliseconds since the epoch. */
	at: number;
}

const notTheirs = (): DeskError => new DeskError("context_not_found", "There is no such conversation of yours with this desk.");

export class Ratings {
	constructor(private readonly parts: { store: Store; clock: Clock }) {}

	/** Throws `context_not_found`, `invalid_params`. */
	async rate(caller: Caller, desk: Desk, contextId: string, seq: number, value: Rating | "none"): Promise<void> {
		if (!caller.principal) throw notTheirs();
		const { store, clock } = this.parts;
		const who = { deskId: desk.row.id, principalId: caller.principal.id, contextUid: contextId };
		await store.write("rate", { ...who, seq, value, now: clock.now() });
	}

	async ofContext(caller: Caller, desk: Desk, contextId: string): Promise<{ seq: number; value: Rating }[]> {
		const { read } = this.parts.store;
		const view = caller.principal && (await read.conversation(caller.principal.id, desk.row.id, contextId, 0));
		if (!view) throw notTheirs();
		return await read.ratings(view.conversation.id);
	}

	/** The last of a desk, newest first. */
	async ofDesk(deskId: number): Promise<RatedAnswer[]> {
		const rows = await this.parts.store.read.ratedAnswers(deskId, LIMITS.listedRatings);
		return rows.map(({ body, ...row }) => ({ ...row, text: textOf(JSON.parse(body) as Message) }));
	}
}
