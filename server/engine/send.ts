/**
 * Taking a message in: the rules, judged inside the transaction that writes it. Whatever the door, a message that got here
 * either joins a task, starts one, is found to have been sent before, or is refused with nothing written.
 */
import type { Message, TaskState } from "../../shared/a2a.schema.js";
import { DeskError } from "../../shared/errors.js";
import type { Limits } from "../../shared/limits.js";
import { isTerminal } from "../../shared/task-states.js";
import { type ConversationChange, type ConversationRows, type KeyScope, LogDraft, moveTask, noChange, statusJson } from "./changes.js";
import { picturesOf } from "./pictures-operations.js";
import type { Provenance, StoredEvent } from "./ports.js";
import { pinOf } from "./presets-operations.js";
import { isPerson } from "./provenance.js";
import type { ConversationRow, PrincipalRow, TaskRow, TurnRow } from "./rows.js";
import { settingsOf } from "./settings.js";
import { endedNote, withMetadata } from "./turn-endings.js";
import { type Covered, coveredBy } from "./turn-operations.js";

/** A turn that the sender would run at once; the ids are made before, so that its answer can be queued behind the send. */
export interface ClaimOffer {
	claim: string;
	leaseUntil: number;
}

export interface SendInput {
	deskId: number;
	/** Who sends; null with `newGuest`. */
	callerId: number | null;
	newGuest?: { uid: string };
	guest: boolean;
	/** As it came, but for `contextId`, `taskId`, which stand below. */
	message: Message;
	/** Canonical hash of the message (retry keys). */
	hash: string;
	/** What its retry key is scoped to, by `keyScope`; null: nothing there is yet. */
	scope: KeyScope | null;
	taskUid?: string;
	contextUid?: string;
	/** Ids for what this send may make. */
	ids: { task: string; context: string; turn: string };
	provenance: Provenance;
	/** Absent: nobody is there to answer now. */
	claim?: ClaimOffer;
	/** Those of `limits.ts`, or what the operator made of them. */
	limits: Pick<Limits, "turnsPerGuest" | "turnsPerEmbed" | "turnsPerDesk">;
	now: number;
}

export interface SendRows extends ConversationRows {
	/** Empty where the send can begin no turn: the desk does not speak, answers already, or nobody is there. */
	openTasks: TaskRow[];
	caller?: PrincipalRow;
	/** The task that the message names, if it is the caller's here. */
	named?: TaskRow;
	/** The same key sent before, and the seq of its message. */
	retry?: { hash: string; task: TaskRow; seq: number };
	/** Open turns of this guest elsewhere, of this place, of all guests of this desk. */
	openTurns: { guest: number; place: number; desk: number };
}

export interface SendAnswer {
	attached: boolean;
	taskUid: string;
	contextUid: string;
	state: TaskState;
	/** JSON: TaskStatus. */
	status: string;
	/** The whole task was made by this send. */
	fresh: boolean;
	/** The turn that now runs under the claim offered. */
	turn?: { uid: string; claim: string; throughSeq: number; covered: Covered[] };
	/** seq after which the task's stream goes on. */
	seq: number;
	events: StoredEvent[];
	conversationId: number;
	/** The message as the log holds it: with the ids of its task and context. */
	messageJson: string;
}

/** The scope of a retry key, known before anything is loaded (requirements.md A2A-14; a2a.md, section before 0). */
export function keyScope(
	input: { callerId: number | null; taskUid?: string; contextUid?: string },
	retryScope: "desk" | "context",
): KeyScope | null {
	// An anonymous first send has nobody to scope a key to: its retry is a new guest.
	if (input.callerId === null) return null;
	if (input.taskUid !== undefined) return "task";
	if (retryScope === "desk") return "desk";
	return input.contextUid === undefined ? null : "conversation";
}

/** Throws DeskError for everything the protocol refuses. */
export function decideSend(rows: SendRows, input: SendInput): { plan: ConversationChange | null; answer: SendAnswer } {
	const settings = settingsOf(rows.desk.settings);
	if (rows.retry) return { plan: null, answer: attach(rows.retry, input.hash) };
	checkNames(rows, input);
	const known = rows.conversation;
	const isNew = known === undefined;
	const conversation: ConversationRow = known ?? newConversation(input);
	const change = noChange(conversation, input.now);
	if (isNew) {
		change.newConversation = {
			uid: conversation.uid,
			channel: input.provenance.channel,
			site: input.provenance.site ?? null,
			embed: input.provenance.embed ?? null,
			askerId: input.callerId ?? undefined,
			ownerId: rows.desk.ownerId,
		};
	}
	if (input.newGuest) {
		change.newPrincipal = {
			uid: input.newGuest.uid,
			kind: "guest",
			deskId: input.deskId,
			generation: 1,
			name: "",
			seenAt: input.now,
			createdAt: input.now,
		};
	}

	const log = new LogDraft(conversation.uid, conversation.seq, input.now);
	const taskUid = rows.named?.uid ?? input.ids.task;
	const messageJson = JSON.stringify({ ...input.message, contextId: conversation.uid, taskId: taskUid });
	const askedSeq = log.add("message", taskUid, messageJson);

	const turn = planTurn(rows, input, conversation, askedSeq, change);
	const waited = rows.turns.find(({ uid }) => uid === turn?.uid);
	if (turn) change.pin = pinOf(rows.desk, conversation.channel, { uid: turn.uid, epoch: waited?.epoch ?? 0 });
	if (conversation.channel !== input.provenance.channel) change.elsewhere = true;
	const pictures = picturesOf(input.message);
	if (pictures.length > 0 && input.callerId !== null) change.pictures = { uids: pictures, principalId: input.callerId };
	// After the do-not-disturb sign a message is kept, wakes nobody and is done with at once (DESK-4).
	const ended = conversation.endedAt !== null;
	const note = (task: Pick<TaskRow, "uid" | "contextId">) =>
		endedNote(task, isPerson(input.provenance.channel) ? rows.desk.language : "en", rows.desk.ownerName);
	const given = input.message.metadata ? JSON.stringify(input.message.metadata) : "";
	let state: TaskState;
	let status: string;
	if (rows.named) {
		const { state: before } = rows.named;
		const waits = before === "TASK_STATE_WORKING" || before === "TASK_STATE_SUBMITTED";
		let task: TaskRow = { ...rows.named, askedSeq, askedFrom: waits ? rows.named.askedFrom : askedSeq };
		// An answer to what was asked: back to work (A2A-8), whether or not somebody is there to do it this moment.
		if (ended)
			task = { ...moveTask(task, "TASK_STATE_COMPLETED", log, note(task)), metadata: withMetadata(task.metadata, note(task).metadata) };
		else if (task.state !== "TASK_STATE_WORKING" && (turn || task.state !== "TASK_STATE_SUBMITTED"))
			task = moveTask(task, "TASK_STATE_WORKING", log);
		change.tasks.push(task);
		state = task.state;
		status = task.status;
	} else {
		state = "TASK_STATE_SUBMITTED";
		status = statusJson(state, input.now);
		const firstSeq = askedSeq;
		// Its metadata is the message's, which the log has just been given.
		let lastSeq = log.add("task", taskUid, `{"id":"${taskUid}","contextId":"${conversation.uid}","status":${status}}`);
		let statusAt = input.now;
		let stored: TaskState = state;
		let storedStatus = status;
		if (turn || ended) {
			const made = { ...blankTask(taskUid, conversation.uid), statusAt };
			const moved = ended ? moveTask(made, "TASK_STATE_COMPLETED", log, note(made)) : moveTask(made, "TASK_STATE_WORKING", log);
			stored = moved.state;
			storedStatus = moved.status;
			statusAt = moved.statusAt;
			lastSeq = moved.lastSeq;
		}
		change.newTasks.push({
			uid: taskUid,
			callerId: input.callerId ?? undefined,
			contextId: conversation.uid,
			state: stored,
			status: storedStatus,
			statusAt,
			artifacts: "",
			metadata: ended ? withMetadata(given, note({ uid: taskUid, contextId: conversation.uid }).metadata) : given,
			firstSeq,
			lastSeq,
			askedSeq,
			askedFrom: askedSeq,
			hidden: 0,
		});
	}
	// A turn that had waited for somebody to answer covers what had waited with it.
	for (const task of turn ? rows.openTasks : []) {
		if (task.state === "TASK_STATE_SUBMITTED" && task.uid !== taskUid) change.tasks.push(moveTask(task, "TASK_STATE_WORKING", log));
	}
	// Without a scope yet, the key belongs to the conversation that this send makes.
	const kept: KeyScope = input.scope ?? (settings.retryScope === "desk" ? "desk" : "conversation");
	change.keys.push({
		callerId: input.callerId ?? undefined,
		scope: kept,
		scopeId: kept === "task" ? rows.named?.id : kept === "desk" ? input.deskId : known?.id,
		messageId: input.message.messageId,
		hash: input.hash,
		taskUid,
		seq: askedSeq,
	});
	change.conversation.seq = log.seq;
	change.events = log.events;
	const seq = rows.named ? log.seq : askedSeq + 1;
	const answer: SendAnswer = {
		attached: false,
		taskUid,
		contextUid: conversation.uid,
		state,
		status,
		fresh: !rows.named,
		turn,
		seq,
		events: log.events,
		messageJson,
		conversationId: conversation.id,
	};
	change.made = answer;
	return { plan: change, answer };
}

function attach(retry: { hash: string; task: TaskRow; seq: number }, hash: string): SendAnswer {
	if (retry.hash !== hash) {
		throw new DeskError(
			"idempotency_conflict",
			"This messageId was already used for a message with other content. Give each new message its own messageId.",
		);
	}
	const { task } = retry;
	return {
		attached: true,
		taskUid: task.uid,
		contextUid: task.contextId,
		state: task.state,
		status: task.status,
		fresh: false,
		seq: retry.seq,
		events: [],
		conversationId: task.conversationId,
		messageJson: "",
	};
}

function checkNames(rows: SendRows, input: SendInput): void {
	if (input.taskUid !== undefined) {
		if (!rows.named || !rows.conversation) throw new DeskError("task_not_found", "Task not found.");
		if (input.contextUid !== undefined && input.contextUid !== rows.named.contextId) {
			throw new DeskError("invalid_params", "The task belongs to another context. Leave contextId out, or give the task's own.", {
				violations: [{ field: "message.contextId", description: "Not the context of message.taskId." }],
			});
		}
		if (isTerminal(rows.named.state)) {
			throw new DeskError(
				"unsupported_operation",
				"This task has ended and takes no more messages. Send a new message with the same contextId and no taskId.",
			);
		}
	} else if (input.contextUid !== undefined && !rows.conversation && !settingsOf(rows.desk.settings).clientContexts) {
		throw new DeskError("context_not_found", "There is no such conversation of yours with this desk. Leave contextId out to start one.");
	}
}

const blankTask = (uid: string, contextId: string): TaskRow => ({
	id: 0,
	uid,
	deskId: 0,
	callerId: 0,
	conversationId: 0,
	contextId,
	state: "TASK_STATE_SUBMITTED",
	status: "",
	statusAt: 0,
	artifacts: "",
	metadata: "",
	firstSeq: 0,
	lastSeq: 0,
	askedSeq: 0,
	askedFrom: 0,
	hidden: 0,
});

const newConversation = (input: SendInput): ConversationRow => ({
	id: 0,
	uid: input.contextUid ?? input.ids.context,
	deskId: input.deskId,
	seq: 0,
	epoch: 0,
	endedAt: null,
	channel: input.provenance.channel,
	site: input.provenance.site ?? null,
	embed: input.provenance.embed ?? null,
	changedAt: input.now,
	createdAt: input.now,
});

/**
 * Gives the message its turn: one that runs at once under the claim offered, or the one that waits. One runs at a time a
 * conversation; what arrives meanwhile is answered by the next (DESK-3). Nothing is queued while the owner speaks.
 */
function planTurn(
	rows: SendRows,
	input: SendInput,
	conversation: ConversationRow,
	askedSeq: number,
	change: ConversationChange,
): SendAnswer["turn"] {
	const desk = rows.participants.find((p) => p.side === "desk");
	if (desk?.microphone === "owner" || conversation.endedAt !== null) return undefined;
	const running = rows.turns.some((t) => t.state === "running");
	const queued = rows.turns.find((t) => t.state === "queued");
	if (running && queued) return undefined;
	const claimable = !running && input.claim !== undefined;
	const waiting = coveredBy({ throughSeq: askedSeq }, rows.openTasks).map(({ uid, askedFrom }): Covered => ({ uid, askedFrom }));
	const own = rows.named?.uid ?? input.ids.task;
	const covered = waiting.some((t) => t.uid === own) ? waiting : [...waiting, { uid: own, askedFrom: askedSeq }];
	const epoch = conversation.epoch + 1;
	if (queued) {
		// One that was handed over in the middle of an answer is left to `claimTurn`, which marks what had been said (G-08).
		if (!claimable || !input.claim || queued.wrote === 1) return undefined;
		change.conversation.epoch = epoch;
		const claimed: TurnRow = { ...queued, state: "running", epoch, attempts: queued.attempts + 1, throughSeq: askedSeq, ...input.claim };
		change.turns.push(claimed);
		return { uid: queued.uid, claim: claimed.claim, throughSeq: askedSeq, covered };
	}
	// Where nobody is there to answer, what waits is kept for the owner and holds nobody up (RUN-6).
	if (input.guest && claimable) checkOpenTurns(rows.openTurns, input.limits);
	const place = input.provenance.embed ?? input.provenance.site ?? null;
	const base = {
		uid: input.ids.turn,
		queuedAt: input.now,
		wrote: 0,
		askerId: input.callerId ?? undefined,
		guest: input.guest ? 1 : 0,
		place,
	};
	if (!claimable || !input.claim) {
		change.newTurn = { ...base, state: "queued", epoch: 0, claim: "", leaseUntil: 0, attempts: 0, throughSeq: 0 };
		return undefined;
	}
	change.conversation.epoch = epoch;
	change.newTurn = { ...base, state: "running", epoch, attempts: 1, throughSeq: askedSeq, ...input.claim };
	return { uid: input.ids.turn, claim: input.claim.claim, throughSeq: askedSeq, covered };
}

function checkOpenTurns(open: SendRows["openTurns"], limits: SendInput["limits"]): void {
	if (open.guest >= limits.turnsPerGuest || open.place >= limits.turnsPerEmbed || open.desk >= limits.turnsPerDesk) {
		throw new DeskError("rate_limited", "Too many questions are being answered at once. Wait for an answer, then send this again.", {
			retryAfterSeconds: 5,
		});
	}
}
