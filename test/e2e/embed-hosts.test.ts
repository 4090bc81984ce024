/** What the tag shows on pages that are strict, that shout, that are printed, and for those who chose their colours, in every mode (widget.md, "For the site's owner", "For everybody"). */
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type Box, boxOf } from "./embed-page.js";
import { arrive, chatReady, open, origin, panel, standIn, tag, useSite } from "./site.js";

useSite({}, { unbroken: true });

interface Shown {
	/** Attributes of the line. */
	line: string;
	/** What stands in the page before anybody clicks. */
	of(page: Page): Locator;
	/** Where it stands; undefined: where the page puts it. */
	at?: Box;
	size: [width: number | undefined, height: number];
}
const MODES: Record<string, Shown> = {
	floating: {
		line: "",
		of: (page) => page.locator("earth-online .b"),
		at: { x: 1200, y: 720, width: 60, height: 60 },
		size: [60, 60],
	},
	pet: {
		line: 'data-mode="pet"',
		of: (page) => page.locator("earth-online .b:has(.eyes)"),
		at: { x: 1188, y: 708, width: 76, height: 76 },
		size: [76, 76],
	},
	button: { line: 'data-mode="button" data-size="medium"', of: (page) => page.locator("earth-online .c"), size: [undefined, 40] },
	inline: { line: 'data-mode="inline" data-height="480"', of: (page) => page.locator("earth-online .p"), size: [undefined, 480] },
	greeting: { line: 'data-greeting="Hello there, ask me"', of: (page) => page.locator("earth-online .g"), size: [undefined, 46] },
};
const EVERY = Object.keys(MODES);
const shownAs = (mode: string) => MODES[mode] as Shown;

/** Opens a page with one mode on it, its greeting said. */
const show = async (mode: string, head = "", headers: Record<string, string> = {}, options: Parameters<typeof arrive>[0] = {}) => {
	const one = await arrive({ reducedMotion: "reduce", ...options });
	await standIn(one);
	await one.page.clock.install();
	await open(one, `${head}<body><p>text</p><main>${tag(shownAs(mode).line)}</main>`, headers);
	await one.page.locator("earth-online").first().waitFor({ state: "attached" });
	await one.page.waitForLoadState("networkidle");
	await one.page.clock.runFor(4_100);
	await shownAs(mode).of(one.page).waitFor();
	return one;
};

/** Every way in which sites get into other people's elements. */
const HOSTILE = `<style>
	html { font-size: 4px; letter-spacing: 9px; text-transform: uppercase; word-spacing: 2em; zoom: 1; }
	* , *::before, *::after { all: revert; margin: 9px !important; padding: 9px !important; max-width: 1px !important; font: 40px/2 serif !important;
		color: red !important; background: lime !important; border: 9px dotted red !important; transform: rotate(9deg) !important; opacity: .1 !important;
		filter: invert(1) !important; position: static !important; display: none !important; visibility: hidden !important; float: left !important; }
	earth-online { width: 1px !important; height: 1px !important; overflow: hidden !important; clip-path: inset(50%) !important; z-index: -1 !important; }
	html, body, main, p { display: block !important; visibility: visible !important; max-width: none !important; opacity: 1 !important; filter: none !important;
		transform: none !important; margin: 0 !important; padding: 0 !important; border: 0 !important; float: none !important; }
</style>`;
const LOOKS = [
	"fontSize",
	"letterSpacing",
	"textTransform",
	"color",
	"backgroundColor",
	"opacity",
	"filter",
	"borderTopWidth",
	"borderTopStyle",
	"visibility",
];
const looksOf = (at: Locator) =>
	at.evaluate((e, names) => {
		const style = getComputedStyle(e);
		return names.map((name) => Reflect.get(style, name));
	}, LOOKS);

describe("M: strict policies, print, a root of any size, the site's resets: nothing of the page gets in, in every mode", () => {
	it.each(EVERY)("looks as it does elsewhere under styles that shout: %s", async (mode) => {
		const { of, at, size } = shownAs(mode);
		const plain = await show(mode, "<style>body { margin: 0 }</style>");
		const usual = await looksOf(of(plain.page));
		const one = await show(mode, HOSTILE);
		expect(await looksOf(of(one.page))).toEqual(usual);
		const box = await boxOf(of(one.page));
		if (at) expect(box).toEqual(at);
		else expect(box.width).toBe((await boxOf(of(plain.page))).width);
		expect([size[0] ?? box.width, size[1]]).toEqual([box.width, box.height]);
		expect(await one.page.locator("p").evaluate((e) => getComputedStyle(e).fontFamily)).toBe("serif");
	});

	it.each(EVERY)("is not printed, open or not: %s", async (mode) => {
		const one = await show(mode);
		const printed = async () => {
			await one.page.emulateMedia({ media: "print" });
			const seen = await one.page.locator("earth-online *:visible").count();
			await one.page.emulateMedia({ media: "screen" });
			return seen;
		};
		expect(await one.page.locator("earth-online *:visible").count()).toBeGreaterThan(0);
		expect(await printed()).toBe(0);
		await one.page.evaluate("void window.EarthOnline.get().open()");
		await chatReady(one.page);
		expect(await panel(one.page).isVisible()).toBe(true);
		expect(await printed()).toBe(0);
	});

	it.each(EVERY)(
		"works under a strict policy with Trusted Types and cross-origin isolation, and the console stays empty: %s",
		async (mode) => {
			const one = await show(mode, "", {
				"content-security-policy": `default-src 'none'; script-src ${origin}; connect-src ${origin}; frame-src ${origin}; require-trusted-types-for 'script'; trusted-types 'none'`,
				"cross-origin-opener-policy": "same-origin",
				"cross-origin-embedder-policy": "require-corp",
			});
			expect(await one.page.evaluate(() => crossOriginIsolated)).toBe(true);
			await one.page.evaluate("void window.EarthOnline.get().open()");
			await chatReady(one.page);
			expect([one.console, one.errors]).toEqual([[], []]);
		},
	);
});

describe("colours of the visitor's own (forced colours)", () => {
	it("leave button, pill, greeting and panel their edges, and the dot its colour", async () => {
		const systems = (page: Page) =>
			page.evaluate(() => {
				const of = (name: string) => {
					const probe = document.createElement("i");
					probe.style.cssText = `color:${name};forced-color-adjust:none`;
					document.body.append(probe);
					const { color } = getComputedStyle(probe);
					probe.remove();
					return color;
				};
				return { button: of("ButtonText"), ground: of("ButtonFace"), text: of("CanvasText"), canvas: of("Canvas") };
			});
		const colours = (at: Locator) =>
			at.evaluate((e) => {
				const { color, backgroundColor, borderTopColor, borderTopWidth, borderTopStyle } = getComputedStyle(e);
				return {
					color,
					backgroundColor,
					edge: borderTopWidth !== "0px" && borderTopStyle === "solid" && borderTopColor !== backgroundColor,
				};
			});
		for (const mode of ["floating", "button", "greeting"]) {
			const one = await show(mode, "", {}, { forcedColors: "active" });
			const { page } = one;
			const system = await systems(page);
			const looks = await colours(shownAs(mode).of(page));
			expect([mode, looks.edge]).toEqual([mode, true]);
			if (mode === "button") expect([looks.color, looks.backgroundColor]).toEqual([system.button, system.ground]);
			if (mode !== "greeting")
				expect(await page.locator("earth-online .o").evaluate((e) => getComputedStyle(e).backgroundColor)).toBe("rgb(22, 163, 74)");
			await page.evaluate("void window.EarthOnline.get().open()");
			await chatReady(page);
			expect(await colours(panel(page))).toEqual({ color: system.text, backgroundColor: system.canvas, edge: true });
		}
	});
});
