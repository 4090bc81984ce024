/**
 * A few operations on tables of their own, with which the drivers are tried out: what they do is plain to see, and each can
 * be made to refuse or to break at any of its three parts.
 */

import type { OperationTable } from "../../server/store/db.js";
import { all, one, run, type SqlValue, type Steps } from "../../server/store/sql.js";
import { DeskError } from "../../shared/errors.js";

export interface Item {
	name: string;
	value: number;
	text: string;
}

/** Where an operation of `put` is to end, and how. */
export type Fault = { at: "load" | "decide" | "write"; how: "refuse" | "break" };

const fault = (given: Fault | undefined, at: Fault["at"]): void => {
	if (given?.at !== at) return;
	throw given.how === "refuse" ? new DeskError("forbidden", `refused in ${at}`, { metadata: { at } }) : new TypeError(`broke in ${at}`);
};

const insert = (name: string, value: number, text: string): Steps<void> =>
	run("insert into item (name, value, text) values (?, ?, ?)", name, value, text);

export const table: OperationTable = {
	/** The tables. */
	setUp: {
		*load(): Steps<null> {
			return null;
		},
		decide: () => ({ plan: true, answer: null }),
		*write(): Steps<void> {
			yield* run("create table item (name text not null primary key, value bigint not null, text text not null)");
			yield* run("create table counter (name text not null primary key, value bigint not null)");
			yield* run("create table step (counter text not null, seq bigint not null, primary key (counter, seq))");
		},
	},
	/** Writes two items: `name` and `name'`. */
	put: {
		*load(input: { name: string; value?: number; text?: string; fault?: Fault }): Steps<number> {
			fault(input.fault, "load");
			return (yield* one<{ n: number }>("select count(*) as n from item"))?.n ?? 0;
		},
		decide(loaded: number, input: { fault?: Fault }) {
			fault(input.fault, "decide");
			return { plan: true, answer: { before: loaded } };
		},
		*write(input: { name: string; value?: number; text?: string; fault?: Fault }): Steps<void> {
			yield* insert(input.name, input.value ?? 0, input.text ?? "");
			fault(input.fault, "write");
			yield* insert(`${input.name}'`, input.value ?? 0, input.text ?? "");
		},
	},
	/** Makes what is not there yet, and says whether it did. Two at once meet. */
	ensure: {
		*load(input: { name: string }): Steps<Item | undefined> {
			return yield* one<Item>("select name, value, text from item where name = ?", input.name);
		},
		decide: (loaded: Item | undefined) => ({ plan: loaded ? null : true, answer: { made: !loaded } }),
		*write(input: { name: string; value: number }): Steps<void> {
			yield* insert(input.name, input.value, "");
		},
		lanes: () => [],
	},
	/** Gives the next number of a counter, as a conversation's log does. */
	count: {
		*load(input: { name: string }): Steps<number | undefined> {
			return (yield* one<{ value: number }>("select value from counter where name = ? {lock}", input.name))?.value;
		},
		decide(loaded: number | undefined, input: { grow?: number }) {
			const seq = (loaded ?? 0) + 1;
			return { plan: seq, answer: { seq, grown: input.grow === undefined ? [] : [{ conversationId: input.grow, seq }] } };
		},
		*write(input: { name: string }, _loaded: number | undefined, seq: number): Steps<void> {
			yield* run(
				"insert into counter (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
				input.name,
				seq,
			);
			yield* run("insert into step (counter, seq) values (?, ?)", input.name, seq);
		},
		lanes: (input: { name: string; lane?: string }) => [input.lane ?? input.name],
	},
	/** Adds one to both counters, locking them in the order in which they are named. */
	both: {
		*load(input: { names: string[] }): Steps<number[]> {
			const values: number[] = [];
			for (const name of input.names) {
				const row = yield* one<{ value: number }>("select value from counter where name = ? {lock}", name);
				values.push(row?.value ?? 0);
			}
			return values;
		},
		decide: (values: number[]) => ({ plan: values.map((value) => value + 1), answer: null }),
		*write(input: { names: string[] }, _loaded: number[], values: number[]): Steps<void> {
			for (const [i, name] of input.names.entries()) yield* run("update counter set value = ? where name = ?", values[i] ?? 0, name);
		},
		lanes: () => [],
	},
	/** Asks anything inside a write's transaction. */
	ask: {
		*load(input: { text: string; values?: SqlValue[] }): Steps<unknown[]> {
			return yield* all<unknown>(input.text, ...(input.values ?? []));
		},
		decide: (rows: unknown[]) => ({ plan: null, answer: rows }),
		*write(): Steps<void> {},
	},
	/** Answers what cannot be handed from one thread to another. */
	unspeakable: {
		*load(): Steps<null> {
			return null;
		},
		decide: () => ({ plan: true, answer: () => {} }),
		*write(): Steps<void> {
			yield* insert("unspeakable", 0, "");
		},
	},
};

/** Names of all items, in no order that the databases agree on. */
export function* names(): Steps<string[]> {
	return (yield* all<{ name: string }>("select name from item")).map((row) => row.name);
}
