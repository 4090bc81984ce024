/**
 * Every operation and every error over every binding, and the same answer from each (a2a.md 1.16). What must differ between
 * two calls (ids, times) is named by the order in which it first comes; everything else is compared as it is.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answerer } from "../../server/engine/ports.js";
import { openTestDesk, type TestDesk } from "../desk.js";
import { WIDE_LIMITS } from "../limits.js";
import { type Binding, type CallOptions, httpJson, jsonRpc, type Reply, webSocket } from "./bindings.js";

/** Does what the words ask for, so that one desk can show every state. */
const obedient: Answerer = {
	name: "obedient",
	inProcess: true,
	maySilence: false,
	async *answer(turn, signal) {
		const words = turn.incoming.map(({ message }) => message.parts.map((part) => part.text ?? "").join("")).join(" ");
		if (words.startsWith("wait")) {
			await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
			return;
		}
		if (words.startsWith("data"))
			yield { type: "artifact", artifactId: "numbers", name: "numbers", parts: [{ data: { a: [1, null, "ü"] } }] };
		yield { type: "text", text: `You said: ${words}` };
		if (words.startsWith("authorise")) yield { type: "needs_authorisation", explanation: "Sign in." };
		else if (words.startsWith("refuse")) yield { type: "rejected", explanation: "No." };
		else if (words.startsWith("fail")) yield { type: "failed", explanation: "Broken." };
		else yield { type: "reply", asks: words.startsWith("ask") };
	},
};

let desk: TestDesk;
let strict: TestDesk;
let bindings: Binding[];
let strictBindings: Binding[];
/** Somebody whose tasks nobody else may see. */
let other: { credential: string; task: string; context: string };

beforeAll(async () => {
	desk = await openTestDesk({ answerer: obedient, config: { limits: WIDE_LIMITS } });
	strict = await openTestDesk({
		answerer: obedient,
		config: { limits: WIDE_LIMITS },
		settings: { parts: "text+data", extendedCard: "credential", apiKey: true },
	});
	const all = async (of: TestDesk): Promise<Binding[]> => {
		const { url } = await of.serve();
		return [jsonRpc(url, of.handle), httpJson(url, of.handle), webSocket(url, of.handle)];
	};
	bindings = await all(desk);
	strictBindings = await all(strict);
	const sent = await (bindings[0] as Binding).call("SendMessage", { message: message("hello") });
	const { id, contextId } = (sent.result as { task: { id: string; contextId: string } }).task;
	other = { credential: sent.headers.get("eol-guest-token") as string, task: id, context: contextId };
});
afterAll(async () => {
	for (const binding of [...bindings, ...strictBindings]) binding.close();
	await desk.close();
	await strict.close();
});

let made = 0;
const message = (text: string, more: Record<string, unknown> = {}) => ({
	role: "ROLE_USER",
	messageId: `m-${++made}`,
	parts: [{ text }],
	...more,
});

/** The same thing with ids and times named by the order of their coming, and the call's own message ids by theirs. */
function plain(value: unknown): unknown {
	const names = new Map<string, string>();
	const text = JSON.stringify(value)
		.replace(/\b(tsk|ctx|msg|gst)_[0-9a-z]{26}|m-\d+/g, (id) => {
			const kind = id.split(/[_-]/)[0] as string;
			const known = names.get(id) ?? `${kind} ${[...names.values()].filter((n) => n.startsWith(kind)).length + 1}`;
			names.set(id, known);
			return known;
		})
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time")
		.replace(/eolg_[\w.-]+/g, "a token");
	return JSON.parse(text);
}

/** Asks every binding for the same story, each with things of its own, and expects the same of each. */
async function everywhere<T>(on: Binding[], story: (binding: Binding, key: string) => Promise<T>, key: string): Promise<T> {
	const told: { name: string; answer: unknown; raw: T }[] = [];
	for (const binding of on) {
		const raw = await story(binding, key);
		told.push({ name: binding.name, answer: plain(raw), raw });
	}
	const [first, ...rest] = told as [(typeof told)[0], ...typeof told];
	for (const { name, answer } of rest) expect(answer, `${name} against ${first.name}`).toEqual(first.answer);
	return first.raw;
}

const resultOf = ({ result, error }: Reply): unknown => {
	if (error) throw new Error(`refused: ${JSON.stringify(error)}`);
	return result;
};
const taskOf = (reply: Reply): { id: string; contextId: string; status: { state: string } } => (resultOf(reply) as { task: never }).task;

describe("every binding answers the same", () => {
	it.each(["hello", "ask me", "data please", "authorise me", "refuse it", "fail at it"])(
		"to a message that says %j, and to whoever reads its task",
		async (text) => {
			const raw = await everywhere(
				bindings,
				async (binding, credential) => {
					const sent = resultOf(await binding.call("SendMessage", { message: message(text) }, { credential })) as { task: { id: string } };
					return { sent, got: resultOf(await binding.call("GetTask", { id: sent.task.id }, { credential })) };
				},
				desk.key,
			);
			expect(raw.sent.task).toEqual(raw.got);
		},
	);

	it.each([0, 1, undefined])("with %s messages of history", async (historyLength) => {
		const raw = await everywhere(
			bindings,
			async (binding, credential) => {
				const configuration = historyLength === undefined ? {} : { historyLength };
				const sent = taskOf(await binding.call("SendMessage", { message: message("hello"), configuration }, { credential }));
				const got = await binding.call("GetTask", { id: sent.id, ...configuration }, { credential });
				return { sent, got: resultOf(got) as { history?: unknown[] } };
			},
			desk.key,
		);
		expect(raw.got.history?.length).toBe(historyLength === undefined ? 2 : historyLength || undefined);
	});

	it("when it does not wait, waits no longer, or is told the old way not to", async () => {
		for (const configuration of [{ returnImmediately: true }, { blocking: false }]) {
			const raw = await everywhere(
				bindings,
				async (binding, credential) =>
					taskOf(await binding.call("SendMessage", { message: message("wait"), configuration }, { credential })),
				desk.key,
			);
			expect(raw.status.state).not.toBe("TASK_STATE_COMPLETED");
			for (const binding of bindings) {
				const { tasks } = resultOf(await binding.call("ListTasks", { status: "TASK_STATE_WORKING" }, { credential: desk.key })) as {
					tasks: { id: string }[];
				};
				for (const { id } of tasks) await binding.call("CancelTask", { id }, { credential: desk.key });
			}
		}
	});

	it("to a question that is answered in its task, and to a follow-up in its context", async () => {
		const raw = await everywhere(
			bindings,
			async (binding, credential) => {
				const asked = taskOf(await binding.call("SendMessage", { message: message("ask me") }, { credential }));
				const answered = taskOf(
					await binding.call("SendMessage", { message: message("the blue one", { taskId: asked.id }) }, { credential }),
				);
				const further = taskOf(
					await binding.call("SendMessage", { message: message("and then", { contextId: asked.contextId }) }, { credential }),
				);
				return { asked, answered, further };
			},
			desk.key,
		);
		expect(raw.asked.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
		expect(raw.answered.status.state).toBe("TASK_STATE_COMPLETED");
		expect(raw.answered.id).toBe(raw.asked.id);
		expect(raw.further.id).not.toBe(raw.asked.id);
	});

	it("to a message sent twice", async () => {
		await everywhere(
			bindings,
			async (binding, credential) => {
				const once = message("hello");
				const first = taskOf(await binding.call("SendMessage", { message: once }, { credential }));
				const second = taskOf(await binding.call("SendMessage", { message: once }, { credential }));
				expect(second).toEqual(first);
				return second;
			},
			desk.key,
		);
	});

	it("to a cancel, and to the same cancel again", async () => {
		const raw = await everywhere(
			bindings,
			async (binding, credential) => {
				const { id } = taskOf(
					await binding.call("SendMessage", { message: message("wait"), configuration: { returnImmediately: true } }, { credential }),
				);
				const first = resultOf(await binding.call("CancelTask", { id }, { credential }));
				return { first, second: resultOf(await binding.call("CancelTask", { id }, { credential })) };
			},
			desk.key,
		);
		expect(raw.first).toMatchObject({ status: { state: "TASK_STATE_CANCELED" } });
		expect(raw.second).toEqual(raw.first);
	});

	it("to a list, page by page, filtered, with and without what it leaves out", async () => {
		// One caller's tasks, asked for over each binding.
		const rpc = bindings[0] as Binding;
		const first = await rpc.call("SendMessage", { message: message("hello") });
		const credential = first.headers.get("eol-guest-token") as string;
		const { contextId } = taskOf(first);
		for (const text of ["data please", "ask me", "hello again"])
			await rpc.call("SendMessage", { message: message(text, { contextId }) }, { credential });
		const queries: Record<string, unknown>[] = [
			{},
			{ pageSize: 3 },
			{ contextId },
			{ contextId: "ctx_nobody" },
			{ status: "TASK_STATE_INPUT_REQUIRED" },
			{ includeArtifacts: true, historyLength: 1 },
			{ statusTimestampAfter: "2001-01-01T00:00:00+02:00" },
			{ statusTimestampAfter: "2999-01-01T00:00:00Z" },
		];
		for (const query of queries) {
			const raw = await everywhere(
				bindings,
				async (binding, key) => {
					const page = resultOf(await binding.call("ListTasks", query, { credential: key })) as { nextPageToken: string; tasks: unknown[] };
					const next =
						page.nextPageToken === ""
							? undefined
							: resultOf(await binding.call("ListTasks", { ...query, pageToken: page.nextPageToken }, { credential: key }));
					return { ...page, nextPageToken: page.nextPageToken !== "", next };
				},
				credential,
			);
			expect(raw).toHaveProperty("totalSize");
			expect(raw).toHaveProperty("pageSize", query.pageSize ?? 50);
		}
	});

	it("to who asks for the extended card", async () => {
		const raw = await everywhere(
			bindings,
			async (binding, credential) => resultOf(await binding.call("GetExtendedAgentCard", {}, { credential })),
			desk.key,
		);
		expect(raw).toMatchObject({ name: "Mira", skills: [{ id: "ask" }, { id: "about" }, { id: "suggestion-1" }] });
	});

	it("when it streams, as far as a binding has streams of its own", async () => {
		const raw = await everywhere(
			bindings.slice(0, 2),
			async (binding, credential) =>
				(await binding.call("SendStreamingMessage", { message: message("ask me") }, { credential })).events as Record<string, unknown>[],
			desk.key,
		);
		expect(Object.keys(raw[0] as object)).toEqual(["task"]);
		expect(raw.at(-1)).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_INPUT_REQUIRED" } } });
		for (const event of raw) expect(Object.keys(event)).toHaveLength(1);
	});
});

/** Codes and reasons from the specification, 5.4; those without a reason of A2A's own have ours or none. */
const EXPECTED: Record<string, { rpc: number; http: number; reason?: string }> = {
	taskNotFound: { rpc: -32001, http: 404, reason: "TASK_NOT_FOUND" },
	taskNotCancelable: { rpc: -32002, http: 400, reason: "TASK_NOT_CANCELABLE" },
	pushNotSupported: { rpc: -32003, http: 400, reason: "PUSH_NOTIFICATION_NOT_SUPPORTED" },
	unsupportedOperation: { rpc: -32004, http: 400, reason: "UNSUPPORTED_OPERATION" },
	contentType: { rpc: -32005, http: 415, reason: "CONTENT_TYPE_NOT_SUPPORTED" },
	version: { rpc: -32009, http: 400, reason: "VERSION_NOT_SUPPORTED" },
	invalidParams: { rpc: -32602, http: 400 },
	contextNotFound: { rpc: -32602, http: 400, reason: "CONTEXT_NOT_FOUND" },
	conflict: { rpc: -32602, http: 409, reason: "IDEMPOTENCY_CONFLICT" },
	unauthenticated: { rpc: -32000, http: 401, reason: "UNAUTHENTICATED" },
};

interface Wrong {
	expected: keyof typeof EXPECTED;
	method: string;
	params: (known: { finished: string; waiting: string; context: string }) => Record<string, unknown>;
	options?: CallOptions;
	strict?: true;
}

const send = (more: Record<string, unknown>, method = "SendMessage") => ({ method, params: () => ({ message: message("hello", more) }) });
const config = { taskId: "tsk_x", id: "c" };

const WRONG: Record<string, Wrong> = {
	"a task that is not there": { expected: "taskNotFound", method: "GetTask", params: () => ({ id: "tsk_nobody" }) },
	"a task of somebody else": { expected: "taskNotFound", method: "GetTask", params: () => ({ id: other.task }) },
	"cancelling a task of somebody else": { expected: "taskNotFound", method: "CancelTask", params: () => ({ id: other.task }) },
	"following a task of somebody else": { expected: "taskNotFound", method: "SubscribeToTask", params: () => ({ id: other.task }) },
	"a message into a task of somebody else": {
		expected: "taskNotFound",
		method: "SendMessage",
		params: () => ({ message: message("x", { taskId: other.task }) }),
	},
	"a stream into a task of somebody else": {
		expected: "taskNotFound",
		method: "SendStreamingMessage",
		params: () => ({ message: message("x", { taskId: other.task }) }),
	},
	"cancelling what has ended": { expected: "taskNotCancelable", method: "CancelTask", params: ({ finished }) => ({ id: finished }) },
	"a message into what has ended": {
		expected: "unsupportedOperation",
		method: "SendMessage",
		params: ({ finished }) => ({ message: message("x", { taskId: finished }) }),
	},
	"following what has ended": { expected: "unsupportedOperation", method: "SubscribeToTask", params: ({ finished }) => ({ id: finished }) },
	"a webhook with a message": {
		expected: "pushNotSupported",
		method: "SendMessage",
		params: () => ({ message: message("x"), configuration: { taskPushNotificationConfig: { url: "https://example.com/hook" } } }),
	},
	"a webhook": {
		expected: "pushNotSupported",
		method: "CreateTaskPushNotificationConfig",
		params: () => ({ ...config, url: "https://example.com/hook" }),
	},
	"reading a webhook": { expected: "pushNotSupported", method: "GetTaskPushNotificationConfig", params: () => config },
	"listing webhooks": { expected: "pushNotSupported", method: "ListTaskPushNotificationConfigs", params: () => ({ taskId: "tsk_x" }) },
	"removing a webhook": { expected: "pushNotSupported", method: "DeleteTaskPushNotificationConfig", params: () => config },
	"a part of another type": { expected: "contentType", ...send({ parts: [{ raw: "AAAA", mediaType: "application/pdf" }] }) },
	"a stream with a part of another type": {
		expected: "contentType",
		...send({ parts: [{ text: "<b>", mediaType: "text/html" }] }, "SendStreamingMessage"),
	},
	"a picture, where only text and data are taken": {
		expected: "contentType",
		strict: true,
		...send({ parts: [{ url: "https://example.com/a.png", mediaType: "image/png" }] }),
	},
	"answers of another type": {
		expected: "contentType",
		method: "SendMessage",
		params: () => ({ message: message("x"), configuration: { acceptedOutputModes: ["image/png"] } }),
	},
	"no version": { expected: "version", method: "GetTask", params: () => ({ id: "x" }), options: { version: null } },
	"an empty version": { expected: "version", method: "ListTasks", params: () => ({}), options: { version: "" } },
	"version 0.3": { expected: "version", method: "SendMessage", params: () => ({ message: message("x") }), options: { version: "0.3" } },
	"version 2.0": { expected: "version", method: "GetExtendedAgentCard", params: () => ({}), options: { version: "2.0" } },
	"no parts": { expected: "invalidParams", ...send({ parts: [] }) },
	"a part of two kinds": { expected: "invalidParams", ...send({ parts: [{ text: "a", data: 1 }] }) },
	"a part of no kind": { expected: "invalidParams", ...send({ parts: [{ mediaType: "text/plain" }] }) },
	"no messageId": { expected: "invalidParams", ...send({ messageId: undefined }) },
	"a messageId that is too long": { expected: "invalidParams", ...send({ messageId: "x".repeat(129) }) },
	"the agent's own role": { expected: "invalidParams", ...send({ role: "ROLE_AGENT" }) },
	"a role as 0.3 wrote it": { expected: "invalidParams", ...send({ role: "user" }) },
	"too many parts": { expected: "invalidParams", ...send({ parts: Array.from({ length: 33 }, () => ({ text: "x" })) }) },
	"too much text": { expected: "invalidParams", ...send({ parts: [{ text: "x".repeat(16_385) }] }) },
	"U+0000 in a text": { expected: "invalidParams", ...send({ parts: [{ text: "a\0b" }] }) },
	"no message": { expected: "invalidParams", method: "SendMessage", params: () => ({}) },
	"a history of less than nothing": {
		expected: "invalidParams",
		method: "GetTask",
		params: ({ finished }) => ({ id: finished, historyLength: -1 }),
	},
	"a page of nothing": { expected: "invalidParams", method: "ListTasks", params: () => ({ pageSize: 0 }) },
	"a page too large": { expected: "invalidParams", method: "ListTasks", params: () => ({ pageSize: 101 }) },
	"a state that is none": { expected: "invalidParams", method: "ListTasks", params: () => ({ status: "completed" }) },
	"a time that is none": { expected: "invalidParams", method: "ListTasks", params: () => ({ statusTimestampAfter: "yesterday" }) },
	"a page token of nobody's": { expected: "invalidParams", method: "ListTasks", params: () => ({ pageToken: "AAAA" }) },
	"another desk's name": { expected: "invalidParams", method: "SendMessage", params: () => ({ tenant: "nova", message: message("x") }) },
	"a task with another context": {
		expected: "invalidParams",
		method: "SendMessage",
		params: ({ waiting }) => ({ message: message("x", { taskId: waiting, contextId: "ctx_nobody" }) }),
	},
	"a context that is not there": { expected: "contextNotFound", ...send({ contextId: "ctx_nobody" }) },
	"a context of somebody else": {
		expected: "contextNotFound",
		method: "SendMessage",
		params: () => ({ message: message("x", { contextId: other.context }) }),
	},
	"other words under the same id": { expected: "conflict", ...send({ messageId: "said-before" }) },
	"a token that is not valid": {
		expected: "unauthenticated",
		method: "ListTasks",
		params: () => ({}),
		options: { credential: "eolg_none.1.x" },
	},
	"the extended card without saying who one is": {
		expected: "unauthenticated",
		method: "GetExtendedAgentCard",
		params: () => ({}),
		options: { credential: "" },
		strict: true,
	},
};

/** A socket says its version, its credential and its headers in Hello, once; those are the WebSocket suite's. */
const fitsSocket = ({ options }: Wrong): boolean => options === undefined;

describe("every binding refuses the same", () => {
	let known: { finished: string; waiting: string; context: string };
	beforeAll(async () => {
		const rpc = bindings[0] as Binding;
		const credential = desk.key;
		const finished = taskOf(await rpc.call("SendMessage", { message: message("hello") }, { credential }));
		const waiting = taskOf(await rpc.call("SendMessage", { message: message("ask me") }, { credential }));
		await rpc.call("SendMessage", { message: message("the first words", { messageId: "said-before" }) }, { credential });
		known = { finished: finished.id, waiting: waiting.id, context: finished.contextId };
	});

	it.each(Object.keys(WRONG))("%s", async (name) => {
		const wrong = WRONG[name] as Wrong;
		const of = wrong.strict ? strict : desk;
		const { rpc, http, reason } = EXPECTED[wrong.expected] as (typeof EXPECTED)[string];
		const on = (wrong.strict ? strictBindings : bindings).filter((binding) => binding.name !== "WebSocket" || fitsSocket(wrong));
		const key = wrong.options?.credential ?? of.key;
		const params = wrong.params(known);
		await everywhere(
			on,
			async (binding) => {
				const { error } = await binding.call(wrong.method, params, { ...wrong.options, credential: key === "" ? undefined : key });
				expect(error, binding.name).toBeDefined();
				expect(error?.code, binding.name).toBe(binding.name === "HTTP+JSON" ? http : rpc);
				expect(error?.reason, binding.name).toBe(reason);
				if (wrong.expected === "invalidParams") expect(JSON.stringify(error?.details)).toContain("fieldViolations");
				expect(error?.message).toMatch(/\.$/);
				return { message: error?.message, details: error?.details };
			},
			"",
		);
	});

	it("and has changed nothing by any of it", async () => {
		const got = resultOf(await (bindings[0] as Binding).call("GetTask", { id: known.finished }, { credential: desk.key }));
		expect(got).toMatchObject({ status: { state: "TASK_STATE_COMPLETED" } });
		expect((got as { history: unknown[] }).history).toHaveLength(2);
		expect(desk.logged.filter(({ level }) => level === "error")).toEqual([]);
	});
});
