/**
 * What somebody said, on a page without a script: the same reading of markdown as in the chat (`shared/markdown.ts`), drawn as
 * elements through `hono/html`, which escapes every word. Nothing is ever fetched for it: pictures are links, and a link says where
 * it leads when its words do not.
 */
import { html } from "hono/html";
import type { Span } from "../../shared/inline.js";
import { type Link, says } from "../../shared/links.js";
import { type Block, parseMarkdown } from "../../shared/markdown.js";
import type { Html } from "./layout.js";

/** Words of a desk or a person as elements. Linear in its input, whatever it is. */
export const prose = (text: string): Html => blocks(parseMarkdown(text));

const blocks = (all: readonly Block[]): Html => html`${all.map(drawBlock)}`;

function drawBlock(block: Block): Html {
	switch (block.type) {
		case "paragraph":
			return html`<p dir="auto">${spans(block.spans)}</p>`;
		case "heading":
			return html`<p dir="auto"><strong>${spans(block.spans)}</strong></p>`;
		case "code":
			return html`<pre dir="ltr"><code>${block.text}</code></pre>`;
		case "quote":
			return html`<blockquote>${blocks(block.blocks)}</blockquote>`;
		case "list": {
			const items = block.items.map((item) => html`<li>${blocks(item)}</li>`);
			return block.ordered ? html`<ol start="${block.start}">${items}</ol>` : html`<ul>${items}</ul>`;
		}
		case "table": {
			const head = block.head.map((cell) => html`<th scope="col">${spans(cell)}</th>`);
			const rows = block.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${spans(cell)}</td>`)}</tr>`);
			// A table wider than a phone is moved within its own box, also by keyboard.
			return html`<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
		}
		case "rule":
			return html`<hr>`;
	}
}

/** Spans of one link stand in one anchor. */
function spans(all: readonly Span[]): Html {
	const drawn: Html[] = [];
	for (let i = 0; i < all.length; ) {
		const { link } = all[i] as Span;
		const from = i;
		while (i < all.length && all[i]?.link === link) i++;
		const words = all.slice(from, i);
		drawn.push(link ? anchor(link, words) : html`${words.map(span)}`);
	}
	return html`${drawn}`;
}

function anchor(link: Link, words: readonly Span[]): Html {
	const where = says(words.map(({ text }) => text).join(""), link) ? "" : html` <span class="where">${link.where}</span>`;
	return html`<a href="${link.href}" rel="noopener noreferrer nofollow ugc">${words.map(span)}</a>${where}`;
}

function span({ text, break: isBreak, code, strike, italic, bold }: Span): Html {
	if (isBreak) return html`<br>`;
	let drawn = html`${text}`;
	if (code) drawn = html`<code>${drawn}</code>`;
	if (strike) drawn = html`<del>${drawn}</del>`;
	if (italic) drawn = html`<em>${drawn}</em>`;
	return bold ? html`<strong>${drawn}</strong>` : drawn;
}
