/**
 * Days, months, times of day and numbers as keys: "Tuesday to Friday" names Wednesday too, 10:00–18:00 the afternoon, 周日 is
 * Sunday and 二十七 is 27. English and Chinese; pure; takes text as `normalise` gives it.
 */

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
const HAN_DAYS = "一二三四五六日";
const HAN_MONTHS = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];

/** Full names in any case; short ones, and May and March, only with a capital letter ("the sun", "it may"). */
const DAY_WORD =
	/(?<![\p{L}\p{N}])(?:(monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?|(Mon|Tues?|Wed|Thu|Thurs?|Fri|Sat|Sun)\.?)(?![\p{L}\p{N}])|(?:周|星期|礼拜)([一二三四五六日天])/giu;
const MONTH_WORD =
	/(?<![\p{L}\p{N}])(?:(january|february|march|april|may|june|july|august|september|october|november|december)|(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)(?![\p{L}\p{N}])|(?<![\d个])(1[0-2]|0?[1-9])\s?月(?!大)|(?<![一二三四五六七八九十个每])(十[一二]|[一二三四五六七八九十])月/giu;
/** What stands between the two ends of a span. */
const BETWEEN = /^\s*(?:-|~|to|till|until|through|thru|至|到)\s*$/i;

const EVERY_DAY = /\b(?:every day|daily|seven days)\b|每天|天天|全年无休/i;
const WEEKDAYS = /\bweekdays?\b|平日/i;
const WEEKENDS = /\bweekends?\b|周末/i;
const THIS_DAY = /\b(?:today|tomorrow|tonight)\b|今天|明天|后天|今晚|今日|明日/i;

/** Feasts and seasons by their concept: a note about these months speaks of them too. */
const FEASTS: Readonly<Record<string, readonly string[]>> = {
	christmas: ["month:12"],
	newyear: ["month:12", "month:1"],
	spring: ["month:3", "month:4", "month:5"],
	summer: ["month:6", "month:7", "month:8"],
	autumn: ["month:9", "month:10", "month:11"],
	winter: ["month:12", "month:1", "month:2"],
};

/** Months in which a feast or season lies, by the name of its concept. */
export const monthsOf = (concept: string): readonly string[] => FEASTS[concept] ?? [];

interface Span {
	from: number;
	to: number;
	/** Every day or month named, 1 to 7 or 1 to 12. */
	numbers: number[];
}

function dayOf(m: RegExpMatchArray): number {
	if (m[3]) return m[3] === "天" ? 7 : HAN_DAYS.indexOf(m[3]) + 1;
	const name = m[1] ?? m[2] ?? "";
	if (m[2] && !/^[A-Z]/.test(name)) return 0;
	return DAYS.findIndex((d) => d.startsWith(name.toLowerCase().slice(0, 3))) + 1;
}

function monthOf(m: RegExpMatchArray): number {
	if (m[3]) return Number(m[3]);
	if (m[4]) return HAN_MONTHS.indexOf(m[4]) + 1;
	const name = m[1] ?? m[2] ?? "";
	if ((m[2] || /^ma/i.test(name)) && !/^[A-Z]/.test(name)) return 0;
	return MONTHS.findIndex((d) => d.startsWith(name.toLowerCase().slice(0, 3))) + 1;
}

/** Days (of 7) or months (of 12) that a text names, and those between two that it names as a span. */
function spansOf(text: string, word: RegExp, numberOf: (m: RegExpMatchArray) => number, size: number): Span[] {
	const spans: Span[] = [];
	for (const m of text.matchAll(word)) {
		const number = numberOf(m);
		if (number === 0) continue;
		const from = m.index ?? 0;
		const to = from + m[0].length;
		const last = spans.at(-1);
		if (last && from - last.to <= 12 && BETWEEN.test(text.slice(last.to, from))) {
			for (let n = last.numbers.at(-1) as number; n !== number; n = (n % size) + 1) last.numbers.push((n % size) + 1);
			last.to = to;
		} else spans.push({ from, to, numbers: [number] });
	}
	return spans;
}

const daysIn = (text: string) => spansOf(text, DAY_WORD, dayOf, 7);
const monthsIn = (text: string) => spansOf(text, MONTH_WORD, monthOf, 12);
const dayKeys = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => `day:${from + i}`);

/** Keys of every day, month and part of the day in which a note's text lies. */
export function calendarKeys(text: string): string[] {
	const keys = partsOfDay(text);
	for (const { numbers } of daysIn(text)) keys.push(...numbers.map((n) => `day:${n}`));
	for (const { numbers } of monthsIn(text)) keys.push(...numbers.map((n) => `month:${n}`));
	if (EVERY_DAY.test(text)) keys.push(...dayKeys(1, 7));
	if (WEEKDAYS.test(text)) keys.push(...dayKeys(1, 5));
	if (WEEKENDS.test(text)) keys.push(...dayKeys(6, 7));
	return keys;
}

/** A day or month that a question asks about: a note with any of `keys` speaks of it. */
export interface Date {
	keys: string[];
	class: "day" | "month";
	/** As it was written. */
	text: string;
}

const TIME_OF_DAY =
	/\d{1,2}[:：]\d{2}|\d{1,2}\s?(?:am|pm|a\.m\.|p\.m\.|o'clock)(?![\p{L}])|(?:\d{1,2}|[一二两三四五六七八九十]{1,2})点(?:半|钟)?/giu;

const DAY_OF_MONTH = new RegExp(
	`(?<!\\d)(?:[12]?\\d|3[01])(?:st|nd|rd|th)?(?: of)? ((?:${MONTHS.join("|")})(?![\\p{L}]))|((?:${MONTHS.join("|")})|(?:1[0-2]|[1-9]|十[一二]|[一二三四五六七八九十])\\s?月)\\s?(?:the )?(?:[12]?\\d|3[01]|[一二三]?十?[一二三四五六七八九十])(?:st|nd|rd|th|日|号)?(?!\\d)`,
	"giu",
);

/** The days and months in a question, and the question without them and without times of the clock, which notes say otherwise. */
export function takeDates(text: string): { dates: Date[]; rest: string } {
	const dates: Date[] = [];
	// The day of a month is left out: a note seldom names it, but a span in which it lies.
	let rest = text.replace(DAY_OF_MONTH, "$1$2");
	for (const [name, find] of [["day", daysIn] as const, ["month", monthsIn] as const]) {
		for (const { from, to, numbers } of find(rest)) {
			dates.push({ keys: numbers.map((n) => `${name}:${n}`), class: name, text: rest.slice(from, to) });
			rest = rest.slice(0, from) + " ".repeat(to - from) + rest.slice(to);
		}
	}
	for (const [words, keys] of [
		[WEEKENDS, dayKeys(6, 7)] as const,
		[WEEKDAYS, dayKeys(1, 5)] as const,
		[THIS_DAY, dayKeys(1, 7)] as const,
	]) {
		const written = words.exec(rest)?.[0];
		if (written === undefined) continue;
		dates.push({ keys, class: "day", text: written });
		rest = rest.replace(written, " ");
	}
	return { dates, rest: rest.replace(TIME_OF_DAY, " ") };
}

// Times of day ----------------------------------------------------------------------------------------------------------

/** A time in a note; the hour, and am or pm where they stand. */
const CLOCK = /(?<![\d:.])([01]?\d|2[0-3])(?::[0-5]\d(?:\s?(am|pm|a\.m|p\.m))?|\s?(am|pm)(?!\p{L}))(?!\d)/giu;
const PARTS = ["#morning", "#afternoon", "#evening"] as const;

/** The concepts of the parts of the day that a text's times lie in or span. */
function partsOfDay(text: string): string[] {
	const found = new Set<string>();
	let last: { part: number; to: number } | undefined;
	for (const time of text.matchAll(CLOCK)) {
		const hour = Number(time[1]) + (/^p/i.test(time[2] ?? time[3] ?? "") && Number(time[1]) < 12 ? 12 : 0);
		const part = hour < 12 ? 0 : hour < 17 ? 1 : 2;
		const spans = last !== undefined && time.index - last.to <= 8 && BETWEEN.test(text.slice(last.to, time.index));
		for (let p = spans && last ? last.part : part; p <= part; p++) found.add(PARTS[p] as string);
		last = { part, to: time.index + time[0].length };
	}
	return [...found];
}

// Numbers ---------------------------------------------------------------------------------------------------------------

const NUMBER_WORDS =
	"two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
		" ",
	);
const HAN_DIGITS = "零一二三四五六七八九";
const HAN_NUMBER = /([二三四五六七八九])十([一二三四五六七八九])?|十([一二三四五六七八九])/gu;
const HAN_NUMBER_HERE = new RegExp(HAN_NUMBER.source, "uy");

/** A word of digits or an English number in small letters, as digits; undefined for what is none. "One" is no number. */
export function figureOf(word: string): string | undefined {
	if (/^\d+$/.test(word)) return word;
	const spelt = NUMBER_WORDS.indexOf(word);
	return spelt < 0 ? undefined : String(spelt + 2);
}

const hanFigure = (m: RegExpMatchArray): string =>
	String((m[1] ? HAN_DIGITS.indexOf(m[1]) : 1) * 10 + HAN_DIGITS.indexOf(m[2] ?? m[3] ?? "零"));

/** Chinese numbers from 11 to 99 in a text, as digits. Lesser ones are part of too many words. */
export const hanFigures = (text: string): string[] => [...text.matchAll(HAN_NUMBER)].map(hanFigure);

/** The Chinese number that begins at a place of a text. */
export function hanFigureAt(text: string, at: number): { figure: string; length: number } | undefined {
	HAN_NUMBER_HERE.lastIndex = at;
	const m = HAN_NUMBER_HERE.exec(text);
	return m ? { figure: hanFigure(m), length: m[0].length } : undefined;
}
