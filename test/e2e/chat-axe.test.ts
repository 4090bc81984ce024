/** Every state of the chat before axe, in both themes and both languages: nothing serious, nothing critical. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { gif, png } from "../pictures.js";
import { arrive, box, desk, letGo, log, openPage, say, useChat } from "./chat-place.js";

useChat();

const WHERE = ["light", "dark"].flatMap((colorScheme) =>
	["en-US", "zh-CN"].map((locale) => ({ colorScheme: colorScheme as "light" | "dark", locale })),
);

const findings = async (page: Page): Promise<string[]> =>
	(await new AxeBuilder({ page }).analyze()).violations
		.filter((v) => v.impact === "serious" || v.impact === "critical")
		.map((v) => `${v.id}: ${v.nodes[0]?.html}`);

describe.each(WHERE)("axe finds nothing serious, $colorScheme, $locale", ({ colorScheme, locale }) => {
	it("away, asked, answered, with pictures, a menu, an answer under way, offline, ended", async () => {
		// axe is a script of ours in a page that lets none in; what fades in has no contrast of its own yet.
		const one = await arrive({ colorScheme, locale, bypassCSP: true, reducedMotion: "reduce" });
		const { page } = one;
		const found: Record<string, string[]> = {};
		const look = async (state: string): Promise<void> => {
			const seen = await findings(page);
			if (seen.length > 0) found[state] = seen;
		};
		await desk.engine.owner.changeSettings("mira", { hours: "Sun 02:00-02:30 UTC" });
		const chat = await openPage(page);
		await chat.locator(".notice").waitFor();
		await look("away");
		await say(chat, "hello");
		await log(chat).locator(".aside").first().waitFor();
		await look("waiting for somebody to come");
		await desk.engine.owner.changeSettings("mira", { hours: "" });
		await log(chat).getByText("You said: hello").waitFor();
		await look("answered");
		await chat.locator(".thumbs .round").first().click();
		const files = [await png(), await gif()].map((buffer, i) => ({ name: `${i}.png`, mimeType: "image/png", buffer }));
		await page.locator("input[type=file]").setInputFiles(files);
		await chat.locator(".attached li.ready").waitFor();
		await chat.locator(".attached li.failed").waitFor();
		await look("pictures beside the words");
		await chat.locator(".attached li.failed button").click();
		await box(chat).press("Enter");
		await log(chat).locator(".pictures img").waitFor();
		await log(chat).getByText("with 1 pictures").waitFor();
		await look("pictures in the conversation");
		await chat.locator(".menu > button").click();
		await look("the menu");
		await page.keyboard.press("Escape");
		await say(chat, "slowly");
		await log(chat).getByText("One piece,").waitFor();
		await look("an answer under way");
		letGo();
		await log(chat).getByText("and the rest.").waitFor();
		await one.context.setOffline(true);
		await say(chat, "later");
		await chat.locator(".notice").waitFor();
		await look("offline");
		await one.context.setOffline(false);
		await log(chat).getByText("You said: later").waitFor({ timeout: 30_000 });
		await say(chat, "bye");
		await log(chat).locator(".aside button").waitFor();
		await look("ended");
		expect(found).toEqual({});
	});
});
