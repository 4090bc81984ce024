import { describe, expect, it } from "vitest";
import type { CalendarView, Call, CallResult, WebPage } from "../../engine/apps-ports.js";
import type { MemoryFile, Turn, TurnMay } from "../../engine/ports.js";
import { answerers } from "../index.js";
import { knowledge } from "../knowledge.js";
import { tell, turnOf } from "./ask.fixture.js";
import { asksForEvents, asksForTime, freeTimes } from "./free-times.js";

const NOTES: MemoryFile[] = [
	{ path: "hours.md", text: "# Opening hours\n\nThe studio is open from Tuesday to Saturday, 10:00 to 18:00.\n" },
];
/** A Monday, ten in the morning in Lisbon. */
const NOW = Date.UTC(2026, 2, 23, 10);
const at = (day: number, hour: number, minute = 0): number => Date.UTC(2026, 2, day, hour, minute);
const VIEW: CalendarView = {
	timeZone: "Europe/Lisbon",
	hours: { from: 9, to: 17, days: [1, 2, 3, 4, 5] },
	engagements: [
		{ from: at(23, 9), to: at(23, 17), title: "All of Monday" },
		{ from: at(24, 9, 15), to: at(24, 12), title: "Dentist *urgent*" },
		{ from: at(25, 0), to: at(26, 0), title: "Day off" },
	],
};

function asking(
	question: string,
	may: Partial<TurnMay>,
	found: { calendar?: CalendarView; webSearch?: WebPage[] } = {},
	desk: Partial<Turn["desk"]> = {},
	now = NOW,
) {
	const calls: Call[] = [];
	const turn: Turn = {
		...turnOf(NOTES, [question], [], desk),
		may: { webSearch: false, apps: {}, ...may },
		use: ((call: Call) => {
			calls.push(call);
			const answer = found[call.tool];
			return Promise.resolve((answer === undefined ? { done: false, why: "failed" } : { done: true, found: answer }) as CallResult);
		}) as Turn["use"],
	};
	return {
		calls,
		told: tell(
			knowledge(() => now),
			turn,
		),
	};
}

describe("a question about free times", () => {
	it.each([
		"When are you free?",
		"Are you free on Tuesday?",
		"Is Mira available next week?",
		"What times are you available tomorrow?",
		"Do you have any free slots this week?",
		"Can I book an appointment?",
		"I'd like to schedule a meeting",
		"When can we meet?",
		"What’s your availability?",
		"你什么时候有空？",
		"下周有空吗",
		"明天有没有时间见面？",
		"我想预约",
		"周三有空档吗？",
	])("is heard in %s", (question) => expect(asksForTime(question, ["Mira"])).toBe(true));

	it.each([
		"Do you offer free shipping?",
		"Are you offering free delivery?",
		"Is the blue mug available?",
		"When are you open?",
		"Is there free parking?",
		"How much is a mug?",
		"你们几点开门？",
		"包邮吗？",
	])("is not heard in %s", (question) => expect(asksForTime(question, ["Mira"])).toBe(false));

	it("is answered with free times in the owner's zone, and that its owner confirms", async () => {
		const { told, calls } = asking("When are you free?", { apps: { calendar: "busy" } }, { calendar: VIEW });
		const { text, gaps, endings } = await told;
		expect(text).toContain("Mira is free at these times (Europe/Lisbon):");
		expect(text).toContain("- Tue 24 March, 12:00–17:00");
		expect(text).not.toMatch(/23 March|25 March|Dentist|09:00–09:15/);
		expect(text).toContain("Mira confirms every appointment in person.");
		expect(gaps).toEqual([]);
		expect(endings).toEqual([{ type: "reply", asks: false }]);
		expect(calls).toMatchObject([{ tool: "calendar", from: NOW }]);
	});

	it("is answered in Chinese", async () => {
		const { text } = await asking("明天你什么时候有空？", { apps: { calendar: "read" } }, { calendar: VIEW }).told;
		expect(text).toContain("Mira 在这些时间有空（Europe/Lisbon）：");
		expect(text).toMatch(/- 3月24日.*12:00–17:00/);
		expect(text).toContain("每个预约都由 Mira 本人确认。");
	});

	it("goes to the owner where nothing of the calendar is given, and the visitor is told", async () => {
		const { told, calls } = asking("When are you free?", { apps: { calendar: "none" } }, { calendar: VIEW });
		expect(await told).toMatchObject({ text: expect.stringContaining("I'm checking that with Mira"), gaps: ["When are you free?"] });
		expect(calls).toEqual([]);
		const zh = await asking("你什么时候有空？", { apps: { calendar: "none" } }).told;
		expect(zh).toMatchObject({ text: expect.stringContaining("这个我正在问 Mira"), gaps: ["你什么时候有空？"] });
	});

	it("goes to the owner where the calendar does not answer, or is full", async () => {
		expect(await asking("When are you free?", { apps: { calendar: "busy" } }).told).toMatchObject({
			text: expect.stringContaining("checking"),
			gaps: ["When are you free?"],
		});
		expect(await asking("Are you free today?", { apps: { calendar: "busy" } }, { calendar: VIEW }).told).toMatchObject({
			text: expect.stringContaining("no free time"),
			gaps: ["Are you free today?"],
		});
	});

	it("is one call, in the same words, when the turn runs again a little later, and when it asks twice", async () => {
		const busy = { apps: { calendar: "read" } } as const;
		const two = "When are you free? What events are coming up?";
		const words = async (now: number, question = two): Promise<Set<string>> => {
			const { told, calls } = asking(question, busy, { calendar: VIEW }, {}, now);
			await told;
			return new Set(calls.map((call) => JSON.stringify(call)));
		};
		const first = await words(NOW);
		expect([...first]).toEqual([JSON.stringify({ tool: "calendar", from: NOW, to: NOW + 15 * 24 * 60 * 60 * 1000 })]);
		for (const later of [1, 250, 60_000, 30 * 60_000 - 1]) expect(await words(NOW + later), String(later)).toEqual(first);
		expect(await words(NOW + 30 * 60_000)).not.toEqual(first);
		// What it says goes by the moment itself: half past ten has begun.
		const { told } = asking("When are you free today?", busy, { calendar: { ...VIEW, engagements: [] } }, {}, NOW + 31 * 60_000);
		expect((await told).text).toContain("11:00–17:00");
	});

	it("goes by the clock that the answerers are given", async () => {
		const calls: Call[] = [];
		const turn: Turn = {
			...turnOf(NOTES, ["When are you free?"]),
			may: { webSearch: false, apps: { calendar: "busy" } },
			use: ((call: Call) => {
				calls.push(call);
				return Promise.resolve({ done: false, why: "failed" });
			}) as Turn["use"],
		};
		for (const answerer of answerers(() => at(30, 12))) await tell(answerer, turn);
		expect(calls).toMatchObject([{ tool: "calendar", from: at(30, 12) }]);
	});

	it("is what it always was where no calendar is connected", async () => {
		const { told, calls } = asking("When are you free?", {});
		expect((await told).text).toContain("I don't know");
		expect(calls).toEqual([]);
	});

	it("is about the days that it names", () => {
		const days = (question: string): string[] =>
			freeTimes(question, { ...VIEW, engagements: [] }, NOW).map(({ from }) => new Date(from).toISOString().slice(5, 10));
		expect(days("today")).toEqual(["03-23"]);
		expect(days("tomorrow")).toEqual(["03-24"]);
		expect(days("the day after tomorrow")).toEqual(["03-25"]);
		expect(days("next week")).toEqual(["03-30", "03-31", "04-01", "04-02"]);
		expect(days("this week")).toEqual(["03-23", "03-24", "03-25", "03-26"]);
		expect(days("on Friday")).toEqual(["03-27", "04-03"]);
		expect(days("Friday next week")).toEqual(["04-03"]);
		expect(days("on Sunday")).toEqual([]);
		expect(days("下周三")).toEqual(["04-01"]);
		expect(days("后天")).toEqual(["03-25"]);
		// Monday's morning is over.
		expect(freeTimes("today", { ...VIEW, engagements: [] }, NOW + 10 * 60_000)[0]?.from).toBe(at(23, 10, 30));
	});
});

describe("a question about what is going to be", () => {
	it("quotes titles only where the calendar may be read, without what would be markup", async () => {
		expect(asksForEvents("What events are coming up?") && asksForEvents("最近有什么活动？")).toBe(true);
		const { text } = await asking("What is happening tomorrow?", { apps: { calendar: "read" } }, { calendar: VIEW }).told;
		expect(text).toContain("- Tue 24 March, 09:15–12:00 · Dentist urgent");
		expect(text).not.toContain("Day off");
		const busy = asking("What events are coming up?", { apps: { calendar: "busy" } }, { calendar: VIEW });
		expect((await busy.told).text).toContain("I don't know");
		expect(busy.calls).toEqual([]);
	});
});

describe("a question that the notes do not answer", () => {
	const pages: WebPage[] = [
		{
			title: "Kilns *and* [glazes](javascript:x)",
			url: "https://kilns.example/a_(b)?c=%3Cd%3E",
			text: "Fire it at\n# 1240 `degrees` <b>slowly</b>",
		},
		{ title: "", url: "http://other.example/", text: "Second" },
		{ title: "Empty", url: "https://empty.example/", text: " " },
	];
	const question = "How hot must a stoneware glaze be fired?";

	it("is answered with quotations from the web where that is on, each with its host and address", async () => {
		const { told, calls } = asking(question, { webSearch: true }, { webSearch: pages });
		const { text, gaps } = await told;
		expect(calls).toEqual([{ tool: "webSearch", query: question }]);
		expect(text).toContain("Mira's notes don't say. A web search found this; nobody here has checked it:");
		expect(text).toContain("> Fire it at 1240 degrees b slowly /b");
		expect(text).toContain("kilns.example: https://kilns.example/a_%28b%29?c=%3Cd%3E)");
		expect(text).not.toMatch(/\]\(|`|\*|<b>|empty\.example/);
		// The notes still do not say it.
		expect(gaps).toEqual([question]);
	});

	it("is answered so in Chinese", async () => {
		const { text } = await asking("陶釉要烧到多少度？", { webSearch: true }, { webSearch: pages }).told;
		expect(text).toContain("网上搜到的");
		expect(text).toContain("other.example：http://other.example/");
	});

	it("stays unknown where the web says nothing, refuses or is off; what the notes say asks nobody", async () => {
		expect((await asking(question, { webSearch: true }, { webSearch: [] }).told).text).toContain("I don't know");
		expect((await asking(question, { webSearch: true }).told).text).toContain("I don't know");
		const off = asking(question, {}, { webSearch: pages });
		expect((await off.told).text).toContain("I don't know");
		const known = asking("When is the studio open?", { webSearch: true }, { webSearch: pages });
		expect((await known.told).text).toContain("10:00 to 18:00");
		expect([...off.calls, ...known.calls]).toEqual([]);
	});
});
