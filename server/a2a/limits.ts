/**
 * How much one caller may ask of the doors: requests an address, messages a guest, open streams a caller, pictures an address. All counts
 * live in this process's memory, by the injected clock (rate-limiter-flexible, the usual choice, reads the system's clock
 * and keeps a timer a key, so nothing of it could be tested without sleeping). Refuses with `rate_limited` and when to come back.
 */
import { DeskError } from "../../shared/errors.js";
import type { Limits } from "../../shared/limits.js";
import { siteOf } from "../callers.js";
import type { Clock } from "../engine/ports.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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

	/** Whole seconds until one more is allowed; 0: it is allowed now. Counts nothing. `times`: so many times the limit is this key's. */
	waitSeconds(key: string, times = 1): number {
		const elapsed = this.turn();
		const now = this.current.get(key) ?? 0;
		if (now === 0 && this.previous.size === 0) return 0;
		const before = this.previous.get(key) ?? 0;
		const share = (at: number): number => before * (1 - at / this.lengthMs);
		const limit = this.limit * times;
		if (now + share(elapsed) + 1 <= limit) return 0;
		// Within this window the share of the last one falls evenly; if that is not enough, the next one begins with ours as its last.
		const room = limit - 1 - now;
		const atMs =
			room >= 0 && before > 0
				? this.lengthMs * (1 - room / before)
				: this.lengthMs + this.lengthMs * Math.max(0, 1 - (limit - 1) / Math.max(now, 1));
		return Math.max(1, Math.ceil((atMs - elapsed) / 1000));
	}

	/** `amount`: what it weighs, where not all weigh the same. */
	count(key: string, amount = 1): void {
		this.turn();
		this.current.set(key, (this.current.get(key) ?? 0) + amount);
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

/** How many of something are open at a time, a key, or how much of it is there. What has come to nothing costs no memory. */
class Amounts {
	private readonly amounts = new Map<string, number>();

	get(key: string): number {
		return this.amounts.get(key) ?? 0;
	}

	add(key: string, amount: number): void {
		const to = this.get(key) + amount;
		if (to > 0) this.amounts.set(key, to);
		else this.amounts.delete(key);
	}

	/** One more. Returns what takes it off again, once. */
	take(key: string): () => void {
		this.add(key, 1);
		let taken = true;
		return () => {
			if (taken) this.add(key, -1);
			taken = false;
		};
	}
}

const refuse = (limit: number, seconds: number, text: string): never => {
	throw new DeskError("rate_limited", `${text} Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`, {
		retryAfterSeconds: seconds,
		metadata: { limit: String(limit) },
	});
};

export type PictureGateLimits = Pick<
	Limits,
	| "picturesPerAddressPerMinute"
	| "picturesPerAddressPerDay"
	| "pictureBytesPerAddressPerDay"
	| "pictureUploadsPerAddress"
	| "pictureUploadBytesPerAddress"
	| "pictureUploadBytes"
	| "pictureReadsPerAddress"
	| "pictureAddressesPerSite"
>;

/** A picture that comes in, from its first byte until it is kept or refused. */
export interface PictureUpload {
	/** So many more bytes of it are in memory. Throws `rate_limited`, `unavailable` where there is no room for them. */
	grow(bytes: number): void;
	/** It is kept, and so large: it counts for the day. */
	kept(bytes: number): void;
	/** It is not in memory any more. */
	end(): void;
}

const busy = (code: "rate_limited" | "unavailable"): DeskError =>
	new DeskError(code, "Other pictures are coming in. Send yours again in a moment.", { retryAfterSeconds: 2 });

/**
 * What an address may send and fetch of pictures. New guests are made in a moment, so the allowance is the address's; whoever sends slowly
 * takes places and memory from nobody else.
 */
class PictureGate {
	private readonly minute: SlidingWindow;
	private readonly day: SlidingWindow;
	private readonly dayBytes: SlidingWindow;
	private readonly uploads = new Amounts();
	private readonly bytes = new Amounts();
	private readonly reads = new Amounts();
	private allBytes = 0;

	constructor(
		clock: Clock,
		private readonly limits: PictureGateLimits,
	) {
		this.minute = new SlidingWindow(MINUTE_MS, limits.picturesPerAddressPerMinute, clock);
		this.day = new SlidingWindow(DAY_MS, limits.picturesPerAddressPerDay, clock);
		this.dayBytes = new SlidingWindow(DAY_MS, limits.pictureBytesPerAddressPerDay, clock);
	}

	/** What an address is counted as: itself, and the /48 that it lies in, which has the allowance of a few (`times`). */
	private keysOf(network: string): { key: string; times: number }[] {
		const site = siteOf(network);
		return [{ key: network, times: 1 }, ...(site === undefined ? [] : [{ key: site, times: this.limits.pictureAddressesPerSite }])];
	}

	/** Takes a place for one picture, before anything of it is read. Throws `rate_limited`. */
	upload(network: string): PictureUpload {
		const { limits } = this;
		const keys = this.keysOf(network);
		for (const { key, times } of keys) {
			const wait = this.minute.waitSeconds(key, times);
			if (wait > 0) refuse(limits.picturesPerAddressPerMinute * times, wait, "Too many pictures within a minute.");
			const later = Math.max(this.day.waitSeconds(key, times), this.dayBytes.waitSeconds(key, times));
			if (later > 0)
				throw new DeskError("rate_limited", "Too many pictures from this address within a day. Send more tomorrow.", {
					retryAfterSeconds: later,
					metadata: { limit: String(limits.picturesPerAddressPerDay * times) },
				});
			if (this.uploads.get(key) >= limits.pictureUploadsPerAddress * times) throw busy("rate_limited");
		}
		const places = keys.map(({ key }) => {
			this.minute.count(key);
			return this.uploads.take(key);
		});
		let held = 0;
		return {
			grow: (bytes) => {
				if (keys.some(({ key, times }) => this.bytes.get(key) + bytes > limits.pictureUploadBytesPerAddress * times))
					throw busy("rate_limited");
				if (this.allBytes + bytes > limits.pictureUploadBytes) throw busy("unavailable");
				held += bytes;
				this.allBytes += bytes;
				for (const { key } of keys) this.bytes.add(key, bytes);
			},
			kept: (bytes) => {
				for (const { key } of keys) {
					this.day.count(key);
					this.dayBytes.count(key, bytes);
				}
			},
			end: () => {
				for (const giveBack of places) giveBack();
				for (const { key } of keys) this.bytes.add(key, -held);
				this.allBytes -= held;
				held = 0;
			},
		};
	}

	/** One picture that is fetched. Returns what gives its place back, once. Throws `rate_limited`. */
	read(network: string): () => void {
		const keys = this.keysOf(network);
		if (keys.some(({ key, times }) => this.reads.get(key) >= this.limits.pictureReadsPerAddress * times))
			throw new DeskError("rate_limited", "Too many pictures are being fetched at once. Try again in a moment.", { retryAfterSeconds: 2 });
		const places = keys.map(({ key }) => this.reads.take(key));
		return () => {
			for (const giveBack of places) giveBack();
		};
	}
}

export type GateLimits = Pick<
	Limits,
	| "requestsPerMinutePerAddress"
	| "requestsPerMinutePerSite"
	| "guestMessagesPerMinute"
	| "guestMessagesPerHour"
	| "streamsPerCaller"
	| keyof PictureGateLimits
>;

/** One for all doors of a process, so that a caller has one allowance whichever binding it takes. */
export class Gate {
	private readonly addresses: SlidingWindow;
	private readonly sites: SlidingWindow;
	private readonly minute: SlidingWindow;
	private readonly hour: SlidingWindow;
	private readonly streams = new Amounts();
	/** What an address may send and fetch of pictures. */
	readonly pictures: PictureGate;
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
		this.pictures = new PictureGate(clock, limits);
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
		if (this.streams.get(caller) >= this.limits.streamsPerCaller) {
			throw new DeskError("rate_limited", "Too many streams are open at once. Close one, then open this again.", {
				retryAfterSeconds: 1,
				metadata: { limit: String(this.limits.streamsPerCaller) },
			});
		}
		return this.streams.take(caller);
	}
}
