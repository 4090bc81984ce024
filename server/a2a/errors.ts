/**
 * How a refusal looks on the wire of each binding: one row a code (a2a.md 1.10). Holds no text of its own; a door gives it
 * a DeskError, or anything else that was thrown, which is `internal` and tells the caller nothing.
 */
import { DeskError, type ErrorCode } from "../../shared/errors.js";

interface Row {
	/** Code of the JSON-RPC error. */
	rpc: number;
	/** Status of the HTTP+JSON answer. */
	http: number;
	/** Name of the gRPC code, as google.rpc.Status says it. */
	status: string;
	/** ErrorInfo.reason; absent where the protocol gives none. */
	reason?: string;
	/** Refused before any method: JSON-RPC too answers with the HTTP status (a2a.md 1.10; AID: "refusals are HTTP"). */
	transport?: true;
}

/** A server error of ours, in the range that JSON-RPC leaves to servers. */
const OURS = -32000;

const TABLE: Readonly<Record<ErrorCode, Row>> = {
	task_not_found: { rpc: -32001, http: 404, status: "NOT_FOUND", reason: "TASK_NOT_FOUND" },
	task_not_cancelable: { rpc: -32002, http: 400, status: "FAILED_PRECONDITION", reason: "TASK_NOT_CANCELABLE" },
	push_notification_not_supported: { rpc: -32003, http: 400, status: "FAILED_PRECONDITION", reason: "PUSH_NOTIFICATION_NOT_SUPPORTED" },
	unsupported_operation: { rpc: -32004, http: 400, status: "FAILED_PRECONDITION", reason: "UNSUPPORTED_OPERATION" },
	content_type_not_supported: { rpc: -32005, http: 415, status: "INVALID_ARGUMENT", reason: "CONTENT_TYPE_NOT_SUPPORTED" },
	invalid_agent_response: { rpc: -32006, http: 500, status: "INTERNAL", reason: "INVALID_AGENT_RESPONSE" },
	extended_card_not_configured: { rpc: -32007, http: 400, status: "FAILED_PRECONDITION", reason: "EXTENDED_AGENT_CARD_NOT_CONFIGURED" },
	extension_support_required: { rpc: -32008, http: 400, status: "FAILED_PRECONDITION", reason: "EXTENSION_SUPPORT_REQUIRED" },
	version_not_supported: { rpc: -32009, http: 400, status: "FAILED_PRECONDITION", reason: "VERSION_NOT_SUPPORTED" },
	parse_error: { rpc: -32700, http: 400, status: "INVALID_ARGUMENT" },
	invalid_request: { rpc: -32600, http: 400, status: "INVALID_ARGUMENT" },
	method_not_found: { rpc: -32601, http: 404, status: "NOT_FOUND" },
	invalid_params: { rpc: -32602, http: 400, status: "INVALID_ARGUMENT" },
	context_not_found: { rpc: -32602, http: 400, status: "INVALID_ARGUMENT", reason: "CONTEXT_NOT_FOUND" },
	idempotency_conflict: { rpc: -32602, http: 409, status: "ALREADY_EXISTS", reason: "IDEMPOTENCY_CONFLICT" },
	too_large: { rpc: OURS, http: 413, status: "INVALID_ARGUMENT", reason: "TOO_LARGE", transport: true },
	unauthenticated: { rpc: OURS, http: 401, status: "UNAUTHENTICATED", reason: "UNAUTHENTICATED", transport: true },
	forbidden: { rpc: OURS, http: 403, status: "PERMISSION_DENIED", reason: "FORBIDDEN", transport: true },
	not_found: { rpc: OURS, http: 404, status: "NOT_FOUND", reason: "NOT_FOUND", transport: true },
	rate_limited: { rpc: OURS, http: 429, status: "RESOURCE_EXHAUSTED", reason: "RATE_LIMITED", transport: true },
	ticket_invalid: { rpc: OURS, http: 401, status: "UNAUTHENTICATED", reason: "TICKET_INVALID", transport: true },
	ticket_used: { rpc: OURS, http: 403, status: "PERMISSION_DENIED", reason: "TICKET_USED", transport: true },
	unavailable: { rpc: OURS, http: 503, status: "UNAVAILABLE", reason: "UNAVAILABLE" },
	deadline_exceeded: { rpc: OURS, http: 504, status: "DEADLINE_EXCEEDED", reason: "DEADLINE_EXCEEDED" },
	internal: { rpc: -32603, http: 500, status: "INTERNAL" },
};

const DOMAIN = "a2a-protocol.org";

/** Says what was thrown as a DeskError. `log` is told of everything that is not one: it is a fault of ours. */
export function asDeskError(thrown: unknown, log: (error: unknown) => void): DeskError {
	if (thrown instanceof DeskError && thrown.code !== "internal") return thrown;
	log(thrown);
	return new DeskError("internal", "Something went wrong on our side. Try again; if it goes on, tell the desk's owner.");
}

/** The `data` of a JSON-RPC error and the `details` of an HTTP+JSON one: the same objects. Undefined where there is nothing to say. */
export function errorDetails(error: DeskError): object[] | undefined {
	const { reason } = TABLE[error.code];
	const { violations, metadata, retryAfterSeconds } = error.detail;
	const details: object[] = [];
	if (reason !== undefined) {
		details.push({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: DOMAIN, ...(metadata ? { metadata } : {}) });
	}
	if (violations && violations.length > 0)
		details.push({ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: violations });
	if (retryAfterSeconds !== undefined)
		details.push({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterSeconds}s` });
	return details.length > 0 ? details : undefined;
}

/** The `error` member of a JSON-RPC response: code, message, data, and nothing else. */
export function rpcError(error: DeskError): { code: number; message: string; data?: object[] } {
	const data = errorDetails(error);
	return { code: TABLE[error.code].rpc, message: error.message, ...(data ? { data } : {}) };
}

/** A whole JSON-RPC response with an error. `id` is wire JSON: the request's own, or `null`. */
export const rpcErrorText = (id: string, error: DeskError): string =>
	`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(rpcError(error))}}`;

/** HTTP status of a JSON-RPC answer: 200 but for refusals of the transport, since clients read no body of another status. */
export function rpcHttpStatus(error: DeskError): number {
	const row = TABLE[error.code];
	return row.transport ? row.http : 200;
}

/** Status and body of an HTTP+JSON error. `httpStatus` overrides the table's (405 for a known path). */
export function restError(error: DeskError, httpStatus = TABLE[error.code].http): { status: number; text: string } {
	const details = errorDetails(error);
	const body = { code: httpStatus, status: TABLE[error.code].status, message: error.message, ...(details ? { details } : {}) };
	return { status: httpStatus, text: JSON.stringify({ error: body }) };
}

/** Headers that a refusal carries in every binding: when to come back, how to say who you are. */
export function errorHeaders(error: DeskError): Record<string, string> | undefined {
	const { retryAfterSeconds, metadata } = error.detail;
	if (error.code === "unauthenticated") {
		return { "www-authenticate": metadata?.cause === "invalid_token" ? 'Bearer realm="a2a", error="invalid_token"' : 'Bearer realm="a2a"' };
	}
	if (retryAfterSeconds === undefined) return undefined;
	if (error.code !== "rate_limited" || metadata?.limit === undefined) return { "retry-after": String(retryAfterSeconds) };
	return {
		"retry-after": String(retryAfterSeconds),
		"ratelimit-limit": metadata.limit,
		"ratelimit-remaining": "0",
		"ratelimit-reset": String(retryAfterSeconds),
	};
}
