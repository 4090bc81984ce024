import { describe, expect, it } from "vitest";
import { grownOf, operationTable } from "./db.js";

const half = {
	*load() {
		return null;
	},
	*write() {},
};
const decide = () => ({ plan: null, answer: 1 });

describe("a table of operations", () => {
	it("joins a rule with the store's half of the same name, lanes and all", () => {
		const lanes = () => ["x"];
		expect(operationTable({ a: decide }, { a: { ...half, lanes } })).toEqual({ a: { ...half, lanes, decide } });
	});

	it("is not made of a rule without a half, or a half without a rule", () => {
		expect(() => operationTable({ a: decide, b: decide }, { a: half })).toThrow("The operation b lacks its load and write.");
		expect(() => operationTable({ a: decide }, { a: half, b: half })).toThrow("The operation b lacks its decide.");
	});
});

describe("what an answer says has grown", () => {
	it.each([
		[{ grown: [{ conversationId: 1, seq: 2 }] }, [{ conversationId: 1, seq: 2 }]],
		[{ conversationId: 3, events: [{ seq: 4 }, { seq: 5 }] }, [{ conversationId: 3, seq: 5 }]],
		[{ conversationId: 3, events: [] }, []],
		[{ events: [{ seq: 4 }] }, []],
		[{ folded: 3 }, []],
		[null, []],
		[undefined, []],
		["text", []],
	])("%j", (answer, grown) => expect(grownOf(answer)).toEqual(grown));
});
