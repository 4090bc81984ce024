/**
 * The lines of the conversation, and how they scroll: the newest stays in sight unless the visitor looks further up, and
 * whatever comes or grows above does not move what is being read. A log for those who hear the page, but a silent one: what is
 * new is read out whole, once, by `Announcer`.
 */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DeskFace, LoggedMessage } from "../../../shared/channel.js";
import { parseMarkdown, plainWords } from "../../../shared/markdown.js";
import { Icon } from "../../ui/icons.js";
import { Prose } from "../../ui/prose.js";
import { unreadCount } from "../conversation.js";
import type { Speech } from "../i18n.js";
import { toWire } from "../outbox.js";
import { authorOf, nameOf, type Row, rowsOf, type Tail, tailOf } from "../rows.js";
import type { Session, SessionState } from "../session.js";
import { Face } from "./face.js";
import { DeskLine, OnItsWay, OwnLine, Parts, type Scene } from "./message.js";
import { Thumbs } from "./thumbs.js";

/** Pixels from the end that still count as at the end, and from the start at which older lines are asked for. */
const NEAR_END = 48;
const NEAR_START = 240;

export interface TranscriptProps {
	speech: Speech;
	session: Session;
	state: SessionState;
	/** The desk as far as it is known. */
	name: string;
	face?: string;
	now(): number;
	/** Told whether the newest line is in sight. */
	onSight(newest: boolean): void;
	/** A suggestion was chosen. */
	onPick(text: string): void;
}

export function Transcript({ speech, session, state, name, face, now, onSight, onPick }: TranscriptProps): JSX.Element {
	const { words } = speech;
	const { conversation, desk } = state;
	const scroll = useRef<HTMLDivElement>(null);
	const lines = useRef<HTMLDivElement>(null);
	const following = useRef(true);
	/** How things stood when they were looked at last: the line being read, how far down it stood, how far was scrolled in how much room (pixels), and what was on its way where. */
	const held = useRef({ top: 0, outgoing: 0 } as {
		line?: HTMLElement;
		at?: number;
		top: number;
		room?: number;
		outgoing: number;
		context?: string;
	});
	const [behind, setBehind] = useState(false);
	const rows = rowsOf(conversation);
	const tail = tailOf(conversation, desk?.online ?? true);
	const until = desk?.opensAt === undefined ? undefined : speech.until(desk.opensAt, now());
	const scene: Scene = { words, name, face, named: rows.some((row) => row.kind === "message" && row.author.side === "person") };

	const none = rows.length === 0;
	const toEnd = (): void => {
		const box = scroll.current;
		if (box) box.scrollTop = box.scrollHeight;
	};
	const follow = (end: boolean): void => {
		if (end === following.current) return;
		following.current = end;
		setBehind(!end);
		onSight(end);
	};
	const note = (box: HTMLElement): void => {
		const { scrollTop: top } = box;
		const line = [...box.querySelectorAll<HTMLElement>(".line")].find((el) => el.offsetTop + el.offsetHeight > top);
		held.current = { ...held.current, line, at: line?.offsetTop, top, room: box.clientHeight };
	};
	/** Something has come, gone, grown or shrunk: the newest line is in sight again, or what is being read stands where it stood. */
	const settle = (): void => {
		const box = scroll.current;
		if (!box) return;
		const { line, at = 0 } = held.current;
		if (following.current) {
			// An empty chat begins at its top.
			if (lines.current?.querySelector(".empty") === null) toEnd();
		} else if (line?.isConnected) box.scrollTop += line.offsetTop - at;
		note(box);
	};
	useLayoutEffect(() => {
		const { outgoing, context } = held.current;
		if (conversation.outgoing.length > outgoing || conversation.contextId !== context) follow(true);
		held.current = { ...held.current, outgoing: conversation.outgoing.length, context: conversation.contextId };
		settle();
	});
	useEffect(() => {
		if (!scroll.current || !lines.current || typeof ResizeObserver === "undefined") return;
		// A keyboard that slides in makes the room smaller; a picture that has come makes its line larger.
		const watch = new ResizeObserver(settle);
		watch.observe(scroll.current);
		watch.observe(lines.current);
		return () => watch.disconnect();
	}, []);

	const onScroll = (): void => {
		const box = scroll.current;
		if (!box || none) return;
		// The room has changed: where the browser had to scroll for that is nothing that the visitor did.
		if (box.clientHeight !== held.current.room) return settle();
		const newest = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
		// Only who goes up leaves the end: else it has moved away, and is about to be followed.
		if (newest || box.scrollTop < held.current.top) follow(newest);
		note(box);
		if (box.scrollTop < NEAR_START && conversation.more && state.older === "idle") session.older();
	};

	const unread = unreadCount(conversation) > 0;
	const pick = (text: string): void => {
		// The button that has the keyboard is about to go.
		scroll.current?.focus({ preventScroll: true });
		onPick(text);
	};
	return (
		<div class="transcript">
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
			<div class="scroll" ref={scroll} onScroll={onScroll} tabIndex={0} role="log" aria-live="off" aria-label={words.transcript(name)}>
				<div class="lines" ref={lines}>
					{none && desk && <Empty desk={desk} words={words} onPick={pick} />}
					{state.older !== "idle" && (
						<p class="aside" role="status">
							{state.older === "loading" ? words.older : words.olderFailed}
							{state.older === "failed" && (
								<button type="button" onClick={() => session.older()}>
									{words.retry}
								</button>
							)}
						</p>
					)}
					{rows.map((row) => (
						<Line
							key={row.key}
							row={row}
							scene={scene}
							session={session}
							away={state.link !== "open"}
							when={(at) => speech.when(at, now())}
							newest={row === rows.at(-1)}
						/>
					))}
					<Going tail={tail} last={rows.at(-1)} scene={scene} state={state} until={until} />
					{conversation.ended && (
						<p class="aside">
							{words.ended(name)}
							<button type="button" onClick={() => session.begin()}>
								{words.begin}
							</button>
						</p>
					)}
				</div>
			</div>
			{behind && (
				<button type="button" class="newest" aria-label={unread ? words.newest : words.toEnd} onClick={toEnd}>
					<Icon name="down" />
					{unread && <span>{words.newest}</span>}
				</button>
			)}
		</div>
	);
}

interface LineProps {
	row: Row;
	scene: Scene;
	session: Session;
	away: boolean;
	/** Nothing has been said after it. */
	newest: boolean;
	when(at: number): string;
}

function Line({ row, scene, session, away, newest, when }: LineProps): JSX.Element {
	const { words } = scene;
	switch (row.kind) {
		case "time":
			return (
				<p class="aside">
					<time dateTime={new Date(row.at).toISOString()}>{when(row.at)}</time>
				</p>
			);
		case "outgoing": {
			const { messageId } = row.outgoing;
			const under = (
				<OnItsWay
					words={words}
					outgoing={row.outgoing}
					offline={away}
					onRetry={() => session.retry(messageId)}
					onDiscard={() => session.withdraw(messageId)}
				/>
			);
			return <OwnLine words={words} parts={toWire(row.outgoing).parts} first={row.first} under={under} />;
		}
		case "mark":
			if (row.mark.kind === "failed") return <p class="aside failed">{row.mark.text || words.failed}</p>;
			return (
				<DeskLine scene={scene} author={{ side: "desk" }} first={row.first}>
					<Prose text={row.mark.text} words={words} />
					<p class="under">{words.stopped}</p>
				</DeskLine>
			);
		case "message": {
			const { message } = row.logged;
			if (row.author.side === "visitor") {
				const under = row.delivery && <p class="under">{words[row.delivery]}</p>;
				return <OwnLine words={words} parts={message.parts} first={row.first} reactions={row.reactions} under={under} />;
			}
			return (
				<DeskLine scene={scene} author={row.author} first={row.first}>
					<Parts message={message} words={words} />
					{row.reactions.length > 0 && <p class="reactions">{row.reactions.join(" ")}</p>}
					{row.author.side === "desk" && (
						<div class={newest ? "opinion newest-line" : "opinion"}>
							<Thumbs words={words} value={session.state.ratings[row.logged.seq]} onRate={(value) => session.rate(row.logged.seq, value)} />
						</div>
					)}
				</DeskLine>
			);
		}
	}
}

/** What is happening now, under the last line. */
function Going({
	tail,
	last,
	scene,
	state,
	until,
}: {
	tail: Tail;
	last?: Row;
	scene: Scene;
	state: SessionState;
	until?: string;
}): JSX.Element {
	const { words, name } = scene;
	const owner = state.desk?.ownerName ?? name;
	const spoke = (last?.kind === "message" && last.author.side === "desk") || (last?.kind === "mark" && last.mark.kind === "stopped");
	const byPerson = state.conversation.microphone === "owner";
	return (
		<>
			{(tail.draft !== undefined || tail.writing) && (
				<DeskLine scene={scene} author={byPerson ? { side: "person", name: owner } : { side: "desk" }} first={!spoke}>
					{tail.draft !== undefined && (
						<div class={tail.interrupted ? "draft old" : "draft"}>
							<Prose text={tail.draft} words={words} />
						</div>
					)}
					{tail.interrupted && <p class="under">{words.interrupted}</p>}
					<p class="dots">
						<i />
						<i />
						<i />
						<span class="unseen">{words.writing(byPerson ? owner : name)}</span>
					</p>
				</DeskLine>
			)}
			{tail.waitsForOwner && (
				<p class="aside" role="status">
					<span class="dot wait" />
					{words.waitingFor(owner)}
				</p>
			)}
			{tail.queued && (
				<p class="aside" role="status">
					{words.queued(name, until)}
				</p>
			)}
			{tail.explanation && (
				<p class="aside" role="status">
					{tail.explanation}
				</p>
			)}
		</>
	);
}

/** Nobody has said anything yet. */
function Empty({ desk, words, onPick }: { desk: DeskFace; words: Speech["words"]; onPick(text: string): void }): JSX.Element {
	return (
		<div class="empty">
			<Face src={desk.face} name={desk.name} size={72} />
			<h2 dir="auto">{desk.name}</h2>
			{desk.about && <p dir="auto">{desk.about}</p>}
			{desk.suggestions.length > 0 && (
				<ul aria-label={words.suggestions}>
					{desk.suggestions.map((text) => (
						<li key={text}>
							<button type="button" dir="auto" onClick={() => onPick(text)}>
								{text}
							</button>
						</li>
					))}
				</ul>
			)}
		</div>
	);
}

/** Reads out what the desk's side has said, once it is said whole. The only thing here that speaks up by itself besides status lines. */
export function Announcer({ said, name }: { said?: LoggedMessage; name: string }): JSX.Element {
	return (
		<div class="unseen" aria-live="polite">
			{/* An element each: the same words said again are something new. */}
			{said && (
				<p key={said.message.messageId}>
					{nameOf(authorOf(said), name)}:{" "}
					{plainWords(parseMarkdown(said.message.parts.map((part) => part.text ?? part.filename ?? "").join("\n")))}
				</p>
			)}
		</div>
	);
}
