/**
 * What a visitor's browser keeps for one desk: who they are there, what they were writing, what is not sent yet. In the
 * frame's own storage under the desk's handle; where the browser refuses that, in memory, and `kept` says so. Nothing is
 * touched before the first reading, which is when the visitor opens the chat.
 */

/** `token`: the guest's. `nonce`: made for a guest that has no token yet, the same in every tab. `new`: the next message begins a new conversation. */
export type Key = "token" | "nonce" | "draft" | "outbox" | "new" | "sound";

const KEYS: readonly Key[] = ["token", "nonce", "draft", "outbox", "new", "sound"];

export interface Store {
	/** Whether what is written outlives this page, as far as that has been tried. */
	readonly kept: boolean;
	get(key: Key): string | undefined;
	/** Undefined takes it away. */
	set(key: Key, value: string | undefined): void;
	/** Takes everything away: nothing of this visitor stays in this browser. */
	forget(): void;
}

/** `storage` is asked once, late: in some frames already looking at it throws. */
export function createStore(handle: string, storage: () => Storage): Store {
	const memory = new Map<Key, string>();
	const name = (key: Key): string => `earthonline:${handle}:${key}`;
	let disk: Storage | undefined;
	let opened = false;
	let kept = true;

	const open = (): Storage | undefined => {
		if (!opened) {
			opened = true;
			try {
				disk = storage();
			} catch {
				// Refused.
			}
			kept = Boolean(disk);
		}
		return disk;
	};

	return {
		get kept() {
			open();
			return kept;
		},
		get(key) {
			try {
				// Read anew each time: another tab may have written.
				return memory.get(key) ?? open()?.getItem(name(key)) ?? undefined;
			} catch {
				return undefined;
			}
		},
		set(key, value) {
			memory.delete(key);
			try {
				if (value === undefined) open()?.removeItem(name(key));
				else if (open()) open()?.setItem(name(key), value);
				else memory.set(key, value);
			} catch {
				// Full, or taken away meanwhile.
				kept = false;
				if (value !== undefined) memory.set(key, value);
			}
		},
		forget() {
			for (const key of KEYS) this.set(key, undefined);
		},
	};
}
