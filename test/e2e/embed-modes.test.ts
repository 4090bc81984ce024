/** The modes of the tag in a real Chromium: button, an element of the site's own, pet, greeting, numbered embeds, live badges (EMB-2 to 5, 8, 9, 11). */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { arrive, button, chatReady, demo, desk, framed, isDark, open, origin, ours, own, panel, tag, useSite, warnings } from "./site.js";

useSite();

const pill = (page: Page) => page.locator("earth-online .c");
const badge = (query = "", words = "Chat with my agent") =>
	`<a href="${origin}/@mira/chat"><img src="${origin}/@mira/badge.svg${query}" alt="${words}"></a>`;

describe("button", () => {
	it.each([
		["small", 36, "Chat with my agent"],
		["medium", 40, "Chat with my agent@mira"],
		["large", 56, "MiraChat with my agent@mira"],
	])("is the badge drawn live where the line is pasted: %s, %i px high", async (size, height, words) => {
		const one = await arrive();
		await open(one, `<body><main>before ${tag(`data-mode="button" data-size="${size}"`)} after</main>`);
		await one.page.locator("main > script + earth-online").waitFor();
		expect((await pill(one.page).boundingBox())?.height).toBe(height);
		expect(
			await pill(one.page)
				.locator("> span")
				.last()
				.evaluate((e) => e.textContent),
		).toBe(words);
		expect(await pill(one.page).getAttribute("aria-label")).toBe("Chat with my agent, Mira");
		expect(await one.page.locator("earth-online .o").isVisible()).toBe(true);
		expect(await one.page.locator("earth-online .b").count()).toBe(0);
		expect(one.errors).toEqual([]);
	});

	it("costs the page two small files and one question before anybody clicks, in 5 KB, and stores nothing", async () => {
		const one = await arrive();
		let bytes = 0;
		one.page.on("response", async (answer) => {
			if (!answer.url().startsWith(origin)) return;
			const { responseBodySize } = await answer.request().sizes();
			bytes += responseBodySize;
		});
		await open(one, `<body>${tag('data-mode="button"')}`);
		await pill(one.page).waitFor();
		await one.page.waitForLoadState("networkidle");
		expect(ours(one)).toEqual(["/embed.js", "/embed/mira?mode=button", "/embed-button.js"]);
		expect(bytes).toBeGreaterThan(3_000);
		expect(bytes).toBeLessThan(6_500);
		expect(await one.page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 0, ""]);
	});

	it("follows the page's theme, speaks the tag's language, and opens the chat over the page, out of any box that would clip it", async () => {
		const one = await arrive();
		await open(
			one,
			`<html class="dark"><body><main style="transform:scale(1);overflow:hidden;height:60px">${tag('data-mode="button" data-lang="zh"')}</main>`,
		);
		await pill(one.page).waitFor();
		expect(await isDark(one.page)).toBe(true);
		expect(await pill(one.page).evaluate((e) => getComputedStyle(e).backgroundColor)).toBe("rgb(28, 25, 23)");
		expect(await pill(one.page).textContent()).toContain("与我的智能体聊天");
		await pill(one.page).click();
		await chatReady(one.page);
		await expect.poll(() => panel(one.page).boundingBox()).toEqual({ x: 868, y: 140, width: 392, height: 640 });
		expect(new URL(framed(one.page).url()).searchParams.get("mode")).toBe("button");
		// Nothing of ours stands beside it that would close it.
		await framed(one.page).locator(".shut").waitFor();
		await one.page.keyboard.press("Escape");
		await panel(one.page).waitFor({ state: "hidden" });
		expect(await one.page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className)).toContain("c ");
	});

	it("is never wider than its place: a long name or handle ends in an ellipsis, at 260 px as in the badge, and the face stays round", async () => {
		const name = "Wilhelmina Featherstonehaugh-Warburton";
		await desk.engine.owner.changeProfile("mira", { name });
		try {
			for (const [width, dir] of [
				[320, "ltr"],
				[375, "rtl"],
				[1440, "ltr"],
			] as const) {
				const one = await arrive({ viewport: { width, height: 700 } });
				await one.context.route(`${origin}/embed/mira*`, async (route) => {
					const answer = await route.fetch();
					await route.fulfill({ response: answer, json: { ...(await answer.json()), handle: "m".repeat(32) } });
				});
				const lines = ["large", "medium", "small"].map((size) => `<p>${tag(`id="${size}" data-mode="button" data-size="${size}"`)}</p>`);
				await open(
					one,
					`<html dir="${dir}"><meta name="viewport" content="width=device-width"><body style="margin:16px">${lines.join("")}<p>${badge("?size=large")}</p>`,
				);
				await expect.poll(() => pill(one.page).count()).toBe(4);
				const found = await pill(one.page).evaluateAll((all) =>
					all.map((pill) => {
						const { left, right } = pill.getBoundingClientRect();
						const face = (pill.querySelector(".h") as HTMLElement).getBoundingClientRect();
						const texts = [...pill.querySelectorAll<HTMLElement>("bdi,small")];
						return {
							whole: left >= 16 && right <= innerWidth - 16,
							round: face.width === face.height && [24, 28, 40].includes(face.width),
							longest: texts.every((text) => text.offsetWidth <= 260),
							// Whole in what clips it: else that would cut the ellipsis off.
							ends: texts.every((text) => {
								const [box, around] = [text, text.parentElement as HTMLElement].map((el) => el.getBoundingClientRect()) as [
									DOMRect,
									DOMRect,
								];
								return box.left >= around.left && box.right <= around.right && getComputedStyle(text).textOverflow === "ellipsis";
							}),
						};
					}),
				);
				expect([width, found]).toEqual([width, found.map(() => ({ whole: true, round: true, longest: true, ends: true }))]);
				expect(await one.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
				const cut = pill(one.page).first().locator("bdi");
				expect(await cut.evaluate((text) => text.scrollWidth > text.clientWidth)).toBe(true);
				await one.close();
			}
		} finally {
			await desk.engine.owner.changeProfile("mira", { name: "Mira" });
		}
	});

	it("stands as its badge does also on a page from right to left: face first, as much room at each end, the handle's sign before it", async () => {
		for (const dir of ["ltr", "rtl"]) {
			const one = await arrive();
			const lines = ["small", "medium", "large"].map((size) => `<p>${tag(`id="${size}" data-mode="button" data-size="${size}"`)}</p>`);
			await open(one, `<html dir="${dir}"><body>${lines.join("")}`);
			await expect.poll(() => pill(one.page).count()).toBe(3);
			const found = await pill(one.page).evaluateAll((all) =>
				all.map((pill) => {
					const placeOf = (node: Node, from?: number) => {
						const words = document.createRange();
						if (from === undefined) words.selectNodeContents(node);
						else {
							words.setStart(node, from);
							words.setEnd(node, from + 1);
						}
						return words.getBoundingClientRect();
					};
					const at = pill.getBoundingClientRect();
					const face = (pill.querySelector(".h") as HTMLElement).getBoundingClientRect();
					const handle = pill.querySelector("small:last-child")?.firstChild;
					return {
						room: [face.left - at.left, at.right - placeOf(pill.lastChild as Node).right].map(Math.round),
						inOrder: !handle || placeOf(handle, 0).left < placeOf(handle, 1).left,
					};
				}),
			);
			// What BADGE in server/site/badge.ts says, its edge within.
			const as = (...room: number[]) => ({ room, inOrder: true });
			expect([dir, found]).toEqual([dir, [as(6, 15), as(6, 17), as(8, 24)]]);
			await one.close();
		}
	});

	it("is readable on any accent", async () => {
		const one = await arrive();
		await open(one, `<body>${tag('data-mode="button" data-size="large" data-accent="#000"')}`);
		await pill(one.page).waitFor();
		const tried = Array.from({ length: 60 }, (_, i) => `#${((i * 279_470) % 0x1000000).toString(16).padStart(6, "0")}`);
		const worst = await one.page.evaluate(async (accents) => {
			const line = document.querySelector("script[data-handle]") as HTMLElement;
			const at = [...document.querySelectorAll("earth-online")].map((e) => e.shadowRoot?.querySelector(".c")).find(Boolean) as HTMLElement;
			const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
			/** What a screen shows of a colour, whatever it is written in. */
			const shown = (css: string) => {
				canvas.fillStyle = css;
				canvas.fillRect(0, 0, 1, 1);
				return [...canvas.getImageData(0, 0, 1, 1).data] as [number, number, number];
			};
			const light = (css: string) => {
				const [r, g, b] = shown(css)
					.map((n) => n / 255)
					.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as [number, number, number];
				return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
			};
			let least = 21;
			for (const accent of accents) {
				line.dataset.accent = accent;
				await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
				const { backgroundColor } = getComputedStyle(at);
				if (`${shown(backgroundColor).slice(0, 3)}` !== `${shown(accent).slice(0, 3)}`) return accent;
				for (const words of [at, ...at.querySelectorAll("small,bdi")]) {
					const [a, b] = [light(getComputedStyle(words).color), light(backgroundColor)].sort((x, y) => y - x) as [number, number];
					least = Math.min(least, a / b);
				}
			}
			return least;
		}, tried);
		expect(worst).toBeGreaterThanOrEqual(4.5);
	});
});

describe("data-selector", () => {
	it("opens the chat from the site's own elements, by pointer and key, also from those that come later, and shows no button", async () => {
		const one = await arrive();
		await open(one, `<body><a id="talk" class="talk" href="/elsewhere">Talk</a>${tag('data-selector=".talk"')}`);
		await one.page.locator("earth-online").waitFor({ state: "attached" });
		expect(await one.page.locator("earth-online button").count()).toBe(0);
		await one.page.locator("#talk").focus();
		await one.page.keyboard.press("Enter");
		await chatReady(one.page);
		await expect.poll(() => panel(one.page).isVisible()).toBe(true);
		expect(one.page.url()).toBe(`${own.url}/`);
		await one.page.keyboard.press("Escape");
		await panel(one.page).waitFor({ state: "hidden" });
		expect(await one.page.evaluate(() => document.activeElement?.id)).toBe("talk");
		await one.page.evaluate(() => {
			const late = document.createElement("button");
			late.className = "talk";
			late.id = "late";
			late.textContent = "Ask";
			// A page that keeps clicks to itself.
			late.addEventListener("click", (event) => event.stopPropagation());
			document.body.append(late);
		});
		await one.page.locator("#late").click();
		await panel(one.page).waitFor();
		expect(one.errors).toEqual([]);
	});

	it("shows no button with data-mode=button, and the corner's besides with data-mode=floating", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/selector.html`);
		await one.page.locator("earth-online").waitFor({ state: "attached" });
		expect(await one.page.locator("earth-online button").count()).toBe(0);
		await one.page.locator("#write").click();
		await panel(one.page).waitFor();
		const two = await arrive();
		await open(two, `<body><button id="talk">Talk</button>${tag('data-selector="#talk" data-mode="floating"')}`);
		await button(two.page).waitFor();
		await two.page.locator("#talk").click();
		await panel(two.page).waitFor();
	});

	it("says so where it is no selector", async () => {
		const one = await arrive();
		await open(one, `<body>${tag('data-selector="##x"')}`);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain('data-selector="##x" is not taken.');
		expect(one.errors).toEqual([]);
	});
});

describe("a numbered embed", () => {
	const numbered = (id: number, more = "") =>
		`<script src="${origin}/embed.js" data-handle="mira" data-embed="${id}" ${more} async></script>`;

	it("shows as its number says, whatever the line says besides; a change shows at the next load", async () => {
		const row = await desk.engine.owner.saveEmbed("mira", { mode: "button", theme: "dark", accent: "#a8532b" });
		const one = await arrive();
		await open(one, `<body>${numbered(row.number, 'data-mode="inline" data-theme="light" data-accent="#00ff00"')}`);
		await pill(one.page).waitFor();
		expect(await isDark(one.page)).toBe(true);
		expect(await pill(one.page).evaluate((e) => getComputedStyle(e).backgroundColor)).toBe("rgb(168, 83, 43)");
		await pill(one.page).click();
		await chatReady(one.page);
		const { searchParams } = new URL(framed(one.page).url());
		expect([searchParams.get("embed"), searchParams.get("theme"), searchParams.get("accent")]).toEqual([
			`${row.number}`,
			"dark",
			"#a8532b",
		]);
		expect(await framed(one.page).locator(".shut").count()).toBe(1);
		await desk.engine.owner.saveEmbed("mira", { theme: "light", accent: "" }, row.number);
		await one.page.reload();
		await pill(one.page).waitFor();
		expect(await isDark(one.page)).toBe(false);
		expect(await pill(one.page).evaluate((e) => getComputedStyle(e).backgroundColor)).toBe("rgb(255, 255, 255)");
	});

	it("shows nothing once it is deleted, and says so", async () => {
		const row = await desk.engine.owner.saveEmbed("mira", { mode: "floating" });
		await desk.engine.owner.deleteEmbed("mira", row.number);
		const one = await arrive();
		await open(one, `<body>${numbered(row.number)}`);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain(`${row.number}`);
		expect(await one.page.locator("earth-online").count()).toBe(0);
	});

	it("stands beside another of the corner, and one chat closes where the other opens", async () => {
		const [a, b] = [
			await desk.engine.owner.saveEmbed("mira", { mode: "floating" }),
			await desk.engine.owner.saveEmbed("mira", { mode: "floating" }),
		];
		const one = await arrive();
		await open(one, `<body>${numbered(a.number)}${numbered(b.number)}`);
		await expect.poll(() => button(one.page).count()).toBe(2);
		const places = async () =>
			(await Promise.all((await button(one.page).all()).map((each) => each.boundingBox()))).map((box) => box?.x).sort();
		expect(await places()).toEqual([1124, 1200]);
		await button(one.page).first().click();
		await expect.poll(() => one.page.locator("earth-online .x").count()).toBe(1);
		await button(one.page).last().click();
		await expect.poll(() => one.page.locator("earth-online").last().locator(".x").count()).toBe(1);
		expect(await one.page.locator("earth-online .x").count()).toBe(1);
	});
});

describe("badges on a page that also has the line", () => {
	it("become the live button, of the badge's size and language, and are badges again when the chat goes", async () => {
		const one = await arrive();
		const html = `<p id="a">${badge("?size=medium")}</p><p id="b">${badge("?size=large&lang=zh")}</p>`;
		await open(one, `<body>${html}<p><a href="${origin}/@mira/chat">A link</a> ${badge().replaceAll("@mira", "@other")}</p>${tag()}`);
		await expect.poll(() => pill(one.page).count()).toBe(2);
		const text = (id: string) => one.page.locator(`#${id} .c`).textContent();
		expect([await text("a"), await text("b")]).toEqual(["Chat with my agent@mira", "Mira与我的智能体聊天@mira"]);
		expect(await one.page.locator("#a > a").isVisible()).toBe(false);
		await one.page.locator("#a .c").click();
		await panel(one.page).waitFor();
		expect(one.context.pages()).toHaveLength(1);
		await one.page.evaluate(() => window.EarthOnline && "get" in window.EarthOnline && window.EarthOnline.get()?.destroy());
		expect(await one.page.locator("#a").innerHTML()).toBe(badge("?size=medium").replaceAll("&", "&amp;"));
		expect(await one.page.locator("earth-online").count()).toBe(0);
	});

	it("do so beside an element of the site's own with a shadow, which is none of ours", async () => {
		const one = await arrive();
		await open(
			one,
			`<body><p>${badge()}<site-icon></site-icon></p><script>customElements.define("site-icon", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).append("!"); } })</script>${tag()}`,
		);
		await pill(one.page).waitFor();
		expect(await one.page.locator("p > a").isVisible()).toBe(false);
		expect(await one.page.evaluate(() => [...(document.querySelector("p")?.children ?? [])].map((e) => e.localName))).toEqual([
			"a",
			"earth-online",
			"site-icon",
		]);
	});

	it("do so when they come later, go with what they stand in, and survive a router's copy of the page", async () => {
		const one = await arrive();
		await open(one, `<body><main></main>${tag()}`);
		await button(one.page).waitFor();
		expect(ours(one)).not.toContain("/embed-button.js");
		await one.page.evaluate((html) => {
			const range = document.createRange();
			document.querySelector("main")?.append(range.createContextualFragment(html));
		}, badge());
		await pill(one.page).waitFor();
		// What Turbo does: keeps a copy of the body, and puts it back.
		await one.page.evaluate(() => {
			const copy = document.body.cloneNode(true);
			document.body.replaceWith(document.createElement("body"));
			Reflect.set(self, "copy", copy);
		});
		await button(one.page).waitFor();
		expect(await pill(one.page).count()).toBe(0);
		await one.page.evaluate(() => document.body.replaceWith(Reflect.get(self, "copy")));
		await pill(one.page).waitFor();
		await one.page.locator("earth-online .b").waitFor();
		expect(await one.page.locator("earth-online").count()).toBe(2);
		expect(one.errors).toEqual([]);
	});
});
