/**
 * What a turn may write, judged inside the transaction: claim, pieces, the ending, and giving it back. Every one of them
 * names the claim it was made under and the conversation's epoch must still be that claim's: a turn that was cancelled, taken
 * over or claimed by another is refused by the database, however late it comes (design.md, "Turns"; reliability.md G-07).
 */
import type { Artifact, Message, Part, TaskArtifactUpdateEvent } from "../../shared/a2a.schema.js";
import { applyArtifactUpdate } from "../../shared/artifacts.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { LIMITS } from "../../shared/limits.js";
import { isTerminal } from "../../shared/task-states.js";
import { type ConversationChange, type ConversationRows, LogDraft, moveTask, noChange } from "./changes.js";
import type { StoredEvent } from "./ports.js";
import { isPerson } from "./provenance.js";
import type { ConversationRow, TaskRow, TurnRow } from "./rows.js";
import { settingsOf } from "./settings.js";
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

const FENCED: TurnAnswer = { fenced: true, conversationId: 0, events: [] };

/** The rows as the holder of `claim` may use them; null where it holds nothing. */
function held(rows: TurnRows, claim: string): Held | null {
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

/** Open tasks in which something waited for the desk when the turn was claimed. Oldest question first. */
export const coveredBy = (turn: Pick<TurnRow, "throughSeq">, open: readonly TaskRow[]): TaskRow[] =>
	open
		.filter((t) => t.askedFrom <= turn.throughSeq && (t.state === "TASK_STATE_SUBMITTED" || t.state === "TASK_STATE_WORKING"))
		.sort((a, b) => a.askedSeq - b.askedSeq);

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
	if (turn.state === "queued" && (rows.turns ?? []).some((t) => t.state === "running")) return none;
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

const readArtifacts = (task: TaskRow): Artifact[] => (task.artifacts === "" ? [] : (JSON.parse(task.artifacts) as Artifact[]));

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
const kindOf = (piece: ArtifactPiece): "artifact" | "whole" => (piece.lastChunk && !piece.append ? "whole" : "artifact");

const artifactUpdateJson = (task: TaskRow, piece: ArtifactPiece): string => {
	const artifact: Artifact = { artifactId: piece.artifactId, parts: piece.parts };
	if (piece.name !== undefined) artifact.name = piece.name;
	if (piece.description !== undefined) artifact.description = piece.description;
	const update: TaskArtifactUpdateEvent = { taskId: task.uid, contextId: task.contextId, artifact };
	if (piece.append) update.append = true;
	if (piece.lastChunk) update.lastChunk = true;
	return JSON.stringify(update);
};

/** How the engine has read an answerer's ending, settings and door considered. */
export type Outcome =
	| { kind: "reply"; asks: boolean; text: string }
	| { kind: "silence" }
	| { kind: "authorise"; text: string }
	| { kind: "reject"; text: string }
	| { kind: "fail" }
	| { kind: "message"; parts: Part[] };

export interface FinishInput {
	turnUid: string;
	claim: string;
	outcome: Outcome;
	/** What of the artifacts has not been written yet. */
	pieces: ArtifactPiece[];
	/** All artifacts of this turn, whole. */
	artifacts: Artifact[];
	gaps: string[];
	/** Id of the desk's message, made before: a retry of this write is the same message. */
	messageId: string;
	/** The sign goes up with this word (`end_conversation`). */
	ends: boolean;
	now: number;
}

/** Ends a turn and with it every task it covered: the words and the artifacts on the newest, the others `answeredIn` it. */
export function decideFinishTurn(rows: TurnRows, input: FinishInput): { plan: ConversationChange | null; answer: TurnAnswer } {
	const mine = held(rows, input.claim);
	if (!mine) return { plan: null, answer: FENCED };
	const { turn, conversation, covered } = mine;
	const change = noChange(conversation, input.now);
	const log = new LogDraft(conversation.uid, conversation.seq, input.now);
	change.endedTurns.push(turn.id);
	change.gaps = input.gaps;
	const newest = covered.at(-1);
	if (newest) {
		if (input.outcome.kind === "message") answerBare(covered, input.outcome.parts, input, change, log);
		else answerTasks(rows, covered, newest, input, input.outcome, turn, change, log);
	}
	if (input.ends) putUpSign(rows, covered, change, log);
	change.conversation.seq = log.seq;
	change.events = log.events;
	const next = input.ends ? undefined : (rows.turns ?? []).find((t) => t.state === "queued")?.uid;
	return { plan: change, answer: { fenced: false, conversationId: conversation.id, events: log.events, next } };
}

/** The do-not-disturb sign (DESK-4): nothing of this conversation waits for the desk any more. */
function putUpSign(rows: TurnRows, covered: readonly TaskRow[], change: ConversationChange, log: LogDraft): void {
	change.conversation.endedAt = log.at;
	log.add("ended", null, `{"by":"desk"}`);
	for (const turn of rows.turns ?? []) if (turn.state === "queued") change.endedTurns.push(turn.id);
	const left = [...(rows.openTasks ?? []).filter((t) => !covered.includes(t)), ...change.tasks.filter((t) => !isTerminal(t.state))];
	change.tasks = change.tasks.filter((t) => isTerminal(t.state));
	for (const task of left) {
		const { message, metadata } = endedNote(task, languageOf(rows), rows.desk?.ownerName ?? "");
		const ended = moveTask(task, "TASK_STATE_COMPLETED", log, { message, metadata });
		change.tasks.push({ ...ended, metadata: withMetadata(task.metadata, metadata) });
	}
}

/** What a task says that the sign has ended: its words and `ended/v1` (A2A-12). */
export function endedNote(
	task: Pick<TaskRow, "uid" | "contextId">,
	language: "en" | "zh",
	owner: string,
): { message: string; metadata: string } {
	const message: Message = {
		messageId: `${task.uid}-ended`,
		contextId: task.contextId,
		taskId: task.uid,
		role: "ROLE_AGENT",
		parts: [{ text: statusText("ended", language, owner) }],
	};
	return { message: JSON.stringify(message), metadata: JSON.stringify({ [EXTENSIONS.ended]: { ended: true, name: owner } }) };
}

/** A task's metadata with more of it; both JSON objects or empty. */
export const withMetadata = (before: string, more: string): string =>
	JSON.stringify({ ...(before === "" ? {} : (JSON.parse(before) as object)), ...(JSON.parse(more) as object) });

type TaskOutcome = Exclude<Outcome, { kind: "message" }>;

function answerTasks(
	rows: TurnRows,
	covered: TaskRow[],
	newest: TaskRow,
	input: FinishInput,
	outcome: TaskOutcome,
	mine: TurnRow,
	change: ConversationChange,
	log: LogDraft,
): void {
	for (const piece of input.pieces) log.add(kindOf(piece), newest.uid, artifactUpdateJson(newest, piece));
	const said = wordsOf(rows, outcome);
	const words = said === "" ? undefined : agentMessage(newest, input.messageId, [{ text: said }]);
	if (words !== undefined) log.add("message", newest.uid, words);
	const settings = settingsOf(rows.desk?.settings ?? "{}");
	const message = settings.statusMessage === "reply" && words !== undefined ? words : fixedStatus(rows, newest, outcome, input);
	const answered = mine.throughSeq;
	for (const task of covered) {
		const artifacts = merged(task, input.artifacts);
		if (task !== newest) {
			for (const artifact of input.artifacts)
				log.add("whole", task.uid, artifactUpdateJson(task, { ...artifact, append: false, lastChunk: true }));
		}
		// Something more was asked in it while this was being answered: said is said, and the next turn goes on (DESK-3).
		if (task.askedSeq > answered && !input.ends) {
			change.tasks.push({ ...task, artifacts, lastSeq: log.seq, askedFrom: answered + 1 });
		} else if (task === newest) {
			change.tasks.push({ ...moveTask(task, stateOf(outcome), log, { message }), artifacts });
		} else {
			const answeredIn = JSON.stringify({ answeredIn: newest.uid });
			const state = outcome.kind === "fail" ? "TASK_STATE_FAILED" : "TASK_STATE_COMPLETED";
			const ended = moveTask(task, state, log, { metadata: answeredIn });
			change.tasks.push({ ...ended, artifacts, metadata: withMetadata(task.metadata, answeredIn) });
		}
	}
	if (stateOf(outcome) !== "TASK_STATE_INPUT_REQUIRED") return;
	// One question at a time: what the desk asked before is no longer what it waits for.
	for (const task of rows.openTasks ?? []) {
		if (task.state !== "TASK_STATE_INPUT_REQUIRED") continue;
		const answeredIn = JSON.stringify({ answeredIn: newest.uid });
		change.tasks.push({
			...moveTask(task, "TASK_STATE_COMPLETED", log, { metadata: answeredIn }),
			metadata: withMetadata(task.metadata, answeredIn),
		});
	}
}

/** What the conversation is told. A person who wrote always gets a reply, also where there is none (DESK-2). */
function wordsOf(rows: TurnRows, outcome: TaskOutcome): string {
	if ("text" in outcome) return outcome.text;
	const { conversation } = rows;
	return outcome.kind === "fail" && conversation && isPerson(conversation.channel)
		? statusText("failed", languageOf(rows), rows.desk?.ownerName ?? "")
		: "";
}

const merged = (task: TaskRow, artifacts: Artifact[]): string => {
	if (artifacts.length === 0) return task.artifacts;
	const before = readArtifacts(task).filter((a) => !artifacts.some((b) => b.artifactId === a.artifactId));
	return JSON.stringify([...before, ...artifacts]);
};

const stateOf = (outcome: TaskOutcome): TaskRow["state"] => {
	switch (outcome.kind) {
		case "reply":
			return outcome.asks ? "TASK_STATE_INPUT_REQUIRED" : "TASK_STATE_COMPLETED";
		case "silence":
			return "TASK_STATE_COMPLETED";
		case "authorise":
			return "TASK_STATE_AUTH_REQUIRED";
		case "reject":
			return "TASK_STATE_REJECTED";
		case "fail":
			return "TASK_STATE_FAILED";
	}
};

/** The server's own words for a status, where it has any: the desk's words never stand there unless its setting says so (A2A-8). */
function fixedStatus(rows: TurnRows, task: TaskRow, outcome: TaskOutcome, input: FinishInput): string | undefined {
	const owner = rows.desk?.ownerName ?? "";
	if (input.ends) return agentMessage(task, `${input.messageId}-s`, [{ text: statusText("ended", languageOf(rows), owner) }]);
	if (outcome.kind === "authorise")
		return agentMessage(task, `${input.messageId}-s`, [{ text: statusText("authorise", languageOf(rows), owner) }]);
	if (outcome.kind === "fail") return agentMessage(task, `${input.messageId}-s`, [{ text: statusText("failed", languageOf(rows), owner) }]);
	return undefined;
}

const agentMessage = (task: TaskRow, messageId: string, parts: Part[]): string => {
	const message: Message = { messageId, contextId: task.contextId, taskId: task.uid, role: "ROLE_AGENT", parts };
	return JSON.stringify(message);
};

/** An answer that is a message and no task: the tasks that carried it are not shown to anybody. */
function answerBare(covered: TaskRow[], parts: Part[], input: FinishInput, change: ConversationChange, log: LogDraft): void {
	for (const task of covered) {
		const message: Message = { messageId: input.messageId, contextId: task.contextId, role: "ROLE_AGENT", parts };
		log.add("bare", task.uid, JSON.stringify(message));
		change.tasks.push({ ...moveTask(task, "TASK_STATE_COMPLETED", log), hidden: 1 });
	}
}

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
