/**
 * A whole desk for tests: the real engine, store and doors in a folder of its own, with an answerer of the test's and, where
 * time matters, a clock that is turned by hand. `listen()` opens it on a port that the system chooses.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDesk, type DeskProgram, type Listening } from "../server/app.js";
import { type Config, loadConfig } from "../server/config.js";
import type { Apps } from "../server/engine/apps-ports.js";
import type { Answerer, Clock, Store } from "../server/engine/ports.js";
import type { DeskSettings } from "../server/engine/settings.js";
import type { Log } from "../server/log.js";
import { systemClock } from "../server/open.js";
import type { Driver } from "../server/store/db.js";
import { openSqlite } from "../server/store/sqlite.js";
import { storeOf } from "../server/store/store.js";

export interface TestDeskOptions {
	handle?: string;
	settings?: Partial<DeskSettings>;
	/** Default: says the visitor's words back. */
	answerer?: Answerer;
	answerers?: Answerer[];
	/** What reaches apps; none unless given. */
	apps?: Apps;
	clock?: Clock;
	config?: Partial<Config>;
	/** Path → text. */
	memory?: Record<string, string>;
	log?: Log;
	/** A folder that is kept: for tests that open it again. */
	dir?: string;
	workerUrl?: URL;
	/** Puts something between the store and its database. */
	driver?: (driver: Driver) => Driver;
	/** Folder of the built client; the package's own. */
	clientDir?: string;
}

export interface TestDesk extends DeskProgram {
	handle: string;
	store: Store;
	config: Config;
	dir: string;
	/** A key of the desk's owner. */
	key: string;
	clock: Clock;
	/** What was logged as a warning or an error. */
	logged: { level: string; fields: Record<string, unknown>; text: string }[];
	/** Listens on a port that the system chooses, or on the one that it had before. */
	serve(port?: number): Promise<Listening>;
	/** Ends the server and keeps its folder. */
	stop(): Promise<void>;
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

/** Answers with a message and no task. */
export const bare: Answerer = {
	name: "bare",
	inProcess: true,
	maySilence: true,
	*answer() {
		yield { type: "message", parts: [{ text: "Hello." }] };
	},
};

export async function openTestDesk(options: TestDeskOptions = {}): Promise<TestDesk> {
	const dir = options.dir ?? (await mkdtemp(join(tmpdir(), "desk-")));
	const logged: TestDesk["logged"] = [];
	const log: Log =
		options.log ??
		((level, fields, text) => {
			if (level !== "info") logged.push({ level, fields, text });
		});
	const clock = options.clock ?? systemClock;
	const config: Config = {
		...loadConfig({ DATA_DIR: dir, PUBLIC_URL: "http://localhost:8787", ALLOW_LOCALHOST_SITES: "on" }),
		...options.config,
	};
	const driver = await openSqlite({ dir, workerUrl: options.workerUrl ?? new URL("../server/writer.js", import.meta.url), clock, log });
	const store = storeOf(options.driver?.(driver) ?? driver, false);
	const program = await createDesk({
		config,
		store,
		answerers: options.answerers ?? [options.answerer ?? echo],
		clock,
		random: { bytes: (length) => randomBytes(length) },
		log,
		...(options.apps ? { apps: options.apps } : {}),
		...(options.clientDir === undefined ? {} : { clientDir: options.clientDir }),
	});
	const handle = options.handle ?? "mira";
	if (!(await program.engine.desk(handle))) {
		await program.engine.owner.createOwner({ handle, name: "Mira", about: "A desk for tests", suggestions: ["What are your hours?"] });
	}
	if (options.settings) await program.engine.owner.changeSettings(handle, options.settings);
	for (const [path, text] of Object.entries(options.memory ?? {})) await program.engine.owner.putMemory(handle, path, text);
	const key = await program.engine.owner.createKey(handle, "test");
	const listening: Listening[] = [];
	const stop = async (): Promise<void> => {
		for (const one of listening.splice(0)) await one.close();
		await program.close();
	};
	return {
		...program,
		handle,
		store,
		config,
		dir,
		key,
		clock,
		logged,
		async serve(port = 0) {
			const one = await program.listen({ port, host: "127.0.0.1" });
			// Links and origins are made of PUBLIC_URL: it is known only now.
			config.publicUrl = one.url;
			listening.push(one);
			return one;
		},
		stop,
		async close() {
			await stop();
			if (!options.dir) await rm(dir, { recursive: true, force: true });
		},
	};
}
