import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { openEngine, type TestEngine } from "../../test/engine.js";
import { DATABASES, type StorePlace, storePlace } from "../../test/stores.js";
import type { ChangeSitesInput } from "../engine/sites-operations.js";

describe.each(DATABASES)("sites and tickets on %s", (database) => {
	let place: StorePlace;
	let desk: TestEngine;
	let made = 0;

	beforeAll(async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
	});
	afterAll(async () => {
		await desk.close();
		await place.remove();
	});

	/** A desk with nothing on its list. */
	async function fresh() {
		const handle = `desk${++made}`;
		const { row } = await desk.engine.owner.createOwner({ handle, name: "Mira" });
		const visit = (site: string, more: { allowAnySite?: boolean } = {}) =>
			desk.store.write("recordVisit", {
				deskId: row.id,
				site,
				allowAnySite: false,
				pendingSites: 3,
				pendingSitesPerHour: 3,
				now: desk.clock.now(),
				...more,
			});
		const set = (rule: string, state: "allowed" | "blocked") =>
			desk.store.write("setSite", { deskId: row.id, rule, state, now: desk.clock.now() });
		const change = (more: Partial<ChangeSitesInput>) =>
			desk.store.write("changeSites", {
				deskId: row.id,
				allow: [],
				block: [],
				remove: [],
				unblock: [],
				now: desk.clock.now(),
				...more,
			});
		return {
			handle,
			id: row.id,
			visit,
			set,
			change,
			rules: () => desk.store.read.sites(row.id),
			recent: () => desk.store.read.recentSites(row.id),
		};
	}

	it("keeps a site that asks until its owner decides, then where it shows", async () => {
		const { id, visit, set, rules, recent } = await fresh();
		const at = desk.clock.now();
		expect(await visit("https://a.shop.com")).toEqual({ verdict: "unlisted" });
		expect(await rules()).toEqual([{ rule: "https://a.shop.com", state: "pending", asked: 1, seenAt: at, createdAt: at }]);
		expect(await set("*.shop.com", "allowed")).toMatchObject({ rule: "*.shop.com", state: "allowed" });
		expect((await rules()).map((r) => r.rule)).toEqual(["*.shop.com"]);
		expect(await visit("https://a.shop.com")).toEqual({ verdict: "allowed" });
		expect(await recent()).toEqual([{ site: "https://a.shop.com", seenAt: at }]);
		desk.clock.turn(LIMITS.siteVisitMs);
		await visit("https://a.shop.com");
		await visit("https://b.shop.com");
		expect((await recent()).map((r) => r.seenAt)).toEqual([at + LIMITS.siteVisitMs, at + LIMITS.siteVisitMs]);
		expect(await desk.store.write("removeSite", { deskId: id, rule: "*.shop.com", now: desk.clock.now() })).toMatchObject({
			state: "allowed",
		});
		expect(await visit("https://a.shop.com")).toEqual({ verdict: "unlisted" });
	});

	it("turns what a rule says, and keeps what is known of the site", async () => {
		const { visit, set, rules } = await fresh();
		await visit("https://site.com");
		await set("https://site.com", "blocked");
		await set("https://site.com", "allowed");
		expect(await rules()).toMatchObject([{ rule: "https://site.com", state: "allowed", asked: 1 }]);
		await set("https://site.com", "blocked");
		expect(await visit("https://site.com")).toEqual({ verdict: "blocked" });
		expect(await rules()).toMatchObject([{ state: "blocked", asked: 1 }]);
	});

	it("lets a flood of sites bury nothing: the list and what is recent stay short, also when all come at once", async () => {
		const { visit, rules, recent } = await fresh();
		await Promise.all(Array.from({ length: 20 }, (_, i) => visit(`https://${i}.com`)));
		if (database === "sqlite") expect(await rules()).toHaveLength(3);
		for (let i = 0; i < LIMITS.recentSites + 5; i++) {
			desk.clock.turn(1);
			await visit(`https://${i}.org`, { allowAnySite: true });
		}
		const sites = (await recent()).map((r) => r.site);
		expect(sites).toHaveLength(LIMITS.recentSites);
		expect(sites[0]).toBe(`https://${LIMITS.recentSites + 4}.org`);
		expect(sites).not.toContain("https://0.org");
	});

	it("notes when a rule last let somebody see the chat", async () => {
		const { visit, set, rules } = await fresh();
		await set("*.site.com", "allowed");
		expect(await rules()).toMatchObject([{ seenAt: 0 }]);
		desk.clock.turn(5_000);
		await visit("https://a.site.com");
		expect(await rules()).toMatchObject([{ rule: "*.site.com", seenAt: desk.clock.now() }]);
	});

	it("counts those that no longer fit, until the list is changed", async () => {
		const { id, visit, set, change } = await fresh();
		const more = async () => (await desk.store.read.siteOverflow(id))?.asked;
		for (let i = 0; i < 3; i++) await visit(`https://${i}.com`);
		expect(await more()).toBeUndefined();
		for (let i = 3; i < 8; i++) await visit(`https://${i}.com`);
		expect(await desk.store.read.siteOverflow(id)).toEqual({ asked: 5, seenAt: desk.clock.now() });
		await set("https://0.com", "blocked");
		expect(await more()).toBeUndefined();
		await visit("https://8.com");
		expect(await more()).toBeUndefined();
		await visit("https://9.com");
		expect(await more()).toBe(1);
		await change({ remove: ["https://1.com"] });
		expect(await more()).toBeUndefined();
	});

	it("changes several sites at once, or none", async () => {
		const { set, visit, change, rules } = await fresh();
		const states = async () => Object.fromEntries((await rules()).map((r) => [r.rule, r.state]));
		await set("https://old.com", "allowed");
		await visit("https://a.new.com");
		expect(await change({ sites: ["*.new.com"], block: ["https://bad.com"] })).toEqual({ narrower: true });
		expect(await states()).toEqual({ "*.new.com": "allowed", "https://bad.com": "blocked" });
		await expect(change({ allow: ["https://ok.com"], remove: ["https://nowhere.com"] })).rejects.toMatchObject({ code: "not_found" });
		expect(await states()).toEqual({ "*.new.com": "allowed", "https://bad.com": "blocked" });
		// Two whole lists at once: one of them holds, never something of both.
		const lists = [["https://1.com", "https://2.com"], ["https://3.com"]];
		await Promise.all(lists.map((sites) => change({ sites })));
		const allowed = (await rules()).filter((r) => r.state === "allowed").map((r) => r.rule);
		expect(lists.map(String)).toContain(String(allowed));
	});

	it("changes the list and any site in one write, or neither, and judges whoever is in by both", async () => {
		const { handle, set, rules } = await fresh();
		const { owner } = desk.engine;
		const anySite = async () => (await owner.settings(handle)).allowAnySite;
		await set("https://old.com", "allowed");
		const write = vi.spyOn(desk.store, "write");
		const told: unknown[] = [];
		const stop = desk.engine.onShutOut(async (who) => void told.push([who.site, (await desk.engine.desk(handle))?.settings.allowAnySite]));
		onTestFinished(() => {
			write.mockRestore();
			stop();
		});
		await owner.changeSites(handle, { anySite: true, sites: ["https://new.com"] });
		expect([await anySite(), (await rules()).map((r) => r.rule)]).toEqual([true, ["https://new.com"]]);
		const wrong = { anySite: false, allow: ["https://ok.com"], remove: ["https://nowhere.com"] };
		await expect(owner.changeSites(handle, wrong)).rejects.toMatchObject({ code: "not_found" });
		expect([await anySite(), (await rules()).map((r) => r.rule)]).toEqual([true, ["https://new.com"]]);
		told.length = 0;
		expect(await owner.changeSites(handle, { anySite: false })).toMatchObject({ anySite: false });
		expect(await owner.changeSites(handle, { anySite: false })).toMatchObject({ anySite: false });
		expect(await owner.changeSites(handle, {})).toMatchObject({ anySite: false });
		expect(write.mock.calls.map(([name]) => name)).toEqual(Array(4).fill("changeSites"));
		// Once for each that made it narrower, when it is so already.
		await vi.waitFor(() => expect(told).toEqual([["*", false]]));
	});

	it("keeps what else is set of the desk, also of two changes at once", async () => {
		const { handle, id } = await fresh();
		const { owner } = desk.engine;
		await Promise.all([owner.changeSites(handle, { anySite: true }), owner.changeSettings(handle, { parts: "text" })]);
		expect(JSON.parse((await desk.store.read.deskById(id))?.settings ?? "")).toEqual({ allowAnySite: true, parts: "text" });
	});

	it("lets no more sites wait than may, also of a crowd at once, and counts every other one", async () => {
		const { id, visit, rules } = await fresh();
		const sites = Array.from({ length: 30 }, (_, i) => `https://${i}.com`);
		expect(await Promise.all(sites.map((site) => visit(site)))).toEqual(sites.map(() => ({ verdict: "unlisted" })));
		expect(await rules()).toHaveLength(3);
		expect((await desk.store.read.siteOverflow(id))?.asked).toBe(27);
	});

	it("keeps each desk's list to itself", async () => {
		const [one, other] = [await fresh(), await fresh()];
		await one.set("https://site.com", "allowed");
		expect(await other.rules()).toEqual([]);
		expect(await other.visit("https://site.com")).toEqual({ verdict: "unlisted" });
		await expect(desk.store.write("removeSite", { deskId: other.id, rule: "https://nowhere.com", now: 0 })).rejects.toMatchObject({
			code: "not_found",
		});
	});

	it("gives a ticket to the first who shows it, also of fifty at once, and forgets it after its time", async () => {
		const now = desk.clock.now();
		const redeem = (hash: string, principalId: number) =>
			desk.store.write("redeemTicket", { hash, principalId, expiresAt: now + 1_000, now });
		expect(await redeem("a".repeat(64), 1)).toEqual({ redeemed: true });
		expect(await redeem("a".repeat(64), 1)).toEqual({ redeemed: true });
		expect(await redeem("a".repeat(64), 2)).toEqual({ redeemed: false });

		const race = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => redeem("b".repeat(64), i)));
		expect(race.filter((r) => r.status === "fulfilled" && r.value.redeemed)).toHaveLength(1);
		for (const r of race) if (r.status === "rejected") expect(r.reason).toMatchObject({ code: "unavailable" });

		for (const c of "cdefg") await redeem(c.repeat(64), 1);
		const prune = (at: number) => desk.store.write("pruneTickets", { now: at, limit: 5 });
		expect(await prune(now + 999)).toEqual({ pruned: 0, more: false });
		expect(await prune(now + 1_000)).toEqual({ pruned: 5, more: true });
		expect(await prune(now + 1_000)).toEqual({ pruned: 2, more: false });
		expect(await prune(now + 1_000)).toEqual({ pruned: 0, more: false });
	});
});
