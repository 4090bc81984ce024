/**
 * What a turn may ask to be done outside, and what the hands that do it promise. Types and the closed lists they are made of: a tool that is not
 * named here does not exist, and none of them changes anything anywhere (PRE-1, DESK-9).
 */
import type { AppAccess } from "../../shared/presets.js";

/** Looks something up on the web, or in the owner's calendar between two times (milliseconds). */
export type Call = { tool: "webSearch"; query: string } | { tool: "calendar"; from: number; to: number };
export type Tool = Call["tool"];

/** A page that a web search found. Somebody else's words, all of them. */
export interface WebPage {
	title: string;
	/** http or https, without a name or password in it. */
	url: string;
	/** Some of what it says. */
	text: string;
}

/** Something that takes the owner's time, from and to in milliseconds. */
export interface Engagement {
	from: number;
	to: number;
	/** Only where the calendar may be read. */
	title?: string;
}

/** What a calendar says of the time that was asked about. */
export interface CalendarView {
	/** IANA name of the zone that its owner lives by. */
	timeZone: string;
	/** When the owner may be met at all: hours of the day in that zone, days of the week (1: Monday). */
	hours: { from: number; to: number; days: number[] };
	/** In the order of their beginnings. Where only `busy` is given: joined, and never a title. */
	engagements: Engagement[];
}

export interface Findings {
	webSearch: WebPage[];
	calendar: CalendarView;
}

/**
 * Why a call gave nothing. `not_allowed`: by what is in force this moment · `invalid`: not a call that there is · `too_many`: a limit ·
 * `failed`: the other side did not answer as it should · `unknown`: it was begun before a crash, and is not begun again ·
 * `stopped`: the turn has ended.
 */
export type Refusal = "not_allowed" | "invalid" | "too_many" | "failed" | "unknown" | "stopped";

export type CallResult<T extends Tool = Tool> = { done: true; found: Findings[T] } | { done: false; why: Refusal };

/** Makes calls for one turn. Never rejects. */
export type Use = <C extends Call>(call: C) => Promise<CallResult<C["tool"]>>;

/** What presets speak of: an app has one connection a desk at most. `search` is what `webSearch` searches with. */
export const APPS = ["calendar", "search"] as const;
export type App = (typeof APPS)[number];

/** How an app is reached, by what its maker calls it. Which there are is the hand's to say: here it is a name. */
export type AppKind = string;

/** What an owner gives to connect an app. */
export interface ConnectInput {
	/** Judged by the hand. */
	kind: AppKind;
	/** Address of the feed or the search server. */
	address?: string;
	/** Key of the service. */
	key?: string;
	/** A calendar: the most that may ever be given of it; all, unless given. */
	most?: "busy" | "read";
	/** A calendar: IANA name. */
	timeZone?: string;
	/** A calendar: `9-17`. */
	hours?: string;
	/** A calendar: `1-5`. */
	days?: string;
}

/** A connection as it is kept. */
export interface Connected {
	app: App;
	kind: AppKind;
	/** What may be shown of it: a host's name. */
	label: string;
	most: "busy" | "read";
	/** JSON with the address or key in it: shown to nobody. */
	settings: string;
}

export interface Connection extends Connected {
	uid: string;
}

/** The hand that reaches apps. */
export interface Apps {
	/** Reads what an owner gave and tries it once. Throws `invalid_params` for what cannot be, a kind that is none among it, `unavailable` for what does not answer. */
	connect(input: ConnectInput, signal: AbortSignal): Promise<Connected>;
	/** Does what a call says. `access`: what of a calendar may be given. Rejects where the other side does not answer as it should. */
	call<C extends Call>(call: C, connection: Connection, access: AppAccess, signal: AbortSignal): Promise<Findings[C["tool"]]>;
}
