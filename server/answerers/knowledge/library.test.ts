import { describe, expect, it } from "vitest";
import { Library } from "./library.js";

const files = (text: string, n = 2) => Array.from({ length: n }, (_, i) => ({ path: `f${i}.md`, text: `${text} ${i}` }));

describe("the library", () => {
	it("reads a memory once, however often it is handed over anew", async () => {
		const library = new Library();
		const [first] = await library.shelves("mira", files("We are open"));
		const [again] = await library.shelves("mira", files("We are open"));
		expect(again).toBe(first);
		expect(first?.notes).toHaveLength(2);
	});

	it("reads it once for two who ask at the same time", async () => {
		const library = new Library();
		const [[one], [two]] = await Promise.all([library.shelves("mira", files("Open", 50)), library.shelves("mira", files("Open", 50))]);
		expect(two).toBe(one);
	});

	it("reads it again when a letter, a name or the number of files has changed", async () => {
		const library = new Library();
		const [first] = await library.shelves("mira", files("We are open"));
		const [letter] = await library.shelves("mira", files("We are Open"));
		const [more] = await library.shelves("mira", files("We are Open", 3));
		const [name] = await library.shelves(
			"mira",
			files("We are Open", 3).map((f) => ({ ...f, path: `g/${f.path}` })),
		);
		expect(new Set([first, letter, more, name]).size).toBe(4);
		expect(more?.notes).toHaveLength(3);
	});

	it("keeps what is for one person on a shelf of its own", async () => {
		const library = new Library();
		const common = files("We are open");
		const [shared, hers] = await library.shelves("mira", [...common, { path: "people/ada.md", text: "Hello Ada" }]);
		const [same, his] = await library.shelves("mira", [...common, { path: "people/bob.md", text: "Hello Bob" }]);
		expect(same).toBe(shared);
		expect(hers?.notes[0]?.passage.lines).toEqual(["Hello Ada"]);
		expect(his?.notes[0]?.passage.lines).toEqual(["Hello Bob"]);
		expect(await library.shelves("mira", common)).toEqual([shared]);
	});

	it("keeps data and code on a shelf of their own, so that they weigh nothing among the notes", async () => {
		const library = new Library();
		const common = files("We are open");
		const [alone] = await library.shelves("mira", common);
		const [prose, data] = await library.shelves("mira", [...common, { path: "package.json", text: '{ "name": "x" }' }]);
		expect(prose).toBe(alone);
		expect([prose?.prose, data?.prose]).toEqual([true, false]);
		expect((await library.shelves("mira", [{ path: "a.csv", text: "open,9" }])).map((shelf) => shelf.prose)).toEqual([false]);
	});

	it("lets the least used go when it holds too much", async () => {
		const library = new Library(1_000);
		const big = (c: string) => [{ path: "a.md", text: c.repeat(400) }];
		const [a] = await library.shelves("a", big("a"));
		const [b] = await library.shelves("b", big("b"));
		expect((await library.shelves("a", big("a")))[0]).toBe(a);
		await library.shelves("c", big("c"));
		expect((await library.shelves("a", big("a")))[0]).toBe(a);
		expect((await library.shelves("b", big("b")))[0]).not.toBe(b);
	});

	it("serves a memory that is larger than all it may keep", async () => {
		const library = new Library(10);
		const [first] = await library.shelves("mira", files("We are open"));
		expect((await library.shelves("mira", files("We are open")))[0]).toBe(first);
	});

	it("has no shelf for no notes", async () => {
		expect(await new Library().shelves("mira", [])).toEqual([]);
		expect(await new Library().shelves("mira", [{ path: "_x.md", text: "Hidden." }])).toEqual([]);
	});
});
