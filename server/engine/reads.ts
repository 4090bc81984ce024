/** What can be read of the store. Types only; `store/reads` is the one text of it for both databases. Everything that a caller may see is asked with the caller in the question: not yours and not there are the same undefined. */
import type { TaskState } from "../../shared/a2a.schema.js";
import type { MemoryFile, StoredEvent } from "./ports.js";
import type { ConversationRow, DeskRow, ParticipantRow, PrincipalRow, TaskRow } from "./rows.js";

/** A task with what its wire form needs, read at one point of the log. */
export interface TaskView {
	task: TaskRow;
	/** seq of the conversation when this was read: a reader goes on from here. */
	seq: number;
	/** Wire JSON of its messages, oldest first; only as many as were asked for. */
	history: string[];
	/** Its artifact updates so far (TaskArtifactUpdateEvent JSON), while it has not ended. */
	pieces: string[];
}

export interface TaskPageQuery {
	callerId: number;
	deskId: number;
	contextId?: string;
	state?: TaskState;
	/** Milliseconds, inclusive. */
	changedSince?: number;
	/** Position of the last task of the page before: tasks strictly after it, in the order statusAt desc, id desc. */
	after?: { statusAt: number; id: number };
	limit: number;
	/** Messages of history wanted a task; 0 for none. */
	historyLength: number;
	artifacts: boolean;
}

export interface TaskPage {
	tasks: TaskView[];
	/** All that match, before paging. */
	total: number;
	more: boolean;
}

/** A conversation as one of its sides sees it, read at one point of the log. */
export interface ConversationView {
	conversation: ConversationRow;
	participants: ParticipantRow[];
	/** The last messages, oldest first. */
	messages: StoredEvent[];
	more: boolean;
	/** Not ended, with their pieces, without history. */
	openTasks: TaskView[];
}

export interface SiteRow {
	rule: string;
	state: "allowed" | "blocked" | "pending";
	/** How often it has asked, while pending. */
	asked: number;
	seenAt: number;
	createdAt: number;
}

export interface GapRow {
	id: number;
	question: string;
	at: number;
}

export interface KeyRow {
	uid: string;
	name: string;
	last4: string;
	createdAt: number;
	revokedAt: number | null;
}

/** A turn that may be claimed. `attempts`: how often it was begun. */
export interface DueTurn {
	id: number;
	uid: string;
	deskId: number;
	conversationId: number;
	attempts: number;
}

/** What a claimed turn is told: read after its claim. */
export interface TurnView {
	/** Oldest first. `body`: wire JSON of the message. */
	messages: { seq: number; body: string; from: "visitor" | "desk" | "owner" }[];
	asker: PrincipalRow;
	conversation: ConversationRow;
}

export interface Reads {
	ready(): Promise<boolean>;
	/** A secret of the whole installation, the same on every node (tickets, guest tokens). */
	secret(name: string): Promise<string | undefined>;
	deskByHandle(handle: string): Promise<DeskRow | undefined>;
	deskById(id: number): Promise<DeskRow | undefined>;
	desks(): Promise<DeskRow[]>;
	principal(uid: string): Promise<PrincipalRow | undefined>;
	/** The account behind a key that is not revoked. `hash` is hex SHA-256 of the whole key. */
	accountByKey(hash: string): Promise<PrincipalRow | undefined>;
	accountBySession(hash: string, now: number): Promise<PrincipalRow | undefined>;
	keys(principalId: number): Promise<KeyRow[]>;
	task(callerId: number, deskId: number, uid: string, historyLength: number): Promise<TaskView | undefined>;
	tasks(query: TaskPageQuery): Promise<TaskPage>;
	/** By its public id, or without one the caller's newest with this desk. `messages`: how many of the last. */
	conversation(principalId: number, deskId: number, uid: string | null, messages: number): Promise<ConversationView | undefined>;
	/** Messages before a seq, oldest first. */
	messages(conversationId: number, before: number, limit: number): Promise<{ events: StoredEvent[]; more: boolean }>;
	/** The log after a seq: at most `limit` events and, past the first, `maxBytes` of bodies. */
	events(conversationId: number, after: number, limit: number, maxBytes: number): Promise<StoredEvent[]>;
	/** Messages of a turn: from the first that it answers to the last, and so many before. */
	turn(conversationId: number, from: number, throughSeq: number, before: number): Promise<TurnView>;
	/** Turns that nobody holds, oldest first, those with a greater id than `after`. */
	dueTurns(now: number, limit: number, after?: number): Promise<DueTurn[]>;
	/** Interrupted tasks idle since before `changedBefore`. */
	idleTasks(changedBefore: number, limit: number): Promise<string[]>;
	memory(deskId: number): Promise<MemoryFile[]>;
	gaps(deskId: number, limit: number): Promise<GapRow[]>;
	sites(deskId: number): Promise<SiteRow[]>;
	recentSites(deskId: number): Promise<{ site: string; seenAt: number }[]>;
}
