/**
 * What a turn may write, judged inside the transaction: claim, pieces, and giving it back; `turn-endings.ts` has the ending. Every one of them
 * names the claim it was made under and the conversation's epoch must still be that claim's: a turn that was cancelled, taken
 * over or claimed by another is refused by the database, however late it comes (design.md, "Turns"; reliability.md G-07).
 */
import type { Artifact, Part, TaskArtifactUpdateEvent } from "../../shared/a2a.schema.js";
import { applyArtifactUpdate } from "../../shared/artifacts.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { LIMITS } from "../../shared/limits.js";
import { type ConversationChange, type ConversationRows, LogDraft, moveTask, noChange } from "./changes.js";
import type { StoredEvent } from "./ports.js";
import { pinOf } from "./presets-operations.js";
import { isPerson } from "./provenance.js";
import type { ConversationRow, TaskRow, TurnRow } from "./rows.js";
import { statusText } from "./texts.js";

/** Rows of the conversation of one turn. */
export interface TurnRows extends Partial<ConversationRows> {
	/** Absent: ended, or never was. */
	turn?: TurnRow;
	/** Artifact updates said so far for the open tasks, only loaded where an operation ends them early. */
	pieces: { taskUid: string; body: string }[];
	askerIsGuest: boolean;
}

/** The language of fixed texts for the asker: a person at the desk's own, an agent in English (A2A-8). */
export const languageOf = ({ conversation, desk }: TurnRows): "en" | "zh" =>
	desk && conversation && isPerson(conversation.channel) ? desk.language : "en";

/** What every write of a turn answers: the events it made, or that it came too late. */
export interface TurnAnswer {
	/** The claim does not hold (any more): nothing was written, and nothing more will be. */
	fenced: boolean;
	conversationId: number;
	events: StoredEvent[];
	/** A turn of this conversation that waits to be claimed now. */
	next?: string;
}

interface Held {
	turn: TurnRow;
	conversation: ConversationRow;
	rows: ConversationRows;
	covered: TaskRow[];
}

export const FENCED: TurnAnswer = { fenced: true, conversationId: 0, events: [] };

/** The rows as the holder of `claim` may use them; null where it holds nothing. */
export function held(rows: TurnRows, claim: string): Held | null {
	const { turn, conversation, desk } = rows;
	if (!turn || !conversation || !desk || turn.state !== "running" || turn.claim !== claim || turn.epoch !== conversation.epoch) return null;
	const covered = coveredBy(turn, rows.openTasks ?? []);
	return {
		turn,
		conversation,
		rows: { desk, conversation, participants: rows.participants ?? [], openTasks: rows.openTasks ?? [], turns: rows.turns ?? [] },
		covered,
	};
}

/** A task that a turn answers, and from where on nothing in it had been answered. */
export interface Covered {
	uid: string;
	askedFrom: number;
}

/**
 * Open tasks in which something waited for the desk when the turn was claimed. Oldest question first, by what does not change while
 * the turn runs: its words go to the last of them from the first piece to the end.
 */
export const coveredBy = (turn: Pick<TurnRow, "throughSeq">, open: readonly TaskRow[]): TaskRow[] =>
	open
		.filter((t) => t.askedFrom <= turn.throughSeq && (t.state === "TASK_STATE_SUBMITTED" || t.state === "TASK_STATE_WORKING"))
		.sort((a, b) => a.askedFrom - b.askedFrom);

export interface ClaimInput {
	turnUid: string;
	claim: string;
	leaseUntil: number;
	/** Whoever held it is gone for certain, whatever its lease says: this process alone writes here and has just started. */
	orphaned: boolean;
	now: number;
}

export interface ClaimAnswer {
	/** Absent: somebody else runs it, the owner speaks, or there is nothing (left) to answer. */
	claimed?: { turnUid: string; claim: string; throughSeq: number; covered: Covered[]; conversationId: number; contextUid: string };
	conversationId: number;
	events: StoredEvent[];
}

/** Takes a waiting turn, or one whose holder is gone. The fourth try of a turn that took its process down parks it instead. */
export function decideClaimTurn(rows: TurnRows, input: ClaimInput): { plan: ConversationChange | null; answer: ClaimAnswer } {
	const { turn, conversation, desk } = rows;
	const none = { plan: null, answer: { conversationId: conversation?.id ?? 0, events: [] } };
	if (!turn || !conversation || !desk) return none;
	if (turn.state === "running" && turn.leaseUntil > input.now && !input.orphaned) return none;
	// In the order in which they were asked for: one that was given back knows what it had said, and the claim marks it (G-08).
	const isFirst = (rows.turns ?? []).every((t) => t.state !== "running" && t.id >= turn.id);
	if (turn.state === "queued" && !isFirst) return none;
	const change = noChange(conversation, input.now);
	const log = new LogDraft(conversation.uid, conversation.seq, input.now);
	const through = { throughSeq: conversation.seq };
	const covered = coveredBy(through, rows.openTasks ?? []);
	change.conversation.epoch = conversation.epoch + 1;
	if (
		covered.length === 0 ||
		conversation.endedAt !== null ||
		rows.participants?.some((p) => p.side === "desk" && p.microphone === "owner")
	) {
		change.endedTurns.push(turn.id);
		return { plan: change, answer: { conversationId: conversation.id, events: [] } };
	}
	if (turn.attempts >= LIMITS.turnAttempts) return { ...park(rows, turn, conversation, covered, change, log) };
	for (const task of covered) {
		if (task.state === "TASK_STATE_SUBMITTED") change.tasks.push(moveTask(task, "TASK_STATE_WORKING", log));
		// Said so far by a holder that is gone: marked, then replaced by what comes; never joined (G-08).
		else if (turn.wrote)
			change.tasks.push(moveTask(task, "TASK_STATE_WORKING", log, { metadata: `{"${EXTENSIONS.chat}":{"interrupted":true}}` }));
	}
	change.pin = pinOf(desk, conversation.channel, turn);
	change.turns.push({
		...turn,
		state: "running",
		epoch: conversation.epoch + 1,
		claim: input.claim,
		leaseUntil: input.leaseUntil,
		attempts: turn.attempts + 1,
		...through,
		wrote: 0,
	});
	change.conversation.seq = log.seq;
	change.events = log.events;
	const claimed = {
		turnUid: turn.uid,
		claim: input.claim,
		...through,
		covered: covered.map(({ uid, askedFrom }) => ({ uid, askedFrom })),
		conversationId: conversation.id,
		contextUid: conversation.uid,
	};
	return { plan: change, answer: { claimed, conversationId: conversation.id, events: log.events } };
}

function park(rows: TurnRows, turn: TurnRow, conversation: ConversationRow, covered: TaskRow[], change: ConversationChange, log: LogDraft) {
	const text = statusText("parked", languageOf(rows), rows.desk?.ownerName ?? "");
	for (const task of covered) change.tasks.push(endTask(task, "TASK_STATE_FAILED", log, rows.pieces, statusMessage(task, turn.uid, text)));
	change.turns.push({ ...turn, state: "parked", claim: "", leaseUntil: 0 });
	change.conversation.seq = log.seq;
	change.events = log.events;
	return { plan: change, answer: { conversationId: conversation.id, events: log.events } };
}

/** A message of fixed words for a status. Its id is made of what it is about, so that a retry makes the same. */
const statusMessage = (task: TaskRow, seed: string, text: string): string =>
	JSON.stringify({
		messageId: `${seed}-${task.uid.slice(4)}`,
		contextId: task.contextId,
		taskId: task.uid,
		role: "ROLE_AGENT",
		parts: [{ text }],
	});

/** Ends a task before its answer was whole: what had been said stays as its artifacts. */
export function endTask(task: TaskRow, state: TaskRow["state"], log: LogDraft, pieces: TurnRows["pieces"], message?: string): TaskRow {
	const artifacts = withPieces(task, pieces);
	return { ...moveTask(task, state, log, { message }), artifacts };
}

/** A task's artifacts with what has been said since they were last written whole. */
export const withPieces = (task: TaskRow, pieces: TurnRows["pieces"]): string => {
	const mine = pieces.filter((p) => p.taskUid === task.uid);
	if (mine.length === 0) return task.artifacts;
	let artifacts = readArtifacts(task);
	for (const piece of mine) artifacts = applyArtifactUpdate(artifacts, JSON.parse(piece.body) as TaskArtifactUpdateEvent);
	return JSON.stringify(artifacts);
};

export const readArtifacts = (task: TaskRow): Artifact[] => (task.artifacts === "" ? [] : (JSON.parse(task.artifacts) as Artifact[]));

/** An artifact, or more of one, as an answerer gave it. */
export interface ArtifactPiece {
	artifactId: string;
	name?: string;
	description?: string;
	parts: Part[];
	append: boolean;
	lastChunk: boolean;
}

export interface AppendInput {
	turnUid: string;
	claim: string;
	leaseUntil: number;
	pieces: ArtifactPiece[];
	gaps: string[];
	now: number;
}

/** Adds what has been said since the last piece to the newest task's artifacts, and renews the lease. No pieces: only that. */
export function decideAppendPieces(rows: TurnRows, input: AppendInput): { plan: ConversationChange | null; answer: TurnAnswer } {
	const mine = held(rows, input.claim);
	if (!mine) return { plan: null, answer: FENCED };
	const { turn, conversation, covered } = mine;
	const newest = covered.at(-1);
	const change = noChange(conversation, input.now);
	const log = new LogDraft(conversation.uid, conversation.seq, input.now);
	if (newest) for (const piece of input.pieces) log.add(kindOf(piece), newest.uid, artifactUpdateJson(newest, piece));
	change.turns.push({ ...turn, leaseUntil: input.leaseUntil, wrote: input.pieces.length > 0 ? 1 : turn.wrote });
	change.conversation.seq = log.seq;
	change.events = log.events;
	change.gaps = input.gaps;
	return { plan: change, answer: { fenced: false, conversationId: conversation.id, events: log.events } };
}

/** Pieces are folded into one row a day later; what came whole stays as it is. */
export const kindOf = (piece: ArtifactPiece): "artifact" | "whole" => (piece.lastChunk && !piece.append ? "whole" : "artifact");

export const artifactUpdateJson = (task: TaskRow, piece: ArtifactPiece): string => {
	const artifact: Artifact = { artifactId: piece.artifactId, parts: piece.parts };
	if (piece.name !== undefined) artifact.name = piece.name;
	if (piece.description !== undefined) artifact.description = piece.description;
	const update: TaskArtifactUpdateEvent = { taskId: task.uid, contextId: task.contextId, artifact };
	if (piece.append) update.append = true;
	if (piece.lastChunk) update.lastChunk = true;
	return JSON.stringify(update);
};

export interface ReleaseInput {
	turnUid: string;
	claim: string;
	now: number;
}

/** Gives a turn back before its end (a stop of the server): another claim begins it anew, and this one did not count as a crash. */
export function decideReleaseTurn(rows: TurnRows, input: ReleaseInput): { plan: ConversationChange | null; answer: TurnAnswer } {
	const mine = held(rows, input.claim);
	if (!mine) return { plan: null, answer: FENCED };
	const change = noChange(mine.conversation, input.now);
	change.conversation.epoch = mine.conversation.epoch + 1;
	change.turns.push({ ...mine.turn, state: "queued", claim: "", leaseUntil: 0, attempts: mine.turn.attempts - 1 });
	return { plan: change, answer: { fenced: false, conversationId: mine.conversation.id, events: [] } };
}
