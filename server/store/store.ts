/** A driver with its nouns: the store as the engine knows it (`engine/ports.ts`). */
import type { OperationAnswer, OperationInput, OperationName } from "../engine/operations.js";
import type { Store } from "../engine/ports.js";
import type { Reads } from "../engine/reads.js";
import type { Driver } from "./db.js";
import { reads } from "./reads.js";
import type { Steps } from "./sql.js";

/** `shared`: other processes write to the same database. */
export function storeOf(driver: Driver, shared: boolean): Store {
	const read = Object.fromEntries(
		Object.entries(reads).map(([name, steps]) => [
			name,
			(...args: never[]) => driver.read(() => (steps as (...a: never[]) => Steps<unknown>)(...args)),
		]),
	) as unknown as Reads;
	return {
		write: <N extends OperationName>(name: N, input: OperationInput<N>) => driver.write(name, input) as Promise<OperationAnswer<N>>,
		read,
		onHint: (listener) => driver.onHint(listener),
		onNotice: (listener) => driver.onNotice(listener),
		shared,
		close: () => driver.close(),
	};
}
