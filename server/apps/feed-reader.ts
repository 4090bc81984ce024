/**
 * The threads that read calendars, as the server sees them: a new one for each reading, a few at a time, ended when it takes too long, too
 * much memory, or nobody waits for it any more. Nothing that a feed makes of its reader outlives it or holds anybody else up.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Engagement } from "../engine/apps-ports.js";
import type { FeedQuestion, FeedWord } from "./feed.js";

export interface FeedReader {
	/** When somebody is engaged, in no order. Rejects with `unavailable` for what cannot be read, and with the signal's reason. */
	read(question: FeedQuestion, signal: AbortSignal): Promise<Engagement[]>;
	/** Ends what is being read. */
	close(): void;
}

const tooLong = (): DeskError => new DeskError("unavailable", "That calendar takes too long to look through.");
const notNow = (): DeskError =>
	new DeskError("unavailable", "Too many calendars are being looked at. Try again in a moment.", { retryAfterSeconds: 5 });

/** A thread from the built module or, where there is none, from the source. It is given no setting and no secret. */
function startThread(url: URL): Worker {
	const options = { name: "feed-reader", execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: LIMITS.calendarHeapMb } };
	if (existsSync(fileURLToPath(url))) return new Worker(url, options);
	// Node 20 does not give a thread the loaders of its parent, so this one is given tsx before its module.
	const source = new URL(url.href.replace(/\.js$/, ".ts"));
	const code = `import { register } from ${JSON.stringify(import.meta.resolve("tsx/esm/api"))}; register(); await import(${JSON.stringify(source.href)});`;
	return new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), options);
}

/** `url`: the module that a thread runs, as it is called when built. Where only its `.ts` is there, tsx loads it. `readMs`: how long one feed may take. */
export function feedReader(url: URL, readMs: number = LIMITS.calendarReadMs): FeedReader {
	const running = new Set<Worker>();
	const waiting: (() => void)[] = [];
	let free: number = LIMITS.calendarThreads;
	let closed = false;

	async function place(signal: AbortSignal): Promise<void> {
		if (free > 0) {
			free--;
			return;
		}
		if (waiting.length >= LIMITS.calendarsWaiting) throw notNow();
		await new Promise<void>((resolve, reject) => {
			const stop = (): void => {
				waiting.splice(waiting.indexOf(come), 1);
				reject(signal.reason);
			};
			const come = (): void => {
				signal.removeEventListener("abort", stop);
				resolve();
			};
			waiting.push(come);
			signal.addEventListener("abort", stop, { once: true });
		});
	}

	function giveBack(): void {
		const next = waiting.shift();
		if (next) next();
		else free++;
	}

	async function ask(question: FeedQuestion, signal: AbortSignal): Promise<Engagement[]> {
		const thread = startThread(url);
		running.add(thread);
		let slow: NodeJS.Timeout | undefined;
		let stop = (): void => undefined;
		try {
			return await new Promise<Engagement[]>((resolve, reject) => {
				stop = () => reject(signal.reason);
				signal.addEventListener("abort", stop, { once: true });
				slow = setTimeout(() => reject(notNow()), LIMITS.calendarStartMs);
				thread.on("message", (word: FeedWord) => {
					if (word.type === "found") resolve(word.engagements);
					else if (word.type === "refused") reject(DeskError.fromWire(word.error));
					else {
						clearTimeout(slow);
						slow = setTimeout(() => reject(tooLong()), readMs);
						thread.postMessage(question);
					}
				});
				thread.once("error", (error: NodeJS.ErrnoException) => reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLong() : error));
				thread.once("exit", () => reject(notNow()));
			});
		} finally {
			clearTimeout(slow);
			signal.removeEventListener("abort", stop);
			// Whatever it is at, it goes no further.
			await thread.terminate();
			running.delete(thread);
		}
	}

	return {
		async read(question, signal) {
			signal.throwIfAborted();
			await place(signal);
			try {
				// Either may have come while this one waited.
				signal.throwIfAborted();
				if (closed) throw notNow();
				return await ask(question, signal);
			} finally {
				giveBack();
			}
		},
		close() {
			closed = true;
			for (const thread of running) void thread.terminate();
		},
	};
}
