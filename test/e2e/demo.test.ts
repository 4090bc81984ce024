/** The demo site as the newcomer's tour: a walk through all of it without script, and each page showing what its two sentences say. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { STOPS } from "../../demo-site/stops.js";
import { arrive, button, chatReady, demo, desk, framed, holdBack, isDark, origin, panel, unlisted, useSite, warnings } from "./site.js";

useSite();
beforeAll(async () => {
	await desk.engine.owner.saveEmbed("mira", { mode: "floating", accent: "#a8532b" });
	await desk.engine.owner.setSite("mira", demo.sites.blocked, "blocked");
});

/** Visible buttons of ours, wherever they stand on the page. */
const buttons = (page: Page) => page.locator("earth-online button:visible");
/** All pictures of a page are there. */
const pictures = (page: Page, of: string) =>
	expect
		.poll(() => page.locator(of).evaluateAll((all) => (all as HTMLImageElement[]).map((i) => i.complete && i.naturalWidth > 0)))
		.not.toContain(false);

describe("the tour", () => {
	it("leads from the home page through every page and says on each what it shows, without script", async () => {
		const { page, errors } = await arrive({ javaScriptEnabled: false });
		await page.goto(demo.url);
		expect(await page.locator(".tour a").count()).toBe(STOPS.length);
		await page.locator(".tour a").first().click();
		for (const [at, stop] of STOPS.entries()) {
			await page.waitForURL((url) => url.pathname === stop.path);
			expect(new URL(page.url()).origin).toBe(demo.sites[stop.site ?? "listed"]);
			const bar = page.locator("aside.bar");
			expect(await bar.locator(".said p").textContent()).toBe(`${stop.title.en}. ${stop.shows.en} ${stop.look.en}`);
			expect(await bar.locator(".where span").textContent()).toBe(`${at + 1} / ${STOPS.length}`);
			const next = bar.locator('a[rel="next"]');
			if (at < STOPS.length - 1) await next.click();
			else expect(await next.count()).toBe(0);
		}
		await page.locator(".bar .where a").click();
		expect(page.url()).toBe(`${demo.url}/`);
		expect(errors).toEqual([]);
	});

	it("is there in Chinese, and stays so from page to page", async () => {
		const { page } = await arrive({ javaScriptEnabled: false });
		await page.goto(demo.url);
		await page.getByRole("link", { name: "中文" }).click();
		await page.locator(".tour a").first().click();
		expect(await page.locator(".bar").textContent()).toContain("右下角的头像");
		await page.locator('.bar a[rel="next"]').click();
		expect(await page.locator(".bar .said").textContent()).toContain("宠物");
		await page.locator(".bar .where a").click();
		expect(await page.locator("html").getAttribute("lang")).toBe("zh");
	});

	it("shows on each page the lines that it has, and none on one that has none", async () => {
		const { page } = await arrive();
		await page.goto(`${demo.url}/button.html`);
		expect((await page.locator(".bar pre").textContent())?.split("\n")).toHaveLength(3);
		await page.goto(`${demo.url}/nonce.html`);
		expect(await page.locator(".bar pre").textContent()).toBe(
			`<script nonce="…" src="${origin}/embed.js" data-handle="mira" async></script>`,
		);
		await page.goto(`${unlisted}/stranger.html`);
		expect(await page.locator(".bar details").count()).toBe(0);
	});

	it.each([375, 768])("fits a screen of %s pixels on every page, nothing to scroll sideways", async (width) => {
		const { page } = await arrive({ viewport: { width, height: 800 }, hasTouch: width < 500 });
		for (const { path, site } of [{ path: "/", site: undefined }, { path: "/index.zh.html", site: undefined }, ...STOPS]) {
			// Hostile styles are hostile to the page as well.
			if (path === "/hostile.html") continue;
			await page.goto(demo.sites[site ?? "listed"] + path, { waitUntil: "domcontentloaded" });
			await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: path }).toBeLessThanOrEqual(width);
		}
	});
});

describe("ways to show it", () => {
	it("puts the pet on the page", async () => {
		const { page } = await arrive();
		await page.goto(`${demo.url}/pet.html`);
		await buttons(page).first().click();
		await chatReady(page);
		expect(await panel(page).isVisible()).toBe(true);
	});

	it("greets whoever arrives", async () => {
		const one = await arrive();
		await one.context.clock.install();
		await one.page.goto(`${demo.url}/greeting.html`);
		const [fresh] = await Promise.all([one.context.waitForEvent("page"), one.page.getByRole("link", { name: "Arrive anew" }).click()]);
		const hello = fresh.locator("earth-online").getByText("Hello! Ask me which glaze is on the shelf.");
		await button(fresh).waitFor();
		expect(await hello.count()).toBe(0);
		// The page's own clock: seconds pass at once, as soon as what says hello is there to count them.
		await expect.poll(async () => await fresh.clock.runFor(1_000).then(() => hello.count())).toBe(1);
		await fresh.getByRole("button", { name: "Dismiss" }).click();
		expect(await hello.count()).toBe(0);
	});

	it("has a button where each line stands, in three sizes, and each opens the chat", async () => {
		const { page } = await arrive();
		await page.goto(`${demo.url}/button.html`);
		await expect.poll(() => buttons(page).count()).toBe(3);
		const heights: number[] = [];
		for (const sample of await page.locator(".samples > div").all())
			heights.push((await sample.locator("earth-online button").boundingBox())?.height ?? 0);
		expect(heights).toEqual([36, 40, 56]);
		await page.locator(".samples > div").nth(2).locator("earth-online button").click();
		await page.locator("earth-online .r").first().waitFor({ state: "attached" });
	});

	it("opens the chat from the studio's own button, by key, and adds none of its own", async () => {
		const { page } = await arrive();
		await page.goto(`${demo.url}/selector.html`);
		await page.waitForLoadState("networkidle");
		expect(await buttons(page).count()).toBe(0);
		await page.locator("#write").focus();
		await page.keyboard.press("Enter");
		await chatReady(page);
		expect(await panel(page).isVisible()).toBe(true);
	});

	it("has two chats on one page, which are one conversation", async () => {
		const { page } = await arrive();
		await page.goto(`${demo.url}/two.html`);
		await expect.poll(() => page.locator("earth-online").count()).toBe(2);
		await buttons(page).first().click();
		const chats = () => page.frames().filter((frame) => frame.url().startsWith(`${origin}/@mira/embed`));
		await expect.poll(() => chats().length).toBe(2);
		const [first, second] = chats();
		if (!first || !second) throw new Error("There are no two chats.");
		await first.locator("textarea").fill("Is a Saturday left?");
		await first.locator("textarea").press("Enter");
		await expect.poll(() => first.locator("body").textContent()).toContain("You said: Is a Saturday left?");
		await expect.poll(() => second.locator("body").textContent()).toContain("You said: Is a Saturday left?");
	});

	it("takes the look of a number from the desk, anew at each load", async () => {
		const { page } = await arrive();
		const accent = () =>
			buttons(page)
				.first()
				.evaluate((b) => getComputedStyle(b).borderTopColor);
		await page.goto(`${demo.url}/numbered.html`);
		await expect.poll(accent).toBe("rgb(168, 83, 43)");
		await desk.engine.owner.saveEmbed("mira", { accent: "#6f8f7c" }, 1);
		await page.reload();
		await expect.poll(accent).toBe("rgb(111, 143, 124)");
		await desk.engine.owner.saveEmbed("mira", { accent: "#a8532b" }, 1);
	});
});

describe("pages of every kind", () => {
	it("is dark on a dark site, though the visitor's system is light", async () => {
		const { page } = await arrive({ colorScheme: "light" });
		await page.goto(`${demo.url}/dark.html`);
		await button(page).click();
		await chatReady(page);
		expect(await isDark(page)).toBe(true);
		expect(new URL(framed(page).url()).searchParams.get("theme")).toBe("dark");
	});

	it("is there before a slow page's own things", async () => {
		const one = await arrive();
		const { page } = one;
		const { late, go } = holdBack();
		await page.goto(`${demo.url}/slow.html`, { waitUntil: "commit" });
		await button(page).waitFor();
		expect(await page.locator("#late").textContent()).toContain("still on its way");
		await expect.poll(() => late.toSorted((a, b) => a - b)).toEqual([2_000, 4_000, 6_000, 6_000]);
		go();
		await expect.poll(() => page.locator("#late").textContent()).toContain("has come");
		expect(one.errors).toEqual([]);
	});

	it.each(["/nonce.html", "/isolated.html", "/strict.html"])("opens on %s, and the console stays empty", async (path) => {
		const one = await arrive();
		await one.page.goto(demo.url + path);
		await button(one.page).click();
		await chatReady(one.page);
		if (path !== "/nonce.html") expect(await one.page.evaluate(() => crossOriginIsolated)).toBe(true);
		if (path === "/isolated.html") expect(await one.page.locator("#isolated").textContent()).toContain("is isolated");
		expect([one.console, one.errors]).toEqual([[], []]);
	});

	it("goes on under hostile styles, and the way on can still be gone", async () => {
		const { page } = await arrive();
		await page.goto(`${demo.url}/hostile.html`);
		await button(page).click();
		await chatReady(page);
		await button(page).click();
		await page.locator('.bar a[rel="next"]').click();
		expect(page.url()).toBe(`${unlisted}/unlisted.html`);
	});
});

describe("where it does not show", () => {
	it("leads from the page of a site that is not listed to what stops the chat there", async () => {
		const one = await arrive();
		await one.page.goto(`${unlisted}/unlisted.html`);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		await one.page.getByRole("link", { name: "check my install" }).click();
		await one.page.getByRole("heading", { name: `The chat does not show on ${unlisted}.` }).waitFor();
	});

	it("shows nothing on the site that is blocked, tells its owner in the console, and does not ask the desk's owner again", async () => {
		const { blocked } = demo.sites;
		const one = await arrive();
		await one.page.goto(`${blocked}/blocked.html`);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toBe(
			`warning: EarthOnline (mira): mira's owner has blocked ${blocked}. To allow it: npx earthonline sites add mira ${blocked}`,
		);
		expect(await one.page.locator("earth-online").count()).toBe(0);
		expect(one.page.frames()).toHaveLength(1);
		expect(one.errors).toEqual([]);
		expect((await desk.engine.owner.sites("mira")).find(({ rule }) => rule === blocked)?.state).toBe("blocked");
		await one.page.getByRole("link", { name: "check my install" }).click();
		await one.page.getByText("mira's owner has blocked this site").waitFor();
	});
});

describe("where scripts cannot run", () => {
	it("shows badges in a README that runs no script, and they lead to the chat page", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/readme.html`);
		await pictures(one.page, ".paper img");
		expect(await one.page.locator("script").count()).toBe(0);
		expect(one.requests.filter((url) => url.endsWith(".js"))).toEqual([]);
		await one.page.locator(".paper a").first().click();
		await one.page.waitForURL(`${origin}/@mira/chat`);
		await one.page.locator("textarea").waitFor();
		expect(one.errors).toEqual([]);
	});

	it("shows the badge of an e-mail as a PNG that is sharp at twice its size", async () => {
		const { page } = await arrive();
		await page.goto(`${demo.url}/mail.html`);
		await pictures(page, ".paper img");
		const [natural, shown] = await page
			.locator(".paper img")
			.evaluate((image) => [(image as HTMLImageElement).naturalHeight, image.getBoundingClientRect().height]);
		expect([natural, shown]).toEqual([72, 36]);
	});

	it("turns the badge into the live button where the line is too, and leaves it a link without script", async () => {
		const { page } = await arrive();
		await page.goto(`${demo.url}/live.html`);
		const live = page.locator("main earth-online button");
		await live.waitFor();
		expect(await page.locator("main p > a").isVisible()).toBe(false);
		await live.click();
		await page.locator("earth-online .r").first().waitFor({ state: "attached" });
		expect(page.url()).toBe(`${demo.url}/live.html`);
		const still = await arrive({ javaScriptEnabled: false });
		await still.page.goto(`${demo.url}/live.html`);
		await pictures(still.page, "main p img");
		expect(await still.page.locator("main p a").getAttribute("href")).toBe(`${origin}/@mira/chat`);
	});
});

describe("from your own code", () => {
	it("does what each button of the page says, and lists what happened", async () => {
		const one = await arrive();
		const { page } = one;
		await page.goto(`${demo.url}/api.html`);
		const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
		const happened = () => page.locator("#log li").allTextContents();
		await press("open()");
		await chatReady(page);
		await expect.poll(happened).toContain("ready");
		expect(await happened()).toContain("open");
		await press("close()");
		await expect.poll(happened).toContain("close");
		await press("hide()");
		await expect.poll(() => buttons(page).count()).toBe(0);
		await press("show()");
		await expect.poll(() => buttons(page).count()).toBeGreaterThan(0);
		await press('setTheme("dark")');
		await expect.poll(() => isDark(page)).toBe(true);
		await press('setTheme("light")');
		await expect.poll(() => isDark(page)).toBe(false);
		await press('send("How long does shipping take?")');
		await expect.poll(() => framed(page).locator("body").textContent()).toContain("You said: How long does shipping take?");
		expect(one.errors).toEqual([]);
	});
});
