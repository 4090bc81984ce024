/**
 * The hours in which a desk answers: weekdays and times of day in one time zone, as its owner writes them. Pure: the time is
 * given. Outside them a desk is away; what is asked is kept and taken up when they begin (requirements.md RUN-6).
 */
import { DeskError } from "../../shared/errors.js";

/** From one minute of the week to another, Monday 00:00 being 0. `to` is not of it. */
interface Span {
	from: number;
	to: number;
}

interface Hours {
	/** A name of the IANA's, `Europe/Lisbon`. */
	zone: string;
	spans: readonly Span[];
}

/** What the minutes on a wall read at one moment in a zone. */
interface Wall {
	year: number;
	month: number;
	day: number;
	/** 0: Monday. */
	weekday: number;
	/** Of the day. */
	minute: number;
}

/** How they are written, for whoever has to be told. */
export const HOURS_EXAMPLE = "Mon-Fri 09:00-17:00, Sat 10:00-14:00 Europe/Lisbon";

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;
const MINUTE_MS = 60_000;
/** Spans that a week may have. */
const MOST_SPANS = 50;
/** Characters of the whole text: a week of two spans a day has room. */
const MOST_CHARS = 400;

const PART = /^(?:([a-z]{3})(?:\s*-\s*([a-z]{3}))?\s+)?(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})$/;

const wrong = (why: string): DeskError =>
	new DeskError("invalid_params", `${why} Write the hours as ${HOURS_EXAMPLE}; leave them empty to answer at any time.`, {
		violations: [{ field: "hours", description: why }],
	});

/** Reads the owner's text. Throws `invalid_params` with what is wrong. Empty stands for any time and is never read. */
function read(text: string): Hours {
	if (text.length > MOST_CHARS) throw wrong("These are too many hours.");
	const [, list = "", zone = ""] = /^(.*\S)\s+([A-Za-z][\w+/-]*)$/s.exec(text.trim()) ?? [];
	if (list === "" || !/\d$/.test(list)) throw wrong("The time zone is missing.");
	if (!isZone(zone)) throw wrong(`${zone} is not a time zone that this computer knows.`);
	const spans: Span[] = [];
	for (const part of list.toLowerCase().split(",")) spans.push(...spansOf(part.trim()));
	if (spans.length > MOST_SPANS) throw wrong("These are too many hours.");
	return { zone, spans };
}

function spansOf(part: string): Span[] {
	const [, first, last, ...digits] = PART.exec(part) ?? [];
	const [h1 = 99, m1 = 99, h2 = 99, m2 = 99] = digits.map(Number);
	const from = h1 * 60 + m1;
	const to = h2 * 60 + m2;
	if (h1 > 23 || m1 > 59 || m2 > 59 || to > DAY_MINUTES) throw wrong(`“${part}” is no day with times.`);
	if (from === to) throw wrong(`“${part}” begins and ends at once.`);
	const begin = first === undefined ? 0 : DAYS.indexOf(first as never);
	const end = last === undefined ? (first === undefined ? 6 : begin) : DAYS.indexOf(last as never);
	if (begin < 0 || end < 0) throw wrong(`“${part}” names no day; those are Mon, Tue, Wed, Thu, Fri, Sat and Sun.`);
	const days = Array.from({ length: ((end - begin + 7) % 7) + 1 }, (_, i) => (begin + i) % 7);
	// One that ends before it begins goes on into the next day.
	return days.map((day) => ({ from: day * DAY_MINUTES + from, to: day * DAY_MINUTES + (to > from ? to : to + DAY_MINUTES) }));
}

function isZone(zone: string): boolean {
	try {
		new Intl.DateTimeFormat("en", { timeZone: zone });
		// An offset is taken by some and not by others, and knows no summer.
		return /^[A-Za-z]/.test(zone);
	} catch {
		return false;
	}
}

const known = new Map<string, Hours>();

function hoursOf(text: string): Hours {
	let hours = known.get(text);
	if (!hours) {
		hours = read(text);
		if (known.size > 1_000) known.clear();
		known.set(text, hours);
	}
	return hours;
}

/** Throws `invalid_params` with what is wrong with an owner's hours. */
export function checkHours(text: string): void {
	if (text.trim() !== "") hoursOf(text);
}

/** Whether `now` (milliseconds since the epoch) is within the hours; always where they are empty. */
export function isOpen(text: string, now: number): boolean {
	if (text.trim() === "") return true;
	const { zone, spans } = hoursOf(text);
	const { weekday, minute } = wallAt(zone, now);
	const at = weekday * DAY_MINUTES + minute;
	return spans.some(({ from, to }) => (at >= from && at < to) || at + WEEK_MINUTES < to);
}

/** When they begin next, milliseconds since the epoch; undefined while they last, and where they never end. */
export function opensAt(text: string, now: number): number | undefined {
	if (isOpen(text, now)) return undefined;
	const { zone, spans } = hoursOf(text);
	const wall = wallAt(zone, now);
	let first = Number.POSITIVE_INFINITY;
	// A week and a day: today's may be over, and those of a day in which the clocks go forward may not be at all.
	for (let ahead = 0; ahead <= 8; ahead++) {
		for (const { from } of spans) {
			if (Math.floor(from / DAY_MINUTES) !== (wall.weekday + ahead) % 7) continue;
			const at = momentOf(zone, wall, ahead, from % DAY_MINUTES);
			if (at > now && at < first && isOpen(text, at)) first = at;
		}
	}
	return Number.isFinite(first) ? first : undefined;
}

/** The moment at which the wall's clock reads `minute`, so many days after the day of `wall`. */
function momentOf(zone: string, wall: Wall, ahead: number, minute: number): number {
	const meant = Date.UTC(wall.year, wall.month - 1, wall.day + ahead, 0, minute);
	const offset = (at: number): number => {
		const read = wallAt(zone, at);
		return Date.UTC(read.year, read.month - 1, read.day, 0, read.minute) - at;
	};
	// Twice: the first guess may lie on the other side of a change of the clocks.
	const guess = meant - offset(meant);
	return meant - offset(guess);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function wallAt(zone: string, now: number): Wall {
	let format = formats.get(zone);
	if (!format) {
		format = new Intl.DateTimeFormat("en-US", {
			timeZone: zone,
			calendar: "gregory",
			numberingSystem: "latn",
			hourCycle: "h23",
			year: "numeric",
			month: "numeric",
			day: "numeric",
			weekday: "short",
			hour: "numeric",
			minute: "numeric",
		});
		formats.set(zone, format);
	}
	const whole = Math.floor(now / MINUTE_MS) * MINUTE_MS;
	const parts = new Map(format.formatToParts(whole).map(({ type, value }) => [type, value]));
	const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
	return {
		year: number("year"),
		month: number("month"),
		day: number("day"),
		weekday: DAYS.indexOf((parts.get("weekday") ?? "").toLowerCase() as never),
		minute: number("hour") * 60 + number("minute"),
	};
}
