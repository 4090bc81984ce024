/**
 * A real PostgreSQL for tests, thrown away afterwards. `freshDatabase` gives an empty database on one server that all test
 * files of a vitest run share: the first to ask starts it, and a watchdog ends it and removes its folder when the run is
 * over, however it ended. `PostgresServer` is one of a test's own, to be stopped and started at will.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { accessSync, chownSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { isMainThread } from "node:worker_threads";
import { Client } from "pg";

const run = promisify(execFile);

/** Ports from here up to where outgoing connections take theirs from (32768). */
const PORTS = { from: 20_000, to: 32_000 };
const USER = "desk";

/** Folder of the newest PostgreSQL's programs. Throws one line if there is none. */
function programs(): string {
	const debian = "/usr/lib/postgresql";
	const newestFirst = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
	const folders = [...newestFirst.map((version) => join(debian, version, "bin")), ...(process.env.PATH ?? "").split(delimiter)];
	for (const folder of folders) {
		try {
			for (const program of ["initdb", "pg_ctl"]) accessSync(join(folder, program), constants.X_OK);
			return folder;
		} catch {
			// Not here; look on.
		}
	}
	throw new Error(
		"PostgreSQL is not installed, and these tests run against a real one: install postgresql-15 (Debian), or put its initdb and pg_ctl on the PATH.",
	);
}

/** PostgreSQL refuses to run as root: then it runs as `postgres`, or as `nobody`. */
function runAs(): { uid?: number; gid?: number } {
	if (process.getuid?.() !== 0) return {};
	const id = (flag: string, user: string) =>
		Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
	for (const user of ["postgres", "nobody"]) {
		try {
			return { uid: id("-u", user), gid: id("-g", user) };
		} catch {
			// No such user; the next.
		}
	}
	throw new Error("PostgreSQL does not run as root: make a user named postgres, or run the tests as another user.");
}

const isFree = (port: number): Promise<boolean> =>
	new Promise((resolve) => {
		const server = createServer();
		server.once("error", () => resolve(false));
		server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
	});

async function freePort(): Promise<number> {
	for (;;) {
		const port = PORTS.from + (randomBytes(2).readUInt16BE() % (PORTS.to - PORTS.from));
		if (await isFree(port)) return port;
	}
}

export class PostgresServer {
	private constructor(
		readonly dir: string,
		readonly port: number,
		private readonly bin: string,
		private readonly user: { uid?: number; gid?: number },
	) {}

	/** Makes a server in an empty folder and starts it. `settings`: lines of postgresql.conf. */
	static async create(dir: string, settings: Record<string, string> = {}): Promise<PostgresServer> {
		const bin = programs();
		const user = runAs();
		if (user.uid !== undefined && user.gid !== undefined) chownSync(dir, user.uid, user.gid);
		// Not the C locale: a text that forgets `collate "C"` should be found here and not at somebody's desk.
		const locale = ["--locale=C", "--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en"];
		await run(join(bin, "initdb"), ["-D", join(dir, "data"), "-U", USER, "-A", "trust", "--no-sync", "--no-instructions", ...locale], {
			...user,
			cwd: dir,
		});
		for (let tries = 1; ; tries++) {
			const port = await freePort();
			const lines = {
				port: String(port),
				listen_addresses: "'127.0.0.1'",
				unix_socket_directories: `'${dir}'`,
				shared_buffers: "32MB",
				max_connections: "200",
				deadlock_timeout: "50ms",
				...settings,
			};
			writeFileSync(
				join(dir, "data", "postgresql.auto.conf"),
				Object.entries(lines)
					.map(([name, value]) => `${name} = ${value}\n`)
					.join(""),
			);
			const server = new PostgresServer(dir, port, bin, user);
			try {
				await server.start();
				return server;
			} catch (error) {
				// Somebody may have taken the port since.
				if (tries === 3) throw error;
			}
		}
	}

	async start(): Promise<void> {
		// pg_ctl's child keeps what it inherits open, so its output goes to a file.
		const child = spawn(join(this.bin, "pg_ctl"), ["start", "-w", "-t", "60", "-D", join(this.dir, "data"), "-l", join(this.dir, "log")], {
			...this.user,
			cwd: this.dir,
			stdio: "ignore",
		});
		if ((await exitOf(child)) !== 0)
			throw new Error(`PostgreSQL did not start:\n${readFileSync(join(this.dir, "log"), "utf8").slice(-2_000)}`);
	}

	async stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
		await run(join(this.bin, "pg_ctl"), ["stop", "-w", "-m", mode, "-D", join(this.dir, "data")], { ...this.user, cwd: this.dir });
	}

	url(database: string): string {
		return urlOf(this.port, database);
	}
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
	new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("exit", resolve);
	});

const urlOf = (port: number, database: string): string => `postgres://${USER}@127.0.0.1:${port}/${database}`;

/** The process whose end is the end of the test run: vitest's own, above those that it starts for files. */
const owner = process.env.VITEST && isMainThread ? process.ppid : process.pid;
const shared = join(tmpdir(), `earthonline-postgres-${owner}`);

/** Ends the server of a folder, if it has one, and removes it when the run is over. Waits in a shell of its own, so that a killed run leaves nothing either. */
function watch(dir: string): void {
	const script =
		'while kill -0 "$1" 2>/dev/null; do sleep 1; done; if [ -e "$2/data/postmaster.pid" ]; then kill -QUIT "$(head -n 1 "$2/data/postmaster.pid")"; fi; while [ -e "$2/data/postmaster.pid" ] && [ $((n+=1)) -lt 50 ]; do sleep 0.1; done; rm -rf "$2"';
	spawn("sh", ["-c", script, "watchdog", String(owner), dir], { detached: true, stdio: "ignore", cwd: "/" }).unref();
}

async function sharedPort(): Promise<number> {
	const ready = join(shared, "port");
	const failed = join(shared, "failed");
	try {
		mkdirSync(shared, { mode: 0o755 });
	} catch {
		// Another file's tests are starting it, or have.
		while (!existsSync(ready)) {
			if (existsSync(failed)) throw new Error(readFileSync(failed, "utf8"));
			await pause(50);
		}
		return Number(readFileSync(ready, "utf8"));
	}
	try {
		watch(shared);
		const server = await PostgresServer.create(shared);
		writeFileSync(`${ready}.partial`, String(server.port));
		await run("mv", [`${ready}.partial`, ready]);
		return server.port;
	} catch (error) {
		writeFileSync(failed, (error as Error).message);
		throw error;
	}
}

export interface TestDatabase {
	url: string;
	/** Removes it, ending whatever is still connected. */
	drop(): Promise<void>;
}

async function asAdmin(port: number, text: string): Promise<void> {
	const client = new Client({ connectionString: urlOf(port, "postgres") });
	await client.connect();
	try {
		await client.query(text);
	} finally {
		await client.end();
	}
}

/** An empty database of one's own. */
export async function freshDatabase(): Promise<TestDatabase> {
	const port = await sharedPort();
	const name = `t_${randomBytes(8).toString("hex")}`;
	await asAdmin(port, `create database ${name}`);
	return { url: urlOf(port, name), drop: () => asAdmin(port, `drop database ${name} with (force)`) };
}
