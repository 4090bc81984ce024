/**
 * The one error type of the project and its closed list of codes. The engine throws these; every door has one table
 * that says how a code looks on its wire (`a2a/errors.ts`; the pages say it in `site/` and `owner/`). Anything else that is thrown is `internal`:
 * logged without its message (`thrown.ts`), told to nobody.
 */

/** Every way in which a request can be refused. A door decides by code, never by text. */
export const ERROR_CODES = [
	// A2A's own (a2a.md 1.10)
	"task_not_found",
	"task_not_cancelable",
	"push_notification_not_supported",
	"unsupported_operation",
	"content_type_not_supported",
	"invalid_agent_response",
	"extended_card_not_configured",
	"extension_support_required",
	"version_not_supported",
	// requests that cannot be read
	"parse_error",
	"invalid_request",
	"method_not_found",
	"invalid_params",
	"context_not_found",
	"idempotency_conflict",
	"too_large",
	// who may do what
	"unauthenticated",
	"forbidden",
	"not_found",
	"rate_limited",
	// tickets of framed documents (WebSocket binding): another document has another one
	"ticket_invalid",
	"ticket_used",
	// ours to mend
	"unavailable",
	"deadline_exceeded",
	"internal",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One field that was wrong, as google.rpc.BadRequest says it. `field` is a path in wire names: `message.parts[0].text`. */
export interface FieldViolation {
	field: string;
	description: string;
}

export interface DeskErrorDetail {
	violations?: FieldViolation[];
	/** Seconds after which the same request may be tried again: `rate_limited`, `unavailable`. */
	retryAfterSeconds?: number;
	/** Facts for the caller, strings only (ErrorInfo.metadata). */
	metadata?: Record<string, string>;
}

/** A refusal with a code from the closed list and a sentence that says what to do next. Crosses threads as `toWire()`. */
export class DeskError extends Error {
	override readonly name = "DeskError";
	constructor(
		readonly code: ErrorCode,
		message: string,
		readonly detail: DeskErrorDetail = {},
	) {
		super(message);
	}

	toWire(): DeskErrorWire {
		return { code: this.code, message: this.message, detail: this.detail };
	}

	static fromWire(wire: DeskErrorWire): DeskError {
		return new DeskError(wire.code, wire.message, wire.detail);
	}
}

export interface DeskErrorWire {
	code: ErrorCode;
	message: string;
	detail: DeskErrorDetail;
}
