/**
 * Asking by an address (LINK-3): `/@handle/ask?q=…` for people without scripts and for agents that can fetch a page and
 * nothing else. A page answers, or text for who wants text. The private link of an answer is the one credential that may
 * stand in an address of ours: it opens one conversation, ends when its holder says so, and is sent to nobody as a referrer.
 *
 * Not everything that opens an address means to ask. A prefetch is refused, so that a browser asks again in earnest; what a page
 * loads by itself, crawlers and previews of links ask nothing; a browser that asked is sent on to the private link, so that
 * a reload, a restored tab or a step back only reads.
 */
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { LIMITS } from "../../shared/limits.js";
import { refuseTokenInQuery } from "../callers.js";
import type { Desk, Thread } from "../engine/engine.js";
import { LINK_DAYS, threadText, wordsOf } from "./ask-words.js";
import { languageFor, type SiteParts } from "./door.js";
import { COMMON, documentHeaders, NO_STORE, prefersText } from "./headers.js";
import { type Html, page } from "./layout.js";
import { prose } from "./prose.js";
import { type Language, TEXTS } from "./texts.js";

/** Its handle is reserved: the guide uses it, and nothing there answers. */
export const EXAMPLE = "example";

/** Programs that open links to look at them, by their names; what fetches for a person calls itself `…-User`. CUBOT makes phones. */
const LOOKERS = /(?<!\bcu)bot\b|crawl|spider|slurp|preview|facebookexternalhit|whatsapp|embedly/i;
/** What a browser says of its device, which may be called anything; a program that looks names itself in a comment of its own, as compatible. */
const DEVICE = /\((?:Linux|Android)\b(?![^()]*compatible)[^()]*\)/gi;
const isLooker = (agent: string): boolean =>
	!/-user\b/i.test(agent) && LOOKERS.test(agent.replace(/https?:\/\/\S+/g, "").replace(DEVICE, ""));

/** Robots keep out of what one person asked. */
const HIDDEN = { "x-robots-tag": "noindex, nofollow, noarchive" } as const;

/** What came in an address. */
interface Request {
	desk: Desk;
	language: Language;
	/** Who asked wants text. */
	text: boolean;
	/** A person looks at it in a browser. */
	browser: boolean;
	/** The question; undefined: none was asked. */
	words: string | undefined;
}

export function ask(parts: SiteParts): Hono {
	const { engine, config } = parts;
	const app = new Hono();

	/** Says one sentence in the form that was asked for. */
	const say = async (c: Context, text: boolean, status: 200 | 400 | 403 | 404 | 503, title: string, line: string): Promise<Response> => {
		const language = languageFor(c);
		if (text) return c.text(`${line}\n`, status, textHeaders(c));
		const body = html`<main class="quiet"><h1>${title}</h1><p>${line}</p><p><a href="/">${TEXTS[language].home}</a></p></main>`;
		return c.html(await page({ language, css: parts.css, title, hidden: true, body }), status, pageHeaders());
	};
	const pageHeaders = () => ({
		...documentHeaders(config.publicUrl, { ancestors: "'none'", chat: false, form: true }),
		...NO_STORE,
		...HIDDEN,
		vary: "Accept, Accept-Language",
	});
	const textHeaders = (c: Context) => ({
		...COMMON,
		...NO_STORE,
		...HIDDEN,
		"content-type": `text/${c.req.header("accept")?.includes("text/plain") ? "plain" : "markdown"}; charset=utf-8`,
		vary: "Accept, Accept-Language",
	});

	/** The desk and the question of an address, or the answer that ends it here. */
	async function read(c: Context, at: string, isText: boolean): Promise<Request | Response> {
		const handle = at.slice(1);
		const text = isText || prefersText(c.req.header("accept"));
		if (handle === EXAMPLE) {
			const texts = TEXTS[languageFor(c)];
			return await say(c, text, 200, texts.example, texts.exampleLine);
		}
		const url = new URL(c.req.url);
		refuseTokenInQuery(url.search);
		const desk = await parts.deskAt(handle);
		if (!desk) return await parts.refuse(c, 404, "missing");
		const language = languageFor(c, desk);
		const texts = TEXTS[language];
		if (!desk.settings.guests) return await say(c, text, 403, texts.guestsOff, texts.guestsOffLine(desk.face.name));
		const browser = !text && c.req.header("sec-fetch-mode") === "navigate";
		const request: Request = { desk, language, text, browser, words: undefined };
		const given = url.searchParams.get("q")?.trim();
		if (given === undefined || given === "" || c.req.method === "HEAD") return request;
		if (isPrefetch(c)) return await say(c, text, 503, texts.busy, texts.askPrefetch);
		const destination = c.req.header("sec-fetch-dest");
		if (destination !== undefined && destination !== "document") return await say(c, text, 400, texts.missing, texts.askElsewhere);
		if (isLooker(c.req.header("user-agent") ?? "")) return await say(c, text, 200, texts.askTitle(desk.face.name), texts.askRobots);
		if (!isUtf8(url.search) || given.includes("\0")) return await say(c, text, 400, texts.missing, texts.askBroken);
		if ([...given].length > LIMITS.askChars) return await say(c, text, 400, texts.missing, texts.askLong(LIMITS.askChars));
		return { ...request, words: given };
	}

	const waiting = (c: Context, { browser }: Request) => ({
		waitMs: browser ? LIMITS.askBrowserWaitMs : LIMITS.askWaitMs,
		signal: c.req.raw.signal,
	});
	const linkOf = ({ desk }: Request, key: string): string => `/@${desk.row.handle}/ask/${key}`;

	/** The conversation, in the form that was asked for. */
	async function show(c: Context, request: Request, key: string, thread: Thread): Promise<Response> {
		const { desk, language, text } = request;
		const { name } = desk.face;
		const link = config.publicUrl + linkOf(request, key);
		if (text) return c.body(threadText(thread, { name, link, language }), 200, textHeaders(c));
		const body = await threadPage(request, thread, link);
		const title = TEXTS[language].askTitle(name);
		return c.html(await page({ language, css: parts.css, title, icon: desk.face.face, hidden: true, body }), 200, pageHeaders());
	}

	/** A conversation's page: what was said, where it stands, the box to ask more, the link and its end. */
	async function threadPage({ desk, language }: Request, thread: Thread, link: string): Promise<Html> {
		const texts = TEXTS[language];
		const { name, face } = desk.face;
		const path = new URL(link).pathname;
		const lines = thread.lines.map(({ from, message }) => {
			const words = wordsOf(message.parts);
			if (from === "asker") return html`<li class="asked"><span class="who">${texts.you}</span><p>${words}</p></li>`;
			return html`<li class="said"><span class="who">${name}</span>${prose(words)}</li>`;
		});
		const again = thread.state === "working" || thread.state === "kept";
		return html`<main class="ask"><header><img class="face" src="${face}" width="56" height="56" alt=""><h1>${name}</h1></header>
${thread.earlier ? html`<p class="quietly">${texts.askEarlier}</p>` : ""}<ol class="thread">${lines}</ol>
<p class="stands">${texts.askStates[thread.state](name)}</p>${again ? html`<p><a class="quietly" href="${path}">${texts.lookAgain}</a></p>` : ""}
${askForm(path, texts.askMore, language, thread.seq)}
<section><h2>${texts.linkTitle}</h2><pre><a href="${path}">${link}</a></pre><p>${texts.linkLine} ${texts.linkDays(LINK_DAYS)}</p>
<form method="post" action="${path}/end"><button>${texts.linkEnd}</button></form></section></main>`;
	}

	app.get("/:at{@[^/]+}/ask", (c) => first(c, false));
	app.get("/:at{@[^/]+}/ask.md", (c) => first(c, true));
	const first = async (c: Context, isText: boolean): Promise<Response> => {
		const request = await read(c, c.req.param("at") ?? "", isText);
		if (request instanceof Response) return request;
		const { desk, language, text, browser, words } = request;
		const texts = TEXTS[language];
		if (words === undefined) {
			const { name, face } = desk.face;
			const address = `${config.publicUrl}/@${desk.row.handle}/ask?q=`;
			if (text) return c.body(`# ${texts.askTitle(name)}\n\n${address}…\n`, 200, textHeaders(c));
			const body = html`<main class="ask"><header><img class="face" src="${face}" width="56" height="56" alt=""><h1>${texts.askTitle(name)}</h1></header>${askForm(`/@${desk.row.handle}/ask`, texts.askSend, language)}</main>`;
			return c.html(await page({ language, css: parts.css, title: texts.askTitle(name), icon: face, body }), 200, pageHeaders());
		}
		parts.countQuestion(c, desk, words);
		const wait = browser ? { waitMs: 0 } : waiting(c, request);
		const { key, thread } = await engine.followUps.ask(desk, words, wait);
		if (browser) return redirect(linkOf(request, key));
		return await show(c, request, key, thread);
	};

	app.get("/:at{@[^/]+}/ask/:key", async (c) => {
		const key = c.req.param("key").replace(/\.md$/, "");
		const request = await read(c, c.req.param("at"), key !== c.req.param("key"));
		if (request instanceof Response) return request;
		const { desk, language, text, browser, words } = request;
		const texts = TEXTS[language];
		const gone = () => say(c, text, 404, texts.missing, texts.linkGone);
		if (words === undefined) {
			const thread = await engine.followUps.read(desk, key, waiting(c, request));
			return thread ? await show(c, request, key, thread) : await gone();
		}
		const n = Number(c.req.query("n") ?? Number.NaN);
		const seen = Number.isSafeInteger(n) && n >= 0 ? { seen: n } : {};
		parts.countQuestion(c, desk, `${key} ${n} ${words}`);
		const wait = browser ? { waitMs: 0 } : waiting(c, request);
		const thread = await engine.followUps.more(desk, key, words, { ...wait, ...seen });
		if (!thread) return await gone();
		return browser ? redirect(linkOf(request, key)) : await show(c, request, key, thread);
	});

	app.post("/:at{@[^/]+}/ask/:key/end", async (c) => {
		const desk = await parts.deskAt(c.req.param("at").slice(1));
		if (!desk) return await parts.refuse(c, 404, "missing");
		await engine.followUps.end(desk, c.req.param("key"));
		const texts = TEXTS[languageFor(c, desk)];
		return await say(c, prefersText(c.req.header("accept")), 200, texts.linkEnded, texts.linkEndedLine);
	});

	return app;
}

/** The box without a script: a form that opens an address. `seen`: the seq of the thread that it stands below. */
export const askForm = (action: string, button: string, language: Language, seen?: number): Html =>
	html`<form class="box" action="${action}" method="get">${seen === undefined ? "" : html`<input type="hidden" name="n" value="${seen}">`}<label for="q">${TEXTS[language].askBox}</label><textarea id="q" name="q" rows="3" maxlength="${LIMITS.askChars}" required></textarea><button class="go">${button}</button></form>`;

/** To the private link, which is told to nobody else. */
const redirect = (location: string): Response =>
	new Response(null, { status: 303, headers: { ...COMMON, ...NO_STORE, ...HIDDEN, location } });

/** A browser, or what stands between, looks ahead; nobody has asked anything yet. */
const isPrefetch = (c: Context): boolean =>
	["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) => /prefetch|prerender|preview/i.test(c.req.header(name) ?? ""));

/** Whether a query is what it says: bytes of another encoding would become marks that mean nothing. */
function isUtf8(search: string): boolean {
	try {
		decodeURIComponent(search.replaceAll("+", " "));
		return true;
	} catch {
		return false;
	}
}
