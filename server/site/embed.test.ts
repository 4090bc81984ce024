import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FrameBoot, SiteConfig } from "../../shared/embed.js";
import { LIMITS } from "../../shared/limits.js";
import { testClock } from "../../test/clock.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import type { Desk } from "../engine/engine.js";
import { faceShapes } from "./face.js";

let clientDir: string;
const clock = testClock();
let site: TestDesk;
/** Each test has a desk of its own on the one server. */
let handle: string;
let desk: Desk;
let desks = 0;

beforeAll(async () => {
	clientDir = mkdtempSync(join(tmpdir(), "client-"));
	mkdirSync(join(clientDir, "assets"));
	writeFileSync(join(clientDir, "embed.js"), "/* the loader */");
	writeFileSync(join(clientDir, "assets/chat.js"), "/* the chat */");
	writeFileSync(join(clientDir, "assets/chat.css"), "/* its looks */");
	site = await openTestDesk({ clientDir, clock, config: { publicUrl: "https://desk.example", allowLocalhostSites: false } });
});
afterAll(async () => {
	await site.close();
	rmSync(clientDir, { recursive: true });
});
beforeEach(async () => {
	handle = `desk${++desks}`;
	desk = await site.engine.owner.createOwner({ handle, name: "Mira", ownerName: "Mira Lin" });
});

const ask = async (headers: Record<string, string>, of = handle) => {
	const answer = await site.app.request(`/embed/${of}`, { headers });
	return { answer, config: (await answer.json()) as SiteConfig };
};
const framed = (query: string, of = handle) => site.app.request(`/@${of}/embed?${query}`);
const csp = (answer: Response) => answer.headers.get("content-security-policy") ?? "";
const ancestors = (answer: Response) => /frame-ancestors ([^;]+)/.exec(csp(answer))?.[1];
const bootOf = (html: string) => JSON.parse(/id="boot">(.*?)<\/script>/.exec(html)?.[1] ?? "null") as FrameBoot;

describe("GET /embed/<handle>", () => {
	it("says for each attribute of the tag what it may be where it is nothing known", async () => {
		await site.engine.owner.setSite(handle, "https://site.com", "allowed");
		const told = async (query: string) => (await ask({ origin: "https://site.com" }, `${handle}?${query}`)).config.help?.split("\n");
		expect(await told("mode=parrot&theme=blue&lang=fr&accent=red&size=huge&height=tall&z=top&foo=bar")).toEqual([
			'data-mode="parrot" is not known. Use floating, pet, button or inline.',
			'data-theme="blue" is not known. Use light, dark or auto.',
			'data-lang="fr" is not known. Use en or zh.',
			'data-accent="red" is not known. Use a colour such as #a8532b.',
			'data-size="huge" is not known. Use small, medium or large.',
			'data-height="tall" is not known. Use a number of pixels such as 600.',
			'data-z="top" is not known. Use a whole number such as 10.',
		]);
		expect(await told("mode=inline&theme=auto&lang=zh&accent=%23A8532b&height=480&z=-1")).toBeUndefined();
		expect(await told("accent=%23abc&z=0&theme=")).toBeUndefined();
		expect((await told(`theme=${"x".repeat(5_000)}`))?.join().length).toBeLessThan(150);
	});
	it("says that the chat may show on a listed site, and what it looks like there", async () => {
		await site.engine.owner.setSite(handle, "https://site.com", "allowed");
		const { answer, config } = await ask({ origin: "https://site.com" });
		expect(answer.status).toBe(200);
		expect(config).toEqual({
			show: true,
			site: "https://site.com",
			handle,
			name: "Mira",
			face: faceShapes(handle),
			online: desk.face.online,
			language: "en",
		});
		expect(await site.store.read.recentSites(desk.row.id)).toEqual([{ site: "https://site.com", seenAt: expect.any(Number) }]);
	});
	it("is read by any origin, never with credentials, never kept, and sets no cookie", async () => {
		const { answer } = await ask({ origin: "https://site.com" });
		expect(answer.headers.get("access-control-allow-origin")).toBe("*");
		expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(answer.headers.get("vary")).toBe("Origin, Sec-Fetch-Site, Accept-Language");
		expect(answer.headers.get("set-cookie")).toBeNull();
	});
	it("tells a site that is not listed what to do, and keeps it for the owner", async () => {
		const { config } = await ask({ origin: "https://new.example" });
		expect(config).toMatchObject({ show: false, reason: "unlisted", site: "https://new.example" });
		expect(config.help).toContain(`npx earthonline sites add ${handle} https://new.example`);
		expect(config.name).toBeUndefined();
		expect(await site.engine.owner.sites(handle)).toMatchObject([{ rule: "https://new.example", state: "pending", asked: 1 }]);
	});
	it("counts a site that asks again once a minute", async () => {
		const origin = "https://new.example";
		for (let i = 0; i < 3; i++) await ask({ origin });
		expect(await site.engine.owner.sites(handle)).toMatchObject([{ asked: 1 }]);
		clock.turn(LIMITS.siteVisitMs);
		await ask({ origin });
		expect(await site.engine.owner.sites(handle)).toMatchObject([{ asked: 2 }]);
	});
	it("says so to a blocked site, which never waits", async () => {
		await site.engine.owner.setSite(handle, "*.bad.com", "blocked");
		const { config } = await ask({ origin: "https://a.bad.com" });
		expect(config).toMatchObject({ show: false, reason: "blocked" });
		expect(await site.engine.owner.sites(handle)).toMatchObject([{ rule: "*.bad.com", state: "blocked" }]);
	});
	it("shows anywhere but on blocked sites where the owner allows any", async () => {
		await site.engine.owner.changeSettings(handle, { allowAnySite: true });
		await site.engine.owner.setSite(handle, "https://bad.com", "blocked");
		expect((await ask({ origin: "https://anybody.example" })).config.show).toBe(true);
		expect((await ask({ origin: "https://bad.com" })).config.show).toBe(false);
	});
	it("shows nowhere while guests are off", async () => {
		await site.engine.owner.setSite(handle, "https://site.com", "allowed");
		await site.engine.owner.changeSettings(handle, { guests: false });
		expect((await ask({ origin: "https://site.com" })).config).toMatchObject({ show: false, reason: "guests_off" });
		expect((await ask({ "sec-fetch-site": "same-origin" })).config).toMatchObject({ show: false, reason: "guests_off" });
	});
	it.each(["nobody", "MIRA", "ag_mira", "m", "a".repeat(33), "..%2f", "mira%00"])("knows no desk called %s", async (name) => {
		const { answer, config } = await ask({ origin: "https://site.com" }, name);
		expect(answer.status).toBe(200);
		expect(config).toMatchObject({ show: false, reason: "no_such_desk" });
		expect(config.help).toContain("data-handle");
	});
	it.each([
		["null", "file or inside a sandboxed frame"],
		["", "file or inside a sandboxed frame"],
		["https://SITE.com", "file or inside a sandboxed frame"],
		["https://site.com:443", "file or inside a sandboxed frame"],
		["https://site.com/", "file or inside a sandboxed frame"],
		["http://site.com", "not served over https"],
		["http://localhost:8788", "ALLOW_LOCALHOST_SITES"],
		["https://192.168.0.1", "by its name"],
		["chrome-extension://abc", "file or inside a sandboxed frame"],
	])("refuses the origin %j with what to do", async (origin, words) => {
		await site.engine.owner.setSite(handle, "https://site.com", "allowed");
		const { config } = await ask({ origin });
		expect(config).toMatchObject({ show: false, reason: "malformed_site" });
		expect(config.help).toContain(words);
		expect(await site.engine.owner.sites(handle)).toHaveLength(1);
	});
	it("shows on our own pages, which no rule names, and on nobody's who only says so", async () => {
		expect((await ask({ "sec-fetch-site": "same-origin" })).config).toMatchObject({ show: true, site: "https://desk.example" });
		expect((await ask({ origin: "https://desk.example" })).config).toMatchObject({ show: true });
		expect((await ask({})).config).toMatchObject({ show: false, reason: "malformed_site" });
		expect((await ask({ "sec-fetch-site": "cross-site" })).config).toMatchObject({ show: false, reason: "malformed_site" });
		expect((await ask({ origin: "https://site.com", "sec-fetch-site": "same-origin" })).config).toMatchObject({
			show: false,
			reason: "unlisted",
		});
		expect(await site.store.read.recentSites(desk.row.id)).toEqual([]);
	});
	it("speaks the language of the desk's owner", async () => {
		await site.engine.owner.createOwner({ handle: "lin", name: "林", language: "zh" });
		expect((await ask({ origin: "https://new.example" }, "lin")).config.help).toContain("不在");
	});
});

describe("a greeting (EMB-9)", () => {
	const told = async (query: string, headers: Record<string, string> = {}) => {
		await site.engine.owner.setSite(handle, "https://site.com", "allowed");
		return (await ask({ origin: "https://site.com", ...headers }, `${handle}?${query}`)).config;
	};
	it("is said where the tag asks for it, in its own words or the usual ones, in the language asked for", async () => {
		expect((await told("")).greeting).toBeUndefined();
		expect((await told("greeting=")).greeting).toBe("Hi! Ask me about Mira 👋");
		expect((await told("greeting=&lang=zh")).greeting).toBe("你好！想了解 Mira，都可以问我 👋");
		expect((await told("greeting=", { "accept-language": "zh-CN,zh;q=0.9,en;q=0.5" })).greeting).toContain("你好");
		expect((await told("greeting=&lang=en", { "accept-language": "zh-CN" })).greeting).toContain("Hi!");
		expect((await told(`greeting=${encodeURIComponent("  Ask me\nanything! <b>👋</b> ")}`)).greeting).toBe("Ask me anything! <b>👋</b>");
	});
	it("is one line of at most 120 characters, and the usual words where it is longer", async () => {
		expect((await told(`greeting=${"x".repeat(120)}`)).greeting).toBe("x".repeat(120));
		const long = await told(`greeting=${"x".repeat(121)}`);
		expect(long.greeting).toBe("Hi! Ask me about Mira 👋");
		expect(long.help).toMatch(/^data-greeting="x{64}" is not known\. Use a line of at most 120 characters\.$/);
	});
});

describe("a numbered embed (EMB-2)", () => {
	const origin = "https://site.com";
	const allow = () => site.engine.owner.setSite(handle, origin, "allowed");
	const save = (change: object, number?: number) => site.engine.owner.saveEmbed(handle, change, number);
	const config = async (query = "embed=1", headers: Record<string, string> = { origin }) =>
		(await ask(headers, `${handle}?${query}`)).config;
	const document = async (query = "embed=1") => framed(`site=${encodeURIComponent(origin)}&${query}`);

	it("has its look from the server, whatever the tag says besides", async () => {
		await allow();
		await save({ mode: "pet", theme: "dark", accent: "#2563eb", greeting: true });
		const expected = { id: 1, mode: "pet", theme: "dark", accent: "#2563eb" };
		expect(await config()).toMatchObject({ show: true, embed: expected, greeting: "Hi! Ask me about Mira 👋" });
		const told = await config("embed=1&mode=inline&theme=blue&accent=red&greeting=Mine&lang=zh&z=top");
		expect(told).toMatchObject({ embed: expected, greeting: "你好！想了解 Mira，都可以问我 👋" });
		expect(told.help).toBe('data-z="top" is not known. Use a whole number such as 10.');
	});
	it("shows a change at the next page load", async () => {
		await allow();
		await save({ mode: "floating" });
		expect(await config()).toMatchObject({ embed: { id: 1, mode: "floating", theme: "auto" } });
		expect((await config()).embed?.accent).toBeUndefined();
		expect((await config()).greeting).toBeUndefined();
		await save({ theme: "light", accent: "#abc", greeting: true, greetingText: "Hello <you>" }, 1);
		const { answer } = await ask({ origin }, `${handle}?embed=1`);
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(await config()).toMatchObject({ embed: { theme: "light", accent: "#abc" }, greeting: "Hello <you>" });
		await save({ greeting: false }, 1);
		expect((await config()).greeting).toBeUndefined();
	});
	it("that is deleted or was never made shows nothing and says so, in the owner's language", async () => {
		await allow();
		await save({ mode: "pet" });
		await site.engine.owner.deleteEmbed(handle, 1);
		for (const number of ["1", "2", "0", "-1", "01", "1.0", "x", "999999999999", "1e3"]) {
			const told = await config(`embed=${number}`);
			expect(told).toMatchObject({ show: false, reason: "no_such_embed", site: origin });
			expect(told.help).toContain(`${handle} has no embed ${number} (any more)`);
			expect(told.name).toBeUndefined();
		}
		await site.engine.owner.changeProfile(handle, { language: "zh" });
		expect((await config()).help).toContain("没有编号为 1 的嵌入");
		// It has shown nowhere, and nobody waits for it.
		expect(await site.store.read.recentSites(desk.row.id)).toEqual([]);
		await config("embed=1", { origin: "https://other.com" });
		expect(await site.engine.owner.sites(handle)).toHaveLength(1);
	});
	it("is its desk's alone", async () => {
		await save({ mode: "pet" });
		await site.engine.owner.createOwner({ handle: `${handle}b`, name: "Noor" });
		await site.engine.owner.setSite(`${handle}b`, origin, "allowed");
		expect((await ask({ origin }, `${handle}b?embed=1`)).config).toMatchObject({ show: false, reason: "no_such_embed" });
	});
	it("says first that a site is blocked, and that it waits", async () => {
		await save({ mode: "pet" });
		await site.engine.owner.setSite(handle, "https://bad.com", "blocked");
		expect(await config("embed=9", { origin: "https://bad.com" })).toMatchObject({ reason: "blocked" });
		expect(await config("embed=1", { origin: "https://new.com" })).toMatchObject({ reason: "unlisted" });
	});
	it("opens the chat in its own colours; where it follows the site, in those of the moment", async () => {
		await allow();
		await save({ mode: "inline", theme: "dark", accent: "#2563eb" });
		await save({ mode: "floating" });
		const boot = async (query: string) => bootOf(await (await document(query)).text());
		expect(await boot("embed=1&theme=light&accent=%23ffffff&mode=floating")).toMatchObject({
			theme: "dark",
			accent: "#2563eb",
			mode: "inline",
		});
		const auto = await boot("embed=2&theme=light&accent=%23ffffff&mode=inline");
		expect(auto).toMatchObject({ theme: "light", mode: "floating" });
		expect(auto.accent).toBeUndefined();
	});
	it("is named by the document's ticket", async () => {
		await allow();
		await save({ mode: "pet" });
		const { ticket } = bootOf(await (await document()).text());
		expect(site.engine.embed.readTicket(desk, ticket as string)).toEqual({ channel: "embed", site: origin, embed: "1" });
		const bare = bootOf(await (await document("")).text());
		expect(site.engine.embed.readTicket(desk, bare.ticket as string)).toEqual({ channel: "embed", site: origin });
	});
	it("that is deleted has no document: a plain word to its site, nothing to a blocked one", async () => {
		await allow();
		await save({ mode: "pet" });
		await site.engine.owner.deleteEmbed(handle, 1);
		const answer = await document("embed=1&lang=en");
		expect([answer.status, ancestors(answer)]).toEqual([404, origin]);
		const text = await answer.text();
		expect(text).toContain("Not here any more");
		expect(text).not.toContain("eolt_");
		expect(await (await document("embed=1&lang=zh")).text()).toContain("已不在这里");
		await site.engine.owner.setSite(handle, origin, "blocked");
		expect(ancestors(await document())).toBe("'none'");
	});
	it("shows its look on our own pages, and speaks there with the rights of the chat page", async () => {
		await save({ mode: "pet", accent: "#2563eb" });
		expect(await config("embed=1", { "sec-fetch-site": "same-origin" })).toMatchObject({ show: true, embed: { id: 1 } });
		expect(await config("embed=2", { "sec-fetch-site": "same-origin" })).toMatchObject({ show: false, reason: "no_such_embed" });
		const boot = bootOf(await (await framed("site=https://desk.example&embed=1")).text());
		expect(boot.accent).toBe("#2563eb");
		expect(site.engine.embed.readTicket(desk, boot.ticket as string)).toEqual({ channel: "page" });
	});
});

describe("GET /@<handle>/embed", () => {
	const allow = () => site.engine.owner.setSite(handle, "https://site.com", "allowed");

	it("gives a listed site the chat, which it alone may frame", async () => {
		await allow();
		const answer = await framed("site=https%3A%2F%2Fsite.com&theme=dark&accent=%232563eb&lang=zh&mode=inline");
		expect(answer.status).toBe(200);
		expect(ancestors(answer)).toBe("https://site.com");
		expect(csp(answer).match(/frame-ancestors/g)).toHaveLength(1);
		expect(answer.headers.get("x-frame-options")).toBeNull();
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(answer.headers.get("set-cookie")).toBeNull();
		expect(answer.headers.get("cross-origin-embedder-policy")).toBe("require-corp");
		expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
		const html = await answer.text();
		expect(html).toContain('<html lang="zh" data-theme="dark">');
		expect(html).toContain('<meta name="color-scheme" content="dark">');
		expect(bootOf(html)).toEqual({
			handle,
			name: "Mira",
			face: `/@${handle}/face.svg`,
			desk: expect.objectContaining({ name: "Mira", online: true, suggestions: expect.any(Array) }),
			ticket: expect.stringMatching(/^eolt_/),
			site: "https://site.com",
			mode: "inline",
			theme: "dark",
			accent: "#2563eb",
			language: "zh",
			socket: `/a2a/${handle}/ws`,
			brand: "EarthOnline",
		});
	});
	it("gives a ticket that says where the visitor stands, a new one each time", async () => {
		await allow();
		const tickets = await Promise.all(
			[1, 2].map(async () => bootOf(await (await framed("site=https://site.com")).text()).ticket as string),
		);
		expect(tickets[0]).not.toBe(tickets[1]);
		expect(site.engine.embed.readTicket(desk, tickets[0] as string)).toEqual({ channel: "embed", site: "https://site.com" });
	});
	it("runs nothing but our own script, without any sink for HTML", async () => {
		await allow();
		const policy = csp(await framed("site=https://site.com"));
		for (const part of [
			"default-src 'none'",
			"script-src 'self'",
			"connect-src 'self' wss://desk.example",
			"img-src 'self' blob:",
			"base-uri 'none'",
			"require-trusted-types-for 'script'",
		])
			expect(policy).toContain(part);
		expect(policy).not.toContain("unsafe");
	});
	it("writes nothing: only the question of the page does", async () => {
		await framed("site=https://new.example");
		expect(await site.engine.owner.sites(handle)).toEqual([]);
		await allow();
		await framed("site=https://site.com");
		expect(await site.store.read.recentSites(desk.row.id)).toEqual([]);
	});
	it("tells a site that is not listed plainly, without the chat", async () => {
		const answer = await framed("site=https://new.example&lang=en");
		expect(answer.status).toBe(403);
		expect(ancestors(answer)).toBe("https://new.example");
		const html = await answer.text();
		expect(html).toContain("Not open here yet");
		expect(html).not.toContain("<script");
		expect(html).not.toContain("eolt_");
	});
	it("may be framed by nobody where the site is blocked, malformed or the desk unknown, and says the same each time", async () => {
		await site.engine.owner.setSite(handle, "https://bad.com", "blocked");
		const answers = [
			await framed("site=https://bad.com"),
			await framed("site=https://site.com/"),
			await framed(""),
			await framed("site=https://site.com", "nobody"),
		];
		const bodies = await Promise.all(answers.map((a) => a.text()));
		expect(answers.map((a) => a.status)).toEqual([403, 400, 400, 404]);
		for (const answer of answers) expect(ancestors(answer)).toBe("'none'");
		expect(new Set(bodies).size).toBe(1);
	});
	it.each([
		"null",
		"HTTPS://SITE.COM",
		"https://site.com:443",
		"https://site.com.",
		"https://site.com@evil.com",
		"https://si\tte.com",
		"https://site.com\u200b",
		"https://site%2ecom",
		"https://*.site.com",
		"blob:https://site.com",
		"https://site.com; frame-ancestors *",
		"https://site.com\r\nset-cookie: a=b",
		"'self'",
		"*",
	])("takes no site but in its one form: %j", async (claimed) => {
		await allow();
		const answer = await framed(new URLSearchParams({ site: claimed }).toString());
		expect(answer.status).toBe(400);
		expect(ancestors(answer)).toBe("'none'");
		expect(answer.headers.get("set-cookie")).toBeNull();
	});
	it("takes the first of two sites, and that one has to be listed", async () => {
		await allow();
		expect(ancestors(await framed("site=https://evil.com&site=https://site.com"))).toBe("https://evil.com");
		expect((await framed("site=https://evil.com&site=https://site.com")).status).toBe(403);
	});
	it("counts a look that is none as not given", async () => {
		await allow();
		const boot = bootOf(await (await framed("site=https://site.com&theme=neon&accent=red%3Bx&mode=parrot&lang=fr")).text());
		expect(boot).toMatchObject({ theme: "auto", mode: "floating" });
		expect(boot.accent).toBeUndefined();
		expect(boot.language).toBeUndefined();
	});
	it("speaks for a person without a site on our own pages", async () => {
		const answer = await framed("site=https://desk.example");
		expect(ancestors(answer)).toBe("https://desk.example");
		const boot = bootOf(await answer.text());
		expect(site.engine.embed.readTicket(desk, boot.ticket as string)).toEqual({ channel: "page" });
	});
	it("says that guests are off", async () => {
		await allow();
		await site.engine.owner.changeSettings(handle, { guests: false });
		const answer = await framed("site=https://site.com");
		expect(answer.status).toBe(403);
		expect(await answer.text()).toContain("Closed for now");
	});
});
