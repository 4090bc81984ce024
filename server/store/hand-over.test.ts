import { describe, expect, it } from "vitest";
import { handOver } from "./hand-over.js";

describe("what is handed over", () => {
	it("arrives as it was, with what is not given left out", () => {
		const value = {
			text: 'a "word", 中文, \u2028',
			n: [0, -1, 2 ** 53],
			yes: true,
			none: null,
			deep: { list: [{ a: "b" }] },
			absent: undefined,
		};
		const { absent: _, ...arrives } = value;
		expect(JSON.parse(handOver(value))).toEqual(arrives);
	});

	it.each([
		["no number", { n: Number.NaN }],
		["a number without end", [Number.POSITIVE_INFINITY]],
		["nothing in a list", { list: [undefined] }],
		["a function", { f: () => undefined }],
		["a bigint", { n: 1n }],
		["nothing at all", undefined],
	])("is refused where it is %s", (_, value) => {
		expect(() => handOver(value)).toThrow(TypeError);
	});
});
