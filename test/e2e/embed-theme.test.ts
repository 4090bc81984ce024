/** Light and dark in a real Chromium: what of a page says which, live, for element and frame alike, and what that costs the page (EMB-7; widget.md, "Themes"). */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hold } from "./embed-page.js";
import { arrive, button, chatReady, demo, framed, isDark, open, standIn, tag, useSite } from "./site.js";

useSite({}, { unbroken: true });

const frameOf = (page: Page) => page.locator("earth-online iframe");
const schemeOf = (page: Page) => frameOf(page).evaluate((frame) => getComputedStyle(frame).colorScheme);
/** The theme that the frame was asked with. */
const asked = async (page: Page) => new URL((await frameOf(page).getAttribute("src")) as string).searchParams.get("theme");

describe("the theme", () => {
	it("follows the page live, in the button, the panel and the chat", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/kiln.html`);
		await button(one.page).click();
		await chatReady(one.page);
		expect(new URL(framed(one.page).url()).searchParams.get("theme")).toBe("dark");
		const schemes = async () => [
			await isDark(one.page),
			await one.page.locator("earth-online iframe").evaluate((f) => getComputedStyle(f).colorScheme),
			await framed(one.page).evaluate(() => getComputedStyle(document.documentElement).colorScheme),
		];
		await expect.poll(schemes).toEqual([true, "dark", "dark"]);
		await one.page.locator("#theme").click();
		await expect.poll(schemes).toEqual([false, "light", "light"]);
	});

	it.each([
		["its color-scheme before its class", '<html style="color-scheme:dark" class="light"><body>', true],
		["its color-scheme in a meta", '<meta name="color-scheme" content="dark"><body>', true],
		["its color-scheme in a meta before its class", '<html class="dark"><meta name="color-scheme" content="light"><body>', false],
		["its style before its meta", '<html style="color-scheme:dark"><meta name="color-scheme" content="light"><body>', true],
		["a meta of both being no answer", '<html class="dark"><meta name="color-scheme" content="light dark"><body>', true],
		["a class of the html", '<html class="site dark"><body>', true],
		["a class of the body", '<html><body class="dark">', true],
		["a data-theme", '<html data-theme="dark"><body>', true],
		["a class before the background", '<html class="light"><body style="background:#000">', false],
		["`light dark` being no answer", '<html style="color-scheme:light dark" class="dark"><body>', true],
		["a background", '<html><body style="background:rgb(20,18,16)">', true],
		["a background in oklch", '<html style="background:oklch(0.2 0.02 60)"><body>', true],
		["a background in lab", '<html><body style="background:lab(92 1 1)">', false],
		["a background in a wide gamut", '<html><body style="background:color(display-p3 0.1 0.1 0.1)">', true],
		["a background in a gamut with a number in its name", '<html><body style="background:color(rec2020 0.9 0.9 0.9)">', false],
		["a background that is not painted", '<html><body style="background:rgb(0 0 0 / 0)">', false],
		["a word that only looks like one", '<html class="darkroom"><body>', false],
	])("reads %s", async (_, html, dark) => {
		const one = await arrive({ colorScheme: "light" });
		await open(one, `${html}${tag()}`);
		await button(one.page).waitFor();
		expect(await isDark(one.page)).toBe(dark);
	});

	it("follows the system where the page says nothing, a background that fades, the tag, and the site's own word", async () => {
		const one = await arrive({ colorScheme: "dark" });
		await open(one, `<style>body{transition:background .2s}</style><body>${tag()}`);
		await button(one.page).waitFor();
		const dark = () => isDark(one.page);
		expect(await dark()).toBe(true);
		await one.page.emulateMedia({ colorScheme: "light" });
		await expect.poll(dark).toBe(false);
		await one.page.evaluate(() => document.body.style.setProperty("background", "#111"));
		await expect.poll(dark).toBe(true);
		await one.page.locator("script[data-handle]").evaluate((s) => s.setAttribute("data-theme", "light"));
		await expect.poll(dark).toBe(false);
		await one.page.evaluate(() => window.EarthOnline && "setTheme" in window.EarthOnline && window.EarthOnline.setTheme("dark"));
		expect(await dark()).toBe(true);
	});

	it("follows a meta that changes, comes and goes", async () => {
		const one = await arrive({ colorScheme: "light" });
		await open(one, `<meta name="color-scheme" content="light"><body>${tag()}`);
		await button(one.page).waitFor();
		const meta = (act: (of: HTMLMetaElement) => void) => one.page.locator("meta[name=color-scheme]").evaluate(act);
		expect(await isDark(one.page)).toBe(false);
		await meta((of) => of.setAttribute("content", "dark"));
		await expect.poll(() => isDark(one.page)).toBe(true);
		await meta((of) => of.remove());
		await expect.poll(() => isDark(one.page)).toBe(false);
		await one.page.evaluate(() => {
			const another = document.createElement("meta");
			another.name = "color-scheme";
			another.content = "dark";
			document.head.append(another);
		});
		await expect.poll(() => isDark(one.page)).toBe(true);
		await meta((of) => of.setAttribute("content", "light"));
		await expect.poll(() => isDark(one.page)).toBe(false);
	});

	it("is the same for the frame's element and its document before the first paint: a frame on its way gets its address rewritten", async () => {
		const one = await arrive();
		const { page } = one;
		await open(one, `<html class="dark"><body>${tag()}`);
		const frame = await hold(one, "/@mira/embed");
		await button(page).click();
		await expect.poll(frame.asked).toBe(1);
		expect([await schemeOf(page), await asked(page)]).toEqual(["dark", "dark"]);
		await page.evaluate(() => {
			document.documentElement.className = "light";
		});
		await expect.poll(frame.asked).toBe(2);
		expect([await schemeOf(page), await asked(page)]).toEqual(["light", "light"]);
		await frame.go((route) => route.continue().catch(() => undefined));
		await chatReady(page);
		expect(
			await framed(page).evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.documentElement).colorScheme]),
		).toEqual(["light", "light"]);
		expect(framed(page).url()).toContain("theme=light");
		// One that is there is told, and keeps its address.
		await page.evaluate(() => {
			document.documentElement.className = "dark";
		});
		await expect.poll(() => framed(page).evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
		expect([await schemeOf(page), await asked(page)]).toEqual(["dark", "light"]);
	});

	it("costs a page that changes all the time one reading a frame for all its chats, and nothing is written", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body>${tag()}${tag('id="second"')}${tag('data-mode="inline"')}`);
		await expect.poll(() => one.page.locator("earth-online").count()).toBe(3);
		await chatReady(one.page);
		const [reads, writes] = (await one.page.evaluate(async () => {
			const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
			await frame();
			let reads = 0;
			let writes = 0;
			const read = window.getComputedStyle;
			window.getComputedStyle = (...of) => {
				reads++;
				return read(...of);
			};
			const watching = new MutationObserver((records) => {
				writes += records.length;
			});
			for (const host of document.querySelectorAll("earth-online"))
				for (const place of [host, host.shadowRoot as ShadowRoot])
					watching.observe(place, { attributes: true, childList: true, characterData: true, subtree: true });
			for (let i = 0; i < 10; i++) {
				document.body.append(`word ${i} `);
				await frame();
			}
			window.getComputedStyle = read;
			watching.disconnect();
			return [reads, writes];
		})) as [number, number];
		// Body and html, for the style and for the background.
		expect(reads).toBeGreaterThan(0);
		expect(reads).toBeLessThanOrEqual(10 * 4);
		expect(writes).toBe(0);
	});
});
