/** `/embed.js` in a real Chromium: the button, the panel, the phone, and where it may not show (EMB-1, 10; SITE-1 to 3). */
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { boxOf } from "./embed-page.js";
import {
	arrive,
	button,
	chatReady,
	demo,
	desk,
	framed,
	heard,
	open,
	origin,
	ours,
	own,
	panel,
	says,
	standIn,
	tag,
	unlisted,
	useSite,
	warnings,
} from "./site.js";

useSite();

describe("the button in the corner", () => {
	it("is the agent's face with its name, at least 44 px, at the bottom right, with a dot while it is online", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/studio.html`);
		const { page } = one;
		await button(page).waitFor();
		expect(await button(page).getAttribute("aria-label")).toBe("Chat with Mira");
		const box = await button(page).boundingBox();
		expect(box).toEqual({ x: 1280 - 20 - 60, y: 800 - 20 - 60, width: 60, height: 60 });
		expect(await page.locator("earth-online .o").isVisible()).toBe(true);
		const face = page.locator("earth-online svg");
		expect([await face.getAttribute("viewBox"), await face.isVisible()]).toEqual(["0 0 96 96", true]);
		expect(await face.locator("> *").count()).toBeGreaterThanOrEqual(7);
		expect(one.errors).toEqual([]);
		expect(one.console).toEqual([]);
	});

	it("costs the page a script and one question, in 5 KB, before anybody clicks", async () => {
		const one = await arrive();
		let bytes = 0;
		one.page.on("response", async (answer) => {
			if (!answer.url().startsWith(origin)) return;
			// First the answer, then the sum: several are on their way at once.
			const { responseBodySize } = await answer.request().sizes();
			bytes += responseBodySize;
		});
		await one.page.goto(`${demo.url}/studio.html`);
		await one.page.locator("earth-online svg").waitFor();
		await one.page.waitForLoadState("networkidle");
		expect(ours(one)).toEqual(["/embed.js", "/embed/mira"]);
		expect(bytes).toBeGreaterThan(2_000);
		expect(bytes).toBeLessThan(5_500);
		expect(one.page.frames()).toHaveLength(1);
	});

	it("stores nothing, at the site or in its frame, before the visitor opens the chat", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).hover();
		await chatReady(one.page);
		for (const frame of one.page.frames()) {
			const kept = await frame.evaluate(async () => [
				localStorage.length,
				sessionStorage.length,
				document.cookie,
				(await indexedDB.databases()).length,
				(await caches.keys()).length,
			]);
			expect(kept).toEqual([0, 0, "", 0, 0]);
		}
		expect(await one.context.cookies()).toEqual([]);
	});

	it("works where the browser gives the frame no storage, and says that nothing is kept", async () => {
		const one = await arrive();
		await one.context.addInitScript(() => {
			if (self === top) return;
			for (const name of ["localStorage", "sessionStorage"])
				Object.defineProperty(self, name, {
					get() {
						throw new DOMException("Access is denied for this document.", "SecurityError");
					},
				});
		});
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).click();
		await chatReady(one.page);
		const chat = framed(one.page);
		await chat.getByText("This browser keeps nothing for this chat").waitFor();
		await chat.getByRole("textbox").fill("Hello?");
		await chat.getByRole("textbox").press("Enter");
		await chat.getByRole("log").getByText("Hello?").first().waitFor();
		expect(one.errors).toEqual([]);
	});

	it("loads the chat when a pointer rests on it, not when one passes by", async () => {
		const one = await arrive();
		await one.page.clock.install();
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).waitFor();
		await one.page.clock.pauseAt(new Date(Date.now() + 60_000));
		await button(one.page).dispatchEvent("pointerover");
		await one.page.clock.runFor(60);
		await one.page.locator("body").dispatchEvent("pointerover");
		await one.page.clock.runFor(500);
		expect(await one.page.locator("earth-online iframe").count()).toBe(0);
		expect(ours(one)).not.toContain("/embed-chat.js");
		await button(one.page).dispatchEvent("pointerover");
		await one.page.clock.runFor(90);
		await expect.poll(() => one.page.locator("earth-online iframe").count()).toBe(1);
		expect(await panel(one.page).isVisible()).toBe(false);
	});

	it("opens the chat over the page in a frame with a title and no secret in its address", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).click();
		await chatReady(one.page);
		const frame = one.page.locator("earth-online iframe");
		expect(await frame.getAttribute("title")).toBe("Chat with Mira");
		expect(await frame.getAttribute("allow")).toBe("clipboard-write");
		expect(framed(one.page).url()).toBe(`${origin}/@mira/embed?site=${encodeURIComponent(demo.url)}&theme=light&mode=floating`);
		expect(await panel(one.page).getAttribute("aria-label")).toBe("Chat with Mira");
		expect(await panel(one.page).evaluate((p) => [p.localName, p.matches(":modal")])).toEqual(["dialog", false]);
		await expect.poll(() => panel(one.page).evaluate((p) => getComputedStyle(p).opacity)).toBe("1");
		expect(await panel(one.page).boundingBox()).toEqual({ x: 1280 - 20 - 392, y: 800 - 92 - 640, width: 392, height: 640 });
		expect(await panel(one.page).evaluate((p) => [getComputedStyle(p).borderRadius, getComputedStyle(p).transitionDuration])).toEqual([
			"18px",
			"0.16s",
		]);
		expect(one.errors).toEqual([]);
	});

	it("takes the focus into the chat and Esc gives it back, from the frame and from the page", async () => {
		const one = await arrive();
		const { page } = one;
		await page.goto(`${demo.url}/studio.html`);
		const focused = () => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName);
		await button(page).focus();
		await page.keyboard.press("Enter");
		await chatReady(page);
		expect(await focused()).toBe("iframe");
		expect(await button(page).getAttribute("aria-expanded")).toBe("true");
		await expect.poll(() => framed(page).evaluate(() => document.hasFocus())).toBe(true);
		await page.keyboard.press("Escape");
		await panel(page).waitFor({ state: "hidden" });
		expect(await focused()).toBe("button");
		expect(await button(page).getAttribute("aria-expanded")).toBe("false");
		await page.keyboard.press("Enter");
		await panel(page).waitFor();
		await button(page).focus();
		await page.keyboard.press("Escape");
		await panel(page).waitFor({ state: "hidden" });
		expect(await focused()).toBe("button");
	});

	it("leaves Esc and the focus to the page where the page has them", async () => {
		const one = await arrive();
		await open(one, `<body><input autofocus>${tag()}`);
		await button(one.page).click();
		await chatReady(one.page);
		await one.page.locator("input").focus();
		await one.page.keyboard.press("Escape");
		expect(await panel(one.page).isVisible()).toBe(true);
		await one.page.evaluate("window.EarthOnline.get().close()");
		await panel(one.page).waitFor({ state: "hidden" });
		expect(await one.page.evaluate(() => document.activeElement?.localName)).toBe("input");
	});

	it("does not move for those who asked for less motion, once opened, and is not printed", async () => {
		for (const [reducedMotion, time] of [
			["no-preference", "0.16s"],
			["reduce", "0s"],
		] as const) {
			const one = await arrive({ reducedMotion });
			await standIn(one);
			await one.page.goto(`${demo.url}/studio.html`);
			await button(one.page).click();
			await chatReady(one.page);
			const moves = (at: Locator) => at.evaluate((e) => getComputedStyle(e).transitionDuration);
			expect([await moves(panel(one.page)), await moves(button(one.page))]).toEqual([time, time]);
			await one.page.emulateMedia({ media: "print" });
			expect([await button(one.page).isVisible(), await panel(one.page).isVisible()]).toEqual([false, false]);
		}
	});

	it("speaks Chinese to a Chinese browser and where the tag says so, and stands at the left of a page that reads from the right", async () => {
		const chinese = await arrive({ locale: "zh-CN" });
		await chinese.page.goto(`${demo.url}/studio.html`);
		expect(await button(chinese.page).getAttribute("aria-label")).toBe("与 Mira 聊天");
		const one = await arrive();
		await one.page.goto(`${demo.url}/zh.html`);
		expect(await button(one.page).getAttribute("aria-label")).toBe("与 Mira 聊天");
		await one.page.goto(`${demo.url}/rtl.html`);
		await button(one.page).waitFor();
		expect((await button(one.page).boundingBox())?.x).toBe(20);
	});

	it("shows the face where the site lets no picture in", async () => {
		const one = await arrive();
		await open(one, `<body>${tag()}`, {
			"content-security-policy": `default-src 'none'; script-src ${origin}; connect-src ${origin}; frame-src ${origin}; require-trusted-types-for 'script'; trusted-types 'none'`,
		});
		const ground = one.page.locator("earth-online svg > *").first();
		await ground.waitFor();
		expect(await boxOf(ground)).toEqual({ x: 1203, y: 723, width: 54, height: 54 });
		expect([one.console, one.errors]).toEqual([[], []]);
	});
});

describe("on a phone", () => {
	it("fills the screen, is modal, and gives the page back", async () => {
		const one = await arrive({ viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true });
		const { page } = one;
		await standIn(one);
		await page.goto(`${demo.url}/studio.html`);
		await button(page).tap();
		await chatReady(page);
		await expect.poll(() => panel(page).boundingBox()).toEqual({ x: 0, y: 0, width: 375, height: 740 });
		expect(await panel(page).evaluate((p) => p.matches(":modal"))).toBe(true);
		expect(await heard(page)).toContainEqual({ type: "viewport", fullScreen: true });
		await says(page, { type: "close" });
		await panel(page).waitFor({ state: "hidden" });
		expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName)).toBe("button");
	});

	it("leaves the page's keyboard outside: what stands behind cannot be reached", async () => {
		const one = await arrive({ viewport: { width: 375, height: 740 } });
		const { page } = one;
		await page.goto(`${demo.url}/studio.html`);
		await button(page).click();
		await chatReady(page);
		for (let i = 0; i < 12; i++) {
			await page.keyboard.press("Tab");
			expect(await page.evaluate(() => ["EARTH-ONLINE", "BODY"].includes(document.activeElement?.tagName ?? ""))).toBe(true);
		}
	});
});

describe("M: a site that is not listed gets no chat, and its owner a clear line; a page framed by a stranger too", () => {
	it("shows nothing on a site that is not listed, and says once what to do", async () => {
		const one = await arrive();
		await one.page.goto(`${unlisted}/unlisted.html`);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain(`npx earthonline sites add mira ${unlisted}`);
		expect(await one.page.locator("earth-online").count()).toBe(0);
		expect(ours(one)).toEqual(["/embed.js", "/embed/mira"]);
		expect(one.console).toHaveLength(1);
		expect(await desk.engine.owner.sites("mira")).toContainEqual(expect.objectContaining({ rule: unlisted, state: "pending" }));
	});

	it("is refused by the browser where a stranger frames the document of a listed site, and says so inside a framed page", async () => {
		const one = await arrive();
		await one.page.goto(`${unlisted}/stranger.html`);
		await expect.poll(() => one.console.filter((line) => line.includes("frame-ancestors")).length).toBe(1);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain("inside another site's frame");
		const [claimed, studio] = one.page.frames().slice(1);
		expect(claimed?.url()).toBe("chrome-error://chromewebdata/");
		expect(studio?.url()).toBe(`${demo.url}/studio.html`);
		expect(await studio?.locator("earth-online").count()).toBe(0);
	});

	it.each([
		[
			"a blocked site",
			async () => void (await desk.engine.owner.setSite("mira", `http://blocked.localhost:${own.port}`, "blocked")),
			"mira",
			"blocked",
		],
		[
			"guests that are off",
			async () => void (await desk.engine.owner.changeSettings("mira", { guests: false })),
			"mira",
			"no questions from visitors",
		],
		["a handle that is no desk's", async () => undefined, "nobody", 'There is no desk "nobody"'],
	])("says so for %s", async (_, prepare, handle, words) => {
		await prepare();
		const one = await arrive();
		await open(one, `<body>${tag().replace("mira", handle)}`, {}, words === "blocked" ? `http://blocked.localhost:${own.port}` : own.url);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain(words);
		expect(await one.page.locator("earth-online").count()).toBe(0);
	});

	it("never breaks the page: a server that is away is one line", async () => {
		const one = await arrive();
		await one.context.route(`${origin}/embed/mira`, (route) => route.abort());
		await one.page.goto(`${demo.url}/studio.html`);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain("did not load");
		expect(one.errors).toEqual([]);
	});

	it("says where the chat is when no chat answers in the frame", async () => {
		const one = await arrive();
		await standIn(one, false);
		await one.page.clock.install();
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).click();
		await expect.poll(() => framed(one.page).evaluate(() => (self as unknown as { hellos?: number }).hellos ?? 0)).toBeGreaterThan(0);
		await one.page.clock.fastForward(6_000);
		await one.page.clock.runFor(6_000);
		const link = panel(one.page).locator("a");
		await link.waitFor();
		expect([await link.getAttribute("href"), await link.getAttribute("target")]).toEqual([`${origin}/@mira/chat`, "_blank"]);
		expect(warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain("frame-src");
	});
});
