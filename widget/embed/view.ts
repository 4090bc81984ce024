/**
 * The elements of one chat in the page: one custom element with a shadow root, and in it the button and the panel. Every
 * element is made by hand, never parsed from text, so that no Trusted Types policy is needed.
 */
import type { Language } from "../../shared/embed.js";
import { dress } from "./style.js";

/** The few words that stand in the page itself, in the visitor's language. */
export const TEXTS: Record<Language, { chat: (name: string) => string; unread: (count: number) => string }> = {
	en: { chat: (name) => `Chat with ${name}`, unread: (count) => `, ${count} unread` },
	zh: { chat: (name) => `与 ${name} 聊天`, unread: (count) => `，${count} 条未读` },
};

export function make<K extends keyof HTMLElementTagNameMap>(
	tag: K,
	name: string,
	...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);
	element.className = name;
	element.append(...children);
	return element;
}

/**
 * A tuple, since names of members weigh as much as what they name. The host stands in the page; the root bears the classes
 * that `style.ts` names; the panel is the browser's own dialog, which knows how to be modal and where the focus came from.
 */
export function createView(nonce: string, inline: boolean) {
	const host = document.createElement("earth-online");
	const dot = make("i", "o");
	const count = make("b", "n");
	const button = make("button", "b", dot, count);
	const waiting = make("div", "l");
	const panel = make(inline ? "div" : "dialog", "p", waiting) as HTMLDialogElement;
	const root = make("div", "w", panel);
	if (!inline) {
		root.className += " v";
		root.prepend(button);
	}
	const shadow = host.attachShadow({ mode: "open" });
	dress(shadow, inline, nonce);
	shadow.append(root);
	return [host, root, button, dot, count, panel, waiting] as const;
}

/** A picture where the site's policy lets one in, else the name's first letter. */
export function drawFace(url: string, name: string): HTMLElement {
	const image = new Image();
	image.alt = "";
	image.crossOrigin = "";
	image.onerror = () => image.replaceWith(make("i", "", [...name][0] as string));
	image.src = url;
	return image;
}
