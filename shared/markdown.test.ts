import { describe, expect, test } from "vitest";
import { parseInline, type Span } from "./inline.js";
import { parseMarkdown, plainWords } from "./markdown.js";

/** Spans as a line that can be read: **bold**, //italic//, ~~strike~~, `code`, ¶ for a break, text→where for a link. */
const line = (spans: readonly Span[]): string =>
	spans
		.map((span) => {
			if (span.break) return "¶";
			let text = span.code ? `\`${span.text}\`` : span.text;
			if (span.strike) text = `~~${text}~~`;
			if (span.italic) text = `//${text}//`;
			if (span.bold) text = `**${text}**`;
			return span.link ? `${text}→${span.link.where}` : text;
		})
		.join("|");

describe("within a paragraph", () => {
	test.each([
		["plain", "plain"],
		["**b** and *i*", "**b**| and |//i//"],
		["__b__ _i_ ~~s~~", "**b**| |//i//| |~~s~~"],
		["***both***", "**//both//**"],
		["**b *bi* b**", "**b **|**//bi//**|** b**"],
		["snake_case_name and 2*3*4", "snake_case_name and 2|//3//|4"],
		["2 * 3 * 4", "2 * 3 * 4"],
		["a ~b~ c", "a ~b~ c"],
		["**open", "**open"],
		["请**注意。**后面", "请|**注意。**|后面"],
		["这是**“重点”**内容", "这是|**“重点”**|内容"],
		["`a*b*`", "`a*b*`"],
		["``a`b``", "`a`b`"],
		["`never closed", "`never closed"],
		["\\*not\\* \\`code\\`", "*not* `code`"],
		["a\nb", "a|¶|b"],
		["a<br>b", "a|¶|b"],
		["&lt;b&gt; &amp;amp; &nope;", "<b> &amp; &nope;"],
		["<b>bold</b> <script>alert(1)</script>", "<b>bold</b> <script>alert(1)</script>"],
	])("%j reads %j", (source, expected) => {
		expect(line(parseInline(source))).toBe(expected);
	});
});

describe("links", () => {
	test.each([
		["[words](https://a.example/x)", "words→a.example"],
		["[https://a.example](https://b.example)", "https://a.example→b.example"],
		["[see https://a.example]", "[see |https://a.example→a.example|]"],
		["[**b** w](https://a.example)", "**b**→a.example| w→a.example"],
		['[t](https://a.example "title")', "t→a.example"],
		["[t](<https://a.example/a b>)", "t→a.example"],
		["[wiki](https://a.example/A_(b))", "wiki→a.example"],
		["![picture](https://a.example/p.png)", "picture→a.example"],
		["![](https://a.example/p.png?q=secret)", "a.example→a.example"],
		["see https://a.example/x, or (https://b.example).", "see |https://a.example/x→a.example|, or (|https://b.example→b.example|)."],
		["www.a.example/x", "www.a.example/x→www.a.example"],
		["请看https://a.example/页面", "请看|https://a.example/→a.example|页面"],
		["<https://a.example>", "https://a.example→a.example"],
		["write to ada@b.example.", "write to |ada@b.example→ada@b.example|."],
		["<mailto:ada@b.example>", "mailto:ada@b.example→ada@b.example"],
		["[call](tel:+4930123456)", "call→+4930123456"],
		["[ünï](https://xn--n3h.example)", "ünï→xn--n3h.example"],
		["[a [b](https://a.example) c](https://c.example)", "[a |b→a.example| c](|https://c.example→c.example|)"],
	])("%j reads %j", (source, expected) => {
		expect(line(parseInline(source))).toBe(expected);
	});

	test.each([
		"[x](javascript:alert(1))",
		"[x](JaVaScRiPt:alert(1))",
		"[x](java\tscript:alert(1))",
		"[x](&#106;avascript:alert(1))",
		"[x](<javascript:alert(1)>)",
		"[x]( javascript:alert(1))",
		"[x](data:text/html,<script>alert(1)</script>)",
		"[x](data:text/html;base64,PHNjcmlwdD4=)",
		"[x](vbscript:msgbox)",
		"[x](file:///etc/passwd)",
		"[x](blob:null/1)",
		"[x](//evil.example)",
		"[x](/relative)",
		"[x](#fragment)",
		"[x](https://user:pass@evil.example)",
		"[x](https://bank.example@evil.example)",
		"[x](https://)",
		"[x](filesystem:x)",
		"[x](intent://a#Intent;end)",
		"![x](javascript:alert(1))",
		"<javascript:alert(1)>",
		"<img src=x onerror=alert(1)>",
		"first_last@b.example",
		"[x][1]\n\n[1]: javascript:alert(1)",
	])("%j makes none", (source) => {
		const all = parseMarkdown(source).flatMap((block) => ("spans" in block ? block.spans : []));
		expect(all.length).toBeGreaterThan(0);
		expect(all.filter((span) => span.link)).toEqual([]);
	});
});

describe("blocks", () => {
	const shape = (source: string): unknown =>
		parseMarkdown(source).map(function draw(block): unknown {
			switch (block.type) {
				case "paragraph":
					return line(block.spans);
				case "heading":
					return `# ${line(block.spans)}`;
				case "code":
					return { [`code ${block.language}`.trim()]: block.text };
				case "quote":
					return { quote: block.blocks.map(draw) };
				case "list":
					return { [block.ordered ? `from ${block.start}` : "list"]: block.items.map((item) => item.map(draw)) };
				case "table":
					return { head: block.head.map(line), align: block.align, rows: block.rows.map((row) => row.map(line)) };
				default:
					return "---";
			}
		});

	test.each<[string, unknown]>([
		["a\n\nb\nc", ["a", "b|¶|c"]],
		["## Title ##\ntext", ["# Title", "text"]],
		["#hashtag", ["#hashtag"]],
		["C# #", ["C# #"]],
		["```js\nlet a = 1;\n\n  b\n```\nafter", [{ "code js": "let a = 1;\n\n  b" }, "after"]],
		["~~~\n```\n~~~", [{ code: "```" }]],
		["text\n```\nstill coming", ["text", { code: "still coming" }]],
		["````md\n```\n````", [{ "code md": "```" }]],
		["> a\n> > b\n\nc", [{ quote: ["a", { quote: ["b"] }] }, "c"]],
		["- a\n- b\n  - c\n    - d\n- e", [{ list: [["a"], ["b", { list: [["c", { list: [["d"]] }]] }], ["e"]] }]],
		["1. a\n  - b\n2. c", [{ "from 1": [["a", { list: [["b"]] }], ["c"]] }]],
		["3) a\n4) b", [{ "from 3": [["a"], ["b"]] }]],
		["- a\n  more\n\n  second\n- b", [{ list: [["a|¶|more", "second"], ["b"]] }]],
		["- a\nlazy\n\nafter", [{ list: [["a|¶|lazy"]] }, "after"]],
		["1. a\n   ```\n   code\n   ```\n2. b", [{ "from 1": [["a", { code: "code" }], ["b"]] }]],
		["- a\n* b", [{ list: [["a"]] }, { list: [["b"]] }]],
		["In\n2024. we", ["In|¶|2024. we"]],
		["a\n- b", ["a", { list: [["b"]] }]],
		["---\na", ["---", "a"]],
		["* * *", ["---"]],
		// biome-ignore format: one piece a line says no more.
		[
			"| a | b |\n|:--|--:|\n| 1 | x\\|y |\n| 2 |\n\nend",
			[
				{
					head: ["a", "b"],
					align: ["start", "end"],
					rows: [
						["1", "x|y"],
						["2", ""],
					],
				},
				"end",
			],
		],
		["a | b\n--- | ---\n**1** | 2", [{ head: ["a", "b"], align: [undefined, undefined], rows: [["**1**", "2"]] }]],
		["a | b", ["a | b"]],
		["", []],
		["\r\na\r\nb", ["a|¶|b"]],
	])("%j", (source, expected) => {
		expect(shape(source)).toEqual(expected);
	});

	test("reads out words and nothing else", () => {
		expect(plainWords(parseMarkdown("# Hi\n\n**Bold** [link](https://a.example)\n- one\n- two\n\n```\nx\n```"))).toBe(
			"Hi\nBold link\none\ntwo\nx",
		);
	});

	test("stops at a depth", () => {
		expect(JSON.stringify(parseMarkdown(`${">".repeat(5_000)} a`)).length).toBeLessThan(20_000);
		expect(JSON.stringify(parseMarkdown(`${"- ".repeat(5_000)} a`)).length).toBeLessThan(20_000);
	});
});

describe("hostile input of 100 KB", () => {
	const SIZE = 100_000;
	const fill = (piece: string): string => piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);
	const payloads: Record<string, string> = Object.fromEntries(
		// biome-ignore format: one piece a line says no more.
		[
			"*", "_", "~", "`", "[", "]", "(", "<", ">", "!", "&", "\\", "|", "#", "-", " ", "\t", "\n", "@", "h", "w.", ":",
			"*a ", "**a *b ", "_a_b", "*a_ ", "a**b_c*", "**a**", "***a", "~~a ", "~~a~~", "*a **b ***c ",
			"`a``b```c````", "` `` ", "[a](", "[a](b", "[](<", "![](", "[[a]", "[a]](", "[a](https://a.b)", "![[", "](", "[a](x \"", "[a](x '",
			"<a", "<a ", "<http://a", "http://", "https://a.", "http://a)", "https://a.b/)))", "www.", "www.a", "a@", "a@b.", "@a.b", "a.a.", "+@",
			"> ", ">>", "- ", "1. ", "- a\n", "- a\n ", "> a\n", "- - ", "1. 1) ", "  - a\n    - b\n", "|a|\n|-|\n", "| a ", "|-|-", "a|b\n", "|\n", "```\n", "~~~a\n", "# a #", "# #", "* * ", "-\n\n", "&amp;", "&#39;", "&a",
			"\\*", "a\\\n", "é*", "中**文。**", "\u202e", "😀*",
		].map((piece) => [piece, fill(piece)]),
	);
	payloads["runs of many lengths"] = Array.from({ length: 440 }, (_, i) => "`".repeat(i + 1))
		.join(" ")
		.slice(0, SIZE);
	payloads["deep brackets"] = "[".repeat(SIZE / 2) + "](https://a.b)".repeat(SIZE / 28);
	payloads["many openers, then links"] = fill("*a ").slice(0, SIZE / 2) + fill("[a](https://a.b)").slice(0, SIZE / 2);
	payloads["openers and closers"] = `${"*".repeat(SIZE / 2)}a${"*".repeat(SIZE / 2)}`;
	payloads["opened and closed one by one"] = "*a ".repeat(SIZE / 6) + "a* ".repeat(SIZE / 6);
	payloads["a wide table"] = `${"|a".repeat(20_000)}\n${"|-".repeat(20_000)}\n`;
	payloads["deeper and deeper"] = Array.from({ length: 440 }, (_, i) => `${" ".repeat(i)}- a`).join("\n");

	test.each(Object.keys(payloads))("%j is linear", (name) => {
		const source = payloads[name] as string;
		const time = (text: string): number => {
			const start = performance.now();
			parseMarkdown(text);
			return performance.now() - start;
		};
		// The best of a few: what is slow by its nature is slow every time, and another process is not.
		const whole = Math.min(time(source), time(source), time(source));
		expect(whole).toBeLessThan(250);
	});
});
