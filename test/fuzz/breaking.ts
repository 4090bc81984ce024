/** A store that is not to be relied on: what is told of that to whoever asks. */
import type { Driver } from "../../server/store/db.js";

/** Reads that a server's start needs. */
const READS_OF_START = 40;

/** A database of which every other read breaks, with words that are for the log alone. */
export function breaking(driver: Driver): Driver {
	let reads = 0;
	return {
		write: (name, input) => driver.write(name, input),
		read: async (steps) => {
			if (++reads > READS_OF_START && reads % 2 === 0)
				throw new TypeError("SQLITE_MISUSE in select hash from access_key\n    at /var/secret.ts:1:1");
			return await driver.read(steps);
		},
		onHint: (listener) => driver.onHint(listener),
		onNotice: (listener) => driver.onNotice(listener),
		backup: (to) => driver.backup(to),
		close: () => driver.close(),
	};
}
