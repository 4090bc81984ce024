import { describe, expect, it } from "vitest";
import { EXTENSIONS } from "../../shared/extensions.js";
import { activated, echoHeader } from "./extensions.js";

const KNOWN = [
	{ uri: EXTENSIONS.ended, description: "x" },
	{ uri: EXTENSIONS.skill, description: "x" },
];

describe("the extensions that a request turns on", () => {
	it("are those it names that are known, each once, in its order", () => {
		expect(activated(` ${EXTENSIONS.skill} ,https://example.com/other, ${EXTENSIONS.ended},${EXTENSIONS.skill}`, KNOWN)).toEqual([
			EXTENSIONS.skill,
			EXTENSIONS.ended,
		]);
	});

	it("are none by default, and none in another version or spelling", () => {
		expect(activated(undefined, KNOWN)).toEqual([]);
		expect(activated("", KNOWN)).toEqual([]);
		expect(activated(EXTENSIONS.skill.replace("/v1", "/v2"), KNOWN)).toEqual([]);
		expect(activated(EXTENSIONS.skill.toUpperCase(), KNOWN)).toEqual([]);
		expect(activated(EXTENSIONS.skill, [])).toEqual([]);
	});

	it("are looked for among the first of very many only", () => {
		expect(activated(`${"x,".repeat(10_000)}${EXTENSIONS.skill}`, KNOWN)).toEqual([]);
	});

	it("are told back, where there are any", () => {
		expect(echoHeader([EXTENSIONS.ended, EXTENSIONS.skill])).toEqual({ "a2a-extensions": `${EXTENSIONS.ended}, ${EXTENSIONS.skill}` });
		expect(echoHeader([])).toBeUndefined();
	});
});
