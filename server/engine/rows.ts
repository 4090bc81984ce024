/** Rows as the store gives them to the engine. Integer ids are the database's and never leave the server; `uid`s are public. */
import type { TaskState } from "../../shared/a2a.schema.js";
import type { Channel } from "./ports.js";

export interface DeskRow {
	id: number;
	handle: string;
	name: string;
	about: string;
	/** JSON: string[]. */
	suggestions: string;
	/** JSON: what the owner changed of `settings.ts`. */
	settings: string;
	/** JSON: the owner's preset with its version; empty: never changed. */
	preset: string;
	/** JSON: the most that the connected apps could give; empty: none is connected. */
	apps: string;
	ownerId: number;
	ownerName: string;
	/** Text of the owner's language: `en` or `zh`. */
	language: "en" | "zh";
	createdAt: number;
	changedAt: number;
}

export interface PrincipalRow {
	id: number;
	uid: string;
	kind: "guest" | "account";
	/** A guest belongs to one desk; an account to none. */
	deskId: number | null;
	/** Part of a guest's token: raising it ends the tokens given out. */
	generation: number;
	name: string;
	seenAt: number;
	createdAt: number;
}

export interface ConversationRow {
	id: number;
	uid: string;
	deskId: number;
	/** Last number given in the log. */
	seq: number;
	/** Raised by claim, takeover, lost lease and cancel; a turn's writes name the one they were claimed under. */
	epoch: number;
	/** When the desk put up its do-not-disturb sign; null while it is down. */
	endedAt: number | null;
	channel: Channel;
	site: string | null;
	embed: string | null;
	changedAt: number;
	createdAt: number;
}

/** The two sides of a conversation. `microphone` is who speaks for this side. */
export interface ParticipantRow {
	conversationId: number;
	side: "asker" | "desk";
	principalId: number;
	readSeq: number;
	microphone: "desk" | "owner";
}

export interface TaskRow {
	id: number;
	uid: string;
	deskId: number;
	callerId: number;
	conversationId: number;
	/** Public id of the conversation. */
	contextId: string;
	state: TaskState;
	/** JSON: TaskStatus. */
	status: string;
	/** Time of the last change of state, strictly rising within a task; ListTasks is ordered by it. */
	statusAt: number;
	/** JSON: Artifact[]; whole only once the task has ended. Empty text: none. */
	artifacts: string;
	/** JSON object or empty text. */
	metadata: string;
	/** seq of its first event. */
	firstSeq: number;
	/** seq up to which `artifacts` is whole; pieces said after it stand in the log only. Of an ended task: its last event. */
	lastSeq: number;
	/** seq of the asker's last message in it. */
	askedSeq: number;
	/** From here on nothing that was asked in it has been answered. */
	askedFrom: number;
	/** 1: answered by a bare message; the task is not shown (a2a.md 1.1). */
	hidden: number;
}

export interface TurnRow {
	id: number;
	uid: string;
	conversationId: number;
	deskId: number;
	state: "queued" | "running" | "parked";
	/** The conversation's epoch at the claim. */
	epoch: number;
	/** Made by whoever claimed it; its writes must name it. Empty while queued. */
	claim: string;
	leaseUntil: number;
	attempts: number;
	/** Everything up to this seq is answered by the turn; what comes later by the next. */
	throughSeq: number;
	/** 1 once a piece of an answer has been written. */
	wrote: number;
	queuedAt: number;
}
