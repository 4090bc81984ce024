/** What a session is to those who draw it, and what it is made of: types only. */
import type { DeskFace, LoggedMessage, Rating } from "../../shared/channel.js";
import type { Claim, FrameBoot, FrameMessage } from "../../shared/embed.js";
import type { Clock, Link, Socket } from "./connection.js";
import type { Conversation } from "./conversation.js";
import type { Picture } from "./outbox.js";
import type { Store } from "./store.js";
import type { TabMessage, Tabs } from "./tabs.js";

/** Why there is no chat here. `reload`: a fresh document may help. */
export type Closed = "forbidden" | "reload" | "sandboxed";

export interface SessionState {
	conversation: Conversation;
	/** Absent until the first Hello is answered. */
	desk?: DeskFace;
	link: Link;
	/** The link has been away long enough to say so. */
	away: boolean;
	closed?: Closed;
	/** Whether this browser keeps the conversation. */
	kept: boolean;
	older: "idle" | "loading" | "failed";
	sound: boolean;
	/** What the visitor thinks of answers of this conversation, by their seq. */
	ratings: Readonly<Record<number, Rating>>;
	/** The last word of the desk's side that came while the chat was open: for those who hear the page. */
	said?: LoggedMessage;
}

export interface SessionParts {
	boot: FrameBoot;
	store: Store;
	clock: Clock;
	random(): number;
	/** A new unguessable id of 36 characters. */
	newId(): string;
	dial(): Socket;
	tabs(on: (message: TabMessage) => void): Tabs;
	page: {
		/** Whether the visitor can see the chat and looks at it now. */
		looking(): boolean;
		/** Whether the chat is before them, scrolled to wherever: nothing has to be heard. */
		shown(): boolean;
		post(message: FrameMessage): void;
		/** Loads the document anew. */
		reload(): void;
		/** Whether that was done a moment ago: then it does not help. */
		reloadedLately(): boolean;
		/** Makes the sound for a message, in one tab only. */
		ring(messageId: string): void;
	};
	/** The document stands in a frame that may not keep or reach anything (`sandbox`). */
	sandboxed: boolean;
}

export interface Session {
	readonly state: SessionState;
	/** Returns what stops it. */
	subscribe(listener: () => void): () => void;
	/** The chat is shown: connects. */
	open(): void;
	/**
	 * The chat stands on a page, and nobody has touched it: shows what the document says of the desk. Nothing is kept and nothing asked
	 * until `open`, but where an earlier visit has left something to go on with.
	 */
	wait(): void;
	/** The page is hidden away for good or for a while (`pagehide`). */
	suspend(): void;
	/** It is there again (`pageshow`): as it was. */
	resume(): void;
	/** Something says that trying again is worth it now. */
	nudge(): void;
	/** The browser says that there is no network: what is on its way waits, and is not lost. */
	offline(): void;
	/** The visitor sees the newest message; call again whenever that may have become true. */
	look(): void;
	draft(): string;
	write(text: string): void;
	/** Opens what is not open. `byPage`: the page's script wrote it, not the visitor. */
	send(text: string, more?: { pictures?: readonly Picture[]; byPage?: true }): void;
	/** Who the page's script says the visitor is: said with every message from now on, as what it is. */
	identify(claim: Claim): void;
	rate(seq: number, value: Rating | "none"): void;
	/** Every message of the conversation, however far back. `more`: the connection gave out, older ones are missing. */
	whole(): Promise<{ messages: readonly LoggedMessage[]; more: boolean }>;
	/** What pictures are sent up with. */
	token(): string | undefined;
	retry(messageId: string): void;
	withdraw(messageId: string): void;
	/** Cancels what the desk is doing. */
	stop(): void;
	begin(): void;
	older(): void;
	setSound(on: boolean): void;
	forget(): void;
	/** Out of `closed`. */
	tryAgain(): void;
}
