/**
 * A server that dies where a message says so: `metadata.die` of a message names an operation and a moment of it, `finishTurn:after`.
 * Each order is carried out once; a file beside the database remembers it, so that the next start lives on.
 */
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../server/engine/ports.js";
import type { Operation } from "../../server/store/db.js";
import type { WriterOptions } from "../../server/store/sqlite-writer.js";

/** `before`, `after`: the commit, in the writer's thread. `told`: the engine has the answer and has done nothing with it yet. */
export const MOMENTS = ["before", "after", "told"] as const;
export type Moment = (typeof MOMENTS)[number];

const ORDER = /"die":\s*"([a-zA-Z]+):(before|after|told)"|\\"die\\":\s*\\"([a-zA-Z]+):(before|after|told)\\"/g;

/** Moments of an operation that somewhere in these rows or inputs was ordered. */
function ordered(operation: string, ...where: unknown[]): Moment[] {
	const text = JSON.stringify(where);
	if (!text.includes('die')) return [];
	return [...text.matchAll(ORDER)].filter((m) => (m[1] ?? m[3]) === operation).map((m) => (m[2] ?? m[4]) as Moment);
}

/** Dies now, unless this order was carried out before. */
export function dieOnce(dir: string, name: string): void {
	try {
		closeSync(openSync(join(dir, `died-${name.replaceAll(":", "-")}`), "wx"));
	} catch {
		return;
	}
	process.kill(process.pid, "SIGKILL");
	// The signal is for the whole process: until it has come, nothing more happens here.
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
}

type Decides = Record<string, Operation["decide"]>;

/** The rules, and what ends a group of the writer's, with the orders carried out. */
export function deadly(dir: string, rules: Decides): { decides: Decides; settle: NonNullable<WriterOptions["settle"]> } {
	let armed: string[] = [];
	const decides = Object.fromEntries(
		Object.entries(rules).map(([name, decide]): [string, Operation["decide"]] => [
			name,
			(rows, input) => {
				const outcome = decide(rows, input);
				// A refusal or a write that came too late is no step of a turn.
				if (outcome.plan !== null) armed.push(...ordered(name, (rows as { openTasks?: unknown }).openTasks, input).map((moment) => `${name}:${moment}`));
				return outcome;
			},
		]),
	);
	return {
		decides,
		settle(commit, answer) {
			const now = armed;
			armed = [];
			for (const order of now) if (order.endsWith(":before")) dieOnce(dir, order);
			commit();
			for (const order of now) if (order.endsWith(":after")) dieOnce(dir, order);
			answer();
		},
	};
}

/** A store whose engine dies when it has been told of an operation. `openTasks` are not known here, so a turn is known by its text. */
export function mortalStore(dir: string, store: Store): Store {
	const write = async (name: string, input: unknown): Promise<unknown> => {
		const answer = await store.write(name as never, input as never);
		for (const moment of ordered(name, input, answer)) if (moment === "told") dieOnce(dir, `${name}:told`);
		return answer;
	};
	return { ...store, write: write as Store["write"] };
}
