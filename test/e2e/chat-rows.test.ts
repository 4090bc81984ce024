/**
 * Every row that widget.md marks M, "For the visitor" and "For everybody", in a real Chromium: a describe is a row, named after it. What a
 * row says of the tag and its panel (the greeting, the panel's theme, its size) is tested with them, in embed*.test.ts.
 */
import type { CDPSession, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { EXTENSIONS } from "../../shared/extensions.js";
import {
	arrive,
	between,
	box,
	contextId,
	demo,
	desk,
	framed,
	letGo,
	log,
	menu,
	openCorner,
	openPage,
	origin,
	say,
	turns,
	useChat,
} from "./chat-place.js";

useChat();

describe("M: streaming answers with stop; markdown; code with copy; links; no remote picture; long words and wide code", () => {
	it("an answer is drawn as it comes and stops when it is told to", async () => {
		const chat = await openCorner((await arrive()).page);
		await say(chat, "slowly");
		await log(chat).getByText("One piece,").waitFor();
		await chat.getByRole("button", { name: "Stop answering" }).click();
		await log(chat).getByText("Stopped").waitFor();
		letGo();
		await say(chat, "next");
		await log(chat).getByText("You said: next").waitFor();
		expect(await log(chat).textContent()).not.toContain("and the rest");
	});

	it("markdown becomes elements, code can be copied, links open elsewhere and tell nothing, and nothing is loaded from anywhere", async () => {
		const one = await arrive({ permissions: ["clipboard-read", "clipboard-write"] });
		const chat = await openPage(one.page);
		await say(chat, "format");
		await log(chat).locator("strong", { hasText: "bold" }).waitFor();
		const link = log(chat).getByRole("link", { name: /our shop/ });
		expect(await link.getAttribute("target")).toBe("_blank");
		expect((await link.getAttribute("rel"))?.split(" ").sort()).toEqual(["nofollow", "noopener", "noreferrer", "ugc"]);
		await log(chat).getByRole("button", { name: "Copy" }).click();
		expect(await one.page.evaluate(() => navigator.clipboard.readText())).toMatch(/^const wide = 1; const wide/);
		expect(await log(chat).locator(".prose img, .prose script").count()).toBe(0);
		expect(await one.page.title()).not.toBe("owned");
		expect(one.requests.filter((url) => !url.startsWith(origin))).toEqual([]);
	});

	it.each([320, 375, 1280])("long words and wide code do not break the frame at %i px", async (width) => {
		const one = await arrive({ viewport: { width, height: 700 } });
		const chat = await openPage(one.page);
		await say(chat, "format");
		await log(chat).locator("strong", { hasText: "bold" }).waitFor();
		const wide = await one.page.evaluate(() => [
			document.documentElement.scrollWidth - innerWidth,
			(document.querySelector(".scroll")?.scrollWidth ?? 0) - (document.querySelector(".scroll")?.clientWidth ?? 0),
		]);
		expect(wide).toEqual([0, 0]);
	});
});

describe("M: typing, delivery, offline, resume, history, tabs, draft, new conversation, suggestions, unread, waiting, who writes, the end", () => {
	it("somebody writing is shown, and to those who hear the page said", async () => {
		const chat = await openPage((await arrive()).page);
		await say(chat, "think");
		await log(chat).locator(".dots").waitFor();
		expect(await log(chat).locator(".dots").textContent()).toBe("Mira is writing");
		letGo();
		await log(chat).getByText("Thought.").waitFor();
		expect(await log(chat).locator(".dots").count()).toBe(0);
	});

	it("a message says how far it has come: being sent, sent, seen, failed, and can be tried again or discarded", async () => {
		const one = await arrive();
		const server = await between(one.page);
		const chat = await openPage(one.page);
		await say(chat, "think of it");
		await log(chat).getByText("Sent", { exact: true }).waitFor();
		await expect.poll(() => contextId()).not.toBe("");
		server.tell({ signal: { kind: "seen", side: "desk", seq: server.seq() } });
		await log(chat).getByText("Seen", { exact: true }).waitFor();
		letGo();
		await log(chat).getByText("Thought.").waitFor();
		await one.context.setOffline(true);
		await say(chat, "later");
		await log(chat).getByText("Waiting to be sent").waitFor();
		await one.context.setOffline(false);
		await log(chat).getByText("You said: later").waitFor({ timeout: 30_000 });
		server.refuse(2);
		await say(chat, "first of two");
		await say(chat, "second of two");
		await expect.poll(() => log(chat).getByText("Not sent: too many messages at once").count()).toBe(2);
		await log(chat).getByRole("button", { name: "Discard" }).first().click();
		await expect.poll(() => log(chat).getByText("first of two").count()).toBe(0);
		await log(chat).getByRole("button", { name: "Try again" }).click();
		await log(chat).getByText("You said: second of two").waitFor();
	});

	it("words written offline are kept over a reload and sent once", async () => {
		const one = await arrive();
		const chat = await openCorner(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		await one.context.setOffline(true);
		await say(chat, "written offline");
		await chat.getByText("You are offline").waitFor();
		await one.context.setOffline(false);
		await log(chat).getByText("You said: written offline").waitFor({ timeout: 30_000 });
		await one.page.reload();
		await one.page.locator("earth-online button").first().click();
		await log(chat).getByText("You said: written offline").waitFor();
		expect(await log(chat).locator(".bubble", { hasText: "written offline" }).count()).toBe(1);
	});

	it("history comes back on another page of the site and after a reload, older messages when it is scrolled up", async () => {
		const one = await arrive();
		const chat = await openCorner(one.page);
		await say(chat, "the very first");
		await log(chat).getByText("You said: the very first").waitFor();
		const principal = await desk.store.read.principal(turns[0]?.asker.id ?? "");
		const mira = await desk.engine.desk("mira");
		const caller = { principal: principal ?? null, provenance: { channel: "page" as const }, extensions: [] };
		for (let i = 0; i < 40 && mira; i++) {
			const message = { messageId: `older ${i}`, role: "ROLE_USER" as const, contextId: contextId(), parts: [{ text: `word ${i}` }] };
			await desk.engine.answer(caller, mira, await desk.engine.send(caller, mira, message, {}), { waitMs: 5_000 });
		}
		await one.page.goto(`${demo.url}/kiln.html`);
		await one.page.locator("earth-online button").first().click();
		await log(chat).getByText("You said: word 39").waitFor();
		expect(await log(chat).getByText("the very first").count()).toBe(0);
		await expect
			.poll(
				async () => {
					await log(chat).evaluate((scroll) => {
						scroll.scrollTop = 0;
					});
					return await log(chat).getByText("You said: the very first").count();
				},
				{ timeout: 20_000 },
			)
			.toBe(1);
	});

	it("two tabs are in step: what is said, what is seen, a new conversation, the switch of the sound", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		const two = await openPage(await one.context.newPage());
		await say(chat, "both");
		await log(two).getByText("You said: both").waitFor();
		await (await menu(chat, "Sound")).click();
		await (await menu(two, "Sound")).waitFor();
		expect(await two.getByRole("menuitemcheckbox").getAttribute("aria-checked")).toBe("true");
		await two.keyboard.press("Escape");
		await (await menu(two, "New conversation")).click();
		await expect.poll(() => log(chat).getByText("You said: both").count()).toBe(0);
	});

	it("a draft is there again after a reload", async () => {
		const chat = await openPage((await arrive()).page);
		await box(chat).fill("half a sentence");
		await chat.reload();
		await expect.poll(() => box(chat).inputValue()).toBe("half a sentence");
	});

	it("a suggestion is asked by a tap", async () => {
		const chat = await openPage((await arrive()).page);
		await chat.getByRole("button", { name: "What are your hours?" }).click();
		await log(chat).getByText("You said: What are your hours?").waitFor();
	});

	it("what came while the chat was closed is a number on the button and in its name, until it is looked at", async () => {
		const one = await arrive();
		const chat = await openCorner(one.page);
		await say(chat, "think");
		await expect.poll(() => contextId()).not.toBe("");
		const button = one.page.locator("earth-online button").first();
		await button.click();
		letGo();
		await expect.poll(() => button.getAttribute("aria-label")).toBe("Chat with Mira, 1 unread");
		await button.click();
		await expect.poll(() => button.getAttribute("aria-label")).toBe("Chat with Mira");
	});

	it("says whom it waits for, and who writes when a person does", async () => {
		const one = await arrive();
		const server = await between(one.page);
		const chat = await openPage(one.page);
		await say(chat, "think");
		await expect.poll(() => contextId()).not.toBe("");
		await log(chat).locator(".dots").waitFor();
		const taskId = turns[0]?.incoming[0]?.message.taskId ?? "";
		const task =
			(await desk.store.read.conversation((await desk.store.read.principal(turns[0]?.asker.id ?? ""))?.id ?? 0, 1, contextId(), 1))
				?.openTasks[0]?.task.uid ?? taskId;
		const metadata = { [EXTENSIONS.ownerWait]: { waitingOn: "owner" } };
		server.tell({
			seq: server.seq() + 1,
			statusUpdate: { taskId: task, contextId: contextId(), status: { state: "TASK_STATE_WORKING" }, metadata },
		});
		await log(chat).getByText("Waiting for Mira").waitFor();
	});

	it("a person who takes over is named where they write", async () => {
		const one = await arrive();
		const server = await between(one.page);
		const chat = await openPage(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		await desk.engine.owner.takeMicrophone("mira", contextId());
		await chat.getByText("Mira is here").waitFor();
		const by = { [EXTENSIONS.humanTakeover]: { by: "human", name: "Mira Okafor", signed: "Mira Okafor · phone" } };
		server.tell({
			seq: server.seq() + 1,
			message: { messageId: "p", role: "ROLE_AGENT", contextId: contextId(), parts: [{ text: "It is me." }], metadata: by },
		});
		await log(chat).getByText("It is me.").waitFor();
		expect(await log(chat).locator(".by").allTextContents()).toEqual(["Miraagent", "Mira Okafor · phone"]);
	});

	it("the end is said under the last word, and a new conversation is offered", async () => {
		const chat = await openPage((await arrive()).page);
		await say(chat, "bye");
		await log(chat).getByText("Mira ended this conversation.").waitFor();
		await log(chat).getByRole("button", { name: "New conversation" }).click();
		await chat.getByText("A desk for tests").waitFor();
	});
});

describe("M: one tab makes a sound, off by default", () => {
	it("is silent until it is switched on, and then sounds in one of the tabs that are not looked at", async () => {
		const one = await arrive();
		await one.context.addInitScript(() => {
			const sounds: string[] = [];
			Reflect.set(self, "sounds", sounds);
			const start = OscillatorNode.prototype.start;
			OscillatorNode.prototype.start = function (...args) {
				sounds.push("tone");
				return start.apply(this, args);
			};
			// Nobody looks at any of them.
			Object.defineProperty(Document.prototype, "visibilityState", { get: () => "hidden" });
		});
		const chat = await openPage(one.page);
		const two = await openPage(await one.context.newPage());
		const sounds = async () => {
			const all = await Promise.all([one.page, two].map((page) => page.evaluate(() => (Reflect.get(self, "sounds") as string[]).length)));
			return all.sort((a, b) => a - b);
		};
		await say(chat, "quietly");
		for (const page of [chat, two]) await log(page).getByText("You said: quietly").waitFor();
		expect(await sounds()).toEqual([0, 0]);
		await (await menu(chat, "Sound")).click();
		await say(chat, "aloud");
		for (const page of [chat, two]) await log(page).getByText("You said: aloud").waitFor();
		await expect.poll(sounds).toEqual([0, 2]);
	});
});

describe("M: keyboard: Esc, focus, roles, one announcer, targets, contrast, forced colours, zoom, reduced motion", () => {
	it("Esc closes and gives the focus back; the whole chat is worked by Tab alone", async () => {
		const one = await arrive();
		const chat = await openCorner(one.page);
		await expect.poll(() => framed(one.page).evaluate(() => document.activeElement?.localName)).toBe("textarea");
		await box(chat).press("Shift+Tab");
		await expect.poll(() => framed(one.page).evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Add a picture");
		await one.page.keyboard.press("Escape");
		await expect.poll(() => one.page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName)).toBe("button");
	});

	it("has a log that is silent and one polite announcer that says an answer once, whole", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		await one.page.evaluate(() => {
			const said: string[] = [];
			Reflect.set(self, "said", said);
			const announcer = document.querySelector("[aria-live=polite]") as HTMLElement;
			new MutationObserver(() => said.push(announcer.textContent ?? "")).observe(announcer, {
				childList: true,
				characterData: true,
				subtree: true,
			});
		});
		expect(await log(chat).getAttribute("aria-live")).toBe("off");
		await say(chat, "slowly");
		await log(chat).getByText("One piece,").waitFor();
		letGo();
		await log(chat).getByText("and the rest.").waitFor();
		await expect
			.poll(() => one.page.evaluate(() => (Reflect.get(self, "said") as string[]).filter(Boolean)))
			.toEqual(["Mira: One piece, and the rest."]);
	});

	it("gives every control 44 px, also where a picture is being sent", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		await chat.getByRole("button", { name: "Menu" }).click();
		const small = await one.page.evaluate(() =>
			[...document.querySelectorAll<HTMLElement>("button, textarea, [role^=menuitem]")]
				.filter((el) => el.checkVisibility())
				.map((el) => ({ name: el.getAttribute("aria-label") ?? el.textContent, box: el.getBoundingClientRect() }))
				.filter(({ box }) => Math.round(box.width) < 44 || Math.round(box.height) < 42)
				.map(({ name }) => name),
		);
		expect(small).toEqual([]);
	});

	it.each(["#ffff00", "#fafafa", "#111111", "#a8532b", "#00ff88"])("keeps 4.5:1 on the accent %s, in both themes", async (accent) => {
		for (const colorScheme of ["light", "dark"] as const) {
			const one = await arrive({ colorScheme });
			const chat = await openPage(one.page, `?accent=${encodeURIComponent(accent)}`);
			await say(chat, "hello");
			await log(chat).getByText("You said: hello").waitFor();
			const contrast = await log(chat)
				.locator(".bubble")
				.first()
				.evaluate((bubble) => {
					const light = (text: string): number => {
						const [r = 0, g = 0, b = 0] = (text.match(/[\d.]+/g) ?? [])
							.map(Number)
							.map((n) => (n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4));
						return 0.2126 * r + 0.7152 * g + 0.0722 * b;
					};
					const { color, backgroundColor } = getComputedStyle(bubble);
					const [a, b] = [light(color), light(backgroundColor)].sort((x, y) => y - x) as [number, number];
					return (a + 0.05) / (b + 0.05);
				});
			expect(contrast).toBeGreaterThanOrEqual(4.5);
		}
	});

	it("shows its bubbles and buttons where colours are forced", async () => {
		const one = await arrive({ forcedColors: "active" });
		const chat = await openPage(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		expect(
			await log(chat)
				.locator(".bubble")
				.evaluate((b) => getComputedStyle(b).borderTopStyle),
		).toBe("solid");
	});

	it("can be used at 200 % zoom: half of a small window", async () => {
		const one = await arrive({ viewport: { width: 320, height: 256 } });
		const chat = await openPage(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		expect(await one.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
		expect(await chat.getByRole("button", { name: "Send" }).evaluate((b) => b.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
	});

	it("does not move for those who asked for that", async () => {
		const one = await arrive({ reducedMotion: "reduce" });
		const chat = await openPage(one.page);
		await say(chat, "think");
		await log(chat).locator(".dots").waitFor();
		const moving = await one.page.evaluate(() =>
			document
				.getAnimations()
				.filter((a) => Number(a.effect?.getComputedTiming().duration ?? 0) > 0)
				.map((a) => (a as CSSAnimation).animationName),
		);
		expect(moving).toEqual([]);
	});
});

const PHONE = { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

describe("M: phones: full screen, the panel as large as what is to be seen, safe areas, 16 px, no scrolling through", () => {
	it("fills the screen at a tap, is written in and closed by touch", async () => {
		const one = await arrive(PHONE);
		await one.page.goto(`${demo.url}/studio.html`);
		await one.page.locator("earth-online button").first().tap();
		const chat = one.page.frameLocator("earth-online iframe");
		await box(chat).waitFor();
		await expect.poll(() => one.page.locator("earth-online iframe").boundingBox()).toMatchObject({ x: 0, y: 0, width: 375, height: 740 });
		await box(chat).tap();
		await one.page.keyboard.type("hello");
		await chat.getByRole("button", { name: "Send" }).tap();
		await log(chat).getByText("You said: hello").waitFor();
		await chat.getByRole("button", { name: "Close the chat" }).tap();
		await one.page.locator("earth-online iframe").waitFor({ state: "hidden" });
	});

	it("does not put the keyboard up by itself, does not zoom in, does not scroll the page behind", async () => {
		const one = await arrive(PHONE);
		await one.page.goto(`${demo.url}/studio.html`);
		await one.page.locator("earth-online button").first().tap();
		const chat = one.page.frameLocator("earth-online iframe");
		await box(chat).waitFor();
		const looks = await framed(one.page).evaluate(() => ({
			focused: document.activeElement?.localName,
			size: Number.parseFloat(getComputedStyle(document.querySelector("textarea") as HTMLElement).fontSize),
			html: getComputedStyle(document.documentElement).overscrollBehaviorY,
			body: getComputedStyle(document.body).overscrollBehaviorY,
			viewport: document.querySelector("meta[name=viewport]")?.getAttribute("content"),
		}));
		expect(looks).toMatchObject({ focused: "body", html: "none", body: "none" });
		expect(looks.size).toBeGreaterThanOrEqual(16);
		expect(looks.viewport).toContain("viewport-fit=cover");
	});

	it("follows a keyboard that takes half of the screen: the box stays in sight, and so does the newest word", async () => {
		const one = await arrive(PHONE);
		const chat = await openPage(one.page);
		for (let i = 0; i < 8; i++) await say(chat, `line ${i}`);
		await log(chat).getByText("You said: line 7").waitFor();
		await one.page.setViewportSize({ width: 375, height: 380 });
		const newest = log(chat).getByText("You said: line 7");
		await expect
			.poll(() =>
				newest.evaluate(
					(el) => el.getBoundingClientRect().bottom < (document.querySelector(".composer")?.getBoundingClientRect().top ?? 0),
				),
			)
			.toBe(true);
		expect(await box(chat).evaluate((el) => el.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
	});
});

/** Composes as an input method does. */
async function compose(devtools: CDPSession, ...texts: string[]): Promise<void> {
	for (const text of texts)
		await devtools.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
}

describe("M: input methods: Enter while composing never sends", () => {
	it.each([
		["pinyin", ["n", "ni", "ni h", "ni hao"], "你好"],
		["kana", ["k", "か", "かn", "かん"], "漢"],
		["hangul", ["ㅎ", "하", "한"], "한"],
	])("%s: the Enter that accepts sends nothing, the next one does", async (_, steps, text) => {
		const one = await arrive();
		const chat: Page = await openPage(one.page);
		const devtools = await one.context.newCDPSession(one.page);
		await box(chat).focus();
		await compose(devtools, ...steps);
		expect(await box(chat).inputValue()).toBe(steps.at(-1));
		await devtools.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Process", code: "Enter", windowsVirtualKeyCode: 229 });
		await devtools.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 });
		expect(await log(chat).locator(".bubble").count()).toBe(0);
		await devtools.send("Input.insertText", { text });
		expect(await box(chat).inputValue()).toBe(text);
		expect(await log(chat).locator(".bubble").count()).toBe(0);
		await expect
			.poll(async () => {
				await box(chat).press("Enter");
				return await log(chat).locator(".bubble").count();
			})
			.toBe(1);
		await log(chat).getByText(`You said: ${text}`).waitFor();
	});
});

describe("M: themes: the same color-scheme for element and document before the first paint", () => {
	it.each(["light", "dark"] as const)("stands in %s from the document's first byte on, whatever the system says", async (theme) => {
		const one = await arrive({ colorScheme: theme === "dark" ? "light" : "dark" });
		const html = await (await fetch(`${origin}/@mira/chat?theme=${theme}`)).text();
		expect(html).toContain(`<meta name="color-scheme" content="${theme}">`);
		const chat = await openPage(one.page, `?theme=${theme}`);
		expect(await chat.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe(theme);
	});
});

describe("M: privacy: nothing stored, no frame, no font before the visitor opens the chat", () => {
	it("stores nothing before, no cookie ever, and forgets all of it when asked to", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/studio.html`);
		await one.page.locator("earth-online button").first().waitFor();
		expect(one.page.frames()).toHaveLength(1);
		const chat = await openCorner(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		expect(await one.context.cookies()).toEqual([]);
		await (await menu(chat, "Forget me in this browser")).click();
		await chat.getByText("Really forget?").click();
		await expect.poll(() => log(chat).getByText("You said: hello").count()).toBe(0);
		await chat.getByText("A desk for tests").waitFor();
		const kept = await framed(one.page).evaluate(() =>
			Object.entries(localStorage).filter(([key]) => !key.endsWith(":token") && !key.endsWith(":reloaded")),
		);
		expect(kept).toEqual([]);
		expect(one.requests.filter((url) => /\.(?:woff2?|ttf|otf)/.test(url))).toEqual([]);
	});
});

describe("M: en and zh; logical CSS, so that right-to-left works", () => {
	it("speaks the browser's language, or the tag's", async () => {
		const chinese = await openPage((await arrive({ locale: "zh-CN" })).page);
		expect(await box(chinese).getAttribute("placeholder")).toBe("给 Mira 写消息");
		const asked = await openPage((await arrive({ locale: "en-US" })).page, "?lang=zh");
		expect(await asked.evaluate(() => document.documentElement.lang)).toBe("zh-CN");
	});

	it("sets words that are read from the right from the right, each by itself", async () => {
		const chat = await openPage((await arrive()).page);
		await say(chat, "שלום, מה שלומך?");
		const bubble = log(chat).locator(".bubble").first();
		expect(await bubble.getAttribute("dir")).toBe("rtl");
		await log(chat).getByText("You said: שלום").waitFor();
		await say(chat, "hello");
		await expect
			.poll(() =>
				log(chat)
					.locator(".bubble")
					.nth(1)
					.evaluate((b) => getComputedStyle(b).direction),
			)
			.toBe("ltr");
	});

	it("stands mirrored in a document that reads from the right", async () => {
		const chat = await openPage((await arrive()).page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		const sides = () =>
			chat.evaluate(() => {
				const left = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().left ?? 0;
				return [
					Math.sign(left(".head .menu") - left(".head .face")),
					Math.sign(left(".send") - left("textarea")),
					Math.sign(left(".bubble") - left(".line:not(.own) .face")),
				];
			});
		expect(await sides()).toEqual([1, 1, 1]);
		await chat.evaluate(() => {
			document.documentElement.dir = "rtl";
		});
		expect(await sides()).toEqual([-1, -1, -1]);
	});
});
