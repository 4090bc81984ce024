/**
 * Where the visitor writes. Enter sends and Shift with Enter begins a line, but an Enter that belongs to an input method
 * never sends. While the desk answers, an empty box offers to stop it.
 */
import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { LIMITS } from "../../../shared/limits.js";
import { composing, sends } from "../../ui/composing.js";
import { Icon } from "../../ui/icons.js";
import type { Attachments } from "../attachments.js";
import type { Words } from "../i18n.js";
import type { Picture } from "../outbox.js";
import { AttachedPictures } from "./attachments.js";

export interface ComposerProps {
	words: Words;
	name: string;
	/** Nobody is there to answer now: what is written waits. */
	away: boolean;
	/** Absent where no pictures are taken. */
	attachments?: Attachments;
	/** What was being written when the page was left. */
	draft: string;
	/** Something can be stopped. */
	working: boolean;
	box: RefObject<HTMLTextAreaElement | null>;
	onWrite(text: string): void;
	onSend(text: string, pictures: readonly Picture[]): void;
	onStop(): void;
}

/** How many characters of `text` the server would not take; about, where they are not all of one size. */
function excess(text: string): number {
	if (text.length * 3 <= LIMITS.messageTextBytes) return 0;
	const bytes = new TextEncoder().encode(text).length;
	return bytes <= LIMITS.messageTextBytes ? 0 : Math.ceil(((bytes - LIMITS.messageTextBytes) * text.length) / bytes);
}

/** What no server takes, and no keyboard makes: it comes by pasting. */
const clean = (text: string): string =>
	text
		.replace(/\0/g, "")
		.replace(/[\ud800-\udfff]/gu, "\ufffd")
		.trim();

export function Composer({ words, name, away, attachments, draft, working, box, onWrite, onSend, onStop }: ComposerProps): JSX.Element {
	const [text, setText] = useState(draft);
	const method = useMemo(composing, []);
	const over = excess(text);
	const chosen = useRef<HTMLInputElement>(null);
	const pictures = attachments?.list ?? [];
	const empty = text.trim() === "" && !pictures.some((one) => one.state === "ready");
	const coming = pictures.some((one) => one.state === "sending");
	const label = away ? words.leave(name) : words.write(name);

	useLayoutEffect(() => {
		const area = box.current;
		if (!area) return;
		area.style.height = "auto";
		area.style.height = `${area.scrollHeight}px`;
	}, [text, box]);

	const write = (next: string): void => {
		setText(next);
		onWrite(next);
	};
	const send = (): void => {
		if (empty || coming || over > 0) return;
		write("");
		onSend(clean(text), attachments?.take() ?? []);
		box.current?.focus();
	};

	return (
		<form
			class="composer"
			onSubmit={(event) => {
				event.preventDefault();
				send();
			}}
		>
			{attachments && <AttachedPictures attachments={attachments} words={words} onRemoved={() => box.current?.focus()} />}
			<div class="box">
				{attachments && (
					<>
						<input
							ref={chosen}
							type="file"
							accept="image/png,image/jpeg,image/webp"
							multiple
							hidden
							onChange={({ currentTarget }) => {
								attachments.add(currentTarget.files ?? []);
								currentTarget.value = "";
								box.current?.focus();
							}}
						/>
						<button
							type="button"
							class="round add"
							aria-label={words.addPicture}
							title={words.addPicture}
							onClick={() => chosen.current?.click()}
						>
							<Icon name="picture" />
						</button>
					</>
				)}
				<textarea
					ref={box}
					rows={1}
					dir="auto"
					value={text}
					placeholder={label}
					aria-label={label}
					aria-invalid={over > 0}
					aria-describedby={over > 0 ? "over" : undefined}
					enterkeyhint="send"
					onPaste={(event) => {
						const files = [...(event.clipboardData?.files ?? [])];
						if (!attachments || files.length === 0) return;
						// A page's piece of text comes with a picture of itself: then the words are meant.
						if (event.clipboardData?.types.includes("text/plain")) return;
						event.preventDefault();
						attachments.add(files);
					}}
					onInput={(event) => write(event.currentTarget.value)}
					onCompositionStart={() => method.started()}
					onCompositionEnd={(event) => method.ended(event)}
					onKeyDown={(event) => {
						if (!sends(event, method)) return;
						event.preventDefault();
						send();
					}}
				/>
				{working && empty && pictures.length === 0 ? (
					<button type="button" class="send" aria-label={words.stop} title={words.stop} onClick={onStop}>
						<Icon name="stop" />
					</button>
				) : (
					<button type="submit" class="send" aria-label={words.send} title={words.send} disabled={empty || coming || over > 0}>
						<Icon name="send" />
					</button>
				)}
			</div>
			{over > 0 && (
				<p class="over" id="over" role="status">
					{words.tooLong(over)}
				</p>
			)}
		</form>
	);
}
