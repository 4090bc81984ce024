/**
 * T-XSS in the chat, of whatever a server may tell it: every payload in every place of the header, the empty chat, the lines and what is under
 * them, the notices, the names of pictures and files, the title of the frame. Many to a page: each is an element of its own where there
 * may be several, and a part of one text where there may be one.
 */
import { readFile } from "node:fs/promises";
import type { Frame, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { EXTENSIONS } from "../../shared/extensions.js";
import { ALLOWED } from "../security/allowed.js";
import { inGroups, PAYLOADS } from "../security/payloads.js";
import type { Visit } from "./browser.js";
import { CONTEXT, type Found, faceOf, type Played, play, saidOf, status, underWay } from "./payload-chat.js";
import { faultsOf, type Listening, listener, nothingHappened, ownOf, ready, SITE, useDesks } from "./payload-desks.js";
import { chatFrame, DESK, page, soon, tag, world } from "./world.js";

/** So many pages, each with its share of the payloads. */
const GROUPS = inGroups(PAYLOADS, 8);
const minutes = (n: number): number => n * 60_000;

useDesks(0);

let visitor: Visit;
let played: Played;
/** What is a page's own where every word is harmless. */
let own: string[];
beforeAll(async () => {
	visitor = await listener();
	played = await play(visitor.page);
	await visitor.page.goto(`${DESK}/@plain/chat`);
	await ready(visitor.page);
	own = await ownOf(visitor.page);
});

/** Without what no browser keeps as it was. */
const bare = (text: string): string => text.replace(/[\s\p{C}\ufffd]/gu, "");
const shown = async (at: Page | Frame, selector = "body"): Promise<string> =>
	bare((await at.locator(selector).allTextContents()).join("\n"));
/** Every attribute of a name in the document. */
const attributes = (at: Page | Frame, name: string): Promise<string[]> =>
	at.evaluate((n) => [...document.querySelectorAll(`[${n}]`)].map((e) => e.getAttribute(n) ?? ""), name);
const has = (texts: readonly string[], words: string): boolean => texts.some((text) => bare(text).includes(bare(words)));

/** Opens the chat page of a desk whose every word is some payloads, and looks at each element as it comes. */
async function opened(group: readonly string[], found?: Found): Promise<Page> {
	const { page: at } = visitor;
	played.face = faceOf(group.join(" "), group);
	played.found = found;
	await at.goto("about:blank");
	await at.goto(`${DESK}/@plain/chat`);
	await at.evaluate((allowed) => (self as unknown as Listening).watch(allowed), { ...ALLOWED, own });
	await at
		.locator(found ? ".line" : ".empty li button")
		.first()
		.waitFor();
	return at;
}

describe("every payload in the chat", () => {
	it("is words as the desk's name, line, suggestions, owner and brand", { timeout: minutes(3) }, async () => {
		for (const group of GROUPS) {
			const at = await opened(group);
			const words = bare(group.join(" "));
			for (const place of [".head h1", ".empty h2", ".empty p", "footer"]) expect(await shown(at, place)).toContain(words);
			expect((await at.locator(".empty li").allTextContents()).map(bare)).toEqual(group.map(bare));
			expect(bare((await at.locator("textarea").getAttribute("placeholder")) ?? "")).toContain(words);
			for (const place of ["main", "[role=log]"]) expect(bare((await at.locator(place).getAttribute("aria-label")) ?? "")).toContain(words);
			expect(await faultsOf(at, own)).toEqual([]);
		}
		nothingHappened(visitor);
	});

	it("is words in what is said, by whom, with which files and data, and in the file that is kept of it", {
		timeout: minutes(3),
	}, async () => {
		for (const group of GROUPS) {
			const at = await opened(group, { said: saidOf(group), tasks: [] });
			const [alts, labels] = [await attributes(at, "alt"), await shown(at, ".by")];
			const [bubbles, enclosed, reactions] = await Promise.all([".bubble", ".enclosed", ".reactions"].map((place) => shown(at, place)));
			for (const words of group) {
				for (const text of [labels, bubbles, enclosed, reactions]) expect(text).toContain(bare(words));
				expect(alts.filter((alt) => bare(alt) === bare(words)).length).toBeGreaterThanOrEqual(2);
			}
			// Both as a key and as a value of what is data.
			const data = await shown(at, ".prose pre");
			for (const words of group) expect(data.split(bare(JSON.stringify(words))).length).toBeGreaterThan(3);
			// The same as a file to keep, which no name of the desk's can call otherwise.
			await at.locator(".menu > button").click();
			const [download] = await Promise.all([at.waitForEvent("download"), at.getByText("Save the conversation").click()]);
			expect(download.suggestedFilename()).toMatch(/^plain-\d{4}-\d\d-\d\d\.md$/);
			expect((await readFile(await download.path(), "utf8")).length).toBeGreaterThan(5 * group.join("").length);
			// A picture that the desk holds is asked of the desk.
			const faults = await faultsOf(at, own);
			expect(faults.filter((fault) => !/^src of <img src="https:\/\/desk\.test\/f\/\d{32}" alt="/.test(fault))).toEqual([]);
		}
		nothingHappened(visitor);
	});

	it("is words in answers that were stopped, and in what is said of those that failed", { timeout: minutes(3) }, async () => {
		for (const group of GROUPS) {
			const at = await opened(group, { said: [], tasks: underWay(group) });
			played.tell(
				group.flatMap((words, n) => [
					status(`stopped ${n}`, "TASK_STATE_CANCELED", words),
					status(`failed ${n}`, "TASK_STATE_FAILED", words),
				]),
			);
			await soon(() => at.locator(".aside.failed").count()).toBe(group.length);
			expect((await at.locator(".aside.failed").allTextContents()).map(bare)).toEqual(group.map(bare));
			expect(await at.locator(".said .prose").count()).toBe(group.length);
			expect(await faultsOf(at, own)).toEqual([]);
		}
		nothingHappened(visitor);
	});

	it("is words in what is going on, and in what the chat says of it", { timeout: minutes(3) }, async () => {
		for (const group of GROUPS) {
			const at = await opened(group);
			const words = group.join(" ");
			const asked = { message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: words }] } };
			const says = async (text: string): Promise<void> => {
				await soon(() => shown(at, ".aside, .dots, .presence, .draft")).toContain(bare(text));
			};
			played.tell([asked, status("t", "TASK_STATE_WORKING", words, { [EXTENSIONS.ownerWait]: {} })]);
			await says(`Waiting for ${words}`);
			played.tell([status("t", "TASK_STATE_WORKING", words)]);
			await says(`${words} is writing`);
			const artifact = { artifactId: "result", name: words, description: words, parts: [{ text: words }] };
			played.tell([{ artifactUpdate: { taskId: "t", contextId: CONTEXT, artifact } }]);
			await at.locator(".draft").waitFor();
			played.tell([status("t", "TASK_STATE_AUTH_REQUIRED", words)]);
			await says(words);
			played.tell([{ signal: { kind: "microphone", microphone: "owner", name: words } }]);
			await says(`${words} is here`);
			// Read out when it is said whole, too.
			played.tell([{ message: { messageId: "a", role: "ROLE_AGENT", parts: [{ text: words }] } }]);
			await soon(() => shown(at, "[aria-live=polite]")).not.toBe("");
			played.tell([{ ended: { by: words } }]);
			await says(`${words} ended this conversation.`);
			expect(await faultsOf(at, own)).toEqual([]);
		}
		nothingHappened(visitor);
	});

	it("is words as the name of a desk that is away", { timeout: minutes(2) }, async () => {
		for (const group of GROUPS) {
			const { page: at } = visitor;
			const words = group.join(" ");
			played.face = { ...faceOf(words, []), online: false };
			await at.goto("about:blank");
			await at.goto(`${DESK}/@plain/chat`);
			await soon(() => shown(at, ".notice")).toContain(bare(words));
			played.tell([
				{ message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] } },
				{ task: { id: "t", contextId: CONTEXT, status: { state: "TASK_STATE_SUBMITTED" } } as never },
			]);
			await soon(() => shown(at, ".aside")).toContain(bare(words));
			expect(await faultsOf(at, own)).toEqual([]);
		}
		nothingHappened(visitor);
	});

	it("is words as the name of a picture that a visitor puts in", { timeout: minutes(3) }, async () => {
		const at = await opened(["x"]);
		// None of them ever arrives: how far each has come is said by its name.
		await at.route(`${DESK}/@plain/files`, () => undefined);
		const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==", "base64");
		for (let from = 0; from < PAYLOADS.length; from += 4) {
			const four = PAYLOADS.slice(from, from + 4);
			await at.locator("input[type=file]").setInputFiles(four.map((name) => ({ name, mimeType: "image/png", buffer: png })));
			await soon(() => at.locator(".attached progress").count()).toBe(four.length);
			const [labels, titles, names] = await at.evaluate(() => {
				const all = [...document.querySelectorAll(".attached *")];
				return [
					all.map((e) => e.ariaLabel ?? ""),
					all.map((e) => e.getAttribute("title") ?? ""),
					all.map((e) => e.textContent ?? ""),
				] as const;
			});
			for (const name of four) {
				expect(has(names, name)).toBe(true);
				for (const said of ["Uploading", "Remove"]) expect(has(labels, `${said} ${name}`), `${said} ${name}`).toBe(true);
				expect(has(titles, `Remove ${name}`)).toBe(true);
			}
			await at.evaluate(() => {
				for (const button of document.querySelectorAll<HTMLElement>(".attached .round")) button.click();
			});
			await soon(() => at.locator(".attached li").count()).toBe(0);
		}
		expect(await faultsOf(at, own)).toEqual([]);
		nothingHappened(visitor);
	});

	it("is words in the title of its frame and panel on a site", { timeout: minutes(3) }, async () => {
		const { page: at, context } = visitor;
		for (const group of GROUPS) {
			const words = group.join(" ");
			played.face = faceOf(words, group);
			played.found = undefined;
			const config = await world.desk.app.request("/embed/mira", { headers: { origin: SITE } });
			const headers = { "access-control-allow-origin": "*" };
			const json = { ...((await config.json()) as object), name: words };
			await context.route(`${DESK}/embed/mira*`, (route) => route.fulfill({ headers, json }));
			await at.goto(page(SITE, tag("")));
			await at.locator("earth-online button").first().click();
			await soon(() => chatFrame(at)?.locator(".empty li button").count()).toBe(group.length);
			expect(bare((await at.locator("earth-online iframe").getAttribute("title")) ?? "")).toContain(bare(words));
			for (const place of ["button.b", ".p"])
				expect(bare((await at.locator(`earth-online ${place}`).getAttribute("aria-label")) ?? "")).toContain(bare(words));
			await context.unroute(`${DESK}/embed/mira*`);
		}
		nothingHappened(visitor);
	});
});
