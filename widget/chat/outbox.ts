/**
 * The visitor's messages on their way: what is written down before it is sent, what goes over the wire, and what a refusal
 * means for it. Pure. A message keeps its id, and from the first try on also its conversation and task, so that however
 * often it is sent again it is the same message and has one effect (design.md, "Retry keys").
 */
import type { Message } from "../../shared/a2a.schema.js";
import { Refusal } from "./connection.js";
import { askingTask, type Conversation } from "./conversation.js";

/** `waiting`: to be sent as soon as it can be. `sent`: the server has it, its log's event is about to come. */
export type Delivery = "waiting" | "sending" | "sent" | "failed";

/** Why a message was given up; each has its own words. */
export type Problem = "fast" | "long" | "closed" | "trouble";

/** A picture that the server holds: a part of the message. */
export interface Picture {
	url: string;
	mediaType: string;
	/** A label. */
	filename: string;
}

export interface Outgoing {
	messageId: string;
	text: string;
	pictures?: readonly Picture[];
	/** What is said beside the words: that a page's script wrote them, who it says the visitor is. */
	metadata?: Message["metadata"];
	/** Milliseconds since the epoch, by the visitor's clock: shown, never compared with the server's. */
	at: number;
	state: Delivery;
	problem?: Problem;
	contextId?: string;
	taskId?: string;
	/** It has been tried: `contextId` and `taskId` no longer change. */
	fixed?: boolean;
	/** Refusals so far that were worth another try. */
	tries: number;
	/** Not before this time (the visitor's clock). */
	notBefore?: number;
}

/** Tries of a message that the server is too busy to take. */
const MOST_TRIES = 6;
/** Longer than this nobody waits without a word. */
const LONGEST_WAIT_MS = 20_000;
const FIRST_WAIT_MS = 1_000;

/** The message that goes next: they go one by one, in the order in which they were written. */
export const nextToSend = (conversation: Conversation): Outgoing | undefined => {
	const sending = conversation.outgoing.some((o) => o.state === "sending");
	return sending ? undefined : conversation.outgoing.find((o) => o.state === "waiting");
};

/** Whether a message on its way belongs to what is on the screen: also while its conversation has not come yet (a reload without a connection). */
export const isHere = ({ contextId, left }: Conversation, outgoing: Outgoing): boolean =>
	outgoing.contextId === undefined || (contextId === undefined ? !left.includes(outgoing.contextId) : outgoing.contextId === contextId);

/** What becomes true of a message at its first try. */
export function fix(conversation: Conversation, outgoing: Outgoing): Pick<Outgoing, "contextId" | "taskId" | "fixed"> {
	if (outgoing.fixed) return { contextId: outgoing.contextId, taskId: outgoing.taskId, fixed: true };
	const contextId = outgoing.contextId ?? conversation.contextId;
	return { contextId, taskId: contextId === conversation.contextId ? askingTask(conversation) : undefined, fixed: true };
}

/** The A2A message: the same one at every try. */
export function toWire({ messageId, text, pictures = [], metadata, contextId, taskId }: Outgoing): Message {
	const words = text === "" && pictures.length > 0 ? [] : [{ text }];
	const message: Message = { messageId, role: "ROLE_USER", parts: [...pictures, ...words] };
	if (metadata !== undefined) message.metadata = metadata;
	if (contextId !== undefined) message.contextId = contextId;
	if (taskId !== undefined) message.taskId = taskId;
	return message;
}

/**
 * What a send that was not taken comes to. The connection's loss says nothing about the message: it is sent again. `now`
 * and `random` (0 to 1) set when.
 */
export function afterFailure(outgoing: Outgoing, error: unknown, now: number, random: number): Partial<Outgoing> {
	if (!(error instanceof Refusal)) return { state: "waiting" };
	const { reason, code } = error;
	// The conversation is no longer there (or was another guest's): the words begin a new one.
	if (reason === "CONTEXT_NOT_FOUND" && outgoing.contextId !== undefined) {
		return { state: "waiting", contextId: undefined, taskId: undefined, fixed: false };
	}
	// The question it answers has ended meanwhile: it becomes a message of its own.
	if (outgoing.taskId !== undefined && (code === -32001 || code === -32004)) return { state: "waiting", taskId: undefined };
	const busy = reason === "UNAVAILABLE" || reason === "DEADLINE_EXCEEDED" || code === -32603;
	if (busy || reason === "RATE_LIMITED") {
		const wait = Math.max(error.retryAfterMs ?? 0, FIRST_WAIT_MS * 2 ** outgoing.tries * (0.5 + random / 2));
		const again = outgoing.tries + 1 < MOST_TRIES && wait <= LONGEST_WAIT_MS;
		if (again) return { state: "waiting", tries: outgoing.tries + 1, notBefore: now + wait };
		return { state: "failed", problem: busy ? "trouble" : "fast" };
	}
	if (reason === "TOO_LARGE") return { state: "failed", problem: "long" };
	return { state: "failed", problem: reason === "FORBIDDEN" || reason === "UNAUTHENTICATED" ? "closed" : "trouble" };
}

/** The visitor asks for another try. */
export const again: Partial<Outgoing> = { state: "waiting", problem: undefined, tries: 0, notBefore: undefined };

/** What is kept across reloads: everything that the server has not taken. Messages that are another tab's (not `known` here) stay as they were kept. */
export const toKeep = (kept: readonly Outgoing[], conversation: Conversation, known: ReadonlySet<string>): Outgoing[] => [
	...kept.filter((o) => !known.has(o.messageId)),
	...conversation.outgoing.filter((o) => o.state !== "sent"),
];

/** What was kept, read back: a try that was under way is made again. Anything that is not one of ours is left out. */
export function restore(kept: unknown): Outgoing[] {
	if (!Array.isArray(kept)) return [];
	return (kept as Outgoing[])
		.filter((o) => typeof o?.messageId === "string" && typeof o.text === "string" && typeof o.at === "number")
		.map((o) => ({ ...o, tries: 0, notBefore: undefined, state: o.state === "failed" ? "failed" : "waiting" }));
}
