/**
 * T-FUZZ, in this process (reliability.md 85 to 87, 95, 98): whatever reads something from outside, given what nobody would send. It reads
 * it or refuses it with a sentence, soon, and leaves nothing behind.
 */
import { describe, expect, it } from "vitest";
import { knowledge } from "../../server/answerers/knowledge.js";
import { tell, turnOf } from "../../server/answerers/knowledge/ask.fixture.js";
import { activated } from "../../server/a2a/extensions.js";
import { mediaTypeOf, restType } from "../../server/a2a/http.js";
import { readRequest } from "../../server/a2a/jsonrpc.js";
import { checkVersion } from "../../server/a2a/operations.js";
import { checkMessage, checkOutputModes } from "../../server/a2a/parts.js";
import { routeOf } from "../../server/a2a/rest.js";
import { credentialOf, networkOf, refuseTokenInQuery } from "../../server/callers.js";
import { asksCaller } from "../../server/engine/asks.js";
import { PageTokens } from "../../server/engine/page-tokens.js";
import { isHandle, isMemoryPath } from "../../server/engine/people-operations.js";
import { checkSettings } from "../../server/engine/settings.js";
import { covers, parseRule, readExactSite } from "../../server/engine/sites.js";
import { readTicket } from "../../server/engine/tickets.js";
import { drawFace } from "../../server/site/face.js";
import { bootJson } from "../../server/site/layout.js";
import { languageOf } from "../../server/site/texts.js";
import { standardBase64, wireTime } from "../../shared/a2a-fields.schema.js";
import { AgentCardSchema } from "../../shared/a2a-card.schema.js";
import * as a2a from "../../shared/a2a.schema.js";
import { canonicalJson } from "../../shared/canonical-json.js";
import { decodeServerFrame } from "../../shared/channel.js";
import { asFrameMessage, asPageMessage, isAccent } from "../../shared/embed.js";
import { DeskError, ERROR_CODES } from "../../shared/errors.js";
import { readJson } from "../../shared/json-scan.js";
import { parseMarkdown, plainWords } from "../../widget/ui/markdown.js";
import type { Seeded } from "../seeded.js";
import { anyBody, anyString, anyValue, caseOf, changed, METHODS, pieces, REQUESTS, rpcRequest } from "./generate.js";
import { cpuMs, heapBytes, insidesIn, polluted } from "./watch.js";

const SEED = Number(process.env.SEED ?? 20_260_103);
const CASES = process.env.LONG ? 200_000 : 50_000;
/** Time of this process, far more than any of them takes: what else the machine does must not decide. */
const SLOW_MS = 1_000;
const HEAP_BYTES = 24 * 1024 * 1024;
const minutes = (n: number): number => n * 60_000;

type Reader = (random: Seeded) => unknown;

const SCHEMAS = [
	a2a.SendMessageRequestSchema,
	a2a.GetTaskRequestSchema,
	a2a.ListTasksRequestSchema,
	a2a.CancelTaskRequestSchema,
	a2a.SubscribeToTaskRequestSchema,
	a2a.GetExtendedAgentCardRequestSchema,
	a2a.CreateTaskPushNotificationConfigRequestSchema,
	AgentCardSchema,
	a2a.TaskSchema,
	a2a.StreamResponseSchema,
];
const request = (random: Seeded): Record<string, unknown> => (REQUESTS[random.pick(METHODS)] as (r: Seeded) => Record<string, unknown>)(random);
const URLS = ["https://", "http://", "://", "site.com", "shop.com", "*", ".", ":", "443", "/", "?", "#", "@", "%2e", "\\", "[::1]", "127.0.0.1", "localhost", "xn--", "null", "data:", "blob:https://site.com"];
const HEADERS = ["Bearer ", "bearer", "eolg_a.1.b", "eolc_", " ", ",", ";", "q=0", "q=1", "=", "application/json", "application/a2a+json", "text/html", "*/*", "charset=utf-8", '"x"', "W/", "zh-CN", "en", "1.0", "1.0.1", "0.3"];
const PATHS = ["message:send", "message:stream", "tasks", "tasks/", "x", ":cancel", ":subscribe", "%3Acancel", "pushNotificationConfigs", "extendedAgentCard", "%", "%2F", "..", ".", "//", "__proto__", "constructor"];
const WORDS = ["what ", "when is ", "how much ", "?", "？", "！", "你们", "几点", "开门", "*", "**", "_", "`", "```\n", "\n", "\n\n", "- ", "1. ", "# ", "> ", "[a](", ")", "https://a.b/c", "<b>", "|", "\\", "~~", "anything else", "May ", "12:30", "€", "100", "一百二十", " ", "😊", "👍🏽", "word", "and ", "so, ", "can I ", "help you ", "with ", "for you", "does that ", "还有", "什么", "可以", "帮", "您", "的", "问题", "其他", "吗", "请问", "需要", "有没有", "this Friday", "10am", "-", "–", "…", "\u00a0", "'", "“", "”"];
/** Words in any order, with one of them again and again: what a pattern may have gone wrong on. */
const talk = (random: Seeded, max: number): string => pieces(random, WORDS, max / 2) + random.pick(WORDS).repeat(random.int(80)) + pieces(random, WORDS, max / 2);
const answerer = knowledge();
const tokens = new PageTokens("a secret of the test", { bytes: (length) => new Uint8Array(length).fill(7) });
const like = (header: string, target = "/") => ({ header: () => header, target });

/** Everything that reads what a stranger wrote; `read` is the gate before it. */
const readers = (read: (bytes: Uint8Array) => unknown): Record<string, Reader> => ({
	"a JSON body, read by every schema": (random) => {
		const value = read(anyBody(random, random.chance(0.5) ? rpcRequest(random) : request(random)));
		const params = typeof value === "object" && value !== null && "params" in value ? value.params : value;
		const known = a2a.read(random.pick(SCHEMAS) as typeof a2a.SendMessageRequestSchema, params);
		if (known.message?.parts) checkMessage(known.message as a2a.Message, random.pick(["all", "text+data", "text"]));
		return JSON.stringify(known) + canonicalJson(known);
	},
	"a JSON-RPC request": (random) => readRequest(read(anyBody(random, rpcRequest(random)))),
	"a value that was changed": (random) => a2a.read(random.pick(SCHEMAS) as typeof a2a.GetTaskRequestSchema, changed(random, request(random))),
	"a query": (random) => {
		const query = new URLSearchParams(random.chance(0.5) ? pieces(random, ["pageSize=", "historyLength=", "status=", "includeArtifacts=", "true", "10", "&", "=", "%", "contextId", "page_size", "__proto__"]) : Object.entries(request(random)).map(([k, v]) => [k, random.chance(0.5) ? anyString(random) : String(v)]));
		return a2a.fromQuery(random.pick(SCHEMAS) as typeof a2a.ListTasksRequestSchema, query, random.chance(0.5) ? { id: anyString(random) } : {});
	},
	"a path": (random) => routeOf(pieces(random, PATHS).split("/")),
	"a credential and an address": (random) => {
		refuseTokenInQuery(`/?${pieces(random, ["token=", "eolg_", "api_key", "&", "%5f", "x"])}`);
		networkOf(pieces(random, ["::", ":", "ffff", "1", "127.0.0.1", "%eth0", "."]));
		return credentialOf(like(pieces(random, HEADERS)), random.chance(0.5));
	},
	"a version, a media type, extensions, languages": (random) => {
		const header = pieces(random, HEADERS, 40);
		restType(like(header));
		mediaTypeOf(header);
		activated(header, [{ uri: "https://example.com/x", description: "" }]);
		languageOf(header);
		checkOutputModes(random.chance(0.2) ? undefined : [header, anyString(random)]);
		checkVersion(header, "0.3");
	},
	"a site and a rule": (random) => {
		const text = random.chance(0.3) ? `https://${pieces(random, ["*.", "a.", "b-c.", "xn--", "1."], 3)}shop.com${pieces(random, URLS, 2)}` : pieces(random, URLS);
		readExactSite(text, { localhost: random.chance(0.5) });
		covers(text, pieces(random, URLS));
		return parseRule(text, { localhost: random.chance(0.5), isPublicSuffix: (name) => name === "com" });
	},
	"a ticket, a page token": (random) => {
		readTicket("a secret of the test", pieces(random, ["eolt", ".", "AAAA", "-_", "="], 20), "mira", 0);
		return tokens.read("scope", anyString(random), 0);
	},
	"a handle, a path in the memory, settings": (random) => {
		const text = pieces(random, ["people/", "../", ".", "..", "\0", "a", "A", "．", "é", "ag_", "-"], 30);
		isMemoryPath(text);
		drawFace(text);
		if (!isHandle(text)) checkSettings({ [random.pick(["a2a", "waitMs", "parts", text])]: anyValue(random) });
	},
	"times and bytes": (random) => {
		wireTime(pieces(random, ["2026-01-01T00:00:00", "2026", "-", "T", ":", ".123456789", "Z", "+14:00", "-00:00", "24", "60"], 12));
		standardBase64(random.chance(0.5) ? anyString(random) : pieces(random, ["AA", "-", "_", "=", "+", "/"], 400));
	},
	"a frame, a window's message": (random) => {
		decodeServerFrame(Buffer.from(anyBody(random, { jsonrpc: "2.0", method: "event", params: { contextId: "x", seq: 1 } })).toString());
		const value = anyValue(random);
		asPageMessage(value);
		asFrameMessage(value);
		isAccent(anyString(random));
		return bootJson({ handle: anyString(random), mode: "page", theme: "auto", socket: anyString(random), brand: anyString(random) });
	},
	"words, as markdown and as a question": (random) => {
		const text = talk(random, 60);
		plainWords(parseMarkdown(text));
		return asksCaller(text);
	},
});

/** Runs cases through readers in turn. Returns what went wrong, each with the number that plays it again. */
function run(all: Record<string, Reader>, count: number, untilFound = false): { wrong: string[]; read: Map<string, number>; refused: Map<string, number> } {
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
		for (const name of ["a JSON body, read by every schema", "a JSON-RPC request", "a value that was changed", "a query", "a path", "a site and a rule"]) {
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
		const hostile = ["a", " ", ".", "a.", "-", "*", "_", "[", "(", "](", "**a", "`", "```", "> ", "- ", "http://a", "www.", "a@", "%", "0", "9", "=", "A", "+", "?", "！", "。", ",", ", ", ";q=", "你", "1:", "::", "<", "|", "\n", "\n\n", "\t", "'", '"'];
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
				into[key] = typeof value === "object" && value !== null ? merge((into[key] ?? {}) as Record<string, unknown>, value as Record<string, unknown>) : value;
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
