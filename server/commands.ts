/**
 * The program `earthonline`: what runs, copies and examines a whole installation; desk-commands.ts has what is done to one
 * desk. What a command gives goes to `print`, what went wrong to `complain`, as plain sentences that say what to do; nothing
 * here reads or writes anything but through these, the table of admin.ts and the files that a command names.
 */
import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { DeskError } from "../shared/errors.js";
import { reachAdmin } from "./admin.js";
import { countOf } from "./command-parts.js";
import { type Config, commandPrefix, demoDataDir, loadConfig } from "./config.js";
import { DEMO_HANDLE, serveDemo } from "./demo.js";
import { addDeskCommands, signInLink } from "./desk-commands.js";
import { examine } from "./doctor.js";
import { explain, programName } from "./explain.js";
import { plain } from "./log.js";
import { restoreDesk } from "./open.js";
import { closeAtSignal, serveFromSettings } from "./serve.js";
import { backup } from "./store/backup.js";
import { VERSION } from "./version.js";

export interface Surroundings {
	env: Record<string, string | undefined>;
	print(line: string): void;
	complain(line: string): void;
	/** The folder in which the usual data folders lie; the package's unless given. */
	home?: string;
}

/** What a command gives back to the shell. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** The program. `failed` is called by a command that ran to its end and has bad news. */
function program(around: Surroundings, failed: () => void): Command {
	const { env, print, home } = around;
	const earthonline = new Command("earthonline")
		.description("A self-hosted front desk: commands for the one who runs it.")
		.version(VERSION, "--version", "print the version");

	earthonline
		.command("serve")
		.description("run the server until it is told to stop")
		.action(() => serveFromSettings(env, print, home));

	earthonline
		.command("demo")
		.description("run a desk with a memory, and a website on another origin that shows its chat")
		.action(async () => {
			const config = loadConfig({ ...env, DATA_DIR: env.DATA_DIR?.trim() || demoDataDir(home), LOG_LEVEL: env.LOG_LEVEL || "warn" });
			const serving = await serveDemo(config);
			closeAtSignal(config, serving.close);
			const secret = await serving.desk.engine.owner.createSignIn(DEMO_HANDLE);
			print(`A website with the chat, as a tour:     ${serving.siteUrl}`);
			print(`A line for a page of your own:          ${config.publicUrl}/snippet`);
			print(`The desk itself:                        ${config.publicUrl}/@${DEMO_HANDLE}/chat`);
			print(`Its card for other agents (A2A 1.0):    ${config.publicUrl}/a2a/${DEMO_HANDLE}/card`);
			print(`Sign in as its owner, once in 10 min:   ${signInLink(config, secret)}`);
			print(`Commands for it:                        ${commandPrefix(config.dataDir)}${programName(env)} sites list ${DEMO_HANDLE}`);
			print(`Everything is kept in ${config.dataDir}. Stop with Ctrl+C.`);
		});

	addDeskCommands(earthonline, around);

	// Copies are made by this process, from and to files: a server that runs is not slowed by them, and not asked.
	const onFiles = (): Config => {
		const config = loadConfig(env, home);
		if (config.databaseUrl === undefined) return config;
		throw new DeskError("unsupported_operation", "Everything is in PostgreSQL (DATABASE_URL). Use pg_dump and pg_restore.");
	};
	earthonline
		.command("backup <file>")
		.description("copy the database to a new file, while the server runs or not")
		.action((file: string) => {
			const { bytes } = backup({ dir: onFiles().dataDir, to: file });
			print(
				`The copy is in ${resolve(file)}, ${countOf(bytes, "byte", "bytes")}. It holds everything: keep it as carefully as the database.`,
			);
		});
	earthonline
		.command("restore <file>")
		.description("put a copy back in the place of the database; the server must not run")
		.action(async (file: string) => {
			const config = onFiles();
			if (await reachAdmin(config.dataDir))
				throw new DeskError("unavailable", `A server is already running on ${config.dataDir}. Stop it, restore, and start it again.`);
			const { kept } = restoreDesk(config, file);
			print(`The database is that of ${resolve(file)} again.${kept === undefined ? "" : ` The one before is kept as ${kept}.`}`);
		});
	earthonline
		.command("doctor")
		.description("look for what would stop the server on this machine")
		.action(async () => {
			const findings = await examine(env, home);
			for (const { state, text } of findings) print(`${{ ok: "ok  ", note: "note", bad: "BAD " }[state]}  ${text}`);
			if (findings.some(({ state }) => state === "bad")) failed();
		});
	return earthonline;
}

/** Runs one command line (without `node` and the program's name). Resolves to the exit code once the command is done or serving. */
export async function runCommand(args: string[], around: Surroundings): Promise<number> {
	let code: number = EXIT.ok;
	const earthonline = program(around, () => {
		code = EXIT.failed;
	});
	const quiet = (command: Command): void => {
		command.exitOverride().configureOutput({
			writeOut: (text) => around.print(text.trimEnd()),
			writeErr: (text) => around.complain(text.trimEnd()),
		});
		command.commands.forEach(quiet);
	};
	quiet(earthonline);
	try {
		await earthonline.parseAsync(args, { from: "user" });
	} catch (error) {
		if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
		for (const line of explain(error)) around.complain(plain(line));
		return EXIT.failed;
	}
	return code;
}
