import { describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import type { SiteRow } from "./reads.js";
import {
	type ChangeSitesInput,
	decideChangeSites,
	decidePruneTickets,
	decideRecordVisit,
	decideRedeemTicket,
	decideRemoveSite,
	decideSetSite,
	type RecordVisitRows,
} from "./sites-operations.js";

const NOW = 1_800_000_000_000;
const HOUR = 60 * 60 * 1000;
const row = (rule: string, state: SiteRow["state"], more: Partial<SiteRow> = {}): SiteRow => ({
	rule,
	state,
	asked: 0,
	seenAt: 0,
	createdAt: 0,
	...more,
});
const rows = (rules: SiteRow[] = [], more: Partial<RecordVisitRows> = {}): RecordVisitRows => ({
	rules,
	recent: { count: 0, oldest: null },
	...more,
});
const visit = (site: string, more: { allowAnySite?: boolean; now?: number } = {}) => ({
	deskId: 1,
	site,
	allowAnySite: false,
	pendingSites: LIMITS.pendingSites,
	pendingSitesPerHour: LIMITS.pendingSitesPerHour,
	now: NOW,
	...more,
});

describe("a visit", () => {
	it("of an allowed site is kept as recent", () => {
		const { plan, answer } = decideRecordVisit(rows([row("https://site.com", "allowed")]), visit("https://site.com"));
		expect(answer).toEqual({ verdict: "allowed" });
		expect(plan).toEqual({ kind: "recent", site: "https://site.com", at: NOW, drop: null, rules: ["https://site.com"] });
	});
	it("is noted with every rule that lets the site show, each once a minute", () => {
		const just = NOW - LIMITS.siteVisitMs + 1;
		const rules = [
			row("https://a.site.com", "allowed"),
			row("*.site.com", "allowed"),
			row("*.a.site.com", "allowed"),
			row("https://b.site.com", "allowed"),
			row("https://site.com", "allowed", { seenAt: just }),
		];
		expect(decideRecordVisit(rows(rules), visit("https://a.site.com")).plan).toMatchObject({ rules: ["https://a.site.com", "*.site.com"] });
		expect(decideRecordVisit(rows(rules), visit("https://site.com")).plan).toMatchObject({ rules: [] });
		expect(decideRecordVisit(rows([]), visit("https://any.com", { allowAnySite: true })).plan).toMatchObject({ rules: [] });
	});
	it("is written once a minute and no oftener", () => {
		const rules = [row("https://site.com", "allowed")];
		expect(decideRecordVisit(rows(rules, { seenAt: NOW - LIMITS.siteVisitMs + 1 }), visit("https://site.com")).plan.kind).toBe("none");
		expect(decideRecordVisit(rows(rules, { seenAt: NOW - LIMITS.siteVisitMs }), visit("https://site.com")).plan.kind).toBe("recent");
		const waiting = (seenAt: number) => rows([row("https://new.com", "pending", { seenAt, asked: 1 })]);
		expect(decideRecordVisit(waiting(NOW - LIMITS.siteVisitMs + 1), visit("https://new.com")).plan.kind).toBe("none");
		expect(decideRecordVisit(waiting(NOW - LIMITS.siteVisitMs), visit("https://new.com")).plan).toMatchObject({
			kind: "pending",
			row: { asked: 2, seenAt: NOW },
		});
	});
	it("of a site that is not listed waits for the owner", () => {
		const { plan, answer } = decideRecordVisit(rows([row("https://site.com", "allowed")]), visit("https://new.com"));
		expect(answer).toEqual({ verdict: "unlisted" });
		expect(plan).toEqual({ kind: "pending", row: { rule: "https://new.com", state: "pending", asked: 1, seenAt: NOW, createdAt: NOW } });
	});
	it("of any site shows where the owner allows any, also one that had waited", () => {
		expect(
			decideRecordVisit(rows([row("https://new.com", "pending")]), visit("https://new.com", { allowAnySite: true })).answer.verdict,
		).toBe("allowed");
	});
	it("of a blocked site writes nothing and never waits", () => {
		const rules = [row("https://bad.com", "blocked"), row("*.bad.com", "blocked")];
		for (const site of ["https://bad.com", "https://a.bad.com"]) {
			for (const allowAnySite of [false, true])
				expect(decideRecordVisit(rows(rules), visit(site, { allowAnySite }))).toEqual({
					plan: { kind: "none" },
					answer: { verdict: "blocked" },
				});
		}
	});
	it(`keeps at most ${LIMITS.pendingSites} sites waiting, and counts the rest without their names`, () => {
		const waiting = (n: number) => Array.from({ length: n }, (_, i) => row(`https://${i}.com`, "pending"));
		expect(decideRecordVisit(rows(waiting(LIMITS.pendingSites - 1)), visit("https://new.com")).plan.kind).toBe("pending");
		expect(decideRecordVisit(rows(waiting(LIMITS.pendingSites)), visit("https://new.com"))).toEqual({
			plan: { kind: "overflow", at: NOW },
			answer: { verdict: "unlisted" },
		});
		expect(decideRecordVisit(rows(waiting(LIMITS.pendingSites)), visit("https://3.com")).plan).toMatchObject({
			kind: "pending",
			row: { rule: "https://3.com" },
		});
	});
	it(`lets ${LIMITS.pendingSitesPerHour} new sites an hour wait`, () => {
		const fresh = (n: number, createdAt: number) => Array.from({ length: n }, (_, i) => row(`https://${i}.com`, "pending", { createdAt }));
		expect(decideRecordVisit(rows(fresh(LIMITS.pendingSitesPerHour, NOW - HOUR + 1)), visit("https://new.com")).plan.kind).toBe("overflow");
		expect(decideRecordVisit(rows(fresh(LIMITS.pendingSitesPerHour, NOW - HOUR)), visit("https://new.com")).plan.kind).toBe("pending");
		expect(decideRecordVisit(rows(fresh(LIMITS.pendingSitesPerHour - 1, NOW)), visit("https://new.com")).plan.kind).toBe("pending");
	});
	it("of one site too many takes the place of the one seen longest ago", () => {
		const full = { recent: { count: LIMITS.recentSites, oldest: "https://old.com" } };
		expect(decideRecordVisit(rows([], full), visit("https://new.com", { allowAnySite: true })).plan).toMatchObject({
			drop: "https://old.com",
		});
		expect(decideRecordVisit(rows([], { ...full, seenAt: 1 }), visit("https://known.com", { allowAnySite: true })).plan).toMatchObject({
			drop: null,
		});
	});
});

describe("the owner's list", () => {
	it("takes a site that waited with what is known of it", () => {
		const known = row("https://new.com", "pending", { asked: 7, seenAt: 5, createdAt: 3 });
		const { plan, answer } = decideSetSite({ rules: [known] }, { deskId: 1, rule: "https://new.com", state: "allowed", now: NOW });
		expect(answer).toEqual({ ...known, state: "allowed" });
		expect(plan).toEqual({ row: answer, decided: [] });
	});
	it("decides every waiting site that a rule covers", () => {
		const rules = [row("https://a.shop.com", "pending"), row("https://shop.com", "pending"), row("https://b.shop.com", "allowed")];
		expect(decideSetSite({ rules }, { deskId: 1, rule: "*.shop.com", state: "blocked", now: NOW }).plan.decided).toEqual([
			"https://a.shop.com",
		]);
	});
	it(`holds at most ${LIMITS.siteRules} rules`, () => {
		const rules = Array.from({ length: LIMITS.siteRules }, (_, i) => row(`https://${i}.com`, "allowed"));
		const set = (rule: string) => decideSetSite({ rules }, { deskId: 1, rule, state: "blocked", now: NOW });
		expect(() => set("https://new.com")).toThrow(/at most 500 sites/);
		expect(set("https://3.com").answer.state).toBe("blocked");
	});
	it("says so when there is nothing to remove", () => {
		const known = row("https://site.com", "allowed");
		expect(decideRemoveSite({ rules: [known] }, { deskId: 1, rule: "https://site.com", now: NOW }).answer).toEqual(known);
		expect(() => decideRemoveSite({ rules: [known] }, { deskId: 1, rule: "https://other.com", now: NOW })).toThrow(
			"https://other.com is not on this desk's list of sites.",
		);
	});
});

describe("a change of several sites", () => {
	const [A, B, C] = ["https://a.com", "https://b.com", "https://c.com"] as const;
	const list = [
		row(A, "allowed", { seenAt: 5 }),
		row("*.b.com", "allowed"),
		row("https://x.c.com", "pending"),
		row("https://bad.com", "blocked"),
	];
	const change = (more: Partial<ChangeSitesInput>, rules = list, settings = "{}") => {
		const input = { deskId: 1, allow: [], block: [], remove: [], unblock: [], now: NOW, ...more };
		const { plan, answer } = decideChangeSites({ rules, settings }, input);
		const after = new Map(rules.map((r) => [r.rule, r.state]));
		for (const { rule, state } of plan.put) after.set(rule, state);
		for (const rule of plan.gone) after.delete(rule);
		return { plan, narrower: answer.narrower, after: Object.fromEntries(after) };
	};

	it("sets the whole list of those allowed, and leaves blocked and waiting ones alone", () => {
		const { after, narrower, plan } = change({ sites: [A, C] });
		expect(after).toEqual({ [A]: "allowed", [C]: "allowed", "https://x.c.com": "pending", "https://bad.com": "blocked" });
		expect(narrower).toBe(true);
		// What is known of one that stays is kept.
		expect(plan.put.map((r) => r.rule)).toEqual([C]);
	});
	it("takes what waited off the list where it is now covered", () => {
		expect(change({ allow: ["*.c.com"] })).toMatchObject({ narrower: false, plan: { gone: ["https://x.c.com"] } });
		expect(change({ block: ["*.c.com"] })).toMatchObject({ narrower: true, plan: { gone: ["https://x.c.com"] } });
		expect(change({ allow: ["https://x.c.com"] }).after).toMatchObject({ "https://x.c.com": "allowed" });
	});
	it("knows when nobody loses anything", () => {
		expect(change({ allow: [B] }).narrower).toBe(false);
		expect(change({ unblock: ["https://bad.com"] })).toMatchObject({ narrower: false, plan: { gone: ["https://bad.com"] } });
		expect(change({ remove: ["https://x.c.com"] }).narrower).toBe(false);
		expect(change({ remove: [A] }).narrower).toBe(true);
		expect(change({ block: [A] })).toMatchObject({ narrower: true, plan: { put: [{ rule: A, state: "blocked", seenAt: 5 }] } });
		expect(change({ sites: [A, "*.b.com"] }).plan).toEqual({ put: [], gone: [], settings: null });
	});
	it("sets with them whether any site may show the chat, and keeps what else is set", () => {
		const open = '{"allowAnySite":true,"parts":"text"}';
		expect(change({ allow: [B], anySite: true }, list, '{"parts":"text"}')).toMatchObject({
			narrower: false,
			plan: { settings: open, put: [{ rule: B }] },
		});
		expect(change({ anySite: false }, list, open)).toMatchObject({
			narrower: true,
			plan: { settings: '{"parts":"text"}', put: [], gone: [] },
		});
		expect(change({ anySite: false }, list, "{}").narrower).toBe(false);
		expect(change({ anySite: true }, list, open).narrower).toBe(false);
		// Refused, it changes neither.
		expect(() => change({ anySite: false, remove: [C] }, list, open)).toThrow(/not on this desk's list/);
		const nobodys = { deskId: 1, allow: [], block: [], remove: [], unblock: [], anySite: true, now: NOW };
		expect(() => decideChangeSites({ rules: [] }, nobodys)).toThrow(expect.objectContaining({ code: "not_found" }));
	});
	it.each<[string, Partial<ChangeSitesInput>, RegExp]>([
		["a rule that is to be two things", { allow: [A], block: [A] }, /named twice/],
		["a rule that is to stay and go", { sites: [A], remove: [A] }, /named twice/],
		["a rule that is to go and is not there", { remove: [C] }, /not on this desk's list/],
		["a rule that is to be unblocked and is not blocked", { unblock: [A] }, /is not blocked/],
	])("refuses %s", (_name, input, words) => {
		expect(() => change(input)).toThrow(words);
	});
	it(`holds at most ${LIMITS.siteRules} rules, and lets a list that is full be shortened`, () => {
		const many = Array.from({ length: LIMITS.siteRules }, (_, i) => row(`https://${i}.com`, "allowed"));
		expect(() => change({ allow: ["https://new.com"] }, many)).toThrow(/at most 500 sites/);
		expect(change({ allow: ["https://new.com"], remove: ["https://3.com"] }, many).plan.gone).toEqual(["https://3.com"]);
	});
});

describe("a ticket", () => {
	const redeem = (principalId: number, holder?: number, expiresAt = NOW + 1) =>
		decideRedeemTicket(holder === undefined ? {} : { holder }, { hash: "h", principalId, expiresAt, now: NOW });
	it("belongs to the first who shows it, who may show it again", () => {
		expect(redeem(7)).toEqual({ plan: { hash: "h", principalId: 7, expiresAt: NOW + 1 }, answer: { redeemed: true } });
		expect(redeem(7, 7)).toEqual({ plan: null, answer: { redeemed: true } });
		expect(redeem(8, 7)).toEqual({ plan: null, answer: { redeemed: false } });
	});
	it("is worth nothing once it has expired, also to its holder", () => {
		expect(redeem(7, undefined, NOW)).toEqual({ plan: null, answer: { redeemed: false } });
		expect(redeem(7, 7, NOW)).toEqual({ plan: null, answer: { redeemed: false } });
	});
	it("is forgotten in slices", () => {
		expect(decidePruneTickets({ expired: ["a", "b"] }, { now: NOW, limit: 2 })).toEqual({
			plan: ["a", "b"],
			answer: { pruned: 2, more: true },
		});
		expect(decidePruneTickets({ expired: ["a"] }, { now: NOW, limit: 2 }).answer).toEqual({ pruned: 1, more: false });
	});
});
