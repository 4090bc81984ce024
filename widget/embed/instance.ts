/**
 * One tag at work until somebody means to talk: asks its server once, shows the button or the place, and then fetches what
 * opens a chat, at the same time as the frame. Everything it hangs on to the page hangs on one AbortController, so that
 * `destroy` leaves nothing behind. Stores nothing.
 */
import type { Claim, SiteConfig, Theme } from "../../shared/embed.js";
import { createFrame, framedByStranger, frameUrl } from "./frame.js";
import { listen } from "./listen.js";
import type { Buttons, Chat, Corner, Place, Shared, State } from "./parts.js";
import { say } from "./say.js";
import { dress, looks } from "./style.js";
import { queryOf, readTag } from "./tag.js";
import { inkOn, pageScheme, type Scheme, watchScheme } from "./theme.js";
import { createFace, type Face, make, titleOf } from "./view.js";

/** How long a pointer rests on the button before that counts as meaning to talk. */
const INTENT_MS = 80;

type Listener = (detail: unknown) => void;

/** What `window.EarthOnline.get()` gives. Promises are fulfilled once the chat has been told, rejected where none answers. */
export interface Handle {
	open(): Promise<void>;
	close(): Promise<void>;
	toggle(): Promise<void>;
	show(): void;
	hide(): void;
	/** Changes attributes of the tag, named without `data-`; null takes one away. */
	update(attributes: Record<string, unknown>): void;
	/** What the site says of its visitor: a claim, shown as one. Nothing loads for it. */
	identify(claim: Claim): Promise<void>;
	/** Nothing of this visitor stays in this browser. */
	logout(): Promise<void>;
	/** Opens the chat and writes in it; what is written says that the page's script did. */
	send(text: string): Promise<void>;
	destroy(): void;
	/** `ready`, `open`, `close`, `unread` (the number), `online` (true or false). Gives what ends it. */
	on(event: string, listener: Listener): () => void;
	once(event: string, listener: Listener): () => void;
	off(event: string, listener: Listener): void;
	readonly state: State;
}

export interface Instance extends Handle {
	readonly script: HTMLScriptElement;
	/** Whether it still has its place; a router takes an inline chat away with its page. */
	alive(): boolean;
	/** The page or its own tag has changed. */
	look(): void;
}

/** What the chats of one page share. */
export interface Page {
	/** The site's own word, over the tags. */
	theme?: Theme;
	/** The places in the corner, each for as long as its chat lives. */
	slots: AbortSignal[];
}

/** Starts a tag. `gone` is called when it is destroyed or may not show. */
export function createInstance(script: HTMLScriptElement, page: Page, gone: () => void): Instance {
	let options = readTag(script);
	const { origin, handle } = options;
	const base = `${origin}/@${handle}`;
	const host = document.createElement("earth-online");
	const root = make("div", "w");
	const life = new AbortController();
	const { signal } = life;
	const state: State = { open: false, ready: false, hidden: false, online: false, unread: 0 };
	const sheets: string[] = [];
	/** What opens the chat by a click: our buttons, the greeting. */
	const openers = new Set<unknown>();
	const heard = new WeakMap<Listener, (event: Event) => void>();

	let faces: Face[] = [];
	let config: SiteConfig;
	let claim: Claim | undefined;
	let inline: boolean;
	/** Stands where the line is pasted. */
	let place: HTMLElement | undefined;
	let panel: HTMLDialogElement;
	let part: Promise<Chat> | undefined;
	let chat: Chat | undefined;
	let intent: number;
	let scheme: Scheme;
	let shown = false;
	let greeted: (() => void) | undefined;
	let buttons: Promise<Buttons> | undefined;

	const unreachable = `${origin} did not load. If it runs, add it to this page's script-src, connect-src and frame-src.`;
	const missed = () => say(handle, unreachable);
	/** Whoever does not wait for a promise is not troubled by its failure. */
	const quiet = <T>(promise: Promise<T>): Promise<T> => {
		promise.catch(() => {});
		return promise;
	};
	const bring = (name: string) => import(/* @vite-ignore */ `${origin}/embed-${name}.js`).then((file) => file.default);

	/** Looks that follow the tag, the page, and how the chat stands. */
	const draw = () => {
		const { theme, accent, z, height } = options;
		const wish = page.theme ?? theme;
		scheme = wish === "dark" || wish === "light" ? wish : pageScheme();
		host.style.cssText = +(z as string) ? `--eo-z:${z}` : "";
		for (const [at, button, dot, label] of faces) {
			at.hidden = state.hidden;
			at.classList.toggle("d", scheme === "dark");
			at.style.cssText = `--h:${height}px;${accent ? `--a:${accent};--t:${inkOn(accent)}` : ""}`;
			if (!button) continue;
			(dot as HTMLElement).hidden = !state.online;
			button.ariaLabel = label as string;
		}
		chat?.look();
	};

	const furnish = (at: HTMLElement, inside: HTMLElement, how: string) => {
		const shadow = at.attachShadow({ mode: "open" });
		for (const css of [looks(how), ...sheets]) dress(shadow, css, script.nonce);
		shadow.append(inside);
	};
	const face = (at: HTMLElement, kind: string, label: string, ...words: (Node | string)[]) => {
		const made = createFace(at, kind, origin + config.face, config.name as string, label, ...words);
		faces.push(made);
		openers.add(made[1]);
		return made[1] as HTMLButtonElement;
	};

	/** The chat, once somebody means to talk: its frame and what works it, side by side. */
	const prepare = (): Promise<Chat> => {
		part ??= asked.then(() => {
			const frame = createFrame(address());
			const loaded = new Promise((done) => {
				frame.onload = done;
			});
			panel.append(frame);
			return bring("chat")
				.then((begin) => {
					chat = begin({ ...shared(), frame, loaded } satisfies Place);
					return chat as Chat;
				})
				.catch((error) => {
					frame.remove();
					part = undefined;
					missed();
					throw error;
				});
		});
		return part;
	};
	const dressAll = (css: string) => {
		sheets.push(css);
		for (const [at] of faces) dress(at.getRootNode() as ShadowRoot, css, script.nonce);
	};

	const address = () => frameUrl(base, options, config.site as string, scheme);
	const shared = (): Shared => ({
		base,
		options,
		inline,
		config,
		host,
		root,
		panel,
		state,
		openers,
		signal,
		faces: () => faces,
		face,
		furnish,
		claim: () => claim,
		address,
		draw,
		dress: dressAll,
		missed,
	});

	const tell =
		<A extends unknown[]>(name: keyof Chat) =>
		(...args: A): Promise<void> =>
			quiet(prepare().then((c) => (c[name] as (...args: A) => Promise<void>)(...args)));
	const open = tell<[by?: HTMLElement]>("open");
	const close = async () => (await part)?.close();

	/** What of ours, or of the site's own, an event is on. */
	const opener = (event: Event) =>
		event.composedPath().find((at) => openers.has(at) || (options.selector && (at as Element).matches?.(options.selector)));
	const near = (event: Event) => {
		clearTimeout(intent);
		if (!opener(event)) return;
		intent = setTimeout(() => quiet(prepare()), INTENT_MS) as unknown as number;
	};
	const click = (event: Event) => {
		const by = opener(event) as HTMLElement;
		const { ctrlKey, metaKey } = event as MouseEvent;
		// A link that is to open beside this page does so.
		if (!by || ctrlKey || metaKey) return;
		event.preventDefault();
		greeted?.();
		if (state.open && openers.has(by)) close();
		else open(by).catch(() => state.open || window.open(`${base}/chat`));
	};

	/** Where the line is pasted; one in the head has no place there. */
	const stand = (at: HTMLElement) => {
		place = at;
		if (script.closest("body")) script.after(at);
		else document.body.append(at);
	};

	const corner = () => {
		let slot = 0;
		while (page.slots[slot]?.aborted === false) slot++;
		page.slots[slot] = signal;
		const button = face(root, "b", titleOf(config.name as string, options.lang));
		const at = make("div", "k", button);
		at.style.cssText = `--k:${slot}`;
		root.prepend(at);
		const mine: Corner = { ...shared(), corner: at, button };
		const join = (name: string) => bring(name).then((start) => start(mine), missed);
		if (config.greeting)
			join("greeting").then((seen) => {
				greeted = seen;
			});
		if (options.mode !== "pet") return;
		// Never two looks: nothing shows until the pet is there. If it cannot come, the button is its face.
		at.hidden = true;
		join("pet").finally(() => {
			at.hidden = false;
		});
	};

	const look = async () => {
		if (!shown) return;
		options = readTag(script, config.embed);
		// A body that was swapped for another gets it again.
		if (!inline && !host.isConnected) document.body.append(host);
		if (options.mode === "button" || document.querySelector(`a[href^="${base}"] img[src^="${base}/"]`))
			buttons ??= bring("button").then((place) => place(shared(), stand));
		(await buttons)?.look();
		faces = faces.filter(([at]) => at === root || at.isConnected);
		draw();
	};

	const show = () => {
		options = readTag(script, config.embed);
		const { mode, selector } = options;
		inline = mode === "inline";
		state.online = !!config.online;
		panel = make(inline ? "div" : "dialog", "p") as HTMLDialogElement;
		root.append(panel);
		if (!inline) root.className += " v";
		if (mode === "floating" || mode === "pet") corner();
		else faces.push([root]);
		furnish(host, root, inline ? "display:block" : "position:fixed");
		if (inline) stand(host);
		shown = true;
		quiet(look());
		watchScheme(draw, signal);
		if (inline) {
			const view = new IntersectionObserver(
				([entry]) => {
					if (!entry?.isIntersecting) return;
					view.disconnect();
					quiet(prepare());
				},
				{ rootMargin: "300px" },
			);
			view.observe(host);
		}
		// One that is none throws, and says so.
		if (selector) document.querySelector(selector);
		listen(document, "pointerover focusin", near, signal, true);
		listen(document, "click", click, signal, true);
	};

	const destroy = () => {
		life.abort();
		clearTimeout(intent);
		place?.remove();
		host.remove();
		gone();
	};

	const asked = quiet(
		(async () => {
			if (framedByStranger()) throw new Error("The chat does not open inside another site's frame.");
			config = await fetch(`${origin}/embed/${handle}${queryOf(script)}`, { credentials: "omit", referrerPolicy: "no-referrer", signal })
				.then((answer) => answer.json())
				.catch(() => {
					throw new Error(unreachable);
				});
			if (!config.show) throw new Error(config.help);
			if (config.help) say(handle, config.help);
			if (!document.body) await new Promise((ready) => listen(document, "DOMContentLoaded", ready, signal));
			if (!signal.aborted) show();
		})().catch((why) => {
			// Nothing shows, the site's owner is told, and so is whoever waits.
			if (!signal.aborted) say(handle, why.message);
			destroy();
			throw why;
		}),
	);

	const hearing = (once: boolean) => (event: string, listener: Listener) => {
		const hear = heard.get(listener) ?? ((e: Event) => listener((e as CustomEvent).detail));
		heard.set(listener, hear);
		host.addEventListener(`earthonline:${event}`, hear, { once, signal });
		return () => off(event, listener);
	};
	const off = (event: string, listener: Listener) => host.removeEventListener(`earthonline:${event}`, heard.get(listener) as Listener);
	const hide = (hidden: boolean) => {
		state.hidden = hidden;
		look();
	};

	return {
		script,
		alive: () => (place ?? (shown ? document : script)).isConnected,
		look: () => quiet(look()),
		open: () => open(),
		close: () => quiet(close()),
		toggle: tell("toggle"),
		show: () => hide(false),
		hide() {
			quiet(close());
			hide(true);
		},
		update(attributes) {
			for (const [name, value] of Object.entries(attributes)) {
				if (value == null) delete script.dataset[name];
				else script.dataset[name] = `${value}`;
			}
		},
		async identify(said) {
			claim = said;
			chat?.identify();
		},
		logout() {
			claim = undefined;
			return tell("logout")();
		},
		send: tell("send"),
		destroy,
		on: hearing(false),
		once: hearing(true),
		off,
		get state() {
			return { ...state };
		},
	};
}
