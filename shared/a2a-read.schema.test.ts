import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
	CancelTaskRequestSchema,
	CreateTaskPushNotificationConfigRequestSchema,
	DeleteTaskPushNotificationConfigRequestSchema,
	GetExtendedAgentCardRequestSchema,
	GetTaskPushNotificationConfigRequestSchema,
	GetTaskRequestSchema,
	ListTaskPushNotificationConfigsRequestSchema,
	ListTasksRequestSchema,
	SendMessageRequestSchema,
	SubscribeToTaskRequestSchema,
} from "./a2a.schema.js";
import { fromQuery, read } from "./a2a-read.schema.js";
import { DeskError, type FieldViolation } from "./errors.js";
import { readJson } from "./json-scan.js";
import { LIMITS } from "./limits.js";

/** The smallest request, with more in it or in its message. */
const send = (message: object = {}, request: object = {}): Record<string, unknown> => ({
	message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }], ...message },
	...request,
});
const readSend = (value: unknown) => read(SendMessageRequestSchema, value);
const readPart = (part: unknown) => readSend(send({ parts: [part] })).message.parts[0];
const readConfiguration = (configuration: unknown) => readSend(send({}, { configuration })).configuration;
const readList = (value: unknown) => read(ListTasksRequestSchema, value);

function violations(call: () => unknown): FieldViolation[] {
	try {
		call();
	} catch (error) {
		if (!(error instanceof DeskError)) throw error;
		expect(error.code).toBe("invalid_params");
		for (const { description } of error.detail.violations ?? []) expect(description).toMatch(/\.$/);
		expect(error.message).toContain(error.detail.violations?.[0]?.description);
		return error.detail.violations ?? [];
	}
	throw new Error("nothing was refused");
}
const fields = (call: () => unknown): string[] => violations(call).map((violation) => violation.field);

describe("names", () => {
	it("takes snake_case for every field, at every level", () => {
		expect(
			readSend({
				message: {
					message_id: "m1",
					context_id: "c1",
					task_id: "t1",
					role: "ROLE_USER",
					parts: [{ text: "hi", media_type: "text/plain" }],
					reference_task_ids: ["t0"],
				},
				configuration: {
					accepted_output_modes: ["text/plain"],
					history_length: 3,
					return_immediately: true,
					task_push_notification_config: { url: "https://example.com/hook", task_id: "t1" },
				},
			}),
		).toEqual({
			message: {
				messageId: "m1",
				contextId: "c1",
				taskId: "t1",
				role: "ROLE_USER",
				parts: [{ text: "hi", mediaType: "text/plain" }],
				referenceTaskIds: ["t0"],
			},
			configuration: {
				acceptedOutputModes: ["text/plain"],
				historyLength: 3,
				returnImmediately: true,
				taskPushNotificationConfig: { url: "https://example.com/hook", taskId: "t1" },
			},
		});
	});

	it("lets camelCase win, unless it is null", () => {
		expect(readSend(send({ contextId: "camel", context_id: "snake" })).message.contextId).toBe("camel");
		expect(readSend(send({ contextId: null, context_id: "snake" })).message.contextId).toBe("snake");
		expect(readSend(send({ contextId: "camel", context_id: 7 })).message.contextId).toBe("camel");
	});

	it("renames nothing and drops nothing inside metadata and data", () => {
		const own = { message_id: 1, media_type: { task_id: null }, list: [{ context_id: [] }], empty: "" };
		expect(readPart({ data: own, metadata: own })).toEqual({ data: own, metadata: own });
		expect(readSend(send({ metadata: own }, { metadata: own }))).toMatchObject({ message: { metadata: own }, metadata: own });
	});

	it("drops fields that it does not know, at every level", () => {
		expect(
			readSend({
				...send({ kind: "message", parts: [{ text: "hi", kind: "text", file: { bytes: "x" } }] }),
				configuration: { nope: 1 },
				extra: { deep: [1] },
			}),
		).toEqual({ ...send(), configuration: {} });
	});
});

describe("presence", () => {
	it("takes null for unset", () => {
		expect(
			readSend(send({ contextId: null, metadata: null, extensions: null }, { tenant: null, configuration: null, metadata: null })),
		).toEqual(send());
		expect(fields(() => readSend(send({ messageId: null })))).toEqual(["message.messageId"]);
	});

	it("takes data null for the value null", () => {
		expect(readPart({ data: null })).toEqual({ data: null });
		expect(readPart({ data: null, text: null, raw: null, url: null })).toEqual({ data: null });
	});

	it("leaves out what is given as its default, except where that says something", () => {
		expect(
			readSend(
				send(
					{ contextId: "", taskId: "", extensions: [], referenceTaskIds: [], parts: [{ text: "", filename: "", mediaType: "" }] },
					{ tenant: "", configuration: { acceptedOutputModes: [], historyLength: 0, returnImmediately: false }, metadata: {} },
				),
			),
		).toEqual({ ...send({ parts: [{ text: "" }] }), configuration: { historyLength: 0 }, metadata: {} });
		expect(readList({ includeArtifacts: false, status: 0, historyLength: 0 })).toEqual({ includeArtifacts: false, historyLength: 0 });
	});

	it.each([
		["the message", {}, ["message"]],
		["all of an empty message", { message: {} }, ["message.messageId", "message.role", "message.parts"]],
		["messageId", send({ messageId: "" }), ["message.messageId"]],
		["role", send({ role: undefined }), ["message.role"]],
		["role as unspecified", send({ role: "ROLE_UNSPECIFIED" }), ["message.role"]],
		["role as 0", send({ role: 0 }), ["message.role"]],
		["parts", send({ parts: null }), ["message.parts"]],
		["a part", send({ parts: [] }), ["message.parts"]],
		["a hook's url", send({}, { configuration: { taskPushNotificationConfig: {} } }), ["configuration.taskPushNotificationConfig.url"]],
		[
			"an authentication's scheme",
			send({}, { configuration: { taskPushNotificationConfig: { url: "https://x.example", authentication: { credentials: "c" } } } }),
			["configuration.taskPushNotificationConfig.authentication.scheme"],
		],
	])("requires %s", (_, value, expected) => {
		expect(fields(() => readSend(value))).toEqual(expected);
	});

	it.each<[string, z.ZodObject, string[]]>([
		["GetTask", GetTaskRequestSchema, ["id"]],
		["CancelTask", CancelTaskRequestSchema, ["id"]],
		["SubscribeToTask", SubscribeToTaskRequestSchema, ["id"]],
		["CreateTaskPushNotificationConfig", CreateTaskPushNotificationConfigRequestSchema, ["taskId", "url"]],
		["GetTaskPushNotificationConfig", GetTaskPushNotificationConfigRequestSchema, ["taskId", "id"]],
		["DeleteTaskPushNotificationConfig", DeleteTaskPushNotificationConfigRequestSchema, ["taskId", "id"]],
		["ListTaskPushNotificationConfigs", ListTaskPushNotificationConfigsRequestSchema, ["taskId"]],
	])("requires the ids of %s", (_, schema, required) => {
		for (const empty of [{}, undefined, null, { id: "", taskId: null }]) {
			expect(new Set(fields(() => read(schema, empty)))).toEqual(new Set(required));
		}
	});

	it("reads no params at all as an empty request", () => {
		for (const nothing of [undefined, null, {}]) {
			expect(readList(nothing)).toEqual({});
			expect(read(GetExtendedAgentCardRequestSchema, nothing)).toEqual({});
		}
	});
});

describe("types", () => {
	it.each([
		["an array for the request", [], ""],
		["a string for the request", "x", ""],
		["a number for the message", send({}, { message: 1 }), "message"],
		["a list for the message", { message: [] }, "message"],
		["an object where a string belongs", send({ contextId: { $gt: "" } }), "message.contextId"],
		["an array where a string belongs", send({ messageId: ["m"] }), "message.messageId"],
		["a number where a string belongs", send({ contextId: 0 }), "message.contextId"],
		["false where a string belongs", send({ taskId: false }), "message.taskId"],
		["an object where a list belongs", send({ parts: { 0: { text: "x" } } }), "message.parts"],
		["a string where a list belongs", send({ extensions: "urn:x" }), "message.extensions"],
		["null within a list", send({ extensions: [null] }), "message.extensions[0]"],
		["null for a part", send({ parts: [null] }), "message.parts[0]"],
		["a string for a part", send({ parts: [{ text: "a" }, "b"] }), "message.parts[1]"],
		["a list for metadata", send({ metadata: [] }), "message.metadata"],
		["a string for metadata", send({}, { metadata: "x" }), "metadata"],
		["a number for text", send({ parts: [{ text: 5 }] }), "message.parts[0].text"],
		["a word for a bool", send({}, { configuration: { returnImmediately: "true" } }), "configuration.returnImmediately"],
		["a number for a bool", send({}, { configuration: { returnImmediately: 1 } }), "configuration.returnImmediately"],
	])("refuses %s by its path", (_, value, field) => {
		expect(fields(() => readSend(value))).toEqual([field]);
	});

	it("says of each what to give, and the first in the error itself", () => {
		const call = () =>
			readSend({
				message: { messageId: 5, role: "user", parts: [], extensions: "x", metadata: [] },
				configuration: { historyLength: -1, returnImmediately: 1 },
				tenant: "x".repeat(LIMITS.idChars + 1),
			});
		expect(Object.fromEntries(violations(call).map(({ field, description }) => [field, description]))).toEqual({
			tenant: `Give at most ${LIMITS.idChars} characters.`,
			"message.messageId": "Give a string.",
			"message.role": "Give ROLE_USER.",
			"message.parts": "Give at least one.",
			"message.extensions": "Give a list.",
			"message.metadata": "Give an object.",
			"configuration.historyLength": "Give a whole number from 0 to 2147483647.",
			"configuration.returnImmediately": "Give true or false.",
		});
		expect(call).toThrow(`tenant: Give at most ${LIMITS.idChars} characters. (and 7 more)`);
		expect(() => readList({ status: "done" })).toThrow(/^status: Give one of: TASK_STATE_SUBMITTED, .*TASK_STATE_AUTH_REQUIRED\.$/);
		expect(() => readSend({})).toThrow("message: This is required.");
		expect(() => readSend([])).toThrow("The request: Give an object.");
	});

	it("names many wrong fields, but not thousands", () => {
		const found = violations(() => readSend(send({ parts: Array(1_000).fill({}) })));
		expect(found).toHaveLength(LIMITS.violations);
	});

	it("refuses ids longer than the limit", () => {
		const id = "x".repeat(LIMITS.idChars);
		expect(readSend(send({ messageId: id, contextId: id, taskId: id, referenceTaskIds: [id] })).message.taskId).toBe(id);
		const long = `${id}x`;
		expect(
			fields(() => readSend(send({ messageId: long, contextId: long, taskId: long, referenceTaskIds: [id, long] }, { tenant: long }))),
		).toEqual(["tenant", "message.messageId", "message.contextId", "message.taskId", "message.referenceTaskIds[1]"]);
		expect(fields(() => read(GetTaskRequestSchema, { id: long }))).toEqual(["id"]);
		expect(fields(() => readList({ pageToken: long }))).toEqual(["pageToken"]);
	});
});

describe("oneof", () => {
	it.each([
		["text", { text: "" }],
		["raw", { raw: "AQI=" }],
		["raw of no bytes", { raw: "" }],
		["url", { url: "https://example.com/a.png" }],
		["data false", { data: false }],
		["data 0", { data: 0 }],
		["data of an empty string", { data: "" }],
		["data with nulls", { data: { a: null, b: [null] } }],
	])("takes a part of %s", (_, part) => {
		expect(readPart(part)).toEqual(part);
	});

	it.each([
		["two", { text: "a", url: "https://example.com" }],
		["two, one of them empty", { text: "", data: {} }],
		["two, one of them null data", { text: "a", data: null }],
		["all", { text: "a", raw: "", url: "https://example.com", data: 1 }],
		["none", { filename: "a.txt" }],
		["nothing but nulls", { text: null, url: null }],
		["the parts of 0.3", { kind: "text" }],
	])("refuses a part of %s", (_, part) => {
		expect(fields(() => readPart(part))).toEqual(["message.parts[0]"]);
	});

	it("refuses a url that is empty", () => {
		expect(fields(() => readPart({ url: "" }))).toEqual(["message.parts[0].url"]);
	});
});

describe("int32", () => {
	const readLength = (historyLength: unknown) => readConfiguration({ historyLength })?.historyLength;

	it.each([
		[0, 0],
		[-0, 0],
		["-0", 0],
		[10, 10],
		["10", 10],
		[1e2, 100],
		[2147483647, 2147483647],
		["2147483647", 2147483647],
	])("reads %j as %d", (given, value) => {
		expect(readLength(given)).toBe(value);
	});

	it.each([
		-1,
		"-1",
		1.5,
		"1.5",
		2147483648,
		"2147483648",
		1e40,
		"1e2",
		"0x10",
		"",
		" 1",
		"1 ",
		"ten",
		"١",
		true,
		[],
		{},
		"9".repeat(10_000),
	])("refuses %j", (given) => {
		expect(fields(() => readLength(given))).toEqual(["configuration.historyLength"]);
	});

	it("keeps pageSize between 1 and 100", () => {
		expect([1, "1", 100, "100"].map((pageSize) => readList({ pageSize }).pageSize)).toEqual([1, 1, 100, 100]);
		for (const pageSize of [0, "0", -1, 101, 150, 1e40]) expect(fields(() => readList({ page_size: pageSize }))).toEqual(["pageSize"]);
	});
});

describe("enums", () => {
	it("reads names and numbers", () => {
		expect(readSend(send({ role: 1 })).message.role).toBe("ROLE_USER");
		expect(readList({ status: "TASK_STATE_AUTH_REQUIRED" }).status).toBe("TASK_STATE_AUTH_REQUIRED");
		expect([1, 2, 3, 4, 5, 6, 7, 8].map((status) => readList({ status }).status)).toEqual([
			"TASK_STATE_SUBMITTED",
			"TASK_STATE_WORKING",
			"TASK_STATE_COMPLETED",
			"TASK_STATE_FAILED",
			"TASK_STATE_CANCELED",
			"TASK_STATE_INPUT_REQUIRED",
			"TASK_STATE_REJECTED",
			"TASK_STATE_AUTH_REQUIRED",
		]);
	});

	it("takes UNSPECIFIED for no filter", () => {
		for (const status of [0, "TASK_STATE_UNSPECIFIED", null]) expect(readList({ status })).toEqual({});
	});

	it.each([
		"completed",
		"task_state_completed",
		"COMPLETED",
		"TASK_STATE_DONE",
		"",
		"3",
		9,
		-1,
		1.5,
		true,
		["TASK_STATE_WORKING"],
		{},
		"constructor",
	])("refuses the state %j", (status) => {
		expect(fields(() => readList({ status }))).toEqual(["status"]);
	});

	it.each(["user", "role_user", "ROLE_AGENT", 2, "agent", 3])("refuses the role %j of a sender", (role) => {
		expect(violations(() => readSend(send({ role })))).toEqual([{ field: "message.role", description: "Give ROLE_USER." }]);
	});
});

describe("bytes and times", () => {
	it.each(["_-8=", "_-8", "/+8", "/+8="])("reads the bytes %s", (raw) => {
		expect(readPart({ raw })).toEqual({ raw: "/+8=" });
	});

	it.each(["no base64!", "A", "AA=", 5, ["AQI="]])("refuses the bytes %j", (raw) => {
		expect(fields(() => readPart({ raw }))).toEqual(["message.parts[0].raw"]);
	});

	it("reads times into UTC with milliseconds", () => {
		expect(readList({ statusTimestampAfter: "2025-10-28T10:30:00+02:00" }).statusTimestampAfter).toBe("2025-10-28T08:30:00.000Z");
		expect(readList({ status_timestamp_after: "2025-10-28T10:30:00.123456Z" }).statusTimestampAfter).toBe("2025-10-28T10:30:00.123Z");
	});

	it.each([1761647400, 1761647400000, "1761647400", "", "2025-02-30T00:00:00.000Z", "yesterday", {}])("refuses the time %j", (time) => {
		expect(fields(() => readList({ statusTimestampAfter: time }))).toEqual(["statusTimestampAfter"]);
	});
});

describe("blocking of the drafts before 1.0", () => {
	it.each([
		[{ blocking: false }, { returnImmediately: true }],
		[{ blocking: true }, {}],
		[{ blocking: "false" }, {}],
		[{ blocking: false, returnImmediately: false }, {}],
		[{ blocking: false, return_immediately: false }, {}],
		[{ blocking: false, returnImmediately: null }, { returnImmediately: true }],
		[{ blocking: true, returnImmediately: true }, { returnImmediately: true }],
	])("reads %j as %j", (given, configuration) => {
		expect(readConfiguration(given)).toEqual(configuration);
	});
});

describe("what cannot be kept", () => {
	it.each([
		["a part's text", send({ parts: [{ text: "a\0" }] }), "message.parts[0].text"],
		["metadata", send({ metadata: { a: [{ b: "\ud800" }] } }), "message.metadata.a[0].b"],
		["a key of data", send({ parts: [{ data: { "\0": 1 } }] }), "message.parts[0].data"],
		["a field that is not known", send({ kind: "\udfff" }), "message.kind"],
		["an id", send({ messageId: "m\0" }), "message.messageId"],
		["a number in data", JSON.parse('{"message":{"parts":[{"data":[1e999]}]}}'), "message.parts[0].data[0]"],
	])("is refused in %s", (_, value, field) => {
		expect(fields(() => readSend(value))).toEqual([field]);
	});

	it("touches no prototype, whatever the keys", () => {
		const before = Object.getOwnPropertyNames(Object.prototype);
		const keys = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
		for (const key of keys) {
			const evil = `{"${key}":{"prototype":{"admin":true},"admin":true}}`;
			for (const text of [
				`{"message":{"messageId":"m","role":1,"parts":[{"data":${evil}}],"metadata":${evil}},"metadata":${evil}}`,
				`{"message":{"messageId":"m","role":1,"parts":[{"text":"x","${key}":{"admin":true}}]},"configuration":${evil}}`,
				evil,
			]) {
				let result: unknown;
				try {
					result = readSend(readJson(text));
				} catch (error) {
					expect(error).toBeInstanceOf(DeskError);
				}
				if (result) expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
			}
		}
		expect((readPart({ data: { constructor: "a team" } }) as { data: unknown }).data).toEqual({ constructor: "a team" });
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
		expect(({} as { admin?: boolean }).admin).toBeUndefined();
	});
});

describe("fromQuery", () => {
	const list = (query: string) => fromQuery(ListTasksRequestSchema, new URLSearchParams(query));

	it("reads words, numbers, names and times", () => {
		expect(
			list(
				"contextId=c%201&status=TASK_STATE_WORKING&pageSize=5&pageToken=p&historyLength=0&statusTimestampAfter=2025-10-28T10%3A30%3A00%2B02%3A00&includeArtifacts=false&A2A-Version=1.0",
			),
		).toEqual({
			contextId: "c 1",
			status: "TASK_STATE_WORKING",
			pageSize: 5,
			pageToken: "p",
			historyLength: 0,
			statusTimestampAfter: "2025-10-28T08:30:00.000Z",
			includeArtifacts: false,
		});
		expect(list("page_size=7&include_artifacts=true&context_id=")).toEqual({ pageSize: 7, includeArtifacts: true });
		expect(list("")).toEqual({});
	});

	it.each([
		["includeArtifacts=1", "includeArtifacts"],
		["includeArtifacts=TRUE", "includeArtifacts"],
		["includeArtifacts=", "includeArtifacts"],
		["pageSize=0", "pageSize"],
		["pageSize=101", "pageSize"],
		["pageSize=ten", "pageSize"],
		["pageSize=", "pageSize"],
		["pageSize=5&pageSize=6", "pageSize"],
		["historyLength=-1", "historyLength"],
		["status=2", "status"],
		["status=working", "status"],
		["statusTimestampAfter=1761647400", "statusTimestampAfter"],
		["contextId=a%00b", "contextId"],
	])("refuses %s", (query, field) => {
		expect(fields(() => list(query))).toEqual([field]);
	});

	it("lets the path win over the query", () => {
		const query = new URLSearchParams("id=other&historyLength=2&taskId=x");
		expect(fromQuery(GetTaskRequestSchema, query, { id: "t1" })).toEqual({ id: "t1", historyLength: 2 });
		expect(fromQuery(GetTaskPushNotificationConfigRequestSchema, query, { taskId: "t1", id: "p1" })).toEqual({ taskId: "t1", id: "p1" });
	});

	it("takes lists by repetition or comma", () => {
		const query = new URLSearchParams("messageId=m&referenceTaskIds=a,b&referenceTaskIds=c");
		const schema = SendMessageRequestSchema.shape.message;
		expect(violations(() => fromQuery(schema, query)).map((violation) => violation.field)).toEqual(["role", "parts"]);
		expect(fromQuery(schema.pick({ messageId: true, referenceTaskIds: true }), query)).toEqual({
			messageId: "m",
			referenceTaskIds: ["a", "b", "c"],
		});
	});

	it("throws nothing but DeskError, whatever the query", () => {
		const name = fc.oneof(fc.constantFrom(...Object.keys(ListTasksRequestSchema.shape), "__proto__", "constructor"), fc.string());
		fc.assert(
			fc.property(fc.array(fc.tuple(name, fc.string({ unit: "binary" })), { maxLength: 6 }), (pairs) => {
				try {
					fromQuery(ListTasksRequestSchema, new URLSearchParams(pairs));
				} catch (error) {
					expect(error).toBeInstanceOf(DeskError);
				}
			}),
		);
	});
});
