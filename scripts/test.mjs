/**
 * `npm test`: everything that continuous integration runs, in the order in which it fails soonest. Goes on after a failure,
 * so that one run shows all of them, and closes with one line over everything: `N passed, N failed`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHECKS } from "./check.mjs";
import { complaint, prepare } from "./prepare-tests.mjs";

const folder = mkdtempSync(join(tmpdir(), "earthonline-test-"));
const report = join(folder, "vitest.json");

let passed = 0;
let failed = 0;
let skipped = 0;
const broken = [];

/** Runs a program to its end. Returns its exit code and, where asked for, what it printed. */
function run(command, args, { capture = false } = {}) {
	const done = spawnSync(command, args, {
		stdio: ["ignore", capture ? "pipe" : "inherit", "inherit"],
		encoding: "utf8",
		maxBuffer: 1 << 28,
	});
	if (capture) process.stdout.write(done.stdout ?? "");
	return { code: done.status ?? 1, output: done.stdout ?? "" };
}

/** A step that passes or fails as one. */
function step(name, command, args) {
	console.log(`\n── ${name}`);
	const ok = run(command, args).code === 0;
	if (ok) passed++;
	else {
		failed++;
		broken.push(name);
	}
	return ok;
}

/** A program that closes with `N passed, N failed` itself. */
function suite(name, command, args) {
	console.log(`\n── ${name}`);
	const { code, output } = run(command, args, { capture: true });
	const line = [...output.matchAll(/^(\d+) passed, (\d+) failed\s*$/gm)].at(-1);
	passed += Number(line?.[1] ?? 0);
	failed += Number(line?.[2] ?? 0);
	if (code === 0 && line) return;
	broken.push(name);
	if (!Number(line?.[2])) failed++;
}

/** Vitest over all its projects, counted from its report. */
function vitest() {
	console.log("\n── tests");
	const { code } = run("npx", ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`]);
	let counted = 0;
	try {
		const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, "utf8"));
		passed += numPassedTests;
		failed += numFailedTests;
		skipped += numPendingTests + numTodoTests;
		counted = numFailedTests;
	} catch (error) {
		console.error(`The tests left no report: ${error.message}`);
	}
	if (code === 0) return;
	broken.push("tests");
	if (counted === 0) failed++;
}

const missing = prepare();
if (missing.length > 0) {
	console.error(complaint(missing));
	process.exit(1);
}
step("build", "npm", ["run", "--silent", "build"]);
for (const check of CHECKS) step(...check);
vitest();
suite("chaos, small form", "npm", ["run", "--silent", "test:chaos"]);

rmSync(folder, { recursive: true, force: true });
if (broken.length > 0) console.error(`\nFailed: ${broken.join(", ")}`);
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed === 0 && broken.length === 0 ? 0 : 1);
