import { describe, expect, it } from "vitest";
import { isVisible } from "./names.js";

describe("a name", () => {
	it.each(["Anna", "é", "前台", "👩‍🚀", "\u200fشركة", "A\u00adB", "-"])("shows something as %j, so it is one", (text) => {
		expect(isVisible(text)).toBe(true);
	});

	it.each(
		[
			"",
			" ",
			"\u200b",
			"\u200e",
			"\u200f",
			"\u061c",
			"\u2060",
			"\ufeff",
			"\u00ad",
			"\u3164",
			"\u2800",
			"\u034f",
			"\ufe0f",
			"\u3000",
			"\u200b \u200d",
		].map((text) => [JSON.stringify(text).replace(/[^ -~]/gu, (c) => `U+${c.charCodeAt(0).toString(16)}`), text] as const),
	)("of nothing but %s shows nothing, so it is none", (_shown, text) => {
		expect(isVisible(text)).toBe(false);
	});
});
