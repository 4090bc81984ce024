/** From the command to the first 200, and what the server then takes while nobody asks for anything. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../server/root.js";
import { SDK } from "./a2a-send.js";
import type { Bench } from "./bench.js";
import { inTurn, OURS, type Sample, target } from "./measure.js";
import { built } from "./programs.js";

const NODE = "node:http";
const TRY_MS = 2;
const IDLE_MS = 1_000;
const KILO = 1_024;

/** A port that is free now. */
function freePort(): Promise<number> {
	return new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address() as AddressInfo;
			server.close(() => resolve(port));
		});
	});
}

/** Whether an address answers at all with this path. */
const answers = (port: number, path: string): Promise<boolean> =>
	new Promise((resolve) => {
		const request = get({ port, host: "127.0.0.1", path, agent: false }, (response) => {
			response.resume();
			resolve(response.statusCode === 200);
		});
		request.on("error", () => resolve(false));
	});

/** Starts a program, waits for its first 200, then weighs it at rest. */
async function startOf(args: readonly string[], path: string, env: Record<string, string>): Promise<Sample> {
	const port = await freePort();
	const began = performance.now();
	const child = spawn(process.execPath, args, {
		env: { ...process.env, NODE_ENV: "production", ...env, PORT: String(port) },
		stdio: ["ignore", "ignore", "inherit"],
	});
	const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	try {
		while (!(await answers(port, path))) {
			if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended (code ${child.exitCode}) before it answered.`);
			await new Promise((resolve) => setTimeout(resolve, TRY_MS));
		}
		const ms = performance.now() - began;
		await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
		const resident = Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" }));
		return { ms, mb: resident / KILO };
	} finally {
		child.kill("SIGKILL");
		await gone;
	}
}

const start: Bench = {
	name: "start",
	async run({ pairs, peers }) {
		const { status } = spawnSync("npm", ["run", "--silent", "build", "--", "--logLevel", "error"], {
			cwd: PACKAGE_ROOT,
			stdio: ["ignore", "ignore", "inherit"],
		});
		if (status !== 0) throw new Error("The product could not be built: run npm run build and read what it says.");
		const dir = mkdtempSync(join(tmpdir(), "start-"));
		const env = { DATA_DIR: dir, LOG_LEVEL: "silent" };
		const made = spawnSync(process.execPath, ["bin/earthonline.js", "owner", "create", "mira", "--name", "Mira"], {
			cwd: PACKAGE_ROOT,
			env: { ...process.env, ...env },
		});
		if (made.status !== 0) throw new Error(`A desk could not be made: ${made.stderr.toString()}`);
		const sides = {
			[OURS]: () => startOf([join(PACKAGE_ROOT, "dist/server/main.js")], "/healthz", env),
			[NODE]: () => startOf([built("floors/http")], "/", {}),
			...(peers ? { [SDK]: () => startOf([join(PACKAGE_ROOT, "bench/peers/sdk.mjs")], "/.well-known/agent-card.json", {}) } : {}),
		};
		await inTurn(1, sides);
		const samples = await inTurn(pairs, sides);
		rmSync(dir, { recursive: true, force: true });
		return [
			samples.row("command to the first 200, ms", "ms", { floor: NODE }, target("ratio", "most", 2.2)),
			samples.row("command to the first 200, ms", "ms", { peer: SDK }),
			samples.row("resident memory at rest, MB", "mb", { floor: NODE }, target("ratio", "most", 1.8)),
			samples.row("resident memory at rest, MB", "mb", { peer: SDK }),
		];
	},
};

export const startBenches = [start];
