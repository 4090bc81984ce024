/** A caller's own conversations with a desk: opened at one seq, read back, read as they grow, and what is of the moment in them. */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Caller, Desk, Engine, JsonText, OpenContext } from "./engine.js";
import type { Events } from "./events.js";
import type { Clock, Store } from "./ports.js";
import type { ConversationView } from "./reads.js";
import { contextState, logEventText, loggedMessagesText } from "./views.js";

const notTheirs = (): DeskError => new DeskError("context_not_found", "There is no such conversation of yours with this desk.");

export class Contexts {
	constructor(private readonly parts: { store: Store; clock: Clock; events: Events }) {}

	private async theirs(caller: Caller, desk: Desk, contextId: string | null, messages: number): Promise<ConversationView | undefined> {
		return caller.principal ? await this.parts.store.read.conversation(caller.principal.id, desk.row.id, contextId, messages) : undefined;
	}

	private async mustBeTheirs(caller: Caller, desk: Desk, contextId: string): Promise<ConversationView> {
		const view = await this.theirs(caller, desk, contextId, 0);
		if (!view) throw notTheirs();
		return view;
	}

	async open(caller: Caller, desk: Desk, contextId?: string, messages: number = LIMITS.historyPage): Promise<OpenContext | undefined> {
		const view = await this.theirs(caller, desk, contextId ?? null, messages);
		return view && { conversationId: view.conversation.id, state: contextState(view) };
	}

	async history(
		caller: Caller,
		desk: Desk,
		contextId: string,
		before: number,
		limit: number,
	): Promise<{ messages: JsonText; more: boolean }> {
		const view = await this.mustBeTheirs(caller, desk, contextId);
		const page = await this.parts.store.read.messages(view.conversation.id, before, limit);
		return { messages: loggedMessagesText(page.events), more: page.more };
	}

	/** The log by polling: waits for the first event, however often it is woken for nothing. */
	async poll(caller: Caller, desk: Desk, query: Parameters<Engine["events"]>[2]): Promise<{ events: JsonText[]; seq: number }> {
		const { clock, events } = this.parts;
		const view = await this.mustBeTheirs(caller, desk, query.contextId);
		let woken: () => void = () => undefined;
		const reader = events.read(view.conversation.id, query.after, () => woken());
		try {
			let page = await reader.next(LIMITS.catchUpPageBytes);
			const until = clock.elapsed() + query.waitMs;
			while (page === null && clock.elapsed() < until && !query.signal?.aborted) {
				await new Promise<void>((resolve) => {
					const stop = clock.after(until - clock.elapsed(), () => end());
					const end = (): void => {
						stop();
						query.signal?.removeEventListener("abort", end);
						resolve();
					};
					woken = end;
					query.signal?.addEventListener("abort", end);
				});
				page = await reader.next(LIMITS.catchUpPageBytes);
			}
			const given = (page ?? []).slice(0, query.limit);
			return {
				events: given.map(({ event, from }) => logEventText(query.contextId, event, from)),
				seq: given.at(-1)?.event.seq ?? query.after,
			};
		} finally {
			reader.close();
		}
	}

	async typing(caller: Caller, desk: Desk, contextId: string): Promise<void> {
		const view = await this.mustBeTheirs(caller, desk, contextId);
		this.parts.events.signal(view.conversation.id, JSON.stringify({ contextId, signal: { kind: "typing", side: "asker" } }));
	}

	async seen(caller: Caller, desk: Desk, contextId: string, seq: number): Promise<void> {
		if (!caller.principal) throw notTheirs();
		const { store, clock, events } = this.parts;
		const input = {
			deskId: desk.row.id,
			principalId: caller.principal.id,
			contextUid: contextId,
			side: "asker",
			seq,
			now: clock.now(),
		} as const;
		const answer = await store.write("seen", input);
		if (answer.moved)
			events.signal(answer.conversationId, JSON.stringify({ contextId, signal: { kind: "seen", side: "asker", seq: answer.seq } }));
	}
}
