/**
 * An iCalendar feed cut down to what is looked at, before it is parsed: of each event the lines that say when it is, and its title;
 * and only events that may fall into the time that was asked about. Descriptions, guests and attachments are not even read. Pure, and
 * linear in the feed: parsing ten years of somebody's life takes long.
 */

/** Lines of an event that count (RFC 5545, 3.6.1). */
const KEPT =
	/^(?:DTSTART|DTEND|DURATION|RRULE|EXRULE|RDATE|EXDATE|RECURRENCE-ID|UID|SUMMARY|TRANSP|STATUS|CLASS|X-MICROSOFT-CDO-BUSYSTATUS|FREEBUSY)(?=[;:])/i;
/** Of the calendar itself. */
const HEAD = /^(?:VERSION|X-WR-TIMEZONE)(?=[;:])/i;
/** Repeats, or takes the place of an occurrence of one that does. */
const REPEATS = /^(?:RRULE|EXRULE|RDATE|RECURRENCE-ID|DURATION)(?=[;:])/i;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The day that a date in a line lies in, as a number that sorts: 20260131. */
const dayIn = (line: string): number | undefined => {
	const found = /:(\d{8})/.exec(line)?.[1];
	return found === undefined ? undefined : Number(found);
};

const dayOf = (ms: number): number => {
	const at = new Date(ms);
	return (at.getUTCFullYear() * 100 + at.getUTCMonth() + 1) * 100 + at.getUTCDate();
};

/** Whether an event's lines may say something about the days from `first` to `last`. In doubt they may. */
function concerns(lines: readonly string[], first: number, last: number): boolean {
	if (lines.some((line) => REPEATS.test(line))) return true;
	const start = dayIn(lines.find((line) => /^DTSTART[;:]/i.test(line)) ?? "");
	const end = dayIn(lines.find((line) => /^DTEND[;:]/i.test(line)) ?? "");
	if (start === undefined) return false;
	return start <= last && (end ?? start) >= first;
}

/** Undefined: not a calendar. `from` and `to`: milliseconds. */
export function cutDown(feed: string, from: number, to: number): string | undefined {
	const text = feed.replace(/^\ufeff/, "").trimStart();
	if (!/^BEGIN:VCALENDAR\s/i.test(text)) return undefined;
	const lines = text.replace(/\r?\n[ \t]/g, "").split(/\r\n|\n|\r/);
	// A day on either side: dates are not yet in anybody's zone.
	const [first, last] = [dayOf(from - DAY_MS), dayOf(to + DAY_MS)];
	const kept: string[] = [];
	/** Components that we are in, the outermost first. */
	const inside: string[] = [];
	let event: string[] = [];
	for (const line of lines) {
		const [, edge, name] = /^(BEGIN|END):([A-Z-]{1,40})\s*$/i.exec(line) ?? [];
		const [, second] = inside;
		const isZone = second === "VTIMEZONE";
		if (edge?.toUpperCase() === "BEGIN") {
			inside.push(name?.toUpperCase() ?? "");
			if (inside.length === 1 || isZone || inside[1] === "VTIMEZONE") kept.push(line);
			else event = inside.length === 2 ? [line] : event;
		} else if (edge) {
			const closed = inside.pop();
			if (inside.length === 0 || isZone) kept.push(line);
			else if (inside.length === 1 && closed === "VEVENT" && concerns(event, first, last)) kept.push(...event, line);
			else if (inside.length === 1 && closed === "VFREEBUSY") kept.push(...event, line);
			if (inside.length === 0) break;
		} else if (isZone || (inside.length === 1 && HEAD.test(line))) kept.push(line);
		else if (inside.length === 2 && KEPT.test(line)) event.push(line);
	}
	return inside.length === 0 ? `${kept.join("\r\n")}\r\n` : undefined;
}
