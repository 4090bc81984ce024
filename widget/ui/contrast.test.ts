import { expect, test } from "vitest";
import { contrast, inkOn, tintOn } from "./contrast.js";

test("measures as WCAG does", () => {
	expect(contrast("#000", "#fff")).toBeCloseTo(21, 5);
	expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
	expect(contrast("#abc", "#aabbcc")).toBe(1);
});

test("puts an ink that can be read on every colour", () => {
	for (let value = 0; value < 0x1000000; value += 0x10f07) {
		const accent = `#${value.toString(16).padStart(6, "0")}`;
		expect(contrast(accent, inkOn(accent)), accent).toBeGreaterThanOrEqual(4.5);
	}
});

test("makes every colour readable as text on both panels", () => {
	for (const panel of ["#ffffff", "#1c1917"]) {
		for (let value = 0; value < 0x1000000; value += 0x10f07) {
			const accent = `#${value.toString(16).padStart(6, "0")}`;
			expect(contrast(tintOn(accent, panel), panel), `${accent} on ${panel}`).toBeGreaterThanOrEqual(4.5);
		}
	}
});

test("leaves a colour that can be read as it is", () => {
	expect(tintOn("#1d4ed8", "#ffffff")).toBe("#1d4ed8");
	expect(tintOn("#fde047", "#1c1917")).toBe("#fde047");
});

test("goes no further from a colour than it must", () => {
	const tint = tintOn("#f59e0b", "#ffffff");
	expect(tint).not.toBe("#000000");
	expect(contrast(tint, "#ffffff")).toBeLessThan(6);
});
