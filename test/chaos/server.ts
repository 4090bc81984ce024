/**
 * The server under test, as a process of its own: the product through `createDesk`, with the suite's answerer, a clock that may
 * run fast, and one part broken where the suite asks for it. Talks to the suite over its IPC channel and to nobody else.
 */
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import type { Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createDesk } from "../../server/app.js";
import { loadConfig } from "../../server/config.js";
import { decides } from "../../server/engine/operations.js";
import type { Clock, Store } from "../../server/engine/ports.js";
import type { Log } from "../../server/log.js";
import { operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { openPostgres } from "../../server/store/postgres.js";
import { openSqlite } from "../../server/store/sqlite.js";
import { storeOf } from "../../server/store/store.js";
import { LIMITS } from "../../shared/limits.js";
import { answererOf } from "./answerer.js";
import { broken, orders } from "./broken.js";
import { mortalStore } from "./dying.js";
import type { FromServer, ServerOptions, Stats, ToServer } from "./protocol.js";

const options = JSON.parse(process.argv[2] ?? "{}") as ServerOptions;
const { mutant, dies } = orders();
const part = broken(mutant);
part.process?.();

const tell = (message: FromServer): void => void process.send?.(message);
const log: Log = (level, fields, text) => {
	if (level === "info") return;
	const error = fields.err ?? fields.error;
	tell({
		type: "log",
		level,
		text,
		detail: error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error ?? fields.fault ?? ""),
	});
};

/** Runs `speed` times as fast as the world's, and the same in every process that was given the same `since`. */
const { speed, since } = options;
const clock: Clock = {
	now: () => Math.round(since + (Date.now() - since) * speed),
	elapsed: () => performance.now() * speed,
	after(ms, call) {
		const timer = setTimeout(call, Math.min(ms / speed, 2 ** 31 - 1));
		timer.unref();
		return () => clearTimeout(timer);
	},
};

/** The suite's clients are many and come from few addresses: limits are not what is tested here. */
const PLENTY = 1_000_000;
const config = {
	...loadConfig({
		...(options.dir === undefined ? {} : { DATA_DIR: options.dir }),
		PUBLIC_URL: "http://localhost:8787",
		ALLOW_LOCALHOST_SITES: "on",
	}),
	limits: {
		...LIMITS,
		requestsPerMinutePerAddress: PLENTY,
		guestMessagesPerMinute: PLENTY,
		guestMessagesPerHour: PLENTY,
		newGuestsPerMinutePerAddress: PLENTY,
		streamsPerCaller: PLENTY,
		turnsPerGuest: PLENTY,
		turnsPerEmbed: PLENTY,
		turnsPerDesk: PLENTY,
		socketsPerGuest: PLENTY,
		socketsPerAddress: PLENTY,
		connectionsPerAddress: PLENTY,
	},
};

/** Writes of turns that came too late, and were told so. */
let fenced = 0;
function counting(store: Store): Store {
	const write = async (name: never, input: never): Promise<unknown> => {
		const answer: unknown = await store.write(name, input);
		if ((answer as { fenced?: boolean } | null)?.fenced) fenced++;
		return answer;
	};
	return { ...store, write: write as Store["write"] };
}

async function open(): Promise<Store> {
	if (options.databaseUrl !== undefined) {
		const table = operationTable({ ...decides, ...part.decides }, halves);
		return storeOf(await openPostgres({ url: options.databaseUrl, table, clock, log }), true);
	}
	const onBroken = (): void => process.exit(3);
	return storeOf(
		await openSqlite({
			dir: config.dataDir,
			workerUrl: new URL("./writer.js", import.meta.url),
			clock,
			log,
			onBroken,
			...(part.writeWaitMs === undefined ? {} : { writeWaitMs: part.writeWaitMs }),
		}),
		false,
	);
}

let store = counting(await open());
if (part.store) store = part.store(store, config.dataDir);
if (dies) store = mortalStore(config.dataDir, store);

const desk = await createDesk({
	config,
	store,
	answerers: [answererOf(options.node, clock)],
	clock,
	random: { bytes: (n) => randomBytes(n) },
	log,
});
if (!(await desk.engine.desk("mira"))) await desk.engine.owner.createOwner({ handle: "mira", name: "Mira" });
if (options.answers === false) await desk.engine.owner.changeSettings("mira", { builtInAnswerer: false });
const listening = await desk.listen({ port: 0, host: "127.0.0.1" });
config.publicUrl = listening.url;

/** Some times the resolution of the histogram. */
const SETTLE_MS = 25;
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

/** Sockets of this process, its listener's clients among them. */
const sockets = (): Socket[] => {
	const handles = (process as unknown as { _getActiveHandles(): object[] })._getActiveHandles();
	return handles.filter((handle): handle is Socket => handle.constructor.name === "Socket" && "writableLength" in handle);
};

function stats(): Stats {
	const unsent = sockets().map((socket) => socket.writableLength);
	return {
		rss: process.memoryUsage.rss(),
		heap: process.memoryUsage().heapUsed,
		files: readdirSync("/proc/self/fd").length,
		sockets: unsent.length,
		unsentMax: Math.max(0, ...unsent),
		unsentSum: unsent.reduce((sum, bytes) => sum + bytes, 0),
		loopDelayMaxMs: delay.max / 1e6,
		fenced,
	};
}

process.on("message", (message: ToServer) => {
	if (message.collect) (globalThis as { gc?: () => void }).gc?.();
	const { id, reset } = message;
	// A stall is known to the histogram when its timer has fired once more, and one that begins before its first time after a reset never.
	setTimeout(() => {
		const measured = stats();
		if (reset) delay.reset();
		setTimeout(() => tell({ type: "stats", id, stats: measured }), reset ? SETTLE_MS : 0);
	}, SETTLE_MS);
});
// The suite has gone: nobody is left to stop this.
process.on("disconnect", () => process.exit(2));

let stopping = false;
process.on("SIGTERM", () => {
	if (mutant === "ends at once") process.exit(0);
	if (stopping) return;
	stopping = true;
	void listening
		.close()
		.then(() => desk.close())
		.then(
			() => process.exit(0),
			() => process.exit(4),
		);
});

tell({ type: "ready", port: listening.port, pid: process.pid });
