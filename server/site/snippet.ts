/**
 * The page that makes a line: choose, see the real chat, copy. It is a form that works without script and the guide to the
 * attributes at once. The preview is a page of our own in a frame of its own, so that a choice is tried as a site would have
 * it; nothing is written, and nothing is shown that the desk's own pages do not show.
 */
import { type Context, Hono } from "hono";
import { html, raw } from "hono/html";
import type { Desk } from "../engine/engine.js";
import { languageFor, type SiteParts } from "./door.js";
import { COMMON, documentHeaders, NO_STORE } from "./headers.js";
import { page } from "./layout.js";
import { badgesOf, type Choice, embedCommand, lineOf, managedLineOf, queryOf, readChoice, type WrongField } from "./snippet-line.js";
import { SNIPPET_SCRIPT } from "./snippet-script.js";
import { SNIPPET } from "./snippet-texts.js";
import type { Language } from "./texts.js";

type Html = ReturnType<typeof html>;

/** What a page of ours that shows the chat needs of its policy. */
const SHOWS_CHAT = [
	"script-src 'self'",
	"connect-src 'self'",
	"frame-src 'self'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
];

export function snippet(parts: SiteParts): Hono {
	const { engine, config } = parts;
	const app = new Hono();

	/** A desk that shows its chat to strangers; the first there is where the address does not speak of one. */
	const deskFor = async (c: Context): Promise<Desk | undefined> => {
		const named = c.req.query("handle") !== undefined;
		const desk = named ? await parts.deskAt(handleOf(c)) : (await engine.desks()).find(({ settings }) => settings.guests);
		return desk?.settings.guests ? desk : undefined;
	};

	/** Why there is no desk: said beside the field, in the place of a line. */
	const missingOf = (c: Context): string => {
		const texts = SNIPPET[languageFor(c)];
		return handleOf(c) === "" ? texts.noHandle : texts.noDesk(handleOf(c));
	};

	/** What the fields say of a desk. A number stands for the mode that is kept at the desk; one that is not there is wrong. */
	const choiceFor = async (desk: Desk | undefined, fields: Record<string, string>) => {
		const { choice, wrong, typed } = readChoice(fields);
		if (desk) choice.handle = desk.row.handle;
		const answer = desk && choice.embed ? await engine.embed.check(desk, null, choice.embed) : undefined;
		if (answer?.show && answer.embed) choice.mode = answer.embed.mode;
		else if (choice.embed) {
			choice.embed = "";
			wrong.push("embed");
		}
		return { choice, wrong, typed };
	};

	/** Everything that changes with a choice. */
	const resultOf = (language: Language, choice: Choice, wrong: WrongField[]) => {
		// What is read in the place of the badge is in the badge's language.
		const badges = badgesOf(config.publicUrl, choice, SNIPPET[choice.lang || "en"].alt);
		const check = new URLSearchParams({ handle: choice.handle, ...(choice.embed ? { embed: choice.embed } : {}), lang: language });
		return {
			texts: {
				line: lineOf(config.publicUrl, choice),
				managed: managedLineOf(config.publicUrl, choice),
				keep: embedCommand(choice),
				markdown: badges.markdown,
				html: badges.html,
				mail: badges.mail,
				link: badges.link,
			},
			check: `/check?${check}`,
			picture: badges.picture,
			height: badges.height,
			preview: `/snippet/preview?${queryOf(choice)}`,
			mode: choice.mode,
			numbered: choice.embed !== "",
			view: choice.view,
			wrong,
		};
	};

	app.get("/snippet", async (c) => {
		const language = languageFor(c);
		const texts = SNIPPET[language];
		const desk = await deskFor(c);
		const { choice, wrong, typed } = await choiceFor(desk, c.req.query());
		const named = c.req.query("handle") !== undefined;
		const result = resultOf(language, choice, wrong);
		const body = html`<main class="tool wide">
<header class="tool-head"><h1>${texts.title}</h1><a id="other" href="${named || desk ? otherOf(language, choice) : `/snippet?lang=${otherLanguage(language)}`}" lang="${otherLanguage(language)}">${texts.other}</a></header>
<p class="tool-lead">${texts.lead}</p>
<div class="maker">
${formOf(language, choice, wrong, typed, !desk && named ? missingOf(c) : "")}
${desk ? shown(language, result) : named ? "" : html`<section><p>${texts.nobody}</p></section>`}
</div>
${desk ? rest(language, result, choice) : ""}
</main>${desk ? html`<script src="/snippet.js" type="module"></script>` : ""}`;
		return c.html(
			await page({
				language,
				css: parts.css,
				title: `${texts.title} · ${config.brandName}`,
				body,
				footer: html`<footer>${config.brandName}</footer>`,
			}),
			200,
			{ ...documentHeaders(config.publicUrl, { ancestors: "'none'", chat: false, form: true, also: SHOWS_CHAT }), ...NO_STORE },
		);
	});

	app.get("/snippet.json", async (c) => {
		const desk = await deskFor(c);
		if (!desk) return c.json({ error: { code: "missing", message: missingOf(c) } }, 404, { ...COMMON, ...NO_STORE });
		const { choice, wrong } = await choiceFor(desk, c.req.query());
		return c.json(resultOf(languageFor(c), choice, wrong), 200, { ...COMMON, ...NO_STORE });
	});

	app.get("/snippet.js", (c) =>
		c.body(SNIPPET_SCRIPT, 200, { ...COMMON, "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" }),
	);

	app.get("/snippet/preview", async (c) => {
		const desk = await deskFor(c);
		if (!desk) return parts.refuse(c, 404, "missing");
		const { choice } = await choiceFor(desk, c.req.query());
		const language = languageFor(c, desk);
		return c.html(
			await page({ language, css: parts.css, theme: choice.page, title: SNIPPET[language].preview, body: previewOf(choice) }),
			200,
			{
				...documentHeaders(config.publicUrl, { ancestors: "'self'", chat: false, also: SHOWS_CHAT }),
				...NO_STORE,
			},
		);
	});

	return app;
}

const otherLanguage = (language: Language): Language => (language === "en" ? "zh" : "en");

/** The page as it is, in the other language. */
const otherOf = (language: Language, choice: Choice): string => `/snippet?${queryOf(choice)}&lang=${otherLanguage(language)}`;

const handleOf = (c: Context): string => readChoice(c.req.query()).choice.handle;

/** A page that could be anybody's, with the line where it was chosen to be. */
function previewOf(choice: Choice): Html {
	// The line itself at work: `tagLine` has escaped what was typed.
	const tag = raw(lineOf("", choice));
	const own =
		choice.mode === "button" && choice.selector
			? html`<button type="button" id="${choice.selector.slice(1)}">${choice.selector}</button>`
			: "";
	return html`<main class="preview-page"><span class="bone title"></span><span class="bone"></span><span class="bone short"></span><div class="place">${own}${tag}</div><span class="bone"></span><span class="bone"></span><span class="bone short"></span></main>`;
}

/** The form. Groups that a mode has no use for are hidden, and still sent, so that going back and forth loses nothing. */
function formOf(language: Language, choice: Choice, wrong: WrongField[], typed: Record<string, string>, missing: string): Html {
	const texts = SNIPPET[language];
	const text = (
		name: WrongField,
		words: { label: string; hint: string },
		more: { numeric?: boolean; placeholder?: string; max?: number } = {},
	) =>
		html`<div class="field"><label for="${name}">${words.label}</label><input id="${name}" name="${name}" value="${typed[name] ?? ""}" data-wrong aria-invalid="${String(wrong.includes(name))}" aria-describedby="${name}-wrong ${name}-hint" autocomplete="off" spellcheck="false" autocapitalize="none" maxlength="${more.max ?? 64}"${more.numeric ? html` inputmode="numeric"` : ""}${more.placeholder ? html` placeholder="${more.placeholder}"` : ""}><p class="hint wrong" id="${name}-wrong"${wrong.includes(name) ? "" : html` hidden`}>${texts.wrong[name]}</p><p class="hint" id="${name}-hint">${words.hint}</p></div>`;
	const select = (name: string, words: { label: string; hint: string }, options: Record<string, string>, value: string) =>
		html`<div class="field"><label for="${name}">${words.label}</label><select id="${name}" name="${name}"${words.hint ? html` aria-describedby="${name}-hint"` : ""}>${Object.entries(
			options,
		).map(
			([key, label]) => html`<option value="${key}"${key === value ? html` selected` : ""}>${label}</option>`,
		)}</select>${words.hint ? html`<p class="hint" id="${name}-hint">${words.hint}</p>` : ""}</div>`;
	const only = (modes: string, inside: Html) =>
		html`<div data-for="${modes}"${modes.split(" ").includes(choice.mode) ? "" : html` hidden`}>${inside}</div>`;
	return html`<form id="choice" class="fields" action="/snippet" method="get" novalidate data-copy="${texts.copy}" data-copied="${texts.copied}" data-failed="${texts.failed}">
<input type="hidden" name="lang" value="${language}">
<div class="field"><label for="handle">${texts.handle.label}</label><input id="handle" name="handle" value="${choice.handle}" aria-invalid="${String(missing !== "")}" aria-describedby="handle-wrong handle-hint" autocomplete="off" spellcheck="false" autocapitalize="none" maxlength="33"><p class="hint wrong" id="handle-wrong" role="status"${missing === "" ? html` hidden` : ""}>${missing}</p><p class="hint" id="handle-hint">${texts.handle.hint}</p></div>
<fieldset id="look"${choice.embed ? html` disabled` : ""}>
${select("mode", texts.mode, texts.modes, choice.mode)}
<div class="pair">${select("theme", texts.theme, texts.themes, choice.theme)}${text("accent", texts.accent, { placeholder: "#a8532b", max: 7 })}</div>
${only("floating pet", html`<div class="field"><label class="tick"><input type="checkbox" name="greeting" value="on"${choice.greeting ? html` checked` : ""} aria-describedby="greeting-hint"> ${texts.greeting.label}</label><p class="hint" id="greeting-hint">${texts.greeting.hint}</p></div>${text("greeting_text", texts.greetingText, { max: 400 })}`)}
</fieldset>
${only("button", text("selector", texts.selector, { placeholder: "#ask" }))}
${only("inline", text("height", texts.height, { numeric: true, placeholder: "600" }))}
<div class="pair">${select("size", texts.size, texts.sizes, choice.size)}${select("chat_lang", texts.lang, texts.langs, choice.lang)}</div>
<details${choice.embed || choice.z || wrong.includes("embed") || wrong.includes("z") ? html` open` : ""}><summary>${texts.more}</summary><div class="fields">${text("embed", texts.embed, { numeric: true, max: 9 })}${text("z", texts.z, { max: 11 })}</div></details>
<div class="pair">${select("view", { label: texts.view, hint: "" }, texts.views, choice.view)}${select("page", { label: texts.page, hint: "" }, texts.pages, choice.page)}</div>
<p class="hint wrong" id="failed" role="status" hidden></p>
<button class="go" id="show" type="submit">${texts.show}</button>
</form>`;
}

interface Result {
	texts: Record<"line" | "managed" | "keep" | "markdown" | "html" | "mail" | "link", string>;
	/** Address of the page that looks whether it shows. */
	check: string;
	picture: string;
	height: number;
	preview: string;
	view: string;
}

/** The line and the chat itself. */
function shown(language: Language, result: Result): Html {
	const texts = SNIPPET[language];
	return html`<div class="shown" data-made>
<section aria-labelledby="line-title"><h2 id="line-title">${texts.line}</h2><p>${texts.lineHow}</p><pre id="line">${result.texts.line}</pre></section>
<section aria-labelledby="preview-title"><h2 id="preview-title">${texts.preview}</h2><p>${texts.previewHow}</p><div id="screen" class="screen ${result.view}"><iframe id="preview" title="${texts.preview}" src="${result.preview}"></iframe></div></section>
</div>`;
}

/** Badges, the number, and where to paste. */
function rest(language: Language, result: Result, choice: Choice): Html {
	const texts = SNIPPET[language];
	const block = (id: "markdown" | "html" | "mail" | "link") =>
		html`<div><h3>${texts.badges[id]}</h3><pre id="${id}">${result.texts[id]}</pre></div>`;
	return html`<div data-made><section><h2>${texts.where}</h2><p>${texts.whereHow}</p>
<table>${texts.places.map(([name, how, other]) => html`<tr><th scope="row">${name}</th><td>${how}${other ? html`<pre id="${other}">${result.texts[other]}</pre>` : ""}</td></tr>`)}</table>
<p>${texts.ask}</p><p><a id="check" href="${result.check}">${texts.check}</a></p></section>
<section><h2>${texts.badge}</h2><p>${texts.badgeHow}</p><p class="badge"><a href="${result.texts.link}"><img id="badge" src="${result.picture}" alt="${SNIPPET[choice.lang || "en"].alt}" height="${result.height}"></a></p>
<div class="badges">${block("markdown")}${block("html")}${block("mail")}${block("link")}</div></section>
<section><h2>${texts.keep}</h2><p>${texts.keepHow}</p><pre id="keep">${result.texts.keep}</pre></section></div>`;
}
