import { expect, test } from "vitest";
import { composing, type Key, sends } from "./composing.js";

const enter = (over: Partial<Key> = {}): Key => ({
	key: "Enter",
	keyCode: 13,
	isComposing: false,
	shiftKey: false,
	ctrlKey: false,
	metaKey: false,
	altKey: false,
	timeStamp: 10_000,
	...over,
});

test("a plain Enter sends", () => {
	expect(sends(enter(), composing())).toBe(true);
	expect(sends(enter({ key: "a", keyCode: 65 }), composing())).toBe(false);
});

test("Enter with a modifier does not", () => {
	for (const modifier of ["shiftKey", "ctrlKey", "metaKey", "altKey"] as const)
		expect(sends(enter({ [modifier]: true }), composing())).toBe(false);
});

test("Enter within a composition does not, however the browser says so", () => {
	expect(sends(enter({ isComposing: true }), composing())).toBe(false);
	expect(sends(enter({ keyCode: 229 }), composing())).toBe(false);
	const method = composing();
	method.started();
	expect(sends(enter(), method)).toBe(false);
});

test("Safari's Enter right after the composition's end does not, the next one does", () => {
	const method = composing();
	method.started();
	method.ended({ timeStamp: 10_000 });
	expect(sends(enter({ timeStamp: 10_004 }), method)).toBe(false);
	expect(sends(enter({ timeStamp: 10_300 }), method)).toBe(true);
});
