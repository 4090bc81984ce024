/** Limits so wide that a suite which asks as fast as it can meets none of them: there, something else is tried out. */
import { LIMITS, type Limits } from "../shared/limits.js";

const MANY = 100_000_000;

export const WIDE_LIMITS: Limits = {
	...LIMITS,
	framesPerSecond: 100_000,
	framesBurst: 1_000_000,
	socketCalls: 10_000,
	newGuestsPerMinutePerAddress: MANY,
	socketsPerGuest: 10_000,
	socketsPerAddress: MANY,
	connectionsPerAddress: MANY,
	socketsPerDesk: MANY,
	socketsUnauthenticated: 10_000,
	streamsPerCaller: 10_000,
	turnsPerGuest: MANY,
	turnsPerEmbed: MANY,
	turnsPerDesk: MANY,
	guestMessagesPerMinute: MANY,
	guestMessagesPerHour: MANY,
	requestsPerMinutePerAddress: MANY,
	requestsPerMinutePerSite: MANY,
};
