/**
 * The process that makes pictures anew, as the server sees it: begun when the first picture comes, one at work at a time, ended when it
 * takes too long or when nothing has come for a while. It is given no setting and no secret, and if a picture takes it down, the
 * server is none the worse.
 */
import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { EncodeAnswer, EncodeRefusal, Made } from "./encode.js";
import type { Kind } from "./kinds.js";
import { Turns } from "./turns.js";

export interface EncoderProcess {
	/** Those of one `network` (of whoever sent it) are served in turn with everybody else's. Throws `invalid_params`, `too_large`, `unavailable`, `deadline_exceeded`. */
	make(kind: Kind, bytes: Uint8Array, network: string): Promise<Made>;
	close(): void;
}

const megapixels = LIMITS.picturePixels / 1_000_000;

const unfit = (sentence: string, description: string) => (): DeskError =>
	new DeskError("invalid_params", sentence, { violations: [{ field: "picture", description }] });
const hides = (what: string) =>
	unfit(`This picture has ${what} inside. Open it, save it again as a picture, and send that.`, `Has ${what} inside.`);

const REFUSALS: Record<EncodeRefusal, () => DeskError> = {
	broken: unfit("This picture is damaged or not whole. Open it, save it again, and send that.", "Damaged or cut off."),
	pieces: unfit("This picture is made of too many pieces. Open it, save it again, and send that.", "Made of too many pieces."),
	archive: hides("an archive"),
	pdf: hides("a PDF"),
	page: hides("a web page"),
	more: hides("something"),
	pixels: () => new DeskError("too_large", `This picture has more than ${megapixels} megapixels. Make it smaller and send it again.`),
	side: () =>
		new DeskError(
			"too_large",
			`This picture is more than ${LIMITS.pictureSide.toLocaleString("en")} pixels wide or high. Make it smaller or cut it into several, and send that.`,
		),
	slow: () => new DeskError("deadline_exceeded", "This picture takes too long to look through. Make it smaller and send that."),
	size: () =>
		new DeskError("too_large", `This picture is larger than ${LIMITS.pictureBytes / 1024 / 1024} MiB. Make it smaller and send it again.`),
};

const busy = (): DeskError =>
	new DeskError("unavailable", "Too many pictures are being looked at. Send yours again in a moment.", { retryAfterSeconds: 5 });

/** `url`: the module that the process runs, as it is called when built. Where only its `.ts` is there, tsx loads it. `makeMs`: how long one picture may take. */
export function encoderProcess(url: URL, makeMs: number = LIMITS.pictureMakeMs): EncoderProcess {
	let child: ChildProcess | undefined;
	let idle: NodeJS.Timeout | undefined;
	const turns = new Turns(LIMITS.picturesWaiting, busy);
	let lastId = 0;

	function begin(): ChildProcess {
		if (child) return child;
		const path = fileURLToPath(url);
		const isBuilt = existsSync(path);
		const execArgv = [`--max-old-space-size=${LIMITS.pictureHeapMb}`, ...(isBuilt ? [] : ["--import", import.meta.resolve("tsx")])];
		const begun = fork(isBuilt ? path : path.replace(/\.js$/, ".ts"), [], {
			serialization: "advanced",
			// Nothing of the server's surroundings: they hold passwords.
			env: {},
			execArgv,
			stdio: ["ignore", "ignore", "ignore", "ipc"],
		});
		begun.once("exit", () => {
			if (child === begun) child = undefined;
		});
		child = begun;
		return begun;
	}

	function end(): void {
		clearTimeout(idle);
		child?.kill("SIGKILL");
		child = undefined;
	}

	function ask(kind: Kind, bytes: Uint8Array): Promise<Made> {
		clearTimeout(idle);
		const at = begin();
		const id = ++lastId;
		return new Promise<Made>((resolve, reject) => {
			const gone = (): void => {
				over();
				reject(REFUSALS.broken());
			};
			const slow = setTimeout(() => {
				over();
				// Whatever it is at, it goes no further.
				end();
				reject(REFUSALS.slow());
			}, makeMs);
			const hear = (answer: EncodeAnswer): void => {
				if (answer.id !== id) return;
				over();
				if ("made" in answer) resolve(answer.made);
				else reject(REFUSALS[answer.refused]());
			};
			const over = (): void => {
				clearTimeout(slow);
				at.off("message", hear);
				at.off("exit", gone);
				at.off("error", gone);
				idle = setTimeout(end, LIMITS.pictureIdleMs);
				idle.unref();
			};
			at.on("message", hear);
			at.once("exit", gone);
			at.once("error", gone);
			at.send({ id, kind, bytes });
		});
	}

	return {
		make: (kind, bytes, network) => turns.take(network, () => ask(kind, bytes)),
		close: end,
	};
}
