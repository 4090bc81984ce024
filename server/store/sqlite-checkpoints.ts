/**
 * Moves what stands in SQLite's log into the file, in small steps after commits, so that no write waits long and the log
 * stays under LOG_BYTES_MAX however many readers come and go (reliability.md G-27). SQLite's own checkpoints are off: they
 * stall a commit by 20 to 40 ms, and a passive one alone never ends a log that is always being read (performance.md).
 */
import type { Connection } from "./sqlite-connection.js";

/** Pages of 4 KiB that are in the log only, at which a step is taken: while writes wait, and when none does. */
const STEP_PAGES = 1_000;
const QUIET_STEP_PAGES = 250;
/** Length of the log at which its readers are waited for, so that it can begin anew: pages. */
const LONG_LOG_PAGES = 8_192;
/** How long they are waited for, milliseconds. Readers on the event loop need a fraction of one. */
const READER_WAIT_MS = 25;
/** Bytes that a log which has begun anew may keep of its old length. */
export const LOG_KEEPS_BYTES = 16 * 1024 * 1024;
/** What the log never passes while readers are short. */
export const LOG_BYTES_MAX = 64 * 1024 * 1024;

export interface Checkpoints {
	/** After a commit. `quiet`: nothing waits to be written. */
	step(quiet: boolean): void;
	/** After a while without writes, and at the end: the log becomes empty if nobody reads from it. True if it did. */
	empty(): boolean;
}

interface Counts {
	busy: number;
	/** Pages in the log, and how many of them are in the file too. -1: there is no log yet. */
	log: number;
	checkpointed: number;
}

/** `busyMs`: the connection's usual wait for locks. */
export function checkpointsOf(connection: Connection, busyMs: number): Checkpoints {
	const mode = (name: string) => connection.prepare(`pragma wal_checkpoint(${name})`);
	const look = mode("noop");
	const passive = mode("passive");
	const restart = mode("restart");
	const truncate = mode("truncate");
	/** Length of the log before which another try would meet the same readers. */
	let notBefore = 0;

	const waiting = (checkpoint: typeof look): Counts => {
		connection.pragma(`busy_timeout = ${READER_WAIT_MS}`);
		try {
			return checkpoint.get() as Counts;
		} finally {
			connection.pragma(`busy_timeout = ${busyMs}`);
		}
	};

	return {
		step(quiet) {
			const { log, checkpointed } = look.get() as Counts;
			const step = quiet ? QUIET_STEP_PAGES : STEP_PAGES;
			if (log < notBefore - STEP_PAGES) notBefore = 0;
			if (log < notBefore) return;
			if (log >= LONG_LOG_PAGES) {
				notBefore = waiting(restart).busy ? log + STEP_PAGES : 0;
			} else if (log - checkpointed >= step) {
				const after = passive.get() as Counts;
				notBefore = after.log - after.checkpointed >= step ? log + STEP_PAGES : 0;
			}
		},
		empty: () => waiting(truncate).busy === 0,
	};
}
