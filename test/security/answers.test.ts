// @vitest-environment happy-dom
/**
 * T-XSS and T-EXFIL for answers that are read without a script (`/@handle/ask/…`): the words of an agent as the server draws them. The
 * browser's own view of the page is in test/e2e/xss.test.ts.
 */
import { describe, expect, it } from "vitest";
import { prose } from "../../server/site/prose.js";
import { seeded } from "../seeded.js";
import { type Allowance, faultsIn } from "./allowed.js";
import { markdownText } from "./markdown-texts.js";

const CASES = process.env.LONG ? 50_000 : 500;
const minutes = (n: number): number => n * 60_000;
/** Time of this process, far more than any text takes: what else the machine does must not decide. */
const SLOW_MS = 3_000;

const drawn = (text: string): string => String(prose(text));
const parsed = (html: string): Element => {
	const place = document.createElement("div");
	place.innerHTML = html;
	return place;
};

const ANSWER: Allowance = {
	tags: "div p a span pre code ol ul li blockquote table thead tbody tr th td br hr del em strong",
	attributes: "class href rel start scope tabindex dir",
	drawn: "",
	drawnAttributes: "",
	own: [],
};

describe("an answer on a page without a script", () => {
	it(`is elements of a short list and text: ${CASES} generated`, { timeout: minutes(20) }, () => {
		const found: string[] = [];
		for (let number = 0; number < CASES && found.length < 10; number++) {
			const text = markdownText(seeded(number));
			for (const fault of faultsIn(parsed(drawn(text)), ANSWER)) found.push(`case ${number}: ${fault} out of ${JSON.stringify(text)}`);
		}
		expect(found).toEqual([]);
	});

	it.each([
		["quotes in quotes", ">".repeat(8_000)],
		["lists in lists", "- ".repeat(8_000)],
		["emphasis in emphasis", `${"*".repeat(5_000)}a${"*".repeat(5_000)}`],
		["words that begin to be emphasised", "_a".repeat(8_000)],
		["brackets", "[".repeat(16_000)],
		["links that are not closed", "[a](".repeat(4_000)],
		["ticks", "`".repeat(16_000)],
		["a wide table", `${"|a".repeat(4_000)}\n${"|-".repeat(4_000)}`],
		["tags that are not closed", "<a ".repeat(5_000)],
	])("is read soon, however it is made: %s", (_, text) => {
		const began = process.cpuUsage();
		expect(drawn(text).length).toBeGreaterThan(0);
		const { user, system } = process.cpuUsage(began);
		expect((user + system) / 1_000).toBeLessThan(SLOW_MS);
	});

	it.each(["https://bank.example@evil.example/x", "https://user:word@evil.example"])(
		"makes no link of an address that reads like another: %s",
		(address) => expect(parsed(drawn(`[x](${address})`)).querySelector("a")).toBeNull(),
	);

	it("says of every link where it leads, as the chat does", () => {
		for (const [text, host] of [
			["[my bank](https://evil.example/x)", "evil.example"],
			["[https://bank.example](https://evil.example)", "evil.example"],
			["[x](https://аррӏе.example)", "xn--80ak6aa92e.example"],
			["[write](mailto:a@evil.example)", "a@evil.example"],
			["[bank.example](https://evil.example\\@bank.example)", "evil.example"],
		] as const)
			expect(parsed(drawn(text)).textContent).toContain(host);
	});
});
