/**
 * One text of SQL for both databases, and one text of code: a query is yielded, never awaited, so the same generator
 * runs in one go on SQLite and awaits between its steps on PostgreSQL. `?` marks parameters; each driver prepares a text once.
 */

/** What a column may hold: integers for booleans and milliseconds, JSON as text. */
export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

export interface Query {
	text: string;
	values: readonly SqlValue[];
	/** Nobody looks at its rows: PostgreSQL sends it without waiting for an answer, and answers for it at the commit. */
	blind?: boolean;
}

/** Steps of a load, a write or a read: yields queries, gets their rows, returns `T`. */
export type Steps<T> = Generator<Query, T, Row[]>;

/** All rows of a query. */
export function* all<R>(text: string, ...values: SqlValue[]): Steps<R[]> {
	return (yield { text, values }) as R[];
}

/** The first row, or undefined. */
export function* one<R>(text: string, ...values: SqlValue[]): Steps<R | undefined> {
	const rows = yield { text, values };
	return rows[0] as R | undefined;
}

/** Runs a statement whose rows do not matter. */
export function* run(text: string, ...values: SqlValue[]): Steps<void> {
	yield { text, values, blind: true };
}
