/** The commands about numbered embeds (EMB-2): a look that lives on the server, and the line that names it. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { EMBED_NUMBER, GREETING_CHARS, MODES, THEMES } from "../shared/embed.js";
import type { Commands } from "./command-parts.js";
import type { EmbedRow } from "./engine/reads.js";
import { plain } from "./log.js";
import { codeOf } from "./owner/tools-embeds.js";

interface SaveOptions {
	id?: number;
	mode?: string;
	name?: string;
	theme?: string;
	accent?: string;
	greeting?: "on" | "off";
	greetingText?: string;
}

function numberOf(text: string): number {
	if (!EMBED_NUMBER.test(text)) throw new InvalidArgumentError("An embed is named by its number, such as 3.");
	return Number(text);
}

const lookOf = ({ mode, name, theme, accent, greeting, greetingText }: EmbedRow): string =>
	[
		mode,
		...(name === "" ? [] : [`“${name}”`]),
		`theme ${theme}`,
		...(accent === null ? [] : [`accent ${accent}`]),
		greeting === 0 ? "no greeting" : greetingText === "" ? "greets" : `greets: ${greetingText}`,
	].join(", ");

/** Adds `embed …` to the program. */
export function addEmbedCommands(earthonline: Command, { withDesk, print, self }: Commands): void {
	const embed = earthonline.command("embed").description("numbered embeds: what a website shows, kept here");
	embed
		.command("list <handle>")
		.description("list embeds and how they look")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const rows = await admin.embeds(handle);
				if (rows.length === 0) print(`There is no embed yet. Make one: ${self} embed save ${handle} --mode floating`);
				for (const row of rows) print(`${row.number}\t${plain(lookOf(row))}`);
			}),
		);
	embed
		.command("save <handle>")
		.description("make an embed and print the line to paste; with --id change that one")
		.option("--id <number>", "the embed to change", numberOf)
		.addOption(new Option("--mode <mode>", "fixed once made").choices(MODES))
		.option("--name <name>", "what you call it; visitors do not see it")
		.addOption(new Option("--theme <theme>", "auto follows the website").choices(THEMES))
		.option("--accent <colour>", "such as #2563eb; empty for none")
		.addOption(new Option("--greeting <on or off>", "whether the agent says hello").choices(["on", "off"]))
		.option("--greeting-text <line>", `words of your own, at most ${GREETING_CHARS} characters; empty for the usual ones`)
		.action((handle: string, { greeting, ...rest }: SaveOptions) =>
			withDesk(async (admin, config) => {
				const { id } = rest;
				const row = await admin.saveEmbed(handle, { ...rest, ...(greeting === undefined ? {} : { greeting: greeting === "on" }) });
				const code = codeOf(config.publicUrl, handle, row.number);
				const place =
					{ button: "where the button shall stand", inline: "where the chat shall stand" }[row.mode as string] ?? "just before </body>";
				if (id === undefined) print(`Embed ${row.number} of ${handle} is made. Paste this line ${place}:\n${code}`);
				else print(`Embed ${row.number} of ${handle} is changed: ${plain(lookOf(row))}. Its sites show it at their next page load.`);
			}),
		);
	embed
		.command("delete <handle>")
		.argument("<number>", "the embed", numberOf)
		.description("delete an embed: sites that still carry its number stop showing the chat")
		.action((handle: string, id: number) =>
			withDesk(async (admin) => {
				await admin.deleteEmbed(handle, id);
				print(`Embed ${id} of ${handle} is deleted. Its number is never used again.`);
			}),
		);
}
