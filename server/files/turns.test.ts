/** One picture at a time for everybody: who sends many waits for itself (reliability.md 4.2, 97). */
import { beforeEach, describe, expect, it } from "vitest";
import { Turns } from "./turns.js";

let turns: Turns;
/** What has begun, in order. */
let begun: string[];
/** Ends what is being done. */
let end: () => void;

beforeEach(() => {
	turns = new Turns(4, () => new Error("full"));
	begun = [];
	end = () => undefined;
});

/** Work that lasts until it is ended; answers its own name. */
const take = (sender: string, name: string, fails = false): Promise<string> =>
	turns.take(sender, () => {
		begun.push(name);
		return new Promise((resolve, reject) => {
			end = () => (fails ? reject(new Error(name)) : resolve(name));
		});
	});
/** Ends what is being done, and lets what follows begin. */
async function next(): Promise<void> {
	end();
	await new Promise(setImmediate);
}

describe("turns", () => {
	it("go round the senders: one that came last waits for one piece of work of whoever sent many", async () => {
		const all = [take("a", "a1"), take("a", "a2"), take("a", "a3"), take("b", "b1")];
		for (let i = 0; i < 4; i++) await next();
		expect(begun).toEqual(["a1", "b1", "a2", "a3"]);
		expect(await Promise.all(all)).toEqual(["a1", "a2", "a3", "b1"]);
	});

	it("are of one piece of work at a time, and go on after one that fails", async () => {
		const failing = take("a", "a1", true);
		const other = take("a", "a2");
		expect(begun).toEqual(["a1"]);
		await Promise.all([expect(failing).rejects.toThrow("a1"), next()]);
		expect(begun).toEqual(["a1", "a2"]);
		await next();
		expect(await other).toBe("a2");
	});

	it("begin again after everybody was served", async () => {
		const first = take("a", "a1");
		await next();
		expect(await first).toBe("a1");
		const second = take("a", "a2");
		expect(begun).toEqual(["a1", "a2"]);
		await next();
		expect(await second).toBe("a2");
	});

	it("that are all taken: whoever holds the most gives the last one up for another, and gets none more itself", async () => {
		const kept = [take("a", "a1"), take("a", "a2"), take("a", "a3")];
		const last = take("a", "a4");
		await expect(take("a", "a5")).rejects.toThrow("full");
		const other = take("b", "b1");
		await expect(last).rejects.toThrow("full");
		for (let i = 0; i < 4; i++) await next();
		expect(begun).toEqual(["a1", "b1", "a2", "a3"]);
		expect(await Promise.all([...kept, other])).toEqual(["a1", "a2", "a3", "b1"]);
	});

	it("that are all taken by different senders are nobody's to take away", async () => {
		const all = ["a", "b", "c", "d"].map((sender) => take(sender, sender));
		await expect(take("e", "e")).rejects.toThrow("full");
		for (let i = 0; i < 4; i++) await next();
		expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
	});
});
