/**
 * The JSON-RPC binding (a2a.md 1.10, section 9): one JSON-RPC 2.0 request a POST. What is wrong with a request is an error
 * in a JSON-RPC response on HTTP 200; only what is refused before any method has a status of its own, still with such a body.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { readBody } from "./body.js";
import { answer, type Codec, contextOf, type DoorParts, deskAt, refusal } from "./call.js";
import { rpcErrorText, rpcHttpStatus } from "./errors.js";
import { type Exchange, rpcResponse } from "./http.js";
import { checkVersion, methodNamed } from "./operations.js";

/** One request as JSON-RPC writes it. Shared with the WebSocket binding. */
export interface RpcRequest {
	/** Wire JSON, as it is echoed. */
	id: string;
	method: string;
	params: unknown;
}

/** Answers one POST. `handle` is the path's; without one the request's `tenant` names the desk. Never throws. */
export async function answerRpc(parts: DoorParts, exchange: Exchange, network: string, handle: string | undefined): Promise<Response> {
	let codec = rpcCodec("null");
	try {
		// Who is refused at the door need not send a megabyte first.
		let context = handle === undefined ? undefined : await contextOf(parts, exchange, network, await deskAt(parts, handle));
		const request = readRequest(await readBody(exchange, "rpc"));
		codec = rpcCodec(request.id);
		context ??= await contextOf(parts, exchange, network, await deskAt(parts, tenantOf(request.params)));
		const method = methodNamed(request.method);
		if (method) return await answer(parts, exchange, context, method, request.params, codec);
		checkVersion(context.version, context.desk.settings.missingVersion);
		throw unknownMethod(request.method);
	} catch (thrown) {
		// Here only a body of another type says this: parts of a message are judged inside `answer` (a2a.md C1).
		if (thrown instanceof DeskError && thrown.code === "content_type_not_supported") return rpcResponse(415, rpcErrorText("null", thrown));
		return refusal(parts, thrown, codec);
	}
}

/** An answer on this binding refused before its body was looked at. */
export const rpcRefusal = (parts: DoorParts, thrown: unknown): Response => refusal(parts, thrown, rpcCodec("null"));

function rpcCodec(id: string): Codec {
	return {
		answer: (json, headers) => rpcResponse(200, rpcResultText(id, json), headers),
		refuse: (error, headers) => rpcResponse(rpcHttpStatus(error), rpcErrorText(id, error), headers),
		stream: { event: (json) => rpcResultText(id, json), error: (error) => rpcErrorText(id, error) },
	};
}

/** A whole JSON-RPC response around a result. */
export const rpcResultText = (id: string, json: string): string => `{"jsonrpc":"2.0","id":${id},"result":${json}}`;

export const unknownMethod = (method: string): DeskError =>
	new DeskError(
		"method_not_found",
		`There is no method ${JSON.stringify(method.slice(0, 100))} in A2A 1.0. Names are written as in SendMessage.`,
	);

/** Reads a JSON-RPC request. Throws `invalid_request` for what is none: a batch, a notification, another version (a2a.md 1.10). */
export function readRequest(body: unknown): RpcRequest {
	if (Array.isArray(body)) throw new DeskError("invalid_request", "Batches are not taken. Send one request at a time.");
	if (typeof body !== "object" || body === null) throw new DeskError("invalid_request", "Send a JSON-RPC 2.0 request: an object.");
	const { jsonrpc, id, method, params } = body as Record<string, unknown>;
	if (jsonrpc !== "2.0") throw new DeskError("invalid_request", 'Send a JSON-RPC 2.0 request: its "jsonrpc" is "2.0".');
	if (!isId(id)) {
		throw new DeskError(
			"invalid_request",
			id === undefined
				? "Notifications are not taken. Give the request an id."
				: `Give the request an id that is a string of at most ${LIMITS.idChars} characters or a whole number.`,
		);
	}
	if (typeof method !== "string") throw new DeskError("invalid_request", "Name the method as a string.");
	return { id: JSON.stringify(id), method, params };
}

/** An id that can be echoed exactly. */
function isId(id: unknown): id is string | number | null {
	if (typeof id === "string") return id.length <= LIMITS.idChars;
	if (typeof id === "number") return Number.isFinite(id) && (Number.isSafeInteger(id) || !Number.isInteger(id));
	return id === null;
}

function tenantOf(params: unknown): string {
	const tenant = typeof params === "object" && params !== null ? (params as Record<string, unknown>).tenant : undefined;
	if (typeof tenant === "string" && tenant !== "") return tenant;
	throw new DeskError("invalid_params", "tenant: This is required here. Give the desk's handle, or call its own address.", {
		violations: [{ field: "tenant", description: "This is required." }],
	});
}
