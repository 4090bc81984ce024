/** A feed may be made so that reading it takes for ever (reliability.md 95): it is read where it holds nobody up, and given up. */
import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import type { FeedQuestion } from "./feed.js";
import { type FeedReader, feedReader } from "./feed-reader.js";

const URL_OF = new URL("../feed-reader.js", import.meta.url);
const SPAN = { from: Date.UTC(2026, 2, 23), to: Date.UTC(2026, 3, 6), timeZone: "Europe/Lisbon" };
const never = new AbortController().signal;

const calendar = (...lines: string[]): string => ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n");
const event = (...lines: string[]): string => ["BEGIN:VEVENT", "UID:1", "DTSTART:20260101T090000Z", ...lines, "END:VEVENT"].join("\r\n");
const zone = (rule: string): string =>
	["BEGIN:VTIMEZONE", "TZID:X", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0000", "TZOFFSETTO:+0000", rule]
		.concat("END:STANDARD", "END:VTIMEZONE", "BEGIN:VEVENT", "UID:1", "DTSTART;TZID=X:20260324T090000", "DURATION:PT1H", "END:VEVENT")
		.join("\r\n");
/** As much as is taken of a calendar. */
const filled = (piece: string): string => calendar(piece.repeat(Math.floor((LIMITS.calendarBytes - 100) / piece.length)).trimEnd());
const GOOD = calendar(event("DURATION:PT1H", "RRULE:FREQ=DAILY", "SUMMARY:Tea"));

let feeds: FeedReader;
const open = (readMs?: number): FeedReader => {
	feeds = feedReader(URL_OF, readMs);
	return feeds;
};
afterEach(() => feeds.close());

const ask = (feed: string, signal: AbortSignal = never) => feeds.read({ ...SPAN, feed } satisfies FeedQuestion, signal);

/** How often everything else had its turn until a promise is settled. */
async function turnsUntil(promise: Promise<unknown>): Promise<number> {
	let turns = 0;
	let waits = true;
	const count = (): void => {
		if (!waits) return;
		turns++;
		setImmediate(count);
	};
	setImmediate(count);
	await promise.catch(() => undefined);
	waits = false;
	return turns;
}

describe("a calendar's feed", () => {
	it("is read in a thread, and says what it says", async () => {
		open();
		const found = await ask(GOOD);
		expect(found).toHaveLength(14);
		expect(found[0]).toEqual({ from: Date.UTC(2026, 2, 23, 9), to: Date.UTC(2026, 2, 23, 10), title: "Tea" });
		await expect(ask("<html>")).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("no iCalendar feed") });
	});

	it.each<[string, () => string]>([
		["one day that never comes", () => calendar(event("RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"))],
		["seconds of a month", () => calendar(event("RRULE:FREQ=SECONDLY;BYMONTH=3"))],
		["hours of a day that never comes", () => calendar(event("RRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=31"))],
		["a zone whose clocks change every second", () => calendar(zone("RRULE:FREQ=SECONDLY"))],
		["two megabytes of events that repeat", () => filled(`${event("RRULE:FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR")}\r\n`)],
	])("that takes for ever or too long is given up, and everybody else has their turn meanwhile: %s", async (_, make) => {
		open(300);
		const reading = ask(make());
		const turns = await turnsUntil(reading);
		await expect(reading).rejects.toMatchObject({
			code: "unavailable",
			message: expect.stringMatching(/^That calendar (?:takes too long to look through|repeats more than can be looked through)\.$/),
		});
		// Read here, there would have been one at most.
		expect(turns).toBeGreaterThan(10);
		// What it did is gone with its thread.
		expect(await feedReader(URL_OF).read({ ...SPAN, feed: GOOD }, never)).toHaveLength(14);
	});

	it("that takes more memory than it may takes nothing down", async () => {
		open(60_000);
		await expect(ask(calendar(zone("RRULE:FREQ=SECONDLY")))).rejects.toMatchObject({
			code: "unavailable",
			message: "That calendar takes too long to look through.",
		});
		expect(await ask(GOOD)).toHaveLength(14);
	}, 90_000);

	it("is given up when nobody waits for it any more", async () => {
		open();
		const stop = new AbortController();
		const reading = ask(calendar(event("RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30")), stop.signal);
		stop.abort(new Error("the turn has ended"));
		await expect(reading).rejects.toThrow("the turn has ended");
		await expect(ask(GOOD, stop.signal)).rejects.toThrow("the turn has ended");
	});

	it("waits while others are read, is read when they are done with, and is sent away where too many wait", async () => {
		open(1_000);
		const endless = calendar(event("RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"));
		const running = Array.from({ length: LIMITS.calendarThreads }, () => ask(endless).catch((error: unknown) => error));
		const waiting = Array.from({ length: LIMITS.calendarsWaiting }, () => {
			const stop = new AbortController();
			return { stop, told: ask(GOOD, stop.signal).catch((error: unknown) => error) };
		});
		await expect(ask(GOOD)).rejects.toMatchObject({ code: "unavailable", detail: { retryAfterSeconds: 5 } });
		const gone = new Error("gone");
		for (const { stop } of waiting) stop.abort(gone);
		expect(await Promise.all(waiting.map(({ told }) => told))).toEqual(waiting.map(() => gone));
		// Their places in the row are free again.
		const after = ask(GOOD);
		for (const one of running) expect(await one).toMatchObject({ code: "unavailable" });
		expect(await after).toHaveLength(14);
	}, 90_000);

	it("is read no more once the server ends", async () => {
		open();
		const reading = ask(calendar(event("RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30")));
		feeds.close();
		await expect(reading).rejects.toMatchObject({ code: "unavailable" });
		await expect(ask(GOOD)).rejects.toMatchObject({ code: "unavailable" });
	});
});
