/** Commands as a shell gives them, for their tests, each of which has a folder and, where it asks for one, a server of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { runCommand } from "../server/commands.js";
import { loadConfig } from "../server/config.js";
import { type Serving, serve } from "../server/serve.js";

export let folder: string;
/** The shell's settings, and the server's: all of it lies below `folder`, it listens where the kernel says, and logs nothing. */
export let env: Record<string, string>;
/** The one that runs, if one does. */
export let server: Serving | undefined;

/** To be called once by a file that tests commands. */
export function useCommands(): void {
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "commands-"));
		env = { DATA_DIR: join(folder, "data"), LOG_LEVEL: "silent", PORT: "0", PUBLIC_URL: "http://localhost:8787" };
	});
	afterEach(async () => {
		await stop();
		rmSync(folder, { recursive: true, force: true });
	});
}

/** Starts the server; it ends with the test. */
export async function start(settings = env): Promise<Serving> {
	server = await serve(loadConfig(settings));
	return server;
}

export async function stop(): Promise<void> {
	await server?.close();
	server = undefined;
}

/** Runs one command line. `out` and `err` are what it printed, line by line. `home`: where the usual data folders lie. */
export async function commanded(
	env: Record<string, string>,
	args: string[],
	home?: string,
): Promise<{ code: number; out: string; err: string }> {
	const out: string[] = [];
	const err: string[] = [];
	const code = await runCommand(args, {
		env,
		print: (line) => out.push(line),
		complain: (line) => err.push(line),
		...(home === undefined ? {} : { home }),
	});
	return { code, out: out.join("\n"), err: err.join("\n") };
}

/** A command in the test's own shell. */
export const command = (...args: string[]) => commanded(env, args);
