/**
 * T-PM (reliability.md 26, 27): what other windows may say to the chat and to the page that carries it: nothing. Each attempt is made
 * for real, by frames and windows of other sites and of the same one, in a browser that keeps them apart as it does outside.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answerer } from "../../server/engine/ports.js";
import type { Message } from "../../shared/a2a.schema.js";
import { HELLO } from "../../shared/embed.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import type { Visit } from "./browser.js";
import { arrive, chatFrame, client, DESK, doc, frame, page, soon, tag, useWorld, world } from "./world.js";

const SITE = "https://site.test";
const EVIL = "https://evil.test";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What the desk was asked. */
const asked: Message[] = [];
const answerer: Answerer = {
	name: "listening",
	inProcess: true,
	maySilence: false,
	*answer({ incoming }) {
		for (const { message } of incoming) asked.push(message);
		yield { type: "text", text: "Heard." };
		yield { type: "reply", asks: false };
	},
};

useWorld({ answerer }, { unbroken: true });
beforeAll(async () => {
	await world.desk.engine.owner.setSite("mira", SITE, "allowed");
});
/** Frames beside the chat: a stranger's and another page of the site's own. The chat's is the first. */
const BESIDE = frame(doc(SITE)) + frame(page(EVIL, "a stranger")) + frame(page(SITE, "its own"));

/** What speaks to the chat as the page's script does, from any window: keeps what its port hears. */
interface Speaker {
	heard: unknown[];
	said: MessagePort;
}
/** In whatever window it runs: a hello to the first frame of `of`, then a word over the port. */
const attempt = ([hello, from, target]: readonly [unknown, "self" | "parent" | "opener", string]): void => {
	const view = from === "self" ? window : from === "parent" ? window.parent : (window.opener as Window);
	const { port1, port2 } = new MessageChannel();
	const speaker: Speaker = { heard: [], said: port1 };
	port1.onmessage = ({ data }) => speaker.heard.push(data);
	Reflect.set(window, "speaker", speaker);
	view.frames[0]?.postMessage(hello, target, [port2]);
	port1.postMessage({ type: "theme", theme: "dark" });
};
const heardBy = (at: Page | Frame): Promise<unknown[]> => at.evaluate(() => (Reflect.get(window, "speaker") as Speaker).heard);
const themeOf = (at: Page): Promise<string | undefined> => (chatFrame(at) as Frame).evaluate(() => document.documentElement.dataset.theme);
const GOOD = { type: HELLO, version: 1 };

/** Opens the page with a chat in light colours, and waits until the chat listens. */
async function opened(at: Page): Promise<{ stranger: Frame; own: Frame }> {
	await at.goto(page(SITE, BESIDE.replace("embed?site=", "embed?theme=light&amp;site=")));
	await at.frameLocator("iframe >> nth=0").locator("main.chat textarea").waitFor();
	const frames = at.frames();
	return {
		stranger: frames.find((f) => f.url().startsWith(EVIL)) as Frame,
		own: frames.find((f) => f !== at.mainFrame() && f.url().startsWith(SITE)) as Frame,
	};
}
/** The page's own hello is answered: the chat is there and has heard everything that was said before. */
async function greeted(at: Page): Promise<void> {
	await at.evaluate(attempt, [GOOD, "self", DESK] as const);
	await soon(() => heardBy(at)).toContainEqual({ type: "ready" });
}

describe("the chat in its frame", () => {
	const by = async (speaker: Page | Frame, hello: unknown, from: "self" | "parent" | "opener", target: string): Promise<Page | Frame> => {
		await speaker.evaluate(attempt, [hello, from, target] as const);
		return speaker;
	};
	const attempts: [name: string, run: (one: Visit, frames: { stranger: Frame; own: Frame }) => Promise<Page | Frame>][] = [
		["a stranger's frame beside it", (_, { stranger }) => by(stranger, GOOD, "parent", "*")],
		["a frame of the same site beside it", (_, { own }) => by(own, GOOD, "parent", DESK)],
		[
			"a window of a stranger that the page opened",
			async (one) => {
				const [popup] = await Promise.all([
					one.context.waitForEvent("page"),
					one.page.evaluate((url) => void window.open(url), page(EVIL, "opened")),
				]);
				await popup.getByText("opened").waitFor();
				return await by(popup, GOOD, "opener", "*");
			},
		],
		["a hello of another version", ({ page: at }) => by(at, { type: HELLO, version: 2 }, "self", DESK)],
		["a hello that is text", ({ page: at }) => by(at, HELLO, "self", DESK)],
		["a hello in a list", ({ page: at }) => by(at, [GOOD], "self", DESK)],
		["nothing", ({ page: at }) => by(at, null, "self", DESK)],
		["a hello by its prototype", ({ page: at }) => by(at, JSON.parse(`{"__proto__":{"type":"${HELLO}","version":1}}`), "self", DESK)],
		["words meant for the port", ({ page: at }) => by(at, { type: "theme", theme: "dark" }, "self", DESK)],
	];
	/** Nothing came back, also after the chat's window has worked off what was posted to it. */
	async function expectUnheard(at: Page, speaker: Page | Frame): Promise<void> {
		await (chatFrame(at) as Frame).evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(done))));
		expect(await heardBy(speaker)).toEqual([]);
		expect(await themeOf(at)).toBe("light");
	}

	describe("one after the other", () => {
		let one: Visit;
		let frames: Awaited<ReturnType<typeof opened>>;
		beforeAll(async () => {
			one = await world.arrive();
			frames = await opened(one.page);
		});
		afterAll(() => one.close());
		it.each(attempts)("does not answer %s", async (_, run) => expectUnheard(one.page, await run(one, frames)));
		it("answers the page that carries it, after all of them", async () => {
			expect(await themeOf(one.page)).toBe("light");
			await greeted(one.page);
			await soon(() => themeOf(one.page)).toBe("dark");
			expect(one.errors).toEqual([]);
		});
	});

	it("keeps to the port that it was given first", async () => {
		const { page: at } = await arrive();
		const { own } = await opened(at);
		await at.evaluate(attempt, [GOOD, "self", DESK] as const);
		await soon(() => heardBy(at)).toContainEqual({ type: "ready" });
		await at.evaluate(() => Reflect.set(window, "first", Reflect.get(window, "speaker")));
		const say = (theme: string) =>
			at.evaluate((t) => (Reflect.get(window, "first") as Speaker).said.postMessage({ type: "theme", theme: t }), theme);
		await say("light");
		await soon(() => themeOf(at)).toBe("light");
		// Said again by the page, and replayed by another window: neither is answered, and neither port is heard.
		await at.evaluate(attempt, [GOOD, "self", DESK] as const);
		await own.evaluate(attempt, [GOOD, "parent", DESK] as const);
		await expectUnheard(at, at);
		await expectUnheard(at, own);
		await say("dark");
		await soon(() => themeOf(at)).toBe("dark");
	});

	it("takes nothing over the port that is none of its words, and stays whole", async () => {
		const { page: at } = await arrive();
		await opened(at);
		await greeted(at);
		await soon(() => themeOf(at)).toBe("dark");
		await at.evaluate(() => {
			const { said } = Reflect.get(window, "speaker") as Speaker;
			const junk: unknown[] = [
				null,
				1,
				"theme",
				[],
				["theme"],
				{},
				{ type: null },
				{ type: ["theme"], theme: "light" },
				{ type: "theme", theme: ["light"] },
				{ type: "theme", theme: "<img src=x>" },
				{ type: "__proto__" },
				{ type: "constructor" },
				{ type: "toString" },
				{ type: "viewport", fullScreen: "true" },
				{ type: "send" },
				{ type: "send", text: { toString: "x" } },
				{ type: "send", text: " " },
				{ type: "send", text: "x".repeat(1_000_000) },
				{ type: "identify", name: {} },
				{ type: "identify", name: "x".repeat(100_000) },
				{ type: "ready" },
				{ type: "reload" },
				JSON.parse('{"__proto__":{"polluted":true},"type":"open","constructor":{"prototype":{"polluted":true}}}'),
				new Map([["type", "theme"]]),
				new ArrayBuffer(8),
			];
			for (const one of junk) said.postMessage(one);
			said.postMessage({ type: "theme", theme: "light" });
		});
		await soon(() => themeOf(at)).toBe("light");
		const chat = chatFrame(at) as Frame;
		expect(await chat.evaluate(() => "polluted" in {})).toBe(false);
		expect(await chat.locator("main.chat textarea").count()).toBe(1);
		expect(await chat.locator(".bubble").count()).toBe(0);
	});
});

describe("the page that carries it", () => {
	const corner = (more = "") => page(SITE, `${tag("")}${more}`);
	const panel = (at: Page) => at.locator("earth-online .p");
	async function talking(at: Page, more = ""): Promise<void> {
		await at.goto(corner(more));
		await at.locator("earth-online button").first().click();
		await soon(() => at.locator("earth-online .r").count()).toBe(1);
		await panel(at).waitFor();
	}

	it("hears nothing from windows: not its own, not a stranger's, not the chat's outside its port", async () => {
		const one = await arrive();
		const { page: at } = one;
		await talking(at, frame(page(EVIL, "a stranger")));
		const words = [
			{ type: "close" },
			{ type: "reload" },
			{ type: "unread", count: 9 },
			GOOD,
			{ type: "ready" },
			{ type: "online", online: false },
		];
		await at.evaluate((all) => {
			for (const said of all) window.postMessage(said, "*");
		}, words);
		for (const other of [at.frames().find((f) => f.url().startsWith(EVIL)) as Frame, chatFrame(at) as Frame]) {
			await other.evaluate((all) => {
				for (const said of all) {
					const { port2 } = new MessageChannel();
					window.parent.postMessage(said, "*", [port2]);
				}
			}, words);
		}
		await at.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(done))));
		expect(await panel(at).isVisible()).toBe(true);
		expect(await at.locator("earth-online button").first().getAttribute("aria-label")).not.toContain("unread");
		expect(at.frames().filter((f) => f.url().startsWith(`${DESK}/@mira/embed`))).toHaveLength(1);
	});

	/** So many are said before the chat is given up (`widget/embed/messages.ts`). */
	const HELLOS = 4;

	/** Leads the frame of the chat to a stranger before it has answered. Gives what the stranger was told until the page gave it up. */
	async function told(one: Visit): Promise<unknown[]> {
		const { page: at } = one;
		await at.clock.install();
		const listening = page(
			EVIL,
			`<script>self.got = []; addEventListener("message", (event) => got.push([event.data, event.ports.length]))</script>`,
		);
		await one.context.route(`${DESK}/@mira/embed?*`, (route) => route.fulfill({ status: 302, headers: { location: listening } }));
		await at.goto(corner());
		await at.locator("earth-online button").first().click();
		const stranger = () => at.frames().find((f) => f.url().startsWith(EVIL));
		await soon(() =>
			stranger()
				?.evaluate(() => "got" in self)
				.catch(() => false),
		).toBe(true);
		// In the place of a chat that never answered: a link to its page.
		await soon(async () => {
			await at.clock.runFor(1_000);
			return await at.locator("earth-online .p a").count();
		}).toBe(1);
		return await (stranger() as Frame).evaluate(() => Reflect.get(self, "got") as unknown[]);
	}

	it("says its hello to the desk alone: a stranger in the frame is told nothing and given no port", async () => {
		const one = await arrive();
		expect(await told(one)).toEqual([]);
	});

	it("is found out when it speaks to whoever is there", async () => {
		const one = await arrive();
		const file = "embed-chat.js";
		const script = readFileSync(join(client.dir, file), "utf8");
		const careless = script.replace(/(\.postMessage\([^()]*?,)[\w$.]+(,\[)/, '$1"*"$2');
		expect(careless).not.toBe(script);
		await one.context.route(`${DESK}/${file}*`, (route) =>
			route.fulfill({ contentType: "text/javascript", headers: { "access-control-allow-origin": "*" }, body: careless }),
		);
		expect(await told(one)).toHaveLength(HELLOS);
	});
});

describe("a chat that does not look who speaks", () => {
	it("is found out", async () => {
		const one = await arrive();
		const script = readFileSync(join(client.dir, "assets/chat.js"), "utf8");
		const careless = script.replace(/([\w$]+)\.source!==[\w$.]+\.parent\|\|\1\.origin!==[\w$]+/, "false");
		expect(careless).not.toBe(script);
		await one.context.route(`${DESK}/assets/chat.js*`, (route) => route.fulfill({ contentType: "text/javascript", body: careless }));
		const { stranger } = await opened(one.page);
		await stranger.evaluate(attempt, [GOOD, "parent", "*"] as const);
		await soon(() => heardBy(stranger)).toContainEqual({ type: "ready" });
		await soon(() => themeOf(one.page)).toBe("dark");
	});
});

describe("what the page's script says in the visitor's place", () => {
	it("is sent, and says of itself that a script said it; the visitor's own words do not", async () => {
		const { page: at } = await arrive();
		await at.goto(page(SITE, tag("")));
		await at.locator("earth-online button").first().waitFor();
		await at.evaluate(() =>
			(Reflect.get(window, "EarthOnline") as { get(): { send(text: string): Promise<void> } }).get().send("By a script"),
		);
		await soon(() => asked.length).toBe(1);
		const chat = chatFrame(at) as Frame;
		await chat.locator("textarea").fill("By hand");
		await chat.locator("textarea").press("Enter");
		await soon(() => asked.length).toBe(2);
		expect(asked.map(({ parts, metadata }) => [parts[0]?.text, metadata?.[EXTENSIONS.chat]])).toEqual([
			["By a script", { byPage: true }],
			["By hand", undefined],
		]);
	});
});

describe("the words of both sides", () => {
	it("go to an origin that is named, in every file of ours", () => {
		const files: string[] = [];
		for (const name of readdirSync(join(ROOT, "widget"), { recursive: true }) as string[])
			if (/\.tsx?$/.test(name) && !/\.test\.|fakes/.test(name)) files.push(readFileSync(join(ROOT, "widget", name), "utf8"));
		for (const name of readdirSync(client.dir, { recursive: true }) as string[])
			if (name.endsWith(".js")) files.push(readFileSync(join(client.dir, name), "utf8"));
		expect(files.length).toBeGreaterThan(20);
		for (const text of files) {
			expect(text).not.toMatch(/postMessage\([^;]*?["'`]\*["'`]/);
			expect(text).not.toMatch(/targetOrigin/);
		}
	});
});
