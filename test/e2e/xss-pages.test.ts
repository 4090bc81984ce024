/**
 * T-XSS where the server writes documents: person pages, titles, the boot JSON, badges, errors and forms that say back what was asked,
 * conversations by link. Each is read by a real Chromium and compared with the same one of harmless words, element by element.
 */
import { describe, expect, it } from "vitest";
import { openTestDesk } from "../desk.js";
import { ALLOWED } from "../security/allowed.js";
import { inGroups, PAYLOADS } from "../security/payloads.js";
import { desks, type Listening, NAMES, nothingHappened, one, SITE, useDesks } from "./payload-desks.js";
import { client, DESK, page, world } from "./world.js";

useDesks(NAMES.length);

/** Pages that are read in one go: as many as a browser takes at once. */
const AT_ONCE = 100;
/** So many groups of payloads, for what takes several at once: each fits into an address. */
const GROUPS = inGroups(PAYLOADS, 60).map((group) => group.join("\n\n").replace(/\p{Cc}/gu, " "));

/**
 * What differs between documents with payloads and one with harmless words: another element, or another number of them. With `known`, other
 * documents of harmless words: any element that stands in none of them.
 */
async function different(plain: string, texts: string[], type = "text/html", known: string[] = []): Promise<string[]> {
	const found: string[] = [];
	for (let from = 0; from < texts.length; from += AT_ONCE)
		found.push(...(await differentIn(plain, texts.slice(from, from + AT_ONCE), type, known)));
	return found;
}
const differentIn = (plain: string, texts: string[], type: string, known: string[]): Promise<string[]> =>
	one.page.evaluate(
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
const read = async (path: string, accept = "text/html"): Promise<string> => {
	const answer = await world.desk.app.request(path, { headers: { accept, "accept-language": "en" } });
	expect(answer.headers.get("x-content-type-options"), path).toBe("nosniff");
	return await answer.text();
};
const q = encodeURIComponent;
/** Without what is a text's own: where it is shown whole. */
const bare = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}\u{fffd}]/gu, "");

describe("a page of the desk's", () => {
	const kinds: [name: string, path: (handle: string) => string, type?: "image/svg+xml"][] = [
		["its person page", (handle) => `/@${handle}`],
		["its chat page, whose title and boot JSON hold the name", (handle) => `/@${handle}/chat`],
		["the framed document", (handle) => `/@${handle}/embed?site=${q(SITE)}`],
		["the framed document of a site that is not listed", (handle) => `/@${handle}/embed?site=${q("https://new.test")}`],
		["the page for asking", (handle) => `/@${handle}/ask`],
		["the page that makes a line", (handle) => `/snippet?handle=${handle}`],
		["the check of an install", (handle) => `/check?handle=${handle}&site=${q(SITE)}`],
		["its badge", (handle) => `/@${handle}/badge.svg`, "image/svg+xml"],
		["its large badge, that follows the reader", (handle) => `/@${handle}/badge.svg?size=large&theme=auto&lang=zh`, "image/svg+xml"],
	];
	/** A badge without the face in it, which each handle has of its own. */
	const faceless = (text: string): string => text.replace(/<g clip-path="url\(#c\)">.*?<\/g><\/g>/, "");

	it.each(kinds)("%s has the same elements whatever they are called", { timeout: 120_000 }, async (_, path, type = undefined) => {
		await one.page.goto(`${DESK}/check`);
		const plain = faceless(await read(path("plain")));
		const texts = await Promise.all(desks.map(async ({ handle }) => faceless(await read(path(handle)))));
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
		for (const { handle, name, about } of desks) {
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
		for (const { handle } of desks.filter((_, i) => i % 130 === 20)) {
			await at.goto(`${DESK}/@${handle}`);
			await at.goto(`${DESK}/@${handle}/badge.svg?size=large`);
			await at.goto(page(SITE, `<img src="${DESK}/@${handle}/badge.svg">`));
			expect(await at.locator("img").evaluate((image: HTMLImageElement) => image.naturalHeight)).toBe(36);
		}
		nothingHappened();
	});
});

describe("a badge as PNG", () => {
	/** The names of a PNG's chunks, and its size in pixels. */
	function readPng(bytes: Buffer): { chunks: string[]; width: number; height: number } {
		expect(bytes.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
		const chunks: string[] = [];
		for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) chunks.push(bytes.toString("latin1", at + 4, at + 8));
		return { chunks, width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
	}
	const png = async (handle: string, query = "size=large"): Promise<Buffer> => {
		const answer = await world.desk.app.request(`/@${handle}/chat-badge.png?${query}`);
		expect([answer.status, answer.headers.get("content-type"), answer.headers.get("x-content-type-options")]).toEqual([
			200,
			"image/png",
			"nosniff",
		]);
		return Buffer.from(await answer.arrayBuffer());
	};

	it("is a picture of words and nothing else, whatever they are", { timeout: 120_000 }, async () => {
		const plain = readPng(await png("plain"));
		for (const { handle, name } of desks) {
			const { chunks, width, height } = readPng(await png(handle));
			expect([height, [...new Set(chunks)]], name).toEqual([plain.height, [...new Set(plain.chunks)]]);
			// No longer than its longest line may be (server/site/badge.ts), twice as large.
			expect(width, name).toBeLessThanOrEqual(2 * 360);
		}
	});

	it("is drawn by a browser", async () => {
		const { page: at } = one;
		const some = desks.filter((_, i) => i % 20 === 7);
		await at.goto(page(SITE, some.map(({ handle }) => `<img src="${DESK}/@${handle}/chat-badge.png">`).join("")));
		const heights = await at.locator("img").evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalHeight));
		expect(heights).toEqual(some.map(() => 72));
		nothingHappened();
	});
});

describe("an owner's own page", () => {
	const open = async (handle: string): Promise<string> => {
		const { owner } = world.desk.engine;
		const session = await owner.signIn(await owner.createSignIn(handle));
		const answer = await world.desk.app.request("/agent", { headers: { cookie: `eol_session=${session}` } });
		expect(answer.status).toBe(200);
		return await answer.text();
	};

	it("has the same elements whatever their desk is called, and whatever it is about", { timeout: 120_000 }, async () => {
		await one.page.goto(`${DESK}/check`);
		expect(await different(await open("plain"), await Promise.all(desks.map(({ handle }) => open(handle))))).toEqual([]);
		nothingHappened();
	});

	it("shows what was asked in vain, and who waits, as words", { timeout: 120_000 }, async () => {
		await one.page.goto(`${DESK}/check`);
		const { engine, app } = world.desk;
		await engine.owner.createOwner({ handle: "asked", name: "Asked" });
		const ask = (words: string) => app.request(`/@asked/ask?q=${q(`gap ${words}`)}`, { headers: { accept: "text/markdown" } });
		await ask("Hello");
		await app.request("/embed/asked", { headers: { origin: "https://waits.test" } });
		await engine.owner.putMemory("asked", "hours.md", "Words");
		const plain = await open("asked");
		for (const answer of await Promise.all(GROUPS.map(ask))) expect(answer.status).toBe(200);
		for (const words of PAYLOADS) {
			if (/^[\x20-\x7e]*$/.test(words)) await app.request("/embed/asked", { headers: { origin: `https://${words}` } });
			await engine.owner
				.putMemory("asked", `${words}.md`, words)
				.catch((refused: unknown) => expect(refused).toMatchObject({ code: "invalid_params" }));
		}
		const html = await open("asked");
		expect(await different(plain, [html], "text/html", [plain])).toEqual([]);
		const { text } = await one.page.evaluate((t) => (self as unknown as Listening).signatures(t, "text/html"), html);
		for (const words of GROUPS) expect(bare(text)).toContain(bare(words));
		nothingHappened();
	});
});

describe("the name of the whole", () => {
	it("is words on every page, whatever it is", { timeout: 120_000 }, async () => {
		await one.page.goto(`${DESK}/check`);
		const texts = async (brandName: string): Promise<string[]> => {
			const desk = await openTestDesk({ config: { brandName }, clientDir: client.dir });
			try {
				const all: string[] = [];
				for (const path of [
					...["/", "/@mira", "/@mira/chat", "/@mira/ask", "/@nobody", "/sign-in", "/agent", "/docs", "/snippet?handle=mira"],
					...[
						`/@mira/embed?site=${q("http://localhost:8787")}`,
						"/@mira/embed?site=https://new.test",
						"/check?handle=mira&site=https://new.test",
					],
				]) {
					const answer = await desk.app.request(path, { headers: { accept: "text/html", "accept-language": "en" } });
					all.push(await answer.text());
				}
				return all;
			} finally {
				await desk.close();
			}
		};
		const plain = await texts("Brand");
		for (const brand of inGroups(PAYLOADS, 2).map((group) => group.join(" "))) {
			const branded = await texts(brand);
			for (const [i, text] of branded.entries()) expect(await different(plain[i] as string, [text])).toEqual([]);
			expect(branded.filter((text) => text.includes("&lt;script") || text.includes("\\u003cscript")).length).toBeGreaterThan(3);
		}
		nothingHappened();
	});
});

describe("what nobody asked for in an address", () => {
	it("changes nothing of what is answered", async () => {
		for (const path of [
			...["/", "/@plain", "/@plain.md", "/@plain/badge.svg", "/@plain/face.svg", "/docs", "/docs/embed", "/docs/embed.md", "/llms.txt"],
			...["/sign-in", "/agent", "/a2a/plain/card", "/.well-known/agent-card.json", "/@plain/ask/eolf_none"],
		]) {
			const plain = await read(path);
			for (const words of inGroups(PAYLOADS, 20)) {
				const query = words.map((text, i) => `x${i}=${q(text)}&${q(text)}`).join("&");
				expect(await read(`${path}?${query}`), path).toBe(plain);
			}
		}
	});
});

describe("what is said back", () => {
	const echoes: [name: string, path: (words: string) => string, harmless: string[]][] = [
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
		["a handle of a line that is made", (words) => `/snippet?handle=${words}`, ["nobody"]],
		[
			"a greeting of a line that is made",
			(words) => `/snippet?handle=mira&greeting=on&greeting_text=${words}`,
			["Hi", "", "x".repeat(500)],
		],
		["a place of a line that is made", (words) => `/snippet?handle=mira&mode=button&selector=${words}`, ["#x", "x"]],
		["a colour of a line that is made", (words) => `/snippet?handle=mira&accent=${words}`, ["#abc", "x"]],
		["a number of a line that is made", (words) => `/snippet?handle=mira&embed=${words}&z=${words}&height=${words}`, ["1", "x"]],
		[
			"a preview of a line",
			(words) => `/snippet/preview?handle=mira&mode=button&selector=${words}&greeting_text=${words}&accent=${words}`,
			["#x", "x"],
		],
	];
	it.each(echoes)("%s is words", { timeout: 120_000 }, async (_, path, harmless) => {
		await one.page.goto(`${DESK}/check`);
		const known = await Promise.all(harmless.map((words) => read(path(q(words)))));
		const texts = await Promise.all(PAYLOADS.filter((words) => words !== "../../../../etc/passwd").map((words) => read(path(q(words)))));
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
		const ask = async (words: string): Promise<string> => {
			const answer = await world.desk.app.request(`/@mira/ask?q=${q(words)}`, { headers: { accept: "text/html" } });
			expect(answer.status, await answer.clone().text()).toBe(200);
			return await answer.text();
		};
		const known = await Promise.all([
			ask("Hello"),
			ask("# x\n\n**x** *x* ~~x~~ `x` [x](https://x.example) <x>\n\n- x\n1. x\n\n> x\n\n```\nx\n```\n\n|x|\n|-|\n|x|\n\n---\n\nx  \nx"),
		]);
		const texts = await Promise.all(GROUPS.map(ask));
		expect(await different(known[0] as string, texts, "text/html", known)).toEqual([]);
		nothingHappened();
	}, 60_000);
});
