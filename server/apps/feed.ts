/**
 * Reads a calendar's iCalendar feed (RFC 5545): when its owner is engaged between two times, repeated events, their exceptions and time zones
 * right. What it cannot make out it says so, and never that its owner is free. A feed is a stranger's and may be made so that reading it
 * takes for ever: this runs in a thread of its own (`feed-reader.ts`), which is ended after a while.
 */
import ICAL from "ical.js";
import { DeskError, type DeskErrorWire } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { isTimeZone, momentOf } from "../../shared/time-zones.js";
import type { Engagement } from "../engine/apps-ports.js";
import { cutDown, unclear } from "./ical-lines.js";

/** What a thread is asked. Times in milliseconds; the calendar's own zone, an IANA name. */
export interface FeedQuestion {
	feed: string;
	from: number;
	to: number;
	timeZone: string;
}
/** What it says: first that it has begun, then what it found. */
export type FeedWord = { type: "ready" } | { type: "found"; engagements: Engagement[] } | { type: "refused"; error: DeskErrorWire };

/** Characters of a title that leave the thread; the engine cuts what is told of it, and what it cuts it may join. */
const TITLE_CHARS = 2 * LIMITS.eventTitleChars;
const DAY_MS = 24 * 60 * 60 * 1000;

const notACalendar = (): DeskError =>
	new DeskError(
		"unavailable",
		"What stands at that address is no iCalendar feed. Use the address that your calendar offers for other programs (often named iCal or .ics).",
	);
const tooMuch = (): DeskError => new DeskError("unavailable", "That calendar repeats more than can be looked through.");

/** When somebody is engaged between two moments, as far as the feed says. Throws DeskError for what cannot be read. */
export function engagementsIn({ feed, from, to, timeZone }: FeedQuestion): Engagement[] {
	const found: Engagement[] = [];
	const add = (start: number, end: number, title?: string): void => {
		if (end < start) throw unclear("it ends before it starts");
		if (end <= from || start >= to || end === start) return;
		if (found.length === LIMITS.calendarEngagements) throw tooMuch();
		found.push({ from: Math.max(start, from), to: Math.min(end, to), ...(title === undefined ? {} : { title }) });
	};
	try {
		const text = cutDown(feed, from, to);
		if (text === undefined) throw notACalendar();
		const count = counter();
		for (const root of calendarsIn(text)) {
			for (const event of eventsOf(root)) look(event, { from, to, timeZone, add }, count);
			for (const free of root.getAllSubcomponents("vfreebusy")) lookAtPeriods(free, { timeZone, add }, count);
		}
	} catch (error) {
		// What ical.js says of what it cannot read is for those who wrote it.
		throw error instanceof DeskError ? error : unclear();
	}
	return found;
}

/** Each with the time zones that it describes itself. */
function calendarsIn(text: string): ICAL.Component[] {
	const parsed = ICAL.parse(text) as unknown[];
	const roots = typeof parsed[0] === "string" ? [parsed] : parsed;
	return roots.map((root) => new ICAL.Component(root as string));
}

/** Counts what is looked at. */
function counter(): () => void {
	let seen = 0;
	return () => {
		if (++seen > LIMITS.calendarOccurrences) throw tooMuch();
	};
}

/** An event that may repeat, with those that take the place of some of its occurrences. */
interface Series {
	event: ICAL.Event;
	/** Ids of occurrences that others stand for. */
	replaced: ReadonlySet<string>;
}

function eventsOf(root: ICAL.Component): Series[] {
	const byUid = new Map<string, { masters: ICAL.Component[]; exceptions: ICAL.Component[] }>();
	let unnamed = 0;
	for (const component of root.getAllSubcomponents("vevent")) {
		const uid = String(component.getFirstPropertyValue("uid") ?? `#${++unnamed}`);
		const group = byUid.get(uid) ?? { masters: [], exceptions: [] };
		(component.hasProperty("recurrence-id") ? group.exceptions : group.masters).push(component);
		byUid.set(uid, group);
	}
	return [...byUid.values()].flatMap(({ masters, exceptions }) => {
		const ranges = exceptions.filter((c) => c.getFirstProperty("recurrence-id")?.getFirstParameter("range") === "THISANDFUTURE");
		const singles = exceptions.filter((c) => !ranges.includes(c));
		if (masters.length === 0 && ranges.some(isEngaged)) throw unclear("what it changes is not there");
		const replaced = new Set(singles.map((c) => utcOf(c.getFirstPropertyValue("recurrence-id") as ICAL.Time)));
		return [
			...masters.map((c) => ({ event: new ICAL.Event(c, { exceptions: ranges, strictExceptions: false }), replaced })),
			// Wherever it was moved to, it stands there by itself.
			...singles.map((c) => ({ event: new ICAL.Event(c, { exceptions: [], strictExceptions: false }), replaced: new Set<string>() })),
		];
	});
}

const utcOf = (time: ICAL.Time): string => (time.isDate ? time.toString() : time.convertToZone(ICAL.Timezone.utcTimezone).toString());

interface Window {
	from: number;
	to: number;
	timeZone: string;
	add(start: number, end: number, title?: string): void;
}

function look({ event, replaced }: Series, { from, to, timeZone, add }: Window, count: () => void): void {
	if (event.component.getAllProperties("dtstart").length !== 1) {
		if (isEngaged(event.component)) throw unclear("it does not say when it starts");
		return;
	}
	// A zone that is named and not described stands with the first time only.
	const named = zoneOf(event.startDate) ?? timeZone;
	const told = (item: ICAL.Event, start: ICAL.Time, end: ICAL.Time): void => {
		if (!isEngaged(item.component)) return;
		add(momentIn(start, named, timeZone), momentIn(lastDay(start, end), named, timeZone), titleOf(item.component));
	};
	count();
	if (!event.isRecurring() || event.isRecurrenceException()) return told(event, event.startDate, event.endDate);
	const length = event.duration.toSeconds() * 1000;
	const first = event.startDate;
	const tellOf = (at: ICAL.Time): void => {
		if (replaced.has(utcOf(at))) return;
		const { item, startDate, endDate } = event.getOccurrenceDetails(at);
		told(item, startDate, endDate);
	};
	// It takes place whether or not its rule comes upon it (RFC 5545, 3.8.5.3); ical.js gives the rule's times alone.
	if (!isTakenOut(event.component, first)) tellOf(first);
	const occurrences = event.iterator(nearer(event, from - length - 2 * DAY_MS));
	for (let at = occurrences.next(); at; at = occurrences.next()) {
		count();
		if (momentIn(at, named, timeZone) >= to) return;
		if (at.compare(first) !== 0) tellOf(at);
	}
}

/** A whole day that ends on the day that it begins is that day. */
function lastDay(start: ICAL.Time, end: ICAL.Time): ICAL.Time {
	if (!start.isDate || !end.isDate || end.compare(start) !== 0) return end;
	const next = end.clone();
	next.adjust(1, 0, 0, 0);
	return next;
}

/** Whether an occurrence is one that the event leaves out. A day leaves out what is on it. */
const isTakenOut = (component: ICAL.Component, at: ICAL.Time): boolean =>
	component
		.getAllProperties("exdate")
		.flatMap((property) => property.getValues() as ICAL.Time[])
		.some((out) => (out.isDate && !at.isDate ? out.toString() === at.toString().slice(0, 10) : utcOf(out) === utcOf(at)));

/** An occurrence from which on a plain daily or weekly event may be followed as well, close before a moment: looking from 1998 on takes long. */
function nearer(event: ICAL.Event, before: number): ICAL.Time {
	const start = event.startDate.clone();
	const rules = event.component.getAllProperties("rrule");
	const rule = rules.length === 1 ? (rules[0]?.getFirstValue() as ICAL.Recur) : undefined;
	if (!rule || rule.count || event.component.hasProperty("rdate") || event.component.hasProperty("exrule")) return start;
	const parts = Object.keys(rule.parts);
	const plain = (rule.freq === "DAILY" && parts.length === 0) || (rule.freq === "WEEKLY" && parts.every((part) => part === "BYDAY"));
	const step = rule.interval * (rule.freq === "DAILY" ? 1 : 7);
	const steps = Math.floor((before - start.toUnixTime() * 1000) / (step * DAY_MS)) - 1;
	if (plain && steps > 0) start.adjust(steps * step, 0, 0, 0);
	return start;
}

/** The zone that a time names without the feed describing it, if it is one that is known here. Throws for another. */
function zoneOf(time: ICAL.Time): string | undefined {
	const { timezone, zone } = time as ICAL.Time & { timezone?: string };
	if (timezone === undefined || timezone === "Z" || zone.tzid !== "floating") return undefined;
	if (!isTimeZone(timezone)) throw unclear(`the time zone ${timezone.slice(0, 60)} is not described and not known here`);
	return timezone;
}

/** Milliseconds. Whole days, and times that float, are the calendar's own. */
function momentIn(time: ICAL.Time, named: string, timeZone: string): number {
	const { year, month, day, hour, minute, second, isDate, zone } = time;
	if (!isDate && zone.tzid !== "floating") return time.toUnixTime() * 1000;
	return momentOf(Date.UTC(year, month - 1, day, isDate ? 0 : hour, isDate ? 0 : minute, isDate ? 0 : second), isDate ? timeZone : named);
}

const word = (component: ICAL.Component, name: string): string => String(component.getFirstPropertyValue(name) ?? "").toUpperCase();

/** Whether an event takes time: not if it was called off, or is said to leave its owner free. */
const isEngaged = (component: ICAL.Component): boolean =>
	word(component, "status") !== "CANCELLED" &&
	word(component, "transp") !== "TRANSPARENT" &&
	word(component, "x-microsoft-cdo-busystatus") !== "FREE";

/** What it is called, unless its owner marked it as nobody else's. Cut to what may be told: whoever wrote it may have written a book. */
function titleOf(component: ICAL.Component): string | undefined {
	const isPrivate = /^(?:PRIVATE|CONFIDENTIAL)$/.test(word(component, "class"));
	const title = component.getFirstPropertyValue("summary");
	if (isPrivate || typeof title !== "string") return undefined;
	const words = title.trimStart().slice(0, TITLE_CHARS).trimEnd();
	return words === "" ? undefined : words;
}

/** Of a feed that only says when somebody is busy. */
function lookAtPeriods(free: ICAL.Component, { timeZone, add }: Pick<Window, "timeZone" | "add">, count: () => void): void {
	for (const property of free.getAllProperties("freebusy")) {
		if (String(property.getFirstParameter("fbtype") ?? "BUSY").toUpperCase() === "FREE") continue;
		for (const period of property.getValues() as ICAL.Period[]) {
			count();
			add(momentIn(period.start, timeZone, timeZone), momentIn(period.getEnd(), timeZone, timeZone));
		}
	}
}

/** What the thread does: answers one question, and ends. */
export function runFeedReader(port: {
	postMessage(word: FeedWord): void;
	once(event: "message", hear: (asked: FeedQuestion) => void): unknown;
}): void {
	port.once("message", (asked) => {
		try {
			port.postMessage({ type: "found", engagements: engagementsIn(asked) });
		} catch (error) {
			if (!(error instanceof DeskError)) throw error;
			port.postMessage({ type: "refused", error: error.toWire() });
		}
	});
	port.postMessage({ type: "ready" });
}
