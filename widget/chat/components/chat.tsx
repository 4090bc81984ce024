/** The whole chat in its frame or page. Draws the session's state; everything that happens is the session's. */
import type { JSX } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { FrameBoot, Theme } from "../../../shared/embed.js";
import { createAttachments } from "../attachments.js";
import { beingAnswered, type Conversation } from "../conversation.js";
import type { Speech } from "../i18n.js";
import { markdownOf, save } from "../keep.js";
import { authorOf, nameOf } from "../rows.js";
import type { Session, SessionState } from "../session.js";
import { upload } from "../upload.js";
import { Composer } from "./composer.js";
import { Header } from "./header.js";
import { Announcer, Transcript } from "./transcript.js";

export interface ChatProps {
	boot: FrameBoot;
	session: Session;
	speech: Speech;
	now(): number;
	/** Whether the browser has a network at all. */
	online(): boolean;
	/** How the chat looks now: the page around it may have changed that. */
	theme(): Theme;
	/** The visitor has a keyboard at hand: it goes into the box. On a phone it would cover the chat. */
	keyboard: boolean;
	/** Called with what puts the keyboard into the box. */
	onReady(focus: () => void): void;
	/** Whether the newest line is in sight has changed. */
	onSight(newest: boolean): void;
	/** Absent where the chat cannot be closed. */
	onClose?(): void;
	onReload(): void;
}

export function Chat({ boot, session, speech, now, online, theme, keyboard, onReady, onSight, onClose, onReload }: ChatProps): JSX.Element {
	const [, redraw] = useReducer((n: number) => n + 1, 0);
	useEffect(() => session.subscribe(() => redraw(undefined)), [session]);
	const box = useRef<HTMLTextAreaElement>(null);
	const focus = (): void => {
		if (keyboard) box.current?.focus();
	};
	useEffect(() => onReady(focus), []);

	const { state } = session;
	const { words } = speech;
	const { desk, conversation, closed } = state;
	const name = desk?.name ?? boot.name ?? boot.handle;
	const face = desk?.face ?? boot.face;
	const working = beingAnswered(conversation).length > 0;
	const until = desk?.opensAt === undefined ? undefined : speech.until(desk.opensAt, now());
	const nobody = desk?.online === false && !state.away && !closed && conversation.microphone === "desk";
	const attachments = useMemo(
		() =>
			createAttachments({
				token: () => session.token(),
				address: `/@${boot.handle}/files`,
				upload,
				changed: () => redraw(undefined),
				preview: (file) => URL.createObjectURL(file),
				release: (preview) => URL.revokeObjectURL(preview),
			}),
		[session],
	);
	const takes = desk?.pictures && !closed ? attachments : undefined;
	const drop = useDrop((files) => takes?.add(files));

	/** What came of something that was asked for in the menu. */
	const [news, setNews] = useState<string>();
	/** The whole conversation as a file; where the connection is gone, what can be had of it, and that it is not all. */
	const keep = async (): Promise<void> => {
		try {
			const { messages, more } = await session.whole();
			const note = more ? words.savedPart : undefined;
			const text = markdownOf({
				messages,
				title: words.saved(name, speech.whole(now())),
				note,
				author: (logged) => {
					const by = authorOf(logged);
					return by.side === "visitor" ? words.you : nameOf(by, name);
				},
				when: speech.whole,
			});
			save(text, `${boot.handle}-${new Date(now()).toISOString().slice(0, 10)}.md`);
			setNews(note);
		} catch {
			setNews(words.notSaved);
		}
	};

	return (
		<main
			class="chat"
			aria-label={words.transcript(name)}
			{...(takes ? drop.events : {})}
			onKeyDown={(event) => {
				if (event.key === "Escape" && !event.isComposing && event.keyCode !== 229) onClose?.();
			}}
		>
			<Header
				words={words}
				name={name}
				face={face}
				online={closed ? undefined : desk?.online}
				away={state.away}
				person={conversation.microphone === "owner" ? desk?.ownerName : undefined}
				sound={state.sound}
				onBegin={() => {
					session.begin();
					focus();
				}}
				onSound={(on) => session.setSound(on)}
				onForget={() => session.forget()}
				onSave={conversation.messages.length > 0 ? () => void keep() : undefined}
				page={boot.site === undefined ? undefined : () => pageOf({ ...boot, theme: theme() })}
				onClose={onClose}
			/>
			<Notices
				words={words}
				state={state}
				network={online()}
				news={news}
				nobody={nobody && !isQueued(conversation) ? words.isAway(name, until) : undefined}
				onRead={() => setNews(undefined)}
			/>
			{closed ? (
				<div class="closed" role="alert">
					<p>{words.closed[closed]}</p>
					{closed === "sandboxed" ? (
						<a href={`/@${boot.handle}/chat`} target="_blank" rel="noopener">
							{words.openTab}
						</a>
					) : (
						<button type="button" onClick={closed === "reload" ? onReload : () => session.tryAgain()}>
							{closed === "reload" ? words.reload : words.retry}
						</button>
					)}
				</div>
			) : (
				<>
					<Transcript
						speech={speech}
						session={session}
						state={state}
						name={name}
						face={face}
						now={now}
						onSight={onSight}
						onPick={(text) => {
							session.send(text);
							focus();
						}}
					/>
					<Composer
						words={words}
						name={name}
						away={nobody}
						attachments={takes}
						draft={session.draft()}
						working={working}
						box={box}
						onWrite={(text) => session.write(text)}
						onSend={(text, pictures) => session.send(text, { pictures })}
						onStop={() => session.stop()}
					/>
				</>
			)}
			{takes && drop.over && <p class="drop">{words.dropPicture}</p>}
			<footer>{words.poweredBy(desk?.brand ?? boot.brand)}</footer>
			<Announcer said={state.said} name={name} />
		</main>
	);
}

/** A question waits for somebody to come: it is said under it, and not a second time above. */
const isQueued = (conversation: Conversation): boolean => conversation.tasks.some((task) => task.state === "TASK_STATE_SUBMITTED");

/** The same chat as a page, as it looks here. */
function pageOf({ handle, theme, accent, language }: FrameBoot): string {
	const query = new URLSearchParams();
	if (theme !== "auto") query.set("theme", theme);
	if (accent !== undefined) query.set("accent", accent);
	if (language !== undefined) query.set("lang", language);
	return `/@${handle}/chat${query.size > 0 ? `?${query}` : ""}`;
}

/** Files that are dragged over something, and dropped on it. */
function useDrop(onFiles: (files: File[]) => void): {
	over: boolean;
	events: Record<"onDragOver" | "onDragLeave" | "onDrop", (event: DragEvent) => void>;
} {
	const [over, setOver] = useState(false);
	const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
	return {
		over,
		events: {
			onDragOver(event) {
				if (!hasFiles(event)) return;
				event.preventDefault();
				setOver(true);
			},
			onDragLeave(event) {
				if (!(event.currentTarget as Node).contains(event.relatedTarget as Node | null)) setOver(false);
			},
			onDrop(event) {
				setOver(false);
				if (!hasFiles(event)) return;
				// Else the browser would open the file in the place of the chat.
				event.preventDefault();
				onFiles([...(event.dataTransfer?.files ?? [])]);
			},
		},
	};
}

/** What concerns the whole chat and not a message. */
function Notices({
	words,
	state,
	network,
	news,
	nobody,
	onRead,
}: {
	words: Speech["words"];
	state: SessionState;
	network: boolean;
	/** What came of something that was asked for. */
	news?: string;
	/** Nobody is there to answer: what can be done. */
	nobody?: string;
	/** The news is read. */
	onRead(): void;
}): JSX.Element {
	const [understood, setUnderstood] = useState(false);
	const untilRead = (text: string, onClick: () => void): JSX.Element => (
		<p class="notice">
			{text}
			<button type="button" onClick={onClick}>
				{words.understood}
			</button>
		</p>
	);
	return (
		<div class="notices">
			<div role="status">{nobody !== undefined && <p class="notice">{nobody}</p>}</div>
			<div role="status">{state.away && <p class="notice">{network ? words.reconnecting : words.noNetwork}</p>}</div>
			<div role="status">{!state.kept && !understood && untilRead(words.notKept, () => setUnderstood(true))}</div>
			<div role="status">{news !== undefined && untilRead(news, onRead)}</div>
		</div>
	);
}
