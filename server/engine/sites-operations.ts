/**
 * What is written about sites and tickets, judged inside the transaction: where the chat has shown, which sites wait for
 * the owner, the owner's rules, and who a ticket belongs to. Anybody can name any site (R1), so everything that a stranger
 * can cause here is bounded by a number of `limits.ts` and written at most once a minute.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { decideChangeDesk } from "./people-operations.js";
import type { SiteRow } from "./reads.js";
import { settingsOf } from "./settings.js";
import { covers, judge } from "./sites.js";

export interface RecordVisitInput {
	deskId: number;
	/** Canonical origin. */
	site: string;
	/** The desk's setting, as the caller read it. */
	allowAnySite: boolean;
	/** Those of `limits.ts`, or what the operator made of them. */
	pendingSites: number;
	pendingSitesPerHour: number;
	now: number;
}
export interface RecordVisitRows {
	/** Every rule of the desk. */
	rules: SiteRow[];
	/** When this site was last seen to show the chat. */
	seenAt?: number;
	/** How many sites are kept as recent, and the one seen longest ago. */
	recent: { count: number; oldest: string | null };
}
export type RecordVisitPlan =
	| { kind: "none" }
	/** The chat shows there. `drop`: a recent site that makes room; `rules`: those that let it show. */
	| { kind: "recent"; site: string; at: number; drop: string | null; rules: string[] }
	/** It waits for the owner. */
	| { kind: "pending"; row: SiteRow }
	/** Too many wait already: that one more asked is counted, its name is not kept (reliability.md 22). */
	| { kind: "overflow"; at: number };

/** Answers how the rules judge the site now; writes `recent` or `pending` where that is due (SITE-3, reliability.md 22). */
export function decideRecordVisit(
	rows: RecordVisitRows,
	input: RecordVisitInput,
): { plan: RecordVisitPlan; answer: { verdict: "allowed" | "blocked" | "unlisted" } } {
	const verdict = judge(rows.rules, input.site, input.allowAnySite);
	const due = (seenAt: number | undefined): boolean => seenAt === undefined || seenAt + LIMITS.siteVisitMs <= input.now;
	if (verdict === "blocked") return { plan: { kind: "none" }, answer: { verdict } };

	if (verdict === "allowed") {
		if (!due(rows.seenAt)) return { plan: { kind: "none" }, answer: { verdict } };
		const full = rows.seenAt === undefined && rows.recent.count >= LIMITS.recentSites;
		const rules = rows.rules.filter((r) => r.state === "allowed" && covers(r.rule, input.site) && due(r.seenAt)).map((r) => r.rule);
		const drop = full ? rows.recent.oldest : null;
		return { plan: { kind: "recent", site: input.site, at: input.now, drop, rules }, answer: { verdict } };
	}

	const known = rows.rules.find((r) => r.rule === input.site);
	if (known) {
		if (!due(known.seenAt)) return { plan: { kind: "none" }, answer: { verdict } };
		return { plan: { kind: "pending", row: { ...known, asked: known.asked + 1, seenAt: input.now } }, answer: { verdict } };
	}
	const pending = rows.rules.filter((r) => r.state === "pending");
	const fresh = pending.filter((r) => r.createdAt > input.now - 60 * 60 * 1000);
	if (pending.length >= input.pendingSites || fresh.length >= input.pendingSitesPerHour)
		return { plan: { kind: "overflow", at: input.now }, answer: { verdict } };
	const row: SiteRow = { rule: input.site, state: "pending", asked: 1, seenAt: input.now, createdAt: input.now };
	return { plan: { kind: "pending", row }, answer: { verdict } };
}

export interface SetSiteInput {
	deskId: number;
	/** As `parseRule` gave it. */
	rule: string;
	state: "allowed" | "blocked";
	now: number;
}
export interface SetSitePlan {
	row: SiteRow;
	/** Sites that waited and are now covered by the rule: they need no decision any more. */
	decided: string[];
}

/** Sets what a rule says, whatever it said before. Answers the row as it now stands. */
export function decideSetSite(rows: { rules: SiteRow[] }, input: SetSiteInput): { plan: SetSitePlan; answer: SiteRow } {
	const known = rows.rules.find((r) => r.rule === input.rule);
	if (!known && rows.rules.filter((r) => r.state !== "pending").length >= LIMITS.siteRules) {
		throw full();
	}
	const row: SiteRow = known
		? { ...known, state: input.state }
		: { rule: input.rule, state: input.state, asked: 0, seenAt: 0, createdAt: input.now };
	const decided = rows.rules.filter((r) => r.state === "pending" && r.rule !== input.rule && covers(input.rule, r.rule)).map((r) => r.rule);
	return { plan: { row, decided }, answer: row };
}

export interface RemoveSiteInput {
	deskId: number;
	rule: string;
	now: number;
}
/** Takes a rule, or a site that waits, off the list. Throws `not_found` where it is not on it. */
export function decideRemoveSite(rows: { rules: SiteRow[] }, input: RemoveSiteInput): { plan: { rule: string }; answer: SiteRow } {
	const known = rows.rules.find((r) => r.rule === input.rule);
	if (!known) throw notListed(input.rule);
	return { plan: { rule: known.rule }, answer: known };
}

/** A change of several sites at once, every rule as `parseRule` gave it. */
export interface ChangeSitesInput {
	deskId: number;
	/** "Allow on any website"; absent: it stays. */
	anySite?: boolean;
	/** The whole list of sites that may show the chat; those that are not on it lose it. */
	sites?: string[];
	allow: string[];
	block: string[];
	/** Taken off the list, whatever they say there; `unblock` only where they are blocked. */
	remove: string[];
	unblock: string[];
	now: number;
}
export interface ChangeSitesRows {
	/** Every rule of the desk. */
	rules: SiteRow[];
	/** Its settings as they are kept; absent: there is no such desk. */
	settings?: string;
}
export interface ChangeSitesPlan {
	put: SiteRow[];
	gone: string[];
	/** Settings as they are kept; null: they stay. */
	settings: string | null;
}

/**
 * All of it or nothing: the list and "Allow on any website" are one change. `narrower`: somebody may have lost the chat. Throws
 * `invalid_params` for a rule that is to be two things or does not fit, `not_found` for one that is to go and is not there.
 */
export function decideChangeSites(
	rows: ChangeSitesRows,
	input: ChangeSitesInput,
): { plan: ChangeSitesPlan; answer: { narrower: boolean } } {
	const { now } = input;
	const before = new Map(rows.rules.map((r) => [r.rule, r]));
	const allow = new Set([...(input.sites ?? []), ...input.allow]);
	const off = new Set([...input.remove, ...input.unblock]);
	for (const rule of input.block) if (allow.has(rule)) throw twice(rule);
	for (const rule of off) if (allow.has(rule) || input.block.includes(rule)) throw twice(rule);
	for (const rule of input.remove) if (!before.has(rule)) throw notListed(rule);
	for (const rule of input.unblock)
		if (before.get(rule)?.state !== "blocked") throw new DeskError("not_found", `${rule} is not blocked, so it cannot be unblocked.`);

	const after = new Map(before);
	const set = (rule: string, state: SiteRow["state"]): void => {
		const known = before.get(rule);
		after.set(rule, known ? { ...known, state } : { rule, state, asked: 0, seenAt: 0, createdAt: now });
	};
	if (input.sites) for (const [rule, { state }] of before) if (state === "allowed" && !allow.has(rule)) after.delete(rule);
	for (const rule of off) after.delete(rule);
	for (const rule of allow) set(rule, "allowed");
	for (const rule of input.block) set(rule, "blocked");
	const decided = [...allow, ...input.block];
	for (const [rule, { state }] of after) if (state === "pending" && decided.some((r) => covers(r, rule))) after.delete(rule);

	const size = (rules: Map<string, SiteRow>): number => [...rules.values()].filter((r) => r.state !== "pending").length;
	if (size(after) > LIMITS.siteRules && size(after) > size(before)) throw full();
	const put = [...after.values()].filter((row) => before.get(row.rule)?.state !== row.state);
	const gone = [...before.keys()].filter((rule) => !after.has(rule));
	const lost = (rule: string): boolean => before.get(rule)?.state === "allowed" && after.get(rule)?.state !== "allowed";
	const { settings, closed } = changeAnySite(rows, input);
	const narrower = closed || put.some((r) => r.state === "blocked") || rows.rules.some((r) => lost(r.rule));
	return { plan: { put, gone, settings }, answer: { narrower } };
}

/** `closed`: sites of which the list says nothing have lost the chat. */
function changeAnySite(rows: ChangeSitesRows, { anySite, deskId, now }: ChangeSitesInput): { settings: string | null; closed: boolean } {
	if (anySite === undefined) return { settings: null, closed: false };
	const { plan } = decideChangeDesk(rows, { deskId, change: { allowAnySite: anySite }, now });
	return { settings: plan.settings, closed: !anySite && settingsOf(rows.settings ?? "{}").allowAnySite };
}

const twice = (rule: string): DeskError => new DeskError("invalid_params", `${rule} is named twice, to be two different things. Say one.`);
const notListed = (rule: string): DeskError => new DeskError("not_found", `${rule} is not on this desk's list of sites.`);
const full = (): DeskError =>
	new DeskError(
		"invalid_params",
		`A desk has at most ${LIMITS.siteRules} sites. Remove one that is not needed, or allow a whole domain as *.their-site.com.`,
	);

export interface RedeemTicketInput {
	/** `ticketHash` of a ticket that was read and is good. */
	hash: string;
	principalId: number;
	expiresAt: number;
	now: number;
}
/** The first to show a ticket holds it, and may show it again (reconnect, back/forward cache); anybody else may not. */
export function decideRedeemTicket(
	rows: { holder?: number },
	input: RedeemTicketInput,
): { plan: { hash: string; principalId: number; expiresAt: number } | null; answer: { redeemed: boolean } } {
	if (input.expiresAt <= input.now) return { plan: null, answer: { redeemed: false } };
	if (rows.holder !== undefined) return { plan: null, answer: { redeemed: rows.holder === input.principalId } };
	return { plan: { hash: input.hash, principalId: input.principalId, expiresAt: input.expiresAt }, answer: { redeemed: true } };
}

export interface PruneTicketsInput {
	now: number;
	/** Rows of one slice: no operation runs over 5 ms. */
	limit: number;
}
/** Forgets tickets that have expired, a slice at a time. `more`: another slice is waiting. */
export const decidePruneTickets = (
	rows: { expired: string[] },
	input: PruneTicketsInput,
): { plan: string[]; answer: { pruned: number; more: boolean } } => ({
	plan: rows.expired,
	answer: { pruned: rows.expired.length, more: rows.expired.length === input.limit },
});

/** By the names under which `operations.ts` lists them. */
export const siteDecides = {
	recordVisit: decideRecordVisit,
	setSite: decideSetSite,
	removeSite: decideRemoveSite,
	changeSites: decideChangeSites,
	redeemTicket: decideRedeemTicket,
	pruneTickets: decidePruneTickets,
};
