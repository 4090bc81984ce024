/**
 * Hints between nodes by LISTEN/NOTIFY: "this conversation has grown to here", "there is a notice with this number". Sent after the
 * commit, because a pending NOTIFY holds a lock over the whole database at commit, and gathered over one turn of the event loop. A hint
 * may be lost (a connection that breaks); whoever needs to be sure polls the log, and the notices (design.md, "Storage").
 */
import { Client, type ClientConfig, type Pool, type PoolClient } from "pg";
import type { Hint, NoticeHint } from "../engine/ports.js";
import type { Growth, Log } from "./db.js";

export const CHANNEL = "hints";
/** What stands in a payload where a conversation's number would. */
const NOTICE = "notice";

/** How often a quiet listener is asked whether it is still there, and how long it may take to say so: milliseconds (G-31). */
const PROBE_EVERY_MS = 5_000;
const PROBE_WAIT_MS = 4_000;
/** Waits between two tries to listen again: milliseconds, doubling. */
const RETRY_FIRST_MS = 100;
const RETRY_LAST_MS = 5_000;

/** Tells the other nodes of growth and of notices. */
export class HintSender {
	private grown = new Map<number, number>();
	/** The last notice that is to be told; 0: none. Who hears of it reads those before it too. */
	private noticed = 0;
	private waits = false;
	private sending: Promise<unknown> = Promise.resolve();
	/** Backends of our own connections: what they notify, this process knows already. */
	private readonly backends = new Set<number>();

	constructor(private readonly pool: Pool) {
		pool.on("connect", (client) => this.backends.add(backendOf(client)));
		pool.on("remove", (client) => this.backends.delete(backendOf(client)));
	}

	isOurs(backend: number): boolean {
		return this.backends.has(backend);
	}

	send(grown: readonly Growth[], notices: readonly NoticeHint[]): void {
		if (grown.length === 0 && notices.length === 0) return;
		if (!this.waits) setImmediate(() => this.flush());
		this.waits = true;
		for (const { id } of notices) this.noticed = Math.max(id, this.noticed);
		for (const { conversationId, seq } of grown) this.grown.set(conversationId, Math.max(seq, this.grown.get(conversationId) ?? 0));
	}

	private flush(): void {
		const payloads = [...this.grown].map(([conversationId, seq]) => `${conversationId}:${seq}`);
		if (this.noticed > 0) payloads.push(`${NOTICE}:${this.noticed}`);
		this.grown.clear();
		this.noticed = 0;
		this.waits = false;
		if (payloads.length === 0) return;
		// A failure is one of the ways in which hints are lost.
		const sent = this.pool
			.query({ name: "notify", text: `select pg_notify('${CHANNEL}', p) from unnest($1::text[]) as p`, values: [payloads] })
			.catch(() => {});
		this.sending = Promise.all([this.sending, sent]);
	}

	/** Resolves when what was given so far has been sent, or lost. */
	async idle(): Promise<void> {
		this.flush();
		await this.sending;
	}
}

const backendOf = (client: PoolClient): number => (client as unknown as { processID: number }).processID;

/** What a notification says, or undefined for one that is not ours to read. */
function hintOf(payload = ""): Hint | NoticeHint | undefined {
	const [, about, number] = /^(\d{1,15}|notice):(\d{1,15})$/.exec(payload) ?? [];
	if (number === undefined) return undefined;
	return about === NOTICE ? { id: Number(number) } : { conversationId: Number(about), seq: Number(number) };
}

/** Listens on one connection of its own, and on a new one whenever that is gone. */
export class HintListener {
	private client: Client | undefined;
	private retryMs = RETRY_FIRST_MS;
	private timer: NodeJS.Timeout | undefined;
	private closed = false;
	private readonly listeners = new Set<(hint: Hint) => void>();
	private readonly noticeListeners = new Set<(hint: NoticeHint) => void>();

	constructor(
		private readonly config: ClientConfig,
		private readonly isOurs: (backend: number) => boolean,
		private readonly log: Log,
	) {}

	on(listener: (hint: Hint) => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	onNotice(listener: (hint: NoticeHint) => void): () => void {
		this.noticeListeners.add(listener);
		return () => this.noticeListeners.delete(listener);
	}

	/** Tells of a notice, this process's own too. */
	notice(hint: NoticeHint): void {
		for (const listener of this.noticeListeners) listener(hint);
	}

	/** Resolves when it listens; rejects, and does not try again, if the first try fails. */
	async start(): Promise<void> {
		const client = new Client({ ...this.config, query_timeout: PROBE_WAIT_MS, connectionTimeoutMillis: PROBE_WAIT_MS, keepAlive: true });
		client.on("error", () => this.lost(client));
		client.on("end", () => this.lost(client));
		client.on("notification", ({ processId, payload }) => {
			const hint = this.isOurs(processId) ? undefined : hintOf(payload);
			if (!hint) return;
			if ("id" in hint) this.notice(hint);
			else for (const listener of this.listeners) listener(hint);
		});
		try {
			await client.connect();
			await client.query(`listen ${CHANNEL}`);
		} catch (error) {
			void client.end().catch(() => {});
			throw error;
		}
		this.client = client;
		if (this.closed) return this.close();
		this.retryMs = RETRY_FIRST_MS;
		this.probeLater(client);
	}

	/** A connection can die without a word; only a question finds out. */
	private probeLater(client: Client): void {
		this.timer = setTimeout(() => {
			client.query("select 1").then(
				() => this.client === client && this.probeLater(client),
				() => this.lost(client),
			);
		}, PROBE_EVERY_MS);
	}

	private lost(client: Client): void {
		if (this.client !== client) return;
		this.client = undefined;
		clearTimeout(this.timer);
		void client.end().catch(() => {});
		if (this.closed) return;
		this.log(
			"warn",
			{ retryInMs: this.retryMs },
			"The connection that hears other nodes was lost; until it is back their news comes with the poll.",
		);
		this.retryLater();
	}

	private retryLater(): void {
		const wait = this.retryMs;
		this.retryMs = Math.min(2 * wait, RETRY_LAST_MS);
		this.timer = setTimeout(() => {
			this.start().catch(() => {
				if (!this.closed) this.retryLater();
			});
		}, wait);
	}

	async close(): Promise<void> {
		this.closed = true;
		clearTimeout(this.timer);
		const client = this.client;
		this.client = undefined;
		await client?.end().catch(() => {});
	}
}
