/** The guide says what is so: its links lead somewhere, its tables name what there is and no more. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMIT_VARIABLES, VARIABLES } from "../server/config.js";
import { DEFAULT_SETTINGS } from "../server/engine/settings.js";
import { PACKAGE_ROOT } from "../server/root.js";
import { TEXTS } from "../server/site/texts.js";

const read = (file: string): string => readFileSync(join(PACKAGE_ROOT, file), "utf8");

const pages = [
	...readdirSync(PACKAGE_ROOT).filter((name) => name.endsWith(".md")),
	...(readdirSync(join(PACKAGE_ROOT, "docs"), { recursive: true }) as string[])
		.filter((name) => name.endsWith(".md"))
		.map((name) => join("docs", name)),
];

/** The code words of the first column of a page's tables, under a heading. */
function firstColumn(file: string, heading: string): string[] {
	const section =
		read(file)
			.split(`\n${heading}\n`)[1]
			?.split(/\n#{1,3} /)[0] ?? "";
	return [...section.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) =>
		[...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word),
	);
}

describe("the guide", () => {
	it.each(pages)("has no link in %s that leads nowhere", (page) => {
		const links = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = ""]) => link).filter((link) => !/^[a-z]+:/.test(link));
		expect(links.filter((link) => !existsSync(join(PACKAGE_ROOT, dirname(page), link)))).toEqual([]);
	});

	it.each([
		["README.md", "## Settings"],
		["docs/settings.md", "## Of the installation"],
	])("names every variable in %s, and no other", (page, heading) => {
		expect(firstColumn(page, heading).sort()).toEqual([...VARIABLES].sort());
	});

	it("names every limit that can be changed", () => {
		const section = read("docs/settings.md").split("### Limits")[1]?.split("\n## ")[0] ?? "";
		let stem = "";
		const named = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) =>
			[...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => {
				// `LIMIT_TURNS_PER_GUEST`, `…_PER_DESK`: the second shares what stands before the first one's `_PER_`.
				if (!word.startsWith("…")) stem = word.replace(/_PER_[A-Z]+$/, "");
				return word.replace("…", stem);
			}),
		);
		expect(named.sort()).toEqual([...LIMIT_VARIABLES.values()].sort());
	});

	it("quotes the lines that the script says in a console as they are", () => {
		const sources = ["widget/embed/instance.ts", "widget/embed/main.ts", "server/site/texts.ts"].map(read).join("\n");
		const table = read("docs/embed.md").split("| it says |")[1]?.split("\n\n")[0] ?? "";
		// What stands for a value is left out: the desk's handle, an attribute's name, everything behind an ellipsis.
		const quoted = [...table.matchAll(/^\| (?!---)([^|]+) \| \S/gm)].flatMap(([, cell = ""]) =>
			cell.split(/…|\banna\b|\b(?:theme|selector)\b/),
		);
		const words = quoted.map((piece) => piece.trim()).filter((piece) => piece.length > 4);
		expect(words.length).toBeGreaterThan(10);
		expect(words.filter((piece) => !sources.includes(piece))).toEqual([]);
	});

	it("tells agents of every sentence that says where a question stands", () => {
		const table = read("docs/agents.md").split("| it says |")[1]?.split("\n\n")[0] ?? "";
		const rows = [...table.matchAll(/^\| (?!---)([^|]+) \| \S/gm)].map(([, cell = ""]) => cell.split("…").map((piece) => piece.trim()));
		const said = Object.entries(TEXTS.en.askStates).map(([state, words]) => [state, words("Anna")] as const);
		const quotes = (pieces: string[], words: string): boolean => pieces.every((piece) => words.includes(piece));
		expect(said.filter(([, words]) => !rows.some((pieces) => quotes(pieces, words))).map(([state]) => state)).toEqual([]);
		expect(rows.filter((pieces) => !said.some(([, words]) => quotes(pieces, words)))).toEqual([]);
	});

	it.each([
		...pages,
		...["texts.ts", "check.ts", "check-texts.ts", "snippet-line.ts", "snippet-texts.ts", "pages.ts"].map((name) =>
			join("server/site", name),
		),
	])("shows in %s no command that a paste into a shell in the project's folder would not find", (page) => {
		// Where a container is spoken to, the command is installed in it.
		const bare =
			/(?<!npx |exec desk |[\w./@-])earthonline (?:serve|demo|owner|desk|key|sites|embed|presets|approvals|app|pictures|memory|settings|backup|restore|doctor)\b.*/g;
		expect(read(page).match(bare) ?? []).toEqual([]);
	});

	it("names every policy of a desk, with its default", () => {
		const section = read("docs/settings.md").split("\n## Of a desk\n")[1] ?? "";
		const rows = [...section.matchAll(/^\| `(\w+)` \| `?([^`|]+)`? \|/gm)].map(([, name, value]) => [name, value?.trim()]);
		const shown = (value: unknown): string => (value === true ? "on" : value === false ? "off" : value === "" ? "empty" : String(value));
		expect(Object.fromEntries(rows)).toEqual(
			Object.fromEntries(Object.entries(DEFAULT_SETTINGS).map(([name, value]) => [name, shown(value)])),
		);
	});
});
