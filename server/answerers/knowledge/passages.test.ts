import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Passage, passagesOf } from "./passages.js";

const cut = (text: string, path = "notes.md") => passagesOf({ path, text });
const said = (passages: Passage[]) => passages.map((p) => p.lines.join("\n"));

describe("cutting notes", () => {
	it("gives each paragraph the headings over it", () => {
		const passages = cut("# Prices\n\nAll with VAT.\n\n## Cups\n\nMugs are 28.\nSmall ones 18.\n\n# Contact #\n\nWrite.");
		expect(passages.map(({ headings, lines }) => ({ headings, lines }))).toEqual([
			{ headings: ["Prices"], lines: ["All with VAT."] },
			{ headings: ["Prices", "Cups"], lines: ["Mugs are 28.", "Small ones 18."] },
			{ headings: ["Contact"], lines: ["Write."] },
		]);
	});

	it("makes each item of a list one, with what is indented under it and the line before the list", () => {
		const passages = cut("Bring with you:\n\n- an apron\n  (old clothes do)\n- a towel\n\n1. first\n2) second\n\nThat is all.");
		expect(said(passages)).toEqual([
			"Bring with you:",
			"- an apron\n  (old clothes do)",
			"- a towel",
			"1. first",
			"2) second",
			"That is all.",
		]);
		expect(passages[1]?.lead).toEqual(["Bring with you:"]);
		expect(passages[1]?.block).toBe(passages[2]?.block);
		expect(passages[5]?.lead).toEqual([]);
	});

	it("makes each row of a table one, with the table's head", () => {
		const passages = cut("| piece | price |\n| --- | ---: |\n| Mug | 28 |\n| Bowl | 24 |\n\nAfter.");
		expect(said(passages)).toEqual(["| Mug | 28 |", "| Bowl | 24 |", "After."]);
		expect(passages[0]).toMatchObject({ kind: "row", lead: ["| piece | price |", "| --- | ---: |"] });
	});

	it("keeps a question with its answer, also over an empty line", () => {
		expect(said(cut("Q: Open?\nA: Yes.\nQ: Cash?\n\nA: No.\n\n问：可以吗？\n答：可以。"))).toEqual([
			"Q: Open?\nA: Yes.",
			"Q: Cash?\nA: No.",
			"问：可以吗？\n答：可以。",
		]);
	});

	it("reads neither comments nor front matter, but a rule at the top is no front matter", () => {
		expect(said(cut("---\ntitle: x\nsecret: y\n---\nShown.<!-- hidden\nhidden --> Also.\n<!-- open end"))).toEqual(["Shown. Also."]);
		expect(said(cut("---\n\nWe are open on Sundays too\n\n---\n\nMore."))).toEqual(["We are open on Sundays too", "More."]);
	});

	it("takes code as it stands", () => {
		expect(said(cut("```\n# no heading\n- no item\n```\nAfter."))).toEqual(["```\n# no heading\n- no item\n```", "After."]);
	});

	it("cuts long paragraphs between sentences", () => {
		const passages = cut("This is a sentence of forty characters ok. ".repeat(60));
		expect(passages.length).toBeGreaterThan(4);
		for (const { lines } of passages) {
			expect(lines.join(" ").length).toBeLessThan(650);
			expect(lines.join(" ")).toMatch(/ok\.$/);
		}
	});

	it.each(["_notes.md", "a/_b/c.md", ".hidden.md", "instructions.md", "people/INSTRUCTIONS.md"])("does not open %s", (path) => {
		expect(cut("Words.", path)).toEqual([]);
	});

	it("only ever says pieces of the file, and loses none of its paragraphs", () => {
		const line = fc.oneof(
			fc.constantFrom(
				"",
				"# Head",
				"## Sub?",
				"- item",
				"  - deeper",
				"1. one",
				"| a | b |",
				"| - | - |",
				"```",
				"---",
				"Q: x?",
				"A: y.",
				"> quote",
				"List:",
				"**bold**",
				"一句话。",
			),
			fc.string({ maxLength: 40 }),
		);
		fc.assert(
			fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
				const text = lines.join("\n");
				for (const passage of cut(text)) {
					for (const one of [...passage.lines, ...passage.lead]) expect(text.includes(one)).toBe(true);
					expect(passage.lines.length).toBeGreaterThan(0);
				}
			}),
			{ numRuns: 500 },
		);
		fc.assert(
			fc.property(fc.array(fc.stringMatching(/^[a-z]{3,9} [a-z]{3,9}$/), { maxLength: 12 }), (paragraphs) => {
				expect(said(cut(paragraphs.join("\n\n")))).toEqual(paragraphs);
			}),
		);
	});
});
