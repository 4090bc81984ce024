/** The chat for everybody: keyboard, readers, sizes, languages; colours and motion in chat-looks.test.ts. A describe is a row that everybody must get. */
import type { Frame, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { gif, png } from "../pictures.js";
import { arrive, between, box, contextId, desk, fill, framed, letGo, log, openCorner, openPage, say, useChat } from "./chat-place.js";

useChat();

describe("M: keyboard: Esc, focus, roles, one announcer, targets of 44 px, zoom", () => {
	/** What has the keyboard in a document, in words that a test can name. */
	const focused = (frame: Frame): Promise<string> =>
		frame.evaluate(() => {
			const at = document.activeElement as HTMLElement;
			return document.hasFocus() && at !== document.body ? at.getAttribute("aria-label") || (at.textContent ?? "").trim() : "";
		});

	it("Esc closes and gives the focus back", async () => {
		const one = await arrive();
		const chat = await openCorner(one.page);
		await expect.poll(() => framed(one.page).evaluate(() => document.activeElement?.localName)).toBe("textarea");
		await box(chat).press("Escape");
		await one.page.locator("earth-online iframe").waitFor({ state: "hidden" });
		await expect.poll(() => one.page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName)).toBe("button");
	});

	it("the whole chat is worked by Tab alone: every control once, in the order in which they stand, then out of it", async () => {
		const one = await arrive();
		const { page } = one;
		const chat = await openCorner(page);
		await say(chat, "format");
		await log(chat).locator("strong", { hasText: "bold" }).waitFor();
		await log(chat).getByRole("button", { name: "Helpful", exact: true }).waitFor();
		await expect.poll(() => log(chat).locator(".dots").count()).toBe(0);
		await box(chat).fill("not sent yet");
		const frame = framed(page);
		/** Everything that can be pressed, followed or written into. A menu and a list are one stop, worked by arrows from there. */
		const all = await frame.evaluate(() =>
			[...document.querySelectorAll<HTMLElement>("a[href], button, input, textarea, [tabindex]")]
				.filter((el) => el.tabIndex >= 0 && el.checkVisibility() && !(el as HTMLButtonElement).disabled)
				.map((el) => el.getAttribute("aria-label") || (el.textContent ?? "").trim()),
		);
		expect(all).toEqual(
			expect.arrayContaining(["Menu", "our shop", "Copy", "Helpful", "Not helpful", "Add a picture", "Write to Mira", "Send"]),
		);
		await chat.getByRole("button", { name: "Menu" }).focus();
		const reached: string[] = [];
		for (let at = await focused(frame); at !== "" && reached.length < 40; at = await focused(frame)) {
			reached.push(at);
			await page.keyboard.press("Tab");
			// What is reached is brought into sight, and the way to the newest line comes and goes with that: nobody is quicker than a frame.
			await frame.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
		}
		expect(reached).toEqual(all);
		// And it works: the menu by its arrows, a thumb and what was written by Enter.
		await chat.getByRole("button", { name: "Menu" }).focus();
		await page.keyboard.press("Enter");
		await expect.poll(() => focused(frame)).toBe("New conversation");
		await page.keyboard.press("ArrowDown");
		expect(await focused(frame)).toMatch(/^Sound/);
		await page.keyboard.press("Escape");
		await expect.poll(() => focused(frame)).toBe("Menu");
		for (let i = 0; i < 40 && (await focused(frame)) !== "Helpful"; i++) await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		await expect.poll(() => log(chat).getByRole("button", { name: "Helpful", exact: true }).getAttribute("aria-pressed")).toBe("true");
		for (let i = 0; i < 40 && (await focused(frame)) !== "Send"; i++) await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		await log(chat).getByText("You said: not sent yet").waitFor();
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

	/** Controls that a finger of 44 px does not hit, whole: something else lies over a part of it, or it is smaller. Links within words are as large as the words. */
	const small = (page: Page, within = "body"): Promise<string[]> =>
		page.evaluate((within) => {
			const found: string[] = [];
			for (const el of document.querySelectorAll<HTMLElement>(`${within} :is(button, textarea, a, [role^=menuitem])`)) {
				if (!el.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || el.closest(".prose p, .prose li, .prose td"))
					continue;
				el.scrollIntoView({ block: "nearest" });
				const { left, top, width, height } = el.getBoundingClientRect();
				const [x, y] = [left + width / 2, top + height / 2];
				for (const [dx, dy] of [
					[-21, 0],
					[21, 0],
					[0, -21],
					[0, 21],
				] as const) {
					const hit = document.elementFromPoint(x + dx, y + dy);
					if (hit && el.contains(hit)) continue;
					found.push(`${el.getAttribute("aria-label") || el.textContent}: ${Math.round(width)} x ${Math.round(height)}, ${hit?.className}`);
					break;
				}
			}
			return found;
		}, within);

	it("gives every control 44 px: in the empty chat, the menu, notices, beside pictures, code and files", async () => {
		const one = await arrive({ reducedMotion: "reduce" });
		const { page } = one;
		// A browser that keeps nothing has a notice with a button.
		await page.addInitScript(() => Object.defineProperty(self, "localStorage", { get: () => null }));
		const server = await between(page);
		let broken = true;
		await page.route("**/@mira/files", (route) => (broken ? route.abort() : route.continue()));
		const chat = await openPage(page);
		await chat.getByText("This browser keeps nothing").waitFor();
		await chat.getByRole("button", { name: "Add a picture" }).waitFor();
		const found: Record<string, string[]> = {};
		const look = async (state: string, within?: string): Promise<void> => {
			const seen = await small(page, within);
			if (seen.length > 0) found[state] = seen;
		};
		await look("empty, with a notice");
		const file = (name: string, buffer: Buffer) => ({ name, mimeType: "image/png", buffer });
		const input = page.locator("input[type=file]");
		await input.setInputFiles([file("not sent.png", await png()), file("none.png", await gif())]);
		await expect.poll(() => chat.locator(".attached li.failed").count()).toBe(2);
		broken = false;
		await input.setInputFiles(file("sent.png", await png()));
		await chat.getByText("1 picture is ready to send").waitFor();
		await look("pictures beside the words");
		await say(chat, "format");
		await log(chat).locator("strong", { hasText: "bold" }).waitFor();
		await log(chat).getByRole("button", { name: "Helpful", exact: true }).waitFor();
		await expect.poll(() => log(chat).locator(".dots").count()).toBe(0);
		await look("code, a picture, thumbs");
		const parts = [
			{ url: "https://files.example/a.pdf", filename: "a.pdf" },
			{ raw: "aGk=", filename: "hi.txt" },
		];
		server.tell({ seq: server.seq() + 1, message: { messageId: "files", role: "ROLE_AGENT", contextId: contextId(), parts } });
		await log(chat).getByText("a.pdf").waitFor();
		await look("files");
		await chat.getByRole("button", { name: "Menu" }).click();
		await look("the menu", ".menu");
		expect(found).toEqual({});
	});

	it("gives every control 44 px: under what was not sent, at the end, further up, and where the chat is closed", async () => {
		const one = await arrive({ reducedMotion: "reduce", viewport: { width: 400, height: 520 } });
		const { page } = one;
		const server = await between(page);
		const chat = await openPage(page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		server.refuse(2);
		for (const words of ["one", "two"]) await say(chat, words);
		await expect.poll(() => log(chat).getByRole("button", { name: "Discard" }).count()).toBe(2);
		expect(await small(page)).toEqual([]);
		for (const _ of "12") await log(chat).getByRole("button", { name: "Discard" }).first().click();
		await fill(4);
		await log(chat).getByText("You said: word 3").waitFor();
		await log(chat).evaluate((box) => {
			box.scrollTop = 0;
		});
		await chat.locator(".newest").waitFor();
		expect(await chat.locator(".newest").evaluate((el: HTMLElement) => Math.min(el.offsetWidth, el.offsetHeight))).toBeGreaterThanOrEqual(
			44,
		);
		await say(chat, "bye");
		await log(chat).getByRole("button", { name: "New conversation" }).waitFor();
		expect(await small(page)).toEqual([]);
		await server.cut(4403);
		await chat.getByText("This chat is not open here.").waitFor();
		expect(await small(page)).toEqual([]);
	});

	it("finds a control that is too small or covered", async () => {
		const chat = await openPage((await arrive()).page);
		await chat.getByRole("button", { name: "Add a picture" }).waitFor();
		expect(await small(chat)).toEqual([]);
		await chat.getByRole("button", { name: "Menu" }).evaluate((el) => el.style.setProperty("width", "40px"));
		await box(chat).evaluate((el) => el.style.setProperty("margin-inline-start", "-20px"));
		expect((await small(chat)).map((line) => line.split(":")[0])).toEqual(["Menu", "Add a picture"]);
	});

	it("can be used at 200 % zoom: half of a small window", async () => {
		const one = await arrive({ viewport: { width: 320, height: 256 } });
		const chat = await openPage(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		expect(await one.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
		expect(await chat.getByRole("button", { name: "Send" }).evaluate((b) => b.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
	});
});

describe("a small line under the box says by what the chat runs, and an empty chat has at most three suggestions (EMB-13)", () => {
	it.each(["en-US", "zh-CN"])("in the corner and as a page, %s", async (locale) => {
		await desk.engine.owner.changeProfile("mira", { suggestions: ["One?", "Two?", "Three?"] });
		for (const where of [openCorner, openPage]) {
			const one = await arrive({ locale });
			const chat = await where(one.page);
			const line = chat.locator("footer");
			expect(await line.textContent()).toBe(locale === "en-US" ? "Powered by EarthOnline" : "由 EarthOnline 提供");
			const below = await line.evaluate(
				(el) => el.getBoundingClientRect().top >= (document.querySelector(".box")?.getBoundingClientRect().bottom ?? 0),
			);
			expect(below).toBe(true);
			expect(await line.evaluate((el) => el.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
			await chat.locator(".empty li").first().waitFor();
			expect(await chat.locator(".empty li").allTextContents()).toEqual(["One?", "Two?", "Three?"]);
		}
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
