// `npm start`: the built server, or what to do where it is not built yet.
import { existsSync } from "node:fs";

const program = new URL("../dist/server/main.js", import.meta.url);
if (existsSync(program)) {
	await import(program.href);
} else {
	console.error("The server is not built yet. Run: npm run build");
	process.exitCode = 1;
}
