/**
 * What may be kept of something that was thrown: its type, its code and where it was thrown, and the same of its causes. Never its message, which
 * is what an answerer, a stranger's server or the database made of what it was given: visitors' words, notes, keys (reliability.md G-50).
 * Plain data, so that it crosses threads.
 */
import { ERROR_CODES } from "./errors.js";

export interface ThrownFacts {
	/** The error's class; of what is no error, what it is. */
	type: string;
	code?: string;
	/** The first frames of its stack, without the message above them. */
	stack?: string[];
	cause?: ThrownFacts;
	/** Of an AggregateError, the first of its errors. */
	errors?: ThrownFacts[];
}

/** What a class of errors is called. Whatever else stands there is somebody's text. */
const TYPE = /^[A-Z]\w{0,63}$/;
/** Codes of Node.js, SQLite and undici (ECONNRESET, ERR_…) and SQLSTATEs; our own are a closed list. */
const CODE = /^[A-Z][A-Z0-9_]{2,63}$|^[0-9A-Z]{5}$/;
const OWN_CODES: ReadonlySet<string> = new Set(ERROR_CODES);
/** One frame: in what, and where. */
const FRAME = /^ {4}at [\w$.<>[\]# ]{0,200}\(?(?:file:\/\/|node:|\/)[^\n]{1,400}:\d{1,9}:\d{1,9}\)?$/;
/** How much of one is kept: frames, errors of an AggregateError, causes of causes. */
const FRAMES = 10;
const ERRORS = 3;
const CAUSES = 2;

/** The facts of what was thrown, whatever it is. Never throws. */
export function thrownFacts(thrown: unknown, causes = CAUSES): ThrownFacts {
	try {
		return thrown instanceof Error ? factsOf(thrown, causes) : { type: typeof thrown };
	} catch {
		return { type: "unreadable" };
	}
}

function factsOf(error: Error, causes: number): ThrownFacts {
	const { name, code, cause, errors } = error as { name: unknown; code?: unknown; cause?: unknown; errors?: unknown };
	const stack = framesOf(error);
	return {
		type: typeof name === "string" && TYPE.test(name) ? name : "Error",
		...(typeof code === "string" && (OWN_CODES.has(code) || CODE.test(code)) ? { code } : {}),
		...(stack.length === 0 ? {} : { stack }),
		...(cause === undefined || causes === 0 ? {} : { cause: thrownFacts(cause, causes - 1) }),
		...(Array.isArray(errors) && causes > 0 ? { errors: errors.slice(0, ERRORS).map((one) => thrownFacts(one, causes - 1)) } : {}),
	};
}

/**
 * A stack begins with the message as it was when the error was made, and its lines may look like frames: where that is not the message that
 * the error has, nobody knows where it ends, and no frame is taken.
 */
function framesOf({ message, stack }: { message: unknown; stack?: unknown }): string[] {
	if (typeof message !== "string" || typeof stack !== "string") return [];
	const head = /^[\w$.]*(?: \[\w+\])?(?:: )?/.exec(stack)?.[0].length ?? 0;
	if (!stack.startsWith(`${message}\n`, head)) return [];
	return stack
		.slice(head + message.length + 1)
		.split("\n", FRAMES * 2)
		.filter((line) => FRAME.test(line))
		.slice(0, FRAMES)
		.map((line) => line.trim());
}
