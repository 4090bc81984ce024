/**
 * The line between the page and the framed chat: the hello, the port it carries, and nothing outside the closed unions of
 * shared/embed.ts. The page listens only to ports that it made itself and sent to our exact origin, so no other window
 * has a way in; a port that was sent to a document that was not listening is lost, so every hello carries a new one.
 */
import { asFrameMessage, type FrameMessage, HELLO, type PageHello, type PageMessage } from "../../shared/embed.js";
import { listen } from "./listen.js";

const HELLO_EVERY_MS = 250;
/**
 * How often it is said. The chat listens before its document counts as loaded, so the first is heard where there is one; where a
 * browser refused the frame, each is a line in the site's console that names an origin and helps nobody.
 */
const HELLOS = 4;
/** Five seconds after the document came: a chat that runs has answered long before. */
const WAITS = 20;

export interface Line {
	/** Words said before the chat is ready are dropped: `receive({type: "ready"})` is when to say everything. */
	post(message: PageMessage): void;
	/** Whether the chat that answered is still the one in the frame: a frame that is moved to another place begins anew there. */
	live(): boolean;
}

/**
 * Speaks to a frame from its first document on, and again whenever it loads anew, for whatever reason; says so each time (`begins`).
 * Called before the frame is in the page. `failed`: no chat answered.
 */
export function connect(
	frame: HTMLIFrameElement,
	origin: string,
	receive: (message: FrameMessage) => void,
	begins: () => void,
	failed: () => void,
	signal: AbortSignal,
): Line {
	let port: MessagePort | undefined;
	let view: Window | null;
	let timer: number | undefined;
	let waits: number;

	const hello = () => {
		// A frame that was taken away is not spoken to; it begins again with its next document.
		if (waits++ === WAITS || !frame.isConnected) {
			clearInterval(timer);
			return frame.isConnected && failed();
		}
		if (waits > HELLOS) return;
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = ({ data }) => {
			const message = asFrameMessage(data);
			if (message?.type === "ready") {
				clearInterval(timer);
				port ??= port1;
			}
			if (message && port === port1) receive(message);
		};
		const words: PageHello = { type: HELLO, version: 1 };
		view?.postMessage(words, origin, [port2]);
	};
	// Never earlier: the empty document before the first is not of the origin that is spoken to.
	const begin = () => {
		port = undefined;
		view = frame.contentWindow;
		waits = 0;
		begins();
		clearInterval(timer);
		timer = setInterval(hello, HELLO_EVERY_MS) as unknown as number;
		hello();
	};
	listen(frame, "load", begin, signal);
	signal.addEventListener("abort", () => clearInterval(timer));
	return { post: (message) => port?.postMessage(message), live: () => !!port && frame.contentWindow === view };
}
