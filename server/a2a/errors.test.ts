import { describe, expect, it } from "vitest";
import { DeskError, ERROR_CODES } from "../../shared/errors.js";
import { asDeskError, errorHeaders, restError, rpcErrorText, rpcHttpStatus } from "./errors.js";

/** Copied from the specification (5.4, 9.5, 11.6), not from the table under test. */
const PROTOCOL = [
	["task_not_found", -32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"],
	["task_not_cancelable", -32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"],
	["push_notification_not_supported", -32003, 400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED"],
	["unsupported_operation", -32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"],
	["content_type_not_supported", -32005, 415, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"],
	["invalid_agent_response", -32006, 500, "INTERNAL", "INVALID_AGENT_RESPONSE"],
	["extended_card_not_configured", -32007, 400, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
	["extension_support_required", -32008, 400, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED"],
	["version_not_supported", -32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"],
] as const;

describe("errors on the wire", () => {
	it.each(PROTOCOL)("%s is %i, HTTP %i, with its ErrorInfo in both bindings", (code, rpc, http, status, reason) => {
		const error = new DeskError(code, "Say something.");
		const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "a2a-protocol.org" };
		expect(JSON.parse(rpcErrorText("7", error))).toEqual({
			jsonrpc: "2.0",
			id: 7,
			error: { code: rpc, message: "Say something.", data: [info] },
		});
		expect(rpcHttpStatus(error)).toBe(200);
		const rest = restError(error);
		expect(rest.status).toBe(http);
		expect(JSON.parse(rest.text)).toEqual({ error: { code: http, status, message: "Say something.", details: [info] } });
	});

	it.each(ERROR_CODES)("%s has the same status in the body as on the answer", (code) => {
		const { status, text } = restError(new DeskError(code, "x"));
		expect(JSON.parse(text).error.code).toBe(status);
		expect(status).toBeGreaterThanOrEqual(400);
	});

	it.each([
		["too_large", 413],
		["unauthenticated", 401],
		["forbidden", 403],
		["not_found", 404],
		["rate_limited", 429],
	] as const)("refuses %s with HTTP %i over JSON-RPC too", (code, http) => {
		expect(rpcHttpStatus(new DeskError(code, "x"))).toBe(http);
	});

	it("names the fields that were wrong", () => {
		const violations = [{ field: "message.parts", description: "Give at least one." }];
		const { error } = JSON.parse(rpcErrorText('"a"', new DeskError("invalid_params", "x", { violations })));
		expect(error.code).toBe(-32602);
		expect(error.data).toEqual([{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: violations }]);
	});

	it("has nothing but code and message where there is nothing to add", () => {
		expect(JSON.parse(rpcErrorText("null", new DeskError("parse_error", "x"))).error).toEqual({ code: -32700, message: "x" });
	});

	it("says when to come back", () => {
		expect(errorHeaders(new DeskError("rate_limited", "x", { retryAfterSeconds: 12, metadata: { limit: "20" } }))).toEqual({
			"retry-after": "12",
			"ratelimit-limit": "20",
			"ratelimit-remaining": "0",
			"ratelimit-reset": "12",
		});
		expect(errorHeaders(new DeskError("unavailable", "x", { retryAfterSeconds: 2 }))).toEqual({ "retry-after": "2" });
		expect(errorHeaders(new DeskError("task_not_found", "x"))).toBeUndefined();
	});

	it("names the scheme to whom it does not know", () => {
		expect(errorHeaders(new DeskError("unauthenticated", "x"))).toEqual({ "www-authenticate": 'Bearer realm="a2a"' });
		expect(errorHeaders(new DeskError("unauthenticated", "x", { metadata: { cause: "invalid_token" } }))?.["www-authenticate"]).toContain(
			"invalid_token",
		);
	});

	it("tells nothing of a fault of ours, and logs all of it", () => {
		const logged: unknown[] = [];
		const fault = new TypeError("secret detail at /srv/desk");
		const error = asDeskError(fault, (e) => logged.push(e));
		expect(error.code).toBe("internal");
		expect(error.message).not.toContain("secret");
		expect(logged).toEqual([fault]);
		const known = new DeskError("task_not_found", "x");
		expect(asDeskError(known, (e) => logged.push(e))).toBe(known);
		expect(logged).toHaveLength(1);
	});
});
