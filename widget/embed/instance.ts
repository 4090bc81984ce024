/**
 * One tag at work until somebody means to talk: asks its server once, shows the button or the place, and then fetches what
 * opens a chat. Everything it hangs on to the page hangs on one AbortController, so that `destroy` leaves nothing behind, and
 * whatever is still on its way then comes to nothing. Stores nothing.
 */
import { type Claim, isAccent, type SiteConfig, type Theme } from "../../shared/embed.js";
import { listen } from "./listen.js";
import type { Chat, Part, Shared, State } from "./parts.js";
import { say } from "./say.js";
import { dress, looks } from "./style.js";
import { queryOf, readTag } from "./tag.js";
import { watchScheme } from "./theme.js";
import { drawFace, type Face, isChinese, make, titleOf } from "./view.js";

/** How long a pointer rests on the button before that counts as meaning to talk. */
const INTENT_MS = 80;
/** A server that has not answered by now is not going to. */
const ANSWER_MS = 10_000;
/** When a file that did not come is asked for again; then after twice that, and so on. */
const AGAIN_MS = 30_000;

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
	/** By what it is got. */
	names: unknown[];
	/** The tag; another that asks for the same where a router has put that in its place. */
	script: HTMLScriptElement;
	/** Whether it still has its place; a router takes an inline chat away with its page. */
	alive(): boolean;
	/** The page or its own tag has changed. */
	look(): void;
}

/** What the chats of one page share. */
export interface Page {
	/** The site's own word, over the tags. */
	theme?: Theme;
	/** How the page looks. */
	dark?: boolean;
	/** How many stand in its corner. */
	slots: number;
	/** Reads the page, and shows each chat what has changed. */
	look(): void;
}

/** Starts a tag. `gone` is called when it is destroyed or may not show. */
export function createInstance(script: HTMLScriptElement, page: Page, gone: () => void): Instance {
	let options = readTag(script);
	const { origin, handle } = options;
	const base = `${origin}/@${handle}`;
	const host = make("earth-online");
	const root = make("div", "w");
	const life = new AbortController();
	const { signal } = life;
	const state: State = { open: false, ready: false, hidden: false, online: false, unread: 0 };
	const sheets: string[] = [];
	const heard = new WeakMap<Listener, (event: Event) => void>();
	const coming: Record<string, Promise<unknown> | undefined> = {};
	const parts: { chat?: Chat; button?: Part; greeting?: Part; [name: string]: unknown } = {};

	let faces: Face[] = [];
	let config: SiteConfig;
	/** Stands where the line is pasted. */
	let place: HTMLElement | undefined;
	let view: IntersectionObserver | undefined;
	/** Its place in the corner. */
	let slot = 0;
	let tries = 0;
	let intent: number;
	let shown = false;
	/** What was drawn, as text. */
	let drawn: string;
	let end: (why: Error) => void;

	const ended = new Promise<never>((_, fail) => {
		end = fail;
	});
	/** Rejected where the chat is destroyed before a promise is fulfilled. Whoever does not wait for it is not troubled by its failure. */
	const living = <T>(promise: Promise<T>): Promise<T> => {
		const race = Promise.race([ended, promise]);
		race.catch(() => {});
		return race;
	};

	const blocked = `${origin} did not load. If it runs, add it to this page's script-src, connect-src and frame-src.`;
	const busy = `${origin} is busy. Load this page again in a minute.`;
	const get = (path: string) => fetch(origin + path, { credentials: "omit", referrerPolicy: "no-referrer", signal });
	const missed = (name: string) =>
		get(`/embed-${name}.js`).then(
			({ ok }) => say(handle, ok ? blocked : busy),
			() => signal.aborted || say(handle, blocked),
		);
	/**
	 * One of the other files: the chat once somebody means to talk, the others where the page has use for them. One that does not come
	 * is asked for again later, at another address: browsers differ in whether they ask twice at the same.
	 */
	const need = <T>(name: string): Promise<T> => {
		coming[name] ??= living(
			asked
				.then(() => import(/* @vite-ignore */ `${origin}/embed-${name}.js${tries ? `?${tries}` : ""}`))
				.then(
					(file) => {
						if (!shown) return;
						parts[name] = file.default(at);
						page.look();
						return parts[name];
					},
					(why) => {
						if (shown) {
							at.corner.hidden = false;
							missed(name);
							setTimeout(again, AGAIN_MS * ++tries, name);
						}
						throw why;
					},
				),
		);
		return coming[name] as Promise<T>;
	};
	const again = (name: string) => {
		if (!shown) return;
		coming[name] = undefined;
		page.look();
	};
	const ask = (): Promise<SiteConfig | string> =>
		Promise.race([
			get(`/embed/${handle}${queryOf(script)}`).then(
				(answer) => answer.json().catch(() => busy),
				() => blocked,
			),
			new Promise<string>((late) => setTimeout(late, ANSWER_MS, busy)),
		]);

	/** Looks that follow the tag, the page, and how the chat stands. Written only where something has changed. */
	const draw = () => {
		const { theme, accent, z } = options;
		const wish = page.theme ?? theme;
		const dark = wish === "dark" || (wish !== "light" && page.dark);
		const now = JSON.stringify([dark, slot, options, state]);
		if (now === drawn) return;
		drawn = now;
		host.style.cssText = `--z:${+(z as string) || 2_147_483_000}`;
		for (const [at, button, dot, label] of faces) {
			at.hidden = state.hidden;
			at.classList.toggle("d", !!dark);
			at.style.cssText = `--k:${slot};${isAccent(accent as string) ? `--a:${accent}` : ""}`;
			if (!button) continue;
			(dot as HTMLElement).hidden = !state.online;
			button.ariaLabel = (label as () => string)();
		}
		parts.chat?.look();
	};

	const at: Shared = {
		corner: make("div", "k"),
		get options() {
			return options;
		},
		signal,
		draw,
		base,
		get faces() {
			return faces;
		},
		face(to, kind, label, ...words) {
			const dot = make("i", "o");
			const button = make("button", kind, make("span", "h", drawFace(config.face, origin), dot), ...words);
			faces.push([to, button, dot, label]);
			drawn = "";
			return button;
		},
		zh: isChinese,
		ask,
		state,
		style(css) {
			sheets.push(css);
			for (const [to] of faces) dress(to.getRootNode() as ShadowRoot, css, script.nonce);
		},
		/** One in the head has no place there. */
		stand(it) {
			place = it;
			if (script.closest("body")) script.after(it);
			else document.body.append(it);
		},
		attach(to, inside, how) {
			const shadow = to.attachShadow({ mode: "open" });
			for (const css of [looks(how), ...sheets]) dress(shadow, css, script.nonce);
			shadow.append(inside);
		},
		host,
		make,
		root,
		missed,
	} as Omit<Shared, "config"> as Shared;

	const prepare = () => need<Chat>("chat");
	const tell =
		<A extends unknown[]>(name: keyof Chat) =>
		(...args: A): Promise<void> => {
			if (name !== "logout") hide(false);
			return living(prepare().then((chat) => (chat[name] as (...args: A) => Promise<void>)(...args)));
		};
	const open = tell<[by?: HTMLElement]>("open");
	const close = () => living(Promise.resolve(coming.chat).then((chat) => (chat as Chat)?.close()));

	const isOurs = (on: unknown) => faces.some(([, button]) => button === on);
	/** What of ours, or of the site's own, an event is on. */
	const opener = (event: Event) => event.composedPath().find((on) => isOurs(on) || (on as Element).matches?.(options.selector as string));
	const near = (event: Event) => {
		clearTimeout(intent);
		if (!opener(event)) return;
		intent = setTimeout(prepare, INTENT_MS) as unknown as number;
	};
	const click = (event: Event) => {
		const by = opener(event) as HTMLElement;
		// A link that is to open beside this page does so.
		if (!by || (event as MouseEvent).ctrlKey || (event as MouseEvent).metaKey) return;
		event.preventDefault();
		if (state.open && isOurs(by)) close();
		else open(by).catch(() => state.open || signal.aborted || window.open(`${base}/chat`));
	};

	/** Reads the tag as it is now. Mode and number are those that the chat was begun with. */
	const read = () => {
		const { mode, embed, accent } = options;
		options = readTag(script, config.embed);
		const odd = (name: "mode" | "embed" | "accent" | "selector", is: unknown) =>
			is && say(handle, `data-${name}="${options[name]}" is not taken.`);
		odd("mode", options.mode !== mode);
		odd("embed", options.embed !== embed);
		// What it was at first the server has looked at.
		odd("accent", options.accent && options.accent !== accent && !isAccent(options.accent));
		// A list of selectors is one in here.
		const bad = !CSS.supports(`selector(:not(${options.selector}))`);
		odd("selector", bad);
		options = { ...options, mode, embed };
		if (bad) options.selector = undefined;
	};

	const look = () => {
		if (!shown) return;
		read();
		const { mode, selector, greeting } = options;
		if (mode === "floating") slot = page.slots++;
		// A body that was swapped for another gets it again.
		if (mode !== "inline" && !host.isConnected) {
			document.body.append(host);
			drawn = "";
		}
		if (mode === "pet") need("pet");
		if ((mode === "button" && !selector) || document.querySelector(`a[href^="${base}"] img[src^="${base}/"]`)) need("button");
		if (at.corner.isConnected && (config.greeting ?? greeting) != null) need("greeting");
		parts.button?.look();
		parts.greeting?.look();
		faces = faces.filter(([to]) => to.isConnected);
		draw();
	};

	const show = () => {
		at.config = config;
		options = readTag(script, config.embed);
		const { mode } = options;
		state.online = config.online as boolean;
		if (mode === "floating" || mode === "pet") {
			at.corner.append(at.face(root, "b", () => titleOf(config.name as string, options.lang)));
			root.append(at.corner);
			// Never two looks: nothing shows until the pet is there. If it cannot come, the button is its face.
			at.corner.hidden = mode === "pet";
		} else faces.push([root]);
		at.attach(host, root, mode === "inline" ? "display:block" : "position:fixed");
		if (mode === "inline") {
			at.stand(host);
			view = new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && prepare(), { rootMargin: "300px" });
			view.observe(host);
		}
		shown = true;
		page.look();
		watchScheme(page.look, signal);
		listen(document, "pointerover focusin", near, signal);
		listen(document, "click", click, signal);
	};

	const destroy = (why?: Error) => {
		if (signal.aborted) return;
		if (why) say(handle, why.message);
		shown = false;
		coming.chat = ended;
		end(why ?? new Error("The chat was destroyed."));
		life.abort();
		view?.disconnect();
		place?.remove();
		host.remove();
		gone();
	};

	const asked: Promise<void> = living(
		(async () => {
			try {
				// Reading a stranger's window throws. The browser refuses the frame there whatever we do: `frame-ancestors` wants
				// every page around it to be of the one site (site-builder previews).
				for (let w: Window = window; w.parent.origin && w !== w.parent; w = w.parent);
			} catch {
				throw new Error("The chat does not open inside another site's frame.");
			}
			const answer = await ask();
			config = answer as SiteConfig;
			if (!config.show) throw new Error(config.help ?? (answer as string));
			if (config.help) say(handle, config.help);
			if (!document.body) await new Promise((ready) => listen(document, "DOMContentLoaded", ready, signal));
			if (!signal.aborted) show();
		})(),
	);
	asked.catch(destroy);

	const hearing = (once: boolean) => (event: string, listener: Listener) => {
		const hear = heard.get(listener) ?? ((e: Event) => listener((e as CustomEvent).detail));
		heard.set(listener, hear);
		host.addEventListener(`earthonline:${event}`, hear, { once });
		return () => off(event, listener);
	};
	const off = (event: string, listener: Listener) => host.removeEventListener(`earthonline:${event}`, heard.get(listener) as Listener);
	const hide = (hidden: boolean) => {
		state.hidden = hidden;
		page.look();
	};

	return {
		close,
		toggle: tell("toggle"),
		get script() {
			return script;
		},
		set script(next) {
			script = next;
		},
		logout() {
			at.claim = undefined;
			return tell("logout")();
		},
		update(attributes) {
			for (const name in attributes) {
				if (attributes[name] == null) delete script.dataset[name];
				else script.dataset[name] = attributes[name] as string;
			}
		},
		async identify(said) {
			at.claim = said;
			parts.chat?.identify();
		},
		alive: () => !place || place.isConnected,
		get state() {
			return { ...state };
		},
		show: () => hide(false),
		destroy: () => destroy(),
		hide() {
			close();
			hide(true);
		},
		send: tell("send"),
		names: [script.id, handle, options.embed],
		once: hearing(true),
		open,
		off,
		on: hearing(false),
		look,
	};
}
