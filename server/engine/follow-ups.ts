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
import type { Clock, Random, Store, StoredEvent } from "./ports.js";
import type { ConversationView, FollowUpView, TaskView } from "./reads.js";
import type { PrincipalRow, TaskRow } from "./rows.js";
import type { Tasks } from "./tasks.js";
import { loggedMessage, stateOfStatus } from "./views.js";

/** Begins every key of a private link; `log.ts` hides whatever looks like one. */
const KEY = "eolf_";
const KEY_SHAPE = /^eolf_[\w-]{43}$/;
/** Events asked of the log at a time. */
const PAGE = 500;
/** Readings of a conversation that grows all the while. */
const AGREE_TRIES = 5;

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
		const linkHash = hashOf(key);
		const { guestUid } = await store.write("openAsk", { deskId: desk.row.id, hash, guestUid: newId("gst"), linkHash, now: clock.now() });
		const first = await this.guest(guestUid);
		await this.once(guestUid, async () => {
			if (await store.read.conversation(first.id, desk.row.id, null, 0)) return;
			await this.send(first, desk, { messageId: `ask-${digest(guestUid)}`, words });
		});
		return { key, thread: (await this.settled(desk, linkHash, wait)) ?? nothing };
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
		if (!(await this.link(desk, linkHash))) return undefined;
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
		const linkHash = hashOf(key);
		return (await this.link(desk, linkHash)) && ((await this.settled(desk, linkHash, wait)) ?? nothing);
	}

	async end(desk: Desk, key: string): Promise<void> {
		if (KEY_SHAPE.test(key)) await this.parts.store.write("endFollowUp", { deskId: desk.row.id, linkHash: hashOf(key) });
	}

	private link(desk: Desk, linkHash: string): Promise<FollowUpView | undefined> {
		return this.parts.store.read.followUp(linkHash, desk.row.id, this.parts.clock.now());
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
	private async settled(desk: Desk, linkHash: string, wait: { waitMs: number; signal?: AbortSignal }): Promise<Thread | undefined> {
		const before = await this.reading(desk, linkHash);
		if (!before || before.moving.length === 0 || wait.waitMs <= 0 || this.waiting >= LIMITS.askWaits) return before?.thread;
		this.waiting++;
		try {
			await this.rest(before, wait);
		} finally {
			this.waiting--;
		}
		// Nobody is left to hear more.
		if (wait.signal?.aborted) return before.thread;
		return (await this.reading(desk, linkHash))?.thread ?? before.thread;
	}

	/** What a link reads: the first question, and what its own guest asked since. */
	private async reading(desk: Desk, linkHash: string): Promise<Reading | undefined> {
		const link = await this.link(desk, linkHash);
		if (!link) return undefined;
		if (link.speaker?.id === link.first.id) return await this.whole(desk, link.first);
		const first = await this.firstOf(desk, link.first, linkHash);
		const own = link.speaker && (await this.whole(desk, link.speaker));
		if (!first || !own) return own ?? first;
		// Where words of its own are left out, the first question is earlier than those.
		const lines = own.thread.earlier ? own.thread.lines : [...first.thread.lines, ...own.thread.lines];
		return { ...own, thread: { ...own.thread, lines } };
	}

	/**
	 * Reads a guest's conversation and what must agree with it. Each read shows the moment in which it is made, so words and state are
	 * read anew where the conversation has grown between them: else an answer's state would stand without its words.
	 */
	private async agreeing(
		desk: Desk,
		guest: PrincipalRow,
		work: (view: ConversationView) => Promise<Reading | undefined>,
	): Promise<Reading | undefined> {
		const { read } = this.parts.store;
		for (let tries = 1; ; tries++) {
			const view = await read.conversation(guest.id, desk.row.id, null, LIMITS.historyPage);
			if (!view) return undefined;
			const reading = await work(view);
			const after = await read.conversation(guest.id, desk.row.id, null, 0);
			if (after?.conversation.seq === view.conversation.seq || tries === AGREE_TRIES) return reading;
		}
	}

	/** A guest's whole conversation, or the end of it where it is long. */
	private whole(desk: Desk, guest: PrincipalRow): Promise<Reading | undefined> {
		return this.agreeing(desk, guest, async (view) => {
			const page = { callerId: guest.id, deskId: desk.row.id, limit: 1, historyLength: 0, artifacts: false };
			const last = view.openTasks.at(-1)?.task ?? (await this.parts.store.read.tasks(page)).tasks[0]?.task;
			return this.readingOf(desk, view, view.messages.map(lineOf), last, view.openTasks);
		});
	}

	/**
	 * The first question of a guest and what came of it. Once a link has taken the conversation, every other one reads to where that
	 * question first came to rest and no further, as all of them could: whatever follows, on the same task or another, is another's.
	 */
	private firstOf(desk: Desk, guest: PrincipalRow, linkHash: string): Promise<Reading | undefined> {
		return this.agreeing(desk, guest, (view) => this.firstIn(view, desk, guest, linkHash));
	}

	private async firstIn(view: ConversationView, desk: Desk, guest: PrincipalRow, linkHash: string): Promise<Reading | undefined> {
		const { read } = this.parts.store;
		const { conversation } = view;
		const [begun] = await read.events(conversation.id, 0, 1, Number.MAX_SAFE_INTEGER);
		if (!begun) return undefined;
		const task = begun.taskId ? await read.task(guest.id, desk.row.id, begun.taskId, 0) : undefined;
		const tasks = task ? [task] : [];
		// Asked after the words were read: a link takes a conversation before it says anything in it.
		if ((await this.link(desk, linkHash))?.free) {
			const lines = view.messages.filter(({ taskId }) => taskId === begun.taskId).map(lineOf);
			return this.readingOf(desk, view, lines, task?.task, tasks);
		}
		const { said, ending } = await this.toFirstRest(conversation.id, begun.taskId);
		const lines = said.map(lineOf).filter(({ from }, i) => from === "desk" || i === 0);
		const others = { ...view, more: false, conversation: { ...conversation, endedAt: null } };
		const reading = this.readingOf(desk, others, lines, task?.task, ending ? [] : tasks);
		const seq = (ending ?? said.at(-1) ?? begun).seq;
		const state = ending ? othersState(ending, lines) : reading.thread.state;
		return { ...reading, thread: { ...reading.thread, state, seq } };
	}

	/** The messages of a conversation's first task up to where it first came to rest, and the event that says so. */
	private async toFirstRest(conversationId: number, taskId: string | null): Promise<{ said: StoredEvent[]; ending?: StoredEvent }> {
		const said: StoredEvent[] = [];
		for (let after = 0; ; ) {
			const page = await this.parts.store.read.events(conversationId, after, PAGE, LIMITS.catchUpPageBytes);
			for (const event of page) {
				if (event.taskId !== taskId) continue;
				if (event.kind === "message" || event.kind === "bare") said.push(event);
				if (isRest(event)) return { said, ending: event };
			}
			const last = page.at(-1);
			if (!last) return { said };
			after = last.seq;
		}
	}

	private readingOf(desk: Desk, view: ConversationView, lines: ThreadLine[], last: TaskRow | undefined, tasks: TaskView[]): Reading {
		const { conversation, more } = view;
		const answers = this.parts.answers(desk) && !view.participants.some((p) => p.side === "desk" && p.microphone === "owner");
		const isMoving = ({ state }: TaskRow): boolean =>
			state === "TASK_STATE_WORKING" || (state === "TASK_STATE_SUBMITTED" && answers && conversation.endedAt === null);
		const moving = tasks.filter(({ task }) => isMoving(task)).map(({ task }) => task.uid);
		const silent = lines.at(-1)?.from !== "desk" && (last?.artifacts ?? "") === "";
		const resting = (): ThreadState => restingState(last?.state ?? "TASK_STATE_COMPLETED", silent);
		const state = conversation.endedAt !== null ? "ended" : moving.length > 0 ? "working" : resting();
		return {
			thread: { lines, earlier: more, state, seq: conversation.seq },
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
					for (const { event } of page) if (isRest(event) && event.taskId !== null) left.delete(event.taskId);
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
const nothing: Thread = { lines: [], earlier: false, state: "kept", seq: 0 };

function checkGuests(desk: Desk): void {
	if (!desk.settings.guests) throw new DeskError("forbidden", `${desk.face.name} takes no questions from visitors at the moment.`);
}

function lineOf(event: StoredEvent): ThreadLine {
	const { at, message } = loggedMessage(event);
	return { from: message.role === "ROLE_USER" ? "asker" : "desk", message, at };
}

const stateIn = (event: StoredEvent): TaskRow["state"] | undefined => stateOfStatus(event) as TaskRow["state"] | undefined;

/** Whether an event says that a task moves no more, for good or until its asker has said something. */
function isRest(event: StoredEvent): boolean {
	const state = stateIn(event);
	return event.kind === "bare" || (state !== undefined && (isTerminal(state) || isInterrupted(state)));
}

/** Where a conversation stands in which nothing moves. `silent`: nothing was answered to what was asked last. */
function restingState(last: TaskRow["state"], silent: boolean): ThreadState {
	switch (last) {
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
			return silent ? "silent" : "answered";
	}
}

/**
 * The same of a first question whose conversation somebody else went on with. What it waits for comes from them; and where one
 * answer was given to it and to what they asked, that answer stands in theirs.
 */
function othersState(ending: StoredEvent, lines: ThreadLine[]): ThreadState {
	const state = stateIn(ending) ?? "TASK_STATE_COMPLETED";
	if (isInterrupted(state)) return "elsewhere";
	const silent = !lines.some(({ from }) => from === "desk");
	const { metadata } = JSON.parse(ending.body) as { metadata?: { answeredIn?: string } };
	return silent && state === "TASK_STATE_COMPLETED" && metadata?.answeredIn !== undefined ? "elsewhere" : restingState(state, silent);
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
