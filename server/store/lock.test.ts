import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeskError } from "../../shared/errors.js";
import { lockFolder } from "./lock.js";

let dir: string;
beforeEach(() => {
	dir = mkdtempSync(join(tmpdir(), "lock-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Another process that takes the folder and keeps it. */
async function holder(): Promise<ReturnType<typeof spawn>> {
	const code = `import { lockFolder } from ${JSON.stringify(new URL("./lock.ts", import.meta.url).href)}; lockFolder(${JSON.stringify(dir)}); process.stdout.write("held"); setInterval(() => {}, 1_000);`;
	const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), "--input-type=module", "-e", code], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	await once(child.stdout, "data");
	return child;
}

describe("the lock of a folder", () => {
	it("makes the folder, for its user alone", () => {
		const unlock = lockFolder(join(dir, "a", "b"));
		expect(statSync(join(dir, "a", "b")).mode & 0o777).toBe(0o700);
		expect(statSync(join(dir, "a", "b", "server.lock")).mode & 0o777).toBe(0o600);
		unlock();
	});

	it("is had once, also within one process, and again when it was let go", () => {
		const unlock = lockFolder(dir);
		expect(() => lockFolder(dir)).toThrow(DeskError);
		unlock();
		lockFolder(dir)();
	});

	it("is refused while another process has it, naming the folder and what to do", async () => {
		const child = await holder();
		expect(() => lockFolder(dir)).toThrow(
			`A server is already running on the folder ${dir}. Stop it first, or set DATA_DIR to a folder of its own for this one.`,
		);
		child.kill("SIGKILL");
		await once(child, "exit");
		lockFolder(dir)();
	});
});
