/**
 * A connection to the SQLite file: how its texts are prepared, what its errors mean, what must be true of it before it
 * is used. Nothing of better-sqlite3 is known outside the files named `sqlite…`, `lock`, `migrate` and `backup`.
 *
 * In a process that has the file open, nobody may open it but SQLite: closing any other descriptor of it drops the locks
 * of the whole process (POSIX), and two processes would then write at once.
 */

import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import type { DeskError } from "../../shared/errors.js";
import { checkValues, refused, unavailable } from "./db.js";
import type { Query, Row } from "./sql.js";

export type Connection = Database.Database;

/** The database of a folder. */
export const databaseFile = (dir: string): string => join(dir, "desk.db");

/** Before 3.51.3 two connections that write and checkpoint at one moment can damage the file (reliability.md F6). */
const OLDEST_SQLITE = [3, 51, 3] as const;

/** Texts kept prepared. More than the product has, so that only texts made at run time can push others out. */
const STATEMENTS = 1_000;

const NO_ROWS: Row[] = [];

/**
 * A text as SQLite is given it. `limit ?` alone is looked at by its planner, so that every new value would have the statement
 * planned anew, at twice or three times the cost of running it.
 */
const textFor = (text: string): string => text.replaceAll(/\{lock(?: of \w+)?\}/g, "").replaceAll(/\blimit \?/g, "limit ? + 0");

/** Asks a connection. Each text is prepared once; `{lock}` means nothing here, where there is one writer. */
export function asking(connection: Connection): (query: Query) => Row[] {
	const prepared = new Map<string, { statement: Database.Statement; reads: boolean }>();
	return ({ text, values }) => {
		let known = prepared.get(text);
		if (!known) {
			const statement = connection.prepare(textFor(text));
			known = { statement, reads: statement.reader };
			if (prepared.size >= STATEMENTS) prepared.clear();
			prepared.set(text, known);
		}
		checkValues(values);
		if (known.reads) return known.statement.all(values) as Row[];
		known.statement.run(values);
		return NO_ROWS;
	};
}

/** SQLite's own name of an error, or the empty text for what is not SQLite's. */
export const codeOf = (error: unknown): string => (error instanceof Database.SqliteError ? error.code : "");

const startsWith = (code: string, ...prefixes: string[]): boolean => prefixes.some((prefix) => code.startsWith(prefix));

export const isBusy = (error: unknown): boolean => startsWith(codeOf(error), "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL");

export const isDamage = (error: unknown): boolean => startsWith(codeOf(error), "SQLITE_CORRUPT", "SQLITE_NOTADB");

/**
 * The refusal for an error that comes from the disk or from whoever else holds the file, and not from what was asked:
 * it may come at any statement, takes the whole transaction with it, and another try may do better. Undefined for all else.
 */
export function deviceTrouble(error: unknown): DeskError | undefined {
	const code = codeOf(error);
	if (isBusy(error)) return unavailable("The database is busy.");
	if (isDamage(error)) return damaged();
	if (startsWith(code, "SQLITE_FULL")) return unavailable("The server's disk is full.");
	if (startsWith(code, "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_NOMEM", "SQLITE_INTERRUPT", "SQLITE_NOLFS")) {
		return unavailable("The server's disk does not answer as it should.");
	}
	return undefined;
}

/** Said to whoever asks something of a database that was found damaged while it was in use. */
export const damaged = (): DeskError =>
	refused("The server's database is damaged, so nothing is read from it or written to it until its owner has restored a backup.");

const MEND =
	'Stop here: restore a backup with "npx earthonline restore <file>", which keeps this file beside the new one, or move it away to start with an empty one.';

/** Said to the owner at the start. */
const damagedFile = (file: string, found: string, advice: string): DeskError =>
	refused(`The database ${file} is damaged (${found}). ${advice}`);

/** Runs `work` on a file; what SQLite calls damage becomes a sentence for its owner, with what to do about it. */
export function orDamaged<T>(file: string, work: () => T, advice = MEND): T {
	try {
		return work();
	} catch (error) {
		if (isDamage(error)) throw damagedFile(file, (error as Error).message, advice);
		throw error;
	}
}

/** Refuses a damaged file (reliability.md G-28). Reads all of it: a second or so a gigabyte. */
export function checkIntact(connection: Connection, file: string, advice = MEND): void {
	const found = connection.pragma("quick_check(1)", { simple: true }) as string;
	// The first line only names the database.
	if (found !== "ok") throw damagedFile(file, found.split("\n").at(-1) ?? found, advice);
	// All that was looked at would else stay in memory.
	connection.pragma("shrink_memory");
}

/** Refuses a SQLite that can damage the file. */
export function checkVersion(connection: Connection): void {
	const version = connection.prepare("select sqlite_version()").pluck().get() as string;
	const parts = version.split(".").map(Number);
	for (const [i, least] of OLDEST_SQLITE.entries()) {
		const part = parts[i] ?? 0;
		if (part > least) return;
		if (part < least)
			throw refused(
				`This is SQLite ${version}, which can damage a database. Install better-sqlite3 12.11.1 or newer (SQLite ${OLDEST_SQLITE.join(".")}).`,
			);
	}
}

/** Forces a file, or the names in a folder, onto the disk. Never for a database that this process has open. */
export function syncPath(path: string): void {
	const descriptor = openSync(path, "r");
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}

/** Makes the folder of a store, readable by its user alone, and puts its name on disk. */
export function makeFolder(dir: string): void {
	const first = mkdirSync(dir, { recursive: true, mode: 0o700 });
	if (first !== undefined) syncPath(dirname(first));
}

/** Makes an empty file that only its user may read, if there is none: SQLite gives its companions (-wal, -shm) the same mode. */
export function makePrivateFile(path: string): void {
	closeSync(openSync(path, "a", 0o600));
}

/** Bytes of a file; 0 if there is none. */
export function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
