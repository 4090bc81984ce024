/**
 * `/embed-greeting.js`: the short hello beside the agent (EMB-9), once per visitor. Nothing is stored before the visitor
 * has clicked: a hello that was sent away, or a chat that was opened, is remembered in the site's own storage; one that was
 * merely passed by is not said again on the further pages of the same visit, nor when the page is loaded again.
 */
import type { SiteConfig } from "../../shared/embed.js";
import type { Part, Shared } from "./parts.js";

/** A few seconds in: the visitor has seen where they are. */
const AFTER_MS = 4_000;

const CSS = `.x .g{display:none}
.g .z{height:44px;font-size:20px;width:44px;flex:none}
.g{position:absolute;padding-inline-start:14px;bottom:6px;inset-inline-end:calc(100% + 12px + 76px*var(--m));max-width:min(280px,100vw - 96px - var(--eo-x,20px) - 76px*(var(--m) + var(--k)));border:1px solid var(--l);border-radius:14px;background:var(--b);box-shadow:0 8px 32px #1c191733;font:400 15px/22px system-ui,sans-serif;width:max-content;animation:g .16s ease-out;display:flex;overflow-wrap:anywhere}
@keyframes g{from{opacity:0;transform:translateY(6px)}}
.g .y{padding:11px 0;text-align:start}
.g *{padding:0;border-radius:14px;font:inherit}
@media(prefers-reduced-motion:reduce){.g{animation:none}}`;

/** Whether the visitor has come to this page from another of the same site, or loaded it again. */
const further = (): boolean =>
	(window as { navigation?: { canGoBack: boolean } }).navigation?.canGoBack ||
	document.referrer.startsWith(`${location.origin}/`) ||
	(performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined)?.type === "reload";

export default function greet(at: Shared): Part {
	const { config, corner, host, make, signal } = at;
	const key = `earthonline:${config.handle}:greeted`;
	const face = corner.querySelector(".b") as HTMLElement;
	const words = make("button", "y");
	const away = make("button", "z", "×");
	const bubble = make("div", "g", words, away);
	const asked = () => `${at.options.greeting},${at.options.lang}`;
	let was = asked();
	let timer: ReturnType<typeof setTimeout>;
	let had = further();

	/** Whether the visitor has had it, of any chat with this agent; `now`: they have. */
	const kept = (now?: boolean): unknown => {
		try {
			if (now) localStorage[key] = 1;
			return localStorage[key];
		} catch {
			// A site whose visitors refuse storage says hello at each visit.
			return false;
		}
	};
	const seen = () => {
		had = true;
		bubble.remove();
		kept(true);
	};
	/** Roots of all chats of the page. */
	const all = () => [...document.querySelectorAll("earth-online")].map((each) => each.shadowRoot);
	const slotOf = (shadow: ShadowRoot | null) => Number(shadow?.querySelector<HTMLElement>(".w")?.style.getPropertyValue("--k")) || 0;
	/** Beside all that stand in the corner: never over another's face. */
	const beside = () => {
		const count = `${Math.max(...all().map(slotOf)) - slotOf(host.shadowRoot)}`;
		if (bubble.style.getPropertyValue("--m") !== count) bubble.style.setProperty("--m", count);
	};
	const hello = () => {
		if (had || kept() || !words.textContent) return;
		// One at a time.
		if (all().some((each) => each?.querySelector(".g"))) return wait();
		beside();
		corner.append(bubble);
	};
	const wait = () => {
		clearTimeout(timer);
		timer = setTimeout(hello, AFTER_MS);
	};
	/** What is said; nothing for nothing. */
	const write = (text = "") => {
		words.textContent = text;
		if (!text) bubble.remove();
		else if (!bubble.isConnected) wait();
	};

	const label = () => {
		away.ariaLabel = at.zh(at.options.lang) ? "关闭" : "Dismiss";
	};

	at.style(CSS);
	label();
	words.dir = "auto";
	bubble.role = "status";
	away.onclick = seen;
	words.onclick = () => face.click();
	// Whoever comes near the hello comes near the chat.
	words.onpointerenter = () => face.dispatchEvent(new Event("pointerover", { bubbles: true, composed: true }));
	host.addEventListener("earthonline:open", seen);
	signal.addEventListener("abort", () => clearTimeout(timer));
	if (at.had) seen();
	if (config.greeting === undefined) was = "";
	else write(config.greeting);

	return {
		look() {
			beside();
			// The words are the server's, also where the page's code asks for others.
			const now = asked();
			if (was === now) return;
			was = now;
			label();
			if (config.embed || at.options.greeting !== undefined) at.ask().then((answer) => write((answer as SiteConfig).greeting));
			else write();
		},
	};
}
