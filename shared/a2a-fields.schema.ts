/**
 * The kinds of fields that A2A's objects are made of, each a strict zod schema of its wire form, and beside it how the
 * other spellings that ProtoJSON allows become that form (a2a.md 1.12). The schemas judge; `a2a-read.schema.ts` applies
 * the spellings before. Hides what proto3 calls presence behind words: a field is required as it stands, `.optional()`,
 * `explicit` (set though it be the default), or `stated` (always written, read as the default where a peer left it out).
 */
import { z } from "zod";
import { LIMITS } from "./limits.js";

type Spelling = (value: unknown) => unknown;

const SPELLINGS = new WeakMap<z.ZodType, Spelling>();
const EXPLICIT = new WeakSet<z.ZodType>();
const NULLABLE = new WeakSet<z.ZodType>();
const STATED = new WeakMap<z.ZodType, unknown>();

/** How other spellings become a schema's wire form. What cannot be read comes back as it was, for the schema to refuse. */
export const spellingOf = (schema: z.ZodType): Spelling | undefined => SPELLINGS.get(schema);
/** Whether an optional field given as its type's default ("", 0, false, []) is set all the same. */
export const isExplicit = (schema: z.ZodType): boolean => EXPLICIT.has(schema);
/** Whether null is a value of the field and not its absence. */
export const isNullable = (schema: z.ZodType): boolean => NULLABLE.has(schema);

/** What a REQUIRED field reads as where it was left out, if its default is legal: protobuf's writers leave defaults out. */
export const fallbackOf = (schema: z.ZodType): unknown => STATED.get(schema);

/** Gives a schema the spellings that it takes besides its own. */
export function spelled<S extends z.ZodType>(schema: S, spelling: Spelling): S {
	SPELLINGS.set(schema, spelling);
	return schema;
}

/** An `optional` field of the proto, a member of a oneof, or a time: set when given, though it be "" or 0. */
export function explicit<S extends z.ZodType>(schema: S): z.ZodOptional<S> {
	const optional = schema.optional();
	EXPLICIT.add(optional);
	return optional;
}

/** A REQUIRED field whose default is legal: we always write it, and read its absence as the default. */
export function stated<S extends z.ZodType>(schema: S, fallback: z.output<S>): S {
	STATED.set(schema, fallback);
	return schema;
}

/** REQUIRED text that may be "". */
export const statedText = stated(z.string(), "");

/** Text that a REQUIRED field must have: "" is the same as none. */
export const requiredText = z.string().min(1);

/** An id, key or token that a caller gives. */
export const callerId = z.string().min(1).max(LIMITS.idChars);

/** google.protobuf.Struct: any JSON object. Kept as it came, by reference; its keys are the caller's own and never renamed. */
export type Struct = Record<string, unknown>;
export const struct = z.custom<Struct>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
	error: "Give an object.",
});

/** google.protobuf.Value: any JSON value, null included. */
export const jsonValue = z.unknown();
export function nullableValue(): z.ZodOptional<typeof jsonValue> {
	const optional = explicit(jsonValue);
	NULLABLE.add(optional);
	return optional;
}

const DECIMAL = /^-?\d{1,11}$/;

/** int32 within bounds: a number, or a string of its decimal digits. */
export const int32 = (min = -(2 ** 31), max = 2 ** 31 - 1) =>
	spelled(
		z.number().refine((n) => Number.isInteger(n) && n >= min && n <= max, { error: `Give a whole number from ${min} to ${max}.` }),
		// Adding 0 makes 0 of -0, which JSON writes so anyway.
		(value) => (typeof value === "string" && DECIMAL.test(value) ? Number(value) + 0 : typeof value === "number" ? value + 0 : value),
	);

/** An enum by name or number. `names` in the order of the proto's numbers from 1; 0 is `<prefix>_UNSPECIFIED` and reads as unset. */
export function protoEnum<const N extends readonly [string, ...string[]]>(prefix: string, names: N) {
	const unspecified = `${prefix}_UNSPECIFIED`;
	return spelled(z.enum(names), (value) => {
		if (value === 0 || value === unspecified) return undefined;
		return typeof value === "number" ? (names[value - 1] ?? value) : value;
	});
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ANY_BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Standard base64 with padding, from either alphabet, padded or not. Undefined for what is no base64: other characters, a
 * length that cannot be, padding that does not fill up. Bits beyond the last byte become 0, so equal bytes are equal text.
 */
export function standardBase64(text: string): string | undefined {
	if (!ANY_BASE64.test(text)) return undefined;
	const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
	let digits = padding > 0 ? text.slice(0, -padding) : text;
	const rest = digits.length % 4;
	if (rest === 1 || (padding > 0 && rest + padding !== 4)) return undefined;
	if (/[-_]/.test(digits)) digits = digits.replaceAll("-", "+").replaceAll("_", "/");
	if (rest === 0) return digits;
	const last = BASE64.indexOf(digits.slice(-1)) & (rest === 2 ? 0x30 : 0x3c);
	return `${digits.slice(0, -1)}${BASE64[last]}${rest === 2 ? "==" : "="}`;
}

/** bytes, as standard base64 with padding. */
export const bytes = spelled(
	z.string().refine((text) => standardBase64(text) === text, { error: "Give the bytes in base64." }),
	(value) => (typeof value === "string" ? (standardBase64(value) ?? value) : value),
);

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;
/** 0001-01-01 and 9999-12-31: what google.protobuf.Timestamp can say. */
const EARLIEST = Date.parse("0001-01-01T00:00:00.000Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

/** `YYYY-MM-DDTHH:mm:ss.sssZ` from RFC 3339 with 0 to 9 digits of a second's fraction (those past the third are cut off) and any offset. */
export function wireTime(text: string): string | undefined {
	const match = RFC3339.exec(text);
	if (!match) return undefined;
	const [, year, month, day, hour, minute, second, fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = match;
	if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number(offsetHours) > 23 || Number(offsetMinutes) > 59)
		return undefined;
	const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}Z`);
	// Date.parse takes 30 February for 1 March.
	if (Number.isNaN(local) || new Date(local).getUTCDate() !== Number(day)) return undefined;
	const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
	const utc = sign === "-" ? local + offset : local - offset;
	return utc >= EARLIEST && utc <= LATEST ? new Date(utc).toISOString() : undefined;
}

/** google.protobuf.Timestamp in UTC with milliseconds. */
export const timestamp = spelled(
	z.string().refine((text) => wireTime(text) === text, { error: "Give a time as 2026-01-31T12:00:00.000Z." }),
	(value) => (typeof value === "string" ? (wireTime(value) ?? value) : value),
);

/** A oneof: a check for an object of which one of some members is set. `none: true` lets it be empty, for what a newer version may add. */
export const oneOf =
	(names: readonly string[], allow: { none?: boolean } = {}) =>
	(payload: z.core.ParsePayload): void => {
		let set = 0;
		for (const name of names) if ((payload.value as Struct)[name] !== undefined) set++;
		if (set === 1 || (set === 0 && allow.none)) return;
		payload.issues.push({
			code: "custom",
			input: payload.value,
			path: [],
			message: `Give ${allow.none ? "at most" : "exactly"} one of: ${names.join(", ")}.`,
		});
	};
