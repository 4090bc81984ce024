/** What only the SQLite driver promises: its disk, its locks, its log, its thread. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DeskError } from "../../shared/errors.js";
import { type Place, sqlitePlace } from "../../test/store/drivers.js";
import { names } from "../../test/store/table.js";
import type { Driver } from "./db.js";
import { all } from "./sql.js";
import { LOG_BYTES_MAX } from "./sqlite-checkpoints.js";
import { checkVersion, databaseFile, sizeOf } from "./sqlite-connection.js";
import { prepareWriter } from "./sqlite-writer.js";

let place: Place;
let driver: Driver;
let file: string;

const entry = (name: string): URL => new URL(`../../test/store/${name}.js`, import.meta.url);

async function start(options: Parameters<Place["open"]>[0] = {}): Promise<void> {
	driver = await place.open(options);
	await driver.write("setUp", null);
}

beforeEach(async () => {
	place = await sqlitePlace();
	file = databaseFile(place.at);
});
afterEach(async () => {
	await driver?.close();
	await place.remove();
});

const pragma = async (name: string): Promise<unknown> =>
	Object.values(((await driver.write("ask", { text: `pragma ${name}` })) as object[])[0] ?? {})[0];
const texts = (n: number, chars: number): Promise<PromiseSettledResult<unknown>[]> =>
	Promise.allSettled(Array.from({ length: n }, (_, i) => driver.write("put", { name: `t${Math.random()}${i}`, text: "x".repeat(chars) })));
const reasons = (ended: PromiseSettledResult<unknown>[]): DeskError[] =>
	ended.flatMap((end) => (end.status === "rejected" ? [end.reason as DeskError] : []));

/** Changes bytes of a file from outside: in this process it would cost the locks that SQLite holds on it. */
function overwrite(path: string, from: number, bytes: number): void {
	const code = `const fs = require("fs"), d = fs.openSync(${JSON.stringify(path)}, "r+"); fs.writeSync(d, Buffer.alloc(${bytes}, 0xa5), 0, ${bytes}, ${from}); fs.closeSync(d)`;
	expect(spawnSync(process.execPath, ["-e", code]).status).toBe(0);
}

describe("the connections", () => {
	it("waits for the disk at every commit, in a log that only it empties", async () => {
		await start();
		expect(await pragma("synchronous")).toBe(2);
		expect(await pragma("journal_mode")).toBe("wal");
		expect(await pragma("wal_autocheckpoint")).toBe(0);
		expect(await pragma("secure_delete")).toBe(1);
		expect(await pragma("foreign_keys")).toBe(1);
	});

	it("does not start on a SQLite that would not wait", () => {
		const path = join(place.at, "deaf.db");
		const made = new Database(path);
		made.pragma("journal_mode = wal");
		made.exec("create table item (name text)");
		made.close();
		const real = new Database(path);
		const deaf = Object.create(real, {
			pragma: {
				value: (text: string, options?: Database.PragmaOptions) => (text.startsWith("synchronous =") ? [] : real.pragma(text, options)),
			},
		}) as Database.Database;
		expect(() => prepareWriter(deaf)).toThrow(/PRAGMA synchronous reads 1, not 2/);
		real.close();
	});

	it("does not start where SQLite cannot have its log", () => {
		const memory = new Database(":memory:");
		expect(() => prepareWriter(memory)).toThrow(/Use a folder on a local disk/);
		memory.close();
	});

	it.each(["3.7.0", "3.51.2", "2.99.99"])("does not start on SQLite %s, which can damage the file", (version) => {
		expect(() => checkVersion({ prepare: () => ({ pluck: () => ({ get: () => version }) }) } as unknown as Database.Database)).toThrow(
			version,
		);
	});

	it.each(["3.51.3", "3.52.0", "4.0.0"])("starts on SQLite %s", (version) => {
		expect(() =>
			checkVersion({ prepare: () => ({ pluck: () => ({ get: () => version }) }) } as unknown as Database.Database),
		).not.toThrow();
	});

	it("cannot write where it reads", async () => {
		await start();
		await expect(driver.read(() => all("insert into item values ('a', 1, '')"))).rejects.toThrow();
		expect(await driver.read(names)).toEqual([]);
	});

	it("lets only its user read what it keeps", async () => {
		mkdirSync(join(place.at, "deep"));
		driver = await place.open({ dir: join(place.at, "deep", "er") });
		await driver.write("setUp", null);
		const mode = (...path: string[]): number => statSync(join(place.at, "deep", "er", ...path)).mode & 0o777;
		expect(mode()).toBe(0o700);
		for (const name of ["desk.db", "desk.db-wal", "desk.db-shm", "server.lock"]) expect([name, mode(name)]).toEqual([name, 0o600]);
	});

	it("leaves one file when it is closed", async () => {
		await start();
		await driver.close();
		expect(sizeOf(`${file}-wal`)).toBe(0);
	});
});

describe("an acknowledgement", () => {
	/** What another connection sees in the moment of each answer. */
	async function seenAtAnswers(): Promise<number[]> {
		await driver.write("ask", { text: "select 1 as one" });
		const other = new Database(file, { readonly: true });
		const count = other.prepare("select count(*) from item").pluck();
		const seen: number[] = [];
		for (let i = 0; i < 5; i++) {
			await driver.write("put", { name: `n${i}` });
			seen.push(count.get() as number);
		}
		other.close();
		return seen;
	}

	it("leaves after the commit", async () => {
		await start();
		expect(await seenAtAnswers()).toEqual([2, 4, 6, 8, 10]);
	});

	it("is seen to leave before it where the writer is careless", async () => {
		await start({ workerUrl: entry("careless-writer") });
		expect(await seenAtAnswers()).toEqual([0, 2, 4, 6, 8]);
	});
});

describe("a full disk", () => {
	it("refuses writes, keeps reading, and takes writes again by itself once there is room", async () => {
		await start();
		await driver.write("put", { name: "first" });
		const pages = (await pragma("page_count")) as number;
		await driver.write("ask", { text: `pragma max_page_count = ${pages + 20}` });

		// One after another: of writes that come together, some may find room after others have found none.
		const fill = async (): Promise<DeskError[]> => {
			const refused: DeskError[] = [];
			for (let i = 0; i < 20; i++) refused.push(...reasons(await texts(1, 20_000)));
			return refused;
		};
		const refusals = await fill();
		expect(refusals.length).toBeGreaterThan(0);
		for (const error of refusals)
			expect(error.toWire()).toMatchObject({
				code: "unavailable",
				message: expect.stringContaining("disk is full"),
				detail: { retryAfterSeconds: 2 },
			});
		// What was acknowledged is there, what was refused is not.
		expect(await driver.read(names)).toHaveLength(2 + 2 * (20 - refusals.length));
		expect((await texts(1, 300_000))[0]?.status).toBe("rejected");
		expect(reasons(await texts(20, 20_000))).toHaveLength(20);

		await driver.write("ask", { text: `pragma max_page_count = ${pages + 40}` });
		expect((await fill()).length).toBeLessThan(20);
		await driver.write("ask", { text: "pragma max_page_count = 1000000" });
		expect(reasons(await texts(20, 20_000))).toEqual([]);
		expect(place.logged.map(({ level, text }) => `${level}: ${text}`)).toEqual([
			"error: The database refuses writes; each is tried as it comes.",
			"info: The database takes writes again.",
			"error: The database refuses writes; each is tried as it comes.",
			"info: The database takes writes again.",
		]);
		expect(await driver.write("ask", { text: "pragma integrity_check" })).toEqual([{ integrity_check: "ok" }]);
	});

	it("takes the whole group with it, and nothing of it is kept", async () => {
		await start();
		const pages = (await pragma("page_count")) as number;
		await driver.write("ask", { text: `pragma max_page_count = ${pages + 5}` });
		const ended = await Promise.allSettled([
			driver.write("put", { name: "small" }),
			driver.write("put", { name: "large", text: "x".repeat(100_000) }),
		]);
		expect(reasons(ended).map(({ code }) => code)).toEqual(["unavailable", "unavailable"]);
		expect(await driver.read(names)).toEqual([]);
		await driver.write("put", { name: "small" });
	});
});

describe("a lock that somebody else holds", () => {
	it("is waited for in the thread; what has waited long enough is refused, and the event loop goes on", async () => {
		await start({ writeWaitMs: 400 });
		const other = new Database(file);
		other.exec("begin immediate");
		const delay = monitorEventLoopDelay({ resolution: 5 });
		delay.enable();
		const began = performance.now();
		const first = driver.write("put", { name: "a" }).catch((error: DeskError) => error);
		await vi.waitUntil(() => performance.now() - began > 200);
		const second = driver.write("put", { name: "b" }).catch((error: DeskError) => error);
		expect(await first).toMatchObject({ code: "unavailable", message: expect.stringContaining("busy") });
		const firstAt = performance.now() - began;
		expect(await driver.read(names)).toEqual([]);
		expect(await second).toMatchObject({ code: "unavailable" });
		const secondAt = performance.now() - began;
		delay.disable();
		other.close();
		// Each by its own time: the second is not held for the first's, nor refused with it.
		expect(firstAt).toBeGreaterThan(390);
		expect(secondAt - firstAt).toBeGreaterThan(100);
		expect(secondAt).toBeLessThan(1_500);
		expect(delay.percentile(99) / 1e6).toBeLessThan(50);
		await driver.write("put", { name: "c" });
		expect((await driver.read(names)).sort()).toEqual(["c", "c'"]);
	});

	it("refuses nothing if it is let go in time", async () => {
		await start();
		const other = new Database(file);
		other.exec("begin immediate");
		const began = performance.now();
		const write = driver.write("put", { name: "a" });
		await vi.waitUntil(() => performance.now() - began > 200);
		other.exec("commit");
		other.close();
		await write;
		expect(await driver.read(names)).toHaveLength(2);
	});
});

describe("the log", () => {
	it("is emptied when nobody has written for a while: what was erased is nowhere any more", async () => {
		await start({ workerUrl: entry("hasty-writer") });
		await driver.write("put", { name: "secret", text: "canary-51c9".repeat(500) });
		const found = (): boolean => spawnSync("grep", ["-q", "canary-51c9", file, `${file}-wal`]).status === 0;
		expect(found()).toBe(true);
		await driver.write("ask", { text: "delete from item" });
		await vi.waitUntil(() => sizeOf(`${file}-wal`) === 0, { timeout: 5_000 });
		expect(found()).toBe(false);
		await driver.write("put", { name: "a" });
		expect(await driver.read(names)).toHaveLength(2);
	});

	it("stays short while somebody is always reading", async () => {
		await start();
		const code = `import { register } from ${JSON.stringify(import.meta.resolve("tsx/esm/api"))}; register(); await import(${JSON.stringify(new URL("../../test/store/readers.ts", import.meta.url).href)});`;
		const readers = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
			workerData: { file, holdMs: 5 },
			execArgv: [],
		});
		let longest = 0;
		// About 200 MB through the log.
		for (let round = 0; round < 100; round++) {
			expect(reasons(await texts(25, 40_000))).toEqual([]);
			await driver.read(names);
			longest = Math.max(longest, sizeOf(`${file}-wal`));
			await driver.write("ask", { text: "delete from item" });
		}
		const ended = once(readers, "exit");
		readers.postMessage("end");
		await ended;
		expect(longest).toBeGreaterThan(4 * 1024 * 1024);
		expect(longest).toBeLessThan(LOG_BYTES_MAX);
	});
});

describe("a damaged file", () => {
	it("is refused at the start, with what to do", async () => {
		await start();
		await texts(200, 2_000);
		await driver.close();
		overwrite(file, 5 * 4_096, 3 * 4_096);
		await expect(place.open()).rejects.toThrow(/is damaged.*earthonline restore/);
		// Its folder is free for whoever mends it.
		await expect(place.open()).rejects.toThrow(/is damaged/);
	});

	it("is refused when it is no database at all", async () => {
		await start();
		await driver.close();
		overwrite(file, 0, 4_096);
		await expect(place.open()).rejects.toThrow(/is damaged/);
	});

	it("answers nothing any more when it is found while it is used", async () => {
		const broken: string[] = [];
		await start({ onBroken: (why) => broken.push(why.message) });
		await texts(400, 2_000);
		await driver.close();
		driver = await place.open({ onBroken: (why) => broken.push(why.message) });
		overwrite(file, 4_096, sizeOf(file) - 4_096);
		await expect(driver.read(() => all("select * from item"))).rejects.toMatchObject({
			code: "unavailable",
			message: expect.stringContaining("damaged"),
		});
		await expect(driver.read(() => all("select 1 as one"))).rejects.toMatchObject({ code: "unavailable" });
		await expect(driver.write("put", { name: "a" })).rejects.toMatchObject({ code: "unavailable" });
		expect(broken).toHaveLength(1);
	});

	it("is found by a write too", async () => {
		const broken: string[] = [];
		await start();
		await texts(400, 2_000);
		await driver.close();
		driver = await place.open({ onBroken: (why) => broken.push(why.message) });
		overwrite(file, 4_096, sizeOf(file) - 4_096);
		await expect(driver.write("put", { name: "a" })).rejects.toMatchObject({
			code: "unavailable",
			message: expect.stringContaining("damaged"),
		});
		await expect(driver.read(names)).rejects.toMatchObject({ code: "unavailable" });
		expect(broken).toHaveLength(1);
	});
});

describe("the thread", () => {
	it("keeps an answer that cannot be handed over from holding others back", async () => {
		await start();
		const ended = await Promise.allSettled([
			driver.write("put", { name: "a" }),
			driver.write("unspeakable", null),
			driver.write("put", { name: "b" }),
		]);
		expect(ended.map((end) => end.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
		expect(reasons(ended)[0]?.code).toBe("internal");
	});

	it("keeps an input that cannot be handed over from holding others back", async () => {
		await start();
		const ended = await Promise.allSettled([
			driver.write("put", { name: "a" }),
			driver.write("put", { name: "x", text: () => {} }),
			driver.write("put", { name: "b" }),
		]);
		expect(ended.map((end) => end.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
		expect((await driver.read(names)).sort()).toEqual(["a", "a'", "b", "b'"]);
	});

	it("is missed when it dies: what it had is unsure, all else refused, and the folder is free after the close", async () => {
		const broken: string[] = [];
		await start({ workerUrl: entry("mortal-writer"), onBroken: (why) => broken.push(why.message) });
		const [first, second] = await Promise.allSettled([driver.write("die", null), driver.write("put", { name: "a" })]);
		for (const end of [first, second]) {
			expect(end).toMatchObject({ reason: { code: "unavailable", message: expect.stringContaining("not known whether") } });
		}
		await expect(driver.write("put", { name: "b" })).rejects.toMatchObject({ code: "unavailable" });
		expect(broken).toHaveLength(1);
		await driver.close();
		driver = await place.open();
		expect(await driver.read(names)).toEqual([]);
	});
});
