/**
 * What the tests of `/embed.js` stand on: a desk with the client as it is written now, the demo site on another origin, a
 * server of pages that a test writes itself, and the words for looking at the button, the panel and the frame.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type DemoSite, serveDemoSite } from "../../demo-site/serve.js";
import { openTestDesk, type TestDesk, type TestDeskOptions } from "../desk.js";
import { closeBrowser, findings, frameAt, type Visit, visitors } from "./browser.js";
import { buildClient } from "./client.js";

let client: Awaited<ReturnType<typeof buildClient>>;
export let desk: TestDesk;
export let origin: string;
export let demo: DemoSite;
/** The same server under its number: a site that nobody allowed. */
export let unlisted: string;
/** A server of pages that a test writes itself. */
export let own: Awaited<ReturnType<typeof servePages>>;
const visits = visitors();
/** What the demo's slow page waits for: nothing, until a test holds it back. */
let slowness: (ms: number) => Promise<void> = async () => undefined;

/**
 * For the top of a test file: opens all of it before the tests and closes it after them; visitors leave after each. `options`: of the
 * desk. `unbroken`: no page of any test throws.
 */
export function useSite(options: TestDeskOptions = {}, { unbroken = false } = {}): void {
	beforeAll(async () => {
		client = await buildClient();
		desk = await openTestDesk({ ...options, clientDir: client.dir });
		// Under its name, so that it is of the demo's site though of another origin: what a browser keeps for a frame is then allowed.
		origin = (await desk.serve()).url.replace("127.0.0.1", "localhost");
		desk.config.publicUrl = origin;
		demo = await serveDemoSite({ port: 0, deskUrl: origin, wait: (ms) => slowness(ms) });
		unlisted = demo.sites.unlisted;
		own = await servePages();
		for (const site of [demo.url, own.url]) await desk.engine.owner.setSite("mira", site, "allowed");
	});
	afterEach(async () => {
		const gone = await visits.leave();
		if (unbroken) expect(gone.flatMap(({ errors }) => errors)).toEqual([]);
		await desk.engine.owner.changeSettings("mira", { guests: true });
	});
	afterAll(async () => {
		await closeBrowser();
		await demo.close();
		await own.close();
		await desk.close();
		await client.remove();
	});
}

/** Holds back what the demo's slow page is late with, until `go` is called. `late`: by how much each would be, milliseconds. */
export function holdBack(): { late: number[]; go(): void } {
	const late: number[] = [];
	let go = (): void => undefined;
	const gone = new Promise<void>((done) => {
		go = done;
	});
	slowness = (ms) => {
		late.push(ms);
		return gone;
	};
	return { late, go };
}

/** A visitor of this test. */
export const { arrive } = visits;
export const THEMES = ["light", "dark"] as const;
/** For visitors who look with axe: it is a script of ours in pages that let none in, and what fades in has no contrast of its own yet. */
export const LOOKED_AT = { bypassCSP: true, reducedMotion: "reduce" } as const;

/** Two visitors of this test who look with axe, side by side: one reads English, one Chinese. */
export async function inBoth(walk: (one: Visit, language: "en" | "zh") => Promise<void>): Promise<void> {
	const locales = { en: "en-US", zh: "zh-CN" } as const;
	await Promise.all((["en", "zh"] as const).map(async (to) => walk(await arrive({ ...LOOKED_AT, locale: locales[to] }), to)));
}

/** Looks with axe at the page that is open, in both themes: nothing serious, nothing critical. `what`: how a finding calls the page. */
export async function look(page: Page, what = page.url()): Promise<void> {
	for (const colorScheme of THEMES) {
		await page.emulateMedia({ colorScheme });
		expect.soft(await findings(page), `${what}, ${colorScheme}`).toEqual([]);
	}
}

/** The line, with more attributes. */
export const tag = (attributes = "") => `<script src="${origin}/embed.js" data-handle="mira" ${attributes} async></script>`;

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
export async function open(one: Visit, html: string, headers: Record<string, string> = {}, at = own.url): Promise<void> {
	own.put(html, headers);
	await one.page.goto(`${at}/`);
}
/** In the place of the chat: answers the hello, keeps what it hears, and says what the test wants. */
export const standIn = (one: Visit, answers = true) =>
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
export const says = async (page: Page, message: unknown) => {
	await expect.poll(() => framed(page).evaluate(() => "port" in self)).toBe(true);
	await framed(page).evaluate((m) => (self as unknown as { port: MessagePort }).port.postMessage(m), message);
};
export const heard = (page: Page) => framed(page).evaluate(() => (self as unknown as { heard: unknown[] }).heard);

export const button = (page: Page) => page.locator("earth-online button");
export const panel = (page: Page) => page.locator("earth-online .p");
export const chatReady = (page: Page) => page.locator("earth-online .r").first().waitFor({ state: "attached" });
/** The frame of the chat; throws where there is none. */
export const framed = (page: Page) => frameAt(page, `${origin}/@mira/embed`);
export const ours = (one: Visit) => one.requests.filter((url) => url.startsWith(origin)).map((url) => url.slice(origin.length));
export const warnings = (one: Visit) => one.console.filter((line) => line.includes("EarthOnline"));
export const isDark = (page: Page) =>
	page
		.locator("earth-online .w")
		.first()
		.evaluate((e) => e.classList.contains("d"));
