/**
 * How a client of the suite reaches the desk: requests over HTTP with a loopback address of its own, streams, and the errors of all
 * bindings as one thing: what became of the request, and whether it may be sent again.
 */
import { Agent, type IncomingMessage, request } from "node:http";

/** The desk said no. */
export class Refusal extends Error {
	constructor(
		/** Reason of the protocol, else its number. */
		readonly code: string,
		/** It may be sent again as it is. */
		readonly retry: boolean,
		message: string,
	) {
		super(`${code}: ${message}`);
	}
}

/** Nobody knows whether the desk heard it. */
export class Unknown extends Error {}

/** It was never sent: nobody serves the desk now. */
export class Away extends Unknown {
	constructor() {
		super("nobody serves the desk now");
	}
}

interface Detail {
	reason?: string;
	retryDelay?: string;
}

/** A refusal from a JSON-RPC error or a google.rpc.Status. */
export function refusalOf(error: { code: number; message: string; data?: Detail[]; details?: Detail[] }): Refusal {
	const details = error.data ?? error.details ?? [];
	const reason = details.find((d) => d.reason !== undefined)?.reason ?? String(error.code);
	// What has a time to come back, and only that, is to be sent again.
	return new Refusal(
		reason,
		details.some((d) => d.retryDelay !== undefined),
		error.message,
	);
}

/** Longest wait for the head of an answer. */
const ANSWER_MS = 8_000;

export class Http {
	private readonly agent: Agent;

	constructor(
		private readonly port: () => number | undefined,
		/** 127.0.0.x. */
		private readonly localAddress: string,
		private readonly token: () => string | undefined,
	) {
		this.agent = new Agent({ keepAlive: true, localAddress, maxSockets: 16 });
	}

	close(): void {
		this.agent.destroy();
	}

	/** One exchange; rejects with `Unknown` where the answer did not come whole. */
	async exchange(
		method: "GET" | "POST",
		path: string,
		body?: unknown,
		waitMs = ANSWER_MS,
	): Promise<{ status: number; json: unknown; headers: IncomingMessage["headers"] }> {
		const response = await this.open(method, path, body, waitMs);
		const chunks: Buffer[] = [];
		try {
			for await (const chunk of response) chunks.push(chunk as Buffer);
		} catch (error) {
			throw new Unknown(String(error));
		}
		const text = Buffer.concat(chunks).toString();
		try {
			return { status: response.statusCode ?? 0, json: JSON.parse(text), headers: response.headers };
		} catch {
			throw new Unknown(`no JSON came: ${text.slice(0, 100)}`);
		}
	}

	/** A request whose answer is read as it comes. */
	open(method: "GET" | "POST", path: string, body: unknown, waitMs = ANSWER_MS): Promise<IncomingMessage> {
		const port = this.port();
		if (port === undefined) return Promise.reject(new Away());
		return new Promise((resolve, reject) => {
			const token = this.token();
			const headers: Record<string, string> = { "a2a-version": "1.0", accept: "application/json, text/event-stream" };
			if (token !== undefined) headers.authorization = `Bearer ${token}`;
			if (body !== undefined) headers["content-type"] = "application/json";
			const sent = request(
				{ agent: this.agent, host: "127.0.0.1", port, method, path, headers, localAddress: this.localAddress, timeout: waitMs },
				resolve,
			);
			sent.on("timeout", () => sent.destroy(new Error(`no answer within ${waitMs} ms`)));
			sent.on("error", (error: NodeJS.ErrnoException) => reject(error.code === "ECONNREFUSED" ? new Away() : new Unknown(String(error))));
			sent.end(body === undefined ? undefined : JSON.stringify(body));
		});
	}

	/** A call of the JSON-RPC binding. Rejects with `Refusal` or `Unknown`. */
	async rpc<T>(method: string, params: unknown, waitMs?: number): Promise<T> {
		const { json } = await this.exchange("POST", "/a2a/mira", { jsonrpc: "2.0", id: 1, method, params }, waitMs);
		const { result, error } = json as { result?: T; error?: Parameters<typeof refusalOf>[0] };
		if (error) throw refusalOf(error);
		return result as T;
	}

	/** A request of the HTTP+JSON binding. */
	async rest<T>(method: "GET" | "POST", path: string, body?: unknown): Promise<T> {
		const { status, json } = await this.exchange(method, `/a2a/mira${path}`, body);
		if (status >= 400) throw refusalOf((json as { error: Parameters<typeof refusalOf>[0] }).error);
		return json as T;
	}

	/** A stream of the HTTP+JSON binding: events with the seq that they bear. Rejects when it breaks off. */
	async *stream(method: "GET" | "POST", path: string, body?: unknown): AsyncGenerator<{ seq: number; event: Record<string, unknown> }> {
		const response = await this.open(method, `/a2a/mira${path}`, body);
		let text = "";
		try {
			if (!String(response.headers["content-type"]).includes("event-stream")) {
				for await (const chunk of response) text += String(chunk);
				throw refusalOf((JSON.parse(text) as { error: Parameters<typeof refusalOf>[0] }).error);
			}
			for await (const chunk of response) {
				text += String(chunk);
				for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
					const lines = text.slice(0, end).split("\n");
					text = text.slice(end + 2);
					const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
					if (data === undefined) continue;
					const event = JSON.parse(data) as Record<string, unknown>;
					if (event.error) throw refusalOf(event.error as Parameters<typeof refusalOf>[0]);
					yield { seq: Number(lines.find((line) => line.startsWith("id: "))?.slice(4)), event };
				}
			}
		} catch (error) {
			if (error instanceof Refusal) throw error;
			throw new Unknown(String(error));
		} finally {
			response.destroy();
		}
	}
}
