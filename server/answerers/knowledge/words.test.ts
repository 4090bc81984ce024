import { describe, expect, it } from "vitest";
import { needsOf } from "./needs.js";
import { keysOf, normalise, termsOf } from "./words.js";

/** Whether every word of a question stands in a note, by any of its keys. */
function meets(question: string, note: string): boolean {
	const keys = new Set(keysOf(normalise(note)));
	const terms = termsOf(normalise(question));
	return terms.length > 0 && terms.every((term) => term.keys.some((key) => keys.has(key)));
}

describe("a word of a question meets a note", () => {
	it.each([
		["shipping", "we ship on Thursdays"],
		["glazes", "glazed by hand"],
		["parties", "a party of six"],
		["stopped", "it stops here"],
		["postage", "Shipping is free"],
		["refund", "you get your money back"],
		["elevator", "a lift to the second floor"],
		["Sunday", "Saturday to Monday: closed"],
		["Wednesday", "Tue–Fri 10:00–18:00"],
		["Sundays", "周日休息"],
		["星期天", "Sunday and Monday: closed"],
		["周三", "周二至周五营业"],
		["weekend", "Saturday 11–16"],
		["weekday", "closed on Thursday"],
		["今天", "周一休息"],
		["August", "八月休息"],
		["12月", "closed from 23 December"],
		["December 27th", "closed from 23 December to 2 January"],
		["Christmas", "from December to January"],
		["evening", "18:30 to 20:30"],
		["afternoon", "10:00–18:00"],
		["twelve", "at most 12"],
		["二十七", "直径 27 厘米"],
		["包邮", "shipping is free"],
		["how much 多少钱", "the price list"],
		["预约", "please book ahead"],
		["洗碗机", "dishwasher safe"],
		["Café", "a cafe next door"],
		["Ｗｉｆｉ", "free wifi"],
		["fire", "the firing costs little"],
		["baked", "we bake on Fridays"],
		["含铅", "釉料不含铅"],
		["含不含铅", "釉料不含铅"],
		["铅", "釉料不含铅"],
		["八岁", "满十岁的孩子"],
		["an eight-year-old", "from the age of ten"],
		["收到", "收到时如有破损"],
		["收到", "两天发货"],
		["hiring", "we are hiring in spring"],
	])("%j in %j", (question, note) => {
		expect(meets(question, note)).toBe(true);
	});

	it.each([
		["Sunday", "Monday to Friday"],
		["the sun", "Sunday 10–16"],
		["phone", "contact us by email"],
		["email", "our phone number"],
		["约", "大约两周"],
		["医保", "医生和保险"],
		["customs", "custom orders"],
		["Norway", "we ship to Sweden"],
		["March", "they march on"],
		["evening", "10:00–12:00"],
		["send a letter", "send a photo"],
		["own clay", "our clay"],
		["cars", "how to care for it"],
		["car", "care"],
		["hiring", "agreed in writing for each job"],
		["firs", "the firing costs little"],
	])("but not %j in %j", (question, note) => {
		expect(meets(question, note)).toBe(false);
	});

	it("leaves out what asks for nothing", () => {
		expect(termsOf("could you please tell me what it is")).toEqual([]);
		expect(termsOf("请问你们有没有")).toEqual([]);
	});

	it("weighs general words little, and a word that says whose it is", () => {
		const factor = (question: string, text: string) => termsOf(question).find((term) => term.text === text)?.factor;
		expect(factor("can I take part", "take")).toBeLessThan(0.3);
		expect(factor("a logo for my bakery", "bakery")).toBeLessThan(0.3);
		expect(factor("a logo for the bakery", "bakery")).toBe(1);
	});
});

describe("the kind of fact a question asks for", () => {
	it.each([
		["How much is a mug?", ["price"]],
		["茶壶多少钱？", ["price"]],
		["How much clay do I need?", []],
		["How long does it take?", ["duration"]],
		["How many days do I have?", ["duration"]],
		["How many people fit?", ["count"]],
		["要多久？", ["duration"]],
		["When are you open?", ["when"]],
		["几点关门", ["when"]],
		["拉坯课星期几上", ["when"]],
		["What happens when it breaks?", []],
		["Where is the studio?", ["where"]],
		["How big is the bowl?", ["size"]],
		["茶壶有多重", ["weight"]],
		["When did you open?", ["when", "year"]],
		["Do you sell clay?", ["sale"]],
		["I want to buy a mug", []],
	])("%j: %j", (question, needs) => {
		expect(needsOf(normalise(question)).sort()).toEqual(needs);
	});
});
