/**
 * T-PM (reliability.md 26), the readers by themselves: what a window may say to another is read into an object of the reader's own, with
 * the members of one closed union and nothing else. What windows really say to each other is in test/e2e/messages.test.ts.
 */
import { describe, expect, it } from "vitest";
import { asFrameMessage, asPageMessage, type FrameMessage, type PageMessage } from "../../shared/embed.js";

describe("the words of both sides", () => {
	const junk = [
		null,
		undefined,
		0,
		"",
		"close",
		[],
		["close"],
		{},
		{ type: "" },
		{ type: "close open" },
		{ type: " " },
		{ type: "__proto__" },
		{ type: ["open"] },
		Object.create({ type: "nothing" }),
	];
	it.each(junk.map((one) => [JSON.stringify(one) ?? "undefined", one] as const))("are not %s", (_, one) => {
		expect(asPageMessage(one)).toBeUndefined();
		expect(asFrameMessage(one)).toBeUndefined();
	});

	/** One of each; between them every member that there is. */
	const pages: PageMessage[] = [
		{ type: "open" },
		{ type: "close" },
		{ type: "theme", theme: "dark" },
		{ type: "viewport", fullScreen: true },
		{ type: "identify", name: "Ada", email: "ada@site.test" },
		{ type: "identify" },
		{ type: "logout" },
		{ type: "send", text: "Hello" },
	];
	const frames: FrameMessage[] = [
		{ type: "ready" },
		{ type: "close" },
		{ type: "unread", count: 2 },
		{ type: "online", online: true },
		{ type: "reload" },
	];
	/** What no member may be. */
	const WRONG = [null, 1.5, Number.NaN, -0.1, "", " ", "auto", "x".repeat(1_000_000), [], ["dark"], {}, { length: 1 }, new Date(0), 2n];
	/** As it is when it has come over a port. */
	const over = (said: object): unknown => structuredClone(said);
	const both = [
		...pages.map((said) => ["page", said, asPageMessage] as const),
		...frames.map((said) => ["frame", said, asFrameMessage] as const),
	];
	const withKeys = (said: object, keys: string): object =>
		Object.defineProperties({ ...said }, Object.getOwnPropertyDescriptors(JSON.parse(keys) as object));

	it.each(both)("of the %s: %j is read as it is", (_, said, read) => expect(read(over(said))).toEqual(said));

	it.each(pages.map((said) => [said]))("of the page: %j is read without anything that stands beside it", (said) => {
		const keys = `{"__proto__":{"polluted":true},"constructor":1,"prototype":{"polluted":true},"toString":1,"origin":"*","ports":[1]}`;
		const heard = asPageMessage(over(withKeys(said, keys)));
		expect([heard, Object.getPrototypeOf(heard)]).toEqual([said, Object.prototype]);
		expect(Object.keys(heard ?? {})).toEqual(Object.keys(said));
		expect("polluted" in {}).toBe(false);
	});

	it.each(pages.map((said) => [said]))("of the page: %j stays as it was read, whatever its sender does with their own", (said) => {
		const theirs: Record<string, unknown> = { ...said };
		const heard = asPageMessage(theirs);
		for (const name of [...Object.keys(theirs), "text", "name"]) theirs[name] = "<img src=x>";
		expect(heard).toEqual(said);
	});

	it.each(both)("of the %s: %j is none with a member of another kind, without one, or by its prototype", (_, said, read) => {
		expect(read(over(Object.create(said)))).toBeUndefined();
		for (const name of Object.keys(said) as "type"[]) {
			// Any text that says something is a claim, and is words.
			const any = name !== "type" && (said.type === "identify" || said.type === "send");
			for (const wrong of WRONG.filter((value) => !any || value !== "auto"))
				expect(read(over({ ...said, [name]: wrong })), `${name}: ${String(wrong).slice(0, 20)}`).toBeUndefined();
			const { [name]: value, ...rest } = said;
			const without = said.type === "identify" && name !== "type" ? rest : undefined;
			expect(read(over(rest)), `without ${name}`).toEqual(without);
			expect(read(over(Object.assign(Object.create({ [name]: value }), rest))), `${name} by its prototype`).toEqual(without);
		}
	});
});
