/**
 * Sites and tickets in SQL: what the operations of `engine/sites-operations.ts` are shown, and how their plans are
 * written. No rule stands here. The list is judged with the desk's row held, for what an owner changes and for a stranger's visit, which is
 * noted at most once a minute a site; tickets are held apart by their primary key.
 */
import { DeskError } from "../../shared/errors.js";
import type { OverflowRow, SiteRow } from "../engine/reads.js";
import type {
	ChangeSitesInput,
	ChangeSitesPlan,
	ChangeSitesRows,
	PruneTicketsInput,
	RecordVisitInput,
	RecordVisitPlan,
	RecordVisitRows,
	RedeemTicketInput,
	RemoveSiteInput,
	SetSiteInput,
	SetSitePlan,
} from "../engine/sites-operations.js";
import { holdDesk } from "./desks.js";
import { all, one, run, type Steps } from "./sql.js";

/** Every rule of a desk, and the sites that wait. The owner's list is short (`siteRules`, `pendingSites`). */
export const loadRules = (deskId: number): Steps<SiteRow[]> =>
	all<SiteRow>(
		`select rule, state, asked, seen_at as "seenAt", created_at as "createdAt" from site where desk_id = ? order by created_at, rule`,
		deskId,
	);

/** Where the chat has shown lately, newest first. */
export const loadRecentSites = (deskId: number): Steps<{ site: string; seenAt: number }[]> =>
	all<{ site: string; seenAt: number }>(
		`select site, seen_at as "seenAt" from site_visit where desk_id = ? order by seen_at desc, site`,
		deskId,
	);

/** How often sites asked that no longer fitted in the list of those that wait. */
export const loadOverflow = (deskId: number): Steps<OverflowRow | undefined> =>
	one<OverflowRow>(`select asked, seen_at as "seenAt" from site_overflow where desk_id = ?`, deskId);

/** Whoever changes the list has looked at it: what did not fit is counted anew from here. */
const forgetOverflow = (deskId: number): Steps<void> => run("delete from site_overflow where desk_id = ?", deskId);

const writeRule = (deskId: number, row: SiteRow): Steps<void> =>
	run(
		`insert into site (desk_id, rule, state, asked, seen_at, created_at) values (?, ?, ?, ?, ?, ?)
		on conflict (desk_id, rule) do update set state = excluded.state, asked = excluded.asked, seen_at = excluded.seen_at`,
		deskId,
		row.rule,
		row.state,
		row.asked,
		row.seenAt,
		row.createdAt,
	);

/** A stranger's visit never undoes what the owner decided in the same moment. */
const writePending = (deskId: number, row: SiteRow): Steps<void> =>
	run(
		`insert into site (desk_id, rule, state, asked, seen_at, created_at) values (?, ?, 'pending', ?, ?, ?)
		on conflict (desk_id, rule) do update set asked = excluded.asked, seen_at = excluded.seen_at`,
		deskId,
		row.rule,
		row.asked,
		row.seenAt,
		row.createdAt,
	);

const removeRule = (deskId: number, rule: string): Steps<void> => run("delete from site where desk_id = ? and rule = ?", deskId, rule);

const recordVisit = {
	*load(input: RecordVisitInput): Steps<RecordVisitRows> {
		// Of a crowd at once each would count those who wait before any of the others does (reliability.md 22).
		yield* holdDesk(input.deskId);
		const rules = yield* loadRules(input.deskId);
		const visit = yield* one<{ seenAt: number }>(
			`select seen_at as "seenAt" from site_visit where desk_id = ? and site = ?`,
			input.deskId,
			input.site,
		);
		const kept = yield* one<{ count: number }>("select count(*) as count from site_visit where desk_id = ?", input.deskId);
		const oldest = yield* one<{ site: string }>(
			"select site from site_visit where desk_id = ? order by seen_at, site limit 1",
			input.deskId,
		);
		return { rules, seenAt: visit?.seenAt, recent: { count: kept?.count ?? 0, oldest: oldest?.site ?? null } };
	},
	*write(input: RecordVisitInput, _rows: RecordVisitRows, plan: RecordVisitPlan): Steps<void> {
		if (plan.kind === "pending") yield* writePending(input.deskId, plan.row);
		if (plan.kind === "overflow")
			yield* run(
				`insert into site_overflow (desk_id, asked, seen_at) values (?, 1, ?)
				on conflict (desk_id) do update set asked = site_overflow.asked + 1, seen_at = excluded.seen_at`,
				input.deskId,
				plan.at,
			);
		if (plan.kind !== "recent") return;
		for (const rule of plan.rules) yield* run("update site set seen_at = ? where desk_id = ? and rule = ?", plan.at, input.deskId, rule);
		if (plan.drop !== null) yield* run("delete from site_visit where desk_id = ? and site = ?", input.deskId, plan.drop);
		yield* run(
			"insert into site_visit (desk_id, site, seen_at) values (?, ?, ?) on conflict (desk_id, site) do update set seen_at = excluded.seen_at",
			input.deskId,
			plan.site,
			plan.at,
		);
	},
};

/** The whole list, judged as it is: nobody else changes it meanwhile. */
function* holdRules({ deskId }: { deskId: number }): Steps<{ rules: SiteRow[] }> {
	yield* holdDesk(deskId);
	return { rules: yield* loadRules(deskId) };
}

const setSite = {
	load: (input: SetSiteInput): Steps<{ rules: SiteRow[] }> => holdRules(input),
	*write(input: SetSiteInput, _rows: { rules: SiteRow[] }, plan: SetSitePlan): Steps<void> {
		yield* writeRule(input.deskId, plan.row);
		for (const site of plan.decided) yield* removeRule(input.deskId, site);
		yield* forgetOverflow(input.deskId);
	},
};

const changeSites = {
	*load({ deskId }: ChangeSitesInput): Steps<ChangeSitesRows> {
		const desk = yield* holdDesk(deskId);
		return { rules: yield* loadRules(deskId), ...(desk ? { settings: desk.settings } : {}) };
	},
	*write({ deskId, now }: ChangeSitesInput, _rows: ChangeSitesRows, plan: ChangeSitesPlan): Steps<void> {
		for (const row of plan.put) yield* writeRule(deskId, row);
		for (const rule of plan.gone) yield* removeRule(deskId, rule);
		if (plan.settings !== null) yield* run("update desk set settings = ?, changed_at = ? where id = ?", plan.settings, now, deskId);
		yield* forgetOverflow(deskId);
	},
};

const removeSite = {
	load: (input: RemoveSiteInput): Steps<{ rules: SiteRow[] }> => holdRules(input),
	*write(input: RemoveSiteInput, _rows: { rules: SiteRow[] }, plan: { rule: string }): Steps<void> {
		yield* removeRule(input.deskId, plan.rule);
		yield* forgetOverflow(input.deskId);
	},
};

const redeemTicket = {
	*load(input: RedeemTicketInput): Steps<{ holder?: number }> {
		const row = yield* one<{ holder: number }>("select principal_id as holder from ticket where hash = ?", input.hash);
		return row ? { holder: row.holder } : {};
	},
	*write(
		_input: RedeemTicketInput,
		_rows: { holder?: number },
		plan: { hash: string; principalId: number; expiresAt: number } | null,
	): Steps<void> {
		if (!plan) return;
		const won = yield* one<{ holder: number }>(
			"insert into ticket (hash, principal_id, expires_at) values (?, ?, ?) on conflict (hash) do nothing returning principal_id as holder",
			plan.hash,
			plan.principalId,
			plan.expiresAt,
		);
		// Another node bound it between our look and our write: asked again, the answer is known.
		if (!won) throw new DeskError("unavailable", "This ticket is being redeemed at this moment. Try again.", { retryAfterSeconds: 1 });
	},
};

const pruneTickets = {
	*load(input: PruneTicketsInput): Steps<{ expired: string[] }> {
		const rows = yield* all<{ hash: string }>(
			"select hash from ticket where expires_at <= ? order by expires_at, hash limit ?",
			input.now,
			input.limit,
		);
		return { expired: rows.map((r) => r.hash) };
	},
	*write(_input: PruneTicketsInput, _rows: { expired: string[] }, plan: string[]): Steps<void> {
		for (const hash of plan) yield* run("delete from ticket where hash = ?", hash);
	},
};

/** By the names under which `operations.ts` lists them. */
export const siteHalves = { recordVisit, setSite, removeSite, changeSites, redeemTicket, pruneTickets };
