/** Commands as a shell gives them, for their tests. */
import { join } from "node:path";
import { runCommand } from "../server/commands.js";

/** The settings of a server whose folders are below `folder`: it listens where the kernel says, and logs nothing. */
export const settingsIn = (folder: string): Record<string, string> => ({
	DATA_DIR: join(folder, "data"),
	LOG_LEVEL: "silent",
	PORT: "0",
	PUBLIC_URL: "http://localhost:8787",
});

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
