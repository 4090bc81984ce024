/**
 * T-XSS where the server writes documents: person pages, titles, the boot JSON, badges, errors and forms that say back what was asked,
 * conversations by link. Each is read by a real Chromium and compared with the same one of harmless words, element by element.
 */
import { describe, expect, it } from "vitest";
import { ALLOWED } from "../security/allowed.js";
import { inGroups, PAYLOADS } from "../security/payloads.js";
import { desks, type Listening, nothingHappened, one, SITE, useDesks, world } from "./payload-desks.js";
import { DESK, page } from "./world.js";

const COUNT = 400;
/** Of pages that take long to make, one in so many is looked at. */
const FEW = 4;

useDesks(COUNT);

/** What differs between documents with payloads and one with harmless words. */
async function different(plain: string, texts: string[], type = "text/html", known: string[] = []): Promise<string[]> {
	return await one.page.evaluate(
		([p, all, t, others]) => {
			const { signatures } = self as unknown as Listening;
			const allowed = new Set([p, ...others].flatMap((text) => signatures(text, t).found));
			const { found: expected } = signatures(p, t);
			return all.flatMap((text) => {
				const { found } = signatures(text, t);
				const wrong =
					others.length > 0 ? found.find((element) => !allowed.has(element)) : found.find((element, i) => element !== expected[i]);
				return wrong !== undefined || (others.length === 0 && found.length !== expected.length)
					? [`${wrong ?? "an element"} in ${text.slice(0, 2_000)}`]
					: [];
			});
		},
		[plain, texts, type, known] as const,
	);
}
const read = async (path: string, accept = "text/html"): Promise<string> => {
	const answer = await world.desk.app.request(path, { headers: { accept, "accept-language": "en" } });
	expect(answer.headers.get("x-content-type-options"), path).toBe("nosniff");
	return await answer.text();
};
const q = encodeURIComponent;

describe("a page of the desk's", () => {
	const kinds: [name: string, path: (handle: string) => string, type?: "image/svg+xml", few?: number][] = [
		["its person page", (handle) => `/@${handle}`],
		["its chat page, whose title and boot JSON hold the name", (handle) => `/@${handle}/chat`],
		["the framed document", (handle) => `/@${handle}/embed?site=${q(SITE)}`],
		["the framed document of a site that is not listed", (handle) => `/@${handle}/embed?site=${q("https://new.test")}`],
		["the page for asking", (handle) => `/@${handle}/ask`],
		["the page that makes a line", (handle) => `/snippet?handle=${handle}`, undefined, FEW],
		["the check of an install", (handle) => `/check?handle=${handle}&site=${q(SITE)}`, undefined, FEW],
		["its badge", (handle) => `/@${handle}/badge.svg`, "image/svg+xml"],
		["its large badge, that follows the reader", (handle) => `/@${handle}/badge.svg?size=large&theme=auto&lang=zh`, "image/svg+xml"],
	];
	/** Without what is a text's own: where it is shown whole. */
	const bare = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}\u{fffd}]/gu, "");

	/** A badge without the face in it, which each handle has of its own. */
	const faceless = (text: string): string => text.replace(/<g clip-path="url\(#c\)">.*?<\/g><\/g>/, "");

	it.each(kinds)("%s has the same elements whatever they are called", async (_, path, type = undefined, few = 1) => {
		await one.page.goto(`${DESK}/check`);
		const plain = faceless(await read(path("plain")));
		const texts = await Promise.all(desks.filter((_, i) => i % few === 0).map(async ({ handle }) => faceless(await read(path(handle)))));
		expect(await different(plain, texts, type)).toEqual([]);
		const unescaped = texts.map((text) =>
			text
				.replace(/&lt;|\\u003c/g, "<")
				.replace(/&gt;|\\u003e/g, ">")
				.replaceAll("&quot;", '"')
				.replaceAll("&#39;", "'"),
		);
		// One that escapes nothing is found out, where a name stands in it at all.
		if (texts.some((text, i) => text !== unescaped[i])) expect((await different(plain, unescaped, type)).length).toBeGreaterThan(10);
		nothingHappened();
	});

	it("shows a name and what it is about whole, as words", async () => {
		await one.page.goto(`${DESK}/check`);
		for (const { handle, name, about } of desks.slice(0, 100)) {
			const html = await read(`/@${handle}`);
			const { text } = await one.page.evaluate((t) => (self as unknown as Listening).signatures(t, "text/html"), html);
			expect(bare(text)).toContain(bare(name));
			expect(bare(text)).toContain(bare(about));
		}
	});

	it("shows all of them on the front page as words", async () => {
		await one.page.goto(`${DESK}/check`);
		const html = await read("/");
		const { shown, faults } = await one.page.evaluate(
			([text, allowed]) => {
				const { body } = new DOMParser().parseFromString(text, "text/html");
				return { shown: body.querySelectorAll("li .desk").length, faults: (self as unknown as Listening).faultsIn(body, allowed) };
			},
			[html, ALLOWED] as const,
		);
		expect(shown).toBeGreaterThanOrEqual(desks.length);
		expect(faults).toEqual([]);
	});

	it("runs nothing when it is really opened", async () => {
		const { page: at } = one;
		for (const { handle } of desks.filter((_, i) => i % (COUNT / 4) === 20)) {
			await at.goto(`${DESK}/@${handle}`);
			await at.goto(`${DESK}/@${handle}/badge.svg?size=large`);
			await at.goto(page(SITE, `<img src="${DESK}/@${handle}/badge.svg">`));
			expect(await at.locator("img").evaluate((image: HTMLImageElement) => image.naturalHeight)).toBe(36);
		}
		nothingHappened();
	});
});

describe("what is said back", () => {
	const echoes: [name: string, path: (words: string) => string, harmless: string[], few?: number][] = [
		["a handle that is none", (words) => `/@${words}`, ["nobody"]],
		["an address that is none", (words) => `/${words}`, ["nothing"]],
		["a page of the guide that is none", (words) => `/docs/${words}`, ["nothing"]],
		["a site of a framed document", (words) => `/@mira/embed?site=${words}`, ["nothing", "https://new.test"]],
		[
			"a site that is checked",
			(words) => `/check?handle=mira&site=${words}`,
			["nothing", "https://new.test", "http://x.test", "javascript:", "https://1.2.3.4", "https://x.test.", "https://www.x.test", "../x"],
		],
		["a handle that is checked", (words) => `/check?handle=${words}&site=https://new.test`, ["nobody", "mira"]],
		["an embed that is checked", (words) => `/check?handle=mira&site=${q(SITE)}&embed=${words}`, ["1", "x"]],
		["a handle of a line that is made", (words) => `/snippet?handle=${words}`, ["nobody"], FEW],
		[
			"a greeting of a line that is made",
			(words) => `/snippet?handle=mira&greeting=on&greeting_text=${words}`,
			["Hi", "", "x".repeat(500)],
			FEW,
		],
		["a place of a line that is made", (words) => `/snippet?handle=mira&mode=button&selector=${words}`, ["#x", "x"], FEW],
		["a colour of a line that is made", (words) => `/snippet?handle=mira&accent=${words}`, ["#abc", "x"], FEW],
		["a number of a line that is made", (words) => `/snippet?handle=mira&embed=${words}&z=${words}&height=${words}`, ["1", "x"], FEW],
		[
			"a preview of a line",
			(words) => `/snippet/preview?handle=mira&mode=button&selector=${words}&greeting_text=${words}&accent=${words}`,
			["#x", "x"],
		],
	];
	it.each(echoes)("%s is words", async (_, path, harmless, few = 1) => {
		await one.page.goto(`${DESK}/check`);
		const known = await Promise.all(harmless.map((words) => read(path(q(words)))));
		const texts = await Promise.all(
			PAYLOADS.filter((words, i) => i % few === 0 && words !== "../../../../etc/passwd").map((words) => read(path(q(words)))),
		);
		expect(await different(known[0] as string, texts, "text/html", known)).toEqual([]);
		nothingHappened();
	});

	it("is JSON and nothing else to a script", async () => {
		for (const words of PAYLOADS) {
			for (const path of [
				`/embed/${q(words)}`,
				`/embed/mira?theme=${q(words)}&accent=${q(words)}`,
				`/api/tools/${q(words)}`,
				`/a2a/${q(words)}`,
				`/a2a/mira/tasks/${q(words)}`,
			]) {
				const answer = await world.desk.app.request(path, { headers: { origin: SITE } });
				expect(answer.headers.get("content-type") ?? "", path).not.toMatch(/html|svg|xml|javascript/);
				expect(answer.headers.get("x-content-type-options"), path).toBe("nosniff");
			}
		}
	});

	it("is never a site that waits: only origins in ASCII do", async () => {
		for (const words of PAYLOADS) {
			// What no header can say, nobody has said in one.
			for (const origin of [words, `https://${words}`, `https://x.test${words}`]) {
				if (!/^[\x20-\x7e]*$/.test(origin)) continue;
				await world.desk.app.request("/embed/mira", { headers: { origin } });
			}
			await world.desk.app.request(`/@mira/embed?site=${q(`https://${words}`)}`);
		}
		for (const { rule } of await world.desk.engine.owner.sites("mira"))
			expect(rule).toMatch(/^https:\/\/[a-z0-9_-]+(?:\.[a-z0-9_-]+)+(?::\d+)?$/);
	});
});

describe("a conversation by its link", () => {
	it("shows the question and the answer as words", async () => {
		await one.page.goto(`${DESK}/check`);
		const groups = inGroups(PAYLOADS, 60).map((group) => group.join("\n\n"));
		const ask = async (words: string): Promise<string> => {
			const answer = await world.desk.app.request(`/@mira/ask?q=${q(words)}`, { headers: { accept: "text/html" } });
			expect(answer.status, await answer.clone().text()).toBe(200);
			return await answer.text();
		};
		const known = await Promise.all([
			ask("Hello"),
			ask("# x\n\n**x** *x* ~~x~~ `x` [x](https://x.example) <x>\n\n- x\n1. x\n\n> x\n\n```\nx\n```\n\n|x|\n|-|\n|x|\n\n---\n\nx  \nx"),
		]);
		const texts = await Promise.all(groups.slice(0, 20).map((words) => ask(words.replace(/\p{Cc}/gu, " "))));
		expect(await different(known[0] as string, texts, "text/html", known)).toEqual([]);
		nothingHappened();
	}, 60_000);
});
