/** What both drivers promise, held to on both databases by the same words. */
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DeskError } from "../../shared/errors.js";
import { thrownFacts } from "../../shared/thrown.js";
import { rejection } from "../../test/refusal.js";
import { type Place, postgresPlace, sqlitePlace } from "../../test/store/drivers.js";
import { type Fault, names } from "../../test/store/table.js";
import type { Driver } from "./db.js";
import { all, one, type Steps } from "./sql.js";
import { databaseFile } from "./sqlite-connection.js";

const KINDS = [
	{
		kind: "SQLite",
		makePlace: sqlitePlace,
		/** Steps of a read during which somebody else adds the item "later". */
		*meanwhile(place: Place): Steps<void> {
			const other = new Database(databaseFile(place.at));
			other.exec("insert into item values ('later', 1, '')");
			other.close();
		},
	},
	{
		kind: "PostgreSQL",
		makePlace: postgresPlace,
		*meanwhile(_place: Place, driver: Driver): Steps<void> {
			const before = yield* one<{ at: number }>("select (extract(epoch from clock_timestamp()) * 1000)::bigint as at");
			void driver.write("ensure", { name: "later", value: 1 });
			yield* all("select pg_sleep(0.3)");
			const after = yield* one<{ at: number }>("select (extract(epoch from clock_timestamp()) * 1000)::bigint as at");
			expect((after?.at ?? 0) - (before?.at ?? 0)).toBeGreaterThan(250);
		},
	},
];

describe.each(KINDS)("a store on $kind", ({ makePlace, meanwhile }) => {
	let place: Place;
	let driver: Driver;

	beforeAll(async () => {
		place = await makePlace();
		driver = await place.open();
		await driver.write("setUp", null);
	});
	beforeEach(async () => {
		for (const text of ["delete from item", "delete from step", "delete from counter"]) await driver.write("ask", { text });
		place.logged.length = 0;
	});
	afterAll(async () => {
		await driver.close();
		await place.remove();
	});

	const kept = async (): Promise<string[]> => (await driver.read(names)).sort();

	it("keeps what an operation wrote, all of it, once it has answered", async () => {
		expect(await driver.write("put", { name: "a" })).toEqual({ before: 0 });
		expect(await kept()).toEqual(["a", "a'"]);
	});

	it.each<Fault["at"]>(["load", "decide", "write"])(
		"keeps nothing of an operation that refuses in its %s, and says its refusal",
		async (at) => {
			const error = await rejection(driver.write("put", { name: "a", fault: { at, how: "refuse" } }));
			expect(error.toWire()).toEqual({ code: "forbidden", message: `refused in ${at}`, detail: { metadata: { at } } });
			expect(await kept()).toEqual([]);
			expect(place.logged).toEqual([]);
		},
	);

	it.each<Fault["at"]>(["load", "decide", "write"])(
		"keeps nothing of an operation that breaks in its %s, and tells only the log why",
		async (at) => {
			const error = await rejection(driver.write("put", { name: "a", fault: { at, how: "break" } }));
			expect(error.code).toBe("internal");
			expect(error.message).not.toContain("broke");
			expect(await kept()).toEqual([]);
			expect(place.logged).toHaveLength(1);
			const { operation, error: told, fault } = place.logged[0]?.fields ?? {};
			expect(operation).toBe("put");
			// The writer's thread hands over what may be logged; in this thread the log itself leaves the message out.
			const facts = fault ?? thrownFacts(told);
			expect(facts).toMatchObject({ type: "TypeError", stack: expect.arrayContaining([expect.stringContaining("table.ts")]) });
			expect(JSON.stringify(facts)).not.toContain("broke in");
		},
	);

	it("keeps the others of the same moment when one refuses or breaks", async () => {
		const fault = (how: Fault["how"]): Fault => ({ at: "write", how });
		const ended = await Promise.allSettled([
			driver.write("put", { name: "a" }),
			driver.write("put", { name: "b", fault: fault("break") }),
			driver.write("put", { name: "c" }),
			driver.write("put", { name: "d", fault: fault("refuse") }),
			driver.write("put", { name: "e" }),
		]);
		expect(ended.map((end) => end.status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"]);
		expect(await kept()).toEqual(["a", "a'", "c", "c'", "e", "e'"]);
	});

	it("breaks an operation that is not in the table, and one whose rows are there already", async () => {
		expect((await rejection(driver.write("nothing", {}))).code).toBe("internal");
		await driver.write("put", { name: "a" });
		expect((await rejection(driver.write("put", { name: "a" }))).code).toBe("internal");
		expect(await kept()).toEqual(["a", "a'"]);
		await driver.write("put", { name: "b" });
	});

	it("does what was called in one moment in the order of the calls", async () => {
		const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => driver.write("put", { name: `n${i}` })));
		expect(answers).toEqual(answers.map((_, i) => ({ before: 2 * i })));
	});

	it("gives numbers without a gap to whoever counts at the same time", async () => {
		const counters = ["a", "b", "c"];
		const calls = Array.from({ length: 240 }, (_, i) => ({ name: counters[i % 3] ?? "", lane: `${i}` }));
		// The first number of each is not raced for: a row that is not there cannot be locked.
		await Promise.all(counters.map((name) => driver.write("count", { name })));
		const answers = (await Promise.all(calls.map((call) => driver.write("count", call)))) as { seq: number }[];
		for (const [at] of counters.entries()) {
			const given = answers.filter((_, i) => i % 3 === at).map(({ seq }) => seq);
			expect(given.sort((x, y) => x - y)).toEqual(given.map((_, i) => i + 2));
		}
		const steps = await driver.read(() =>
			all<{ n: number; last: number }>("select count(*) as n, max(seq) as last from step group by counter"),
		);
		expect(steps).toEqual([1, 2, 3].map(() => ({ n: 81, last: 81 })));
	});

	it("lets one of those that make the same thing at the same time make it, and the others see it", async () => {
		const answers = await Promise.all(Array.from({ length: 30 }, () => driver.write("ensure", { name: "a", value: 7 })));
		expect(answers.filter((answer) => (answer as { made: boolean }).made)).toHaveLength(1);
		expect(place.logged).toEqual([]);
	});

	it("ends those that wait for each other, and does them all", async () => {
		await Promise.all(["a", "b"].map((name) => driver.write("count", { name })));
		await Promise.all(Array.from({ length: 12 }, (_, i) => driver.write("both", { names: i % 2 ? ["a", "b"] : ["b", "a"] })));
		expect(await driver.read(() => all("select value from counter"))).toEqual([{ value: 13 }, { value: 13 }]);
	});

	it("reads several questions at one point in time, the first time and afterwards", async () => {
		for (let round = 0; round < 2; round++) {
			await driver.write("ask", { text: "delete from item" });
			const seen = await driver.read(function* () {
				const before = yield* names();
				// A read may be begun again from its start.
				if (before.length > 0) return [before, before];
				yield* meanwhile(place, driver);
				return [before, yield* names()];
			});
			expect(seen).toEqual([[], []]);
			await expect.poll(kept).toEqual(["later"]);
		}
	});

	it("gives numbers as numbers and truth as 1 and 0", async () => {
		await driver.write("put", { name: "a", value: Number.MAX_SAFE_INTEGER });
		const [row] = await driver.read(() =>
			all(
				"select max(value) as max, sum(value) as sum, count(*) as n, min(value) > 3 as yes, min(value) < 3 as no, ? as text from item where name = ?",
				"x",
				"a",
			),
		);
		expect(row).toEqual({ max: Number.MAX_SAFE_INTEGER, sum: Number.MAX_SAFE_INTEGER, n: 1, yes: 1, no: 0, text: "x" });
	});

	it("takes a question mark in quotes for what it is", async () => {
		await driver.write("put", { name: "who?", text: "it's" });
		const rows = await driver.read(() =>
			all<{ "?": string }>(`select text as "?" from item where name = 'who?' and text <> 'isn''t ?' and value = ?`, 0),
		);
		expect(rows).toEqual([{ "?": "it's" }]);
	});

	it.each([
		["a NUL", "a\u0000b", "invalid_params"],
		["half of a pair", "a\ud800", "invalid_params"],
		["a fraction", 1.5, "internal"],
		["no number", Number.NaN, "internal"],
		["more than it can count", 2 ** 53, "internal"],
		["truth", true, "internal"],
		["nothing", undefined, "internal"],
	])("refuses %s as a value, before any of it is written", async (_, value, code) => {
		const input = typeof value === "string" ? { name: "a", text: value } : { name: "a", value };
		const given = value === undefined ? { text: "select 1 as one where ? is not null", values: [undefined] } : undefined;
		expect((await rejection(given ? driver.write("ask", given) : driver.write("put", input))).code).toBe(code);
		expect(await kept()).toEqual([]);
	});

	it("refuses a read's values as it refuses a write's", async () => {
		await expect(driver.read(() => all("select name from item where name = ?", "a\u0000"))).rejects.toMatchObject({
			code: "invalid_params",
		});
	});

	it("lets a read's own error through, and reads on", async () => {
		await expect(
			driver.read(function* () {
				yield* names();
				throw new DeskError("not_found", "no such thing");
			}),
		).rejects.toMatchObject({ code: "not_found" });
		await expect(driver.read(() => all("select missing from nowhere"))).rejects.toThrow(/nowhere/);
		expect(await kept()).toEqual([]);
	});
});

describe.each(KINDS)("closing a store on $kind", ({ makePlace }) => {
	let place: Place;
	beforeEach(async () => {
		place = await makePlace();
	});
	afterEach(() => place.remove());

	it("waits for what was called before, and refuses what comes after", async () => {
		const driver = await place.open();
		await driver.write("setUp", null);
		const writes = Array.from({ length: 50 }, (_, i) => driver.write("put", { name: `n${i}` }));
		const closed = driver.close();
		const late = rejection(driver.write("put", { name: "late" }));
		expect(driver.close()).toBe(closed);
		await closed;
		expect(await Promise.all(writes)).toHaveLength(50);
		expect(await late).toMatchObject({ code: "unavailable", detail: { retryAfterSeconds: 2 } });
		expect((await rejection(driver.read(names))).code).toBe("unavailable");

		const again = await place.open();
		expect(await again.read(names)).toHaveLength(100);
		await again.close();
	});
});
