/**
 * What must be true of everything that clients asked for and were shown (reliability.md 2.1, I1 to I10), judged over their history,
 * the log as it is read through the doors at the end, and the database itself. Pure; says each breach in one line.
 */
import type { Artifact, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "../../shared/a2a.schema.js";
import { applyArtifactUpdate } from "../../shared/artifacts.js";
import { type LogEvent, stateHash, textOf } from "../../shared/channel.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { isInterrupted, isTerminal, type TaskState } from "../../shared/task-states.js";
import type { Sending } from "./history.js";
import type { Streamed } from "./visitor.js";

export interface Breach {
	/** I1 … I10, G-08, or what a suite names. */
	rule: string;
	text: string;
}

/** A reader of one conversation. */
export interface Observer {
	name: string;
	contextId: string;
	events: readonly LogEvent[];
	/** It held everything when the desk had been quiet; what it then makes of it is compared (I8). */
	whole: boolean;
}

export interface Evidence {
	sendings: readonly Sending[];
	/** The log of each conversation, whole, as a door gives it. */
	logs: ReadonlyMap<string, readonly LogEvent[]>;
	/** The same from the database. */
	stored?: ReadonlyMap<string, readonly LogEvent[]>;
	observers: readonly Observer[];
	streamed: readonly Streamed[];
	/** `stateHash` of each conversation as the desk says it. */
	hashes?: ReadonlyMap<string, string>;
	/** Tasks as GetTask gives them. */
	tasks?: readonly Task[];
	/** Turns that are still queued or running, rows of the outbox that are neither done, dead nor due. */
	unfinished?: readonly string[];
	/** Nothing is to be open any more. */
	settled: boolean;
}

const keyOf = (event: LogEvent): string => `${event.contextId} ${event.seq}`;
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Everything that is not as it must be. */
export function breaches(evidence: Evidence): Breach[] {
	const found: Breach[] = [];
	const say = (rule: string, text: string): void => void found.push({ rule, text });
	sentOnce(evidence, say);
	for (const [contextId, log] of evidence.logs) {
		gapless(contextId, log, say);
		new Conversation(contextId, log, say).check(evidence.settled);
	}
	oneOrder(evidence, say);
	if (evidence.stored) storedAsShown(evidence.logs, evidence.stored, say);
	if (evidence.hashes) converged(evidence, evidence.hashes, say);
	for (const task of evidence.tasks ?? []) asTold(task, evidence, say);
	for (const what of evidence.unfinished ?? []) say("I10", what);
	return found;
}

type Say = (rule: string, text: string) => void;

/** I1: acknowledged, then there exactly once. I2: not acknowledged, then at most once. I9: and with its own client alone. */
function sentOnce({ sendings, logs }: Evidence, say: Say): void {
	const there = new Map<string, { contextId: string; taskId: string | undefined; text: string }[]>();
	for (const [contextId, log] of logs) {
		for (const { message } of log) {
			if (message?.role !== "ROLE_USER") continue;
			const list = there.get(message.messageId) ?? [];
			list.push({ contextId, taskId: message.taskId, text: textOf(message) });
			there.set(message.messageId, list);
		}
	}
	const contexts = new Map<string, string>();
	for (const sending of sendings) {
		const { messageId, ack, client } = sending;
		const found = there.get(messageId) ?? [];
		if (found.length > 1) say(ack ? "I1" : "I2", `${messageId} stands ${found.length} times in the log`);
		const [only] = found;
		if (only && only.text !== sending.text) say("I1", `${messageId} was changed on its way`);
		if (sending.doubled !== undefined) say("I1", `${messageId} was sent again and became ${sending.doubled}`);
		for (const { code, retry } of sending.refusals) if (!retry) say("sending", `${messageId} was refused for good: ${code}`);
		if (sending.failed !== undefined) say("sending", `${messageId} was given up: ${sending.failed}`);
		if (!ack) continue;
		if (!only) say("I1", `${messageId} was acknowledged after ${ack.afterMs} ms and is not there`);
		else if (only.contextId !== ack.contextId || only.taskId !== ack.taskId)
			say("I1", `${messageId} was acknowledged as ${ack.taskId} and stands in ${only.taskId}`);
		const owner = contexts.get(ack.contextId);
		if (owner !== undefined && owner !== client) say("I9", `${client} was given ${ack.contextId}, which is ${owner}'s`);
		contexts.set(ack.contextId, client);
	}
	const known = new Set(sendings.map((s) => s.messageId));
	for (const id of there.keys()) if (!known.has(id)) say("I9", `${id} stands in the log and nobody sent it`);
}

/** I3. */
function gapless(contextId: string, log: readonly LogEvent[], say: Say): void {
	log.forEach((event, i) => {
		if (event.seq !== i + 1) say("I3", `${contextId}: event ${i + 1} has the number ${event.seq}`);
	});
}

/** One conversation's log, read from its beginning. */
class Conversation {
	private readonly asked = new Map<string, { seq: number; text: string }[]>();
	private readonly replies = new Map<string, Message>();
	private readonly states = new Map<string, { state: TaskState; answeredIn?: string }>();
	private readonly artifacts = new Map<string, Artifact[]>();
	/** Tasks whose answer was marked interrupted since its last piece. */
	private readonly interrupted = new Set<string>();

	constructor(
		private readonly contextId: string,
		private readonly log: readonly LogEvent[],
		private readonly say: Say,
	) {}

	check(settled: boolean): void {
		for (const event of this.log) this.take(event);
		for (const [taskId, { state, answeredIn }] of this.states) {
			if (settled && !isTerminal(state) && !isInterrupted(state)) this.say("G-06", `${this.contextId}: ${taskId} is still ${state}`);
			if (state === "TASK_STATE_COMPLETED") this.complete(taskId, answeredIn);
		}
	}

	private take(event: LogEvent): void {
		const { seq = 0, message, task, statusUpdate, artifactUpdate } = event;
		const about = message?.taskId ?? task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
		const before = about === undefined ? undefined : this.states.get(about)?.state;
		if (before && isTerminal(before)) this.say("I7", `${this.contextId}: ${about} had ended as ${before} and number ${seq} goes on`);
		if (message?.role === "ROLE_USER")
			this.asked.set(about ?? "", [...(this.asked.get(about ?? "") ?? []), { seq, text: textOf(message) }]);
		else if (message) this.reply(about ?? "", message, seq);
		if (task) this.states.set(task.id, { state: task.status.state });
		if (artifactUpdate) this.artifact(artifactUpdate);
		if (statusUpdate) this.status(statusUpdate);
	}

	/** I5 and I6. */
	private reply(taskId: string, message: Message, seq: number): void {
		const asked = this.asked.get(taskId);
		if (!asked) this.say("I5", `${this.contextId}: the reply ${seq} to ${taskId} stands before its question`);
		if (this.replies.has(taskId)) this.say("I6", `${this.contextId}: ${taskId} has a second reply at ${seq}`);
		this.replies.set(taskId, message);
	}

	/** G-08: said anew after an interruption that was marked, never joined with what was said before. */
	private artifact(update: TaskArtifactUpdateEvent): void {
		const { taskId, artifact } = update;
		const before = this.artifacts.get(taskId) ?? [];
		const begun = before.some((a) => a.artifactId === artifact.artifactId);
		const marked = this.interrupted.has(taskId);
		if (begun && !update.append && !marked && artifact.artifactId === "result")
			this.say("G-08", `${this.contextId}: the answer to ${taskId} begins anew and was not marked interrupted`);
		if (begun && update.append && marked) this.say("G-08", `${this.contextId}: the answer to ${taskId} goes on where it was interrupted`);
		this.interrupted.delete(taskId);
		this.artifacts.set(taskId, applyArtifactUpdate(before, update));
	}

	private status({ taskId, status, metadata }: TaskStatusUpdateEvent): void {
		const chat = metadata?.[EXTENSIONS.chat] as { interrupted?: boolean; stopped?: boolean } | undefined;
		if (chat?.interrupted || chat?.stopped) this.interrupted.add(taskId);
		const answeredIn = metadata?.answeredIn as string | undefined;
		this.states.set(taskId, { state: status.state, ...(answeredIn === undefined ? {} : { answeredIn }) });
	}

	/** What a completed task was answered with: the words of its reply, whole and once, and of its question in them. */
	private complete(taskId: string, answeredIn: string | undefined): void {
		const reply = this.replies.get(answeredIn ?? taskId);
		const result = this.artifacts.get(taskId)?.find((a) => a.artifactId === "result");
		if (!reply || !result) return this.say("I6", `${this.contextId}: ${taskId} is completed and has no ${reply ? "artifact" : "reply"}`);
		if (textOf(result) !== textOf(reply))
			this.say(
				"G-08",
				`${this.contextId}: the artifact of ${taskId} reads ${JSON.stringify(textOf(result))} and the reply ${JSON.stringify(textOf(reply))}`,
			);
		for (const { text } of this.asked.get(taskId) ?? []) {
			if (
				textOf(reply)
					.split("\n")
					.filter((line) => line.endsWith(text)).length !== 1
			)
				this.say("I5", `${this.contextId}: the reply to ${taskId} does not answer ${JSON.stringify(text)} once`);
		}
	}
}

/** I4: every reader was shown a prefix of the one order, nothing left out, nothing that is no more. */
function oneOrder({ logs, observers, streamed }: Evidence, say: Say): void {
	const known = new Map<string, LogEvent>();
	for (const log of logs.values()) for (const event of log) known.set(keyOf(event), event);
	for (const { name, contextId, events } of observers) {
		events.forEach((event, i) => {
			const before = events[i - 1]?.seq ?? 0;
			if (event.seq !== before + 1) say("I4", `${name} was shown ${event.seq} after ${before} in ${contextId}`);
			const kept = known.get(keyOf(event));
			if (!kept) say("I4", `${name} was shown ${event.seq} of ${contextId}, which is not there`);
			else if (!same(kept, event)) say("I4", `${name} was shown another ${event.seq} of ${contextId} than is there`);
		});
	}
	for (const { taskId, contextId, seq, event } of streamed) {
		const kept = known.get(`${contextId} ${seq}`) as Record<string, unknown> | undefined;
		if (!kept) say("I4", `a stream of ${taskId} showed ${seq} of ${contextId}, which is not there`);
		else if (Object.entries(event).some(([key, value]) => !same(kept[key], value)))
			say("I4", `a stream of ${taskId} showed another ${seq} of ${contextId}`);
	}
}

/** The doors show what the database holds. */
function storedAsShown(shown: Evidence["logs"], stored: NonNullable<Evidence["stored"]>, say: Say): void {
	for (const [contextId, log] of shown) {
		const rows = stored.get(contextId) ?? [];
		if (rows.length !== log.length) say("I4", `${contextId} has ${rows.length} events in the database and ${log.length} through the door`);
		else if (!same(rows, log)) say("I4", `${contextId} reads differently in the database and through the door`);
	}
}

/** What a chat makes of events, as `stateHash` sees it. */
export function hashOfLog(log: readonly LogEvent[]): string {
	const open = new Map<string, string>();
	let lastMessage: { seq: number; messageId: string } | undefined;
	for (const { seq = 0, message, task, statusUpdate } of log) {
		if (message) lastMessage = { seq, messageId: message.messageId };
		const moved = task
			? ([task.id, task.status.state] as const)
			: statusUpdate
				? ([statusUpdate.taskId, statusUpdate.status.state] as const)
				: undefined;
		if (!moved) continue;
		if (isTerminal(moved[1])) open.delete(moved[0]);
		else open.set(...moved);
	}
	const openTasks = [...open].map(([id, state]) => ({ id, state }));
	return stateHash({ seq: log.at(-1)?.seq ?? 0, ...(lastMessage ? { lastMessage } : {}), openTasks, microphone: "desk" });
}

/** I8. */
function converged({ observers }: Evidence, hashes: NonNullable<Evidence["hashes"]>, say: Say): void {
	for (const { name, contextId, events, whole } of observers) {
		const server = hashes.get(contextId);
		if (whole && server !== hashOfLog(events))
			say("I8", `${name} stands at ${events.at(-1)?.seq ?? 0} of ${contextId} and does not agree with the desk`);
	}
}

/** GetTask says what the log comes to. */
function asTold(task: Task, { logs }: Evidence, say: Say): void {
	let artifacts: Artifact[] = [];
	let state: TaskState | undefined;
	for (const event of logs.get(task.contextId ?? "") ?? []) {
		if (event.artifactUpdate?.taskId === task.id) artifacts = applyArtifactUpdate(artifacts, event.artifactUpdate);
		if (event.statusUpdate?.taskId === task.id) state = event.statusUpdate.status.state;
	}
	if (state !== undefined && state !== task.status.state) say("I4", `GetTask says ${task.status.state} of ${task.id} and the log ${state}`);
	const words = (list: readonly Artifact[] | undefined): string[] => (list ?? []).map((a) => `${a.artifactId}: ${textOf(a)}`).sort();
	if (isTerminal(task.status.state) && !same(words(artifacts), words(task.artifacts)))
		say("I4", `GetTask gives other artifacts of ${task.id} than the log`);
}

/** Breaches in few lines: how many of which rule, and the first of each. */
export function summary(found: readonly Breach[]): string {
	const byRule = new Map<string, Breach[]>();
	for (const breach of found) byRule.set(breach.rule, [...(byRule.get(breach.rule) ?? []), breach]);
	return [...byRule]
		.map(
			([rule, list]) =>
				`${rule} × ${list.length}: ${list
					.slice(0, 3)
					.map((b) => b.text)
					.join("; ")}`,
		)
		.join("\n");
}
