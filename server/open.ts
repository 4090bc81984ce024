/** Opens a desk from its settings: the real clock, the real store, the answerers that exist. What `serve`, the commands and the demo all start from. */
import { randomBytes } from "node:crypto";
import { answerers } from "./answerers/index.js";
import { createDesk, type DeskProgram, type Listening } from "./app.js";
import type { Config } from "./config.js";
import { decides } from "./engine/operations.js";
import type { Clock, Store } from "./engine/ports.js";
import { createLog, type Log } from "./log.js";
import { openApps } from "./outside.js";
import { restore } from "./store/backup.js";
import { type Driver, operationTable } from "./store/db.js";
import { lockFolder } from "./store/lock.js";
import { halves } from "./store/operations.js";
import { openSqlite } from "./store/sqlite.js";
import { storeOf } from "./store/store.js";

/** The longest wait of a Node timer; a longer one is waited for in steps by whoever asks. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	after(ms, call) {
		const timer = setTimeout(call, Math.min(ms, TIMER_MAX_MS));
		timer.unref();
		return () => clearTimeout(timer);
	},
};

export const systemRandom = { bytes: (length: number): Uint8Array => randomBytes(length) };

export interface OpenedDesk extends Pick<DeskProgram, "engine" | "app" | "close"> {
	/** The origin of its addresses; where the system chooses the port, that of now. */
	readonly publicUrl: string;
	listen(): Promise<Listening>;
	/** A consistent copy of the database, while it runs. */
	backup(file: string): Promise<{ bytes: number }>;
}

/** Where the writer thread begins; the built one, or its source. */
const WRITER = new URL("./writer.js", import.meta.url);

async function openStore(config: Config, log: Log): Promise<{ store: Store; driver: Driver }> {
	if (config.databaseUrl !== undefined) {
		// The folder is this process's on PostgreSQL as well: its commands' socket lies there, and a second server would take it away.
		const unlock = lockFolder(config.dataDir);
		try {
			const { openPostgres } = await import("./store/postgres.js");
			const driver = await openPostgres({ url: config.databaseUrl, table: operationTable(decides, halves), clock: systemClock, log });
			const store = storeOf(driver, true);
			return { store: { ...store, close: () => store.close().finally(unlock) }, driver };
		} catch (error) {
			unlock();
			throw error;
		}
	}
	const driver = await openSqlite({
		dir: config.dataDir,
		workerUrl: WRITER,
		clock: systemClock,
		log,
		onBroken(why) {
			log("error", { err: why }, "The store can no longer be used; the server ends.");
			process.exit(1);
		},
	});
	return { store: storeOf(driver, false), driver };
}

/** Rejects with a sentence for the owner where the folder is in use or its database cannot be opened. */
export async function openDesk(config: Config): Promise<OpenedDesk> {
	const log = createLog({ level: config.logLevel });
	const { store, driver } = await openStore(config, log);
	const apps = openApps(config, systemClock.now);
	try {
		const desk = await createDesk({
			config,
			store,
			answerers: answerers(systemClock.now),
			clock: systemClock,
			random: systemRandom,
			log,
			apps,
		});
		return {
			engine: desk.engine,
			app: desk.app,
			get publicUrl() {
				return config.publicUrl;
			},
			listen: () => desk.listen({ port: config.port, ...(config.host === undefined ? {} : { host: config.host }) }),
			backup: (file) => driver.backup(file),
			close: async () => {
				await desk.close();
				await apps.close();
			},
		};
	} catch (error) {
		await store.close();
		throw error;
	}
}

/** Puts a backup in the place of the database of a desk that does not run. The old file stays beside it. */
export const restoreDesk = (config: Config, file: string): { kept: string | undefined } =>
	restore({ dir: config.dataDir, from: file, now: systemClock.now() });
