import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freshDatabase, type TestDatabase } from "../../test/postgres.js";
import { copyBefore, MIGRATIONS, migratePostgres, migrateSqlite, schemaOf } from "./migrate.js";

const NOW = Date.UTC(2026, 0, 1);
const FIRST =
	"create table a (id {id}, name text {bytes} not null unique); create table b (a bigint not null references a(id), n bigint not null, primary key (a, n)){clustered};";
const SECOND = "alter table a add column size bigint not null default 7; insert into b select id, 1 from a;";

describe("migrations of a SQLite file", () => {
	let dir: string;
	let file: string;
	let db: Database.Database;
	beforeEach(() => {
		dir = mkdtempSync(join(tmpdir(), "migrate-"));
		file = join(dir, "desk.db");
		db = new Database(file);
	});
	afterEach(() => {
		db.close();
		rmSync(dir, { recursive: true, force: true });
	});

	const rows = (text: string, from = db) => from.prepare(text).all();

	it("bring an empty file to the schema, note each step, and leave no copy", () => {
		migrateSqlite(db, file, NOW, [FIRST, SECOND]);
		db.exec("insert into a (name) values ('x')");
		expect(rows("select * from a")).toEqual([{ id: 1, name: "x", size: 7 }]);
		expect(rows("select * from schema_version")).toEqual([
			{ version: 1, at: NOW },
			{ version: 2, at: NOW },
		]);
		expect(readdirSync(dir)).toEqual(["desk.db"]);
	});

	it("go on from where the file is, and keep it as it was beside it, for its user alone", () => {
		migrateSqlite(db, file, NOW, [FIRST]);
		db.exec("insert into a (name) values ('x')");
		migrateSqlite(db, file, NOW + 1, [FIRST, SECOND]);
		expect(rows("select * from b")).toEqual([{ a: 1, n: 1 }]);
		expect(rows("select * from schema_version")).toEqual([
			{ version: 1, at: NOW },
			{ version: 2, at: NOW + 1 },
		]);
		const copy = new Database(copyBefore(file, 1), { readonly: true });
		expect(rows("select * from a", copy)).toEqual([{ id: 1, name: "x" }]);
		expect(schemaOf(copy)).toBe(1);
		copy.close();
		expect(statSync(copyBefore(file, 1)).mode & 0o777).toBe(0o600);
	});

	it("do nothing to a file that is there already", () => {
		migrateSqlite(db, file, NOW, [FIRST]);
		migrateSqlite(db, file, NOW + 1, [FIRST]);
		expect(rows("select at from schema_version")).toEqual([{ at: NOW }]);
		expect(existsSync(copyBefore(file, 1))).toBe(false);
	});

	it("that fail half way leave the schema before them, and go on later", () => {
		migrateSqlite(db, file, NOW, [FIRST]);
		db.exec("insert into a (name) values ('x')");
		expect(() => migrateSqlite(db, file, NOW, [FIRST, `${SECOND} insert into nowhere values (1);`])).toThrow(/nowhere/);
		expect(schemaOf(db)).toBe(1);
		expect(rows("select * from a")).toEqual([{ id: 1, name: "x" }]);
		migrateSqlite(db, file, NOW, [FIRST, SECOND]);
		expect(rows("select size from a")).toEqual([{ size: 7 }]);
	});

	it("that would leave rows which point nowhere are not kept", () => {
		expect(() => migrateSqlite(db, file, NOW, [FIRST, "insert into b values (99, 1);"])).toThrow(/point nowhere/);
		expect(schemaOf(db)).toBe(1);
	});

	it("may make a table anew that others point to", () => {
		const anew =
			"create table c (id {id}, name text not null); insert into c select id, name from a; drop table a; alter table c rename to a;";
		migrateSqlite(db, file, NOW, [FIRST, SECOND]);
		db.exec("insert into a (name) values ('x'); insert into b values (1, 5)");
		migrateSqlite(db, file, NOW, [FIRST, SECOND, anew]);
		expect(rows("select * from b")).toEqual([{ a: 1, n: 5 }]);
		expect(() => db.exec("insert into b values (99, 1)")).toThrow(/FOREIGN KEY/);
	});

	it("refuse a file that a newer program has written, and do not touch it", () => {
		migrateSqlite(db, file, NOW, [FIRST, SECOND]);
		expect(() => migrateSqlite(db, file, NOW, [FIRST])).toThrow(/newer version of this program \(schema 2; this one knows 1\)/);
		expect(schemaOf(db)).toBe(2);
	});

	it("refuse a placeholder that stands for nothing", () => {
		expect(() => migrateSqlite(db, file, NOW, ["create table a (id {uuid});"])).toThrow(/\{uuid\}/);
	});

	it("are those of the product", () => {
		migrateSqlite(db, file, NOW);
		expect(schemaOf(db)).toBe(MIGRATIONS.length);
		expect(rows("pragma foreign_key_check")).toEqual([]);
	});
});

describe("migrations of a PostgreSQL database", () => {
	let database: TestDatabase;
	let client: Client;
	beforeEach(async () => {
		database = await freshDatabase();
		client = new Client({ connectionString: database.url });
		await client.connect();
	});
	afterEach(async () => {
		await client.end();
		await database.drop();
	});

	const rows = async (text: string) => (await client.query(text)).rows;

	it("bring it to the schema step by step, and sort public ids by their bytes", async () => {
		await migratePostgres(client, NOW, [FIRST]);
		await client.query("insert into a (name) values ('b'), ('A'), ('a'), ('B')");
		await migratePostgres(client, NOW + 1, [FIRST, SECOND]);
		expect((await rows("select name from a order by name")).map((row) => row.name)).toEqual(["A", "B", "a", "b"]);
		expect(await rows("select version, at::text from schema_version")).toEqual([
			{ version: 1, at: `${NOW}` },
			{ version: 2, at: `${NOW + 1}` },
		]);
	});

	it("that fail half way leave the schema before them, and go on later", async () => {
		await migratePostgres(client, NOW, [FIRST]);
		await expect(migratePostgres(client, NOW, [FIRST, `${SECOND} insert into nowhere values (1);`])).rejects.toThrow(/nowhere/);
		expect(await rows("select max(version) as version from schema_version")).toEqual([{ version: 1 }]);
		await migratePostgres(client, NOW, [FIRST, SECOND]);
		expect(await rows("select count(*)::int as n from b")).toEqual([{ n: 0 }]);
	});

	it("refuse a database that a newer program has written", async () => {
		await migratePostgres(client, NOW, [FIRST, SECOND]);
		await expect(migratePostgres(client, NOW, [FIRST])).rejects.toThrow(/newer version of this program/);
	});

	it("are done once by several nodes at once", async () => {
		const others = await Promise.all(
			[1, 2, 3].map(async () => {
				const other = new Client({ connectionString: database.url });
				await other.connect();
				return other;
			}),
		);
		await Promise.all([client, ...others].map((node) => migratePostgres(node, NOW, [FIRST, SECOND])));
		expect(await rows("select version from schema_version order by version")).toEqual([{ version: 1 }, { version: 2 }]);
		await Promise.all(others.map((other) => other.end()));
	});

	it("are those of the product", async () => {
		await migratePostgres(client, NOW);
		expect(await rows("select max(version) as version from schema_version")).toEqual([{ version: MIGRATIONS.length }]);
	});
});
