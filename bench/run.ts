/**
 * `npm run bench [-- names…] [--peers] [--pairs N]`: measures what docs/performance.md promises, prints a table and writes
 * `bench/results/<name>.json`. A name is a bench's, or a word of it. Without names: all.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readBenches } from "./a2a-read.js";
import { sendBenches } from "./a2a-send.js";
import { streamBenches } from "./a2a-stream.js";
import type { Bench } from "./bench.js";
import { httpBenches } from "./http.js";
import { missedBy, type Row } from "./measure.js";
import { buildPrograms, installPeers, Programs } from "./programs.js";
import { startBenches } from "./start.js";
import { upkeepBenches } from "./upkeep.js";
import { crowdBenches } from "./ws-crowd.js";
import { turnBenches } from "./ws-turn.js";

const BENCHES: readonly Bench[] = [
	...sendBenches,
	...readBenches,
	...streamBenches,
	...httpBenches,
	...turnBenches,
	...crowdBenches,
	...upkeepBenches,
	...startBenches,
];

/** A bench by its whole name, else all that have the word. */
function chosen(names: readonly string[]): readonly Bench[] {
	if (names.length === 0) return BENCHES;
	const found = names.map((name) => {
		const exact = BENCHES.filter((bench) => bench.name === name);
		return exact.length > 0 ? exact : BENCHES.filter((bench) => bench.name.split(" ").includes(name));
	});
	const unknown = names.filter((_, i) => found[i]?.length === 0);
	if (unknown.length > 0)
		throw new Error(`There is no bench ${unknown.join(", ")}. There are: ${BENCHES.map((bench) => bench.name).join(", ")}.`);
	return [...new Set(found.flat())];
}

const number = (value: number): string => {
	const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 3;
	return value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
};

/** What a row says in each column of the table. */
function cells(row: Row): string[] {
	const { ratio, target } = row;
	const beside = row.peer ?? row.floor;
	const missed = missedBy(row);
	return [
		row.what,
		number(row.ours),
		beside ? `${beside.name} ${number(beside.value)}` : "",
		ratio ? `${number(ratio.median)} (${number(ratio.low)} to ${number(ratio.high)})` : "",
		target ? `${target.at === "least" ? "≥" : "≤"} ${target.bound}${target.of === "ratio" ? " ×" : ""}` : "",
		target === undefined ? "" : missed === undefined ? "not measured" : missed === 0 ? "met" : `missed by ${number(missed * 100)} %`,
	];
}

const COLUMNS = ["", "ours", "peer or floor", "ratio (all pairs)", "target", ""];

function print(rows: readonly Row[]): void {
	const table = [COLUMNS, ...rows.map(cells)];
	const widths = COLUMNS.map((_, column) => Math.max(...table.map((line) => (line[column] ?? "").length)));
	for (const line of table) console.log(`  ${line.map((cell, column) => cell.padEnd(widths[column] as number)).join("  ")}`);
}

/** Where it ran: absolute numbers mean nothing without it. */
const machine = () => ({ cpu: cpus()[0]?.model.trim() ?? "", cores: cpus().length, node: process.version, platform: process.platform });

const { values: options, positionals } = parseArgs({
	allowPositionals: true,
	options: { peers: { type: "boolean", default: false }, pairs: { type: "string", default: "5" } },
});
const pairs = Number(options.pairs);
if (!Number.isInteger(pairs) || pairs < 1) throw new Error("Give --pairs a whole number from 1 on.");
const wanted = chosen(positionals);
if (options.peers) installPeers();
await buildPrograms();

const results = fileURLToPath(new URL("results/", import.meta.url));
const programs = new Programs();
for (const bench of wanted) {
	console.log(`\n${bench.name}`);
	const load = loadavg()[0] ?? 0;
	try {
		const rows = await bench.run({ pairs, peers: options.peers, programs });
		print(rows);
		const result = {
			name: bench.name,
			at: new Date().toISOString(),
			machine: machine(),
			loadBefore: load,
			pairs,
			peers: options.peers,
			rows,
		};
		mkdirSync(results, { recursive: true });
		writeFileSync(new URL(`results/${bench.name.replaceAll(" ", "-")}.json`, import.meta.url), `${JSON.stringify(result, null, "\t")}\n`);
	} catch (error) {
		// The others are measured all the same.
		console.error(error);
		process.exitCode = 1;
	} finally {
		await programs.stopAll();
	}
}
process.exit();
