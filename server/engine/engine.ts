/**
 * What the doors may ask of the engine, in one place. Everything that crosses here is already decoded and is not yet
 * encoded: no HTTP, no frames. Results that are A2A objects come as wire JSON text, so that what the log holds as text is
 * joined and never parsed and printed again (performance.md).
 */

import type { Message, TaskState } from "../../shared/a2a.schema.js";
import type { ContextState, DeskFace, Rating } from "../../shared/channel.js";
import type { Limits } from "../../shared/limits.js";
import type { Apps } from "./apps-ports.js";
import type { EmbedChange } from "./embeds-operations.js";
import type { Profile } from "./people-operations.js";
import type { PicturesDoor } from "./pictures.js";
import type { Clock, Hint, PictureHand, Provenance, Random, Store, StoredEvent } from "./ports.js";
import type { PresetsDoor } from "./presets.js";
import type { RatedAnswer } from "./ratings.js";
import type { EmbedRow, SiteRow } from "./reads.js";
import type { DeskRow, PrincipalRow } from "./rows.js";
import type { DeskSettings } from "./settings.js";
import type { NoRule, RuleOptions } from "./sites.js";

/** Wire JSON, ready to be sent. */
export type JsonText = string;

/** Who speaks, proved by a credential, and through which door. `principal: null`: nobody yet; the first send makes a guest. */
export interface Caller {
	principal: PrincipalRow | null;
	provenance: Provenance;
	/** URIs of the extensions this caller has turned on. */
	extensions: readonly string[];
}

/** A desk with its settings read. */
export interface Desk {
	row: DeskRow;
	settings: DeskSettings;
	face: DeskFace;
}

export interface SendOptions {
	/** Messages of history in the answer; undefined: all. */
	historyLength?: number;
	acceptedOutputModes?: string[];
}

/** A message taken in. It is on disk. */
export interface Sent {
	taskId: string;
	contextId: string;
	/** Where a reader goes on to hear of everything after the task's first event. */
	seq: number;
	/** The task as this send left it: wire JSON with `history` as asked. Empty where `message` is there. */
	task: JsonText;
	/** What this send sent before was answered with, where that was a message and no task. */
	message?: JsonText;
	state: TaskState;
	/** The same message had been taken in before. */
	attached: boolean;
	/** A guest made by this send; give it away once. */
	guestToken?: string;
	principal: PrincipalRow;
}

/** How a blocking send ended. */
export type Answered = { kind: "task"; json: JsonText; state: TaskState } | { kind: "message"; json: JsonText };

/** One event of a task's stream, as StreamResponse JSON. `last`: nothing follows. */
export interface TaskEvent {
	seq: number;
	json: JsonText;
	last: boolean;
}

export interface ListQuery {
	contextId?: string;
	state?: TaskState;
	statusTimestampAfter?: number;
	pageSize: number;
	pageToken?: string;
	historyLength?: number;
	includeArtifacts: boolean;
}

export interface Engine {
	readonly clock: Clock;

	/** The desk at a handle as it is now, or undefined. Cached until it changes; never changed in place. */
	desk(handle: string): Promise<Desk | undefined>;
	desks(): Promise<Desk[]>;

	/** Who holds a credential (`eolg_`, `eolc_`), for one desk; undefined for one that is not valid here (any more). */
	identify(credential: string, desk: Desk): Promise<PrincipalRow | undefined>;
	/** A new guest of a desk and its token. The same nonce gives the same guest within ten minutes. */
	welcomeGuest(desk: Desk, nonce: string): Promise<{ principal: PrincipalRow; token: string }>;
	tokenOf(guest: PrincipalRow): string;

	/** The only way a message enters (design.md, "A turn"). Resolves when it is on disk. Throws DeskError. */
	send(caller: Caller, desk: Desk, message: Message, options: SendOptions): Promise<Sent>;
	/** Waits until the task of a send has ended, needs its caller, or `waitMs` have gone by; a retry waits too. */
	answer(caller: Caller, desk: Desk, sent: Sent, options: SendOptions & { waitMs: number; signal?: AbortSignal }): Promise<Answered>;
	getTask(caller: Caller, desk: Desk, taskId: string, historyLength?: number): Promise<JsonText>;
	/** Wire JSON of ListTasksResponse. */
	listTasks(caller: Caller, desk: Desk, query: ListQuery): Promise<JsonText>;
	cancelTask(caller: Caller, desk: Desk, taskId: string): Promise<JsonText>;
	/**
	 * A task's stream: after a send (`sent`) or from now (`subscribe`). The first event is the task. Ends at a terminal
	 * state; after a send also at INPUT_REQUIRED. Leaving the loop detaches this reader and nothing else.
	 */
	followSent(caller: Caller, desk: Desk, sent: Sent, options: SendOptions & { signal: AbortSignal }): AsyncIterable<TaskEvent>;
	/** Throws before the first event where there is nothing to follow. */
	subscribe(caller: Caller, desk: Desk, taskId: string, options: { signal: AbortSignal }): Promise<AsyncIterable<TaskEvent>>;

	/** A conversation of the caller's with this desk; without `contextId` the newest. `messages`: how many of the last, a page of history unless given. Undefined: none, or not theirs. */
	openContext(caller: Caller, desk: Desk, contextId?: string, messages?: number): Promise<OpenContext | undefined>;
	/** Messages before a seq, as `LoggedMessage[]` JSON. Throws `context_not_found`. */
	history(caller: Caller, desk: Desk, contextId: string, before: number, limit: number): Promise<{ messages: JsonText; more: boolean }>;
	/** The log after a seq as LogEvent JSON texts, waiting up to `waitMs` for the first. Throws `context_not_found`. */
	events(
		caller: Caller,
		desk: Desk,
		query: { contextId: string; after: number; limit: number; waitMs: number; signal?: AbortSignal },
	): Promise<{ events: JsonText[]; seq: number }>;
	/** Reads the log of an open context from a seq on, page by page, then as it grows. See `Following`. */
	follow(conversationId: number, contextId: string, after: number, wake: () => void): Following;

	/** What the asker thinks of the answer at a seq. Throws `context_not_found`, `invalid_params`. */
	rate(caller: Caller, desk: Desk, contextId: string, seq: number, value: Rating | "none"): Promise<void>;
	ratings(caller: Caller, desk: Desk, contextId: string): Promise<{ seq: number; value: Rating }[]>;

	/** Signals that are not in the log. */
	typing(caller: Caller, desk: Desk, contextId: string): Promise<void>;
	seen(caller: Caller, desk: Desk, contextId: string, seq: number): Promise<void>;
	/** Called with every signal of a conversation (typing, seen) as LogEvent JSON. Returns what stops it. */
	onSignal(conversationId: number, listener: (json: JsonText) => void): () => void;
	/** Called when somebody may have been shut out, by this process or another: look again, and cut what they hold open. Returns what stops it. */
	onShutOut(listener: (who: ShutOut) => void): () => void;

	/** Called when a desk goes online or offline, whichever process had it do so. Returns what stops it. */
	onPresence(listener: (deskId: number, here: Pick<DeskFace, "online" | "opensAt">) => void): () => void;

	/** Sites and tickets of a desk's embed. */
	embed: EmbedDoor;
	/** Questions asked by an address alone, and their private links (LINK-3). */
	followUps: FollowUpDoor;
	/** What the agent may do in the embed, what waits for its owner, and apps (PRE-1 to 5). */
	presets: PresetsDoor;
	/** Pictures that visitors send. */
	pictures: PicturesDoor;
	/** Things only the owner (command line, later their pages) asks for. */
	owner: OwnerDoor;

	/** How busy it is: turns that run now, messages taken in since the start. */
	counts(): { turns: number; messages: number };

	/** Starts what must happen later: turns that wait, expiry, housekeeping. */
	start(): Promise<void>;
	/** No new turns; those that run have `graceMs` to end, then they are handed over. */
	stop(graceMs: number): Promise<void>;
}

/**
 * Whose being here is to be looked at again: a principal's; or of a desk those who came by sites, by one embed, its guests, or everybody but
 * the visitors of its chat; or anybody's. Who may stay, stays.
 */
export type ShutOut =
	| { principalId: number; deskId?: undefined; site?: undefined; embed?: undefined; everybody?: undefined; anybody?: undefined }
	| { principalId?: undefined; deskId: number; site?: string; embed?: number; everybody?: true; anybody?: undefined }
	| { principalId?: undefined; deskId?: undefined; site?: undefined; embed?: undefined; everybody?: undefined; anybody: true };

export interface OpenContext {
	conversationId: number;
	state: ContextState;
}

/**
 * A reader of one conversation's log. `next()` gives the next events as LogEvent JSON (the same text object for every
 * reader of the same event), in order and without a gap, or null when it holds everything: then `wake` is called once at
 * the next growth. `close()` detaches it.
 */
export interface Following {
	readonly seq: number;
	next(maxBytes: number): Promise<JsonText[] | null>;
	close(): void;
}

export interface EmbedDoor {
	/**
	 * Whether the chat may show on a site (its canonical origin; null: a page of our own, which needs no rule), and writes `recent` or
	 * `pending`, at most once a minute each. `embed`: the number of a numbered embed, as text; whatever is no number of one there
	 * is `no_such_embed`.
	 */
	ask(desk: Desk, site: string | null, embed?: string): Promise<SiteAnswer>;
	/** The same without writing anything. */
	check(desk: Desk, site: string | null, embed?: string): Promise<SiteAnswer>;
	/** Whether a rule, as an owner would type it, would cover a site (its canonical origin), or why it is none. No desk's list is looked at. */
	tryRule(rule: string, site: string): { rule: string; covers: boolean } | NoRule;
	/** A ticket for a framed document (`site`, and the number of its embed) or the chat page (no site). */
	issueTicket(desk: Desk, site: string | null, embed?: number): string;
	/** Reads a ticket: its provenance, or undefined where it is not ours, expired, or for another desk. */
	readTicket(desk: Desk, ticket: string): Provenance | undefined;
	/** Binds a ticket to the guest who shows it first. False: another guest holds it. */
	redeemTicket(desk: Desk, ticket: string, principal: PrincipalRow): Promise<boolean>;
}

/** `seen`: the seq of the thread that the asker had before them. Waits up to `waitMs` for what moves to come to rest. */
export interface FollowUpDoor {
	/** Asks as a new guest; the same words within a while are the same question. `key` is its private link's, given this once. Throws DeskError. */
	ask(desk: Desk, words: string, wait: { waitMs: number; signal?: AbortSignal }): Promise<{ key: string; thread: Thread }>;
	/** Asks more with a private link. Undefined: there is no such link (any more). Throws DeskError. */
	more(desk: Desk, key: string, words: string, wait: { seen?: number; waitMs: number; signal?: AbortSignal }): Promise<Thread | undefined>;
	/** What a private link reads. Undefined: there is no such link (any more). */
	read(desk: Desk, key: string, wait: { waitMs: number; signal?: AbortSignal }): Promise<Thread | undefined>;
	/** Ends a private link; one that is not there is ended already. */
	end(desk: Desk, key: string): Promise<void>;
}

export interface Thread {
	/** What was said, oldest first. */
	lines: ThreadLine[];
	/** More was said before that and is left out. */
	earlier: boolean;
	state: ThreadState;
	/** Where its log stands, as far as this link reads it. */
	seq: number;
}

export interface ThreadLine {
	from: "asker" | "desk";
	message: Message;
	/** When it was said, milliseconds since the epoch. */
	at: number;
}

/** `working`: an answer is on its way · `kept`: for the owner, since nobody is there who answers at once · `asks`: it is the asker's turn · `ended`: the desk has ended the conversation · `silent`: read, and nothing was said to it · `elsewhere`: somebody else took the conversation before this question had an answer of its own, or where it was asked something. */
export type ThreadState = "answered" | "asks" | "authorise" | "working" | "kept" | "failed" | "expired" | "ended" | "silent" | "elsewhere";

/** `embed`: the look of the embed that was named, as it was at that moment. */
export type SiteAnswer =
	| { show: true; embed?: EmbedRow }
	| { show: false; reason: "unlisted" | "blocked" | "guests_off" | "no_such_embed" };

export interface OwnerDoor {
	/** Makes an account with a desk. Throws `invalid_params` for a handle that is not one or is taken. */
	createOwner(input: {
		handle: string;
		name: string;
		ownerName?: string;
		about?: string;
		language?: "en" | "zh";
		suggestions?: string[];
	}): Promise<Desk>;
	/** Changes what people and cards read of a desk; what is not given stays. */
	changeProfile(handle: string, change: Partial<Profile>): Promise<Desk>;
	/** A sign-in link's secret, good once within ten minutes. */
	createSignIn(handle: string): Promise<string>;
	/** Exchanges it for a session's secret; undefined where it is not good (any more). */
	signIn(secret: string): Promise<string | undefined>;
	session(secret: string): Promise<PrincipalRow | undefined>;
	/** Ends a session; one that is not there (any more) is ended already. */
	signOut(secret: string): Promise<void>;
	createKey(handle: string, name: string): Promise<string>;
	keys(handle: string): Promise<{ uid: string; name: string; last4: string }[]>;
	revokeKey(handle: string, uid: string): Promise<void>;
	/** The desk whose owner a key speaks for, and the key as that owner knows it; undefined for a key that is not valid (any more), and for whatever is none. */
	deskByKey(key: string): Promise<{ desk: Desk; key: { uid: string; name: string; last4: string } } | undefined>;
	sites(handle: string): Promise<SiteRow[]>;
	/** Throws `invalid_params` naming what is wrong with the rule. */
	setSite(handle: string, rule: string, state: "allowed" | "blocked"): Promise<SiteRow>;
	removeSite(handle: string, rule: string): Promise<void>;
	/** Everything an owner wants to know before they allow or block. */
	siteList(handle: string): Promise<SiteList>;
	/** Several sites at once, all or none. Throws `invalid_params` naming what is wrong, `not_found` for what is to go and is not there. */
	changeSites(handle: string, change: SitesChange): Promise<SiteList>;
	/** Numbered embeds, oldest first (EMB-2). */
	embeds(handle: string): Promise<EmbedRow[]>;
	/** Makes one; with `number` changes that one. Throws as `decideSaveEmbed` does. */
	saveEmbed(handle: string, change: EmbedChange, number?: number): Promise<EmbedRow>;
	/** Sites that still carry the number stop showing the chat, and chats that are open there end. */
	deleteEmbed(handle: string, number: number): Promise<void>;
	/** Throws `invalid_params` for a path that is none and a text that is empty or too long. */
	putMemory(handle: string, path: string, text: string): Promise<void>;
	/** Throws `not_found` where there is no such file. */
	removeMemory(handle: string, path: string): Promise<void>;
	memory(handle: string): Promise<{ path: string; text: string }[]>;
	/** What askers thought of answers, the newest first. */
	ratings(handle: string): Promise<RatedAnswer[]>;
	gaps(handle: string): Promise<{ id: number; question: string; at: number }[]>;
	settings(handle: string): Promise<DeskSettings>;
	changeSettings(handle: string, change: Partial<DeskSettings>): Promise<Desk>;
	/** Takes the microphone of one conversation: the running turn is fenced, no turn starts until `handBack`. */
	takeMicrophone(handle: string, contextId: string): Promise<void>;
	handBack(handle: string, contextId: string): Promise<void>;
	revokeGuest(handle: string, principalUid: string): Promise<void>;
}

/** Where the chat may show, where it has, and who waits (SITE-1 to 3). Times are milliseconds. */
export interface SiteList {
	/** "Allow on any website". */
	anySite: boolean;
	/** Allowed, blocked and waiting, in the order in which they came. */
	rules: ListedSite[];
	/** Where it has shown lately, newest first. */
	recent: { site: string; seenAt: number }[];
	/** How often sites asked that no longer fit among those that wait, since the list was last changed. */
	more: number;
}

export interface ListedSite extends SiteRow {
	/** Allowed, and nobody has seen the chat there for LIMITS.siteSilentMs: its domain may be somebody else's by now. */
	silent: boolean;
	/** That its name may be taken for another's. */
	warning?: string;
}

/** Sites as an owner types them. What is not given stays. */
export interface SitesChange {
	anySite?: boolean;
	/** The whole list of those allowed. */
	sites?: string[];
	allow?: string[];
	block?: string[];
	unblock?: string[];
	/** Off the list, whatever they say there. */
	remove?: string[];
}

/** What the engine is built from. */
export interface EngineParts {
	store: Store;
	answerers: import("./ports.js").Answerer[];
	/** Absent: no pictures are taken. */
	pictures?: PictureHand;
	clock: Clock;
	random: Random;
	log: (level: "info" | "warn" | "error", fields: Record<string, unknown>, text: string) => void;
	sites: RuleOptions;
	/** Name in the line under the chat's box. */
	brand: string;
	limits: Limits;
	/** The hand that reaches apps; absent: none can be connected. */
	apps?: Apps;
}

export type { Hint, StoredEvent };
