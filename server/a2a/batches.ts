/** Doing one thing to thousands without holding everything else up. */

/** Does something for each of many, giving the loop a turn after every `size`. */
export async function inBatches<T>(items: Iterable<T>, size: number, act: (item: T) => unknown): Promise<void> {
	let done = 0;
	for (const item of [...items]) {
		await act(item);
		if (++done % size === 0) await new Promise<void>((resolve) => setImmediate(resolve));
	}
}

/** What is done together: what that asks of the store waits in its queue and not one for the other. */
const AT_ONCE = 64;

/** Does something for each of many, some at once, for what waits for the store: one after the other, a desk full of sockets would take seconds. */
export async function manyAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
	for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(act));
}
