import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS as DEFAULTS } from "../../shared/limits.js";
import { refusal } from "../../test/refusal.js";
import { Gate, type GateLimits, SlidingWindow } from "./limits.js";

function turned(start = 1_700_000_000_000) {
	const clock = { at: start, now: () => clock.at, elapsed: () => clock.at, after: () => () => undefined };
	return clock;
}

const LIMITS: GateLimits = {
	...DEFAULTS,
	requestsPerMinutePerAddress: 3,
	requestsPerMinutePerSite: 5,
	guestMessagesPerMinute: 2,
	guestMessagesPerHour: 5,
	streamsPerCaller: 2,
};

describe("a sliding window", () => {
	it("lets in as many as its limit, then says how long to wait", () => {
		const clock = turned(60_000 * 1000);
		const window = new SlidingWindow(60_000, 3, clock);
		for (let i = 0; i < 3; i++) {
			expect(window.waitSeconds("a")).toBe(0);
			window.count("a");
		}
		expect(window.waitSeconds("a")).toBeGreaterThan(0);
		expect(window.waitSeconds("b")).toBe(0);
	});

	it("does not let twice as many in around the edge of a minute", () => {
		const clock = turned(60_000 * 1000 + 59_000);
		const window = new SlidingWindow(60_000, 10, clock);
		for (let i = 0; i < 10; i++) window.count("a");
		clock.at += 1_000;
		expect(window.waitSeconds("a")).toBeGreaterThan(0);
	});

	it("keeps its word: after the wait it names, one more is let in, and not a whole minute too late", () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 30 }),
				fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 80 }),
				(limit, gaps) => {
					const clock = turned();
					const window = new SlidingWindow(60_000, limit, clock);
					for (const gap of gaps) {
						clock.at += gap;
						const wait = window.waitSeconds("a");
						if (wait === 0) window.count("a");
						else {
							expect(wait).toBeLessThanOrEqual(121);
							clock.at += wait * 1000;
							expect(window.waitSeconds("a")).toBe(0);
						}
					}
				},
			),
		);
	});

	it("never lets in more than the limit within any one window, by its own weighing", () => {
		const clock = turned(60_000 * 1000);
		const window = new SlidingWindow(60_000, 20, clock);
		const admitted: number[] = [];
		for (let i = 0; i < 6_000; i++) {
			clock.at += 50;
			if (window.waitSeconds("a") === 0) {
				window.count("a");
				admitted.push(clock.at);
			}
		}
		// Five minutes of pressure: no more than the rate and one burst.
		expect(admitted.length).toBeLessThanOrEqual(20 * 6);
		expect(admitted.length).toBeGreaterThan(20 * 4);
	});

	it("forgets whom it has not seen for two windows", () => {
		const clock = turned();
		const window = new SlidingWindow(60_000, 1, clock);
		window.count("a");
		clock.at += 120_000;
		expect(window.waitSeconds("a")).toBe(0);
		expect(Object.values(window as unknown as Record<string, unknown>).filter((v) => v instanceof Map && v.size > 0)).toEqual([]);
	});
});

describe("the gate", () => {
	it("refuses an address its requests beyond the limit, saying when to come back", () => {
		const gate = new Gate(turned(60_000 * 1000), LIMITS);
		for (let i = 0; i < 3; i++) gate.request("192.0.2.1");
		const error = refusal(() => gate.request("192.0.2.1"));
		expect(error?.code).toBe("rate_limited");
		expect(error?.detail.retryAfterSeconds).toBeGreaterThan(0);
		expect(error?.detail.metadata?.limit).toBe("3");
		expect(() => gate.request("192.0.2.2")).not.toThrow();
	});

	it("refuses a whole /48 of IPv6 where each of its networks asks a little", () => {
		const gate = new Gate(turned(60_000 * 1000), LIMITS);
		for (let i = 0; i < 5; i++) gate.request(`2001:db8:1:${i}::/64`);
		expect(refusal(() => gate.request("2001:db8:1:9::/64")).detail.metadata?.limit).toBe("5");
		expect(() => gate.request("2001:db8:2:9::/64")).not.toThrow();
		for (let i = 0; i < 9; i++) gate.request(`192.0.2.${i}`);
	});

	it("refuses a guest's messages by the minute and by the hour", () => {
		const clock = turned(3_600_000 * 400_000);
		const gate = new Gate(clock, LIMITS);
		let sent = 0;
		const send = (): void => {
			gate.guestMessage("g", null);
			sent++;
		};
		for (let minute = 0; minute < 10; minute++) {
			// Of four a minute two are let in, until the hour's are used up.
			const left = Math.min(2, 5 - sent);
			for (let i = 0; i < left; i++) send();
			for (let i = left; i < 4; i++) expect(refusal(send).code).toBe("rate_limited");
			clock.at += 180_000;
		}
		expect(sent).toBe(5);
		expect(refusal(() => gate.guestMessage("g", null)).detail.metadata?.limit).toBe("5");
		expect(() => gate.guestMessage("other", null)).not.toThrow();
	});

	it("takes no allowance for the same message sent again, even when there is none left", () => {
		const clock = turned(60_000 * 1000);
		const gate = new Gate(clock, LIMITS);
		for (let i = 0; i < 5; i++) gate.guestMessage("g", "m1");
		gate.guestMessage("g", "m2");
		expect(refusal(() => gate.guestMessage("g", "m3")).code).toBe("rate_limited");
		expect(() => gate.guestMessage("g", "m2")).not.toThrow();
		clock.at += 60_000;
		expect(() => gate.guestMessage("g", "m1")).not.toThrow();
		// Another guest's message of the same name is another message.
		gate.guestMessage("h", "m1");
		gate.guestMessage("h", "m4");
		expect(refusal(() => gate.guestMessage("h", "m5"))?.code).toBe("rate_limited");
	});

	it("counts a caller's open streams and gives a place back once", () => {
		const gate = new Gate(turned(), LIMITS);
		const close = gate.openStream("c");
		gate.openStream("c");
		expect(refusal(() => gate.openStream("c"))?.code).toBe("rate_limited");
		close();
		close();
		gate.openStream("c");
		expect(refusal(() => gate.openStream("c"))?.code).toBe("rate_limited");
		gate.openStream("d");
	});
});
