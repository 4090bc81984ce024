/**
 * The store on PostgreSQL, for one node of many. An operation is one transaction on a pooled connection; its statements whose
 * rows nobody looks at are sent without waiting, so that an operation costs a round trip a question and one for the commit.
 * What another node or a restart of the database spoils is tried again; what stays unsure is said to be unsure.
 */
import { createHash } from "node:crypto";
import { Client, DatabaseError, Pool, type PoolClient } from "pg";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Clock, Hint, NoticeHint } from "../engine/ports.js";
import {
	bug,
	checkValues,
	type Driver,
	grownOf,
	type Log,
	monotonic,
	type OperationTable,
	type Performed,
	pause,
	perform,
	refused,
	runAsync,
	stopping,
	unavailable,
	unsure,
} from "./db.js";
import { migratePostgres } from "./migrate.js";
import { HintListener, HintSender } from "./postgres-hints.js";
import type { Query, Row, SqlValue, Steps } from "./sql.js";

export interface PostgresOptions {
	/** `postgres://…`, as DATABASE_URL gives it. */
	url: string;
	table: OperationTable;
	/** Only its `now` is asked, for the dates of migrations. */
	clock: Pick<Clock, "now">;
	log: Log;
	/** Connections for writes and reads; one more listens. Default POOL_SIZE. */
	poolSize?: number;
	/** Milliseconds a write waits for the database before it is refused as retryable; LIMITS.writeWaitMs. */
	writeWaitMs?: number;
}

/** Two cores of database keep about this many connections busy. */
const POOL_SIZE = 10;
/** Milliseconds after which the database gives up a statement, and we the connection that does not say so. */
const STATEMENT_MS = 15_000;
const ANSWER_MS = 20_000;
/** Milliseconds after which the database takes the locks of a node that stopped in the middle of a transaction (G-34). */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Longest wait before an operation that met another one is run again, by how often that was: milliseconds, doubling up to the last. */
const MEETING_FIRST_MS = 10;
const MEETING_LAST_MS = 320;
/** Times an operation may make a row that is there already. More is no meeting: it does not look before it writes. */
const SAME_ROW_TRIES = 4;
/** Milliseconds between two tries to reach the database. */
const AWAY_WAIT_MS = 100;

const NO_ROWS: Row[] = [];

/** Values as SQLite gives them, by PostgreSQL's number of a type: bool; int8, int2, int4, float4, float8, numeric; the rest is text. */
const PARSERS: Record<number, (text: string) => SqlValue> = { 16: (text) => (text === "t" ? 1 : 0) };
for (const oid of [20, 21, 23, 700, 701, 1700]) PARSERS[oid] = Number;
const TYPES = { getTypeParser: (oid: number) => PARSERS[oid] ?? ((text: string) => text) };

interface Prepared {
	name: string;
	text: string;
}

/** A text in PostgreSQL's words: `?` outside of quotes becomes `$1`, `$2`…; `{lock}` takes the rows. Named by its hash, the same on every node. */
export function inPostgres(text: string): Prepared {
	let n = 0;
	const rewritten = text
		.replaceAll(/\{lock( of \w+)?\}/g, "for update$1")
		.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (found) => (found === "?" ? `$${++n}` : found));
	return { name: `q${createHash("sha256").update(rewritten).digest("hex").slice(0, 24)}`, text: rewritten };
}

/** What went wrong between us and the database, and not in what an operation does with its rows. */
class Trouble extends Error {
	constructor(
		override readonly cause: unknown,
		/** The commit had been sent: it may have happened. */
		readonly unsure: boolean,
	) {
		super(cause instanceof Error ? cause.message : String(cause));
	}

	/** SQLSTATE; empty where the connection itself failed. */
	get code(): string {
		return this.cause instanceof DatabaseError ? (this.cause.code ?? "") : "";
	}

	/** Two operations met: serialization failure, deadlock, or both made the same row. Seen again, there is one to look at. */
	get meeting(): boolean {
		return ["40001", "40P01", "23505"].includes(this.code);
	}

	/** The database is not there, or not able to: no connection (08), out of means (53), shutting down (57P), a standby (25006), a lock or statement that took too long. */
	get away(): boolean {
		return this.code === "" || /^(?:08|53|57P|58)/.test(this.code) || ["25006", "55P03", "57014", "25P03"].includes(this.code);
	}
}

/**
 * Connects, checks that the database waits for its disk, migrates it (one node at a time) and listens. Throws DeskError with a
 * sentence for the owner where that cannot be.
 */
export async function openPostgres(options: PostgresOptions): Promise<Driver> {
	const first = new Client({ connectionString: options.url, connectionTimeoutMillis: ANSWER_MS });
	first.on("error", () => {});
	try {
		await first.connect();
		await checkServer(first);
		await migratePostgres(first, options.clock.now());
	} catch (error) {
		if (error instanceof DeskError) throw error;
		throw refused(
			`The database that DATABASE_URL names cannot be used: ${(error as Error).message}. Check the address, and that its user may create tables.`,
		);
	} finally {
		await first.end().catch(() => {});
	}
	const driver = new PostgresDriver(options);
	await driver.listen();
	return driver;
}

async function checkServer(client: Client): Promise<void> {
	const { rows } = await client.query<{ sync: string; fsync: string; encoding: string }>(
		"select current_setting('synchronous_commit') as sync, current_setting('fsync') as fsync, current_setting('server_encoding') as encoding",
	);
	const [server] = rows;
	if (server?.sync === "off" || server?.fsync === "off") {
		throw refused(
			"The database does not wait for its disk (synchronous_commit or fsync is off), so an acknowledged message could be lost. Turn both on and start again.",
		);
	}
	if (server?.encoding !== "UTF8") throw refused(`The database keeps text as ${server?.encoding}; it must be one with the encoding UTF8.`);
}

class PostgresDriver implements Driver {
	private readonly pool: Pool;
	private readonly hints: HintSender;
	private readonly listener: HintListener;
	private readonly prepared = new Map<string, Prepared>();
	/** First texts of the reads that ask more than one question, and so need a transaction. */
	private readonly several = new Set<string>();
	/** The last write of each lane that has not ended. */
	private readonly lanes = new Map<string, Promise<unknown>>();
	private readonly running = new Set<Promise<unknown>>();
	private readonly writeWaitMs: number;
	private closing: Promise<void> | undefined;

	constructor(private readonly options: PostgresOptions) {
		this.writeWaitMs = options.writeWaitMs ?? LIMITS.writeWaitMs;
		this.pool = new Pool({
			connectionString: options.url,
			max: options.poolSize ?? POOL_SIZE,
			pipeline: true,
			connectionTimeoutMillis: this.writeWaitMs,
			idleTimeoutMillis: 30_000,
			keepAlive: true,
			lock_timeout: this.writeWaitMs,
			statement_timeout: STATEMENT_MS,
			query_timeout: ANSWER_MS,
			idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
			application_name: "earthonline",
			types: TYPES,
		});
		// A connection that breaks rejects what was asked of it; the event on top would end the process.
		this.pool.on("error", () => {});
		this.pool.on("connect", (client) => client.on("error", () => {}));
		this.hints = new HintSender(this.pool);
		this.listener = new HintListener(
			{ connectionString: options.url, application_name: "earthonline hints" },
			(backend) => this.hints.isOurs(backend),
			options.log,
		);
	}

	listen(): Promise<void> {
		return this.listener.start();
	}

	write(name: string, input: unknown): Promise<unknown> {
		if (this.closing) return Promise.reject(stopping());
		const lanes = this.options.table[name]?.lanes?.(input) ?? [""];
		const before = lanes.flatMap((lane) => this.lanes.get(lane) ?? []);
		const mine = before.length > 0 ? Promise.all(before).then(() => this.persist(name, input)) : this.persist(name, input);
		// Those behind wait for its end, however it ends.
		const ended = mine.then(
			() => {},
			() => {},
		);
		for (const lane of lanes) this.lanes.set(lane, ended);
		this.running.add(ended);
		void ended.then(() => {
			this.running.delete(ended);
			for (const lane of lanes) if (this.lanes.get(lane) === ended) this.lanes.delete(lane);
		});
		return mine;
	}

	/** Runs an operation until it has an end that its caller can be told. */
	private async persist(name: string, input: unknown): Promise<unknown> {
		try {
			const { answer, notices } = await this.again(() => this.withClient((client) => this.operation(client, name, input)));
			this.hints.send(grownOf(answer), notices);
			for (const notice of notices) this.listener.notice(notice);
			return answer;
		} catch (error) {
			if (error instanceof DeskError) throw error;
			this.options.log("error", { operation: name, error }, "An operation broke; nothing of it was saved.");
			throw bug();
		}
	}

	/** Tries again what met another transaction, and for a while what did not reach the database. */
	private async again<T>(work: () => Promise<T>): Promise<T> {
		const giveUpAt = monotonic() + this.writeWaitMs;
		for (let tries = 1; ; tries++) {
			let wait: number;
			try {
				return await work();
			} catch (error) {
				if (!(error instanceof Trouble)) throw error;
				const late = monotonic() >= giveUpAt;
				if (error.code === "23505" && tries >= SAME_ROW_TRIES) throw error;
				if (error.meeting && late) throw unavailable("The database is busy.");
				if (error.meeting) wait = Math.random() * Math.min(MEETING_FIRST_MS * 2 ** tries, MEETING_LAST_MS);
				else if (!error.away) throw error;
				else if (error.unsure) throw unsure("The database was lost in the middle of an answer.");
				else if (late) throw unavailable("The database does not answer.");
				else wait = AWAY_WAIT_MS;
			}
			await pause(wait);
		}
	}

	private async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
		const client = await this.pool.connect().catch((error: unknown) => {
			throw new Trouble(error, false);
		});
		let gone: Error | undefined;
		try {
			return await work(client);
		} catch (error) {
			if (error instanceof Trouble && error.away) gone = error;
			else {
				await client.query("rollback").catch((failed: Error) => {
					gone = failed;
				});
			}
			throw error;
		} finally {
			client.release(gone);
		}
	}

	/** One question. Rejects with Trouble. A blind one is left in `sent`. */
	private asking(client: PoolClient, sent?: Promise<unknown>[]): (query: Query) => Row[] | Promise<Row[]> {
		return ({ text, values, blind }) => {
			checkValues(values);
			const known = this.prepared.get(text) ?? inPostgres(text);
			this.prepared.set(text, known);
			const asked = client.query<Row>({ name: known.name, text: known.text, values: values as unknown[] });
			if (blind && sent) {
				sent.push(quietly(asked));
				return NO_ROWS;
			}
			return asked.then(
				(result) => result.rows,
				(error: unknown) => {
					throw new Trouble(error, false);
				},
			);
		};
	}

	private async operation(client: PoolClient, name: string, input: unknown): Promise<Performed> {
		const sent: Promise<unknown>[] = [quietly(client.query("begin"))];
		let performed: Performed;
		try {
			performed = await runAsync(perform(this.options.table, name, input), this.asking(client, sent));
		} catch (error) {
			// A blind statement that failed makes all after it fail too: its error is the one that says why.
			throw (error instanceof Trouble && (await firstFailure(sent, false))) || error;
		}
		const committed = client.query("commit");
		sent.push(quietly(committed));
		const failure = await firstFailure(sent, true);
		if (failure) throw failure;
		// PostgreSQL answers the commit of a failed transaction by rolling it back, and calls that no error.
		const { command } = await committed;
		if (command !== "COMMIT") throw new Error(`A transaction ended with ${command} though none of its statements had failed.`);
		return performed;
	}

	async read<T>(steps: () => Steps<T>): Promise<T> {
		if (this.closing) throw stopping();
		return this.again(() => this.withClient((client) => this.readOnce(client, steps)));
	}

	/** A single question sees one point in time by itself; several are asked again in a transaction, from the first on. */
	private async readOnce<T>(client: PoolClient, steps: () => Steps<T>): Promise<T> {
		const ask = this.asking(client);
		const alone = steps();
		const first = alone.next();
		if (first.done) return first.value;
		const { text } = first.value;
		if (!this.several.has(text)) {
			const next = alone.next(await ask(first.value));
			if (next.done) return next.value;
			this.several.add(text);
		}
		const sent = [quietly(client.query("begin isolation level repeatable read read only"))];
		const result = await runAsync(steps(), ask);
		sent.push(quietly(client.query("commit")));
		const failure = await firstFailure(sent, false);
		if (failure) throw failure;
		return result;
	}

	onHint(listener: (hint: Hint) => void): () => void {
		return this.listener.on(listener);
	}

	onNotice(listener: (hint: NoticeHint) => void): () => void {
		return this.listener.onNotice(listener);
	}

	backup(): Promise<never> {
		return Promise.reject(refused("This store is a PostgreSQL database: back it up with pg_dump, and restore it with pg_restore."));
	}

	close(): Promise<void> {
		this.closing ??= this.shut();
		return this.closing;
	}

	private async shut(): Promise<void> {
		while (this.running.size > 0) await Promise.all(this.running);
		await this.hints.idle();
		await this.listener.close();
		await this.pool.end();
	}
}

/** The promise, whose rejection somebody else looks at later. */
function quietly<T>(promise: Promise<T>): Promise<T> {
	promise.catch(() => {});
	return promise;
}

/** Waits for all that was sent; the first of it that failed. `commitLast`: its last is the commit, which if it fails by itself leaves us unsure. */
async function firstFailure(sent: readonly Promise<unknown>[], commitLast: boolean): Promise<Trouble | undefined> {
	const ended = await Promise.allSettled(sent);
	const at = ended.findIndex((end) => end.status === "rejected");
	const failed = ended[at];
	if (failed?.status !== "rejected") return undefined;
	const lost = !(failed.reason instanceof DatabaseError);
	return new Trouble(failed.reason, commitLast && (at === ended.length - 1 || lost));
}
