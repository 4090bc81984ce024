/** Pictures in the chat, what a visitor thinks of answers, the conversation as a file, and a desk that nobody is at (widget.md, the S rows). */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { fromCamera, gif, png } from "../pictures.js";
import { arrive, box, desk, fill, hoursOfTomorrow, log, menu, openCorner, openPage, origin, say, turns, useChat } from "./chat-place.js";

useChat();

/** A PNG of about so many bytes, which no packing makes fewer. */
const noise = (bytes: number): Promise<Buffer> => {
	const side = Math.ceil(Math.sqrt(bytes / 3));
	return sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
		.png()
		.toBuffer();
};
const file = (name: string, buffer: Buffer, mimeType = "image/png") => ({ name, mimeType, buffer });

describe("a picture", () => {
	it("is chosen with the button, shown, sent with words, seen by who answers and by the visitor after a reload", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		const choosing = one.page.waitForEvent("filechooser");
		await chat.getByRole("button", { name: "Add a picture" }).click();
		await (await choosing).setFiles(file("my cup.png", await png(60, 40)));
		await chat.getByText("1 picture is ready to send").waitFor();
		expect(await chat.locator(".attached img").evaluate((img: HTMLImageElement) => img.src.startsWith("blob:"))).toBe(true);
		await say(chat, "What is this?");
		await log(chat).getByText("You said: What is this? with 1 pictures").waitFor();
		const part = turns.at(-1)?.incoming[0]?.message.parts[0];
		expect(part).toMatchObject({ mediaType: "image/png", filename: "my cup.png" });
		expect(part?.url).toMatch(new RegExp(`^${origin}/f/[\\w-]{32}$`));
		await one.page.reload();
		const picture = log(chat).getByRole("img", { name: "my cup.png" });
		await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(60);
		expect(await picture.evaluate((img: HTMLImageElement) => img.src)).toBe(part?.url);
		// Nothing was asked of anybody but our own origin.
		expect(one.requests.filter((url) => !url.startsWith(origin) && !url.startsWith("blob:"))).toEqual([]);
	});

	it("is pasted, dropped, and may go without words, from a site's corner too", async () => {
		const one = await arrive();
		const chat = await openCorner(one.page);
		// Before the desk has answered, nobody knows whether it takes pictures.
		await chat.getByRole("button", { name: "Add a picture" }).waitFor();
		const bytes = [...(await png(20, 10))];
		const put = (type: "paste" | "drop") =>
			box(chat).evaluate(
				(area, { type, bytes }) => {
					const data = new DataTransfer();
					data.items.add(new File([new Uint8Array(bytes)], `${type}.png`, { type: "image/png" }));
					const init = { bubbles: true, cancelable: true };
					if (type === "paste") area.dispatchEvent(new ClipboardEvent("paste", { ...init, clipboardData: data }));
					else for (const name of ["dragover", "drop"]) area.dispatchEvent(new DragEvent(name, { ...init, dataTransfer: data }));
				},
				{ type, bytes },
			);
		await put("paste");
		await put("drop");
		await chat.getByText("2 pictures are ready to send").waitFor();
		await box(chat).press("Enter");
		await log(chat).getByText("You said: with 2 pictures").waitFor();
		await expect
			.poll(() =>
				log(chat)
					.locator(".pictures img")
					.evaluateAll((all) => all.map((img) => (img as HTMLImageElement).naturalWidth)),
			)
			.toEqual([20, 20]);
		expect(await log(chat).locator(".own .bubble").count()).toBe(0);
	});

	it("loses on its way what its camera wrote into it, and stands upright", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		await one.page.locator("input[type=file]").setInputFiles(file("IMG_1.jpg", await fromCamera(), "image/jpeg"));
		await chat.getByText("1 picture is ready to send").waitFor();
		await say(chat, "Here");
		const picture = log(chat).getByRole("img", { name: "IMG_1.jpg" });
		await expect.poll(() => picture.evaluate((img: HTMLImageElement) => [img.naturalWidth, img.naturalHeight])).toEqual([6, 8]);
		const kept = await (await fetch(await picture.evaluate((img: HTMLImageElement) => img.src))).arrayBuffer();
		expect(Buffer.from(kept).includes("Ada Secret")).toBe(false);
	});

	it("that is none is refused with a word that helps, and can be taken away by keyboard", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		await one.page
			.locator("input[type=file]")
			.setInputFiles([file("a.png", await gif()), file("b.png", (await png(90, 90)).subarray(0, 60))]);
		await chat.getByText("Only PNG, JPEG and WebP pictures can be sent.").waitFor();
		await chat.getByText("This picture cannot be read. Save it again first.").waitFor();
		expect(await chat.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
		const remove = chat.getByRole("button", { name: "Remove a.png" });
		await remove.focus();
		await one.page.keyboard.press("Enter");
		await expect.poll(() => remove.count()).toBe(0);
		expect(await one.page.evaluate(() => document.activeElement?.localName)).toBe("textarea");
	});

	it("shows how far it has come", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		await chat.getByRole("button", { name: "Add a picture" }).waitFor();
		const devtools = await one.context.newCDPSession(one.page);
		await devtools.send("Network.enable");
		// A telephone's line, on which 400 KB are a second.
		const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 400 * 1024 };
		await devtools.send("Network.emulateNetworkConditions", slow);
		await chat.evaluate(() => {
			const values: number[] = [];
			Reflect.set(self, "values", values);
			new MutationObserver(() => {
				const bar = document.querySelector<HTMLProgressElement>(".attached progress");
				if (bar && bar.value !== values.at(-1)) values.push(bar.value);
			}).observe(document.body, { subtree: true, childList: true, attributes: true });
		});
		await one.page.locator("input[type=file]").setInputFiles(file("noise.png", await noise(500_000)));
		await chat.getByRole("progressbar", { name: "Uploading noise.png" }).waitFor();
		await chat.getByText("1 picture is ready to send").waitFor();
		expect(await chat.getByRole("progressbar").count()).toBe(0);
		const values = await chat.evaluate(() => Reflect.get(self, "values") as number[]);
		expect(values).toEqual([...values].sort((a, b) => a - b));
		expect(values.filter((value) => value > 0 && value < 1).length).toBeGreaterThan(1);
	});

	it("that is taken away while this browser still works on it is never sent", async () => {
		const one = await arrive();
		await one.page.addInitScript(() => {
			const make = createImageBitmap;
			const held = new Promise<void>((done) => Reflect.set(self, "letGo", done));
			const worked = new Promise<void>((done) => Reflect.set(self, "worked", done));
			Reflect.set(self, "done", worked);
			Reflect.set(self, "createImageBitmap", async (of: Blob) => {
				await held;
				const made = await make(of);
				(Reflect.get(self, "worked") as () => void)();
				return made;
			});
		});
		const chat = await openPage(one.page);
		await chat.getByRole("button", { name: "Add a picture" }).waitFor();
		await one.page.locator("input[type=file]").setInputFiles(file("secret.png", await png()));
		await chat.getByRole("button", { name: "Remove secret.png" }).click();
		await chat.evaluate(async () => {
			(Reflect.get(self, "letGo") as () => void)();
			await Reflect.get(self, "done");
		});
		// The next one goes the same way, so what the first would have sent has been sent by then.
		await one.page.locator("input[type=file]").setInputFiles(file("fine.png", await png()));
		await chat.getByText("1 picture is ready to send").waitFor();
		expect(one.requests.filter((url) => url.endsWith("/@mira/files"))).toHaveLength(1);
	});

	it("of more pixels than the server takes is made smaller here, though it is a small file", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		await chat.getByRole("button", { name: "Add a picture" }).waitFor();
		const large = await png(5_000, 4_000);
		expect(large.byteLength).toBeLessThan(1024 * 1024);
		await one.page.locator("input[type=file]").setInputFiles(file("large.png", large));
		await chat.getByText("1 picture is ready to send").waitFor();
		await say(chat, "Here");
		const picture = log(chat).getByRole("img", { name: "large.png" });
		await expect.poll(() => picture.evaluate((img: HTMLImageElement) => [img.naturalWidth, img.naturalHeight])).toEqual([2_000, 1_600]);
	});

	it("is tried again where the connection failed it", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		let fail = true;
		await one.page.route("**/@mira/files", (route) => (fail ? route.abort() : route.continue()));
		await one.page.locator("input[type=file]").setInputFiles(file("a.png", await png()));
		await chat.getByText("Not uploaded.").waitFor();
		fail = false;
		await chat.getByRole("button", { name: "Try again" }).click();
		await chat.getByText("1 picture is ready to send").waitFor();
	});

	it("cannot be added where the desk takes none", async () => {
		await desk.engine.owner.changeSettings("mira", { parts: "text" });
		const chat = await openPage((await arrive()).page);
		// The desk has answered, and has not said that it takes any.
		await chat.getByText("Online", { exact: true }).waitFor();
		expect(await chat.getByRole("button", { name: "Add a picture" }).count()).toBe(0);
	});
});

describe("what a visitor thinks of an answer", () => {
	it("is one thumb, theirs to change; it stays over a reload, shows in other tabs, and its owner reads it", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		const other = await one.context.newPage();
		await say(chat, "Rate me");
		await log(chat).getByText("You said: Rate me").waitFor();
		await openPage(other);
		await one.page.bringToFront();
		const up = (page: typeof one.page) => log(page).getByRole("button", { name: "Helpful", exact: true });
		const down = (page: typeof one.page) => log(page).getByRole("button", { name: "Not helpful" });
		await up(chat).click();
		await expect.poll(() => up(other).getAttribute("aria-pressed")).toBe("true");
		await down(chat).click();
		await one.page.reload();
		await expect.poll(() => down(chat).getAttribute("aria-pressed")).toBe("true");
		expect(await up(chat).getAttribute("aria-pressed")).toBe("false");
		expect((await desk.engine.owner.ratings("mira"))[0]).toMatchObject({ value: "down", text: "You said: Rate me" });
		await down(chat).click();
		await expect.poll(async () => (await desk.engine.owner.ratings("mira")).length).toBe(0);
	});
});

describe("the conversation as a file", () => {
	it("holds all of it, however long, as Markdown that its own words cannot bend", async () => {
		const one = await arrive();
		const chat = await openPage(one.page);
		await say(chat, "first *words*");
		await log(chat).getByText("You said: first words").waitFor();
		await fill(60);
		await one.page.reload();
		await log(chat).getByText("You said: word 59").waitFor();
		const downloading = one.page.waitForEvent("download");
		await (await menu(chat, "Save the conversation")).click();
		const download = await downloading;
		expect(download.suggestedFilename()).toMatch(/^mira-\d{4}-\d\d-\d\d\.md$/);
		const text = await readFile(await download.path(), "utf8");
		expect(text).toContain("# Conversation with Mira");
		expect(text).toContain("first \\*words\\*");
		expect(text.indexOf("word 0")).toBeGreaterThan(0);
		expect(text.match(/^\*\*You\*\*/gm)).toHaveLength(61);
		expect(text.match(/^\*\*Mira\*\*/gm)).toHaveLength(61);
	});
});

describe("a tab of its own", () => {
	it("holds the same conversation of the same guest, where the browser lets the two share what they keep", async () => {
		const one = await arrive();
		const chat = await openCorner(one.page);
		await say(chat, "Hello from the corner");
		await log(chat).getByText("You said: Hello from the corner").waitFor();
		const opening = one.context.waitForEvent("page");
		await (await menu(chat, "Open in a tab of its own")).click();
		const page = await opening;
		await log(page).getByText("You said: Hello from the corner").waitFor();
		expect(new URL(page.url()).search).not.toContain("eolg");
		expect(await (await menu(page, "Open in a tab of its own")).count()).toBe(0);
	});
});

describe("nobody answers now", () => {
	it("is said before a question and after it; the question is kept and answered when somebody comes", async () => {
		await desk.engine.owner.changeSettings("mira", { builtInAnswerer: false });
		const one = await arrive();
		const chat = await openPage(one.page);
		await chat.getByText("Mira is away at the moment. You can leave a question: it is kept and answered here.").waitFor();
		expect(await box(chat).getAttribute("placeholder")).toBe("Leave a question for Mira");
		await say(chat, "Do you ship?");
		await log(chat).getByText("Your question is kept; the answer will be here when you come back.").waitFor();
		expect(await chat.getByText("You can leave a question").count()).toBe(0);
		await desk.engine.owner.changeSettings("mira", { builtInAnswerer: true });
		await log(chat).getByText("You said: Do you ship?").waitFor();
		await chat.getByText("Online", { exact: true }).waitFor();
		expect(await chat.getByText("is kept").count()).toBe(0);
	});

	it("says when somebody is back, where the owner's hours say it, in the visitor's own time", async () => {
		await desk.engine.owner.changeSettings("mira", { hours: hoursOfTomorrow() });
		const one = await arrive({ timezoneId: "Asia/Shanghai" });
		const chat = await openPage(one.page);
		await chat.getByText(/Mira is back (?:on \w+day )?at 10:00\. You can leave a question until then/).waitFor();
		await say(chat, "Do you ship?");
		await log(chat)
			.getByText(/Your question is kept\. Mira is back (?:on \w+day )?at 10:00; the answer will be here\./)
			.waitFor();
		await desk.engine.owner.changeSettings("mira", { hours: "" });
		await log(chat).getByText("You said: Do you ship?").waitFor();
	});
});
