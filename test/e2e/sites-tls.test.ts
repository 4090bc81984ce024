/**
 * T-SITE where a browser can show it: sites of any name over real TLS, as reliability.md 4.1 and 17 to 19 list them. What the pasted line
 * does there, and whom the framed document lets frame it whatever the script says.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { Visit } from "./browser.js";
import { chatFrame, dataPage, doc, frame, outcome, page, redirect, soon, srcdoc, tag, useWorld, world } from "./world.js";

const SITE = "https://site.test";
const OTHER = "https://a.shop.test";
const EVIL = "https://evil.test";

let one: Visit;

useWorld();
beforeAll(async () => {
	const { owner } = world.desk.engine;
	for (const rule of [SITE, "*.shop.test", "https://0x.test"]) await owner.setSite("mira", rule, "allowed");
	await owner.setSite("mira", "https://blocked.shop.test", "blocked");
	one = await world.arrive();
});

/** A page made in the browser by the site's own script. */
const blobPage = (site: string, html: string): string =>
	page(
		site,
		`<script>const f = document.createElement("iframe"); f.src = URL.createObjectURL(new Blob([${JSON.stringify(html).replaceAll("<", "\\u003c")}], {type: "text/html"})); document.body.append(f)</script>`,
	);

describe("the line on a site", () => {
	/** `chat`, or a part of the one sentence for the site's owner. */
	const vectors: [name: string, expected: string, address: () => string][] = [
		["its own", "chat", () => page(SITE, tag())],
		["its own, as somebody types it", "chat", () => page("HTTPS://Site.TEST:443", tag())],
		["a name before it", "https://www.site.test is not on the list", () => page("https://www.site.test", tag())],
		["another port", "https://site.test:8443 is not on the list", () => page("https://site.test:8443", tag())],
		["another scheme", "http://site.test is not served over https", () => page("http://site.test", tag())],
		["a dot after it", "not from a file or inside a sandboxed frame", () => page("https://site.test.", tag())],
		["a name that ends alike", "https://evilsite.test is not on the list", () => page("https://evilsite.test", tag())],
		["a name that begins alike", "https://site.test.evil.test is not on the list", () => page("https://site.test.evil.test", tag())],
		["one label before the star's", "chat", () => page(OTHER, tag())],
		["two labels before it", "chat", () => page("https://a.b.shop.test", tag())],
		["an underscore before it", "do not let the chat be tied to https://a_b.shop.test", () => page("https://a_b.shop.test", tag())],
		["the star's apex", "https://shop.test is not on the list", () => page("https://shop.test", tag())],
		["what ends like the star's", "https://ashop.test is not on the list", () => page("https://ashop.test", tag())],
		["one under the star that is blocked", "has blocked https://blocked.shop.test", () => page("https://blocked.shop.test", tag())],
		["a name that begins like a number", "chat", () => page("https://0x.test", tag())],
		["a name in letters of another script", "https://xn--80ak6aa92e.test is not on the list", () => page("https://аррӏе.test", tag())],
		["one that a stranger sends to", "chat", () => redirect(EVIL, page(SITE, tag()))],
		["a stranger's, sent to by the site", `${EVIL} is not on the list`, () => redirect(SITE, page(EVIL, tag()))],
		["its own, that tells nobody where it is", "chat", () => page(SITE, `<meta name="referrer" content="no-referrer">${tag()}`)],
		["its own, that tells everybody where it is", "chat", () => page(SITE, `<meta name="referrer" content="unsafe-url">${tag()}`)],
		["its own, framed by a stranger", "inside another site's frame", () => page(EVIL, frame(page(SITE, tag())))],
		["a stranger's, framed by the site", "inside another site's frame", () => page(SITE, frame(page(EVIL, tag())))],
		["its own, framed by another that is listed", "inside another site's frame", () => page(OTHER, frame(page(SITE, tag())))],
		["its own, framed by itself", "chat", () => page(SITE, frame(page(SITE, tag())))],
		["its own, without its origin", "inside another site's frame", () => page(SITE, frame(page(SITE, tag()), 'sandbox="allow-scripts"'))],
		["none: a page that is its address", "inside another site's frame", () => page(SITE, frame(dataPage(tag())))],
		["a stranger's, made in the browser", `${EVIL} is not on the list`, () => blobPage(EVIL, tag())],
		["a stranger's, written into its page", `${EVIL} is not on the list`, () => page(EVIL, srcdoc(tag()))],
	];

	it("is tried in twenty ways or more", () => expect(vectors.length).toBeGreaterThanOrEqual(20));
	it.each(vectors)("%s: %s", async (_, expected, address) => {
		one.console.length = 0;
		await one.page.goto(address());
		if (expected === "chat") {
			await soon(() =>
				chatFrame(one.page)
					?.locator("main.chat textarea")
					.count()
					.catch(() => 0),
			).toBe(1);
			expect(one.console.filter((line) => line.includes("EarthOnline"))).toEqual([]);
			return;
		}
		await soon(() => one.console.find((line) => line.startsWith("warning: EarthOnline"))).toContain(expected);
		for (const each of one.page.frames())
			expect(
				await each
					.locator("earth-online")
					.count()
					.catch(() => 0),
			).toBe(0);
		expect(chatFrame(one.page)).toBeUndefined();
	});

	it("leaves names that wait in letters of ASCII alone, and none that is no site", async () => {
		const rows = (await world.desk.engine.owner.sites("mira")).filter((row) => row.state === "pending").map((row) => row.rule);
		expect(rows).toContain("https://xn--80ak6aa92e.test");
		for (const rule of rows) expect(rule).toMatch(/^https:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?$/);
		expect(rows).not.toContain("https://site.test.");
	});
});

describe("the document of the chat, over TLS", () => {
	const vectors: [name: string, expected: "chat" | "notice" | "refused", address: () => string][] = [
		["its site", "chat", () => page(SITE, frame(doc(SITE)))],
		["another site that is listed", "refused", () => page(OTHER, frame(doc(SITE)))],
		["a listed site around its own", "refused", () => page(OTHER, frame(page(SITE, frame(doc(SITE)))))],
		["its site around a listed one", "refused", () => page(SITE, frame(page(OTHER, frame(doc(OTHER)))))],
		["a stranger around its site", "refused", () => page(EVIL, frame(page(SITE, frame(doc(SITE)))))],
		["a stranger inside its site", "refused", () => page(SITE, frame(page(EVIL, frame(doc(SITE)))))],
		["a stranger that says who it is", "notice", () => page(EVIL, frame(doc(EVIL)))],
		["one under the star that claims the star", "refused", () => page(OTHER, frame(doc("https://*.shop.test")))],
		["its site on another port", "refused", () => page("https://site.test:8443", frame(doc(SITE)))],
		["its site without TLS", "refused", () => page("http://site.test", frame(doc(SITE)))],
		["its site without TLS, that says so", "refused", () => page("http://site.test", frame(doc("http://site.test")))],
		["its site with a dot after it", "refused", () => page("https://site.test.", frame(doc(SITE)))],
		["a name before its site", "refused", () => page("https://www.site.test", frame(doc(SITE)))],
		[
			"a listed name before the star's, and its apex around",
			"refused",
			() => page("https://shop.test", frame(page(OTHER, frame(doc(OTHER))))),
		],
		["its site, by way of a stranger", "chat", () => page(SITE, frame(redirect(EVIL, doc(SITE))))],
		["a stranger, by way of the site", "refused", () => page(EVIL, frame(redirect(SITE, doc(SITE))))],
		["a stranger, as what it embeds", "refused", () => page(EVIL, `<embed src="${doc(SITE).replaceAll("&", "&amp;")}">`)],
		["a page that is its address", "refused", () => dataPage(frame(doc(SITE)))],
		["a page that is its address, in its site", "refused", () => page(SITE, frame(dataPage(frame(doc(SITE)))))],
		["a page that a stranger made in the browser", "refused", () => blobPage(EVIL, frame(doc(SITE)))],
		["a page that a stranger wrote into its own", "refused", () => page(EVIL, srcdoc(frame(doc(SITE))))],
		["its site without its origin", "refused", () => page(SITE, frame(page(SITE, frame(doc(SITE))), 'sandbox="allow-scripts"'))],
	];
	it.each(vectors)("framed by %s: %s", async (_, expected, address) => {
		await one.page.goto(address());
		expect(await outcome(one.page)).toBe(expected);
	});

	it("names the one site that asked and no other, and gives it nothing to keep", async () => {
		const answers: Record<string, string | undefined>[] = [];
		one.page.on("response", async (answer) => {
			if (answer.url().startsWith(doc("").slice(0, -1))) answers.push(await answer.allHeaders());
		});
		for (const site of [SITE, OTHER]) {
			await one.page.goto(page(site, frame(doc(site))));
			expect(await outcome(one.page)).toBe("chat");
			await soon(() => answers.length).toBe(1);
			expect(/frame-ancestors ([^;]*)/.exec(answers[0]?.["content-security-policy"] ?? "")?.[1]).toBe(site);
			expect(answers.pop()?.["set-cookie"]).toBeUndefined();
		}
		expect(await one.context.cookies()).toEqual([]);
	});

	it("asks for nothing of anybody else", () => expect(world.strays).toEqual([]));
});
