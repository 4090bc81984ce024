import { describe, expect, it } from "vitest";
import { isProse } from "./prose.js";

describe("a file is prose", () => {
	it.each([
		["hours.md", "# Hours\n\n- Saturday: 11:00–16:00\n"],
		["notes", "We are open on Saturday."],
		["a.b/Preise.TXT", "Eine Tasse kostet 28 €."],
		["zh.md", "| 茶壶 | 95 欧元 |\n| --- | --- |\n| 杯子 | 28 欧元 |"],
		["link.md", "Write to [us](https://mira.example/contact) or see <https://mira.example>."],
		["empty.md", ""],
		[".notes", "We are open."],
	])("%s", (path, text) => {
		expect(isProse({ path, text })).toBe(true);
	});

	it.each([
		["package.json", "We are open on Saturday."],
		["stock.csv", "mug,28"],
		["x/serve.ts", "export const a = 1;"],
		["notes.txt", '{"name":"x","version":"1.0.0","scripts":{"a":"b"}}'],
		["paste", "const a = [1, 2]; if (a[0] === 1) { return { b: a }; }"],
	])("and %s is none", (path, text) => {
		expect(isProse({ path, text })).toBe(false);
	});
});
