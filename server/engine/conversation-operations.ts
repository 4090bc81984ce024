/**
 * What else may happen to a conversation, judged inside the transaction: a task cancelled or expired, the microphone taken and
 * handed back, a side that has read. Each is one point in the log, and the turn that it concerns is fenced by the epoch.
 */
import { DeskError } from "../../shared/errors.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { isInterrupted, isTerminal } from "../../shared/task-states.js";
import { type ConversationChange, LogDraft, moveTask, noChange } from "./changes.js";
import type { StoredEvent } from "./ports.js";
import type { ConversationRow, ParticipantRow, TaskRow } from "./rows.js";
import { statusText } from "./texts.js";
import { coveredBy, endTask, languageOf, type TurnRows, withPieces } from "./turn-operations.js";

export interface ConversationAnswer {
	conversationId: number;
	events: StoredEvent[];
	/** The turn that was fenced, to be stopped wherever it runs. */
	fencedTurn?: string;
	/** A turn that now waits to be claimed. */
	next?: string;
}

export interface CancelInput {
	deskId: number;
	callerId: number;
	taskUid: string;
	/** For a turn of the tasks that the cancelled one leaves behind. */
	turnUid: string;
	now: number;
}

export interface CancelRows extends TurnRows {
	/** The task, if it is the caller's here. */
	named?: TaskRow;
}

/** Cancels a task. One that is cancelled already is the answer again; one that has ended otherwise is refused (a2a.md C6). */
export function decideCancelTask(rows: CancelRows, input: CancelInput): { plan: ConversationChange | null; answer: ConversationAnswer } {
	const { named, conversation } = rows;
	if (!named || !conversation) throw new DeskError("task_not_found", "Task not found.");
	if (named.state === "TASK_STATE_CANCELED") return { plan: null, answer: { conversationId: conversation.id, events: [] } };
	if (isTerminal(named.state)) throw new DeskError("task_not_cancelable", "This task has already ended; there is nothing to cancel.");
	const change = noChange(conversation, input.now);
	const log = new LogDraft(conversation.uid, conversation.seq, input.now);
	change.tasks.push(endTask(named, "TASK_STATE_CANCELED", log, rows.pieces));
	const answer = fence(rows, conversation, change, (covered) => covered.some((t) => t.uid === named.uid));
	// The others that the turn covered are left to the next claim.
	const left = coveredBy(
		{ throughSeq: Number.MAX_SAFE_INTEGER },
		(rows.openTasks ?? []).filter((t) => t.uid !== named.uid),
	);
	const queued = (rows.turns ?? []).find((t) => t.state === "queued");
	// What the fenced turn had said to them is marked by the claim that says it anew (G-08).
	const wrote = (rows.turns ?? []).find((t) => t.uid === answer.fencedTurn)?.wrote ?? 0;
	if (answer.fencedTurn && left.length > 0 && !queued) {
		change.newTurn = { ...queuedTurn(rows, input.turnUid, input.now), wrote };
		answer.next = input.turnUid;
	} else if (answer.fencedTurn && queued) {
		if (wrote) change.turns.push({ ...queued, wrote });
		answer.next = queued.uid;
	}
	return finish(change, log, answer);
}

const queuedTurn = (rows: TurnRows, uid: string, now: number): NonNullable<ConversationChange["newTurn"]> => ({
	uid,
	askerId: rows.participants?.find((p) => p.side === "asker")?.principalId,
	state: "queued",
	epoch: 0,
	claim: "",
	leaseUntil: 0,
	attempts: 0,
	throughSeq: 0,
	wrote: 0,
	queuedAt: now,
	guest: rows.askerIsGuest ? 1 : 0,
	place: rows.conversation?.embed ?? rows.conversation?.site ?? null,
});

/** Ends the running turn when `concerns` it: raises the epoch, so that whatever it still writes is refused. */
function fence(
	rows: TurnRows,
	conversation: ConversationRow,
	change: ConversationChange,
	concerns: (covered: TaskRow[]) => boolean,
): ConversationAnswer {
	const answer: ConversationAnswer = { conversationId: conversation.id, events: [] };
	const running = (rows.turns ?? []).find((t) => t.state === "running");
	if (running && concerns(coveredBy(running, rows.openTasks ?? []))) {
		change.conversation.epoch = conversation.epoch + 1;
		change.endedTurns.push(running.id);
		answer.fencedTurn = running.uid;
	}
	return answer;
}

function finish(change: ConversationChange, log: LogDraft, answer: ConversationAnswer) {
	change.conversation.seq = log.seq;
	change.events = log.events;
	answer.events = log.events;
	return { plan: change, answer };
}

export interface ExpireInput {
	taskUid: string;
	/** Only if it has been idle since before this. */
	changedBefore: number;
	now: number;
}

/** CANCELED for an interrupted task that nobody answered for 24 hours (A2A-8). */
export function decideExpireTask(rows: CancelRows, input: ExpireInput): { plan: ConversationChange | null; answer: ConversationAnswer } {
	const { named, conversation } = rows;
	if (!named || !conversation || !isInterrupted(named.state) || named.statusAt > input.changedBefore) {
		return { plan: null, answer: { conversationId: conversation?.id ?? 0, events: [] } };
	}
	const change = noChange(conversation, input.now);
	const log = new LogDraft(conversation.uid, conversation.seq, input.now);
	const text = statusText("expired", languageOf(rows), "");
	const message = JSON.stringify({
		messageId: `${named.uid}-expired`,
		contextId: named.contextId,
		taskId: named.uid,
		role: "ROLE_AGENT",
		parts: [{ text }],
	});
	change.tasks.push(moveTask(named, "TASK_STATE_CANCELED", log, { message }));
	return finish(change, log, { conversationId: conversation.id, events: [] });
}

export interface MicrophoneInput {
	deskId: number;
	contextUid: string;
	/** The owner's name, as the other side may see it. */
	name: string;
	turnUid: string;
	now: number;
}

/** The owner speaks from here on: the running turn is fenced, none starts, and what it had said is marked as stopped. */
export function decideTakeMicrophone(
	rows: TurnRows,
	input: MicrophoneInput,
): { plan: ConversationChange | null; answer: ConversationAnswer } {
	const conversation = theirs(rows);
	if (sideOf(rows).microphone === "owner") return { plan: null, answer: { conversationId: conversation.id, events: [] } };
	const change = noChange(conversation, input.now);
	const log = new LogDraft(conversation.uid, conversation.seq, input.now);
	const answer = fence(rows, conversation, change, () => true);
	for (const turn of rows.turns ?? []) if (turn.state === "queued") change.endedTurns.push(turn.id);
	change.microphone = "owner";
	for (const task of rows.openTasks ?? []) {
		// What it had said stands, and is known to go no further (G-38); an answer of later on replaces it.
		const artifacts = withPieces(task, rows.pieces);
		if (artifacts === task.artifacts) continue;
		const stopped = moveTask(task, "TASK_STATE_WORKING", log, { metadata: JSON.stringify({ [EXTENSIONS.chat]: { stopped: true } }) });
		change.tasks.push({ ...stopped, artifacts, lastSeq: log.seq });
	}
	log.add("microphone", null, JSON.stringify({ kind: "microphone", microphone: "owner", name: input.name }));
	return finish(change, log, answer);
}

/** The desk speaks again, and answers what is still open. */
export function decideHandBack(rows: TurnRows, input: MicrophoneInput): { plan: ConversationChange | null; answer: ConversationAnswer } {
	const conversation = theirs(rows);
	if (sideOf(rows).microphone === "desk") return { plan: null, answer: { conversationId: conversation.id, events: [] } };
	const change = noChange(conversation, input.now);
	const log = new LogDraft(conversation.uid, conversation.seq, input.now);
	change.microphone = "desk";
	log.add("microphone", null, JSON.stringify({ kind: "microphone", microphone: "desk" }));
	const answer: ConversationAnswer = { conversationId: conversation.id, events: [] };
	if (coveredBy({ throughSeq: Number.MAX_SAFE_INTEGER }, rows.openTasks ?? []).length > 0) {
		change.newTurn = queuedTurn(rows, input.turnUid, input.now);
		answer.next = input.turnUid;
	}
	return finish(change, log, answer);
}

function theirs(rows: TurnRows): ConversationRow {
	if (!rows.conversation) throw new DeskError("context_not_found", "There is no such conversation at this desk.");
	return rows.conversation;
}

function sideOf(rows: TurnRows): ParticipantRow {
	const side = rows.participants?.find((p) => p.side === "desk");
	if (!side) throw new Error("a conversation without a desk's side");
	return side;
}

export interface SeenInput {
	deskId: number;
	principalId: number;
	contextUid: string;
	side: "asker" | "desk";
	seq: number;
	now: number;
}

export interface SeenRows {
	conversation?: ConversationRow;
	participant?: ParticipantRow;
}

/** Moves a side's read mark forward, never back and never past the log. */
export function decideSeen(
	rows: SeenRows,
	input: SeenInput,
): {
	plan: { conversationId: number; side: string; readSeq: number } | null;
	answer: { conversationId: number; seq: number; moved: boolean };
} {
	const { conversation, participant } = rows;
	if (!conversation || !participant) throw new DeskError("context_not_found", "There is no such conversation of yours with this desk.");
	const seq = Math.min(input.seq, conversation.seq);
	if (seq <= participant.readSeq)
		return { plan: null, answer: { conversationId: conversation.id, seq: participant.readSeq, moved: false } };
	return {
		plan: { conversationId: conversation.id, side: input.side, readSeq: seq },
		answer: { conversationId: conversation.id, seq, moved: true },
	};
}
