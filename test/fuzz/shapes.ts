/** What an answer must look like, whatever was asked: a JSON-RPC response, an HTTP+JSON error, a frame of a socket (a2a.md 1.10). */
import type { HttpAnswer } from "./wire.js";

/** A whole answer has come, by what its head says of its length. */
export function isWhole(bytes: Buffer): boolean {
	const end = bytes.indexOf("\r\n\r\n");
	if (end < 0) return false;
	const head = bytes.subarray(0, end).toString("latin1");
	if (/^HTTP\/1\.1 101/.test(head)) return true;
	const length = /^content-length: (\d+)/im.exec(head)?.[1];
	return length !== undefined && bytes.length >= end + 4 + Number(length);
}

/** Statuses by which Node's HTTP server itself refuses what is no HTTP or too much of it, with no body. */
const OF_HTTP = [400, 408, 413, 417, 431];

/** What is wrong with the form of an answer of the A2A door; undefined: it is the protocol's own. `bodiless`: it was asked for by HEAD. */
export function shapeOf({ status, headers, body }: HttpAnswer, binding: "rpc" | "any", bodiless: boolean): string | undefined {
	if (body === "") {
		const good = bodiless || status === 204 || status === 304 || (OF_HTTP.includes(status) && headers.get("content-type") === undefined);
		return good ? undefined : `answered ${status} with nothing`;
	}
	const type = headers.get("content-type") ?? "";
	if (type.startsWith("text/event-stream")) {
		const lines = body.split("\n").filter((line) => line.startsWith("data: "));
		return lines.map((line) => jsonFault(line.slice(6), status, binding === "rpc")).find((fault) => fault !== undefined);
	}
	if (!/^application\/(?:a2a\+)?json/.test(type)) return `answered ${status} as ${type}: ${body.slice(0, 200)}`;
	return jsonFault(body, status, binding === "rpc");
}

function jsonFault(text: string, status: number, rpc: boolean): string | undefined {
	let value: Record<string, unknown>;
	try {
		value = JSON.parse(text) as Record<string, unknown>;
	} catch {
		return `answered what is no JSON: ${text.slice(0, 200)}`;
	}
	if (rpc || value.jsonrpc !== undefined) return rpcFault(value);
	if (status < 400) return undefined;
	const error = value.error as { code?: unknown; status?: unknown; message?: unknown } | undefined;
	const good =
		error?.code === status && /^[A-Z_]+$/.test(String(error.status)) && typeof error.message === "string" && error.message.length > 10;
	return good ? undefined : `answered ${status} with ${text.slice(0, 200)}`;
}

function rpcFault(value: Record<string, unknown>): string | undefined {
	const { jsonrpc, id, result, error } = value as {
		jsonrpc?: unknown;
		id?: unknown;
		result?: unknown;
		error?: { code?: unknown; message?: unknown; data?: unknown };
	};
	const whole = jsonrpc === "2.0" && id !== undefined && (result === undefined) !== (error === undefined);
	const good =
		!error ||
		(Number.isInteger(error.code) &&
			typeof error.message === "string" &&
			error.message.length > 10 &&
			(error.data === undefined || Array.isArray(error.data)));
	if (!whole || !good) return `answered ${JSON.stringify(value).slice(0, 200)}`;
	return undefined;
}

/** What is wrong with a text frame of the server's. */
export function frameFault(text: string): string | undefined {
	try {
		const frame = JSON.parse(text) as Record<string, unknown>;
		if (typeof frame.method === "string")
			return frame.jsonrpc === "2.0" && typeof frame.params === "object" ? undefined : `said ${text.slice(0, 200)}`;
		return (
			rpcFault(frame) ??
			((frame.error as { code?: number } | undefined)?.code === -32603 ? `broke in a request: ${text.slice(0, 200)}` : undefined)
		);
	} catch {
		return `said what is no JSON: ${text.slice(0, 200)}`;
	}
}
