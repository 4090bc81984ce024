/** Says whatever was thrown to the person at the terminal: what is wrong and what to do, never where in the code. */
import { DeskError } from "../shared/errors.js";
import { ConfigError } from "./config.js";

/** Lines without an end. A fault that nobody foresaw is its own message. */
export function explain(error: unknown): string[] {
	if (error instanceof DeskError) return [error.message, ...(error.detail.violations ?? []).map((v) => `  ${v.field}: ${v.description}`)];
	if (error instanceof ConfigError) return error.message.split("\n");
	const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
	if (code === "EADDRINUSE") return [`Port ${port} is taken. Stop what holds it, or set PORT (for the demo site DEMO_PORT) to another.`];
	if (code === "EADDRNOTAVAIL") return ["HOST is no address of this machine. Use 0.0.0.0 for all of them, or leave it out."];
	if (code === "EACCES" || code === "ENOENT") return [`${message}. Look at the path and its owner.`];
	return [message ?? String(error)];
}
