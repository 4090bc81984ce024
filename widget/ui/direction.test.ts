import { expect, test } from "vitest";
import { directionOf } from "./direction.js";

test("follows most of the letters, not the first", () => {
	expect(directionOf("Harbor، أداة مفتوحة المصدر")).toBe("rtl");
	expect(directionOf("The word سلام means peace")).toBe("ltr");
	expect(directionOf("שלום")).toBe("rtl");
	expect(directionOf("你好")).toBe("ltr");
	expect(directionOf("19:00 – 20:00")).toBeUndefined();
});
