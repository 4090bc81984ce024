/**
 * Keeps the tabs of one visitor at one desk in step, where the browser can: who they are, which conversation is the open
 * one, what has been seen. Only a courtesy: the server's log is what they all agree on in the end.
 */
import type { Rating } from "../../shared/channel.js";

export type TabMessage =
	/** The guest's token in the store has changed. */
	| { type: "token" }
	/** The visitor has begun a new conversation; there is nothing in it yet. */
	| { type: "new" }
	/** A new conversation has its first message. */
	| { type: "begun"; contextId: string }
	| { type: "seen"; contextId: string; seq: number }
	/** A message came where the chat is looked at. */
	| { type: "watched"; messageId: string }
	/** The switch of the sound. */
	| { type: "sound"; on: boolean }
	/** What the visitor thinks of an answer. */
	| { type: "rated"; contextId: string; seq: number; value: Rating | "none" }
	/** Everything was forgotten. */
	| { type: "forgotten" };

export interface Tabs {
	post(message: TabMessage): void;
	close(): void;
}

const TYPES = new Set<unknown>(["token", "new", "begun", "seen", "watched", "sound", "rated", "forgotten"]);

/** `on` hears the other tabs, never this one. */
export function openTabs(handle: string, on: (message: TabMessage) => void): Tabs {
	let channel: BroadcastChannel | undefined;
	try {
		channel = new BroadcastChannel(`earthonline:${handle}`);
		channel.onmessage = ({ data }) => TYPES.has(data?.type) && on(data as TabMessage);
	} catch {
		// No such thing here, or refused in this frame.
	}
	return {
		post: (message) => channel?.postMessage(message),
		close: () => channel?.close(),
	};
}
