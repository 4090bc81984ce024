import { describe, expect, it } from "vitest";
import { prose } from "./prose.js";

const shown = (text: string): string => String(prose(text));

describe("what somebody said, on a page without a script", () => {
	/** Elements, attributes and addresses that no text of somebody's may become. */
	function excess(html: string): string[] {
		const tags = /^(?:p|ul|ol|li|a|span|code|pre|strong|em|del|br|hr|blockquote|div|table|thead|tbody|tr|th|td)$/;
		const names = /^(?:href|rel|class|start|scope|tabindex|dir)$/;
		const found = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, what]) => what as string);
		return [
			...found(/<\/?([a-z0-9]+)/gi).filter((tag) => !tags.test(tag)),
			...found(/ ([a-z-]+)="/g).filter((name) => !names.test(name)),
			...found(/href="([^"]*)"/g).filter((href) => !/^(?:https?:|mailto:|tel:)/.test(href)),
		];
	}

	it("becomes elements", () => {
		expect(shown("# A\n\nb **c** *d* `e` ~~f~~\n\n1. x\n2. y\n\n> q\n\n---")).toBe(
			'<p dir="auto"><strong>A</strong></p><p dir="auto">b <strong>c</strong> <em>d</em> <code>e</code> <del>f</del></p><ol start="1"><li><p dir="auto">x</p></li><li><p dir="auto">y</p></li></ol><blockquote><p dir="auto">q</p></blockquote><hr>',
		);
		expect(shown("| a | b |\n| - | - |\n| 1 | **2** |")).toContain("<tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody>");
	});

	it("says of a link where it leads, unless its words do", () => {
		expect(shown("[my bank](https://evil.example/x)")).toContain('>my bank</a> <span class="where">evil.example</span>');
		expect(shown("https://a.example/b")).not.toContain("where");
	});

	it.each([
		"<script>alert(1)</script>",
		"<img src=x onerror=alert(1)>",
		"text <b onclick=alert(1)>bold</b>",
		"[x](javascript:alert(1))",
		"[x](JaVaScRiPt:alert(1))",
		"[x](data:text/html,<script>alert(1)</script>)",
		"[x](vbscript:x)",
		'[x](https://a.example/"onmouseover="alert(1))',
		"![x](https://a.example/p.png)",
		"[![x](https://a.example/p.png)](javascript:alert(1))",
		"<javascript:alert(1)>",
		"[x]: javascript:alert(1)\n\n[x]",
		"```html\n</code></pre><script>alert(1)</script>\n```",
		"`</code><script>alert(1)</script>`",
		"# <script>alert(1)</script>",
		"| <script>alert(1)</script> | b |\n| - | - |\n| <img src=x onerror=alert(1)> | b |",
		"&lt;script&gt;alert(1)&lt;/script&gt;",
		"<svg/onload=alert(1)>",
		"<!-- --><iframe src=//a.example></iframe>",
	])("makes no element and no link of its own of %j", (text) => {
		expect(excess(shown(text))).toEqual([]);
	});

	it("is found out where an address is believed", () => {
		expect(excess('<a href="javascript:alert(1)">x</a>')).toEqual(["javascript:alert(1)"]);
	});
});
