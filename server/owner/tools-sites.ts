/** The tools about the websites that may show a desk's chat (SITE-1 to 3). */
import { SITE_TOOLS } from "../../shared/tools.schema.js";
import type { ListedSite, SiteList } from "../engine/engine.js";
import { runs, type ToolTable, timeOf } from "./tools-run.js";

const named = ({ rule, warning }: ListedSite) => ({ site: rule, ...(warning === undefined ? {} : { warning }) });

const shown = ({ anySite, rules, recent, more }: SiteList) => {
	const of = (state: ListedSite["state"]): ListedSite[] => rules.filter((r) => r.state === state);
	return {
		any_site: anySite,
		sites: of("allowed").map((row) => ({
			...named(row),
			since: timeOf(row.createdAt),
			last_seen: row.seenAt === 0 ? null : timeOf(row.seenAt),
			silent: row.silent,
		})),
		pending: of("pending").map((row) => ({
			...named(row),
			asked: row.asked,
			first_seen: timeOf(row.createdAt),
			last_seen: timeOf(row.seenAt),
		})),
		pending_more: more,
		blocked: of("blocked").map((row) => ({ ...named(row), since: timeOf(row.createdAt) })),
		recent: recent.map(({ site, seenAt }) => ({ site, last_seen: timeOf(seenAt) })),
	};
};

export const siteTools: ToolTable = {
	eol_get_embed_sites: runs(SITE_TOOLS.eol_get_embed_sites, async ({ owner, desk }) => shown(await owner.siteList(desk.row.handle))),
	eol_update_embed_sites: runs(SITE_TOOLS.eol_update_embed_sites, async ({ owner, desk }, { any_site: anySite, ...lists }) =>
		shown(await owner.changeSites(desk.row.handle, { ...lists, ...(anySite === undefined ? {} : { anySite }) })),
	),
};
