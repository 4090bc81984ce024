/** What can be read of the store. Types only; `store/reads` is the one text of it for both databases. Everything that a caller may see is asked with the caller in the question: not yours and not there are the same undefined. */
import type { TaskState } from "../../shared/a2a.schema.js";
import type { Rating } from "../../shared/channel.js";
import type { Mode, Theme } from "../../shared/embed.js";
import type { App, AppKind } from "./apps-ports.js";
import type { KeepPictureRows, ListedPicture, PictureRow } from "./pictures-operations.js";
import type { MemoryFile, StoredEvent } from "./ports.js";
import type { RatedRow } from "./ratings-operations.js";
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

/** A numbered embed that is not deleted (EMB-2). */
export interface EmbedRow {
	/** Counts up a desk, never given twice. */
	number: number;
	/** Fixed once made. */
	mode: Mode;
	/** What its owner calls it; may be empty. */
	name: string;
	theme: Theme;
	/** `#rgb` or `#rrggbb`; null: the chat's own. */
	accent: string | null;
	/** 1: the agent greets. */
	greeting: number;
	/** Its owner's own words; empty: the usual ones. */
	greetingText: string;
	createdAt: number;
	changedAt: number;
}

/** Askings by sites that did not fit in the list of those that wait, since the list was last changed. */
export interface OverflowRow {
	asked: number;
	seenAt: number;
}

/** A private link of an answer (LINK-3). */
export interface FollowUpView {
	/** The guest whose first question it reads. */
	first: PrincipalRow;
	/** The guest that it asks more as; undefined: it has not asked more yet. */
	speaker: PrincipalRow | undefined;
	/** Nobody has gone on with the first guest's conversation. */
	free: boolean;
}

/** A widening that waits for its owner, or what became of it (PRE-3). */
export interface ApprovalRow {
	id: number;
	uid: string;
	/** `webSearch`, or an app: one is open a part. */
	part: string;
	/** JSON: Widening. */
	widening: string;
	/** The preset's version that it was asked of, and its owner shown: it never changes. */
	presetVersion: number;
	state: "open" | "approved" | "denied" | "expired" | "void";
	reason: string;
	createdAt: number;
	expiresAt: number;
	decidedAt: number | null;
}

/** An app that is connected, without what is secret of it. */
export interface ConnectionRow {
	app: App;
	uid: string;
	kind: AppKind;
	label: string;
	most: "busy" | "read";
	connectedAt: number;
}

/** Something that a turn did outside. `begun`: under way, or cut off by a crash so that nobody knows what came of it. */
export interface AppCallRow {
	uid: string;
	tool: string;
	/** JSON: Call. */
	call: string;
	state: "begun" | "done" | "failed" | "withheld";
	at: number;
}

/** `what`: JSON of a Notice. */
export interface NoticeRow {
	id: number;
	what: string;
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
	/** The key itself and the desk of its account. */
	deskByKey(hash: string): Promise<{ handle: string; uid: string; name: string; last4: string } | undefined>;
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
	/** Notices from a number on, that one among them where it is still kept. */
	notices(from: number, limit: number): Promise<NoticeRow[]>;
	/** The number of the last; 0 before there was one. */
	lastNotice(): Promise<number>;
	memory(deskId: number): Promise<MemoryFile[]>;
	gaps(deskId: number, limit: number): Promise<GapRow[]>;
	/** Those that are open, then the last of the others; each newest first. */
	approvals(deskId: number, limit: number): Promise<ApprovalRow[]>;
	connections(deskId: number): Promise<ConnectionRow[]>;
	calls(deskId: number, limit: number): Promise<AppCallRow[]>;
	sites(deskId: number): Promise<SiteRow[]>;
	recentSites(deskId: number): Promise<{ site: string; seenAt: number }[]>;
	/** By the hash of its key; undefined: ended, run out, another desk's, or never made. */
	followUp(hash: string, deskId: number, now: number): Promise<FollowUpView | undefined>;
	/** One that may be shown. */
	picture(uid: string): Promise<PictureRow | undefined>;
	/** What is looked at before another is taken. */
	pictureRoom(deskId: number, principalId: number, since: number): Promise<KeepPictureRows>;
	/** Those of a desk that have not gone, the newest first. */
	deskPictures(deskId: number, limit: number): Promise<ListedPicture[]>;
	ratings(conversationId: number): Promise<{ seq: number; value: Rating }[]>;
	ratedAnswers(deskId: number, limit: number): Promise<RatedRow[]>;
	siteOverflow(deskId: number): Promise<OverflowRow | undefined>;
	embeds(deskId: number): Promise<EmbedRow[]>;
	/** Undefined: never made, or deleted. */
	embed(deskId: number, number: number): Promise<EmbedRow | undefined>;
}
