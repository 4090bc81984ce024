/**
 * Public ids: a prefix, 48 bits of time and 80 random bits in 26 characters that sort by time. Within a process they
 * strictly rise, so that every index over them grows at its end (performance.md: the largest single gain).
 */
import type { Clock, Random } from "./ports.js";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

export type IdPrefix = "tsk" | "ctx" | "msg" | "gst" | "acc" | "key" | "trn" | "clm" | "apr" | "app" | "cal";
export type NewId = (prefix: IdPrefix) => string;

/** A maker of ids for one process. `bytes` is drawn a block at a time: a system call an id would cost more than the id. */
export function createIds(clock: Clock, random: Random): NewId {
	let lastMs = -1;
	let timeText = "";
	let tail: number[] = [];
	let pool: Uint8Array = new Uint8Array(0);
	let used = 0;

	const draw = (): number[] => {
		if (used + RANDOM_CHARS > pool.length) {
			pool = random.bytes(4096);
			used = 0;
		}
		const digits: number[] = [];
		for (let i = 0; i < RANDOM_CHARS; i++) digits.push((pool[used++] as number) & 31);
		return digits;
	};

	return (prefix) => {
		const now = Math.max(clock.now(), lastMs);
		if (now !== lastMs) {
			lastMs = now;
			timeText = "";
			for (let i = TIME_CHARS - 1, rest = now; i >= 0; i--, rest = Math.floor(rest / 32)) timeText = ALPHABET[rest % 32] + timeText;
			tail = draw();
			// Room to count up within this millisecond.
			tail[0] = (tail[0] as number) & 15;
		} else {
			// The same millisecond: the low half stays random, the high half counts, so ids rise and cannot be guessed.
			const fresh = draw();
			let carry = 1;
			for (let i = RANDOM_CHARS / 2 - 1; i >= 0 && carry > 0; i--) {
				const sum = (tail[i] as number) + carry;
				tail[i] = sum & 31;
				carry = sum >> 5;
			}
			for (let i = RANDOM_CHARS / 2; i < RANDOM_CHARS; i++) tail[i] = fresh[i] as number;
		}
		let text = "";
		for (const digit of tail) text += ALPHABET[digit];
		return `${prefix}_${timeText}${text}`;
	};
}
