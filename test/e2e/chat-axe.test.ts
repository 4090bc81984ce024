/** Every state of the chat before axe, in both themes and both languages: nothing serious, nothing critical. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { EXTENSIONS } from "../../shared/extensions.js";
import { gif, png } from "../pictures.js";
import { findings } from "./browser.js";
import { arrive, between, box, contextId, desk, fill, hoursOfTomorrow, letGo, log, openPage, say, turns, useChat } from "./chat-place.js";

useChat();

const WHERE = ["light", "dark"].flatMap((colorScheme) =>
	["en-US", "zh-CN"].map((locale) => ({ colorScheme: colorScheme as "light" | "dark", locale })),
);

describe.each(WHERE)("axe finds nothing serious, $colorScheme, $locale", ({ colorScheme, locale }) => {
	/** A visitor whose page axe may look at: it is a script of ours in a page that lets none in, and what fades in has no contrast of its own yet. */
	async function looking(): Promise<{ page: Page; look(state: string): Promise<void>; found: Record<string, string[]> }> {
		const { page } = await arrive({ colorScheme, locale, bypassCSP: true, reducedMotion: "reduce", viewport: { width: 420, height: 700 } });
		const found: Record<string, string[]> = {};
		return {
			page,
			found,
			async look(state) {
				const seen = await findings(page);
				if (seen.length > 0) found[state] = seen;
			},
		};
	}

	it("away, asked, answered, with pictures, a menu, an answer under way, ended", async () => {
		const { page, look, found } = await looking();
		await desk.engine.owner.changeSettings("mira", { hours: hoursOfTomorrow() });
		const chat = await openPage(page);
		await chat.locator(".notice").waitFor();
		await look("away");
		await say(chat, "hello");
		await log(chat).locator(".aside").first().waitFor();
		await look("waiting for somebody to come");
		await desk.engine.owner.changeSettings("mira", { hours: "" });
		await log(chat).getByText("You said: hello").waitFor();
		await chat.locator(".thumbs .round").first().click();
		await look("answered, and rated");
		const files = [await png(), await gif()].map((buffer, i) => ({ name: `${i}.png`, mimeType: "image/png", buffer }));
		await page.locator("input[type=file]").setInputFiles(files);
		await chat.locator(".attached li.ready").waitFor();
		await chat.locator(".attached li.failed").waitFor();
		await look("pictures beside the words");
		await box(chat).press("Enter");
		await log(chat).locator(".pictures img").waitFor();
		await log(chat).getByText("with 1 pictures").waitFor();
		await look("a picture in the conversation, and one that was left");
		await chat.locator(".attached li.failed button").click();
		await chat.locator(".menu > button").click();
		await look("the menu");
		await page.keyboard.press("Escape");
		await say(chat, "slowly");
		await log(chat).getByText("One piece,").waitFor();
		await look("an answer under way");
		letGo();
		await log(chat).getByText("and the rest.").waitFor();
		await say(chat, "bye");
		await log(chat).locator(".aside button").waitFor();
		await look("ended");
		expect(found).toEqual({});
	});

	it("nothing kept, a person here, waiting for one, not sent, new lines below, a picture held over it, without a connection, closed", async () => {
		const { page, look, found } = await looking();
		await page.addInitScript(() => Object.defineProperty(self, "localStorage", { get: () => null }));
		await page.clock.install();
		const server = await between(page);
		const chat = await openPage(page);
		await chat.locator(".notice").waitFor();
		await chat.locator(".add").waitFor();
		await look("empty, and nothing is kept");
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		await fill(4);
		await log(chat).getByText("You said: word 3").waitFor();
		await desk.engine.owner.takeMicrophone("mira", contextId());
		await expect.poll(() => chat.locator(".presence").textContent()).toMatch(/^Mira is here$|^Mira ?本人在线$/);
		const by = { [EXTENSIONS.humanTakeover]: { by: "human", name: "Mira Okafor", signed: "Mira Okafor · phone" } };
		let told = 0;
		const said = (messageId: string, text: string) =>
			server.tell({
				seq: server.seq() + 1 + told++,
				message: { messageId, role: "ROLE_AGENT", contextId: contextId(), parts: [{ text }], metadata: by },
			});
		said("p", "It is me.");
		await log(chat).getByText("It is me.").waitFor();
		const status = { state: "TASK_STATE_WORKING" as const };
		const metadata = { [EXTENSIONS.ownerWait]: { waitingOn: "owner" } };
		server.tell({ seq: server.seq() + 1 + told++, statusUpdate: { taskId: "t", contextId: contextId(), status, metadata } });
		await log(chat).locator(".dot.wait").waitFor();
		await look("a person is here, and somebody is waited for");
		server.refuse(1);
		await say(chat, "too much");
		await log(chat).locator(".failed").waitFor();
		await look("not sent");
		await log(chat).evaluate((lines) => {
			lines.scrollTop = 0;
		});
		await chat.locator(".newest").waitFor();
		said("q", "And more.");
		await chat.locator(".newest span").waitFor();
		await look("new lines below");
		await box(chat).evaluate((area) => {
			const dataTransfer = new DataTransfer();
			dataTransfer.items.add(new File(["x"], "a.png", { type: "image/png" }));
			area.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer }));
		});
		await chat.locator(".drop").waitFor();
		await look("a picture is held over it");
		await box(chat).evaluate((area) => area.dispatchEvent(new DragEvent("dragleave", { bubbles: true })));
		await server.cut();
		await page.clock.runFor(5_000);
		await expect.poll(() => chat.locator(".notice").count()).toBe(2);
		await look("without a connection");
		await server.mend();
		await page.clock.runFor(1_000);
		await expect.poll(() => chat.locator(".notice").count()).toBe(1);
		await server.cut(4403);
		await chat.locator(".closed button").waitFor();
		await look("closed");
		expect(found).toEqual({});
		turns.length = 0;
	});
});
