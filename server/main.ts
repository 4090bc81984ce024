/** `npm start`: the server alone, from its settings. The same as `earthonline serve`, without loading the other commands. */
import { explain } from "./explain.js";
import { serveFromSettings } from "./serve.js";

try {
	await serveFromSettings(process.env, (line) => process.stdout.write(`${line}\n`));
} catch (error) {
	for (const line of explain(error)) process.stderr.write(`${line}\n`);
	process.exitCode = 1;
}
