/**
 * The store on one SQLite file, for one process. Writes are handed to the writer thread, those of one turn of the event loop
 * together, and resolve when it says that they are on disk; reads run here at once through a connection that cannot write.
 * The event loop never waits for the disk's sync or for a lock.
 */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { thrownFacts } from "../../shared/thrown.js";
import type { Clock, NoticeHint } from "../engine/ports.js";
import { bug, type Driver, type Log, monotonic, pause, runSync, stopping, unsure } from "./db.js";
import { handOver } from "./hand-over.js";
import { lockFolder } from "./lock.js";
import type { Steps } from "./sql.js";
import { asking, type Connection, damaged, databaseFile, deviceTrouble, isBusy, isDamage, makePrivateFile } from "./sqlite-connection.js";
import type { Answer, BackupStart, Call, FromWriter, ToWriter, WriterStart } from "./sqlite-writer.js";

export interface SqliteOptions {
	/** Folder of the database; made if it is not there. */
	dir: string;
	/** The module that the writer thread runs, as it is called when built: it calls `runWriter`. Where only its `.ts` is there, tsx loads it. */
	workerUrl: URL;
	/** Only its `now` is asked, for the dates of migrations. */
	clock: Pick<Clock, "now">;
	log: Log;
	/** Milliseconds a write waits for a lock that another program holds; LIMITS.writeWaitMs. */
	writeWaitMs?: number;
	/** Called once if the store can never be used again (damaged file, the thread died): end the process, so that it starts anew and says why. */
	onBroken?: (why: DeskError) => void;
}

/** Milliseconds between two tries of a read that meets a lock. Only a recovery of the log takes one that readers see. */
const READ_RETRY_MS = 5;

/** For the log, whoever comes upon it. */
const DAMAGED = "The database is damaged: restore a backup with: npx earthonline restore <file>";

/** The writer thread, from the built module or, where there is none, from the source. */
function startThread(url: URL, start: WriterStart | BackupStart): Worker {
	const options = { workerData: start, name: "writer", execArgv: [] };
	if (existsSync(fileURLToPath(url))) return new Worker(url, options);
	// Node 20 does not give a thread the loaders of its parent, so this one is given tsx before its module.
	const source = new URL(url.href.replace(/\.js$/, ".ts"));
	const code = `import { register } from ${JSON.stringify(import.meta.resolve("tsx/esm/api"))}; register(); await import(${JSON.stringify(source.href)});`;
	return new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), options);
}

/**
 * Opens the store of a folder: takes its lock, checks and migrates the file. Throws DeskError with a sentence for the owner
 * where the folder is in use, the file is damaged or newer than this program, or the disk would not be waited for.
 */
export async function openSqlite(options: SqliteOptions): Promise<Driver> {
	const unlock = lockFolder(options.dir);
	try {
		const file = databaseFile(options.dir);
		makePrivateFile(file);
		const writeWaitMs = options.writeWaitMs ?? LIMITS.writeWaitMs;
		const thread = startThread(options.workerUrl, { file, writeWaitMs, now: options.clock.now() });
		await firstWord(thread, "ready");
		return new SqliteDriver(thread, openReader(file), unlock, writeWaitMs, options);
	} catch (error) {
		unlock();
		throw error;
	}
}

/** Resolves with the first message of a thread; rejects with why it refused or died. Nobody listens to the thread afterwards. */
function firstWord<T extends FromWriter["type"]>(thread: Worker, type: T): Promise<Extract<FromWriter, { type: T }>> {
	return new Promise((resolve, reject) => {
		let refusal = new Error("The writer thread ended before it said a word.");
		thread.once("error", (error) => {
			refusal = error;
		});
		// Only then the file is closed, and the folder may be locked again.
		thread.once("exit", () => reject(refusal));
		thread.on("message", (message: FromWriter) => {
			if (message.type === "refused") refusal = DeskError.fromWire(message.error);
			if (message.type !== type) return;
			// By name: Node has listeners of its own there, without which no message comes any more.
			for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
			resolve(message as Extract<FromWriter, { type: T }>);
		});
	});
}

function openReader(file: string): Connection {
	const connection = new Database(file, { readonly: true, fileMustExist: true, timeout: 0 });
	connection.pragma("query_only = on");
	connection.pragma("temp_store = memory");
	connection.pragma("cache_size = -32768");
	return connection;
}

interface Waiting {
	resolve(answer: unknown): void;
	reject(error: DeskError): void;
}

class SqliteDriver implements Driver {
	private readonly ask;
	private readonly begin;
	private readonly end;
	private readonly waiting = new Map<number, Waiting>();
	/** JSON of answers that have come and are not yet given out; the first is being. */
	private readonly heard: string[] = [];
	private readonly noticed = new Set<(hint: NoticeHint) => void>();
	private batch: Call[] = [];
	private batchAt = 0;
	private lastId = 0;
	private broken: DeskError | undefined;
	private closing: Promise<void> | undefined;
	private drained: (() => void) | undefined;

	constructor(
		private readonly thread: Worker,
		private readonly reader: Connection,
		private readonly unlock: () => void,
		private readonly writeWaitMs: number,
		private readonly options: SqliteOptions,
	) {
		this.ask = asking(reader);
		this.begin = reader.prepare("begin");
		this.end = reader.prepare("commit");
		thread.on("message", (message: FromWriter) => this.hear(message));
		thread.on("error", (error) => this.lost(error));
		thread.on("exit", (code) => this.lost(new Error(`The writer thread ended (code ${code}).`)));
	}

	write(name: string, input: unknown): Promise<unknown> {
		const no = this.broken ?? (this.closing && stopping());
		if (no) return Promise.reject(no);
		return new Promise((resolve, reject) => {
			const id = ++this.lastId;
			this.waiting.set(id, { resolve, reject });
			if (this.batch.length === 0) {
				this.batchAt = monotonic();
				setImmediate(() => this.send());
			}
			this.batch.push({ id, name, input });
		});
	}

	/** Hands everything that was called in this turn of the event loop to the thread, in one message. */
	private send(): void {
		const calls = this.batch;
		this.batch = [];
		this.post(calls);
	}

	private post(calls: Call[]): void {
		try {
			this.thread.postMessage({ type: "write", calls: handOver(calls), at: this.batchAt } satisfies ToWriter);
		} catch (error) {
			// One of them cannot be handed over: the others must not fall with it.
			if (calls.length > 1) for (const call of calls) this.post([call]);
			else for (const { id, name } of calls) this.settle({ id, broke: { operation: name, fault: thrownFacts(error) } });
		}
	}

	private hear(message: FromWriter): void {
		if (message.type === "answers") {
			// All that the thread has sent comes in one go; what follows from an answer must not hold everything else up.
			if (this.heard.push(message.answers) === 1) this.settleNext();
		} else if (message.type === "log") {
			this.options.log(message.level, message.fields, message.text);
		} else if (message.type === "damaged") {
			this.breakWith(damaged(), DAMAGED);
		}
	}

	private settleNext(): void {
		const [next] = this.heard;
		if (next === undefined) return;
		this.settleAll(next);
		setImmediate(() => {
			this.heard.shift();
			this.settleNext();
		});
	}

	private settleAll(answers: string): void {
		for (const answer of JSON.parse(answers) as Answer[]) this.settle(answer);
	}

	private settle(answer: Answer): void {
		const waiting = this.waiting.get(answer.id);
		if (!waiting) return;
		this.waiting.delete(answer.id);
		if ("answer" in answer) {
			for (const notice of answer.notices ?? []) for (const listener of this.noticed) listener(notice);
			waiting.resolve(answer.answer);
		} else if ("refusal" in answer) waiting.reject(DeskError.fromWire(answer.refusal));
		else {
			this.options.log("error", answer.broke, "An operation broke; nothing of it was saved.");
			waiting.reject(bug());
		}
		if (this.waiting.size === 0) this.drained?.();
	}

	async read<T>(steps: () => Steps<T>): Promise<T> {
		const giveUpAt = monotonic() + this.writeWaitMs;
		for (;;) {
			if (this.broken) throw this.broken;
			if (!this.reader.open) throw stopping();
			try {
				return this.readOnce(steps());
			} catch (error) {
				if (isDamage(error)) this.breakWith(damaged(), DAMAGED, error);
				const trouble = deviceTrouble(error);
				if (!isBusy(error) || monotonic() >= giveUpAt) throw trouble ?? error;
			}
			await pause(READ_RETRY_MS);
		}
	}

	/** In one deferred transaction: all its questions see the same commit. */
	private readOnce<T>(steps: Steps<T>): T {
		this.begin.run();
		try {
			return runSync(steps, this.ask);
		} finally {
			if (this.reader.inTransaction) this.end.run();
		}
	}

	/** One process a folder: there is nobody else whose growth could be told. */
	onHint(): () => void {
		return () => {};
	}

	onNotice(listener: (hint: NoticeHint) => void): () => void {
		this.noticed.add(listener);
		return () => this.noticed.delete(listener);
	}

	/** In a thread of its own, by a connection of its own: neither reads nor writes wait for it. */
	async backup(to: string): Promise<{ bytes: number }> {
		const { bytes } = await firstWord(startThread(this.options.workerUrl, { backup: { dir: this.options.dir, to } }), "backedUp");
		return { bytes };
	}

	close(): Promise<void> {
		this.closing ??= this.shut();
		return this.closing;
	}

	private async shut(): Promise<void> {
		if (this.waiting.size > 0) {
			await new Promise<void>((resolve) => {
				this.drained = resolve;
			});
		}
		// The last connection to close empties the log, so that one must be the writer's.
		this.reader.close();
		if (this.broken) await this.thread.terminate();
		else {
			const exited = new Promise((resolve) => this.thread.removeAllListeners("exit").once("exit", resolve));
			this.thread.postMessage({ type: "close" } satisfies ToWriter);
			await exited;
		}
		this.unlock();
	}

	private lost(error: Error): void {
		this.breakWith(unsure("The server's writer has ended."), "The writer thread has ended; the server must be started again.", error);
	}

	/** Refuses everything from now on. What the thread had taken may or may not be on disk. */
	private breakWith(why: DeskError, text: string, error?: unknown): void {
		if (this.broken) return;
		this.broken = why;
		this.options.log("error", error === undefined ? {} : { error }, text);
		// What has come is known, whatever became of the thread.
		for (const answers of this.heard.splice(0)) this.settleAll(answers);
		for (const waiting of this.waiting.values()) waiting.reject(why);
		this.waiting.clear();
		this.drained?.();
		this.options.onBroken?.(why);
	}
}
