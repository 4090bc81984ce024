/**
 * What an operation on a conversation loads, and what it asks to be written: rows in, a plain list of changes out. All
 * operations of this kind share the one load and the one write of the store, so a rule is written once and here, and a
 * database knows none. Everything is plain JSON.
 */
import type { TaskState } from "../../shared/a2a.schema.js";
import type { EventKind, StoredEvent } from "./ports.js";
import type { ConversationRow, DeskRow, ParticipantRow, PrincipalRow, TaskRow, TurnRow } from "./rows.js";
import { mayMove } from "./task-states.js";

/** What of a desk its conversations are judged by. */
export type DeskOf = Pick<DeskRow, "id" | "name" | "settings" | "preset" | "apps" | "ownerId" | "ownerName" | "language">;

/** What stood in the database when the operation was judged. */
export interface ConversationRows {
	desk: DeskOf;
	/** Absent: not there, or not the caller's. */
	conversation?: ConversationRow;
	participants: ParticipantRow[];
	/** Tasks that have not ended, oldest first. */
	openTasks: TaskRow[];
	/** Turns queued or running. */
	turns: TurnRow[];
}

export interface NewTask extends Omit<TaskRow, "id" | "callerId" | "conversationId" | "deskId"> {
	/** Undefined: the principal made by this very change. */
	callerId?: number;
}

export interface ConversationChange {
	/** A guest to be made with it. */
	newPrincipal?: Omit<PrincipalRow, "id">;
	/** A conversation to be made. Its asker is `askerId`, or the principal made by this change. */
	newConversation?: { uid: string; channel: string; site: string | null; embed: string | null; askerId?: number; ownerId: number };
	/** How the conversation stands afterwards. */
	conversation: { seq: number; epoch: number; endedAt: number | null; changedAt: number };
	microphone?: ParticipantRow["microphone"];
	newTasks: NewTask[];
	/** Tasks whose snapshot changes, whole. */
	tasks: TaskRow[];
	/** Retry keys to keep. `scopeId` undefined: the id of what this change makes (`conversation`). */
	keys: { callerId?: number; scope: KeyScope; scopeId?: number; messageId: string; hash: string; taskUid: string; seq: number }[];
	events: StoredEvent[];
	newTurn?: Omit<TurnRow, "id" | "conversationId" | "deskId"> & { askerId?: number; guest: number; place: string | null };
	turns: TurnRow[];
	endedTurns: number[];
	gaps: string[];
	at: number;
	/** What a turn that begins with this change may do at most; the first pin of a turn stays (PRE-3). */
	pin?: { turnUid: string; preset: string };
	/** Pictures of ours that the message names, and who sent it: their own among them belong to the conversation from now on. */
	pictures?: { uids: string[]; principalId: number };
	/** The message came by another door than the conversation: nothing said in it counts as said in the embed any more (PRE-2). */
	elsewhere?: boolean;
	/** The operation's answer, to be told the id of a conversation that this change makes. */
	made?: { conversationId: number };
}

export type KeyScope = "desk" | "task" | "conversation";

/** Builds the events of one operation: numbers them from where the log stands and keeps the tasks' marks true. */
export class LogDraft {
	readonly events: StoredEvent[] = [];
	constructor(
		readonly contextId: string,
		public seq: number,
		readonly at: number,
	) {}

	add(kind: EventKind, taskId: string | null, body: string): number {
		this.seq += 1;
		this.events.push({ seq: this.seq, kind, taskId, body, at: this.at });
		return this.seq;
	}
}

export const stamp = (ms: number): string => new Date(ms).toISOString();

/** A TaskStatus as wire JSON. `message` is the wire JSON of a Message. The state stands first: `stateOfStatus` reads it there. */
export const statusJson = (state: TaskState, at: number, message?: string): string =>
	message === undefined
		? `{"state":"${state}","timestamp":"${stamp(at)}"}`
		: `{"state":"${state}","message":${message},"timestamp":"${stamp(at)}"}`;

export const statusUpdateJson = (taskId: string, contextId: string, status: string, metadata?: string): string =>
	metadata === undefined
		? `{"taskId":"${taskId}","contextId":"${contextId}","status":${status}}`
		: `{"taskId":"${taskId}","contextId":"${contextId}","status":${status},"metadata":${metadata}}`;

/**
 * Moves a task and says so in the log. The time of a task's states strictly rises, whatever the clock does (a2a.md 1.4).
 * Throws a plain Error for a move that the table forbids: that is a bug of ours, never a caller's.
 */
export function moveTask(task: TaskRow, state: TaskState, log: LogDraft, options: { message?: string; metadata?: string } = {}): TaskRow {
	if (!mayMove(task.state, state)) throw new Error(`a task cannot go from ${task.state} to ${state}`);
	const statusAt = Math.max(log.at, task.statusAt + 1);
	const status = statusJson(state, statusAt, options.message);
	const seq = log.add("status", task.uid, statusUpdateJson(task.uid, task.contextId, status, options.metadata));
	// `artifacts` is whole up to lastSeq. While it goes on working, pieces may have been said that stand in the log only.
	const lastSeq = task.state === "TASK_STATE_WORKING" && state === "TASK_STATE_WORKING" ? task.lastSeq : seq;
	return { ...task, state, status, statusAt, lastSeq };
}

/** Nothing changed yet. */
export const noChange = (conversation: ConversationRow, at: number): ConversationChange => ({
	conversation: { seq: conversation.seq, epoch: conversation.epoch, endedAt: conversation.endedAt, changedAt: at },
	newTasks: [],
	tasks: [],
	keys: [],
	events: [],
	turns: [],
	endedTurns: [],
	gaps: [],
	at,
});
