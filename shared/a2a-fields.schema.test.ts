import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { standardBase64, wireTime } from "./a2a-fields.schema.js";

describe("standardBase64", () => {
	it("makes one text of both alphabets, padded or not", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
				const standard = Buffer.from(bytes).toString("base64");
				const urlSafe = Buffer.from(bytes).toString("base64url");
				const padding = "=".repeat(standard.length - urlSafe.length);
				for (const text of [standard, urlSafe, `${urlSafe}${padding}`, standard.replaceAll("=", "")]) {
					expect(standardBase64(text)).toBe(standard);
				}
			}),
		);
	});

	it("zeroes the bits beyond the last byte", () => {
		expect(standardBase64("QR==")).toBe("QQ==");
		expect(standardBase64("QUJ_")).toBe("QUJ/");
		expect(standardBase64("QUL")).toBe("QUI=");
	});

	it.each(["A", "AAAAA", "AAA==", "AA=", "=", "==", "AAAA=", "AAA===", "AA=A", "AA AA", "AAA\n", "AA.A", "ＡＡＡＡ", "é"])(
		"refuses %j",
		(text) => {
			expect(standardBase64(text)).toBeUndefined();
		},
	);

	it("is linear over what almost matches", () => {
		expect(standardBase64(`${"A".repeat(2_000_000)}=${"A".repeat(2_000_000)}`)).toBeUndefined();
		expect(standardBase64("=".repeat(2_000_000))).toBeUndefined();
	});
});

describe("wireTime", () => {
	it.each([
		["2025-10-28T10:30:00Z", "2025-10-28T10:30:00.000Z"],
		["2025-10-28T10:30:00.1Z", "2025-10-28T10:30:00.100Z"],
		["2025-10-28T10:30:00.123456789Z", "2025-10-28T10:30:00.123Z"],
		["2025-10-28T10:30:00.9999Z", "2025-10-28T10:30:00.999Z"],
		["2025-10-28T10:30:00+05:30", "2025-10-28T05:00:00.000Z"],
		["2025-12-31T23:59:59.5-01:00", "2026-01-01T00:59:59.500Z"],
		["2025-10-28T10:30:00-00:00", "2025-10-28T10:30:00.000Z"],
		["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
		["1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"],
		["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
		["9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999Z"],
	])("reads %s", (given, wire) => {
		expect(wireTime(given)).toBe(wire);
	});

	it.each([
		"",
		"now",
		"1761647400",
		"2025-10-28",
		"2025-10-28T10:30:00",
		"2025-10-28T10:30Z",
		"2025-10-28 10:30:00Z",
		"2025-10-28t10:30:00z",
		"2025-10-28T10:30:00.Z",
		"2025-10-28T10:30:00,5Z",
		"2025-10-28T10:30:00.1234567890Z",
		"2025-10-28T10:30:00+0530",
		"2025-10-28T10:30:00+05",
		"2025-10-28T10:30:00+24:00",
		"2025-10-28T10:30:00+05:60",
		"2025-02-29T00:00:00Z",
		"2025-04-31T00:00:00Z",
		"2025-13-01T00:00:00Z",
		"2025-00-01T00:00:00Z",
		"2025-01-00T00:00:00Z",
		"2025-01-32T00:00:00Z",
		"2025-01-01T24:00:00Z",
		"2025-01-01T10:60:00Z",
		"2025-01-01T10:00:60Z",
		"0000-01-01T00:00:00Z",
		"0001-01-01T00:00:00+00:01",
		"9999-12-31T23:59:59-00:01",
		"+010000-01-01T00:00:00Z",
		" 2025-10-28T10:30:00Z",
		"2025-10-28T10:30:00Z\n",
		"２０25-10-28T10:30:00Z",
	])("refuses %j", (given) => {
		expect(wireTime(given)).toBeUndefined();
	});

	it("is its own fixed point, and says the same instant", () => {
		const minute = fc.integer({ min: 0, max: 59 });
		const moment = fc.date({ min: new Date("0002-01-01T00:00:00Z"), max: new Date("9998-12-31T00:00:00Z"), noInvalidDate: true });
		fc.assert(
			fc.property(moment, fc.integer({ min: 0, max: 23 }), minute, fc.constantFrom(1, -1), (date, hours, minutes, sign) => {
				const wire = date.toISOString();
				expect(wireTime(wire)).toBe(wire);
				const local = new Date(date.getTime() + sign * (hours * 60 + minutes) * 60_000).toISOString().slice(0, -1);
				const offset = `${sign > 0 ? "+" : "-"}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
				expect(wireTime(`${local}${offset}`)).toBe(wire);
			}),
		);
	});
});
