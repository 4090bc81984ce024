import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SiteConfig } from "../../shared/embed.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import { readAddress } from "./check.js";
import { CHECK } from "./check-texts.js";

let site: TestDesk;
const texts = CHECK.en;

beforeAll(async () => {
	site = await openTestDesk({ config: { publicUrl: "https://desk.example" } });
	const { owner } = site.engine;
	await owner.setSite("mira", "https://shop.com", "allowed");
	await owner.setSite("mira", "*.wide.com", "allowed");
	await owner.setSite("mira", "https://secret-client.com", "allowed");
	await owner.setSite("mira", "https://bad.com", "blocked");
	await owner.saveEmbed("mira", { mode: "pet" });
});
afterAll(() => site.close());

/** The page's words for a site, without markup. */
async function read(query: Record<string, string>, headers: Record<string, string> = {}): Promise<string> {
	const answer = await site.app.request(`/check?${new URLSearchParams(query)}`, { headers });
	expect(answer.status).toBe(200);
	const html = await answer.text();
	return html
		.replace(/<[^>]+>/g, "\n")
		.replace(/&#39;/g, "'")
		.replace(/&quot;/g, '"')
		.replace(/&lt;/g, "<")
		.replace(/&gt;/g, ">")
		.replace(/&amp;/g, "&");
}

describe("reading an address", () => {
	const local = { localhost: true };
	it.each([
		["https://shop.com", "https://shop.com"],
		["  HTTPS://Shop.Com/contact?x=1#y ", "https://shop.com"],
		["shop.com/contact", "https://shop.com"],
		["www.shop.com", "https://www.shop.com"],
		["shop.com:8443/a", "https://shop.com:8443"],
		["https://shop.com:443/", "https://shop.com"],
		["https://me:secret@shop.com/", "https://shop.com"],
		["https://bücher.example", "https://xn--bcher-kva.example"],
		["localhost:3000/index.html", "http://localhost:3000"],
		["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
		["shop.localhost:3000", "http://shop.localhost:3000"],
	])("takes %s for %s", (typed, expected) => expect(readAddress(typed, local)).toEqual({ site: expected }));

	it.each([
		["file:///home/ada/index.html", "opaque"],
		["data:text/html,hello", "opaque"],
		["about:blank", "opaque"],
		["chrome-extension://abc/page.html", "opaque"],
		["null", "opaque"],
		["http://shop.com/contact", "not_https"],
		["https://192.168.1.10/", "address"],
		["https://[::1]:8080/", "address"],
		["https://shop.com./", "trailing_dot"],
		["https://sh op.com", "unreadable"],
		["https://", "unreadable"],
		[`https://shop.com/${"a".repeat(3_000)}`, "unreadable"],
		["https://sh$op.com", "not_canonical"],
	])("says of %s that it is %s", (typed, refused) => expect(readAddress(typed, local)).toMatchObject({ refused }));

	it("names the site without its last dot", () =>
		expect(readAddress("https://Shop.com.:8443/x", local)).toMatchObject({ shown: "https://shop.com:8443" }));
	it("takes no site on this machine where the server shows none", () =>
		expect(readAddress("localhost:3000", { localhost: false })).toMatchObject({ refused: "local" }));
});

describe("check my install", () => {
	it("asks for a desk and a page first", async () => {
		const answer = await site.app.request("/check");
		expect(await answer.text()).not.toContain('id="verdict"');
		expect(answer.headers.get("cache-control")).toBe("no-store");
		const policy = answer.headers.get("content-security-policy");
		expect(policy).toContain("form-action 'self'");
		expect(policy).toContain("frame-ancestors 'none'");
		expect(policy).not.toContain("script-src");
	});

	describe("with something missing", () => {
		/** The page's box of a name, and what stands beside it. */
		const boxOf = async (query: Record<string, string>, name: string, headers: Record<string, string> = {}) => {
			const html = await (await site.app.request(`/check?${new URLSearchParams(query)}`, { headers })).text();
			expect(html).not.toContain('id="verdict"');
			const [box = ""] = new RegExp(`<input id="${name}".*?</div>`).exec(html) ?? [];
			return { box, wrong: />([^<]*)<\/p>/.exec(box.split(`id="${name}-wrong"`)[1] ?? "")?.[1] };
		};
		const empty = { handle: "", site: "", embed: "", rule: "", lang: "en" };

		it.each([
			[empty, { handle: texts.wrong.handle, site: texts.wrong.site, embed: undefined }],
			[
				{ ...empty, handle: " ", site: "https://shop.com" },
				{ handle: texts.wrong.handle, site: undefined, embed: undefined },
			],
			[
				{ ...empty, handle: "mira" },
				{ handle: undefined, site: texts.wrong.site, embed: undefined },
			],
			[
				{ ...empty, handle: "mira", site: "shop.com", embed: "x" },
				{ handle: undefined, site: undefined, embed: texts.wrong.embed("x") },
			],
			[
				{ ...empty, handle: "mira", site: "shop.com", embed: "03" },
				{ handle: undefined, site: undefined, embed: texts.wrong.embed("03") },
			],
			// A rule is tried on a site alone.
			[
				{ ...empty, rule: "*.shop.com" },
				{ handle: undefined, site: texts.wrong.site, embed: undefined },
			],
		] as const)("says of %j beside the field what is missing, in place of a verdict", async (query, said) => {
			for (const name of ["handle", "site", "embed"] as const) {
				const { box, wrong } = await boxOf(query, name);
				expect(wrong, name).toBe(said[name]);
				expect(box.includes('aria-invalid="true"'), name).toBe(said[name] !== undefined);
				expect(box.includes(`aria-describedby="${said[name] === undefined ? "" : `${name}-wrong `}${name}-hint"`), name).toBe(true);
				expect(box).toContain(`value="${query[name].trim()}"`);
			}
		});

		it("says it in Chinese, and goes there with all that was typed", async () => {
			const query = { handle: "mira", site: "shop.com/contact", embed: "x", rule: "*.shop.com" };
			expect((await boxOf({ ...query, lang: "zh" }, "embed")).wrong).toBe(CHECK.zh.wrong.embed("x"));
			const html = await (await site.app.request(`/check?${new URLSearchParams(query)}`)).text();
			expect(html).toContain("/check?handle=mira&amp;site=shop.com%2Fcontact&amp;embed=x&amp;rule=*.shop.com&amp;lang=zh");
		});

		it("leads to the first that is wrong, and reproaches nobody who has sent nothing", async () => {
			const html = await (await site.app.request(`/check?${new URLSearchParams({ ...empty, embed: "x" })}`)).text();
			expect(html.match(/id="\w+"[^>]* autofocus/g)).toHaveLength(1);
			expect((await boxOf({ ...empty, embed: "x" }, "handle")).box).toContain("autofocus");
			for (const [query, other] of [
				["", "zh"],
				["?lang=zh", "en"],
			] as const) {
				const first = await (await site.app.request(`/check${query}`)).text();
				expect(first).not.toContain("aria-invalid");
				expect(first).toContain(`"/check?lang=${other}"`);
			}
		});
	});

	it.each([
		["shop.com/contact", texts.shows("https://shop.com")],
		["https://a.b.wide.com", texts.shows("https://a.b.wide.com")],
		["https://desk.example/@mira", texts.showsOwn],
		["https://wide.com", texts.unlisted("mira", "https://wide.com").why],
		["https://bad.com", texts.blocked("mira").why],
		["http://shop.com", texts.refused.not_https("http://shop.com").why],
		["file:///index.html", texts.refused.opaque("").why],
		["https://10.0.0.1", texts.refused.address("https://10.0.0.1").why],
		["https://shop.com.", texts.refused.trailing_dot("https://shop.com").todo],
	])("says of %s: %s", async (typed, words) => expect(await read({ handle: "mira", site: typed })).toContain(words));

	it("gives the line and its colour only where the chat shows", async () => {
		const line = '<script src="https://desk.example/embed.js" data-handle="mira" async></script>';
		expect(await read({ handle: "mira", site: "shop.com" })).toContain(line);
		expect(await read({ handle: "mira", site: "https://other.com" })).not.toContain(line);
	});

	it("says which rule would cover a site that none covers, and that the one beside it is another", async () => {
		const www = await read({ handle: "mira", site: "https://www.shop.com" });
		expect(www).toContain("\nnpx earthonline sites add mira https://www.shop.com\n");
		expect(www).toContain("\nnpx earthonline sites add mira '*.shop.com'");
		expect(www).toContain(texts.sibling("https://www.shop.com", "https://shop.com", "www"));
		expect(await read({ handle: "mira", site: "https://shop.com:8443" })).toContain(
			texts.sibling("https://shop.com:8443", "https://shop.com", "port"),
		);
		expect(await read({ handle: "mira", site: "https://wide.com" })).toContain(
			texts.sibling("https://wide.com", "https://www.wide.com", "apex"),
		);
		expect(await read({ handle: "mira", site: "https://other.com" })).not.toContain("is another site");
	});

	it("says of each embed where its line belongs", async () => {
		const { owner } = site.engine;
		const end = "</body>";
		for (const [mode, words] of [
			["button", texts.lineHow.button],
			["inline", texts.lineHow.inline],
		] as const) {
			const { number } = await owner.saveEmbed("mira", { mode });
			const said = await read({ handle: "mira", site: "shop.com", embed: String(number) });
			expect(said).toContain(words);
			expect(said).not.toContain(end);
			await owner.deleteEmbed("mira", number);
		}
		expect(await read({ handle: "mira", site: "shop.com", embed: "1" })).toContain(texts.lineHow.anywhere);
	});

	it("leads from http to the same site over https", async () => {
		const answer = await site.app.request("/check?handle=mira&site=http://shop.com/contact");
		expect(await answer.text()).toContain("/check?handle=mira&amp;site=https%3A%2F%2Fshop.com&amp;embed=&amp;lang=en");
	});

	it("knows numbers, handles, and guests that are off", async () => {
		expect(await read({ handle: "mira", site: "shop.com", embed: "1" })).toContain('data-embed="1"');
		expect(await read({ handle: "mira", site: "shop.com", embed: "99" })).toContain(texts.noEmbed("99", "mira").why);
		expect(await read({ handle: "nobody", site: "shop.com" })).toContain(texts.noDesk("nobody").why);
		expect(await read({ handle: "@Mira", site: "shop.com" })).toContain(texts.shows("https://shop.com"));
		await site.engine.owner.changeSettings("mira", { guests: false });
		expect(await read({ handle: "mira", site: "shop.com" })).toContain(texts.guestsOff("mira").why);
		await site.engine.owner.changeSettings("mira", { guests: true });
	});

	describe("a rule to try", () => {
		const { trial } = CHECK.en;
		it.each([
			["https://shop.com", "shop.com/contact", true],
			["https://shop.com", "https://www.shop.com", false],
			["https://shop.com", "https://shop.com:8443", false],
			["*.shop.com", "https://a.b.shop.com", true],
			["*.shop.com", "https://shop.com", false],
			["*.shop.com", "https://notshop.com", false],
			["*.shop.com:8443", "https://www.shop.com:8443", true],
			["*.shop.com:8443", "https://www.shop.com", false],
			["https://*.shop.com", "https://www.shop.com", true],
		])("%s on %s: %s", async (rule, typed, covers) => {
			const said = await read({ handle: "mira", site: typed, rule });
			const kept = rule.replace(/^https:\/\/\*/, "*");
			const reading = readAddress(typed, { localhost: true });
			const at = "site" in reading ? reading.site : expect.fail();
			expect(said).toContain(covers ? trial.covers(kept, at) : trial.misses(kept, at));
			expect(said).toContain(kept.startsWith("*") ? trial.below(kept) : trial.one(kept));
			expect(said).toContain(trial.only);
			// What the site itself would be told is another matter.
			expect(said).toContain(texts.looked);
		});

		it.each([
			["*.co.uk", /Anybody can have a name under co\.uk/, "任何人都能在这个域名下注册名字"],
			["*.github.io", /Anybody can have a name under github\.io/, "任何人都能在这个域名下注册名字"],
			["*", /A star stands only once/, "星号只能有一个"],
			["https://a.*.com", /A star stands only once/, "星号只能有一个"],
			["http://shop.com", /served over https/, "必须通过 https"],
			["https://10.0.0.1", /no numbers/, "不认数字地址"],
			["shop.com", /Write the whole origin/, "请写完整的网站"],
			["https://shop.com/page", /Write the whole origin/, "请照浏览器读到的样子"],
			["https://bücher.example", /https:\/\/xn--bcher-kva\.example/, "xn--"],
			["http://localhost:3000", /ALLOW_LOCALHOST_SITES|localhost/, "localhost"],
		])("says of %s what is wrong with it, in both languages", async (rule, en, zh) => {
			const asked = { handle: "mira", site: "https://shop.com", rule };
			const [said, saidInChinese] = [await read({ ...asked, lang: "en" }), await read({ ...asked, lang: "zh" })];
			// On this server a rule for this machine may be one.
			const taken = said.includes(trial.misses(rule, "https://shop.com"));
			expect(said).toMatch(en);
			expect(saidInChinese).toContain(zh);
			expect(said.includes(trial.none(rule))).toBe(!taken);
			expect(saidInChinese.includes(CHECK.zh.trial.none(rule))).toBe(!taken);
		});

		it("needs no desk, writes nothing, and says nothing where there is no site to try it on", async () => {
			const before = await site.engine.owner.siteList("mira");
			expect(await read({ site: "https://www.shop.com", rule: "*.shop.com" })).toContain(
				trial.covers("*.shop.com", "https://www.shop.com"),
			);
			expect(await read({ rule: "*.shop.com" })).not.toContain("*.shop.com would");
			expect(await read({ handle: "mira", site: "file:///x", rule: "*.shop.com" })).not.toContain("*.shop.com would");
			expect(await site.engine.owner.siteList("mira")).toEqual(before);
		});

		it("is said back as text, and goes along to the other language", async () => {
			const rule = '"><script>alert(1)</script>';
			const html = await (
				await site.app.request(`/check?${new URLSearchParams({ handle: "mira", site: "https://shop.com", rule })}`)
			).text();
			expect(html).not.toContain("<script>alert");
			expect(html).toContain(`rule=${encodeURIComponent(rule).replace(/\(/g, "%28").replace(/\)/g, "%29")}&amp;lang=zh`);
		});
	});

	it("speaks Chinese to those who read it", async () => {
		expect(await read({ handle: "mira", site: "shop.com" }, { "accept-language": "zh-CN" })).toContain(CHECK.zh.shows("https://shop.com"));
		expect(await read({ handle: "mira", site: "shop.com", lang: "zh" })).toContain(CHECK.zh.title);
	});

	it("says of a site what the site itself would be told, names no rule of the desk's, and leaves no trace", async () => {
		const before = await site.engine.owner.siteList("mira");
		for (const origin of ["https://shop.com", "https://bad.com", "https://never.com", "https://x.wide.com"]) {
			const said = await read({ handle: "mira", site: origin });
			expect(said).not.toContain("secret-client");
			expect(said).not.toContain("*.wide.com");
			const asked = await site.app.request("/embed/mira", { headers: { origin } });
			expect(said.includes(texts.shows(origin))).toBe(((await asked.json()) as SiteConfig).show);
		}
		expect((await site.engine.owner.siteList("mira")).rules.length).toBe(before.rules.length + 1);
		await site.engine.owner.removeSite("mira", "https://never.com");
		await read({ handle: "mira", site: "https://never.com" });
		expect((await site.engine.owner.siteList("mira")).rules).toHaveLength(before.rules.length);
	});

	it("shows what was typed as text", async () => {
		const answer = await site.app.request(
			`/check?${new URLSearchParams({ handle: "mira", site: '"><script>alert(1)</script>', embed: "<b>" })}`,
		);
		const html = await answer.text();
		expect(html).not.toContain("<script>alert");
		expect(html).not.toContain("<b>");
	});
});
