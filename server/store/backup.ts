/**
 * Backups of a SQLite folder. One is taken while a server runs: by a connection of its own, at one point in time, into a
 * file that appears whole or not at all. Both functions are for a command's own process, since they block until the disk
 * has everything; on PostgreSQL pg_dump does their work.
 */

import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { refused } from "./db.js";
import { lockFolder } from "./lock.js";
import { checkSchema, copyDatabase, schemaOf } from "./migrate.js";
import { type Connection, checkIntact, databaseFile, makePrivateFile, orDamaged, sizeOf, syncPath } from "./sqlite-connection.js";

/** Milliseconds to wait for a server that is just recovering its log. */
const WAIT_MS = 10_000;

/** Opens a file to look at it, and closes it again. */
function looking(file: string, look: (connection: Connection) => void, advice?: string): void {
	if (sizeOf(file) === 0) throw refused(`There is no database at ${file}. Check the path.`);
	orDamaged(
		file,
		() => {
			const connection = new Database(file, { readonly: true, timeout: WAIT_MS });
			try {
				look(connection);
			} finally {
				connection.close();
			}
		},
		advice,
	);
}

const ANOTHER = "Nothing was restored from it; use another backup.";

/** Refuses a file that no server could start with. */
function checkUsable(connection: Connection, file: string): void {
	checkIntact(connection, file, ANOTHER);
	if (schemaOf(connection) === 0) throw refused(`The file ${file} is not a database of this program. Check the path.`);
	checkSchema(connection, file);
}

/**
 * Writes what the folder's database holds now into a new file that only its user may read, and checks that file. Gives its
 * size in bytes. Throws DeskError where there is no database or `to` exists.
 */
export function backup({ dir, to }: { dir: string; to: string }): { bytes: number } {
	const file = resolve(to);
	if (existsSync(file)) throw refused(`There is already a file ${file}. Name one that does not exist.`);
	if (!existsSync(dirname(file))) throw refused(`There is no folder ${dirname(file)}. Make it, or name another file.`);
	looking(databaseFile(dir), (connection) => copyDatabase(connection, file));
	looking(file, (connection) => checkUsable(connection, file));
	return { bytes: sizeOf(file) };
}

/**
 * Puts a backup in the place of a folder's database, which is kept beside it. Gives the path of what was kept, if there was
 * any. Throws DeskError while a server runs on the folder, and where the backup is damaged or of a newer program: then
 * nothing has been touched. `now`: milliseconds since the epoch, for the name.
 */
export function restore({ dir, from, now }: { dir: string; from: string; now: number }): { kept: string | undefined } {
	const source = resolve(from);
	looking(source, (connection) => checkUsable(connection, source), ANOTHER);
	const unlock = lockFolder(dir);
	try {
		const file = databaseFile(dir);
		const incoming = `${file}.restoring`;
		rmSync(incoming, { force: true });
		// Through SQLite and not as bytes: a log that lies beside the backup belongs to it.
		looking(source, (connection) => copyDatabase(connection, incoming), ANOTHER);
		looking(incoming, (connection) => checkUsable(connection, incoming));
		const kept = keepAside(file, `${file}.before-restore-${now}`);
		renameSync(incoming, file);
		syncPath(dir);
		return { kept };
	} finally {
		unlock();
	}
}

/**
 * Gives the database a second name, so that the first one never names nothing: a server that started in that moment would
 * make an empty one. Its log goes along, for it would be played into whatever has the name next.
 */
function keepAside(file: string, aside: string): string | undefined {
	if (sizeOf(file) === 0) return undefined;
	closeLog(file);
	for (const end of ["-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, aside + end);
	try {
		linkSync(file, aside);
	} catch {
		// A file system without second names.
		makePrivateFile(aside);
		copyFileSync(file, aside);
		syncPath(aside);
	}
	syncPath(dirname(file));
	return aside;
}

/** Moves the log into the file, as its last connection does. A damaged file keeps its log. */
function closeLog(file: string): void {
	try {
		const connection = new Database(file, { timeout: WAIT_MS });
		try {
			connection.pragma("wal_checkpoint(truncate)");
		} finally {
			connection.close();
		}
	} catch {
		// It is put aside as it is.
	}
}
