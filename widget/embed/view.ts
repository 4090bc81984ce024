/**
 * The elements that stand in the page itself. Every element is made by hand, never parsed from text, so that no Trusted
 * Types policy is needed.
 */
/** Whether the few words that stand in the page are Chinese: the tag says, or the visitor's browser. */
export const isChinese = (lang?: string | null): boolean => /^zh/.test(lang || navigator.language);

/** The chat's name. */
export const titleOf = (name: string, lang?: string | null): string => (isChinese(lang) ? `与 ${name} 聊天` : `Chat with ${name}`);

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

/** A root of looks, the button in it that opens the chat, its dot, its name. A tuple: names of members weigh as much as what they name. */
export type Face = readonly [root: HTMLElement, button?: HTMLButtonElement, dot?: HTMLElement, label?: string];

/** `words`: what is read on the button beside the face. */
export function createFace(root: HTMLElement, kind: string, url: string, name: string, label: string, ...words: (Node | string)[]): Face {
	const dot = make("i", "o");
	const image = new Image();
	image.alt = "";
	// Where the site's policy lets no picture in, the name's first letter.
	image.onerror = () => image.replaceWith([...name][0] as string);
	image.src = url;
	return [root, make("button", kind, make("span", "h", image, dot), ...words), dot, label];
}
