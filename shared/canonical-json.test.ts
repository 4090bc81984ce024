import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.js";
import { DeskError } from "./errors.js";
import { readJson } from "./json-scan.js";
import { LIMITS } from "./limits.js";

/** The same value with every object's keys in the opposite order. */
function reversed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(reversed);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([key, member]) => [key, reversed(member)]),
	);
}

describe("canonicalJson", () => {
	it.each([
		[{ b: 1, a: [2, { d: null, c: "x" }] }, '{"a":[2,{"c":"x","d":null}],"b":1}'],
		[{ a: undefined, b: [undefined] }, '{"b":[null]}'],
		[{ n: -0, m: 1.0, k: 1e21 }, '{"k":1e+21,"m":1,"n":0}'],
		// RFC 8785, 3.2.3: by UTF-16 code units.
		[
			{ "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 },
			'{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
		],
		["text", '"text"'],
		[null, "null"],
		[[], "[]"],
		[{}, "{}"],
	])("writes %j", (value, text) => {
		expect(canonicalJson(value)).toBe(text);
	});

	it("gives one text for equal values in any order, and another for unequal ones", () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
				const text = canonicalJson(one);
				expect(canonicalJson(reversed(one))).toBe(text);
				expect(canonicalJson(JSON.parse(text))).toBe(text);
				const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
				expect(text === canonicalJson(other)).toBe(isDeepStrictEqual(json(one), json(other)));
			}),
		);
	});

	it("takes whatever readJson gives, and refuses what is deeper", () => {
		const nest = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
		expect(canonicalJson(readJson(nest(LIMITS.jsonDepth)))).toBe(nest(LIMITS.jsonDepth));
		let deep: unknown = 1;
		for (let i = 0; i < 100_000; i++) deep = [deep];
		expect(() => canonicalJson(deep)).toThrow(DeskError);
	});
});
