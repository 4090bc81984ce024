/** `npm run check`, the fast gate: everything that can be said about the code without running it. Goes on after a failure. */
import { spawnSync } from "node:child_process";

/** Name, program, arguments. Sizes are those of a fresh build. */
export const CHECKS = [
	["format and lint", "npx", ["biome", "check"]],
	["types", "npx", ["tsc"]],
	["unused code", "npx", ["knip"]],
	["layers and lint rules", "npx", ["vitest", "run", "server/layers.test.ts", "server/lint.test.ts"]],
	["sizes", "npm", ["run", "--silent", "sizes"]],
];

if (import.meta.filename === process.argv[1]) {
	const failed = CHECKS.filter(([name, command, args]) => {
		console.log(`── ${name}`);
		return spawnSync(command, args, { stdio: "inherit" }).status !== 0;
	});
	if (failed.length > 0) {
		console.error(`\nFailed: ${failed.map(([name]) => name).join(", ")}`);
		process.exit(1);
	}
}
