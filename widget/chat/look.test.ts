// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import { contrast } from "../ui/contrast.js";
import { setAccent, setFullScreen, setTheme } from "./look.js";

let root: HTMLElement;
const value = (name: string): string => root.style.getPropertyValue(`--${name}`);

beforeEach(() => {
	root = document.createElement("div");
});

test("an accent is readable wherever it is used", () => {
	for (const accent of ["#f59e0b", "#1d4ed8", "#fff", "#000", "#22c55e"]) {
		setAccent(root, accent);
		expect(contrast(value("accent-light"), value("on-accent-light"))).toBeGreaterThanOrEqual(4.5);
		expect(contrast(value("tint-light"), "#ffffff")).toBeGreaterThanOrEqual(4.5);
		expect(contrast(value("tint-dark"), "#1c1917")).toBeGreaterThanOrEqual(4.5);
	}
});

test("a bubble as light or as dark as its panel gets an edge", () => {
	setAccent(root, "#ffffff");
	expect([value("edge-light"), value("edge-dark")]).toEqual(["var(--soft)", ""]);
});

test.each([undefined, "", "red", "#12345", "#12345g", "url(https://evil.example)", "#123;color:red"])("%j is no accent", (accent) => {
	setAccent(root, accent);
	expect(root.getAttribute("style")).toBeNull();
});

test("theme and full screen are attributes that the style sheet looks at", () => {
	setTheme(root, "dark");
	setFullScreen(root, true);
	expect([root.dataset.theme, root.hasAttribute("data-full")]).toEqual(["dark", true]);
	setFullScreen(root, false);
	expect(root.hasAttribute("data-full")).toBe(false);
});
