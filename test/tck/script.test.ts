import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDesk, type TestDesk } from "../desk.js";
import { WIDE_LIMITS } from "../limits.js";
import { script } from "./script.js";

let desk: TestDesk;
beforeAll(async () => {
	desk = await openTestDesk({
		handle: "demo",
		config: { limits: WIDE_LIMITS },
		answerer: script,
		settings: { clientContexts: true, sharedAnonymous: true, retryScope: "context", statusMessage: "reply" },
	});
});
afterAll(() => desk.close());

const FILE = { filename: "output.txt", mediaType: "text/plain" };
const raw = Buffer.from("tck").toString("base64");

async function call(method: string, params: Record<string, unknown>) {
	const response = await desk.app.request("/a2a/demo", {
		method: "POST",
		headers: { "content-type": "application/json", "a2a-version": "1.0" },
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
	});
	return (await response.json()).result;
}

let made = 0;
/** The kit gives the same id to every message of a kind within a run. */
const send = (prefix: string, more: Record<string, unknown> = {}, configuration?: Record<string, unknown>) =>
	call("SendMessage", {
		message: { role: "ROLE_USER", messageId: `${prefix}-run`, parts: [{ text: `message ${++made}` }], ...more },
		...(configuration ? { configuration } : {}),
	});

/** The table of the kit, as its scenarios say it. */
describe("the kit's script", () => {
	it.each([
		["tck-complete-task", "COMPLETED", [{ text: "Hello from TCK" }]],
		["tck-something-new", "COMPLETED", [{ text: "Hello from TCK" }]],
		["tck-artifact-text", "COMPLETED", [{ text: "Generated text content" }]],
		["tck-artifact-file-url", "COMPLETED", [{ url: "https://example.com/output.txt", ...FILE }]],
		["tck-artifact-file", "COMPLETED", [{ raw, ...FILE }]],
		["tck-artifact-data", "COMPLETED", [{ data: { key: "value", count: 42 } }]],
		["tck-reject-task", "REJECTED", [{ text: "rejected" }]],
		["tck-stream-001", "COMPLETED", [{ text: "Stream hello from TCK" }]],
		["tck-stream-002", "COMPLETED", undefined],
		["tck-stream-003", "COMPLETED", [{ text: "Stream task lifecycle" }]],
		["tck-stream-ordering-001", "COMPLETED", [{ text: "Ordered output" }]],
		["tck-stream-artifact-text", "COMPLETED", [{ text: "Streamed text content" }]],
		["tck-stream-artifact-file", "COMPLETED", [{ raw, ...FILE }]],
		["tck-stream-artifact-chunked", "COMPLETED", [{ text: "chunk-1 chunk-2" }]],
	])("answers %s with %s", async (prefix, state, parts) => {
		const { task } = await send(prefix);
		expect(task.status.state).toBe(`TASK_STATE_${state}`);
		expect(task.artifacts?.at(0)?.parts).toEqual(parts);
		if (prefix === "tck-complete-task") expect(task.status.message.parts).toEqual([{ text: "Hello from TCK" }]);
	});

	it("answers tck-message-response with a message and no task", async () => {
		const result = await send("tck-message-response");
		expect(Object.keys(result)).toEqual(["message"]);
		expect(result.message.parts).toEqual([{ text: "Direct message response" }]);
	});

	it("asks on tck-input-required, and ends when it is told to", async () => {
		const { task } = await send("tck-input-required");
		expect(task.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
		const again = await send("tck-input-required", { taskId: task.id });
		expect(again.task).toMatchObject({ id: task.id, status: { state: "TASK_STATE_INPUT_REQUIRED" } });
		expect((await send("tck-complete-task", { taskId: task.id })).task).toMatchObject({
			id: task.id,
			status: { state: "TASK_STATE_COMPLETED" },
		});
	});

	it("makes a new task each time that the same id comes without a context, and takes the context of a client", async () => {
		const one = await send("tck-complete-task");
		const two = await send("tck-complete-task", { contextId: "made-by-the-client" });
		expect(two.task.id).not.toBe(one.task.id);
		expect(two.task.contextId).toBe("made-by-the-client");
		expect((await call("GetTask", { id: one.task.id })).id).toBe(one.task.id);
	});

	it("works for a while on test-resubscribe-message-id, and can be stopped meanwhile", async () => {
		const { task } = await send("test-resubscribe-message-id", {}, { returnImmediately: true });
		expect((await call("GetTask", { id: task.id })).status.state).toBe("TASK_STATE_WORKING");
		expect((await call("CancelTask", { id: task.id })).status.state).toBe("TASK_STATE_CANCELED");
		expect(desk.logged).toEqual([]);
	});
});
