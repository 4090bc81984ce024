/**
 * Asking by an address alone (LINK-3): for agents that can fetch a page and nothing else, and for people without scripts. Each
 * question is a send like any other, on channel `ask`, by a guest who has no token; what comes back is the conversation and
 * a private link to it. Of the link only a hash is kept. The same address opened twice asks once: see `follow-ups-operations.ts`.
 */
import { createHash } from "node:crypto";
import type { Message } from "../../shared/a2a.schema.js";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { isInterrupted, isTerminal } from "../../shared/task-states.js";
import { hashOf } from "./access.js";
import type { Caller, Desk, FollowUpDoor, Thread, ThreadLine, ThreadState } from "./engine.js";
import type { Events } from "./events.js";
import type { NewId } from "./ids.js";
import type { Clock, Random, Store } from "./ports.js";
import type { ConversationView, FollowUpView, TaskView } from "./reads.js";
import type { PrincipalRow, TaskRow } from "./rows.js";
import type { Tasks } from "./tasks.js";
import { loggedMessage, stateOfStatus } from "./views.js";

/** Begins every key of a private link; `log.ts` hides whatever looks like one. */
const KEY = "eolf_";
const KEY_SHAPE = /^eolf_[\w-]{43}$/;

export interface FollowUpParts {
	store: Store;
	clock: Clock;
	random: Random;
	newId: NewId;
	events: Events;
	tasks: Tasks;
	/** Whether somebody is there who answers at once. */
	answers: (desk: Desk) => boolean;
}

/** Words as they are compared: how they were spaced, or put together of marks, makes no other question. */
const sameWords = (words: string): string => words.normalize("NFC").replace(/\s+/g, " ").trim();

const digest = (...parts: (string | number)[]): string => createHash("sha256").update(parts.join("\n")).digest("base64url");

/** A conversation as this reads it, and what of it may still move. */
interface Reading {
	thread: Thread;
	conversationId: number;
	/** seq at which it was read. */
	at: number;
	contextId: string;
	/** Public ids of tasks that are being worked at. */
	moving: string[];
	/** Of the task that waits for the asker. */
	asks: string | undefined;
}

export class FollowUps implements FollowUpDoor {
	/** Sends under way, so that two pages opened in one moment send one message. */
	private readonly sending = new Map<string, Promise<unknown>>();
	private waiting = 0;

	constructor(private readonly parts: FollowUpParts) {}

	async ask(desk: Desk, words: string, wait: { waitMs: number; signal?: AbortSignal }): Promise<{ key: string; thread: Thread }> {
		const { store, clock, random, newId } = this.parts;
		checkGuests(desk);
		const key = `${KEY}${Buffer.from(random.bytes(32)).toString("base64url")}`;
		const hash = digest(desk.row.id, sameWords(words));
		const { guestUid, free } = await store.write("openAsk", {
			deskId: desk.row.id,
			hash,
			guestUid: newId("gst"),
			linkHash: hashOf(key),
			now: clock.now(),
		});
		const first = await this.guest(guestUid);
		await this.once(guestUid, async () => {
			if (await store.read.conversation(first.id, desk.row.id, null, 0)) return;
			await this.send(first, desk, { messageId: `ask-${digest(guestUid)}`, words });
		});
		const thread = await this.settled(desk, { first, speaker: undefined, free }, wait);
		return { key, thread: thread ?? nothing };
	}

	async more(
		desk: Desk,
		key: string,
		words: string,
		wait: { seen?: number; waitMs: number; signal?: AbortSignal },
	): Promise<Thread | undefined> {
		const { store, clock, newId } = this.parts;
		checkGuests(desk);
		if (!KEY_SHAPE.test(key)) return undefined;
		const linkHash = hashOf(key);
		if (!(await store.read.followUp(linkHash, desk.row.id, clock.now()))) return undefined;
		await this.once(linkHash, async () => {
			const { speakerUid } = await store.write("askMore", { deskId: desk.row.id, linkHash, guestUid: newId("gst"), now: clock.now() });
			const speaker = await this.guest(speakerUid);
			const before = await this.whole(desk, speaker);
			if (before && isRepeat(before.thread, words, wait.seen, clock.now())) return;
			const messageId = moreId(words, wait.seen ?? before?.at ?? 0);
			await this.send(speaker, desk, { messageId, words, contextId: before?.contextId, taskId: before?.asks });
		});
		return await this.read(desk, key, wait);
	}

	async read(desk: Desk, key: string, wait: { waitMs: number; signal?: AbortSignal }): Promise<Thread | undefined> {
		if (!KEY_SHAPE.test(key)) return undefined;
		const view = await this.parts.store.read.followUp(hashOf(key), desk.row.id, this.parts.clock.now());
		return view && ((await this.settled(desk, view, wait)) ?? nothing);
	}

	async end(desk: Desk, key: string): Promise<void> {
		if (KEY_SHAPE.test(key)) await this.parts.store.write("endFollowUp", { deskId: desk.row.id, linkHash: hashOf(key) });
	}

	private async guest(uid: string): Promise<PrincipalRow> {
		const guest = await this.parts.store.read.principal(uid);
		if (!guest) throw new Error("a guest just made is not there");
		return guest;
	}

	/** One after another for the same key; each looks again at what the one before it did. */
	private async once(key: string, work: () => Promise<void>): Promise<void> {
		const before = this.sending.get(key);
		const mine = (before ?? Promise.resolve()).catch(() => undefined).then(work);
		this.sending.set(key, mine);
		try {
			await mine;
		} finally {
			if (this.sending.get(key) === mine) this.sending.delete(key);
		}
	}

	private async send(
		principal: PrincipalRow,
		desk: Desk,
		asked: { messageId: string; words: string; contextId?: string; taskId?: string },
	): Promise<void> {
		const caller: Caller = { principal, provenance: { channel: "ask" }, extensions: [] };
		const message: Message = {
			messageId: asked.messageId,
			role: "ROLE_USER",
			parts: [{ text: asked.words }],
			...(asked.contextId === undefined ? {} : { contextId: asked.contextId }),
			...(asked.taskId === undefined ? {} : { taskId: asked.taskId }),
		};
		await this.parts.tasks.send(caller, desk, message, {});
	}

	/** The thread once nothing in it moves any more, or after so long. Undefined: nothing was asked yet. */
	private async settled(desk: Desk, link: FollowUpView, wait: { waitMs: number; signal?: AbortSignal }): Promise<Thread | undefined> {
		const before = await this.reading(desk, link);
		if (!before || before.moving.length === 0 || wait.waitMs <= 0 || this.waiting >= LIMITS.askWaits) return before?.thread;
		this.waiting++;
		try {
			await this.rest(before, wait);
		} finally {
			this.waiting--;
		}
		// Nobody is left to hear more.
		if (wait.signal?.aborted) return before.thread;
		return (await this.reading(desk, link))?.thread;
	}

	/** What a link reads: the first question, and what its own guest asked since. */
	private async reading(desk: Desk, link: FollowUpView): Promise<Reading | undefined> {
		if (link.speaker?.id === link.first.id) return await this.whole(desk, link.first);
		const first = await this.firstOf(desk, link.first, link.free);
		const own = link.speaker && (await this.whole(desk, link.speaker));
		if (!first || !own) return own ?? first;
		return { ...own, thread: { ...own.thread, lines: [...first.thread.lines, ...own.thread.lines] } };
	}

	/** A guest's whole conversation. */
	private async whole(desk: Desk, guest: PrincipalRow): Promise<Reading | undefined> {
		const { read } = this.parts.store;
		const view = await read.conversation(guest.id, desk.row.id, null, LIMITS.historyPage);
		if (!view) return undefined;
		const page = { callerId: guest.id, deskId: desk.row.id, limit: 1, historyLength: 0, artifacts: false };
		const last = view.openTasks.at(-1)?.task ?? (await read.tasks(page)).tasks[0]?.task;
		const lines = view.messages.map(loggedMessage).map(({ at, message }) => lineOf(message, at));
		return this.readingOf(desk, view, lines, last, view.openTasks);
	}

	/** The first question of a guest and its answer; what came of it later, where it is not `free`, is another link's and does not show. */
	private async firstOf(desk: Desk, guest: PrincipalRow, free: boolean): Promise<Reading | undefined> {
		const { read } = this.parts.store;
		const view = await read.conversation(guest.id, desk.row.id, null, 0);
		if (!view) return undefined;
		const [begun] = await read.events(view.conversation.id, 0, 1, Number.MAX_SAFE_INTEGER);
		const task = begun?.taskId ? await read.task(guest.id, desk.row.id, begun.taskId, LIMITS.historyPage) : undefined;
		if (!begun) return undefined;
		// Answered by a message and no task (a2a.md 1.1): the words are the log's.
		const log = task ? [] : await read.events(view.conversation.id, 0, LIMITS.historyPage, LIMITS.historyBytes);
		const said = log.filter(({ kind, taskId }) => (kind === "message" || kind === "bare") && taskId === begun.taskId);
		const lines = (task?.history ?? said.map(({ body }) => body)).map((body) => lineOf(JSON.parse(body) as Message, begun.at));
		const conversation = free ? view.conversation : { ...view.conversation, endedAt: null };
		const reading = this.readingOf(desk, { ...view, conversation }, lines, task?.task, task ? [task] : []);
		return free ? reading : { ...reading, thread: { ...reading.thread, seq: task?.task.lastSeq ?? 0 } };
	}

	private readingOf(desk: Desk, view: ConversationView, lines: ThreadLine[], last: TaskRow | undefined, tasks: TaskView[]): Reading {
		const { conversation } = view;
		const answers = this.parts.answers(desk) && !view.participants.some((p) => p.side === "desk" && p.microphone === "owner");
		const isMoving = ({ state }: TaskRow): boolean =>
			state === "TASK_STATE_WORKING" || (state === "TASK_STATE_SUBMITTED" && answers && conversation.endedAt === null);
		const moving = tasks.filter(({ task }) => isMoving(task)).map(({ task }) => task.uid);
		const state = conversation.endedAt !== null ? "ended" : moving.length > 0 ? "working" : restingState(last);
		return {
			thread: { lines, state, seq: conversation.seq },
			conversationId: conversation.id,
			at: conversation.seq,
			contextId: conversation.uid,
			moving,
			asks: tasks.find(({ task }) => isInterrupted(task.state))?.task.uid,
		};
	}

	/** Waits until no task of a reading moves any more. */
	private async rest({ conversationId, at, moving }: Reading, wait: { waitMs: number; signal?: AbortSignal }): Promise<void> {
		const left = new Set(moving);
		await new Promise<void>((resolve, reject) => {
			const finish = (): void => {
				reader.close();
				stopTimer();
				wait.signal?.removeEventListener("abort", finish);
				resolve();
			};
			const look = async (): Promise<void> => {
				for (let page = await reader.next(LIMITS.catchUpPageBytes); page; page = await reader.next(LIMITS.catchUpPageBytes)) {
					for (const { event } of page) {
						const state = stateOfStatus(event) as TaskRow["state"] | undefined;
						const rests = event.kind === "bare" || (state !== undefined && (isTerminal(state) || isInterrupted(state)));
						if (rests && event.taskId !== null) left.delete(event.taskId);
					}
					if (left.size === 0) return finish();
				}
			};
			const wake = (): void => {
				look().catch((error: unknown) => {
					finish();
					reject(error);
				});
			};
			const reader = this.parts.events.read(conversationId, at, wake);
			const stopTimer = this.parts.clock.after(wait.waitMs, finish);
			wait.signal?.addEventListener("abort", finish);
			if (wait.signal?.aborted) finish();
			else wake();
		});
	}
}

/** Of a link whose question was refused after the link was made. */
const nothing: Thread = { lines: [], state: "kept", seq: 0 };

function checkGuests(desk: Desk): void {
	if (!desk.settings.guests) throw new DeskError("forbidden", `${desk.face.name} takes no questions from visitors at the moment.`);
}

const lineOf = (message: Message, at: number): ThreadLine => ({ from: message.role === "ROLE_USER" ? "asker" : "desk", message, at });

/** Where a conversation stands in which nothing moves. */
function restingState(last: TaskRow | undefined): ThreadState {
	switch (last?.state) {
		case "TASK_STATE_INPUT_REQUIRED":
			return "asks";
		case "TASK_STATE_AUTH_REQUIRED":
			return "authorise";
		case "TASK_STATE_FAILED":
		case "TASK_STATE_REJECTED":
			return "failed";
		case "TASK_STATE_CANCELED":
			return "expired";
		case "TASK_STATE_SUBMITTED":
			return "kept";
		default:
			return "answered";
	}
}

const moreId = (words: string, seen: number): string => `more-${digest(seen, sameWords(words))}`;

/**
 * Whether such words were sent already. Who says what they had seen (`seen`, from the page) sent the same only from the same
 * page; of who does not, the same words as their last ones within a while are a reload.
 */
function isRepeat(thread: Thread, words: string, seen: number | undefined, now: number): boolean {
	const asked = thread.lines.filter(({ from }) => from === "asker");
	if (seen !== undefined) return asked.some(({ message }) => message.messageId === moreId(words, seen));
	const last = asked.at(-1);
	if (!last || last.at + LIMITS.askRepeatMs <= now) return false;
	return sameWords(last.message.parts.map((part) => part.text ?? "").join("")) === sameWords(words);
}
