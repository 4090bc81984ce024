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
