import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { testClock } from "../../test/clock.js";
import { createIds } from "./ids.js";

const random = { bytes: (length: number) => randomBytes(length) };

describe("ids", () => {
	it("strictly rise within a process, whatever the clock does, and are never the same", () => {
		const clock = testClock();
		const newId = createIds(clock, random);
		const made: string[] = [];
		for (let i = 0; i < 5_000; i++) {
			made.push(newId("tsk"));
			if (i % 100 === 0) clock.turn(1);
		}
		expect([...made].sort()).toEqual(made);
		expect(new Set(made).size).toBe(made.length);
		const back = testClock(clock.now() - 3_600_000);
		const steps = [clock, back, clock];
		const jumping = createIds({ ...clock, now: () => (steps.shift() ?? back).now() }, random);
		const jumped = [jumping("ctx"), jumping("ctx"), jumping("ctx"), jumping("ctx")];
		expect([...jumped].sort()).toEqual(jumped);
	});

	it("are a prefix and 26 characters that stand in a path as they are", () => {
		expect(createIds(testClock(), random)("ctx")).toMatch(/^ctx_[0-9a-hjkmnp-tv-z]{26}$/);
	});

	it("cannot be guessed from their neighbour: 40 bits differ at least", () => {
		const newId = createIds(testClock(), random);
		const tails = new Set(Array.from({ length: 1_000 }, () => newId("gst").slice(-8)));
		expect(tails.size).toBe(1_000);
	});
});
