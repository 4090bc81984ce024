/**
 * Looks at a machine before something goes wrong on it: what the server needs, what its settings imply, what only tests
 * need. Changes nothing. Each check is one line that says what was found and, where it matters, what to do.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { reachAdmin } from "./admin.js";
import { type Config, ConfigError, isLocalHost, loadConfig } from "./config.js";

export interface Finding {
	/** `bad`: the server will not work. `note`: it will, and somebody should know. */
	state: "ok" | "note" | "bad";
	text: string;
}

const ok = (text: string): Finding => ({ state: "ok", text });
const note = (text: string): Finding => ({ state: "note", text });
const bad = (text: string): Finding => ({ state: "bad", text });

/** The oldest SQLite without the fault that damages a write-ahead log when two connections meet in it. */
const SQLITE = [3, 51, 3] as const;
const NODE = [20, 19, 0] as const;

/** Whether `1.2.3` is at least that version. */
function atLeast(version: string, wanted: readonly number[]): boolean {
	const parts = version.split(".").map(Number);
	for (const [i, want] of wanted.entries()) {
		const part = parts[i] ?? 0;
		if (part !== want) return part > want;
	}
	return true;
}

function node(): Finding {
	const { node: version } = process.versions;
	if (!atLeast(version, NODE)) return bad(`Node ${version} is too old. Install Node 22 or 24; ${NODE.join(".")} is the least that works.`);
	if (!atLeast(version, [22])) return note(`Node ${version} works, and gets no more security fixes. Node 22 or 24 is better.`);
	return ok(`Node ${version}.`);
}

async function sqlite(): Promise<Finding> {
	try {
		const { default: Database } = await import("better-sqlite3");
		const database = new Database(":memory:");
		const { version } = database.prepare("select sqlite_version() as version").get() as { version: string };
		database.close();
		if (!atLeast(version, SQLITE))
			return bad(`SQLite ${version} can damage a database; ${SQLITE.join(".")} or later is needed. Run npm ci again.`);
		return ok(`SQLite ${version}.`);
	} catch (error) {
		return bad(
			`better-sqlite3 does not load (${(error as Error).message.split("\n")[0]}). Install python3, make and g++, then run: npm rebuild better-sqlite3`,
		);
	}
}

async function postgres(url: string): Promise<Finding> {
	const { host } = new URL(url);
	try {
		const { default: pg } = await import("pg");
		const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
		await client.connect();
		const { rows } = await client.query<{ server_version: string }>("show server_version");
		await client.end();
		return ok(`PostgreSQL ${rows[0]?.server_version} at ${host}.`);
	} catch (error) {
		return bad(`PostgreSQL at ${host} does not answer (${(error as Error).message}). Look at DATABASE_URL and whether it runs.`);
	}
}

/** The nearest folder above a path that is there. */
const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)));

function folder(config: Config): Finding {
	const there = nearest(config.dataDir);
	if (!statSync(there).isDirectory()) return bad(`DATA_DIR ${config.dataDir} is or goes through a file (${there}). Give a folder.`);
	try {
		accessSync(there, constants.W_OK | constants.X_OK);
	} catch {
		return bad(`DATA_DIR ${config.dataDir} cannot be written by this user. Change its owner or give another folder.`);
	}
	return ok(
		there === config.dataDir ? `DATA_DIR ${config.dataDir} can be written.` : `DATA_DIR ${config.dataDir} will be made at the first start.`,
	);
}

async function port(config: Config): Promise<Finding> {
	const running = await reachAdmin(config.dataDir)
		.then((admin) => admin?.about())
		.catch(() => undefined);
	if (running && running.publicUrl !== config.publicUrl && config.port !== 0)
		return note(
			`The server that runs on ${config.dataDir} is at ${running.publicUrl}, and this shell's PUBLIC_URL and PORT say ${config.publicUrl}. Commands print the server's; set the same here before it is started from this shell.`,
		);
	if (running) return ok(`A server runs on ${config.dataDir}, at ${running.publicUrl}.`);
	return new Promise((resolve) => {
		const probe = createServer()
			.once("error", (error: NodeJS.ErrnoException) =>
				resolve(bad(`PORT ${config.port} cannot be listened on (${error.code}). Stop what holds it, or set PORT.`)),
			)
			.listen(config.port, config.host, () => probe.close(() => resolve(ok(`PORT ${config.port} is free.`))));
	});
}

function address(config: Config): Finding {
	const url = new URL(config.publicUrl);
	if (isLocalHost(url.hostname)) return ok(`PUBLIC_URL is ${config.publicUrl}: for this machine only. Set it before others are to come.`);
	if (url.protocol === "http:")
		return note(`PUBLIC_URL is ${config.publicUrl}: browsers show the chat on https pages only from https. Put a proxy with TLS in front.`);
	if (config.trustProxy === 0) {
		return note(
			`PUBLIC_URL is https, and TRUST_PROXY is 0: with a proxy in front all visitors seem to come from its address. Set TRUST_PROXY=1 for one proxy.`,
		);
	}
	return ok(`PUBLIC_URL is ${config.publicUrl}, behind ${config.trustProxy} ${config.trustProxy === 1 ? "proxy" : "proxies"}.`);
}

const onPath = (name: string): boolean => (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

function forTests(): Finding[] {
	const chromium = process.env.CHROMIUM !== undefined || ["chromium", "chromium-browser", "google-chrome"].some(onPath);
	const initdb = onPath("initdb") || existsSync("/usr/lib/postgresql");
	return [
		chromium ? ok("Chromium is there (for tests only).") : note("No Chromium: only npm test needs one."),
		initdb ? ok("PostgreSQL's programs are there (for tests only).") : note("No PostgreSQL programs: only npm test needs them."),
	];
}

/** Every check, in the order in which they are worth reading. */
export async function examine(environment: Record<string, string | undefined>, home?: string): Promise<Finding[]> {
	const found = [node(), await sqlite()];
	try {
		const config = loadConfig(environment, home);
		found.push(ok("The settings can be used."), address(config), folder(config));
		if (config.databaseUrl !== undefined) found.push(await postgres(config.databaseUrl));
		found.push(await port(config));
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		found.push(...error.problems.map(bad));
	}
	return [...found, ...forTests()];
}
