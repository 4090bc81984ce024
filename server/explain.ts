/** Says whatever was thrown to the person at the terminal: what is wrong and what to do, never where in the code. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { DeskError } from "../shared/errors.js";
import { ConfigError } from "./config.js";

/** How whoever reads a hint calls this program: by its own name where a shell finds that, else through npm. */
export function programName({ npm_command: npm, PATH = "" }: Record<string, string | undefined>): string {
	// Under npm the name is on the path of this process, and not on that of the shell from which npm was called.
	const isFound = npm === undefined && PATH.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, "earthonline")));
	return isFound ? "earthonline" : "npx earthonline";
}

/** A refusal, and what a command has to say once its reason is said. */
export class HintedRefusal extends Error {
	override readonly name = "HintedRefusal";
	constructor(
		readonly refusal: DeskError,
		readonly hints: readonly string[],
	) {
		super(refusal.message);
	}
}

/** A violation that only repeats its refusal is not said twice. */
const repeats = (message: string, description: string): boolean =>
	message.toLowerCase().includes(description.toLowerCase().replace(/\.$/, ""));

/** Lines without an end. A fault that nobody foresaw is its own message. */
export function explain(error: unknown): string[] {
	if (error instanceof DeskError) {
		const violations = (error.detail.violations ?? []).filter(({ description }) => !repeats(error.message, description));
		return [error.message, ...violations.map((v) => `  ${v.field}: ${v.description}`)];
	}
	if (error instanceof HintedRefusal) return [...explain(error.refusal), ...error.hints];
	if (error instanceof ConfigError) return error.message.split("\n");
	const { code, message, port, path } = error as NodeJS.ErrnoException & { port?: number };
	switch (code) {
		case "EADDRINUSE":
			return [`Port ${port} is taken. Stop what holds it, or set PORT (for the demo site DEMO_PORT) to another.`];
		case "EADDRNOTAVAIL":
		case "ENOTFOUND":
		case "EAI_AGAIN":
			return ["HOST is no address of this machine. Use 0.0.0.0 for all of them, or leave it out."];
		case "ENOENT":
			if (path !== undefined) return [`There is no file ${path}. Check the path.`];
			break;
		case "EISDIR":
			return [`${path ?? "That"} is a folder. Name a file.`];
		case "ENOTDIR":
			return [`${path ?? "That"} goes through a file as if it were a folder. Check the path.`];
		case "EEXIST":
			return [`${path ?? "That"} is there already. Name another, or move it away.`];
		case "EACCES":
		case "EPERM":
			return [`This user may not use ${path ?? "that"} (${message}). Look at the path and its owner.`];
	}
	return [message ?? String(error)];
}
