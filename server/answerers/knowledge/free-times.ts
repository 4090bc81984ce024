/**
 * When somebody may be met, from when they are engaged: the days that a question asks about, and what is free of them within the hours that
 * the owner gave. Pure; the zone is the owner's.
 */
import { momentOf } from "../../../shared/time-zones.js";
import type { CalendarView } from "../../engine/apps-ports.js";
import type { Language } from "./language.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
/** Days ahead that are looked at. */
export const AHEAD_DAYS = 14;
/** Nothing shorter is offered, and beginnings lie on it. */
export const STEP_MS = 30 * 60 * 1000;
/** Times and days that are offered, so that they can be read at a glance. */
const TIMES = 6;
const DAYS = 4;

const NOT_MONEY = "(?!\\s*(?:of charge|shipping|delivery|samples?|entry|admission|parking|wi-?fi|gifts?|trial))";
const FREE = new RegExp(
	`\\b(?:is|are|am|will|would|when|what days?|what times?|which days?)\\b.{0,40}\\b(?:you|she|he|they|NAMES)\\b.{0,30}\\b(?:free|available)\\b${NOT_MONEY}|\\b(?:when|what days?|what times?)\\b.{0,20}\\b(?:is|are) (?:you|she|he|they|NAMES) (?:free|available)\\b${NOT_MONEY}|\\b(?:free|available|open) (?:time|slot|appointment)s?\\b|\\b(?:your|her|his|their|\\w+'s) (?:availability|schedule|calendar)\\b|\\b(?:book|schedule|make|arrange|set up|have)\\b.{0,20}\\b(?:appointment|meeting|call with)\\b|\\b(?:can|could|when can|when could) (?:we|i) (?:meet|speak|talk|call)\\b|有空|有没有时间|(?:什么时候|哪天|几点)(?:有时间|方便|能见|可以见)|空闲|空档|档期|预约|约(?:个|一个|一下)?(?:时间|见面)|可以见面`,
	"iu",
);
const EVENTS =
	/\b(?:what(?:'s| is| are)?|which|any)\b.{0,30}\b(?:happening|coming up|going on|events?|appointments?|scheduled)\b|\bupcoming\b|(?:有什么|有哪些|最近的?)(?:活动|安排|日程)|(?:活动|日程)(?:安排)?(?:有哪些|是什么)/iu;

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Whether a question asks when somebody may be met. `names`: of the desk and its owner. */
export function asksForTime(question: string, names: readonly string[]): boolean {
	const known = names
		.map((name) => name.trim())
		.filter((name) => name !== "")
		.map(literal);
	return new RegExp(FREE.source.replaceAll("NAMES", known.length > 0 ? known.join("|") : "you"), "iu").test(question.replace(/[’‘]/g, "'"));
}

/** Whether a question asks what is going to be. */
export const asksForEvents = (question: string): boolean => EVENTS.test(question.replace(/[’‘]/g, "'"));

const WEEKDAYS: readonly RegExp[] = [
	/\bmon(?:day)?s?\b|(?:周|星期|礼拜)一/iu,
	/\btue(?:s|sday)?s?\b|(?:周|星期|礼拜)二/iu,
	/\bwed(?:nesday)?s?\b|(?:周|星期|礼拜)三/iu,
	/\bthu(?:rs|rsday)?s?\b|(?:周|星期|礼拜)四/iu,
	/\bfri(?:day)?s?\b|(?:周|星期|礼拜)五/iu,
	/\bsat(?:urday)?s?\b|(?:周|星期|礼拜)六/iu,
	/\bsun(?:day)?s?\b|(?:周|星期|礼拜)[日天]/iu,
];

/** A day in the owner's zone: midnight as if it were UTC, and 1 for Monday. */
interface Day {
	at: number;
	weekday: number;
}

/** The days ahead, today first. */
function daysFrom(now: number, timeZone: string): Day[] {
	const [year = 0, month = 1, day = 1] = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" })
		.format(now)
		.split("-")
		.map(Number);
	const today = Date.UTC(year, month - 1, day);
	return Array.from({ length: AHEAD_DAYS + 1 }, (_, i) => ({
		at: today + i * DAY_MS,
		weekday: ((new Date(today + i * DAY_MS).getUTCDay() + 6) % 7) + 1,
	}));
}

/** Those that a question asks about; all of the coming days where it names none. */
function askedDays(question: string, days: readonly Day[]): readonly Day[] {
	const [today] = days;
	const toSunday = 7 - (today?.weekday ?? 1);
	const nextWeek = /\bnext week\b|下(?:个)?(?:周|星期|礼拜)/iu.test(question);
	if (/\bday after tomorrow\b|后天/iu.test(question)) return days.slice(2, 3);
	if (/\btomorrow\b|明天/iu.test(question)) return days.slice(1, 2);
	if (/\btoday\b|\btonight\b|今天|今晚/iu.test(question)) return days.slice(0, 1);
	const named = WEEKDAYS.flatMap((words, i) => (words.test(question) ? [i + 1] : []));
	const week = nextWeek
		? days.slice(toSunday + 1, toSunday + 8)
		: /\bthis week\b|这(?:个)?(?:周|星期|礼拜)|本周/iu.test(question)
			? days.slice(0, toSunday + 1)
			: days;
	return named.length > 0 ? week.filter(({ weekday }) => named.includes(weekday)) : week;
}

export interface Span {
	from: number;
	to: number;
}

/** Free times in the days that a question asks about, earliest first, as many as are worth saying. */
export function freeTimes(question: string, { timeZone, hours, engagements }: CalendarView, now: number): Span[] {
	const found: Span[] = [];
	const onDays = new Set<number>();
	for (const { at, weekday } of askedDays(question, daysFrom(now, timeZone))) {
		if (!hours.days.includes(weekday)) continue;
		const end = momentOf(at + hours.to * HOUR_MS, timeZone);
		let from = Math.max(momentOf(at + hours.from * HOUR_MS, timeZone), Math.ceil(now / STEP_MS) * STEP_MS);
		for (const busy of [...engagements, { from: end, to: end }].sort((a, b) => a.from - b.from)) {
			if (busy.to <= from && busy.from !== end) continue;
			const to = Math.min(busy.from, end);
			if (to - from >= STEP_MS) {
				if (found.length === TIMES || (!onDays.has(at) && onDays.size === DAYS)) return found;
				found.push({ from, to });
				onDays.add(at);
			}
			from = Math.max(from, Math.ceil(busy.to / STEP_MS) * STEP_MS);
			if (from >= end) break;
		}
	}
	return found;
}

/** What is in the calendar of the days that a question asks about. Only where its titles may be given is there any. */
export function eventsOn(question: string, view: CalendarView, now: number): (Span & { title: string })[] {
	const days = askedDays(question, daysFrom(now, view.timeZone));
	const from = momentOf(days[0]?.at ?? 0, view.timeZone);
	const to = momentOf((days.at(-1)?.at ?? 0) + DAY_MS, view.timeZone);
	const told = view.engagements.flatMap(({ title, ...span }) => (title === undefined ? [] : [{ ...span, title }]));
	return told.filter((event) => event.to > Math.max(from, now) && event.from < to).slice(0, TIMES);
}

/** `Tue, 24 March, 09:00–12:00`, in the owner's zone. */
export function spanText({ from, to }: Span, timeZone: string, language: Language): string {
	const locale = language === "zh" ? "zh-CN" : "en-GB";
	const day = (at: number): string =>
		new Intl.DateTimeFormat(locale, { timeZone, weekday: "short", day: "numeric", month: "long" }).format(at);
	const time = (at: number): string =>
		new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
	const comma = language === "zh" ? " " : ", ";
	return day(from) === day(to - 1)
		? `${day(from)}${comma}${time(from)}–${time(to)}`
		: `${day(from)}${comma}${time(from)} – ${day(to)}${comma}${time(to)}`;
}
