/** What only the PostgreSQL driver promises: its way with lost connections, its hints, its words of SQL. */

import { mkdtemp, rm } from "node:fs/promises";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { freshDatabase, PostgresServer } from "../../test/postgres.js";
import { clock, type Place, postgresPlace } from "../../test/store/drivers.js";
import { names, table } from "../../test/store/table.js";
import type { Hint, NoticeHint } from "../engine/ports.js";
import type { Driver } from "./db.js";
import { MIGRATIONS } from "./migrate.js";
import { inPostgres, openPostgres } from "./postgres.js";
import { all } from "./sql.js";

let place: Place;
let driver: Driver;
let admin: Client;

beforeAll(async () => {
	place = await postgresPlace();
	driver = await place.open();
	await driver.write("setUp", null);
	admin = new Client({ connectionString: place.at });
	await admin.connect();
});
beforeEach(async () => {
	await admin.query("delete from item; delete from step; delete from counter");
	place.logged.length = 0;
});
afterAll(async () => {
	await driver.close();
	await admin.end();
	await place.remove();
});

/** Ends the server's side of our connections; `which`: by the name that they gave themselves. */
const endConnections = (which = "earthonline"): Promise<unknown> =>
	admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = $1", [
		which,
	]);

/** A door in front of the database that can be shut: connections through it break, and none is let in. */
async function doorTo(
	url: string,
): Promise<{ url: string; shut(): void; open(): void; close(): Promise<void>; onClientBytes(look: (bytes: Buffer) => void): void }> {
	const { hostname, port } = new URL(url);
	const sockets = new Set<Socket>();
	let isShut = false;
	let look = (_: Buffer): void => {};
	const server: Server = createServer((socket) => {
		if (isShut) return socket.destroy();
		const onward = dial(Number(port), hostname);
		for (const [one, other] of [
			[socket, onward],
			[onward, socket],
		] as const) {
			sockets.add(one);
			one.on("error", () => {});
			one.on("close", () => {
				sockets.delete(one);
				other.destroy();
			});
		}
		socket.on("data", (bytes) => {
			onward.write(bytes);
			look(bytes);
		});
		onward.pipe(socket);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const through = new URL(url);
	through.port = String((server.address() as { port: number }).port);
	const shut = (): void => {
		isShut = true;
		for (const socket of sockets) socket.destroy();
	};
	return {
		url: through.href,
		shut,
		open: () => {
			isShut = false;
		},
		onClientBytes: (l) => {
			look = l;
		},
		close: () => {
			shut();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}

describe("texts", () => {
	it.each([
		["select 1", "select 1"],
		["select ? , ?", "select $1 , $2"],
		["select '?', ?, 'it''s ?', \"a?\", ?", "select '?', $1, 'it''s ?', \"a?\", $2"],
		["select * from t where a = ? {lock}", "select * from t where a = $1 for update"],
	])("%s", (text, expected) => {
		const { text: rewritten, name } = inPostgres(text);
		expect(rewritten).toBe(expected);
		expect(name).toMatch(/^q[0-9a-f]{24}$/);
	});

	it("have names that differ as they do", () => {
		expect(inPostgres("select 1").name).not.toBe(inPostgres("select 2").name);
	});
});

describe("lanes", () => {
	it("keep the order within one and not between two", async () => {
		await Promise.all(["a", "b"].map((name) => driver.write("count", { name })));
		const holder = new Client({ connectionString: place.at });
		await holder.connect();
		await holder.query("begin");
		await holder.query("select value from counter where name = 'a' for update");
		const order: string[] = [];
		const count = (name: string, lane: string) => driver.write("count", { name, lane }).then(() => order.push(`${name} in ${lane}`));
		const writes = [count("a", "1"), count("b", "1"), count("b", "2")];
		await writes[2];
		await holder.query("commit");
		await holder.end();
		await Promise.all(writes);
		expect(order).toEqual(["b in 2", "a in 1", "b in 1"]);
	});
});

describe("a lost database", () => {
	it("is found again by reads and writes after its connections were ended", async () => {
		await driver.write("put", { name: "a" });
		await endConnections();
		await driver.write("put", { name: "b" });
		await endConnections();
		expect((await driver.read(names)).sort()).toEqual(["a", "a'", "b", "b'"]);
		expect(place.logged).toEqual([]);
	});

	it("is waited for a while, then said to be away; nothing is done twice", async () => {
		const door = await doorTo(place.at);
		const other = await openPostgres({ url: door.url, table, clock, log: () => {}, writeWaitMs: 600 });
		await other.write("count", { name: "a" });
		door.shut();
		const began = performance.now();
		await expect(other.write("count", { name: "a" })).rejects.toMatchObject({
			code: "unavailable",
			message: expect.stringContaining("does not answer"),
		});
		expect(performance.now() - began).toBeGreaterThan(500);
		await expect(other.read(names)).rejects.toMatchObject({ code: "unavailable" });

		const late = other.write("count", { name: "a" });
		await vi.waitUntil(() => performance.now() - began > 300);
		door.open();
		expect(await late).toMatchObject({ seq: 2 });
		await other.close();
		await door.close();
	});

	it("leaves it unsure when it is lost in the commit, and the truth is one of the two", async () => {
		const door = await doorTo(place.at);
		const other = await openPostgres({ url: door.url, table, clock, log: () => {} });
		await other.write("count", { name: "a" });
		door.onClientBytes((bytes) => {
			if (bytes.includes("commit")) door.shut();
		});
		await expect(other.write("count", { name: "a" })).rejects.toMatchObject({
			code: "unavailable",
			message: expect.stringContaining("not known whether"),
		});
		await door.close();
		await other.close();
		expect([1, 2]).toContain((await admin.query("select value::int from counter where name = 'a'")).rows[0].value);
	});

	it("has its locks waited for no longer than a write may wait", async () => {
		await driver.write("count", { name: "a" });
		const other = await openPostgres({ url: place.at, table, clock, log: () => {}, writeWaitMs: 300 });
		await admin.query("begin");
		await admin.query("select value from counter where name = 'a' for update");
		await expect(other.write("count", { name: "a" })).rejects.toMatchObject({ code: "unavailable" });
		await admin.query("commit");
		expect(await other.write("count", { name: "a" })).toMatchObject({ seq: 2 });
		await other.close();
	});
});

describe("hints", () => {
	let node: Driver;
	let heard: Hint[];
	beforeEach(async () => {
		node = await place.open();
		heard = [];
		node.onHint((hint) => heard.push(hint));
	});
	afterEach(() => node.close());

	it("tell the other nodes after the commit, the last number of each conversation of a moment, and not the node itself", async () => {
		const own: Hint[] = [];
		const stop = driver.onHint((hint) => own.push(hint));
		await Promise.all([driver.write("count", { name: "a", grow: 7 }), driver.write("count", { name: "b", grow: 8 })]);
		await expect.poll(() => heard.length).toBe(2);
		expect(heard.sort((x, y) => x.conversationId - y.conversationId)).toEqual([
			{ conversationId: 7, seq: 1 },
			{ conversationId: 8, seq: 1 },
		]);
		await node.write("count", { name: "a", grow: 7 });
		await expect.poll(() => own).toEqual([{ conversationId: 7, seq: 2 }]);
		expect(heard).toHaveLength(2);
		stop();
		await node.write("count", { name: "a", grow: 7 });
		await node.close();
		expect(own).toHaveLength(1);
	});

	it("are sent at the latest when the node closes", async () => {
		const leaving = await place.open();
		const written = leaving.write("count", { name: "a", grow: 9 });
		await leaving.close();
		await written;
		await expect.poll(() => heard).toEqual([{ conversationId: 9, seq: 1 }]);
	});

	it("are heard again after the connection that hears them was ended", async () => {
		await endConnections("earthonline hints");
		let seq = 0;
		await vi.waitUntil(
			async () => {
				({ seq } = (await driver.write("count", { name: "a", grow: 7 })) as { seq: number });
				return heard.length > 0;
			},
			{ timeout: 10_000, interval: 50 },
		);
		expect(seq).toBeGreaterThan(0);
		expect(place.logged.some(({ level, text }) => level === "warn" && text.includes("hears other nodes"))).toBe(true);
	});

	it("tell of notices apart from growth", async () => {
		const noticed: NoticeHint[] = [];
		node.onNotice((hint) => noticed.push(hint));
		await admin.query("select pg_notify('hints', 'notice:5')");
		await expect.poll(() => noticed).toEqual([{ id: 5 }]);
		expect(heard).toEqual([]);
	});

	it("that are none are let go by", async () => {
		const noticed: NoticeHint[] = [];
		node.onNotice((hint) => noticed.push(hint));
		for (const payload of ["", "x", "7", "7:", ":7", "7:x", "-7:1", "7:1:2", "notice", "notice:", "notice:x", "notices:1", "notice:-1"])
			await admin.query("select pg_notify('hints', $1)", [payload]);
		await admin.query("select pg_notify('hints', '7:1')");
		await expect.poll(() => heard).toEqual([{ conversationId: 7, seq: 1 }]);
		expect(noticed).toEqual([]);
	});
});

describe("opening", () => {
	it("says what is wrong with an address where nothing answers", async () => {
		const door = await doorTo(place.at);
		await door.close();
		await expect(openPostgres({ url: door.url, table, clock, log: () => {} })).rejects.toMatchObject({
			code: "unavailable",
			message: expect.stringContaining("DATABASE_URL"),
		});
	});

	it("refuses a database that does not wait for its disk", async () => {
		const { url, drop } = await freshDatabase();
		const name = new URL(url).pathname.slice(1);
		await admin.query(`alter database ${name} set synchronous_commit = off`);
		await expect(openPostgres({ url, table, clock, log: () => {} })).rejects.toThrow(/does not wait for its disk/);
		await drop();
	});

	it("is done by several nodes at once on an empty database", async () => {
		const { url, drop } = await freshDatabase();
		const nodes = await Promise.all(Array.from({ length: 4 }, () => openPostgres({ url, table, clock, log: () => {} })));
		for (const node of nodes)
			expect(await node.read(() => all("select version from schema_version"))).toEqual(MIGRATIONS.map((_, i) => ({ version: i + 1 })));
		await Promise.all(nodes.map((node) => node.close()));
		await drop();
	});

	it("does not know how to back itself up, and says what does", async () => {
		await expect(driver.backup("/tmp/nowhere")).rejects.toThrow(/pg_dump/);
	});
});

describe("a restart of the database", () => {
	it("loses nothing that was acknowledged and does nothing twice; writes go on by themselves", async () => {
		const dir = await mkdtemp(join(tmpdir(), "postgres-"));
		const server = await PostgresServer.create(dir);
		const node = await openPostgres({ url: server.url("postgres"), table, clock, log: () => {}, writeWaitMs: 5_000 });
		await node.write("setUp", null);
		const acknowledged: number[] = [];
		let unsure = 0;
		let going = true;
		const writers = Array.from({ length: 4 }, async () => {
			while (going) {
				try {
					acknowledged.push(((await node.write("count", { name: "a" })) as { seq: number }).seq);
				} catch (error) {
					expect(error).toMatchObject({ code: "unavailable" });
					unsure++;
				}
			}
		});
		const reach = (n: number) => vi.waitUntil(() => acknowledged.length >= n, { timeout: 20_000 });
		await reach(50);
		await server.stop("immediate");
		await server.start();
		await reach(acknowledged.length + 50);
		going = false;
		await Promise.all(writers);
		const steps = (await node.read(() => all<{ seq: number }>("select seq from step order by seq"))).map(({ seq }) => seq);
		expect(steps).toEqual(steps.map((_, i) => i + 1));
		expect(new Set(acknowledged).size).toBe(acknowledged.length);
		expect(steps.length - acknowledged.length).toBeGreaterThanOrEqual(0);
		expect(steps.length - acknowledged.length).toBeLessThanOrEqual(unsure);
		await node.close();
		await server.stop();
		await rm(dir, { recursive: true, force: true });
	});
});
