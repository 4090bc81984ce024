/**
 * The services that apps reach, as they behave by their own documentation: what they demand of a request, how they answer, and how they
 * refuse. Real HTTP on a `Web`; nothing in them knows of the desk.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

export interface Page {
	title: string;
	url: string;
	text: string;
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

const asked = (request: IncomingMessage): URL => new URL(request.url ?? "/", "https://service.example");

async function bodyOf(request: IncomingMessage): Promise<string> {
	let text = "";
	for await (const chunk of request) text += String(chunk);
	return text;
}

/** A calendar's private address: the feed at that path alone, as the large ones serve it. */
export const calendarServer =
	(path: string, feed: () => string): RequestListener =>
	(request, response) => {
		if (request.method !== "GET") return void response.writeHead(405, { allow: "GET" }).end();
		if (asked(request).pathname !== path) return void response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not Found</h1>");
		response.writeHead(200, {
			"content-type": "text/calendar; charset=UTF-8",
			"cache-control": "no-cache, no-store, max-age=0",
			vary: "Sec-Fetch-Dest",
		});
		response.end(feed());
	};

/** SearXNG: 403 unless its settings name the format, 400 without words. */
export const searxngServer =
	(pages: () => Page[], { formats = ["html", "json"] }: { formats?: string[] } = {}): RequestListener =>
	(request, response) => {
		const { pathname, searchParams } = asked(request);
		if (pathname !== "/search") return void response.writeHead(404).end();
		const format = searchParams.get("format") ?? "html";
		if (!formats.includes(format)) return void response.writeHead(403, { "content-type": "text/html" }).end("<h1>Forbidden</h1>");
		const query = searchParams.get("q") ?? "";
		if (query.trim() === "") return json(response, 400, { error: "No query" });
		const results = pages().map(({ title, url, text }) => ({
			url,
			title,
			content: text,
			publishedDate: null,
			thumbnail: null,
			engine: "duckduckgo",
			template: "default.html",
			parsed_url: ["https", new URL(url, "https://x.example").host, "/", "", "", ""],
			engines: ["duckduckgo"],
			positions: [1],
			score: 1,
			category: "general",
		}));
		json(response, 200, {
			query,
			number_of_results: 0,
			results,
			answers: [],
			corrections: [],
			infoboxes: [],
			suggestions: [],
			unresponsive_engines: [],
		});
	};

/** Brave: its own header, at most 400 characters and 50 words, at most 20 pages; the words it found are marked up. */
export const braveServer =
	(key: string, pages: () => Page[], allowance = { left: 1_000 }): RequestListener =>
	(request, response) => {
		const { pathname, searchParams } = asked(request);
		if (pathname !== "/res/v1/web/search") return void response.writeHead(404).end();
		const error = (status: number, code: string, detail: string): void =>
			json(response, status, { type: "ErrorResponse", error: { id: "e1", status, code, detail } });
		if (request.headers["x-subscription-token"] !== key)
			return error(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.");
		if (allowance.left-- <= 0) return error(429, "RATE_LIMITED", "Request rate limit exceeded for plan.");
		const query = searchParams.get("q") ?? "";
		const count = Number(searchParams.get("count") ?? 20);
		if (query === "" || query.length > 400 || query.split(/\s+/).length > 50 || !(count >= 1 && count <= 20))
			return error(422, "VALIDATION", "Unable to validate request parameter(s)");
		const results = pages()
			.slice(0, count)
			.map(({ title, url, text }) => ({
				title,
				url,
				is_source_local: false,
				description: text,
				language: "en",
				family_friendly: true,
				type: "search_result",
			}));
		json(response, 200, {
			query: { original: query, more_results_available: false },
			mixed: { type: "mixed", main: [], top: [], side: [] },
			type: "search",
			...(results.length === 0 ? {} : { web: { type: "search", results, family_friendly: true } }),
		});
	};

/** Tavily: a bearer's key, POST with JSON, at most 400 characters, at most 20 pages. */
export const tavilyServer =
	(key: string, pages: () => Page[]): RequestListener =>
	(request, response) => {
		if (asked(request).pathname !== "/search") return void response.writeHead(404).end();
		if (request.method !== "POST") return json(response, 405, { detail: "Method Not Allowed" });
		void bodyOf(request).then((text) => {
			if (request.headers.authorization !== `Bearer ${key}`)
				return json(response, 401, { detail: { error: "Unauthorized: missing or invalid API key." } });
			if (!request.headers["content-type"]?.startsWith("application/json")) return json(response, 422, { detail: "JSON expected" });
			const { query, max_results = 5 } = JSON.parse(text) as { query?: unknown; max_results?: number };
			if (typeof query !== "string" || query === "") return json(response, 400, { detail: { error: "Query is missing." } });
			if (query.length > 400) return json(response, 400, { detail: { error: "Query is too long. Max query length is 400 characters." } });
			const results = pages()
				.slice(0, Math.min(max_results, 20))
				.map(({ title, url, text: content }, i) => ({ title, url, content, score: 1 - i / 10, raw_content: null }));
			json(response, 200, { query, follow_up_questions: null, answer: null, images: [], results, response_time: 0.5, request_id: "r1" });
		});
	};
