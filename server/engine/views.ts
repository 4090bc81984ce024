/** The wire JSON of what was read: tasks, pages of tasks, a conversation at one seq. What the log holds as text is joined, not parsed. */
import type { Artifact, Message, Task, TaskArtifactUpdateEvent } from "../../shared/a2a.schema.js";
import { applyArtifactUpdate } from "../../shared/artifacts.js";
import type { ContextState, LoggedMessage, Microphone } from "../../shared/channel.js";
import type { JsonText } from "./engine.js";
import type { StoredEvent } from "./ports.js";
import type { ConversationView, TaskView } from "./reads.js";

/** Artifacts with what has been said since the snapshot. Empty text: none. */
function artifactsText(view: TaskView): JsonText {
	if (view.pieces.length === 0) return view.task.artifacts;
	let artifacts: Artifact[] = view.task.artifacts === "" ? [] : (JSON.parse(view.task.artifacts) as Artifact[]);
	for (const piece of view.pieces) artifacts = applyArtifactUpdate(artifacts, JSON.parse(piece) as TaskArtifactUpdateEvent);
	return JSON.stringify(artifacts);
}

/** A Task. `artifacts: "list"` gives the key even when there are none (ListTasks with includeArtifacts); `false` never. */
export function taskText(view: TaskView, options: { artifacts: boolean | "list"; metadata?: string }): JsonText {
	const { task } = view;
	let text = `{"id":"${task.uid}","contextId":"${task.contextId}","status":${task.status}`;
	if (options.artifacts) {
		const artifacts = artifactsText(view);
		if (artifacts !== "") text += `,"artifacts":${artifacts}`;
		else if (options.artifacts === "list") text += `,"artifacts":[]`;
	}
	if (view.history.length > 0) text += `,"history":[${view.history.join(",")}]`;
	const metadata = options.metadata ?? task.metadata;
	if (metadata !== "") text += `,"metadata":${metadata}`;
	return `${text}}`;
}

const KEYS: Record<string, string> = {
	message: "message",
	bare: "message",
	task: "task",
	status: "statusUpdate",
	artifact: "artifactUpdate",
	whole: "artifactUpdate",
	microphone: "signal",
	ended: "ended",
};

const WIRE = Symbol("wire");

/** An event with its text, once somebody has asked for it. A weak map from one to the other would cost every collection of garbage. */
interface Worded extends StoredEvent {
	[WIRE]?: JsonText;
}

/** An event as readers of its conversation get it (LogEvent). The same text object each time, unless it covers folded numbers. */
export function logEventText(contextId: string, event: Worded, from: number): JsonText {
	if (from === event.seq) {
		const known = event[WIRE];
		if (known !== undefined) return known;
	}
	const covered = from === event.seq ? "" : `,"from":${from}`;
	const key = KEYS[event.kind];
	const body = key === undefined ? "" : `,"${key}":${event.body}`;
	const text = `{"contextId":"${contextId}","seq":${event.seq}${covered},"at":${event.at}${body}}`;
	if (covered === "") event[WIRE] = text;
	return text;
}

/** An event as a task's stream gives it (StreamResponse); undefined for what does not stand there. */
export function streamText(event: StoredEvent): JsonText | undefined {
	if (event.kind === "status") return `{"statusUpdate":${event.body}}`;
	if (event.kind === "artifact" || event.kind === "whole") return `{"artifactUpdate":${event.body}}`;
	if (event.kind === "bare") return `{"message":${event.body}}`;
	return undefined;
}

/** The state that a status event says. We wrote its text: the state stands at a fixed place, before anything of a stranger's. */
export function stateOfStatus(event: StoredEvent): string | undefined {
	return event.kind === "status" ? /"status":\{"state":"(TASK_STATE_[A-Z_]+)"/.exec(event.body)?.[1] : undefined;
}

export const loggedMessage = (event: StoredEvent): LoggedMessage => ({
	seq: event.seq,
	at: event.at,
	message: JSON.parse(event.body) as Message,
});

export const loggedMessagesText = (events: readonly StoredEvent[]): JsonText =>
	`[${events.map((e) => `{"seq":${e.seq},"at":${e.at},"message":${e.body}}`).join(",")}]`;

/** What a chat needs to draw a conversation and go on from its seq. */
export function contextState(view: ConversationView): ContextState {
	const side = (name: "asker" | "desk") => view.participants.find((p) => p.side === name);
	const state: ContextState = {
		contextId: view.conversation.uid,
		seq: view.conversation.seq,
		messages: view.messages.map(loggedMessage),
		more: view.more,
		// What a task said before its caller answered stands among the messages; here only what is being said now.
		tasks: view.openTasks.map((t) => JSON.parse(taskText({ ...t, task: { ...t.task, artifacts: "" } }, { artifacts: true })) as Task),
		microphone: (side("desk")?.microphone ?? "desk") as Microphone,
		read: { asker: side("asker")?.readSeq ?? 0, desk: side("desk")?.readSeq ?? 0 },
	};
	if (view.conversation.endedAt !== null) state.ended = { by: "desk", at: view.conversation.endedAt };
	return state;
}

/** Metadata with the guest's token, given away once (A2A-3). */
export const withGuestToken = (metadata: string, token: string): string =>
	JSON.stringify({ ...(metadata === "" ? {} : (JSON.parse(metadata) as object)), eolGuestToken: token });

/** An answer that is a message and no task: where it is a guest's first, their token goes with it, since there is no task to bring it (A2A-3). */
export function bareText(message: JsonText, token: string | undefined): JsonText {
	if (token === undefined) return message;
	const { metadata, ...rest } = JSON.parse(message) as Message;
	return JSON.stringify({ ...rest, metadata: { ...metadata, eolGuestToken: token } });
}
