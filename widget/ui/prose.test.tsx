// @vitest-environment happy-dom
import { cleanup, fireEvent, render } from "@testing-library/preact";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Prose } from "./prose.js";

afterEach(cleanup);

const WORDS = { copy: "Copy", copied: "Copied" };
const draw = (text: string): HTMLElement => render(<Prose text={text} words={WORDS} />).container.firstElementChild as HTMLElement;

/** Everything that drawn words may consist of. What is not here is never made, whatever the words are. */
const ALLOWED: Record<string, string[]> = {
	P: ["dir", "class"],
	A: ["href", "target", "rel"],
	SPAN: ["class", "role"],
	BUTTON: ["type"],
	DIV: ["class", "dir", "tabindex"],
	PRE: ["tabindex"],
	OL: ["dir", "start"],
	UL: ["dir"],
	BLOCKQUOTE: ["dir"],
	TH: ["scope", "class"],
	TD: ["class"],
	...Object.fromEntries(["BR", "HR", "CODE", "DEL", "EM", "STRONG", "LI", "TABLE", "THEAD", "TBODY", "TR"].map((tag) => [tag, []])),
};

function check(root: Element, source: string): void {
	for (const element of root.querySelectorAll("*")) {
		const attributes = ALLOWED[element.tagName];
		expect(attributes, `<${element.tagName}> out of ${JSON.stringify(source)}`).toBeDefined();
		for (const { name } of [...element.attributes])
			expect(attributes, `${name} of <${element.tagName}> out of ${JSON.stringify(source)}`).toContain(name);
		if (element.tagName !== "A") continue;
		expect(element.getAttribute("href"), source).toMatch(/^(?:https?:\/\/|mailto:|tel:)/);
		expect(element.getAttribute("target")).toBe("_blank");
		expect(element.getAttribute("rel")).toBe("noopener noreferrer nofollow ugc");
	}
}

describe("whatever the words are", () => {
	test.each([
		"<script>alert(1)</script>",
		"<img src=x onerror=alert(1)>",
		"<svg/onload=alert(1)>",
		"<iframe src=javascript:alert(1)>",
		"<style>*{display:none}</style>",
		"<a href='javascript:alert(1)' onclick=alert(1)>x</a>",
		"![x](https://evil.example/track.png)",
		'![x](https://evil.example/t.png" onload="alert(1))',
		"[x](javascript:alert(1))",
		"[x](JAVASCRIPT&colon;alert(1))",
		"[x](\u0001javascript:alert(1))",
		"[x](data:text/html,<script>1</script>)",
		'[`x`](javascript:alert(1) "t")',
		'[a](https://x.example/"onmouseover="alert(1))',
		"[a](<https://x.example/' onclick='alert(1)>)",
		'```html"><script>alert(1)</script>\n<b>\n```',
		"| <script> | b |\n|---|---|\n| <img src=x> | [x](javascript:1) |",
		"> <iframe>\n> - <object data=x>",
		"&lt;script&gt;alert(1)&lt;/script&gt;",
		"<https://x.example/<script>>",
		"# <h1 onclick=x>",
		"1. <video src=x>\n2. <embed>",
		"[x]: https://evil.example\n[x]",
		"\u202e<script>",
		"<!--<img src=--><img src=x onerror=alert(1)//>",
		"<math><mtext></table><mglyph><style><img src=x>",
	])("%j is words", (source) => {
		const root = draw(source);
		check(root, source);
		expect(root.textContent).not.toBe("");
	});

	test("made of any pieces in any order", () => {
		const piece = fc.constantFrom(
			..."*,**,_,__,~~,`,```,~~~,[,](,](https://a.example),](javascript:1),![,>,- ,1. ,# ,|,\n,\n\n,|-|-|\n, ,<,<script>,<img src=x>,&lt;,\\,https://b.example/,@c.example,a,中".split(
				",",
			),
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
				const source = pieces.join("");
				check(draw(source), source);
				cleanup();
			}),
			{ numRuns: 500 },
		);
	});
});

describe("links", () => {
	test("show where they lead when their words do not", () => {
		expect(draw("[the docs](https://a.example/x)").textContent).toBe("the docs a.example");
		expect(draw("[https://bank.example](https://evil.example)").textContent).toBe("https://bank.example evil.example");
		expect(draw("[bank.example](https://bank.example.evil.example)").textContent).toBe("bank.example bank.example.evil.example");
		expect(draw("[write me](mailto:ada@b.example)").textContent).toBe("write me ada@b.example");
	});

	test("say nothing twice", () => {
		for (const source of [
			"[a.example](https://a.example/x)",
			"[https://a.example/x](https://a.example/x)",
			"https://a.example/x",
			"[www.a.example](https://a.example)",
			"[a.example/y](https://a.example/x)",
		]) {
			expect(draw(source).querySelector(".where"), source).toBeNull();
		}
	});

	test("a picture is a link by its description", () => {
		const root = draw("![A cat](https://a.example/cat.png)");
		expect(root.querySelector("a")?.textContent).toBe("A cat");
	});
});

test("a code block is copied as it is, and says so", async () => {
	const writeText = vi.fn(() => Promise.resolve());
	vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
	const root = draw("```js\nconst a = '<b>';\n```");
	const button = root.querySelector("button") as HTMLButtonElement;
	expect([button.textContent, root.querySelector(".code-head span")?.textContent]).toEqual(["Copy", "js"]);
	fireEvent.click(button);
	await vi.waitFor(() => expect(button.textContent).toBe("Copied"));
	expect(writeText).toHaveBeenCalledWith("const a = '<b>';");
	vi.unstubAllGlobals();
});

test("words run the way most of their letters do, code always left to right", () => {
	const root = draw("Harbor، أداة مفتوحة المصدر\n\nEnglish\n\n```\nx\n```");
	expect([...root.children].map((child) => child.getAttribute("dir"))).toEqual(["rtl", "ltr", "ltr"]);
});
