import { describe, expect, it } from "vitest";
import { GREETING_CHARS, MODES } from "../../shared/embed.js";
import { LIMITS } from "../../shared/limits.js";
import { refusal } from "../../test/refusal.js";
import { decideDeleteEmbed, decideSaveEmbed, type EmbedChange, type SaveEmbedRows } from "./embeds-operations.js";
import type { EmbedRow } from "./reads.js";

const NOW = 1_800_000_000_000;
const embed: EmbedRow = {
	number: 3,
	mode: "pet",
	name: "Shop",
	theme: "dark",
	accent: "#2563eb",
	greeting: 1,
	greetingText: "Hello!",
	createdAt: 1,
	changedAt: 2,
};
const make = (change: EmbedChange, rows: Partial<SaveEmbedRows> = {}) =>
	decideSaveEmbed({ last: 0, count: 0, ...rows }, { deskId: 1, change, now: NOW }).plan;
const change = (change: EmbedChange, rows: Partial<SaveEmbedRows> = { embed }) =>
	decideSaveEmbed({ last: 3, count: 3, ...rows }, { deskId: 1, number: 3, change, now: NOW }).plan;

describe("an embed", () => {
	it("is made with what it lacks, under the number after the greatest ever given", () => {
		expect(make({ mode: "floating" })).toEqual({
			number: 1,
			mode: "floating",
			name: "",
			theme: "auto",
			accent: null,
			greeting: 0,
			greetingText: "",
			createdAt: NOW,
			changedAt: NOW,
		});
		expect(make({ mode: "inline" }, { last: 41, count: 2 }).number).toBe(42);
	});
	it("is made with everything that its owner says", () => {
		expect(make({ mode: "pet", name: " Shop ", theme: "light", accent: "#ABC", greeting: false, greetingText: " Hi " })).toMatchObject({
			mode: "pet",
			name: "Shop",
			theme: "light",
			accent: "#abc",
			greeting: 0,
			greetingText: "Hi",
		});
	});
	it("greets when it is made with words of its own, and otherwise when it is told to", () => {
		expect(make({ mode: "pet", greetingText: "Hi" }).greeting).toBe(1);
		expect(make({ mode: "pet", greeting: true })).toMatchObject({ greeting: 1, greetingText: "" });
		expect(change({ greetingText: "Hi" }, { embed: { ...embed, greeting: 0 } }).greeting).toBe(0);
	});
	it("changes in what is said and in nothing else", () => {
		expect(change({ theme: "light" })).toEqual({ ...embed, theme: "light", changedAt: NOW });
		expect(change({ accent: "" })).toEqual({ ...embed, accent: null, changedAt: NOW });
		expect(change({ greeting: false, greetingText: "", name: "" })).toEqual({
			...embed,
			greeting: 0,
			greetingText: "",
			name: "",
			changedAt: NOW,
		});
	});
	it("keeps its mode", () => {
		expect(change({ mode: "pet", theme: "light" }).mode).toBe("pet");
		for (const mode of MODES.filter((m) => m !== "pet"))
			expect(refusal(() => change({ mode }))).toMatchObject({ code: "invalid_params", detail: { violations: [{ field: "mode" }] } });
	});
	it.each<[string, EmbedChange]>([
		["mode", { mode: "parrot" }],
		["mode", {}],
		["name", { mode: "pet", name: "x".repeat(LIMITS.embedNameChars + 1) }],
		["name", { mode: "pet", name: "two\nlines" }],
		["theme", { mode: "pet", theme: "blue" }],
		["accent", { mode: "pet", accent: "red" }],
		["accent", { mode: "pet", accent: "#2563eb;x" }],
		["greeting_text", { mode: "pet", greetingText: "x".repeat(GREETING_CHARS + 1) }],
		["greeting_text", { mode: "pet", greetingText: "a\u202eb" }],
	])("says what is wrong with %s: %j", (field, given) => {
		expect(refusal(() => make(given))).toMatchObject({ code: "invalid_params", detail: { violations: [{ field }] } });
	});
	it("takes a greeting and a name as long as they may be", () => {
		expect(make({ mode: "pet", greetingText: "字".repeat(GREETING_CHARS), name: "n".repeat(LIMITS.embedNameChars) })).toBeDefined();
	});
	it(`is one of at most ${LIMITS.embeds}, which does not stop one from being changed`, () => {
		expect(refusal(() => make({ mode: "pet" }, { last: 400, count: LIMITS.embeds })).message).toMatch(/at most 100 embeds/);
		expect(change({ theme: "auto" }, { embed, count: LIMITS.embeds }).theme).toBe("auto");
	});
	it("that is not there is neither changed nor deleted", () => {
		expect(refusal(() => change({ theme: "auto" }, {})).code).toBe("not_found");
		expect(refusal(() => decideDeleteEmbed({}, { deskId: 1, number: 3, now: NOW })).code).toBe("not_found");
		expect(decideDeleteEmbed({ embed }, { deskId: 1, number: 3, now: NOW }).plan).toEqual({ number: 3 });
	});
});
