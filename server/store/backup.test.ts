import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clock, type Place, sqlitePlace } from "../../test/store/drivers.js";
import { names } from "../../test/store/table.js";
import { backup, restore } from "./backup.js";
import type { Driver } from "./db.js";
import { all } from "./sql.js";
import { databaseFile, sizeOf } from "./sqlite-connection.js";

const NOW = clock.now();
let place: Place;
let driver: Driver;
let to: string;

beforeEach(async () => {
	place = await sqlitePlace();
	driver = await place.open();
	await driver.write("setUp", null);
	to = join(place.at, "backup.db");
});
afterEach(async () => {
	await driver.close();
	await place.remove();
});

const put = (...given: string[]) => Promise.all(given.map((name) => driver.write("put", { name })));
const kept = async () => (await driver.read(names)).sort();
const flip = (path: string, at: number, bytes: number): void => {
	const code = `const fs = require("fs"), d = fs.openSync(${JSON.stringify(path)}, "r+"); fs.writeSync(d, Buffer.alloc(${bytes}, 0xa5), 0, ${bytes}, ${at}); fs.closeSync(d)`;
	expect(spawnSync(process.execPath, ["-e", code]).status).toBe(0);
};

describe("a backup", () => {
	it("is taken while writes go on, holds what was acknowledged before it, and one point in time", async () => {
		let going = true;
		let last = 0;
		const writing = (async () => {
			while (going) last = ((await driver.write("count", { name: "a" })) as { seq: number }).seq;
		})();
		await Promise.all(Array.from({ length: 50 }, (_, i) => driver.write("put", { name: `n${i}`, text: "x".repeat(50_000) })));
		const before = last;
		const { bytes } = await driver.backup(to);
		const after = last;
		going = false;
		await writing;
		expect(after).toBeGreaterThan(before);
		expect(bytes).toBe(sizeOf(to));
		expect(statSync(to).mode & 0o777).toBe(0o600);

		await driver.close();
		const { kept: aside } = restore({ dir: place.at, from: to, now: NOW });
		driver = await place.open();
		const [counter] = await driver.read(() => all<{ value: number }>("select value from counter"));
		const steps = await driver.read(() => all<{ n: number; last: number }>("select count(*) as n, max(seq) as last from step"));
		expect(counter?.value).toBeGreaterThanOrEqual(before);
		expect(counter?.value).toBeLessThanOrEqual(after + 1);
		expect(steps).toEqual([{ n: counter?.value, last: counter?.value }]);
		expect(await kept()).toHaveLength(100);
		const old = new Database(aside ?? "", { readonly: true });
		expect(old.prepare("select value from counter").pluck().get()).toBe(last);
		old.close();
	});

	it("holds nothing that had been erased", async () => {
		await driver.write("put", { name: "secret", text: "canary-7f3a".repeat(200) });
		await driver.write("ask", { text: "delete from item" });
		await driver.backup(to);
		const { stdout } = spawnSync("grep", ["-c", "canary-7f3a", to], { encoding: "utf8" });
		expect(stdout.trim()).toBe("0");
	});

	it("can be taken by another process, or while no server runs", async () => {
		await put("a");
		expect(backup({ dir: place.at, to }).bytes).toBeGreaterThan(0);
		await driver.close();
		expect(backup({ dir: place.at, to: join(place.at, "second.db") }).bytes).toBeGreaterThan(0);
	});

	it("never writes over a file, and says what is wrong with a place that is none", async () => {
		writeFileSync(to, "something of mine");
		await expect(driver.backup(to)).rejects.toThrow(`There is already a file ${to}`);
		await expect(driver.backup(join(place.at, "nowhere", "x.db"))).rejects.toThrow(/There is no folder/);
		mkdirSync(join(place.at, "empty"));
		expect(() => backup({ dir: join(place.at, "empty"), to: join(place.at, "x.db") })).toThrow(/There is no database/);
		expect(readdirSync(place.at).filter((name) => name.includes("partial"))).toEqual([]);
	});
});

describe("a restore", () => {
	it("puts the backup in the place of the database and keeps that one beside it", async () => {
		await put("a");
		await driver.backup(to);
		await put("b");
		await driver.close();
		const { kept: aside } = restore({ dir: place.at, from: to, now: NOW });
		expect(aside).toBe(`${databaseFile(place.at)}.before-restore-${NOW}`);
		driver = await place.open();
		expect(await kept()).toEqual(["a", "a'"]);
		await put("c");
		const old = new Database(aside ?? "", { readonly: true });
		expect(old.prepare("select name from item order by name").pluck().all()).toEqual(["a", "a'", "b", "b'"]);
		old.close();
	});

	it("works in an empty folder", async () => {
		await put("a");
		await driver.backup(to);
		const dir = join(place.at, "new");
		expect(restore({ dir, from: to, now: NOW })).toEqual({ kept: undefined });
		const other = await place.open({ dir });
		expect(await other.read(names)).toHaveLength(2);
		await other.close();
	});

	it("does not mix an old log into what it restores", async () => {
		await put("a");
		await driver.backup(to);
		await put("b");
		// As a kill leaves it: the log beside the file.
		const killed = join(place.at, "killed");
		mkdirSync(killed);
		for (const end of ["", "-wal"]) spawnSync("cp", [databaseFile(place.at) + end, databaseFile(killed) + end]);
		expect(sizeOf(`${databaseFile(killed)}-wal`)).toBeGreaterThan(0);
		const { kept: aside } = restore({ dir: killed, from: to, now: NOW });
		const other = await place.open({ dir: killed });
		expect((await other.read(names)).sort()).toEqual(["a", "a'"]);
		await other.close();
		const old = new Database(aside ?? "", { readonly: true });
		expect(old.prepare("select count(*) from item").pluck().get()).toBe(4);
		old.close();
	});

	it("takes the place of a damaged database, which it keeps", async () => {
		await put("a");
		await driver.backup(to);
		await driver.close();
		flip(databaseFile(place.at), 0, 4_096);
		const { kept: aside } = restore({ dir: place.at, from: to, now: NOW });
		expect(existsSync(aside ?? "")).toBe(true);
		driver = await place.open();
		expect(await kept()).toEqual(["a", "a'"]);
	});

	it("refuses while a server runs, and touches nothing", async () => {
		await put("a");
		await driver.backup(to);
		await put("b");
		expect(() => restore({ dir: place.at, from: to, now: NOW })).toThrow(/already running/);
		expect(await kept()).toHaveLength(4);
	});

	it("refuses a file that is damaged, of a newer program, not ours, or not there, and touches nothing", async () => {
		await put("a");
		await driver.write("put", { name: "long", text: "x".repeat(200_000) });
		await driver.backup(to);
		await driver.close();
		const bad = (name: string, change: (path: string) => void): string => {
			const path = join(place.at, name);
			spawnSync("cp", [to, path]);
			change(path);
			return path;
		};
		const damaged = bad("damaged.db", (path) => flip(path, 4_096 * 3, 4_096 * 4));
		const newer = bad("newer.db", (path) => {
			const db = new Database(path);
			db.exec("insert into schema_version values (1000, 0)");
			db.close();
		});
		const foreign = bad("foreign.db", (path) => {
			rmSync(path);
			const db = new Database(path);
			db.exec("create table other (x)");
			db.close();
		});
		const text = bad("text.db", (path) => writeFileSync(path, "not a database at all, but long enough to be looked at. ".repeat(100)));
		for (const [from, why] of [
			[damaged, /is damaged.*use another backup/s],
			[newer, /newer version/],
			[foreign, /not a database of this program/],
			[text, /is damaged.*use another backup/s],
			[join(place.at, "missing.db"), /There is no database/],
		] as const) {
			expect(() => restore({ dir: place.at, from, now: NOW })).toThrow(why);
		}
		driver = await place.open();
		expect(await kept()).toHaveLength(4);
	});
});
