/** Every screen that the tag puts into a page before axe, in both themes and both languages: nothing serious, nothing critical (widget.md, "For everybody"). */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findings } from "./browser.js";
import { arrive, chatReady, open, origin, tag, useSite } from "./site.js";

useSite({}, { unbroken: true });

const WHERE = (["light", "dark"] as const).flatMap((colorScheme) => ["en-US", "zh-CN"].map((locale) => ({ colorScheme, locale })));

/** A page with nothing of its own to find, in the scheme of its visitor. */
const pageWith = (locale: string, inside: string) =>
	`<html lang="${locale}"><meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}</style><body><main><h1>A page</h1>${inside}</main>`;
const face = (page: Page) => page.locator("earth-online .b");
const badge = () => `<p><a href="${origin}/@mira/chat"><img src="${origin}/@mira/badge.svg" alt="Chat with my agent"></a></p>`;

const SCREENS: [name: string, inside: () => string, act: (page: Page) => Promise<void>, phone?: true][] = [
	[
		"the greeting",
		() => tag("data-greeting"),
		async (page) => {
			await page.clock.runFor(4_100);
			await page.locator("earth-online .g").waitFor();
		},
	],
	[
		"an opened chat",
		() => tag('data-accent="#a8532b"'),
		async (page) => {
			await face(page).click();
			await chatReady(page);
		},
	],
	[
		"a phone's screen, filled",
		() => tag(),
		async (page) => {
			await face(page).click();
			await chatReady(page);
		},
		true,
	],
	[
		"a pet with its chat",
		() => tag('data-mode="pet"'),
		async (page) => {
			await page.locator("earth-online .eyes").waitFor();
			await face(page).click();
			await chatReady(page);
		},
	],
	["an inline chat", () => tag('data-mode="inline"'), chatReady],
	[
		"buttons and a live badge",
		() =>
			`${tag('data-mode="button" data-size="large"')}${tag('data-mode="button" data-size="small" id="two" data-accent="#6f8f7c"')}${badge()}`,
		async (page) => expect.poll(() => page.locator("earth-online .c").count()).toBe(3),
	],
];

describe.each(WHERE)("axe finds nothing serious, $colorScheme, $locale", ({ colorScheme, locale }) => {
	it.each(SCREENS)("%s", async (_, inside, act, phone) => {
		// axe is a script of ours in a frame that lets none in; what fades in has no contrast of its own yet.
		const one = await arrive({
			colorScheme,
			locale,
			bypassCSP: true,
			reducedMotion: "reduce",
			...(phone ? { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true } : {}),
		});
		await one.page.clock.install();
		await open(one, pageWith(locale, inside()));
		await one.page.waitForLoadState("networkidle");
		await act(one.page);
		await one.page.clock.runFor(500);
		expect(await findings(one.page)).toEqual([]);
	});
});
