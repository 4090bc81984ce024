/**
 * Builds the program from its parts: the engine, the doors over it, and the HTTP server that they stand in. The one entry for
 * the server itself, for tests, benches and the kit's server alike (design.md, "The house").
 */

import type { Server } from "node:http";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { DeskError } from "../shared/errors.js";
import { LIMITS } from "../shared/limits.js";
import { Cards } from "./a2a/card.js";
import { a2aDoor } from "./a2a/door.js";
import { Exchange } from "./a2a/http.js";
import { Gate } from "./a2a/limits.js";
import { attachWebsocket, type Websocket } from "./a2a/websocket.js";
import { addressOf, networkOf } from "./callers.js";
import type { Config } from "./config.js";
import { createEngine } from "./engine/create.js";
import type { Engine } from "./engine/engine.js";
import type { Answerer, Clock, Random, Store } from "./engine/ports.js";
import type { Log } from "./log.js";
import { openMetrics } from "./metrics.js";
import { ownerDoor } from "./owner/door.js";
import { PACKAGE_ROOT } from "./root.js";
import { siteDoor } from "./site/door.js";
import { isPublicSuffix } from "./suffix.js";
import { VERSION } from "./version.js";

export interface DeskParts {
	config: Config;
	store: Store;
	answerers: Answerer[];
	clock: Clock;
	random: Random;
	log: Log;
	/** Folder of the built client; the package's own. */
	clientDir?: string;
}

export interface DeskProgram {
	engine: Engine;
	app: Hono;
	/** Listens; port 0 lets the system choose. */
	listen(at: { port: number; host?: string }): Promise<Listening>;
	/** Ends the store. Whoever listens is closed first. */
	close(): Promise<void>;
}

export interface Listening {
	url: string;
	port: number;
	/** Not ready, no new turns, clients told to come back, running turns ended or handed over; then the socket. */
	close(): Promise<void>;
}

/** Files that stand ready cost next to nothing: they are not counted. */
const UNCOUNTED = /^\/(?:embed\.js|assets\/.*|site\.css)$/;

/** The allowance of an address is one, whichever door it comes to; the A2A door counts its own, in its own words. */
const countedByAddress =
	(gate: Gate, config: Config): MiddlewareHandler =>
	async (c, next) => {
		const exchange = new Exchange(c);
		const address = addressOf(exchange, config.trustProxy);
		if (address === "" || UNCOUNTED.test(exchange.path)) return await next();
		try {
			gate.request(networkOf(address));
		} catch (error) {
			if (!(error instanceof DeskError)) throw error;
			const seconds = String(error.detail.retryAfterSeconds ?? 1);
			return c.text(error.message, 429, { "retry-after": seconds, "cache-control": "no-store", "x-content-type-options": "nosniff" });
		}
		return await next();
	};

/** Joins everything; nothing runs before `listen`. */
export async function createDesk(parts: DeskParts): Promise<DeskProgram> {
	const { config, store, clock, log } = parts;
	const sites = { localhost: config.allowLocalhostSites, isPublicSuffix };
	const engine = await createEngine({ ...parts, sites, brand: config.brandName, limits: config.limits });
	const gate = new Gate(clock, config.limits);
	const cards = new Cards({ config, version: VERSION });
	let stopping = false;
	let sockets: Websocket | undefined;

	const app = new Hono();
	app.get("/healthz", (c) => c.text("ok"));
	app.get("/readyz", async (c) => {
		const ready = !stopping && (await store.read.ready().catch(() => false));
		return ready ? c.text("ready") : c.text(stopping ? "stopping" : "the store does not answer", 503);
	});
	if (config.metrics) {
		const metrics = await openMetrics({
			sockets: () => sockets?.count ?? 0,
			turns: () => engine.counts().turns,
			messages: () => engine.counts().messages,
		});
		app.use(metrics.count);
		app.get("/metrics", metrics.answer);
	}
	app.route("/", a2aDoor({ engine, config, log, version: VERSION, gate, cards }));
	app.use(countedByAddress(gate, config));
	app.route("/", ownerDoor({ engine, config }));
	app.route("/", siteDoor({ engine, config, log, clientDir: parts.clientDir ?? join(PACKAGE_ROOT, "dist/client") }));

	let started: Promise<void> | undefined;
	return {
		engine,
		app,
		async listen({ port, host }) {
			started ??= engine.start();
			await started;
			const server = createAdaptorServer({ fetch: app.fetch }) as Server;
			server.headersTimeout = LIMITS.headersMs;
			server.requestTimeout = LIMITS.requestMs;
			const attached = attachWebsocket({ server, engine, config, log, gate, cards });
			sockets = attached;
			await new Promise<void>((resolve, reject) => {
				server.once("error", reject);
				server.listen(port, host, () => resolve());
			});
			const address = server.address();
			const bound = typeof address === "object" && address ? address.port : port;
			// The system chose the port: addresses are made of it only now.
			if (new URL(config.publicUrl).port === "0") config.publicUrl = config.publicUrl.replace(/:0$/, `:${bound}`);
			return {
				port: bound,
				url: `http://${host?.includes(":") ? `[${host}]` : (host ?? "localhost")}:${bound}`,
				async close() {
					stopping = true;
					const closed = new Promise<void>((resolve) => server.close(() => resolve()));
					await engine.stop(LIMITS.stopMs);
					await attached.close();
					server.closeIdleConnections();
					// Streams that are still open have said what they could; their clients resume elsewhere.
					clock.after(1_000, () => server.closeAllConnections());
					await closed;
				},
			};
		},
		async close() {
			await store.close();
		},
	};
}
