/**
 * One tag at work: asks its server once, shows the button or the place, makes the frame when somebody means to talk, opens
 * and closes it. Everything it hangs on to the page hangs on one AbortController, so that `destroy` leaves nothing behind.
 * Stores nothing: no cookie, no storage, and no frame before the visitor comes near.
 */
import type { FrameMessage, SiteConfig, Theme } from "../../shared/embed.js";
import { createFrame, framedByStranger, frameUrl, preconnect } from "./frame.js";
import { listen } from "./listen.js";
import { connect } from "./messages.js";
import { say } from "./say.js";
import { queryOf, readTag } from "./tag.js";
import { pageScheme, type Scheme, watchScheme } from "./theme.js";
import { createView, drawFace, make, TEXTS } from "./view.js";

/** How long a pointer rests on the button before that counts as meaning to talk. */
const INTENT_MS = 80;
/** Times a page may throw the element out before it is left out. */
const RETURNS = 50;

/** What is looked at of `html`, `body` and the tag: for the theme, the place, the options. */
const watched = { attributes: true, childList: true };

/** What `window.EarthOnline.get()` gives. */
export interface Handle {
	open(): void;
	close(): void;
	toggle(): void;
	show(): void;
	hide(): void;
	destroy(): void;
	/** `ready`, `open`, `close`, `unread` (the number), `online` (true or false). Gives what ends it. */
	on(event: string, listener: (detail: unknown) => void): () => void;
}

export interface Instance extends Handle {
	readonly script: HTMLScriptElement;
	/** Whether it still has its place; a router takes an inline chat away with its page. */
	alive(): boolean;
	/** The site's own word; undefined: none. */
	setTheme(theme: Theme | undefined): void;
}

/** Starts a tag. `gone` is called when it is destroyed or may not show. */
export function createInstance(script: HTMLScriptElement, gone: () => void): Instance {
	let options = readTag(script);
	const { origin, handle, mode } = options;
	const inline = mode === "inline";
	const texts = TEXTS[/^zh/.test(options.lang ?? navigator.language) ? "zh" : "en"];
	const [host, root, button, dot, count, panel, waiting] = createView(script.nonce, inline);
	const life = new AbortController();
	const { signal } = life;
	const small = matchMedia("(max-width:480px),(max-height:420px)");
	const viewport = window.visualViewport;

	let config: SiteConfig;
	let title: string;
	let frame: HTMLIFrameElement | undefined;
	let send: ReturnType<typeof connect> = () => {};
	let hint: HTMLElement | undefined;
	let intent: number;
	let isOpen = false;
	let scheme: Scheme;
	/** Said by the site's code, over the tag. */
	let told: Theme | undefined;
	let body: HTMLElement | undefined;
	let returns = 0;

	const emit = (type: string, detail?: unknown) =>
		host.dispatchEvent(new CustomEvent(`earthonline:${type}`, { detail, bubbles: true, composed: true }));
	const mark = (name: string, on: boolean) => root.classList.toggle(name, on);
	const turn = (open: boolean) => {
		isOpen = open;
		mark("x", open);
		button.ariaExpanded = `${open}`;
	};

	const label = (unread: number) => {
		button.ariaLabel = title + (unread ? texts.unread(unread) : "");
		count.hidden = !unread;
		count.textContent = `${unread}`;
	};

	const load = () => {
		mark("r", false);
		if (frame) frame.src = frameUrl(options, config.site as string, scheme);
	};

	/** Looks that follow the tag and the page. */
	const paint = () => {
		const { theme, accent, z } = options;
		const wish = told ?? theme;
		const next = wish === "dark" || wish === "light" ? wish : pageScheme();
		if (accent) root.style.cssText = `--a:${accent}`;
		if (/^-?\d+$/.test(z as string)) host.style.cssText = `--eo-z:${z}`;
		if (next === scheme) return;
		scheme = next;
		mark("d", next === "dark");
		// A chat that is there is told; one on its way starts anew in the right colours.
		if (root.classList.contains("r")) send({ type: "theme", theme: next });
		else load();
	};

	/** A frame cannot see the keyboard of a phone: the page measures what is left for it. */
	const fit = () => {
		const fullScreen = !inline && small.matches;
		mark("f", fullScreen);
		panel.style.cssText = inline
			? `height:${options.height}px`
			: fullScreen && viewport?.scale === 1
				? `top:${viewport.offsetTop}px;height:${viewport.height}px`
				: "";
		return fullScreen;
	};
	const measure = () => send({ type: "viewport", fullScreen: fit() });

	const hear = (message: FrameMessage) => {
		const { type } = message;
		if (type === "ready") {
			mark("r", true);
			send({ type: "theme", theme: scheme });
			measure();
			if (isOpen) send({ type: "open" });
		}
		if (type === "reload") load();
		else if (type === "close") close();
		else {
			if (type === "unread") label(message.count);
			if (type === "online") dot.hidden = !message.online;
			emit(type, (message as { count?: number }).count ?? (message as { online?: boolean }).online);
		}
	};

	/** The frame, once somebody means to talk. */
	const prepare = () => {
		if (frame) return;
		frame = createFrame(title);
		send = connect(
			frame,
			origin,
			hear,
			() => {
				const link = make("a", "", `${title} ↗`);
				link.href = `${origin}/@${handle}/chat`;
				link.target = "_blank";
				waiting.append(link);
				missed();
			},
			signal,
		);
		load();
		panel.prepend(frame);
	};
	const missed = () => say(handle, `${origin} did not load. If it runs, add it to this page's connect-src and frame-src.`);

	const open = () => {
		if (isOpen && !inline) return;
		isOpen = true;
		// Before the server has answered, only the wish is kept.
		if (!body) return;
		prepare();
		if (inline) host.scrollIntoView({ block: "nearest" });
		else {
			turn(true);
			// Full screen is modal: the page behind cannot be reached by key or reader.
			if (fit()) panel.showModal();
			else panel.show();
		}
		send({ type: "open" });
		frame?.focus();
		emit("open");
	};

	/** Closes the dialog, which says so; the rest follows. The focus goes back where it was in the chat. */
	const close = () => {
		if (!panel.open) return;
		const within = document.activeElement === host;
		panel.close();
		if (within) button.focus();
	};
	const closed = () => {
		turn(false);
		send({ type: "close" });
		emit("close");
	};
	const toggle = () => (isOpen ? close() : open());

	/** Stands in the page; a body that was swapped for another gets it again. */
	const settle = () => {
		if (inline) {
			if (!body) script.after(host);
		} else if (!host.isConnected && returns++ < RETURNS) document.body.append(host);
		if (body === document.body) return;
		body = document.body;
		observer.observe(body, watched);
	};
	const observer = new MutationObserver(() => {
		options = readTag(script);
		if (!document.body) return;
		settle();
		paint();
	});

	const show = () => {
		title = texts.chat(config.name as string);
		for (const place of [document.documentElement, script]) observer.observe(place, watched);
		settle();
		paint();
		label(0);
		fit();
		watchScheme(paint, signal);
		listen(small, "change", measure, signal);
		listen(viewport, "resize scroll", fit, signal);
		if (inline) {
			const near = new IntersectionObserver(
				([entry]) => {
					if (!entry?.isIntersecting) return;
					near.disconnect();
					prepare();
				},
				{ rootMargin: "300px" },
			);
			return near.observe(host);
		}
		panel.ariaLabel = title;
		button.prepend(drawFace(origin + config.face, config.name as string));
		dot.hidden = !config.online;
		listen(
			button,
			"pointerenter focus",
			() => {
				hint ??= preconnect(origin);
				clearTimeout(intent);
				intent = setTimeout(prepare, INTENT_MS) as unknown as number;
			},
			signal,
		);
		listen(button, "pointerleave blur", () => clearTimeout(intent), signal);
		listen(button, "click", toggle, signal);
		listen(panel, "close", closed, signal);
		listen(
			document,
			"keydown",
			(event) => {
				// Only where it cannot be meant for something of the page's own.
				const at = document.activeElement;
				if ((event as KeyboardEvent).key === "Escape" && (at === host || at === document.body)) close();
			},
			signal,
		);
		const wish = isOpen;
		turn(false);
		if (wish) open();
	};

	const destroy = () => {
		life.abort();
		clearTimeout(intent);
		observer.disconnect();
		hint?.remove();
		host.remove();
		gone();
	};

	const answered = (answer: SiteConfig) => {
		config = answer;
		if (config.help) say(handle, config.help);
		if (!config.show) destroy();
		else if (document.body) show();
		else listen(document, "DOMContentLoaded", show, signal);
	};
	if (framedByStranger()) say(handle, "The chat does not open inside another site's frame.");
	else {
		fetch(`${origin}/embed/${handle}${queryOf(script)}`, { credentials: "omit", referrerPolicy: "no-referrer", signal })
			.then((answer) => answer.json())
			.then(answered, () => signal.aborted || missed())
			.catch((error) => say(handle, error));
	}

	return {
		script,
		alive: () => !inline || !body || host.isConnected,
		setTheme(theme) {
			told = theme;
			if (body) paint();
		},
		open,
		close,
		toggle,
		show: () => {
			root.hidden = false;
		},
		hide: () => {
			close();
			root.hidden = true;
		},
		destroy,
		on(event, listener) {
			const off = new AbortController();
			listen(host, `earthonline:${event}`, (e) => listener((e as CustomEvent).detail), off.signal);
			return () => off.abort();
		},
	};
}
