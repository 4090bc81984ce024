/**
 * The face of the pet: the picture that the server draws from the handle (server/site/face.ts), made of elements so that
 * its eyes can move. Read by a grammar of our own, since a page with Trusted Types lets nobody parse text: the shapes and
 * attributes below and nothing else, so whatever a picture says, only shapes come of it.
 */
const SVG = "http://www.w3.org/2000/svg";
const SHAPE = /<(path|circle|ellipse)((?: [\w-]+="[^"<>]*")*)\/>/g;
const ATTRIBUTE = /([\w-]+)="([^"]*)"/g;
const ALLOWED = /^(d|cx|cy|r|rx|ry|fill|opacity|stroke(-(width|linecap|linejoin))?)$/;

const shape = (name: string): SVGElement => document.createElementNS(SVG, name);

export interface PetFace {
	picture: SVGElement;
	/** Undefined where the picture is not one of ours. */
	eyes?: SVGElement;
}

/** Undefined where there is not one shape in the text. */
export function readFace(text: string): PetFace | undefined {
	const shapes = [...text.matchAll(SHAPE)].map(([, name, attributes]) => {
		const element = shape(name as string);
		for (const [, key, value] of (attributes as string).matchAll(ATTRIBUTE))
			if (ALLOWED.test(key as string)) element.setAttribute(key as string, value as string);
		return element;
	});
	if (!shapes[0]) return undefined;
	const picture = shape("svg");
	picture.setAttribute("viewBox", "8 8 80 84");
	picture.setAttribute("aria-hidden", "true");
	// The ground is the page: the first shape is the square behind the face.
	shapes.shift();
	// Eyes stand between the cheeks, the only shapes that one sees through, and the mouth, the last.
	const cheek = shapes.findLastIndex((s) => s.hasAttribute("opacity"));
	const eyes = cheek < 0 ? [] : shapes.slice(cheek + 1, -1);
	picture.append(...shapes);
	if (!eyes[0]) return { picture };
	const group = shape("g");
	const lids = shape("g");
	eyes[0].before(group);
	group.append(lids);
	lids.append(...eyes);
	group.classList.add("eyes");
	lids.classList.add("lids");
	return { picture, eyes: group };
}
