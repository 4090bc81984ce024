/**
 * T-EXFIL (reliability.md 38): whoever's words stand in the chat, nothing is asked of anybody for them until the visitor clicks. The
 * browser finds every foreign name in a trap, so that it is seen whatever of the browser asked. The
 * policy of the document is switched off: what is looked at is how words are drawn.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Frame, Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Answerer } from "../../server/engine/ports.js";
import type { Visit } from "./browser.js";
import { arrive, chatFrame, client, DESK, doc, frame, page, soon, useWorld, world } from "./world.js";

const SITE = "https://site.test";
const EVIL = "https://evil.test";

/** Words that would be a request if anybody drew them so. Each asks a host of its own. */
const TEMPTING = [
	"![secret](https://image.example/i.png?secret)",
	"![](https://empty.example/i.png)",
	"[![badge](https://inner.example/b.svg)](https://outer.example)",
	"![by reference][pic] and [a link][ref]\n\n[pic]: https://reference.example/i.png\n[ref]: https://referred.example/x",
	'<img src="https://tag.example/i.png" srcset="https://srcset.example/i.png 2x">',
	'<picture><source srcset="https://source.example/i.webp"></picture><video poster="https://poster.example/p.png" src="https://video.example/v.mp4">',
	'<link rel="preconnect" href="https://preconnect.example"><link rel="dns-prefetch" href="//dns.example"><link rel="prefetch" href="https://prefetch.example/x">',
	'<link rel="icon" href="https://icon.example/i.ico"><link rel="stylesheet" href="https://sheet.example/s.css">',
	'<style>@import "https://import.example/s.css"; @font-face { font-family: x; src: url(https://font.example/f.woff2) } * { background: url(https://css.example/b.png) }</style>',
	'<p style="background:url(https://style.example/b.png)">x</p>',
	'<meta http-equiv="refresh" content="0;url=https://refresh.example">',
	'<a href="https://anchor.example" ping="https://ping.example/p">x</a>',
	'<iframe src="https://iframe.example"></iframe><object data="https://object.example/o"></object><embed src="https://embed.example/e">',
	'<script src="https://script.example/s.js"></script><form action="https://form.example"><button>x</button></form>',
	'<svg><image href="https://svg.example/i.png"/><use href="https://use.example/u.svg#x"/></svg>',
	"https://bare.example/page?secret=1 and www.bare-www.example and https://preview.example/video.mp4",
	"[words](https://worded.example/x) <https://angled.example> someone@mail.example [mail](mailto:a@mailto.example)",
	"![x](//protocol.example/i.png) ![x](data:image/png;base64,iVBORw0KGgo=) ![x](blob:https://blob.example/1)",
	"| ![cell](https://cell.example/i.png) | b |\n|---|---|\n| https://row.example/x.png | ![x](https://row2.example/i.png) |",
	"> ![quoted](https://quoted.example/i.png)\n\n- ![listed](https://listed.example/i.png)",
	"```\n![code](https://code.example/i.png)\n```",
	"$\\includegraphics{https://latex.example/i.png}$ ![x]( https://spaced.example/i.png ) ![x](https://user:pass@userinfo.example/i.png)",
];

const answerer: Answerer = {
	name: "tempting",
	inProcess: true,
	maySilence: false,
	*answer() {
		for (const [i, words] of TEMPTING.entries()) yield { type: "text", text: `${i === 0 ? "" : "\n\n"}${words}` };
		yield { type: "text", text: `\n\n[click here](${page(EVIL, "there")})` };
		yield {
			type: "artifact",
			artifactId: "enclosed",
			name: "https://artifact.example/i.png",
			parts: [
				{ url: "https://part.example/i.png", mediaType: "image/png", filename: "https://filename.example/i.png" },
				{ data: { image: "https://data.example/i.png", html: '<img src="https://json.example/i.png">' } },
				{ raw: Buffer.from('<img src="https://raw.example/i.png">').toString("base64"), mediaType: "text/html", filename: "page.html" },
			],
		};
		yield { type: "reply", asks: false };
	},
};

useWorld({ answerer });
beforeAll(async () => {
	const { owner } = world.desk.engine;
	await owner.setSite("mira", SITE, "allowed");
	await owner.changeProfile("mira", {
		name: "![x](https://name.example)",
		about: "![about](https://about.example/i.png) https://about-link.example/x.png",
		suggestions: ["![x](https://suggested.example/i.png)", "https://suggested-link.example"],
	});
});
afterEach(() => {
	world.strays.length = 0;
});

/** A visitor whose browser keeps to no policy. */
const unguarded = (): Promise<Visit> => arrive({ bypassCSP: true });
/** Opens the chat on a site and has it answer. */
async function talk(at: Page): Promise<Frame> {
	await at.goto(page(SITE, frame(`${doc(SITE)}&mode=inline`, 'width="600" height="700"')));
	await soon(() =>
		chatFrame(at)
			?.locator("main.chat textarea")
			.count()
			.catch(() => 0),
	).toBe(1);
	const chat = chatFrame(at) as Frame;
	await chat.locator("textarea").fill(TEMPTING.slice(0, 8).join("\n"));
	await chat.locator("textarea").press("Enter");
	await chat.getByRole("link", { name: "click here" }).waitFor();
	await soon(() => chat.locator(".draft, .dots").count()).toBe(0);
	return chat;
}
const foreign = (one: Visit): string[] =>
	one.requests.filter((url) => !url.startsWith(DESK) && !url.startsWith(SITE) && !/^(?:blob|data):/.test(url));

describe("words that would fetch something", () => {
	it("are asked of nobody, said, drawn or hovered over", async () => {
		const one = await unguarded();
		const chat = await talk(one.page);
		for (const link of await chat.locator("a").all()) await link.hover({ force: true });
		await one.page.waitForLoadState("networkidle");
		expect(foreign(one)).toEqual([]);
		expect(world.strays).toEqual([]);
		expect(
			await (chatFrame(one.page) as Frame)
				.locator(".said :is(img, picture, video, audio, iframe, object, embed, link, style, script, svg image)")
				.count(),
		).toBe(0);
	});

	it("say of every link where it leads", async () => {
		const one = await unguarded();
		const chat = await talk(one.page);
		const links = await chat.locator("a").evaluateAll((all) =>
			all.map((a) => {
				const link = a as HTMLAnchorElement;
				const beside = link.nextElementSibling?.className === "where" ? link.nextElementSibling.textContent : "";
				return {
					href: link.href,
					host: link.host,
					words: `${link.textContent} ${beside}`,
					rel: link.rel,
					target: link.target,
					ping: link.ping,
				};
			}),
		);
		expect(links.length).toBeGreaterThan(15);
		for (const { href, host, words, rel, target, ping } of links) {
			if (href.startsWith("http")) expect(words, href).toContain(host.replace(/^www\./, ""));
			expect(rel.split(" ").sort(), href).toEqual(["nofollow", "noopener", "noreferrer", "ugc"]);
			expect([target, ping], href).toEqual(["_blank", ""]);
		}
	});

	it("lead somewhere when they are clicked, and tell nobody from where", async () => {
		const one = await unguarded();
		const chat = await talk(one.page);
		const [opened] = await Promise.all([one.context.waitForEvent("page"), chat.getByRole("link", { name: "click here" }).click()]);
		await opened.getByText("there").waitFor();
		expect(await opened.evaluate(() => [document.referrer, String(opener)])).toEqual(["", "null"]);
		expect(world.strays).toEqual([]);
	});

	it("are asked of nobody by the desk's own pages either", async () => {
		const one = await unguarded();
		for (const path of [
			"/",
			"/@mira",
			"/@mira/chat",
			"/@mira/ask",
			"/@mira/badge.svg?size=large",
			`/@mira/embed?site=${encodeURIComponent(SITE)}`,
		]) {
			await one.page.goto(DESK + path);
			await one.page.waitForLoadState("networkidle");
		}
		expect(foreign(one)).toEqual([]);
		expect(world.strays).toEqual([]);
	});
});

describe("a chat that is not careful is found out", () => {
	it.each([
		[
			"one that shows pictures",
			`for (const a of document.querySelectorAll(".prose a")) if (/\\.png/.test(a.href) && !a.firstElementChild) a.append(Object.assign(new Image(), { src: a.href }))`,
			"image.example",
		],
		[
			"one that looks ahead for a preview",
			`for (const a of document.querySelectorAll(".prose a:not([ahead])")) { a.setAttribute("ahead", ""); void fetch(a.href, { mode: "no-cors" }).catch(() => 0) }`,
			"worded.example",
		],
	])("%s", async (_, wrong, host) => {
		const one = await unguarded();
		const script = readFileSync(join(client.dir, "assets/chat.js"), "utf8");
		await one.context.route(`${DESK}/assets/chat.js*`, (route) =>
			route.fulfill({
				contentType: "text/javascript",
				body: `${script};new MutationObserver(() => { ${wrong} }).observe(document, { subtree: true, childList: true });`,
			}),
		);
		await talk(one.page);
		await soon(() => world.strays.filter((name) => name.endsWith(host))).not.toEqual([]);
	});
});
