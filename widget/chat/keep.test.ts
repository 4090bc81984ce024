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
