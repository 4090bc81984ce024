/**
 * Loaded before every program that is measured, ours, peers and floors alike: says what it costs when it is asked. A program adds
 * questions of its own to `questions`, and says `ready` once.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** What the bench asks by name. */
export interface Ask {
	id: number;
	what: string;
	arg?: unknown;
}

/** Milliseconds between two looks at the loop. */
const LOOK_MS = 1;
const delay = monitorEventLoopDelay({ resolution: LOOK_MS });

export const questions: Record<string, (arg: never) => unknown> = {
	/** Milliseconds of CPU so far, all threads. */
	cpu() {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1_000;
	},
	/** Bytes, after what is garbage has gone. */
	memory() {
		globalThis.gc?.();
		globalThis.gc?.();
		const { rss, heapUsed, external } = process.memoryUsage();
		return { rss, heapUsed, external };
	},
	/** Begins to look for stalls of the loop. */
	watch() {
		delay.reset();
		delay.enable();
	},
	/** Stalls since then, milliseconds. */
	stalls() {
		delay.disable();
		const past = (ns: number): number => Math.max(0, ns / 1e6 - LOOK_MS);
		return { p99: past(delay.percentile(99)), max: past(delay.max) };
	},
};

/** Where the program listens and, where it has one, what it wants to be told. */
export const ready = (where: { port: number; key?: string }): void => void process.send?.({ ready: where });

process.on("message", ({ id, what, arg }: Ask) => {
	const answer = async (): Promise<unknown> => {
		const question = questions[what];
		if (!question) throw new TypeError(`There is no question ${what}.`);
		return await question(arg as never);
	};
	answer().then(
		(value) => process.send?.({ id, value }),
		(error: Error) => process.send?.({ id, error: error.stack ?? error.message }),
	);
});
// Whoever started it is gone.
process.on("disconnect", () => process.exit(0));
