/**
 * What the two drivers share: what an operation is and how its three parts run one after another, what a value may be,
 * and the words in which a store refuses. A driver adds only how its database is asked, and when an answer may leave.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { EngineParts } from "../engine/engine.js";
import type { Notice } from "../engine/notices-operations.js";
import type { Hint, NoticeHint } from "../engine/ports.js";
import { leaveNotices } from "./notices.js";
import type { Query, Row, SqlValue, Steps } from "./sql.js";

export type Log = EngineParts["log"];

/** A write: what it looks at, what its rule says to that, what it then writes. All three run inside one transaction. */
// biome-ignore lint/suspicious/noExplicitAny: a table holds operations of every shape; the types of `engine/operations.ts` guard who calls them
export interface Operation<Input = any, Loaded = any, Plan = any, Answer = any> {
	load(input: Input): Steps<Loaded>;
	/** Pure. Throws DeskError to refuse: then nothing is written. `plan: null`: there is nothing to write. `notices`: what every process has to act on. */
	decide(loaded: Loaded, input: Input): { plan: Plan | null; answer: Answer; notices?: readonly Notice[] };
	write(input: Input, loaded: Loaded, plan: Plan): Steps<void>;
	/**
	 * PostgreSQL only: writes that share a lane happen in the order in which they were called; others may overtake each other.
	 * Those that name none share one, so that order is what one gets without saying anything. On SQLite all are in order.
	 */
	lanes?(input: Input): readonly string[];
}

export type OperationTable = Record<string, Operation>;

/** A store before it has nouns: writes by name, reads as steps. */
export interface Driver {
	/**
	 * Runs an operation; resolves with its answer when that is on disk. `input` and the answer are plain JSON;
	 * neither may be changed by the caller before it has resolved. Rejects with DeskError: the operation's refusal,
	 * `unavailable` for what may be tried again (disk full, database busy or gone, stopping), `internal` for a bug.
	 */
	write(name: string, input: unknown): Promise<unknown>;
	/** Runs a read at one point in time. `steps` may be called again from its start, so it must do nothing but ask. */
	read<T>(steps: () => Steps<T>): Promise<T>;
	/** Growth written by other processes. Returns what stops it. */
	onHint(listener: (hint: Hint) => void): () => void;
	/** Notices: this process's own before the write that left them resolves, and that other processes left some. Returns what stops it. */
	onNotice(listener: (hint: NoticeHint) => void): () => void;
	/** Writes all that is kept now into a new file, while everything goes on; gives its size in bytes. On PostgreSQL it refuses: pg_dump does that. */
	backup(to: string): Promise<{ bytes: number }>;
	/** Waits for the writes that were called before; everything called after is refused. */
	close(): Promise<void>;
}

/** Joins the rules (`engine/operations.ts`) with the store's half of each (`store/operations.ts`). Throws TypeError if a half is missing. */
export function operationTable(
	decides: Record<string, Operation["decide"]>,
	halves: Record<string, Pick<Operation, "load" | "write" | "lanes">>,
): OperationTable {
	const table: OperationTable = {};
	for (const name of new Set([...Object.keys(decides), ...Object.keys(halves)])) {
		const decide = decides[name];
		const half = halves[name];
		if (!decide || !half) throw new TypeError(`The operation ${name} lacks its ${decide ? "load and write" : "decide"}.`);
		table[name] = { ...half, decide };
	}
	return table;
}

/** What an operation came to: its answer, and the notices that it left. */
export interface Performed {
	answer: unknown;
	notices: readonly NoticeHint[];
}

const NO_NOTICES: readonly NoticeHint[] = [];

/**
 * The steps of one operation. `beforeWrite` is called between its decision and its first write, if it writes at all.
 * Throws what its rule throws.
 */
export function* perform(table: OperationTable, name: string, input: unknown, beforeWrite?: () => void): Steps<Performed> {
	const operation = table[name];
	if (!operation) throw new TypeError(`There is no operation named ${name}.`);
	const loaded: unknown = yield* operation.load(input);
	const { plan, answer, notices } = operation.decide(loaded, input);
	if (plan === null) return { answer, notices: NO_NOTICES };
	beforeWrite?.();
	yield* operation.write(input, loaded, plan);
	return { answer, notices: notices?.length ? yield* leaveNotices(notices) : NO_NOTICES };
}

/** Milliseconds on a clock that all threads share and nobody can set. Waits for a database are on it, not on the desk's clock. */
export const monotonic = (): number => Number(process.hrtime.bigint() / 1_000_000n);

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs steps to their end in one go. */
export function runSync<T>(steps: Steps<T>, ask: (query: Query) => Row[]): T {
	let step = steps.next();
	while (!step.done) step = steps.next(ask(step.value));
	return step.value;
}

/** Runs steps to their end, waiting for each. */
export async function runAsync<T>(steps: Steps<T>, ask: (query: Query) => Row[] | Promise<Row[]>): Promise<T> {
	let step = steps.next();
	while (!step.done) step = steps.next(await ask(step.value));
	return step.value;
}

const storable = (text: string): boolean => !text.includes("\0") && (text as string & { isWellFormed(): boolean }).isWellFormed();

/**
 * Refuses what the two databases would keep differently or not at all. The doors have looked at texts already
 * (design.md, "Storage"); a number that is no safe integer, or anything else, is a bug of ours.
 */
export function checkValues(values: readonly SqlValue[]): void {
	for (const value of values) {
		if (typeof value === "string") {
			if (!storable(value)) {
				throw new DeskError(
					"invalid_params",
					"The text holds a character that cannot be kept (U+0000, or half of a pair). Remove it and send again.",
				);
			}
		} else if (typeof value === "number") {
			if (!Number.isSafeInteger(value)) throw new TypeError(`The database keeps whole numbers; ${value} is none.`);
		} else if (value !== null) {
			throw new TypeError(`The database keeps texts, whole numbers and null, not a value of type ${typeof value}.`);
		}
	}
}

/** Nothing was changed; the same request may be tried again. `what` says what stood in the way. */
export const unavailable = (what: string): DeskError =>
	new DeskError("unavailable", `${what} Nothing was changed; try again in a moment.`, {
		retryAfterSeconds: Math.ceil(LIMITS.writeWaitMs / 1000),
	});

/** The answer was lost on its way: whoever sends the same again, under the same key, gets one effect (G-03). */
export const unsure = (what: string): DeskError =>
	new DeskError("unavailable", `${what} It is not known whether this was saved; send the same again in a moment.`, {
		retryAfterSeconds: Math.ceil(LIMITS.writeWaitMs / 1000),
	});

export const stopping = (): DeskError => unavailable("The server is stopping.");

/** The caller of an operation that broke learns only that it did; the log has the rest. */
export const bug = (): DeskError =>
	new DeskError("internal", "Something went wrong in the server. Nothing was changed; its log says more.");

/** A store that cannot be opened, or may not be used any more. The sentence says what its owner can do. */
export const refused = (sentence: string): DeskError => new DeskError("unavailable", sentence);

/** That the log of a conversation now reaches to `seq`. */
export type Growth = Pick<Hint, "conversationId" | "seq">;

/** What an answer says has grown: `grown`, a list, or the `events` that were added to its `conversationId`. */
export function grownOf(answer: unknown): readonly Growth[] {
	const { grown, conversationId, events } = (answer ?? {}) as { grown?: Growth[]; conversationId?: unknown; events?: { seq: number }[] };
	if (Array.isArray(grown)) return grown;
	const last = Array.isArray(events) ? events.at(-1) : undefined;
	return last && typeof conversationId === "number" ? [{ conversationId, seq: last.seq }] : [];
}
