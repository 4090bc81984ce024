/**
 * `/embed-button.js`: the "Chat with my agent" button in a page's own text (EMB-5), and this agent's badges, each of which
 * becomes that button, those that come later too (EMB-11). A badge stays where it is, unseen, since a page that draws itself
 * anew must find what it made, and is itself again when the chat goes.
 */
import type { Part, Shared } from "./parts.js";

/**
 * The numbers of `BADGE` in server/site/badge.ts: a badge that comes alive must not move the page. On an accent stands black or white,
 * whichever reads better (EMB-8): 0.18 of the luminance of white is where one becomes the other, and then either has 4.5:1. A browser
 * that cannot reckon with colours shows the accent as the edge alone.
 */
const CSS = `.c>span+span{gap:8px;display:flex;align-items:baseline}
.c .o{inset-inline-end:-3px;width:11px;border-width:2px;height:11px}
.c .h{width:var(--s);height:var(--s)}
.c{background:var(--b);--s:24px;color:var(--i);padding:0 15px 0 6px;border-radius:28px;display:flex;align-items:center;height:36px;border:1px solid var(--a,var(--l));font:600 14px/20px system-ui,sans-serif;white-space:nowrap;gap:8px}
@supports(color:color(from red xyz x y z)){.c{background:var(--a,var(--b));color:var(--t,var(--i));--t:color(from var(--a) xyz calc((.18 - y)*999) calc((.18 - y)*999) calc((.18 - y)*999))}}
.c b{font:600 16px/20px system-ui,sans-serif}
.c small{color:var(--t,#57534e);font:400 13px/18px system-ui,sans-serif}
.large b{grid-column:1/3}
.large>span+span{gap:1px 8px;display:grid;text-align:start;justify-content:start;grid-template-columns:auto auto}
.large{--s:40px;padding:0 24px 0 8px;gap:12px;height:56px}
.d small{color:var(--t,#a8a29e)}
.medium{--s:28px;gap:9px;height:40px;padding-inline-end:17px}`;

export default function place(at: Shared): Part {
	const { base, config, make } = at;
	/** The live buttons of badges, and what was said of how the badge is shown. */
	const shown = new Map<HTMLElement, [live: HTMLElement, display: string]>();
	let mine: HTMLElement | undefined;
	let drawn: string;
	at.style(CSS);

	/** A button in the page's text, in an element of its own. */
	const draw = (size: string | null | undefined, lang: string | null | undefined): HTMLElement => {
		const inside = make("div", "w");
		const host = make("earth-online");
		const words = at.zh(lang || at.options.lang) ? "与我的智能体聊天" : "Chat with my agent";
		const handle = make("small", "", `@${config.handle}`);
		const text =
			size === "large"
				? [make("b", "", config.name as string), make("small", "", words), handle]
				: size === "medium"
					? [words, handle]
					: [words];
		at.attach(host, inside, "display:inline-block!important;vertical-align:middle");
		inside.append(at.face(inside, `c ${size}`, () => `${words}, ${config.name}`, make("span", "", ...text)));
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
	const giveAll = () => [...shown.keys()].forEach(give);
	at.signal.addEventListener("abort", giveAll);

	return {
		look() {
			const { mode, selector, size, lang } = at.options;
			const now = `${size},${lang}`;
			if (now !== drawn) {
				giveAll();
				mine?.remove();
				mine = undefined;
			}
			drawn = now;
			if (mode === "button" && !selector && !mine) {
				mine = draw(size, lang);
				at.stand(mine);
			}
			for (const [badge, [button]] of shown) {
				if (!badge.isConnected) give(badge);
				else if (badge.nextSibling !== button) badge.after(button);
			}
			for (const image of document.querySelectorAll<HTMLImageElement>(`a[href^="${base}"] img[src^="${base}/"][src*="badge."]`)) {
				const badge = image.closest("a") as HTMLElement;
				// Another tag of the page has taken it.
				if (badge.nextElementSibling?.localName === "earth-online") continue;
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
