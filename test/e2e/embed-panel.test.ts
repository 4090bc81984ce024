/** The panel in a real Chromium: where it stands, over which part of the page it is modal, and on a phone (EMB-1; widget.md, "Phones"). */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { apart, boxOf, call, inside, reached } from "./embed-page.js";
import { arrive, button, chatReady, demo, heard, open, panel, standIn, tag, useSite } from "./site.js";

useSite({}, { unbroken: true });

const PHONE = { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true };
const isModal = (page: Page) => panel(page).evaluate((p) => p.matches(":modal"));
/** Where the keyboard's focus goes as Tab is pressed. */
const tabbed = async (page: Page, times = 10) => {
	const seen = new Set<string>();
	for (let i = 0; i < times; i++) {
		await page.keyboard.press("Tab");
		seen.add(await page.evaluate(() => document.activeElement?.tagName ?? ""));
	}
	return seen;
};
const WIDTH = '<meta name="viewport" content="width=device-width">';
const FIELDS = '<p><input style="display:block;margin:40px"><a href="#x">A link</a></p>';

describe("the panel beside its button", () => {
	it.each([
		["as they are", ""],
		["moved as the guide shows", "--eo-x: 40px; --eo-y: 90px"],
		["in the very corner", "--eo-x: 0px; --eo-y: 0px"],
		["high up", "--eo-y: 300px"],
		["far in", "--eo-x: 700px"],
		["beyond what leaves room", "--eo-x: 1100px; --eo-y: 40px"],
	])("never covers it, and is whole in the window: %s", async (_, moved) => {
		for (const dir of ["ltr", "rtl"]) {
			const one = await arrive({ reducedMotion: "reduce" });
			await standIn(one);
			await open(one, `<html dir="${dir}"><style>earth-online { ${moved} }</style><body>${tag()}`);
			await button(one.page).click();
			await chatReady(one.page);
			const [face, chat] = [await boxOf(button(one.page)), await boxOf(panel(one.page))];
			expect([moved, dir, apart(face, chat), inside(one.page, chat)]).toEqual([moved, dir, true, true]);
			expect(chat.width).toBe(392);
			// What closes it again.
			await button(one.page).click();
			await panel(one.page).waitFor({ state: "hidden" });
		}
	});

	it("stands 12 px above it, at its edge, wherever the site has moved that", async () => {
		const one = await arrive({ reducedMotion: "reduce" });
		await standIn(one);
		await open(one, `<style>earth-online { --eo-x: 40px; --eo-y: 90px; }</style><body>${tag()}`);
		await button(one.page).click();
		await one.page.mouse.move(0, 0);
		expect(await boxOf(button(one.page))).toEqual({ x: 1280 - 40 - 60, y: 800 - 90 - 60, width: 60, height: 60 });
		expect(await boxOf(panel(one.page))).toEqual({ x: 1280 - 40 - 392, y: 20, width: 392, height: 800 - 90 - 72 - 20 });
	});
});

describe("after hide(), whatever opens it shows it first", () => {
	const ways: [name: string, open: (page: Page) => Promise<unknown>][] = [
		["open()", (page) => call(page, "void chat.open()")],
		["toggle()", (page) => call(page, "void chat.toggle()")],
		["send()", (page) => call(page, 'void chat.send("Hello")')],
		["the site's own button", (page) => page.locator("#talk").click()],
	];
	it.each(ways)("%s, on a phone", async (_, act) => {
		const one = await arrive(PHONE);
		await standIn(one);
		await open(one, `${WIDTH}<body><button id="talk">Talk</button>${FIELDS}${tag('data-selector="#talk" data-mode="floating"')}`);
		await button(one.page).waitFor();
		await call(one.page, "chat.hide()");
		await button(one.page).waitFor({ state: "hidden" });
		await act(one.page);
		await chatReady(one.page);
		expect(await call(one.page, "chat.state.hidden")).toBe(false);
		await expect.poll(() => panel(one.page).boundingBox()).toEqual({ x: 0, y: 0, width: 375, height: 740 });
		await call(one.page, "chat.close()");
		await button(one.page).waitFor();
		await expect.poll(() => reached(one.page, 60, 75)).toBe("INPUT");
	});

	it("does not lie unseen over the page where it is hidden while it was on its way", async () => {
		const one = await arrive(PHONE);
		await standIn(one);
		await open(one, `${WIDTH}<body>${FIELDS}${tag()}`);
		await button(one.page).waitFor();
		await call(one.page, "(chat.open(), chat.hide())");
		await chatReady(one.page);
		expect(await call(one.page, "[chat.state.open, chat.state.hidden]")).toEqual([false, true]);
		expect(await isModal(one.page)).toBe(false);
		await one.page.locator("input").tap();
		await call(one.page, "chat.show()");
		await button(one.page).waitFor();
		expect(await panel(one.page).isVisible()).toBe(false);
	});

	it("gives the page back where it is hidden while it is open", async () => {
		const one = await arrive(PHONE);
		await standIn(one);
		await open(one, `${WIDTH}<body>${FIELDS}${tag()}`);
		await button(one.page).tap();
		await chatReady(one.page);
		await call(one.page, "chat.hide()");
		await panel(one.page).waitFor({ state: "hidden" });
		await one.page.locator("input").tap();
		expect(await call(one.page, "[chat.state.open, chat.state.hidden]")).toEqual([false, true]);
	});
});

describe("is modal where it fills the screen, and only there", () => {
	it("opened wide and then narrowed: what stands behind cannot be reached", async () => {
		const one = await arrive();
		const { page } = one;
		await standIn(one);
		await open(one, `${WIDTH}<body>${FIELDS}${tag()}`);
		await button(page).click();
		await chatReady(page);
		expect(await isModal(page)).toBe(false);
		expect(await tabbed(page)).toContain("INPUT");
		await page.setViewportSize({ width: 400, height: 700 });
		await expect.poll(() => isModal(page)).toBe(true);
		await expect.poll(() => boxOf(panel(page))).toEqual({ x: 0, y: 0, width: 400, height: 700 });
		const seen = await tabbed(page);
		expect([seen.has("INPUT"), seen.has("A")]).toEqual([false, false]);
		await expect.poll(async () => (await heard(page)).at(-1)).toEqual({ type: "viewport", fullScreen: true });
		expect(await call(page, "chat.state.open")).toBe(true);
		await page.evaluate("window.EarthOnline.get().close()");
		await panel(page).waitFor({ state: "hidden" });
		await page.locator("input").click();
	});

	it("opened narrow and then widened: the page beside it can be used", async () => {
		const one = await arrive({ viewport: { width: 400, height: 700 } });
		const { page } = one;
		await standIn(one);
		await open(one, `${WIDTH}<body>${FIELDS}${tag()}`);
		await button(page).click();
		await chatReady(page);
		expect(await isModal(page)).toBe(true);
		await page.setViewportSize({ width: 1280, height: 800 });
		await expect.poll(() => isModal(page)).toBe(false);
		await page.locator("input").click();
		expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
		expect(await panel(page).isVisible()).toBe(true);
		expect(await call(page, "chat.state.open")).toBe(true);
	});

	it("on a phone where a router swaps the body: modal again, and open", async () => {
		const one = await arrive(PHONE);
		const { page } = one;
		await standIn(one);
		await open(one, `${WIDTH}<body>${tag()}`);
		await button(page).tap();
		await chatReady(page);
		await page.evaluate((html) => {
			const body = document.createElement("body");
			body.append(document.createRange().createContextualFragment(html));
			document.body.replaceWith(body);
		}, FIELDS);
		await chatReady(page);
		expect(await isModal(page)).toBe(true);
		expect((await tabbed(page)).has("INPUT")).toBe(false);
		await expect.poll(async () => (await heard(page)).at(-1)).toEqual({ type: "open" });
	});

	it("beside the page, where a router swaps the body: open, and the focus stays the page's", async () => {
		const one = await arrive();
		const { page } = one;
		await standIn(one);
		await open(one, `<body>${tag()}`);
		await button(page).click();
		await chatReady(page);
		await page.evaluate((html) => {
			const body = document.createElement("body");
			body.append(document.createRange().createContextualFragment(html));
			document.body.replaceWith(body);
			document.querySelector("input")?.focus();
		}, FIELDS);
		await chatReady(page);
		expect([await isModal(page), await panel(page).isVisible()]).toEqual([false, true]);
		expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
	});
});

describe("on a phone", () => {
	it("is as large as what the keyboard leaves, and where that is (visualViewport)", async () => {
		const one = await arrive(PHONE);
		const { page } = one;
		await standIn(one);
		// No keyboard comes up in a browser without a screen: what it would make of the window is said in its place.
		await page.addInitScript(() => {
			const view = new EventTarget() as EventTarget & Record<string, number>;
			Object.assign(view, { width: 375, height: 740, offsetTop: 0, offsetLeft: 0, scale: 1 });
			Object.defineProperty(window, "visualViewport", { value: view });
		});
		const says = (now: Record<string, number>, event: string) =>
			page.evaluate(
				([values, type]) => {
					Object.assign(window.visualViewport as object, values);
					window.visualViewport?.dispatchEvent(new Event(type as string));
				},
				[now, event] as const,
			);
		await page.goto(`${demo.url}/studio.html`);
		await button(page).tap();
		await chatReady(page);
		await expect.poll(() => boxOf(panel(page))).toEqual({ x: 0, y: 0, width: 375, height: 740 });
		await says({ height: 420 }, "resize");
		await expect.poll(() => boxOf(panel(page))).toEqual({ x: 0, y: 0, width: 375, height: 420 });
		await says({ offsetTop: 60 }, "scroll");
		await expect.poll(() => boxOf(panel(page))).toEqual({ x: 0, y: 60, width: 375, height: 420 });
		// Two fingers that make the page larger are no keyboard.
		await says({ height: 200, offsetTop: 10, scale: 2 }, "resize");
		await expect.poll(() => boxOf(panel(page))).toEqual({ x: 0, y: 0, width: 375, height: 740 });
		await says({ height: 740, offsetTop: 0, scale: 1 }, "resize");
		await expect.poll(() => boxOf(panel(page))).toEqual({ x: 0, y: 0, width: 375, height: 740 });
	});
});
