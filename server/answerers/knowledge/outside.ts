/**
 * What the notes do not say and may be found out: free times from the owner's calendar, and pages of the web. It asks for what the turn
 * may do and takes a refusal for an answer; what others wrote is quoted as theirs, without what would be markup, with the host it is from.
 */
import { LIMITS } from "../../../shared/limits.js";
import type { Call, WebPage } from "../../engine/apps-ports.js";
import type { Turn } from "../../engine/ports.js";
import { type Answer, bare, named, tidy } from "./compose.js";
import { AHEAD_DAYS, asksForEvents, asksForTime, eventsOn, freeTimes, STEP_MS, spanText } from "./free-times.js";
import type { Language } from "./language.js";

/** Pages that are quoted of one search. */
const QUOTED = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

const WORDS = {
	en: {
		free: (owner: string, zone: string) => `${owner} is free at these times (${zone}):`,
		confirms: (owner: string) => `Tell me which one suits you. ${owner} confirms every appointment in person.`,
		full: (owner: string) => `I see no free time of ${owner}'s then. I'm asking ${owner}, who will see your question.`,
		checking: (owner: string) => `I'm checking that with ${owner}, who will see your question and decide.`,
		events: (owner: string, zone: string) => `This is in ${owner}'s calendar (${zone}):`,
		web: (owner: string) => `${owner}'s notes don't say. A web search found this; nobody here has checked it:`,
		seen: (owner: string) => `${owner} will see your question, too.`,
		from: (title: string, host: string, url: string) => `(${title === "" ? "" : `“${title}”, `}${host}: ${url})`,
	},
	zh: {
		free: (owner: string, zone: string) => `${owner}在这些时间有空（${zone}）：`,
		confirms: (owner: string) => `请告诉我哪个时间合适。每个预约都由${owner}本人确认。`,
		full: (owner: string) => `那段时间我没有看到${owner}有空。我正在问${owner}，${owner}会看到您的问题。`,
		checking: (owner: string) => `这个我正在问${owner}，${owner}会看到您的问题，由${owner}决定。`,
		events: (owner: string, zone: string) => `${owner}的日历里有这些（${zone}）：`,
		web: (owner: string) => `${owner}的笔记里没有写。下面是网上搜到的，这里没有人核实过：`,
		seen: (owner: string) => `${owner}也会看到您的问题。`,
		from: (title: string, host: string, url: string) => `（${title === "" ? "" : `「${title}」，`}${host}：${url} ）`,
	},
} as const;

/** Looks outside for the answers that it may help, and puts what it found into them. */
export async function lookOutside(turn: Turn, list: readonly Answer[], owner: string, now: number): Promise<void> {
	const calendar = turn.may.apps.calendar;
	const names = [turn.desk.name, turn.desk.ownerName];
	let searches = 0;
	for (const answer of list) {
		const called = named(owner, answer.language);
		if (calendar !== undefined && asksForTime(answer.question, names)) await askCalendar(turn, answer, called, now);
		else if (calendar === "read" && asksForEvents(answer.question)) await askEvents(turn, answer, called, now);
		if (answer.found.length > 0 || answer.outside || !turn.may.webSearch || searches === LIMITS.searchesPerTurn) continue;
		searches++;
		await askWeb(turn, answer, called);
	}
}

/** The days ahead. A call is known by its words: a turn that runs again, or asks twice, asks in the same ones and makes it once. */
function aheadOf(now: number): Extract<Call, { tool: "calendar" }> {
	const from = Math.floor(now / STEP_MS) * STEP_MS;
	return { tool: "calendar", from, to: from + (AHEAD_DAYS + 1) * DAY_MS };
}

/** The calendar as far as it is given; the owner where it is not (PRE-4). */
async function askCalendar(turn: Turn, answer: Answer, owner: string, now: number): Promise<void> {
	const words = WORDS[answer.language];
	const asked = { pieces: [tidy(words.checking(owner))], keep: true };
	answer.outside = asked;
	if (turn.may.apps.calendar === "none") return;
	const result = await turn.use(aheadOf(now));
	if (!result.done) return;
	const view = result.found;
	const times = freeTimes(answer.question, view, now);
	if (times.length === 0) answer.outside = { pieces: [tidy(words.full(owner))], keep: true };
	else
		answer.outside = {
			pieces: listed(
				words.free(owner, view.timeZone),
				times.map((span) => spanText(span, view.timeZone, answer.language)),
				words.confirms(owner),
			),
			keep: false,
		};
}

async function askEvents(turn: Turn, answer: Answer, owner: string, now: number): Promise<void> {
	const result = await turn.use(aheadOf(now));
	if (!result.done) return;
	const view = result.found;
	const events = eventsOn(answer.question, view, now);
	if (events.length === 0) return;
	const lines = events.map((event) => `${spanText(event, view.timeZone, answer.language)} · ${bare(event.title)}`);
	answer.outside = { pieces: listed(WORDS[answer.language].events(owner, view.timeZone), lines), keep: false };
}

const listed = (head: string, lines: readonly string[], tail?: string): string[] => [
	`${tidy(head)}\n\n`,
	...lines.map((line) => `- ${line}\n`),
	...(tail === undefined ? [] : ["\n", tidy(tail)]),
];

async function askWeb(turn: Turn, answer: Answer, owner: string): Promise<void> {
	const result = await turn.use({ tool: "webSearch", query: answer.question });
	if (!result.done) return;
	const pages = result.found.filter((page) => bare(page.text) !== "").slice(0, QUOTED);
	if (pages.length === 0) return;
	const words = WORDS[answer.language];
	const pieces = [`${tidy(words.web(owner))}\n\n`, ...pages.map((page) => `${quoted(page, answer.language)}\n\n`), tidy(words.seen(owner))];
	// The notes still do not say it: their owner may want to add it.
	answer.outside = { pieces, keep: true };
}

function quoted({ title, url, text }: WebPage, language: Language): string {
	// What stands in an address and would be markup in a text means the same when it is written out.
	const address = url.replace(/[()*[\]<>`|\\~_]/g, (c) => (c === "_" ? c : `%${c.charCodeAt(0).toString(16).toUpperCase()}`));
	return `> ${bare(text)}\n\n${WORDS[language].from(bare(title), new URL(url).host, address)}`;
}
