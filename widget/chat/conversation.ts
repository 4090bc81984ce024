/**
 * A conversation as the visitor sees it: what the server's log comes to, and the visitor's own messages on their way. Pure:
 * state and action in, state out. Order is the log's `seq` and nothing else; what is held already is ignored, and what is
 * missing makes the state `lost`, which only a fresh reading of the conversation ends.
 */
import type { Artifact, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "../../shared/a2a.schema.js";
import { applyArtifactUpdate } from "../../shared/artifacts.js";
import {
	type ContextState,
	type LogEvent,
	type LoggedMessage,
	type Microphone,
	stateHash,
	type Tick,
	textOf,
} from "../../shared/channel.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { isTerminal, type TaskState } from "../../shared/task-states.js";
import type { Outgoing } from "./outbox.js";

/** A task that has not ended. */
export interface OpenTask {
	id: string;
	state: TaskState;
	/** The desk has asked its owner and waits (owner-wait/v1). */
	waitsForOwner: boolean;
	/** What has been said so far; the agent's message takes its place. */
	artifacts: readonly Artifact[];
	/** Its writer was lost in the middle: what stands here is about to be replaced. */
	interrupted: boolean;
	/** The server's own words for the state, where it has any. */
	explanation: string;
}

/** Something that stays in the transcript although no message says it. */
export interface Mark {
	/** seq of the event it came from: its place. */
	seq: number;
	kind: "stopped" | "failed";
	/** `stopped`: what had been said. `failed`: the server's words, or empty. */
	text: string;
}

export interface Conversation {
	/** Absent until there is one: an empty chat. */
	contextId?: string;
	/** Conversations that the visitor has turned from in this window: their events are no longer for it. */
	left: readonly string[];
	/** Last number of the log that this state holds. */
	seq: number;
	messages: readonly LoggedMessage[];
	/** There are older ones. */
	more: boolean;
	/** In the order in which they were begun. */
	tasks: readonly OpenTask[];
	marks: readonly Mark[];
	microphone: Microphone;
	/** The highest seq each side has seen. */
	read: { asker: number; desk: number };
	ended: boolean;
	deskTyping: boolean;
	outgoing: readonly Outgoing[];
	/** Something of the log is missing: read it anew. */
	lost: boolean;
}

export const EMPTY: Conversation = {
	left: [],
	seq: 0,
	messages: [],
	more: false,
	tasks: [],
	marks: [],
	microphone: "desk",
	read: { asker: 0, desk: 0 },
	ended: false,
	deskTyping: false,
	outgoing: [],
	lost: false,
};

export type Action =
	/** The conversation as the server has it. */
	| { type: "opened"; state: ContextState }
	/** The visitor begins a new one, or the one there was is gone. */
	| { type: "fresh" }
	| { type: "event"; event: LogEvent }
	| { type: "history"; contextId: string; messages: readonly LoggedMessage[]; more: boolean }
	| { type: "seen"; contextId: string; seq: number }
	| { type: "typing over" }
	| { type: "queued"; outgoing: readonly Outgoing[] }
	/** `change`: what is now true of a message on its way. */
	| { type: "moved"; messageId: string; change: Partial<Outgoing> }
	/** Taken in by the server, which said in which conversation. */
	| { type: "accepted"; messageId: string; contextId?: string }
	| { type: "withdrawn"; messageId: string };

export function reduce(before: Conversation, action: Action): Conversation {
	switch (action.type) {
		case "opened":
			return opened(before, action.state);
		case "fresh": {
			const known = [...before.left, before.contextId, ...before.outgoing.map((o) => o.contextId)];
			return { ...EMPTY, left: [...new Set(known)].filter((id) => id !== undefined), outgoing: before.outgoing };
		}
		case "event":
			return before.lost ? before : withEvent(before, action.event);
		case "history": {
			if (action.contextId !== before.contextId) return before;
			const first = before.messages[0]?.seq ?? Number.POSITIVE_INFINITY;
			return { ...before, messages: [...action.messages.filter((m) => m.seq < first), ...before.messages], more: action.more };
		}
		case "seen":
			return action.contextId === before.contextId ? withRead(before, "asker", action.seq) : before;
		case "typing over":
			return before.deskTyping ? { ...before, deskTyping: false } : before;
		case "queued": {
			const known = new Set([...before.outgoing.map((o) => o.messageId), ...before.messages.map((m) => m.message.messageId)]);
			return { ...before, outgoing: [...before.outgoing, ...action.outgoing.filter((o) => !known.has(o.messageId))] };
		}
		case "moved":
			return { ...before, outgoing: before.outgoing.map((o) => (o.messageId === action.messageId ? { ...o, ...action.change } : o)) };
		case "accepted": {
			const mine = before.outgoing.find((o) => o.messageId === action.messageId);
			if (!mine) return before;
			const after = reduce(before, { type: "moved", messageId: action.messageId, change: { state: "sent", contextId: action.contextId } });
			const begins = before.contextId === undefined && action.contextId !== undefined && !before.left.includes(action.contextId);
			return begins ? { ...after, contextId: action.contextId } : after;
		}
		case "withdrawn":
			return { ...before, outgoing: before.outgoing.filter((o) => o.messageId !== action.messageId) };
	}
}

function opened(before: Conversation, state: ContextState): Conversation {
	const taken = new Set(state.messages.map((m) => m.message.messageId));
	const same = before.contextId === state.contextId;
	return {
		...EMPTY,
		contextId: state.contextId,
		left: before.left.filter((id) => id !== state.contextId),
		seq: state.seq,
		messages: state.messages,
		more: state.more,
		tasks: state.tasks.map(openTask),
		marks: same ? before.marks.filter((m) => m.seq <= state.seq) : [],
		microphone: state.microphone,
		read: { ...state.read },
		ended: state.ended !== undefined,
		outgoing: before.outgoing.filter((o) => !taken.has(o.messageId)),
	};
}

function withEvent(before: Conversation, event: LogEvent): Conversation {
	let held = before;
	if (event.contextId !== before.contextId) {
		// The visitor's first message has made a conversation, and its events come before the answer to the send.
		if (before.contextId !== undefined || before.left.includes(event.contextId) || event.seq === undefined) return before;
		held = { ...before, contextId: event.contextId };
	}
	const { seq } = event;
	if (seq === undefined) return withSignal(held, event);
	if (seq <= held.seq) return held;
	if ((event.from ?? seq) > held.seq + 1) return { ...held, lost: true };
	const next = { ...held, seq };
	if (event.message) return withMessage(next, { seq, at: event.at ?? 0, message: event.message });
	if (event.task) return withTask(next, openTask(event.task));
	if (event.statusUpdate) return withStatus(next, event.statusUpdate);
	if (event.artifactUpdate) return withArtifact(next, event.artifactUpdate);
	if (event.ended) return { ...next, ended: true };
	return withSignal(next, event);
}

function withSignal(before: Conversation, { signal }: LogEvent): Conversation {
	if (signal?.kind === "typing" && signal.side === "desk") return { ...before, deskTyping: true };
	if (signal?.kind === "seen") return withRead(before, signal.side, signal.seq);
	if (signal?.kind === "microphone") return { ...before, microphone: signal.microphone };
	return before;
}

function withRead(before: Conversation, side: "asker" | "desk", seq: number): Conversation {
	return seq > before.read[side] ? { ...before, read: { ...before.read, [side]: seq } } : before;
}

/** The emoji of a message that is only a reaction to another (ack-reaction/v1). */
export function reactionOf(message: Message): { messageId: string; emoji: string } | undefined {
	const said = message.metadata?.[EXTENSIONS.ackReaction] as { messageId?: unknown; emoji?: unknown } | undefined;
	return typeof said?.messageId === "string" && typeof said.emoji === "string"
		? { messageId: said.messageId, emoji: said.emoji }
		: undefined;
}

function withMessage(before: Conversation, logged: LoggedMessage): Conversation {
	const after = { ...before, messages: [...before.messages, logged] };
	if (logged.message.role === "ROLE_USER") {
		return { ...after, outgoing: before.outgoing.filter((o) => o.messageId !== logged.message.messageId) };
	}
	if (reactionOf(logged.message)) return after;
	// Whoever of the desk's side speaks ends what was being said, and takes down the sign (DESK-4).
	const { taskId } = logged.message;
	const tasks = before.tasks.map((task) =>
		taskId === undefined || task.id === taskId ? { ...task, artifacts: [], interrupted: false } : task,
	);
	return { ...after, deskTyping: false, ended: false, tasks };
}

const waitsForOwner = (metadata: Record<string, unknown> | undefined): boolean => metadata?.[EXTENSIONS.ownerWait] !== undefined;

const openTask = (task: Task): OpenTask => ({
	id: task.id,
	state: task.status.state,
	waitsForOwner: waitsForOwner(task.metadata),
	artifacts: task.artifacts ?? [],
	interrupted: false,
	explanation: task.status.message ? textOf(task.status.message) : "",
});

function withTask(before: Conversation, task: OpenTask): Conversation {
	if (isTerminal(task.state)) return { ...before, tasks: before.tasks.filter((t) => t.id !== task.id) };
	const known = before.tasks.some((t) => t.id === task.id);
	return { ...before, tasks: known ? before.tasks.map((t) => (t.id === task.id ? task : t)) : [...before.tasks, task] };
}

function withStatus(before: Conversation, { taskId, status, metadata }: TaskStatusUpdateEvent): Conversation {
	const known = before.tasks.find((t) => t.id === taskId);
	const note = metadata?.[EXTENSIONS.chat] as { interrupted?: boolean; stopped?: boolean } | undefined;
	const task: OpenTask = {
		id: taskId,
		state: status.state,
		waitsForOwner: waitsForOwner(metadata),
		// What was being said of it is said, with the answer to another question.
		artifacts: metadata?.answeredIn === undefined ? (known?.artifacts ?? []) : [],
		interrupted: known?.interrupted || note?.interrupted === true,
		explanation: status.message ? textOf(status.message) : "",
	};
	if (note?.stopped) {
		// The owner has taken the microphone: what was being said goes no further.
		const stays: Mark[] = wordsSoFar(task) ? [{ seq: before.seq, kind: "stopped", text: wordsSoFar(task) }] : [];
		return withTask({ ...before, marks: [...before.marks, ...stays] }, { ...task, artifacts: [], interrupted: false });
	}
	if (!isTerminal(task.state)) {
		return { ...before, tasks: known ? before.tasks.map((t) => (t === known ? task : t)) : [...before.tasks, task] };
	}
	const said = wordsSoFar(task);
	const mark: Mark[] = [];
	if (task.state === "TASK_STATE_CANCELED" && said) mark.push({ seq: before.seq, kind: "stopped", text: said });
	if (task.state === "TASK_STATE_FAILED") mark.push({ seq: before.seq, kind: "failed", text: task.explanation });
	return { ...withTask(before, task), marks: [...before.marks, ...mark] };
}

/** The artifact that holds the words of an answer (A2A-14). */
const RESULT = "result";

export function wordsSoFar(task: OpenTask): string {
	const result = task.artifacts.find((a) => a.artifactId === RESULT);
	return result ? textOf(result) : "";
}

function withArtifact(before: Conversation, update: TaskArtifactUpdateEvent): Conversation {
	const task = before.tasks.find((t) => t.id === update.taskId);
	const known = task?.artifacts.some((a) => a.artifactId === update.artifact.artifactId);
	// What comes whole is in the message that comes with it; what goes on with words that are not there has been answered.
	if (!task || (!known && (update.append || update.lastChunk))) return before;
	const grown = {
		...task,
		artifacts: applyArtifactUpdate(task.artifacts, update),
		interrupted: task.interrupted && update.append === true,
	};
	return { ...before, deskTyping: false, tasks: before.tasks.map((t) => (t === task ? grown : t)) };
}

/** The task that the next message answers: the one that asked the visitor something (A2A-8). There is at most one. */
export const askingTask = (conversation: Conversation): string | undefined =>
	conversation.tasks.find((t) => t.state === "TASK_STATE_INPUT_REQUIRED")?.id;

/** Tasks that the desk is at work on, and that the visitor may stop: not those on which a person decides. */
export const beingAnswered = (conversation: Conversation): OpenTask[] =>
	conversation.microphone === "owner" ? [] : conversation.tasks.filter((t) => t.state === "TASK_STATE_WORKING" && !t.waitsForOwner);

/** Messages of the desk's side that the visitor has not seen. */
export const unreadCount = (conversation: Conversation): number =>
	conversation.messages.filter((m) => m.message.role === "ROLE_AGENT" && m.seq > conversation.read.asker).length;

/** Whether the server and this state hold the same. Another conversation than this one is not judged. */
export function agrees(conversation: Conversation, tick: Tick): boolean {
	const theirs = tick.contexts.find((c) => c.contextId === conversation.contextId);
	if (!theirs) return true;
	const last = conversation.messages.at(-1);
	const mine = stateHash({
		seq: conversation.seq,
		lastMessage: last && { seq: last.seq, messageId: last.message.messageId },
		openTasks: conversation.tasks.map(({ id, state }) => ({ id, state })),
		microphone: conversation.microphone,
	});
	return theirs.seq === conversation.seq && theirs.hash === mine;
}
