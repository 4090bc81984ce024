/**
 * What the tests of the chat stand on: a desk that answers as a test wants, the demo site, and words for what a visitor does and
 * sees. What no door of the product can cause yet (a desk that waits for its owner, a desk that has seen) is said to the
 * browser as the server would say it.
 */
import type { BrowserContextOptions, Frame, FrameLocator, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type DemoSite, serveDemoSite } from "../../demo-site/serve.js";
import type { Answerer, Turn } from "../../server/engine/ports.js";
import type { LogEvent } from "../../shared/channel.js";
import { openTestDesk, type TestDesk } from "../desk.js";
import { gate } from "../engine.js";
import { closeBrowser, type Visit, visit } from "./browser.js";
import { buildClient } from "./client.js";

let client: Awaited<ReturnType<typeof buildClient>>;
export let desk: TestDesk;
export let origin: string;
export let demo: DemoSite;
const visits: Visit[] = [];

let held = gate();
/** Lets what was held in the middle of an answer go on. */
export const letGo = (): void => held.open();
/** What the desk was told, turn by turn. */
export const turns: Turn[] = [];

const FORMATTED = `Hello **bold**, [our shop](https://shop.example/a) and ![a picture](https://pictures.example/x.png)

\`\`\`js
${"const wide = 1; ".repeat(40)}
\`\`\`

${"averylongwordthatneverends".repeat(20)}

<img src="https://pictures.example/y.png"> <script>document.title = "owned"</script>`;

/** Says the words back; other words make it do other things. */
const answerer: Answerer = {
	name: "scripted",
	inProcess: true,
	maySilence: false,
	async *answer(turn, signal) {
		turns.push(turn);
		const words = turn.incoming.map((m) => m.message.parts.map((p) => p.text ?? "").join("")).join(" ");
		if (words.startsWith("slowly")) {
			yield { type: "text", text: "One piece, " };
			await Promise.race([held.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
			yield { type: "text", text: "and the rest." };
		} else if (words.startsWith("think")) {
			await Promise.race([held.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
			yield { type: "text", text: "Thought." };
		} else if (words.startsWith("format")) yield { type: "text", text: FORMATTED };
		else if (words.startsWith("bye")) {
			yield { type: "text", text: "Goodbye." };
			yield { type: "end_conversation" };
			return;
		} else {
			const pictures = turn.incoming.flatMap((m) => m.message.parts).filter((p) => p.url !== undefined).length;
			yield { type: "text", text: `You said: ${words}${pictures > 0 ? ` with ${pictures} pictures` : ""}` };
		}
		yield { type: "reply", asks: false };
	},
};

/** For the top of a test file. */
export function useChat(): void {
	beforeAll(async () => {
		client = await buildClient();
		desk = await openTestDesk({ clientDir: client.dir, answerer });
		origin = (await desk.serve()).url.replace("127.0.0.1", "localhost");
		desk.config.publicUrl = origin;
		demo = await serveDemoSite({ port: 0, deskUrl: origin });
		await desk.engine.owner.setSite("mira", demo.url, "allowed");
	});
	afterEach(async () => {
		held.open();
		held = gate();
		turns.length = 0;
		for (const one of visits.splice(0)) {
			expect(one.errors).toEqual([]);
			await one.close();
		}
		await desk.engine.owner.changeSettings("mira", { builtInAnswerer: true, hours: "" });
	});
	afterAll(async () => {
		await closeBrowser();
		await demo.close();
		await desk.close();
		await client.remove();
	});
}

export async function arrive(options: BrowserContextOptions = {}): Promise<Visit> {
	const one = await visit(options);
	visits.push(one);
	return one;
}

type Chat = FrameLocator | Page;
/** The chat in the corner of a page of the demo's. */
export async function openCorner(page: Page): Promise<FrameLocator> {
	await page.goto(`${demo.url}/studio.html`);
	await page.locator("earth-online button").first().click();
	const chat = page.frameLocator("earth-online iframe");
	await box(chat).waitFor();
	return chat;
}
/** The chat as a page. */
export async function openPage(page: Page, query = ""): Promise<Page> {
	await page.goto(`${origin}/@mira/chat${query}`);
	await box(page).waitFor();
	return page;
}
export const box = (chat: Chat): Locator => chat.locator("textarea");
export const log = (chat: Chat): Locator => chat.getByRole("log");
export async function say(chat: Chat, words: string): Promise<void> {
	await box(chat).fill(words);
	await box(chat).press("Enter");
}
export async function menu(chat: Chat, item: string | RegExp): Promise<Locator> {
	await chat.getByRole("button", { name: /^(?:Menu|菜单)$/ }).click();
	return chat.getByRole("menu").getByText(item);
}
export const framed = (page: Page): Frame => {
	const frame = page.frames().find((f) => f.url().startsWith(`${origin}/@mira/embed`));
	if (!frame) throw new Error("There is no frame of the chat.");
	return frame;
};
/** The conversation that a visitor is in: as the desk was told of it last. */
export const contextId = (): string => turns.at(-1)?.conversationId ?? "";

/** Stands between a page and its server: says things to the page as the server would. Call it before the page is opened. */
export async function between(
	page: Page,
): Promise<{ tell(event: Omit<LogEvent, "contextId">): void; seq(): number; refuse(times: number): void }> {
	let say: (text: string) => void = () => undefined;
	let seq = 0;
	let refusals = 0;
	await page.routeWebSocket(/\/ws$/, (socket) => {
		const server = socket.connectToServer();
		say = (text) => socket.send(text);
		server.onMessage((message) => {
			const frame = JSON.parse(String(message)) as { params?: { seq?: number } };
			seq = Math.max(seq, frame.params?.seq ?? 0);
			socket.send(message);
		});
		socket.onMessage((message) => {
			const { id, method } = JSON.parse(String(message)) as { id?: number; method?: string };
			if (method !== "SendMessage" || refusals === 0) return server.send(message);
			refusals--;
			const data = [{ reason: "RATE_LIMITED" }, { retryDelay: "60s" }];
			socket.send(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: "Too many messages.", data } }));
		});
	});
	return {
		tell: (event) => say(JSON.stringify({ jsonrpc: "2.0", method: "event", params: { contextId: contextId(), at: Date.now(), ...event } })),
		seq: () => seq,
		refuse(times) {
			refusals = times;
		},
	};
}
