/**
 * How events get from the log to sockets. A follower reads one context for one socket and hands on a page only when the last
 * one has drained, so that a slow socket costs a page and is served from the log later; a fan-out takes followers in turns,
 * so that an event for ten thousand sockets never holds up the loop. In order, once each, nothing left out.
 */
import { LIMITS } from "../../shared/limits.js";
import type { Engine, Following, JsonText } from "../engine/engine.js";

/** Work of one turn of the loop, in followers that are served from memory: some milliseconds. */
const BUDGET = 64;
/** What a follower costs that has to read the log. */
const COLD = 8;
/** A page below this was not cut: there is no more behind it than has come in meanwhile. */
const SMALL_PAGE_BYTES = LIMITS.catchUpPageBytes / 16;
/** Signals that wait for a socket which does not drain. Typing is soon old, and only the last mark of what was seen counts. */
const SIGNALS = 16;

/** What a follower needs of its socket. */
export interface Line {
	/** What was written has not drained: nothing more until `Follower.drained`. */
	readonly full: boolean;
	/** Writes events in order. Returns their bytes. */
	writeEvents(events: readonly JsonText[]): number;
	/** The log could not be read. */
	failed(error: unknown): void;
}

/** Serves the followers that have something to read, some at a time. One a server. */
export class Fanout {
	private waiting: Follower[] = [];
	private scheduled = false;

	ready(follower: Follower): void {
		if (follower.queued) return;
		follower.queued = true;
		this.waiting.push(follower);
		this.schedule();
	}

	private schedule(): void {
		if (this.scheduled) return;
		this.scheduled = true;
		setImmediate(this.run);
	}

	private readonly run = (): void => {
		this.scheduled = false;
		let cost = 0;
		let taken = 0;
		while (taken < this.waiting.length && cost < BUDGET) cost += (this.waiting[taken++] as Follower).cold ? COLD : 1;
		const batch = this.waiting.splice(0, taken);
		if (this.waiting.length > 0) this.schedule();
		for (const follower of batch) {
			follower.queued = false;
			void follower.serve();
		}
	};
}

export interface FollowerParts {
	engine: Pick<Engine, "follow" | "onSignal">;
	fanout: Fanout;
	line: Line;
}

export class Follower {
	queued = false;
	/** Its next page comes from the log. */
	cold = true;
	/** Last number that was written to the socket. */
	seq = 0;
	/** `stateHash` of the context at `hashedSeq`. */
	hash = "";
	hashedSeq = -1;
	/** Texts of signals that this socket is just causing: it knows them. */
	muted: JsonText[] | undefined;
	private following: Following | undefined;
	private stopSignals: (() => void) | undefined;
	private signals: JsonText[] | undefined;
	private waiters: { seq: number; resolve: () => void }[] | undefined;
	private reading = false;
	private closed = false;

	constructor(
		private readonly parts: FollowerParts,
		readonly contextId: string,
	) {}

	/** Begins to read after a seq. `signals`: typing and seen are wanted too. */
	start(conversationId: number, after: number, signals: boolean): void {
		if (this.closed || this.following) return;
		const { engine, fanout } = this.parts;
		this.seq = after;
		this.following = engine.follow(conversationId, this.contextId, after, () => fanout.ready(this));
		if (signals) this.stopSignals = engine.onSignal(conversationId, (json) => this.signal(json));
		fanout.ready(this);
	}

	/** It holds everything that there is now. */
	get resting(): boolean {
		return this.following !== undefined && !this.queued && !this.reading && !this.parts.line.full;
	}

	/** The socket has drained. */
	drained(): void {
		if (this.following) this.parts.fanout.ready(this);
	}

	/** Resolves when everything up to `seq` has been written, or when nothing more will be. */
	reached(seq: number): Promise<void> {
		if (this.closed || this.seq >= seq) return Promise.resolve();
		return new Promise((resolve) => {
			this.waiters ??= [];
			this.waiters.push({ seq, resolve });
		});
	}

	close(): void {
		this.closed = true;
		this.following?.close();
		this.stopSignals?.();
		this.settle();
	}

	/** One page, or all that is small. Called by the fan-out. */
	async serve(): Promise<void> {
		const { line, fanout } = this.parts;
		if (this.closed || line.full) return;
		if (this.signals) {
			line.writeEvents(this.signals);
			this.signals = undefined;
		}
		// A read that is on its way goes on by itself.
		if (this.reading || !this.following) return;
		this.reading = true;
		try {
			for (;;) {
				const page = await this.following.next(LIMITS.catchUpPageBytes);
				if (this.closed) return;
				if (page === null) {
					this.cold = false;
					return;
				}
				const bytes = line.writeEvents(page);
				this.seq = this.following.seq;
				this.settle();
				this.cold = bytes >= SMALL_PAGE_BYTES;
				// Full: `drained` comes. Much: the others first.
				if (line.full) return;
				if (this.cold) return fanout.ready(this);
			}
		} catch (error) {
			line.failed(error);
		} finally {
			this.reading = false;
		}
	}

	private signal(json: JsonText): void {
		if (this.muted?.includes(json) || this.signals?.includes(json)) return;
		this.signals ??= [];
		if (this.signals.length >= SIGNALS) this.signals.shift();
		this.signals.push(json);
		this.parts.fanout.ready(this);
	}

	private settle(): void {
		if (!this.waiters) return;
		const { waiters } = this;
		this.waiters = waiters.filter((w) => !this.closed && w.seq > this.seq);
		for (const waiter of waiters) if (!this.waiters.includes(waiter)) waiter.resolve();
		if (this.waiters.length === 0) this.waiters = undefined;
	}
}
