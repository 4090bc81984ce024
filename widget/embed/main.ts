/**
 * `/embed.js`: the same bytes for every site. Gives the page `window.EarthOnline`, finds its tags, and starts each once.
 * Whatever goes wrong in here stays in here: the site that pasted the line never breaks.
 */
import type { Theme } from "../../shared/embed.js";
import { createInstance, type Handle, type Instance, type Page } from "./instance.js";
import { say } from "./say.js";
import { findTags, originOf, readTag } from "./tag.js";
import { isDarkPage, schemeTag } from "./theme.js";

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
	/** Tags that were taken up, and as what: one whose chat was destroyed does not come back by itself. */
	const taken = new WeakMap<HTMLScriptElement, string>();
	let waiting = false;

	const take = (script: HTMLScriptElement): void => {
		// Two tags that ask for the same are one; an id of its own makes one another.
		const { origin, handle, embed, mode, selector } = readTag(script);
		if (!handle) return say("embed.js", "The tag needs a data-handle.");
		const key = taken.get(script) ?? `${[origin, handle, embed ?? mode, selector, script.id]}`;
		const twin = instances.get(key);
		if (!twin) {
			if (taken.has(script)) return;
			const gone = () => {
				instances.delete(key);
				if (!instances.size) observer.disconnect();
			};
			instances.set(key, createInstance(script, page, gone));
		} else if (!twin.script.isConnected) {
			// The one that is on the page is the one whose attributes change.
			twin.script = script;
			page.look();
		}
		taken.set(script, key);
		observer.observe(script, { attributes: true });
		watch();
	};

	const page: Page = {
		slots: 0,
		look() {
			page.slots = 0;
			if (document.body) page.dark = isDarkPage();
			for (const instance of instances.values()) {
				if (instance.alive()) instance.look();
				else {
					// Its place is gone; its tag, should it come again, begins anew.
					instance.destroy();
					taken.delete(instance.script);
					watch();
				}
			}
		},
	};

	const api: Api = {
		get: (id) => [...instances.values()].find(({ names, alive }) => alive() && (!id || names.includes(`${id}`))),
		setTheme(theme) {
			page.theme = theme;
			page.look();
		},
		push(call) {
			try {
				call(api);
			} catch (error) {
				say("embed.js", `${error}`);
			}
		},
		scan(script) {
			page.look();
			findTags(originOf(script), take, script);
		},
	};

	/** What of the page is looked at: for the theme, the place, the tags that routers bring, the badges. */
	const watch = () => {
		observer.observe(document, { childList: true, subtree: true });
		for (const place of [document.documentElement, document.body, schemeTag()]) if (place) observer.observe(place, { attributes: true });
	};
	/** At most once a frame, when styles are computed anyway. */
	const observer = new MutationObserver(() => {
		if (waiting) return;
		waiting = true;
		requestAnimationFrame(() => {
			waiting = false;
			// In a page that a router has kept as a copy our elements are empty shells.
			for (const shell of document.querySelectorAll("earth-online")) if (!shell.shadowRoot) shell.remove();
			page.look();
			findTags(originOf(own), take);
			if (instances.size) watch();
		});
	});

	const earlier = window.EarthOnline as (Partial<Api> & Call[]) | undefined;
	if (earlier?.scan) earlier.scan(own);
	else {
		window.EarthOnline = api;
		api.scan(own);
		earlier?.forEach(api.push);
	}
} catch (error) {
	say("embed.js", `${error}`);
}
