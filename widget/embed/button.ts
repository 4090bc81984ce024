/**
 * `/embed-button.js`: the "Chat with my agent" button in a page's own text (EMB-5), and this agent's badges, each of which
 * becomes that button, those that come later too (EMB-11). A badge stays where it is, unseen, since a page that draws itself
 * anew must find what it made, and is itself again when the chat goes.
 */
import type { Part, Shared } from "./parts.js";

/**
 * The numbers of `BADGE` in server/site/badge.ts: a badge that comes alive must not move the page. On an accent stands black or white,
 * whichever reads better (EMB-8): 0.18 of the luminance of white is where one becomes the other, and then either has 4.5:1. A browser
 * that cannot reckon with colours shows the accent as the edge alone. The grid has two columns whatever stands in it: of the small one the
 * second is empty, and the gap before it is part of the room at its end. Name and handle end in an ellipsis where the badge's do, and
 * sooner where the page is narrower. Its words are English or Chinese on any page: it stands from left to right, as the badge does, or a page
 * from right to left would turn the handle's sign about. The rules stand in the order that packs smallest.
 */
const CSS = `bdi{font-size:16px;grid-column:1/3}
small,bdi{max-width:260px}
.c{background:var(--b);direction:ltr;width:100%;white-space:nowrap;color:var(--i);font:600 14px/20px system-ui,sans-serif;border:1px solid var(--a,var(--l));--s:24px;border-radius:28px;padding-inline:5px 6px;gap:8px;height:36px;align-items:center;text-align:left;display:flex}
.c .o{width:11px;border-width:2px;height:11px;inset-inline-end:-3px}
.c>span+span{grid-template-columns:max-content 1fr;align-items:baseline;display:grid;gap:1px 8px}
.large{--s:40px;gap:12px;height:56px;padding-inline:7px 23px}
.medium{--s:28px;padding-inline:5px 16px;gap:9px;height:40px}
small,bdi,.c>span+span{text-overflow:ellipsis;overflow:hidden}
.c .h{width:var(--s);height:var(--s);flex:none}
small{color:var(--t,#57534e);font:400 13px/18px system-ui,sans-serif}
@supports(color:color(from red xyz x y z)){.c{background:var(--a,var(--b));color:var(--t,var(--i));--t:color(from var(--a) xyz calc((.18 - y)*999) calc((.18 - y)*999) calc((.18 - y)*999))}}
.d small{color:var(--t,#a8a29e)}`;

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
				? [make("bdi", "", config.name as string), make("small", "", words), handle]
				: size === "medium"
					? [words, handle]
					: [words];
		at.attach(host, inside, "display:inline-block!important;max-width:100%!important;vertical-align:middle");
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
				mine = mine?.remove() as undefined;
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
				shown.set(badge, [button, badge.style.display.replace("none", "")]);
				badge.after(button);
				badge.style.setProperty("display", "none", "important");
			}
		},
	};
}
