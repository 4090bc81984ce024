/**
 * The commands of `earthonline`. Each asks the server that runs on DATA_DIR, or else opens the store itself for as long as
 * it takes. What a command gives goes to `print`, what went wrong to `complain`, as plain sentences that say what to do;
 * nothing here reads or writes anything but through these and the table of admin.ts.
 */
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { Command, CommanderError, Option } from "commander";
import { DeskError } from "../shared/errors.js";
import { type Admin, localAdmin, reachAdmin } from "./admin.js";
import { type Config, loadConfig } from "./config.js";
import { DEMO_HANDLE, serveDemo } from "./demo.js";
import { examine } from "./doctor.js";
import { DEFAULT_SETTINGS } from "./engine/settings.js";
import { explain } from "./explain.js";
import { openDesk, restoreDesk } from "./open.js";
import { closeAtSignal, serveFromSettings } from "./serve.js";
import { backup } from "./store/backup.js";

export interface Surroundings {
	env: Record<string, string | undefined>;
	print(line: string): void;
	complain(line: string): void;
}

/** What a command gives back to the shell. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

const signInLink = (config: Config, secret: string): string => `${config.publicUrl}/sign-in#${secret}`;
const day = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
const countOf = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

/** Reads `on`, `off`, numbers and words as the setting's own type; the engine judges the value. */
function settingValue(name: string, text: string): string | number | boolean {
	const type = typeof DEFAULT_SETTINGS[name as keyof typeof DEFAULT_SETTINGS];
	if (type === "boolean" && /^(?:on|true|yes|off|false|no)$/i.test(text)) return /^(?:on|true|yes)$/i.test(text);
	if (type === "number" && /^\d+$/.test(text)) return Number(text);
	return text;
}

function changeOf(pairs: string[]): Record<string, string | number | boolean> {
	const change = new Map<string, string | number | boolean>();
	for (const pair of pairs) {
		const [, name, value] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
		if (name === undefined || value === undefined) throw new DeskError("invalid_params", `Write a change as name=value, not ${pair}.`);
		change.set(name, settingValue(name, value));
	}
	return Object.fromEntries(change);
}

/** The program. `failed` is called by a command that ran to its end and has bad news. */
function program(around: Surroundings, failed: () => void): Command {
	const { env, print } = around;
	const earthonline = new Command("earthonline").description("A self-hosted front desk: commands for the one who runs it.");

	const withDesk = async (work: (admin: Admin, config: Config) => Promise<void>, config = loadConfig(env)): Promise<void> => {
		const running = await reachAdmin(config.dataDir);
		if (running) return work(running, config);
		const desk = await openDesk(config);
		try {
			await work(localAdmin(desk), config);
		} finally {
			await desk.close();
		}
	};

	earthonline
		.command("serve")
		.description("run the server until it is told to stop")
		.action(() => serveFromSettings(env, print));

	earthonline
		.command("demo")
		.description("run a desk with a memory, and a website on another origin that shows its chat")
		.action(async () => {
			const config = loadConfig({ ...env, DATA_DIR: env.DATA_DIR || ".data/demo", LOG_LEVEL: env.LOG_LEVEL || "warn" });
			const serving = await serveDemo(config);
			closeAtSignal(config, serving.close);
			const secret = await serving.desk.engine.owner.createSignIn(DEMO_HANDLE);
			print(`A website with the chat in its corner:  ${serving.siteUrl}`);
			print(`The desk itself:                        ${config.publicUrl}/@${DEMO_HANDLE}/chat`);
			print(`Its card for other agents (A2A 1.0):    ${config.publicUrl}/a2a/${DEMO_HANDLE}/card`);
			print(`Sign in as its owner, once in 10 min:   ${signInLink(config, secret)}`);
			print(`Everything is kept in ${config.dataDir}. Stop with Ctrl+C.`);
		});

	const owner = earthonline.command("owner").description("desks and their owners");
	owner
		.command("create <handle>")
		.description("make a desk and the account of its owner")
		.requiredOption("--name <name>", "the name that visitors see")
		.option("--owner-name <name>", "the person whom the desk stands for (default: the name)")
		.option("--about <text>", "one line about the desk")
		.addOption(new Option("--language <language>", "of the desk's own texts").choices(["en", "zh"]))
		.option("--suggest <text...>", "up to 3 questions to tap on an empty chat")
		.action(
			async (handle: string, options: { name: string; ownerName?: string; about?: string; language?: "en" | "zh"; suggest?: string[] }) => {
				const { suggest, ...rest } = options;
				await withDesk(async (admin, config) => {
					await admin.createOwner({ handle, ...rest, ...(suggest ? { suggestions: suggest } : {}) });
					print(`The desk ${handle} is made: ${config.publicUrl}/@${handle}/chat`);
					print(`Give it a memory: earthonline memory put ${handle} notes.md`);
					print(`Let a site show its chat: earthonline sites add ${handle} https://your-site.com`);
				});
			},
		);
	owner
		.command("list")
		.description("list the desks")
		.action(() =>
			withDesk(async (admin) => {
				for (const desk of await admin.desks()) print(`${desk.handle}\t${desk.name}`);
			}),
		);
	owner
		.command("link <handle>")
		.description("print a sign-in link, good once within ten minutes")
		.action((handle: string) => withDesk(async (admin, config) => print(signInLink(config, await admin.createSignIn(handle)))));

	const key = earthonline.command("key").description("keys by which programs speak as the owner's account");
	key
		.command("create <handle>")
		.description("make a key; it is shown this once")
		.requiredOption("--name <name>", "what the key is for")
		.action((handle: string, { name }: { name: string }) => withDesk(async (admin) => print(await admin.createKey(handle, name))));
	key
		.command("list <handle>")
		.description("list keys by their last four characters")
		.action((handle: string) =>
			withDesk(async (admin) => {
				for (const k of await admin.keys(handle)) print(`${k.uid}\t…${k.last4}\t${k.name}`);
			}),
		);
	key
		.command("revoke <handle> <id>")
		.description("end a key at once")
		.action((handle: string, id: string) =>
			withDesk(async (admin) => {
				await admin.revokeKey(handle, id);
				print(`The key ${id} is revoked.`);
			}),
		);

	const sites = earthonline.command("sites").description("websites that may show a desk's chat");
	sites
		.command("list <handle>")
		.description("list allowed, blocked and waiting sites")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const rows = await admin.sites(handle);
				if (rows.length === 0) print(`No site may show the chat yet. Allow one: earthonline sites add ${handle} https://your-site.com`);
				for (const row of rows) {
					print(
						`${row.state}\t${row.rule}\t${row.state === "pending" ? `asked ${countOf(row.asked, "time", "times")}` : `since ${day(row.createdAt)}`}`,
					);
				}
			}),
		);
	for (const [command, state, word] of [
		["add", "allowed", "may show"],
		["block", "blocked", "may never show"],
	] as const) {
		sites
			.command(`${command} <handle> <site>`)
			.description(`${state === "allowed" ? "allow" : "block"} https://site.com, or *.site.com for what is below it`)
			.action((handle: string, site: string) =>
				withDesk(async (admin) => {
					const row = await admin.setSite(handle, site, state);
					print(`${row.rule} ${word} the chat of ${handle}.`);
				}),
			);
	}
	sites
		.command("remove <handle> <site>")
		.description("take a site off the list: it is unknown again")
		.action((handle: string, site: string) =>
			withDesk(async (admin) => {
				await admin.removeSite(handle, site);
				print(`${site} is off the list of ${handle}.`);
			}),
		);

	const memory = earthonline.command("memory").description("what a desk answers from");
	memory
		.command("put <handle> <files...>")
		.description("put text files into the memory, each under its own name")
		.option("--as <path>", "the name of a single file in the memory")
		.action((handle: string, files: string[], { as }: { as?: string }) =>
			withDesk(async (admin) => {
				if (as !== undefined && files.length > 1) throw new DeskError("invalid_params", "--as names one file; give one.");
				for (const file of files) {
					const path = as ?? basename(file);
					await admin.putMemory(handle, path, readFileSync(file, "utf8"));
					print(`${path} is in the memory of ${handle}.`);
				}
			}),
		);
	memory
		.command("list <handle>")
		.description("list the files of the memory")
		.action((handle: string) =>
			withDesk(async (admin) => {
				for (const file of await admin.memory(handle)) print(`${file.path}\t${countOf([...file.text].length, "character", "characters")}`);
			}),
		);
	memory
		.command("gaps <handle>")
		.description("list questions that the memory did not answer")
		.action((handle: string) =>
			withDesk(async (admin) => {
				for (const gap of await admin.gaps(handle)) print(`${day(gap.at)}\t${gap.question}`);
			}),
		);

	earthonline
		.command("settings <handle> [name=value...]")
		.description("show the policies of a desk, or change some")
		.action((handle: string, pairs: string[]) =>
			withDesk(async (admin) => {
				const settings = pairs.length > 0 ? await admin.changeSettings(handle, changeOf(pairs)) : await admin.settings(handle);
				for (const [name, value] of Object.entries(settings)) print(`${name}=${value === true ? "on" : value === false ? "off" : value}`);
			}),
		);

	// Copies are made by this process, from and to files: a server that runs is not slowed by them, and not asked.
	const onFiles = (): Config => {
		const config = loadConfig(env);
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
		.action((file: string) => {
			const { kept } = restoreDesk(onFiles(), file);
			print(`The database is that of ${resolve(file)} again.${kept === undefined ? "" : ` The one before is kept as ${kept}.`}`);
		});
	earthonline
		.command("doctor")
		.description("look for what would stop the server on this machine")
		.action(async () => {
			const findings = await examine(env);
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
		for (const line of explain(error)) around.complain(line);
		return EXIT.failed;
	}
	return code;
}
