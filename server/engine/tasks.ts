/**
 * Tasks as their callers meet them: a message sent, an answer waited for, a task read, listed, cancelled, followed. The only way
 * in for a message is `send`, whatever the door. Every reader here reads the log from a seq.
 */
import { hash } from "node:crypto";
import type { Artifact, Message, Task, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent } from "../../shared/a2a.schema.js";
import { applyArtifactUpdate } from "../../shared/artifacts.js";
import { canonicalJson } from "../../shared/canonical-json.js";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { isInterrupted, isTerminal } from "../../shared/task-states.js";
import type { Access } from "./access.js";
import type { Answered, Caller, Desk, JsonText, ListQuery, SendOptions, Sent, TaskEvent } from "./engine.js";
import type { Events, LogReader } from "./events.js";
import type { NewId } from "./ids.js";
import type { PageTokens } from "./page-tokens.js";
import type { Clock, Store, StoredEvent } from "./ports.js";
import type { TaskView } from "./reads.js";
import type { PrincipalRow } from "./rows.js";
import { keyScope, type SendAnswer, type SendInput } from "./send.js";
import type { Begin, Turns } from "./turns.js";
import { bareText, stateOfStatus, streamText, taskText, withGuestToken } from "./views.js";

const ALL_HISTORY = Number.MAX_SAFE_INTEGER;
/** Bytes of the log that a task's reader takes at a time. */
const PAGE_BYTES = LIMITS.catchUpPageBytes;

export interface TasksParts {
	store: Store;
	clock: Clock;
	newId: NewId;
	access: Access;
	turns: Turns;
	events: Events;
	pageTokens: PageTokens;
	/** The principal that all callers without a credential are, where a desk says so. */
	sharedGuest: (desk: Desk) => Promise<PrincipalRow>;
	grown: (conversationId: number, events: StoredEvent[]) => void;
	openTurns: SendInput["limits"];
}

/** What a send needs to be followed, beside what the doors may know. */
const INSIDE = Symbol("inside");

/** A send as it was given out. A weak map from it to this would cost every collection of garbage. */
interface Followed extends Sent {
	[INSIDE]?: Inside;
}

interface Inside {
	conversationId: number;
	/** Of a task that this send began: its message as the log holds it, and its metadata. All else of it has passed the one who waits. */
	fresh?: { asked: JsonText; metadata: JsonText };
}

export class Tasks {
	/** Messages taken in since the start; a retry is none. */
	taken = 0;

	constructor(private readonly parts: TasksParts) {}

	send(caller: Caller, desk: Desk, message: Message, options: SendOptions): Promise<Sent> {
		const sent = this.take(caller, desk, message, options);
		this.parts.turns.expect(sent);
		return sent;
	}

	private async take(caller: Caller, desk: Desk, message: Message, options: SendOptions): Promise<Sent> {
		const { store, clock, newId, turns, access } = this.parts;
		const principal = caller.principal ?? (desk.settings.sharedAnonymous ? await this.parts.sharedGuest(desk) : null);
		const { contextId, taskId, ...content } = message;
		const answerer = turns.answererOf(desk.row);
		const claim = answerer && turns.offer();
		const input: SendInput = {
			deskId: desk.row.id,
			callerId: principal?.id ?? null,
			...(principal ? {} : { newGuest: { uid: newId("gst") } }),
			guest: principal === null || (principal.kind === "guest" && !desk.settings.sharedAnonymous),
			message: content as Message,
			hash: hash("sha256", canonicalJson(message), "base64url"),
			scope: keyScope({ callerId: principal?.id ?? null, taskUid: taskId, contextUid: contextId }, desk.settings.retryScope),
			...(taskId === undefined ? {} : { taskUid: taskId }),
			...(contextId === undefined ? {} : { contextUid: contextId }),
			ids: { task: newId("tsk"), context: newId("ctx"), turn: newId("trn") },
			provenance: caller.provenance,
			...(claim ? { claim } : {}),
			limits: this.parts.openTurns,
			now: clock.now(),
		};
		const about: Omit<Begin, "answerer" | "history" | "incoming"> = {
			turnUid: input.ids.turn,
			claim: claim?.claim ?? "",
			desk: desk.row,
			contextUid: input.ids.context,
			askerUid: principal?.uid ?? input.newGuest?.uid ?? "",
			provenance: caller.provenance,
			acceptedOutputModes: options.acceptedOutputModes ?? null,
		};
		const written = store.write("sendMessage", input);
		// A first message, an answerer without outside effect: it starts while its send is on the way to the disk. What it writes
		// is queued behind the send, and where the send is refused or was a retry, its claim holds nothing and all of it is refused.
		const early = answerer?.inProcess && claim && contextId === undefined && taskId === undefined;
		if (early) turns.begin({ ...about, answerer, history: [], incoming: [{ seq: 1, from: "visitor", message }] });
		// Where it is refused, or nobody knows whether it was written, the early turn goes on: only the claim decides what it may write.
		const answer = await written;
		if (!answer.attached) this.taken++;
		this.parts.grown(answer.conversationId, answer.events);
		if (early && answer.turn?.uid !== input.ids.turn) turns.stop(input.ids.turn);
		if (answer.turn && !early && answerer) {
			const begun = { ...about, answerer, turnUid: answer.turn.uid, contextUid: answer.contextUid };
			await turns.beginClaimed(begun, answer.conversationId, answer.turn.throughSeq, answer.turn.covered);
		}
		return await this.sentOf(desk, principal, input, answer, options, access);
	}

	private async sentOf(
		desk: Desk,
		principal: PrincipalRow | null,
		input: SendInput,
		answer: SendAnswer,
		options: SendOptions,
		access: Access,
	): Promise<Sent> {
		const made = input.newGuest ? { uid: input.newGuest.uid, generation: 1 } : undefined;
		const guestToken = made && access.tokenOf(made);
		const who = principal ?? (await this.principalOf(made?.uid ?? ""));
		const sent: Followed = {
			taskId: answer.taskUid,
			contextId: answer.contextUid,
			seq: answer.seq,
			state: answer.state,
			attached: answer.attached,
			principal: who,
			task: "",
			[INSIDE]: { conversationId: answer.conversationId },
			...(guestToken === undefined ? {} : { guestToken }),
		};
		if (answer.fresh) {
			const history = options.historyLength === 0 ? "" : `,"history":[${answer.messageJson}]`;
			const given = input.message.metadata ? JSON.stringify(input.message.metadata) : "";
			const metadata = guestToken === undefined ? given : withGuestToken(given, guestToken);
			sent[INSIDE] = { conversationId: answer.conversationId, fresh: { asked: answer.messageJson, metadata } };
			sent.task = `{"id":"${sent.taskId}","contextId":"${sent.contextId}","status":${answer.status}${history}${metadata === "" ? "" : `,"metadata":${metadata}`}}`;
		} else {
			const view = await this.parts.store.read.task(who.id, desk.row.id, sent.taskId, options.historyLength ?? ALL_HISTORY);
			if (view) {
				sent.task = taskText(view, { artifacts: true });
				sent.seq = view.seq;
				sent.state = view.task.state;
			} else {
				const bare = await this.bareAnswer(answer.conversationId, sent);
				sent.message = bare.body;
				sent.seq = bare.seq;
				sent.state = "TASK_STATE_COMPLETED";
			}
		}
		return sent;
	}

	private async principalOf(uid: string): Promise<PrincipalRow> {
		const principal = await this.parts.store.read.principal(uid);
		if (!principal) throw new Error("a guest just made is not there");
		return principal;
	}

	private async view(caller: Caller, desk: Desk, taskId: string, historyLength = ALL_HISTORY): Promise<TaskView> {
		const principal = caller.principal ?? (desk.settings.sharedAnonymous ? await this.parts.sharedGuest(desk) : null);
		const view = principal && (await this.parts.store.read.task(principal.id, desk.row.id, taskId, historyLength));
		if (!view) throw new DeskError("task_not_found", "Task not found.");
		return view;
	}

	/** The message after a seq that answered a task which is not shown any more (a2a.md 1.1). Throws `task_not_found` where there is none. */
	private async bareAnswer(conversationId: number, { taskId, seq }: Pick<Sent, "taskId" | "seq">): Promise<StoredEvent> {
		const reader = this.parts.events.read(conversationId, seq, () => undefined);
		try {
			for (let page = await reader.next(PAGE_BYTES); page; page = await reader.next(PAGE_BYTES)) {
				for (const { event } of page) if (event.kind === "bare" && event.taskId === taskId) return event;
			}
		} finally {
			reader.close();
		}
		throw new DeskError("task_not_found", "Task not found.");
	}

	async answer(caller: Caller, desk: Desk, sent: Sent, options: SendOptions & { waitMs: number; signal?: AbortSignal }): Promise<Answered> {
		const at = (sent as Followed)[INSIDE];
		if (sent.message !== undefined) return { kind: "message", json: sent.message };
		const done = (state: TaskState): boolean => isTerminal(state) || isInterrupted(state);
		let heard: StoredEvent[] | undefined;
		if (at && !done(sent.state)) {
			heard = await this.waitFor(at.conversationId, sent, options, done);
			const bare = heard?.find((event) => event.kind === "bare");
			if (bare) return { kind: "message", json: bareText(bare.body, sent.guestToken) };
		}
		const guest = sent.guestToken;
		if (heard && at?.fresh !== undefined) return toldBy(heard, at.fresh, sent, options.historyLength ?? ALL_HISTORY);
		const view = await this.view({ ...caller, principal: sent.principal }, desk, sent.taskId, options.historyLength);
		return {
			kind: "task",
			json: taskText(view, { artifacts: true, ...(guest === undefined ? {} : { metadata: withGuestToken(view.task.metadata, guest) }) }),
			state: view.task.state,
		};
	}

	/** The task's events up to one that brings it to such a state; undefined at the deadline, or when nobody waits any more. */
	private async waitFor(
		conversationId: number,
		sent: Sent,
		options: { waitMs: number; signal?: AbortSignal },
		done: (state: TaskState) => boolean,
	): Promise<StoredEvent[] | undefined> {
		if (options.waitMs <= 0 || options.signal?.aborted) return undefined;
		return await new Promise<StoredEvent[] | undefined>((resolve, reject) => {
			const heard: StoredEvent[] = [];
			const finish = (events?: StoredEvent[]): void => {
				reader.close();
				stopTimer();
				options.signal?.removeEventListener("abort", leave);
				resolve(events);
			};
			const leave = (): void => finish();
			const read = async (): Promise<void> => {
				for (let page = await reader.next(PAGE_BYTES); page; page = await reader.next(PAGE_BYTES)) {
					for (const { event } of page) {
						if (event.taskId !== sent.taskId) continue;
						heard.push(event);
						const state = stateOfStatus(event);
						if (event.kind === "bare" || (state !== undefined && done(state as TaskState))) return finish(heard);
					}
				}
			};
			const wake = (): void => {
				read().catch((error: unknown) => {
					finish();
					reject(error);
				});
			};
			const reader = this.parts.events.read(conversationId, sent.seq, wake);
			const stopTimer = this.parts.clock.after(options.waitMs, leave);
			options.signal?.addEventListener("abort", leave);
			wake();
		});
	}

	async get(caller: Caller, desk: Desk, taskId: string, historyLength?: number): Promise<JsonText> {
		return taskText(await this.view(caller, desk, taskId, historyLength), { artifacts: true });
	}

	async list(caller: Caller, desk: Desk, query: ListQuery): Promise<JsonText> {
		const { store, clock, pageTokens } = this.parts;
		const principal = caller.principal ?? (desk.settings.sharedAnonymous ? await this.parts.sharedGuest(desk) : null);
		const size = query.pageSize;
		if (!principal) return `{"tasks":[],"nextPageToken":"","pageSize":${size},"totalSize":0}`;
		const scope = `${principal.id} ${desk.row.id} ${query.contextId ?? ""} ${query.state ?? ""} ${query.statusTimestampAfter ?? ""}`;
		const page = await store.read.tasks({
			callerId: principal.id,
			deskId: desk.row.id,
			...(query.contextId === undefined ? {} : { contextId: query.contextId }),
			...(query.state === undefined ? {} : { state: query.state }),
			...(query.statusTimestampAfter === undefined ? {} : { changedSince: query.statusTimestampAfter }),
			...(query.pageToken ? { after: pageTokens.read(scope, query.pageToken, clock.now()) } : {}),
			limit: size,
			historyLength: query.historyLength ?? 0,
			artifacts: query.includeArtifacts,
		});
		const last = page.tasks.at(-1);
		const next = page.more && last ? pageTokens.write(scope, { statusAt: last.task.statusAt, id: last.task.id }, clock.now()) : "";
		const tasks = page.tasks.map((view) => taskText(view, { artifacts: query.includeArtifacts ? "list" : false }));
		return `{"tasks":[${tasks.join(",")}],"nextPageToken":"${next}","pageSize":${size},"totalSize":${page.total}}`;
	}

	async cancel(caller: Caller, desk: Desk, taskId: string): Promise<JsonText> {
		const { store, clock, newId, turns } = this.parts;
		const principal = caller.principal ?? (desk.settings.sharedAnonymous ? await this.parts.sharedGuest(desk) : null);
		if (!principal) throw new DeskError("task_not_found", "Task not found.");
		const answer = await store.write("cancelTask", {
			deskId: desk.row.id,
			callerId: principal.id,
			taskUid: taskId,
			turnUid: newId("trn"),
			now: clock.now(),
		});
		if (answer.fencedTurn) turns.stop(answer.fencedTurn);
		this.parts.grown(answer.conversationId, answer.events);
		if (answer.next) turns.wake(answer.next);
		return taskText(await this.view({ ...caller, principal }, desk, taskId), { artifacts: true });
	}

	/** The stream after a send: its task as the send left it, then what follows. Closed at a terminal state and at INPUT_REQUIRED (a2a.md C7). */
	async *followSent(caller: Caller, desk: Desk, sent: Sent, options: SendOptions & { signal: AbortSignal }): AsyncGenerator<TaskEvent> {
		const at = (sent as Followed)[INSIDE];
		if (!at) throw new Error("a send that is not ours");
		const silent =
			this.parts.turns.answererOf(desk.row)?.maySilence === true &&
			caller.provenance.channel !== "embed" &&
			caller.provenance.channel !== "page";
		if (sent.message !== undefined) return yield { seq: sent.seq, json: `{"message":${sent.message}}`, last: true };
		// A retry may find its task at the state that closes such a stream.
		const ended = isTerminal(sent.state) || sent.state === "TASK_STATE_INPUT_REQUIRED";
		const first: TaskEvent = { seq: sent.seq, json: `{"task":${sent.task}}`, last: ended };
		// Until an answerer that may answer without a task has spoken, there is no task to show.
		if (!silent || ended) yield first;
		if (ended) return;
		let shown = !silent;
		let begun: TaskEvent | undefined;
		for await (const { event, state } of this.read(at.conversationId, sent.seq, sent.taskId, options.signal)) {
			if (event.kind === "bare") {
				// The task that went before had the token already.
				const message = shown ? event.body : bareText(event.body, sent.guestToken);
				return yield { seq: event.seq, json: `{"message":${message}}`, last: true };
			}
			const json = streamText(event);
			if (json === undefined) continue;
			// That it has begun is no word of it yet.
			if (!shown && isOnlyWorking(event, state)) {
				begun = { seq: event.seq, json, last: false };
				continue;
			}
			if (!shown) yield first;
			if (!shown && begun) yield begun;
			shown = true;
			const last = state !== undefined && (isTerminal(state) || state === "TASK_STATE_INPUT_REQUIRED");
			yield { seq: event.seq, json, last };
			if (last) return;
		}
	}

	/** The stream of a task from now: its state at one seq, then everything after it, to its end. */
	async subscribe(caller: Caller, desk: Desk, taskId: string, options: { signal: AbortSignal }): Promise<AsyncIterable<TaskEvent>> {
		const view = await this.view(caller, desk, taskId);
		if (isTerminal(view.task.state))
			throw new DeskError("unsupported_operation", "This task has ended: there is nothing to follow. Read it with GetTask.");
		return this.fromNow(view, options.signal);
	}

	private async *fromNow(view: TaskView, signal: AbortSignal): AsyncGenerator<TaskEvent> {
		yield { seq: view.seq, json: `{"task":${taskText(view, { artifacts: true })}}`, last: false };
		for await (const { event, state } of this.read(view.task.conversationId, view.seq, view.task.uid, signal)) {
			const json = streamText(event);
			if (json === undefined) continue;
			const last = state !== undefined && isTerminal(state);
			yield { seq: event.seq, json, last };
			if (last) return;
		}
	}

	/** Events of one task, in order, until the reader leaves. */
	private async *read(
		conversationId: number,
		after: number,
		taskId: string,
		signal: AbortSignal,
	): AsyncGenerator<{ event: StoredEvent; state: TaskState | undefined }> {
		let woken: () => void = () => undefined;
		const wake = (): void => woken();
		const reader: LogReader = this.parts.events.read(conversationId, after, wake);
		signal.addEventListener("abort", wake);
		try {
			while (!signal.aborted) {
				const grown = new Promise<void>((resolve) => {
					woken = resolve;
				});
				const page = await reader.next(PAGE_BYTES);
				if (page === null) await grown;
				else
					for (const { event } of page) if (event.taskId === taskId) yield { event, state: stateOfStatus(event) as TaskState | undefined };
			}
		} finally {
			signal.removeEventListener("abort", wake);
			reader.close();
		}
	}
}

/** Whether an event says that a task is being worked on, and nothing else (that it waits for the owner, that it was interrupted). */
const isOnlyWorking = ({ body }: StoredEvent, state: TaskState | undefined): boolean =>
	state === "TASK_STATE_WORKING" && (JSON.parse(body) as TaskStatusUpdateEvent).metadata === undefined;

/** The task that a send began, from all that has been said of it since: what GetTask reads from the store, without asking it. */
function toldBy(
	heard: readonly StoredEvent[],
	{ asked, metadata: told }: NonNullable<Inside["fresh"]>,
	sent: Sent,
	historyLength: number,
): Answered {
	const last = JSON.parse(heard.at(-1)?.body ?? "") as TaskStatusUpdateEvent;
	let artifacts: Artifact[] = [];
	const history = [asked];
	for (const { kind, body } of heard) {
		if (kind === "message") history.push(body);
		else if (kind === "artifact" || kind === "whole")
			artifacts = applyArtifactUpdate(artifacts, JSON.parse(body) as TaskArtifactUpdateEvent);
	}
	const kept = historyLength > 0 ? history.slice(-historyLength) : [];
	const metadata = { ...(told === "" ? {} : (JSON.parse(told) as Task["metadata"])), ...last.metadata };
	const json = `{"id":"${sent.taskId}","contextId":"${sent.contextId}","status":${JSON.stringify(last.status)}${artifacts.length > 0 ? `,"artifacts":${JSON.stringify(artifacts)}` : ""}${kept.length > 0 ? `,"history":[${kept.join(",")}]` : ""}${Object.keys(metadata).length > 0 ? `,"metadata":${JSON.stringify(metadata)}` : ""}}`;
	return { kind: "task", json, state: last.status.state };
}
