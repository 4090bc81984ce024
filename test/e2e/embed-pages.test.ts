/** `/embed.js` on pages of every kind: strict, hostile, swapped, inline, dark; what frame and page say to each other; its API (EMB-3, 6, 7). */
import { describe, expect, it } from "vitest";
import {
	arrive,
	button,
	chatReady,
	demo,
	framed,
	heard,
	open,
	origin,
	ours,
	panel,
	says,
	standIn,
	tag,
	useSite,
	warnings,
} from "./site.js";

useSite();

describe("on pages of every kind", () => {
	it("works on a strict page: CSP, Trusted Types, cross-origin isolation", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/strict.html`);
		expect(await one.page.evaluate(() => crossOriginIsolated)).toBe(true);
		await button(one.page).click();
		await chatReady(one.page);
		expect(await one.page.locator("earth-online svg > *").count()).toBeGreaterThanOrEqual(7);
		expect([one.console, one.errors]).toEqual([[], []]);
	});

	it("works under a policy of nonces, in a browser that cannot construct style sheets", async () => {
		const one = await arrive();
		await one.page.addInitScript(() => Reflect.deleteProperty(globalThis, "CSSStyleSheet"));
		await open(one, `<body><script nonce="n1" src="${origin}/embed.js" data-handle="mira"></script>`, {
			"content-security-policy": `default-src 'none'; script-src 'nonce-n1'; style-src 'nonce-n1'; connect-src ${origin}; frame-src ${origin}`,
		});
		expect((await button(one.page).boundingBox())?.width).toBe(60);
		expect([one.console, one.errors]).toEqual([[], []]);
	});

	it("looks the same under hostile styles", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/hostile.html`);
		await button(one.page).click();
		await chatReady(one.page);
		await one.page.mouse.move(0, 0);
		await expect.poll(() => button(one.page).boundingBox()).toEqual({ x: 1200, y: 720, width: 60, height: 60 });
		await expect.poll(() => panel(one.page).boundingBox()).toEqual({ x: 868, y: 68, width: 392, height: 640 });
		const styles = await one.page
			.locator("earth-online iframe")
			.evaluate((f) => [getComputedStyle(f).width, getComputedStyle(f).opacity, getComputedStyle(f).filter]);
		expect(styles).toEqual(["390px", "1", "none"]);
	});

	it("is there once: a second tag, the script loaded again, a tag in the head, a module", async () => {
		const one = await arrive();
		await open(one, `<head>${tag().replace(" async", "")}</head><body>${tag()}<p>text</p>${tag("type=module")}`);
		await button(one.page).waitFor();
		await one.page.waitForLoadState("networkidle");
		await one.page.addScriptTag({ url: `${origin}/embed.js` });
		expect(await one.page.locator("earth-online").count()).toBe(1);
		expect(ours(one).filter((path) => path === "/embed/mira")).toHaveLength(1);
		expect(await one.page.evaluate(() => document.querySelector("earth-online")?.parentElement?.localName)).toBe("body");
	});

	it("finds its tag where the browser does not name the script", async () => {
		const one = await arrive();
		await open(one, `<body>${tag("type=module")}`);
		await button(one.page).waitFor();
		expect(one.errors).toEqual([]);
	});

	it("leaves other people's scripts alone", async () => {
		const one = await arrive();
		await one.context.route("https://other.example/**", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
		await open(
			one,
			`<body><script src="https://other.example/embed.js" data-handle="x"></script><script src="https://other.example/w.js" data-handle="y"></script>${tag()}`,
		);
		await button(one.page).waitFor();
		expect(await one.page.locator("earth-online").count()).toBe(1);
		expect(one.requests.filter((url) => url.includes("/embed/"))).toEqual([`${origin}/embed/mira`]);
	});

	it("stays where a router swaps the body, once and working", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/app.html`);
		await button(one.page).click();
		await chatReady(one.page);
		for (const title of ["At the wheel", "Drawing from plants"]) {
			await one.page.evaluate((text) => (location.hash = text), title === "At the wheel" ? "#wheel" : "#plants");
			await one.page.getByRole("heading", { name: title }).waitFor();
			await button(one.page).waitFor();
			expect(await one.page.locator("earth-online").count()).toBe(1);
		}
		await expect.poll(() => one.page.frames().filter((f) => f.url().startsWith(`${origin}/@mira/embed`)).length).toBe(1);
		expect(await panel(one.page).isVisible()).toBe(true);
	});

	it("says so where a tag names no desk, once, and shows what the page's other tag asks for", async () => {
		const one = await arrive();
		await open(one, `<body><script src="${origin}/embed.js" async></script>`);
		await expect.poll(() => warnings(one)).toEqual(["warning: EarthOnline (embed.js): The tag needs a data-handle."]);
		const two = await arrive();
		await open(
			two,
			`<body><script src="${origin}/embed.js"></script>${tag()}<script src="${origin}/embed.js" data-handle="mira"></script>`,
		);
		await button(two.page).waitFor();
		expect(warnings(two)).toHaveLength(1);
		expect([one.errors, two.errors]).toEqual([[], []]);
	});

	it("says so for every attribute whose value is not known, in one line, and shows the chat all the same", async () => {
		const one = await arrive();
		await open(one, `<body>${tag('data-theme="blue" data-accent="red" data-height="tall" data-lang="fr" data-z="top" data-foo="bar"')}`);
		await button(one.page).waitFor();
		expect(warnings(one)).toHaveLength(1);
		for (const name of ["theme", "accent", "height", "lang", "z"])
			expect(warnings(one)[0]).toMatch(new RegExp(`data-${name}="\\w+" is not known\\. Use `));
		// A place in the stack that is none leaves the chat on top.
		expect(await one.page.locator("earth-online").evaluate((host) => getComputedStyle(host).zIndex)).toBe("2147483000");
		expect(ours(one)).toContain("/embed/mira?theme=blue&accent=red&lang=fr&height=tall&z=top");
	});

	it("says so where a mode is not known, and shows the button", async () => {
		const one = await arrive();
		await open(one, `<body>${tag('data-mode="parrot"')}`);
		await button(one.page).waitFor();
		expect(warnings(one)).toEqual(['warning: EarthOnline (mira): data-mode="parrot" is not known. Use floating, pet, button or inline.']);
	});
});

describe("inline", () => {
	it("stands where the line is, loads when it comes near, and takes no focus", async () => {
		const one = await arrive();
		await open(
			one,
			`<body><input autofocus><div style="height:3000px">far</div><main>before ${tag('data-mode="inline" data-height="480" data-accent="#a8532b"')} after</main>`,
		);
		const place = one.page.locator("main > script + earth-online");
		await place.waitFor({ state: "attached" });
		await one.page.waitForLoadState("networkidle");
		expect(ours(one)).toEqual(["/embed.js", "/embed/mira?mode=inline&accent=%23a8532b&height=480"]);
		await one.page.evaluate(() => scrollTo(0, 2_200));
		await chatReady(one.page);
		expect((await panel(one.page).boundingBox())?.height).toBe(480);
		expect(new URL(framed(one.page).url()).searchParams.get("mode")).toBe("inline");
		expect(new URL(framed(one.page).url()).searchParams.get("accent")).toBe("#a8532b");
		expect(await one.page.evaluate(() => document.activeElement?.localName)).toBe("input");
		expect(await one.page.locator("earth-online button").count()).toBe(0);
	});

	it("goes with its place, and comes again with a new one", async () => {
		const one = await arrive();
		await open(one, `<body><main id="place">${tag('data-mode="inline"')}</main>`);
		await chatReady(one.page);
		await one.page.evaluate((src) => {
			document.getElementById("place")?.replaceChildren();
			const script = document.createElement("script");
			script.src = src;
			script.dataset.handle = "mira";
			script.dataset.mode = "inline";
			document.body.append(script);
		}, `${origin}/embed.js`);
		await one.page.locator("body > earth-online").waitFor({ state: "attached" });
		await chatReady(one.page);
		expect(await one.page.locator("earth-online").count()).toBe(1);
	});
});

describe("what the frame says", () => {
	it("puts the number of unread messages on the button and in its name, and the dot", async () => {
		const one = await arrive();
		await standIn(one);
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).hover();
		await chatReady(one.page);
		await says(one.page, { type: "unread", count: 3 });
		await expect.poll(() => button(one.page).getAttribute("aria-label")).toBe("Chat with Mira, 3 unread");
		expect(await one.page.locator("earth-online .n").textContent()).toBe("3");
		await says(one.page, { type: "online", online: false });
		await one.page.locator("earth-online .o").waitFor({ state: "hidden" });
		await says(one.page, { type: "unread", count: 0 });
		await expect.poll(() => button(one.page).getAttribute("aria-label")).toBe("Chat with Mira");
	});

	it("is told when it opens and closes, and not before", async () => {
		const one = await arrive();
		await standIn(one);
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).hover();
		await chatReady(one.page);
		await expect
			.poll(() => heard(one.page))
			.toEqual([
				{ type: "theme", theme: "light" },
				{ type: "viewport", fullScreen: false },
			]);
		await button(one.page).click();
		await expect.poll(async () => (await heard(one.page)).at(-1)).toEqual({ type: "open" });
		await button(one.page).click();
		await expect.poll(async () => (await heard(one.page)).at(-1)).toEqual({ type: "close" });
	});

	it("loads anew when it asks to, and speaks again", async () => {
		const one = await arrive();
		await standIn(one);
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).click();
		await chatReady(one.page);
		await framed(one.page).evaluate(() => Reflect.set(self, "old", true));
		await says(one.page, { type: "reload" });
		await expect
			.poll(() =>
				framed(one.page)
					.evaluate(() => "old" in self)
					.catch(() => true),
			)
			.toBe(false);
		await expect.poll(async () => (await heard(one.page)).at(-1)).toEqual({ type: "open" });
	});

	it("counts for nothing where it is none of its words, or comes from anybody else", async () => {
		const one = await arrive();
		await standIn(one);
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).click();
		await chatReady(one.page);
		for (const junk of [
			null,
			"close",
			{ type: "closed" },
			{ type: "unread", count: "9" },
			{ type: "unread", count: 1.5 },
			{ type: "online" },
			["close"],
			{ type: ["close"] },
		])
			await says(one.page, junk);
		await one.page.evaluate(() => postMessage({ type: "close" }, "*"));
		await framed(one.page).evaluate(() => parent.postMessage({ type: "close" }, "*"));
		await says(one.page, { type: "unread", count: 2 });
		await expect.poll(() => button(one.page).getAttribute("aria-label")).toBe("Chat with Mira, 2 unread");
		expect(await panel(one.page).isVisible()).toBe(true);
		expect(one.errors).toEqual([]);
	});
});

describe("window.EarthOnline", () => {
	it("opens, closes, hides, says what happens, also to calls made before the script came", async () => {
		const one = await arrive();
		await standIn(one);
		await open(
			one,
			`<body><script>
				self.seen = [];
				addEventListener("earthonline:open", (event) => seen.push("dom open " + event.target.localName));
				(self.EarthOnline ||= []).push((api) => {
					const chat = api.get("mira");
					self.off = chat.on("open", () => seen.push("open"));
					chat.on("unread", (count) => seen.push("unread " + count));
					chat.on("close", () => seen.push("close"));
					chat.open();
				});
			</script>${tag('id="corner"')}`,
		);
		await panel(one.page).waitFor();
		await chatReady(one.page);
		await says(one.page, { type: "unread", count: 1 });
		const seen = () => one.page.evaluate(() => Reflect.get(self, "seen"));
		await expect.poll(seen).toEqual(["open", "dom open earth-online", "unread 1"]);
		const call = (name: string) =>
			one.page.evaluate((n) => {
				const api = window.EarthOnline;
				const chat = api && "get" in api ? api.get("corner") : undefined;
				(Reflect.get(chat as object, n) as () => void)();
			}, name);
		await call("toggle");
		await panel(one.page).waitFor({ state: "hidden" });
		await one.page.evaluate(() => Reflect.get(self, "off")());
		await call("toggle");
		await panel(one.page).waitFor();
		await expect.poll(seen).toEqual(["open", "dom open earth-online", "unread 1", "close", "dom open earth-online"]);
		await call("hide");
		await button(one.page).waitFor({ state: "hidden" });
		await call("show");
		await button(one.page).waitFor();
		await panel(one.page).waitFor({ state: "hidden" });
	});

	it("leaves nothing behind when it is destroyed, and comes again only with a new tag", async () => {
		const one = await arrive();
		await open(one, `<body><p>text</p>${tag()}`);
		await button(one.page).click();
		await chatReady(one.page);
		await one.page.evaluate(() => window.EarthOnline && "get" in window.EarthOnline && window.EarthOnline.get()?.destroy());
		expect(await one.page.evaluate(() => document.documentElement.outerHTML)).toBe(
			`<html><head><title>A page</title></head><body><p>text</p>${tag().replace("async", 'async=""').replace("  ", " ")}</body></html>`,
		);
		expect(one.page.frames()).toHaveLength(1);
		await one.page.evaluate(() => {
			document.documentElement.className = "dark";
			document.body.replaceWith(document.createElement("body"));
		});
		await one.page.addScriptTag({ url: `${origin}/embed.js` });
		expect(await one.page.evaluate(() => window.EarthOnline && "get" in window.EarthOnline && window.EarthOnline.get())).toBeUndefined();
		expect(await one.page.locator("earth-online").count()).toBe(0);
		await one.page.evaluate((src) => {
			const script = document.createElement("script");
			script.src = src;
			script.dataset.handle = "mira";
			document.body.append(script);
		}, `${origin}/embed.js`);
		await button(one.page).waitFor();
		expect(one.errors).toEqual([]);
	});

	it("says nothing more once it is destroyed, though no chat had answered", async () => {
		const one = await arrive();
		await standIn(one, false);
		await one.page.clock.install();
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).click();
		await expect.poll(() => framed(one.page).evaluate(() => (self as unknown as { hellos?: number }).hellos ?? 0)).toBeGreaterThan(0);
		await one.page.evaluate(() => window.EarthOnline && "get" in window.EarthOnline && window.EarthOnline.get()?.destroy());
		await one.page.clock.runFor(10_000);
		expect([warnings(one), one.errors]).toEqual([[], []]);
	});

	it("stacks as the tag says", async () => {
		const one = await arrive();
		await open(one, `<body>${tag('data-z="50"')}`);
		await button(one.page).waitFor();
		expect(await one.page.locator("earth-online").evaluate((e) => getComputedStyle(e).zIndex)).toBe("50");
	});
});
