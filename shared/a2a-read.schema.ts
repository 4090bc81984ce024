/**
 * Reads what came from outside into the wire form that the schemas describe, by ProtoJSON's rules (a2a.md 1.12): one plain
 * walk along the schema renames, drops and respells, then zod judges the result. What a caller may do wrong ends in one
 * `invalid_params` that names every field by its wire path.
 */
import { z } from "zod";
import { fallbackOf, isExplicit, isNullable, spellingOf } from "./a2a-fields.schema.js";
import { DeskError, type FieldViolation } from "./errors.js";
import { joinPath, refuseUnstorable } from "./json-scan.js";
import { LIMITS } from "./limits.js";

type Reader = (value: unknown) => unknown;

const readers = new WeakMap<z.ZodType, Reader>();
const same: Reader = (value) => value;

/**
 * Reads a value that `readJson` gave (or a query). Names in lowerCamelCase or snake_case, the first winning; unknown names
 * dropped; null is unset; the spellings of numbers, enums, bytes and times made one. Absent (undefined, null) reads as an
 * empty object. Metadata and data are kept as they came, by reference. Throws DeskError `invalid_params`.
 */
export function read<S extends z.ZodObject>(schema: S, value: unknown): z.output<S> {
	refuseUnstorable(value);
	const known = readerOf(schema)(value ?? {});
	const result = schema.safeParse(known);
	if (result.success) return result.data as z.output<S>;
	// A second time, for the sentences (what is missing reads otherwise than what is wrong): asked at once, every good request would pay for it.
	throw refusal(schema.safeParse(known, { reportInput: true }).error?.issues ?? []);
}

/**
 * Reads the query of a GET (a2a.md 1.11): `true` and `false`, decimal numbers, enums by name, RFC 3339 times, lists by
 * repetition or comma. What is in `path` wins over a query's field of the same name. Throws `invalid_params`.
 */
export function fromQuery<S extends z.ZodObject>(schema: S, query: URLSearchParams, path: Record<string, string> = {}): z.output<S> {
	const given: Record<string, unknown> = {};
	const violations: FieldViolation[] = [];
	for (const { name, snake, type } of planOf(schema)) {
		const values = query.has(name) ? query.getAll(name) : query.getAll(snake);
		const [first] = values;
		if (path[name] !== undefined) given[name] = path[name];
		else if (first === undefined) continue;
		else if (type instanceof z.ZodArray) given[name] = values.flatMap((value) => value.split(","));
		else if (values.length > 1) violations.push({ field: name, description: "Give it once." });
		else given[name] = type instanceof z.ZodBoolean && (first === "true" || first === "false") ? first === "true" : first;
	}
	if (violations.length > 0) throw invalid(violations);
	return read(schema, given);
}

/** How one field is found and read. `type` is its schema without the optional around it. */
interface Field {
	name: string;
	snake: string;
	type: z.ZodType;
	nullable: boolean;
	read: Reader;
	/** The value that, given, reads as unset: the type's default where the field's presence is implicit. */
	unset: (value: unknown) => boolean;
	/** What its absence reads as; undefined: as absence. */
	fallback: unknown;
}

const plans = new WeakMap<z.ZodObject, Field[]>();

function planOf(schema: z.ZodObject): Field[] {
	let plan = plans.get(schema);
	if (!plan) {
		plan = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
			const type = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field;
			return {
				name,
				snake: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
				type,
				nullable: isNullable(field),
				read: readerOf(type),
				unset: field === type || isExplicit(field) ? never : defaultOf(type),
				fallback: fallbackOf(field),
			};
		});
		plans.set(schema, plan);
	}
	return plan;
}

const never = (): boolean => false;

function defaultOf(type: z.ZodType): (value: unknown) => boolean {
	if (type instanceof z.ZodString) return (value) => value === "";
	if (type instanceof z.ZodNumber) return (value) => value === 0;
	if (type instanceof z.ZodBoolean) return (value) => value === false;
	if (type instanceof z.ZodArray) return (value) => Array.isArray(value) && value.length === 0;
	// Messages, Struct among them, have presence: {} is set. A map has none, but reads the same either way.
	return never;
}

function readerOf(schema: z.ZodType): Reader {
	let reader = readers.get(schema);
	if (!reader) {
		const spell = spellingOf(schema);
		const parts = composite(schema);
		reader = !spell ? parts : parts === same ? spell : (value) => parts(spell(value));
		readers.set(schema, reader);
	}
	return reader;
}

function composite(schema: z.ZodType): Reader {
	if (schema instanceof z.ZodArray) {
		const item = readerOf(schema.element as z.ZodType);
		return item === same ? same : (value) => (Array.isArray(value) ? value.map(item) : value);
	}
	if (schema instanceof z.ZodRecord) {
		const item = readerOf(schema.valueType as z.ZodType);
		return item === same ? same : (value) => (isObject(value) ? mapValues(value, item) : value);
	}
	if (!(schema instanceof z.ZodObject)) return same;
	const plan = planOf(schema);
	return (value) => (isObject(value) ? pick(value, plan) : value);
}

function pick(value: Record<string, unknown>, plan: readonly Field[]): Record<string, unknown> {
	const picked: Record<string, unknown> = {};
	for (const field of plan) {
		const given = find(value, field);
		const known = given === undefined ? field.fallback : field.read(given);
		if (known !== undefined && !field.unset(known)) picked[field.name] = known;
	}
	return picked;
}

function find(value: Record<string, unknown>, field: Field): unknown {
	const given = value[field.name];
	if (given !== undefined && (given !== null || field.nullable)) return given;
	const snake = value[field.snake];
	return snake === null && !field.nullable ? undefined : snake;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

// fromEntries defines its keys, it does not set them: no name reaches a prototype.
const mapValues = (value: Record<string, unknown>, item: Reader): Record<string, unknown> =>
	Object.fromEntries(Object.entries(value).map(([key, member]) => [key, item(member)]));

const refusal = (issues: readonly z.core.$ZodIssue[]): DeskError =>
	invalid(
		issues.slice(0, LIMITS.violations).map((issue) => ({ field: issue.path.reduce<string>(joinPath, ""), description: sentence(issue) })),
	);

function invalid(violations: FieldViolation[]): DeskError {
	const [first] = violations;
	const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
	return new DeskError("invalid_params", `${first?.field || "The request"}: ${first?.description}${more}`, { violations });
}

const TYPES: Record<string, string> = {
	string: "Give a string.",
	array: "Give a list.",
	object: "Give an object.",
	record: "Give an object.",
	boolean: "Give true or false.",
	number: "Give a whole number.",
};

function sentence(issue: z.core.$ZodIssue): string {
	if (issue.input === undefined) return "This is required.";
	switch (issue.code) {
		case "invalid_type":
			return TYPES[issue.expected] ?? issue.message;
		case "invalid_value":
			return `Give ${issue.values.length > 1 ? "one of: " : ""}${issue.values.join(", ")}.`;
		case "too_small":
			return issue.origin === "array" ? "Give at least one." : "This is required.";
		case "too_big":
			return `Give at most ${issue.maximum} characters.`;
		default:
			return issue.message;
	}
}
