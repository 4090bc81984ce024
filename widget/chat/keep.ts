/** A conversation as a file to keep: Markdown, made here from the log. */
import type { LoggedMessage } from "../../shared/channel.js";

export interface KeepParts {
	messages: readonly LoggedMessage[];
	/** First line. */
	title: string;
	/** Said below it: that this is not all. */
	note?: string;
	/** Who said it. */
	author(logged: LoggedMessage): string;
	/** Day and time of a message. */
	when(at: number): string;
}

/** What begins a block where it begins a line: a list, the line below a heading, a code block by its four columns. */
const LIST = /^([ \t]*)([-+=])/gm;
const NUMBERED = /^([ \t]*\d{1,9})([.)])(?=\s|$)/gm;
const INDENT = /^(?: {4,}| {0,3}\t)[ \t]*/gm;

/** Words as they are, whatever they would mean as Markdown, at the beginning of a line or within one: the visitor wrote them. */
const plain = (text: string): string =>
	text
		.replace(/[\\`*_[\]<>#|~&]|!(?=\[)/g, "\\$&")
		.replace(LIST, "$1\\$2")
		.replace(NUMBERED, "$1\\$2")
		// Non-breaking spaces look the same and begin no block.
		.replace(INDENT, (spaces) => spaces.replaceAll("\t", "    ").replaceAll(" ", "\u00a0"));

/** Words that stand within a line: a name has no lines. */
const inline = (text: string): string => plain(text.replace(/\s+/g, " ").trim());

/** The whole text. The desk's words are Markdown already and stay as they are. */
export function markdownOf({ messages, title, note, author, when }: KeepParts): string {
	const parts = [`# ${inline(title)}\n`, ...(note === undefined ? [] : [`${plain(note)}\n`])];
	for (const logged of messages) {
		const { message } = logged;
		const own = message.role === "ROLE_USER";
		const said = message.parts.map((part) => {
			if (part.text !== undefined) return own ? plain(part.text) : part.text;
			if (part.url !== undefined)
				return `\n[${inline(part.filename ?? part.url)}](<${part.url.replace(/[<>\\\s]/g, encodeURIComponent)}>)\n`;
			if (part.data !== undefined) return `\n~~~~json\n${JSON.stringify(part.data, null, 2)}\n~~~~\n`;
			return `\n${inline(part.filename ?? "")}\n`;
		});
		parts.push(`---\n\n**${inline(author(logged))}**, ${when(logged.at)}\n\n${said.join("").trim()}\n`);
	}
	return parts.join("\n");
}

/** Gives it to the browser as a download. */
export function save(text: string, name: string): void {
	const address = URL.createObjectURL(new Blob([text], { type: "text/markdown;charset=utf-8" }));
	const anchor = document.createElement("a");
	anchor.href = address;
	anchor.download = name;
	anchor.click();
	setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
