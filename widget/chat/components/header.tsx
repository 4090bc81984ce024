/** The top of the chat: who one is talking to, whether they are there, and the few things one can do besides talking. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../ui/icons.js";
import type { Words } from "../i18n.js";
import { Face } from "./face.js";

export interface HeaderProps {
	words: Words;
	name: string;
	face?: string;
	/** Absent while it is not known. */
	online?: boolean;
	/** The connection is gone: nobody knows whether the desk is there. */
	away: boolean;
	/** Name of the person who has taken over; absent: the agent answers. */
	person?: string;
	sound: boolean;
	onBegin(): void;
	onSound(on: boolean): void;
	onForget(): void;
	/** Absent where there is nothing to keep. */
	onSave?(): void;
	/** Address of the chat as a page of its own, as it would be made now; absent there. */
	page?(): string;
	/** Absent where there is nothing to close (the chat page, an inline chat). */
	onClose?(): void;
}

export function Header(props: HeaderProps): JSX.Element {
	const { words, name, face, online, away, person, onClose } = props;
	const here = online === true && !away;
	const says = away ? words.connecting : person !== undefined ? words.personHere(person) : here ? words.online : words.offline;
	return (
		<header class="head">
			<Face src={face} name={name} size={36} />
			<div class="who">
				<h1 dir="auto">{name}</h1>
				{(away || online !== undefined) && (
					<p class="presence">
						<span class={here ? "dot on" : "dot"} />
						<span dir="auto">{says}</span>
					</p>
				)}
			</div>
			<Menu {...props} />
			{onClose && (
				<button type="button" class="round shut" aria-label={words.close} title={words.close} onClick={onClose}>
					<Icon name="close" />
				</button>
			)}
		</header>
	);
}

/** A menu button as WAI-ARIA describes it: arrows move, Escape and Tab leave. */
function Menu({ words, sound, page, onBegin, onSound, onSave, onForget }: HeaderProps): JSX.Element {
	const [open, setOpen] = useState(false);
	const [sure, setSure] = useState(false);
	const box = useRef<HTMLDivElement>(null);
	const button = useRef<HTMLButtonElement>(null);
	const items = (): HTMLElement[] => [...(box.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];

	useEffect(() => {
		if (open) items()[0]?.focus();
		else setSure(false);
	}, [open]);

	const leave = (): void => {
		setOpen(false);
		button.current?.focus();
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		if (!open) return;
		const all = items();
		const at = all.indexOf(document.activeElement as HTMLElement);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
		if (to !== undefined) all[(to + all.length) % all.length]?.focus();
		else if (event.key === "Escape" || event.key === "Tab") leave();
		else return;
		event.stopPropagation();
		if (event.key !== "Tab") event.preventDefault();
	};
	const choose = (what: () => void) => (): void => {
		leave();
		what();
	};

	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons within it.
		<div
			class="menu"
			ref={box}
			onKeyDown={onKeyDown}
			onFocusOut={(event) => !box.current?.contains(event.relatedTarget as Node | null) && setOpen(false)}
		>
			<button
				type="button"
				class="round"
				ref={button}
				aria-label={words.menu}
				title={words.menu}
				aria-haspopup="menu"
				aria-expanded={open}
				onClick={() => setOpen(!open)}
			>
				<Icon name="more" />
			</button>
			{open && (
				<div class="items" role="menu" aria-label={words.menu}>
					<button type="button" role="menuitem" tabIndex={-1} onClick={choose(onBegin)}>
						{words.begin}
					</button>
					<button type="button" role="menuitemcheckbox" aria-checked={sound} tabIndex={-1} onClick={choose(() => onSound(!sound))}>
						{words.sound}
						<span aria-hidden="true">{sound ? words.on : words.off}</span>
					</button>
					{onSave && (
						<button type="button" role="menuitem" tabIndex={-1} onClick={choose(onSave)}>
							{words.save}
						</button>
					)}
					{page && (
						<a role="menuitem" tabIndex={-1} href={page()} target="_blank" rel="noopener" onClick={leave}>
							{words.popOut}
						</a>
					)}
					<button
						type="button"
						role="menuitem"
						tabIndex={-1}
						class={sure ? "danger" : ""}
						onClick={sure ? choose(onForget) : () => setSure(true)}
					>
						{sure ? words.forgetSure : words.forget}
					</button>
				</div>
			)}
		</div>
	);
}
