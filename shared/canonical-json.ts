/**
 * One text for one JSON value, whatever the order of its keys: what retry keys compare (design.md, "Retry keys"), as
 * RFC 8785 (JCS) writes it. Zod-free and pure; it hashes nothing itself.
 */
import { DeskError } from "./errors.js";
import { LIMITS } from "./limits.js";

/**
 * JSON without white space, every object's keys sorted by UTF-16 code units. Members that are `undefined` are left out,
 * as JSON.stringify does. Throws `invalid_request` beyond `LIMITS.jsonDepth`, which no value that `readJson` gave exceeds.
 */
export const canonicalJson = (value: unknown): string => write(value, 1);

function write(value: unknown, depth: number): string {
	// undefined has no JSON text; in a list it stands as null, like every other thing that JSON cannot say.
	if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
	if (depth > LIMITS.jsonDepth) {
		throw new DeskError("invalid_request", `The value is nested deeper than ${LIMITS.jsonDepth} levels: send it flatter.`);
	}
	if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(",")}]`;
	const members: string[] = [];
	for (const key of Object.keys(value).sort()) {
		const member = (value as Record<string, unknown>)[key];
		if (member !== undefined) members.push(`${JSON.stringify(key)}:${write(member, depth + 1)}`);
	}
	return `{${members.join(",")}}`;
}
