/**
 * Frames of the WebSocket binding (docs/bindings/websocket.md) and their codec. Pure: no socket, no clock. The server's
 * `a2a/websocket.ts` and the chat's `connection.ts` are its two users; a frame is JSON-RPC 2.0 in one text message.
 */
import type { Artifact, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "./a2a.schema.js";
import { EXTENSIONS } from "./extensions.js";

/** The version of this binding that `Hello` names. */
export const CHANNEL_VERSION = "1.0";

/** Close codes of the binding. 1000 and 1001 are the protocol's own. */
export const CLOSE = {
	/** Too many frames, sockets or requests: come back later. */
	limits: 1008,
	/** A frame over the size limit. */
	size: 1009,
	/** The server is restarting: reconnect after a short random wait. */
	restarting: 1012,
	/** The server is busy: reconnect later. */
	busy: 1013,
	/** No Hello in time, or a credential that is not valid. */
	credential: 4401,
	/** This caller may not speak to this desk (or no longer). */
	forbidden: 4403,
} as const;

/** What the methods under `chat/v1` are called. */
export const CHAT_METHODS = {
	/** `{contextId}`: the visitor is typing. At most one every 3 s is worth sending. No result worth reading. */
	typing: `${EXTENSIONS.chat}/Typing`,
	/** `{contextId, seq}`: the visitor has seen everything up to `seq`. */
	seen: `${EXTENSIONS.chat}/Seen`,
	/** `{contextId, seq, value}`: what the visitor thinks of the answer at `seq`: `up`, `down` or `none`. */
	rate: `${EXTENSIONS.chat}/Rate`,
	/** `{contextId}`: a `RatingsResult`. */
	ratings: `${EXTENSIONS.chat}/Ratings`,
} as const;

export interface FollowFrom {
	contextId: string;
	/** The last `seq` already held; 0 for everything. */
	after: number;
}

export interface HelloParams {
	version: string;
	/** 16 to 128 characters, made once a visit: the same nonce gets the same guest when an answer was lost. */
	nonce: string;
	/** `eolg_…` or `eolc_…`. */
	credential?: string;
	/** The ticket of an embed or chat page. With one, the socket speaks for a person. */
	ticket?: string;
	/** URIs of extensions to turn on. */
	extensions?: string[];
	/** Contexts to go on with. Absent and without `new`: the newest one is opened. */
	follow?: FollowFrom[];
	/** Open no context: the next send makes one. */
	new?: true;
}

/** What a visitor sees of a desk. */
export interface DeskFace {
	handle: string;
	name: string;
	about?: string;
	/** URL path of the picture, of our own origin. */
	face: string;
	online: boolean;
	/** While it is away by its hours: when they begin again, milliseconds since the epoch. */
	opensAt?: number;
	/** It takes pictures: upload them to `/@<handle>/files` and name their addresses. */
	pictures?: true;
	suggestions: string[];
	/** Where the desk waits for its owner: never more than a name. */
	ownerName: string;
	/** Small line under the box. */
	brand: string;
}

/** A message as the log holds it. `at` is milliseconds since the epoch, by the server's clock. */
export interface LoggedMessage {
	seq: number;
	at: number;
	message: Message;
}

export type Microphone = "desk" | "owner";

/** A conversation at one `seq`: what the log up to there comes to, as far as the chat needs it. */
export interface ContextState {
	contextId: string;
	seq: number;
	/** The last `LIMITS.historyPage` messages, oldest first. */
	messages: LoggedMessage[];
	/** Older ones exist: ask `History`. */
	more: boolean;
	/** Tasks that are not ended, without history; in its artifacts a WORKING one bears what its running answer has said so far. */
	tasks: Task[];
	microphone: Microphone;
	/** The highest seq each side has seen. */
	read: { asker: number; desk: number };
	ended?: { by: string; at: number };
}

export interface HelloResult {
	you: { id: string; kind: "guest" | "account" };
	/** A token made or made anew by this Hello. Keep it; it is not shown again. */
	guestToken?: string;
	/** The credential given was not known any more: this is a new guest. */
	renewed?: true;
	desk: DeskFace;
	/** Absent where there is none, or `new` was asked. With `follow`, only for what could not be resumed by events. */
	context?: ContextState;
	/** Highest seq of each followed context; events up to it come right after this answer. */
	following: FollowFrom[];
	extensions: string[];
}

/** `Follow`: with `after` the events after it, without it the state of the context and the events after that. Anew: from there again. */
export interface FollowParams {
	contextId: string;
	after?: number;
}
/** As in `HelloResult`. */
export interface FollowResult {
	context?: ContextState;
	following: FollowFrom[];
}
/** `Unfollow`: no more events of it. */
export interface UnfollowParams {
	contextId: string;
}

export interface HistoryParams {
	contextId: string;
	/** Messages with a smaller seq. */
	before: number;
	limit?: number;
}
export interface HistoryResult {
	messages: LoggedMessage[];
	more: boolean;
}

/** What a visitor thought of an answer. */
export type Rating = "up" | "down";

/** What the asker thought of the answers of one conversation; those of which they said nothing are left out. */
export interface RatingsResult {
	ratings: { seq: number; value: Rating }[];
}

/** `Events`: the log by polling, the same as over HTTP. Waits up to `waitMs` (at most 55,000) for the first new event. */
export interface EventsParams {
	contextId: string;
	after: number;
	limit?: number;
	waitMs?: number;
}
export interface EventsResult {
	events: LogEvent[];
	seq: number;
	/** Numbers that are gone for good; read `context` anew. */
	gap?: { from: number; to: number };
}

/** What a chat/v1 event says. With a `seq` it stands in the log; without, it is of the moment only. */
export type ChatSignal =
	| { kind: "typing"; side: "asker" | "desk" }
	| { kind: "presence"; online: boolean; opensAt?: number }
	| { kind: "seen"; side: "asker" | "desk"; seq: number }
	| { kind: "microphone"; microphone: Microphone; name?: string };

/** One event of a followed context: exactly one of the members after `at`. A2A's own are StreamResponse's. */
export interface LogEvent {
	contextId: string;
	/** Gapless within the context; absent for typing, presence and seen. */
	seq?: number;
	/** This event stands for all numbers from here to `seq` (old pieces of an answer, folded into the whole one). Absent: for `seq` alone. */
	from?: number;
	/** Milliseconds since the epoch. */
	at?: number;
	message?: Message;
	task?: Task;
	statusUpdate?: TaskStatusUpdateEvent;
	artifactUpdate?: TaskArtifactUpdateEvent;
	signal?: ChatSignal;
	ended?: { by: string };
}

/** Every 20 s of silence: where the log of each followed context stands. A client whose own hash differs reads it anew. */
export interface Tick {
	contexts: { contextId: string; seq: number; hash: string }[];
}

export interface Gap {
	contextId: string;
	from: number;
	to: number;
	state: ContextState;
}

export interface RpcError {
	code: number;
	message: string;
	data?: unknown[];
}

export type ClientFrame = { jsonrpc: "2.0"; id: number | string; method: string; params?: unknown };
export type ServerFrame =
	| { jsonrpc: "2.0"; id: number | string | null; result: unknown }
	| { jsonrpc: "2.0"; id: number | string | null; error: RpcError }
	| { jsonrpc: "2.0"; method: "event"; params: LogEvent }
	| { jsonrpc: "2.0"; method: "tick"; params: Tick }
	| { jsonrpc: "2.0"; method: "gap"; params: Gap }
	| { jsonrpc: "2.0"; method: "bye"; params: { retryAfterMs: number } };

export const encodeCall = (id: number | string, method: string, params?: unknown): string =>
	JSON.stringify({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });

/** Reads a frame of the server's. Null for what is not one: a client drops it. */
export function decodeServerFrame(text: string): ServerFrame | null {
	let frame: unknown;
	try {
		frame = JSON.parse(text);
	} catch {
		return null;
	}
	if (typeof frame !== "object" || frame === null) return null;
	const f = frame as Record<string, unknown>;
	if (f.jsonrpc !== "2.0") return null;
	if (typeof f.method === "string") return typeof f.params === "object" && f.params !== null ? (frame as ServerFrame) : null;
	return "id" in f && ("result" in f || "error" in f) ? (frame as ServerFrame) : null;
}

/**
 * Eight hex digits over what a chat must agree on with the server: the seq, the last message, the open tasks and their
 * states, who has the microphone. Both sides compute it from their own state (reliability.md G-13).
 */
export function stateHash(state: {
	seq: number;
	lastMessage?: { seq: number; messageId: string };
	openTasks: { id: string; state: string }[];
	microphone: Microphone;
}): string {
	const tasks = state.openTasks.map((t) => `${t.id}=${t.state}`).sort();
	const last = state.lastMessage ? `${state.lastMessage.seq}:${state.lastMessage.messageId}` : "";
	const text = `${state.seq}|${last}|${tasks.join(",")}|${state.microphone}`;
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) {
		hash ^= text.charCodeAt(i);
		hash = Math.imul(hash, 0x01000193);
	}
	return (hash >>> 0).toString(16).padStart(8, "0");
}

/** The words of an artifact's or message's parts, joined. */
export const textOf = (holder: Pick<Message, "parts"> | Pick<Artifact, "parts">): string => holder.parts.map((p) => p.text ?? "").join("");
