import { describe, expect, it } from "vitest";
import { asPageMessage, CLAIM_CHARS, PAGE_TEXT_CHARS, type PageMessage, tagLine } from "./embed.js";

describe("what comes over the port from the page", () => {
	const ALL: PageMessage[] = [
		{ type: "open" },
		{ type: "close" },
		{ type: "theme", theme: "light" },
		{ type: "theme", theme: "dark" },
		{ type: "viewport", fullScreen: true },
		{ type: "viewport", fullScreen: false },
		{ type: "identify" },
		{ type: "identify", name: "Ada" },
		{ type: "identify", email: "ada@a.example" },
		{ type: "identify", name: "Ada", email: "ada@a.example" },
		{ type: "logout" },
		{ type: "send", text: "Hello" },
	];
	const EXTRA = { to: "somebody", html: "<b>", theme: "dark", text: "more", name: "Eve", fullScreen: true, __proto__: null };

	it.each(ALL)("is taken as %j, in an object of our own", (message) => {
		const read = asPageMessage(message);
		expect(read).toStrictEqual(message);
		expect(read).not.toBe(message);
	});

	it.each(ALL)("is %j and no more, whatever else the page adds", (message) => {
		const own = Object.fromEntries(Object.entries(EXTRA).filter(([key]) => message.type !== "identify" || key !== "name"));
		const read = asPageMessage({ ...own, ...message }) as object;
		expect(read).toStrictEqual(message);
	});

	it("is what it was when it was read: a change of the sender's reaches nothing", () => {
		const said = { type: "send", text: "Hello" };
		const read = asPageMessage(said);
		said.text = "Goodbye";
		expect(read).toEqual({ type: "send", text: "Hello" });
	});

	it.each([
		null,
		undefined,
		"open",
		7,
		[],
		{},
		{ type: "" },
		{ type: "open close" },
		{ type: ["open"] },
		{ type: "reload" },
		{ type: "ready" },
		{ type: "constructor" },
		{ type: "theme" },
		{ type: "theme", theme: "auto" },
		{ type: "viewport", fullScreen: 1 },
		{ type: "identify", name: "" },
		{ type: "identify", name: null },
		{ type: "identify", name: "Ada", email: " " },
		{ type: "identify", name: "a".repeat(CLAIM_CHARS + 1) },
		{ type: "identify", email: ["ada@a.example"] },
		{ type: "send" },
		{ type: "send", text: "\n" },
		{ type: "send", text: "a".repeat(PAGE_TEXT_CHARS + 1) },
	])("is nothing where it is %j", (data) => expect(asPageMessage(data)).toBeUndefined());
});

describe("the line to paste", () => {
	it("has the attributes in their order; null is a bare one, undefined none", () => {
		expect(tagLine("https://d.example", { handle: "mira", embed: undefined, greeting: null, z: "5" })).toBe(
			'<script src="https://d.example/embed.js" data-handle="mira" data-greeting data-z="5" async></script>',
		);
	});
	it("ends neither its attribute nor the tag, whatever a value holds", () => {
		const line = tagLine("https://d.example", { handle: 'a"><script>b</script>&quot;' });
		expect(line).toBe('<script src="https://d.example/embed.js" data-handle="a&quot;>&lt;script>b&lt;/script>&amp;quot;" async></script>');
	});
});
