/** A desk's sites as their owner asks for them (SITE-1 to 3). */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Desk, ListedSite, OwnerDoor, SiteList, SitesChange } from "./engine.js";
import type { Clock, Store } from "./ports.js";
import type { SiteRow } from "./reads.js";
import { parseRule, type RuleOptions } from "./sites.js";
import { scriptWarning } from "./sites-scripts.js";

/** Characters of a rule that a refusal repeats. */
const SHOWN_CHARS = 100;

export function sitesOwner(parts: {
	store: Store;
	clock: Clock;
	sites: RuleOptions;
	/** Throws `not_found` naming the desks there are. */
	deskAt: (handle: string) => Promise<Desk>;
}): Pick<OwnerDoor, "sites" | "setSite" | "removeSite" | "siteList" | "changeSites"> {
	const { store, clock, deskAt } = parts;

	/** Reads several rules; a refusal says which of them is meant. */
	const rulesOf = (texts: readonly string[] = []): string[] => texts.map((text) => namingIt(text, () => parseRule(text, parts.sites)));
	/** What is to go may be what would not be taken any more (a site of this machine): then it is named as the list has it. */
	const namesOf = (texts: readonly string[] = []): string[] => texts.map((text) => readable(text) ?? text);
	const readable = (text: string): string | undefined => {
		try {
			return parseRule(text, parts.sites);
		} catch {
			return undefined;
		}
	};

	const siteList = async (handle: string): Promise<SiteList> => {
		const { row, settings } = await deskAt(handle);
		const [rules, recent, overflow] = await Promise.all([
			store.read.sites(row.id),
			store.read.recentSites(row.id),
			store.read.siteOverflow(row.id),
		]);
		const now = clock.now();
		return { anySite: settings.allowAnySite, rules: rules.map((rule) => listed(rule, now)), recent, more: overflow?.asked ?? 0 };
	};

	return {
		siteList,
		async sites(handle) {
			return await store.read.sites((await deskAt(handle)).row.id);
		},
		async setSite(handle, rule, state) {
			const desk = await deskAt(handle);
			return await store.write("setSite", { deskId: desk.row.id, rule: parseRule(rule, parts.sites), state, now: clock.now() });
		},
		async removeSite(handle, rule) {
			const desk = await deskAt(handle);
			const [name = rule] = namesOf([rule]);
			await store.write("removeSite", { deskId: desk.row.id, rule: name, now: clock.now() });
		},
		async changeSites(handle, change: SitesChange) {
			const deskId = (await deskAt(handle)).row.id;
			const { anySite } = change;
			const named = [change.sites, change.allow, change.block, change.remove, change.unblock].flatMap((list) => list ?? []);
			// No more of them than a list may hold: more than anybody types, and what an operation may still judge.
			if (named.length > LIMITS.siteRules) throw new DeskError("invalid_params", `Name at most ${LIMITS.siteRules} sites at once.`);
			if (change.sites || named.length > 0 || anySite !== undefined) {
				await store.write("changeSites", {
					deskId,
					...(anySite === undefined ? {} : { anySite }),
					...(change.sites ? { sites: rulesOf(change.sites) } : {}),
					allow: rulesOf(change.allow),
					block: rulesOf(change.block),
					remove: namesOf(change.remove),
					unblock: namesOf(change.unblock),
					now: clock.now(),
				});
			}
			return await siteList(handle);
		},
	};
}

function namingIt<T>(text: string, read: () => T): T {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof DeskError)) throw error;
		throw new DeskError(error.code, `${JSON.stringify(text.slice(0, SHOWN_CHARS))}: ${error.message}`);
	}
}

function listed(rule: SiteRow, now: number): ListedSite {
	const warning = scriptWarning(rule.rule);
	const silent = rule.state === "allowed" && Math.max(rule.seenAt, rule.createdAt) + LIMITS.siteSilentMs <= now;
	return { ...rule, silent, ...(warning === undefined ? {} : { warning }) };
}
