import { describe, expect, it } from "vitest";
import { DeskError } from "./errors.js";
import { thrownFacts } from "./thrown.js";

const WORDS = "my order is canary42";
const FRAME = "    at canary42 (file:///canary42.js:1:1)";

/** An error with other parts than it was made with. */
const changed = (error: Error, parts: object): Error => Object.defineProperties(error, Object.getOwnPropertyDescriptors(parts)) as Error;

const thrownBy = (act: () => unknown): unknown => {
	try {
		return act();
	} catch (error) {
		return error;
	}
};

describe("what is kept of something that was thrown", () => {
	it("is its type, its code and where it was thrown", () => {
		const facts = thrownFacts(changed(new RangeError(WORDS), { code: "ERR_OUT_OF_RANGE" }));
		expect(facts).toMatchObject({ type: "RangeError", code: "ERR_OUT_OF_RANGE" });
		expect(facts.stack?.[0]).toMatch(/^at .*thrown\.test\.ts:\d+:\d+\)?$/);
		expect(facts.stack?.length).toBeLessThanOrEqual(10);
	});

	it.each(["ECONNREFUSED", "SQLITE_FULL", "UND_ERR_SOCKET", "23505", "40P01", "unavailable", "rate_limited"])("is the code %s", (code) => {
		expect(thrownFacts(changed(new Error(WORDS), { code })).code).toBe(code);
	});

	it("is also of an error of ours, one without a message, and one that the language made", () => {
		expect(thrownFacts(new DeskError("not_found", WORDS))).toMatchObject({
			type: "DeskError",
			code: "not_found",
			stack: expect.anything(),
		});
		expect(thrownFacts(new Error())).toMatchObject({
			type: "Error",
			stack: expect.arrayContaining([expect.stringContaining("thrown.test")]),
		});
		expect(thrownFacts(thrownBy(() => JSON.parse(WORDS)))).toMatchObject({
			type: "SyntaxError",
			stack: expect.arrayContaining([expect.stringContaining("thrown.test")]),
		});
	});

	it("is the same of its causes and of those that it gathers, and of no more than a few", () => {
		const inner = changed(new TypeError(WORDS), { code: "ECONNRESET" });
		const facts = thrownFacts(new AggregateError([inner, WORDS, inner, inner, inner], WORDS, { cause: inner }));
		expect(facts).toMatchObject({ type: "AggregateError", cause: { type: "TypeError", code: "ECONNRESET" } });
		expect(facts.errors?.map(({ type }) => type)).toEqual(["TypeError", "string", "TypeError"]);
		const circle = new Error(WORDS);
		circle.cause = circle;
		expect(JSON.stringify(thrownFacts(circle)).length).toBeLessThan(20_000);
	});

	it.each<[string, unknown]>([
		["its message", new Error(WORDS)],
		["a message with lines like frames", new Error(`${WORDS}\n${FRAME}`)],
		["a message that ends like a frame and was changed afterwards", changed(new Error(`x\n${FRAME}`), { message: "other" })],
		["a message that was taken away afterwards", changed(new Error(`x\n${FRAME}`), { message: "" })],
		["a stack that somebody wrote", changed(new Error("x"), { stack: `Error: y\n${FRAME}` })],
		["a frame with words for its function", changed(new Error("x"), { stack: "Error: x\n    at my order, canary42! (file:///a.js:1:1)" })],
		["a frame from nowhere", changed(new Error("x"), { stack: "Error: x\n    at f (canary42)" })],
		["a stack that is none", changed(new Error("x"), { stack: { canary42: WORDS } })],
		["its name", changed(new Error("x"), { name: WORDS })],
		["a small name", changed(new Error("x"), { name: "canary42" })],
		["its code", changed(new Error("x"), { code: WORDS })],
		["a small code", changed(new Error("x"), { code: "canary42" })],
		["a code of another kind", changed(new Error("x"), { code: { canary42: WORDS } })],
		["its cause's message", new Error("x", { cause: new Error(WORDS) })],
		["its cause, a text", new Error("x", { cause: WORDS })],
		["its cause's cause", new Error("x", { cause: new Error("y", { cause: { canary42: WORDS } }) })],
		["one of its errors", new AggregateError([new Error(WORDS), WORDS, { canary42: WORDS }], "x")],
		["what else it carries", changed(new Error("x"), { detail: WORDS, hint: WORDS, input: [WORDS] })],
		["a text", WORDS],
		["an object", { message: WORDS, stack: WORDS, canary42: WORDS }],
		["nothing but lines", changed(new Error(FRAME), {})],
	])("is never %s", (_, thrown) => {
		expect(JSON.stringify(thrownFacts(thrown))).not.toContain("canary42");
	});

	it("is little where it cannot be read", () => {
		const error = new Error("x");
		Object.defineProperty(error, "stack", {
			get() {
				throw new Error(WORDS);
			},
		});
		expect(thrownFacts(error)).toEqual({ type: "unreadable" });
		expect([thrownFacts(undefined), thrownFacts(null), thrownFacts(7n)]).toEqual([
			{ type: "undefined" },
			{ type: "object" },
			{ type: "bigint" },
		]);
	});
});
