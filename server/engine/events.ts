/**
 * Who reads a conversation as it grows. The log is the truth: what is published here is only a hint to read, with the events
 * added when this process wrote them, so that thousands of readers of one event do not ask the store for it one by one. A
 * slow reader costs its own short queue and then reads from the log; it never holds up a turn (reliability.md G-12, G-15).
 */
import { LIMITS } from "../../shared/limits.js";
import type { Following, JsonText } from "./engine.js";
import type { Hint, StoredEvent } from "./ports.js";
import type { Reads } from "./reads.js";
import { logEventText } from "./views.js";

/** Events, and bytes of them, that a reader may have waiting in memory before it is sent back to the log. */
const QUEUE = 256;
const QUEUE_BYTES = 256 * 1024;
/** Events asked of the log at a time. */
const PAGE = 500;

/** Bytes of events kept for readers that begin just after they were written, and how many of one conversation. */
const RECENT_BYTES = 4 * 1024 * 1024;
const RECENT_EVENTS = 32;

/** The ends of the logs that have grown last: a reader that begins there need not ask the store. */
class Recent {
	private readonly ends = new Map<number, StoredEvent[]>();
	private bytes = 0;

	add(conversationId: number, events: readonly StoredEvent[]): void {
		const before = this.ends.get(conversationId) ?? [];
		const begin = events[0]?.seq ?? 0;
		// Two writes of one commit may be published the other way round: what stands here stays the end of its log.
		const later = begin <= (before.at(-1)?.seq ?? 0);
		const follows = later ? events.at(-1)?.seq === (before[0]?.seq ?? 0) - 1 : before.at(-1)?.seq === begin - 1;
		const joined = later ? (follows ? [...events, ...before] : before) : follows ? [...before, ...events] : [...events];
		this.drop(conversationId, before);
		const kept = joined.slice(-RECENT_EVENTS);
		this.ends.set(conversationId, kept);
		this.bytes += sizeOf(kept);
		for (const [oldest, old] of this.ends) {
			if (this.bytes <= RECENT_BYTES) break;
			this.drop(oldest, old);
		}
	}

	/** What follows a seq, if the end of this log is known from there on. */
	after(conversationId: number, seq: number): StoredEvent[] | undefined {
		const known = this.ends.get(conversationId);
		const first = known?.[0];
		return known && first && first.seq <= seq + 1 ? known.filter((e) => e.seq > seq) : undefined;
	}

	clear(): void {
		this.ends.clear();
		this.bytes = 0;
	}

	private drop(conversationId: number, events: readonly StoredEvent[]): void {
		this.ends.delete(conversationId);
		this.bytes -= sizeOf(events);
	}
}

const sizeOf = (events: readonly StoredEvent[]): number => events.reduce((sum, e) => sum + e.body.length, 0);

/** Reads one conversation's log from a seq, in order and without a gap. */
export interface LogReader {
	/** seq of the last event given. */
	readonly seq: number;
	/** The next events, each with the first number that it stands for; null: nothing more now, `wake` is called at the next growth. */
	next(maxBytes: number): Promise<{ event: StoredEvent; from: number }[] | null>;
	close(): void;
}

class Reader implements LogReader {
	private queue: StoredEvent[] = [];
	private bytes = 0;
	private behind = true;
	private asleep = false;
	constructor(
		private readonly hub: Events,
		private readonly conversationId: number,
		public seq: number,
		private readonly wake: () => void,
		recent: StoredEvent[] | undefined,
	) {
		if (recent) {
			this.queue = recent;
			this.bytes = sizeOf(recent);
			this.behind = false;
		}
	}

	offer(events: readonly StoredEvent[] | undefined, bytes: number): void {
		if (!events || this.queue.length + events.length > QUEUE || this.bytes + bytes > QUEUE_BYTES) {
			this.fallBehind();
		} else {
			// Kept also while the log is being read: that read may have begun before this was written.
			this.queue.push(...events);
			this.bytes += bytes;
		}
		if (this.asleep) {
			this.asleep = false;
			this.wake();
		}
	}

	async next(maxBytes: number): Promise<{ event: StoredEvent; from: number }[] | null> {
		for (;;) {
			if (!this.behind) {
				const ready = this.take(maxBytes);
				if (ready.length > 0) return ready;
				if (this.behind) continue;
				this.asleep = true;
				return null;
			}
			this.behind = false;
			const page = await this.hub.readPage(this.conversationId, this.seq, maxBytes);
			if (page.length > 0) {
				// More may stand behind a page that was cut.
				this.behind = true;
				return page.map((event) => this.pass(event));
			}
		}
	}

	private take(maxBytes: number): { event: StoredEvent; from: number }[] {
		const ready: { event: StoredEvent; from: number }[] = [];
		let bytes = 0;
		while (this.queue.length > 0) {
			const event = this.queue[0] as StoredEvent;
			if (event.seq > this.seq + 1) {
				// A hint was lost: the log has what is between.
				this.fallBehind();
				break;
			}
			if (ready.length > 0 && bytes + event.body.length > maxBytes) break;
			this.queue.shift();
			this.bytes -= event.body.length;
			if (event.seq <= this.seq) continue;
			bytes += event.body.length;
			ready.push(this.pass(event));
		}
		return ready;
	}

	private fallBehind(): void {
		this.queue = [];
		this.bytes = 0;
		this.behind = true;
	}

	private pass(event: StoredEvent): { event: StoredEvent; from: number } {
		const from = this.seq + 1;
		this.seq = event.seq;
		return { event, from };
	}

	close(): void {
		this.hub.remove(this.conversationId, this);
	}
}

export class Events {
	private readonly readers = new Map<number, Set<Reader>>();
	private readonly signals = new Map<number, Set<(json: JsonText) => void>>();

	private readonly recent = new Recent();

	/** `alone`: nobody else writes to the store, so what is published here is all there is. */
	constructor(
		private readonly reads: Pick<Reads, "events">,
		private readonly alone: boolean,
	) {}

	/** Tells the readers of a conversation that its log has grown. */
	publish(hint: Hint): void {
		if (this.alone && hint.events) this.recent.add(hint.conversationId, hint.events);
		const readers = this.readers.get(hint.conversationId);
		if (!readers) return;
		const bytes = hint.events ? sizeOf(hint.events) : 0;
		for (const reader of readers) reader.offer(hint.events, bytes);
	}

	/** What was written before has been rewritten: readers that begin now read it from the store. */
	forgetRecent(): void {
		this.recent.clear();
	}

	/** Every reader looks at the log again: after hints may have been lost. */
	wakeAll(): void {
		for (const readers of this.readers.values()) for (const reader of readers) reader.offer(undefined, 0);
	}

	read(conversationId: number, after: number, wake: () => void): LogReader {
		const reader = new Reader(this, conversationId, after, wake, this.recent.after(conversationId, after));
		const readers = this.readers.get(conversationId) ?? new Set();
		this.readers.set(conversationId, readers.add(reader));
		return reader;
	}

	/** The same as wire text for a chat's socket. */
	follow(conversationId: number, contextId: string, after: number, wake: () => void): Following {
		const reader = this.read(conversationId, after, wake);
		return {
			get seq() {
				return reader.seq;
			},
			async next(maxBytes) {
				const events = await reader.next(maxBytes);
				return events === null ? null : events.map(({ event, from }) => logEventText(contextId, event, from));
			},
			close: () => reader.close(),
		};
	}

	readPage(conversationId: number, after: number, maxBytes: number): Promise<StoredEvent[]> {
		return this.reads.events(conversationId, after, PAGE, Math.min(maxBytes, LIMITS.catchUpPageBytes));
	}

	remove(conversationId: number, reader: Reader): void {
		const readers = this.readers.get(conversationId);
		readers?.delete(reader);
		if (readers?.size === 0) this.readers.delete(conversationId);
	}

	/** Typing, seen: of the moment, in no log. */
	signal(conversationId: number, json: JsonText): void {
		for (const listener of this.signals.get(conversationId) ?? []) listener(json);
	}

	onSignal(conversationId: number, listener: (json: JsonText) => void): () => void {
		const listeners = this.signals.get(conversationId) ?? new Set();
		this.signals.set(conversationId, listeners.add(listener));
		return () => {
			listeners.delete(listener);
			if (listeners.size === 0) this.signals.delete(conversationId);
		};
	}
}
