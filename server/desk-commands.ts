/**
 * The commands about desks: owners, profiles, keys, memory, policies; sites and embeds stand beside. Each asks the server that runs on DATA_DIR, or else
 * opens the store itself for as long as it takes. What somebody else wrote is printed with every character escaped that a
 * terminal obeys. Only `owner create` makes a database where there is none.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Command, Option } from "commander";
import { DeskError } from "../shared/errors.js";
import { type Admin, localAdmin, reachAdmin } from "./admin.js";
import { addAppCommands } from "./app-commands.js";
import { countOf, day } from "./command-parts.js";
import type { Surroundings } from "./commands.js";
import { type Config, demoDataDir, loadConfig } from "./config.js";
import { addEmbedCommands } from "./embed-commands.js";
import { HOURS_EXAMPLE } from "./engine/hours.js";
import { DEFAULT_SETTINGS } from "./engine/settings.js";
import { programName } from "./explain.js";
import { plain } from "./log.js";
import { openDesk } from "./open.js";
import { addPictureCommands } from "./picture-commands.js";
import { addSiteCommands } from "./site-commands.js";
import { databaseFile } from "./store/sqlite-connection.js";

export const signInLink = (config: Config, secret: string): string => `${config.publicUrl}/sign-in#${secret}`;

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

/** The text of a file that its owner named. Throws DeskError where it is none. */
function textOf(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		// Read as a file, a folder fails without its name.
		if (code === "EISDIR") throw new DeskError("invalid_params", `${file} is a folder. Name the files in it, such as ${file}/*.md`);
		throw error;
	}
}

/** `anna` → `Anna`. */
const capitalised = (handle: string): string => handle.charAt(0).toUpperCase() + handle.slice(1);

/** What a desk says of itself, as options of a command. */
interface ProfileOptions {
	name?: string;
	ownerName?: string;
	about?: string;
	language?: "en" | "zh";
	suggest?: string[];
}

const withProfile = (command: Command): Command =>
	command
		.option("--name <name>", "the name that visitors see")
		.option("--owner-name <name>", "the person whom the desk stands for")
		.option("--about <text>", "one line about the desk")
		.addOption(new Option("--language <language>", "of the desk's own texts").choices(["en", "zh"]))
		.option("--suggest <text...>", "up to 3 questions to tap on an empty chat");

/** Each question once, where it was asked last; `times` of those listed. The newest comes first, as it does in `gaps`. */
function questionsOf(gaps: readonly { question: string; at: number }[]): { question: string; at: number; times: number }[] {
	const known = new Map<string, { question: string; at: number; times: number }>();
	for (const { question, at } of gaps) {
		const one = known.get(question);
		known.set(question, { question, at: Math.max(one?.at ?? 0, at), times: (one?.times ?? 0) + 1 });
	}
	return [...known.values()].sort((a, b) => b.at - a.at);
}

/** Characters of an answer that a line shows. */
const RATED_CHARS = 120;

const profileOf = ({ suggest, ...rest }: ProfileOptions) => ({ ...rest, ...(suggest ? { suggestions: suggest } : {}) });

/** Adds the commands about desks to the program. */
export function addDeskCommands(earthonline: Command, { env, print, complain, home }: Surroundings): void {
	const self = programName(env);

	/** The server that a command means: the one on its folder, or the demo's, where nothing says which and the usual folder holds nothing. */
	const reach = async (config: Config): Promise<{ admin: Admin; isDemo: boolean } | undefined> => {
		const admin = await reachAdmin(config.dataDir);
		if (admin) return { admin, isDemo: false };
		if (env.DATA_DIR?.trim() || config.databaseUrl !== undefined || existsSync(databaseFile(config.dataDir))) return undefined;
		const demo = await reachAdmin(demoDataDir(home));
		return demo && { admin: demo, isDemo: true };
	};

	/** `makes`: a database is made where there is none. */
	const withDesk = async (work: (admin: Admin, config: Config) => Promise<void>, { makes = false } = {}): Promise<void> => {
		const config = loadConfig(env, home);
		const running = await reach(config);
		if (running) {
			if (running.isDemo && makes)
				complain(`This goes to the demo that is running (${demoDataDir(home)}). For a folder of its own, stop the demo first.`);
			// Its addresses are its own, whatever this shell's settings say.
			return work(running.admin, { ...config, ...(await running.admin.about()) });
		}
		if (!makes && config.databaseUrl === undefined && !existsSync(databaseFile(config.dataDir))) {
			throw new DeskError(
				"not_found",
				`There is no database in ${config.dataDir} and no server runs there. Make a desk with: ${self} owner create <handle>. Or set DATA_DIR to the folder that you mean.`,
			);
		}
		const desk = await openDesk(config);
		try {
			await work(localAdmin(desk), config);
		} finally {
			await desk.close();
		}
	};

	const owner = earthonline.command("owner").description("desks and their owners");
	withProfile(owner.command("create <handle>").description("make a desk and the account of its owner")).action(
		async (handle: string, options: ProfileOptions) =>
			withDesk(
				async (admin, config) => {
					await admin.createOwner({ handle, ...profileOf(options), name: options.name ?? capitalised(handle) });
					print(`The desk ${handle} is made: ${config.publicUrl}/@${handle}/chat`);
					print(`Give it a memory: ${self} memory put ${handle} notes.md`);
					print(`Let a site show its chat: ${self} sites add ${handle} https://your-site.com`);
				},
				{ makes: true },
			),
	);
	owner
		.command("list")
		.description("list the desks")
		.action(() =>
			withDesk(async (admin) => {
				const desks = await admin.desks();
				if (desks.length === 0) print(`There is no desk yet. Make one: ${self} owner create <handle>`);
				for (const desk of desks) print(`${desk.handle}\t${plain(desk.name)}`);
			}),
		);
	owner
		.command("link <handle>")
		.description("print a sign-in link, good once within ten minutes")
		.action((handle: string) => withDesk(async (admin, config) => print(signInLink(config, await admin.createSignIn(handle)))));

	const desk = earthonline.command("desk").description("what a desk says of itself");
	withProfile(desk.command("set <handle>").description("change a desk's name, its owner's, its line, language, questions or hours"))
		.option("--hours <hours>", `when it answers, such as "${HOURS_EXAMPLE}"; "" for any time`)
		.action((handle: string, { hours, ...options }: ProfileOptions & { hours?: string }) =>
			withDesk(async (admin, config) => {
				if (Object.keys(options).length === 0 && hours === undefined)
					throw new DeskError("invalid_params", "Say what to change: --name, --owner-name, --about, --language, --suggest or --hours.");
				// First what may be refused: then nothing is changed.
				if (hours !== undefined) await admin.changeSettings(handle, { hours });
				if (Object.keys(options).length > 0) await admin.changeProfile(handle, profileOf(options));
				print(`The desk ${handle} is changed: ${config.publicUrl}/@${handle}/chat`);
			}),
		);
	desk
		.command("ratings <handle>")
		.description("list what visitors thought of answers, the newest first")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const ratings = await admin.ratings(handle);
				if (ratings.length === 0) print("No answer has been rated yet. A visitor does that with the thumbs below an answer.");
				for (const { at, value, text } of ratings) print(`${day(at)}\t${value}\t${plain(text.replace(/\s+/g, " ").slice(0, RATED_CHARS))}`);
			}),
		);

	const key = earthonline.command("key").description("keys by which programs speak as the owner's account");
	key
		.command("create <handle>")
		.description("make a key; it is shown this once")
		.requiredOption("--name <name>", "what the key is for")
		.action((handle: string, { name }: { name: string }) =>
			withDesk(async (admin) => {
				print(await admin.createKey(handle, name));
				complain("Keep this key now: it is shown this once and stored only as a hash.");
			}),
		);
	key
		.command("list <handle>")
		.description("list keys by their last four characters")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const keys = await admin.keys(handle);
				if (keys.length === 0) print(`There is no key. Make one: ${self} key create ${handle} --name <what it is for>`);
				for (const k of keys) print(`${k.uid}\t…${k.last4}\t${plain(k.name)}`);
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

	addSiteCommands(earthonline, { withDesk, print, complain, self });
	addEmbedCommands(earthonline, { withDesk, print, complain, self });
	addAppCommands(earthonline, { withDesk, print, complain, self });
	addPictureCommands(earthonline, { withDesk, print, complain, self });

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
					await admin.putMemory(handle, path, textOf(file));
					print(`${path} is in the memory of ${handle}.`);
				}
			}),
		);
	memory
		.command("list <handle>")
		.description("list the files of the memory")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const files = await admin.memory(handle);
				if (files.length === 0) print(`The memory is empty. Put a file into it: ${self} memory put ${handle} notes.md`);
				for (const file of files) print(`${plain(file.path)}\t${countOf([...file.text].length, "character", "characters")}`);
			}),
		);
	memory
		.command("get <handle> <path>")
		.description("print a file of the memory")
		.action((handle: string, path: string) =>
			withDesk(async (admin) => {
				const file = (await admin.memory(handle)).find((one) => one.path === path);
				if (!file)
					throw new DeskError("not_found", `There is no file ${path} in the memory of ${handle}. See: ${self} memory list ${handle}`);
				for (const line of file.text.replace(/\n$/, "").split("\n")) print(line);
			}),
		);
	memory
		.command("remove <handle> <path>")
		.description("take a file out of the memory")
		.action((handle: string, path: string) =>
			withDesk(async (admin) => {
				await admin.removeMemory(handle, path);
				print(`${path} is no longer in the memory of ${handle}.`);
			}),
		);
	memory
		.command("gaps <handle>")
		.description("list questions that the memory did not answer")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const gaps = questionsOf(await admin.gaps(handle));
				if (gaps.length === 0) print("No question has been left open. One that a visitor asks and the memory does not answer stands here.");
				for (const { at, question, times } of gaps) print(`${day(at)}\t${plain(question)}${times > 1 ? `\tasked ${times} times` : ""}`);
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
}
