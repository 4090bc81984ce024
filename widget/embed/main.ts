/**
 * `/embed.js`: the same bytes for every site. Gives the page `window.EarthOnline`, finds its tags, and starts each once.
 * Whatever goes wrong in here stays in here: the site that pasted the line never breaks.
 */
import type { Theme } from "../../shared/embed.js";
import { createInstance, type Handle, type Instance, type Page } from "./instance.js";
import { say } from "./say.js";
import { findTags, readTag } from "./tag.js";

/** Calls that a page makes before the script has come: `(window.EarthOnline ||= []).push((api) => api.get().open())`. */
type Call = (api: Api) => void;

interface Api {
	/** By the tag's `id`, by handle, or by the number of an embed; without any the page's first. */
	get(id?: string): Handle | undefined;
	setTheme(theme: Theme): void;
	push(call: Call): void;
	/** Takes up tags that are new on the page: what a script loaded a second time does. */
	scan(own: HTMLScriptElement | null): void;
}

declare global {
	interface Window {
		EarthOnline?: Api | Call[];
	}
}

try {
	const own = document.currentScript as HTMLScriptElement | null;
	const instances = new Map<string, Instance>();
	/** Tags that were taken up once: one whose chat was destroyed does not come back by itself. */
	const taken = new WeakSet<HTMLScriptElement>();
	const page: Page = { slots: [] };
	let waiting = false;

	const take = (script: HTMLScriptElement): void => {
		if (taken.has(script)) return;
		taken.add(script);
		// Two tags that ask for the same are one; an id of its own makes one another.
		const { origin, handle, embed, mode, selector } = readTag(script);
		if (!handle) return say("embed.js", "The tag needs a data-handle.");
		const key = [origin, handle, embed ?? mode, selector, script.id].join();
		const twin = instances.get(key);
		if (twin?.alive()) return;
		twin?.destroy();
		const instance = createInstance(script, page, () => {
			if (instances.get(key) === instance) instances.delete(key);
			if (!instances.size) observer.disconnect();
		});
		instances.set(key, instance);
		watch();
	};

	const look = () => {
		for (const instance of instances.values()) instance.look();
	};

	const api: Api = {
		get: (id) =>
			[...instances.values()].find(({ script }) => {
				const { handle, embed } = readTag(script);
				return !id || [script.id, handle, embed].includes(`${id}`);
			}),
		setTheme(theme) {
			page.theme = theme;
			look();
		},
		push: (call) => call(api),
		scan: (script) => findTags(script, take),
	};

	/** What of the page is looked at: for the theme, the place, the tags that routers bring, the badges. */
	const watch = () => {
		observer.observe(document, { childList: true, subtree: true });
		for (const place of [document.documentElement, document.body, ...[...instances.values()].map(({ script }) => script)])
			if (place) observer.observe(place, { attributes: true });
	};
	/** At most once a frame, when styles are computed anyway. */
	const observer = new MutationObserver(() => {
		if (waiting) return;
		waiting = true;
		requestAnimationFrame(() => {
			waiting = false;
			// In a page that a router has kept as a copy our elements are empty shells.
			for (const shell of document.querySelectorAll("earth-online")) if (!shell.shadowRoot) shell.remove();
			api.scan(own);
			if (instances.size) watch();
			look();
		});
	});

	const earlier = window.EarthOnline;
	if (earlier && "scan" in earlier) earlier.scan(own);
	else {
		window.EarthOnline = api;
		api.scan(own);
		earlier?.forEach(api.push);
	}
} catch (error) {
	say("embed.js", `${error}`);
}
