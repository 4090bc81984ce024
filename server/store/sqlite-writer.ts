/**
 * What the writer thread runs (design.md, "Storage"): the only connection that writes to the SQLite file. It takes what has
 * queued while the last commit ran, judges and writes each operation so that one that breaks leaves nothing behind and the others
 * whole, and lets the answers go only after one commit of them all is on disk. A lock held by somebody else is waited for here and never on the event loop.
 */

import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { DeskError, type DeskErrorWire } from "../../shared/errors.js";
import { type ThrownFacts, thrownFacts } from "../../shared/thrown.js";
import type { NoticeHint } from "../engine/ports.js";
import { backup } from "./backup.js";
import { monotonic, type OperationTable, perform, refused, runSync, unavailable } from "./db.js";
import { handOver } from "./hand-over.js";
import { migrateSqlite } from "./migrate.js";
import { checkpointsOf, LOG_KEEPS_BYTES } from "./sqlite-checkpoints.js";
import { asking, type Connection, checkIntact, checkVersion, deviceTrouble, isBusy, isDamage, orDamaged } from "./sqlite-connection.js";

/** What the thread is started with. */
export interface WriterStart {
	file: string;
	/** Milliseconds a write waits for a lock that somebody else holds. */
	writeWaitMs: number;
	/** Milliseconds since the epoch: noted with the migrations of this start. */
	now: number;
}

/** Or it is started to take a backup, and ends. */
export interface BackupStart {
	backup: { dir: string; to: string };
}

export interface Call {
	id: number;
	name: string;
	input: unknown;
}

export type ToWriter =
	/** `calls`: JSON of Call[] (`hand-over.ts`). `at`: when the oldest of them was called, on the clock of `monotonic`. */
	{ type: "write"; calls: string; at: number } | { type: "close" };

export type Answer =
	/** `notices`: those that it left, if any. */
	| { id: number; answer: unknown; notices?: readonly NoticeHint[] }
	| { id: number; refusal: DeskErrorWire }
	/** The operation broke: for the log, not for the caller. */
	| { id: number; broke: { operation: string; fault: ThrownFacts } };

export type FromWriter =
	| { type: "ready" }
	| { type: "refused"; error: DeskErrorWire }
	/** `answers`: JSON of Answer[]. */
	| { type: "answers"; answers: string }
	| { type: "log"; level: "info" | "warn" | "error"; fields: Record<string, unknown>; text: string }
	| { type: "damaged" }
	| { type: "backedUp"; bytes: number };

export interface WriterOptions {
	table: OperationTable;
	/** Makes a new connection fit for use and asserts that it is. */
	prepare?: (connection: Connection) => void;
	/** Ends a group: what is on disk, and when its answers may go. */
	settle?: (commit: () => void, answer: () => void) => void;
	/** Milliseconds without a write after which the log is emptied, so that what was erased is nowhere any more. */
	idleMs?: number;
}

/** Operations of one commit, and milliseconds after which no other joins it: together they bound how long an answer is held back. */
const GROUP_MAX = 256;
const GROUP_MS = 8;
/** Answers of one message to the event loop, which goes on with everything else between two. */
const ANSWERS_AT_ONCE = 8;
/** One wait for a lock; between two the thread looks at what else has come. */
const LOCK_TRY_MS = 50;
const IDLE_MS = 5_000;

/**
 * Pragmas of the writing connection. FULL: better-sqlite3's default in WAL mode does not sync a commit (F2). `secure_delete`:
 * what is erased is overwritten. Foreign keys on, as PostgreSQL has them. Sorting and savepoints stay out of temporary files.
 */
export function prepareWriter(connection: Connection): void {
	const mode = connection.pragma("journal_mode = wal", { simple: true });
	if (mode !== "wal")
		throw refused(`SQLite cannot use its log in this folder (journal mode ${String(mode)}). Use a folder on a local disk for DATA_DIR.`);
	for (const pragma of [
		"synchronous = full",
		"wal_autocheckpoint = 0",
		`journal_size_limit = ${LOG_KEEPS_BYTES}`,
		"secure_delete = on",
		"foreign_keys = on",
		"temp_store = memory",
		"cache_size = -65536",
	]) {
		connection.pragma(pragma);
	}
	const synchronous = connection.pragma("synchronous", { simple: true });
	if (synchronous !== 2)
		throw refused(
			`SQLite would not wait for the disk (PRAGMA synchronous reads ${String(synchronous)}, not 2), so an acknowledged message could be lost. The server does not start like this.`,
		);
}

/** An operation broke when part of it was written, and there is nothing that takes that part back but the whole group. */
const HALFWAY = new Error("The group has to be written again.");

const groupEnds = (commit: () => void, answer: () => void): void => {
	commit();
	answer();
};

function open(start: WriterStart, prepare: (connection: Connection) => void): Connection {
	const connection = new Database(start.file, { timeout: start.writeWaitMs });
	orDamaged(start.file, () => {
		checkVersion(connection);
		prepare(connection);
		checkIntact(connection, start.file);
		migrateSqlite(connection, start.file, start.now);
	});
	connection.pragma(`busy_timeout = ${LOCK_TRY_MS}`);
	return connection;
}

/**
 * Runs in a worker thread that was started with `WriterStart`; returns at once and lives until told to close. Started with
 * `BackupStart` it takes a backup and ends: the same module, so that a built server has one file for its threads. The real entry is
 * `server/writer.ts`. `prepare` and `settle` are options so that a test's own
 * entry can show what a careless writer would lose.
 */
export function runWriter({ table, prepare = prepareWriter, settle = groupEnds, idleMs = IDLE_MS }: WriterOptions): void {
	if (!parentPort) throw new TypeError("The writer runs in a worker thread of the server.");
	const port: MessagePort = parentPort;
	const start = workerData as WriterStart | BackupStart;
	const tell = (message: FromWriter): void => port.postMessage(message);
	const refuse = (error: unknown, what: string): void => {
		const known = error instanceof DeskError ? error : refused(`${what}: ${(error as Error).message}.`);
		tell({ type: "refused", error: known.toWire() });
		port.close();
	};
	if ("backup" in start) {
		try {
			tell({ type: "backedUp", ...backup(start.backup) });
		} catch (error) {
			refuse(error, `The backup ${start.backup.to} could not be written`);
		}
		return;
	}
	let connection: Connection;
	try {
		connection = open(start, prepare);
	} catch (error) {
		refuse(error, `The database ${start.file} could not be opened`);
		return;
	}
	new Writer(connection, table, settle, port, tell, start.writeWaitMs, idleMs).run();
}

class Writer {
	private readonly ask;
	private readonly checkpoints;
	private readonly begin;
	private readonly commit;
	private readonly savepoint;
	private readonly release;
	private readonly undo;
	private waiting: (Call & { at: number })[] = [];
	private closing = false;
	private idle: NodeJS.Timeout | undefined;
	/** The next group is written again, each operation under a savepoint: one of it broke when part of it was written. */
	private careful = false;
	/** Groups that failed one after another, so that a full disk is two lines in the log and not two a message. */
	private failures = 0;

	constructor(
		private readonly connection: Connection,
		private readonly table: OperationTable,
		private readonly settle: NonNullable<WriterOptions["settle"]>,
		private readonly port: MessagePort,
		private readonly tell: (message: FromWriter) => void,
		private readonly writeWaitMs: number,
		private readonly idleMs: number,
	) {
		this.ask = asking(connection);
		this.checkpoints = checkpointsOf(connection, LOCK_TRY_MS);
		this.begin = connection.prepare("begin immediate");
		this.commit = connection.prepare("commit");
		this.savepoint = connection.prepare("savepoint operation");
		this.release = connection.prepare("release operation");
		this.undo = connection.prepare("rollback to operation");
	}

	run(): void {
		this.port.on("message", (message: ToWriter) => {
			this.take(message);
			this.work();
		});
		this.tell({ type: "ready" });
	}

	private take(message: ToWriter): void {
		if (message.type === "close") this.closing = true;
		else for (const call of JSON.parse(message.calls) as Call[]) this.waiting.push({ ...call, at: message.at });
	}

	/** Takes what has been sent meanwhile, without going back to the thread's own event loop. */
	private drain(): void {
		for (let more = receiveMessageOnPort(this.port); more; more = receiveMessageOnPort(this.port)) this.take(more.message as ToWriter);
	}

	private work(): void {
		clearTimeout(this.idle);
		this.drain();
		while (this.waiting.length > 0) {
			if (this.beginGroup()) {
				this.group();
				this.drain();
				this.checkpoint(() => this.checkpoints.step(this.waiting.length === 0));
			}
			this.drain();
		}
		if (this.closing) this.close();
		else this.idle = setTimeout(() => this.checkpoint(() => this.checkpoints.empty()), this.idleMs).unref();
	}

	/** False while somebody else holds the database: then those that have waited long enough were refused. */
	private beginGroup(): boolean {
		try {
			this.begin.run();
			return true;
		} catch (error) {
			const trouble = deviceTrouble(error);
			if (!trouble) throw error;
			const since = isBusy(error) ? monotonic() - this.writeWaitMs : Number.POSITIVE_INFINITY;
			const refusedNow = this.waiting.filter((call) => call.at <= since);
			if (refusedNow.length > 0) {
				this.waiting = this.waiting.filter((call) => call.at > since);
				this.fail(refusedNow, error, trouble);
			}
			return false;
		}
	}

	/** One transaction over what waits, oldest first. */
	private group(): void {
		const until = performance.now() + GROUP_MS;
		const group: Call[] = [];
		const answers: Answer[] = [];
		try {
			for (const call of this.waiting) {
				if (group.length === GROUP_MAX || (group.length > 0 && performance.now() > until)) break;
				group.push(call);
				answers.push(this.operation(call));
			}
			this.waiting.splice(0, group.length);
			this.settle(
				() => this.commit.run(),
				() => this.answerAll(answers),
			);
			this.careful = false;
		} catch (error) {
			if (this.connection.inTransaction) this.connection.exec("rollback");
			if (error === HALFWAY) {
				this.careful = true;
				return;
			}
			this.careful = false;
			if (this.waiting[0] === group[0]) this.waiting.splice(0, group.length);
			this.fail(group, error, deviceTrouble(error) ?? unavailable("The database gave the transaction up."));
			return;
		}
		if (this.failures > 0)
			this.tell({ type: "log", level: "info", fields: { refusedGroups: this.failures }, text: "The database takes writes again." });
		this.failures = 0;
	}

	/** Hands a group's answers over, some at a time: the event loop takes them in between other things. */
	private answerAll(answers: Answer[]): void {
		for (let at = 0; at < answers.length; at += ANSWERS_AT_ONCE) this.answer(answers.slice(at, at + ANSWERS_AT_ONCE));
	}

	/** Never throws: an answer that cannot be handed over is a bug of its operation and keeps no other one back. */
	private answer(answers: Answer[]): void {
		try {
			this.tell({ type: "answers", answers: handOver(answers) });
		} catch (error) {
			if (answers.length > 1) for (const one of answers) this.answer([one]);
			else for (const { id } of answers) this.answer([{ id, broke: { operation: "", fault: thrownFacts(error) } }]);
		}
	}

	/**
	 * Judges and writes one call. Throws only what has ended the whole transaction, or HALFWAY. What is refused is refused before
	 * anything of it is written; a savepoint for what hardly ever happens would copy every page that an operation touches.
	 */
	private operation({ id, name, input }: Call): Answer {
		let writes = false;
		try {
			const { answer, notices } = runSync(
				perform(this.table, name, input, () => {
					writes = true;
					if (this.careful) this.savepoint.run();
				}),
				this.ask,
			);
			if (writes && this.careful) this.release.run();
			return notices.length > 0 ? { id, answer: answer ?? null, notices } : { id, answer: answer ?? null };
		} catch (error) {
			if (!this.connection.inTransaction || deviceTrouble(error)) throw error;
			if (writes) {
				if (!this.careful) throw HALFWAY;
				this.undo.run();
				this.release.run();
			}
			return error instanceof DeskError ? { id, refusal: error.toWire() } : { id, broke: { operation: name, fault: thrownFacts(error) } };
		}
	}

	/** Refuses calls of which nothing was kept. */
	private fail(calls: Call[], error: unknown, refusal: DeskError): void {
		this.failures++;
		if (this.failures === 1)
			this.tell({
				type: "log",
				level: "error",
				fields: { fault: thrownFacts(error) },
				text: "The database refuses writes; each is tried as it comes.",
			});
		if (isDamage(error)) this.tell({ type: "damaged" });
		const wire = refusal.toWire();
		this.answer(calls.map(({ id }) => ({ id, refusal: wire })));
	}

	/** A checkpoint that fails (the disk is full) loses nothing: the log still has it all, and the next commit comes back to it. */
	private checkpoint(step: () => void): void {
		try {
			step();
		} catch (error) {
			if (isDamage(error)) this.tell({ type: "damaged" });
			else if (!deviceTrouble(error)) throw error;
		}
	}

	private close(): void {
		this.checkpoint(() => this.checkpoints.empty());
		this.connection.close();
		this.port.close();
	}
}
