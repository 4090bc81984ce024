import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import { AUTO_STYLE, BADGE, drawBadge, layOut } from "./badge.js";
import { cut, fitting, measure } from "./badge-text.js";

let site: TestDesk;
beforeAll(async () => {
	site = await openTestDesk({ config: { publicUrl: "https://desk.example" } });
	await site.engine.owner.createOwner({ handle: "linmei", name: "林美的陶艺工作室" });
});
afterAll(() => site.close());

const get = (path: string, headers: Record<string, string> = {}) => site.app.request(path, { headers });
const svgOf = async (query: string, of = "mira") => (await get(`/@${of}/badge.svg${query}`)).text();
const heightOf = (svg: string) => Number(/^<svg [^>]*height="(\d+)"/.exec(svg)?.[1]);
/** Width and height that a PNG says of itself. */
const sizeOf = (png: Uint8Array) => {
	const view = new DataView(png.buffer, png.byteOffset);
	return [view.getUint32(16), view.getUint32(20)];
};
const base = { handle: "mira", name: "Mira", size: "large", theme: "dark", language: "en" } as const;

/** Names that somebody might give themselves to break a picture or the page around it. */
const HOSTILE = [
	"</text><script>alert(1)</script>",
	'"/><image href="https://evil.example/x.png"/>',
	"<!ENTITY x SYSTEM 'file:///etc/passwd'>&x;",
	"]]><!--",
	"&lt;b&gt; & <b>",
	"\u202Emoc.elpmaxe\u202C",
	"a\u0000b\u0008c\uFFFEd",
	"\ud800 half",
	"\n\n\n",
];

describe("a badge", () => {
	it("is 36, 40 or 56 high, dark or light, English or Chinese, as its address says", async () => {
		expect(heightOf(await svgOf(""))).toBe(36);
		expect(heightOf(await svgOf("?size=medium"))).toBe(40);
		expect(heightOf(await svgOf("?size=large"))).toBe(56);
		expect(await svgOf("")).toContain(BADGE.dark.ground);
		expect(await svgOf("?theme=light")).toContain(BADGE.light.ground);
		expect(await svgOf("")).toContain(">Chat with my agent</text>");
		expect(await svgOf("?lang=zh")).toContain(">与我的智能体聊天</text>");
	});

	it("has the handle on the bigger ones, and the name on the biggest", async () => {
		expect(await svgOf("")).not.toContain(">@mira</text>");
		expect(await svgOf("?size=medium")).toContain(">@mira</text>");
		const large = await svgOf("?size=large", "linmei");
		expect(large).toContain(">林美的陶艺工作室</text>");
		expect(large).toContain(">@linmei</text>");
	});

	it("falls back quietly where its address asks for what is not", async () => {
		const plain = await svgOf("");
		for (const query of [
			"?size=huge",
			"?theme=blue",
			"?lang=fr",
			"?size=",
			"?size=large%00",
			"?handle=x&name=%3Cscript%3E",
			"?size[]=large",
		])
			expect(await svgOf(query), query).toBe(plain);
	});

	it("says what it is to who cannot see it, and has no dot, no script, no font and no address of anybody's", async () => {
		for (const query of ["", "?size=medium&theme=light", "?size=large&lang=zh", "?theme=auto"]) {
			const svg = await svgOf(query, "linmei");
			expect(svg).toContain('role="img" aria-labelledby="t"><title id="t">');
			expect(svg).not.toMatch(/script|@font-face|@import|<image|<use|href|foreignObject|animate|#16a34a| on[a-z]+=/i);
			expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|url\((?!#c\))/);
		}
		expect(await svgOf("?size=large", "linmei")).toContain('<title id="t">Chat with my agent: 林美的陶艺工作室 (@linmei)</title>');
	});

	/** What in a badge is more than shapes and so many lines of words. */
	function excess(svg: string, lines: number): string[] {
		const wrong = [...svg.matchAll(/<([a-zA-Z!]+)/g)]
			.map(([, tag]) => tag ?? "")
			.filter((tag) => !/^(svg|title|clipPath|rect|g|circle|ellipse|path|text)$/.test(tag));
		if (svg.match(/<text /g)?.length !== lines) wrong.push("lines");
		if (/[\p{Cc}\p{Cs}\u202a-\u202e\ufffe]/u.test(svg)) wrong.push("characters");
		if (svg.replace(/&(?:amp|lt|gt|quot|#39);/g, "").includes("&")) wrong.push("entities");
		return wrong;
	}

	it.each(HOSTILE)("is a picture of words and nothing else for the name %j", (name) => {
		for (const [i, size] of (["small", "medium", "large"] as const).entries())
			expect(excess(drawBadge({ ...base, name, size }), i + 1)).toEqual([]);
	});

	it("would be found to be more if it did not escape, or showed every character", () => {
		const careless = (name: string) => drawBadge({ ...base, name }, ({ x, y }) => `<text x="${x}" y="${y}">${name}</text>`);
		for (const name of HOSTILE.filter((n) => n.trim() !== "" && n !== "]]><!--")) expect(excess(careless(name), 3), name).not.toEqual([]);
	});

	it("shows the handle where a name has nothing that can be seen", () => {
		expect(layOut({ ...base, name: "\u200b\u202e " }).lines[0]?.text).toBe("@mira");
	});

	it("cuts a long name between whole characters", () => {
		const short = cut("👩‍👩‍👧‍👦".repeat(30), BADGE.longest, 16, 600);
		expect(short.endsWith("👦…")).toBe(true);
		expect(measure(short, 16, 600).width).toBeLessThanOrEqual(BADGE.longest);
		for (const name of ["W".repeat(40), "林".repeat(40), "ب".repeat(40), "👋".repeat(40)])
			expect(layOut({ ...base, name }).width).toBeLessThan(BADGE.longest + 100);
	});

	it("holds a browser to a width only where it knows every character", () => {
		expect(drawBadge({ ...base, name: "Mira Lin 林" })).toMatch(/textLength="[\d.]+" lengthAdjust="spacingAndGlyphs">Mira Lin 林</);
		for (const name of ["عمر", "मीरा", "Mira 👋", "Мира"])
			expect(drawBadge({ ...base, name })).toMatch(new RegExp(`font-weight="600" fill="[^"]+">${name}<`));
		expect(fitting("a\u202eb\tc")).toBe("a b c");
	});

	it("is harmless as a document, kept shortly by everybody, and asked again by its tag", async () => {
		const answer = await get("/@mira/badge.svg");
		expect(answer.headers.get("content-type")).toMatch(/^image\/svg\+xml/);
		expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
		expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
		expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
		expect(answer.headers.get("cache-control")).toBe("public, max-age=300, stale-while-revalidate=86400");
		expect(answer.headers.get("set-cookie")).toBeNull();
		const etag = answer.headers.get("etag") as string;
		const again = await get("/@mira/badge.svg", { "if-none-match": etag });
		expect([again.status, await again.text()]).toEqual([304, ""]);
		expect((await get("/@mira/badge.svg?theme=light", { "if-none-match": etag })).status).toBe(200);
		expect((await get("/@nobody/badge.svg")).status).toBe(404);
	});

	it("follows its reader's system where its address says so, with that one style", async () => {
		const answer = await get("/@mira/badge.svg?theme=auto");
		const hash = createHash("sha256").update(AUTO_STYLE).digest("base64");
		expect(answer.headers.get("content-security-policy")).toBe(`default-src 'none'; style-src 'sha256-${hash}'; sandbox`);
		expect(await answer.text()).toContain(`<style>${AUTO_STYLE}</style>`);
		expect(await svgOf("")).not.toContain("<style>");
	});

	it("has the same bytes whatever else is asked with it", async () => {
		const [plain, odd] = [
			await get("/@mira/badge.svg"),
			await get("/@mira/badge.svg", { "accept-language": "zh", "x-forwarded-host": "evil.example", host: "evil.example", cookie: "a=b" }),
		];
		expect(await odd.text()).toBe(await plain.text());
		expect(odd.headers.get("etag")).toBe(plain.headers.get("etag"));
	});
});

describe("its twin as PNG", () => {
	const pngOf = async (query: string, of = "mira") => new Uint8Array(await (await get(`/@${of}/chat-badge.png${query}`)).arrayBuffer());

	it("is the same size, drawn twice as fine", async () => {
		for (const query of ["", "?size=medium", "?size=large&lang=zh", "?theme=light"]) {
			const svg = await svgOf(query, "linmei");
			const width = Number(/^<svg [^>]*width="(\d+)"/.exec(svg)?.[1]);
			expect(sizeOf(await pngOf(query, "linmei")), query).toEqual([2 * width, 2 * heightOf(svg)]);
		}
	});

	it("has shapes for Chinese words", async () => {
		const { glyphOf } = await import("./badge-font.js");
		for (const character of "林美的陶艺工作室与我的智能体聊天繁體龍Añ@_9") {
			const glyph = await glyphOf(character, 600);
			expect(glyph?.path.length, character).toBeGreaterThan(20);
		}
		expect(await glyphOf("م", 600)).toBeUndefined();
		expect(await glyphOf("👨‍👩‍👧", 600)).toBeUndefined();
		expect(await pngOf("?size=large", "linmei")).not.toEqual(await pngOf("?size=large"));
	});

	it("is open to every site, kept shortly, asked again by its tag, and drawn once", async () => {
		const answer = await get("/@mira/chat-badge.png");
		expect(answer.headers.get("content-type")).toBe("image/png");
		expect(answer.headers.get("cache-control")).toBe("public, max-age=300, stale-while-revalidate=86400");
		expect(answer.headers.get("access-control-allow-origin")).toBe("*");
		const etag = answer.headers.get("etag") as string;
		expect((await get("/@mira/chat-badge.png", { "if-none-match": etag })).status).toBe(304);
		expect((await get("/@nobody/chat-badge.png")).status).toBe(404);
	});

	it("shows the handle for a name that the font cannot write, and drops an emoji from one that it can", async () => {
		await site.engine.owner.createOwner({ handle: "omar", name: "عمر الخيام" });
		await site.engine.owner.createOwner({ handle: "anna", name: "Anna 🎨 陈" });
		const { badgePicture } = await import("./badge-picture.js");
		const drawn = (handle: string, name: string) => badgePicture(`${handle} as ${name}`, { ...base, handle, name });
		expect(await pngOf("?size=large", "omar")).toEqual(await drawn("omar", "@omar"));
		expect(await pngOf("?size=large", "anna")).toEqual(await drawn("anna", "Anna 陈"));
	});

	it("keeps no more pictures than its limit", async () => {
		const { badgePicture, picturesKept } = await import("./badge-picture.js");
		for (let i = 0; i < LIMITS.badgePictures + 5; i++) void badgePicture(`many ${i}`, { ...base, size: "small" });
		expect(picturesKept()).toBe(LIMITS.badgePictures);
		await badgePicture(`many ${LIMITS.badgePictures + 4}`, base);
	});
});
