// @vitest-environment happy-dom
/**
 * T-XSS, the renderer by itself: whatever an agent writes, whole or as far as it has come, becomes elements of a short list and text.
 * `--long` draws a hundred thousand texts. The browser's own view of it is test/e2e/xss.test.ts.
 */
import { render } from "preact";
import { describe, expect, it } from "vitest";
import { Prose } from "../../widget/ui/prose.js";
import { seeded } from "../seeded.js";
import { type Allowance, faultsIn } from "./allowed.js";
import { markdownText } from "./markdown-texts.js";

const SEED = Number(process.env.SEED ?? 20_261_130);
const CASES = process.env.LONG ? 100_000 : 800;
const minutes = (n: number): number => n * 60_000;
const WORDS = { copy: "Copy", copied: "Copied" };

/** Much less than a document of ours may have: what words are drawn with. */
const PROSE: Allowance = {
	tags: "div p a span button pre code ol ul li blockquote table thead tbody tr th td br hr del em strong",
	attributes: "class dir href target rel role type tabindex start scope",
	drawn: "",
	drawnAttributes: "",
	own: [],
};

type Draw = (text: string, into: Element) => void;
const drawn: Draw = (text, into) => render(<Prose text={text} words={WORDS} />, into);

/** Draws so many texts, each also as far as it might have come. Gives what stands there and may not. */
function faults(draw: Draw, cases: number): string[] {
	const found: string[] = [];
	const place = document.createElement("div");
	document.body.replaceChildren(place);
	for (let number = 0; number < cases && found.length < 10; number++) {
		const random = seeded(Math.imul(SEED, 1_000_003) + number);
		const text = markdownText(random);
		for (const part of [text.slice(0, random.int(text.length + 1)), text]) {
			draw(part, place);
			for (const fault of faultsIn(place, PROSE)) found.push(`case ${number}: ${fault} out of ${JSON.stringify(part)}`);
			for (const link of place.querySelectorAll("a")) {
				const { href, target, rel } = link;
				if (!/^(?:https?:\/\/[^@/]+(?:\/|$)|mailto:|tel:)/.test(href) || target !== "_blank" || rel !== "noopener noreferrer nofollow ugc")
					found.push(`case ${number}: a link ${link.outerHTML} out of ${JSON.stringify(part)}`);
			}
		}
	}
	render(null, place);
	return found;
}

describe("an agent's words", () => {
	it(`are elements of a short list and text: ${CASES} generated`, { timeout: minutes(30) }, () => {
		expect(faults(drawn, CASES), `seed ${SEED}`).toEqual([]);
	});

	it("say where every link leads", () => {
		const place = document.createElement("div");
		for (let number = 0; number < 500; number++) {
			drawn(markdownText(seeded(number)), place);
			for (const link of place.querySelectorAll("a")) {
				if (!link.href.startsWith("http")) continue;
				const host = new URL(link.href).host.replace(/^www\./, "");
				const beside = link.nextElementSibling?.className === "where" ? link.nextElementSibling.textContent : "";
				expect(`${link.textContent} ${beside}`.toLowerCase()).toContain(host);
			}
		}
	});
});

describe("a renderer that is not careful is found out", () => {
	const careless: Record<string, Draw> = {
		"one that parses the words as HTML": (text, into) => {
			into.innerHTML = text;
		},
		"one that shows pictures": (text, into) => {
			drawn(text, into);
			for (const link of into.querySelectorAll("a"))
				if (/\.png/.test(link.href)) link.append(Object.assign(document.createElement("img"), { src: link.href }));
		},
		"one that believes every address": (text, into) => {
			drawn(text, into);
			const address = /\]\(([^)]*)/.exec(text)?.[1];
			const link = into.querySelector("a");
			if (link && address) link.href = address;
		},
	};
	it.each(Object.keys(careless))("%s", (name) => {
		expect(faults(careless[name] as Draw, 1_500).length).toBeGreaterThan(0);
	});
});
