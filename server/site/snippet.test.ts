import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import { badgesOf, embedCommand, lineOf, readChoice } from "./snippet-line.js";

const choose = (fields: Record<string, string>) => readChoice({ handle: "mira", ...fields }).choice;
const line = (fields: Record<string, string>): string =>
	lineOf("https://desk.example", choose(fields))
		.replace('<script src="https://desk.example/embed.js" ', "")
		.replace(" async></script>", "");

describe("the line", () => {
	it.each([
		[{}, 'data-handle="mira"'],
		[{ mode: "pet", theme: "dark", accent: "#a8532b" }, 'data-handle="mira" data-mode="pet" data-theme="dark" data-accent="#a8532b"'],
		[{ mode: "button", size: "large" }, 'data-handle="mira" data-mode="button" data-size="large"'],
		[{ mode: "button", size: "large", selector: "#ask" }, 'data-handle="mira" data-mode="button" data-selector="#ask"'],
		[{ mode: "inline", height: "480", z: "5" }, 'data-handle="mira" data-mode="inline" data-height="480"'],
		[{ size: "large", selector: "#ask", height: "480" }, 'data-handle="mira"'],
		[{ greeting: "on" }, 'data-handle="mira" data-greeting'],
		[{ greeting: "on", greeting_text: 'Say "hi" <b>&' }, 'data-handle="mira" data-greeting="Say &quot;hi&quot; &lt;b>&amp;"'],
		[{ greeting_text: "unsaid" }, 'data-handle="mira"'],
		[{ mode: "inline", greeting: "on" }, 'data-handle="mira" data-mode="inline"'],
		[
			{ embed: "3", mode: "pet", theme: "dark", accent: "#123", greeting: "on", chat_lang: "zh" },
			'data-handle="mira" data-embed="3" data-lang="zh"',
		],
		[{ handle: " @Mira " }, 'data-handle="mira"'],
	])("of %j is %s", (fields, expected) => expect(line(fields)).toBe(expected));

	it.each([
		["embed", "0"],
		["embed", "three"],
		["selector", "body > *"],
		["selector", '#a"><script>'],
		["height", "9"],
		["accent", "red"],
		["greeting_text", "a".repeat(121)],
		["z", "1.5"],
	])("has no %s that cannot be: %s", (name, value) => {
		const { wrong, typed } = readChoice({ handle: "mira", mode: "button", greeting: "on", [name]: value });
		expect(wrong).toEqual([name]);
		expect(typed[name]).toBe(value);
		expect(line({ mode: "inline", [name]: value })).toBe('data-handle="mira" data-mode="inline"');
	});
});

describe("the lines without a script", () => {
	it("are the badge in Markdown and HTML, as PNG for e-mail, and the link", () => {
		const { markdown, html, mail, link } = badgesOf(
			"https://desk.example",
			choose({ size: "medium", theme: "light", chat_lang: "zh" }),
			"Chat",
		);
		const query = "size=medium&theme=light&lang=zh";
		expect(markdown).toBe(`[![Chat](https://desk.example/@mira/badge.svg?${query})](https://desk.example/@mira/chat)`);
		expect(html).toBe(
			`<a href="https://desk.example/@mira/chat"><img src="https://desk.example/@mira/badge.svg?${query.replaceAll("&", "&amp;")}" alt="Chat" height="40"></a>`,
		);
		expect(mail).toContain("/@mira/chat-badge.png?");
		expect(link).toBe("https://desk.example/@mira/chat");
	});
	it("and the owner's command keeps the same look, quoted for a shell", () => {
		expect(embedCommand(choose({ mode: "pet", accent: "#a8532b", greeting: "on", greeting_text: "It's me" }))).toBe(
			"earthonline embed save mira --mode pet --accent '#a8532b' --greeting on --greeting-text 'It'\\''s me'",
		);
	});
});

describe("the page that makes a line", () => {
	let site: TestDesk;
	const get = async (path: string) => await site.app.request(path);
	beforeAll(async () => {
		site = await openTestDesk({ config: { publicUrl: "https://desk.example" } });
		await site.engine.owner.saveEmbed("mira", { mode: "button" });
	});
	afterAll(() => site.close());

	it("works without script: the form's fields come back with the line, the preview and the badge", async () => {
		const html = await (await get("/snippet?handle=mira&mode=pet&accent=%23a8532b&size=large")).text();
		expect(html).toContain("data-mode=&quot;pet&quot; data-accent=&quot;#a8532b&quot;");
		expect(html).toContain('<option value="pet" selected>');
		expect(html).toContain("/snippet/preview?handle=mira&amp;mode=pet");
		expect(html).toContain('src="/@mira/badge.svg?size=large"');
	});
	it("takes the first desk where none is named, and says so where one is not there", async () => {
		expect(await (await get("/snippet")).text()).toContain('value="mira"');
		expect(await (await get("/snippet?handle=nobody")).text()).toContain("There is no desk nobody on this server");
		expect((await get("/snippet.json?handle=nobody")).status).toBe(404);
		expect((await get("/snippet/preview?handle=nobody")).status).toBe(404);
	});
	it("shows a number as its desk keeps it, and says so of one that is not there", async () => {
		const said = (await (await get("/snippet.json?handle=mira&embed=1&mode=pet&size=medium")).json()) as {
			texts: { line: string };
			mode: string;
			numbered: boolean;
		};
		expect(said.texts.line).toContain('data-handle="mira" data-embed="1" data-size="medium" async');
		expect([said.mode, said.numbered]).toEqual(["button", true]);
		expect(await (await get("/snippet.json?handle=mira&embed=7")).json()).toMatchObject({ wrong: ["embed"], numbered: false });
	});
	it("may be framed by nobody; its preview by this server alone, with scripts of ours alone", async () => {
		expect((await get("/snippet")).headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
		const policy = (await get("/snippet/preview?handle=mira")).headers.get("content-security-policy") ?? "";
		expect(policy).toContain("frame-ancestors 'self'");
		expect(policy).toContain("script-src 'self'");
		expect(policy).not.toContain("unsafe");
	});
	it("puts what was chosen into the preview as attributes and nothing else", async () => {
		const query = new URLSearchParams({
			handle: "mira",
			greeting: "on",
			greeting_text: '"><script>alert(1)</script>',
			mode: "button",
			selector: '#x"onload="y',
		});
		const html = await (await get(`/snippet/preview?${query}`)).text();
		expect(html).not.toContain("<script>");
		expect(html).not.toContain("onload=");
	});
});
