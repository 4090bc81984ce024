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
export class Samples {
	constructor(private readonly rounds: readonly Record<string, Sample>[]) {}

	/** Every round's number of one side; undefined where that side was not measured. */
	private all(side: string, key: string): number[] | undefined {
		if (this.rounds[0]?.[side] === undefined) return undefined;
		return this.rounds.map((round) => {
			const value = round[side]?.[key];
			if (value === undefined) throw new TypeError(`${side} has no ${key}`);
			return value;
		});
	}

	median(side: string, key: string): number | undefined {
		const all = this.all(side, key);
		return all && median(all);
	}

	/** One side over another, each round by itself. */
	ratio(side: string, over: string, key: string, overKey = key): Ratio | undefined {
		const mine = this.all(side, key);
		const theirs = this.all(over, overKey);
		if (!mine || !theirs) return undefined;
		const ratios = mine.map((value, i) => value / (theirs[i] as number));
		return { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) };
	}

	/** The median of `key` of ours, beside a peer's or a floor's (`beside.key`: what is compared there, if that is called otherwise), with the ratio pair by pair. */
	row(what: string, key: string, beside: { peer?: string; floor?: string; key?: string } = {}, wanted?: Target): Row {
		const name = beside.peer ?? beside.floor;
		const value = name === undefined ? undefined : this.median(name, beside.key ?? key);
		const row: Row = { what, ours: this.median(OURS, key) ?? Number.NaN };
		if (name !== undefined && value !== undefined) {
			row[beside.peer === undefined ? "floor" : "peer"] = { name, value };
			row.ratio = this.ratio(OURS, name, key, beside.key);
		}
		if (wanted) row.target = wanted;
		return row;
	}
}

/** The name of our side. */
export const OURS = "ours";

/** Takes the sides in turn, `pairs` times, every other time in the opposite order, so that a drift of the machine favours none. */
export async function inTurn(pairs: number, sides: Record<string, () => Promise<Sample>>): Promise<Samples> {
	const names = Object.keys(sides);
	const rounds: Record<string, Sample>[] = [];
	for (let i = 0; i < pairs; i++) {
		const round: Record<string, Sample> = {};
		for (const name of i % 2 === 0 ? names : names.toReversed()) round[name] = await (sides[name] as () => Promise<Sample>)();
		rounds.push(round);
	}
	return new Samples(rounds);
}
