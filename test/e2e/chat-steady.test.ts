/** How the chat holds together: its one sound, its connection, what stays in sight, and what is kept of whom. A describe is a row that every visitor must get. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { png } from "../pictures.js";
import { arrive, between, box, demo, desk, fill, framed, log, menu, openCorner, openPage, say, useChat } from "./chat-place.js";
import { open, tag } from "./site.js";

useChat();

describe("M: one tab makes a sound, off by default", () => {
	it("is silent until it is switched on, sounds once where nobody looks, and not at all where somebody does", async () => {
		const one = await arrive();
		await one.context.addInitScript(() => {
			const sounds: string[] = [];
			Reflect.set(self, "sounds", sounds);
			const start = OscillatorNode.prototype.start;
			OscillatorNode.prototype.start = function (...args) {
				sounds.push("tone");
				return start.apply(this, args);
			};
			Object.defineProperty(Document.prototype, "visibilityState", { get: () => (Reflect.get(self, "looked") ? "visible" : "hidden") });
		});
		await one.context.clock.install();
		const chat = await openPage(one.page);
		const two = await openPage(await one.context.newPage());
		/** Both have heard it, and whatever they do about it some time later is done. */
		const heard = async (words: string): Promise<void> => {
			await say(chat, words);
			for (const page of [chat, two]) await log(page).getByText(`You said: ${words}`).waitFor();
			await one.context.clock.runFor(1_000);
		};
		const sounds = async (): Promise<number[]> => {
			const all = await Promise.all([one.page, two].map((page) => page.evaluate(() => (Reflect.get(self, "sounds") as string[]).length)));
			return all.sort((a, b) => a - b);
		};
		await heard("quietly");
		expect(await sounds()).toEqual([0, 0]);
		await one.page.bringToFront();
		await (await menu(chat, "Sound")).click();
		await heard("aloud");
		await expect.poll(sounds).toEqual([0, 2]);
		await two.evaluate(() => Reflect.set(self, "looked", true));
		await heard("seen");
		expect(await sounds()).toEqual([0, 2]);
		// Nobody looks any more.
		await two.evaluate(() => Reflect.set(self, "looked", false));
		await heard("heard");
		await expect.poll(async () => (await sounds()).reduce((a, b) => a + b)).toBe(4);
	});
});

describe("M: order is the server's; backoff with full jitter, reset only after a stable connection; bfcache", () => {
	it("comes back at random times, further and further apart, up to half a minute, and soon after a good connection", async () => {
		const one = await arrive();
		await one.page.clock.install();
		const server = await between(one.page);
		await one.page.addInitScript(() => {
			const dials: number[] = [];
			Reflect.set(self, "dials", dials);
			const Real = WebSocket;
			/** A server that is down ends every connection at once. */
			class Down {
				onclose: ((event: { code: number }) => void) | null = null;
				constructor() {
					queueMicrotask(() => this.onclose?.({ code: 1006 }));
				}
				close(): void {}
			}
			Reflect.set(
				self,
				"WebSocket",
				new Proxy(Real, {
					construct(target, args) {
						dials.push(Date.now());
						return Reflect.get(self, "down") ? new Down() : Reflect.construct(target, args);
					},
				}),
			);
		});
		const chat = await openPage(one.page);
		await chat.getByText("Online", { exact: true }).waitFor();
		const gaps = async (): Promise<number[]> => {
			const dials = await one.page.evaluate(() => (Reflect.get(self, "dials") as number[]).splice(0));
			return dials.slice(1).map((at, i) => at - (dials[i] as number));
		};
		await one.page.evaluate(() => Reflect.set(self, "down", true));
		await server.cut();
		await one.page.clock.runFor(20 * 60_000);
		const waits = await gaps();
		// A wait of up to 30 s is 15 s long on an average, and no two are the same.
		expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
		expect(Math.max(...waits)).toBeGreaterThan(10_000);
		expect(waits.length).toBeGreaterThan(40);
		expect(new Set(waits).size).toBeGreaterThan(waits.length * 0.9);
		expect(waits.slice(0, 3).reduce((a, b) => a + b)).toBeLessThanOrEqual(3_500);
		// A good connection is one that has held for five seconds; after one for a moment it goes on where it was.
		await one.page.evaluate(() => {
			Math.random = () => 0.5;
		});
		const again = async (goodFor: number): Promise<number> => {
			await one.page.evaluate(() => Reflect.set(self, "down", false));
			await server.mend();
			await one.page.clock.resume();
			await chat.getByText("Online", { exact: true }).waitFor();
			// From here on no time passes but what is let pass: however slow the machine, the connection holds as long as is said.
			await one.page.clock.pauseAt((await one.page.evaluate(() => Date.now())) + goodFor);
			await one.page.evaluate(() => Reflect.set(self, "down", true));
			await gaps();
			await server.cut();
			await one.page.clock.runFor(60_000);
			return (await gaps()).length;
		};
		expect(await again(1_000)).toBeLessThan(6);
		expect(await again(6_000)).toBeGreaterThan(10);
	});

	it("is there at once where a page comes back whole from the browser's memory, and missed nothing", async () => {
		const one = await arrive();
		const server = await between(one.page);
		const chat = await openPage(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		const show = (type: "pagehide" | "pageshow") =>
			chat.evaluate((type) => void dispatchEvent(new PageTransitionEvent(type, { persisted: true })), type);
		await show("pagehide");
		await fill(1);
		await show("pageshow");
		await log(chat).getByText("You said: word 0").waitFor();
		expect(server.hellos).toHaveLength(2);
		expect(server.came).toEqual(server.came.map((_, i) => i + 1));
	});
});

describe("M: the newest line stays in sight, and what is being read stands still", () => {
	/** A picture of the visitor's in the conversation, whose bytes come when `arrives` is called: before, it takes no room to speak of. */
	async function withLatePicture(page: Page): Promise<{ chat: Page; arrives(): Promise<void> }> {
		const chat = await openPage(page);
		await chat.getByRole("button", { name: "Add a picture" }).waitFor();
		await page.locator("input[type=file]").setInputFiles({ name: "tall.png", mimeType: "image/png", buffer: await png(200, 400) });
		await chat.getByText("1 picture is ready to send").waitFor();
		await say(chat, "a picture");
		await log(chat).getByText("with 1 pictures").waitFor();
		await fill(6);
		let arrive: () => void = () => undefined;
		const come = new Promise<void>((done) => {
			arrive = done;
		});
		await page.route("**/f/*", async (route) => {
			await come;
			await route.continue();
		});
		await page.reload();
		await log(chat).getByText("You said: word 5").waitFor();
		const picture = log(chat).getByRole("img", { name: "tall.png" });
		return {
			chat,
			async arrives() {
				arrive();
				await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalHeight)).toBe(400);
				await expect.poll(() => picture.evaluate((img) => img.getBoundingClientRect().height)).toBeGreaterThan(200);
			},
		};
	}
	const top = (chat: Page, words: string) =>
		log(chat)
			.getByText(words)
			.evaluate((line) => Math.round(line.getBoundingClientRect().top));
	const fromEnd = (chat: Page) => log(chat).evaluate((box) => Math.round(box.scrollHeight - box.clientHeight - box.scrollTop));

	it("though a picture above it comes late and is tall", async () => {
		const one = await arrive({ viewport: { width: 500, height: 700 } });
		const { chat, arrives } = await withLatePicture(one.page);
		expect(await fromEnd(chat)).toBe(0);
		await arrives();
		await expect.poll(() => fromEnd(chat)).toBe(0);
		expect(await chat.locator(".newest").count()).toBe(0);
	});

	it("though the visitor reads further up, below a picture that comes late", async () => {
		const one = await arrive({ viewport: { width: 500, height: 500 }, reducedMotion: "reduce" });
		const { chat, arrives } = await withLatePicture(one.page);
		await log(chat).evaluate((box) => {
			box.scrollTop -= 120;
		});
		await chat.locator(".newest").waitFor();
		const grown = () => log(chat).evaluate((box) => box.scrollHeight);
		const [before, height] = [await top(chat, "You said: word 4"), await grown()];
		await arrives();
		expect(await grown()).toBeGreaterThan(height + 100);
		expect(Math.abs((await top(chat, "You said: word 4")) - before)).toBeLessThanOrEqual(1);
		// What is said now brings the end back, and with it everything is seen.
		await say(chat, "here I am");
		await log(chat).getByText("You said: here I am").waitFor();
		await expect.poll(() => fromEnd(chat)).toBe(0);
		await expect.poll(() => chat.locator(".newest").count()).toBe(0);
	});

	it("though its room grows and shrinks in one go, as where a keyboard goes and another, higher one comes", async () => {
		const one = await arrive({ viewport: { width: 500, height: 500 }, reducedMotion: "reduce" });
		const chat = await openPage(one.page);
		await say(chat, "hello");
		await log(chat).getByText("You said: hello").waitFor();
		await fill(8);
		await log(chat).getByText("You said: word 7").waitFor();
		await expect.poll(() => fromEnd(chat)).toBe(0);
		await chat.evaluate(async () => {
			const room = document.querySelector(".chat") as HTMLElement;
			const lines = document.querySelector(".scroll") as HTMLElement;
			const before = lines.scrollTop;
			room.style.height = "800px";
			const most = lines.scrollTop;
			room.style.height = "380px";
			// The browser had to scroll for the room; the word of it may come before that of the room, and then it comes so.
			if (lines.scrollTop !== most || most >= before) throw new Error("The browser did not scroll.");
			lines.dispatchEvent(new Event("scroll"));
			await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
		});
		expect(await fromEnd(chat)).toBe(0);
		expect(await chat.locator(".newest").count()).toBe(0);
		// Who goes up still leaves the end.
		await log(chat).evaluate((box) => {
			box.scrollTop -= 200;
		});
		await chat.locator(".newest").waitFor();
	});

	it("and an empty chat begins at its top, however low it is: nothing of it is cut off", async () => {
		await desk.engine.owner.changeProfile("mira", {
			about: "A desk for tests that has a great deal to say about itself, and says it in one breath, so that it takes four lines or five.",
			suggestions: ["What are your hours?", "Where are you, and how do I get there?", "Do you ship abroad?"],
		});
		const overflows: boolean[] = [];
		for (const height of [600, 520, 440, 380, 320]) {
			const one = await arrive();
			await open(one, `<body style="margin:0"><div style="width:420px">${tag(`data-mode="inline" data-height="${height}"`)}</div>`);
			const chat = one.page.frameLocator("earth-online iframe");
			await chat.locator(".empty").waitFor();
			const { overflows: isMore, ...cut } = await log(chat).evaluate((box) => {
				const first = [...box.querySelectorAll(".empty > *")].find((el) => el.checkVisibility());
				return {
					overflows: box.scrollHeight > box.clientHeight,
					scrolled: box.scrollTop,
					over: Math.min(0, (first?.getBoundingClientRect().top ?? -1) - box.getBoundingClientRect().top),
				};
			});
			overflows.push(isMore);
			expect([height, cut]).toEqual([height, { scrolled: 0, over: 0 }]);
			const last = chat.getByRole("button", { name: "Do you ship abroad?" });
			await last.scrollIntoViewIfNeeded();
			await last.click({ trial: true });
			await one.close();
		}
		// The lowest of them cannot show all of it at once.
		expect(overflows.at(-1)).toBe(true);
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

	it("inline, only scrolled past, makes no guest: nothing is stored, no socket opened, before the first touch", async () => {
		const { page } = await arrive();
		const sockets: string[] = [];
		page.on("websocket", (socket) => sockets.push(socket.url()));
		const storage = () => framed(page).evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
		const place = `<body><div style="height:2000px">far</div>${tag('data-mode="inline"')}<div style="height:2000px">far</div>`;
		await desk.engine.owner.changeSettings("mira", { builtInAnswerer: false });
		await open({ page } as Awaited<ReturnType<typeof arrive>>, place);
		await page.evaluate(() => scrollTo(0, 1_900));
		const chat = page.frameLocator("earth-online iframe");
		// It stands there whole: who it is, what one can ask, and that nobody is there.
		await chat.getByText("A desk for tests").waitFor();
		await chat.getByRole("button", { name: "What are your hours?" }).waitFor();
		await chat.getByText("Away", { exact: true }).waitFor();
		await chat.getByText("Mira is away at the moment.").waitFor();
		await page.mouse.move(300, 300);
		await page.mouse.wheel(0, 900);
		await page.waitForLoadState("networkidle");
		expect([sockets, await storage()]).toEqual([[], []]);
		await desk.engine.owner.changeSettings("mira", { builtInAnswerer: true });
		await chat.getByRole("button", { name: "What are your hours?" }).click();
		await log(chat).getByText("You said: What are your hours?").waitFor();
		await chat.getByText("Online", { exact: true }).waitFor();
		expect(sockets).toHaveLength(1);
		expect(await storage()).toContain("earthonline:mira:token");
		// Who has talked here before finds it again without a touch.
		await page.reload();
		await page.evaluate(() => scrollTo(0, 1_900));
		await log(chat).getByText("You said: What are your hours?").waitFor();
	});

	it.each(["a key", "a pointer", "the focus"])("inline connects at its first touch: %s", async (how) => {
		const one = await arrive();
		await open(one, `<body><input>${tag('data-mode="inline"')}`);
		const { page } = one;
		const sockets: string[] = [];
		page.on("websocket", (socket) => sockets.push(socket.url()));
		const chat = page.frameLocator("earth-online iframe");
		await chat.getByText("A desk for tests").waitFor();
		await page.locator("input").focus();
		await page.keyboard.type("elsewhere");
		expect(sockets).toEqual([]);
		if (how === "a pointer") await chat.getByText("A desk for tests").click();
		else if (how === "the focus") await box(chat).focus();
		else await page.keyboard.press("Tab");
		await expect.poll(() => sockets.length).toBe(1);
		await expect.poll(() => framed(page).evaluate(() => localStorage.getItem("earthonline:mira:token"))).toMatch(/^eolg_/);
	});
});
