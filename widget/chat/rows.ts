/**
 * What a conversation looks like as lines from top to bottom: pure, so that who is shown as speaking, where a time helps
 * and what is under the last word can be tested without drawing anything.
 */
import type { LoggedMessage } from "../../shared/channel.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { beingAnswered, type Conversation, type Mark, reactionOf, wordsSoFar } from "./conversation.js";
import { isHere, type Outgoing } from "./outbox.js";

/** Who said something. A person is named as their desk signs them (human-takeover/v1). */
export type Author = { side: "visitor" } | { side: "desk" } | { side: "person"; name: string };

export type Row = { key: string } & (
	| { kind: "time"; at: number }
	| {
			kind: "message";
			logged: LoggedMessage;
			author: Author;
			/** First of several by the same author: bears the face. */
			first: boolean;
			reactions: readonly string[];
			/** Under the visitor's last word only. */
			delivery?: "sent" | "seen";
	  }
	| { kind: "mark"; mark: Mark; first: boolean }
	| { kind: "outgoing"; outgoing: Outgoing; first: boolean }
);

/** What goes on under the last line. */
export interface Tail {
	/** Words that the desk is still saying; undefined: none yet. */
	draft?: string;
	/** The desk has been at work, and its words are being written anew. */
	interrupted: boolean;
	/** Somebody of the desk's side writes, and no word of it is here. */
	writing: boolean;
	waitsForOwner: boolean;
	/** Nobody has taken up the visitor's question yet. */
	queued: boolean;
	/** The server's words for what is asked of the visitor outside the chat (AUTH_REQUIRED). */
	explanation: string;
}

/** A silence after which the time is said. */
const SILENCE_MS = 30 * 60_000;

export function authorOf({ message }: LoggedMessage): Author {
	if (message.role === "ROLE_USER") return { side: "visitor" };
	const takeover = message.metadata?.[EXTENSIONS.humanTakeover] as { by?: unknown; name?: unknown; signed?: unknown } | undefined;
	if (takeover?.by !== "human") return { side: "desk" };
	const name = [takeover.signed, takeover.name].find((value) => typeof value === "string" && value !== "");
	return { side: "person", name: (name as string | undefined) ?? "" };
}

/** What an author of the desk's side is called; a person who is not named speaks under the desk's name. */
export const nameOf = (author: Author, desk: string): string => (author.side === "person" && author.name) || desk;

const sameAuthor = (a: Author, b: Author): boolean => a.side === b.side && (a as { name?: string }).name === (b as { name?: string }).name;

export function rowsOf(conversation: Conversation): Row[] {
	const rows: Row[] = [];
	const marks = [...conversation.marks];
	const reactions = new Map<string, string[]>();
	for (const { message } of conversation.messages) {
		const reaction = reactionOf(message);
		if (reaction) reactions.set(reaction.messageId, [...(reactions.get(reaction.messageId) ?? []), reaction.emoji]);
	}
	let at = Number.NEGATIVE_INFINITY;
	let author: Author = { side: "visitor" };
	const time = (next: number): void => {
		if (next - at >= SILENCE_MS) {
			rows.push({ key: `at ${next}`, kind: "time", at: next });
			author = { side: "visitor" };
		}
		at = next;
	};
	const marksBefore = (seq: number): void => {
		while (marks[0] && marks[0].seq < seq) {
			const mark = marks.shift() as Mark;
			rows.push({ key: `mark ${mark.seq}`, kind: "mark", mark, first: author.side !== "desk" });
			author = { side: "desk" };
		}
	};
	for (const logged of conversation.messages) {
		if (reactionOf(logged.message)) continue;
		marksBefore(logged.seq);
		time(logged.at);
		const by = authorOf(logged);
		// The id and not the seq: the row stays the same one when the visitor's own message comes back.
		const key = logged.message.messageId;
		rows.push({ key, kind: "message", logged, author: by, first: !sameAuthor(by, author), reactions: reactions.get(key) ?? [] });
		author = by;
	}
	marksBefore(Number.POSITIVE_INFINITY);
	const outgoing = conversation.outgoing.filter((o) => isHere(conversation, o));
	const last = rows.at(-1);
	if (last?.kind === "message" && last.author.side === "visitor" && outgoing.length === 0) {
		last.delivery = last.logged.seq <= conversation.read.desk ? "seen" : "sent";
	}
	for (const o of outgoing) {
		rows.push({ key: o.messageId, kind: "outgoing", outgoing: o, first: author.side !== "visitor" });
		author = { side: "visitor" };
	}
	return rows;
}

export function tailOf(conversation: Conversation, online: boolean): Tail {
	const working = beingAnswered(conversation);
	const said = working.find((task) => wordsSoFar(task) !== "");
	return {
		draft: said && wordsSoFar(said),
		interrupted: said?.interrupted ?? false,
		writing: !said && (working.length > 0 || conversation.deskTyping),
		waitsForOwner: conversation.tasks.some((task) => task.waitsForOwner),
		queued: !online && conversation.tasks.some((task) => task.state === "TASK_STATE_SUBMITTED"),
		explanation: conversation.tasks.find((task) => task.state === "TASK_STATE_AUTH_REQUIRED")?.explanation ?? "",
	};
}
