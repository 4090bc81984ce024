import { marked } from "marked";
import { expect, test } from "vitest";
import { message } from "./fakes.js";
import { markdownOf } from "./keep.js";

test("a conversation is kept as Markdown: the visitor's words as they are, the desk's as it wrote them", () => {
	const text = markdownOf({
		title: "Conversation with Mira",
		note: "Not *all* of it.",
		messages: [
			{ seq: 1, at: 1, message: message("a", "ROLE_USER", "# Is *this*\n- a [link](x) <b>?") },
			{ seq: 2, at: 2, message: message("b", "ROLE_AGENT", "**No.**\n\n- one") },
			{
				seq: 3,
				at: 3,
				message: message("c", "ROLE_USER", "", {
					parts: [{ url: "https://desk.example/f/1", mediaType: "image/png", filename: "my [cup].png" }, { text: "This one" }],
				}),
			},
		],
		author: ({ message: { role } }) => (role === "ROLE_USER" ? "You" : "Mira"),
		when: (at) => `day ${at}`,
	});
	expect(text).toBe(
		[
			"# Conversation with Mira\n",
			"Not \\*all\\* of it.\n",
			"---\n\n**You**, day 1\n\n\\# Is \\*this\\*\n\\- a \\[link\\](x) \\<b\\>?\n",
			"---\n\n**Mira**, day 2\n\n**No.**\n\n- one\n",
			"---\n\n**You**, day 3\n\n[my \\[cup\\].png](<https://desk.example/f/1>)\nThis one\n",
		].join("\n"),
	);
});

/** What the visitor's words are as they are kept. */
function keptWords(text: string): string {
	const kept = markdownOf({
		title: "T",
		messages: [{ seq: 1, at: 1, message: message("a", "ROLE_USER", text) }],
		author: () => "You",
		when: () => "today",
	});
	return kept.slice(kept.indexOf("today\n\n") + "today\n\n".length).trimEnd();
}

test.each([
	["lists", "- a\n+ b\n* c", "\\- a\n\\+ b\n\\* c"],
	["numbered lists", "1. a\n22) b\n  3. c\n4.", "1\\. a\n22\\) b\n  3\\. c\n4\\."],
	["no lists", "3.5 apples, at 10.30\n12/1 - not now", "3.5 apples, at 10.30\n12/1 - not now"],
	["headings", "# a\n###### b", "\\# a\n\\#\\#\\#\\#\\#\\# b"],
	["lines below headings", "a\n===\nb\n---", "a\n\\===\nb\n\\---"],
	["quotes", "> a\n>b", "\\> a\n\\>b"],
	["fences", "```js\na\n```\n~~~\nb\n~~~", "\\`\\`\\`js\na\n\\`\\`\\`\n\\~\\~\\~\nb\n\\~\\~\\~"],
	["code by its columns", "a\n\n    b *c*\n\td", "a\n\n\u00a0\u00a0\u00a0\u00a0b \\*c\\*\n\u00a0\u00a0\u00a0\u00a0d"],
	["rules", "***\n___\n- - -", "\\*\\*\\*\n\\_\\_\\_\n\\- - -"],
	["tables", "| a | b |\n|--|:-:|\n-|-", "\\| a \\| b \\|\n\\|--\\|:-:\\|\n\\-\\|-"],
	["HTML", "<b>a</b> <!-- c --> &lt;i&gt; &#35;", "\\<b\\>a\\</b\\> \\<!-- c --\\> \\&lt;i\\&gt; \\&\\#35;"],
	[
		"links",
		"[a](https://b.example) [c][d]\n[d]: https://e.example",
		"\\[a\\](https://b.example) \\[c\\]\\[d\\]\n\\[d\\]: https://e.example",
	],
	["pictures", "![x](https://b.example/p.png) wow!", "\\!\\[x\\](https://b.example/p.png) wow!"],
	["footnotes", "a[^1]\n\n[^1]: b", "a\\[^1\\]\n\n\\[^1\\]: b"],
	["emphasis, and escapes of their own", "**a** _b_ ~~c~~ `d` \\*e", "\\*\\*a\\*\\* \\_b\\_ \\~\\~c\\~\\~ \\`d\\` \\\\\\*e"],
])("keeps the visitor's words as words where they look like %s", (_, said, kept) => {
	expect(keptWords(said)).toBe(kept);
	const page = marked.parse(kept, { async: false });
	expect(page.replace(/<\/?p>|<a [^>]*>|<\/a>/g, "")).not.toContain("<");
});

test("keeps names in one line: no heading, no picture, and no end of their link", () => {
	const name = "a\n\n# b ![x](https://evil.example/p.png) ](https://evil.example)";
	const part = { url: "https://desk.example/f/1\\", filename: name };
	const kept = markdownOf({
		title: name,
		messages: [{ seq: 1, at: 1, message: message("a", "ROLE_USER", "", { parts: [part] }) }],
		author: () => name,
		when: () => "today",
	});
	const words = "a \\# b \\!\\[x\\](https://evil.example/p.png) \\](https://evil.example)";
	expect(kept).toBe(`# ${words}\n\n---\n\n**${words}**, today\n\n[${words}](<https://desk.example/f/1%5C>)\n`);
});
