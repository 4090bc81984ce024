/** The main job in a real Chromium: a visitor asks on a page of another origin and is answered from the desk's memory, streamed, and keeps what was said. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../demo-site/serve.js";
import { knowledge } from "../../server/answerers/knowledge.js";
import type { Answerer } from "../../server/engine/ports.js";
import { openTestDesk, type TestDesk } from "../desk.js";
import { gate } from "../engine.js";
import { closeBrowser, findings, visitors } from "./browser.js";
import { between } from "./chat-place.js";
import { buildClient } from "./client.js";

const MEMORY = new URL("../../server/demo-memory", import.meta.url).pathname;
const memory = Object.fromEntries(readdirSync(MEMORY).map((name) => [name, readFileSync(join(MEMORY, name), "utf8")]));

/** The built-in answerer, but for words that ask for something it cannot be made to do at will. */
const notes = knowledge(Date.now);
let held = gate();
const answerer: Answerer = {
	...notes,
	answer(turn, signal) {
		const words = turn.incoming.at(-1)?.message.parts[0]?.text ?? "";
		return words.startsWith("slowly") ? slowly(signal) : notes.answer(turn, signal);
	},
};
async function* slowly(signal: AbortSignal) {
	yield { type: "text" as const, text: "One piece, " };
	await Promise.race([held.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
	yield { type: "text" as const, text: "and the rest." };
	yield { type: "reply" as const, asks: false };
}

let client: Awaited<ReturnType<typeof buildClient>>;
let desk: TestDesk;
let origin: string;
let demo: DemoSite;
const { arrive, leave } = visitors();

beforeAll(async () => {
	client = await buildClient();
	desk = await openTestDesk({ clientDir: client.dir, answerer, memory });
	origin = (await desk.serve()).url.replace("127.0.0.1", "localhost");
	desk.config.publicUrl = origin;
	demo = await serveDemoSite({ port: 0, deskUrl: origin });
	await desk.engine.owner.setSite("mira", demo.url, "allowed");
});
afterEach(async () => {
	held.open();
	held = gate();
	expect((await leave()).flatMap(({ errors }) => errors)).toEqual([]);
});
afterAll(async () => {
	await closeBrowser();
	await demo.close();
	await desk.close();
	await client.remove();
});

/** Opens the chat in the corner of a page. */
const openChat = async (page: Page): Promise<FrameLocator> => {
	await page.goto(`${demo.url}/studio.html`);
	await page.locator("earth-online button").first().click();
	return page.frameLocator("earth-online iframe");
};
const box = (chat: FrameLocator) => chat.locator("textarea");
const log = (chat: FrameLocator) => chat.getByRole("log");
const say = async (chat: FrameLocator, words: string): Promise<void> => {
	await box(chat).fill(words);
	await box(chat).press("Enter");
};
describe("a visitor", () => {
	it("is answered in English and in Chinese, from the notes, in pieces", async () => {
		const { page } = await arrive();
		const chat = await openChat(page);
		const pieces: string[] = [];
		page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => pieces.push(String(payload))));
		await page.reload();
		await page.locator("earth-online button").first().click();
		await say(chat, "How long does shipping to Spain take?");
		await log(chat).getByText("shipping.md").waitFor();
		expect(await log(chat).textContent()).toContain("four to six working days");
		await say(chat, "一只马克杯多少钱？");
		await log(chat).getByText("prices.md").waitFor();
		expect(await log(chat).textContent()).toContain("28 欧元");
		const chunks = pieces.filter((p) => p.includes('"artifactUpdate"'));
		expect(chunks.length).toBeGreaterThanOrEqual(4);
		expect(chunks.some((c) => c.includes('"append":true'))).toBe(true);
	});

	it("is told plainly what the desk does not know, and the owner finds the question", async () => {
		const { page } = await arrive();
		const chat = await openChat(page);
		await say(chat, "Do you sell bicycles?");
		await expect
			.poll(async () => (await desk.engine.owner.gaps("mira")).map((g) => g.question), { timeout: 10_000 })
			.toContain("Do you sell bicycles?");
		await expect.poll(() => log(chat).locator(".prose").count()).toBe(1);
		expect(await log(chat).textContent()).not.toContain(".md");
	});

	it("finds the conversation again after a reload, and begins a new one when asked to", async () => {
		const { page } = await arrive();
		const chat = await openChat(page);
		await say(chat, "How much is a mug?");
		await log(chat).getByText("prices.md").waitFor();
		await page.reload();
		await page.locator("earth-online button").first().click();
		await log(chat).getByText("How much is a mug?").waitFor();
		await chat.getByRole("button", { name: "Menu" }).click();
		await chat.getByRole("menuitem", { name: "New conversation" }).click();
		await expect.poll(() => chat.getByText("How much is a mug?").count()).toBe(0);
		await say(chat, "thanks");
		await expect.poll(() => log(chat).locator(".prose").count()).toBe(1);
	});

	it("sees an answer as it is written, and stops it", async () => {
		const { page } = await arrive();
		const chat = await openChat(page);
		await say(chat, "slowly please");
		await log(chat).getByText("One piece,").waitFor();
		await chat.getByRole("button", { name: "Stop answering" }).click();
		await log(chat).getByText("Stopped").waitFor();
		held.open();
		await say(chat, "How much is a mug?");
		await log(chat).getByText("prices.md").waitFor();
		expect(await log(chat).textContent()).not.toContain("and the rest.");
	});

	it("writes while there is no connection: kept over a reload, sent once, answered", async () => {
		const { page } = await arrive();
		const server = await between(page);
		const chat = await openChat(page);
		await say(chat, "hello");
		await expect.poll(() => log(chat).locator(".prose").count()).toBe(1);
		await server.cut();
		const words = "How much is a mug?";
		await say(chat, words);
		await log(chat).getByText("Waiting to be sent").waitFor();
		await page.reload();
		await page.locator("earth-online button").first().click();
		await log(chat).getByText("Waiting to be sent").waitFor();
		await server.mend();
		await log(chat).getByText("prices.md").waitFor();
		await page.reload();
		await page.locator("earth-online button").first().click();
		await log(chat).getByText("prices.md").waitFor();
		expect(await log(chat).getByText(words).count()).toBe(1);
	});

	it("composes with an input method: Enter that ends a composition sends nothing", async () => {
		const { page, context } = await arrive();
		const chat = await openChat(page);
		await box(chat).evaluate((el) =>
			el.addEventListener("compositionend", ({ timeStamp }) => Reflect.set(self, "composed", timeStamp), { capture: true }),
		);
		await box(chat).focus();
		const devtools = await context.newCDPSession(page);
		await devtools.send("Input.imeSetComposition", { text: "ni", selectionStart: 2, selectionEnd: 2 });
		await box(chat).evaluate((el) =>
			el.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, isComposing: true, bubbles: true, cancelable: true })),
		);
		await devtools.send("Input.insertText", { text: "你好" });
		expect(await box(chat).inputValue()).toBe("你好");
		expect(await log(chat).locator(".bubble").count()).toBe(0);
		// An Enter within a twinkling of the composition's end is still the method's (Safari): the next one, as late as a person's, sends.
		await expect.poll(() => box(chat).evaluate(() => performance.now() - (Reflect.get(self, "composed") as number))).toBeGreaterThan(60);
		await box(chat).press("Enter");
		await log(chat).locator(".bubble").waitFor();
		expect(await log(chat).locator(".bubble").allTextContents()).toEqual(["你好"]);
	});

	it("in two tabs sees the same, and a message has one effect", async () => {
		const { page, context } = await arrive();
		const chat = await openChat(page);
		const other = await context.newPage();
		const second = await openChat(other);
		await say(chat, "How much is a mug?");
		await log(second).getByText("prices.md").waitFor();
		await log(chat).getByText("prices.md").waitFor();
		for (const one of [chat, second]) expect(await log(one).getByText("How much is a mug?").count()).toBe(1);
	});

	it("comes through a restart of the server without doing anything", async () => {
		const { page } = await arrive();
		const chat = await openChat(page);
		await say(chat, "How much is a mug?");
		await log(chat).getByText("prices.md").waitFor();
		const { dir } = desk;
		const port = Number(new URL(origin).port);
		await desk.stop();
		desk = await openTestDesk({ clientDir: client.dir, answerer, dir });
		await desk.serve(port);
		desk.config.publicUrl = origin;
		await say(chat, "And what does a bowl cost?");
		await expect.poll(() => log(chat).locator(".prose").count(), { timeout: 40_000 }).toBe(2);
	});
});

describe("what a visitor writes and reads", () => {
	it("is text: nothing of it becomes a part of the page", async () => {
		const { page } = await arrive();
		const chat = await openChat(page);
		const evil = `<img src=x onerror="document.title='owned'"> <script>document.title='owned'</script> [a](javascript:document.title='owned')`;
		await say(chat, evil);
		await log(chat).getByText("<img src=x").first().waitFor();
		expect(await chat.locator(".bubble script, .bubble img").count()).toBe(0);
		expect(await page.title()).not.toBe("owned");
	});
});

const WHERE = ["light", "dark"].flatMap((colorScheme) =>
	["en-US", "zh-CN"].map((locale) => ({ colorScheme: colorScheme as "light" | "dark", locale })),
);

describe.each(WHERE)("axe finds nothing serious, $colorScheme, $locale", ({ colorScheme, locale }) => {
	it("on the chat: empty, and with a conversation", async () => {
		// axe is a script of ours in a page that lets none in.
		// What fades in has no contrast of its own yet: looked at when it stands.
		const { page } = await arrive({ colorScheme, locale, bypassCSP: true, reducedMotion: "reduce" });
		await page.goto(`${origin}/@mira/chat`);
		await page.locator("textarea").waitFor();
		expect(await findings(page)).toEqual([]);
		await page.locator("textarea").fill("How long does shipping take?");
		await page.locator("textarea").press("Enter");
		await page.getByRole("log").getByText("shipping.md").waitFor();
		expect(await findings(page)).toEqual([]);
	});
});
