/**
 * How a turn ends, judged inside the transaction: what an ending makes of the tasks that the turn covered, and of the
 * conversation. The words and the artifacts go to the newest question; the others are answered in it.
 */
import type { Artifact, Message, Part } from "../../shared/a2a.schema.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { isTerminal } from "../../shared/task-states.js";
import { type ConversationChange, LogDraft, moveTask, noChange } from "./changes.js";
import { isPerson } from "./provenance.js";
import type { TaskRow, TurnRow } from "./rows.js";
import { settingsOf } from "./settings.js";
import { statusText } from "./texts.js";
import {
	type ArtifactPiece,
	artifactUpdateJson,
	FENCED,
	held,
	kindOf,
	languageOf,
	readArtifacts,
	type TurnAnswer,
	type TurnRows,
} from "./turn-operations.js";

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
			const elsewhere = task === newest ? undefined : JSON.stringify({ answeredIn: newest.uid });
			const goesOn = elsewhere === undefined ? task : moveTask(task, "TASK_STATE_WORKING", log, { metadata: elsewhere });
			change.tasks.push({ ...goesOn, artifacts, lastSeq: log.seq, askedFrom: answered + 1 });
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
