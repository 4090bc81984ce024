import { describe, expect, it } from "vitest";
import { createLog } from "./log.js";

/** A log and what it wrote. */
function written(level: Parameters<typeof createLog>[0]["level"] = "info") {
	const lines: string[] = [];
	return { log: createLog({ level, write: (line) => lines.push(line) }), lines };
}

const CANARY = "cAnArY0123456789";

describe("log", () => {
	it("writes one line of JSON with time, level, fields and the sentence", () => {
		const { log, lines } = written();
		log("warn", { desk: "mira", tries: 3 }, "The desk is slow.\nSecond line.");
		expect(lines).toHaveLength(1);
		expect(lines[0]?.trimEnd()).not.toContain("\n");
		expect(JSON.parse(lines[0] ?? "")).toEqual({
			level: "warn",
			time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
			desk: "mira",
			tries: 3,
			msg: "The desk is slow.\nSecond line.",
		});
	});

	it("writes nothing below its level", () => {
		const { log, lines } = written("error");
		log("warn", {}, "not this");
		expect(lines).toEqual([]);
	});

	it.each([
		["a header by name", { headers: { authorization: CANARY, "X-API-Key": CANARY, Cookie: CANARY, "EOL-Guest-Token": CANARY } }],
		["a header object", { headers: new Headers({ authorization: `Bearer ${CANARY}`, "x-api-key": CANARY }) }],
		["a guest's token in a text", { note: `sent eolg_${CANARY}.1.sig-_ twice` }],
		["a key in a text", { note: `["eolc_${CANARY}"]` }],
		["a key as a field's name", { [`eolc_${CANARY}`]: 1 }],
		["a bearer header in a text", { note: `Authorization: bearer ${CANARY}==` }],
		["a password in an address", { url: `postgres://me:${CANARY}@db.example/desk` }],
		["a secret in a query", { url: `https://desk.example/sign-in?code=${CANARY}&x=1` }],
		["a secret deep inside", { a: { b: [{ token: CANARY }] } }],
		["an error's message and stack", { error: new Error(`refused eolc_${CANARY}`) }],
		["an error's cause", { error: new Error("outer", { cause: new Error(`eolg_${CANARY}`) }) }],
		["bytes", { body: Buffer.from(CANARY) }],
	])("hides a credential in %s", (_, fields) => {
		const { log, lines } = written();
		log("error", fields, "It went wrong.");
		expect(lines).toHaveLength(1);
		expect(lines[0]).not.toContain(CANARY);
		expect(JSON.parse(lines[0] ?? "").msg).toBe("It went wrong.");
	});

	it.each([
		["an error, whatever its field is called", { why: new Error(CANARY) }],
		["an error of errors, with a cause", { err: new AggregateError([new Error(CANARY), CANARY], CANARY, { cause: new Error(CANARY) }) }],
		["an error deep inside", { a: [{ b: new Error(CANARY) }] }],
		["what was thrown and is no error", { err: CANARY }],
		["an object that was thrown", { error: { message: CANARY, [CANARY]: 1 } }],
	])("says nothing of what stands in %s: it may be somebody's words", (_, fields) => {
		const { log, lines } = written();
		log("error", fields, "It went wrong.");
		expect(lines[0]).not.toContain(CANARY);
		expect(lines[0]).toContain('"type":');
	});

	it("says of an error what it is and where it was thrown, and why as far as that is known", () => {
		const { log, lines } = written();
		class Refused extends Error {
			readonly code = "ECONNREFUSED";
		}
		const cause = new Refused(CANARY);
		log("error", { err: new TypeError("It went wrong", { cause }) }, "It went wrong.");
		const at = expect.arrayContaining([expect.stringContaining("log.test")]);
		expect(JSON.parse(lines[0] ?? "").err).toEqual({
			type: "TypeError",
			stack: at,
			cause: { type: "Error", code: "ECONNREFUSED", stack: at },
		});
	});

	it("hides a credential in the sentence itself and a picture's address in a path, and keeps their kind readable", () => {
		const { log, lines } = written();
		log("info", {}, `eolg_${CANARY} came back`);
		log("error", { path: `/f/${"aB3_".repeat(8)}` }, "A picture could not be read.");
		expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: "eolg_[hidden] came back" }, { path: "/f/[hidden]" }]);
	});

	it("keeps an ordinary fact as it is", () => {
		const { log, lines } = written();
		log("info", { url: "https://desk.example/@mira/chat?lang=zh", text: "你好 👋", none: null, on: true }, "asked");
		expect(JSON.parse(lines[0] ?? "")).toMatchObject({
			url: "https://desk.example/@mira/chat?lang=zh",
			text: "你好 👋",
			none: null,
			on: true,
		});
	});

	it("caps a long field and says how much is missing", () => {
		const { log, lines } = written();
		log("info", { text: "x".repeat(100_000), list: Array.from({ length: 5_000 }, (_, i) => i) }, "long");
		expect(lines[0]?.length).toBeLessThan(3_000);
		expect(lines[0]).toContain("98000 more characters");
	});

	it("survives a circle and a depth bomb", () => {
		const circle: Record<string, unknown> = {};
		circle.self = circle;
		let deep: unknown = "end";
		for (let i = 0; i < 10_000; i++) deep = { deep };
		const { log, lines } = written();
		log("info", { circle, deep }, "ok");
		expect(JSON.parse(lines[0] ?? "").msg).toBe("ok");
	});

	it("escapes what moves a terminal or turns its text around", () => {
		const { log, lines } = written();
		const nasty = "a\u001b[2Jb\u009b2Jc\u202ed\u2028e\u0000f\u007f";
		log("info", { nasty }, "seen");
		// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
		expect(lines[0]?.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
		expect(JSON.parse(lines[0] ?? "").nasty).toBe(nasty);
	});
});
