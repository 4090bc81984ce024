/**
 * Two whole servers on one PostgreSQL, listening, on one clock that is turned by hand. What is asked of one must be so at the other. The
 * connection by which the second hears of the first goes through a door of its own, which can be shut.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDesk, type DeskProgram } from "../../server/app.js";
import { loadConfig } from "../../server/config.js";
import { decides } from "../../server/engine/operations.js";
import type { Answerer, Store } from "../../server/engine/ports.js";
import { type OperationTable, operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { openPostgres } from "../../server/store/postgres.js";
import { storeOf } from "../../server/store/store.js";
import { type TestClock, testClock } from "../clock.js";
import { WIDE_LIMITS } from "../limits.js";
import { freshDatabase } from "../postgres.js";
import { turnUntil } from "./open.js";

export const HANDLE = "mira";

export interface Node extends DeskProgram {
	port: number;
	url: string;
	handle: string;
	store: Store;
	logged: string[];
}

export interface Nodes {
	/** Where its owner changes things. */
	near: Node;
	far: Node;
	clock: TestClock;
	/** Address of the database. */
	database: string;
	/** From here on `far` hears of nothing: its connection for that is ended, and none is made again. */
	deafen(): void;
	close(): Promise<void>;
}

export interface NodesOptions {
	answerer: Answerer;
	/** The operations of `near`; the product's. */
	table?: OperationTable;
	/** Whether `far` looks for what it was not told of, as the product does. */
	farLooks?: boolean;
}

/** A way to the database that can be shut for the one connection that listens. */
async function doorTo(url: string): Promise<{ url: string; deafen(): void; close(): Promise<void> }> {
	const { hostname, port } = new URL(url);
	const all = new Set<Socket>();
	const listening = new Set<Socket>();
	let deaf = false;
	const server: Server = createServer((socket) => {
		const onward = dial(Number(port), hostname);
		for (const [one, other] of [
			[socket, onward],
			[onward, socket],
		] as const) {
			all.add(one);
			one.on("error", () => undefined);
			one.on("close", () => {
				all.delete(one);
				listening.delete(one);
				other.destroy();
			});
		}
		// A connection says what it is for in its first bytes.
		socket.once("data", (bytes) => {
			if (!bytes.includes("earthonline hints")) return;
			listening.add(socket);
			if (deaf) socket.destroy();
		});
		socket.pipe(onward);
		onward.pipe(socket);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const through = new URL(url);
	through.port = String((server.address() as { port: number }).port);
	return {
		url: through.href,
		deafen() {
			if (listening.size === 0) throw new Error("nothing listens");
			deaf = true;
			for (const socket of listening) socket.destroy();
		},
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				for (const socket of all) socket.destroy();
			}),
	};
}

export async function openNodes({ answerer, table = operationTable(decides, halves), farLooks = true }: NodesOptions): Promise<Nodes> {
	const clock = testClock();
	const fresh = await freshDatabase();
	const door = await doorTo(fresh.url);
	const closers: (() => Promise<void>)[] = [];

	const node = async (url: string, operations: OperationTable, shared: boolean): Promise<Node> => {
		const dir = await mkdtemp(join(tmpdir(), "node-"));
		const logged: string[] = [];
		const log = (level: string, _fields: object, text: string): void => void (level === "error" && logged.push(text));
		const config = { ...loadConfig({ DATA_DIR: dir, PUBLIC_URL: "http://localhost:0" }), limits: WIDE_LIMITS };
		const store = storeOf(await openPostgres({ url, table: operations, clock, log }), shared);
		const program = await createDesk({
			config,
			store,
			answerers: [answerer],
			clock,
			random: { bytes: (length) => randomBytes(length) },
			log,
		});
		const listening = await program.listen({ port: 0, host: "127.0.0.1" });
		closers.push(async () => {
			await listening.close();
			await program.close();
			await rm(dir, { recursive: true, force: true });
		});
		return { ...program, port: listening.port, url: listening.url, handle: HANDLE, store, logged };
	};

	const near = await node(fresh.url, table, true);
	await near.engine.owner.createOwner({ handle: HANDLE, name: "Mira" });
	const far = await node(door.url, operationTable(decides, halves), farLooks);
	return {
		near,
		far,
		clock,
		database: fresh.url,
		deafen: () => door.deafen(),
		async close() {
			let closed = false;
			const closing = Promise.all(closers.map((close) => close())).finally(() => (closed = true));
			// No faster than real time: what is done from time to time would pile up before the database.
			await turnUntil(clock, () => closed);
			await closing;
			await door.close();
			await fresh.drop();
		},
	};
}
