/**
 * The hours in which a desk answers: weekdays and times of day in one time zone, as its owner writes them. Pure: the time is
 * given. Outside them a desk is away; what is asked is kept and taken up when they begin (requirements.md RUN-6).
 */
import { LIMITS } from "../../shared/limits.js";
import { isTimeZone, momentOf, wallAt } from "../../shared/time-zones.js";

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

/** How they are written, for whoever has to be told. */
export const HOURS_EXAMPLE = "Mon-Fri 09:00-17:00, Sat 10:00-14:00 Europe/Lisbon";

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;
const MINUTE_MS = 60_000;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
/** Texts of hours that are remembered as read. */
const REMEMBER_MAX = 1_000;

const PART = /^(?:([a-z]{3})(?:\s*-\s*([a-z]{3}))?\s+)?(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})$/;

/** What is wrong with a text of hours, in a sentence. */
class Unreadable extends Error {}

/** Reads the owner's text. Throws Unreadable. Empty stands for any time and is never read. */
function read(text: string): Hours {
	if (text.length > LIMITS.hoursChars) throw new Unreadable("These are too many hours.");
	const [, list = "", zone = ""] = /^(.*\S)\s+([A-Za-z][\w+/-]*)$/s.exec(text.trim()) ?? [];
	if (list === "" || !/\d$/.test(list)) throw new Unreadable("The time zone is missing.");
	if (!isTimeZone(zone)) throw new Unreadable(`${zone} is not a time zone that this computer knows.`);
	const spans: Span[] = [];
	for (const part of list.toLowerCase().split(",")) spans.push(...spansOf(part.trim()));
	if (spans.length > LIMITS.hoursSpans) throw new Unreadable("These are too many hours.");
	return { zone, spans };
}

function spansOf(part: string): Span[] {
	const [, first, last, ...digits] = PART.exec(part) ?? [];
	const [h1 = 99, m1 = 99, h2 = 99, m2 = 99] = digits.map(Number);
	const from = h1 * 60 + m1;
	const to = h2 * 60 + m2;
	if (h1 > 23 || m1 > 59 || m2 > 59 || to > DAY_MINUTES) throw new Unreadable(`“${part}” is no day with times.`);
	if (from === to) throw new Unreadable(`“${part}” begins and ends at once.`);
	const begin = first === undefined ? 0 : DAYS.indexOf(first as never);
	const end = last === undefined ? (first === undefined ? 6 : begin) : DAYS.indexOf(last as never);
	if (begin < 0 || end < 0) throw new Unreadable(`“${part}” names no day; those are Mon, Tue, Wed, Thu, Fri, Sat and Sun.`);
	const days = Array.from({ length: ((end - begin + 7) % 7) + 1 }, (_, i) => (begin + i) % 7);
	// One that ends before it begins goes on into the next day.
	return days.map((day) => ({ from: day * DAY_MINUTES + from, to: day * DAY_MINUTES + (to > from ? to : to + DAY_MINUTES) }));
}

const known = new Map<string, Hours | Unreadable>();

function hoursOf(text: string): Hours | Unreadable {
	let hours = known.get(text);
	if (!hours) {
		try {
			hours = read(text);
		} catch (error) {
			if (!(error instanceof Unreadable)) throw error;
			hours = error;
		}
		if (known.size >= REMEMBER_MAX) known.clear();
		known.set(text, hours);
	}
	return hours;
}

/** What is wrong with an owner's hours, and how they are written; undefined where nothing is. */
export function wrongHours(text: string): string | undefined {
	const hours = text.trim() === "" ? undefined : hoursOf(text);
	if (!(hours instanceof Unreadable)) return undefined;
	return `${hours.message} Write the hours as ${HOURS_EXAMPLE}; leave them empty to answer at any time.`;
}

/**
 * Whether `now` (milliseconds since the epoch) is within the hours; always where they are empty. Never where they cannot be read (any more: a
 * zone that another computer knew): nobody is told that somebody is there who may not be.
 */
export function isOpen(text: string, now: number): boolean {
	if (text.trim() === "") return true;
	const hours = hoursOf(text);
	return !(hours instanceof Unreadable) && isWithin(hours, now);
}

function isWithin({ zone, spans }: Hours, now: number): boolean {
	const wall = wallAt(now, zone);
	const at = weekdayOf(wall) * DAY_MINUTES + Math.floor((wall - dayOf(wall)) / MINUTE_MS);
	return spans.some(({ from, to }) => (at >= from && at < to) || at + WEEK_MINUTES < to);
}

/** Of a time on the wall, which is given as if it were UTC: when its day begins, and which of the week it is, 0 for Monday. */
const dayOf = (wall: number): number => Math.floor(wall / DAY_MS) * DAY_MS;
const weekdayOf = (wall: number): number => (new Date(wall).getUTCDay() + 6) % 7;

/** When they begin next, milliseconds since the epoch; undefined while they last, and where they never end or cannot be read. */
export function opensAt(text: string, now: number): number | undefined {
	const hours = text.trim() === "" ? undefined : hoursOf(text);
	if (!hours || hours instanceof Unreadable || isWithin(hours, now)) return undefined;
	const { zone, spans } = hours;
	const today = dayOf(wallAt(now, zone));
	let first = Number.POSITIVE_INFINITY;
	// A week and a day: today's may be over, and those of a day in which the clocks go forward may not be at all.
	for (let day = today; day <= today + 8 * DAY_MS; day += DAY_MS) {
		for (const { from } of spans) {
			if (Math.floor(from / DAY_MINUTES) !== weekdayOf(day)) continue;
			const at = momentOf(day + (from % DAY_MINUTES) * MINUTE_MS, zone);
			if (at > now && at < first && isWithin(hours, at)) first = at;
		}
	}
	return Number.isFinite(first) ? first : undefined;
}
