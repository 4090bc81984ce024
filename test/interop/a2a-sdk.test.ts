/**
 * The public JavaScript client of A2A, unmodified, against our server over real sockets and both HTTP bindings: a second
 * witness of our wire format, which shares no line with it.
 */
import { Role, SendMessageRequest, type StreamResponse, TaskState } from "@a2a-js/sdk";
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answerer } from "../../server/engine/ports.js";
import { openTestDesk, type TestDesk } from "../desk.js";

const answerer: Answerer = {
	name: "for the SDK",
	inProcess: true,
	maySilence: false,
	async *answer({ incoming }, signal) {
		const words = incoming.at(-1)?.message.parts[0]?.text ?? "";
		if (words === "wait") {
			await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
			return;
		}
		yield { type: "artifact", artifactId: "facts", name: "facts", parts: [{ data: { n: 42, none: null, text: "ü" } }] };
		for (const piece of ["You ", "said: ", words]) yield { type: "text", text: piece };
		yield { type: "reply", asks: words === "ask me" };
	},
};

let desk: TestDesk;
let url: string;
beforeAll(async () => {
	desk = await openTestDesk({ answerer });
	({ url } = await desk.serve());
});
afterAll(() => desk.close());

let made = 0;
const request = (text: string, more: Record<string, unknown> = {}, configuration?: Record<string, unknown>): SendMessageRequest =>
	SendMessageRequest.fromJSON({
		message: { role: "ROLE_USER", messageId: `sdk-${++made}`, parts: [{ text }, { data: { a: [1, null] } }], ...more },
		...(configuration ? { configuration } : {}),
	});

/** What the client answers a message with, which must be a task here. */
type SentTask = Exclude<Awaited<ReturnType<Client["sendMessage"]>>, { messageId: string }>;
async function send(client: Client, params: SendMessageRequest): Promise<SentTask> {
	const result = await client.sendMessage(params);
	if ("messageId" in result) throw new Error("a bare message");
	return result;
}

async function all(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
	const events: StreamResponse[] = [];
	for await (const event of stream) events.push(event);
	return events;
}

const CARDS = {
	"the site's card": () => [url],
	"a desk's card": () => [`${url}/a2a/mira/`],
	"a desk's card at its short address": () => [`${url}/a2a/mira/card`, ""],
};

describe.each(["JSONRPC", "HTTP+JSON"] as const)("the SDK's client over %s", (binding) => {
	/** A client that speaks this binding; `headers` are added to each of its requests, `seen` is told of each answer. */
	const client = (
		headers: Record<string, string> = {},
		seen: (response: Response) => void = () => undefined,
		card: keyof typeof CARDS = "a desk's card",
	) => {
		const fetchImpl: typeof fetch = async (input, init) => {
			const all = new Headers(init?.headers);
			for (const [name, value] of Object.entries(headers)) all.set(name, value);
			const response = await fetch(input, { ...init, headers: all });
			seen(response);
			return response;
		};
		const factory = new ClientFactory({
			transports: binding === "JSONRPC" ? [new JsonRpcTransportFactory({ fetchImpl })] : [new RestTransportFactory({ fetchImpl })],
			cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
		});
		const [base, path] = CARDS[card]() as [string, string?];
		return factory.createFromUrl(base, path);
	};
	const owner = () => client({ authorization: `Bearer ${desk.key}` });

	it.each(Object.keys(CARDS) as (keyof typeof CARDS)[])("finds the desk by %s", async (card) => {
		const found = await client({}, undefined, card);
		expect(found.protocolVersion).toBe("1.0");
		const task = await send(found, request("hello"));
		expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
	});

	it("reads the extended card", async () => {
		const card = await (await owner()).getAgentCard();
		expect(card.name).toBe("Mira");
		expect(card.skills.map(({ id }) => id)).toEqual(["ask", "about", "suggestion-1"]);
		expect(card.supportedInterfaces.map(({ protocolBinding, tenant }) => [protocolBinding, tenant])).toMatchObject([
			["JSONRPC", "mira"],
			["HTTP+JSON", "mira"],
			[expect.any(String), "mira"],
		]);
	});

	it("sends, and reads the task it made, whole", async () => {
		const found = await owner();
		const task = await send(found, request("hello"));
		expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
		expect(task.artifacts.map(({ name }) => name).sort()).toEqual(["facts", "result"]);
		expect(task.artifacts.find(({ name }) => name === "facts")?.parts[0]?.content).toEqual({
			$case: "data",
			value: { n: 42, none: null, text: "ü" },
		});
		expect(task.artifacts.find(({ name }) => name === "result")?.parts[0]?.content).toEqual({ $case: "text", value: "You said: hello" });
		expect(task.history.map(({ role }) => role)).toEqual([Role.ROLE_USER, Role.ROLE_AGENT]);
		expect(task.history[0]?.parts[1]?.content).toEqual({ $case: "data", value: { a: [1, null] } });
		expect(await found.getTask({ tenant: "", id: task.id })).toEqual(task);
		expect((await found.getTask({ tenant: "mira", id: task.id, historyLength: 1 })).history).toHaveLength(1);
	});

	it("asks back and forth within one task, and goes on in its context", async () => {
		const found = await owner();
		const asked = await send(found, request("ask me"));
		expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
		const answered = await send(found, request("blue", { taskId: asked.id, contextId: asked.contextId }));
		expect(answered).toMatchObject({ id: asked.id, status: { state: TaskState.TASK_STATE_COMPLETED } });
		const further = await send(found, request("hello", { contextId: asked.contextId }));
		expect(further.contextId).toBe(asked.contextId);
		expect(further.id).not.toBe(asked.id);
	});

	it("streams", async () => {
		const events = await all((await owner()).sendMessageStream(request("hello")));
		expect(events[0]?.payload?.$case).toBe("task");
		let text = "";
		for (const { payload } of events) {
			if (payload?.$case !== "artifactUpdate" || payload.value.artifact?.artifactId !== "result") continue;
			for (const part of payload.value.artifact.parts) if (part.content?.$case === "text") text += part.content.value;
		}
		expect(text).toBe("You said: hello");
		const last = events.at(-1)?.payload;
		expect(last?.$case === "statusUpdate" && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
	});

	it("follows a task, cancels it, and hears of it", async () => {
		const found = await owner();
		const task = await send(found, request("wait", {}, { returnImmediately: true }));
		const following = found.resubscribeTask({ tenant: "", id: task.id });
		const first = await following.next();
		expect(first.value?.payload?.$case).toBe("task");
		const canceled = await found.cancelTask({ tenant: "", id: task.id, metadata: undefined });
		expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
		const rest = await all(following);
		const last = rest.at(-1)?.payload;
		expect(last?.$case === "statusUpdate" && last.value.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
	});

	it("lists, page by page", async () => {
		const found = await owner();
		const { contextId } = await send(found, request("one"));
		for (const text of ["two", "three"]) await send(found, request(text, { contextId }));
		const query = {
			tenant: "",
			contextId,
			status: TaskState.TASK_STATE_UNSPECIFIED,
			pageToken: "",
			statusTimestampAfter: undefined,
			pageSize: 2,
		};
		const first = await found.listTasks({ ...query, includeArtifacts: true });
		expect(first).toMatchObject({ pageSize: 2, totalSize: 3 });
		expect(first.tasks).toHaveLength(2);
		expect(first.tasks[0]?.artifacts).not.toHaveLength(0);
		const second = await found.listTasks({ ...query, pageToken: first.nextPageToken });
		expect(second.tasks).toHaveLength(1);
		expect(second.tasks[0]?.artifacts).toHaveLength(0);
		expect(second.nextPageToken).toBe("");
		expect(new Set([...first.tasks, ...second.tasks].map(({ id }) => id)).size).toBe(3);
	});

	it("is a guest first, and the same guest with the token it was given", async () => {
		let token: string | null = null;
		const stranger = await client({}, ({ headers }) => (token ??= headers.get("eol-guest-token")));
		const task = await send(stranger, request("hello"));
		expect(token).toMatch(/^eolg_/);
		expect(task.metadata?.eolGuestToken).toBe(token);
		const known = await client({ authorization: `Bearer ${token}` });
		expect((await known.getTask({ tenant: "", id: task.id })).id).toBe(task.id);
		await expect(stranger.getTask({ tenant: "", id: task.id })).rejects.toMatchObject({ name: "TaskNotFoundError" });
	});

	it("is told what went wrong by the error's own name", async () => {
		const found = await owner();
		const { id } = await send(found, request("hello"));
		const wrong: [() => Promise<unknown>, string][] = [
			[() => found.getTask({ tenant: "", id: "tsk_nobody" }), "TaskNotFoundError"],
			[() => found.cancelTask({ tenant: "", id, metadata: undefined }), "TaskNotCancelableError"],
			[() => found.sendMessage(request("more", { taskId: id })), "UnsupportedOperationError"],
			[() => all(found.resubscribeTask({ tenant: "", id })), "UnsupportedOperationError"],
			[() => all(found.sendMessageStream(request("more", { taskId: id }))), "UnsupportedOperationError"],
			[
				() => found.sendMessage(request("x", { parts: [{ url: "https://example.com/a.pdf", mediaType: "application/pdf" }] })),
				"ContentTypeNotSupportedError",
			],
			[
				() => found.sendMessage(request("x", {}, { taskPushNotificationConfig: { url: "https://example.com" } })),
				"PushNotificationNotSupportedError",
			],
		];
		for (const [call, name] of wrong) await expect(call()).rejects.toMatchObject({ name });
	});
});
