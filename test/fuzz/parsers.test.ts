/**
 * T-FUZZ, in this process (reliability.md 85 to 87, 95, 98): whatever reads something from outside, given what nobody would send. It reads
 * it or refuses it with a sentence, soon, and leaves nothing behind.
 */
import { describe, expect, it } from "vitest";
import { restType } from "../../server/a2a/http.js";
import { checkVersion } from "../../server/a2a/operations.js";
import { tell, turnOf } from "../../server/answerers/knowledge/ask.fixture.js";
import { knowledge } from "../../server/answerers/knowledge.js";
import { credentialOf, networkOf, refuseTokenInQuery } from "../../server/callers.js";
import { asksCaller } from "../../server/engine/asks.js";
import { isMemoryPath } from "../../server/engine/people-operations.js";
import { readExactSite } from "../../server/engine/sites.js";
import { drawFace } from "../../server/site/face.js";
import { languageOf } from "../../server/site/texts.js";
import { standardBase64, wireTime } from "../../shared/a2a-fields.schema.js";
import { DeskError, ERROR_CODES } from "../../shared/errors.js";
import { readJson } from "../../shared/json-scan.js";
import { parseMarkdown } from "../../shared/markdown.js";
import { caseOf } from "./generate.js";
import { like, type Reader, readers, talk } from "./readers.js";
import { cpuMs, heapBytes, insidesIn, polluted } from "./watch.js";

const SEED = Number(process.env.SEED ?? 20_260_103);
const CASES = process.env.LONG ? 200_000 : 50_000;
/** Time of this process, far more than any of them takes: what else the machine does must not decide. */
const SLOW_MS = 1_000;
const HEAP_BYTES = 24 * 1024 * 1024;
const minutes = (n: number): number => n * 60_000;

const answerer = knowledge(Date.now);

/** Runs cases through readers in turn. Returns what went wrong, each with the number that plays it again. */
function run(
	all: Record<string, Reader>,
	count: number,
	untilFound = false,
): { wrong: string[]; read: Map<string, number>; refused: Map<string, number> } {
	const wrong: string[] = [];
	const read = new Map<string, number>();
	const refused = new Map<string, number>();
	const names = Object.keys(all);
	for (let number = 0; number < count && !(untilFound && wrong.length > 0); number++) {
		const name = names[number % names.length] as string;
		const began = cpuMs();
		try {
			(all[name] as Reader)(caseOf(SEED, number));
			read.set(name, (read.get(name) ?? 0) + 1);
		} catch (thrown) {
			refused.set(name, (refused.get(name) ?? 0) + 1);
			const fault = faultOf(thrown);
			if (fault) wrong.push(`case ${number}, ${name}: ${fault}`);
		}
		const took = cpuMs() - began;
		if (took > SLOW_MS) wrong.push(`case ${number}, ${name}: took ${Math.round(took)} ms`);
		if (polluted()) wrong.push(`case ${number}, ${name}: got into a prototype`);
	}
	return { wrong, read, refused };
}

/** What is wrong with a refusal; undefined: it is one of ours, and tells of nothing inside. */
function faultOf(thrown: unknown): string | undefined {
	if (!(thrown instanceof DeskError)) return `threw ${String((thrown as Error)?.stack ?? thrown).slice(0, 300)}`;
	if (thrown.code === "internal" || !ERROR_CODES.includes(thrown.code)) return `refused as ${thrown.code}`;
	if (thrown.message.trim() === "") return "refused without a word";
	const inside = insidesIn(thrown.message.replace(/"(?:[^"\\]|\\.)*"/g, ""));
	return inside === undefined ? undefined : `told of ${inside}`;
}

describe("whatever reads something from outside", () => {
	it(`reads or refuses each of ${CASES} cases of bad input, soon, and leaves nothing behind`, { timeout: minutes(20) }, () => {
		const all = readers(readJson);
		run(all, 1_000);
		const before = heapBytes();
		const { wrong, read, refused } = run(all, CASES);
		expect(wrong.slice(0, 10), `seed ${SEED}`).toEqual([]);
		expect(heapBytes() - before).toBeLessThan(HEAP_BYTES);
		// It means something only if much is read and much refused.
		for (const name of [
			"a JSON body, read by every schema",
			"a JSON-RPC request",
			"a value that was changed",
			"a query",
			"a path",
			"a site and a rule",
		]) {
			expect(read.get(name), `${name}: read`).toBeGreaterThan(20);
			expect(refused.get(name), `${name}: refused`).toBeGreaterThan(20);
		}
	});

	it("answers from the notes whatever is asked and whatever is noted", { timeout: minutes(5) }, async () => {
		for (let number = 0; number < CASES / 250; number++) {
			const random = caseOf(SEED, number);
			const note = { path: "notes.md", text: `Opening hours ${talk(random, 200)} Prices ${talk(random, 100)}`.slice(0, 20_000) };
			const began = cpuMs();
			const { endings } = await tell(answerer, turnOf([note], [talk(random, 40)]));
			expect(endings, `case ${number}`).toMatchObject([{ type: "reply" }]);
			expect(cpuMs() - began, `case ${number}`).toBeLessThan(SLOW_MS);
		}
	});

	it("is not slowed by what makes patterns go back and forth", { timeout: minutes(2) }, () => {
		const many = 100_000;
		const hostile = [
			"a",
			" ",
			".",
			"a.",
			"-",
			"*",
			"_",
			"[",
			"(",
			"](",
			"**a",
			"`",
			"```",
			"> ",
			"- ",
			"http://a",
			"www.",
			"a@",
			"%",
			"0",
			"9",
			"=",
			"A",
			"+",
			"?",
			"！",
			"。",
			",",
			", ",
			";q=",
			"你",
			"1:",
			"::",
			"<",
			"|",
			"\n",
			"\n\n",
			"\t",
			"'",
			'"',
		];
		for (const piece of hostile) {
			const text = piece.repeat(Math.ceil(many / piece.length)).slice(0, many);
			for (const end of ["", "!", "\0x"]) {
				const whole = text + end;
				const scans: Record<string, () => unknown> = {
					base64: () => standardBase64(whole),
					time: () => wireTime(whole),
					site: () => readExactSite(`https://${whole}`, { localhost: true }),
					credential: () => credentialOf(like(`Bearer ${whole}`), true),
					query: () => refuseTokenInQuery(`/?${whole}`),
					network: () => networkOf(whole),
					version: () => checkVersion(whole, "0.3"),
					language: () => languageOf(whole),
					type: () => restType(like(`application/a2a+json${whole}`)),
					asks: () => asksCaller(whole.slice(-20_000)),
					markdown: () => parseMarkdown(whole.slice(-20_000)),
					path: () => isMemoryPath(whole),
					face: () => drawFace(whole.slice(0, 64)),
				};
				for (const [name, scan] of Object.entries(scans)) {
					const began = cpuMs();
					try {
						scan();
					} catch (thrown) {
						expect(faultOf(thrown), `${name} of ${JSON.stringify(piece)}`).toBeUndefined();
					}
					expect(cpuMs() - began, `${name} of ${JSON.stringify(piece)} and ${JSON.stringify(end)}`).toBeLessThan(SLOW_MS);
				}
			}
		}
	});
});

describe("a reader that is not careful", () => {
	const CASES_OF_MUTANTS = 20_000;
	const found = (read: (bytes: Uint8Array) => unknown): string => run(readers(read), CASES_OF_MUTANTS, true).wrong.join("\n");

	it("is found out when it parses without a look at the bytes", () => {
		expect(found((bytes) => JSON.parse(Buffer.from(bytes).toString()) as unknown)).toMatch(/threw (?:RangeError|SyntaxError)/);
	});

	it("is found out when it merges what came into what it has", () => {
		const merge = (into: Record<string, unknown>, from: Record<string, unknown>): Record<string, unknown> => {
			for (const key of Object.keys(from)) {
				const value = from[key];
				into[key] =
					typeof value === "object" && value !== null
						? merge((into[key] ?? {}) as Record<string, unknown>, value as Record<string, unknown>)
						: value;
			}
			return into;
		};
		// The scan refuses the key, so the careless one does without it.
		const careless = (bytes: Uint8Array): unknown => {
			const value = readJson(bytes);
			return typeof value === "object" && value !== null && !Array.isArray(value) ? merge({}, value as Record<string, unknown>) : value;
		};
		expect(found(careless)).toMatch(/got into a prototype/);
	});
});
