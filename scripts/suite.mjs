/**
 * `npm run test:<suite> [-- --long] [-- names…]`: one kind of vitest.config.ts by itself, or one of SUITES. `--long` sets
 * LONG=1, by which a suite chooses its long form; what else is given goes to vitest as it is.
 */
import { spawnSync } from "node:child_process";

/** Suites with files of several kinds. */
const SUITES = {
	site: { kinds: ["unit", "e2e"], files: ["server/engine/sites", "test/security/sites.test.ts", "test/e2e/sites"] },
	xss: {
		kinds: ["unit", "e2e"],
		files: [
			...["answers", "echo", "keep", "messages", "prose"].map((name) => `test/security/${name}.test`),
			"test/e2e/xss",
			"test/e2e/exfil",
			"test/e2e/messages",
		],
	},
};

const [project, ...rest] = process.argv.slice(2);
const long = rest.includes("--long");
const { kinds, files } = SUITES[project] ?? { kinds: [project], files: [] };
const steps = [
	...(project === "e2e" ? [["npm", ["run", "--silent", "build"]]] : []),
	["npx", ["vitest", "run", ...kinds.flatMap((kind) => ["--project", kind]), ...files, ...rest.filter((arg) => arg !== "--long")]],
];
for (const [command, args] of steps) {
	const { status } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...(long ? { LONG: "1" } : {}) } });
	if (status !== 0) process.exit(status ?? 1);
}
