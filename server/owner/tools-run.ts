/**
 * What a tool is here: its schema and what it does with the engine, for the one desk whose owner the key speaks for. A tool never
 * names a desk: it is given that one and no other.
 */
import { DeskError } from "../../shared/errors.js";
import { type InputOf, type OutputOf, readInput, type ToolSchema } from "../../shared/tools.schema.js";
import type { Desk, OwnerDoor } from "../engine/engine.js";
import type { PresetsDoor } from "../engine/presets.js";

/** One call of a tool, after its key was found good. */
export interface ToolCall {
	owner: OwnerDoor;
	presets: PresetsDoor;
	/** The desk of the account whose key it is. */
	desk: Desk;
	/** The key as its owner knows it. */
	key: { uid: string; name: string; last4: string };
	/** Origin under which people reach this server. */
	publicUrl: string;
}

export interface Tool {
	schema: ToolSchema;
	/** Throws `invalid_params` for input that is none of the tool's, and what the engine refuses. */
	run(call: ToolCall, given: unknown): Promise<object>;
}

/** By the names under which they are called. */
export type ToolTable = Readonly<Record<string, Tool>>;

/** Joins a schema with what is done. */
export const runs = <T extends ToolSchema>(schema: T, run: (call: ToolCall, input: InputOf<T>) => Promise<OutputOf<T>>): Tool => ({
	schema,
	async run(call, given) {
		const read = readInput(schema, given);
		if ("wrong" in read) throw new DeskError("invalid_params", read.wrong);
		return await run(call, read.input as InputOf<T>);
	},
});

/** Milliseconds as a tool says them. */
export const timeOf = (ms: number): string => new Date(ms).toISOString();
