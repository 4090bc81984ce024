/**
 * Where no script runs (LINK-1 to 4), in a real browser with JavaScript off: a desk's page and its box, the answer and the private
 * link, badges as a page shows them, the guide. Everything in both languages and themes, on a phone and on a desk.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { Visit } from "./browser.js";
import { arrive, desk, inBoth, look, origin, useSite } from "./site.js";

useSite();
beforeAll(async () => {
	await desk.engine.owner.createOwner({ handle: "away", name: "Away" });
	await desk.engine.owner.changeSettings("away", { builtInAnswerer: false });
});

/** How far a page can be moved to the side. */
const overflow = ({ page }: Visit) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Asks with the box of the page that is open. */
async function askWithBox({ page }: Visit, words: string): Promise<void> {
	await page.locator(".box textarea").fill(words);
	await page.locator(".box button").click();
	await page.waitForURL(/\/ask\/eolf_/);
}

describe("every page", () => {
	it.each([375, 1440])(
		"has nothing serious and fits its window at %i px, in both themes and languages",
		async (width) => {
			await inBoth(async (one, language) => {
				const { page } = one;
				await page.setViewportSize({ width, height: 800 });
				const check = async () => {
					await look(page);
					expect(await overflow(one), page.url()).toBe(0);
				};
				const guide = ["/docs", "/docs/embed", "/docs/agents", "/docs/links"];
				for (const path of ["/@mira", "/@mira/ask", "/@example", ...guide, "/@mira/ask/eolf_none"]) {
					await page.goto(origin + path);
					await check();
				}
				await page.goto(`${origin}/@mira`);
				await askWithBox(one, `How long is ${"a very long word ".repeat(20)}${"x".repeat(200)}?`);
				await check();
				await page.goto(`${origin}/@away`);
				await askWithBox(one, `Are you there, ${language} ${width}?`);
				await check();
			});
		},
		120_000,
	);
});

describe("without a script", () => {
	it("a visitor asks from the desk's page, reads the answer, asks more, and reloads without asking again", async () => {
		const one = await arrive({ javaScriptEnabled: false });
		await one.page.goto(`${origin}/@mira`);
		await askWithBox(one, "How much is a mug?");
		await expect.poll(() => one.page.locator(".said p").allTextContents()).toEqual(["You said: How much is a mug?"]);
		const link = one.page.url();
		await one.page.locator(".box textarea").fill("And a bowl?");
		await one.page.locator(".box button").click();
		await expect.poll(() => one.page.locator(".said").count()).toBe(2);
		expect(one.page.url()).toBe(link);
		await one.page.reload();
		await one.page.goBack();
		await one.page.goForward();
		expect(await one.page.locator(".asked").count()).toBe(2);
		expect(one.errors).toEqual([]);
	});

	it("a question of the desk's own is tapped", async () => {
		const one = await arrive({ javaScriptEnabled: false });
		await one.page.goto(`${origin}/@mira`);
		await one.page.locator(".tries button").first().click();
		await one.page.waitForURL(/\/ask\/eolf_/);
		expect(await one.page.locator(".said p").textContent()).toBe("You said: What are your hours?");
	});

	it("the holder ends the private link with its button", async () => {
		const one = await arrive({ javaScriptEnabled: false });
		await one.page.goto(`${origin}/@mira/ask?q=${encodeURIComponent("to be ended")}`);
		await one.page.waitForURL(/\/ask\/eolf_/);
		const link = one.page.url();
		await one.page.locator("section form button").click();
		expect(await one.page.locator("h1").textContent()).toBe("The link has ended");
		expect((await one.page.goto(link))?.status()).toBe(404);
	});

	it("the private link is sent along as a referrer to nobody", async () => {
		const one = await arrive({ javaScriptEnabled: false });
		await one.page.goto(`${origin}/@mira/ask?q=referrer`);
		await one.page.waitForURL(/\/ask\/eolf_/);
		const referrers: (string | undefined)[] = [];
		one.page.on("request", (request) => referrers.push(request.headers().referer));
		await one.page.locator("pre a").click();
		await one.page.waitForLoadState();
		expect(referrers.filter(Boolean)).toEqual([]);
	});
});

describe("badges in a page", () => {
	it("show at their size, as SVG and as PNG of twice as many points", async () => {
		const one = await arrive();
		await one.page.goto(`${origin}/docs`);
		const sizes = await one.page.evaluate(async () => {
			const seen: Record<string, number[]> = {};
			for (const path of [
				"badge.svg",
				"badge.svg?size=medium",
				"badge.svg?size=large&lang=zh",
				"chat-badge.png",
				"chat-badge.png?size=medium",
				"chat-badge.png?size=large&lang=zh",
			]) {
				const image = new Image();
				image.src = `/@mira/${path}`;
				await image.decode();
				seen[path] = [image.naturalWidth, image.naturalHeight];
			}
			return seen;
		});
		expect(Object.values(sizes).map(([, height]) => height)).toEqual([36, 40, 56, 72, 80, 112]);
		for (const query of ["", "?size=medium", "?size=large&lang=zh"])
			expect(sizes[`chat-badge.png${query}`]?.[0]).toBe(2 * (sizes[`badge.svg${query}`]?.[0] ?? 0));
	});

	it("keep every word inside, whatever the name", async () => {
		const one = await arrive({ bypassCSP: true });
		const names = ["Mira", "林美的陶艺工作室", "عمر الخيام", "Maximilian Alexander von Hohenstein", "Mira 👩‍🎨🎨", "Мира Кузнецова"];
		for (const [i, name] of names.entries()) {
			await desk.engine.owner.createOwner({ handle: `named${i}`, name });
			for (const size of ["small", "medium", "large"]) {
				await one.page.goto(`${origin}/@named${i}/badge.svg?size=${size}`);
				const over = await one.page.evaluate(() => {
					const width = Number(document.documentElement.getAttribute("width"));
					return [...document.querySelectorAll("text")].map((text) => {
						const box = (text as SVGTextElement).getBBox();
						return width - (box.x + box.width);
					});
				});
				for (const room of over) expect(room, `${name} ${size}`).toBeGreaterThan(8);
			}
		}
	});

	it("may do nothing when they are opened by themselves", async () => {
		const one = await arrive();
		await one.page.goto(`${origin}/@mira/badge.svg`);
		expect(await one.page.evaluate(() => self.origin).catch(() => "null")).toBe("null");
	});
});
