/**
 * The house, held by a test (ARCHITECTURE.md, "The house"): which of our folders each folder may import, and which npm and
 * `node:` modules. To bend a rule, change the table here, in the open. A file that no row names is a failure too.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Layer {
	/** Paths that belong to it; the first row that matches counts. */
	files: RegExp;
	/** Ours that it may import, besides itself. */
	ours: RegExp[];
	/** Ours of which it may import the types, and nothing that runs. */
	types?: RegExp[];
	/** Packages. A name covers what is below it: `preact` covers `preact/hooks`. */
	npm: string[];
	/** Node's modules, without `node:`. */
	node: string[];
}

const SCHEMAS = /^shared\/[^/]+\.schema\.ts$/;
const SHARED = /^shared\//;
const SHARED_FOR_BROWSERS = /^shared\/(?!.*\.schema\.ts$)/;
const ENGINE = /^server\/engine\//;
const CALLERS = /^server\/callers\.ts$/;
const OUTBOUND = /^server\/outbound\//;
const UI = /^widget\/ui\//;

/** Doors import the engine, shared and callers; never each other, never hands. */
const door = (files: RegExp, npm: string[], node: string[]): Layer => ({ files, ours: [ENGINE, SHARED, CALLERS], npm, node });
/** Hands import types of the engine, shared and outbound; never doors, never each other. */
const hand = (files: RegExp, npm: string[], node: string[]): Layer => ({ files, ours: [SHARED, OUTBOUND], types: [ENGINE], npm, node });

const LAYERS: Layer[] = [
	// 0
	{ files: SCHEMAS, ours: [SHARED], npm: ["zod"], node: [] },
	{ files: SHARED, ours: [SHARED_FOR_BROWSERS], types: [SCHEMAS], npm: [], node: [] },
	// 1
	{ files: ENGINE, ours: [SHARED], npm: [], node: ["crypto"] },
	{ files: OUTBOUND, ours: [SHARED], npm: ["undici", "ipaddr.js"], node: ["dns", "net", "tls", "stream"] },
	// 2
	{ files: CALLERS, ours: [ENGINE, SHARED], npm: ["proxy-addr"], node: ["crypto", "http", "net"] },
	door(/^server\/a2a\//, ["hono", "@hono/node-server", "ws", "zod"], ["crypto", "http", "stream", "net", "events"]),
	door(/^server\/owner\//, ["hono"], ["crypto"]),
	door(/^server\/site\//, ["hono", "marked", "@resvg/resvg-js"], ["crypto", "fs", "module", "path", "util", "zlib"]),
	hand(/^server\/store\//, ["better-sqlite3", "pg"], ["crypto", "fs", "path", "url", "worker_threads", "os"]),
	hand(/^server\/answerers\//, ["minisearch"], []),
	hand(/^server\/apps\//, ["ical.js"], ["fs", "url", "worker_threads"]),
	hand(/^server\/files\//, ["sharp"], ["child_process", "crypto", "fs", "path", "url"]),
	// 3
	{
		files: /^server\/[^/]+\.ts$/,
		ours: [/^server\//, SHARED, /^demo-site\/serve\.ts$/],
		npm: [
			"zod",
			"pino",
			"commander",
			"close-with-grace",
			"hono",
			"@hono/node-server",
			"ws",
			"prom-client",
			"tldts",
			"better-sqlite3",
			"pg",
		],
		node: ["crypto", "fs", "path", "url", "http", "net", "os", "process", "worker_threads", "perf_hooks", "events", "module"],
	},
	// Browsers
	{ files: /^widget\/embed\//, ours: [/^shared\/embed\.ts$/], types: [SHARED], npm: [], node: [] },
	{ files: UI, ours: [SHARED_FOR_BROWSERS], types: [SCHEMAS], npm: ["preact"], node: [] },
	{ files: /^widget\/chat\//, ours: [UI, SHARED_FOR_BROWSERS], types: [SCHEMAS], npm: ["preact"], node: [] },
	// A stranger's site
	{ files: /^demo-site\//, ours: [], npm: [], node: ["crypto", "http", "fs", "path", "url"] },
];

/** Files that import by address what no build of theirs can see: in a stranger's page, from the server that the tag names. */
const ELSEWHERE = ["widget/embed/instance.ts"];

/** Source files that may be longer than LINES, each with the record in docs/decisions/ that argues it. */
const LONG: Record<string, string> = {};
const LINES = 400;

interface Import {
	from: string;
	/** Nothing of it is left when types are taken away. */
	typeOnly: boolean;
}

/** Every import of a module's text: static, re-exported, dynamic. A computed one comes as `from: "?"`. */
function importsOf(text: string): Import[] {
	const found: Import[] = [];
	const code = text.replace(/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm, "");
	for (const m of code.matchAll(/^[ \t]*(?:import|export)\b(\s+type\b(?!\s*(?:,|from\b)))?[^;'"`()=]*?\bfrom\s*["']([^"']+)["']/gm)) {
		found.push({ from: m[2] ?? "", typeOnly: m[1] !== undefined });
	}
	for (const m of code.matchAll(/^[ \t]*import\s*["']([^"']+)["']/gm)) found.push({ from: m[1] ?? "", typeOnly: false });
	// In a template, `import(` is text for somebody else: a program for a thread, a message.
	for (const m of code
		.replace(/`(?:\\.|[^`\\])*`/g, "``")
		.matchAll(/(?<![.\w])import\s*\(\s*(?:["']([^"']+)["']\s*\)(\s*\.\s*[A-Z])?)?/g)) {
		// `import("./ports.js").Answerer` is a type; nothing else reads a capital straight off a promise.
		found.push({ from: m[1] ?? "?", typeOnly: m[2] !== undefined });
	}
	return found;
}

/** The file of ours that a relative import names: `./x.js` is `x.ts` or `x.tsx`. */
function ourFile(importer: string, from: string, exists: (path: string) => boolean): string {
	const path = normalize(join(dirname(importer), from)).replaceAll("\\", "/");
	const stem = path.replace(/\.js$/, "");
	return [`${stem}.ts`, `${stem}.tsx`].find(exists) ?? path;
}

const layerOf = (file: string): Layer | undefined => LAYERS.find((layer) => layer.files.test(file));

/** What a file imports and may not, as sentences. */
function trespasses(file: string, text: string, exists = (path: string) => existsSync(join(ROOT, path))): string[] {
	const layer = layerOf(file);
	if (!layer) return [`${file} belongs to no layer: give it a row in LAYERS.`];
	const wrong: string[] = [];
	for (const { from, typeOnly } of importsOf(text)) {
		if (from === "?") {
			if (!ELSEWHERE.includes(file)) wrong.push(`${file} imports something computed; write the name out.`);
		} else if (from.startsWith("node:")) {
			if (!layer.node.includes(from.slice(5).split("/")[0] ?? "")) wrong.push(`${file} may not import ${from}.`);
		} else if (from.startsWith(".")) {
			const path = ourFile(file, from, exists);
			if (layerOf(path) === layer || layer.ours.some((r) => r.test(path))) continue;
			if (layer.types?.some((r) => r.test(path))) {
				if (!typeOnly) wrong.push(`${file} may import the types of ${path}, and nothing that runs.`);
			} else if (/\.css$/.test(path) && file.startsWith("widget/")) {
				if (dirname(path).split("/")[1] !== file.split("/")[1] && !UI.test(path)) wrong.push(`${file} may not import ${path}.`);
			} else wrong.push(`${file} may not import ${path}.`);
		} else if (!layer.npm.some((name) => from === name || from.startsWith(`${name}/`))) {
			wrong.push(`${file} may not import ${from}.`);
		}
	}
	return wrong;
}

/** Source files of ours below some folders, without tests. */
function sources(...folders: string[]): string[] {
	return folders
		.flatMap((folder) => (existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }) : []))
		.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$|\.d\.ts$/.test(entry.name))
		.map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
		.filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path));
}

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

describe("the house", () => {
	const house = sources("shared", "server", "widget", "demo-site");

	it("has files to look at", () => expect(house.length).toBeGreaterThan(10));

	it("imports point down only", () => expect(house.flatMap((file) => trespasses(file, read(file)))).toEqual([]));

	it(`keeps every source file under ${LINES} lines, but those that a record argues for`, () => {
		const long = sources("shared", "server", "widget", "demo-site", "test", "bench", "scripts").filter(
			(file) => read(file).trimEnd().split("\n").length >= LINES,
		);
		expect(long.filter((file) => !(file in LONG))).toEqual([]);
		for (const [file, record] of Object.entries(LONG)) {
			expect(long, `${file} is short again: take it off the list`).toContain(file);
			expect(read(`docs/decisions/${record}`)).toContain(file);
		}
	});

	it("opens every module with what it hides and what it promises", () => {
		expect(house.filter((file) => !/^(?:#!.*\n)?\/\*\*/.test(read(file)))).toEqual([]);
	});
});

describe("the test of the house", () => {
	const seen = (file: string, text: string): string[] => trespasses(file, text, (path) => path.endsWith(".ts"));

	it.each([
		["server/engine/tasks.ts", 'import { openStore } from "../store/sqlite.js";'],
		["server/engine/tasks.ts", 'import type { Driver } from "../store/sqlite.js";'],
		["server/engine/tasks.ts", 'import { Hono } from "hono";'],
		["server/engine/tasks.ts", 'import { readFile } from "node:fs/promises";'],
		["server/engine/tasks.ts", 'const fs = await import("node:fs");'],
		["server/engine/tasks.ts", "const fs = await import(name);"],
		["server/engine/tasks.ts", 'export * from "../app.js";'],
		["server/engine/tasks.ts", 'import {\n\ta,\n\tb,\n} from "../a2a/card.js";'],
		["server/store/reads.ts", 'import { settingsOf } from "../engine/settings.js";'],
		["server/store/reads.ts", 'import { type TaskRow } from "../engine/rows.js";'],
		["server/store/reads.ts", 'import type { Card } from "../a2a/card.js";'],
		["server/store/reads.ts", 'import { answer } from "../answerers/knowledge.js";'],
		["server/a2a/card.ts", 'import { frame } from "../site/embed.js";'],
		["server/a2a/card.ts", 'import { openStore } from "../store/sqlite.js";'],
		["server/a2a/card.ts", 'import "../app.js";'],
		["shared/channel.ts", 'import { message } from "./a2a.schema.js";'],
		["shared/channel.ts", 'import { z } from "zod";'],
		["shared/a2a.schema.ts", 'import { randomUUID } from "node:crypto";'],
		["widget/embed/main.ts", 'import { LIMITS } from "../../shared/limits.js";'],
		["widget/embed/main.ts", 'import { h } from "preact";'],
		["widget/chat/main.tsx", 'import { task } from "../../shared/a2a.schema.js";'],
		["widget/chat/main.tsx", 'import { open } from "../embed/frame.js";'],
		["demo-site/serve.ts", 'import { SITES } from "../shared/embed.js";'],
		["server/main.ts", 'import { fake } from "../test/fake.js";'],
		["server/queue/jobs.ts", ""],
	])("reports %s with %s", (file, text) => expect(seen(file, text)).toHaveLength(1));

	it.each([
		["server/engine/tasks.ts", 'import { LIMITS } from "../../shared/limits.js";\nimport { createHash } from "node:crypto";'],
		["server/engine/tasks.ts", "/** Not\nimport { x } from 'hono'\n */\n// import { y } from 'ws';\nconst text = 'from \"hono\"';"],
		["server/engine/engine.ts", 'answerers: import("./ports.js").Answerer[];'],
		["server/store/reads.ts", 'import type { TaskRow } from "../engine/rows.js";'],
		["server/store/reads.ts", 'import type Database from "better-sqlite3";'],
		["server/a2a/card.ts", 'import { callerOf } from "../callers.js";\nimport type { Engine } from "../engine/engine.js";'],
		["shared/channel.ts", 'import type { Message } from "./a2a.schema.js";'],
		["widget/chat/main.tsx", 'import { useState } from "preact/hooks";\nimport "./chat.css";\nimport { Face } from "../ui/face.js";'],
		["server/cli.ts", 'import { serveDemoSite } from "../demo-site/serve.js";'],
	])("lets %s be with %s", (file, text) => expect(seen(file, text)).toEqual([]));
});
