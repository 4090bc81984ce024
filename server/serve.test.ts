import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
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
function earthonline(...args: string[]) {
	const child = spawn(process.execPath, ["--import", "tsx", join(PACKAGE_ROOT, "server/cli.ts"), ...args], {
		env: { ...process.env, DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "info" },
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
		const url = (await server.says(/listening on (http:\S+?)\)/))[1];
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
		await earthonline("serve").says(/listening on/);
		const second = earthonline("serve");
		expect(await second.ended).toBe(1);
		expect(second.said.err).toMatch(/already running.*Stop it first, or set DATA_DIR/);
		expect(second.said.err).not.toMatch(/\n\s+at /);
	});

	it("starts again on a folder whose server was killed", async () => {
		const first = earthonline("serve");
		await first.says(/listening on/);
		first.child.kill("SIGKILL");
		await first.ended;
		const second = earthonline("serve");
		await second.says(/listening on/);
		expect(await (await reachAdmin(dataDir))?.desks()).toEqual([]);
	});
});
