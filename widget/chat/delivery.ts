/**
 * Sends what the visitor wrote: writes it down first, sends one message after the other, and goes on after a loss or a
 * reload as if nothing had been. What a refusal means is `outbox.ts`'s; this is the order in which things happen.
 */
import type { SendMessageResponse } from "../../shared/a2a.schema.js";
import { type Clock, type Connection, Refusal } from "./connection.js";
import type { Action, Conversation } from "./conversation.js";
import { afterFailure, fix, nextToSend, type Outgoing, restore, toKeep, toWire } from "./outbox.js";
import type { Store } from "./store.js";

export interface DeliveryParts {
	store: Store;
	connection: Pick<Connection, "link" | "call">;
	clock: Clock;
	random(): number;
	conversation(): Conversation;
	dispatch(action: Action): void;
	/** A message sent without a conversation has made this one. */
	begun(contextId: string): void;
}

export interface Delivery {
	/** Takes up what an earlier page has left. */
	restore(): void;
	/** Writes down what is on its way. Call whenever that has changed. */
	keep(): void;
	/** Sends what can be sent now. */
	pump(): void;
}

export function createDelivery({ store, connection, clock, random, conversation, dispatch, begun }: DeliveryParts): Delivery {
	/** Messages that were on their way in this window: the others in the store are another tab's. */
	const known = new Set<string>();
	let stopWait: (() => void) | undefined;

	const kept = (): Outgoing[] => {
		try {
			return restore(JSON.parse(store.get("outbox") ?? "[]"));
		} catch {
			return [];
		}
	};

	async function pump(): Promise<void> {
		stopWait?.();
		const next = nextToSend(conversation());
		if (connection.link !== "open" || !next) return;
		const wait = (next.notBefore ?? 0) - clock.now();
		if (wait > 0) {
			stopWait = clock.after(wait, () => void pump());
			return;
		}
		const { messageId } = next;
		// Another tab may have begun to send it, or be done with it.
		const stored = kept().find((o) => o.messageId === messageId);
		if (!stored) dispatch({ type: "withdrawn", messageId });
		else await send({ ...next, ...fix(conversation(), stored.fixed ? stored : next) });
		return pump();
	}

	async function send(mine: Outgoing): Promise<void> {
		const { messageId } = mine;
		dispatch({ type: "moved", messageId, change: { ...mine, state: "sending" } });
		try {
			const params = { message: toWire(mine), configuration: { returnImmediately: true } };
			const { task, message } = (await connection.call("SendMessage", params)) as SendMessageResponse;
			const contextId = task?.contextId ?? message?.contextId ?? mine.contextId;
			dispatch({ type: "accepted", messageId, contextId });
			if (contextId !== undefined && mine.contextId === undefined) begun(contextId);
		} catch (error) {
			dispatch({ type: "moved", messageId, change: afterFailure(mine, error, clock.now(), random()) });
			const gone = error instanceof Refusal && error.reason === "CONTEXT_NOT_FOUND" && mine.contextId === conversation().contextId;
			if (gone) dispatch({ type: "fresh" });
		}
	}

	return {
		restore: () => dispatch({ type: "queued", outgoing: kept() }),
		keep() {
			for (const o of conversation().outgoing) known.add(o.messageId);
			const keep = toKeep(kept(), conversation(), known);
			store.set("outbox", keep.length > 0 ? JSON.stringify(keep) : undefined);
		},
		pump: () => void pump(),
	};
}
