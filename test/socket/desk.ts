/**
 * A desk behind its two A2A doors, over a real port, for the suites of the WebSocket binding: the real engine and store in a
 * folder of its own, an answerer of the test's, and a clock that is turned by hand where time matters.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { Cards } from "../../server/a2a/card.js";
import { a2aDoor } from "../../server/a2a/door.js";
import { Gate } from "../../server/a2a/limits.js";
import { attachWebsocket, type Websocket } from "../../server/a2a/websocket.js";
import { createEngine } from "../../server/engine/create.js";
import type { Engine } from "../../server/engine/engine.js";
import type { Answerer, Clock } from "../../server/engine/ports.js";
import type { DeskSettings } from "../../server/engine/settings.js";
import { openSqlite } from "../../server/store/sqlite.js";
import { storeOf } from "../../server/store/store.js";
import { isPublicSuffix } from "../../server/suffix.js";
import { LIMITS, type Limits } from "../../shared/limits.js";
import { testClock, type TestClock } from "../clock.js";

export interface SocketDesk {
	engine: Engine;
	clock: TestClock;
	sockets: Websocket;
	server: Server;
	/** `http://127.0.0.1:<port>`: its PUBLIC_URL too. */
	url: string;
	port: number;
	handle: string;
	/** A key of the owner's account. */
	key: string;
	logged: { level: string; fields: Record<string, unknown>; text: string }[];
	close(): Promise<void>;
}

/** Says back what it was asked, in one piece. */
export const echo: Answerer = {
	name: "echo",
	inProcess: true,
	maySilence: false,
	*answer(turn) {
		const words = turn.incoming.map((m) => m.message.parts.map((p) => p.text ?? "").join("")).join("\n");
		yield { type: "text", text: `You said: ${words}` };
		yield { type: "reply", asks: false };
	},
};

export async function openSocketDesk(
	options: { answerer?: Answerer; settings?: Partial<DeskSettings>; limits?: Partial<Limits>; trustProxy?: number; clock?: Clock } = {},
): Promise<SocketDesk> {
	const dir = await mkdtemp(join(tmpdir(), "desk-"));
	const clock = testClock();
	const logged: SocketDesk["logged"] = [];
	const log = (level: "info" | "warn" | "error", fields: Record<string, unknown>, text: string): void => {
		if (level !== "info") logged.push({ level, fields, text });
	};
	const limits: Limits = { ...LIMITS, ...options.limits };
	const driver = await openSqlite({ dir, workerUrl: new URL("../../server/writer.js", import.meta.url), clock, log });
	const store = storeOf(driver, false);
	const engine = await createEngine({
		store,
		answerers: [options.answerer ?? echo],
		clock,
		random: { bytes: (length) => randomBytes(length) },
		log,
		sites: { localhost: true, isPublicSuffix },
		brand: "EarthOnline",
		limits,
	});
	const handle = "mira";
	await engine.owner.createOwner({ handle, name: "Mira", suggestions: ["What are your hours?"] });
	if (options.settings) await engine.owner.changeSettings(handle, options.settings);
	const key = await engine.owner.createKey(handle, "test");
	await engine.start();

	const config = { publicUrl: "", brandName: "EarthOnline", trustProxy: options.trustProxy ?? 0, limits };
	const gate = new Gate(clock, limits);
	const cards = new Cards({ publicUrl: "http://desk.test", brandName: "EarthOnline", version: "1" });
	const app = a2aDoor({ engine, config, log, version: "1", gate, cards });
	const server = createAdaptorServer({ fetch: app.fetch }) as Server;
	const sockets = attachWebsocket({ server, engine, config, log, gate, cards });
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
	const { port } = server.address() as AddressInfo;
	config.publicUrl = `http://127.0.0.1:${port}`;
	return {
		engine,
		clock,
		sockets,
		server,
		url: config.publicUrl,
		port,
		handle,
		key,
		logged,
		async close() {
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			await engine.stop(0);
			await sockets.close();
			server.closeAllConnections();
			await closed;
			await store.close();
			await rm(dir, { recursive: true, force: true });
		},
	};
}
