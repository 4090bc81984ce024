/**
 * What the files of the page's side hand each other. `/embed.js` is on every page; `/embed-chat.js` comes when somebody
 * means to talk, the others where a tag or a page has use for them. A browser may hold a copy of one that is a day older
 * than the other, so what stands here only grows; what would break an older copy gets a file of a new name.
 */
import type { Claim, SiteConfig } from "../../shared/embed.js";
import type { Options } from "./tag.js";
import type { Face, isChinese, make } from "./view.js";

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

/** What each of them gets: one object a chat. */
export interface Shared {
	/** The agent on its server: `https://…/@handle`. */
	base: string;
	config: SiteConfig;
	/** What the tag asks for now. */
	readonly options: Options;
	host: HTMLElement;
	root: HTMLElement;
	/** What holds the button and the greeting, and is what moves of a pet; in no page where nothing stands in the corner. */
	corner: HTMLElement;
	/** The same object for good; whoever changes it calls `draw`. */
	state: State;
	/** The chat was opened here. */
	had?: boolean;
	signal: AbortSignal;
	claim?: Claim;
	/** Root and button of everything that stands in the page for this chat. */
	readonly faces: readonly Face[];
	/** Makes one more: what opens the chat in a root of ours. */
	face(root: HTMLElement, kind: string, label: () => string, ...words: (Node | string)[]): HTMLButtonElement;
	make: typeof make;
	zh: typeof isChinese;
	/** Puts a root into an element of the page; `how`: the way in which that stands there. */
	attach(host: HTMLElement, root: HTMLElement, how: string): void;
	/** Puts an element where the line is pasted. */
	stand(host: HTMLElement): void;
	/** Asks the server again, for the tag as it is now. Does not reject: where there is no answer, the sentence that says so. */
	ask(): Promise<SiteConfig | string>;
	draw(): void;
	/** Looks for each of `faces`, and for those to come. */
	style(css: string): void;
	/** Tells the site's owner that the chat, or the file of a name, does not come, and what that may be. */
	missed(name: string): void;
}

/** What each of the others gives. */
export interface Part {
	/** The page or the tag has changed: at most once a frame. */
	look(): void;
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
	/** Draws what only an opened chat shows; looks of tag or page have changed, or it stands in a new body. */
	look(): void;
}
