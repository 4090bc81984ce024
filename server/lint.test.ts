/** The rules of biome.json that guard against attacks do catch what they are for, and only where they are meant to. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const HTML = "never parse a string as HTML";
const ASSIGN = "Spread instead";
const DIAL = "ial through server/outbound";

/** What must be found: a path (`x` gets a number), its text, the words of the finding. */
const CAUGHT = [
	["widget/chat/x.ts", "export const f = (e: Element, s: string) => { e.innerHTML = s; };", HTML],
	["widget/chat/x.ts", "export const f = (e: Element, s: string) => { e.innerHTML += s; };", HTML],
	["widget/embed/x.ts", 'export const f = (e: Element, s: string) => e.insertAdjacentHTML("beforeend", s);', HTML],
	["widget/embed/x.ts", "export const f = (e: HTMLIFrameElement, s: string) => { e.srcdoc = s; };", HTML],
	["widget/chat/x.tsx", "export const f = (s: string) => <p dangerouslySetInnerHTML={{ __html: s }} />;", "noDangerouslySetInnerHtml"],
	["server/engine/x.ts", "export const f = (s: string) => Object.assign({}, JSON.parse(s));", ASSIGN],
	["server/a2a/x.ts", "export const f = (s: string) => fetch(s);", "noRestrictedGlobals"],
	["server/a2a/x.ts", "export const f = (s: string) => globalThis.fetch(s);", DIAL],
	["server/site/x.ts", 'import http from "node:http";\nexport const f = (s: string) => http.request(s);', DIAL],
	["server/site/x.ts", 'import { get } from "node:http";\nexport const f = (s: string) => get(s);', DIAL],
	["server/store/x.ts", 'import { request } from "undici";\nexport { request };', DIAL],
	["server/engine/x.test.ts", 'import { it } from "vitest";\nit.only("x", () => {});', "noFocusedTests"],
] as const;

const LEFT_ALONE = [
	["server/outbound/x.ts", "export const f = (s: string) => fetch(s);"],
	["widget/chat/x.ts", 'export const f = () => fetch("/embed/mira");'],
	["server/a2a/x.ts", "/** Never innerHTML, never fetch(x). */\nexport const note = 'Object.assign({}, x); fetch(y)';"],
	["server/site/x.ts", 'import { createServer } from "node:http";\nexport { createServer };'],
] as const;

/** Findings of one run over all of them, by path. */
const found = new Map<string, string>();
let folder: string;

const numbered = (path: string, kind: string, n: number): string => path.replace("/x.", `/${kind}${n}.`);

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "lint-"));
	cpSync(join(ROOT, "biome.json"), join(folder, "biome.json"));
	cpSync(join(ROOT, "scripts/lint"), join(folder, "scripts/lint"), { recursive: true });
	const write = (path: string, text: string) => {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	};
	for (const [n, [path, text]] of CAUGHT.entries()) write(numbered(path, "caught", n), text);
	for (const [n, [path, text]] of LEFT_ALONE.entries()) write(numbered(path, "alone", n), text);
	const run = spawnSync(
		join(ROOT, "node_modules/.bin/biome"),
		["lint", "--reporter=json", "--max-diagnostics=none", "--vcs-enabled=false", "server", "widget"],
		{ cwd: folder, encoding: "utf8" },
	);
	const report = JSON.parse(run.stdout) as { diagnostics: { message: unknown; category: string; location: { path: unknown } }[] };
	for (const d of report.diagnostics) {
		const path = JSON.stringify(d.location.path);
		const file = /(?:server|widget)\/[\w./]+/.exec(path)?.[0] ?? path;
		found.set(file, `${found.get(file) ?? ""}${JSON.stringify(d)}\n`);
	}
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("lint", () => {
	it.each(CAUGHT.map(([path, text, words], n) => [numbered(path, "caught", n), text, words]))("finds in %s: %s", (path, _, words) => {
		expect(found.get(path)).toContain(words);
	});

	it.each(LEFT_ALONE.map(([path, text], n) => [numbered(path, "alone", n), text]))("leaves %s alone: %s", (path) => {
		expect(found.get(path) ?? "").not.toMatch(/ial through|Spread instead|as HTML|noRestricted/);
	});
});
