/**
 * Web search behind one interface, by three services: a SearXNG of one's own, Brave and Tavily. Each is asked for a few pages and nothing
 * else; what comes back is somebody else's words, taken as text and never as markup.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Call, ConnectInput, WebPage } from "../engine/apps-ports.js";
import type { Ask, Outbound, Told } from "../outbound/fetch.js";
import type { Kind } from "./index.js";

/** One service: how it is asked, and where in its answer the pages stand. */
interface Service {
	name: string;
	/** What an owner gives: its address, or a key. */
	needs: "address" | "key";
	/** How it is asked. `given` is that address or key. */
	ask(given: string, query: string): { url: string } & Ask;
	/** Path to the list, and the names of its text. */
	list: readonly string[];
	text: string;
	/** What a status that is no answer means, for the one who runs the desk. */
	says: Readonly<Record<number, string>>;
}

const COUNT = String(LIMITS.searchPages);

const SEARXNG: Service = {
	name: "SearXNG",
	needs: "address",
	ask: (address, query) => ({
		url: `${address.replace(/\/+$/, "")}/search?${new URLSearchParams({ q: query, format: "json", safesearch: "1" })}`,
		headers: { accept: "application/json" },
	}),
	list: ["results"],
	text: "content",
	says: { 403: "Turn on its JSON answers: add json to search.formats in its settings.yml.", 429: "It is asked too often." },
};

const BRAVE: Service = {
	name: "Brave",
	needs: "key",
	ask: (key, query) => ({
		url: `https://api.search.brave.com/res/v1/web/search?${new URLSearchParams({ q: query, count: COUNT, text_decorations: "false" })}`,
		headers: { accept: "application/json", "x-subscription-token": key },
	}),
	list: ["web", "results"],
	text: "description",
	says: {
		401: "The key is not good.",
		403: "The key may not search.",
		422: "The key is not good.",
		429: "The key's allowance is used up.",
	},
};

const TAVILY: Service = {
	name: "Tavily",
	needs: "key",
	ask: (key, query) => ({
		url: "https://api.tavily.com/search",
		method: "POST",
		headers: { accept: "application/json", "content-type": "application/json", authorization: `Bearer ${key}` },
		body: JSON.stringify({ query, max_results: LIMITS.searchPages, search_depth: "basic" }),
	}),
	list: ["results"],
	text: "content",
	says: { 401: "The key is not good.", 429: "The key's allowance is used up.", 432: "The plan's allowance is used up." },
};

/** Words that every service finds something for: asked once, to see that a connection is good. */
const TRIAL = "weather";

function kindOf(service: Service): Kind {
	const given = ({ address, key }: ConnectInput): string => {
		const value = (service.needs === "address" ? address : key)?.trim() ?? "";
		if (value === "")
			throw new DeskError(
				"invalid_params",
				`${service.name} needs ${service.needs === "address" ? "its address" : "a key: you get one in your account there"}.`,
			);
		if (service.needs === "key" && !/^[\x21-\x7e]{8,256}$/.test(value))
			throw new DeskError("invalid_params", `That is no key of ${service.name}'s: a key is one line without spaces.`);
		return value;
	};
	return {
		async connect(input, { outbound }, signal) {
			const value = given(input);
			if (service.needs === "address") {
				const url = outbound.check(value);
				if (url.search !== "")
					throw new DeskError("invalid_params", `Give the address of ${service.name} without a question mark and what follows it.`);
			}
			await search(service, value, TRIAL, outbound, signal);
			const label = service.needs === "address" ? new URL(value).host : service.name;
			return { app: "search", label, most: "read", settings: JSON.stringify({ given: value }) };
		},
		async call(call: Call, settings, { outbound }, signal) {
			if (call.tool !== "webSearch") throw new Error(`${service.name} does not know ${call.tool}`);
			const { given } = JSON.parse(settings) as { given: string };
			return await search(service, given, call.query, outbound, signal);
		},
	};
}

async function search(service: Service, given: string, query: string, outbound: Outbound, signal: AbortSignal): Promise<WebPage[]> {
	const { url, ...ask } = service.ask(given, query);
	const told = await outbound.ask(url, { ...ask, signal });
	if (told.status !== 200) {
		const why = service.says[told.status] ?? "Try again later.";
		throw new DeskError("unavailable", `${service.name} did not answer (${told.status}). ${why}`);
	}
	return readPages(service, told);
}

function readPages(service: Service, { text }: Told): WebPage[] {
	let at: unknown;
	try {
		at = JSON.parse(text);
	} catch {
		throw new DeskError("unavailable", `${service.name} did not answer in JSON. Check its address.`);
	}
	for (const name of service.list) at = isRecord(at) ? at[name] : undefined;
	// Brave leaves `web` out where it found nothing.
	if (at === undefined) return [];
	if (!Array.isArray(at)) throw new DeskError("unavailable", `${service.name} answered in a form that is not known here.`);
	const pages: WebPage[] = [];
	for (const one of at as unknown[]) {
		if (!isRecord(one) || typeof one.url !== "string" || typeof one.title !== "string") continue;
		const words = one[service.text];
		pages.push({ url: one.url, title: plain(one.title), text: typeof words === "string" ? plain(words) : "" });
		if (pages.length === LIMITS.searchPages) break;
	}
	return pages;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** Text of what may have been marked up: services mark the words that they found. */
const plain = (text: string): string =>
	text
		.slice(0, 5_000)
		.replace(/<\/?[a-z][^<>]{0,200}>/gi, "")
		.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|([a-z]{2,6}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
			if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
			const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? "", 16);
			return code >= 32 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : " ";
		});

export const searxng = kindOf(SEARXNG);
export const brave = kindOf(BRAVE);
export const tavily = kindOf(TAVILY);
