/** Requests that are right but for ids that are nobody's: what bad input is made from. */
import type { Seeded } from "../seeded.js";

let made = 0;
/** A message that is right. */
const message = (random: Seeded): Record<string, unknown> => ({
	messageId: `fuzz-${++made}`,
	role: "ROLE_USER",
	parts: [
		{ text: "hello" },
		...(random.chance(0.2) ? [{ data: { a: [1, null] }, mediaType: "application/json" }] : []),
		...(random.chance(0.1) ? [{ url: "https://example.com/a.png", mediaType: "image/png" }] : []),
	],
	metadata: { a: { b: [1, 2, 3] } },
	extensions: ["https://example.com/x"],
	referenceTaskIds: ["tsk_01kdvdna00aa56jgsnzcvmjzg1"],
});

const id = "tsk_01kdvdna00aa56jgsnzcvmjzg1";
/** Params of each method that are right but for ids that are nobody's. */
export const REQUESTS: Record<string, (random: Seeded) => Record<string, unknown>> = {
	SendMessage: (random) => ({
		message: message(random),
		configuration: { acceptedOutputModes: ["text/plain"], historyLength: 3, returnImmediately: random.chance(0.5) },
		metadata: { m: 1 },
	}),
	SendStreamingMessage: (random) => ({ message: message(random), configuration: { historyLength: 0 } }),
	GetTask: () => ({ id, historyLength: 5 }),
	ListTasks: () => ({
		contextId: "ctx_01kdvdna00aa56jgsp4zkfpxad",
		status: "TASK_STATE_WORKING",
		pageSize: 10,
		pageToken: "AAAA",
		historyLength: 1,
		statusTimestampAfter: "2026-01-01T00:00:00Z",
		includeArtifacts: true,
	}),
	CancelTask: () => ({ id, metadata: { why: "x" } }),
	SubscribeToTask: () => ({ id }),
	CreateTaskPushNotificationConfig: () => ({
		taskId: id,
		id: "c",
		url: "https://example.com/hook",
		token: "t",
		authentication: { scheme: "Bearer", credentials: "x" },
	}),
	GetTaskPushNotificationConfig: () => ({ taskId: id, id: "c" }),
	ListTaskPushNotificationConfigs: () => ({ taskId: id, pageSize: 3, pageToken: "x" }),
	DeleteTaskPushNotificationConfig: () => ({ taskId: id, id: "c" }),
	GetExtendedAgentCard: () => ({ tenant: "mira" }),
};
export const METHODS = Object.keys(REQUESTS);

/** A whole JSON-RPC request that is right. */
export const rpcRequest = (random: Seeded, methods: readonly string[] = METHODS): Record<string, unknown> => {
	const method = random.pick(methods);
	return { jsonrpc: "2.0", id: random.pick([1, "a", 0, null]), method, params: REQUESTS[method]?.(random) ?? {} };
};
