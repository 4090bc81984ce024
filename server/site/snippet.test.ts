import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EMBED_NUMBER, EMBED_NUMBER_MAX, THEMES, tagLine } from "../../shared/embed.js";
import { APP_ACCESS } from "../../shared/presets.js";
import { EMBED_TOOLS, PRESET_TOOLS } from "../../shared/tools.schema.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import { decideSaveEmbed } from "../engine/embeds-operations.js";
import { BADGE } from "./badge.js";
import { badgesOf, embedCommand, lineOf, readChoice } from "./snippet-line.js";
import { SNIPPET } from "./snippet-texts.js";

const choose = (fields: Record<string, string>) => readChoice({ handle: "mira", ...fields }).choice;
const line = (fields: Record<string, string>): string =>
	lineOf("https://desk.example", choose(fields))
		.replace('<script src="https://desk.example/embed.js" ', "")
		.replace(" async></script>", "");

/** HTML's text as it is read. */
const plain = (html: string): string =>
	html
		.replace(/&quot;/g, '"')
		.replace(/&#39;/g, "'")
		.replace(/&lt;/g, "<")
		.replace(/&gt;/g, ">")
		.replace(/&amp;/g, "&");

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
			"npx earthonline embed save mira --mode pet --accent '#a8532b' --greeting on --greeting-text 'It'\\''s me'",
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
		const wrong = await (await get("/snippet?handle=mira&accent=red")).text();
		expect(wrong).toMatch(/<input id="accent"[^>]* value="red"[^>]* aria-invalid="true"/);
		expect(wrong).toMatch(/<input id="z"[^>]* aria-invalid="false"/);
	});
	it("takes the first desk where the address speaks of none", async () => {
		expect(await (await get("/snippet")).text()).toContain('value="mira"');
	});
	it.each([
		["nobody", SNIPPET.en.noDesk("nobody"), SNIPPET.zh.noDesk("nobody")],
		["", SNIPPET.en.noHandle, SNIPPET.zh.noHandle],
		["  ", SNIPPET.en.noHandle, SNIPPET.zh.noHandle],
	])("shows no line for the desk '%s', and says beside the field what is missing", async (handle, said, saidInChinese) => {
		const query = new URLSearchParams({ handle, mode: "pet", lang: "en" });
		const html = await (await get(`/snippet?${query}`)).text();
		expect(html).toContain(`<p class="hint wrong" id="handle-wrong" role="status">${said}</p>`);
		expect(html).toMatch(/<input id="handle"[^>]* aria-invalid="true" aria-describedby="handle-wrong /);
		expect(html).not.toContain("embed.js");
		expect(html).toContain('<option value="pet" selected>');
		// The other language has the same to say.
		const other = /id="other" href="([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? expect.fail();
		expect(await (await get(other)).text()).toContain(saidInChinese);
		const answer = await get(`/snippet.json?${query}`);
		expect(answer.status).toBe(404);
		expect(await answer.json()).toEqual({ error: { code: "missing", message: said } });
		expect((await get(`/snippet/preview?${query}`)).status).toBe(404);
	});
	it("writes the line of a tag manager for the desk that was chosen, with the same attributes in its address", async () => {
		const query = "handle=mira&mode=pet&accent=%23a8532b&greeting=on&greeting_text=Hi+%26+%22you%22&chat_lang=zh";
		const html = plain(await (await get(`/snippet?${query}`)).text());
		const { texts } = (await (await get(`/snippet.json?${query}`)).json()) as { texts: { line: string; managed: string } };
		expect(html).toContain(`<pre id="managed">${texts.managed}</pre>`);
		const address = new URL(plain(/src="([^"]+)"/.exec(texts.managed)?.[1] ?? ""));
		expect(address.origin + address.pathname).toBe("https://desk.example/embed.js");
		const attributes = [...texts.line.matchAll(/ data-([a-z]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, plain(value)]);
		expect(attributes).toHaveLength(5);
		expect([...address.searchParams]).toEqual(attributes);
		// A bare attribute is an empty one.
		const bare = (await (await get("/snippet.json?handle=mira&greeting=on")).json()) as { texts: { managed: string } };
		expect(plain(bare.texts.managed)).toBe('<script src="https://desk.example/embed.js?handle=mira&greeting=" async></script>');
		for (const path of ["/snippet?handle=mira&lang=en", "/snippet?handle=mira&lang=zh"])
			expect(await (await get(path)).text()).not.toContain("…/embed.js");
	});
	it("says which command keeps the look, as it is run in the project's folder", async () => {
		expect(await (await get("/snippet?handle=mira&mode=pet")).text()).toContain(
			'<pre id="keep">npx earthonline embed save mira --mode pet</pre>',
		);
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

describe("what is written once and read everywhere", () => {
	let site: TestDesk;
	beforeAll(async () => {
		site = await openTestDesk({ config: { publicUrl: "https://desk.example" } });
		await site.engine.owner.saveEmbed("mira", { mode: "pet" });
		await site.engine.owner.setSite("mira", "https://site.com", "allowed");
	});
	afterAll(() => site.close());

	const get = async (path: string, headers: Record<string, string> = {}) => plain(await (await site.app.request(path, { headers })).text());

	it("is the line to paste, whoever shows it", async () => {
		const bare = tagLine("https://desk.example", { handle: "mira" });
		const numbered = tagLine("https://desk.example", { handle: "mira", embed: "1" });
		expect(await get("/")).toContain(bare);
		expect(await get("/check?handle=mira&site=https://site.com")).toContain(bare);
		expect(await get("/check?handle=mira&site=https://site.com&embed=1")).toContain(numbered);
		expect(await get("/snippet?handle=mira")).toContain(bare);
		expect(await get("/snippet?handle=mira&embed=1")).toContain(numbered);
		expect(await get("/snippet/preview?handle=mira&embed=1")).toContain(tagLine("", { handle: "mira", embed: "1" }));
		const session = await site.engine.owner.signIn(await site.engine.owner.createSignIn("mira"));
		expect(await get("/agent", { cookie: `__Host-eol_session=${session}` })).toContain(bare);
		const tools = await site.app.request("/api/tools/eol_list_embeds", {
			method: "POST",
			headers: { authorization: `Bearer ${site.key}`, "content-type": "application/json" },
			body: "{}",
		});
		expect(JSON.stringify(await tools.json())).toContain(JSON.stringify(numbered).slice(1, -1));
	});

	it("is a theme: each door takes the same ones", async () => {
		const change = (theme: string) => decideSaveEmbed({ last: 0, count: 0 }, { deskId: 1, change: { mode: "pet", theme }, now: 0 });
		for (const theme of [...THEMES, "blue", "", "Light", "light "]) {
			const known = THEMES.some((one) => one === theme);
			expect(EMBED_TOOLS.eol_save_embed.input.safeParse({ theme }).success, theme).toBe(known);
			if (known) expect(change(theme).answer.theme).toBe(theme);
			else expect(() => change(theme), theme).toThrow();
			expect(choose({ theme }).theme, theme).toBe(known ? theme : "auto");
			const asked = await site.app.request(`/embed/mira?theme=${encodeURIComponent(theme)}`, { headers: { origin: "https://site.com" } });
			// An empty one counts as not given.
			expect(((await asked.json()) as { help?: string }).help === undefined, theme).toBe(known || theme === "");
		}
	});

	it("is an embed's number: each door takes the same ones", async () => {
		const row = (await site.engine.desk("mira")) ?? expect.fail();
		const looked: number[] = [];
		const { embed } = site.store.read;
		site.store.read.embed = async (deskId, number) => {
			looked.push(number);
			return await embed(deskId, number);
		};
		for (const number of ["1", "9", String(EMBED_NUMBER_MAX), String(EMBED_NUMBER_MAX + 1), "0", "01", "-1", "1.0", "1e3", " 1", "x"]) {
			const known = EMBED_NUMBER.test(number);
			looked.length = 0;
			await site.engine.embed.check(row, null, number);
			expect(looked, number).toEqual(known ? [Number(number)] : []);
			const { typed, wrong } = readChoice({ handle: "mira", embed: number });
			// A form takes away what stands around it.
			expect(wrong.includes("embed"), number).toBe(!EMBED_NUMBER.test(typed.embed ?? ""));
			const id = Number(number);
			const isOne = Number.isInteger(id) && String(id) === number && known;
			if (String(id) === number) expect(EMBED_TOOLS.eol_delete_embed.input.safeParse({ id }).success, number).toBe(isOne);
		}
		site.store.read.embed = embed;
	});

	it("is the height of a badge, and what an app may give", () => {
		for (const size of ["small", "medium", "large"] as const)
			expect(badgesOf("https://d.example", choose({ size }), "Chat").height).toBe(BADGE[size].height);
		const { input } = PRESET_TOOLS.eol_update_embed_presets;
		for (const access of [...APP_ACCESS, "write", "all", ""])
			expect(input.safeParse({ apps: { calendar: access } }).success, access).toBe(APP_ACCESS.some((one) => one === access));
	});
});
