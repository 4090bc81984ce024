/**
 * The elements that stand in the page itself. Every element is made by hand, never parsed from text, so that no Trusted
 * Types policy is needed.
 */
import type { FaceShape, SiteConfig } from "../../shared/embed.js";

/** Whether the few words that stand in the page are Chinese: the tag says, or the visitor's browser. */
export const isChinese = (lang?: string | null): boolean => /^zh/.test(lang || navigator.language);

/** The chat's name. */
export const titleOf = (name: string, lang?: string | null): string => (isChinese(lang) ? `与 ${name} 聊天` : `Chat with ${name}`);

export function make<K extends string>(
	tag: K,
	name?: string,
	...children: (Node | string)[]
): K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : HTMLElement;
export function make(tag: string, name?: string, ...children: (Node | string)[]): HTMLElement {
	const element = document.createElement(tag);
	if (name) element.className = name;
	element.append(...children);
	return element;
}

const shape = (name: string, attributes: Record<string, string>): SVGElement => {
	const element = document.createElementNS("http://www.w3.org/2000/svg", name) as SVGElement;
	for (const key in attributes) element.setAttribute(key, attributes[key] as string);
	return element;
};

/** The agent's face: drawn here, so that it costs the page no request and needs no leave of its policy; or a photo, from its server. */
export function drawFace(face: SiteConfig["face"], origin: string): SVGElement {
	const svg = shape("svg", { viewBox: "0 0 96 96" });
	const shapes = typeof face === "string" ? ([["image", { href: origin + face, width: "96", height: "96" }]] as const) : face;
	for (const [name, attributes] of shapes as FaceShape[]) svg.append(shape(name, attributes));
	return svg;
}

/** A root of looks, the button in it that opens the chat, its dot, its name. A tuple: names of members weigh as much as what they name. */
export type Face = readonly [root: HTMLElement, button?: HTMLButtonElement, dot?: HTMLElement, label?: () => string];
