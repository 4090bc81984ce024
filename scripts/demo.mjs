/**
 * `npm run demo`: builds and runs the demo. Refuses first where a server of this folder runs, since a build would take
 * away the files that it serves from.
 */
import { spawnSync } from "node:child_process";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Whether somebody listens on a folder's socket. */
const runsOn = (folder) =>
	new Promise((done) => {
		const socket = connect(join(folder, "admin.sock"))
			.once("connect", () => {
				socket.destroy();
				done(true);
			})
			.once("error", () => done(false));
	});

// Where server/config.ts keeps a server's data and the demo's; a folder that is named is one below the current one.
const usual = [".data", ".data/demo"].map((folder) => fileURLToPath(new URL(`../${folder}`, import.meta.url)));
for (const folder of new Set([...(process.env.DATA_DIR ? [resolve(process.env.DATA_DIR)] : []), ...usual])) {
	if (!(await runsOn(folder))) continue;
	console.error(
		`A server is running on ${folder}. Stop it first: the demo builds the program anew, and that server sends its files from there.`,
	);
	process.exit(1);
}
const built = spawnSync("npm", ["run", "build"], { stdio: "inherit", cwd: fileURLToPath(new URL("..", import.meta.url)) });
if (built.status !== 0) process.exit(built.status ?? 1);
// In this process, so that whoever stops it stops the demo.
process.argv.splice(2, Infinity, "demo");
await import("../bin/earthonline.js");
