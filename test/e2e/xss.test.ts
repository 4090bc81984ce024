/**
 * T-XSS in a real Chromium, where the client draws: hundreds of payloads as the visitor's words, the agent's, as names, greetings and
 * lines of the console. Everything else in the chat is in xss-chat.test.ts, pages that the server writes in xss-pages.test.ts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { ALLOWED } from "../security/allowed.js";
import { inGroups, PAYLOADS } from "../security/payloads.js";
import type { Visit } from "./browser.js";
import {
	conversation,
	desks,
	faultsOf,
	hits,
	type Listening,
	listener,
	NAMES,
	nothingHappened,
	one,
	ownOf,
	quiet,
	ready,
	SITE,
	say,
	useDesks,
} from "./payload-desks.js";
import { client, DESK, page, soon, world } from "./world.js";

/** Messages in which all payloads are said. */
const BATCHES = 5;
/** Desks, and of them those whose chats are opened. */
const COUNT = 160;
const OPENED = 4;

useDesks(COUNT);

/** Some of every kind. */
const opened = () => desks.filter((_, i) => i % (COUNT / OPENED) === 20);

describe("payloads", () => {
	it("are four hundred or more", () => {
		expect(PAYLOADS.length).toBeGreaterThanOrEqual(400);
		expect(NAMES.length).toBeGreaterThanOrEqual(400);
		expect(opened().length).toBeGreaterThanOrEqual(OPENED - 1);
	});
});

describe("the chat", () => {
	it("shows the visitor's words and the agent's, as they come and as they were, as words", async () => {
		const { page: at } = one;
		await at.goto(`${DESK}/@mira/chat`);
		await ready(at);
		const own = await ownOf(at);
		await at.evaluate((allowed) => (self as unknown as Listening).watch(allowed), { ...ALLOWED, own });
		const batches = inGroups(PAYLOADS, BATCHES).map((group) => group.join("\n\n"));
		for (const [i, words] of batches.entries()) {
			await say(at, words);
			await quiet(at, i + 1);
			const shown = (await at.locator(".bubble").nth(i).textContent()) ?? "";
			expect(shown.replace(/\s/g, "")).toBe(words.replace(/[\s\0]/g, ""));
		}
		expect(await faultsOf(at, own)).toEqual([]);
		await at.reload();
		await quiet(at, BATCHES);
		expect(await faultsOf(at, own)).toEqual([]);
		expect(await at.locator(".prose img, .bubble *").count()).toBe(0);
		nothingHappened();
	});

	// Of every kind some, with the words that the product itself lets through; all of them are in xss-chat.test.ts.
	it("shows names, what they are about, suggestions and who takes over as words", async () => {
		const { page: at } = one;
		await at.goto(`${DESK}/@plain/chat`);
		await ready(at);
		const plain = await ownOf(at);
		for (const { handle, name } of opened()) {
			const own = plain.map((element) => element.replaceAll("/@plain/", `/@${handle}/`));
			await at.goto(`${DESK}/@${handle}/chat`);
			await at.evaluate((allowed) => (self as unknown as Listening).watch(allowed), { ...ALLOWED, own });
			await at.locator(".empty li button").first().waitFor();
			expect((await at.locator(".head h1").textContent())?.trim()).toBe(name.trim());
			expect(await faultsOf(at, own)).toEqual([]);
			for (const [i, words] of [`authorise ${PAYLOADS[i0(handle)]}`, `fail ${name}`].entries()) {
				await say(at, words);
				await soon(() => at.locator(".bubble").count()).toBe(i + 1);
				await soon(() => at.locator(".draft, .dots").count()).toBe(0);
			}
			await world.desk.engine.owner.takeMicrophone(handle, conversation);
			await soon(() => at.locator(".presence").textContent()).not.toContain("Online");
			expect(await faultsOf(at, own)).toEqual([]);
		}
		nothingHappened();
	}, 60_000);
});

/** The number in a handle. */
const i0 = (handle: string): number => Number(handle.slice(1));

describe("the line on a site", () => {
	/** What the server says to a line whose handle is `x<number>`: every word of it is the payload of that number, the hello those of a whole page. */
	async function answering(context: BrowserContext, greeting: string): Promise<void> {
		const config = (await (await world.desk.app.request("/embed/plain", { headers: { origin: SITE } })).json()) as object;
		await context.route(`${DESK}/embed/*`, (route) => {
			const handle = new URL(route.request().url()).pathname.split("/").at(-1) as string;
			const words = PAYLOADS[i0(handle)] as string;
			const json = { ...config, handle, name: words, help: words, greeting };
			return route.fulfill({ headers: { "access-control-allow-origin": "*" }, json });
		});
	}
	const bare = (text: string | null): string => (text ?? "").replace(/\s/g, "");
	/** What may stand in the script's own elements: they are styled where they stand, and hold a frame. */
	const allowed = {
		...ALLOWED,
		tags: `${ALLOWED.tags} iframe style`,
		attributes: `${ALLOWED.attributes} allow referrerpolicy style crossorigin nonce part`,
	};
	const faultsOfHosts = (at: Page): Promise<string[]> =>
		at.evaluate(
			(a) =>
				[...document.querySelectorAll("earth-online")].flatMap((host) =>
					(self as unknown as Listening).faultsIn(host.shadowRoot as Node, a),
				),
			allowed,
		);
	/** A page of tags, one for each payload of a group: half of them buttons in the text that bear the name, half in the corner. */
	async function standing(visitor: Visit, group: readonly string[]): Promise<Page> {
		const { page: at } = visitor;
		await answering(visitor.context, group.join(" "));
		await at.clock.install();
		const tags = group.map((words, n) => {
			const how = n % 2 ? 'data-mode="button" data-size="large"' : "data-greeting";
			return `<script src="${DESK}/embed.js" data-handle="x${PAYLOADS.indexOf(words)}" ${how}></script>`;
		});
		await at.goto(page(SITE, tags.join("")));
		await soon(() => at.locator("earth-online button").count(), { timeout: 20_000 }).toBeGreaterThanOrEqual(group.length);
		await at.clock.runFor(10_000);
		await at.locator("earth-online .g").first().waitFor();
		return at;
	}

	it("shows names, the greeting and what the server says as words", { timeout: 120_000 }, async () => {
		for (const group of inGroups(PAYLOADS, 8)) {
			const visitor = await listener();
			const at = await standing(visitor, group);
			const found = await at.evaluate(() =>
				[...document.querySelectorAll("earth-online")].flatMap((host) =>
					[...(host.shadowRoot?.querySelectorAll("button") ?? [])].map(
						(button) => [button.ariaLabel ?? "", button.textContent ?? ""] as const,
					),
				),
			);
			const [labels, texts] = [found.map(([label]) => bare(label)), found.map(([, text]) => bare(text))];
			for (const [n, words] of group.entries()) {
				expect(labels).toContain(bare(n % 2 ? `Chat with my agent, ${words}` : `Chat with ${words}`));
				if (n % 2) expect(texts.some((text) => text.startsWith(bare(words)))).toBe(true);
				const line = bare(`warning: EarthOnline (x${PAYLOADS.indexOf(words)}): ${words}`);
				expect(visitor.console.map(bare), words).toContain(line);
			}
			expect(texts).toContain(bare(group.join(" ")));
			expect(await faultsOfHosts(at)).toEqual([]);
			nothingHappened(visitor);
			await visitor.close();
		}
	});

	it("is found out when it takes words for HTML", async () => {
		const visitor = await listener();
		const script = readFileSync(join(client.dir, "embed.js"), "utf8");
		const wrong = `for (const host of document.querySelectorAll("earth-online")) for (const e of host.shadowRoot?.querySelectorAll("b, .g *") ?? []) if (!e.firstElementChild && e.textContent.includes("<")) e.innerHTML = e.textContent;`;
		await visitor.context.route(`${DESK}/embed.js`, (route) =>
			route.fulfill({ contentType: "text/javascript", body: `${script};setInterval(() => { ${wrong} }, 100)` }),
		);
		const at = await standing(visitor, inGroups(PAYLOADS, 8)[0] as string[]);
		await soon(() => hits, { timeout: 10_000 }).toContain("alert 1");
		expect((await faultsOfHosts(at)).join()).toContain("onerror");
		world.strays.length = 0;
		await visitor.close();
	});
});

describe("a chat that is not careful is found out", () => {
	afterEach(async () => {
		await one.context.unroute(`${DESK}/assets/chat.js*`);
		world.strays.length = 0;
	});

	it("when it takes words for HTML", async () => {
		const { page: at } = one;
		const script = readFileSync(join(client.dir, "assets/chat.js"), "utf8");
		const wrong = `for (const p of document.querySelectorAll(".prose:not([done])")) { p.setAttribute("done", ""); p.innerHTML = p.textContent; }`;
		await one.context.route(`${DESK}/assets/chat.js*`, (route) =>
			route.fulfill({
				contentType: "text/javascript",
				body: `${script};new MutationObserver(() => { ${wrong} }).observe(document, { subtree: true, childList: true });`,
			}),
		);
		await at.goto(`${DESK}/@plain/chat`);
		await ready(at);
		const own = await ownOf(at);
		await say(at, "<img src=x onerror=alert(1)> <img src=//evil.example/i.png>");
		await soon(() => hits, { timeout: 10_000 }).toContain("alert 1");
		await soon(() => world.strays, { timeout: 10_000 }).toContain("evil.example");
		expect((await faultsOf(at, own)).join()).toContain("onerror");
	});
});
