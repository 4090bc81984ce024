import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WEBSOCKET_BINDING } from "../../shared/extensions.js";
import { bare } from "../../test/desk.js";
import { type Client, dial, message, newNonce } from "../../test/socket/client.js";
import { openSocketDesk, type SocketDesk, settle } from "../../test/socket/open.js";

type Sent = { task: { id: string; contextId: string } };

let desk: SocketDesk;
let client: Client;
let credential: string;
/** A task of the caller's that has ended, and one of somebody else's. */
let mine: Sent["task"];
let foreign: Sent["task"];

beforeAll(async () => {
	desk = await openSocketDesk({ limits: { guestMessagesPerMinute: 1_000, guestMessagesPerHour: 1_000 } });
	const other = await dial(desk);
	await other.hello();
	foreign = (await other.call<Sent>("SendMessage", message("theirs", "secret"))).task;
	client = await dial(desk);
	credential = (await client.hello()).guestToken as string;
	mine = (await client.call<Sent>("SendMessage", message("mine", "hello"))).task;
});
afterAll(() => desk.close());

/** What the JSON-RPC binding answers: its result or its error, whatever the status. */
async function overHttp(method: string, params: unknown): Promise<{ result?: unknown; error?: unknown }> {
	const answer = await fetch(`${desk.url}/a2a/mira`, {
		method: "POST",
		headers: { "content-type": "application/json", "a2a-version": "1.0", authorization: `Bearer ${credential}` },
		body: JSON.stringify({ jsonrpc: "2.0", id: "http", method, params }),
	});
	const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
	return error === undefined ? { result } : { error };
}

async function overSocket(method: string, params: unknown): Promise<{ result?: unknown; error?: unknown }> {
	const id = newNonce();
	// The clock stands still: what a socket may send is not what is tested here.
	desk.clock.turn(1_000);
	client.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
	const { result, error } = await client.find((f) => f.id === id);
	return error === undefined ? { result } : { error };
}

describe("the binding answers as JSON-RPC does", () => {
	it.each<[string, () => unknown]>([
		["GetTask", () => ({ id: mine.id })],
		["GetTask", () => ({ id: mine.id, historyLength: 0 })],
		["GetTask", () => ({ id: mine.id, history_length: 1 })],
		["ListTasks", () => ({})],
		["ListTasks", () => ({ contextId: mine.contextId, includeArtifacts: true, historyLength: 5 })],
		["ListTasks", () => ({ status: "TASK_STATE_WORKING" })],
		["ListTasks", () => undefined],
		["ListTasks", () => null],
		["GetExtendedAgentCard", () => ({})],
		// A retry is the task as it is now.
		["SendMessage", () => message("mine", "hello")],
	])("%s with a result (%#)", async (method, params) => {
		const [socket, http] = [await overSocket(method, params()), await overHttp(method, params())];
		expect(socket.result).toBeDefined();
		expect(socket).toEqual(http);
	});

	it.each<[string, () => unknown, number]>([
		["GetTask", () => ({ id: "tsk_none" }), -32001],
		["GetTask", () => ({ id: foreign.id }), -32001],
		["GetTask", () => ({}), -32602],
		["GetTask", () => ({ id: mine.id, historyLength: -1 }), -32602],
		["GetTask", () => [mine.id], -32602],
		["GetTask", () => ({ id: "x".repeat(129) }), -32602],
		["GetTask", () => ({ id: mine.id, tenant: "nobody" }), -32602],
		["ListTasks", () => ({ pageSize: 0 }), -32602],
		["ListTasks", () => ({ pageToken: "forged" }), -32602],
		["ListTasks", () => ({ status: "working" }), -32602],
		["CancelTask", () => ({ id: mine.id }), -32002],
		["CancelTask", () => ({ id: foreign.id }), -32001],
		["SubscribeToTask", () => ({ id: mine.id }), -32004],
		["SubscribeToTask", () => ({ id: foreign.id }), -32001],
		["SendMessage", () => ({}), -32602],
		["SendMessage", () => ({ message: { messageId: "e", role: "ROLE_AGENT", parts: [{ text: "x" }] } }), -32602],
		["SendMessage", () => ({ message: { messageId: "e", role: "ROLE_USER", parts: [] } }), -32602],
		["SendMessage", () => message("e", "a\u0000b"), -32602],
		["SendMessage", () => message("mine", "other words"), -32602],
		["SendMessage", () => message("e", "x", { taskId: mine.id }), -32004],
		["SendMessage", () => message("e", "x", { taskId: foreign.id }), -32001],
		["SendMessage", () => message("e", "x", { contextId: foreign.contextId }), -32602],
		["SendMessage", () => message("e", "x", { contextId: "ctx_mine" }), -32602],
		[
			"SendMessage",
			() => ({
				message: { messageId: "e", role: "ROLE_USER", parts: [{ url: "https://x.example/a.exe", mediaType: "application/x-msdownload" }] },
			}),
			-32005,
		],
		["SendMessage", () => ({ ...message("e", "x"), configuration: { acceptedOutputModes: ["audio/mpeg"] } }), -32005],
		["SendMessage", () => ({ ...message("e", "x"), configuration: { taskPushNotificationConfig: { url: "https://x.example" } } }), -32003],
		["SendStreamingMessage", () => message("e", "x", { contextId: foreign.contextId }), -32602],
		["CreateTaskPushNotificationConfig", () => ({ taskId: mine.id, url: "https://x.example" }), -32003],
		["GetTaskPushNotificationConfig", () => ({ taskId: mine.id, id: "x" }), -32003],
		["ListTaskPushNotificationConfigs", () => ({ taskId: mine.id }), -32003],
		["DeleteTaskPushNotificationConfig", () => ({ taskId: mine.id, id: "x" }), -32003],
		["tasks/get", () => ({ id: mine.id }), -32601],
		["gettask", () => ({ id: mine.id }), -32601],
		["__proto__", () => ({}), -32601],
	])("%s with an error (%#)", async (method, params, code) => {
		const [socket, http] = [await overSocket(method, params()), await overHttp(method, params())];
		expect(socket).toEqual({ error: expect.objectContaining({ code }) });
		expect(socket).toEqual(http);
	});

	it("and refused nothing to somebody because of the door: one task more is seen through both", async () => {
		const { task } = await client.call<Sent>("SendMessage", message("both", "again", { contextId: mine.contextId }));
		expect((await overHttp("GetTask", { id: task.id })).result).toMatchObject({ id: task.id });
		expect((await overHttp("ListTasks", {})).result).toMatchObject({ totalSize: 2 });
	});
});

it("gives a guest their token with Hello, so an answer that is a message and no task brings none", async () => {
	const silent = await openSocketDesk({ answerer: bare });
	onTestFinished(() => silent.close());
	for (const method of ["SendMessage", "SendStreamingMessage"]) {
		const guest = await dial(silent);
		const { guestToken } = await guest.hello();
		expect(guestToken).toMatch(/^eolg_/);
		const answer = await guest.call<{ message: object }>(method, message("first", "hello"));
		expect(answer.message).toMatchObject({ role: "ROLE_AGENT", parts: [{ text: "Hello." }] });
		expect(JSON.stringify(answer)).not.toContain("eolGuestToken");
		const again = await (await dial(silent)).hello({ credential: guestToken as string });
		expect(again.context?.messages.map((m) => m.message.parts)).toEqual([[{ text: "hello" }], [{ text: "Hello." }]]);
	}
});

it("is named by the desk's card, at the address where it is", async () => {
	const card = (await (await fetch(`${desk.url}/a2a/mira/card`)).json()) as {
		supportedInterfaces: { url: string; protocolBinding: string; protocolVersion: string }[];
	};
	const [, , binding] = card.supportedInterfaces;
	expect(binding).toMatchObject({
		url: `ws://127.0.0.1:${desk.port}/a2a/mira/ws`,
		protocolBinding: WEBSOCKET_BINDING,
		protocolVersion: "1.0",
	});
});

it("leaves nothing behind: what was asked here went without an error of ours", async () => {
	await settle();
	expect(desk.logged).toEqual([]);
	expect(client.frames.filter((f) => f.method === "event" && JSON.stringify(f).includes(foreign.contextId))).toEqual([]);
});
