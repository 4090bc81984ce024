/**
 * The gate that every JSON text from outside passes before anything else looks at it: `JSON.parse` itself takes bodies
 * whose depth or width breaks what comes after it (reliability.md F17, 85). Promises linear time, no recursion, and no
 * error but DeskError. What is too deep is refused at the byte where it becomes so.
 */
import { DeskError, type FieldViolation } from "./errors.js";
import { LIMITS } from "./limits.js";

const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What a byte outside of strings is for the count of values and the depth. Everything unnamed belongs to a number or a word. */
const SCALAR = 0;
const SPACE = 1;
const OPEN = 2;
const CLOSE = 3;
const STRING = 4;
const KIND = new Uint8Array(256);
for (const char of " \t\r\n,:") KIND[char.charCodeAt(0)] = SPACE;
for (const char of "{[") KIND[char.charCodeAt(0)] = OPEN;
for (const char of "}]") KIND[char.charCodeAt(0)] = CLOSE;
KIND[QUOTE] = STRING;

/**
 * Reads one JSON value. Throws `parse_error` for what is not JSON in UTF-8 without a byte order mark, and
 * `invalid_request` for what is nested deeper than `LIMITS.jsonDepth` (a scalar is 1) or holds more than
 * `LIMITS.jsonNodes` values and keys. A key given twice: the last one counts, as in JSON.parse.
 */
export function readJson(input: Uint8Array | string): unknown {
	const text = typeof input === "string";
	const bytes = text ? encoder.encode(input) : input;
	if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
		throw new DeskError("parse_error", "The JSON starts with a byte order mark: send plain UTF-8 without one.");
	}
	measure(bytes);
	if (text) {
		if (!isWellFormed(input)) throw notUtf8();
		return parse(input);
	}
	let decoded: string;
	try {
		decoded = decoder.decode(bytes);
	} catch {
		throw notUtf8();
	}
	return parse(decoded);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new DeskError(
			"parse_error",
			text.trim() === "" ? "The body is empty: send one JSON value." : "This is not JSON: send one JSON value.",
		);
	}
}

const notUtf8 = (): DeskError => new DeskError("parse_error", "The JSON is not valid UTF-8: send it encoded as UTF-8.");

/** Counts depth and nodes over the bytes; in UTF-8 no byte of a longer character looks like one of JSON's own. */
function measure(bytes: Uint8Array): void {
	const length = bytes.length;
	let open = 0;
	let nodes = 0;
	let at = 0;
	while (at < length) {
		const kind = KIND[bytes[at] as number];
		at++;
		if (kind === SPACE) continue;
		if (kind === CLOSE) {
			open--;
			continue;
		}
		if (++nodes > LIMITS.jsonNodes) {
			throw new DeskError("invalid_request", `The JSON holds more than ${LIMITS.jsonNodes} values and keys: send less at once.`);
		}
		if (open >= LIMITS.jsonDepth) {
			throw new DeskError("invalid_request", `The JSON is nested deeper than ${LIMITS.jsonDepth} levels: send it flatter.`);
		}
		if (kind === OPEN) {
			open++;
		} else if (kind === STRING) {
			while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
			at++;
		} else {
			while (at < length && KIND[bytes[at] as number] === SCALAR) at++;
		}
	}
}

/** Node 20 has it; the library of the language level that the project is checked against does not. */
const isWellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed();

const CHARACTERS = "U+0000 and half a surrogate pair cannot be kept: take them out.";
const NUMBER = "A number out of range cannot be kept: send it as a string.";
const KEY = "A key named __proto__ cannot be kept: give it another name.";

const badText = (text: string): boolean => text.includes("\0") || !isWellFormed(text);

/** Why a scalar cannot be kept, or undefined. `1e999` is JSON, and Infinity in memory. */
function fault(value: unknown): string | undefined {
	if (typeof value === "string") return badText(value) ? CHARACTERS : undefined;
	return typeof value === "number" && !Number.isFinite(value) ? NUMBER : undefined;
}

const keyFault = (key: string): string | undefined => (key === "__proto__" ? KEY : badText(key) ? CHARACTERS : undefined);

/**
 * Throws `invalid_params` when anywhere in a parsed value, metadata and data included, a string or key holds U+0000 or a
 * lone surrogate (PostgreSQL and UTF-8 cannot keep them), a number is not finite, or a key is `__proto__`. Other names,
 * `constructor` among them, are keys like any other: nothing here or in the schemas merges what came from outside.
 * `root` is the wire path of the value itself. Linear, and not recursive: depth is no matter.
 */
export function refuseUnstorable(value: unknown, root = ""): void {
	if (typeof value !== "object" || value === null) {
		const description = fault(value);
		if (description) throw unstorable({ field: root, description });
		return;
	}
	const waiting: object[] = [value];
	for (let holder = waiting.pop(); holder; holder = waiting.pop()) {
		if (Array.isArray(holder)) {
			for (const member of holder) {
				if (typeof member === "object" && member !== null) waiting.push(member);
				else if (fault(member)) throw unstorable(find(value, root));
			}
			continue;
		}
		for (const key in holder) {
			const member = (holder as Record<string, unknown>)[key];
			if (keyFault(key) || fault(member)) throw unstorable(find(value, root));
			if (typeof member === "object" && member !== null) waiting.push(member);
		}
	}
}

/** The first fault with its path: a second walk that only a refused request pays for. */
function find(value: object, root: string): FieldViolation {
	const waiting: { holder: object; path: string }[] = [{ holder: value, path: root }];
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const { holder, path } = next;
		const list = Array.isArray(holder);
		for (const [key, member] of Object.entries(holder)) {
			const ofKey = list ? undefined : keyFault(key);
			if (ofKey) return { field: path, description: ofKey };
			const field = joinPath(path, list ? Number(key) : key);
			const ofMember = fault(member);
			if (ofMember) return { field, description: ofMember };
			if (typeof member === "object" && member !== null) waiting.push({ holder: member, path: field });
		}
	}
	return { field: root, description: CHARACTERS };
}

const unstorable = (violation: FieldViolation): DeskError =>
	new DeskError("invalid_params", `${violation.field || "The request"}: ${violation.description}`, { violations: [violation] });

/** Characters of a caller's own key that a path repeats. */
const KEY_SHOWN = 40;

/** One step of a wire path: `message.parts[0].text`, and `metadata["a b"]` for a key that is no plain name. */
export function joinPath(path: string, step: PropertyKey): string {
	if (typeof step === "number") return `${path}[${step}]`;
	const key = String(step);
	// By whole characters: half a surrogate pair must not get into an answer.
	const shown = key.length > KEY_SHOWN ? `${[...key.slice(0, 2 * KEY_SHOWN)].slice(0, KEY_SHOWN).join("")}…` : key;
	if (!/^[A-Za-z_][A-Za-z0-9_-]*…?$/.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
	return path === "" ? shown : `${path}.${shown}`;
}
