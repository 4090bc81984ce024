import { describe, expect, it } from "vitest";
import { isOpen, opensAt, wrongHours } from "./hours.js";

const at = (iso: string): number => Date.parse(iso);
const iso = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString());

const LISBON = "Mon-Fri 09:00-17:00, Sat 10:00-14:00 Europe/Lisbon";

describe("the hours of a desk", () => {
	it("are any time where none are written", () => {
		expect(isOpen("", 0)).toBe(true);
		expect(isOpen("  ", 0)).toBe(true);
		expect(opensAt("", 0)).toBeUndefined();
	});

	it.each([
		["2026-11-30T08:59:59Z", false],
		["2026-11-30T09:00:00Z", true],
		["2026-11-30T16:59:59Z", true],
		["2026-11-30T17:00:00Z", false],
		["2026-12-05T13:59:00Z", true],
		["2026-12-05T14:00:00Z", false],
		["2026-12-06T11:00:00Z", false],
		// Summer: an hour earlier by the clock of the world.
		["2026-07-01T08:00:00Z", true],
		["2026-07-01T16:00:00Z", false],
	])("in Lisbon at %s: %s", (time, open) => expect(isOpen(LISBON, at(time))).toBe(open));

	it.each([
		["2026-11-30T07:00:00Z", "2026-11-30T09:00:00.000Z"],
		["2026-11-30T17:00:00Z", "2026-12-01T09:00:00.000Z"],
		["2026-12-04T20:00:00Z", "2026-12-05T10:00:00.000Z"],
		["2026-12-05T14:00:00Z", "2026-12-07T09:00:00.000Z"],
		// Over the night in which the clocks go forward (29 March) and back (25 October).
		["2026-03-28T15:00:00Z", "2026-03-30T08:00:00.000Z"],
		["2026-10-24T15:00:00Z", "2026-10-26T09:00:00.000Z"],
	])("after %s begin at %s", (time, begins) => expect(iso(opensAt(LISBON, at(time)))).toBe(begins));

	it("say nothing of when they begin while they last", () => expect(opensAt(LISBON, at("2026-11-30T12:00:00Z"))).toBeUndefined());

	it("go over midnight and over the end of the week", () => {
		const night = "Sun 22:00-02:00 UTC";
		expect(isOpen(night, at("2026-12-06T23:00:00Z"))).toBe(true);
		expect(isOpen(night, at("2026-12-07T01:59:00Z"))).toBe(true);
		expect(isOpen(night, at("2026-12-07T02:00:00Z"))).toBe(false);
		expect(iso(opensAt(night, at("2026-12-07T02:00:00Z")))).toBe("2026-12-13T22:00:00.000Z");
	});

	it("may name no day, days round the week's end, and several spans a day", () => {
		expect(isOpen("09:00-12:00 Asia/Shanghai", at("2026-12-06T01:30:00Z"))).toBe(true);
		expect(isOpen("Sat-Mon 00:00-24:00 UTC", at("2026-12-06T23:59:00Z"))).toBe(true);
		expect(isOpen("Sat-Mon 00:00-24:00 UTC", at("2026-12-08T00:00:00Z"))).toBe(false);
		expect(isOpen("Mon 09:00-12:00, mon 13:00-17:00 UTC", at("2026-11-30T12:30:00Z"))).toBe(false);
	});

	it("leave out a span that a change of the clocks swallows", () => {
		expect(iso(opensAt("Sun 01:15-01:45 Europe/Lisbon", at("2026-03-28T12:00:00Z")))).toBe("2026-04-05T00:15:00.000Z");
	});

	it.each([
		["Mon-Fri 09:00-17:00", "time zone is missing"],
		["Europe/Lisbon", "time zone is missing"],
		["Mon-Fri 09:00-17:00 Europe/Atlantis", "not a time zone"],
		["Mon-Fri 09:00-17:00 +01:00", "time zone is missing"],
		["Mon-Fri 9-17 UTC", "no day with times"],
		["Mon-Fri 09:00-25:00 UTC", "no day with times"],
		["Mon-Fri 24:00-10:00 UTC", "no day with times"],
		["Mon 09:60-10:00 UTC", "no day with times"],
		["Day 09:00-10:00 UTC", "names no day"],
		["Mon 09:00-09:00 UTC", "at once"],
		[`${"Mon 09:00-10:00, ".repeat(40)}Tue 09:00-10:00 UTC`, "too many"],
	])("are refused with what is wrong: %s", (text, why) => {
		expect(wrongHours(text)).toContain(why);
		expect(wrongHours(text)).toContain("Write the hours as");
		// Kept by a computer that could read them, they are never open: nobody is said to be there who may not be.
		expect(isOpen(text, at("2026-11-30T12:00:00Z"))).toBe(false);
		expect(opensAt(text, at("2026-11-30T12:00:00Z"))).toBeUndefined();
	});

	it("are not refused as they are usually written", () => {
		for (const text of ["", " ", LISBON, "Sun 22:00-02:00 UTC", "09:00-12:00 America/Argentina/Buenos_Aires"])
			expect(wrongHours(text)).toBeUndefined();
	});

	it.each([
		["Asia/Kathmandu", "2026-11-30T03:15:00.000Z"],
		["Pacific/Chatham", "2026-11-29T19:15:00.000Z"],
		["America/St_Johns", "2026-11-30T12:30:00.000Z"],
	])("are of the zone's own minutes: %s", (zone, begins) =>
		expect(iso(opensAt(`Mon 09:00-10:00 ${zone}`, at("2026-11-28T00:00:00Z")))).toBe(begins),
	);
});
