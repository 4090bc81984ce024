/**
 * Tells the Enter that sends from the Enter that only accepts what an input method offers. Three browsers say it in three
 * ways: `isComposing`, `keyCode` 229, and Safari, which ends the composition first and sends a plain Enter right after.
 */

/** Milliseconds after a composition's end in which an Enter still belongs to it. Nobody presses two keys that fast. */
const AFTERMATH_MS = 50;

/** What is read of a keyboard event; `timeStamp` in milliseconds, as the browser gives it. */
export type Key = Pick<KeyboardEvent, "key" | "keyCode" | "isComposing" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "timeStamp">;

export interface Composing {
	started(): void;
	ended(event: Pick<Event, "timeStamp">): void;
	/** Whether this key belongs to the input method. */
	owns(key: Key): boolean;
}

/** Watches the compositions of one text box. */
export function composing(): Composing {
	let active = false;
	let endedAt = Number.NEGATIVE_INFINITY;
	return {
		started() {
			active = true;
		},
		ended(event) {
			active = false;
			endedAt = event.timeStamp;
		},
		owns: (key) => active || key.isComposing || key.keyCode === 229 || key.timeStamp - endedAt < AFTERMATH_MS,
	};
}

/** Whether a key is the plain Enter that sends: no modifier, and not the input method's. */
export const sends = (key: Key, method: Composing): boolean =>
	key.key === "Enter" && !key.shiftKey && !key.ctrlKey && !key.metaKey && !key.altKey && !method.owns(key);
