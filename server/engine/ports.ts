/**
 * What the engine needs from outside: a store, answerers, a clock, randomness. Types only. A hand implements one of
 * these; `open.ts` chooses them and `app.ts` puts them together. The rows and operations of conversations stand in `rows.ts` and `operations.ts`.
 */
import type { Message, Part } from "../../shared/a2a.schema.js";
import type { AppAccess } from "../../shared/presets.js";
import type { Use } from "./apps-ports.js";
import type { Notice } from "./notices-operations.js";
import type { OperationAnswer, OperationInput, OperationName } from "./operations.js";
import type { Reads } from "./reads.js";

/** The only clock of the server; tests turn it by hand. */
export interface Clock {
	/** Milliseconds since the epoch: for what is written down. May jump, also backwards. */
	now(): number;
	/** Milliseconds that only ever grow: for how long something has been silent, has waited, may still go on. */
	elapsed(): number;
	/** Calls back once after `ms`; returns what stops it. */
	after(ms: number, call: () => void): () => void;
}

export interface Random {
	bytes(length: number): Uint8Array;
}

/** A row of the log as it was written. `body` is the wire JSON of what `kind` names. */
export interface StoredEvent {
	seq: number;
	kind: EventKind;
	/** Public id of the task it is about; null for what concerns the whole conversation. */
	taskId: string | null;
	body: string;
	at: number;
}

/** `message`: Message · `bare`: a Message that is an answer without a task · `task`: Task · `status`: TaskStatusUpdateEvent · `artifact`: TaskArtifactUpdateEvent, a piece · `whole`: the same, an artifact at once · `microphone`, `ended`: ours. */
export type EventKind = "message" | "bare" | "task" | "status" | "artifact" | "whole" | "microphone" | "ended" | "tombstone";

/** That a conversation's log has grown to `seq`. Only a hint to read; `events` is there when this process wrote them. */
export interface Hint {
	conversationId: number;
	seq: number;
	events?: StoredEvent[];
}

/** That a notice was left under this number; they rise by one in the order of commits. Only a hint to read; `notice` is there when this process left it. */
export interface NoticeHint {
	id: number;
	notice?: Notice;
}

/**
 * Keeps everything. `write` is acknowledged only when it is on disk; operations are judged inside their transaction.
 * Throws DeskError: what the operation's own rules refuse, and `unavailable` for what may be tried again (disk full, busy).
 */
export interface Store {
	write<N extends OperationName>(name: N, input: OperationInput<N>): Promise<OperationAnswer<N>>;
	readonly read: Reads;
	/** Growth of conversations written by other processes on the same database. Returns what stops it. */
	onHint(listener: (hint: Hint) => void): () => void;
	/** Notices: this process's own before the write that left them resolves, and that other processes left some. Returns what stops it. */
	onNotice(listener: (hint: NoticeHint) => void): () => void;
	/** Other processes write to the same database. Where not, every claim on a turn from before the start is void. */
	readonly shared: boolean;
	close(): Promise<void>;
}

/** A picture that is kept. `read`: its bytes, a piece at a time as its reader takes them; `ended` is called once, when they are read, given up or broken. */
export interface PictureFile {
	bytes: number;
	read(ended: () => void): ReadableStream<Uint8Array>;
}

/** What a picture's sender says of it, and where it comes from. */
export interface PictureOrigin {
	/** The media type that its sender gave it. */
	said: string | undefined;
	/** Network of the address that sent it: pictures of one are made in turn with those of others. */
	network: string;
}

/** Makes pictures anew and keeps them (`files/`). Ids are made by the engine and are fit for a file's name. */
export interface PictureHand {
	/**
	 * The same picture with nothing of the file that came. Throws `content_type_not_supported`, `too_large`, `invalid_params`,
	 * `deadline_exceeded`, `unavailable`.
	 */
	make(bytes: Uint8Array, origin: PictureOrigin): Promise<{ bytes: Uint8Array; mediaType: string; width: number; height: number }>;
	/** Resolves when it is on disk. Where it rejects, nothing is left there. */
	put(uid: string, bytes: Uint8Array): Promise<void>;
	/** Undefined: it is not there. */
	open(uid: string): Promise<PictureFile | undefined>;
	/** One that is not there is removed already. */
	remove(uid: string): Promise<void>;
}

/** One file of a desk's memory. */
export interface MemoryFile {
	path: string;
	text: string;
}

/** What a turn may do. Read anew from the store when it does it; this is what an answerer may plan with. */
export interface TurnMay {
	webSearch: boolean;
	/** Those that are connected; `none`: nothing is given of it, and the owner is asked (PRE-4). */
	apps: Readonly<Record<string, AppAccess>>;
}

/** One line of the conversation as an answerer sees it. */
export interface TurnMessage {
	seq: number;
	from: "visitor" | "desk" | "owner";
	message: Message;
}

/** Everything an answerer gets to know of one turn. */
export interface Turn {
	id: string;
	desk: { handle: string; name: string; about: string; language: "en" | "zh" | null; ownerName: string };
	conversationId: string;
	/** Who asks: a person in a chat, or another agent. */
	asker: { id: string; kind: "person" | "agent"; channel: Channel };
	/** Everything before `incoming`, oldest first, at most the last 50. */
	history: TurnMessage[];
	/** What this turn answers, oldest first; never empty. */
	incoming: TurnMessage[];
	/** The asker's wish (`acceptedOutputModes`), when it said one. */
	acceptedOutputModes: string[] | null;
	/** Files read in every conversation, and those of this person. */
	memory(): Promise<MemoryFile[]>;
	may: TurnMay;
	/** Does something outside, if it is in force at that moment. Each call is written down first and made once at most, also where the turn runs again. */
	use: Use;
}

/**
 * What an answerer yields, in order: any number of pieces, then exactly one ending. The engine checks each against the
 * desk's settings and decides the task's state; no answerer does.
 */
export type Piece =
	/** Words of the reply, to be joined as they come. */
	| { type: "text"; text: string }
	/** An artifact besides the words. `append` goes on with one already begun. */
	| { type: "artifact"; artifactId: string; name?: string; description?: string; parts: Part[]; append?: boolean; lastChunk?: boolean }
	/** A question that the notes do not answer: kept for the owner. Not an ending. */
	| { type: "gap"; question: string };

export type Ending =
	/** The words so far are the reply. `asks`: whether it asks the asker something; absent: the engine decides by `asks.ts`. */
	| { type: "reply"; asks?: boolean }
	/** Nothing to say (towards agents only): what was written is dropped, the task completes. */
	| { type: "no_reply" }
	/** The last word; the do-not-disturb sign goes up. */
	| { type: "end_conversation" }
	| { type: "needs_authorisation"; explanation: string }
	| { type: "rejected"; explanation?: string }
	| { type: "failed"; explanation: string }
	/** A bare message and no task (for agents that speak so). */
	| { type: "message"; parts: Part[] };

/** Something that answers. One method; a file each in `answerers/`, and one line in its table. */
export interface Answerer {
	readonly name: string;
	/**
	 * Runs inside this process, and has no effect outside but through `turn.use`, which waits for the send's commit and makes no call
	 * twice: may start before its send is committed, and be run again after a crash.
	 */
	readonly inProcess: boolean;
	/** May end with `no_reply` or a bare message: towards an agent nothing streams before the ending is known. */
	readonly maySilence: boolean;
	/** `signal` aborts when the turn is cancelled, taken over or lost its lease; what is yielded after that is dropped. */
	answer(turn: Turn, signal: AbortSignal): AsyncIterable<Piece | Ending> | Iterable<Piece | Ending>;
}

/** The door by which a caller came. Kept on the server with everything it causes (PRE-2). */
export type Channel = "embed" | "page" | "a2a" | "mcp" | "ask";

/** Where a turn was started: what presets look at. */
export interface Provenance {
	channel: Channel;
	site?: string;
	embed?: string;
}
