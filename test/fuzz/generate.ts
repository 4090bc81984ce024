/**
 * Bad input by a seeded generator: values that are awkward, requests that were right before something was changed in them, texts that are
 * almost JSON or were never meant to be. The same seed makes the same input, case by case.
 */
import { type Seeded, seeded } from "../seeded.js";

/** The generator of one case: a failure is played again by its number alone. */
export const caseOf = (seed: number, number: number): Seeded => seeded(Math.imul(seed, 1_000_003) + number);

/** A list of texts, written in lines and set apart by a sign that is in none of them. */
export const words = (...lines: string[]): string[] => lines.join("").split("¦");

const STRINGS = words(
	"¦ ¦\0¦a\0b¦\ud800¦\udfffx¦\ufeff¦\u2028\u2029¦\u202e¦e\u0301¦😀¦👩‍👩‍👧‍👦¦你好¦٣¦１２¦",
	"__proto__¦constructor¦prototype¦toString¦hasOwnProperty¦valueOf¦then¦length¦__defineGetter__¦",
	"../../../etc/passwd¦..\\..\\x¦%00¦%2e%2e%2f¦%¦%zz¦%c0%af¦a/b¦a:b¦:cancel¦?¦#¦;¦&¦=¦",
	"' or '1'='1¦\"; drop table task; --¦$gt¦#{7*7}¦{{7*7}}¦<script>x</script>¦<!--¦]]>¦\r\nx-injected: 1¦\t¦\\¦\"¦`¦",
	"NaN¦Infinity¦-0¦1e999¦0x10¦1_000¦true¦null¦undefined¦TASK_STATE_COMPLETED¦task_state_completed¦ROLE_USER¦ROLE_AGENT¦user¦",
	"2026-01-01T00:00:00Z¦2026-02-30T00:00:00Z¦9999-12-31T23:59:60Z¦AAAA¦AA==¦A¦====¦-_-_¦eolg_x.1.y¦eolc_x¦",
	"tsk_01kdvdna00aa56jgsnzcvmjzg1¦ctx_01kdvdna00aa56jgsp4zkfpxad¦mira¦https://example.com/x.png¦javascript:alert(1)¦",
	"http://[::1]:0/¦file:///x¦text/plain¦image/png¦*/*",
);
const NUMBERS = [
	...[0, -0, 1, -1, 0.5, -1.5, 100, 101, 255, 65_536],
	...[1e21, 1e308, -1e308, 5e-324],
	...[31, 32, 53, 63].flatMap((bits) => [2 ** bits - 1, 2 ** bits, -(2 ** bits)]),
];
const KEYS = [
	...STRINGS.slice(0, 24),
	...words(
		"message¦parts¦text¦raw¦url¦data¦mediaType¦role¦metadata¦taskId¦task_id¦contextId¦context_id¦configuration¦historyLength¦",
		"id¦method¦params¦jsonrpc¦tenant¦result¦error",
	),
];

export const anyString = (random: Seeded): string => {
	const picked = random.pick(STRINGS);
	switch (random.int(12)) {
		case 0:
			return picked.repeat(random.int(40));
		case 1:
			return picked.repeat(1 + Math.floor(random.int(20_000) / Math.max(1, picked.length)));
		case 2:
			return picked + random.pick(STRINGS);
		case 3:
			return Array.from({ length: random.int(20) }, () => String.fromCharCode(random.int(0x1_0000))).join("");
		case 4:
			return Array.from({ length: random.int(30) }, () => String.fromCharCode(32 + random.int(95))).join("");
		default:
			return picked;
	}
};

/** Any JSON value, and some that JSON cannot say. */
export function anyValue(random: Seeded, depth = 4): unknown {
	switch (random.int(depth > 0 ? 9 : 6)) {
		case 0:
			return null;
		case 1:
			return random.chance(0.5);
		case 2:
			return random.pick(NUMBERS);
		case 3:
			return random.int(1_000) - 500;
		case 4:
		case 5:
			return anyString(random);
		case 6:
			return Array.from({ length: random.int(5) }, () => anyValue(random, depth - 1));
		case 7:
			return new Array(random.int(8)).fill(anyValue(random, depth - 1));
		default:
			return anyObject(random, depth);
	}
}

/** Own keys only, `__proto__` among them. */
function anyObject(random: Seeded, depth: number): object {
	const entries = Array.from({ length: random.int(5) }, (): [string, unknown] => [random.pick(KEYS), anyValue(random, depth - 1)]);
	return Object.fromEntries(entries);
}

/** Every object and array in a value, with the way to change each of its members. */
function members(value: unknown): { holder: Record<string, unknown>; key: string }[] {
	const found: { holder: Record<string, unknown>; key: string }[] = [];
	const waiting: unknown[] = [value];
	for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop()) {
		if (typeof holder !== "object" || holder === null) continue;
		for (const key of Object.keys(holder)) {
			found.push({ holder: holder as Record<string, unknown>, key });
			waiting.push((holder as Record<string, unknown>)[key]);
		}
	}
	return found;
}

/** A value with one to three things changed somewhere in it: another type, another name, something more, something less. */
export function changed(random: Seeded, value: unknown): unknown {
	const copy = structuredClone(value);
	for (let times = 1 + random.int(3); times > 0; times--) {
		const all = members(copy);
		if (all.length === 0) return anyValue(random);
		const { holder, key } = random.pick(all);
		switch (random.int(7)) {
			case 0:
				delete holder[key];
				break;
			case 1: {
				const moved = holder[key];
				delete holder[key];
				define(holder, random.pick(KEYS), moved);
				break;
			}
			case 2:
				define(holder, random.pick(KEYS), anyValue(random));
				break;
			case 3:
				holder[key] = [holder[key]];
				break;
			case 4:
				if (Array.isArray(holder)) holder.push(...holder.slice(0, 50));
				else holder[key] = { [key]: holder[key] };
				break;
			default:
				holder[key] = anyValue(random);
		}
	}
	return copy;
}

/** Sets a key as parsing does: `__proto__` is a key like others. A list has no keys and is given one more. */
function define(holder: object, key: string, value: unknown): void {
	if (Array.isArray(holder)) holder.push(value);
	else Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

const nested = (open: string, close: string, depth: number, inner: string): string => open.repeat(depth) + inner + close.repeat(depth);

/** Texts that break readers of JSON, and what is made of them. */
const BOMBS: ((random: Seeded) => string)[] = [
	(random) => nested("[", "]", 1 + random.int(100_000), ""),
	(random) => "[".repeat(1 + random.int(200_000)),
	(random) => nested('{"a":', "}", 1 + random.int(20_000), "1"),
	(random) => `[${"0,".repeat(random.int(200_000))}0]`,
	(random) => `{${Array.from({ length: random.int(20_000) }, (_, i) => `"k${i}":0`).join(",")}}`,
	(random) => `{${'"a":1,'.repeat(random.int(5_000))}"a":2}`,
	(random) => `{"n":${"9".repeat(1 + random.int(20_000))}}`,
	(random) => `{"n":1e${random.pick(["999", "-999", "+308", "99999999999999999999"])}}`,
	() => '{"s":"\\ud800"}',
	() => '{"s":"\\udc00\\ud800"}',
	() => '{"\\ud800":1}',
	() => '{"s":"\\u0000"}',
	() => "\ufeff{}",
	() => "{}\ufeff",
	() => '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
	() => '{"message":{"__proto__":{"polluted":true}}}',
	(random) => `{"n":${random.pick(["NaN", "Infinity", "-Infinity", "undefined", "0x1", "01", "1.", ".5", "+1", "1e", "--1", "1_0"])}}`,
	(random) => `{"s":${random.pick(["'x'", '"\\x41"', '"\\u12"', '"\n"', '"\t"', '"unfinished', '"\\', "`x`"])}}`,
	(random) =>
		random.pick([
			"",
			" ",
			"\n",
			"null",
			"true",
			"0",
			'""',
			"[]",
			"{}",
			"[[]]",
			"{}{}",
			"{},",
			"[1,]",
			'{"a":1,}',
			"//x\n{}",
			"/**/{}",
			"{a:1}",
			"(",
			")",
			"]",
			"}",
			"\0",
			"<html>",
			"a=b&c=d",
		]),
	(random) => JSON.stringify({ s: "x".repeat(random.int(300_000)) }),
];

/** A text that is JSON of the value, of something like it, or of nothing. */
export function anyText(random: Seeded, value: unknown): string {
	switch (random.int(10)) {
		case 0:
		case 1:
			return random.pick(BOMBS)(random);
		case 2:
			return JSON.stringify(value) ?? "";
		case 3:
			// A bomb where a value is due.
			return (JSON.stringify(value) ?? "").replace(/"(?:[^"\\]|\\.)*"(?=[,}\]])/, () => random.pick(BOMBS)(random));
		case 4:
			return JSON.stringify(anyValue(random)) ?? "undefined";
		default:
			return JSON.stringify(changed(random, value)) ?? "";
	}
}

/** Bytes of a text with some of them changed, lost, doubled or put in. */
export function mangled(random: Seeded, text: string): Uint8Array {
	const bytes = [...Buffer.from(text.slice(0, 4_000))];
	for (let times = 1 + random.int(4); times > 0; times--) {
		const at = random.int(bytes.length + 1);
		switch (random.int(6)) {
			case 0:
				bytes[at] = random.int(256);
				break;
			case 1:
				bytes.splice(at, 1 + random.int(8));
				break;
			case 2:
				bytes.splice(at, 0, ...bytes.slice(at, at + random.int(40)));
				break;
			case 3:
				bytes.splice(
					at,
					0,
					...random.pick([
						[0xff],
						[0xc0, 0x80],
						[0xed, 0xa0, 0x80],
						[0xf4, 0x90, 0x80, 0x80],
						[0xe2, 0x82],
						[0xef, 0xbb, 0xbf],
						[0x22],
						[0x5c],
						[0x7b],
						[0x5d],
					]),
				);
				break;
			case 4:
				bytes.length = Math.min(bytes.length, at);
				break;
			default:
				bytes.splice(at, 0, random.int(256));
		}
	}
	return Uint8Array.from(bytes, (byte) => byte ?? 0);
}

/** Bytes of a body: right, almost right, wrong. */
export function anyBody(random: Seeded, value: unknown): Uint8Array {
	const text = anyText(random, value);
	return random.chance(0.3) ? mangled(random, text) : Buffer.from(text);
}

/** A text out of pieces that mean something to whoever reads addresses, headers or lists. */
export const pieces = (random: Seeded, of: readonly string[], max = 8): string =>
	Array.from({ length: random.int(max) }, () => (random.chance(0.8) ? random.pick(of) : anyString(random).slice(0, 200))).join("");
