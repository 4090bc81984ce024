import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import type { Desk } from "../engine/engine.js";
import { drawFace } from "./face.js";
import { languageOf } from "./texts.js";

let clientDir: string;
let site: TestDesk;

const openSite = (dir: string) => openTestDesk({ clientDir: dir, config: { publicUrl: "https://desk.example" } });

beforeAll(async () => {
	clientDir = mkdtempSync(join(tmpdir(), "client-"));
	mkdirSync(join(clientDir, "assets"));
	writeFileSync(join(clientDir, "embed.js"), "/* the loader */ ".repeat(100));
	writeFileSync(join(clientDir, "assets/chat.js"), "/* the chat */");
	writeFileSync(join(clientDir, "assets/notes.txt"), "not for the web");
	writeFileSync(join(clientDir, "secret.js"), "not for the web");
	site = await openSite(clientDir);
});
afterAll(async () => {
	await site.close();
	rmSync(clientDir, { recursive: true });
});

const deskOf = async (handle: string) => (await site.engine.desk(handle)) as Desk;
const get = (path: string, headers: Record<string, string> = {}) => site.app.request(path, { headers });

describe("every page", () => {
	const paths = ["/", "/@mira", "/@mira/chat", "/@nobody", "/@MIRA", "/nothing/here"];
	it.each(paths)("%s may be framed by nobody, runs no script but ours, tells no other site where its reader was", async (path) => {
		const answer = await get(path);
		expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
		const csp = answer.headers.get("content-security-policy") ?? "";
		expect(csp).toContain("frame-ancestors 'none'");
		expect(csp).toContain("default-src 'none'");
		expect(csp).not.toContain("unsafe");
		expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
		expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
		expect(answer.headers.get("permissions-policy")).toContain("geolocation=()");
		expect(answer.headers.get("strict-transport-security")).toMatch(/^max-age=/);
		expect(answer.headers.get("set-cookie")).toBeNull();
	});
});

describe("the front page", () => {
	it("names the desks of the server and the line that shows one on a site", async () => {
		const html = await (await get("/")).text();
		expect(html).toContain('href="/@mira"');
		expect(html).toContain("&lt;script src=&quot;https://desk.example/embed.js&quot; data-handle=&quot;mira&quot; async&gt;");
	});
	it("says how to make the first one", async () => {
		const empty = await openSite(clientDir);
		await empty.engine.owner.changeSettings("mira", { guests: false });
		expect(await (await empty.app.request("/")).text()).toContain("<pre>npx earthonline owner create anna</pre>");
		await empty.close();
	});
});

describe("a person's page", () => {
	it("shows who it is, with everything that somebody wrote escaped", async () => {
		await site.engine.owner.createOwner({
			handle: "lin",
			name: "<b>Lin</b>",
			ownerName: 'Mira "M" Lin',
			about: "Stoneware & <drawings> from Lisbon",
		});
		const html = await (await get("/@lin")).text();
		expect(html).toContain("<h1>&lt;b&gt;Lin&lt;/b&gt;</h1>");
		expect(html).toContain("Mira &quot;M&quot; Lin");
		expect(html).toContain("Stoneware &amp; &lt;drawings&gt; from Lisbon");
		expect(html).toContain('href="/@lin/chat"');
		expect(html).toContain("https://desk.example/a2a/lin");
	});
	it("does not call a desk online that takes no visitors", async () => {
		expect(await (await get("/@mira")).text()).toContain('class="state on">Online');
		await site.engine.owner.changeSettings("mira", { guests: false });
		const html = await (await get("/@mira")).text();
		await site.engine.owner.changeSettings("mira", { guests: true });
		expect(html).toContain('class="state">Closed for now');
		expect(html).not.toContain(">Online");
		expect(html).not.toContain("state on");
	});
	it("has a box that asks without a script, the desk's questions to tap, and the ways for agents", async () => {
		const answer = await get("/@mira");
		const html = await answer.text();
		expect(html).toContain('<form class="box" action="/@mira/ask" method="get">');
		expect(html).toContain('<button name="q" value="What are your hours?">What are your hours?</button>');
		expect(html).toContain('href="/@mira.md"');
		expect(answer.headers.get("link")).toBe('</@mira.md>; rel="alternate"; type="text/markdown"');
		expect(answer.headers.get("content-security-policy")).toContain("form-action 'self'");
	});
	it("offers nothing to ask with where guests are off", async () => {
		await site.engine.owner.changeSettings("mira", { guests: false });
		const html = await (await get("/@mira")).text();
		const text = await (await get("/@mira.md")).text();
		await site.engine.owner.changeSettings("mira", { guests: true });
		expect(html).not.toContain("<form");
		expect(html).not.toContain("/ask");
		expect(text).toContain("takes no questions from visitors");
		expect(text).not.toContain("ask.md?q=");
	});
	it("is in the reader's language", async () => {
		expect(await (await get("/@mira", { "accept-language": "zh-CN,zh;q=0.9,en;q=0.8" })).text()).toContain('<html lang="zh"');
		expect(await (await get("/@mira?lang=en", { "accept-language": "zh" })).text()).toContain('<html lang="en"');
	});
	it("is not there for what is no handle or no desk, in one and the same way", async () => {
		const bodies = await Promise.all(
			["/@nobody", "/@ag_mira", "/@m", "/@MIRA", `/@${"a".repeat(33)}`, "/@nobody/chat"].map(async (path) => {
				const answer = await get(path);
				expect(answer.status).toBe(404);
				return answer.text();
			}),
		);
		expect(new Set(bodies).size).toBe(1);
	});
});

describe("a person's page for agents", () => {
	it("says who it is and every way to ask, with whole addresses that answer", async () => {
		const answer = await get("/@mira.md");
		expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
		const text = await answer.text();
		expect(text).toContain("# Mira\n");
		expect(text).toContain("It is online");
		expect(text).toContain("https://desk.example/@mira/ask.md?q=");
		expect(text).toContain("POST https://desk.example/a2a/mira");
		expect(text).toContain("What are your hours?");
		for (const path of ["/a2a/mira/.well-known/agent-card.json", "/docs/a2a.md", "/docs/agents.md", "/@mira/chat"]) {
			expect(text).toContain(`https://desk.example${path}`);
			expect((await get(path)).status, path).toBe(200);
		}
		expect(await (await get("/@mira", { accept: "text/markdown" })).text()).toBe(text);
	});
	it("makes no Markdown of what somebody wrote, and is not there for nobody", async () => {
		await site.engine.owner.createOwner({
			handle: "sly",
			name: "[x](https://evil.example)",
			about: "a\n\n# Ignore\n\n![p](https://evil.example/p)",
		});
		const text = await (await get("/@sly.md")).text();
		expect(text).toContain("# \\[x\\](https://evil.example)");
		expect(text).not.toMatch(/^# Ignore/m);
		for (const path of ["/@nobody.md", "/@MIRA.md", "/@.md"]) expect((await get(path)).status, path).toBe(404);
	});
	it("names no A2A address of a desk that has it off", async () => {
		await site.engine.owner.changeSettings("mira", { a2a: false });
		const text = await (await get("/@mira.md")).text();
		await site.engine.owner.changeSettings("mira", { a2a: true });
		expect(text).not.toContain("/a2a/");
	});
});

describe("the chat page", () => {
	it("boots the chat with a ticket that names no site, and is not kept", async () => {
		const answer = await get("/@mira/chat?theme=light");
		expect(answer.headers.get("cache-control")).toBe("no-store");
		const html = await answer.text();
		const boot = JSON.parse(/id="boot">(.*?)<\/script>/.exec(html)?.[1] ?? "");
		expect(boot).toMatchObject({ mode: "page", theme: "light", socket: "/a2a/mira/ws" });
		expect(boot.site).toBeUndefined();
		expect(site.engine.embed.readTicket(await deskOf("mira"), boot.ticket)).toEqual({ channel: "page" });
	});
	it("cannot be broken out of by a name or a brand", async () => {
		const brand = site.config.brandName;
		site.config.brandName = "</script><script>alert(1)</script><!-- \u2028";
		const html = await (await get("/@mira/chat")).text();
		site.config.brandName = brand;
		expect(html).not.toContain("alert(1)</script>");
		expect(html.match(/<script/g)).toHaveLength(2);
		expect(JSON.parse(/id="boot">(.*?)<\/script>/.exec(html)?.[1] ?? "").brand).toBe("</script><script>alert(1)</script><!-- \u2028");
	});
	it("says so where guests are off, and where nothing has been built", async () => {
		await site.engine.owner.changeSettings("mira", { guests: false });
		const closed = await get("/@mira/chat");
		expect([closed.status, (await closed.text()).includes("Closed for now")]).toEqual([403, true]);
		await site.engine.owner.changeSettings("mira", { guests: true });
		const bare = await openSite(join(clientDir, "not-built"));
		const answer = await bare.app.request("/@mira/chat");
		expect([answer.status, (await answer.text()).includes("npm run build")]).toEqual([503, true]);
		expect((await bare.app.request("/embed.js")).status).toBe(404);
		await bare.close();
	});
});

describe("a refusal", () => {
	it("is JSON for who asks for JSON", async () => {
		const answer = await get("/nothing", { accept: "application/json" });
		expect(answer.status).toBe(404);
		expect(await answer.json()).toEqual({ error: { code: "missing", message: expect.stringContaining("address") } });
	});
	it("tells nothing of what broke, and logs it whole", async () => {
		const broken = await openSite(clientDir);
		broken.engine.desks = () => Promise.reject(new Error("a secret of the database"));
		const answer = await broken.app.request("/");
		expect(answer.status).toBe(500);
		const html = await answer.text();
		expect(html).toContain("Something went wrong on our side");
		expect(html).not.toContain("secret");
		expect(broken.logged).toMatchObject([{ fields: { err: { message: "a secret of the database" } } }]);
		await broken.close();
	});
});

describe("the built files", () => {
	it("gives the loader to every site, shortly kept, asked again by its tag", async () => {
		const answer = await get("/embed.js");
		expect(answer.headers.get("content-type")).toMatch(/^text\/javascript/);
		expect(answer.headers.get("access-control-allow-origin")).toBe("*");
		expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
		expect(answer.headers.get("cache-control")).toMatch(/^public, max-age=300,/);
		const etag = answer.headers.get("etag") as string;
		const again = await get("/embed.js", { "if-none-match": `W/${etag}` });
		expect([again.status, await again.text()]).toEqual([304, ""]);
		expect((await get("/embed.js", { "if-none-match": '"other"' })).status).toBe(200);
	});
	it("is packed for whoever unpacks", async () => {
		const plain = await (await get("/embed.js")).text();
		const packed = await get("/embed.js", { "accept-encoding": "gzip, deflate, br" });
		expect(packed.headers.get("content-encoding")).toBe("br");
		expect(brotliDecompressSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe(plain);
		expect((await get("/embed.js", { "accept-encoding": "gzip, br;q=0" })).headers.get("content-encoding")).toBe("gzip");
		expect((await get("/embed.js", { "accept-encoding": "identity" })).headers.get("content-encoding")).toBeNull();
	});
	it("keeps a versioned file for ever and any other not at all", async () => {
		const html = await (await get("/@mira/chat")).text();
		const address = /src="(\/assets\/chat\.js\?v=[^"]+)"/.exec(html)?.[1] as string;
		expect((await get(address)).headers.get("cache-control")).toContain("immutable");
		expect((await get("/assets/chat.js")).headers.get("cache-control")).toBe("no-cache");
		expect((await get("/assets/chat.js?v=other")).headers.get("cache-control")).toBe("no-cache");
		expect((await get("/assets/chat.js")).headers.get("cross-origin-resource-policy")).toBe("same-origin");
	});
	it.each([
		"/assets/notes.txt",
		"/secret.js",
		"/assets/..%2fsecret.js",
		"/assets/../secret.js",
		"/assets/",
		"/assets/chat.js/",
		"/assets/__proto__",
	])("does not give %s", async (path) => {
		expect((await get(path)).status).toBe(404);
	});
});

describe("a face", () => {
	it("is always the same, harmless as a document, and open to every site", async () => {
		const answer = await get("/@mira/face.svg");
		expect(await answer.text()).toBe(drawFace("mira"));
		expect(answer.headers.get("content-type")).toMatch(/^image\/svg\+xml/);
		expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
		expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
		expect((await get("/@mira/face.svg", { "if-none-match": answer.headers.get("etag") as string })).status).toBe(304);
		expect((await get("/@nobody/face.svg")).status).toBe(404);
	});
	it("holds shapes only, in less than a kilobyte, whatever the handle", () => {
		const faces = new Set<string>();
		for (let i = 0; i < 500; i++) {
			const svg = drawFace(`desk-${i}`);
			expect(svg.length).toBeLessThan(1024);
			expect(svg).toMatch(/^<svg [^<]*(<(path|circle|ellipse) [a-zA-Z0-9 ="#.-]*\/>)+<\/svg>$/);
			expect(svg).not.toMatch(/desk|"[SIC]"/);
			faces.add(svg);
		}
		expect(faces.size).toBeGreaterThan(300);
	});
});

describe("the reader's language", () => {
	it.each([
		[undefined, "en"],
		["", "en"],
		["zh", "zh"],
		["zh-Hant-TW", "zh"],
		["en-GB,zh;q=0.9", "en"],
		["fr,zh;q=0.5,en;q=0.4", "zh"],
		["fr,de", "en"],
		["zh;q=0,en", "en"],
		["zh;q=0", "en"],
		["zhuang", "en"],
		["*", "en"],
	] as const)("%j reads as %s", (header, language) => expect(languageOf(header)).toBe(language));
});
