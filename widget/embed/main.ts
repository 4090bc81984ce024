/**
 * `/embed.js`: the same bytes for every site. Gives the page `window.EarthOnline`, finds its tags, and starts each once.
 * Whatever goes wrong in here stays in here: the site that pasted the line never breaks.
 */
import type { Theme } from "../../shared/embed.js";
import { createInstance, type Handle, type Instance } from "./instance.js";
import { say } from "./say.js";
import { findTags, originOf, readTag } from "./tag.js";

/** Calls that a page makes before the script has come: `(window.EarthOnline ||= []).push((api) => api.get().open())`. */
type Call = (api: Api) => void;

interface Api {
	/** By the tag's `id` or by handle; without either the page's first. */
	get(id?: string): Handle | undefined;
	setTheme(theme: Theme): void;
	push(call: Call): void;
	/** Takes up tags that are new on the page: what a script loaded a second time does. */
	scan(own?: string): void;
}

declare global {
	interface Window {
		EarthOnline?: Api | Call[];
	}
}

try {
	const instances = new Map<string, Instance>();
	/** Tags that were taken up once: one whose chat was destroyed does not come back by itself. */
	const taken = new WeakSet<HTMLScriptElement>();
	let theme: Theme | undefined;

	const take = (script: HTMLScriptElement): void => {
		if (taken.has(script)) return;
		taken.add(script);
		// Two tags that ask for the same are one.
		const { origin, handle, mode } = readTag(script);
		if (!handle) return say("embed.js", "The tag needs a data-handle.");
		const key = [origin, handle, mode].join();
		const twin = instances.get(key);
		if (twin?.alive()) return;
		twin?.destroy();
		const instance = createInstance(script, () => instances.get(key) === instance && instances.delete(key));
		instances.set(key, instance);
		instance.setTheme(theme);
	};

	const api: Api = {
		get: (id) => [...instances.values()].find(({ script }) => !id || script.id === id || script.dataset.handle === id),
		setTheme(next) {
			theme = next;
			for (const instance of instances.values()) instance.setTheme(next);
		},
		push: (call) => call(api),
		scan: (own) => findTags(own, take),
	};

	const earlier = window.EarthOnline;
	const own = originOf(document.currentScript as HTMLScriptElement | null);
	if (earlier && "scan" in earlier) earlier.scan(own);
	else {
		window.EarthOnline = api;
		api.scan(own);
		earlier?.forEach(api.push);
	}
} catch (error) {
	say("embed.js", `${error}`);
}
