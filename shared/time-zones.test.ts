import { describe, expect, it } from "vitest";
import { isTimeZone, momentOf, wallAt } from "./time-zones.js";

describe("a time on the wall", () => {
	it("is a moment, also where clocks change", () => {
		const at = (wall: string, zone: string): string => new Date(momentOf(Date.parse(`${wall}Z`), zone)).toISOString().slice(0, 16);
		expect(at("2026-01-15T12:00", "Europe/Lisbon")).toBe("2026-01-15T12:00");
		expect(at("2026-07-15T12:00", "Europe/Lisbon")).toBe("2026-07-15T11:00");
		expect(at("2026-07-15T12:00", "Asia/Shanghai")).toBe("2026-07-15T04:00");
		expect(at("2026-07-15T12:00", "Asia/Kathmandu")).toBe("2026-07-15T06:15");
		// Skipped: 01:30 does not exist that night.
		expect(at("2026-03-29T01:30", "Europe/Lisbon")).toBe("2026-03-29T01:30");
		// Said twice: the first.
		expect(at("2026-10-25T01:30", "Europe/Lisbon")).toBe("2026-10-25T00:30");
		expect(at("2026-11-01T01:30", "America/New_York")).toBe("2026-11-01T05:30");
		expect(at("2026-03-08T02:30", "America/New_York")).toBe("2026-03-08T07:30");
	});

	it("is read at a moment, and leads back to it", () => {
		const on = (moment: string, zone: string): string => new Date(wallAt(Date.parse(moment), zone)).toISOString().slice(0, 19);
		expect(on("2026-07-15T11:00:30Z", "Europe/Lisbon")).toBe("2026-07-15T12:00:30");
		expect(on("2026-12-31T20:00:00Z", "Asia/Shanghai")).toBe("2027-01-01T04:00:00");
		expect(on("1969-12-31T23:59:59.5Z", "UTC")).toBe("1969-12-31T23:59:59");
		for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 7 * 3_600_000)
			for (const zone of ["Europe/Lisbon", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]) {
				const wall = wallAt(at, zone);
				// One that is said twice leads to the first of the two.
				expect([at, at - 3_600_000, at - 1_800_000]).toContain(momentOf(wall, zone));
				expect(wallAt(momentOf(wall, zone), zone)).toBe(wall);
			}
		expect(() => wallAt(0, "Mars/Olympus")).toThrow(RangeError);
	});

	it("is of a zone that is known here, by its IANA name", () => {
		for (const name of ["Europe/Lisbon", "Asia/Shanghai", "UTC"]) expect(isTimeZone(name)).toBe(true);
		for (const name of ["", "Lisbon", "Mars/Olympus", "GMT Standard Time"]) expect(isTimeZone(name)).toBe(false);
	});
});
