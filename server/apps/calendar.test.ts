import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { calendarServer } from "../../test/apps/services.js";
import { openWeb, type Web } from "../../test/apps/web.js";
import type { Apps } from "../engine/apps-ports.js";
import { createOutbound, type Outbound } from "../outbound/fetch.js";
import { engagementsIn } from "./feed.js";
import { type FeedReader, feedReader } from "./feed-reader.js";
import { createApps } from "./index.js";

const signal = new AbortController().signal;
const LISBON = `BEGIN:VTIMEZONE
TZID:Europe/Lisbon
BEGIN:DAYLIGHT
TZOFFSETFROM:+0000
TZOFFSETTO:+0100
TZNAME:WEST
DTSTART:19700329T010000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
TZOFFSETFROM:+0100
TZOFFSETTO:+0000
TZNAME:WET
DTSTART:19701025T020000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE`;
/** Outlook's own name, described in the feed. */
const OUTLOOK = LISBON.replaceAll("Europe/Lisbon", "GMT Standard Time");

const feed = (...events: string[]): string =>
	["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", "X-WR-TIMEZONE:Europe/Lisbon", LISBON, OUTLOOK, ...events, "END:VCALENDAR", ""]
		.join("\n")
		.replaceAll("\n", "\r\n");
let uid = 0;
const event = (...lines: string[]): string =>
	[
		"BEGIN:VEVENT",
		...(lines.some((l) => l.startsWith("UID")) ? [] : [`UID:u${++uid}`]),
		"DTSTAMP:20260101T000000Z",
		...lines,
		"END:VEVENT",
	].join("\n");

/** `2026-03-29T09:00Z 2026-03-29T10:00Z Title`, a line an engagement. */
const told = async (text: string, from = "2026-03-23", to = "2026-04-06"): Promise<string[]> => {
	const span = { from: Date.parse(`${from}T00:00Z`), to: Date.parse(`${to}T00:00Z`) };
	const found = engagementsIn({ feed: text, ...span, timeZone: "Europe/Lisbon" });
	const short = (ms: number): string => new Date(ms).toISOString().replace(":00.000Z", "Z");
	return found.map((e) => `${short(e.from)} ${short(e.to)}${e.title === undefined ? "" : ` ${e.title}`}`).sort();
};

describe("a calendar's events", () => {
	it("are told in UTC, in a zone that the feed describes, by its name alone, and afloat", async () => {
		expect(
			await told(
				feed(
					event("DTSTART:20260324T090000Z", "DTEND:20260324T100000Z", "SUMMARY:UTC"),
					event("DTSTART;TZID=Europe/Lisbon:20260330T090000", "DTEND;TZID=Europe/Lisbon:20260330T100000", "SUMMARY:Described"),
					event("DTSTART;TZID=GMT Standard Time:20260331T090000", "DTEND;TZID=GMT Standard Time:20260331T100000", "SUMMARY:Outlook"),
					event("DTSTART;TZID=America/New_York:20260325T090000", "DURATION:PT90M", "SUMMARY:Named"),
					event("DTSTART:20260401T090000", "DTEND:20260401T100000", "SUMMARY:Afloat"),
				),
			),
		).toEqual([
			"2026-03-24T09:00Z 2026-03-24T10:00Z UTC",
			"2026-03-25T13:00Z 2026-03-25T14:30Z Named",
			"2026-03-30T08:00Z 2026-03-30T09:00Z Described",
			"2026-03-31T08:00Z 2026-03-31T09:00Z Outlook",
			"2026-04-01T08:00Z 2026-04-01T09:00Z Afloat",
		]);
	});

	it("take whole days as the owner's days, from midnight to midnight, over a change of clocks too", async () => {
		expect(
			await told(
				feed(
					event("DTSTART;VALUE=DATE:20260329", "DTEND;VALUE=DATE:20260330", "SUMMARY:Sunday"),
					event("DTSTART;VALUE=DATE:20260401", "SUMMARY:One day"),
				),
			),
		).toEqual(["2026-03-29T00:00Z 2026-03-29T23:00Z Sunday", "2026-03-31T23:00Z 2026-04-01T23:00Z One day"]);
	});

	it("repeat at the same time on the wall, whatever the clocks do", async () => {
		const daily = event(
			"DTSTART;TZID=Europe/Lisbon:20260301T090000",
			"DTEND;TZID=Europe/Lisbon:20260301T093000",
			"RRULE:FREQ=DAILY",
			"SUMMARY:D",
		);
		expect(await told(feed(daily), "2026-03-27", "2026-03-31")).toEqual([
			"2026-03-27T09:00Z 2026-03-27T09:30Z D",
			"2026-03-28T09:00Z 2026-03-28T09:30Z D",
			"2026-03-29T08:00Z 2026-03-29T08:30Z D",
			"2026-03-30T08:00Z 2026-03-30T08:30Z D",
		]);
		const named = event("DTSTART;TZID=America/New_York:20260105T090000", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;BYDAY=MO,WE", "SUMMARY:W");
		expect(await told(feed(named), "2026-03-02", "2026-03-12")).toEqual([
			"2026-03-02T14:00Z 2026-03-02T15:00Z W",
			"2026-03-04T14:00Z 2026-03-04T15:00Z W",
			"2026-03-09T13:00Z 2026-03-09T14:00Z W",
			"2026-03-11T13:00Z 2026-03-11T14:00Z W",
		]);
	});

	it("repeat from long ago, by every second week, by the last Friday, to their end and so often", async () => {
		const rule = async (...lines: string[]) => await told(feed(event(...lines, "DURATION:PT1H")));
		expect(await rule("DTSTART:19980105T080000Z", "RRULE:FREQ=WEEKLY;INTERVAL=2")).toEqual(["2026-03-23T08:00Z 2026-03-23T09:00Z"]);
		expect(await rule("DTSTART:19980101T080000Z", "RRULE:FREQ=DAILY;INTERVAL=10")).toEqual([
			"2026-03-25T08:00Z 2026-03-25T09:00Z",
			"2026-04-04T08:00Z 2026-04-04T09:00Z",
		]);
		expect(await rule("DTSTART:20200131T080000Z", "RRULE:FREQ=MONTHLY;BYDAY=-1FR")).toEqual(["2026-03-27T08:00Z 2026-03-27T09:00Z"]);
		expect(await rule("DTSTART:20260301T080000Z", "RRULE:FREQ=DAILY;UNTIL=20260324T080000Z")).toEqual([
			"2026-03-23T08:00Z 2026-03-23T09:00Z",
			"2026-03-24T08:00Z 2026-03-24T09:00Z",
		]);
		expect(await rule("DTSTART:20260322T080000Z", "RRULE:FREQ=DAILY;COUNT=2")).toEqual(["2026-03-23T08:00Z 2026-03-23T09:00Z"]);
		expect(await rule("DTSTART:20260101T080000Z", "RDATE:20260324T080000Z")).toEqual(["2026-03-24T08:00Z 2026-03-24T09:00Z"]);
	});

	it("leave out the occurrences that were taken out, moved or called off", async () => {
		const series = [
			event(
				"UID:series",
				"DTSTART;TZID=Europe/Lisbon:20260323T090000",
				"DTEND;TZID=Europe/Lisbon:20260323T100000",
				"RRULE:FREQ=DAILY;COUNT=5",
				"EXDATE;TZID=Europe/Lisbon:20260324T090000",
				"SUMMARY:S",
			),
			event(
				"UID:series",
				"RECURRENCE-ID;TZID=Europe/Lisbon:20260325T090000",
				"DTSTART;TZID=Europe/Lisbon:20260402T150000",
				"DTEND;TZID=Europe/Lisbon:20260402T160000",
				"SUMMARY:Moved",
			),
			event(
				"UID:series",
				"RECURRENCE-ID:20260326T090000Z",
				"DTSTART;TZID=Europe/Lisbon:20260326T090000",
				"DTEND;TZID=Europe/Lisbon:20260326T100000",
				"STATUS:CANCELLED",
			),
		];
		expect(await told(feed(...series))).toEqual([
			"2026-03-23T09:00Z 2026-03-23T10:00Z S",
			"2026-03-27T09:00Z 2026-03-27T10:00Z S",
			"2026-04-02T14:00Z 2026-04-02T15:00Z Moved",
		]);
		// Moved from far away into the time that is asked about.
		expect(await told(feed(...series), "2026-04-01", "2026-04-06")).toEqual(["2026-04-02T14:00Z 2026-04-02T15:00Z Moved"]);
	});

	it("leave their owner free where they say so, and keep the title that is nobody else's", async () => {
		const at = ["DTSTART:20260324T090000Z", "DTEND:20260324T100000Z", "SUMMARY:Secret"];
		expect(
			await told(
				feed(event(...at, "TRANSP:TRANSPARENT"), event(...at, "STATUS:CANCELLED"), event(...at, "X-MICROSOFT-CDO-BUSYSTATUS:FREE")),
			),
		).toEqual([]);
		expect(await told(feed(event(...at, "CLASS:PRIVATE")))).toEqual(["2026-03-24T09:00Z 2026-03-24T10:00Z"]);
		expect(
			await told(
				feed(
					"BEGIN:VFREEBUSY\nUID:f\nFREEBUSY;FBTYPE=BUSY:20260324T090000Z/PT1H,20260325T090000Z/20260325T110000Z\nFREEBUSY;FBTYPE=FREE:20260326T090000Z/PT1H\nEND:VFREEBUSY",
				),
			),
		).toEqual(["2026-03-24T09:00Z 2026-03-24T10:00Z", "2026-03-25T09:00Z 2026-03-25T11:00Z"]);
	});

	it("are cut to the time that was asked about, folded lines and escapes read", async () => {
		expect(
			await told(
				feed(
					event(
						"DTSTART:20260320T090000Z",
						"DTEND:20260324T100000Z",
						"SUMMARY:Long\\, long tr\n ip",
						"DESCRIPTION:BEGIN:VEVENT\\nDTSTART:1",
						"BEGIN:VALARM",
						"TRIGGER:-PT5M",
						"DTSTART:20200101T000000Z",
						"END:VALARM",
					),
				),
			),
		).toEqual(["2026-03-23T00:00Z 2026-03-24T10:00Z Long, long trip"]);
	});

	it("are never said to be none where they cannot be made out", async () => {
		const unknown = feed(event("DTSTART;TZID=Mars/Olympus:20260324T090000", "DURATION:PT1H"));
		await expect(told(unknown)).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("Mars/Olympus") });
		await expect(told("<html>")).rejects.toMatchObject({ code: "unavailable" });
		await expect(told(feed().replace("END:VCALENDAR", ""))).rejects.toMatchObject({ code: "unavailable" });
		await expect(told(feed(event("DTSTART:20260199T999999Z", "DURATION:PT1H", "RRULE:FREQ=NEVER")))).rejects.toMatchObject({
			code: "unavailable",
		});
	});

	const at = ["DTSTART:20260324T090000Z", "DTEND:20260324T100000Z"];
	const busy = ["2026-03-24T09:00Z 2026-03-24T10:00Z"];
	const day = ["2026-03-24T00:00Z 2026-03-25T00:00Z"];
	it.each<[string, string, string[]]>([
		["in a second calendar of the same feed", feed() + feed(event(...at)), busy],
		["behind a mark of byte order", `${feed()}\ufeff${feed(event(...at))}`, busy],
		["with a space where it begins", feed(event(...at)).replace("BEGIN:VEVENT", "BEGIN:VEVENT "), busy],
		["with a tab where it ends", feed(event(...at)).replace("END:VEVENT", "END:VEVENT\t"), busy],
		["with spaces about busy times", feed("BEGIN:VFREEBUSY \nFREEBUSY:20260324T090000Z/PT1H\nEND:VFREEBUSY\t"), busy],
		["of a day that ends on the same day", feed(event("DTSTART;VALUE=DATE:20260324", "DTEND;VALUE=DATE:20260324")), day],
		["with a space before its colon", feed(event("DTSTART :20260324T090000Z", "DTEND :20260324T100000Z")), busy],
		["with a line folded by CR alone", feed(event("DTSTART:202603\r 24T090000Z", "DURATION:PT1H")), busy],
		["with a date in a quoted parameter", feed(event('DTSTART;X-A="b:20200101":20260324T090000Z', at[1] ?? "")), busy],
		["that repeats until before it starts", feed(event(...at, "RRULE:FREQ=DAILY;UNTIL=20200101T000000Z")), busy],
		["whose rule matches no day", feed(event(...at, "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30")), busy],
		[
			"whose rule does not match its start",
			feed(event(...at, "RRULE:FREQ=WEEKLY;COUNT=1;BYDAY=FR")),
			[...busy, "2026-03-27T09:00Z 2026-03-27T10:00Z"],
		],
		["whose start is taken out", feed(event(...at, "RRULE:FREQ=WEEKLY;COUNT=1;BYDAY=TU", "EXDATE;VALUE=DATE:20260324")), []],
	])("are not lost where the feed is odd: one %s", async (_, text, engagements) => {
		expect(await told(text)).toEqual(engagements);
	});

	it.each<[string, string]>([
		["a time written another way", feed(event("DTSTART:2026-03-24T09:00:00Z", "DURATION:PT1H"))],
		["a time written another way, that does not repeat", feed(event("DTSTART:2026-03-24T09:00:00Z", "DTEND:2026-03-24T10:00:00Z"))],
		["a thirteenth month", feed(event("DTSTART:20261301T090000Z"))],
		["a thirtieth of February", feed(event("DTSTART:20260230T090000Z"))],
		["no start", feed(event("DTEND:20260324T100000Z"))],
		["an empty start", feed(event("DTSTART:", "DTEND:20260324T100000Z"))],
		["two starts", feed(event("DTSTART:20200101T090000Z", ...at))],
		["an end before its start", feed(event("DTSTART:20260324T090000Z", "DTEND:20260324T080000Z"))],
		["an end a year before its start", feed(event("DTSTART:20260324T090000Z", "DTEND:20250324T100000Z"))],
		["a length below nothing", feed(event("DTSTART:20260324T090000Z", "DURATION:-PT1H"))],
		["an end that is none", feed(event("DTSTART:20260324T090000Z", "DTEND:soon"))],
		["a time that is called a date", feed(event("DTSTART;VALUE=DATE:20260324T090000Z", "DTEND;VALUE=DATE:20260324T100000Z"))],
		["fewer than no times", feed(event(...at, "RRULE:FREQ=DAILY;COUNT=-1"))],
		["no times", feed(event(...at, "RRULE:FREQ=DAILY;COUNT=0"))],
		["steps backwards", feed(event(...at, "RRULE:FREQ=WEEKLY;INTERVAL=-1"))],
		["a time of its repetition that is a period", feed(event(...at, "RDATE;VALUE=PERIOD:20260325T090000Z/PT2H"))],
		["another event inside", feed(`BEGIN:VEVENT\nUID:o\nDTSTART:20250101T090000Z\n${event(...at)}\nEND:VEVENT`)],
		["a wrapper", feed(`BEGIN:X-A1\n${event(...at)}\nEND:X-A1`)],
		["busy times that end before they start", feed("BEGIN:VFREEBUSY\nFREEBUSY:20260324T090000Z/20260324T080000Z\nEND:VFREEBUSY")],
		["a change to events that are not there", feed(event("RECURRENCE-ID;RANGE=THISANDFUTURE:20260301T090000Z", ...at))],
	])("are never dropped for what cannot be made out, and the sentence is ours: %s", async (_, text) => {
		await expect(told(text)).rejects.toMatchObject({
			code: "unavailable",
			message: expect.stringMatching(
				/^The calendar has an event that cannot be made out(?:\.|: (?:[A-Z]+|it|what|where) (?!read|not extract)[a-z ]+\.)$/,
			),
		});
	});

	it("are given up where they repeat, or are, more than anybody's life", async () => {
		const many = "That calendar repeats more than can be looked through.";
		const seconds = event("DTSTART:19700101T000000Z", "DURATION:PT1S", "RRULE:FREQ=SECONDLY");
		await expect(told(feed(seconds))).rejects.toMatchObject({ code: "unavailable", message: many });
		const period = (at: string, times: number) =>
			`BEGIN:VFREEBUSY\nFREEBUSY:${Array(times).fill(`${at}T090000Z/PT1H`).join(",")}\nEND:VFREEBUSY`;
		expect(await told(feed(period("20260324", LIMITS.calendarEngagements)))).toHaveLength(LIMITS.calendarEngagements);
		await expect(told(feed(period("20260324", LIMITS.calendarEngagements + 1)))).rejects.toMatchObject({ message: many });
		// None of them is in the time that is asked about.
		expect(await told(feed(period("20200324", LIMITS.calendarOccurrences)))).toEqual([]);
		await expect(told(feed(period("20200324", LIMITS.calendarOccurrences + 1)))).rejects.toMatchObject({ message: many });
	});

	it("have titles as long as may be told, whatever their author wrote", async () => {
		const book = feed(event("DTSTART:20260324T090000Z", "DURATION:PT1H", `SUMMARY:${"  Words".repeat(100_000)}`));
		const [line = ""] = await told(book);
		expect(line).toContain("Words  Words");
		expect(line.length).toBeLessThan(5 * LIMITS.eventTitleChars);
	});

	it("of ten full years are looked through fast", async () => {
		const many = Array.from({ length: 8_000 }, (_, i) => {
			const day = new Date(Date.UTC(2016, 0, 1) + Math.floor(i / 2) * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "");
			return event(
				`DTSTART:${day}T090000Z`,
				`DTEND:${day}T100000Z`,
				"SUMMARY:X",
				`DESCRIPTION:${"words ".repeat(10)}`,
				"ATTENDEE;CN=Somebody:mailto:somebody@example.com",
			);
		});
		const large = feed(...many);
		const from = performance.now();
		expect(await told(large)).toHaveLength(28);
		expect(performance.now() - from).toBeLessThan(1_500);
	});
});

describe("a calendar that is connected", () => {
	let web: Web;
	let outbound: Outbound;
	let feeds: FeedReader;
	let apps: Apps;
	let text: string;
	const PATH = "/calendar/ical/anna%40example.com/private-0123456789abcdef/basic.ics";
	const now = Date.UTC(2026, 2, 23);

	beforeEach(async () => {
		web = await openWeb();
		outbound = createOutbound({ privateOrigins: [], ownHosts: [], ownAddresses: [], dial: web.dial });
		feeds = feedReader(new URL("../feed-reader.js", import.meta.url));
		apps = createApps({ outbound, feeds, now: () => now });
		text = feed(event("DTSTART:20260324T090000Z", "DTEND:20260324T100000Z", "SUMMARY:Dentist"));
		await web.serve(
			"calendar.example",
			calendarServer(PATH, () => text),
		);
	});
	afterEach(async () => {
		feeds.close();
		await outbound.close();
		await web.close();
	});

	const connect = (more: object = {}) => apps.connect({ kind: "ical", address: `webcal://calendar.example${PATH}`, ...more }, signal);

	it("is read from its private address, in the zone that it says", async () => {
		const connected = await connect({ hours: "10-18", days: "2-6", most: "busy" });
		expect(connected).toMatchObject({ app: "calendar", label: "calendar.example", most: "busy" });
		const call = { tool: "calendar", from: now, to: now + 7 * 86_400_000 } as const;
		expect(await apps.call(call, { ...connected, uid: "app_1" }, "read", signal)).toEqual({
			timeZone: "Europe/Lisbon",
			hours: { from: 10, to: 18, days: [2, 3, 4, 5, 6] },
			engagements: [{ from: Date.UTC(2026, 2, 24, 9), to: Date.UTC(2026, 2, 24, 10), title: "Dentist" }],
		});
	});

	it.each([
		["no address", { address: "" }, "needs the address"],
		["http", { address: "http://calendar.example/a.ics" }, "https"],
		["no such path", { address: "https://calendar.example/other.ics" }, "(404)"],
		["hours the wrong way round", { hours: "18-10" }, "Write hours"],
		["no hours", { hours: "all day" }, "Write hours"],
		["no days", { days: "0-8" }, "Write days"],
		["no such zone", { timeZone: "Lisbon" }, "no time zone"],
	])("is refused with a plain sentence for %s", async (_, more, words) => {
		await expect(connect(more)).rejects.toMatchObject({ message: expect.stringContaining(words) });
	});

	it("is not read where it never comes to an end, and the one who connects it is told why", async () => {
		text = feed(event("DTSTART:20260101T090000Z", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"));
		apps = createApps({ outbound, feeds: feedReader(new URL("../feed-reader.js", import.meta.url), 50), now: () => now });
		await expect(connect()).rejects.toMatchObject({ code: "unavailable", message: "That calendar takes too long to look through." });
	});

	it("has to say its zone, or have it said", async () => {
		text = text.replace(/X-WR-TIMEZONE.*\r\n/, "");
		await expect(connect()).rejects.toMatchObject({
			message: "The calendar does not say its time zone. Name the zone that you live by, such as Europe/Lisbon.",
		});
		await connect({ timeZone: "Asia/Shanghai" });
	});
});
