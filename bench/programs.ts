/**
 * The programs that are measured, each a process of its own beside the one that makes the load: ours and the floors, bundled as the
 * product is (a start from source would measure the loader), and the peers as they are.
 */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { PACKAGE_ROOT } from "../server/root.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** Below `bench`, so that a bundle finds the peers' libraries too. */
const BUILT = join(HERE, "dist");
/** On the disk that the package is on: a folder in memory would make every sync free. */
const DATA = join(PACKAGE_ROOT, ".data");

export interface Program {
	port: number;
	/** A key of the desk that is measured; empty for all others. */
	key: string;
	/** Its folder. */
	dir: string;
	ask<T = void>(what: string, arg?: unknown): Promise<T>;
	stop(): Promise<void>;
}

export const built = (name: string): string => join(BUILT, `${name}.js`);

/** Bundles what is ours. */
export async function buildPrograms(): Promise<void> {
	const input = Object.fromEntries(
		["child", "serve", "floors/http", "floors/ws", "floors/disk"].map((name) => [name, join(HERE, `${name}.ts`)]),
	);
	await build({
		configFile: false,
		root: PACKAGE_ROOT,
		logLevel: "error",
		publicDir: false,
		ssr: { noExternal: true, external: ["better-sqlite3", "pg"], target: "node" },
		build: {
			ssr: true,
			outDir: BUILT,
			emptyOutDir: true,
			target: "node20",
			minify: false,
			reportCompressedSize: false,
			rolldownOptions: {
				input: { ...input, writer: join(PACKAGE_ROOT, "server/writer.ts") },
				output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "shared-[name].js" },
			},
		},
	});
}

/** Installs the peers, once. */
export function installPeers(): void {
	if (existsSync(join(HERE, "node_modules"))) return;
	const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: HERE, stdio: "inherit" });
	if (status !== 0) throw new Error("The peers could not be installed: run npm ci --ignore-scripts in bench/ and read what it says.");
}

/** Starts programs and ends them all with the bench that they were started for. */
export class Programs {
	private readonly running: Program[] = [];

	ours = (): Promise<Program> => this.start(built("serve"));
	/** The server of @a2a-js/sdk. */
	sdk = (store: "memory" | "sqlite" = "memory"): Promise<Program> => this.start(join(HERE, "peers/sdk.mjs"), { STORE: store });
	express = (): Promise<Program> => this.start(join(HERE, "peers/express.mjs"));
	floor = (name: "http" | "ws" | "disk"): Promise<Program> => this.start(built(`floors/${name}`));

	async stopAll(): Promise<void> {
		await Promise.all(this.running.splice(0).map((program) => program.stop()));
	}

	private async start(entry: string, env: Record<string, string> = {}): Promise<Program> {
		mkdirSync(DATA, { recursive: true });
		const dir = mkdtempSync(join(DATA, "bench-"));
		const child = fork(entry, {
			execArgv: ["--expose-gc", "--import", built("child")],
			env: { ...process.env, NODE_ENV: "production", ...env, DATA_DIR: dir },
			stdio: ["ignore", "inherit", "inherit", "ipc"],
		});
		const program = await speak(child, dir);
		this.running.push(program);
		return program;
	}
}

function speak(child: ChildProcess, dir: string): Promise<Program> {
	const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
	let last = 0;
	const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	return new Promise((resolve, reject) => {
		child.on("exit", (code) => {
			const error = new Error(`A program of the bench ended (code ${code}).`);
			reject(error);
			for (const asked of waiting.values()) asked.reject(error);
		});
		child.on("message", (message: { ready?: { port: number; key?: string }; id: number; value?: never; error?: string }) => {
			if (!message.ready) {
				const asked = waiting.get(message.id);
				waiting.delete(message.id);
				if (message.error === undefined) asked?.resolve(message.value as never);
				else asked?.reject(new Error(message.error));
				return;
			}
			const { port, key = "" } = message.ready;
			resolve({
				port,
				key,
				dir,
				ask: (what, arg) =>
					new Promise((given, refused) => {
						waiting.set(++last, { resolve: given, reject: refused });
						child.send({ id: last, what, arg });
					}),
				async stop() {
					child.kill("SIGKILL");
					await gone;
					rmSync(dir, { recursive: true, force: true });
				},
			});
		});
	});
}

/** Milliseconds of CPU that a program spends while something is done. */
export async function cpuOf<T>(program: Program, work: () => Promise<T>): Promise<{ result: T; cpu: number }> {
	const before = await program.ask<number>("cpu");
	const result = await work();
	return { result, cpu: (await program.ask<number>("cpu")) - before };
}
