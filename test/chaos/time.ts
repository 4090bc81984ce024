/** Deadlines: nothing in this suite waits without one. */
import { setTimeout as pause } from "node:timers/promises";

export { pause };

/** What was waited for did not come in time. */
export class Late extends Error {
	constructor(what: string, ms: number) {
		super(`${what} did not come within ${ms / 1000} s`);
	}
}

/** Rejects with `Late` where a promise takes longer. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Late(what, ms)), ms);
	});
	try {
		return await Promise.race([promise, late]);
	} finally {
		clearTimeout(timer);
	}
}

/** Looks from time to time whether something holds. Rejects with `Late`. */
export async function until(ms: number, what: string, holds: () => boolean | Promise<boolean>, everyMs = 20): Promise<void> {
	const end = Date.now() + ms;
	while (!(await holds())) {
		if (Date.now() > end) throw new Late(what, ms);
		await pause(everyMs);
	}
}
