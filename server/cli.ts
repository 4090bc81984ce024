/** The program `earthonline`: the commands of commands.ts on this process's arguments, environment and streams. */
import { runCommand } from "./commands.js";

process.exitCode = await runCommand(process.argv.slice(2), {
	env: process.env,
	print: (line) => process.stdout.write(`${line}\n`),
	complain: (line) => process.stderr.write(`${line}\n`),
});
