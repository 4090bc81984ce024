// @vitest-environment happy-dom
/**
 * T-XSS for the conversation that a visitor keeps as a file: Markdown, which some program or other will show as a page. What a visitor wrote, what
 * files and people are called, and the desk's name are words there, too; a desk's own words are Markdown and stay what they are.
 */
import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { markdownOf } from "../../widget/chat/keep.js";
import { type Allowance, faultsIn } from "./allowed.js";
import { PAYLOADS } from "./payloads.js";

const KEPT: Allowance = {
	tags: "div h1 h2 p a strong em br hr ul ol li pre code blockquote table thead tbody tr th td",
	attributes: "class href align",
	drawn: "",
	drawnAttributes: "",
	own: [],
};

/** A kept conversation as a program that shows Markdown draws it, without a care of its own. */
function drawn(
	title: string,
	author: string,
	parts: { text?: string; url?: string; filename?: string; data?: object; raw?: string }[],
): Element {
	const message = { messageId: "m", role: "ROLE_USER" as const, parts: parts as never };
	const text = markdownOf({ messages: [{ seq: 1, at: 0, message }], title, author: () => author, when: () => "today" });
	const place = document.createElement("div");
	place.innerHTML = marked.parse(text, { async: false });
	return place;
}

describe("a conversation that is kept as a file", () => {
	it.each([
		["what the visitor wrote", (words: string) => drawn("T", "You", [{ text: words }])],
		["the desk's name in its title", (words: string) => drawn(words, "You", [{ text: "x" }])],
		["who said it", (words: string) => drawn("T", words, [{ text: "x" }])],
		["the name of a picture", (words: string) => drawn("T", "You", [{ url: "https://desk.example/f/x", filename: words }])],
		["the name of a file", (words: string) => drawn("T", "You", [{ raw: "eA==", filename: words }])],
	])("holds every payload as words: %s", (_, draw) => {
		for (const words of PAYLOADS) {
			const place = draw(words);
			expect(faultsIn(place, KEPT), words).toEqual([]);
			for (const link of place.querySelectorAll("a")) expect(link.getAttribute("href"), words).toMatch(/^(?:https?:|mailto:)/);
		}
	});

	it.each([
		["an address", (words: string) => drawn("T", "You", [{ url: `https://files.example/${words}`, filename: "x" }])],
		["data", (words: string) => drawn("T", "You", [{ data: { [words]: words } }])],
	])("holds every payload as words: %s", (_, draw) => {
		for (const words of PAYLOADS) expect(faultsIn(draw(words), KEPT), words).toEqual([]);
	});
});
