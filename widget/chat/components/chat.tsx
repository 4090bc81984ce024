/** The whole chat in its frame or page. Draws the session's state; everything that happens is the session's. */
import type { JSX } from "preact";
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { FrameBoot } from "../../../shared/embed.js";
import { beingAnswered } from "../conversation.js";
import type { Speech } from "../i18n.js";
import type { Session, SessionState } from "../session.js";
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

export function Chat({ boot, session, speech, now, online, keyboard, onReady, onSight, onClose, onReload }: ChatProps): JSX.Element {
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

	return (
		<main
			class="chat"
			aria-label={words.transcript(name)}
			onKeyDown={(event) => {
				if (event.key === "Escape" && !event.isComposing && event.keyCode !== 229) onClose?.();
			}}
		>
			<Header
				words={words}
				name={name}
				face={face}
				online={desk?.online}
				away={state.away}
				person={conversation.microphone === "owner" ? desk?.ownerName : undefined}
				sound={state.sound}
				onBegin={() => {
					session.begin();
					focus();
				}}
				onSound={(on) => session.setSound(on)}
				onForget={() => session.forget()}
				onClose={onClose}
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
					<Notices words={words} state={state} network={online()} />
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
						draft={session.draft()}
						working={working}
						box={box}
						onWrite={(text) => session.write(text)}
						onSend={(text) => session.send(text)}
						onStop={() => session.stop()}
					/>
				</>
			)}
			<footer>{words.poweredBy(desk?.brand ?? boot.brand)}</footer>
			<Announcer state={state} name={name} />
		</main>
	);
}

/** What concerns the whole chat and not a message. */
function Notices({ words, state, network }: { words: Speech["words"]; state: SessionState; network: boolean }): JSX.Element {
	const [understood, setUnderstood] = useState(false);
	return (
		<div class="notices">
			<div role="status">{state.away && <p class="notice">{network ? words.reconnecting : words.noNetwork}</p>}</div>
			{!state.kept && !understood && (
				<p class="notice" role="status">
					{words.notKept}
					<button type="button" onClick={() => setUnderstood(true)}>
						{words.understood}
					</button>
				</p>
			)}
		</div>
	);
}
