/** `/embed.js` on pages of another origin, in a real Chromium, with the door, engine and store behind it (EMB-1, 3, 6, 7, 10; SITE-2). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../demo-site/serve.js";
import { openTestDesk, type TestDesk } from "../desk.js";
import { closeBrowser, type Visit, visit } from "./browser.js";
import { buildClient } from "./client.js";

let client: Awaited<ReturnType<typeof buildClient>>;
let desk: TestDesk;
let origin: string;
let demo: DemoSite;
/** The same server under its number: a site that nobody allowed. */
let unlisted: string;
/** A server of pages that a test writes itself. */
let own: Awaited<ReturnType<typeof servePages>>;
const visits: Visit[] = [];

beforeAll(async () => {
	client = await buildClient();
	desk = await openTestDesk({ clientDir: client.dir });
	// Under its name, so that it is of the demo's site though of another origin: what a browser keeps for a frame is then allowed.
	origin = (await desk.serve()).url.replace("127.0.0.1", "localhost");
	desk.config.publicUrl = origin;
	demo = await serveDemoSite({ port: 0, deskUrl: origin });
	unlisted = demo.url.replace("localhost", "127.0.0.1");
	own = await servePages();
	for (const site of [demo.url, own.url]) await desk.engine.owner.setSite("mira", site, "allowed");
});
afterEach(async () => {
	for (const one of visits.splice(0)) await one.close();
	await desk.engine.owner.changeSettings("mira", { guests: true });
});
afterAll(async () => {
	await closeBrowser();
	await demo.close();
	await own.close();
	await desk.close();
	await client.remove();
});

const arrive = async (options: Parameters<typeof visit>[0] = {}): Promise<Visit> => {
	const one = await visit(options);
	visits.push(one);
	return one;
};
const tag = (attributes = "") => `<script src="${origin}/embed.js" data-handle="mira" ${attributes} async></script>`;

/** One page, whatever a test makes of it, on a real server: a browser treats an answer that was made up differently. */
async function servePages() {
	let page = { html: "", headers: {} };
	const server = createServer((request, response) => {
		// A picture for the tab that is not there would be an error in the console.
		response.writeHead(request.url === "/" ? 200 : 204, { "content-type": "text/html; charset=utf-8", ...page.headers });
		response.end(request.url === "/" ? page.html : "");
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://localhost:${port}`,
		port,
		put(html: string, headers: Record<string, string>) {
			page = { html: `<!doctype html><title>A page</title>${html}`, headers };
		},
		close: () => new Promise<void>((done) => server.close(() => done())),
	};
}

/** Opens a page of a listed site with any text and headers. */
async function open(one: Visit, html: string, headers: Record<string, string> = {}, at = own.url): Promise<void> {
	own.put(html, headers);
	await one.page.goto(`${at}/`);
}
/** In the place of the chat: answers the hello, keeps what it hears, and says what the test wants. */
const standIn = (one: Visit, answers = true) =>
	one.context.route(`${origin}/assets/chat.js*`, (route) =>
		route.fulfill({
			contentType: "text/javascript",
			body: `self.heard = []; self.hellos = 0;
				addEventListener("message", (event) => {
					self.hellos++;
					if (${!answers} || self.port) return;
					self.port = event.ports[0];
					self.port.onmessage = ({ data }) => self.heard.push(data);
					self.port.postMessage({ type: "ready" });
				});`,
		}),
	);
/** Lets the stand-in say something. */
const says = async (page: Page, message: unknown) => {
	await expect.poll(() => framed(page).evaluate(() => "port" in self)).toBe(true);
	await framed(page).evaluate((m) => (self as unknown as { port: MessagePort }).port.postMessage(m), message);
};
const heard = (page: Page) => framed(page).evaluate(() => (self as unknown as { heard: unknown[] }).heard);

const button = (page: Page) => page.locator("earth-online button");
const panel = (page: Page) => page.locator("earth-online .p");
const chatReady = (page: Page) => page.locator("earth-online .r").waitFor({ state: "attached" });
const framed = (page: Page) => {
	const frame = page.frames().find((f) => f.url().startsWith(`${origin}/@mira/embed`));
	if (!frame) throw new Error("There is no frame of the chat.");
	return frame;
};
const ours = (one: Visit) => one.requests.filter((url) => url.startsWith(origin)).map((url) => url.slice(origin.length));
const warnings = (one: Visit) => one.console.filter((line) => line.includes("EarthOnline"));
const isDark = (page: Page) => page.locator("earth-online .w").evaluate((e) => e.classList.contains("d"));

describe("the button in the corner", () => {
	it("is the agent's face with its name, at least 44 px, at the bottom right, with a dot while it is online", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/studio.html`);
		const { page } = one;
		await button(page).waitFor();
		expect(await button(page).getAttribute("aria-label")).toBe("Chat with Mira");
		const box = await button(page).boundingBox();
		expect(box).toEqual({ x: 1280 - 20 - 60, y: 800 - 20 - 60, width: 60, height: 60 });
		expect(await page.locator("earth-online .o").isVisible()).toBe(true);
		await expect.poll(() => page.locator("earth-online img").evaluate((i: HTMLImageElement) => i.naturalWidth)).toBe(96);
		expect(one.errors).toEqual([]);
		expect(one.console).toEqual([]);
	});

	it("costs the page a script, one question and a picture, in 5 KB, before anybody clicks", async () => {
		const one = await arrive();
		let bytes = 0;
		one.page.on("response", async (answer) => {
			if (answer.url().startsWith(origin)) bytes += (await answer.request().sizes()).responseBodySize;
		});
		await one.page.goto(`${demo.url}/studio.html`);
		await one.page.locator("earth-online img").waitFor();
		await one.page.waitForLoadState("networkidle");
		expect(ours(one)).toEqual(["/embed.js", "/embed/mira", "/@mira/face.svg"]);
		expect(bytes).toBeGreaterThan(2_000);
		expect(bytes).toBeLessThan(5_500);
		expect(one.page.frames()).toHaveLength(1);
	});

	it("stores nothing, at the site or in its frame, before the visitor opens the chat", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).hover();
		await chatReady(one.page);
		for (const frame of one.page.frames()) {
			const kept = await frame.evaluate(async () => [
				localStorage.length,
				sessionStorage.length,
				document.cookie,
				(await indexedDB.databases()).length,
				(await caches.keys()).length,
			]);
			expect(kept).toEqual([0, 0, "", 0, 0]);
		}
		expect(await one.context.cookies()).toEqual([]);
	});

	it("loads the chat when a pointer rests on it, not when one passes by", async () => {
		const one = await arrive();
		await one.page.clock.install();
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).waitFor();
		await one.page.clock.pauseAt(new Date(Date.now() + 60_000));
		const pass = (type: string) => button(one.page).dispatchEvent(type);
		await pass("pointerenter");
		await one.page.clock.runFor(60);
		await pass("pointerleave");
		await one.page.clock.runFor(500);
		expect(await one.page.locator("earth-online iframe").count()).toBe(0);
		await pass("pointerenter");
		expect(await one.page.locator('head link[rel="preconnect"]').getAttribute("href")).toBe(origin);
		await one.page.clock.runFor(90);
		expect(await one.page.locator("earth-online iframe").count()).toBe(1);
		expect(await panel(one.page).isVisible()).toBe(false);
	});

	it("opens the chat over the page in a frame with a title and no secret in its address", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).click();
		await chatReady(one.page);
		const frame = one.page.locator("earth-online iframe");
		expect(await frame.getAttribute("title")).toBe("Chat with Mira");
		expect(await frame.getAttribute("allow")).toBe("clipboard-write");
		expect(framed(one.page).url()).toBe(`${origin}/@mira/embed?site=${encodeURIComponent(demo.url)}&theme=light&mode=floating`);
		expect(await panel(one.page).getAttribute("aria-label")).toBe("Chat with Mira");
		expect(await panel(one.page).evaluate((p) => [p.localName, p.matches(":modal")])).toEqual(["dialog", false]);
		await expect.poll(() => panel(one.page).evaluate((p) => getComputedStyle(p).opacity)).toBe("1");
		expect(await panel(one.page).boundingBox()).toEqual({ x: 1280 - 20 - 392, y: 800 - 92 - 640, width: 392, height: 640 });
		expect(await panel(one.page).evaluate((p) => [getComputedStyle(p).borderRadius, getComputedStyle(p).transitionDuration])).toEqual([
			"18px",
			"0.16s, 0.16s, 0.16s",
		]);
		expect(one.errors).toEqual([]);
	});

	it("takes the focus into the chat and Esc gives it back, from the frame and from the page", async () => {
		const one = await arrive();
		const { page } = one;
		await page.goto(`${demo.url}/studio.html`);
		const focused = () => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName);
		await button(page).focus();
		await page.keyboard.press("Enter");
		await chatReady(page);
		expect(await focused()).toBe("iframe");
		expect(await button(page).getAttribute("aria-expanded")).toBe("true");
		await expect.poll(() => framed(page).evaluate(() => document.hasFocus())).toBe(true);
		await page.keyboard.press("Escape");
		await panel(page).waitFor({ state: "hidden" });
		expect(await focused()).toBe("button");
		expect(await button(page).getAttribute("aria-expanded")).toBe("false");
		await page.keyboard.press("Enter");
		await panel(page).waitFor();
		await button(page).focus();
		await page.keyboard.press("Escape");
		await panel(page).waitFor({ state: "hidden" });
		expect(await focused()).toBe("button");
	});

	it("leaves Esc and the focus to the page where the page has them", async () => {
		const one = await arrive();
		await open(one, `<body><input autofocus>${tag()}`);
		await button(one.page).click();
		await chatReady(one.page);
		await one.page.locator("input").focus();
		await one.page.keyboard.press("Escape");
		expect(await panel(one.page).isVisible()).toBe(true);
		await button(one.page).evaluate(() => window.EarthOnline && "get" in window.EarthOnline && window.EarthOnline.get()?.close());
		await panel(one.page).waitFor({ state: "hidden" });
		expect(await one.page.evaluate(() => document.activeElement?.localName)).toBe("input");
	});

	it("does not move for those who asked for less motion, and is not printed", async () => {
		const one = await arrive({ reducedMotion: "reduce" });
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).waitFor();
		expect(await panel(one.page).evaluate((p) => getComputedStyle(p).transitionDuration)).toBe("0s");
		await one.page.emulateMedia({ media: "print" });
		expect(await button(one.page).isVisible()).toBe(false);
	});

	it("speaks Chinese to a Chinese browser and where the tag says so, and stands at the left of a page that reads from the right", async () => {
		const chinese = await arrive({ locale: "zh-CN" });
		await chinese.page.goto(`${demo.url}/studio.html`);
		expect(await button(chinese.page).getAttribute("aria-label")).toBe("与 Mira 聊天");
		const one = await arrive();
		await one.page.goto(`${demo.url}/zh.html`);
		expect(await button(one.page).getAttribute("aria-label")).toBe("与 Mira 聊天");
		await one.page.goto(`${demo.url}/rtl.html`);
		await button(one.page).waitFor();
		expect((await button(one.page).boundingBox())?.x).toBe(20);
	});

	it("shows the first letter of the name where the site lets no picture in", async () => {
		const one = await arrive();
		await open(one, `<body>${tag()}`, {
			"content-security-policy": `default-src 'none'; script-src ${origin}; connect-src ${origin}; frame-src ${origin}`,
		});
		await expect.poll(() => button(one.page).textContent()).toMatch(/^M/);
		expect(one.errors).toEqual([]);
	});
});

describe("on a phone", () => {
	it("fills the screen, is modal, and gives the page back", async () => {
		const one = await arrive({ viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true });
		const { page } = one;
		await standIn(one);
		await page.goto(`${demo.url}/studio.html`);
		await button(page).tap();
		await chatReady(page);
		await expect.poll(() => panel(page).boundingBox()).toEqual({ x: 0, y: 0, width: 375, height: 740 });
		expect(await panel(page).evaluate((p) => p.matches(":modal"))).toBe(true);
		expect(await heard(page)).toContainEqual({ type: "viewport", fullScreen: true });
		await says(page, { type: "close" });
		await panel(page).waitFor({ state: "hidden" });
		expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName)).toBe("button");
	});

	it("leaves the page's keyboard outside: what stands behind cannot be reached", async () => {
		const one = await arrive({ viewport: { width: 375, height: 740 } });
		const { page } = one;
		await page.goto(`${demo.url}/studio.html`);
		await button(page).click();
		await chatReady(page);
		for (let i = 0; i < 12; i++) {
			await page.keyboard.press("Tab");
			expect(await page.evaluate(() => ["EARTH-ONLINE", "BODY"].includes(document.activeElement?.tagName ?? ""))).toBe(true);
		}
	});
});

describe("where it may show", () => {
	it("shows nothing on a site that is not listed, and says once what to do", async () => {
		const one = await arrive();
		await one.page.goto(`${unlisted}/unlisted.html`);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain(`earthonline sites add mira ${unlisted}`);
		expect(await one.page.locator("earth-online").count()).toBe(0);
		expect(ours(one)).toEqual(["/embed.js", "/embed/mira"]);
		expect(one.console).toHaveLength(1);
		expect(await desk.engine.owner.sites("mira")).toContainEqual(expect.objectContaining({ rule: unlisted, state: "pending" }));
	});

	it("is refused by the browser where a stranger frames the document of a listed site, and says so inside a framed page", async () => {
		const one = await arrive();
		await one.page.goto(`${unlisted}/stranger.html`);
		await expect.poll(() => one.console.filter((line) => line.includes("frame-ancestors")).length).toBe(1);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain("inside another site's frame");
		const [claimed, studio] = one.page.frames().slice(1);
		expect(claimed?.url()).toBe("chrome-error://chromewebdata/");
		expect(studio?.url()).toBe(`${demo.url}/studio.html`);
		expect(await studio?.locator("earth-online").count()).toBe(0);
	});

	it.each([
		[
			"a blocked site",
			async () => void (await desk.engine.owner.setSite("mira", `http://blocked.localhost:${own.port}`, "blocked")),
			"mira",
			"blocked",
		],
		[
			"guests that are off",
			async () => void (await desk.engine.owner.changeSettings("mira", { guests: false })),
			"mira",
			"no questions from visitors",
		],
		["a handle that is no desk's", async () => undefined, "nobody", 'There is no desk "nobody"'],
	])("says so for %s", async (_, prepare, handle, words) => {
		await prepare();
		const one = await arrive();
		await open(one, `<body>${tag().replace("mira", handle)}`, {}, words === "blocked" ? `http://blocked.localhost:${own.port}` : own.url);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain(words);
		expect(await one.page.locator("earth-online").count()).toBe(0);
	});

	it("never breaks the page: a server that is away is one line", async () => {
		const one = await arrive();
		await one.context.route(`${origin}/embed/mira`, (route) => route.abort());
		await one.page.goto(`${demo.url}/studio.html`);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain("did not load");
		expect(one.errors).toEqual([]);
	});

	it("says where the chat is when no chat answers in the frame", async () => {
		const one = await arrive();
		await standIn(one, false);
		await one.page.clock.install();
		await one.page.goto(`${demo.url}/studio.html`);
		await button(one.page).click();
		await expect.poll(() => framed(one.page).evaluate(() => (self as unknown as { hellos?: number }).hellos ?? 0)).toBeGreaterThan(0);
		await one.page.clock.fastForward(6_000);
		await one.page.clock.runFor(6_000);
		const link = panel(one.page).locator("a");
		await link.waitFor();
		expect([await link.getAttribute("href"), await link.getAttribute("target")]).toEqual([`${origin}/@mira/chat`, "_blank"]);
		expect(warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain("frame-src");
	});
});

describe("on pages of every kind", () => {
	it("works on a strict page: CSP, Trusted Types, cross-origin isolation", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/strict.html`);
		expect(await one.page.evaluate(() => crossOriginIsolated)).toBe(true);
		await button(one.page).click();
		await chatReady(one.page);
		await expect
			.poll(() =>
				one.page
					.locator("earth-online img")
					.evaluate((i: HTMLImageElement) => i.naturalWidth)
					.catch(() => 0),
			)
			.toBe(96);
		expect([one.console, one.errors]).toEqual([[], []]);
	});

	it("works under a policy of nonces, in a browser that cannot construct style sheets", async () => {
		const one = await arrive();
		await one.page.addInitScript(() => Reflect.deleteProperty(globalThis, "CSSStyleSheet"));
		await open(one, `<body><script nonce="n1" src="${origin}/embed.js" data-handle="mira"></script>`, {
			"content-security-policy": `default-src 'none'; script-src 'nonce-n1'; style-src 'nonce-n1'; connect-src ${origin}; frame-src ${origin}; img-src ${origin}`,
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

	it("says so where a mode is not known, and shows the button", async () => {
		const one = await arrive();
		await open(one, `<body>${tag('data-mode="parrot"')}`);
		await button(one.page).waitFor();
		expect(warnings(one)).toEqual(['warning: EarthOnline (mira): data-mode="parrot" is not known. Use floating or inline.']);
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
		expect(ours(one)).toEqual(["/embed.js", "/embed/mira"]);
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
		["a class of the html", '<html class="site dark"><body>', true],
		["a class of the body", '<html><body class="dark">', true],
		["a data-theme", '<html data-theme="dark"><body>', true],
		["a class before the background", '<html class="light"><body style="background:#000">', false],
		["`light dark` being no answer", '<html style="color-scheme:light dark" class="dark"><body>', true],
		["a background", '<html><body style="background:rgb(20,18,16)">', true],
		["a background in oklch", '<html style="background:oklch(0.2 0.02 60)"><body>', true],
		["a background in lab", '<html><body style="background:lab(92 1 1)">', false],
		["a background in a wide gamut", '<html><body style="background:color(display-p3 0.1 0.1 0.1)">', true],
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
		expect(await panel(one.page).isVisible()).toBe(false);
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
