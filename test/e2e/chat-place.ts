/**
 * What the tests of the chat stand on: a desk that answers as a test wants, the demo site, and words for what a visitor does and
 * sees. What no door of the product can cause yet (a desk that waits for its owner, a desk that has seen) is said to the
 * browser as the server would say it.
 */
import type { FrameLocator, Locator, Page } from "playwright-core";
import { afterEach } from "vitest";
import type { Answerer, Turn } from "../../server/engine/ports.js";
import type { HelloParams, LogEvent } from "../../shared/channel.js";
import { gate } from "../engine.js";
import { demo, desk, origin, useSite } from "./site.js";

export { arrive, demo, desk, framed, origin } from "./site.js";

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

/** For the top of a test file: the desk, the demo site, and no page that throws. */
export function useChat(): void {
	useSite({ answerer }, { unbroken: true });
	afterEach(async () => {
		held.open();
		held = gate();
		turns.length = 0;
		await desk.engine.owner.changeSettings("mira", { builtInAnswerer: true, hours: "", parts: "all" });
		await desk.engine.owner.changeProfile("mira", { about: "A desk for tests", suggestions: ["What are your hours?"] });
	});
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
/** Opening hours that do not hold now, by the desk's clock, and begin tomorrow at 02:00 UTC. */
export const hoursOfTomorrow = (): string => {
	const day = new Date(desk.clock.now() + 24 * 3_600_000).getUTCDay();
	return `${["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][day]} 02:00-02:30 UTC`;
};
/** The conversation that a visitor is in: as the desk was told of it last. */
export const contextId = (): string => turns.at(-1)?.conversationId ?? "";

/** Makes the conversation that a visitor is in longer: they ask `word 0`, `word 1` and so on from elsewhere, and each is answered. */
export async function fill(count: number): Promise<void> {
	const turn = turns.at(-1);
	const mira = await desk.engine.desk("mira");
	const principal = await desk.store.read.principal(turn?.asker.id ?? "");
	if (!turn || !mira || !principal) throw new Error("Nobody has asked anything yet: let a visitor ask first.");
	const caller = { principal, provenance: { channel: "page" as const }, extensions: [] };
	for (let i = 0; i < count; i++) {
		const message = {
			messageId: `filled ${i}`,
			role: "ROLE_USER" as const,
			contextId: turn.conversationId,
			parts: [{ text: `word ${i}` }],
		};
		await desk.engine.answer(caller, mira, await desk.engine.send(caller, mira, message, {}), { waitMs: 5_000 });
	}
}

/** What stands between a page and its server, and sees all that they say. */
export interface Between {
	/** Says to the page what no door of the server says yet. */
	tell(event: Omit<LogEvent, "contextId">): void;
	/** The last number of the log that the page was told. */
	seq(): number;
	/** The number of every event of the log that came to the page, over whichever connection. */
	came: number[];
	/** What the page said at every Hello. */
	hellos: HelloParams[];
	/** So many sends are refused: too many messages. */
	refuse(times: number): void;
	/** Sends wait here until `release`. */
	hold(): void;
	release(): void;
	/** Ends the connection, as the server would with a code; no other comes until `mend`. */
	cut(code?: number): Promise<void>;
	/** Lets the page through again, and has it try at once. */
	mend(): Promise<void>;
}

/** Call it before the page is opened. */
export async function between(page: Page): Promise<Between> {
	let say: (text: string) => void = () => undefined;
	let end: (code?: number) => Promise<void> = async () => undefined;
	let refusals = 0;
	let held: (() => void)[] | undefined;
	let down = false;
	const came: number[] = [];
	const hellos: HelloParams[] = [];
	await page.routeWebSocket(/\/ws$/, async (socket) => {
		if (down) return await socket.close();
		const server = socket.connectToServer();
		say = (text) => socket.send(text);
		end = async (code) => {
			await server.close();
			await socket.close({ code });
		};
		server.onMessage((message) => {
			const { method, params } = JSON.parse(String(message)) as { method?: string; params?: LogEvent };
			if (method === "event" && params?.seq !== undefined) came.push(params.seq);
			socket.send(message);
		});
		socket.onMessage((message) => {
			const { id, method, params } = JSON.parse(String(message)) as { id?: number; method?: string; params?: unknown };
			if (method === "Hello") hellos.push(params as HelloParams);
			if (method === "SendMessage" && refusals > 0) {
				refusals--;
				const data = [{ reason: "RATE_LIMITED" }, { retryDelay: "60s" }];
				socket.send(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: "Too many messages.", data } }));
			} else if (method === "SendMessage" && held) held.push(() => server.send(message));
			else server.send(message);
		});
	});
	return {
		tell: (event) => say(JSON.stringify({ jsonrpc: "2.0", method: "event", params: { contextId: contextId(), at: Date.now(), ...event } })),
		seq: () => Math.max(0, ...came),
		came,
		hellos,
		refuse(times) {
			refusals = times;
		},
		hold() {
			held = [];
		},
		release() {
			for (const send of held ?? []) send();
			held = undefined;
		},
		async cut(code) {
			down = true;
			await end(code);
		},
		async mend() {
			down = false;
			for (const frame of page.frames()) await frame.evaluate(() => void dispatchEvent(new Event("online")));
		},
	};
}
