/**
 * What every visitor of a chat must get, in a real Chromium: a describe is a row of the list of what people expect, named after it. What a
 * row says of the tag and its panel (the greeting, the panel's theme, its size) is tested with them, in embed*.test.ts. More rows: how the
 * chat holds together in chat-steady.test.ts, what is for everybody in chat-everybody.test.ts and chat-phone.test.ts.
 */
import type { FrameLocator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { EXTENSIONS } from "../../shared/extensions.js";
import {
	arrive,
	between,
	box,
	contextId,
	demo,
	desk,
	fill,
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

	it("a message says how far it has come: being sent, sent, seen, waiting, failed, and can be tried again or discarded", async () => {
		const one = await arrive();
		const server = await between(one.page);
		const chat = await openPage(one.page);
		await chat.getByText("Online", { exact: true }).waitFor();
		server.hold();
		await say(chat, "think of it");
		await log(chat).getByText("Sending", { exact: true }).waitFor();
		expect(turns).toEqual([]);
		server.release();
		await log(chat).getByText("Sent", { exact: true }).waitFor();
		await expect.poll(() => contextId()).not.toBe("");
		// Nobody has said that the desk has seen it.
		expect(await log(chat).getByText("Seen", { exact: true }).count()).toBe(0);
		server.tell({ signal: { kind: "seen", side: "desk", seq: server.seq() } });
		await log(chat).getByText("Seen", { exact: true }).waitFor();
		letGo();
		await log(chat).getByText("Thought.").waitFor();
		await server.cut();
		await say(chat, "later");
		await log(chat).getByText("Waiting to be sent").waitFor();
		await server.mend();
		await log(chat).getByText("You said: later").waitFor();
		server.refuse(2);
		await say(chat, "first of two");
		await say(chat, "second of two");
		await expect.poll(() => log(chat).getByText("Not sent: too many messages at once").count()).toBe(2);
		await log(chat).getByRole("button", { name: "Discard" }).first().click();
		await expect.poll(() => log(chat).getByText("first of two").count()).toBe(0);
		await log(chat).getByRole("button", { name: "Try again" }).click();
		await log(chat).getByText("You said: second of two").waitFor();
	});

	it("words written without a connection stay over a reload without one, and are sent once when it is there", async () => {
		const one = await arrive();
		const server = await between(one.page);
		const chat = await openCorner(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		await server.cut();
		await say(chat, "written offline");
		await log(chat).getByText("Waiting to be sent").waitFor();
		await one.page.reload();
		await one.page.locator("earth-online button").first().click();
		await log(chat).locator(".bubble", { hasText: "written offline" }).waitFor();
		await log(chat).getByText("Waiting to be sent").waitFor();
		expect(turns).toHaveLength(1);
		await server.mend();
		await log(chat).getByText("You said: written offline").waitFor();
		await one.page.reload();
		await one.page.locator("earth-online button").first().click();
		await log(chat).getByText("You said: written offline").waitFor();
		expect(await log(chat).locator(".bubble", { hasText: "written offline" }).count()).toBe(1);
		expect(turns).toHaveLength(2);
	});

	it("says when the browser itself has no network, and goes on when it has", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		await chat.getByText("Online", { exact: true }).waitFor();
		await one.context.setOffline(true);
		await chat.getByText("You are offline").waitFor();
		await say(chat, "written offline");
		await one.context.setOffline(false);
		await log(chat).getByText("You said: written offline").waitFor({ timeout: 30_000 });
		await expect.poll(() => chat.getByText("You are offline").count()).toBe(0);
	});

	it("goes on from its last number after a loss: what came meanwhile is there, and nothing is fetched twice", async () => {
		const one = await arrive();
		const server = await between(one.page);
		const chat = await openPage(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		await expect.poll(() => log(chat).locator(".dots").count()).toBe(0);
		const seq = server.seq();
		await server.cut();
		await fill(2);
		await server.mend();
		await log(chat).getByText("You said: word 1").waitFor();
		expect(server.hellos.at(-1)?.follow).toEqual([{ contextId: contextId(), after: seq }]);
		expect(server.hellos.at(-1)?.credential).toMatch(/^eolg_/);
		expect(server.came).toEqual(server.came.map((_, i) => i + 1));
		expect(server.seq()).toBeGreaterThan(seq);
	});

	it("history comes back on another page of the site and after a reload, older messages when it is scrolled up", async () => {
		const one = await arrive();
		const chat = await openCorner(one.page);
		await say(chat, "the very first");
		await log(chat).getByText("You said: the very first").waitFor();
		await fill(40);
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

	it("two tabs are in step: what is said, a new conversation, the switch of the sound", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		const two = await openPage(await one.context.newPage());
		await say(chat, "both");
		await log(two).getByText("You said: both").waitFor();
		await one.page.bringToFront();
		await (await menu(chat, "Sound")).click();
		await two.bringToFront();
		await (await menu(two, "Sound")).waitFor();
		expect(await two.getByRole("menuitemcheckbox").getAttribute("aria-checked")).toBe("true");
		await two.keyboard.press("Escape");
		await (await menu(two, "New conversation")).click();
		await expect.poll(() => log(chat).getByText("You said: both").count()).toBe(0);
	});

	it("what is seen in one tab is seen in the other", async () => {
		const one = await arrive();
		const pages = [one.page, await one.context.newPage()];
		const chats: FrameLocator[] = [];
		for (const page of pages) chats.push(await openCorner(page));
		const [chat, other] = chats as [FrameLocator, FrameLocator];
		await say(chat, "think");
		await log(other).getByText("think").waitFor();
		const buttons = pages.map((page) => page.locator("earth-online button").first());
		const names = () => Promise.all(buttons.map((button) => button.getAttribute("aria-label")));
		for (const [i, page] of pages.entries()) {
			await page.bringToFront();
			await buttons[i]?.click();
		}
		letGo();
		await expect.poll(names).toEqual(["Chat with Mira, 1 unread", "Chat with Mira, 1 unread"]);
		await one.page.bringToFront();
		await buttons[0]?.click();
		await expect.poll(names).toEqual(["Chat with Mira", "Chat with Mira"]);
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

	/** A chat that was closed before its answer came, and its button. */
	async function oneUnread(page: Page) {
		const chat = await openCorner(page);
		await say(chat, "think");
		await expect.poll(() => contextId()).not.toBe("");
		const button = page.locator("earth-online button").first();
		await button.click();
		letGo();
		await expect.poll(() => button.getAttribute("aria-label")).toBe("Chat with Mira, 1 unread");
		return { chat, button };
	}

	it("what came while the chat was closed is a number on the button and in its name, until it is looked at", async () => {
		const one = await arrive();
		const { button } = await oneUnread(one.page);
		await button.click();
		await expect.poll(() => button.getAttribute("aria-label")).toBe("Chat with Mira");
	});

	it("the page hears that nobody is there any more, though its config said otherwise", async () => {
		const one = await arrive();
		await one.page.goto(`${demo.url}/studio.html`);
		await one.page.locator("earth-online button").first().waitFor();
		const online = () =>
			one.page.evaluate(() => (Reflect.get(self, "EarthOnline") as { get(): { state: { online: boolean } } }).get().state.online);
		expect(await online()).toBe(true);
		await desk.engine.owner.changeSettings("mira", { builtInAnswerer: false });
		await one.page.locator("earth-online button").first().click();
		await expect.poll(online).toBe(false);
	});

	it("who is logged out has no number on the button, and no other tab shows what was said", async () => {
		const one = await arrive();
		const { chat, button } = await oneUnread(one.page);
		// In this tab nobody has opened the chat.
		const other = await one.context.newPage();
		await other.goto(`${demo.url}/studio.html`);
		await other.locator("earth-online button").first().waitFor();
		await other.evaluate(() => (Reflect.get(self, "EarthOnline") as { get(): { logout(): Promise<void> } }).get().logout());
		await expect.poll(() => button.getAttribute("aria-label")).toBe("Chat with Mira");
		await one.page.bringToFront();
		await button.click();
		await chat.getByText("A desk for tests").waitFor();
		expect(await log(chat).getByText("think").count()).toBe(0);
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
