/** Everything in this program that reads what a stranger wrote, each as one case of bad input after another. */
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
import * as a2a from "../../shared/a2a.schema.js";
import { AgentCardSchema } from "../../shared/a2a-card.schema.js";
import { standardBase64, wireTime } from "../../shared/a2a-fields.schema.js";
import { canonicalJson } from "../../shared/canonical-json.js";
import { decodeServerFrame } from "../../shared/channel.js";
import { asFrameMessage, asPageMessage, isAccent } from "../../shared/embed.js";
import { parseMarkdown, plainWords } from "../../shared/markdown.js";
import type { Seeded } from "../seeded.js";
import { anyBody, anyString, anyValue, changed, pieces, words } from "./generate.js";
import { METHODS, REQUESTS, rpcRequest } from "./requests.js";

export type Reader = (random: Seeded) => unknown;

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
const request = (random: Seeded): Record<string, unknown> =>
	(REQUESTS[random.pick(METHODS)] as (r: Seeded) => Record<string, unknown>)(random);
const URLS = words(
	"https://¦http://¦://¦site.com¦shop.com¦*¦.¦:¦443¦/¦?¦#¦@¦%2e¦\\¦[::1]¦127.0.0.1¦localhost¦xn--¦null¦data:",
	"¦blob:https://site.com",
);
const HEADERS = words(
	'Bearer ¦bearer¦eolg_a.1.b¦eolc_¦ ¦,¦;¦q=0¦q=1¦=¦application/json¦application/a2a+json¦text/html¦*/*¦charset=utf-8¦"x"',
	"¦W/¦zh-CN¦en¦1.0¦1.0.1¦0.3",
);
const PATHS = words(
	"message:send¦message:stream¦tasks¦tasks/¦x¦:cancel¦:subscribe¦%3Acancel¦pushNotificationConfigs¦extendedAgentCard¦%¦%2F",
	"¦..¦.¦//¦__proto__¦constructor",
);
const WORDS = words(
	"what ¦when is ¦how much ¦?¦？¦！¦你们¦几点¦开门¦*¦**¦_¦`¦```\n¦\n¦\n\n¦- ¦1. ¦# ¦> ¦[a](¦)¦https://a.b/c¦<b>¦|¦\\¦~~",
	"¦anything else¦May ¦12:30¦€¦100¦一百二十¦ ¦😊¦👍🏽¦word¦and ¦so, ¦can I ¦help you ¦with ¦for you¦does that ¦还有¦什么¦可以¦帮¦您¦的¦问题",
	"¦其他¦吗¦请问¦需要¦有没有¦this Friday¦10am¦-¦–¦…¦\u00a0¦'¦“¦”",
);
/** Words in any order, with one of them again and again: what a pattern may have gone wrong on. */
export const talk = (random: Seeded, max: number): string =>
	pieces(random, WORDS, max / 2) + random.pick(WORDS).repeat(random.int(80)) + pieces(random, WORDS, max / 2);
const tokens = new PageTokens("a secret of the test", { bytes: (length) => new Uint8Array(length).fill(7) });
/** A request of which every header is the same. */
export const like = (header: string, target = "/") => ({ header: () => header, target });

/** Everything that reads what a stranger wrote; `read` is the gate before it. */
export const readers = (read: (bytes: Uint8Array) => unknown): Record<string, Reader> => ({
	"a JSON body, read by every schema": (random) => {
		const value = read(anyBody(random, random.chance(0.5) ? rpcRequest(random) : request(random)));
		const params = typeof value === "object" && value !== null && "params" in value ? value.params : value;
		const known = a2a.read(random.pick(SCHEMAS) as typeof a2a.SendMessageRequestSchema, params);
		if (known.message?.parts) checkMessage(known.message as a2a.Message, random.pick(["all", "text+data", "text"]));
		return JSON.stringify(known) + canonicalJson(known);
	},
	"a JSON-RPC request": (random) => readRequest(read(anyBody(random, rpcRequest(random)))),
	"a value that was changed": (random) =>
		a2a.read(random.pick(SCHEMAS) as typeof a2a.GetTaskRequestSchema, changed(random, request(random))),
	"a query": (random) => {
		const query = new URLSearchParams(
			random.chance(0.5)
				? pieces(random, [
						"pageSize=",
						"historyLength=",
						"status=",
						"includeArtifacts=",
						"true",
						"10",
						"&",
						"=",
						"%",
						"contextId",
						"page_size",
						"__proto__",
					])
				: Object.entries(request(random)).map(([k, v]) => [k, random.chance(0.5) ? anyString(random) : String(v)]),
		);
		return a2a.fromQuery(
			random.pick(SCHEMAS) as typeof a2a.ListTasksRequestSchema,
			query,
			random.chance(0.5) ? { id: anyString(random) } : {},
		);
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
		const text = random.chance(0.3)
			? `https://${pieces(random, ["*.", "a.", "b-c.", "xn--", "1."], 3)}shop.com${pieces(random, URLS, 2)}`
			: pieces(random, URLS);
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
