/** The commands about websites that may show a desk's chat (SITE-1 to 3): the list, those that wait, where it has shown. */
import type { Command } from "commander";
import { LIMITS } from "../shared/limits.js";
import { type Commands, countOf, day } from "./command-parts.js";
import type { ListedSite, SiteList } from "./engine/engine.js";
import { plain } from "./log.js";

const SILENT_DAYS = LIMITS.siteSilentMs / (24 * 60 * 60 * 1000);

/** A site that asked before it was allowed has the time of that in its rule until the chat shows there; `recent` alone tells the two apart. */
function sightOf({ rule, asked, seenAt }: ListedSite, recent: SiteList["recent"]): string {
	const shown = asked === 0 ? seenAt : (recent.find(({ site }) => site === rule)?.seenAt ?? 0);
	if (shown > 0) return `last shown ${day(shown)}`;
	if (asked === 0) return "never shown there";
	const then = `asked ${countOf(asked, "time", "times")}`;
	// A full list has dropped some where it has shown.
	return recent.length >= LIMITS.recentSites
		? `${then}, last asked or shown ${day(seenAt)}`
		: `${then}, last ${day(seenAt)}; no showing noted yet`;
}

/** What is known of a site beside what its rule says. */
function factsOf(row: ListedSite, recent: SiteList["recent"]): string {
	const { state, asked, createdAt, seenAt, silent } = row;
	if (state === "pending") return `asked ${countOf(asked, "time", "times")}, last ${day(seenAt)}`;
	if (state === "blocked") return `since ${day(createdAt)}`;
	return `since ${day(createdAt)}, ${sightOf(row, recent)}${silent ? `; silent for ${SILENT_DAYS} days: is it still yours?` : ""}`;
}

/** Adds `sites …` to the program. */
export function addSiteCommands(earthonline: Command, { withDesk, print, complain, self }: Commands): void {
	const sites = earthonline.command("sites").description("websites that may show a desk's chat");

	const show = (rows: ListedSite[], recent: SiteList["recent"]): void => {
		for (const row of rows) {
			print(`${row.state}\t${plain(row.rule)}\t${factsOf(row, recent)}`);
			if (row.warning !== undefined) complain(plain(row.warning));
		}
	};
	const unnamed = (more: number): void => {
		if (more > 0) complain(`Others asked ${countOf(more, "time", "times")} for whom the list had no room. Decide about those that wait.`);
	};

	sites
		.command("list <handle>")
		.description("list allowed, blocked and waiting sites")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const { rules, recent, anySite, more } = await admin.siteList(handle);
				if (anySite) print("Any site may show the chat, but those that are blocked.");
				else if (rules.length === 0) print(`No site may show the chat yet. Allow one: ${self} sites add ${handle} https://your-site.com`);
				show(rules, recent);
				unnamed(more);
			}),
		);
	sites
		.command("pending <handle>")
		.description("list sites that carry the line and wait for your word")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const { rules, recent, more } = await admin.siteList(handle);
				const waiting = rules.filter((row) => row.state === "pending");
				if (waiting.length === 0) print("No site waits. One that carries the line and is not on the list stands here.");
				show(waiting, recent);
				unnamed(more);
				if (waiting.length > 0) complain(`Allow one: ${self} sites add ${handle} <site>   Block one: ${self} sites block ${handle} <site>`);
			}),
		);
	sites
		.command("recent <handle>")
		.description("list sites where the chat has shown lately")
		.action((handle: string) =>
			withDesk(async (admin) => {
				const { recent } = await admin.siteList(handle);
				if (recent.length === 0)
					print("The chat has shown nowhere yet. A site that may show it stands here once somebody opens a page of it.");
				for (const { site, seenAt } of recent) print(`${plain(site)}\t${day(seenAt)}`);
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
					print(`${plain(row.rule)} ${word} the chat of ${handle}.`);
					const listed = (await admin.siteList(handle)).rules.find(({ rule }) => rule === row.rule);
					if (listed?.warning !== undefined) complain(plain(listed.warning));
				}),
			);
	}
	sites
		.command("remove <handle> <site>")
		.description("take a site off the list: it is unknown again")
		.action((handle: string, site: string) =>
			withDesk(async (admin) => {
				await admin.removeSite(handle, site);
				print(`${plain(site)} is off the list of ${handle}.`);
			}),
		);
}
