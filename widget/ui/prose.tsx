/**
 * Draws somebody's words: markdown as elements, each text a text node. Nothing is ever fetched for them: pictures are
 * links, and a link shows where it leads when its words do not.
 */
import type { ComponentChildren, JSX } from "preact";
import { Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Span } from "../../shared/inline.js";
import { says } from "../../shared/links.js";
import { type Block, parseMarkdown, plainWords } from "../../shared/markdown.js";
import { copyText } from "./copy.js";
import { directionOf } from "./direction.js";

/** What the button over a code block says. */
export interface ProseWords {
	copy: string;
	copied: string;
}

/** Words of an agent or a person, as markdown. */
export function Prose({ text, words }: { text: string; words: ProseWords }): JSX.Element {
	// The same element for the same words: a transcript is drawn anew with every word of an answer, its older lines are not.
	return useMemo(
		() => (
			<div class="prose">
				{parseMarkdown(text).map((block, i) => (
					<Fragment key={i}>{drawBlock(block, words, directionOf(plainWords([block])))}</Fragment>
				))}
			</div>
		),
		[text, words],
	);
}

const drawBlocks = (blocks: readonly Block[], words: ProseWords): JSX.Element[] =>
	blocks.map((block, i) => <Fragment key={i}>{drawBlock(block, words)}</Fragment>);

function drawBlock(block: Block, words: ProseWords, dir?: "rtl" | "ltr"): JSX.Element {
	switch (block.type) {
		case "paragraph":
			return <p dir={dir}>{drawSpans(block.spans)}</p>;
		case "heading":
			return (
				<p dir={dir} class="heading">
					{drawSpans(block.spans)}
				</p>
			);
		case "code":
			return <Code text={block.text} language={block.language} words={words} />;
		case "quote":
			return <blockquote dir={dir}>{drawBlocks(block.blocks, words)}</blockquote>;
		case "list": {
			const items = block.items.map((item, i) => <li key={i}>{drawBlocks(item, words)}</li>);
			return block.ordered ? (
				<ol dir={dir} start={block.start}>
					{items}
				</ol>
			) : (
				<ul dir={dir}>{items}</ul>
			);
		}
		case "table":
			return (
				// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keyboard.
				<div class="wide" dir={dir} tabIndex={0}>
					<table>
						<thead>
							<tr>
								{block.head.map((cell, i) => (
									<th key={i} scope="col" class={block.align[i]}>
										{drawSpans(cell)}
									</th>
								))}
							</tr>
						</thead>
						<tbody>
							{block.rows.map((row, i) => (
								<tr key={i}>
									{row.map((cell, j) => (
										<td key={j} class={block.align[j]}>
											{drawSpans(cell)}
										</td>
									))}
								</tr>
							))}
						</tbody>
					</table>
				</div>
			);
		case "rule":
			return <hr />;
	}
}

function drawSpans(spans: readonly Span[]): JSX.Element[] {
	const drawn: JSX.Element[] = [];
	for (let i = 0; i < spans.length; i++) {
		const { link } = spans[i] as Span;
		if (!link) {
			drawn.push(<Fragment key={i}>{drawSpan(spans[i] as Span)}</Fragment>);
			continue;
		}
		const inner: Span[] = [];
		const from = i;
		for (; spans[i]?.link === link; i++) inner.push(spans[i] as Span);
		i--;
		drawn.push(
			<a key={from} href={link.href} target="_blank" rel="noopener noreferrer nofollow ugc">
				{inner.map((span, j) => (
					<Fragment key={j}>{drawSpan(span)}</Fragment>
				))}
			</a>,
		);
		if (!says(inner.map((span) => span.text).join(""), link)) {
			drawn.push(
				<span key={`where ${from}`} class="where">
					{" "}
					{link.where}
				</span>,
			);
		}
	}
	return drawn;
}

function drawSpan(span: Span): ComponentChildren {
	if (span.break) return <br />;
	let drawn: ComponentChildren = span.text;
	if (span.code) drawn = <code>{drawn}</code>;
	if (span.strike) drawn = <del>{drawn}</del>;
	if (span.italic) drawn = <em>{drawn}</em>;
	if (span.bold) drawn = <strong>{drawn}</strong>;
	return drawn;
}

/** How long the button says that it has copied. */
const SAID_MS = 2_000;

function Code({ text, language, words }: { text: string; language: string; words: ProseWords }): JSX.Element {
	const [copied, setCopied] = useState(false);
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	useEffect(() => () => clearTimeout(timer.current), []);
	const copy = async (): Promise<void> => {
		if (!(await copyText(text))) return;
		setCopied(true);
		clearTimeout(timer.current);
		timer.current = setTimeout(() => setCopied(false), SAID_MS);
	};
	return (
		<div class="code" dir="ltr">
			<div class="code-head">
				<span>{language}</span>
				<button type="button" onClick={() => void copy()}>
					{copied ? words.copied : words.copy}
				</button>
				<span class="unseen" role="status">
					{copied && words.copied}
				</span>
			</div>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keyboard. */}
			<pre tabIndex={0}>
				<code>{text}</code>
			</pre>
		</div>
	);
}
