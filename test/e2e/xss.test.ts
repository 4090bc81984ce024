/**
 * T-XSS in a real Chromium, where the client draws: hundreds of payloads as the visitor's words, the agent's, as names, greetings and
 * statuses. Pages that the server writes are in xss-pages.test.ts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ALLOWED } from "../security/allowed.js";
import { inGroups, PAYLOADS } from "../security/payloads.js";
import {
	client,
	conversation,
	desks,
	faultsOf,
	hits,
	type Listening,
	NAMES,
	nothingHappened,
	one,
	ownOf,
	quiet,
	ready,
	SITE,
	say,
	useDesks,
	world,
} from "./payload-desks.js";
import { DESK, page, soon } from "./world.js";

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
		expect(NAMES.length).toBeGreaterThanOrEqual(150);
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
	it("shows names, the greeting and what the server says as words", async () => {
		const { page: at } = one;
		const some = desks.slice(0, 24);
		await one.context.route(`${DESK}/embed/*`, async (route) => {
			const { pathname } = new URL(route.request().url());
			const i = i0(pathname.split("/").at(-1) as string);
			const answer = await world.desk.app.request(`${pathname}`, { headers: { origin: SITE } });
			const words = PAYLOADS[(i * 7) % PAYLOADS.length] as string;
			await route.fulfill({
				headers: { "access-control-allow-origin": "*" },
				json: { ...((await answer.json()) as object), greeting: words, help: words },
			});
		});
		await at.clock.install();
		const tags = some.map(
			({ handle }, i) => `<script src="${DESK}/embed.js" data-handle="${handle}" data-mode="${i % 3 ? "floating" : "button"}"></script>`,
		);
		await at.goto(page(SITE, tags.join("")));
		await soon(() => at.locator("earth-online").count(), { timeout: 10_000 }).toBeGreaterThanOrEqual(some.length);
		await at.clock.runFor(10_000);
		await at.locator("earth-online button").first().click();
		const faults = await at.evaluate(
			(allowed) =>
				[...document.querySelectorAll("earth-online")].flatMap((host) =>
					(self as unknown as Listening).faultsIn(host.shadowRoot as Node, allowed),
				),
			{
				...ALLOWED,
				tags: `${ALLOWED.tags} iframe style`,
				attributes: `${ALLOWED.attributes} allow referrerpolicy style crossorigin nonce part`,
			},
		);
		// A picture of ours and the frame of the chat are at the desk's own address.
		expect(
			faults.filter(
				(fault) => !/^src of <(?:img|iframe) [^<>]*src="https:\/\/desk\.test\/@x\d+\/(?:face\.svg|embed\?[^"<>]*)"/.test(fault),
			),
		).toEqual([]);
		await one.context.unroute(`${DESK}/embed/*`);
		nothingHappened();
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
