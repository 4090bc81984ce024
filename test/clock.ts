/** A clock that a test turns by hand. Timers fire in the order of their times while it is turned. */
import type { Clock } from "../server/engine/ports.js";

export interface TestClock extends Clock {
	/** Moves time on, firing what is due on the way. */
	turn(ms: number): void;
	/** Moves time on and fires nothing, as if the machine had slept: for what upkeep would otherwise do at the same moment. */
	jump(ms: number): void;
}

export function testClock(start = Date.UTC(2026, 0, 1)): TestClock {
	let now = start;
	let lastId = 0;
	const timers = new Map<number, { at: number; call: () => void }>();
	return {
		now: () => now,
		elapsed: () => now - start,
		after(ms, call) {
			const id = ++lastId;
			timers.set(id, { at: now + Math.max(0, ms), call });
			return () => timers.delete(id);
		},
		turn(ms) {
			const until = now + ms;
			for (;;) {
				const due = [...timers].filter(([, t]) => t.at <= until).sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
				if (!due) break;
				timers.delete(due[0]);
				now = Math.max(now, due[1].at);
				due[1].call();
			}
			now = until;
		},
		jump(ms) {
			now += ms;
		},
	};
}
