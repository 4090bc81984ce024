/**
 * A calendar by its iCalendar feed (RFC 5545): when its owner is engaged between two times, repeated events, their exceptions and time zones
 * right. What it cannot make out it says so, and never that its owner is free.
 */
import ICAL from "ical.js";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { isTimeZone, momentOf } from "../../shared/time-zones.js";
import type { CalendarView, ConnectInput, Engagement } from "../engine/apps-ports.js";
import { cutDown } from "./ical-lines.js";
import type { Kind, World } from "./index.js";

interface Settings {
	address: string;
	timeZone: string;
	hours: CalendarView["hours"];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const TRIAL_DAYS = 14;
/** Occurrences looked at in one go: a few milliseconds of work. */
const AT_ONCE = 100;

export const calendarFeed: Kind = {
	async connect(input, world, signal) {
		const address = input.address?.trim().replace(/^webcal:\/\//i, "https://") ?? "";
		if (address === "")
			throw new DeskError(
				"invalid_params",
				"A calendar needs the address of its feed, which begins with https:// and often ends with .ics.",
			);
		const { host } = world.outbound.check(address);
		const hours = readHours(input);
		const feed = await fetchFeed(address, world, signal);
		const said = /^X-WR-TIMEZONE[^:\r\n]*:([\w+/-]{1,60})/im.exec(feed)?.[1];
		const timeZone = input.timeZone ?? said ?? "";
		if (!isTimeZone(timeZone)) {
			const which = timeZone === "" ? "The calendar does not say its time zone." : `${timeZone} is no time zone that is known here.`;
			throw new DeskError("invalid_params", `${which} Say it with --time-zone, as Europe/Lisbon.`);
		}
		const now = world.now();
		await engagementsIn(feed, now, now + TRIAL_DAYS * DAY_MS, timeZone, signal);
		const settings: Settings = { address, timeZone, hours };
		return { app: "calendar", label: host, most: input.most ?? "read", settings: JSON.stringify(settings) };
	},
	async call(call, settings, world, signal) {
		if (call.tool !== "calendar") throw new Error(`a calendar does not know ${call.tool}`);
		const { address, timeZone, hours } = JSON.parse(settings) as Settings;
		const feed = await fetchFeed(address, world, signal);
		return { timeZone, hours, engagements: await engagementsIn(feed, call.from, call.to, timeZone, signal) };
	},
};

function readHours({ hours = "9-17", days = "1-5" }: ConnectInput): CalendarView["hours"] {
	const span = (text: string, least: number, most: number): [number, number] | undefined => {
		const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
		const read: [number, number] = [Number(from), Number(to)];
		return from !== undefined && read[0] >= least && read[1] <= most && read[0] <= read[1] ? read : undefined;
	};
	const [hour, day] = [span(hours, 0, 24), span(days, 1, 7)];
	if (!hour || hour[0] === hour[1]) throw new DeskError("invalid_params", `Write hours as 9-17, from 0 to 24, not ${hours}.`);
	if (!day) throw new DeskError("invalid_params", `Write days as 1-5, where 1 is Monday and 7 Sunday, not ${days}.`);
	return { from: hour[0], to: hour[1], days: Array.from({ length: day[1] - day[0] + 1 }, (_, i) => day[0] + i) };
}

async function fetchFeed(address: string, { outbound }: World, signal: AbortSignal): Promise<string> {
	const { status, text } = await outbound.ask(address, { headers: { accept: "text/calendar" }, maxBytes: LIMITS.calendarBytes, signal });
	if (status !== 200) throw new DeskError("unavailable", `The calendar's server did not give it (${status}). Check the address.`);
	return text;
}

const notACalendar = (): DeskError =>
	new DeskError(
		"unavailable",
		"What stands at that address is no iCalendar feed. Use the address that your calendar offers for other programs (often named iCal or .ics).",
	);
const tooMuch = (): DeskError => new DeskError("unavailable", "That calendar repeats more than can be looked through.");

/** When somebody is engaged between two moments, as far as the feed says. Rejects with DeskError for what cannot be read. */
export async function engagementsIn(feed: string, from: number, to: number, timeZone: string, signal: AbortSignal): Promise<Engagement[]> {
	const text = cutDown(feed, from, to);
	if (text === undefined) throw notACalendar();
	let root: ICAL.Component;
	try {
		root = new ICAL.Component(ICAL.parse(text) as unknown as string);
	} catch {
		throw notACalendar();
	}
	const found: Engagement[] = [];
	const add = (start: number, end: number, title?: string): void => {
		if (end > from && start < to && end > start)
			found.push({ from: Math.max(start, from), to: Math.min(end, to), ...(title === undefined ? {} : { title }) });
	};
	try {
		const looking = new Looking(signal);
		for (const event of eventsOf(root)) await look(event, { from, to, timeZone, add }, looking);
		for (const free of root.getAllSubcomponents("vfreebusy")) for (const [start, end] of periodsOf(free, timeZone)) add(start, end);
	} catch (error) {
		if (error instanceof DeskError || signal.aborted) throw error;
		throw new DeskError("unavailable", `The calendar has an event that cannot be made out: ${(error as Error).message}`);
	}
	return found;
}

/** Counts what is looked at, and lets others have a turn. */
class Looking {
	private seen = 0;
	constructor(private readonly signal: AbortSignal) {}

	async next(): Promise<void> {
		if (++this.seen > LIMITS.calendarOccurrences) throw tooMuch();
		if (this.seen % AT_ONCE !== 0) return;
		await new Promise((resolve) => setImmediate(resolve));
		this.signal.throwIfAborted();
	}
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

async function look({ event, replaced }: Series, { from, to, timeZone, add }: Window, looking: Looking): Promise<void> {
	if (!event.startDate) return;
	// A zone that is named and not described stands with the first time only.
	const named = zoneOf(event.startDate) ?? timeZone;
	const told = (item: ICAL.Event, start: ICAL.Time, end: ICAL.Time): void => {
		if (isEngaged(item.component)) add(momentIn(start, named, timeZone), momentIn(end, named, timeZone), titleOf(item.component));
	};
	await looking.next();
	if (!event.isRecurring() || event.isRecurrenceException()) return told(event, event.startDate, event.endDate);
	const length = event.duration.toSeconds() * 1000;
	const occurrences = event.iterator(nearer(event, from - length - 2 * DAY_MS));
	for (let at = occurrences.next(); at; at = occurrences.next()) {
		await looking.next();
		if (momentIn(at, named, timeZone) >= to) return;
		if (replaced.has(utcOf(at))) continue;
		const { item, startDate, endDate } = event.getOccurrenceDetails(at);
		told(item, startDate, endDate);
	}
}

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
	if (!isTimeZone(timezone)) throw new Error(`the time zone ${timezone.slice(0, 60)} is not described and not known here`);
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

/** What it is called, unless its owner marked it as nobody else's. */
function titleOf(component: ICAL.Component): string | undefined {
	const isPrivate = /^(?:PRIVATE|CONFIDENTIAL)$/.test(word(component, "class"));
	const title = component.getFirstPropertyValue("summary");
	return isPrivate || typeof title !== "string" || title.trim() === "" ? undefined : title;
}

/** Of a feed that only says when somebody is busy. */
function periodsOf(free: ICAL.Component, timeZone: string): [number, number][] {
	return free
		.getAllProperties("freebusy")
		.filter((property) => String(property.getFirstParameter("fbtype") ?? "BUSY").toUpperCase() !== "FREE")
		.flatMap((property) => property.getValues() as ICAL.Period[])
		.map((period) => [momentIn(period.start, timeZone, timeZone), momentIn(period.getEnd(), timeZone, timeZone)]);
}
