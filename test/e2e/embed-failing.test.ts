/** What does not come: the desk, a file, a frame, a picture. Nothing of the page breaks, and the console says what is in the way, once (widget.md, "For the site's owner"). */
import type { Page, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Visit } from "./browser.js";
import { boxOf, call, hold, keep } from "./embed-page.js";
import { arrive, button, chatReady, open, origin, ours, panel, standIn, tag, useSite, warnings } from "./site.js";

useSite({}, { unbroken: true });

const BUSY = "is busy. Load this page again in a minute.";
const BLOCKED = "did not load. If it runs, add it to this page's script-src, connect-src and frame-src.";
const OPEN = { "access-control-allow-origin": "*" };
const answer = (status: number, body: string, contentType: string) => (route: Route) =>
	route.fulfill({ status, body, contentType, headers: OPEN });
/** What a server that is too busy says, and what something in front of it says. */
const refusals: [name: string, then: (route: Route) => Promise<void>][] = [
	["429 in its own words", answer(429, JSON.stringify({ show: false, help: "Too many requests.", handle: "mira" }), "application/json")],
	["503 of a proxy", answer(503, "<html>Service Unavailable</html>", "text/html")],
];
const says = (one: Visit, text: string) => expect.poll(() => warnings(one)).toEqual([`warning: EarthOnline (mira): ${text}`]);
const badge = () => `<a href="${origin}/@mira/chat"><img src="${origin}/@mira/badge.svg" alt="Chat"></a>`;
const mismatches = (one: Visit) => one.console.filter((line) => line.includes("target origin")).length;
const outcome = <T>(page: Page, body: string) => page.evaluate(body) as Promise<T>;

describe("the desk that does not answer", () => {
	it("is waited for ten seconds, then the console says so and so is whoever waits told", async () => {
		const one = await arrive();
		await one.page.clock.install();
		const config = await hold(one, "/embed/mira");
		await open(one, `<body>${tag()}`);
		await expect.poll(config.asked).toBe(1);
		await keep(one.page);
		await one.page.evaluate("void (self.opened = outcome(kept.open()))");
		await one.page.clock.runFor(5_000);
		expect(warnings(one)).toEqual([]);
		await one.page.clock.runFor(5_100);
		await says(one, `${origin} ${BUSY}`);
		expect(await outcome(one.page, "self.opened")).toBe(`${origin} ${BUSY}`);
		await config.go((route) => route.continue().catch(() => undefined));
		await one.page.waitForLoadState("networkidle");
		expect(await one.page.locator("earth-online").count()).toBe(0);
		expect(warnings(one)).toHaveLength(1);
	});

	it.each(refusals)("is busy, and not shut out by the page: %s", async (name, then) => {
		const one = await arrive();
		const config = await hold(one, "/embed/mira");
		await config.go(then);
		await open(one, `<body>${tag()}`);
		await says(one, name.startsWith("429") ? "Too many requests." : `${origin} ${BUSY}`);
	});

	it("is shut out by the page's policy, and not busy", async () => {
		const one = await arrive();
		await open(one, `<body>${tag()}`, { "content-security-policy": `script-src ${origin}; connect-src 'self'` });
		await says(one, `${origin} ${BLOCKED}`);
	});

	it("breaks off in its answer", async () => {
		const one = await arrive();
		const config = await hold(one, "/embed/mira");
		await config.go(answer(200, '{"show":true,"face":[["path"', "application/json"));
		await open(one, `<body>${tag('data-mode="pet"')}`);
		await says(one, `${origin} ${BUSY}`);
		expect(await one.page.locator("earth-online").count()).toBe(0);
	});
});

describe("a file that does not come", () => {
	it.each(refusals)(
		"because the desk is busy: the chat opens as a page, and the console does not speak of a policy: %s",
		async (_, then) => {
			const one = await arrive();
			const file = await hold(one, "/embed-chat.js");
			await file.go(then);
			await open(one, `<body>${tag()}`);
			await button(one.page).waitFor();
			const [chat] = await Promise.all([one.context.waitForEvent("page"), button(one.page).click()]);
			await chat.waitForURL(`${origin}/@mira/chat`);
			await says(one, `${origin} ${BUSY}`);
			expect(await call(one.page, "chat.open().then(() => 0, () => 1)")).toBe(1);
			expect(warnings(one)).toHaveLength(1);
		},
	);

	it("the chat's is asked for again later, at another address, and then opens", async () => {
		const one = await arrive();
		await one.page.clock.install();
		await standIn(one);
		const file = await hold(one, "/embed-chat.js");
		await file.go((route) => route.abort());
		await open(one, `<body>${tag()}`);
		await button(one.page).waitFor();
		expect(await call(one.page, "chat.open().then(() => 0, () => 1)")).toBe(1);
		await says(one, `${origin} ${BLOCKED}`);
		await file.go((route) => route.continue());
		await one.page.clock.runFor(31_000);
		await button(one.page).click();
		await one.page.clock.runFor(500);
		await chatReady(one.page);
		expect(await panel(one.page).isVisible()).toBe(true);
		expect(
			ours(one)
				.filter((path) => path.startsWith("/embed-chat.js"))
				.at(-1),
		).toBe("/embed-chat.js?1");
	});

	it.each(["badge", "pill"])("the button's: all the rest is there at once, dressed, and it comes later: %s", async (what) => {
		const one = await arrive();
		await one.page.clock.install();
		// How each of our elements looked when it was put into the page.
		await one.page.addInitScript(() => {
			const seen: string[] = [];
			Reflect.set(self, "seen", seen);
			new MutationObserver((records) => {
				for (const record of records)
					for (const node of record.addedNodes)
						if (node.nodeName === "EARTH-ONLINE") seen.push((node as Element).shadowRoot?.querySelector(".w")?.className ?? "bare");
			}).observe(document, { childList: true, subtree: true });
		});
		const file = await hold(one, "/embed-button.js");
		await open(one, `<html class="dark"><body>${what === "badge" ? badge() : tag('data-mode="button" id="pill"')}${tag()}`);
		await button(one.page).waitFor();
		await expect.poll(file.asked).toBe(1);
		await file.go((route) => route.abort());
		await says(one, `${origin} ${BLOCKED}`);
		await call(one.page, "(chat.hide(), chat.show())");
		expect(await button(one.page).isVisible()).toBe(true);
		if (what === "badge") expect(await one.page.locator("a").isVisible()).toBe(true);
		await file.go((route) => route.continue());
		await one.page.clock.runFor(31_000);
		await one.page.locator("earth-online .c").waitFor();
		expect(ours(one)).toContain("/embed-button.js?1");
		for (const look of await outcome<string[]>(one.page, "seen")) expect(look).toMatch(/\bd\b/);
		expect(warnings(one)).toHaveLength(1);
	});

	it.each(["greeting", "pet"])("the %s's: the face is in the corner and opens the chat", async (part) => {
		const one = await arrive();
		await standIn(one);
		const file = await hold(one, `/embed-${part}.js`);
		await file.go((route) => route.abort());
		await open(one, `<body>${tag(part === "pet" ? 'data-mode="pet"' : "data-greeting")}`);
		await says(one, `${origin} ${BLOCKED}`);
		expect(await boxOf(button(one.page))).toEqual({ x: 1200, y: 720, width: 60, height: 60 });
		await button(one.page).click();
		await chatReady(one.page);
	});
});

describe("a frame that does not come", () => {
	it.each([
		["the network breaks off", {}, true],
		["the page's policy keeps it out", { "content-security-policy": "frame-src 'self'" }, false],
	])("is spoken to a few times only, and then the panel leads to the chat's page: %s", async (_, headers, cut) => {
		const one = await arrive();
		await one.page.clock.install();
		if (cut) await one.context.route(`${origin}/@mira/embed**`, (route) => route.abort());
		await open(one, `<body>${tag()}`, headers as Record<string, string>);
		await button(one.page).click();
		await one.page.locator("earth-online iframe").waitFor();
		await expect.poll(() => mismatches(one)).toBeGreaterThan(0);
		await one.page.clock.runFor(6_000);
		await panel(one.page).locator("a").waitFor();
		await says(one, `${origin} ${BLOCKED}`);
		expect(mismatches(one)).toBeLessThanOrEqual(4);
	});
});

describe("a face that is a photo", () => {
	it("is shown in the corner, as a pet, and costs one picture", async () => {
		for (const mode of ["floating", "pet"]) {
			const one = await arrive();
			const config = await hold(one, "/embed/mira");
			await config.go(async (route) => {
				const response = await route.fetch();
				await route.fulfill({ response, json: { ...(await response.json()), face: "/@mira/face.svg" } });
			});
			await open(one, `<body>${tag(`data-mode="${mode}"`)}`);
			await button(one.page).waitFor();
			await expect.poll(() => ours(one)).toContain("/@mira/face.svg");
			expect(await one.page.locator("earth-online image").evaluate((e) => (e as SVGImageElement).href.baseVal)).toBe(
				`${origin}/@mira/face.svg`,
			);
		}
	});

	it("breaks off: the pet stands where it should and is asleep, and opens the chat", async () => {
		const one = await arrive();
		await standIn(one);
		const config = await hold(one, "/embed/mira");
		await config.go(async (route) => {
			const response = await route.fetch();
			await route.fulfill({ response, json: { ...(await response.json()), face: "/@mira/face.svg" } });
		});
		await one.context.route(`${origin}/@mira/face.svg`, (route) => route.abort());
		await open(one, `<body>${tag('data-mode="pet"')}`);
		await button(one.page).waitFor();
		expect(await boxOf(button(one.page))).toEqual({ x: 1188, y: 708, width: 76, height: 76 });
		await button(one.page).click();
		await chatReady(one.page);
	});
});
