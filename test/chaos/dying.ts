/**
 * A server that dies where a message says so: words like `die~finishTurn~after`, in a message's text and metadata, name an
 * operation and a moment of it. Each order is carried out once: a file beside the database remembers it, so the next start lives.
 */
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../server/engine/ports.js";
import type { Operation } from "../../server/store/db.js";
import type { WriterOptions } from "../../server/store/sqlite-writer.js";

/** `before`, `after`: the commit, in the writer's thread. `told`: the engine has the answer and has done nothing with it yet. */
export type Moment = "before" | "after" | "told";

export const orderToDie = (operation: string, moment: Moment): string => `die~${operation}~${moment}`;

const ORDER = /die~([a-zA-Z]+)~(before|after|told)/g;

/** Moments of an operation that an order names anywhere in these rows, inputs or answers. */
function ordered(operation: string, ...where: unknown[]): Moment[] {
	const text = JSON.stringify(where);
	return text.includes("die~") ? [...text.matchAll(ORDER)].filter((m) => m[1] === operation).map((m) => m[2] as Moment) : [];
}

/** Dies now, unless this order was carried out before. */
function dieOnce(dir: string, operation: string, moment: Moment): void {
	try {
		closeSync(openSync(join(dir, `died-${operation}-${moment}`), "wx"));
	} catch {
		return;
	}
	process.kill(process.pid, "SIGKILL");
	// The signal is for the whole process: until it has come, nothing more happens on this thread.
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
}

type Decides = Record<string, Operation["decide"]>;

/** The rules, and what ends a group of the writer's, with the orders carried out. */
export function deadly(dir: string, rules: Decides): { decides: Decides; settle: NonNullable<WriterOptions["settle"]> } {
	let armed: [operation: string, moment: Moment][] = [];
	const decides = Object.fromEntries(
		Object.entries(rules).map(([name, decide]): [string, Operation["decide"]] => [
			name,
			(rows, input) => {
				const outcome = decide(rows, input);
				// A write that is refused or came too late is no step of a turn.
				if (outcome.plan === null) return outcome;
				for (const moment of ordered(name, rows?.openTasks, input)) {
					armed.push([name, moment]);
					// The engine knows no texts of what it claims: the order goes with the answer, which stays the same object.
					if (moment === "told") outcome.answer.order = orderToDie(name, moment);
				}
				return outcome;
			},
		]),
	);
	return {
		decides,
		settle(commit, answer) {
			const now = armed;
			armed = [];
			for (const [operation, moment] of now) if (moment === "before") dieOnce(dir, operation, moment);
			commit();
			for (const [operation, moment] of now) if (moment === "after") dieOnce(dir, operation, moment);
			answer();
		},
	};
}

/** A store whose engine dies when it has been told of an operation. */
export function mortalStore(dir: string, store: Store): Store {
	const write = async (name: string, input: unknown): Promise<unknown> => {
		const answer = await store.write(name as never, input as never);
		if (ordered(name, answer).includes("told")) dieOnce(dir, name, "told");
		return answer;
	};
	return { ...store, write: write as Store["write"] };
}
