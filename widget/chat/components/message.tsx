/** Lines of the transcript: words of the desk's side as plain text beside a face, the visitor's in a bubble with how far they have come. */
import type { ComponentChildren, JSX } from "preact";
import type { Message, Part } from "../../../shared/a2a.schema.js";
import { safeLink } from "../../../shared/links.js";
import { directionOf } from "../../ui/direction.js";
import { Icon } from "../../ui/icons.js";
import { Prose } from "../../ui/prose.js";
import type { Words } from "../i18n.js";
import type { Outgoing } from "../outbox.js";
import { type Author, nameOf } from "../rows.js";
import { Face, Initial } from "./face.js";

/** What all lines of one transcript have in common. */
export interface Scene {
	words: Words;
	/** Of the desk. */
	name: string;
	face?: string;
	/** Say who speaks also to those who see the face: a person has spoken here. */
	named: boolean;
}

/** A line of the desk's side. `first` of several bears the face. */
export function DeskLine({
	scene,
	author,
	first,
	children,
}: {
	scene: Scene;
	author: Author;
	first: boolean;
	children: ComponentChildren;
}): JSX.Element {
	const { name, face, named } = scene;
	const who = nameOf(author, name);
	return (
		<div class={first ? "line first" : "line"}>
			{first && (author.side === "person" ? <Initial name={who} /> : <Face src={face} name={name} size={28} />)}
			<div class="said">
				{first && (
					<p class={named ? "by" : "unseen"} dir="auto">
						{who}
						{named && author.side === "desk" && <span class="role">{scene.words.agent}</span>}
					</p>
				)}
				{children}
			</div>
		</div>
	);
}

/** A picture that this server holds, and nobody else: only those are drawn. */
export const isOurs = (part: Part): boolean =>
	part.url !== undefined &&
	/^image\/(?:png|jpeg|webp)$/.test(part.mediaType ?? "") &&
	part.url.startsWith(`${location.origin}/f/`) &&
	/\/f\/[\w-]{32}$/.test(part.url);

/** Pictures among the parts of a message, each a link to itself. */
function Pictures({ parts, words }: { parts: readonly Part[]; words: Words }): JSX.Element | null {
	const pictures = parts.filter(isOurs);
	if (pictures.length === 0) return null;
	return (
		<div class="pictures">
			{pictures.map(({ url, filename }) => (
				<a key={url} href={url} target="_blank" rel="noopener" download>
					<img src={url} alt={filename || words.picture} loading="lazy" decoding="async" />
				</a>
			))}
		</div>
	);
}

export interface OwnLineProps {
	words: Words;
	/** What it is made of: words, pictures, and what is named for what it is. */
	parts: readonly Part[];
	first: boolean;
	reactions?: readonly string[];
	/** How far it has come. */
	under?: ComponentChildren;
}

/** A line of the visitor's. */
export function OwnLine({ words, parts, first, reactions, under }: OwnLineProps): JSX.Element {
	const text = parts
		.filter((part) => !isOurs(part))
		.map((part) => part.text ?? part.filename ?? part.url ?? words.file)
		.join("\n");
	return (
		<div class={first ? "line own first" : "line own"}>
			<p class="unseen">{words.you}</p>
			<Pictures parts={parts} words={words} />
			{text !== "" && (
				<p class="bubble" dir={directionOf(text)}>
					{text}
				</p>
			)}
			{reactions && reactions.length > 0 && <p class="reactions">{reactions.join(" ")}</p>}
			{under}
		</div>
	);
}

export interface OnItsWayProps {
	words: Words;
	outgoing: Outgoing;
	/** There is no connection: it waits for one. */
	offline: boolean;
	onRetry(): void;
	onDiscard(): void;
}

/** How far a message has come that is not in the log yet, and what can be done about one that was refused. */
export function OnItsWay({ words, outgoing, offline, onRetry, onDiscard }: OnItsWayProps): JSX.Element {
	const { state, problem = "trouble" } = outgoing;
	if (state !== "failed") return <p class="under">{state === "sent" ? words.sent : offline ? words.waiting : words.sending}</p>;
	return (
		<p class="under failed" role="status">
			<span>{words.problems[problem]}</span>
			<button type="button" onClick={onRetry}>
				{words.retry}
			</button>
			<button type="button" onClick={onDiscard}>
				{words.discard}
			</button>
		</p>
	);
}

/** Everything a message says: words as markdown, data as it is, and what is elsewhere or enclosed as something to open. */
export function Parts({ message, words }: { message: Message; words: Words }): JSX.Element {
	const drawn: JSX.Element[] = [];
	let said = "";
	const flush = (): void => {
		if (said !== "") drawn.push(<Prose key={drawn.length} text={said} words={words} />);
		said = "";
	};
	for (const part of message.parts) {
		if (part.text !== undefined) {
			said += part.text;
			continue;
		}
		flush();
		if (isOurs(part)) drawn.push(<Pictures key={drawn.length} parts={[part]} words={words} />);
		else if (part.data !== undefined)
			drawn.push(<Prose key={drawn.length} text={`~~~~json\n${JSON.stringify(part.data, null, 2)}\n~~~~`} words={words} />);
		else drawn.push(<Enclosed key={drawn.length} part={part} words={words} />);
	}
	flush();
	return <>{drawn}</>;
}

/** Larger ones are not made into a file here. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

function Enclosed({ part, words }: { part: Part; words: Words }): JSX.Element {
	const link = part.url === undefined ? undefined : safeLink(part.url);
	const name = part.filename || (link ? link.where : words.file);
	const save = (): void => {
		const bytes = Uint8Array.from(atob(part.raw ?? ""), (char) => char.charCodeAt(0));
		// Never under its own type: opened in the browser it would be a page of ours.
		const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
		const anchor = document.createElement("a");
		anchor.href = address;
		anchor.download = name;
		anchor.click();
		setTimeout(() => URL.revokeObjectURL(address), 1_000);
	};
	const inner = (
		<>
			<Icon name="file" />
			<span dir="auto">{name}</span>
			{link && part.filename && <span class="where">{link.where}</span>}
		</>
	);
	if (link) {
		return (
			<a class="enclosed" href={link.href} target="_blank" rel="noopener noreferrer nofollow ugc">
				{inner}
			</a>
		);
	}
	const whole = part.raw !== undefined && part.raw.length <= MOST_CHARACTERS;
	return (
		<button type="button" class="enclosed" onClick={save} disabled={!whole}>
			{inner}
		</button>
	);
}
