/**
 * `/embed-chat.js`: what works a chat once somebody means to talk. Makes the panel and its frame, speaks with it, opens and
 * closes, measures the screen for it, and hands on what the site's code says.
 */
import { CLAIM_CHARS, type FrameMessage, PAGE_TEXT_CHARS } from "../../shared/embed.js";
import { createFrame, frameUrl } from "./frame.js";
import { listen } from "./listen.js";
import { connect } from "./messages.js";
import { PANEL } from "./panel.js";
import type { Chat, Shared } from "./parts.js";
import { titleOf } from "./view.js";

type Waiting = [done: () => void, failed: (why: Error) => void];

/** Takes over the place. Throws nothing. */
export default function begin(at: Shared): Chat {
	const { base, config, host, root, state, signal, make } = at;
	const { origin, handle, mode } = at.options;
	const inline = mode === "inline";
	const small = matchMedia("(max-width:480px),(max-height:420px)");
	const viewport = window.visualViewport;
	const panel = make(inline ? "div" : "dialog", "p") as HTMLDialogElement;
	const behind = make("div", "q");
	const schemeNow = () => (root.classList.contains("d") ? "dark" : "light");
	const addressNow = () => frameUrl(base, at.options, config.site as string, schemeNow());
	let address = addressNow();
	let scheme = schemeNow();
	let opener: HTMLElement | undefined;
	const waiting: Waiting[] = [];
	/** Why no chat answers; until the frame is loaded anew. */
	let lost: Error | undefined;

	const frame = createFrame(address);
	const { post, live } = connect(frame, origin, hear, begins, failed, signal);
	at.style(PANEL);
	root.classList.toggle("v", !inline);
	panel.append(behind, frame);
	root.append(panel);
	/** The window of the frame where it stands now. */
	let view = frame.contentWindow;

	const emit = (type: string, detail?: unknown) =>
		host.dispatchEvent(new CustomEvent(`earthonline:${type}`, { detail, bubbles: true, composed: true }));

	/** Fulfilled when the chat in the frame hears. */
	const ready = () =>
		new Promise<void>((done, fail) => {
			if (state.ready && live()) done();
			else if (lost) fail(lost);
			else waiting.push([done, fail]);
		});

	/** What was known of the chat in the frame is of one that is gone; the next says it all. */
	function begins(): void {
		state.ready = false;
		state.unread = 0;
		lost = undefined;
		behind.replaceChildren();
		at.draw();
	}

	function load(): void {
		address = addressNow();
		scheme = schemeNow();
		frame.src = address;
		begins();
	}

	/** A frame cannot see the keyboard of a phone: the page measures what is left for it. */
	function fit(): boolean {
		const full = !inline && small.matches;
		root.classList.toggle("f", full);
		panel.style.cssText = inline
			? `height:${Number(at.options.height) || 600}px`
			: full && viewport?.scale === 1
				? `top:${viewport.offsetTop}px;height:${viewport.height}px`
				: "";
		return full;
	}
	const measure = () => post({ type: "viewport", fullScreen: fit() });

	/** Full screen is modal: the page behind cannot be reached by key or reader. Beside the page it is not. */
	function stand(): void {
		panel.close();
		if (fit()) panel.showModal();
		else panel.show();
	}

	const identify = () => {
		const said = (value: unknown) =>
			value === undefined || value === null ? undefined : String(value).trim().slice(0, CLAIM_CHARS) || undefined;
		const { name, email } = at.claim ?? {};
		post({ type: "identify", name: said(name), email: said(email) });
	};

	/** The number of unread messages on each button and in its name, and the classes of an opened chat. */
	function draw(): void {
		const { lang } = at.options;
		const { unread } = state;
		frame.title = panel.ariaLabel = titleOf(config.name as string, lang);
		for (const [place, button, , label] of at.faces) {
			place.classList.toggle("x", state.open);
			place.classList.toggle("r", state.ready);
			if (!button) continue;
			const count = button.querySelector(".n") ?? make("b", "n");
			count.textContent = `${unread}`;
			if (unread) button.append(count);
			else count.remove();
			button.ariaExpanded = `${state.open}`;
			button.ariaLabel = label?.() + (unread ? (at.zh(lang) ? `，${unread} 条未读` : `, ${unread} unread`) : "");
		}
	}

	function hear(message: FrameMessage): void {
		const { type } = message;
		if (type === "ready") {
			state.ready = true;
			at.draw();
			post({ type: "theme", theme: schemeNow() });
			measure();
			if (at.claim) identify();
			if (state.open) post({ type: "open" });
			for (const [done] of waiting.splice(0)) done();
		}
		if (type === "reload") load();
		else if (type === "close") close();
		else {
			if (type === "unread") state.unread = message.count;
			if (type === "online") state.online = message.online;
			at.draw();
			emit(type, (message as { count?: number }).count ?? (message as { online?: boolean }).online);
		}
	}

	function failed(): void {
		const link = make("a", "", `${panel.ariaLabel} ↗`);
		link.href = `${base}/chat`;
		link.target = "_blank";
		link.rel = "noopener";
		behind.replaceChildren(link);
		lost = new Error("No chat answers in the frame.");
		for (const [, fail] of waiting.splice(0)) fail(lost);
		at.missed("chat");
	}

	/** The focus goes back where it was in the chat. */
	function close(): void {
		if (!state.open || inline) return;
		const within = document.activeElement === host;
		panel.close();
		closed();
		if (within) opener?.focus();
	}

	/** Also where the browser has closed the dialog; it says so late, when the chat may be open again. */
	function closed(): void {
		if (!state.open || panel.open) return;
		state.open = false;
		at.draw();
		post({ type: "close" });
		emit("close");
	}

	function open(by?: unknown): Promise<void> {
		// `hide()` was called while this was on its way.
		if (state.hidden) return ready();
		if (by instanceof HTMLElement) opener = by;
		at.had = true;
		if (inline) host.scrollIntoView({ block: "nearest" });
		if (!state.open) {
			if (!inline) stand();
			state.open = true;
			at.draw();
			emit("open");
		}
		post({ type: "open" });
		frame.focus();
		return ready();
	}

	if (inline) panel.role = "region";
	listen(
		small,
		"change",
		() => {
			if (state.open && !inline) stand();
			measure();
		},
		signal,
	);
	listen(viewport, "resize scroll", fit, signal);
	listen(panel, "close", closed, signal);
	listen(
		document,
		"keydown",
		(event) => {
			// Only where it cannot be meant for something of the page's own.
			const focused = document.activeElement;
			if ((event as KeyboardEvent).key === "Escape" && (focused === host || focused === document.body)) close();
		},
		signal,
	);
	// Two chats over one page would lie on each other.
	listen(document, "earthonline:open", ({ target }) => target !== host && close(), signal);
	fit();
	draw();

	return {
		open,
		close,
		toggle: () => (state.open && !inline ? void close() : open()),
		identify,
		async logout() {
			try {
				// That the greeting was answered or sent away (greeting.ts).
				localStorage.removeItem(`earthonline:${handle}:greeted`);
			} catch {
				// A site whose visitors refuse storage has kept nothing.
			}
			await ready();
			post({ type: "logout" });
		},
		async send(text) {
			const words = String(text).trim();
			if (!words || words.length > PAGE_TEXT_CHARS) throw new RangeError(`send takes text of 1 to ${PAGE_TEXT_CHARS} characters.`);
			await open();
			post({ type: "send", text: words });
		},
		look() {
			if (frame.contentWindow !== view) {
				// A body that was swapped for another: the frame loads anew there, and a dialog has come out of its mode.
				view = frame.contentWindow;
				begins();
				if (state.open && fit()) stand();
			}
			if (inline) fit();
			const next = addressNow();
			if (next !== address) {
				const same = (url: string) => url.replace(/&theme=\w+/, "");
				// A chat that is there is told of a theme; one on its way, or with other attributes, starts anew.
				if (!state.ready || same(next) !== same(address)) load();
				else if (scheme !== schemeNow()) post({ type: "theme", theme: schemeNow() });
				address = next;
				scheme = schemeNow();
			}
			draw();
		},
	};
}
