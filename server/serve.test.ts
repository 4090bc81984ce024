import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reachAdmin } from "./admin.js";
import { PACKAGE_ROOT } from "./root.js";

let dataDir: string;
const running: ChildProcessWithoutNullStreams[] = [];

beforeEach(() => {
	dataDir = mkdtempSync(join(tmpdir(), "serve-"));
});
afterEach(async () => {
	for (const child of running.splice(0)) {
		if (child.exitCode !== null || child.signalCode !== null) continue;
		child.kill("SIGKILL");
		await once(child, "exit");
	}
	rmSync(dataDir, { recursive: true, force: true });
});

/** A process of its own, as an operator would start it. */
const earthonline = (...args: string[]) => started(["--import", "tsx", join(PACKAGE_ROOT, "server/cli.ts"), ...args]);

function started(args: string[], more: Record<string, string> = {}) {
	const child = spawn(process.execPath, args, {
		cwd: PACKAGE_ROOT,
		env: { ...process.env, DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "info", ...more },
	});
	running.push(child);
	const said = { out: "", err: "" };
	child.stdout.on("data", (chunk: Buffer) => {
		said.out += chunk;
	});
	child.stderr.on("data", (chunk: Buffer) => {
		said.err += chunk;
	});
	const ended = once(child, "close").then(([code]) => code as number | null);
	/** Resolves once the output has a match; rejects if the process ends before. */
	const says = (pattern: RegExp): Promise<RegExpExecArray> =>
		new Promise((resolve, reject) => {
			const look = () => {
				const match = pattern.exec(said.out);
				if (match) resolve(match);
			};
			child.stdout.on("data", look);
			void ended.then((code) => reject(new Error(`Ended with ${code}: ${said.err}`)));
			look();
		});
	return { child, said, ended, says };
}

describe("earthonline serve", () => {
	it("answers, is reached by commands, and ends at SIGTERM with nothing left behind", async () => {
		const server = earthonline("serve");
		const url = (await server.says(/It listens on (http:\S+?), which this machine alone can reach/))[1];
		expect((await fetch(`${url}/healthz`)).status).toBe(200);
		expect((await fetch(`${url}/readyz`)).status).toBe(200);
		expect(await (await reachAdmin(dataDir))?.desks()).toEqual([]);
		server.child.kill("SIGTERM");
		expect(await server.ended).toBe(0);
		expect(await reachAdmin(dataDir)).toBeUndefined();
		// The log is JSON, line by line, and says why it ended.
		const lines = server.said.err
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as Record<string, unknown>);
		expect(lines.some((line) => line.signal === "SIGTERM")).toBe(true);
	});

	it("refuses a folder that another server holds, and says what to do", async () => {
		await earthonline("serve").says(/It listens on/);
		const second = earthonline("serve");
		expect(await second.ended).toBe(1);
		expect(second.said.err).toMatch(/already running.*Stop it first, or set DATA_DIR/);
		expect(second.said.err).not.toMatch(/\n\s+at /);
	});

	it("starts again on a folder whose server was killed", async () => {
		const first = earthonline("serve");
		await first.says(/It listens on/);
		first.child.kill("SIGKILL");
		await first.ended;
		const second = earthonline("serve");
		await second.says(/It listens on/);
		expect(await (await reachAdmin(dataDir))?.desks()).toEqual([]);
	});

	it("says that a plain http address is no good for others", async () => {
		const server = started(["--import", "tsx", join(PACKAGE_ROOT, "server/cli.ts"), "serve"], {
			PUBLIC_URL: "http://desk.example.com",
			HOST: "127.0.0.1",
		});
		await server.says(/It listens on[\s\S]*PUBLIC_URL is plain http/);
	});

	it("is not built anew under a server that runs", async () => {
		await earthonline("serve").says(/It listens on/);
		const demo = started([join(PACKAGE_ROOT, "scripts/demo.mjs")]);
		expect(await demo.ended).toBe(1);
		expect(demo.said.err).toMatch(/A server is running on .*Stop it first/);
		expect(demo.said.out).toBe("");
	});
});

describe("npm start", () => {
	it("says what to do where nothing is built", async () => {
		mkdirSync(join(dataDir, "bin"));
		writeFileSync(join(dataDir, "package.json"), '{ "type": "module" }');
		cpSync(join(PACKAGE_ROOT, "bin/start.js"), join(dataDir, "bin/start.js"));
		const start = started([join(dataDir, "bin/start.js")]);
		expect(await start.ended).toBe(1);
		expect(start.said.err.trim()).toBe("The server is not built yet. Run: npm run build");
	});
});

describe("a command whose reader has had enough", () => {
	it("ends without a trace", async () => {
		await earthonline("owner", "create", "anna").ended;
		const list = earthonline("settings", "anna");
		list.child.stdout.destroy();
		expect(await list.ended).toBe(0);
		expect(list.said.err).toBe("");
	});
});
