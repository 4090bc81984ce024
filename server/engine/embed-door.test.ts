import { afterEach, expect, it } from "vitest";
import type { SiteConfig } from "../../shared/embed.js";
import { DeskError } from "../../shared/errors.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";

let desk: TestDesk;
afterEach(() => desk.close());

it("tells a site from the rules whether it may show the chat where no visit can be noted (a full disk, G-25)", async () => {
	desk = await openTestDesk();
	await desk.engine.owner.setSite("mira", "https://site.com", "allowed");
	await desk.engine.owner.setSite("mira", "https://bad.com", "blocked");
	const { write } = desk.store;
	let tried = 0;
	desk.store.write = ((name, input) => {
		if (name !== "recordVisit") return write(name, input);
		tried++;
		return Promise.reject(new DeskError("unavailable", "The disk is full."));
	}) as typeof write;
	const told = async (origin: string) => (await (await desk.app.request("/embed/mira", { headers: { origin } })).json()) as SiteConfig;
	expect(await told("https://site.com")).toMatchObject({ show: true, site: "https://site.com" });
	expect(await told("https://bad.com")).toMatchObject({ show: false, reason: "blocked" });
	expect(await told("https://other.com")).toMatchObject({ show: false, reason: "unlisted" });
	expect(tried).toBe(3);
	expect(desk.logged).toHaveLength(3);
});

it("keeps the number of the embed with what is said through it, which its ticket bears", async () => {
	desk = await openTestDesk();
	const { engine } = desk;
	await engine.owner.setSite("mira", "https://site.com", "allowed");
	for (const mode of ["pet", "button"]) await engine.owner.saveEmbed("mira", { mode });
	const row = (await engine.desk("mira")) ?? expect.fail();
	const provenance = engine.embed.readTicket(row, engine.embed.issueTicket(row, "https://site.com", 2)) ?? expect.fail();
	expect(provenance).toEqual({ channel: "embed", site: "https://site.com", embed: "2" });
	const { principal } = await engine.welcomeGuest(row, "a nonce of sixteen");
	const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "Hi" }] };
	const { contextId } = await engine.send({ principal, provenance, extensions: [] }, row, message, {});
	const kept = await desk.store.read.conversation(principal.id, row.row.id, contextId, 0);
	expect(kept?.conversation).toMatchObject(provenance);
	// Asked again, a ticket is as good as its embed.
	expect(await engine.embed.check(row, "https://site.com", "2")).toMatchObject({ show: true, embed: { number: 2, mode: "button" } });
	await engine.owner.deleteEmbed("mira", 2);
	expect(await engine.embed.check(row, "https://site.com", "2")).toEqual({ show: false, reason: "no_such_embed" });
	expect(await engine.embed.check(row, "https://site.com", "1")).toMatchObject({ show: true, embed: { number: 1, mode: "pet" } });
	expect(await engine.embed.check(row, "https://other.com", "2")).toEqual({ show: false, reason: "no_such_embed" });
	await engine.owner.changeSettings("mira", { guests: false });
	expect(await engine.embed.check(row, "https://site.com", "1")).toMatchObject({ show: true });
	expect(await engine.embed.check((await engine.desk("mira")) ?? row, "https://site.com", "1")).toMatchObject({ reason: "guests_off" });
});

it("answers for our own pages as for a site that is allowed: no rule is asked, guests and the embed are", async () => {
	desk = await openTestDesk();
	const { engine } = desk;
	await engine.owner.setSite("mira", "https://bad.com", "blocked");
	await engine.owner.saveEmbed("mira", { mode: "pet" });
	const row = (await engine.desk("mira")) ?? expect.fail();
	for (const ask of [engine.embed.ask, engine.embed.check]) {
		expect(await ask(row, null)).toEqual({ show: true });
		expect(await ask(row, null, "1")).toMatchObject({ show: true, embed: { number: 1, mode: "pet" } });
		for (const none of ["2", "0", "01", "", "x"]) expect(await ask(row, null, none)).toEqual({ show: false, reason: "no_such_embed" });
	}
	expect(await desk.store.read.recentSites(row.row.id)).toEqual([]);
	// They speak with the rights of the chat page, whatever embed they try.
	expect(engine.embed.readTicket(row, engine.embed.issueTicket(row, null, 1))).toEqual({ channel: "page" });
	const closed = await engine.owner.changeSettings("mira", { guests: false });
	for (const ask of [engine.embed.ask, engine.embed.check])
		expect(await ask(closed, null, "1")).toEqual({ show: false, reason: "guests_off" });
});

it("reads an embed once for a page: what is judged and what is shown are of one moment", async () => {
	desk = await openTestDesk();
	const { engine, store, app } = desk;
	await engine.owner.setSite("mira", "https://site.com", "allowed");
	await engine.owner.saveEmbed("mira", { mode: "pet", greeting: true });
	const { embed } = store.read;
	let reads = 0;
	// Deleted as soon as it has been read: whoever reads it again finds nothing.
	store.read.embed = async (...args) => (++reads > 1 ? undefined : await embed(...args));
	const site = "https://site.com";
	const own = { "sec-fetch-site": "same-origin" };
	for (const [path, headers] of [
		["/embed/mira?embed=1", { origin: site }],
		["/embed/mira?embed=1", own],
		[`/@mira/embed?embed=1&site=${site}`, {}],
		[`/@mira/embed?embed=1&site=${desk.config.publicUrl}`, {}],
		[`/check?handle=mira&embed=1&site=${site}`, {}],
		[`/check?handle=mira&embed=1&site=${desk.config.publicUrl}`, {}],
		["/snippet?handle=mira&embed=1", {}],
	] as const) {
		reads = 0;
		const answer = await app.request(path, { headers });
		// One where the client is not built says so after it has judged.
		expect([path, reads, [200, 503].includes(answer.status)]).toEqual([path, 1, true]);
	}
});

it("tries a rule as the list would take it, and looks at nobody's list", async () => {
	desk = await openTestDesk();
	const { tryRule } = desk.engine.embed;
	expect(tryRule("*.Shop.com", "https://www.shop.com")).toEqual({ rule: "*.shop.com", covers: true });
	expect(tryRule("*.shop.com", "https://shop.com")).toEqual({ rule: "*.shop.com", covers: false });
	expect(tryRule("https://shop.com:443", "https://shop.com")).toEqual({ rule: "https://shop.com", covers: true });
	expect(tryRule("https://shop.com", "https://shop.com:8443")).toMatchObject({ covers: false });
	for (const wrong of [
		"*.co.uk",
		"*.github.io",
		"*",
		"https://*.*.com",
		"http://shop.com",
		"https://1.2.3.4",
		"shop.com",
		"https://shop.com/x",
		"",
	]) {
		const tried = tryRule(wrong, "https://shop.com");
		if (!("refused" in tried)) return expect.fail(`${wrong} was taken`);
		// What an owner reads who types it.
		await expect(desk.engine.owner.setSite("mira", wrong, "allowed")).rejects.toMatchObject({
			message: expect.stringContaining(tried.why),
		});
	}
});
