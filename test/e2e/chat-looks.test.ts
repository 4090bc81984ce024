/** The looks of the chat for everybody: contrast on any accent, forced colours, motion, themes. A describe is a row that everybody must get. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { EXTENSIONS } from "../../shared/extensions.js";
import { png } from "../pictures.js";
import { arrive, between, box, contextId, desk, log, openPage, origin, say, turns, useChat } from "./chat-place.js";

useChat();

describe("M: 4.5:1 contrast on any accent; forced colours; reduced motion, in SVG files too", () => {
	/** Contrast of an element's words, or of what else a selector names, with what lies under them: WCAG 2.2. */
	const contrast = (at: Locator, under?: string): Promise<number> =>
		at.evaluate((el, under) => {
			const light = (text: string): number => {
				const [r = 0, g = 0, b = 0] = (text.match(/[\d.]+/g) ?? [])
					.map(Number)
					.map((n) => (n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4));
				return 0.2126 * r + 0.7152 * g + 0.0722 * b;
			};
			const isThere = (color: string): boolean => !/^rgba\(.*, 0\)$|^transparent$/.test(color);
			let ground = under ? getComputedStyle(el, under).backgroundColor : "transparent";
			for (let on: Element | null = el; !isThere(ground) && on; on = on.parentElement) ground = getComputedStyle(on).backgroundColor;
			const [a, b] = [light(getComputedStyle(el).color), light(ground)].sort((x, y) => y - x) as [number, number];
			return (a + 0.05) / (b + 0.05);
		}, under);

	it.each(["#ffff00", "#fafafa", "#111111", "#a8532b", "#00ff88"])("keeps 4.5:1 on the accent %s, in both themes", async (accent) => {
		for (const colorScheme of ["light", "dark"] as const) {
			const one = await arrive({ colorScheme, reducedMotion: "reduce" });
			const server = await between(one.page);
			const chat = await openPage(one.page, `?accent=${encodeURIComponent(accent)}`);
			await say(chat, "format");
			await log(chat).locator("strong", { hasText: "bold" }).waitFor();
			await log(chat).getByRole("button", { name: "Helpful", exact: true }).click();
			server.refuse(1);
			await say(chat, "not sent");
			await box(chat).fill("not sent yet");
			const places = {
				bubble: await contrast(log(chat).locator(".bubble").first()),
				send: await contrast(chat.locator(".send"), "::before"),
				link: await contrast(log(chat).getByRole("link", { name: "our shop" })),
				"try again": await contrast(log(chat).getByRole("button", { name: "Try again" })),
				thumb: await contrast(log(chat).locator('[aria-pressed="true"]')),
			};
			for (const [place, found] of Object.entries(places)) expect([colorScheme, place, found >= 4.5]).toEqual([colorScheme, place, true]);
			await one.close();
		}
	});

	it("shows edges, signs and where the keyboard is, where colours are forced", async () => {
		const one = await arrive({ forcedColors: "active", reducedMotion: "reduce" });
		const { page } = one;
		const server = await between(page);
		const chat = await openPage(page);
		await chat.getByRole("button", { name: "Add a picture" }).waitFor();
		/** What has no edge of its own: in forced colours every ground is the same, and a bubble or a button without one is only words. */
		const edgeless = (selectors: string[]) =>
			page.evaluate((selectors) => {
				const isDrawn = (style: CSSStyleDeclaration): boolean =>
					style.borderTopStyle !== "none" && Number.parseFloat(style.borderTopWidth) > 0 && !/^rgba\(.*, 0\)$/.test(style.borderTopColor);
				return selectors.filter((selector) => {
					const el = document.querySelector(selector);
					return !el || ![undefined, "::before"].some((part) => isDrawn(getComputedStyle(el, part)));
				});
			}, selectors);
		expect(await edgeless([".empty li button", ".box", ".send"])).toEqual([]);
		await say(chat, "format");
		await log(chat).locator("strong", { hasText: "bold" }).waitFor();
		await log(chat).getByRole("button", { name: "Helpful", exact: true }).click();
		await page.locator("input[type=file]").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: await png() });
		await chat.getByText("1 picture is ready to send").waitFor();
		expect(await edgeless([".bubble", ".prose .code", ".attached li", ".send"])).toEqual([]);
		// A thumb that is pressed is filled, not only coloured.
		const fills = await log(chat)
			.locator(".thumbs .icon")
			.evaluateAll((all) => all.map((icon) => getComputedStyle(icon).fill !== "none"));
		expect(fills).toEqual([true, false]);
		// Whatever has the keyboard has a ring around it, itself or the box it stands in.
		await chat.getByRole("button", { name: "Menu" }).focus();
		const rings: Record<string, boolean> = {};
		for (let i = 0; i < 14; i++) {
			await page.keyboard.press("Tab");
			const [name, isRinged] = await page.evaluate(() => {
				const at = document.activeElement as HTMLElement;
				const ringed = [at, at.closest(".box")].some((el) => {
					const style = el && getComputedStyle(el);
					return (
						style &&
						style.outlineStyle !== "none" &&
						Number.parseFloat(style.outlineWidth) >= 2 &&
						!/^rgba\(.*, 0\)$/.test(style.outlineColor)
					);
				});
				return [at === document.body ? "" : at.getAttribute("aria-label") || at.textContent || "", ringed] as const;
			});
			if (name === "") break;
			rings[name] = isRinged;
		}
		expect(Object.keys(rings)).toEqual(expect.arrayContaining(["Write to Mira", "Add a picture", "Send", "Copy", "Helpful"]));
		expect(Object.entries(rings).filter(([, isRinged]) => !isRinged)).toEqual([]);
		await chat.getByRole("button", { name: "Menu" }).click();
		expect(await edgeless([".items"])).toEqual([]);
		await page.keyboard.press("Escape");
		await server.cut(4403);
		await chat.getByText("This chat is not open here.").waitFor();
		expect(await edgeless([".closed button"])).toEqual([]);
	});

	it("does not move for those who asked for that: the chat in its states, and the files of the desk's pictures", async () => {
		/** What moves: an animation that takes time, by style, script or SVG's own elements. */
		const moving = (page: Page): Promise<string[]> =>
			page.evaluate(() => [
				...document
					.getAnimations()
					.filter((a) => Number(a.effect?.getComputedTiming().duration ?? 0) > 0)
					.map((a) => (a as CSSAnimation).animationName ?? "a transition"),
				...[...document.querySelectorAll("animate, animateMotion, animateTransform, set")].map((el) => el.localName),
			]);
		const states = async (page: Page): Promise<string[]> => {
			const server = await between(page);
			const chat = await openPage(page);
			const found = await moving(page);
			await say(chat, "think");
			await log(chat).locator(".dots").waitFor();
			found.push(...(await moving(page)));
			await expect.poll(() => contextId()).not.toBe("");
			const metadata = { [EXTENSIONS.ownerWait]: { waitingOn: "owner" } };
			const status = { state: "TASK_STATE_WORKING" as const };
			server.tell({ seq: server.seq() + 1, statusUpdate: { taskId: "another", contextId: contextId(), status, metadata } });
			await log(chat).getByText("Waiting for Mira").waitFor();
			found.push(...(await moving(page)));
			await chat.getByRole("button", { name: "Menu" }).click();
			found.push(...(await moving(page)));
			return found;
		};
		const still = await arrive({ reducedMotion: "reduce" });
		expect(await states(still.page)).toEqual([]);
		for (const path of ["/@mira/face.svg", "/@mira/badge.svg", "/icon.svg"]) {
			await still.page.goto(`${origin}${path}`);
			expect([path, await moving(still.page)]).toEqual([path, []]);
		}
		// For everybody else it does, and that is seen.
		turns.length = 0;
		const lively = await arrive({ reducedMotion: "no-preference" });
		expect(await states(lively.page)).toEqual(expect.arrayContaining(["breathe"]));
		const animated = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"><animate attributeName="r" to="5" dur="1s"/></circle></svg>';
		await lively.page.goto(`data:image/svg+xml,${encodeURIComponent(animated)}`);
		expect(await moving(lively.page)).toEqual(["animate"]);
	});
});

describe("M: themes: the same color-scheme for element and document before the first paint", () => {
	it.each(["light", "dark"] as const)("stands in %s from the document's first byte on, whatever the system says", async (theme) => {
		const one = await arrive({ colorScheme: theme === "dark" ? "light" : "dark" });
		const html = await (await fetch(`${origin}/@mira/chat?theme=${theme}`)).text();
		expect(html).toContain(`<meta name="color-scheme" content="${theme}">`);
		const chat = await openPage(one.page, `?theme=${theme}`);
		expect(await chat.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe(theme);
	});
});

describe("M: what lies on the panel is parted from it, and an empty box is one line", () => {
	it("shows the way to the newest line by an edge of 1.45:1 at least and by a ground of its own, and the menu by such an edge, in both themes", async () => {
		for (const colorScheme of ["light", "dark"] as const) {
			const one = await arrive({ colorScheme, viewport: { width: 400, height: 500 }, reducedMotion: "reduce" });
			const chat = await openPage(one.page);
			await say(chat, "format");
			await log(chat).locator("strong", { hasText: "bold" }).waitFor();
			await log(chat).evaluate((box) => {
				box.scrollTop = 0;
			});
			const looks = (selector: string) =>
				chat.locator(selector).evaluate((el) => {
					const light = (text: string): number => {
						const [r = 0, g = 0, b = 0] = (text.match(/[\d.]+/g) ?? []).map((n) => (Number(n) / 255) ** 2.2);
						return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
					};
					const { borderTopColor, backgroundColor } = getComputedStyle(el);
					const panel = getComputedStyle(document.querySelector(".chat") as Element).backgroundColor;
					const [a, b] = [light(borderTopColor), light(panel)].sort((x, y) => y - x) as [number, number];
					return { edge: a / b >= 1.45, ground: backgroundColor !== panel };
				});
			expect([colorScheme, await looks(".newest")]).toEqual([colorScheme, { edge: true, ground: true }]);
			await chat.getByRole("button", { name: "Menu" }).click();
			expect([colorScheme, await looks(".items")]).toMatchObject([colorScheme, { edge: true }]);
			await one.close();
		}
	});

	it("keeps an empty box one line high, whoever it is written to, and lets it grow with what is written", async () => {
		await desk.engine.owner.changeProfile("mira", { name: "Wilhelmina Featherstonehaugh-Warburton" });
		try {
			const one = await arrive({ viewport: { width: 320, height: 600 } });
			const chat = await openPage(one.page);
			await chat.getByRole("heading", { name: /^Wilhelmina/, level: 1 }).waitFor();
			const height = () => box(chat).evaluate((el: HTMLElement) => el.offsetHeight);
			expect(await height()).toBe(44);
			expect(await box(chat).evaluate((el) => el.scrollHeight <= el.clientHeight)).toBe(true);
			// What does not fit fades, and nothing of what the visitor writes does.
			const fades = () => box(chat).evaluate((el) => getComputedStyle(el).maskImage !== "none");
			expect(await fades()).toBe(true);
			await box(chat).fill("words enough to need a second line in a box as narrow as this one is");
			expect([(await height()) > 60, await fades()]).toEqual([true, false]);
			await box(chat).fill("");
			expect(await height()).toBe(44);
		} finally {
			await desk.engine.owner.changeProfile("mira", { name: "Mira" });
		}
	});

	it("keeps what is pressed in a notice on one line, in Chinese too, and beside its words", async () => {
		for (const [lang, word] of [
			["en", "OK"],
			["zh", "好的"],
		] as const) {
			const one = await arrive({ viewport: { width: 320, height: 600 } });
			await one.page.addInitScript(() => Object.defineProperty(self, "localStorage", { get: () => null }));
			const chat = await openPage(one.page, `?lang=${lang}`);
			const lines = await chat.getByRole("button", { name: word, exact: true }).evaluate((button) => {
				const words = document.createRange();
				words.selectNodeContents(button);
				return new Set([...words.getClientRects()].map(({ top }) => top)).size;
			});
			expect([lang, lines]).toEqual([lang, 1]);
			await one.close();
		}
	});

	it("keeps a name beside its face, whichever way the name runs", async () => {
		await desk.engine.owner.changeProfile("mira", { name: "ميرا لين" });
		try {
			const one = await arrive();
			const chat = await openPage(one.page);
			const heading = chat.getByRole("heading", { level: 1 });
			await heading.getByText("ميرا").waitFor();
			const gap = await heading.evaluate((el) => {
				const words = document.createRange();
				words.selectNodeContents(el);
				return words.getBoundingClientRect().left - (document.querySelector(".head .face") as Element).getBoundingClientRect().right;
			});
			expect(Math.round(gap)).toBe(12);
		} finally {
			await desk.engine.owner.changeProfile("mira", { name: "Mira" });
		}
	});

	it("does not call a desk online in a chat that is shut", async () => {
		const one = await arrive();
		const server = await between(one.page);
		const chat = await openPage(one.page);
		await chat.getByText("Online", { exact: true }).waitFor();
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		await server.cut(4403);
		await chat.getByText("This chat is not open here.").waitFor();
		expect(await chat.locator(".presence").count()).toBe(0);
	});
});
