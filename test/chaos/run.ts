/**
 * `npm run test:chaos [-- names…] [--long] [--seed S]`: what the desk promises when things break (reliability.md, sections 2 and
 * 5), each suite with a broken server that it must find out. Prints a line a check, and closes with `N passed, N failed`.
 */
import { createHash } from "node:crypto";
import { buildServer } from "./build.js";
import { busy } from "./busy.js";
import { disk } from "./disk.js";
import { drain } from "./drain.js";
import { fence } from "./fence.js";
import { fsync } from "./fsync.js";
import { kill } from "./kill.js";
import { poison } from "./poison.js";
import { power } from "./power.js";
import { reaper } from "./reaper.js";
import { slow } from "./slow.js";
import { type Suite, Trial } from "./suite.js";

const SUITES: Suite[] = [kill, power, fsync, fence, poison, reaper, slow, drain, busy, disk];

interface Wish {
	names: string[];
	long: boolean;
	seed: number;
}

/** Throws one line for what is no suite. */
function wishOf(args: readonly string[]): Wish {
	const wish: Wish = { names: [], long: false, seed: Math.floor(Math.random() * 2 ** 31) };
	for (let i = 0; i < args.length; i++) {
		const arg = args[i] as string;
		if (arg === "--long") wish.long = true;
		else if (arg === "--seed") wish.seed = Number(args[++i]);
		else if (SUITES.some((suite) => suite.name === arg)) wish.names.push(arg);
		else
			throw new Error(`There is no suite ${arg}. There are ${SUITES.map((suite) => suite.name).join(", ")}; and --long, --seed <number>.`);
	}
	if (!Number.isInteger(wish.seed)) throw new Error("--seed takes a whole number.");
	return wish;
}

/** Each suite has a seed of its own, so that it can be played again alone. */
const seedOf = (seed: number, name: string): number =>
	(createHash("sha256").update(`${seed} ${name}`).digest().readUInt32BE() & 0x7fffffff) >>> 0;

let passed = 0;
let failed = 0;
try {
	const wish = wishOf(process.argv.slice(2));
	const suites = wish.names.length > 0 ? SUITES.filter(({ name }) => wish.names.includes(name)) : SUITES;
	console.log(`seed ${wish.seed}, ${wish.long ? "long" : "small"} form`);
	const built = await buildServer();
	process.on("exit", built.remove);
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
	for (const suite of suites) {
		const began = Date.now();
		console.log(`\n${suite.name}: ${suite.what}`);
		const trial = new Trial(suite, built.entry, wish.long, seedOf(wish.seed, suite.name));
		try {
			await suite.run(trial);
		} catch (error) {
			trial.failed++;
			console.log(`  ✗ ${suite.name} broke off: ${error instanceof Error ? error.stack : String(error)}`);
		}
		trial.end();
		passed += trial.passed;
		failed += trial.failed;
		console.log(`  ${((Date.now() - began) / 1_000).toFixed(0)} s`);
	}
} catch (error) {
	failed++;
	console.log(error instanceof Error ? error.message : String(error));
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
