/** The pages of this server that people open themselves: its front page, a desk's person page, the chat as a page, a face (LINK-1). */
import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { tagLine } from "../../shared/embed.js";
import type { Desk } from "../engine/engine.js";
import { askForm, EXAMPLE } from "./ask.js";
import { CHECK } from "./check-texts.js";
import { languageFor, type SiteParts } from "./door.js";
import { bootOf, look } from "./embed.js";
import { drawFace } from "./face.js";
import { documentHeaders, isFresh, NO_STORE, OPEN, prefersText, SVG } from "./headers.js";
import { chatDocument, type Html, ICON_PATH, notice, page } from "./layout.js";
import { agentPage, examplePage } from "./pages-agents.js";
import { SNIPPET } from "./snippet-texts.js";
import { type Language, TEXTS } from "./texts.js";

/** A face changes only with the code that draws it. */
const FACE_CACHE = "public, max-age=3600, stale-while-revalidate=86400";

export function pages(parts: SiteParts): Hono {
	const { engine, config } = parts;
	const app = new Hono();
	const headers = { "cache-control": "no-cache", vary: "Accept, Accept-Language" };
	const alone = (chat: boolean) => documentHeaders(config.publicUrl, { ancestors: "'none'", chat });

	app.get("/", async (c) => {
		const language = languageFor(c);
		const texts = TEXTS[language];
		const desks = (await engine.desks()).filter((desk) => desk.settings.guests);
		const list = html`<ul class="desks">${desks.map(
			({ row, face }) =>
				html`<li><a class="desk" href="/@${row.handle}"><img class="face" src="${face.face}" width="56" height="56" alt=""><span><strong>${face.name}</strong><span class="state${face.online ? " on" : ""}">${face.online ? texts.online : texts.offline}</span>${face.about ? html`<p class="about">${face.about}</p>` : ""}</span></a></li>`,
		)}</ul>`;
		const tag = tagLine(config.publicUrl, { handle: desks[0]?.row.handle });
		const body = html`<main><h1>${texts.landing}</h1>${
			desks.length === 0
				? html`<p>${texts.nobody}</p><pre>npx earthonline owner create anna</pre>`
				: html`<p>${texts.landingLine}</p>${list}<h2>${texts.ownSite}</h2><p>${texts.ownSiteLine}</p><pre>${tag}</pre><p><a href="/snippet">${SNIPPET[language].title}</a> · <a href="/check">${CHECK[language].title}</a></p>`
		}</main>`;
		return c.html(await page({ language, css: parts.css, title: config.brandName, body, footer: footer() }), 200, {
			...alone(false),
			...headers,
		});
	});

	app.get("/:at{@[^/]+\\.md}", async (c) => {
		const handle = c.req.param("at").slice(1, -".md".length);
		const text = await agentText(c, handle);
		return text === undefined ? parts.refuse(c, 404, "missing") : text;
	});

	/** The page of a handle as Markdown; undefined where there is none. */
	async function agentText(c: Context, handle: string): Promise<Response | undefined> {
		const told = { ...OPEN, ...headers, "content-type": "text/markdown; charset=utf-8" };
		if (handle === EXAMPLE) return c.body(examplePage(TEXTS[languageFor(c)].exampleLine, config.publicUrl), 200, told);
		const desk = await parts.deskAt(handle);
		return desk && c.body(agentPage(desk, config.publicUrl, config.brandName), 200, told);
	}

	app.get("/:at{@[^/]+}", async (c) => {
		const handle = c.req.param("at").slice(1);
		if (prefersText(c.req.header("accept"))) return (await agentText(c, handle)) ?? (await parts.refuse(c, 404, "missing"));
		if (handle === EXAMPLE) return await example(c);
		const desk = await parts.deskAt(handle);
		if (!desk) return parts.refuse(c, 404, "missing");
		const language = languageFor(c, desk);
		const { name, face } = desk.face;
		const markdown = `/@${handle}.md`;
		const told = { ...documentHeaders(config.publicUrl, { ancestors: "'none'", chat: false, form: true }), ...headers };
		const body = personPage(desk, language);
		return c.html(await page({ language, css: parts.css, title: name, icon: face, markdown, body, footer: footer() }), 200, {
			...told,
			link: `<${markdown}>; rel="alternate"; type="text/markdown"`,
		});
	});

	/** Who it is, the way to a chat, a box that needs no script, and the ways for agents. */
	function personPage(desk: Desk, language: Language): Html {
		const texts = TEXTS[language];
		const { name, about, face, online, ownerName, suggestions } = desk.face;
		const { handle } = desk.row;
		const { guests, a2a } = desk.settings;
		// Whether it is online is of no use to whom it does not answer.
		const state = guests
			? html`<p class="state${online ? " on" : ""}">${online ? texts.online : texts.offline}</p>`
			: html`<p class="state">${texts.guestsOff}</p>`;
		const tries = html`<form class="tries" action="/@${handle}/ask" method="get"><p>${texts.askTry}</p>${suggestions.map((s) => html`<button name="q" value="${s}">${s}</button>`)}</form>`;
		const asking = html`<a class="go" href="/@${handle}/chat">${texts.start}</a><section class="here"><h2>${texts.askHere}</h2>${askForm(`/@${handle}/ask`, texts.askSend, language)}${suggestions.length > 0 ? tries : ""}</section>`;
		const at = `${config.publicUrl}/@${handle}`;
		return html`<main class="person"><img class="face" src="${face}" width="112" height="112" alt=""><h1>${name}</h1>${ownerName === name ? "" : html`<p>${texts.askedBy(ownerName ?? "")}</p>`}${state}${about ? html`<p class="about">${about}</p>` : ""}${
			guests ? asking : html`<p>${texts.guestsOffLine(name)}</p>`
		}<section class="agents"><h2>${texts.forAgents}</h2>${a2a ? html`<p>${texts.agentsLine}</p><pre>${config.publicUrl}/a2a/${handle}</pre>` : ""}${guests ? html`<p>${texts.askLink}</p><pre>${at}/ask?q=…</pre>` : ""}<p class="ways"><a href="/@${handle}.md">${texts.forAgentsPage}</a>${a2a ? html`<a href="/a2a/${handle}/.well-known/agent-card.json">${texts.agentCard}</a>` : ""}<a href="/docs/agents">${texts.guide}</a></p></section></main>`;
	}

	/** The handle that the guide uses: nobody is there, and the page says so. */
	async function example(c: Context): Promise<Response> {
		const language = languageFor(c);
		const texts = TEXTS[language];
		const body = html`<main class="quiet"><h1>${texts.example}</h1><p>${texts.exampleLine}</p><p><a href="/docs/agents">${texts.guide}</a></p></main>`;
		return c.html(await page({ language, css: parts.css, title: texts.example, hidden: true, body }), 200, { ...alone(false), ...headers });
	}

	app.get("/:at{@[^/]+}/chat", async (c) => {
		if (c.req.param("at") === `@${EXAMPLE}`) return await example(c);
		const desk = await parts.deskAt(c.req.param("at").slice(1));
		if (!desk) return parts.refuse(c, 404, "missing");
		const language = languageFor(c, desk);
		const texts = TEXTS[language];
		const { theme } = look(c);
		const say = async (status: 403 | 503, title: string, line: string) =>
			c.html(await notice({ language, css: parts.css, theme, title, line, home: true }), status, { ...alone(false), ...NO_STORE });
		if (!desk.settings.guests) return say(403, texts.guestsOff, texts.guestsOffLine(desk.face.name));
		if (!parts.chat) return say(503, texts.busy, texts.notBuilt);
		const boot = { ...bootOf(c, desk, config.brandName), ticket: engine.embed.issueTicket(desk, null), mode: "page" as const };
		return c.html(await chatDocument({ language, title: texts.chatWith(desk.face.name), ...parts.chat, boot }), 200, {
			...alone(true),
			...NO_STORE,
		});
	});

	const answerFace = (c: Context, handle: string): Response => {
		const svg = drawFace(handle);
		const etag = `"${createHash("sha256").update(svg).digest("base64url").slice(0, 22)}"`;
		const all = { ...SVG, "cache-control": FACE_CACHE, etag };
		return isFresh(c.req.header("if-none-match"), etag) ? c.body(null, 304, all) : c.body(svg, 200, all);
	};
	app.get("/:at{@[^/]+}/face.svg", async (c) => {
		const desk = await parts.deskAt(c.req.param("at").slice(1));
		return desk ? answerFace(c, desk.row.handle) : c.text("There is no desk of that name.", 404, NO_STORE);
	});
	app.get(ICON_PATH, (c) => answerFace(c, "front desk"));

	const footer = () => html`<footer>${config.brandName}</footer>`;
	return app;
}
