import { describe, expect, test } from "vitest";
import { Lost, Refusal } from "./connection.js";
import { EMPTY } from "./conversation.js";
import { afterFailure, fix, nextToSend, type Outgoing, restore, toKeep, toWire } from "./outbox.js";

const outgoing = (more: Partial<Outgoing> = {}): Outgoing => ({ messageId: "m1", text: "Hi", at: 0, state: "waiting", tries: 0, ...more });
const refusal = (reason: string, code = -32000, retryDelay?: string): Refusal =>
	new Refusal({ code, message: "", data: [{ reason }, ...(retryDelay ? [{ retryDelay }] : [])] });
const asking = {
	...EMPTY,
	contextId: "ctx1",
	tasks: [{ id: "t1", state: "TASK_STATE_INPUT_REQUIRED", waitsForOwner: false, artifacts: [], interrupted: false, explanation: "" }],
} as const;

test("messages go one by one, in order, past those that failed", () => {
	const [a, b, c] = ["a", "b", "c"].map((messageId) => outgoing({ messageId })) as [Outgoing, Outgoing, Outgoing];
	expect(nextToSend({ ...EMPTY, outgoing: [a, b] })?.messageId).toBe("a");
	expect(nextToSend({ ...EMPTY, outgoing: [{ ...a, state: "sending" }, b] })).toBeUndefined();
	expect(nextToSend({ ...EMPTY, outgoing: [{ ...a, state: "failed" }, { ...b, state: "sent" }, c] })?.messageId).toBe("c");
});

describe("the first try", () => {
	test("fixes the conversation and the question that it answers", () => {
		expect(fix(asking, outgoing())).toEqual({ contextId: "ctx1", taskId: "t1", fixed: true });
		expect(fix(EMPTY, outgoing())).toEqual({ contextId: undefined, taskId: undefined, fixed: true });
	});

	test("a later one is the same message, whatever has happened since", () => {
		expect(fix(asking, outgoing({ fixed: true }))).toEqual({ contextId: undefined, taskId: undefined, fixed: true });
	});

	test("of a message of another conversation answers no question of this one", () => {
		expect(fix(asking, outgoing({ contextId: "ctx0" }))).toEqual({ contextId: "ctx0", taskId: undefined, fixed: true });
	});

	test("says on the wire only what there is", () => {
		expect(toWire(outgoing())).toEqual({ messageId: "m1", role: "ROLE_USER", parts: [{ text: "Hi" }] });
		expect(toWire(outgoing({ contextId: "ctx1", taskId: "t1" }))).toMatchObject({ contextId: "ctx1", taskId: "t1" });
	});
});

describe("a try that failed", () => {
	test.each<[string, unknown, Partial<Outgoing>, Partial<Outgoing>]>([
		["the connection was lost", new Lost(), {}, { state: "waiting" }],
		[
			"the conversation is gone",
			refusal("CONTEXT_NOT_FOUND", -32602),
			{ contextId: "ctx1", fixed: true },
			{ state: "waiting", contextId: undefined, fixed: false },
		],
		["the conversation is gone and it named none", refusal("CONTEXT_NOT_FOUND", -32602), {}, { state: "failed", problem: "trouble" }],
		["the question has ended", refusal("UNSUPPORTED_OPERATION", -32004), { taskId: "t1" }, { state: "waiting", taskId: undefined }],
		["the question is not there", refusal("TASK_NOT_FOUND", -32001), { taskId: "t1" }, { state: "waiting", taskId: undefined }],
		["the server is busy", refusal("UNAVAILABLE"), {}, { state: "waiting", tries: 1, notBefore: 101_000 }],
		["the server is busy again", refusal("UNAVAILABLE"), { tries: 2 }, { state: "waiting", tries: 3, notBefore: 104_000 }],
		["the server says when", refusal("UNAVAILABLE", -32000, "9s"), {}, { state: "waiting", notBefore: 109_000 }],
		["the server stays busy", refusal("UNAVAILABLE"), { tries: 5 }, { state: "failed", problem: "trouble" }],
		["a fault of the server's", refusal("", -32603), {}, { state: "waiting", tries: 1 }],
		["too fast, for a moment", refusal("RATE_LIMITED", -32000, "5s"), {}, { state: "waiting", notBefore: 105_000 }],
		["too fast, for long", refusal("RATE_LIMITED", -32000, "60s"), {}, { state: "failed", problem: "fast" }],
		["too long", refusal("TOO_LARGE"), {}, { state: "failed", problem: "long" }],
		["not allowed", refusal("FORBIDDEN"), {}, { state: "failed", problem: "closed" }],
		["anything else", refusal("IDEMPOTENCY_CONFLICT", -32602), {}, { state: "failed", problem: "trouble" }],
	])("%s", (_name, error, before, expected) => {
		expect(afterFailure(outgoing(before), error, 100_000, 1)).toMatchObject(expected);
	});
});

test("what is kept leaves another tab's messages alone", () => {
	const other = outgoing({ messageId: "other" });
	const conversation = { ...EMPTY, outgoing: [outgoing({ messageId: "mine" }), outgoing({ messageId: "sent", state: "sent" })] };
	const kept = toKeep([other, outgoing({ messageId: "done" })], conversation, new Set(["mine", "sent", "done"]));
	expect(kept.map((o) => o.messageId)).toEqual(["other", "mine"]);
});

test("what was kept is taken up again, and what is none of ours is left out", () => {
	const kept = [
		outgoing({ messageId: "a", state: "sending", tries: 3, notBefore: 5, fixed: true }),
		outgoing({ messageId: "b", state: "failed" }),
		null,
		7,
		{ messageId: 1 },
	];
	expect(restore(JSON.parse(JSON.stringify(kept)))).toMatchObject([
		{ messageId: "a", state: "waiting", tries: 0, fixed: true },
		{ messageId: "b", state: "failed" },
	]);
	expect(restore("nonsense")).toEqual([]);
});
