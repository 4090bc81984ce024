/**
 * One process a folder (design.md, "Storage"). The lock is an open transaction on a database of its own beside the real
 * one: the system lets go of it when the process dies, however it dies, so there is no stale lock and no process id to guess.
 */

import { join } from "node:path";
import Database from "better-sqlite3";
import { refused } from "./db.js";
import { isBusy, makeFolder, makePrivateFile } from "./sqlite-connection.js";

/**
 * Takes a folder for this process, making it if need be. Gives what lets go of it. Throws DeskError with a sentence for
 * the owner when another process, or another store of this one, holds it, and where it can be neither made nor written.
 */
export function lockFolder(dir: string): () => void {
	const file = join(dir, "server.lock");
	try {
		makeFolder(dir);
		makePrivateFile(file);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === undefined) throw error;
		throw refused(`The folder ${dir} cannot be made or written (${code}). Set DATA_DIR to one that this user may write.`);
	}
	const lock = new Database(file, { timeout: 0 });
	try {
		// No journal: nothing is ever written, and a full disk must not keep the server from starting.
		lock.pragma("journal_mode = memory");
		lock.exec("begin exclusive");
	} catch (error) {
		lock.close();
		if (isBusy(error))
			throw refused(
				`A server is already running on the folder ${dir}. Stop it first, or set DATA_DIR to a folder of its own for this one.`,
			);
		throw refused(
			`The folder ${dir} cannot be locked (${(error as Error).message}). Use a folder on a local disk; if server.lock in it is not an empty file, remove it.`,
		);
	}
	return () => lock.close();
}
