/** The chat on telephones and with input methods. A describe is a row that everybody must get. */
import type { CDPSession, FrameLocator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { arrive, box, demo, framed, log, openPage, say, useChat } from "./chat-place.js";

useChat();

const PHONE = { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** The chat over a page of the demo's, opened by a finger. */
async function openByTap(page: Page): Promise<FrameLocator> {
	await page.goto(`${demo.url}/studio.html`);
	await page.locator("earth-online button").first().tap();
	const chat = page.frameLocator("earth-online iframe");
	await box(chat).waitFor();
	return chat;
}

describe("M: phones: full screen, the panel as large as what is to be seen, safe areas, 16 px, no scrolling through", () => {
	it("fills the screen at a tap, is written in and closed by touch", async () => {
		const one = await arrive(PHONE);
		const chat = await openByTap(one.page);
		await expect.poll(() => one.page.locator("earth-online iframe").boundingBox()).toMatchObject({ x: 0, y: 0, width: 375, height: 740 });
		await box(chat).tap();
		await one.page.keyboard.type("hello");
		await chat.getByRole("button", { name: "Send" }).tap();
		await log(chat).getByText("You said: hello").waitFor();
		await chat.getByRole("button", { name: "Close the chat" }).tap();
		await one.page.locator("earth-online iframe").waitFor({ state: "hidden" });
	});

	it("does not put the keyboard up by itself, and does not zoom in", async () => {
		const one = await arrive(PHONE);
		await openByTap(one.page);
		const looks = await framed(one.page).evaluate(() => ({
			focused: document.activeElement?.localName,
			size: Number.parseFloat(getComputedStyle(document.querySelector("textarea") as HTMLElement).fontSize),
			viewport: document.querySelector("meta[name=viewport]")?.getAttribute("content"),
		}));
		expect(looks.focused).toBe("body");
		expect(looks.size).toBeGreaterThanOrEqual(16);
		expect(looks.viewport).toContain("viewport-fit=cover");
	});

	it("leaves the page behind where it is, wherever a finger goes in the chat, also at the end of what is said", async () => {
		const { page, context } = await arrive(PHONE);
		const devtools = await context.newCDPSession(page);
		/** A finger that goes up or down, from a point of the screen. */
		const swipe = async (y: number, distance: number): Promise<void> => {
			const touch = (type: "touchStart" | "touchMove" | "touchEnd", at?: number) =>
				devtools.send("Input.dispatchTouchEvent", { type, touchPoints: at === undefined ? [] : [{ x: 180, y: at }] });
			await touch("touchStart", y);
			for (let step = 1; step <= 10; step++) await touch("touchMove", y + (distance * step) / 10);
			await touch("touchEnd");
		};
		const scrolled = () => page.evaluate(() => Math.round(scrollY));
		await page.goto(`${demo.url}/studio.html`);
		const still = page.evaluate(() => new Promise<void>((done) => addEventListener("scrollend", () => done(), { once: true })));
		await swipe(500, -200);
		await still;
		expect(await scrolled()).toBeGreaterThan(100);
		const before = await scrolled();
		await page.locator("earth-online button").first().tap();
		const chat = page.frameLocator("earth-online iframe");
		// That such a finger scrolls what can be scrolled: the chat's own lines.
		for (const words of ["format", "format"]) await say(chat, words);
		await expect.poll(() => log(chat).locator("strong").count()).toBe(2);
		const lines = () => log(chat).evaluate((box) => box.scrollTop);
		const end = await lines();
		await swipe(300, 200);
		await expect.poll(lines).toBeLessThan(end);
		for (const [y, distance] of [
			[300, -600],
			[300, -600],
			[30, -400],
			[700, -400],
		] as const)
			await swipe(y, distance);
		await expect.poll(lines).toBe(end);
		expect(await scrolled()).toBe(before);
	});

	it.each(["as a page", "over a page"])("keeps clear of what the telephone's own shape covers, %s", async (where) => {
		const one = await arrive(PHONE);
		const devtools = await one.context.newCDPSession(one.page);
		const insets = { top: 47, bottom: 34, left: 20, right: 24 };
		await devtools.send("Emulation.setSafeAreaInsetsOverride", { insets });
		const chat = where === "as a page" ? await openPage(one.page) : await openByTap(one.page);
		const frame = where === "as a page" ? one.page.mainFrame() : framed(one.page);
		await chat.getByText("Online", { exact: true }).waitFor();
		const free = () =>
			frame.evaluate(() => {
				const of = (selector: string) => document.querySelector(selector)?.getBoundingClientRect() as DOMRect;
				const words = document.createRange();
				words.selectNodeContents(document.querySelector("footer") as Element);
				return {
					top: of(".head .face").top,
					left: Math.min(of(".head .face").left, of(".box").left),
					right: innerWidth - Math.max(of(".head .menu").right, of(".box").right),
					bottom: innerHeight - words.getBoundingClientRect().bottom,
				};
			});
		await expect.poll(async () => (await free()).top).toBeGreaterThanOrEqual(insets.top);
		const room = await free();
		for (const side of ["left", "right", "bottom"] as const) expect([side, room[side] >= insets[side]]).toEqual([side, true]);
	});

	it("follows a keyboard that takes half of the screen: the box stays in sight, and so does the newest word", async () => {
		const one = await arrive(PHONE);
		const chat = await openPage(one.page);
		for (let i = 0; i < 8; i++) await say(chat, `line ${i}`);
		await log(chat).getByText("You said: line 7").waitFor();
		await one.page.setViewportSize({ width: 375, height: 380 });
		const newest = log(chat).getByText("You said: line 7");
		await expect
			.poll(() =>
				newest.evaluate(
					(el) => el.getBoundingClientRect().bottom < (document.querySelector(".composer")?.getBoundingClientRect().top ?? 0),
				),
			)
			.toBe(true);
		expect(await box(chat).evaluate((el) => el.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
	});
});

/** Composes as an input method does. */
async function compose(devtools: CDPSession, ...texts: string[]): Promise<void> {
	for (const text of texts)
		await devtools.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
}

describe("M: input methods: Enter while composing never sends", () => {
	it.each([
		["pinyin", ["n", "ni", "ni h", "ni hao"], "你好"],
		["kana", ["k", "か", "かn", "かん"], "漢"],
		["hangul", ["ㅎ", "하", "한"], "한"],
	])("%s: the Enter that accepts sends nothing, the next one does", async (_, steps, text) => {
		const one = await arrive();
		const chat: Page = await openPage(one.page);
		const devtools = await one.context.newCDPSession(one.page);
		await chat.evaluate(() =>
			addEventListener("compositionend", ({ timeStamp }) => Reflect.set(self, "composed", timeStamp), { capture: true }),
		);
		await box(chat).focus();
		await compose(devtools, ...steps);
		expect(await box(chat).inputValue()).toBe(steps.at(-1));
		await devtools.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Process", code: "Enter", windowsVirtualKeyCode: 229 });
		await devtools.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 });
		expect(await log(chat).locator(".bubble").count()).toBe(0);
		await devtools.send("Input.insertText", { text });
		expect(await box(chat).inputValue()).toBe(text);
		expect(await log(chat).locator(".bubble").count()).toBe(0);
		// Safari's Enter comes right after a composition's end, and is the method's still: the next one is as late as a person's.
		await chat.waitForFunction(() => performance.now() - (Reflect.get(self, "composed") as number) > 60);
		await box(chat).press("Enter");
		await log(chat).getByText(`You said: ${text}`).waitFor();
		expect(await log(chat).locator(".bubble").count()).toBe(1);
	});
});
