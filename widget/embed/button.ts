/**
 * `/embed-button.js`: the "Chat with my agent" button in a page's own text (EMB-5), and this agent's badges, each of which
 * becomes that button, those that come later too (EMB-11). A badge stays where it is, unseen, since a page that draws itself
 * anew must find what it made, and is itself again when the chat goes.
 */
import type { Buttons, Shared } from "./parts.js";
import { isChinese, make } from "./view.js";

/** The numbers of `BADGE` in server/site/badge.ts: a badge that comes alive must not move the page. */
const CSS = `.c{--s:24px;display:flex;align-items:center;gap:8px;height:36px;padding:0 15px 0 6px;border:1px solid var(--a,var(--l));border-radius:28px;background:var(--a,var(--b));color:var(--t,var(--i));font-size:14px;white-space:nowrap}
.c .o{inset-inline-end:-3px;width:11px;height:11px;border-width:2px}
.c>span+span{display:flex;gap:8px;align-items:baseline}
.c small{font:400 13px/18px system-ui,sans-serif;color:var(--t,#57534e)}
.d small{color:var(--t,#a8a29e)}
.c b{font:600 16px/20px system-ui,sans-serif}
.medium{--s:28px;height:40px;gap:9px;padding-inline-end:17px}
.large{--s:40px;height:56px;gap:12px;padding:0 24px 0 8px}
.large>span+span{display:grid;grid-template-columns:auto auto;gap:1px 8px;justify-content:start;text-align:start}
.large b{grid-column:1/3}`;

/** `stand` puts an element where the line is pasted. */
export default function place(at: Shared, stand: (button: HTMLElement) => void): Buttons {
	const { base, options, config, signal } = at;
	/** The live buttons of badges, and what was said of how the badge is shown. */
	const shown = new Map<HTMLElement, [live: HTMLElement, display: string]>();
	at.dress(CSS);

	/** A button in the page's text, in an element of its own. */
	const draw = (size: string | null | undefined, said: string | null | undefined): HTMLElement => {
		const inside = make("div", "w");
		const host = document.createElement("earth-online");
		const words = isChinese(said || options.lang) ? "与我的智能体聊天" : "Chat with my agent";
		const handle = make("small", "", `@${options.handle}`);
		const text =
			size === "large"
				? [make("b", "", config.name as string), make("small", "", words), handle]
				: size === "medium"
					? [words, handle]
					: [words];
		at.furnish(host, inside, "display:inline-block!important;vertical-align:middle");
		inside.append(at.face(inside, `c ${size ?? ""}`, `${words}, ${config.name}`, make("span", "", ...text)));
		return host;
	};

	const give = (badge: HTMLElement): void => {
		const [button, display] = shown.get(badge) as [HTMLElement, string];
		button.remove();
		shown.delete(badge);
		badge.style.display = display;
		// Looked at first: browsers write the attribute late, and would write an empty one after it was taken away.
		if (!badge.getAttribute("style")) badge.removeAttribute("style");
	};
	signal.addEventListener("abort", () => [...shown.keys()].forEach(give));

	if (options.mode === "button" && !signal.aborted) stand(draw(options.size, options.lang));

	return {
		look() {
			if (signal.aborted) return;
			for (const [badge, [button]] of shown) {
				if (!badge.isConnected) give(badge);
				else if (badge.nextSibling !== button) badge.after(button);
			}
			for (const image of document.querySelectorAll<HTMLImageElement>(
				`a[href^="${base}"] img:is([src^="${base}/badge.svg"],[src^="${base}/chat-badge.png"])`,
			)) {
				const badge = image.closest("a") as HTMLElement;
				// Another tag of the page has taken it. (In a page that a router has kept as a copy, what stands beside it is an empty shell.)
				if (badge.nextElementSibling?.shadowRoot) continue;
				const query = new URL(image.src).searchParams;
				const button = draw(query.get("size"), query.get("lang"));
				const { display } = badge.style;
				shown.set(badge, [button, display === "none" ? "" : display]);
				badge.after(button);
				badge.style.setProperty("display", "none", "important");
			}
		},
	};
}
