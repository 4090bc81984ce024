/**
 * The frame's side of the handshake with the page that embeds it (shared/embed.ts). Only the parent window of the one
 * origin that the server named may begin it; from then on everything goes over the port that it gave.
 */
import { asPageMessage, type FrameMessage, HELLO, type PageMessage } from "../../shared/embed.js";

export interface Port {
	/** Whether a page has said hello. What is posted before is dropped, but for the newest of each kind of `unread` and `online`. */
	readonly connected: boolean;
	post(message: FrameMessage): void;
	/** Stops listening. */
	close(): void;
}

/** `site` is the only origin that is listened to; `on` hears every message of the page's that is one. */
export function waitForPage(view: Window, site: string, on: (message: PageMessage) => void): Port {
	let port: MessagePort | undefined;
	const pending = new Map<string, FrameMessage>();

	const greeted = (event: MessageEvent): void => {
		if (event.source !== view.parent || event.origin !== site) return;
		const hello = event.data as { type?: unknown; version?: unknown } | null;
		if (hello?.type !== HELLO || hello.version !== 1 || !event.ports[0]) return;
		// Said again before our answer was heard: the page keeps to the port that answers first, and so do we.
		if (port) return;
		port = event.ports[0];
		port.onmessage = ({ data }) => {
			const message = asPageMessage(data);
			if (message) on(message);
		};
		port.postMessage({ type: "ready" } satisfies FrameMessage);
		for (const message of pending.values()) port.postMessage(message);
	};
	view.addEventListener("message", greeted);

	return {
		get connected() {
			return port !== undefined;
		},
		post(message) {
			if (message.type === "unread" || message.type === "online") pending.set(message.type, message);
			port?.postMessage(message);
		},
		close() {
			view.removeEventListener("message", greeted);
			port?.close();
			port = undefined;
		},
	};
}
