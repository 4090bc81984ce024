/**
 * What the schema itself promises: a conversation that is erased takes along what was written about it, and whatever upkeep looks for
 * stands in an index. On both databases where that can be seen on both.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freshDatabase } from "../../test/postgres.js";
import { DATABASES } from "../../test/stores.js";
import type { OperationName } from "../engine/operations.js";
import { migratePostgres, migrateSqlite } from "./migrate.js";
import { halves } from "./operations.js";
import { inPostgres } from "./postgres.js";
import type { Query, Row, SqlValue } from "./sql.js";

interface Raw {
	ask(text: string, ...values: SqlValue[]): Promise<Row[]>;
	/** By table with a `conversation_id`: what becomes of its rows when a conversation goes; undefined: they do not point there. */
	onDelete(): Promise<Record<string, string | undefined>>;
	close(): Promise<void>;
}

async function sqlite(): Promise<Raw> {
	const dir = mkdtempSync(join(tmpdir(), "schema-"));
	const connection = new Database(join(dir, "desk.sqlite"));
	migrateSqlite(connection, join(dir, "desk.sqlite"), 0);
	connection.pragma("foreign_keys = on");
	return {
		async ask(text, ...values) {
			const statement = connection.prepare(text.replaceAll(/\{lock( of \w+)?\}/g, ""));
			if (statement.reader) return statement.all(...values) as Row[];
			statement.run(...values);
			return [];
		},
		async onDelete() {
			const tables = connection.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
			const about = tables.filter((table) =>
				(connection.pragma(`table_info(${table})`) as { name: string }[]).some(({ name }) => name === "conversation_id"),
			);
			return Object.fromEntries(
				about.map((table) => {
					const keys = connection.pragma(`foreign_key_list(${table})`) as { table: string; on_delete: string }[];
					return [table, keys.find((key) => key.table === "conversation")?.on_delete];
				}),
			);
		},
		async close() {
			connection.close();
			rmSync(dir, { recursive: true });
		},
	};
}

async function postgres(): Promise<Raw> {
	const fresh = await freshDatabase();
	const client = new Client({ connectionString: fresh.url });
	await client.connect();
	await migratePostgres(client, 0);
	const ask = async (text: string, ...values: SqlValue[]) => (await client.query<Row>(inPostgres(text).text, values)).rows;
	return {
		ask,
		async onDelete() {
			const rows = await ask(
				`select c.table_name as "table", (select r.delete_rule from information_schema.key_column_usage k
					join information_schema.referential_constraints r on r.constraint_name = k.constraint_name
					where k.table_name = c.table_name and k.column_name = 'conversation_id') as "rule"
				from information_schema.columns c where c.column_name = 'conversation_id' and c.table_schema = 'public'`,
			);
			return Object.fromEntries(rows.map(({ table, rule }) => [String(table), rule === null ? undefined : String(rule)]));
		},
		async close() {
			await client.end();
			await fresh.drop();
		},
	};
}

describe.each(DATABASES)("the schema on %s", (database) => {
	let raw: Raw;
	beforeEach(async () => {
		raw = await (database === "sqlite" ? sqlite() : postgres());
	});
	afterEach(() => raw.close());

	/** Of the first schema, before there were any: whoever erases a conversation has to know them. */
	const KNOWN = ["event", "gap", "message", "participant", "task", "turn"];

	it("ties everything that is written about a conversation to it", async () => {
		const rules = await raw.onDelete();
		expect(Object.keys(rules)).toEqual(expect.arrayContaining([...KNOWN, "app_call", "conversation_elsewhere"]));
		for (const [table, rule] of Object.entries(rules)) if (!KNOWN.includes(table)) expect(rule, table).toMatch(/^(?:CASCADE|SET NULL)$/);
		expect(rules).toMatchObject({ app_call: "CASCADE", conversation_elsewhere: "CASCADE", rating: "CASCADE" });
	});

	it("leaves no word of a conversation that is erased, and another's as it is", async () => {
		for (const id of [1, 2]) {
			await raw.ask(
				`insert into conversation (uid, desk_id, seq, epoch, channel, changed_at, created_at) values ('ctx_${id}', 1, 0, 0, 'embed', 0, 0)`,
			);
			const [row] = await raw.ask(`select id from conversation where uid = 'ctx_${id}'`);
			expect(row).toEqual({ id: database === "sqlite" ? id : String(id) });
			await raw.ask("insert into conversation_elsewhere (conversation_id) values (?)", id);
			await raw.ask(
				"insert into app_call (uid, desk_id, conversation_id, turn_uid, asker_id, tool, call, state, at) values (?, 1, ?, ?, 1, 'webSearch', 'words', 'done', 1)",
				...[`cal_${id}`, id, `trn_${id}`],
			);
			await raw.ask("insert into rating (conversation_id, seq, value, at) values (?, 1, 'up', 1)", id);
		}
		await raw.ask("delete from conversation where uid = 'ctx_1'");
		for (const table of ["conversation_elsewhere", "app_call", "rating"]) {
			const rows = await raw.ask(`select conversation_id as id from ${table}`);
			expect(
				rows.map(({ id }) => Number(id)),
				table,
			).toEqual([2]);
		}
	});
});

describe("what is looked for again and again", () => {
	let raw: Raw;
	beforeEach(async () => {
		raw = await sqlite();
	});
	afterEach(() => raw.close());

	const INPUT = { deskId: 1, uid: "u", now: 9e12, limit: 50, before: 9e12, resultsBefore: 9e12, callsBefore: 9e12, askedBefore: 9e12 };

	/** The plan of every question of an operation, as SQLite tells it. */
	async function plansOf(name: OperationName, answer: (text: string) => Row[] = () => []): Promise<string[]> {
		const plans: string[] = [];
		const steps = halves[name].load(INPUT as never) as Generator<Query, unknown, Row[]>;
		for (let step = steps.next(); !step.done; ) {
			const { text, values } = step.value;
			const plan = await raw.ask(`explain query plan ${text}`, ...values);
			plans.push(plan.map(({ detail }) => String(detail)).join("; "));
			step = steps.next(answer(text));
		}
		return plans;
	}

	it.each<[OperationName, string[]]>([
		["pruneTickets", ["ticket_by_expiry"]],
		["pruneFollowUps", ["follow_up_by_expiry", "asked_by_time"]],
		["expireApprovals", ["approval_by_expiry", "approval_waiting"]],
		["pruneApprovals", ["approval_by_decision"]],
		["pruneCalls", ["app_call_results", "app_call_by_time"]],
		["changePreset", ["approval_waiting", "app_call_begun"]],
	])("by %s stands in an index, and nothing that is not looked for is walked past: %j", async (name, indexes) => {
		const plans = await plansOf(name, (text) => (/select desk_id/.test(text) ? [{ deskId: 1 }] : []));
		const named = plans.flatMap((plan) => /INDEX (\w+)/.exec(plan)?.[1] ?? []).filter((index) => !index.startsWith("sqlite_autoindex"));
		expect(named).toEqual(indexes);
		// What is equal in the first may be sorted by the second.
		for (const plan of plans) expect(plan).not.toMatch(/SCAN|TEMP B-TREE FOR (?!LAST TERM)/);
	});
});
