/** Times of a clock on a wall and moments, by the zones that `Intl` knows. Pure. */

const DAY_MS = 24 * 60 * 60 * 1000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether there is a zone of that name here. */
export function isTimeZone(name: string): boolean {
	try {
		formatOf(name);
		return true;
	} catch {
		return false;
	}
}

function formatOf(zone: string): Intl.DateTimeFormat {
	let format = formats.get(zone);
	if (!format) {
		const digits = "2-digit" as const;
		const parts = { year: "numeric", month: digits, day: digits, hour: digits, minute: digits, second: digits } as const;
		format = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", era: "short", ...parts });
		if (formats.size > 500) formats.clear();
		formats.set(zone, format);
	}
	return format;
}

/** What is added to UTC at a moment, milliseconds. */
function offsetAt(ms: number, zone: string): number {
	const part = new Map(
		formatOf(zone)
			.formatToParts(ms)
			.map(({ type, value }) => [type, Number(value)]),
	);
	const of = (type: Intl.DateTimeFormatPartTypes): number => part.get(type) ?? 0;
	return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second")) - Math.floor(ms / 1000) * 1000;
}

/** What a clock on the wall reads at a moment, whole seconds of it, as if it were UTC. Throws RangeError for a zone that there is not. */
export const wallAt = (ms: number, zone: string): number => Math.floor(ms / 1000) * 1000 + offsetAt(ms, zone);

/** The moment of a time on the wall, given as if it were UTC. One that a change of clocks skips is as far after it as it says. */
export function momentOf(wall: number, zone: string): number {
	const [before, after] = [offsetAt(wall - DAY_MS, zone), offsetAt(wall + DAY_MS, zone)];
	// Said twice, it is the first; skipped, the offset before the change holds (RFC 5545, 3.3.5).
	for (const offset of [before, after]) if (offsetAt(wall - offset, zone) === offset) return wall - offset;
	return wall - before;
}
