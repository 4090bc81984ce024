import { describe, expect, it } from "vitest";
import { type StatusText, statusText } from "./texts.js";

const ALL: StatusText[] = ["waiting", "ended", "expired", "authorise", "failed", "parked", "interrupted"];

describe("the fixed status texts", () => {
	it("says in English what the protocol's callers are promised", () => {
		expect(statusText("waiting", "en", "Mira")).toBe("Waiting for Mira");
		expect(statusText("ended", "en", "Mira")).toBe("Mira's agent ended this conversation");
		expect(statusText("ended", "en", "mira k")).toBe("mira k's agent ended this conversation");
		expect(statusText("expired", "en", "Mira")).toBe("Expired: no answer within 24 hours");
	});

	it("says the same in Chinese, Latin names set apart and Chinese names not", () => {
		expect(statusText("waiting", "zh", "Mira")).toBe("正在等待 Mira 答复");
		expect(statusText("waiting", "zh", "米拉")).toBe("正在等待米拉答复");
		expect(statusText("ended", "zh", "Mira")).toBe("Mira 的智能体结束了这次对话");
		expect(statusText("ended", "zh", "米拉")).toBe("米拉的智能体结束了这次对话");
		expect(statusText("expired", "zh")).toBe("已过期：24 小时内没有答复");
	});

	it("speaks of the owner where there is no name", () => {
		expect(statusText("waiting", "en")).toBe("Waiting for the owner");
		expect(statusText("ended", "en", "  ")).toBe("The owner's agent ended this conversation");
		expect(statusText("ended", "zh", "")).toBe("主人的智能体结束了这次对话");
	});

	it.each(ALL)("has %s in both languages, each in its own script, as one line that asks nothing", (text) => {
		const english = statusText(text, "en", "Ada");
		const chinese = statusText(text, "zh", "Ada");
		expect(english).not.toMatch(/\p{Script=Han}/u);
		expect(chinese).toMatch(/\p{Script=Han}/u);
		for (const words of [english, chinese]) {
			expect(words).toBe(words.trim());
			expect(words).not.toMatch(/[?？\n]| {2}|undefined/);
		}
	});
});
