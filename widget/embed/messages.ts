/**
 * The line between the page and the framed chat: the hello, the port it carries, and nothing outside the closed unions of
 * shared/embed.ts. The page listens only to ports that it made itself and sent to our exact origin, so no other window
 * has a way in; a port that was sent to a document that was not listening is lost, so every hello carries a new one.
 */
import { asFrameMessage, type FrameMessage, HELLO, type PageHello, type PageMessage } from "../../shared/embed.js";
import { listen } from "./listen.js";

const HELLO_EVERY_MS = 250;
/** Five seconds after the document came: a chat that runs has answered long before. */
const HELLOS = 20;

/**
 * Speaks to a frame from its first document on (`loaded`), and again whenever it loads anew. Gives what sends: words sent before the
 * chat is ready are dropped, since `receive({type: "ready"})` is when to say everything. `failed`: no chat answered.
 */
export function connect(
	frame: HTMLIFrameElement,
	origin: string,
	loaded: Promise<unknown>,
	receive: (message: FrameMessage) => void,
	failed: () => void,
	signal: AbortSignal,
): (message: PageMessage) => void {
	let port: MessagePort | undefined;
	let timer: number | undefined;
	let hellos: number;

	const hello = () => {
		// A frame that was taken away is not spoken to; it begins again with its next document.
		if (hellos++ === HELLOS || !frame.isConnected) {
			clearInterval(timer);
			return frame.isConnected && failed();
		}
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
		frame.contentWindow?.postMessage(words, origin, [port2]);
	};
	const begin = () => {
		port = undefined;
		hellos = 0;
		clearInterval(timer);
		timer = setInterval(hello, HELLO_EVERY_MS) as unknown as number;
		hello();
	};
	// Never earlier: the empty document before the first is not of the origin that is spoken to.
	void loaded.then(() => {
		begin();
		listen(frame, "load", begin, signal);
	});
	return (message) => port?.postMessage(message);
}
