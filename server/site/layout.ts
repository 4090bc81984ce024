/**
 * The documents of this door as HTML text: the shell of every page, the one page for whatever cannot be shown, and the
 * document that the chat runs in. Everything that somebody wrote is escaped by `hono/html`; the boot JSON by `bootJson`.
 */
import { html, raw } from "hono/html";
import type { FrameBoot, Theme } from "../../shared/embed.js";
import { type Language, TEXTS } from "./texts.js";

export type Html = ReturnType<typeof html>;

/** Address of the style sheet, with its version. */
export const SITE_CSS_PATH = "/site.css";

/** The small picture of pages that are nobody's. */
export const ICON_PATH = "/icon.svg";

/** A whole page. `theme`: what the page around a frame looks like; elsewhere the visitor's system decides. */
export const page = (options: {
	language: Language;
	title: string;
	css: string;
	theme?: Theme;
	icon?: string;
	/** Address of the same in Markdown, for agents. */
	markdown?: string;
	/** Whose address is nobody else's business: search engines keep out. */
	hidden?: boolean;
	body: Html;
	footer?: Html;
}): Html => html`<!doctype html>
<html lang="${options.language}" data-theme="${options.theme ?? "auto"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${options.theme === "dark" || options.theme === "light" ? options.theme : "light dark"}">
<title>${options.title}</title>
<link rel="icon" href="${options.icon ?? ICON_PATH}">
<link rel="stylesheet" href="${options.css}">
${options.markdown ? html`<link rel="alternate" type="text/markdown" href="${options.markdown}">` : ""}${options.hidden ? html`<meta name="robots" content="noindex, nofollow">` : ""}
</head>
<body>${options.body}${options.footer ?? ""}</body>
</html>
`;

/** One sentence and what to do next: for errors, and for frames that may not show the chat. */
export const notice = (options: {
	language: Language;
	css: string;
	title: string;
	line: string;
	theme?: Theme;
	bare?: boolean;
	home?: boolean;
}): Html =>
	page({
		...options,
		body: html`<main class="quiet${options.bare ? " bare" : ""}"><h1>${options.title}</h1><p>${options.line}</p>${options.home ? html`<p><a href="/">${TEXTS[options.language].home}</a></p>` : ""}</main>`,
	});

/** JSON that can stand inside a script element: nothing in it can end the element or begin a comment. */
export const bootJson = (boot: FrameBoot): string =>
	JSON.stringify(boot).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * The document of the chat, framed or by itself. What stands in `#app` is for a frame that is sandboxed by its site: script and style are
 * refused there, since such a frame has no origin (reliability.md F11); anywhere else the style hides it and the chat
 * replaces it.
 */
export const chatDocument = (options: {
	language: Language;
	title: string;
	script: string;
	style: string | undefined;
	boot: FrameBoot;
}): Html => {
	const { theme } = options.boot;
	const texts = TEXTS[options.language];
	return html`<!doctype html>
<html lang="${options.language}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="${theme === "auto" ? "light dark" : theme}">
<title>${options.title}</title>
<link rel="icon" href="${options.boot.face ?? ICON_PATH}">
${options.style ? html`<link rel="stylesheet" href="${options.style}">` : ""}
<script type="application/json" id="boot">${raw(bootJson(options.boot))}</script>
<script type="module" src="${options.script}"></script>
</head>
<body><div id="app"><p class="not-started">${texts.notStarted} <a href="/@${options.boot.handle}/chat" target="_blank" rel="noopener">${texts.openTab}</a></p></div><noscript>${texts.needsScript}</noscript></body>
</html>
`;
};
