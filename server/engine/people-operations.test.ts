import { describe, expect, it } from "vitest";
import { isMemoryPath } from "./people-operations.js";

describe("a path of the memory", () => {
	it.each(["hours.md", "people/gst_1.md", "people", "shop/people/x.md", "peoples/x.md", "营业时间.md"])("%s is one", (path) =>
		expect(isMemoryPath(path)).toBe(true),
	);
	// What is under `people` is for one person only: what merely looks like it would be told to everybody (reliability.md 98).
	it.each(["People/gst_1.md", "PEOPLE/x.md", "ｐｅｏｐｌｅ/x.md", "Ｐeople", "𝐩𝐞𝐨𝐩𝐥𝐞/x.md", "people/../x", "/people/x", "people%2fx"])(
		"%s is none",
		(path) => expect(isMemoryPath(path)).toBe(false),
	);
});
