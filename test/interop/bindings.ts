/**
 * The same calls over each binding of A2A, written by hand against the specification and not with anything of the server's,
 * so that one suite can ask every binding the same thing and compare what comes back.
 */
import { WebSocket } from "ws";

export interface Refusal {
	/** JSON-RPC's code, or the HTTP status where the binding has no other. */
	code: number;
	/** ErrorInfo.reason. */
	reason: string | undefined;
	message: string;
	/** ErrorInfo, BadRequest and the like, as they came. */
	details: unknown[];
}

export interface Reply {
	result?: unknown;
	/** StreamResponse objects of a streaming method. */
	events?: unknown[];
	error?: Refusal;
	headers: Headers;
}

export interface CallOptions {
	credential?: string;
	/** null: none is sent. */
	version?: string | null;
	headers?: Record<string, string>;
}

export interface Binding {
	name: string;
	call(method: string, params: Record<string, unknown>, options?: CallOptions): Promise<Reply>;
	close(): void;
}

const refusal = (error: { code: number; message: string; data?: unknown[]; details?: unknown[] }): Refusal => {
	const details = error.data ?? error.details ?? [];
	const info = details.find((d) => (d as { "@type": string })["@type"] === "type.googleapis.com/google.rpc.ErrorInfo") as
		| { reason?: string }
		| undefined;
	return { code: error.code, reason: info?.reason, message: error.message, details };
};

const headersOf = ({ credential, version = "1.0", headers }: CallOptions): Record<string, string> => ({
	...(version === null ? {} : { "a2a-version": version }),
	...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
	...headers,
});

/** The data of every event of an SSE body; comments are left out. */
export const dataOf = (text: string): unknown[] =>
	text
		.split("\n\n")
		.flatMap((block) => block.split("\n").filter((line) => line.startsWith("data: ")))
		.map((line) => JSON.parse(line.slice(6)));

/** JSON-RPC at `<origin>/a2a/<handle>`. */
export function jsonRpc(origin: string, handle: string): Binding {
	let lastId = 0;
	return {
		name: "JSON-RPC",
		async call(method, params, options = {}) {
			const id = ++lastId;
			const response = await fetch(`${origin}/a2a/${handle}`, {
				method: "POST",
				headers: { "content-type": "application/json", ...headersOf(options) },
				body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
			});
			const { headers } = response;
			if (headers.get("content-type") === "text/event-stream") {
				const answers = dataOf(await response.text()) as { id: number; result: unknown }[];
				if (answers.some((answer) => answer.id !== id)) throw new Error("an event of another request");
				return { events: answers.map((answer) => answer.result), headers };
			}
			const body = (await response.json()) as { id: unknown; result?: unknown; error?: Parameters<typeof refusal>[0] };
			if (body.error) return { error: refusal(body.error), headers };
			if (body.id !== id) throw new Error(`the answer bears ${JSON.stringify(body.id)}, not ${id}`);
			return { result: body.result, headers };
		},
		close() {},
	};
}

/** How HTTP+JSON asks for each method: verb, path, and the params that stand in the path. */
const PATHS: Record<string, { verb: string; path: (p: Record<string, string>) => string; inPath: string[] }> = {
	SendMessage: { verb: "POST", path: () => "message:send", inPath: [] },
	SendStreamingMessage: { verb: "POST", path: () => "message:stream", inPath: [] },
	GetTask: { verb: "GET", path: ({ id }) => `tasks/${id}`, inPath: ["id"] },
	ListTasks: { verb: "GET", path: () => "tasks", inPath: [] },
	CancelTask: { verb: "POST", path: ({ id }) => `tasks/${id}:cancel`, inPath: ["id"] },
	SubscribeToTask: { verb: "POST", path: ({ id }) => `tasks/${id}:subscribe`, inPath: ["id"] },
	CreateTaskPushNotificationConfig: { verb: "POST", path: ({ taskId }) => `tasks/${taskId}/pushNotificationConfigs`, inPath: ["taskId"] },
	GetTaskPushNotificationConfig: {
		verb: "GET",
		path: ({ taskId, id }) => `tasks/${taskId}/pushNotificationConfigs/${id}`,
		inPath: ["taskId", "id"],
	},
	ListTaskPushNotificationConfigs: { verb: "GET", path: ({ taskId }) => `tasks/${taskId}/pushNotificationConfigs`, inPath: ["taskId"] },
	DeleteTaskPushNotificationConfig: {
		verb: "DELETE",
		path: ({ taskId, id }) => `tasks/${taskId}/pushNotificationConfigs/${id}`,
		inPath: ["taskId", "id"],
	},
	GetExtendedAgentCard: { verb: "GET", path: () => "extendedAgentCard", inPath: [] },
};

/** How a call is written in HTTP+JSON, below a desk's address. Only methods that it has a path for. */
export function restRequest(method: string, params: Record<string, unknown>): { verb: string; path: string; body?: string } {
	const known = PATHS[method];
	if (!known) throw new Error(`HTTP+JSON has no path for ${method}`);
	const named: Record<string, string> = {};
	for (const name of known.inPath) named[name] = encodeURIComponent(String(params[name]));
	const rest = Object.entries(params).filter(([name]) => !known.inPath.includes(name));
	const { verb } = known;
	if (verb === "POST") return { verb, path: known.path(named), body: JSON.stringify(Object.fromEntries(rest)) };
	const query = rest.length === 0 ? "" : `?${new URLSearchParams(rest.map(([name, value]) => [name, String(value)]))}`;
	return { verb, path: known.path(named) + query };
}

/** HTTP+JSON below `<origin>/a2a/<handle>`. */
export function httpJson(origin: string, handle: string): Binding {
	return {
		name: "HTTP+JSON",
		async call(method, params, options = {}) {
			const { verb, path, body } = restRequest(method, params);
			const response = await fetch(`${origin}/a2a/${handle}/${path}`, {
				method: verb,
				headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headersOf(options) },
				...(body === undefined ? {} : { body }),
			});
			const { headers } = response;
			if (headers.get("content-type") === "text/event-stream") return { events: dataOf(await response.text()), headers };
			const told = (await response.json()) as { error?: Parameters<typeof refusal>[0] };
			if (!response.ok) {
				if (!told.error || told.error.code !== response.status) throw new Error("an error whose body says another status");
				return { error: refusal(told.error), headers };
			}
			return { result: told, headers };
		},
		close() {},
	};
}

/** The WebSocket binding at `<origin>/a2a/<handle>/ws`: one socket a credential, after its Hello (docs/bindings/websocket.md). */
export function webSocket(origin: string, handle: string): Binding {
	const sockets = new Map<string, Promise<{ socket: WebSocket; waiting: Map<number, (answer: Record<string, unknown>) => void> }>>();
	let lastId = 0;
	const open = (
		credential: string | undefined,
	): Promise<{ socket: WebSocket; waiting: Map<number, (answer: Record<string, unknown>) => void> }> =>
		new Promise((resolve, reject) => {
			const socket = new WebSocket(`${origin.replace(/^http/, "ws")}/a2a/${handle}/ws`);
			const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
			socket.on("message", (data) => {
				const frame = JSON.parse(String(data)) as Record<string, unknown>;
				if (typeof frame.id === "number") waiting.get(frame.id)?.(frame);
			});
			socket.on("error", reject);
			socket.on("close", (code) => reject(new Error(`the socket closed with ${code}`)));
			socket.on("open", () => {
				waiting.set(0, (answer) => (answer.error ? reject(new Error(JSON.stringify(answer.error))) : resolve({ socket, waiting })));
				const nonce = `differential-${Math.random().toString(36).slice(2)}`;
				socket.send(
					JSON.stringify({
						jsonrpc: "2.0",
						id: 0,
						method: "Hello",
						params: { version: "1.0", nonce, new: true, ...(credential ? { credential } : {}) },
					}),
				);
			});
		});
	return {
		name: "WebSocket",
		async call(method, params, { credential } = {}) {
			const key = credential ?? "";
			let opened = sockets.get(key);
			if (!opened) {
				opened = open(credential);
				sockets.set(key, opened);
			}
			const { socket, waiting } = await opened;
			const id = ++lastId;
			const answered = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
			socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
			const answer = await answered;
			waiting.delete(id);
			const headers = new Headers();
			if (answer.error) return { error: refusal(answer.error as Parameters<typeof refusal>[0]), headers };
			return { result: answer.result, headers };
		},
		close() {
			for (const opened of sockets.values()) opened.then(({ socket }) => socket.terminate()).catch(() => undefined);
		},
	};
}
