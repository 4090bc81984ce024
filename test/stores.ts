/** Both databases for the suites that run on both: a fresh store, and the same one opened again. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decides } from "../server/engine/operations.js";
import type { Clock, Store } from "../server/engine/ports.js";
import { operationTable } from "../server/store/db.js";
import { halves } from "../server/store/operations.js";
import { openPostgres } from "../server/store/postgres.js";
import { openSqlite } from "../server/store/sqlite.js";
import { storeOf } from "../server/store/store.js";
import { freshDatabase } from "./postgres.js";

export const DATABASES = ["sqlite", "postgres"] as const;
export type Database = (typeof DATABASES)[number];

/** A place that holds one database; `open` may be called again after the store was closed. */
export interface StorePlace {
	open(clock: Clock): Promise<Store>;
	remove(): Promise<void>;
}

const log = (): void => undefined;

/** `workerUrl`: another writer than the product's, on SQLite. */
export async function storePlace(
	database: Database,
	{ workerUrl = new URL("../server/writer.js", import.meta.url) }: { workerUrl?: URL } = {},
): Promise<StorePlace> {
	if (database === "sqlite") {
		const dir = await mkdtemp(join(tmpdir(), "store-"));
		return {
			open: async (clock) => storeOf(await openSqlite({ dir, workerUrl, clock, log }), false),
			remove: () => rm(dir, { recursive: true, force: true }),
		};
	}
	const fresh = await freshDatabase();
	return {
		open: async (clock) => storeOf(await openPostgres({ url: fresh.url, table: operationTable(decides, halves), clock, log }), true),
		remove: () => fresh.drop(),
	};
}
