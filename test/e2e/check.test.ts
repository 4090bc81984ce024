/** "Check my install" and the page that makes a line, as somebody uses them in a browser, with and without script. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { arrive, demo, desk, origin, own, useSite } from "./site.js";

useSite();

/** What the demo site was asked for, by whomever: its server says so itself. */
const visited: string[] = [];
const onRequest = (message: unknown): void => {
	const { request, server } = message as { request: IncomingMessage; server: Server };
	if ((server.address() as AddressInfo).port === Number(new URL(demo.url).port)) visited.push(request.url ?? "");
};
beforeAll(() => subscribe("http.server.request.start", onRequest));
afterAll(() => {
	unsubscribe("http.server.request.start", onRequest);
});

describe("check my install", () => {
	it("says what the site itself then shows: the verdict, and the line at work", async () => {
		const { page } = await arrive({ javaScriptEnabled: false });
		await page.goto(`${origin}/check`);
		await page.getByLabel("Handle of the desk").fill("mira");
		await page.getByLabel("Address of your page").fill(`${demo.url}/studio.html?from=mail`);
		await page.getByRole("button", { name: "Check" }).click();
		await page.getByRole("heading", { name: `The chat shows on ${demo.url}.` }).waitFor();
		// Neither the browser nor our server has looked at the site. One who does is seen.
		expect(visited).toEqual([]);
		await page.goto(`${demo.url}/readme.html`);
		expect(visited).toContain("/readme.html");
		await page.goBack();
		const line = (await page.locator(".verdict pre").textContent()) ?? "";
		const visitor = await arrive();
		own.put(`<body>${line}`, {});
		await visitor.page.goto(`${own.url}/`);
		await visitor.page.locator("earth-online button").waitFor();
	});

	it("says in plain words what stops it, in the language that its reader chooses", async () => {
		const { page } = await arrive();
		await page.goto(`${origin}/check?handle=mira&site=https://www.new.example`);
		await page.getByRole("heading", { name: "The chat does not show on https://www.new.example." }).waitFor();
		expect(await page.locator(".steps .stop").count()).toBe(1);
		expect(await page.locator(".verdict pre").first().textContent()).toBe("npx earthonline sites add mira https://www.new.example");
		await page.getByRole("link", { name: "中文" }).click();
		await page.getByRole("heading", { name: "聊天不会在 https://www.new.example 显示。" }).waitFor();
		expect((await desk.engine.owner.siteList("mira")).rules.map(({ rule }) => rule)).not.toContain("https://www.new.example");
	});
});

describe("check my install, with something missing", () => {
	it("says so beside the field, leads there, and keeps what was typed", async () => {
		const { page } = await arrive();
		await page.goto(`${origin}/check`);
		await page.getByLabel("Handle of the desk").fill("mira");
		await page.getByLabel("Number of the embed").fill("x");
		await page.getByRole("button", { name: "Check" }).click();
		await page.getByText("Give the address of your page: copy it").waitFor();
		await page.getByText("x is no number of an embed.").waitFor();
		expect(await page.evaluate(() => document.activeElement?.id)).toBe("site");
		expect(await page.getByLabel("Handle of the desk").inputValue()).toBe("mira");
		expect(await page.getByLabel("Number of the embed").inputValue()).toBe("x");
		expect(await page.locator(".verdict").count()).toBe(0);
	});
});

describe("the page that makes a line", () => {
	it("has no line to copy while there is no desk for it, says what is missing, and has it again", async () => {
		const one = await arrive();
		const { page } = one;
		await page.goto(`${origin}/snippet?handle=mira&mode=pet`);
		const line = page.locator("#line");
		const desk = page.getByLabel("Desk", { exact: true });
		await line.waitFor();
		for (const [typed, said] of [
			["nobody", "There is no desk nobody on this server"],
			["", "Say which desk: its handle, such as mira."],
		] as const) {
			await desk.fill(typed);
			await page.getByText(said).waitFor();
			expect(await line.isVisible()).toBe(false);
			expect(await page.locator("#managed, #keep, #markdown, #preview").locator("visible=true").count()).toBe(0);
			expect(await desk.getAttribute("aria-invalid")).toBe("true");
			// A reload says the same, in the other language too.
			const other = (await page.getByRole("link", { name: "中文" }).getAttribute("href")) ?? "";
			expect([...new URL(other, origin).searchParams]).toEqual(
				expect.arrayContaining([
					["handle", typed],
					["mode", "pet"],
					["lang", "zh"],
				]),
			);
			await expect.poll(() => new URL(page.url()).searchParams.get("handle")).toBe(typed);
			await desk.fill("mira");
			await line.waitFor();
			expect(await page.getByText(said).isVisible()).toBe(false);
			expect(await line.textContent()).toContain('data-handle="mira" data-mode="pet"');
		}
		await page.route("**/snippet.json?*", (route) => route.abort());
		await page.getByLabel("Way of showing").selectOption("inline");
		await page.getByText("there is no line to copy at this moment").waitFor();
		expect(await line.isVisible()).toBe(false);
		await page.unroute("**/snippet.json?*");
		await page.getByRole("button", { name: "Show" }).click();
		await expect.poll(() => line.textContent()).toContain('data-mode="inline"');
		expect(await page.locator("#managed").textContent()).toContain("/embed.js?handle=mira&amp;mode=inline");
		expect(await page.getByRole("link", { name: "中文" }).getAttribute("href")).toContain("mode=inline");
		expect(one.errors).toEqual([]);
	});

	it("shows the real chat as chosen, while one chooses", async () => {
		const one = await arrive();
		const { page } = one;
		await page.goto(`${origin}/snippet?handle=mira`);
		const preview = page.frameLocator("#preview");
		await preview.locator("earth-online button").waitFor();
		expect(await page.locator("#show").isVisible()).toBe(false);

		await page.getByLabel("Way of showing").selectOption("button");
		await page.getByLabel("Size").selectOption("large");
		await page.getByLabel("Colour").fill("#a8532b");
		await expect
			.poll(() => page.locator("#line").textContent())
			.toBe(
				`<script src="${origin}/embed.js" data-handle="mira" data-mode="button" data-size="large" data-accent="#a8532b" async></script>`,
			);
		await expect.poll(async () => (await preview.locator(".place earth-online button").boundingBox())?.height).toBe(56);
		await expect.poll(() => page.locator("#badge").getAttribute("src")).toBe("/@mira/badge.svg?size=large");
		expect(new URL(page.url()).searchParams.get("mode")).toBe("button");

		await preview.locator(".place earth-online button").click();
		await expect.poll(() => page.frames().some((frame) => frame.url().startsWith(`${origin}/@mira/embed`))).toBe(true);
		// A chat that is taken away while it connects is a warning of the browser's.
		await preview.frameLocator("earth-online iframe").getByText("Online", { exact: true }).waitFor();

		await page.getByLabel("Way of showing").selectOption("inline");
		await page.getByLabel("Height").fill("300");
		await expect.poll(() => page.locator("#line").textContent()).toContain('data-mode="inline" data-height="300"');
		await expect.poll(async () => (await preview.locator(".place earth-online").boundingBox())?.height).toBe(300);
		// Trying things out is no step of the back button.
		expect(await page.evaluate(() => history.length)).toBe(2);
		expect([one.console, one.errors]).toEqual([[], []]);
	});

	it("names what cannot be beside its field, and leaves it out of the line", async () => {
		const { page } = await arrive();
		await page.goto(`${origin}/snippet?handle=mira`);
		await page.getByLabel("Colour").fill("red");
		await page.getByText("Give a colour such as #a8532b.").waitFor();
		expect(await page.getByLabel("Colour").getAttribute("aria-invalid")).toBe("true");
		expect(await page.locator("#line").textContent()).not.toContain("accent");
	});

	it("copies the line", async () => {
		const { page, context } = await arrive();
		await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
		await page.goto(`${origin}/snippet?handle=mira&mode=pet`);
		await page.getByRole("button", { name: "Copy" }).first().click();
		await page.getByRole("button", { name: "Copied" }).waitFor();
		expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
			`<script src="${origin}/embed.js" data-handle="mira" data-mode="pet" async></script>`,
		);
	});

	it("works without script, on a phone", async () => {
		const { page } = await arrive({ javaScriptEnabled: false, viewport: { width: 375, height: 812 } });
		await page.goto(`${origin}/snippet?handle=mira`);
		await page.getByLabel("Theme").selectOption("dark");
		await page.getByLabel("Language").selectOption("zh");
		await page.getByRole("button", { name: "Show" }).click();
		expect(await page.locator("#line").textContent()).toContain('data-theme="dark" data-lang="zh"');
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
	});
});
