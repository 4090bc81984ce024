/** A calendar by its iCalendar feed (RFC 5545): where it is, which zone and hours are its owner's, and what a thread of its own reads in it. */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { isTimeZone } from "../../shared/time-zones.js";
import type { CalendarView, ConnectInput } from "../engine/apps-ports.js";
import type { Kind, World } from "./index.js";

interface Settings {
	address: string;
	timeZone: string;
	hours: CalendarView["hours"];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const TRIAL_DAYS = 14;

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
			throw new DeskError("invalid_params", `${which} Name the zone that you live by, such as Europe/Lisbon.`);
		}
		const now = world.now();
		await world.feeds.read({ feed, from: now, to: now + TRIAL_DAYS * DAY_MS, timeZone }, signal);
		const settings: Settings = { address, timeZone, hours };
		return { app: "calendar", label: host, most: input.most ?? "read", settings: JSON.stringify(settings) };
	},
	async call(call, settings, world, signal) {
		if (call.tool !== "calendar") throw new Error(`a calendar does not know ${call.tool}`);
		const { address, timeZone, hours } = JSON.parse(settings) as Settings;
		const feed = await fetchFeed(address, world, signal);
		return { timeZone, hours, engagements: await world.feeds.read({ feed, from: call.from, to: call.to, timeZone }, signal) };
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
