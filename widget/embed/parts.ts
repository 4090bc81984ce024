/**
 * What the files of the page's side hand each other. `/embed.js` is on every page; `/embed-chat.js` comes when somebody
 * means to talk, the others where a tag or a page has use for them. A browser may hold a copy of one that is a day older
 * than the other, so what stands here only grows; what would break an older copy gets a file of a new name.
 */
import type { Claim, SiteConfig } from "../../shared/embed.js";
import type { Options } from "./tag.js";
import type { Face } from "./view.js";

/** How a chat stands; what `get().state` is a copy of. */
export interface State {
	/** The chat is on the screen; of an inline chat: it was asked for. */
	open: boolean;
	/** The chat in the frame has answered. */
	ready: boolean;
	/** `hide()` was called. */
	hidden: boolean;
	online: boolean;
	unread: number;
}

/** What each of them gets. */
export interface Shared {
	/** The agent on its server: `https://…/@handle`. */
	base: string;
	config: SiteConfig;
	/** What the tag asks for, as it began. */
	options: Options;
	inline: boolean;
	host: HTMLElement;
	root: HTMLElement;
	/** A dialog; of an inline chat a plain element. */
	panel: HTMLDialogElement;
	/** The same object for good; whoever changes it calls `draw`. */
	state: State;
	/** What is in here opens the chat by a click. */
	openers: Set<unknown>;
	signal: AbortSignal;
	/** Root and button of everything that stands in the page for this chat. */
	faces(): Face[];
	/** Makes one more: what opens the chat in a root of ours. */
	face(root: HTMLElement, kind: string, label: string, ...words: (Node | string)[]): HTMLButtonElement;
	/** Puts a root into an element of the page; `how`: the way in which that stands there. */
	furnish(host: HTMLElement, root: HTMLElement, how: string): void;
	claim(): Claim | undefined;
	/** Address of the framed document, as tag and page are now. */
	address(): string;
	draw(): void;
	/** Looks for each of `faces`, and for those to come. */
	dress(css: string): void;
	/** Tells the site's owner that something does not load, and what that may be. */
	missed(): void;
}

/** What `/embed-chat.js` gets besides: the frame, on its way already; `loaded` when its first document is there. */
export interface Place extends Shared {
	frame: HTMLIFrameElement;
	loaded: Promise<unknown>;
}

/** What `/embed-chat.js` gives. Promises are fulfilled when the chat has been told, rejected when none answers. */
export interface Chat {
	/** `by`: what gets the focus when it closes. */
	open(by?: HTMLElement): Promise<void>;
	close(): void;
	toggle(): Promise<void> | undefined;
	send(text: string): Promise<void>;
	/** The claim has changed. */
	identify(): void;
	logout(): Promise<void>;
	/** Draws what only an opened chat shows; looks of tag or page have changed. */
	look(): void;
}

/** What `/embed-greeting.js` and `/embed-pet.js` get besides: what holds the button and the greeting, and is what moves. */
export interface Corner extends Shared {
	corner: HTMLElement;
	button: HTMLButtonElement;
}

/** What `/embed-button.js` gives. */
export interface Buttons {
	/** Looks for badges that have come or gone. */
	look(): void;
}
