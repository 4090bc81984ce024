/**
 * The face of the pet: the one that is drawn on the button (view.ts), put in order so that its eyes can move. The order of its shapes
 * is the server's promise (`FaceShape` in shared/embed.ts).
 */
const group = (name: string): SVGElement => {
	const element = document.createElementNS("http://www.w3.org/2000/svg", "g");
	element.classList.add(name);
	return element;
};

/** Gives what moves as the pet looks; undefined where the face has no eyes that are known, as a photo. */
export function wakeFace(picture: SVGElement): SVGElement | undefined {
	const shapes = [...picture.children];
	// Eyes stand between the cheeks, the only shapes that one sees through, and the mouth, the last.
	const cheek = shapes.reduce((last, shape, at) => (shape.hasAttribute("opacity") ? at : last), -1);
	const eyes = cheek < 0 ? [] : shapes.slice(cheek + 1, -1);
	if (!eyes[0]) return undefined;
	// The ground is the page: the first shape is the square behind the face.
	shapes[0]?.remove();
	picture.setAttribute("viewBox", "8 8 80 84");
	const moving = group("eyes");
	const lids = group("lids");
	eyes[0].before(moving);
	moving.append(lids);
	lids.append(...eyes);
	return moving;
}
