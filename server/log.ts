/**
 * The server's log: one line of JSON an event, on standard error so that what a command prints stays its own. Whatever is
 * handed in, a line holds no credential, no message of an error, no field longer than FIELD_CHARS, and no character that moves a terminal's
 * cursor or turns its text around. Callers give facts as fields and one plain sentence; they do not have to think of the rest.
 */
import { pino } from "pino";
import { thrownFacts } from "../shared/thrown.js";
import type { LogLevel } from "./config.js";

export type Log = (level: "info" | "warn" | "error", fields: Record<string, unknown>, text: string) => void;

/** Longest string that a line keeps, characters. */
const FIELD_CHARS = 2_000;
/** How deep a field is followed, and how many of its entries are kept. */
const DEPTH = 5;
const ENTRIES = 50;

/** Names of fields whose value is never written, whatever it is. */
const SECRET_NAME =
	/^(?:authorization|proxy-?authorization|x-?api-?key|api-?key|cookie|set-?cookie|password|passwd|secret|token|credentials?|guest-?token|eol-?guest-?token|ticket|sign-?in)$/i;
/** Credentials as they look in the middle of other text: our own, bearer headers, passwords in addresses. */
const CREDENTIALS: readonly [RegExp, string][] = [
	[/\beol([a-z])_[\w.~-]+/g, "eol$1_[hidden]"],
	[/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 [hidden]"],
	[/(\/\/[^\s/:@]*):[^\s/@]*@/g, "$1:[hidden]@"],
	// Who has a picture's address has the picture.
	[/(\/f\/)[\w-]{32}(?![\w-])/g, "$1[hidden]"],
	[/([?&#](?:k|key|code|token|ticket|secret)=)[^&\s"#]+/gi, "$1[hidden]"],
];
/** What JSON leaves as it is and a terminal obeys: DEL and C1 controls, line separators, changes of direction. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const escaped = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text for one line of a terminal: every character that would move its cursor, colour it or turn text around is written out. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const plain = (text: string): string => text.replace(/[\u0000-\u001f]/g, escaped).replace(UNSAFE, escaped);

function clean(text: string): string {
	// Hide before the cut, so that no half of a credential is left; but a long text must not cost its whole length.
	let shown = text.slice(0, 2 * FIELD_CHARS);
	for (const [pattern, hidden] of CREDENTIALS) shown = shown.replace(pattern, hidden);
	return text.length > FIELD_CHARS ? `${shown.slice(0, FIELD_CHARS)}… (${text.length - FIELD_CHARS} more characters)` : shown;
}

/** Fields that hold what was thrown, which may be anything. */
const THROWN_NAME = /^err(?:or)?$/;

function cleanValue(value: unknown, depth: number): unknown {
	if (typeof value === "string") return clean(value);
	if (typeof value === "bigint") return value.toString();
	if (typeof value !== "object" || value === null) return value;
	if (value instanceof Error) return thrownFacts(value);
	if (depth >= DEPTH) return "[deeper]";
	if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
	if (Array.isArray(value)) return value.slice(0, ENTRIES).map((entry) => cleanValue(entry, depth + 1));
	if (value instanceof Date) return value;
	const kept: Record<string, unknown> = {};
	const entries = value instanceof Map || value instanceof Headers ? [...value.entries()] : Object.entries(value);
	for (const [name, entry] of entries.slice(0, ENTRIES)) {
		const key = String(name);
		if (SECRET_NAME.test(key)) kept[clean(key)] = "[hidden]";
		else if (THROWN_NAME.test(key) && entry !== undefined) kept[clean(key)] = thrownFacts(entry);
		else kept[clean(key)] = cleanValue(entry, depth + 1);
	}
	return kept;
}

/**
 * A log that writes lines of `level` and above. `write` gets whole lines; without it they go to standard error, at once,
 * so that the last line before a crash is there.
 */
export function createLog(options: { level: LogLevel; write?: (line: string) => void }): Log {
	const write = options.write ?? standardError();
	const logger = pino(
		{
			level: options.level,
			base: undefined,
			timestamp: pino.stdTimeFunctions.isoTime,
			formatters: { level: (label) => ({ level: label }) },
		},
		{ write: (line: string) => write(line.replace(UNSAFE, escaped)) },
	);
	return (level, fields, text) => {
		if (!logger.isLevelEnabled(level)) return;
		logger[level](cleanValue(fields, 0) as Record<string, unknown>, clean(text));
	};
}

function standardError(): (line: string) => void {
	const destination = pino.destination({ dest: 2, sync: true });
	return (line) => {
		destination.write(line);
	};
}
