/**
 * What the tests of `/embed.js` stand on: a desk with the client as it is written now, the demo site on another origin, a
 * server of pages that a test writes itself, and the words for looking at the button, the panel and the frame.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type DemoSite, serveDemoSite } from "../../demo-site/serve.js";
import { openTestDesk, type TestDesk } from "../desk.js";
import { closeBrowser, type Visit, visit } from "./browser.js";
import { buildClient } from "./client.js";

let client: Awaited<ReturnType<typeof buildClient>>;
export let desk: TestDesk;
export let origin: string;
export let demo: DemoSite;
/** The same server under its number: a site that nobody allowed. */
export let unlisted: string;
/** A server of pages that a test writes itself. */
export let own: Awaited<ReturnType<typeof servePages>>;
const visits: Visit[] = [];

/** For the top of a test file: opens all of it before the tests and closes it after them; visitors leave after each. */
export function useSite(): void {
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
}

/** A visitor of this test. */
export const arrive = async (options: Parameters<typeof visit>[0] = {}): Promise<Visit> => {
	const one = await visit(options);
	visits.push(one);
	return one;
};
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
export const framed = (page: Page) => {
	const frame = page.frames().find((f) => f.url().startsWith(`${origin}/@mira/embed`));
	if (!frame) throw new Error("There is no frame of the chat.");
	return frame;
};
export const ours = (one: Visit) => one.requests.filter((url) => url.startsWith(origin)).map((url) => url.slice(origin.length));
export const warnings = (one: Visit) => one.console.filter((line) => line.includes("EarthOnline"));
export const isDark = (page: Page) =>
	page
		.locator("earth-online .w")
		.first()
		.evaluate((e) => e.classList.contains("d"));
