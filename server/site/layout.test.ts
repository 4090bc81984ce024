import { describe, expect, it } from "vitest";
import type { FrameBoot } from "../../shared/embed.js";
import { chatDocument } from "./layout.js";

const boot: FrameBoot = {
	handle: "mira",
	name: "Mira",
	face: "/face.svg",
	theme: "auto",
	socket: "/a2a/mira/ws",
	brand: "EarthOnline",
	mode: "floating",
};

describe("the document of the chat", () => {
	it.each([
		["en", "Open in a tab"],
		["zh", "在新标签页中打开"],
	] as const)("says in %s, where no script of ours may run, how to reach the chat", async (language, words) => {
		const text = String(await chatDocument({ language, title: "Chat", script: "/assets/chat.js", style: undefined, boot }));
		// Inside the element that the chat replaces when it runs.
		const inside = /<div id="app">(.*?)<\/div>/s.exec(text)?.[1] ?? "";
		expect(inside).toContain(`<a href="/@mira/chat" target="_blank" rel="noopener">${words}</a>`);
	});
});
