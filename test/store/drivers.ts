/** Both drivers over the operations of `table.ts`, each in a place of its own, for suites that must hold on either. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Driver, Log } from "../../server/store/db.js";
import { openPostgres } from "../../server/store/postgres.js";
import { openSqlite, type SqliteOptions } from "../../server/store/sqlite.js";
import { freshDatabase } from "../postgres.js";
import { table } from "./table.js";

export interface Logged {
	level: string;
	fields: Record<string, unknown>;
	text: string;
}

export interface Place {
	/** Opens the store there. It may be opened again once it is closed, on PostgreSQL also while it is open. */
	open(options?: Partial<SqliteOptions>): Promise<Driver>;
	logged: Logged[];
	/** Folder of the file, or address of the database. */
	at: string;
	/** Removes it; what is open there must be closed. */
	remove(): Promise<void>;
}

export const WRITER = new URL("./writer.js", import.meta.url);
export const clock = { now: () => Date.UTC(2026, 0, 1) };

const logTo =
	(logged: Logged[]): Log =>
	(level, fields, text) =>
		void logged.push({ level, fields, text });

export async function sqlitePlace(): Promise<Place> {
	const at = await mkdtemp(join(tmpdir(), "store-"));
	const logged: Logged[] = [];
	return {
		at,
		logged,
		open: (options) => openSqlite({ dir: at, workerUrl: WRITER, clock, log: logTo(logged), ...options }),
		remove: () => rm(at, { recursive: true, force: true }),
	};
}

export async function postgresPlace(): Promise<Place> {
	const { url, drop } = await freshDatabase();
	const logged: Logged[] = [];
	return {
		at: url,
		logged,
		open: (options) =>
			openPostgres({ url, table, clock, log: logTo(logged), ...(options?.writeWaitMs ? { writeWaitMs: options.writeWaitMs } : {}) }),
		remove: drop,
	};
}
