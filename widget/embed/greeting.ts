/**
 * `/embed-greeting.js`: the short hello beside the agent (EMB-9), once per visitor. Nothing is stored before the visitor
 * has clicked: a hello that was answered or sent away is remembered in the site's own storage, one that was merely passed
 * by is not said again on the further pages of the same visit.
 */
import type { Corner } from "./parts.js";
import { isChinese, make } from "./view.js";

/** A few seconds in: the visitor has seen where they are. */
const AFTER_MS = 4_000;

const CSS = `.g{position:absolute;inset-inline-end:calc(100% + 12px);bottom:6px;display:flex;width:max-content;max-width:min(280px,100vw - 116px);border:1px solid var(--l);border-radius:14px;background:var(--b);box-shadow:0 8px 32px #1c191733;font:400 15px/22px system-ui,sans-serif;overflow-wrap:anywhere;animation:g .16s ease-out}
.x .g{display:none}
.g *{padding:0;font:inherit;border-radius:14px}
.g .y{padding:11px 0 11px 14px;text-align:start}
.g .z{flex:none;width:44px;height:44px;font-size:20px;color:inherit}
@keyframes g{from{opacity:0;transform:translateY(6px)}}
@media(prefers-reduced-motion:reduce){.g{animation:none}}`;

interface Navigation {
	canGoBack: boolean;
}

/** Whether this page is one that the visitor came to from another of the same site. */
const further = (): boolean =>
	(window as { navigation?: Navigation }).navigation?.canGoBack || document.referrer.startsWith(`${location.origin}/`);

/** Gives what remembers that the visitor has had it. */
export default function greet({ corner, config, options, openers, signal, dress }: Corner): () => void {
	const key = `earthonline:${options.handle}:greeted`;
	const open = make("button", "y", config.greeting as string);
	const close = make("button", "z", "×");
	const bubble = make("div", "g", open, close);
	openers.add(open);
	open.dir = "auto";
	close.ariaLabel = isChinese(options.lang) ? "关闭" : "Dismiss";
	bubble.role = "status";
	const seen = () => {
		clearTimeout(timer);
		bubble.remove();
		try {
			localStorage[key] = 1;
		} catch {
			// A site whose visitors refuse storage says hello at each visit.
		}
	};
	close.onclick = seen;
	let had = further();
	try {
		had ||= localStorage[key];
	} catch {
		// Not remembered.
	}
	const timer = had
		? 0
		: setTimeout(() => {
				dress(CSS);
				corner.append(bubble);
			}, AFTER_MS);
	signal.addEventListener("abort", () => clearTimeout(timer));
	return seen;
}
