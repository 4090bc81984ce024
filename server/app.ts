/**
 * Builds the program from its parts: the engine, the doors over it, and the HTTP server that they stand in. The one entry for
 * the server itself, for tests, benches and the kit's server alike (design.md, "The house").
 */

import type { Server, ServerResponse } from "node:http";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { DeskError } from "../shared/errors.js";
import { LIMITS } from "../shared/limits.js";
import { Cards } from "./a2a/card.js";
import { a2aDoor } from "./a2a/door.js";
import { Exchange } from "./a2a/http.js";
import { Gate, SlidingWindow } from "./a2a/limits.js";
import { OpenStreams } from "./a2a/stream.js";
import { attachWebsocket, type Websocket } from "./a2a/websocket.js";
import { addressOf, networkOf } from "./callers.js";
import { type Config, commandPrefix, isLocalHost } from "./config.js";
import { limitConnections } from "./connections.js";
import type { Apps } from "./engine/apps-ports.js";
import { createEngine } from "./engine/create.js";
import type { Engine } from "./engine/engine.js";
import type { Answerer, Clock, Random, Store } from "./engine/ports.js";
import { openPictures } from "./files/pictures.js";
import type { Log } from "./log.js";
import { openMetrics } from "./metrics.js";
import { ownerDoor } from "./owner/door.js";
import { toolsDoor } from "./owner/tools.js";
import { DOCS_DIR, PACKAGE_ROOT } from "./root.js";
import { siteDoor } from "./site/door.js";
import { EMBED_FILE, refuseEmbed } from "./site/embed-refusal.js";
import { documentHeaders, NO_STORE } from "./site/headers.js";
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
	/** What reaches apps; absent: none can be connected. */
	apps?: Apps;
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
	/** Not ready, no new turns, running turns ended or handed over, clients told to come back, who waits answered; then the listener (G-21). */
	close(): Promise<void>;
}

/** Files that stand ready cost next to nothing: they are not counted. */
const UNCOUNTED = /^\/(?:assets\/.*|site\.css)$/;

const TOOLS = /^\/api\/tools(?:\/|$)/;

/** What limits count as one caller while nobody is known. */
const networkFrom = (c: Context, config: Config): string => networkOf(addressOf(new Exchange(c), config.trustProxy));

/** The allowance of an address is one, whichever door it comes to; the A2A door counts its own, in its own words. */
const countedByAddress =
	(gate: Gate, config: Config): MiddlewareHandler =>
	async (c, next) => {
		const exchange = new Exchange(c);
		const address = addressOf(exchange, config.trustProxy);
		if (address === "" || UNCOUNTED.test(exchange.path) || EMBED_FILE.test(exchange.path)) return await next();
		try {
			gate.request(networkOf(address));
		} catch (error) {
			if (!(error instanceof DeskError)) throw error;
			const seconds = String(error.detail.retryAfterSeconds ?? 1);
			const headers = { "retry-after": seconds, "cache-control": "no-store", "x-content-type-options": "nosniff" };
			// A tool's caller is told in the one form that it reads (TOOL-1).
			if (TOOLS.test(exchange.path)) return c.json({ ok: false, error: { code: "rate_limited", message: error.message } }, 429, headers);
			return refuseEmbed(exchange.path, 429, error.message, headers) ?? c.text(error.message, 429, headers);
		}
		return await next();
	};

/** Pages that a person opens by their address; what programs and frames ask for stays where it was asked. */
const PAGES = /^\/(?:|agent|check|sign-in|snippet|@[^/]+(?:\/chat)?)$/;

/** Chats, cookies and sockets are tied to the origin of PUBLIC_URL: a page of the same server opened by a number would be another's (design.md, settings). */
const byPublicName =
	(config: Config): MiddlewareHandler =>
	async (c, next) => {
		// A Host header can be what no address is.
		if (!URL.canParse(c.req.url)) return await next();
		const asked = new URL(c.req.url);
		const meant = new URL(config.publicUrl);
		const byNumber = asked.hostname === "127.0.0.1" || asked.hostname === "[::1]";
		const same =
			meant.protocol === "http:" && meant.port === asked.port && isLocalHost(meant.hostname) && meant.hostname !== asked.hostname;
		const isPage = (c.req.method === "GET" || c.req.method === "HEAD") && PAGES.test(asked.pathname);
		if (!byNumber || !same || !isPage || !c.req.header("accept")?.includes("text/html")) return await next();
		return new Response(null, {
			status: 307,
			headers: { ...headersOf(config), location: `${config.publicUrl}${asked.pathname}${asked.search}` },
		});
	};

/** What goes with an answer that no door made. */
const headersOf = ({ publicUrl }: Config): Record<string, string> => ({
	...documentHeaders(publicUrl, { ancestors: "'none'", chat: false }),
	...NO_STORE,
});

/** Where the process that makes pictures anew begins; the built one, or its source. */
const ENCODER = new URL("./encoder.js", import.meta.url);

/** What is still being written when everything has been said has this long, milliseconds. */
const LAST_WORDS_MS = 1_000;

/** Joins everything; nothing runs before `listen`. */
export async function createDesk(parts: DeskParts): Promise<DeskProgram> {
	const { config, store, clock, log } = parts;
	const sites = { localhost: config.allowLocalhostSites, isPublicSuffix };
	const pictures = openPictures({ dir: join(config.dataDir, "files"), encoder: ENCODER });
	const engine = await createEngine({ ...parts, pictures, sites, brand: config.brandName, limits: config.limits });
	const gate = new Gate(clock, config.limits);
	const repeats = new SlidingWindow(LIMITS.askRepeatMs, 1 + LIMITS.askRepeats, clock);
	const cards = new Cards({ config, version: VERSION });
	const streams = new OpenStreams(engine, gate);
	if (DOCS_DIR === undefined) log("warn", {}, "The folder docs is not there beside the program: it serves no guide.");
	let stopping = false;
	let sockets: Websocket | undefined;

	const app = new Hono();
	app.onError((error, c) => {
		log("error", { err: error, path: c.req.path }, "A request could not be answered.");
		const line = "Something went wrong on our side. Please try again in a moment.";
		return refuseEmbed(c.req.path, 500, line) ?? c.text(line, 500, headersOf(config));
	});
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
	app.route("/", a2aDoor({ engine, config, log, version: VERSION, gate, cards, streams }));
	app.use(countedByAddress(gate, config));
	app.use(byPublicName(config));
	const told = {
		get publicUrl() {
			return config.publicUrl;
		},
		brandName: config.brandName,
		// Where the server stands for others, its pages tell nobody where its files are.
		commandPrefix: isLocalHost(new URL(config.publicUrl).hostname) ? commandPrefix(config.dataDir) : "",
	};
	app.route("/", ownerDoor({ engine, config: told, log }));
	app.route("/", toolsDoor({ engine, config: told, log }));
	app.route(
		"/",
		siteDoor({
			engine,
			config,
			log,
			clientDir: parts.clientDir ?? join(PACKAGE_ROOT, "dist/client"),
			docsDir: DOCS_DIR,
			takePicture(c) {
				const network = networkFrom(c, config);
				return { network, ...gate.pictures.upload(network) };
			},
			readPicture: (c) => gate.pictures.read(networkFrom(c, config)),
			// The allowance of everybody without a token at one address, whichever way they ask.
			countQuestion(c, desk, words) {
				const guest = `${desk.row.id} at ${networkFrom(c, config)}`;
				const question = `${guest}\n${words}`;
				// A few retries of the same cost nothing, as everywhere; more of them do, since each opening writes.
				gate.guestMessage(guest, repeats.waitSeconds(question) > 0 ? null : words);
				repeats.count(question);
			},
		}),
	);

	let started: Promise<void> | undefined;
	return {
		engine,
		app,
		async listen({ port, host }) {
			started ??= engine.start();
			await started;
			const serverOptions = {
				headersTimeout: LIMITS.headersMs,
				requestTimeout: LIMITS.requestMs,
				// Node looks only every 30 s otherwise, and the two would be three times as long.
				connectionsCheckingInterval: LIMITS.connectionCheckMs,
			};
			const server = createAdaptorServer({ fetch: app.fetch, serverOptions }) as Server;
			server.maxRequestsPerSocket = LIMITS.requestsPerConnection;
			if (config.trustProxy === 0) limitConnections(server, config.limits.connectionsPerAddress);
			const secure = config.publicUrl.startsWith("https:");
			server.prependListener("request", (_request, response: ServerResponse) => {
				if (secure) response.setHeader("strict-transport-security", "max-age=31536000");
				if (stopping) response.shouldKeepAlive = false;
			});
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
					// `/readyz` says so while there is somebody to say it, and what runs can still be heard to its end.
					stopping = true;
					await engine.stop(LIMITS.stopMs);
					// Whoever reads too slowly for it, or sends too slowly, resumes elsewhere.
					const cut = (): (() => void) => clock.after(LAST_WORDS_MS, () => server.closeAllConnections());
					const stopCut = cut();
					await Promise.all([attached.close(), streams.end()]);
					stopCut();
					const closed = new Promise<void>((resolve) => server.close(() => resolve()));
					const stopLast = cut();
					await closed;
					stopLast();
				},
			};
		},
		async close() {
			pictures.close();
			await store.close();
		},
	};
}
