/** The pet in a real Chromium: alive, dragged, docked, never in the way, still where it should be (EMB-4; widget.md, "Shape" 4). */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { apart, boxOf, inside } from "./embed-page.js";
import { arrive, chatReady, open, origin, ours, panel, standIn, tag, useSite } from "./site.js";

useSite();

const pet = (page: Page) => page.locator("earth-online .b");
const line = () => tag('data-mode="pet"');
const box = async (page: Page) => {
	const at = await pet(page).boundingBox();
	if (!at) throw new Error("There is no pet.");
	return at;
};
const at = async (page: Page) => {
	const { x, y } = await box(page);
	return [Math.round(x), Math.round(y)];
};
const awake = async (page: Page) => {
	await page.locator("earth-online svg .eyes").waitFor();
	await expect.poll(async () => (await at(page))[0]).toBe(1280 - 16 - 76);
};
const drag = async (page: Page, x: number, y: number) => {
	const from = await box(page);
	await page.mouse.move(from.x + 38, from.y + 38);
	await page.mouse.down();
	await page.mouse.move(from.x + 20, from.y + 20);
	await page.mouse.move(x, y, { steps: 4 });
	await page.mouse.up();
};

describe("the pet", () => {
	it("is the agent's own face on the page, with a name and a dot, and costs one file more", async () => {
		const one = await arrive();
		await open(one, `<body><p>text</p>${line()}`);
		await awake(one.page);
		expect(await at(one.page)).toEqual([1188, 800 - 16 - 76]);
		expect(await pet(one.page).getAttribute("aria-label")).toBe("Chat with Mira");
		expect(await one.page.locator("earth-online .o").isVisible()).toBe(true);
		expect(new Set(ours(one))).toEqual(new Set(["/embed.js", "/embed/mira?mode=pet", "/embed-pet.js"]));
		expect(await one.page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
		expect([one.console, one.errors]).toEqual([[], []]);
	});

	it("opens the chat beside itself by click and by key, and stays to be seen", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body>${line()}`);
		await awake(one.page);
		await pet(one.page).click();
		await chatReady(one.page);
		await expect.poll(() => panel(one.page).boundingBox()).toEqual({ x: 1280 - 104 - 392, y: 140, width: 392, height: 640 });
		expect(await one.page.locator("earth-online svg").isVisible()).toBe(true);
		await one.page.keyboard.press("Escape");
		await panel(one.page).waitFor({ state: "hidden" });
		await pet(one.page).focus();
		await one.page.keyboard.press("Enter");
		await panel(one.page).waitFor();
	});

	it("is dragged, docks at the nearer side, and a drag is no click", async () => {
		const one = await arrive();
		await open(one, `<body>${line()}`);
		await awake(one.page);
		await drag(one.page, 300, 300);
		await expect.poll(() => at(one.page)).toEqual([16, 262]);
		await drag(one.page, 900, 500);
		await expect.poll(async () => (await at(one.page))[0]).toBe(1188);
		expect(await one.page.locator("earth-online iframe, earth-online .x").count()).toBeLessThanOrEqual(1);
		expect(await panel(one.page).evaluate((p) => (p as HTMLDialogElement).open)).toBe(false);
	});

	it("goes back where it was when a drag is broken off, and moves by the arrow keys", async () => {
		const one = await arrive();
		await open(one, `<body>${line()}`);
		await awake(one.page);
		const before = await at(one.page);
		const from = await box(one.page);
		await one.page.mouse.move(from.x + 38, from.y + 38);
		await one.page.mouse.down();
		await one.page.mouse.move(600, 300, { steps: 3 });
		await pet(one.page).focus();
		await one.page.keyboard.press("Escape");
		await expect.poll(() => at(one.page)).toEqual(before);
		await one.page.mouse.up();
		await one.page.keyboard.press("ArrowUp");
		await expect.poll(() => at(one.page)).toEqual([1188, (before[1] ?? 0) - 32]);
		await one.page.keyboard.press("ArrowLeft");
		await expect.poll(() => at(one.page)).toEqual([16, (before[1] ?? 0) - 32]);
	});

	it("is never over inputs, the page's buttons or a cookie bar, also one that comes later", async () => {
		const one = await arrive();
		await open(
			one,
			`<body style="margin:0;height:2000px"><input style="position:absolute;right:10px;top:640px;width:200px;height:60px"><button style="position:absolute;right:0;top:560px;width:120px;height:50px">Buy</button>${line()}`,
		);
		await awake(one.page);
		await expect.poll(() => at(one.page)).toEqual([1188, 708]);
		await one.page.evaluate(() => {
			const bar = document.createElement("div");
			bar.textContent = "Cookies";
			bar.style.cssText = "position:fixed;left:0;right:0;bottom:0;height:90px;background:#eee";
			document.body.append(bar);
			dispatchEvent(new Event("resize"));
		});
		const clear = async () => {
			const me = await box(one.page);
			return one.page.evaluate(
				(m) =>
					[...document.querySelectorAll("input,button,div")].every((e) => {
						const r = e.getBoundingClientRect();
						return r.right <= m.x || r.left >= m.x + m.width || r.bottom <= m.y || r.top >= m.y + m.height;
					}),
				me,
			);
		};
		await expect.poll(clear).toBe(true);
		expect((await at(one.page))[1]).toBeLessThan(708);
	});

	it("looks at the pointer, and reads no layout while it does", async () => {
		const one = await arrive();
		await open(one, `<body>${line()}`);
		await awake(one.page);
		await one.page.evaluate(() => {
			Reflect.set(self, "reads", 0);
			const rect = Element.prototype.getBoundingClientRect;
			Element.prototype.getBoundingClientRect = function (this: Element) {
				Reflect.set(self, "reads", Reflect.get(self, "reads") + 1);
				return rect.call(this);
			};
			const points = document.elementsFromPoint;
			document.elementsFromPoint = (x, y) => {
				Reflect.set(self, "reads", Reflect.get(self, "reads") + 1);
				return points.call(document, x, y);
			};
		});
		const eyes = one.page.locator("earth-online .eyes");
		await one.page.mouse.move(200, 750);
		await expect.poll(() => eyes.evaluate((e) => new DOMMatrix((e as SVGElement).style.transform).e)).toBeLessThan(-3);
		const before = await one.page.evaluate(() => Reflect.get(self, "reads"));
		await one.page.mouse.move(1270, 100, { steps: 20 });
		await expect.poll(() => eyes.evaluate((e) => new DOMMatrix((e as SVGElement).style.transform).f)).toBeLessThan(-2);
		// What looks whether something has come under it may have run meanwhile, once: 25 points.
		expect((await one.page.evaluate(() => Reflect.get(self, "reads"))) - before).toBeLessThanOrEqual(25);
	});

	it("is still for those who asked for less motion, and while nobody sees the page", async () => {
		const one = await arrive({ reducedMotion: "reduce" });
		await open(one, `<body>${line()}`);
		await awake(one.page);
		const svg = one.page.locator("earth-online svg");
		expect(
			await svg.evaluate((e) => [getComputedStyle(e).animationName, getComputedStyle(e.querySelector(".lids") as Element).animationName]),
		).toEqual(["none", "none"]);
		await drag(one.page, 200, 300);
		// Two frames, not the third of a second that it takes otherwise.
		await one.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
		expect(await at(one.page)).toEqual([16, 262]);
		const two = await arrive();
		await open(two, `<body>${line()}`);
		await awake(two.page);
		await two.page.evaluate(() => {
			Object.defineProperty(document, "hidden", { value: true });
			document.dispatchEvent(new Event("visibilitychange"));
		});
		expect(await two.page.locator("earth-online svg").evaluate((e) => getComputedStyle(e).animationPlayState)).toBe("paused");
	});

	it("is the ordinary button where its file does not come", async () => {
		const one = await arrive();
		await one.context.route(`${origin}/embed-pet.js`, (route) => route.abort());
		await open(one, `<body>${line()}`);
		await pet(one.page).waitFor();
		expect((await box(one.page)).width).toBe(60);
	});

	it("is the face that its desk draws, whichever that is, without the square behind it, its eyes apart", async () => {
		const shapes = [
			["path", { d: "M0 0h96v96H0z", fill: "#fff" }],
			["circle", { cx: "48", cy: "48", r: "30", fill: "#888" }],
			["circle", { cx: "30", cy: "60", r: "5", fill: "#f00", opacity: ".5" }],
			["circle", { cx: "66", cy: "60", r: "5", fill: "#f00", opacity: ".5" }],
			["ellipse", { cx: "37", cy: "50", rx: "4", ry: "5", fill: "#000" }],
			["ellipse", { cx: "59", cy: "50", rx: "4", ry: "5", fill: "#000" }],
			["path", { d: "M40 70h16", stroke: "#000" }],
		];
		const one = await arrive();
		await one.context.route(`${origin}/embed/mira?mode=pet`, async (route) => {
			const response = await route.fetch();
			await route.fulfill({ response, json: { ...(await response.json()), face: shapes } });
		});
		await open(one, `<body>${line()}`);
		await awake(one.page);
		const all = await one.page
			.locator("earth-online svg *")
			.evaluateAll((es) => es.map((e) => [e.localName, e.getAttribute("class"), e.getAttribute("cx")].filter(Boolean).join(" ")));
		expect(all).toEqual(["circle 48", "circle 30", "circle 66", "g eyes", "g lids", "ellipse 37", "ellipse 59", "path"]);
	});

	it("stays in a window that becomes another: narrowed, lowered, turned, also with its chat open", async () => {
		const one = await arrive({ reducedMotion: "reduce" });
		await standIn(one);
		await open(one, `<meta name="viewport" content="width=device-width"><body>${line()}`);
		await awake(one.page);
		for (const [width, height] of [
			[900, 800],
			[375, 740],
			[740, 375],
			[1280, 800],
		] as const) {
			await one.page.setViewportSize({ width, height });
			await expect.poll(() => at(one.page)).toEqual([width - 16 - 76, height - 16 - 76]);
		}
		await pet(one.page).focus();
		await one.page.keyboard.press("ArrowLeft");
		await expect.poll(() => at(one.page)).toEqual([16, 708]);
		await one.page.setViewportSize({ width: 800, height: 600 });
		await expect.poll(() => at(one.page)).toEqual([16, 508]);
		await one.page.keyboard.press("ArrowRight");
		await expect.poll(() => at(one.page)).toEqual([708, 508]);
		await pet(one.page).click();
		await chatReady(one.page);
		await one.page.setViewportSize({ width: 700, height: 500 });
		await expect.poll(() => at(one.page)).toEqual([608, 408]);
		const chat = await boxOf(panel(one.page));
		expect([inside(one.page, chat), apart(chat, await box(one.page))]).toEqual([true, true]);
	});

	it("is held by one finger: a second one neither moves it nor lets it go", async () => {
		const one = await arrive({ hasTouch: true });
		await open(one, `<body>${line()}`);
		await awake(one.page);
		const cdp = await one.context.newCDPSession(one.page);
		const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...points: [id: number, x: number, y: number][]) =>
			cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([id, x, y]) => ({ id, x, y })) });
		const from = await box(one.page);
		const [x, y] = [from.x + 38, from.y + 38];
		await touch("touchStart", [1, x, y]);
		await touch("touchMove", [1, x - 20, y - 20]);
		await touch("touchMove", [1, 900, 400]);
		await expect.poll(() => at(one.page)).toEqual([862, 362]);
		await touch("touchStart", [1, 900, 400], [2, 100, 100]);
		await touch("touchMove", [1, 900, 400], [2, 60, 60]);
		await touch("touchMove", [1, 890, 410], [2, 200, 300]);
		await expect.poll(() => at(one.page)).toEqual([852, 372]);
		// The second finger goes.
		await touch("touchMove", [1, 880, 400]);
		await expect.poll(() => at(one.page)).toEqual([842, 362]);
		await touch("touchEnd");
		await expect.poll(() => at(one.page)).toEqual([1188, 362]);
		expect(await one.page.locator("earth-online .x").count()).toBe(0);
	});
});
