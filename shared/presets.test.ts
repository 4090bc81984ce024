import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { APP_ACCESS, accessTo, DEFAULT_PRESET, isAppAccess, meet, NOTHING, narrow, type Preset, widened, widens } from "./presets.js";

const access = fc.constantFrom(...APP_ACCESS);
const presets: fc.Arbitrary<Preset> = fc.record({
	webSearch: fc.boolean(),
	apps: fc.dictionary(fc.constantFrom("calendar", "mail", "__proto__", "constructor"), access),
});
const changes = fc.record(
	{ webSearch: fc.boolean(), apps: fc.dictionary(fc.constantFrom("calendar", "mail", "__proto__"), access) },
	{ requiredKeys: [] },
);

describe("presets", () => {
	it("have no value for writing", () => {
		for (const value of ["write", "READ", "", null, true, 2, "free"]) expect(isAppAccess(value)).toBe(false);
		expect(DEFAULT_PRESET).toEqual({ webSearch: true, apps: {} });
	});

	it("meet in what is no higher than any of them, and is the highest such", () => {
		fc.assert(
			fc.property(presets, presets, presets, (a, b, c) => {
				const met = meet(a, b, c);
				for (const one of [a, b, c]) expect(widens(one, met)).toBe(false);
				// Everything that is no higher than all of them is no higher than the meet.
				for (const other of [meet(a, b), meet(b, c), meet(c, a)]) {
					const both = meet(other, a, b, c);
					expect(widens(met, both)).toBe(false);
					expect(widens(both, met)).toBe(false);
				}
				expect(meet(a, a)).toEqual(meet(a));
				expect(meet(a, b)).toEqual(meet(b, a));
				expect(meet(a, NOTHING)).toEqual(NOTHING);
			}),
		);
	});

	it("are narrowed at once in what a change takes away, and never widened by it", () => {
		fc.assert(
			fc.property(presets, changes, (preset, change) => {
				const { preset: after, wider, settled } = narrow(preset, change);
				expect(widens(preset, after)).toBe(false);
				const all = wider.reduce(widened, after);
				if (change.webSearch !== undefined) expect(all.webSearch).toBe(change.webSearch);
				for (const [app, to] of Object.entries(change.apps ?? {})) expect(accessTo(all, app)).toBe(to);
				for (const { part, from } of wider) {
					expect(settled).not.toContain(part);
					expect(part === "webSearch" ? preset.webSearch : accessTo(preset, part)).toBe(from);
				}
				expect(({} as Record<string, unknown>).calendar).toBeUndefined();
			}),
		);
	});
});
