/**
 * The guide's Markdown as HTML; what people and desks say is read by `prose.ts`. marked's Lexer finds the parts; every element is made here,
 * through `hono/html`, which escapes whatever somebody wrote. HTML in the text stays text, pictures become their words, and a
 * link goes only where `link` lets it. marked is loaded when the first text is asked for.
 */
import { html } from "hono/html";
import type { MarkedToken, Token, Tokens } from "marked";
import type { Html } from "./layout.js";

export interface MarkdownOptions {
	/** Where a link goes, or undefined for one that is not made. */
	link(href: string): string | undefined;
	/** Headings have an id that a link can name. */
	ids: boolean;
	/** Level of a text's own first heading: 1 stays 1. */
	top: 1 | 2;
}

/** Depth at which a text that was made to be deep is cut off. */
const DEPTH = 40;

export async function markdown(text: string, options: MarkdownOptions): Promise<Html> {
	const { Lexer } = await import("marked");
	return blocks(new Lexer({ gfm: true }).lex(text), options, 0);
}

/** The id of a heading: its words, small, joined by hyphens. */
export const slugOf = (text: string): string =>
	text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, "")
		.trim()
		.replace(/\s+/g, "-");

const blocks = (tokens: readonly Token[], options: MarkdownOptions, depth: number): Html =>
	html`${tokens.map((token) => block(token as MarkedToken, options, depth + 1))}`;

function block(token: MarkedToken, options: MarkdownOptions, depth: number): Html | string {
	if (depth > DEPTH) return token.raw;
	switch (token.type) {
		case "heading":
			return heading(token, options, depth);
		case "paragraph":
			return html`<p>${spans(token.tokens, options, depth)}</p>`;
		case "text":
			// Of a list without empty lines between.
			return token.tokens ? spans(token.tokens, options, depth) : token.text;
		case "list": {
			const items = token.items.map((item) => html`<li>${blocks(item.tokens, options, depth)}</li>`);
			if (!token.ordered) return html`<ul class="plain">${items}</ul>`;
			return html`<ol start="${Number(token.start) || 1}">${items}</ol>`;
		}
		case "code":
			return html`<pre><code>${token.text}</code></pre>`;
		case "blockquote":
			return html`<blockquote>${blocks(token.tokens, options, depth)}</blockquote>`;
		case "table":
			return table(token, options, depth);
		case "hr":
			return html`<hr>`;
		case "html":
			return token.raw.trim() === "" ? "" : html`<p>${token.raw}</p>`;
		case "space":
		case "def":
			return "";
		default:
			return span(token, options, depth);
	}
}

function heading(token: Tokens.Heading, options: MarkdownOptions, depth: number): Html {
	const words = spans(token.tokens, options, depth);
	const id = options.ids ? html` id="${slugOf(token.text)}"` : "";
	switch (Math.min(4, token.depth + options.top - 1)) {
		case 1:
			return html`<h1${id}>${words}</h1>`;
		case 2:
			return html`<h2${id}>${words}</h2>`;
		case 3:
			return html`<h3${id}>${words}</h3>`;
		default:
			return html`<h4${id}>${words}</h4>`;
	}
}

function table(token: Tokens.Table, options: MarkdownOptions, depth: number): Html {
	const row = (cells: readonly Tokens.TableCell[], head: boolean): Html =>
		html`<tr>${cells.map((cell) => {
			const words = spans(cell.tokens, options, depth);
			return head ? html`<th scope="col">${words}</th>` : html`<td>${words}</td>`;
		})}</tr>`;
	// A table wider than a phone is moved within its own box, also by keyboard.
	return html`<div class="table" tabindex="0" role="region" aria-label="${token.header.map(({ text }) => text).join(", ")}"><table><thead>${row(token.header, true)}</thead><tbody>${token.rows.map((cells) => row(cells, false))}</tbody></table></div>`;
}

const spans = (tokens: readonly Token[], options: MarkdownOptions, depth: number): Html =>
	html`${tokens.map((token) => span(token as MarkedToken, options, depth + 1))}`;

function span(token: MarkedToken, options: MarkdownOptions, depth: number): Html | string {
	if (depth > DEPTH) return token.raw;
	switch (token.type) {
		case "text":
			return token.tokens ? spans(token.tokens, options, depth) : plain(token);
		case "escape":
			return token.text;
		case "strong":
			return html`<strong>${spans(token.tokens, options, depth)}</strong>`;
		case "em":
			return html`<em>${spans(token.tokens, options, depth)}</em>`;
		case "del":
			return html`<del>${spans(token.tokens, options, depth)}</del>`;
		case "codespan":
			return html`<code>${token.text}</code>`;
		case "br":
			return html`<br>`;
		case "link": {
			const href = options.link(token.href);
			const words = spans(token.tokens, options, depth);
			return href === undefined
				? words
				: html`<a href="${href}"${/^[/#]/.test(href) ? "" : html` rel="noopener noreferrer nofollow ugc"`}>${words}</a>`;
		}
		case "image":
			return token.text;
		default:
			return token.raw;
	}
}

const plain = (token: Tokens.Text | Tokens.Tag): string => token.text;
