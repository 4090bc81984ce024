import { expect, test } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { languageOf, speech } from "./i18n.js";

test("speaks the tag's language, else the first of the browser's that it knows, else English", () => {
	expect(languageOf("zh", ["en-GB"])).toBe("zh");
	expect(languageOf(undefined, ["de-DE", "zh-TW", "en"])).toBe("zh");
	expect(languageOf(undefined, ["fr", "en-US", "zh"])).toBe("en");
	expect(languageOf(undefined, ["de"])).toBe("en");
	expect(languageOf(undefined, ["zhuang"])).toBe("en");
});

test("says as much of a time as is needed", () => {
	const now = new Date(2026, 4, 20, 12, 0).getTime();
	const at = (...when: [number, number, number, number, number]): number => new Date(...when).getTime();
	const { when } = speech("en");
	expect(when(at(2026, 4, 20, 9, 5), now)).toBe("Today 09:05");
	expect(when(at(2026, 4, 19, 23, 59), now)).toBe("Yesterday 23:59");
	expect(when(at(2026, 4, 2, 9, 5), now)).toBe("2 May 09:05");
	expect(when(at(2025, 11, 31, 9, 5), now)).toBe("31 December 2025 09:05");
	expect(speech("zh").when(at(2026, 4, 2, 9, 5), now)).toBe("5月2日 09:05");
});

test("sets Latin names apart in Chinese, and Chinese ones not", () => {
	const { words } = speech("zh");
	expect(words.write("林晓")).toBe("给林晓写消息");
	expect(words.write("Mira")).toBe("给 Mira 写消息");
	expect(words.ended("Mira")).toBe("Mira 结束了这次对话。");
});

test("has every word in both languages, and none of them empty", () => {
	const flat = (value: unknown): string[] =>
		typeof value === "object" && value !== null
			? Object.entries(value).flatMap(([key, inner]) => flat(inner).map((path) => `${key}.${path}`))
			: [""];
	const [en, zh] = [speech("en").words, speech("zh").words];
	expect(flat(zh).sort()).toEqual(flat(en).sort());
	expect(JSON.stringify(zh)).not.toContain('""');
});

test("names the limits that hold, in both languages", () => {
	for (const language of ["en", "zh"] as const)
		expect(speech(language).words.unfit.many).toMatch(new RegExp(`\\b${LIMITS.picturesPerMessage}\\b`));
});
