/** What refuses something, for tests of refusals. Whatever else is thrown, or nothing, fails the test. */
import { DeskError } from "../shared/errors.js";

function asRefusal(thrown: unknown): DeskError {
	if (thrown instanceof DeskError) return thrown;
	throw thrown;
}

/** Of a call. */
export function refusal(call: () => unknown): DeskError {
	try {
		call();
	} catch (thrown) {
		return asRefusal(thrown);
	}
	throw new Error("It was not refused.");
}

/** Of a promise. */
export const rejection = (work: Promise<unknown>): Promise<DeskError> =>
	work.then(() => {
		throw new Error("It was not refused.");
	}, asRefusal);
