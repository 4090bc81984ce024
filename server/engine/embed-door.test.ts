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
	expect(await engine.embed.check(row, "https://site.com", "2")).toEqual({ show: true });
	await engine.owner.deleteEmbed("mira", 2);
	expect(await engine.embed.check(row, "https://site.com", "2")).toEqual({ show: false, reason: "no_such_embed" });
	expect(await engine.embed.check(row, "https://site.com", "1")).toEqual({ show: true });
	expect(await engine.embed.check(row, "https://other.com", "2")).toEqual({ show: false, reason: "no_such_embed" });
	await engine.owner.changeSettings("mira", { guests: false });
	expect(await engine.embed.check(row, "https://site.com", "1")).toEqual({ show: true });
	expect(await engine.embed.check((await engine.desk("mira")) ?? row, "https://site.com", "1")).toMatchObject({ reason: "guests_off" });
});
