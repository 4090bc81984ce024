/**
 * How a bench measures and judges: sides taken in turn within one run, medians, and ratios pair by pair, since absolute numbers
 * swing by a factor of two on a shared machine and ratios taken together much less.
 */

/** What one side gave in one round. Units are the bench's own. */
export type Sample = Record<string, number>;

/** A number beside ours: the peer's or the floor's. */
export interface Beside {
	name: string;
	value: number;
}

export interface Ratio {
	median: number;
	/** Of all pairs. */
	low: number;
	high: number;
}

/** One line of a bench's table. */
export interface Row {
	/** What is measured, with its unit. */
	what: string;
	ours: number;
	peer?: Beside;
	floor?: Beside;
	/** Ours over what stands beside it. */
	ratio?: Ratio;
	target?: Target;
}

export interface Target {
	/** `least`: met at or above the bound; `most`: at or below. */
	at: "least" | "most";
	bound: number;
	/** Judges the ratio, or ours itself. */
	of: "ratio" | "ours";
}

/** The ratio, or our own number, has to be at least or at most this. */
export const target = (of: Target["of"], at: Target["at"], bound: number): Target => ({ of, at, bound });

/** How far a row is from its target: 0 where it is met, else the share of the bound that is missing. Undefined without a target or without what it needs. */
export function missedBy(row: Row): number | undefined {
	if (!row.target) return undefined;
	const value = row.target.of === "ours" ? row.ours : row.ratio?.median;
	if (value === undefined) return undefined;
	const { at, bound } = row.target;
	const share = at === "least" ? (bound - value) / bound : (value - bound) / bound;
	return Math.max(0, share);
}

/** Percentile of unsorted numbers. */
export function percentile(values: readonly number[], p: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? 0;
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Samples of several sides, round by round. */
export class Samples<Side extends string> {
	constructor(private readonly rounds: Record<Side, Sample>[]) {}

	/** Every round's number of one side. */
	all(side: Side, key: string): number[] {
		return this.rounds.map((round) => {
			const value = round[side]?.[key];
			if (value === undefined) throw new TypeError(`${side} has no ${key}`);
			return value;
		});
	}

	median(side: Side, key: string): number {
		return median(this.all(side, key));
	}

	/** One side over another, each round by itself. */
	ratio(side: Side, over: Side, key: string, overKey = key): Ratio {
		const theirs = this.all(over, overKey);
		const ratios = this.all(side, key).map((value, i) => value / (theirs[i] as number));
		return { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) };
	}
}

/** Takes the sides in turn, `pairs` times, every other time in the opposite order, so that a drift of the machine favours none. */
export async function inTurn<Side extends string>(pairs: number, sides: Record<Side, () => Promise<Sample>>): Promise<Samples<Side>> {
	const names = Object.keys(sides) as Side[];
	const rounds: Record<Side, Sample>[] = [];
	for (let i = 0; i < pairs; i++) {
		const round = {} as Record<Side, Sample>;
		for (const name of i % 2 === 0 ? names : [...names].reverse()) round[name] = await sides[name]();
		rounds.push(round);
	}
	return new Samples(rounds);
}
