/**
 * Where the visitor writes. Enter sends and Shift with Enter begins a line, but an Enter that belongs to an input method
 * never sends. While the desk answers, an empty box offers to stop it.
 */
import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { LIMITS } from "../../../shared/limits.js";
import { composing, sends } from "../../ui/composing.js";
import { Icon } from "../../ui/icons.js";
import type { Words } from "../i18n.js";

export interface ComposerProps {
	words: Words;
	name: string;
	/** What was being written when the page was left. */
	draft: string;
	/** Something can be stopped. */
	working: boolean;
	box: RefObject<HTMLTextAreaElement | null>;
	onWrite(text: string): void;
	onSend(text: string): void;
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

export function Composer({ words, name, draft, working, box, onWrite, onSend, onStop }: ComposerProps): JSX.Element {
	const [text, setText] = useState(draft);
	const method = useMemo(composing, []);
	const over = excess(text);
	const empty = text.trim() === "";

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
		if (empty || over > 0) return;
		setText("");
		onSend(clean(text));
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
			<div class="box">
				<textarea
					ref={box}
					rows={1}
					dir="auto"
					value={text}
					placeholder={words.write(name)}
					aria-label={words.write(name)}
					aria-invalid={over > 0}
					aria-describedby={over > 0 ? "over" : undefined}
					enterkeyhint="send"
					onInput={(event) => write(event.currentTarget.value)}
					onCompositionStart={() => method.started()}
					onCompositionEnd={(event) => method.ended(event)}
					onKeyDown={(event) => {
						if (!sends(event, method)) return;
						event.preventDefault();
						send();
					}}
				/>
				{working && empty ? (
					<button type="button" class="send" aria-label={words.stop} title={words.stop} onClick={onStop}>
						<Icon name="stop" />
					</button>
				) : (
					<button type="submit" class="send" aria-label={words.send} title={words.send} disabled={empty || over > 0}>
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
