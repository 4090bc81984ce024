/**
 * The commands about what an agent may do in embeds (PRE-1 to 5): its presets, what waits for the owner's word, and the apps. Until the
 * owner's pages have these, here alone is decided; a key can do none of it but ask.
 */
import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { DeskError } from "../shared/errors.js";
import { APP_ACCESS, type AppAccess, isAppAccess, type PresetChange, type Widening } from "../shared/presets.js";
import { isKind, KIND_NAMES, KINDS } from "./apps/kinds.js";
import { type Commands, countOf, day } from "./command-parts.js";
import type { PresetState } from "./engine/presets.js";
import { HintedRefusal } from "./explain.js";
import { plain } from "./log.js";

const wordOf = (value: boolean | string): string => (value === true ? "on" : value === false ? "off" : value);
const widens = ({ part, from, to }: Widening): string => `${part} from ${wordOf(from)} to ${wordOf(to)}`;

/** `webSearch=off calendar=busy` as a change. Whether there is such an app is the engine's to say. */
function changeOf(pairs: readonly string[]): PresetChange {
	const wrong = (sentence: string): DeskError => new DeskError("invalid_params", sentence);
	const apps: [string, AppAccess][] = [];
	let webSearch: boolean | undefined;
	for (const pair of pairs) {
		const [, part, value] = /^([\w.-]+)=(.*)$/s.exec(pair) ?? [];
		if (part === undefined || value === undefined) throw wrong(`Write a change as webSearch=off or calendar=busy, not ${pair}.`);
		if (part === "webSearch") {
			if (!/^(?:on|true|yes|off|false|no)$/i.test(value)) throw wrong(`Write webSearch=on or webSearch=off, not ${pair}.`);
			webSearch = /^(?:on|true|yes)$/i.test(value);
		} else if (isAppAccess(value)) apps.push([part, value]);
		else throw wrong(`Give ${part} one of ${APP_ACCESS.join(", ")}, not ${value}. Nothing can be written ahead of time.`);
	}
	return { ...(webSearch === undefined ? {} : { webSearch }), ...(apps.length === 0 ? {} : { apps: Object.fromEntries(apps) }) };
}

/** The one line of a file, or of what is piped in where it is `-`. */
const lineOf = (file: string): string => readFileSync(file === "-" ? 0 : file, "utf8").trim();

interface ConnectOptions {
	file?: string;
	most?: "busy" | "read";
	timeZone?: string;
	hours?: string;
	days?: string;
}

/** Adds `presets`, `approvals …` and `app …` to the program. */
export function addAppCommands(earthonline: Command, { withDesk, print, complain, self }: Commands): void {
	const show = (handle: string, { preset, most, waiting }: PresetState): void => {
		print(`webSearch=${wordOf(preset.webSearch)}${preset.webSearch && !most.webSearch ? "\tnothing to search with is connected" : ""}`);
		for (const app of Object.keys(most.apps)) print(`${app}=${preset.apps[app] ?? "none"}`);
		for (const { uid, widening, expiresAt } of waiting)
			print(`waits until ${day(expiresAt)}: ${widens(widening)}\tApprove it: ${self} approvals approve ${handle} ${uid}`);
	};
	const cutOff = (underWay: number): void => {
		if (underWay > 0) complain(`${countOf(underWay, "call was", "calls were")} under way: what they bring is withheld.`);
	};

	earthonline
		.command("presets <handle> [name=value...]")
		.description("show what the agent may do for visitors of an embed, or change it: webSearch=on or off, calendar=none, busy or read")
		.action((handle: string, pairs: string[]) =>
			withDesk(async (admin) => {
				if (pairs.length === 0) return show(handle, await admin.presets(handle));
				const { underWay, ...state } = await admin.changePresets(handle, changeOf(pairs));
				show(handle, state);
				cutOff(underWay);
			}),
		);

	const approvals = earthonline.command("approvals").description("what waits for your word");
	approvals
		.command("list <handle>")
		.description("list what waits, and what became of the others")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const rows = await admin.approvals(handle);
				if (rows.length === 0)
					print(`Nothing has been asked for. What would give the agent more waits here: ${self} presets ${handle} calendar=busy`);
				for (const { uid, widening, state, reason, createdAt } of rows)
					print(
						`${state === "open" ? "waits" : state}\t${uid}\t${widens(widening)}\tasked ${day(createdAt)}${reason === "" ? "" : `\t${reason}`}`,
					);
			}),
		);
	for (const [command, decision, done] of [
		["approve", "approved", "It holds for every question that begins from now on."],
		["deny", "denied", "Nothing has changed."],
	] as const) {
		approvals
			.command(`${command} <handle> <id>`)
			.description(`${command} what an approval asks for; the first decision counts`)
			.action((handle: string, uid: string) =>
				withDesk(async (admin) => {
					const { state, widening, first } = await admin.decideApproval(handle, uid, decision);
					if (state === decision) return print(`${first ? "" : "Already decided. "}${widens(widening)}: ${state}. ${done}`);
					const why = { approved: "was approved", denied: "was denied", expired: "has run out", void: "does not stand any more" }[state];
					throw new DeskError("unsupported_operation", `This approval ${why}, so nothing has changed. See: ${self} presets ${handle}`);
				}),
			);
	}

	const app = earthonline.command("app").description("apps that the agent may use in embeds, within the presets");
	app
		.command("connect <handle> <kind> [address]")
		.description(`connect one of ${KIND_NAMES.join(", ")}: a calendar's feed, or something to search the web with`)
		.option("--file <file>", "a file that holds the address or the key, or - for what is piped in: so that it stands in no history")
		.addOption(new Option("--most <level>", "the most of a calendar that may ever be given").choices(["busy", "read"]))
		.option("--time-zone <name>", "of a calendar, such as Europe/Lisbon, where its feed does not say it")
		.option("--hours <from-to>", "when you may be met (9-17)")
		.option("--days <from-to>", "on which days, 1 is Monday (1-5)")
		.action((handle: string, kind: string, address: string | undefined, { file, ...options }: ConnectOptions) =>
			withDesk(async (admin) => {
				// A kind that is none is the server's to refuse: it knows which there are.
				const { needs, secret } = isKind(kind) ? KINDS[kind] : { needs: "address" as const, secret: false };
				const given = file === undefined ? address : lineOf(file);
				if (isKind(kind) && given === undefined)
					throw new DeskError("invalid_params", `Give the ${needs} of ${kind}${secret ? " in a file, with --file" : ""}.`);
				if (needs === "key" && address !== undefined)
					throw new DeskError("invalid_params", `Give the key of ${kind} in a file, with --file: a command stands in the shell's history.`);
				const inHistory =
					secret && address !== undefined
						? "Whoever has this address may read what it leads to, and it stands in the shell's history now. A file keeps it out: --file"
						: undefined;
				const input = { kind, ...(given === undefined ? {} : { [needs]: given }), ...options };
				const connected = await admin.connectApp(handle, input).catch((error: unknown) => {
					// What is wrong is said by the hand, which knows nothing of options. Its reason comes first.
					if (!(error instanceof DeskError)) throw error;
					const help = error.code === "invalid_params" ? `What can be given besides: ${self} app connect --help` : undefined;
					throw new HintedRefusal(
						error,
						[help, inHistory].filter((line) => line !== undefined),
					);
				});
				if (inHistory !== undefined) complain(inHistory);
				print(`${connected.app} is connected: ${plain(connected.label)}.`);
				if (connected.app === "search") print(`Visitors' questions are searched while webSearch is on. See: ${self} presets ${handle}`);
				else print(`Nothing of it is given yet. Give its free and busy times: ${self} presets ${handle} ${connected.app}=busy`);
				if (connected.narrowed) complain("What was given of the one before is given no more.");
			}),
		);
	app
		.command("list <handle>")
		.description("list the apps that are connected")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const rows = await admin.apps(handle);
				if (rows.length === 0)
					print(
						`No app is connected. Put a calendar's address into a file and connect it: ${self} app connect ${handle} ical --file <file>`,
					);
				for (const { app, kind, label, most, connectedAt } of rows)
					print(`${app}\t${kind}\t${plain(label)}\tsince ${day(connectedAt)}${app === "calendar" ? `\tat most ${most}` : ""}`);
			}),
		);
	app
		.command("calls <handle>")
		.description("list what the agent has done outside, newest first")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const calls = await admin.appCalls(handle);
				if (calls.length === 0) print("The agent has done nothing outside. What it searches or looks up for a visitor stands here.");
				for (const { tool, call, state, at } of calls)
					print(`${day(at)}\t${tool}\t${state === "begun" ? "under way or cut off" : state}\t${plain(call)}`);
			}),
		);
	app
		.command("remove <handle> <app>")
		.description("end a connection, and with it whatever was given of it")
		.action((handle: string, name: string) =>
			withDesk(async (admin) => {
				const { underWay } = await admin.removeApp(handle, name);
				print(`${plain(name)} is no longer connected.`);
				cutOff(underWay);
			}),
		);
}
