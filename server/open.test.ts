import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freshDatabase, type TestDatabase } from "../test/postgres.js";
import { reachAdmin } from "./admin.js";
import { loadConfig } from "./config.js";
import { openDesk } from "./open.js";
import { serve } from "./serve.js";
import { lockFolder } from "./store/lock.js";

describe.each(["SQLite", "PostgreSQL"])("the folder of a desk on %s", (kind) => {
	let folder: string;
	let database: TestDatabase | undefined;
	let env: Record<string, string>;

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "open-"));
		database = kind === "PostgreSQL" ? await freshDatabase() : undefined;
		env = {
			DATA_DIR: join(folder, "data"),
			LOG_LEVEL: "silent",
			PORT: "0",
			...(database ? { DATABASE_URL: database.url } : {}),
		};
	}, 60_000);
	afterEach(async () => {
		await database?.drop();
		rmSync(folder, { recursive: true, force: true });
	});

	it("is made at the start, serves the commands, and is refused to a second server until the first has gone", async () => {
		const server = await serve(loadConfig(env));
		try {
			expect(await (await reachAdmin(join(folder, "data")))?.desks()).toEqual([]);
			await expect(serve(loadConfig(env))).rejects.toThrow(/already running.*Stop it first, or set DATA_DIR/);
			// The refused one has taken nothing away.
			expect(await (await reachAdmin(join(folder, "data")))?.desks()).toEqual([]);
		} finally {
			await server.close();
		}
		await (await openDesk(loadConfig(env))).close();
	});
});

describe("a folder whose PostgreSQL cannot be opened", () => {
	it("is let go of", async () => {
		const folder = mkdtempSync(join(tmpdir(), "open-"));
		try {
			const config = loadConfig({ DATA_DIR: folder, LOG_LEVEL: "silent", DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
			await expect(openDesk(config)).rejects.toThrow(/DATABASE_URL/);
			lockFolder(folder)();
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});
});
