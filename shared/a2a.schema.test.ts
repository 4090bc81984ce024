import * as sdk from "@a2a-js/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	ListTasksResponseSchema,
	type Message,
	MessageSchema,
	type Part,
	read,
	type SendMessageRequest,
	SendMessageRequestSchema,
	SendMessageResponseSchema,
	StreamResponseSchema,
	type Struct,
	type Task,
	TaskArtifactUpdateEventSchema,
	TaskPushNotificationConfigSchema,
	TaskSchema,
	TaskStatusUpdateEventSchema,
} from "./a2a.schema.js";
import { canonicalJson } from "./canonical-json.js";
import { DeskError } from "./errors.js";
import { readJson } from "./json-scan.js";
import { TASK_STATES } from "./task-states.js";

// Valid objects in wire form, as the types have them. U+0000 and `__proto__` are what the door refuses by rule.
const text = fc.string({ unit: "binary", maxLength: 20 }).map((s) => s.replaceAll("\0", ""));
const some = text.map((s) => `x${s}`);
const key = text.filter((s) => s !== "__proto__");
const json = fc.letrec<{ value: unknown; struct: Struct }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3 },
		fc.constantFrom<unknown>(null, true, false, 0, 42, "", "2025-01-01T00:00:00Z"),
		fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
		text,
		fc.array(tie("value"), { maxLength: 3 }),
		tie("struct"),
	),
	struct: fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<Struct>,
}));
const { struct } = json;
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const list = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 });
/** A record whose undefined members are absent. */
const record = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
	fc.record(members).map((made) => Object.fromEntries(Object.entries(made as object).filter(([, value]) => value !== undefined)) as T);

const part: fc.Arbitrary<Part> = fc
	.tuple(
		fc.oneof(
			text.map((value): Part => ({ text: value })),
			fc.uint8Array({ maxLength: 20 }).map((value): Part => ({ raw: Buffer.from(value).toString("base64") })),
			some.map((value): Part => ({ url: value })),
			json.value.map((value): Part => ({ data: value })),
		),
		record<Part>({ metadata: optional(struct), filename: optional(some), mediaType: optional(some) }),
	)
	.map(([content, rest]) => ({ ...content, ...rest }));
const members = {
	messageId: some,
	contextId: optional(some),
	taskId: optional(some),
	parts: list(part),
	metadata: optional(struct),
	extensions: optional(list(text)),
	referenceTaskIds: optional(list(some)),
};
const message: fc.Arbitrary<Message> = record<Message>({ ...members, role: fc.constantFrom("ROLE_USER" as const, "ROLE_AGENT" as const) });
const artifact: fc.Arbitrary<NonNullable<Task["artifacts"]>[number]> = record({
	artifactId: some,
	name: optional(some),
	description: optional(some),
	parts: list(part),
	metadata: optional(struct),
	extensions: optional(list(text)),
});
const time = fc.date({ min: new Date("1970-01-01"), max: new Date("2200-01-01"), noInvalidDate: true }).map((date) => date.toISOString());
const status: fc.Arbitrary<Task["status"]> = record({
	state: fc.constantFrom(...TASK_STATES),
	message: optional(message),
	timestamp: optional(time),
});
const task: fc.Arbitrary<Task> = record({
	id: some,
	contextId: optional(some),
	status,
	artifacts: optional(list(artifact)),
	history: optional(list(message)),
	metadata: optional(struct),
});
const sends: fc.Arbitrary<SendMessageRequest> = record<SendMessageRequest>({
	tenant: optional(some),
	message: record<SendMessageRequest["message"]>({ ...members, role: fc.constant("ROLE_USER" as const) }),
	configuration: optional(
		record<NonNullable<SendMessageRequest["configuration"]>>({
			acceptedOutputModes: optional(list(text)),
			historyLength: optional(fc.nat(2 ** 31 - 1)),
			returnImmediately: optional(fc.constant(true)),
			taskPushNotificationConfig: optional(
				record({
					tenant: optional(some),
					id: optional(some),
					taskId: optional(some),
					url: some,
					token: optional(some),
					authentication: optional(record({ scheme: some, credentials: optional(some) })),
				}),
			),
		}),
	),
	metadata: optional(struct),
});
const statusUpdate = record({ taskId: some, contextId: some, status, metadata: optional(struct) });
const artifactUpdate = record({
	taskId: some,
	contextId: some,
	artifact,
	append: optional(fc.constant(true as boolean)),
	lastChunk: optional(fc.constant(true as boolean)),
	metadata: optional(struct),
});
const streamed = fc.oneof(
	task.map((t) => ({ task: t })),
	message.map((m) => ({ message: m })),
	statusUpdate.map((u) => ({ statusUpdate: u })),
	artifactUpdate.map((u) => ({ artifactUpdate: u })),
);

/** As it would come over a wire. */
const sent = (value: unknown): unknown => readJson(new TextEncoder().encode(JSON.stringify(value)));

/** That a reading of every such value equals the value itself. */
function holds<T>(arbitrary: fc.Arbitrary<T>, reading: (value: T) => unknown): void {
	fc.assert(
		fc.property(arbitrary, (value) => {
			expect(reading(value)).toEqual(value);
		}),
	);
}

/** The same object as another ProtoJSON writer may spell it: snake_case, numbers for enums, URL-safe bytes, nulls, unknown names. */
function respelled(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(respelled);
	if (typeof value !== "object" || value === null) return value;
	const other: Record<string, unknown> = { extraField: [1], extra_field: null };
	for (const [name, member] of Object.entries(value)) {
		const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
		if (name === "metadata" || name === "data") other[name] = member;
		else if (name === "raw") other.raw = (member as string).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
		else if (name === "role") other.role = ["ROLE_USER", "ROLE_AGENT"].indexOf(member as string) + 1;
		else if (name === "state") other.state = TASK_STATES.indexOf(member as Task["status"]["state"]) + 1;
		else if (name === "historyLength") other.history_length = String(member);
		else if (name === "timestamp") other.timestamp = (member as string).replace("Z", "000+00:00");
		else other[snake] = respelled(member);
	}
	if ("messageId" in value && !("contextId" in value)) other.contextId = null;
	return other;
}

describe("every object", () => {
	it("reads as it was written", () => {
		holds(sends, (value) => read(SendMessageRequestSchema, sent(value)));
		holds(streamed, (value) => read(StreamResponseSchema, sent(value)));
	});

	it("reads the same however ProtoJSON may spell it", () => {
		holds(sends, (value) => read(SendMessageRequestSchema, sent(respelled(value))));
		holds(streamed, (value) => read(StreamResponseSchema, sent(respelled(value))));
	});

	it("has one canonical text however it was spelled", () => {
		fc.assert(
			fc.property(message, (value) => {
				expect(canonicalJson(read(MessageSchema, sent(respelled(value))))).toBe(canonicalJson(value));
			}),
		);
	});

	it("is refused by its own schema with a member that A2A does not have, or in another spelling", () => {
		const plain = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] };
		expect(MessageSchema.safeParse(plain).success).toBe(true);
		for (const wrong of [
			{ ...plain, kind: "message" },
			{ ...plain, role: 2 },
			{ ...plain, contextId: null },
			{ ...plain, parts: [{ text: "x", media_type: "text/plain" }] },
			{ ...plain, parts: [{ raw: "_-8" }] },
		]) {
			expect(MessageSchema.safeParse(wrong).success).toBe(false);
		}
	});
});

describe("bad input", () => {
	const junk = fc.oneof(
		fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e40, "", "\0", "\ud800", [], {}, [[]], { text: "x" }, "ROLE_USER", "__proto__"),
		fc.jsonValue(),
	);
	/** A valid request in which one member, anywhere, is junk, or one more stands beside it. */
	const broken = fc
		.tuple(sends, fc.nat(), junk, fc.constantFrom("", "__proto__", "constructor", "text", "data", "raw", "parts", "state"))
		.map(([request, at, value, name]) => {
			const copy = JSON.parse(JSON.stringify(request));
			const places: [Record<string, unknown>, string][] = [];
			const visit = (holder: Record<string, unknown>): void => {
				for (const [member, inner] of Object.entries(holder)) {
					places.push([holder, member]);
					if (typeof inner === "object" && inner !== null) visit(inner as Record<string, unknown>);
				}
			};
			visit(copy);
			const [holder, member] = places[at % places.length] as [Record<string, unknown>, string];
			// A list has no names; JSON could not say one.
			Object.defineProperty(holder, Array.isArray(holder) ? member : name || member, {
				value,
				enumerable: true,
				writable: true,
				configurable: true,
			});
			return copy as unknown;
		});

	it("throws nothing but invalid_params with the fields named, and leaves every prototype alone", () => {
		const before = Object.getOwnPropertyNames(Object.prototype).sort();
		let refused = 0;
		fc.assert(
			fc.property(fc.oneof(broken, junk), (value) => {
				try {
					JSON.stringify(read(SendMessageRequestSchema, value));
				} catch (error) {
					refused++;
					expect(error).toBeInstanceOf(DeskError);
					expect((error as DeskError).code).toBe("invalid_params");
					expect((error as DeskError).detail.violations?.length).toBeGreaterThan(0);
				}
			}),
			{ numRuns: 3_000 },
		);
		expect(refused).toBeGreaterThan(300);
		expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
	});

	it("reads depth beyond the scanner's without a RangeError", () => {
		let deep: unknown = "x";
		for (let i = 0; i < 100_000; i++) deep = { parts: [deep] };
		expect(() => read(SendMessageRequestSchema, { message: { messageId: "m", role: 1, parts: [deep] } })).toThrow(DeskError);
		expect(read(MessageSchema, { messageId: "m", role: 1, parts: [{ data: deep }] }).parts[0]?.data).toBe(deep);
	});
});

describe("what others answer", () => {
	it("takes a left-out member of ListTasksResponse for its default, as the public SDK's server writes it", () => {
		const empty = { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 };
		expect(sdk.ListTasksResponse.toJSON(sdk.ListTasksResponse.fromJSON(empty))).toEqual({ pageSize: 50 });
		expect(read(ListTasksResponseSchema, { pageSize: 50 })).toEqual(empty);
		expect(read(ListTasksResponseSchema, empty)).toEqual(empty);
		expect(ListTasksResponseSchema.safeParse({ tasks: [], pageSize: 50, totalSize: 0 }).success).toBe(false);
	});

	it.each([
		["a response", SendMessageResponseSchema, {}, ""],
		["a stream's event of two", StreamResponseSchema, { message: {}, task: {} }, "task.id"],
		["a task without a state", TaskSchema, { id: "t", status: { state: 0 } }, "status.state"],
		["a status update without a context", TaskStatusUpdateEventSchema, { taskId: "t", status: { state: 1 } }, "contextId"],
		[
			"an artifact without parts",
			TaskArtifactUpdateEventSchema,
			{ taskId: "t", contextId: "c", artifact: { artifactId: "a" } },
			"artifact.parts",
		],
	])("refuses %s", (_, schema, value, field) => {
		expect(() => read(schema, value)).toThrow(
			expect.objectContaining({ detail: { violations: expect.arrayContaining([expect.objectContaining({ field })]) } }),
		);
	});
});

describe("the public SDK", () => {
	// Its reader loses `data: null` (it takes null for unset everywhere), so that one value is left to our own tests.
	const kept = (value: unknown): boolean => !JSON.stringify(value).includes('"data":null');
	/** What the SDK's protobuf code reads of ours, and writes again. */
	const through = <T>(codec: { fromJSON(value: unknown): T; toJSON(value: T): unknown }, value: unknown): unknown =>
		sent(codec.toJSON(codec.fromJSON(sent(value))));

	it("reads what we write, and writes what we read", () => {
		holds(sends.filter(kept), (value) => read(SendMessageRequestSchema, through(sdk.SendMessageRequest, value)));
		holds(streamed.filter(kept), (value) => read(StreamResponseSchema, through(sdk.StreamResponse, value)));
		const config = { id: "p", taskId: "t", url: "https://example.com", token: "s", authentication: { scheme: "Bearer", credentials: "c" } };
		expect(read(TaskPushNotificationConfigSchema, through(sdk.TaskPushNotificationConfig, config))).toEqual(config);
	});
});
