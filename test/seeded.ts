/** A small seeded generator for suites that must be able to play the same game again. Not for secrets. */
export interface Seeded {
	/** 0 ≤ n < below. */
	int(below: number): number;
	pick<T>(from: readonly T[]): T;
	chance(of: number): boolean;
}

export function seeded(seed: number): Seeded {
	let state = (seed ^ 0x9e3779b9) >>> 0;
	const next = (): number => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = Math.imul(state ^ (state >>> 15), state | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
	return {
		int: (below) => Math.floor(next() * below),
		pick: (from) => from[Math.floor(next() * from.length)] as (typeof from)[number],
		chance: (of) => next() < of,
	};
}
