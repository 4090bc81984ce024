import { describe, expect, it } from "vitest";
import type { DeskError } from "../../shared/errors.js";
import { checkSettings, isThere, settingsOf } from "./settings.js";

describe("a change of settings", () => {
	it("is refused with every value that is none, in whatever order they come", () => {
		const wrong = { hours: "always", waitMs: -1, parts: "pictures", a2a: "on", colour: "red", statusMessage: 1 };
		const entries = Object.entries(wrong);
		for (const change of [Object.fromEntries(entries), Object.fromEntries(entries.toReversed())]) {
			const refuse = () => checkSettings({ ...change, guests: false });
			expect(refuse).toThrow(expect.objectContaining({ code: "invalid_params" }));
			try {
				refuse();
			} catch (error) {
				const { violations = [] } = (error as DeskError).detail;
				expect(violations.map(({ field }) => field).sort()).toEqual(Object.keys(wrong).sort());
				expect(violations.find(({ field }) => field === "hours")?.description).toMatch(/time zone is missing.*Write the hours as/);
			}
		}
	});

	it("goes through where all of it is", () => {
		const change = { hours: "Mon 09:00-10:00 UTC", waitMs: 0, parts: "text", a2a: false };
		expect(checkSettings(change)).toEqual(change);
	});
});

it("nobody is there at hours that cannot be read", () => {
	expect(isThere(settingsOf('{"hours":"Mon-Sun 00:00-24:00 Europe/Atlantis"}'), Date.UTC(2026, 0, 5, 12))).toBe(false);
	expect(isThere(settingsOf('{"hours":"Mon-Sun 00:00-24:00 Europe/Lisbon"}'), Date.UTC(2026, 0, 5, 12))).toBe(true);
});
