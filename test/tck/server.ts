/**
 * `npm run tck:server`: a server for the public conformance kit of A2A (a2a-tck, branch 1.0-dev), whose desk `demo` follows the
 * kit's script. It takes contexts that a client made up, and all callers without a credential are one, which no desk of a
 * real installation does. Its data is in a folder of its own that goes with it.
 *
 *     PORT=9999 npm run tck:server
 *     ./run_tck.py --sut-host http://127.0.0.1:9999/a2a/demo
 */
import { openTestDesk } from "../desk.js";
import { WIDE_LIMITS } from "../limits.js";
import { script } from "./script.js";

const PORT = 9_999;

const port = Number(process.env.PORT || PORT);
const host = "127.0.0.1";
const publicUrl = `http://${host}:${port}`;

const desk = await openTestDesk({
	handle: "demo",
	answerer: script,
	settings: {
		clientContexts: true,
		sharedAnonymous: true,
		retryScope: "context",
		statusMessage: "reply",
		extendedCard: "credential",
	},
	config: {
		publicUrl,
		// The kit asks as fast as it can, all of it from one address and as one caller.
		limits: WIDE_LIMITS,
	},
	log: (level, fields, text) => {
		if (level !== "info") console.error(level, text, fields);
	},
});
const listening = await desk.listen({ port, host });
console.log(`The kit's desk is at ${publicUrl}/a2a/demo`);

let stopping = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, async () => {
		if (stopping) return;
		stopping = true;
		await listening.close();
		await desk.close();
		process.exit(0);
	});
}
