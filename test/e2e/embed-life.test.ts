/** A chat's life on a page: destroyed at any moment, tags that come and go, attributes that change, calls that fail (widget.md, "For the site's owner"). */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Visit } from "./browser.js";
import { call, hold, keep } from "./embed-page.js";
import {
	arrive,
	button,
	chatReady,
	desk,
	framed,
	heard,
	open,
	origin,
	ours,
	own,
	panel,
	says,
	standIn,
	tag,
	useSite,
	warnings,
} from "./site.js";

useSite({}, { unbroken: true });

const kept = <T>(page: Page, body: string): Promise<T> => page.evaluate(`(async () => ${body})()`) as Promise<T>;
const DESTROYED = "The chat was destroyed.";
/** What Turbo and its like do: another body in place of this one. */
const swapBody = (page: Page, html = "") =>
	page.evaluate((inside) => {
		const body = document.createElement("body");
		body.append(document.createRange().createContextualFragment(inside));
		document.body.replaceWith(body);
	}, html);
/** A tag as a page's script makes it. */
const putTag = (page: Page, data: Record<string, string>, into = "body") =>
	page.evaluate(
		([src, attributes, place]) => {
			const script = document.createElement("script");
			script.src = src as string;
			for (const [name, value] of Object.entries(attributes as object)) script.dataset[name] = value;
			document.querySelector(place as string)?.append(script);
		},
		[`${origin}/embed.js`, { handle: "mira", ...data }, into] as const,
	);
const gone = async (one: Visit) => {
	await one.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	expect(await one.page.locator("earth-online").count()).toBe(0);
};

describe("destroy()", () => {
	it("is not undone by a handle that the page has kept", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body>${tag()}`);
		await button(one.page).click();
		await chatReady(one.page);
		await keep(one.page);
		await kept(one.page, "kept.destroy()");
		const before = ours(one).length;
		await kept(one.page, "(kept.hide(), kept.show(), kept.update({ theme: 'dark' }), window.EarthOnline.setTheme('dark'))");
		const calls = ["kept.open()", "kept.toggle()", "kept.send('Hello')", "kept.logout()", "kept.close()"];
		expect(await kept(one.page, `Promise.all([${calls.map((each) => `outcome(${each})`)}])`)).toEqual(calls.map(() => DESTROYED));
		expect(await kept(one.page, "(await kept.identify({ name: 'Ana' }), kept.destroy())")).toBeUndefined();
		await gone(one);
		expect(ours(one)).toHaveLength(before);
		expect(await one.page.evaluate("window.EarthOnline.get() === undefined")).toBe(true);
	});

	it("ends what had not begun: nothing is fetched for a handle that was never opened", async () => {
		const one = await arrive();
		await open(one, `<body>${tag()}`);
		await button(one.page).waitFor();
		await keep(one.page);
		expect(await kept(one.page, "(kept.destroy(), outcome(kept.open()))")).toBe(DESTROYED);
		await gone(one);
		expect(ours(one)).toEqual(["/embed.js", "/embed/mira"]);
	});

	it("while what opens the chat is on its way: tells whoever waits, and nothing shows when it comes", async () => {
		const one = await arrive();
		const file = await hold(one, "/embed-chat.js");
		await open(one, `<body>${tag()}`);
		await button(one.page).waitFor();
		await keep(one.page);
		await one.page.evaluate("void (self.opened = outcome(kept.open()))");
		await button(one.page).click();
		await expect.poll(file.asked).toBe(1);
		await kept(one.page, "kept.destroy()");
		expect(await kept(one.page, "self.opened")).toBe(DESTROYED);
		await file.go((route) => route.continue());
		await one.page.waitForLoadState("networkidle");
		await gone(one);
		expect(one.page.frames()).toHaveLength(1);
		expect(one.context.pages()).toHaveLength(1);
	});

	it("while that is about to fail: no tab opens, and nothing is said", async () => {
		const one = await arrive();
		const file = await hold(one, "/embed-chat.js");
		await open(one, `<body>${tag()}`);
		await button(one.page).click();
		await expect.poll(file.asked).toBe(1);
		await call(one.page, "chat.destroy()");
		await file.go((route) => route.abort());
		await one.page.waitForLoadState("networkidle");
		await gone(one);
		expect(one.context.pages()).toHaveLength(1);
		expect(warnings(one)).toEqual([]);
	});

	it("while the desk has not answered yet", async () => {
		const one = await arrive();
		const config = await hold(one, "/embed/mira");
		await open(one, `<body>${tag()}`);
		await expect.poll(config.asked).toBe(1);
		await keep(one.page);
		await one.page.evaluate("void (self.opened = outcome(kept.open()), kept.destroy())");
		expect(await kept(one.page, "self.opened")).toBe(DESTROYED);
		await config.go((route) => route.continue().catch(() => undefined));
		await one.page.waitForLoadState("networkidle");
		await gone(one);
		expect(warnings(one)).toEqual([]);
	});

	it("before there is a body for it", async () => {
		const one = await arrive();
		let release = (): void => undefined;
		const slow = new Promise<void>((done) => {
			release = done;
		});
		await one.context.route(`${own.url}/slow.js`, async (route) => {
			await slow;
			await route.fulfill({ contentType: "text/javascript", body: "" });
		});
		own.put(`<head>${tag().replace(" async", "")}<script src="/slow.js"></script></head><body><p>text</p>`, {});
		await one.page.goto(`${own.url}/`, { waitUntil: "commit" });
		await expect.poll(() => one.page.evaluate("window.EarthOnline?.get?.() !== undefined")).toBe(true);
		await expect.poll(() => ours(one)).toContain("/embed/mira");
		await keep(one.page);
		await one.page.evaluate("void (self.opened = outcome(kept.open()), kept.destroy())");
		expect(await kept(one.page, "self.opened")).toBe(DESTROYED);
		release();
		await one.page.locator("p").waitFor();
		await gone(one);
	});

	it("ends what watches for an inline chat to come near", async () => {
		const one = await arrive();
		await open(one, `<body><div style="height:3000px">far</div>${tag('data-mode="inline"')}`);
		await one.page.locator("earth-online").waitFor({ state: "attached" });
		await one.page.evaluate(() => {
			const host = document.querySelector("earth-online") as HTMLElement;
			(window.EarthOnline as unknown as { get(): { destroy(): void } }).get().destroy();
			document.body.prepend(host);
		});
		await one.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
		await one.page.waitForLoadState("networkidle");
		expect(ours(one)).not.toContain("/embed-chat.js");
	});
});

describe("M: several on a page, tags that routers bring and take away, Turbo and Astro swaps, StrictMode, destroy() leaves nothing", () => {
	it("Turbo: the body is swapped with another tag of the same, whose attributes are followed from then on", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body><main>one</main>${tag()}`);
		await button(one.page).click();
		await chatReady(one.page);
		for (const turn of [1, 2]) {
			await swapBody(one.page, `<main>page ${turn}</main>`);
			await putTag(one.page, {});
			await button(one.page).waitFor();
			await chatReady(one.page);
			expect(await one.page.locator("earth-online").count()).toBe(1);
			await one.page
				.locator("script[data-handle]")
				.evaluate((script, theme) => script.setAttribute("data-theme", theme), turn === 1 ? "dark" : "light");
			await expect.poll(() => one.page.locator("earth-online .w.d").count()).toBe(turn === 1 ? 1 : 0);
		}
		expect(ours(one).filter((path) => path.startsWith("/embed/"))).toEqual(["/embed/mira"]);
		expect(await call(one.page, "chat.state.open")).toBe(true);
	});

	it("Turbo: a copy of the page that was kept is put back, with what it held of ours", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body><main>one</main>${tag("data-greeting")}`);
		await button(one.page).click();
		await chatReady(one.page);
		await one.page.evaluate(() => Reflect.set(self, "copy", document.body.cloneNode(true)));
		await swapBody(one.page, "<main>two</main>");
		await button(one.page).first().waitFor();
		await one.page.evaluate(() => document.body.replaceWith(Reflect.get(self, "copy")));
		await button(one.page).first().waitFor();
		await chatReady(one.page);
		await expect.poll(() => one.page.locator("earth-online").count()).toBe(1);
		await one.page.locator("script[data-handle]").evaluate((script) => script.setAttribute("data-accent", "#a8532b"));
		await expect
			.poll(() =>
				button(one.page)
					.first()
					.evaluate((e) => getComputedStyle(e).borderTopColor),
			)
			.toBe("rgb(168, 83, 43)");
	});

	it("React's StrictMode: the tag that stays is the one whose attributes are followed", async () => {
		const one = await arrive();
		await open(one, `<body><div id="root"></div>`);
		await one.page.evaluate((src) => {
			const put = () => {
				const script = document.createElement("script");
				script.src = src;
				script.dataset.handle = "mira";
				document.getElementById("root")?.append(script);
				return () => script.remove();
			};
			put()();
			put();
		}, `${origin}/embed.js`);
		await button(one.page).waitFor();
		await one.page.locator("script[data-handle]").evaluate((script) => script.setAttribute("data-theme", "dark"));
		await one.page.locator("earth-online .d").waitFor({ state: "attached" });
		expect(await one.page.locator("earth-online").count()).toBe(1);
	});

	it("get() gives the chat of this page of the app, not the one that went with the page before", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body><main>${tag('data-mode="inline"')}</main>`);
		await chatReady(one.page);
		await keep(one.page);
		await one.page.evaluate(() => document.querySelector("main")?.replaceChildren());
		expect(await one.page.evaluate("window.EarthOnline.get() === undefined")).toBe(true);
		await putTag(one.page, { mode: "inline", theme: "dark" }, "main");
		await chatReady(one.page);
		expect(await kept(one.page, "[window.EarthOnline.get() !== kept, await outcome(kept.open())]")).toEqual([true, DESTROYED]);
		expect(await call(one.page, "(await chat.open(), chat.state.ready)")).toBe(true);
		expect(await one.page.locator("earth-online").count()).toBe(1);
	});

	it("comes again with a tag that an app keeps and puts back", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body><main>${tag('data-mode="inline"')}</main>`);
		await chatReady(one.page);
		await one.page.evaluate(() => {
			const script = document.querySelector("main script") as Element;
			script.remove();
			Reflect.set(self, "script", script);
			document.querySelector("earth-online")?.remove();
		});
		await gone(one);
		await one.page.evaluate(() => document.querySelector("main")?.append(Reflect.get(self, "script")));
		await one.page.locator("main earth-online .r").waitFor({ state: "attached" });
	});

	it("does not come back by a twin of the tag once it is destroyed", async () => {
		const one = await arrive();
		await open(one, `<body>${tag()}${tag()}`);
		await button(one.page).waitFor();
		await call(one.page, "chat.destroy()");
		await one.page.evaluate(() => document.body.append("more"));
		await one.page.addScriptTag({ url: `${origin}/embed.js` });
		await gone(one);
	});

	it("speaks to a frame that loads anew for whatever reason: send() waits for it, and what was unread is its own to say", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body>${tag()}`);
		await button(one.page).click();
		await chatReady(one.page);
		await says(one.page, { type: "unread", count: 3 });
		await expect.poll(() => call(one.page, "chat.state.unread")).toBe(3);
		await keep(one.page);
		// At once, before anything of ours has seen it.
		await one.page.evaluate(() => {
			document.body.replaceWith(document.createElement("body"));
			Reflect.set(self, "sent", Reflect.get(self, "kept").send("Hello?"));
		});
		expect(await call(one.page, "[chat.state.ready, chat.state.unread]")).toEqual([false, 0]);
		await kept(one.page, "self.sent");
		expect(await heard(one.page)).toContainEqual({ type: "send", text: "Hello?" });
		// A site's own code that gives the chat other colours.
		await call(one.page, "chat.update({ accent: '#a8532b' })");
		await expect.poll(() => framed(one.page).url()).toContain("a8532b");
		await call(one.page, 'chat.send("Still there?")');
		expect(await heard(one.page)).toContainEqual({ type: "send", text: "Still there?" });
	});
});

describe("attributes that change while a page lives", () => {
	it("mode and number stay what they were: the console says so, and nothing else happens", async () => {
		const row = await desk.engine.owner.saveEmbed("mira", { mode: "pet" });
		const one = await arrive();
		await standIn(one);
		await open(one, `<body>${tag()}`);
		await button(one.page).click();
		await chatReady(one.page);
		const address = framed(one.page).url();
		await call(one.page, `chat.update({ mode: "pet", embed: ${row.number} })`);
		await expect.poll(() => warnings(one)).toHaveLength(2);
		expect(warnings(one).join()).toMatch(/data-mode="pet" is not taken.*data-embed="\d+" is not taken/);
		await call(one.page, 'chat.update({ theme: "dark" })');
		await one.page.locator("earth-online .d").waitFor({ state: "attached" });
		expect(framed(one.page).url()).toBe(address);
		expect(await call(one.page, "chat.state.ready")).toBe(true);
		expect([warnings(one).length, ours(one).filter((path) => path === "/embed-pet.js")]).toEqual([2, []]);
	});

	it("language and size are followed, by button, pill, panel and frame", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body><main>${tag('data-mode="button" id="pill"')}</main>${tag()}`);
		const pill = one.page.locator("earth-online .c");
		await pill.waitFor();
		await one.page.locator("earth-online .b").click();
		await chatReady(one.page);
		const update = (id: string, what: string) => one.page.evaluate(`window.EarthOnline.get("${id}").update(${what})`);
		await update("pill", '{ lang: "zh", size: "large" }');
		await expect.poll(() => pill.textContent()).toBe("Mira与我的智能体聊天@mira");
		expect([(await pill.boundingBox())?.height, await pill.getAttribute("aria-label")]).toEqual([56, "与我的智能体聊天, Mira"]);
		await one.page.evaluate(() => document.querySelector("body > script[data-handle]")?.setAttribute("data-lang", "zh"));
		await expect.poll(() => one.page.locator("earth-online .b").getAttribute("aria-label")).toBe("与 Mira 聊天");
		expect(await panel(one.page).last().getAttribute("aria-label")).toBe("与 Mira 聊天");
		expect(await one.page.locator("earth-online iframe").getAttribute("title")).toBe("与 Mira 聊天");
		await expect.poll(() => new URL(framed(one.page).url()).searchParams.get("lang")).toBe("zh");
		expect(await one.page.locator("main > script + earth-online").count()).toBe(1);
	});

	it.each(["##", "a[", ":nope(", "p, ##"])("a selector that is none breaks nothing and is said once: %s", async (selector) => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body><button id="talk">Talk</button>${tag('data-selector="#talk, .also" data-mode="floating"')}`);
		await button(one.page).waitFor();
		await call(one.page, `chat.update({ selector: ${JSON.stringify(selector)} })`);
		await expect.poll(() => warnings(one)).toEqual([`warning: EarthOnline (mira): data-selector="${selector}" is not taken.`]);
		await one.page.mouse.move(10, 10);
		await one.page.mouse.move(300, 300, { steps: 5 });
		await one.page.locator("#talk").click();
		expect(await call(one.page, "chat.state.open")).toBe(false);
		await button(one.page).click();
		await panel(one.page).waitFor();
		await call(one.page, 'chat.update({ selector: "#talk" })');
		await button(one.page).click();
		await panel(one.page).waitFor({ state: "hidden" });
		await one.page.locator("#talk").click();
		await panel(one.page).waitFor();
		expect(warnings(one)).toHaveLength(1);
	});

	it.each([["2563eb"], ["red"], ["rgb(0 0 0)"], ["#12345"], ["var(--x)"]])(
		"an accent that is none is said, and the usual one is used: %s",
		async (accent) => {
			const one = await arrive();
			await open(one, `<body>${tag(`data-accent="${accent}" data-mode="button"`)}`);
			const pill = one.page.locator("earth-online .c");
			await pill.waitFor();
			const looks = () =>
				pill.evaluate((e) => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color, getComputedStyle(e).borderTopColor]);
			const usual = ["rgb(255, 255, 255)", "rgb(28, 25, 23)", "rgb(231, 229, 228)"];
			expect(await looks()).toEqual(usual);
			expect(warnings(one)).toHaveLength(1);
			expect(warnings(one)[0]).toContain(`data-accent="${accent}" is not known.`);
			await call(one.page, 'chat.update({ accent: "#000" })');
			await expect.poll(looks).not.toEqual(usual);
			await call(one.page, 'chat.update({ accent: "blue" })');
			await expect.poll(looks).toEqual(usual);
			expect(warnings(one)[1]).toContain('data-accent="blue" is not taken.');
		},
	);
});

describe("the queue of calls", () => {
	it("goes on behind one that fails, and says which words it failed with", async () => {
		const one = await arrive();
		await open(
			one,
			`<body><script>self.made = []; (self.EarthOnline ||= []).push(() => made.push(1), () => { throw new Error("Mine is broken."); }, (api) => made.push(typeof api.get));</script>${tag()}`,
		);
		await button(one.page).waitFor();
		expect(await one.page.evaluate("made")).toEqual([1, "function"]);
		expect(warnings(one)).toEqual(["warning: EarthOnline (embed.js): Error: Mine is broken."]);
	});
});
