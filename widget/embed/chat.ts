/**
 * `/embed-chat.js`: what works a chat once somebody means to talk. Fetched by `embed.js` at the same time as the frame:
 * speaks with it, opens and closes the panel, measures the screen for it, and hands on what the site's code says.
 */
import { CLAIM_CHARS, type FrameMessage, PAGE_TEXT_CHARS } from "../../shared/embed.js";
import { listen } from "./listen.js";
import { connect } from "./messages.js";
import { PANEL } from "./panel.js";
import type { Chat, Place } from "./parts.js";
import { isChinese, make, titleOf } from "./view.js";

type Waiting = [done: () => void, failed: (why: Error) => void];

/** Takes over the place. Throws nothing. */
export default function begin(at: Place): Chat {
	const { host, root, panel, frame, state, signal, inline, base } = at;
	const origin = new URL(base).origin;
	const small = matchMedia("(max-width:480px),(max-height:420px)");
	const viewport = window.visualViewport;
	const behind = make("div", "q");
	const title = titleOf(at.config.name as string, at.options.lang);
	const zh = isChinese(at.options.lang);
	const schemeNow = () => (root.classList.contains("d") ? "dark" : "light");
	let address = at.address();
	let scheme = schemeNow();
	let opener: HTMLElement | undefined;
	const waiting: Waiting[] = [];
	/** Why no chat answers; until the frame is loaded anew. */
	let lost: Error | undefined;

	at.dress(PANEL);
	panel.ariaLabel = title;
	frame.title = title;
	panel.prepend(behind);
	draw();

	const post = connect(frame, origin, at.loaded, hear, failed, signal);

	const emit = (type: string, detail?: unknown) =>
		host.dispatchEvent(new CustomEvent(`earthonline:${type}`, { detail, bubbles: true, composed: true }));

	/** Fulfilled when the chat in the frame hears. */
	const ready = () =>
		state.ready ? Promise.resolve() : lost ? Promise.reject(lost) : new Promise<void>((...both) => void waiting.push(both));

	function load(): void {
		state.ready = false;
		lost = undefined;
		address = at.address();
		scheme = schemeNow();
		frame.src = address;
	}

	/** A frame cannot see the keyboard of a phone: the page measures what is left for it. */
	function fit(): boolean {
		const full = !inline && small.matches;
		root.classList.toggle("f", full);
		panel.style.cssText = full && viewport?.scale === 1 ? `top:${viewport.offsetTop}px;height:${viewport.height}px` : "";
		return full;
	}
	const measure = () => post({ type: "viewport", fullScreen: fit() });

	const identify = () => {
		const said = (value: unknown) =>
			value === undefined || value === null ? undefined : String(value).trim().slice(0, CLAIM_CHARS) || undefined;
		const { name, email } = at.claim() ?? {};
		post({ type: "identify", name: said(name), email: said(email) });
	};

	/** The number of unread messages on each button and in its name, and the classes of an opened chat. */
	function draw(): void {
		for (const [place, button, , label] of at.faces()) {
			place.classList.toggle("x", state.open);
			place.classList.toggle("r", state.ready);
			if (!button) continue;
			const { unread } = state;
			const count = button.querySelector(".n") ?? make("b", "n");
			count.textContent = `${unread}`;
			if (unread) button.append(count);
			else count.remove();
			button.ariaExpanded = `${state.open}`;
			button.ariaLabel = label + (unread ? (zh ? `，${unread} 条未读` : `, ${unread} unread`) : "");
		}
	}

	function hear(message: FrameMessage): void {
		const { type } = message;
		if (type === "ready") {
			state.ready = true;
			behind.replaceChildren();
			at.draw();
			post({ type: "theme", theme: schemeNow() });
			measure();
			if (at.claim()) identify();
			if (state.open) post({ type: "open" });
			for (const [done] of waiting.splice(0)) done();
		}
		if (type === "reload") {
			load();
			at.draw();
		} else if (type === "close") close();
		else {
			if (type === "unread") state.unread = message.count;
			if (type === "online") state.online = message.online;
			at.draw();
			emit(type, (message as { count?: number }).count ?? (message as { online?: boolean }).online);
		}
	}

	function failed(): void {
		const link = make("a", "", `${title} ↗`);
		link.href = `${base}/chat`;
		link.target = "_blank";
		link.rel = "noopener";
		behind.replaceChildren(link);
		lost = new Error("No chat answers in the frame.");
		for (const [, fail] of waiting.splice(0)) fail(lost);
		at.missed();
	}

	/** The focus goes back where it was in the chat. */
	function close(): void {
		if (!panel.open) return;
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

	function open(by?: HTMLElement): Promise<void> {
		if (by) opener = by;
		if (inline) host.scrollIntoView({ block: "nearest" });
		else if (!state.open) {
			// Full screen is modal: the page behind cannot be reached by key or reader.
			if (fit()) panel.showModal();
			else panel.show();
		}
		if (!state.open) {
			state.open = true;
			at.draw();
			emit("open");
		}
		post({ type: "open" });
		frame.focus();
		return ready();
	}

	if (inline) panel.role = "region";
	listen(small, "change", measure, signal);
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
	signal.addEventListener("abort", () => {
		for (const [, fail] of waiting.splice(0)) fail(new Error("The chat was destroyed."));
	});
	fit();

	return {
		open,
		close,
		toggle: () => (state.open && !inline ? void close() : open()),
		identify,
		async logout() {
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
			draw();
			const next = at.address();
			if (next === address) return;
			const themed = scheme !== schemeNow();
			// A chat that is there is told of a theme; one on its way, or with other attributes, starts anew.
			if (state.ready && themed) post({ type: "theme", theme: schemeNow() });
			const same = (url: string) => url.replace(/&theme=\w+/, "");
			if (!state.ready || same(next) !== same(address)) {
				load();
				root.classList.remove("r");
			}
			address = next;
			scheme = schemeNow();
		},
	};
}
