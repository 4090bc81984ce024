/** An answerer that says aloud, in every conversation at once, what a test gives it. */
import type { Answerer } from "../../server/engine/ports.js";

export interface Crier extends Answerer {
	cry(words: string): void;
	/** Ends every answer. */
	hush(): void;
}

/** Comes to an end only when it is told to. */
export function crier(): Crier {
	const listening = new Set<(words: string | null) => void>();
	return {
		name: "crier",
		inProcess: true,
		maySilence: false,
		async *answer(_turn, signal) {
			const waiting: (string | null)[] = [];
			let wake: () => void = () => undefined;
			const hear = (words: string | null): void => {
				waiting.push(words);
				wake();
			};
			listening.add(hear);
			signal.addEventListener("abort", () => wake());
			try {
				while (!signal.aborted) {
					const words = waiting.shift();
					if (words === undefined) await new Promise<void>((resolve) => (wake = resolve));
					else if (words === null) break;
					else yield { type: "text" as const, text: words };
				}
			} finally {
				listening.delete(hear);
			}
			yield { type: "reply" as const, asks: false };
		},
		cry: (words) => {
			for (const hear of listening) hear(words);
		},
		hush() {
			for (const hear of listening) hear(null);
		},
	};
}
