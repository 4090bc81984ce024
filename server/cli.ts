/** The program `earthonline`: the commands of commands.ts on this process's arguments, environment and streams. */
import { runCommand } from "./commands.js";

// Whoever reads may have had enough (`earthonline memory gaps anna | head`): that is no fault.
for (const stream of [process.stdout, process.stderr]) {
	stream.on("error", (error: NodeJS.ErrnoException) => {
		if (error.code !== "EPIPE") throw error;
	});
}

process.exitCode = await runCommand(process.argv.slice(2), {
	env: process.env,
	print: (line) => process.stdout.write(`${line}\n`),
	complain: (line) => process.stderr.write(`${line}\n`),
});
