/** The API of the tag and the ways in which pages load it, in a real Chromium (widget.md, "For the site's owner"). */
import { describe, expect, it } from "vitest";
import { echo } from "../desk.js";
import { launch, visitIn } from "./browser.js";
import { call } from "./embed-page.js";
import {
	arrive,
	button,
	chatReady,
	demo,
	desk,
	framed,
	heard,
	open,
	origin,
	ours,
	panel,
	says,
	standIn,
	tag,
	useSite,
	warnings,
} from "./site.js";

/** What the desk was told. */
const told: string[] = [];
useSite({
	answerer: {
		...echo,
		async *answer(turn, signal) {
			told.push(...turn.incoming.map(({ message }) => message.parts.map((part) => part.text ?? "").join("")));
			yield* echo.answer(turn, signal);
		},
	},
});

describe("M: one tag, an API with promises, a queue, and the same events as DOM events: window.EarthOnline.get()", () => {
	it("opens, says how it stands, and its promises wait for the chat", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body>${tag()}`);
		await button(one.page).waitFor();
		expect(await call(one.page, "chat.state")).toEqual({ open: false, ready: false, hidden: false, online: true, unread: 0 });
		expect(await call(one.page, "(await chat.open(), chat.state)")).toEqual({
			open: true,
			ready: true,
			hidden: false,
			online: true,
			unread: 0,
		});
		await says(one.page, { type: "unread", count: 2 });
		await expect.poll(() => call(one.page, "chat.state.unread")).toBe(2);
		expect(await call(one.page, "(await chat.toggle(), chat.state.open)")).toBe(false);
		expect(await call(one.page, "(chat.hide(), chat.state.hidden)")).toBe(true);
		await button(one.page).waitFor({ state: "hidden" });
	});

	it("tells on, once and off, and the same as bubbling, composed DOM events", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body>${tag()}`);
		await button(one.page).waitFor();
		await call(
			one.page,
			`{
				self.seen = [];
				self.onOpen = () => seen.push("on");
				chat.on("open", self.onOpen);
				chat.once("open", () => seen.push("once"));
				document.addEventListener("earthonline:open", (event) => seen.push(["dom", event.bubbles, event.composed].join(" ")));
				await chat.open(); await chat.close(); await chat.open(); await chat.close();
				chat.off("open", self.onOpen);
				await chat.open();
			}`,
		);
		expect(await one.page.evaluate("seen")).toEqual(["on", "once", "dom true true", "on", "dom true true", "dom true true"]);
	});

	it("identifies a visitor as a claim, for which nothing loads before a click, and takes it back", async () => {
		const one = await arrive();
		await standIn(one);
		await open(one, `<body>${tag()}`);
		await button(one.page).waitFor();
		await call(one.page, 'chat.identify({ name: " Ana ", email: "ana@example.com", role: "admin" })');
		await one.page.waitForLoadState("networkidle");
		expect(ours(one)).toEqual(["/embed.js", "/embed/mira"]);
		await call(one.page, "chat.open()");
		await expect.poll(() => heard(one.page)).toContainEqual({ type: "identify", name: "Ana", email: "ana@example.com" });
		await call(one.page, "chat.logout()");
		await expect.poll(() => heard(one.page)).toContainEqual({ type: "logout" });
		await says(one.page, { type: "reload" });
		await chatReady(one.page);
		await expect.poll(async () => (await heard(one.page)).at(-1)).toEqual({ type: "open" });
		expect(await heard(one.page)).not.toContainEqual(expect.objectContaining({ type: "identify" }));
	});

	it("sends what the page's script says: the chat opens, and the message is marked as the script's", async () => {
		const one = await arrive();
		const sent: string[] = [];
		one.page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(String(payload))));
		await open(one, `<body>${tag()}`);
		await button(one.page).waitFor();
		await call(one.page, 'chat.identify({ name: "Ana" })');
		await call(one.page, 'chat.send("Is the blue bowl still there?")');
		expect(await panel(one.page).isVisible()).toBe(true);
		await framed(one.page).getByRole("log").getByText("Is the blue bowl still there?").first().waitFor();
		await expect.poll(() => sent.filter((frame) => frame.includes("SendMessage"))).toHaveLength(1);
		const { metadata } = JSON.parse(sent.find((frame) => frame.includes("SendMessage")) as string).params.message;
		expect(JSON.stringify(metadata)).toContain('"byPage":true');
		expect(JSON.stringify(metadata)).toContain('"name":"Ana"');
		expect(await call(one.page, 'chat.send("  ").catch((error) => error.name)')).toBe("RangeError");
	});

	it("updates attributes, and refuses in words where no chat answers", async () => {
		const one = await arrive();
		await standIn(one, false);
		await open(one, `<body>${tag()}`);
		await button(one.page).waitFor();
		await call(one.page, 'chat.update({ theme: "dark", accent: "#a8532b" })');
		await one.page.locator("earth-online .d").waitFor({ state: "attached" });
		expect(await button(one.page).evaluate((e) => getComputedStyle(e).borderColor)).toBe("rgb(168, 83, 43)");
		await call(one.page, "chat.update({ theme: null })");
		await expect.poll(() => one.page.locator("earth-online .d").count()).toBe(0);
		expect(await call(one.page, "chat.open().then(() => 0, (error) => error.message)")).toBe("No chat answers in the frame.");
		expect(one.errors).toEqual([]);
	});

	it("is not there where the chat may not show, and whoever waited is told why", async () => {
		await desk.engine.owner.changeSettings("mira", { guests: false });
		const one = await arrive();
		await open(
			one,
			`<body><script>(self.EarthOnline ||= []).push((api) => { api.get().open().catch((error) => { self.why = error.message; }); api.get().toggle(); });</script>${tag()}`,
		);
		await expect.poll(() => one.page.evaluate("self.why")).toContain("no questions from visitors");
		expect(await one.page.evaluate("window.EarthOnline.get() === undefined")).toBe(true);
		expect(one.errors).toEqual([]);
	});
});

describe("M: every way of loading a script, one chat; strict policies", () => {
	it.each([
		["in the head, before there is a body", (line: string) => `<head>${line.replace(" async", "")}</head><body>`],
		["async in the head", (line: string) => `<head>${line}</head><body>`],
		["a module", (line: string) => `<body>${line.replace("<script", '<script type="module"')}`],
		["deferred", (line: string) => `<body>${line.replace("async", "defer")}`],
		[
			"a tag manager that keeps nothing but the address",
			() =>
				`<body><script>const s=document.createElement("script");s.src="${origin}/embed.js?handle=mira";document.body.append(s)</script>`,
		],
		[
			"a manager that takes its tag out at once",
			() =>
				`<body><script>const s=document.createElement("script");s.src="${origin}/embed.js";s.dataset.handle="mira";document.body.append(s);s.remove()</script>`,
		],
		[
			"a manager that holds the tag back and puts a copy in its place",
			(line: string) =>
				`<body>${line.replace("<script src", '<script type="text/plain" data-src')}<script>addEventListener("load",()=>{const held=document.querySelector("[data-src]"),s=document.createElement("script");for(const a of held.attributes)if(!["type","data-src"].includes(a.name))s.setAttribute(a.name,a.value);s.src=held.dataset.src;held.replaceWith(s)})</script>`,
		],
		[
			"React in its strict mode: put in, taken out, put in",
			() =>
				`<body><script>const put=()=>{const s=document.createElement("script");s.src="${origin}/embed.js";s.dataset.handle="mira";s.async=true;document.body.append(s);return()=>s.remove()};put()();put()</script>`,
		],
		["twice", (line: string) => `<body>${line}${line}`],
	])("shows one button: %s", async (_, page) => {
		const one = await arrive();
		await open(one, page(tag()));
		await button(one.page).waitFor();
		await one.page.waitForLoadState("networkidle");
		expect(await one.page.locator("earth-online").count()).toBe(1);
		expect(await one.page.evaluate(() => document.querySelector("earth-online")?.parentElement?.localName)).toBe("body");
		await button(one.page).click();
		await chatReady(one.page);
		expect(one.errors).toEqual([]);
	});

	it("takes up tags that a router brings without running them (Astro), and inline ones in their place", async () => {
		const one = await arrive();
		await open(one, `<body>${tag()}`);
		await button(one.page).waitFor();
		await one.page.evaluate((src) => {
			const body = document.createElement("body");
			const main = document.createElement("main");
			const script = document.createElement("script");
			script.type = "text/astro-ran";
			script.src = src;
			script.dataset.handle = "mira";
			script.dataset.mode = "inline";
			main.append(script);
			body.append(main);
			document.body.replaceWith(body);
		}, `${origin}/embed.js`);
		await one.page.locator("main > script + earth-online iframe").waitFor();
		await button(one.page).waitFor();
		expect(await one.page.locator("earth-online").count()).toBe(2);
	});

	it("leaves the page's history, prototypes and globals alone", async () => {
		const one = await arrive();
		await open(one, `<body><script>self.before = [history.pushState, history.replaceState, Object.keys(self).join()]</script>${tag()}`);
		await button(one.page).waitFor();
		await button(one.page).click();
		await chatReady(one.page);
		expect(
			await one.page.evaluate(
				"[history.pushState === before[0], history.replaceState === before[1], Object.keys(self).filter((name) => !before[2].split(',').includes(name)), Object.keys(history)]",
			),
		).toEqual([true, true, ["before", "EarthOnline"], []]);
	});

	it("works under a strict policy of nonces: what it fetches carries the tag's own", async () => {
		const one = await arrive();
		await open(
			one,
			`<body><p><a href="${origin}/@mira/chat"><img src="${origin}/@mira/badge.svg"></a></p><script nonce="n1" src="${origin}/embed.js" data-handle="mira" data-mode="pet" data-greeting></script>`,
			{
				"content-security-policy": `default-src 'none'; script-src 'nonce-n1' 'strict-dynamic'; connect-src ${origin}; frame-src ${origin}; img-src ${origin}/@mira/badge.svg; require-trusted-types-for 'script'; trusted-types 'none'`,
			},
		);
		await one.page.locator("earth-online .eyes").waitFor();
		await one.page.locator("earth-online .c").waitFor();
		await one.page.locator("earth-online .b").click();
		await chatReady(one.page);
		expect([one.console, one.errors]).toEqual([[], []]);
	});

	it("opens the chat as a page where the site's policy lets the chat's file not in, and says what to allow", async () => {
		const one = await arrive();
		await open(one, `<body>${tag()}`, {
			"content-security-policy": `script-src ${origin}/embed.js; connect-src ${origin}; frame-src ${origin}`,
		});
		await button(one.page).waitFor();
		const [page] = await Promise.all([one.context.waitForEvent("page"), button(one.page).click()]);
		await page.waitForURL(`${origin}/@mira/chat`);
		await expect.poll(() => warnings(one)).toHaveLength(1);
		expect(warnings(one)[0]).toContain("script-src");
	});

	it("is there, open and talking when the visitor comes back to a page that the browser had kept (back/forward cache)", async () => {
		// The browser of the other tests keeps no page.
		const keeping = await launch([], ["--disable-back-forward-cache"]);
		try {
			told.length = 0;
			const one = await visitIn(keeping);
			await open(one, `<body>${tag()}<script>addEventListener("pageshow", (event) => { self.persisted = event.persisted; })</script>`);
			await button(one.page).click();
			await chatReady(one.page);
			await one.page.goto(`${demo.url}/kiln.html`);
			await one.page.goBack({ waitUntil: "commit" });
			await expect.poll(() => one.page.evaluate("self.persisted")).toBe(true);
			expect(await one.page.locator("earth-online").count()).toBe(1);
			expect(await panel(one.page).isVisible()).toBe(true);
			// What the frame of such a page holds a test cannot see: the desk hears it.
			await call(one.page, 'chat.send("Still there?")');
			await expect.poll(() => told).toEqual(["Still there?"]);
			await button(one.page).click();
			await panel(one.page).waitFor({ state: "hidden" });
			expect(one.errors).toEqual([]);
		} finally {
			await keeping.close();
		}
	});

	it("keeps its size where the site sets html to 62.5 %, and is not printed, in any mode", async () => {
		const one = await arrive();
		await open(
			one,
			`<html style="font-size:62.5%"><style>*,::before{all:revert;letter-spacing:9px!important}img{max-width:1px!important;filter:invert(1)}button{display:none!important}iframe{border:9px solid red!important}</style><body>${tag('data-mode="button"')}${tag()}${tag('data-mode="inline"')}`,
		);
		await one.page.locator("earth-online .c").waitFor();
		expect((await one.page.locator("earth-online .c").boundingBox())?.height).toBe(36);
		expect((await button(one.page).last().boundingBox())?.width).toBeGreaterThan(0);
		await one.page.emulateMedia({ media: "print" });
		for (const each of await one.page.locator("earth-online .w").all()) expect(await each.isVisible()).toBe(false);
	});
});
