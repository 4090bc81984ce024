/** The greeting in a real Chromium: said a few seconds in, once a visitor, beside whatever stands in the corner (EMB-9). */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Visit } from "./browser.js";
import { apart, boxOf, call, hold, inside } from "./embed-page.js";
import { arrive, button, chatReady, heard, open, ours, own, panel, says, standIn, tag, useSite } from "./site.js";

useSite({}, { unbroken: true });

const bubble = (page: Page) => page.locator("earth-online .g");
const words = (page: Page) => bubble(page).locator("button").first();
const later = (page: Page, ms = 4_100) => page.clock.runFor(ms);
const there = async (page: Page) => {
	await page.locator("earth-online button").first().waitFor();
	await page.waitForLoadState("networkidle");
};
const arriveAt = async (html: string, one?: Visit) => {
	const visit = one ?? (await arrive());
	await visit.page.clock.install();
	await open(visit, html);
	await there(visit.page);
	return visit;
};
/** The same visitor comes to the site again, in a tab of its own. */
const comeAgain = async (one: Visit) => {
	const next = await one.context.newPage();
	await next.clock.install();
	await next.goto(`${own.url}/`);
	await there(next);
	await later(next);
	return bubble(next).count();
};
const stored = (page: Page) => page.evaluate(() => Object.keys(localStorage));

describe("the greeting", () => {
	it("is said a few seconds in, in the site's own words as plain text, and stores nothing by itself", async () => {
		const one = await arriveAt(`<body>${tag('data-greeting="Hi &lt;b&gt;there&lt;/b&gt;"')}`);
		expect(await bubble(one.page).count()).toBe(0);
		await later(one.page);
		await bubble(one.page).waitFor();
		expect(await words(one.page).textContent()).toBe("Hi <b>there</b>");
		const box = await boxOf(bubble(one.page));
		expect(box.x + box.width).toBe(1280 - 20 - 60 - 12);
		expect(await stored(one.page)).toEqual([]);
	});

	it("leaves room between its words and its edge, whichever way the page and the words run", async () => {
		for (const dir of ["ltr", "rtl"]) {
			for (const hello of ["Hello! Ask me which of the glazes are on the shelf.", "أهلاً! اسألني عن الألوان المتوفرة اليوم على الرف."]) {
				const one = await arriveAt(`<html dir="${dir}"><body>${tag(`data-greeting="${hello}"`)}`);
				await later(one.page);
				await bubble(one.page).waitFor();
				const room = await words(one.page).evaluate((button) => {
					const around = (button.parentElement as HTMLElement).getBoundingClientRect();
					const text = document.createRange();
					text.selectNodeContents(button);
					const ink = text.getBoundingClientRect();
					return Math.min(ink.left - around.left, around.right - ink.right, ink.top - around.top, around.bottom - ink.bottom);
				});
				expect([dir, hello, room >= 10]).toEqual([dir, hello, true]);
				await one.close();
			}
		}
	});

	it("is said in the usual words where the attribute is bare", async () => {
		const one = await arriveAt(`<body>${tag("data-greeting")}`);
		await later(one.page);
		expect(await bubble(one.page).textContent()).toContain("Mira");
	});

	it.each(["sent away", "answered", "passed by for the face", "passed by for the site's own button", "passed by for open()"])(
		"is said once: not again where it was %s, on any page of the site, for another visit",
		async (how) => {
			const one = await arrive();
			await standIn(one);
			await arriveAt(`<body><button id="talk">Talk</button>${tag('data-greeting data-selector="#talk" data-mode="floating"')}`, one);
			await later(one.page);
			await bubble(one.page).waitFor();
			if (how === "sent away") await bubble(one.page).getByRole("button", { name: "Dismiss" }).click();
			else if (how === "answered") await words(one.page).click();
			else if (how === "passed by for the face") await one.page.locator("earth-online .b").click();
			else if (how === "passed by for open()") await call(one.page, "void chat.open()");
			else await one.page.locator("#talk").click();
			if (how !== "sent away") await panel(one.page).waitFor();
			await bubble(one.page).waitFor({ state: "detached" });
			expect(await stored(one.page)).toEqual(["earthonline:mira:greeted"]);
			expect(await comeAgain(one)).toBe(0);
		},
	);

	it.each(["open()", "a click on the face"])("is not said after a chat that was opened before it came: %s", async (how) => {
		const one = await arrive();
		await standIn(one);
		await one.page.clock.install();
		const file = await hold(one, "/embed-greeting.js");
		await open(one, `<body>${tag("data-greeting")}`);
		if (how === "open()") await call(one.page, "void chat.open()");
		else await button(one.page).click();
		await chatReady(one.page);
		await call(one.page, "chat.close()");
		await file.go((route) => route.continue());
		await one.page.waitForLoadState("networkidle");
		await later(one.page);
		expect(await bubble(one.page).count()).toBe(0);
		expect(await stored(one.page)).toEqual(["earthonline:mira:greeted"]);
	});

	it("is not said again on the further pages of a visit where it was passed by, nor where a page is loaded again", async () => {
		const one = await arrive();
		// The clock of a test hides what a page knows of how it was loaded: this gives it back.
		await one.page.addInitScript(() => Reflect.set(self, "real", performance));
		await one.page.clock.install();
		await one.page.addInitScript(() => {
			const real = Reflect.get(self, "real") as Performance;
			performance.getEntriesByType = (type) => real.getEntriesByType(type);
		});
		await open(one, `<body><a href="/">On</a>${tag("data-greeting")}`);
		await there(one.page);
		await later(one.page);
		await bubble(one.page).waitFor();
		await one.page.reload();
		await there(one.page);
		await later(one.page);
		expect(await bubble(one.page).count()).toBe(0);
		await one.page.locator("a").click();
		await there(one.page);
		await later(one.page);
		expect(await bubble(one.page).count()).toBe(0);
		expect(await stored(one.page)).toEqual([]);
	});

	it("is said again in another visit where it was passed by: nothing had been stored", async () => {
		const one = await arriveAt(`<body>${tag("data-greeting")}`);
		await later(one.page);
		await bubble(one.page).waitFor();
		expect(await comeAgain(one)).toBe(1);
	});

	it("is forgotten by logout(), with all else of the visitor", async () => {
		const one = await arrive();
		await standIn(one);
		await arriveAt(`<body>${tag("data-greeting")}`, one);
		await later(one.page);
		await bubble(one.page).getByRole("button", { name: "Dismiss" }).click();
		expect(await stored(one.page)).toEqual(["earthonline:mira:greeted"]);
		await call(one.page, "void chat.logout()");
		await chatReady(one.page);
		await expect.poll(() => heard(one.page)).toContainEqual({ type: "logout" });
		expect(await stored(one.page)).toEqual([]);
		await says(one.page, { type: "reload" });
		expect(await comeAgain(one)).toBe(1);
	});

	it("is one at a time, and lies over nobody's face, however many stand in the corner", async () => {
		for (const width of [1280, 375]) {
			const one = await arrive({ viewport: { width, height: 700 } });
			const lines = ['data-greeting="First of all, hello"', 'data-greeting="And hello from me" id="second"', 'id="third"'];
			await arriveAt(`<meta name="viewport" content="width=device-width"><body>${lines.map((line) => tag(line)).join("")}`, one);
			await expect.poll(() => one.page.locator("earth-online .b").count()).toBe(3);
			await one.page.waitForLoadState("networkidle");
			await later(one.page, 9_000);
			expect(await bubble(one.page).count()).toBe(1);
			const first = await boxOf(bubble(one.page));
			for (const face of await one.page.locator("earth-online .b").all()) expect(apart(first, await boxOf(face))).toBe(true);
			expect([first, inside(one.page, first)]).toEqual([first, true]);
			expect(["First of all, hello", "And hello from me"]).toContain(await words(one.page).textContent());
			await bubble(one.page).getByRole("button", { name: "Dismiss" }).click();
			await later(one.page, 9_000);
			// Both are the same agent's, who has had its answer.
			expect(await bubble(one.page).count()).toBe(0);
		}
	});

	it("follows the tag: words and language that change, a greeting that comes or goes", async () => {
		const one = await arriveAt(`<body>${tag()}`);
		expect(ours(one)).not.toContain("/embed-greeting.js");
		await call(one.page, 'chat.update({ greeting: "Hello from here" })');
		await expect.poll(() => ours(one)).toContain("/embed-greeting.js");
		await one.page.waitForLoadState("networkidle");
		await later(one.page);
		await expect.poll(() => bubble(one.page).count()).toBe(1);
		expect(await words(one.page).textContent()).toBe("Hello from here");
		await call(one.page, 'chat.update({ greeting: "", lang: "zh" })');
		await expect.poll(() => words(one.page).textContent()).toContain("你好");
		expect(await bubble(one.page).locator("button").last().getAttribute("aria-label")).toBe("关闭");
		await call(one.page, "chat.update({ greeting: null })");
		await expect.poll(() => bubble(one.page).count()).toBe(0);
		expect(new Set(ours(one).filter((path) => path.startsWith("/embed/")))).toEqual(
			new Set(["/embed/mira", "/embed/mira?greeting=Hello+from+here", "/embed/mira?lang=zh&greeting="]),
		);
	});
});
