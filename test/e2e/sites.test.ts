/**
 * Which pages a browser lets frame the chat (SITE-2; reliability.md F9, F11 and 17 to 19): every nesting that a stranger
 * might try, in a real Chromium. The document says who may; nothing here runs our script.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDesk, type TestDesk } from "../desk.js";
import { closeBrowser, type Visit, visit } from "./browser.js";
import { buildClient } from "./client.js";

let client: Awaited<ReturnType<typeof buildClient>>;
let desk: TestDesk;
let origin: string;
let folder: string;
let one: Visit;
/** One server of nested pages, under any name, on two ports. */
const servers: Server[] = [];
let ok: string;
let otherPort: string;
let evil: string;
let blocked: string;

const frame = (src: string, attributes = "") =>
	`<iframe src="${src.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}" ${attributes}></iframe>`;
/** A page of a site that holds some HTML. */
const page = (site: string, html: string) => `${site}/?${encodeURIComponent(html)}`;
const dataPage = (html: string) => `data:text/html,${encodeURIComponent(html)}`;
const srcdoc = (html: string, attributes = "") =>
	`<iframe srcdoc="${html.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}" ${attributes}></iframe>`;
/** The document of the chat, for a site that is claimed. */
const doc = (claimed: string) => `${origin}/@mira/embed?site=${encodeURIComponent(claimed)}`;

beforeAll(async () => {
	client = await buildClient();
	desk = await openTestDesk({ clientDir: client.dir });
	origin = (await desk.serve()).url;
	for (let i = 0; i < 2; i++) {
		const server = createServer((request, response) => {
			response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
			response.end(`<!doctype html><title>x</title>${decodeURIComponent((request.url ?? "").slice(2))}`);
		});
		await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
		servers.push(server);
	}
	const [port, other] = servers.map((server) => (server.address() as AddressInfo).port);
	ok = `http://localhost:${port}`;
	otherPort = `http://localhost:${other}`;
	evil = `http://evil.localhost:${port}`;
	blocked = `http://blocked.localhost:${port}`;
	await desk.engine.owner.setSite("mira", ok, "allowed");
	await desk.engine.owner.setSite("mira", blocked, "blocked");
	folder = mkdtempSync(join(tmpdir(), "pages-"));
	one = await visit();
});
afterAll(async () => {
	await closeBrowser();
	for (const server of servers) server.close();
	await desk.close();
	await client.remove();
	rmSync(folder, { recursive: true });
});

/** `chat`: the chat is there; `notice`: our page that says why not; `refused`: the browser shows nothing of ours. */
async function outcome(at: Page): Promise<"chat" | "notice" | "refused"> {
	const verdict = async () => {
		const frames = at.frames();
		const ours = frames.find((f) => f.url().startsWith(origin));
		// A frame whose address is already ours may yet be refused: what counts is what it holds.
		if (ours)
			return (await ours.locator("#app").count()) > 0 ? "chat" : (await ours.locator("main.quiet").count()) > 0 ? "notice" : undefined;
		return frames.some((f) => f.url().startsWith("chrome-error:")) ? "refused" : undefined;
	};
	await expect.poll(() => verdict().catch(() => undefined)).toBeDefined();
	return (await verdict()) as "chat" | "notice" | "refused";
}

describe("the document of the chat", () => {
	const vectors: [name: string, expected: "chat" | "notice" | "refused", address: () => string][] = [
		["its own site", "chat", () => page(ok, frame(doc(ok)))],
		["its own site, nested in itself", "chat", () => page(ok, frame(page(ok, frame(doc(ok)))))],
		["its own site, in a frame that takes its origin away", "chat", () => page(ok, frame(doc(ok), 'sandbox="allow-scripts"'))],
		["a stranger that claims to be the site", "refused", () => page(evil, frame(doc(ok)))],
		["a stranger that says who it is", "notice", () => page(evil, frame(doc(evil)))],
		["a stranger around the site", "refused", () => page(evil, frame(page(ok, frame(doc(ok)))))],
		["a stranger inside the site", "refused", () => page(ok, frame(page(evil, frame(doc(ok)))))],
		["a stranger between two pages of the site", "refused", () => page(ok, frame(page(evil, frame(page(ok, frame(doc(ok)))))))],
		["a stranger around one that was told no", "refused", () => page(ok, frame(page(evil, frame(doc(evil)))))],
		["the site on another port", "refused", () => page(otherPort, frame(doc(ok)))],
		["the site under its number", "refused", () => page(ok.replace("localhost", "127.0.0.1"), frame(doc(ok)))],
		["a name under the site's", "refused", () => page(ok.replace("localhost", "sub.localhost"), frame(doc(ok)))],
		["the site that claims to be a stranger", "refused", () => page(ok, frame(doc(evil)))],
		["a blocked site", "refused", () => page(blocked, frame(doc(blocked)))],
		["a blocked site that claims to be another", "refused", () => page(blocked, frame(doc(ok)))],
		["a page without an address", "refused", () => dataPage(frame(doc(ok)))],
		["a page without an address inside the site", "refused", () => page(ok, frame(dataPage(frame(doc(ok)))))],
		["a page written into a stranger", "refused", () => page(evil, srcdoc(frame(doc(ok))))],
		["a page written into the site without its origin", "refused", () => page(ok, srcdoc(frame(doc(ok)), 'sandbox="allow-scripts"'))],
		["a sandboxed page of the site", "refused", () => page(ok, frame(page(ok, frame(doc(ok))), 'sandbox="allow-scripts"'))],
		["a site with a path", "refused", () => page(ok, frame(doc(`${ok}/`)))],
		["a site in capitals", "refused", () => page(ok, frame(doc(ok.toUpperCase())))],
		["no site", "refused", () => page(ok, frame(`${origin}/@mira/embed`))],
		["a site and whatever would open the policy", "refused", () => page(evil, frame(doc(`${ok} *`)))],
		["the chat page, which nobody frames", "refused", () => page(ok, frame(`${origin}/@mira/chat`))],
		["a person's page, which nobody frames", "refused", () => page(ok, frame(`${origin}/@mira`))],
		[
			"a file",
			"refused",
			() => {
				const file = join(folder, "page.html");
				writeFileSync(file, `<!doctype html>${frame(doc(ok))}`);
				return pathToFileURL(file).href;
			},
		],
	];

	it("is tried in twenty ways or more", () => expect(vectors.length).toBeGreaterThanOrEqual(20));
	it.each(vectors)("framed by %s: %s", async (_, expected, address) => {
		await one.page.goto(address());
		expect(await outcome(one.page)).toBe(expected);
	});

	it("says how to reach the chat where its site takes its origin away, and only there", async () => {
		const shown = one.page.frameLocator("iframe");
		await one.page.goto(page(ok, frame(doc(ok), 'sandbox="allow-scripts"')));
		await shown.getByRole("link", { name: "Open in a tab" }).waitFor();
		expect(await shown.getByRole("link", { name: "Open in a tab" }).getAttribute("href")).toBe("/@mira/chat");
		await one.page.goto(page(ok, frame(doc(ok))));
		await shown.locator("main.chat").waitFor();
		expect(await shown.locator(".not-started").count()).toBe(0);
	});

	it("leaves no cookie behind, shown or refused", async () => expect(await one.context.cookies()).toEqual([]));
});
