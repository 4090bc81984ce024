import { describe, expect, it } from "vitest";
import { drawFace, faceMarkup, faceShapes } from "./face.js";

const HANDLES = Array.from({ length: 500 }, (_, i) => `desk-${i}`);

describe("the shapes of a face", () => {
	it("are the picture: elements made of them are the same SVG", () => {
		for (const handle of HANDLES) {
			const drawn = faceShapes(handle).map(
				([element, attributes]) =>
					`<${element}${Object.entries(attributes)
						.map(([name, value]) => ` ${name}="${value}"`)
						.join("")}/>`,
			);
			expect(faceMarkup(handle)).toBe(drawn.join(""));
			expect(drawFace(handle)).toContain(drawn.join(""));
		}
	});

	it("are a few of SVG's, with attributes that draw and nothing else", () => {
		const names = new Set<string>();
		for (const [element, attributes] of HANDLES.flatMap(faceShapes)) {
			expect(["path", "circle", "ellipse"]).toContain(element);
			for (const [name, value] of Object.entries(attributes)) {
				names.add(name);
				expect(value).toMatch(/^(?:#[0-9a-f]{3,6}|none|round|[\d.]+|M[-\d. A-Za-z]+)$/);
			}
		}
		expect([...names].sort()).toEqual(
			["cx", "cy", "d", "fill", "opacity", "r", "rx", "ry", "stroke", "stroke-linecap", "stroke-linejoin", "stroke-width"].sort(),
		);
	});

	it("stand in their order: the ground, the head, two cheeks that one sees through, the eyes, the mouth", () => {
		for (const handle of HANDLES) {
			const shapes = faceShapes(handle);
			expect(shapes[0]?.[1].d).toBe("M0 0h96v96H0z");
			const cheeks = shapes.flatMap(([, { opacity }], i) => (opacity === undefined ? [] : [i]));
			expect(cheeks).toHaveLength(2);
			const eyes = shapes.slice((cheeks[1] as number) + 1, -1);
			expect(eyes.length).toBeGreaterThan(0);
			expect(shapes.at(-1)?.[0]).toBe("path");
		}
	});

	it("are the same each time, differ between handles, and weigh little as JSON", () => {
		expect(faceShapes("mira")).toEqual(faceShapes("mira"));
		const texts = HANDLES.map((handle) => JSON.stringify(faceShapes(handle)));
		expect(new Set(texts).size).toBeGreaterThan(350);
		expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(1_200);
	});

	it("are nobody's to write in: whoever gets one may change it, and the next is as before", () => {
		const shapes = faceShapes("mira");
		for (const [, attributes] of shapes) attributes.fill = "url(#x)";
		expect(JSON.stringify(faceShapes("mira"))).not.toContain("url");
	});
});
