import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import { DOCS_DIR } from "../root.js";
import { docs, readGuide } from "./docs.js";
import { markdown, slugOf } from "./docs-markdown.js";
import type { SiteParts } from "./door.js";
import { prefersText } from "./headers.js";

const URL_OF_DESK = "https://my-desk.test";
let site: TestDesk;
beforeAll(async () => {
	site = await openTestDesk({ config: { publicUrl: URL_OF_DESK } });
});
afterAll(() => site.close());

const get = (path: string, headers: Record<string, string> = {}) => site.app.request(path, { headers });
const textOf = async (path: string) => (await get(path)).text();
const guide = readGuide(DOCS_DIR ?? expect.fail("there is no guide"));
const names = [...guide.keys()];

describe("the guide", () => {
	it("is listed for agents with whole addresses, each of which answers in Markdown", async () => {
		const list = await textOf("/llms.txt");
		expect(list).toMatch(/^# /);
		const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, href]) => href as string);
		expect(links.length).toBeGreaterThan(8);
		for (const href of links) {
			expect(href).toMatch(new RegExp(`^${URL_OF_DESK}/docs/.+\\.md$`));
			const answer = await get(href.slice(URL_OF_DESK.length));
			expect([href, answer.status, answer.headers.get("content-type")]).toEqual([href, 200, "text/markdown; charset=utf-8"]);
		}
		for (const name of names) if (name !== "index") expect(links, name).toContain(`${URL_OF_DESK}/docs/${name}.md`);
	});

	it("is one text with all of its pages, in the list's order", async () => {
		const whole = await textOf("/llms-full.txt");
		const at = names.filter((name) => name !== "index").map((name) => whole.indexOf(`Source: ${URL_OF_DESK}/docs/${name}.md\n`));
		expect(at.every((place) => place > 0)).toBe(true);
		const list = await textOf("/llms.txt");
		const order = (text: string, mark: string) =>
			names.filter((n) => n !== "index").sort((a, b) => text.indexOf(mark.replace("*", a)) - text.indexOf(mark.replace("*", b)));
		expect(order(whole, "Source: https://my-desk.test/docs/*.md\n")).toEqual(order(list, "/docs/*.md"));
	});

	it.each(names)("shows %s as a page that leads nowhere wrong", async (name) => {
		const answer = await get(name === "index" ? "/docs" : `/docs/${name}`);
		expect(answer.status).toBe(200);
		const html = await answer.text();
		expect(html).toContain("<h1 id=");
		const hrefs = [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => (href as string).replace(/[?#].*$/, ""));
		for (const href of new Set(hrefs.filter((h) => h.startsWith("/docs") || h === "")))
			expect([href, (await get(href || "/docs")).status]).toEqual([href, 200]);
		expect(hrefs.filter((href) => !/^(?:https?:|\/|$)/.test(href))).toEqual([]);
		// What a link names below `#` is there.
		const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
		for (const [, anchor] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(anchor);
	});

	it("shows this server's address where it shows a desk's", async () => {
		for (const path of ["/docs/embed", "/docs/embed.md", "/docs/a2a.md", "/docs/agents", "/docs/links.md", "/llms-full.txt"]) {
			const text = await textOf(path);
			expect(text, path).not.toContain("desk.example.com");
			expect(text, path).toContain("my-desk.test");
		}
		expect(await textOf("/docs/embed")).toContain(`&lt;script src=&quot;${URL_OF_DESK}/embed.js&quot;`);
		expect(await textOf("/docs/a2a.md")).toContain(`curl -si ${URL_OF_DESK}/a2a/mira`);
	});

	it("is kept shortly and asked again by its tag", async () => {
		for (const path of ["/llms.txt", "/llms-full.txt", "/docs", "/docs/embed", "/docs/embed.md"]) {
			const answer = await get(path);
			expect(answer.headers.get("cache-control"), path).toBe("public, max-age=300");
			const again = await get(path, { "if-none-match": answer.headers.get("etag") as string });
			expect([again.status, await again.text()], path).toEqual([304, ""]);
		}
	});

	it.each([
		"/docs/nothing",
		"/docs/nothing.md",
		"/docs/",
		"/docs/decisions/README",
		"/docs/decisions/0001-time-ordered-ids.md",
		"/docs/../package.json",
		"/docs/%2e%2e/README.md",
		"/docs/__proto__",
		"/docs/constructor.md",
	])("has no %s", async (path) => {
		expect((await get(path)).status).toBe(404);
	});

	it("is made once for as long as the address is the same: what is given again costs no making", async () => {
		let address = "http://x.test:1";
		let [styled, named] = [0, 0];
		const parts = {
			config: {
				brandName: "B",
				get publicUrl() {
					named++;
					return address;
				},
			},
			docsDir: DOCS_DIR,
			// A page asks for it when it is drawn, and not otherwise.
			get css() {
				styled++;
				return "/site.css";
			},
		} as SiteParts;
		const app = new Hono().route("/", docs(parts));
		const give = async (path: string) => {
			[styled, named] = [0, 0];
			const answer = await app.request(path);
			return { text: await answer.text(), etag: answer.headers.get("etag"), styled, named };
		};
		for (const path of ["/docs", "/docs/embed", "/docs/embed.md", "/llms.txt", "/llms-full.txt"]) {
			const first = await give(path);
			expect(first.styled, path).toBe(path.startsWith("/docs") && !path.endsWith(".md") ? 1 : 0);
			for (let i = 0; i < 3; i++) {
				const again = await give(path);
				expect([again.text === first.text, again.etag, again.styled], path).toEqual([true, first.etag, 0]);
				// To look whether the address is still the same, and for the headers.
				expect(again.named, path).toBeLessThanOrEqual(2);
			}
		}
		// The port may be given when the server begins to listen.
		const before = await give("/llms-full.txt");
		address = "http://x.test:2";
		for (const path of ["/docs/embed", "/docs/embed.md", "/llms.txt", "/llms-full.txt"]) {
			const moved = await give(path);
			expect(moved.text, path).toContain("x.test:2");
			expect(moved.text, path).not.toContain("x.test:1");
		}
		expect((await give("/llms-full.txt")).etag).not.toBe(before.etag);
	});

	it("is none where its folder is not there, and no other folder is read for it", async () => {
		const parts = {
			config: { publicUrl: "http://x.test:1", brandName: "B" },
			docsDir: undefined,
			css: "/site.css",
			refuse: (async (c, status) => c.text("nothing", status)) satisfies SiteParts["refuse"],
		} as unknown as SiteParts;
		const app = new Hono().route("/", docs(parts));
		for (const path of [
			"/docs",
			"/docs/index",
			"/docs/index.md",
			"/docs/embed",
			"/docs/README.md",
			"/docs/node_modules/hono/README.md",
			"/llms.txt",
			"/llms-full.txt",
		])
			expect((await app.request(path)).status, path).toBe(404);
	});

	it("names a page that its index forgot, and makes no link out of itself", async () => {
		const dir = mkdtempSync(join(tmpdir(), "docs-"));
		mkdirSync(join(dir, "decisions"));
		writeFileSync(join(dir, "index.md"), "# G\n\n- [One](one.md): first\n");
		writeFileSync(
			join(dir, "one.md"),
			"# One\n\n[two](two.md#a-b) [out](../README.md) [record](decisions/1.md) [web](https://a.example)\n\n`[not](two.md)`\n",
		);
		writeFileSync(join(dir, "two.md"), "# Two\n\n## A b\n");
		writeFileSync(join(dir, "decisions/1.md"), "# 1\n");
		const parts = { config: { publicUrl: "http://x.test:1", brandName: "B" }, docsDir: dir, css: "/site.css" } as SiteParts;
		const app = new Hono().route("/", docs(parts));
		const read = async (path: string) => (await app.request(path)).text();
		expect(await read("/llms.txt")).toBe("# G\n\n- [One](http://x.test:1/docs/one.md): first\n- [Two](http://x.test:1/docs/two.md)\n");
		expect(await read("/docs/one.md")).toContain(
			"[two](http://x.test:1/docs/two.md#a-b) out record [web](https://a.example)\n\n`[not](two.md)`",
		);
		const page = await read("/docs/one");
		expect(page).toContain('<a href="/docs/two#a-b">two</a> out record <a href="https://a.example"');
		expect(await read("/docs")).toContain('<a href="/docs/two">Two</a>');
		rmSync(dir, { recursive: true });
	});
});

describe("the guide's Markdown", () => {
	it("becomes elements", async () => {
		const shown = async (text: string) => String(await markdown(text, { link: (href) => href, ids: false, top: 2 }));
		expect(await shown("# A\n\nb **c** *d* `e` ~~f~~\n\n1. x\n2. y\n\n> q\n\n---")).toBe(
			'<h2>A</h2><p>b <strong>c</strong> <em>d</em> <code>e</code> <del>f</del></p><ol start="1"><li>x</li><li>y</li></ol><blockquote><p>q</p></blockquote><hr>',
		);
		expect(await shown("| a | b |\n| - | - |\n| 1 | **2** |")).toContain("<tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody>");
		expect(await shown("a <b>c</b>")).toBe("<p>a &lt;b&gt;c&lt;/b&gt;</p>");
	});

	it("has headings that a link can name", () => expect(slugOf("No script: badges & links")).toBe("no-script-badges-links"));
});

describe("what an Accept header would rather have", () => {
	it.each([
		[undefined, false],
		["*/*", false],
		["text/html", false],
		["text/plain", true],
		["text/markdown, text/html, */*", true],
		["text/html, text/plain;q=0.9", false],
		["text/html;q=0.5, text/markdown;q=0.6", true],
		["text/plain;q=0", false],
		["application/json", false],
	])("%j: text %j", (accept, text) => expect(prefersText(accept)).toBe(text));
});
