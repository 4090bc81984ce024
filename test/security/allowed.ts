/**
 * What may stand in a document of ours, whatever somebody's words are: which elements, which attributes, and where an address may lead.
 * `faultsIn` is one function without a name from outside it, so that it runs in a browser as it runs here.
 */

/** Elements that our documents are made of. No element that fetches, frames, or changes what others mean is among them but `img`. */
const TAGS =
	"html head body title main header footer section article nav div span p h1 h2 h3 h4 ul ol li dl dt dd table thead tbody tr th td blockquote pre code em strong b bdi i small del br hr a img button form label textarea input select option fieldset legend details summary time dialog output noscript figure figcaption progress";
/** Parts of our own drawings. */
const DRAWN = "svg path circle ellipse rect g line polyline polygon clippath text title defs";
const ATTRIBUTES =
	"class id dir lang role title type tabindex href target rel src alt width height start scope datetime rows cols placeholder enterkeyhint disabled value name method action for maxlength required autocomplete spellcheck autocapitalize inputmode open hidden checked selected decoding loading translate accept multiple download max";
const DRAWN_ATTRIBUTES =
	"xmlns viewbox width height fill stroke stroke-width stroke-linecap stroke-linejoin d cx cy r rx ry x y x1 x2 y1 y2 points class role opacity transform clip-path id aria-labelledby font-family font-size font-weight textlength lengthadjust focusable";

export interface Allowance {
	tags: string;
	attributes: string;
	drawn: string;
	drawnAttributes: string;
	/** Elements of the document itself that are ours: its head, its script. As `faultsIn` describes them. */
	own: string[];
}

export const ALLOWED: Allowance = { tags: TAGS, attributes: ATTRIBUTES, drawn: DRAWN, drawnAttributes: DRAWN_ATTRIBUTES, own: [] };

/** Every element below a root that may not be there, or bears what it may not: one line each. */
export function faultsIn(root: Node, allowed: Allowance): string[] {
	const set = (words: string): Set<string> => new Set(words.split(" "));
	const [tags, attributes, drawn, drawnAttributes] = [
		set(allowed.tags),
		set(allowed.attributes),
		set(allowed.drawn),
		set(allowed.drawnAttributes),
	];
	const faults: string[] = [];
	const describe = (element: Element): string =>
		`<${element.localName}${[...element.attributes].map(({ name, value }) => ` ${name}="${value}"`).join("")}>`;
	const look = (element: Element): void => {
		const said = describe(element);
		if (allowed.own.includes(said)) return;
		const isDrawn = element.namespaceURI === "http://www.w3.org/2000/svg";
		if (!(isDrawn ? drawn : tags).has(element.localName.toLowerCase())) faults.push(said);
		for (const { name, value } of element.attributes) {
			// The box grows with what is written in it.
			if (name === "style" && element.localName === "textarea" && /^height: (?:auto|[\d.]+px);$/.test(value)) continue;
			const known = /^(?:aria|data)-[a-z-]+$/.test(name) || (isDrawn ? drawnAttributes : attributes).has(name.toLowerCase());
			const leads =
				name === "href"
					? /^(?:https?:\/\/|mailto:|tel:|[/#?](?!\/)|[a-z-]+$)/i
					: name === "src" || name === "action"
						? /^(?:\/(?!\/)|blob:|#)/
						: undefined;
			if (!known || (leads && !leads.test(value)) || (/url\(/i.test(value) && isDrawn && !/^url\(#\w+\)$/.test(value)))
				faults.push(`${name} of ${said}`);
		}
	};
	const walk = (node: Node): void => {
		if (node.nodeType === 1) look(node as Element);
		for (const child of node.childNodes) walk(child);
		const { shadowRoot, content } = node as { shadowRoot?: ShadowRoot | null; content?: DocumentFragment };
		if (shadowRoot) walk(shadowRoot);
		if (content && content.nodeType === 11) walk(content);
	};
	walk(root);
	return faults;
}
