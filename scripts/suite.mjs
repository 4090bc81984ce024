/**
 * `npm run test:<suite> [-- --long] [-- names…]`: one kind of vitest.config.ts by itself. `--long` sets LONG=1, by which a
 * suite chooses its long form; what else is given goes to vitest as it is.
 */
import { spawnSync } from "node:child_process";

const [project, ...rest] = process.argv.slice(2);
const long = rest.includes("--long");
const steps = [
	...(project === "e2e" ? [["npm", ["run", "--silent", "build"]]] : []),
	["npx", ["vitest", "run", "--project", project, ...rest.filter((arg) => arg !== "--long")]],
];
for (const [command, args] of steps) {
	const { status } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...(long ? { LONG: "1" } : {}) } });
	if (status !== 0) process.exit(status ?? 1);
}
