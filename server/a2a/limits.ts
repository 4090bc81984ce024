/**
 * How much one caller may ask of the A2A doors: requests an address, messages a guest, open streams a caller. All counts
 * live in this process's memory, by the injected clock (rate-limiter-flexible, the usual choice, reads the system's clock
 * and keeps a timer a key, so nothing of it could be tested without sleeping). Refuses with `rate_limited` and when to come back.
 */
import { DeskError } from "../../shared/errors.js";
import type { Limits } from "../../shared/limits.js";
import { siteOf } from "../callers.js";
import type { Clock } from "../engine/ports.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Counts a key over a sliding window: the running window's count and the one before, weighed by how much of it still lies
 * within the last `lengthMs`. Two maps that change places hold it, so what was not seen for two windows costs no memory.
 */
export class SlidingWindow {
	private index = 0;
	private current = new Map<string, number>();
	private previous = new Map<string, number>();

	constructor(
		private readonly lengthMs: number,
		private readonly limit: number,
		private readonly clock: Clock,
	) {}

	/** Whole seconds until one more is allowed; 0: it is allowed now. Counts nothing. */
	waitSeconds(key: string): number {
		const elapsed = this.turn();
		const now = this.current.get(key) ?? 0;
		if (now === 0 && this.previous.size === 0) return 0;
		const before = this.previous.get(key) ?? 0;
		const share = (at: number): number => before * (1 - at / this.lengthMs);
		if (now + share(elapsed) + 1 <= this.limit) return 0;
		// Within this window the share of the last one falls evenly; if that is not enough, the next one begins with ours as its last.
		const room = this.limit - 1 - now;
		const atMs =
			room >= 0 && before > 0
				? this.lengthMs * (1 - room / before)
				: this.lengthMs + this.lengthMs * Math.max(0, 1 - (this.limit - 1) / Math.max(now, 1));
		return Math.max(1, Math.ceil((atMs - elapsed) / 1000));
	}

	count(key: string): void {
		this.turn();
		this.current.set(key, (this.current.get(key) ?? 0) + 1);
	}

	/** Turns to the window of now. Returns the milliseconds gone by within it. */
	private turn(): number {
		const now = this.clock.elapsed();
		const index = Math.floor(now / this.lengthMs);
		if (index !== this.index) {
			this.previous = index === this.index + 1 ? this.current : new Map();
			this.current = new Map();
			this.index = index;
		}
		return now - index * this.lengthMs;
	}
}

const refuse = (limit: number, seconds: number, text: string): never => {
	throw new DeskError("rate_limited", `${text} Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`, {
		retryAfterSeconds: seconds,
		metadata: { limit: String(limit) },
	});
};

export type GateLimits = Pick<
	Limits,
	"requestsPerMinutePerAddress" | "requestsPerMinutePerSite" | "guestMessagesPerMinute" | "guestMessagesPerHour" | "streamsPerCaller"
>;

/** One for all A2A doors of a process, so that a caller has one allowance whichever binding it takes. */
export class Gate {
	private readonly addresses: SlidingWindow;
	private readonly sites: SlidingWindow;
	private readonly minute: SlidingWindow;
	private readonly hour: SlidingWindow;
	private readonly streams = new Map<string, number>();
	/** Messages let in lately, so that a retry, whose answer may have been lost, costs no allowance and is never refused for it. */
	private lately = new Set<string>();
	private before = new Set<string>();
	private latelyIndex = 0;

	constructor(
		private readonly clock: Clock,
		private readonly limits: GateLimits,
	) {
		this.addresses = new SlidingWindow(MINUTE_MS, limits.requestsPerMinutePerAddress, clock);
		this.sites = new SlidingWindow(MINUTE_MS, limits.requestsPerMinutePerSite, clock);
		this.minute = new SlidingWindow(MINUTE_MS, limits.guestMessagesPerMinute, clock);
		this.hour = new SlidingWindow(HOUR_MS, limits.guestMessagesPerHour, clock);
	}

	/** One request of an address (a network of addresses, `callers.ts`), before anything of it is parsed. Throws `rate_limited`. */
	request(network: string): void {
		const wait = this.addresses.waitSeconds(network);
		if (wait > 0) refuse(this.limits.requestsPerMinutePerAddress, wait, "Too many requests from this address.");
		const site = siteOf(network);
		if (site !== undefined) {
			const later = this.sites.waitSeconds(site);
			if (later > 0) refuse(this.limits.requestsPerMinutePerSite, later, "Too many requests from this network.");
			this.sites.count(site);
		}
		this.addresses.count(network);
	}

	/** One message of a guest. `retryKey`: what makes it the same message when it is sent again; null: nothing does. Throws `rate_limited`. */
	guestMessage(guest: string, retryKey: string | null): void {
		const index = Math.floor(this.clock.elapsed() / MINUTE_MS);
		if (index !== this.latelyIndex) {
			this.before = index === this.latelyIndex + 1 ? this.lately : new Set();
			this.lately = new Set();
			this.latelyIndex = index;
		}
		const key = retryKey === null ? null : `${guest}\n${retryKey}`;
		if (key !== null && (this.lately.has(key) || this.before.has(key))) return;
		const soon = this.minute.waitSeconds(guest);
		if (soon > 0) refuse(this.limits.guestMessagesPerMinute, soon, "Too many messages within a minute.");
		const late = this.hour.waitSeconds(guest);
		if (late > 0) refuse(this.limits.guestMessagesPerHour, late, "Too many messages within an hour.");
		this.minute.count(guest);
		this.hour.count(guest);
		if (key !== null) this.lately.add(key);
	}

	/** Opens one stream of a caller. Returns what closes it, once. Throws `rate_limited`. */
	openStream(caller: string): () => void {
		const open = this.streams.get(caller) ?? 0;
		if (open >= this.limits.streamsPerCaller) {
			throw new DeskError("rate_limited", "Too many streams are open at once. Close one, then open this again.", {
				retryAfterSeconds: 1,
				metadata: { limit: String(this.limits.streamsPerCaller) },
			});
		}
		this.streams.set(caller, open + 1);
		let closed = false;
		return () => {
			if (closed) return;
			closed = true;
			const left = (this.streams.get(caller) ?? 1) - 1;
			if (left > 0) this.streams.set(caller, left);
			else this.streams.delete(caller);
		};
	}
}
