import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusal } from "../test/refusal.js";
import { DeskError } from "./errors.js";
import { joinPath, readJson, refuseUnstorable } from "./json-scan.js";
import { LIMITS } from "./limits.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Brackets around a scalar, or around nothing. */
const nested = (depth: number, inside = ""): string => "[".repeat(depth) + inside + "]".repeat(depth);

describe("readJson", () => {
	it("reads bytes and text alike", () => {
		const text = '{"a":[1,-2.5e3,true,null,"中 \\u00e9 \\"quoted\\" \\\\"],"b":{}}';
		expect(readJson(text)).toEqual(JSON.parse(text));
		expect(readJson(utf8(text))).toEqual(JSON.parse(text));
		expect(readJson(Buffer.from(` \r\n\t${text} `))).toEqual(JSON.parse(text));
	});

	it.each(["0", '"x"', "null", "true", "[]", "{}"])("reads the whole value %s", (text) => {
		expect(readJson(utf8(text))).toEqual(JSON.parse(text));
	});

	it("takes the last of two equal keys", () => {
		expect(readJson('{"a":1,"a":2}')).toEqual({ a: 2 });
	});

	it.each([
		["nothing", ""],
		["white space", " \n"],
		["a word", "hello"],
		["NaN", "NaN"],
		["Infinity", "[Infinity]"],
		["an open list", "[1,2"],
		["an open string", '{"a":"b'],
		["a string that ends in a backslash", '"\\'],
		["a comma too many", "[1,]"],
		["two values", "{}{}"],
		["closing brackets alone", "]]]]"],
		["the wrong bracket", "[1}"],
		["a comment", "{}//"],
		["a control character in a string", '"\u0000"'],
		["single quotes", "{'a':1}"],
	])("refuses %s as a parse error", (_, text) => {
		expect(refusal(() => readJson(text)).code).toBe("parse_error");
		expect(refusal(() => readJson(utf8(text))).code).toBe("parse_error");
	});

	it.each([
		["a lone continuation byte", bytes(0x22, 0x80, 0x22)],
		["an overlong slash", bytes(0x22, 0xc0, 0xaf, 0x22)],
		["a surrogate in UTF-8", bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
		["a character cut in two", bytes(0x22, 0xe4, 0xb8, 0x22)],
		["UTF-16", bytes(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00)],
		["a code point beyond Unicode", bytes(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22)],
	])("refuses %s as a parse error that says UTF-8", (_, input) => {
		const error = refusal(() => readJson(input));
		expect(error.code).toBe("parse_error");
		expect(error.message).toContain("UTF-8");
	});

	it("refuses half a surrogate pair in text", () => {
		expect(refusal(() => readJson('"\ud800"')).code).toBe("parse_error");
	});

	it("refuses a byte order mark, in bytes and text", () => {
		for (const error of [refusal(() => readJson("\ufeff{}")), refusal(() => readJson(bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d)))]) {
			expect(error.code).toBe("parse_error");
			expect(error.message).toContain("byte order mark");
		}
	});

	it("keeps a byte order mark inside a string, where it is a character", () => {
		expect(readJson(utf8('"\ufeffa"'))).toBe("\ufeffa");
	});

	it("counts a scalar as one level, so the deepest list that is taken is empty or holds lists only", () => {
		expect(readJson(nested(LIMITS.jsonDepth))).toEqual(JSON.parse(nested(LIMITS.jsonDepth)));
		expect(readJson(nested(LIMITS.jsonDepth - 1, "1"))).toBeDefined();
		for (const text of [nested(LIMITS.jsonDepth + 1), nested(LIMITS.jsonDepth, "1"), nested(LIMITS.jsonDepth, '""')]) {
			const error = refusal(() => readJson(text));
			expect(error.code).toBe("invalid_request");
			expect(error.message).toContain(`${LIMITS.jsonDepth} levels`);
		}
	});

	it("counts depth through objects and lists together", () => {
		const text = (pairs: number): string => '{"a":['.repeat(pairs) + "]}".repeat(pairs);
		expect(readJson(text(LIMITS.jsonDepth / 2))).toBeDefined();
		expect(refusal(() => readJson(text(LIMITS.jsonDepth / 2 + 1))).code).toBe("invalid_request");
	});

	it("does not take brackets within strings for depth, nor escaped quotes for their end", () => {
		expect(readJson(utf8(JSON.stringify(`\\"${"[{".repeat(100)}`)))).toBe(`\\"${"[{".repeat(100)}`);
		expect(readJson(utf8(JSON.stringify({ [`"${"[".repeat(100)}`]: "\\" })))).toEqual({ [`"${"[".repeat(100)}`]: "\\" });
	});

	it("counts every value and key", () => {
		const list = (items: number): string => `[${Array(items).fill("0").join(",")}]`;
		const object = (members: number): string => `{${Array.from({ length: members }, (_, i) => `"${i}":"x"`).join(",")}}`;
		expect(readJson(list(LIMITS.jsonNodes - 1))).toHaveLength(LIMITS.jsonNodes - 1);
		expect(refusal(() => readJson(list(LIMITS.jsonNodes))).code).toBe("invalid_request");
		expect(readJson(object(LIMITS.jsonNodes / 2 - 1))).toBeDefined();
		expect(refusal(() => readJson(object(LIMITS.jsonNodes / 2))).message).toContain("values and keys");
	});

	it("refuses 10 MB of open brackets without reading past the level that is too deep", () => {
		let touched = 0;
		const watched = new Proxy(new Uint8Array(10_000_000).fill(0x5b), {
			get(target, key) {
				if (typeof key === "string" && /^\d+$/.test(key)) touched++;
				return Reflect.get(target, key, target);
			},
		});
		expect(refusal(() => readJson(watched)).code).toBe("invalid_request");
		expect(touched).toBeLessThan(LIMITS.jsonDepth + 10);
	});

	it("is linear over escapes, brackets and commas that never end", () => {
		for (const unit of ["\\", '"', '\\"', "]", "{", ",", "a", '"a":']) {
			const input = utf8(`["${unit.repeat(1_000_000 / unit.length)}`);
			expect(["parse_error", "invalid_request"]).toContain(refusal(() => readJson(input)).code);
		}
	});

	it("agrees with JSON.parse on whatever is within the limits", () => {
		fc.assert(
			fc.property(fc.json({ depthSize: "small", maxDepth: 8 }), (text) => {
				expect(JSON.stringify(readJson(utf8(text)))).toBe(JSON.stringify(JSON.parse(text)));
			}),
		);
	});

	it("throws nothing but DeskError, whatever the bytes", () => {
		const jsonish = fc
			.array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "1", "e", "null", "\\u0000", "\\ud800", " ", "é", "\ud800"), {
				maxLength: 80,
			})
			.map((tokens) => tokens.join(""));
		fc.assert(
			fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), jsonish, jsonish.map(utf8)), (input) => {
				try {
					readJson(input);
				} catch (error) {
					expect(error).toBeInstanceOf(DeskError);
				}
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe("refuseUnstorable", () => {
	it.each([
		["U+0000 in a string", { message: { parts: [{ text: "a\0b" }] } }, "message.parts[0].text"],
		["a lone high surrogate", { metadata: { deep: [{ x: "\ud83d" }] } }, "metadata.deep[0].x"],
		["a lone low surrogate", { data: "\ude00\ud83d" }, "data"],
		["a bad string in a list of lists", [[["ok", "\0"]]], "[0][0][1]"],
		["a key with U+0000", { metadata: { "a\0": 1 } }, "metadata"],
		["a key with a lone surrogate", { metadata: { "\ud800": 1 } }, "metadata"],
		["a number beyond double", JSON.parse('{"metadata":{"n":1e999}}'), "metadata.n"],
		["a number below double", JSON.parse("[-1e999]"), "[0]"],
		["NaN", { n: Number.NaN }, "n"],
		["__proto__", JSON.parse('{"metadata":{"__proto__":{"admin":true}}}'), "metadata"],
		["__proto__ at the top", JSON.parse('{"__proto__":1}'), ""],
		["a bad scalar by itself", "\0", ""],
		["an odd key on the way", { metadata: { "a b": { "": "\0" } } }, 'metadata["a b"][""]'],
	])("refuses %s by its path", (_, value, field) => {
		const error = refusal(() => refuseUnstorable(value));
		expect(error.code).toBe("invalid_params");
		expect(error.detail.violations).toEqual([{ field, description: expect.stringMatching(/^.+: .+\.$/) }]);
	});

	it("names the root that it is told", () => {
		expect(refusal(() => refuseUnstorable({ a: "\0" }, "params")).detail.violations?.[0]?.field).toBe("params.a");
	});

	it("lets every other string, key and number through", () => {
		refuseUnstorable({ "😀": ["\u0001", "😀", "\uffff", "\ufeff", 1e308, -0, true, null], constructor: { prototype: 1 }, toString: "x" });
	});

	it("walks 200,000 levels and 200,000 members without a RangeError", () => {
		let deep: unknown = "\0";
		for (let i = 0; i < 200_000; i++) deep = i % 2 ? [deep] : { a: deep };
		expect(refusal(() => refuseUnstorable(deep)).code).toBe("invalid_params");
		refuseUnstorable(Array(200_000).fill("x"));
	});
});

describe("joinPath", () => {
	it("writes wire paths", () => {
		expect(["message", "parts", 0, "text"].reduce<string>(joinPath, "")).toBe("message.parts[0].text");
		expect(["a", "x.y", "-", "1"].reduce<string>(joinPath, "")).toBe('a["x.y"]["-"]["1"]');
	});

	it("repeats no more than the beginning of a long key, and no half character", () => {
		const path = joinPath("metadata", "😀".repeat(5_000));
		expect(path.length).toBeLessThan(120);
		expect(path).toMatch(/😀…/u);
		expect(/[\ud800-\udfff]/u.test(path)).toBe(false);
	});
});
