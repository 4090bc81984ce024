/**
 * Brings a database to the schema of this program: forward only, each step in one transaction together with its number,
 * so that a kill at any point leaves a schema that a later start goes on from. A newer schema than ours is refused.
 */

import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { ClientBase } from "pg";
import { refused } from "./db.js";
import { migration0001 } from "./migrations/0001.js";
import { migration0002 } from "./migrations/0002.js";
import { migration0003 } from "./migrations/0003.js";
import { migration0004 } from "./migrations/0004.js";
import { migration0005 } from "./migrations/0005.js";
import { migration0006 } from "./migrations/0006.js";
import { type Connection, makePrivateFile, syncPath } from "./sqlite-connection.js";

/** Every schema that has been, oldest first: the first one is version 1. Never change one that was released; add one. */
export const MIGRATIONS: readonly string[] = [migration0001, migration0002, migration0003, migration0004, migration0005, migration0006];

const DIALECTS = {
	sqlite: { id: "integer primary key", bytes: "", clustered: " without rowid" },
	postgres: { id: "bigint generated always as identity primary key", bytes: 'collate "C"', clustered: "" },
} as const;

/** A migration in the words of one database. Throws for a placeholder that is none. */
function inDialect(text: string, dialect: keyof typeof DIALECTS): string {
	return text.replace(/\{(\w+)\}/g, (_, name: string) => {
		const word = (DIALECTS[dialect] as Record<string, string>)[name];
		if (word === undefined) throw new TypeError(`A migration says {${name}}, which stands for nothing.`);
		return word;
	});
}

const TABLE = "create table if not exists schema_version (version integer not null primary key, at bigint not null)";
const CURRENT = "select coalesce(max(version), 0) as version from schema_version";
const newer = (what: string, found: number, ours: number) =>
	refused(
		`${what} was written by a newer version of this program (schema ${found}; this one knows ${ours}). Start that version, or restore a backup made by this one.`,
	);

/** The schema of a file; 0 for one without any. */
export function schemaOf(connection: Connection): number {
	const has = connection.prepare("select 1 from sqlite_master where type = 'table' and name = 'schema_version'").get();
	return has ? (connection.prepare(CURRENT).pluck().get() as number) : 0;
}

/** Refuses a file whose schema this program does not know. */
export function checkSchema(connection: Connection, file: string, migrations = MIGRATIONS): void {
	const found = schemaOf(connection);
	if (found > migrations.length) throw newer(`The database ${file}`, found, migrations.length);
}

/** Where the file as it was before a migration is kept. */
export const copyBefore = (file: string, version: number): string => `${file}.schema-${version}`;

/** Copies a database that is open, whole and synced, to a path that gets no half file under its final name. */
export function copyDatabase(connection: Connection, to: string): void {
	const partial = `${to}.partial`;
	rmSync(partial, { force: true });
	makePrivateFile(partial);
	connection.prepare("vacuum into ?").run(partial);
	syncPath(partial);
	renameSync(partial, to);
	syncPath(dirname(to));
}

/** Migrates a SQLite file; one that holds something is copied beside it first. `now`: milliseconds, noted with each step. */
export function migrateSqlite(connection: Connection, file: string, now: number, migrations = MIGRATIONS): void {
	checkSchema(connection, file, migrations);
	const from = schemaOf(connection);
	if (from === migrations.length) return;
	if (from > 0) copyDatabase(connection, copyBefore(file, from));
	// A table may have to be made anew under its name, which references to it must survive; they are checked at the end.
	connection.pragma("foreign_keys = off");
	for (const [i, text] of migrations.entries()) {
		if (i < from) continue;
		connection
			.transaction(() => {
				connection.exec(TABLE);
				connection.exec(inDialect(text, "sqlite"));
				const loose = connection.pragma("foreign_key_check") as unknown[];
				if (loose.length > 0)
					throw refused(
						`The migration to schema ${i + 1} would leave ${loose.length} rows that point nowhere. Nothing was changed; please report this.`,
					);
				connection.prepare("insert into schema_version (version, at) values (?, ?)").run(i + 1, now);
			})
			.immediate();
	}
	connection.pragma("foreign_keys = on");
}

/** The same number on every node: while one migrates, others wait. */
const MIGRATION_LOCK = 0x6465736b;

/** Migrates a PostgreSQL database. Several nodes may start at once: one does it, the others find it done. */
export async function migratePostgres(client: ClientBase, now: number, migrations = MIGRATIONS): Promise<void> {
	for (;;) {
		await client.query("begin");
		try {
			await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
			await client.query(TABLE);
			const found = Number(((await client.query(CURRENT)).rows[0] as { version: number }).version);
			if (found > migrations.length) throw newer("The database that DATABASE_URL names", found, migrations.length);
			const text = migrations[found];
			if (text !== undefined) {
				await client.query(inDialect(text, "postgres"));
				await client.query("insert into schema_version (version, at) values ($1, $2)", [found + 1, now]);
			}
			await client.query("commit");
			if (text === undefined) return;
		} catch (error) {
			await client.query("rollback");
			throw error;
		}
	}
}
