/**
 * An iCalendar feed cut down to what is looked at, before it is parsed: of each event the lines that say when it is, and its title;
 * and only events that may fall into the time that was asked about. Descriptions, guests and attachments are not even read. Pure, and
 * linear in the feed: parsing ten years of somebody's life takes long. What it keeps it also checks: ical.js takes a thirteenth month for a
 * month of the year after, and half a date for another one.
 */
import { DeskError } from "../../shared/errors.js";

/** Lines of an event that count (RFC 5545, 3.6.1). */
const KEPT =
	/^(?:DTSTART|DTEND|DURATION|RRULE|EXRULE|RDATE|EXDATE|RECURRENCE-ID|UID|SUMMARY|TRANSP|STATUS|CLASS|X-MICROSOFT-CDO-BUSYSTATUS|FREEBUSY)(?=[;:])/i;
/** Of the calendar itself. */
const HEAD = /^(?:VERSION|X-WR-TIMEZONE)(?=[;:])/i;
/** Repeats, or takes the place of an occurrence of one that does. */
const REPEATS = /^(?:RRULE|EXRULE|RDATE|RECURRENCE-ID|DURATION)(?=[;:])/i;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Something that cannot be made out: its owner may be engaged or not. `why`: ends a sentence, and is in nobody's words but ours. */
export const unclear = (why?: string): DeskError =>
	new DeskError("unavailable", `The calendar has an event that cannot be made out${why === undefined ? "" : `: ${why}`}.`);

/** A line that says a name and a value. Quoted parameters may hold colons. */
const VALUE = /^[^":]*(?:"[^"]*"[^":]*)*:(.*)$/s;
const MOMENT = /^(\d{4})(\d\d)(\d\d)(?:T(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d|60)Z?)?$/;
const DURATION = /^\+?P(?:\d+W|(?=\d|T\d)(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;

/** The day of a date or a time, as a number that sorts: 20260131. Undefined: it is none. */
function dayAt(moment: string): number | undefined {
	const [, year, month, day] = MOMENT.exec(moment) ?? [];
	if (year === undefined) return undefined;
	// The calendar repeats every 400 years; the years before 100 are not Date's.
	const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
	const exists = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
	return exists ? Number(`${year}${month}${day}`) : undefined;
}

const valueIn = (line: string): string | undefined => VALUE.exec(line)?.[1]?.trim();
const dayIn = (line: string): number | undefined => dayAt(valueIn(line) ?? "");

/** Whether there stands a date where dates are meant and else a time, or a period of times. */
function isTime(time: string, isDate: boolean): boolean {
	const [start = "", end, ...more] = time.split("/");
	if (dayAt(start) === undefined || more.length > 0) return false;
	if (end === undefined) return start.includes("T") !== isDate;
	return start.includes("T") && ((dayAt(end) !== undefined && end.includes("T")) || DURATION.test(end));
}

/** Throws for a line that ical.js would read as something else than what stands there, or not at all. */
function check(line: string): void {
	const name = /^[A-Z-]+/i.exec(line)?.[0].toUpperCase() ?? "";
	const value = valueIn(line) ?? "";
	// Once a line: it may be as long as the feed.
	const isDate = /^[^:]*;VALUE="?DATE"?[;:]/i.test(line);
	if (/^(?:DTSTART|DTEND|RECURRENCE-ID)$/.test(name)) {
		if (value.includes("/") || !isTime(value, isDate)) throw unclear(`${name} is no date or time`);
	} else if (/^(?:RDATE|EXDATE|FREEBUSY)$/.test(name)) {
		if (!value.split(",").every((time) => isTime(time, isDate))) throw unclear(`${name} has something that is no date or time`);
	} else if (name === "DURATION" && !DURATION.test(value)) throw unclear("DURATION is no length of time");
	else if (/^(?:RRULE|EXRULE)$/.test(name) && /(?:^|;)(?:COUNT=(?!0*[1-9]\d*(?:;|$))|INTERVAL=(?!\d+(?:;|$)))/i.test(value))
		throw unclear(`${name} does not say how often it repeats`);
}

const dayOf = (ms: number): number => {
	const at = new Date(ms);
	return (at.getUTCFullYear() * 100 + at.getUTCMonth() + 1) * 100 + at.getUTCDate();
};

/** Whether an event's lines may say something about the days from `first` to `last`. In doubt they may. */
function concerns(lines: readonly string[], first: number, last: number): boolean {
	if (lines.some((line) => REPEATS.test(line))) return true;
	const start = dayIn(lines.find((line) => /^DTSTART[;:]/i.test(line)) ?? "");
	const ends = lines.find((line) => /^DTEND[;:]/i.test(line));
	const end = ends === undefined ? start : dayIn(ends);
	if (start === undefined) return true;
	if (end === undefined) return start <= last;
	// An end before its start is not made out where it is read, if it is near.
	return Math.min(start, end) <= last && Math.max(start, end) >= first;
}

/**
 * One or more calendars, one after another. Undefined: not a calendar. `from` and `to`: milliseconds. Throws DeskError for an event that
 * cannot be made out.
 */
export function cutDown(feed: string, from: number, to: number): string | undefined {
	// A mark of byte order stands wherever files were put together.
	const text = feed.replaceAll("\ufeff", "").trimStart();
	if (!/^BEGIN:VCALENDAR\s/i.test(text)) return undefined;
	const lines = text.replace(/(?:\r\n?|\n)[ \t]/g, "").split(/\r\n|\n|\r/);
	// A day on either side: dates are not yet in anybody's zone.
	const [first, last] = [dayOf(from - DAY_MS), dayOf(to + DAY_MS)];
	const kept: string[] = [];
	/** Components that we are in, the outermost first. */
	const inside: string[] = [];
	let event: string[] = [];
	const close = (name: string): void => {
		if (inside.at(-1) !== name) throw unclear(`${name} ends where it has not begun`);
		const isZone = inside[1] === "VTIMEZONE";
		inside.pop();
		const counts = inside.length === 1 && (name === "VFREEBUSY" || (name === "VEVENT" && concerns(event, first, last)));
		if (counts) {
			event.forEach(check);
			kept.push(`BEGIN:${name}`, ...event);
		}
		if (counts || isZone || inside.length === 0) kept.push(`END:${name}`);
	};
	for (const spaced of lines) {
		const line = spaced.replace(/^([A-Z-]{1,40})[ \t]+(?=[;:])/i, "$1");
		const [, edge, as = ""] = /^(BEGIN|END):[ \t]*([\w.-]{1,40})\s*$/i.exec(line) ?? [];
		const name = as.toUpperCase();
		const isZone = inside[1] === "VTIMEZONE";
		if (edge?.toUpperCase() === "BEGIN") {
			// Anywhere else it is nobody's, and may be somebody's engagement.
			const isOut = (name === "VCALENDAR") !== (inside.length === 0) || (/^(?:VEVENT|VFREEBUSY)$/.test(name) && inside.length !== 1);
			if (isOut) throw unclear(`${name} stands where it does not belong`);
			inside.push(name);
			if (inside.length === 1 || inside[1] === "VTIMEZONE") kept.push(`BEGIN:${name}`);
			else if (inside.length === 2) event = [];
		} else if (edge) close(name);
		else if (/^(?:BEGIN|END)[;:]/i.test(line)) throw unclear("where it begins or ends is not said");
		else if (isZone || (inside.length === 1 && HEAD.test(line))) kept.push(line);
		else if (inside.length === 2 && KEPT.test(line)) event.push(line);
	}
	return inside.length === 0 ? `${kept.join("\r\n")}\r\n` : undefined;
}
