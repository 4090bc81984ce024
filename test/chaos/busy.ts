/**
 * T-BUSY (G-26): somebody else holds the database. The event loop goes on as if nothing were, what waits is written when it can be,
 * and what has waited for two seconds is refused in a way that says to come back; nothing is dropped.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { LIMITS } from "../../shared/limits.js";
import type { MutantName } from "./broken.js";
import type { Breach } from "./checker.js";
import { Crowd } from "./crowd.js";
import type { ServerNode } from "./node.js";
import { caught, none, type Suite, type Trial } from "./suite.js";
import { pause, until, within } from "./time.js";

/** What the event loop may be late by. */
const LATE_MS = 50;
/** A machine that is busy with other things is late as well: a hold that stalls the loop does so every time, noise does not. */
const TRIES = 4;
/** Between the end of a write's wait and its refusal at the client. */
const NOISE_MS = 2_000;

class Holder {
	private constructor(private readonly child: ChildProcess) {}

	static async open(entry: string, dir: string): Promise<Holder> {
		const child = spawn(process.execPath, [entry, join(dir, "desk.db")], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
		await within(10_000, "the other program", once(child, "message"));
		return new Holder(child);
	}

	/** Holds the database for so long; resolves when it has let go. */
	async hold(ms: number): Promise<void> {
		this.child.send(ms);
		await within(10_000, "the lock", once(this.child, "message"));
		await within(ms + 5_000, "the end of the hold", once(this.child, "message"));
	}

	close(): void {
		this.child.kill("SIGKILL");
	}
}

/** Holds until the loop was in time once. Returns the best that it was late by. */
async function holdQuietly(node: ServerNode, holder: Holder, ms: number): Promise<number> {
	let best = Number.POSITIVE_INFINITY;
	for (let i = 0; i < TRIES && best >= LATE_MS; i++) {
		// What waited is written before the next.
		if (i > 0) await pause(500);
		await node.stats({ reset: true });
		await holder.hold(ms);
		best = Math.min(best, (await node.stats()).loopDelayMaxMs);
	}
	return best;
}

async function holds(trial: Trial, all: readonly number[], mutant?: MutantName): Promise<Breach[]> {
	const dir = trial.newFolder();
	const place = trial.place({ dir, mutant });
	const node = await place.start();
	const crowd = new Crowd({ port: () => place.port, visitors: 12, rate: 40, seed: trial.seed, slowly: 0.1 });
	trial.onEnd(() => crowd.leave());
	await crowd.arrive();
	const holder = await Holder.open(join(trial.entry, "..", "holder.js"), dir);
	trial.onEnd(() => holder.close());
	crowd.start();
	await pause(500);
	const found: Breach[] = [];
	const { sendings } = crowd.history;
	const lines: string[] = [];
	for (const ms of all) {
		const from = sendings.length;
		const late = await holdQuietly(node, holder, ms);
		if (late >= LATE_MS)
			found.push({ rule: "G-26", text: `while the database was held for ${ms} ms the event loop was late by ${late.toFixed(0)} ms` });
		await until(20_000, "an answer to what was sent meanwhile", () => sendings.slice(from).every((s) => s.ack || s.failed)).catch(
			() => undefined,
		);
		const refused = sendings.slice(from).filter((s) => s.refusals.length > 0);
		lines.push(`${ms} ms: late by ${late.toFixed(0)} ms, ${refused.length} refused`);
		found.push(
			...refusals(
				ms,
				refused.map((s) => s.refusals[0] as (typeof s.refusals)[number]),
			),
		);
		if (mutant && found.length > 0) return found;
	}
	await crowd.stop();
	found.push(...(await crowd.judge({ dir })));
	trial.say(`${lines.join("; ")}; ${crowd.numbers}`);
	return found;
}

/** What was refused during a hold, and when. */
function refusals(heldMs: number, firsts: readonly { code: string; afterMs: number; retry: boolean }[]): Breach[] {
	const found: Breach[] = [];
	const { writeWaitMs } = LIMITS;
	for (const { code, afterMs, retry } of firsts) {
		if (code !== "UNAVAILABLE" || !retry)
			found.push({ rule: "G-26", text: `a message was refused with ${code}, which does not say to come back` });
		// Whatever waited less than it may was to be written.
		if (afterMs < writeWaitMs - 100) found.push({ rule: "G-26", text: `a message was refused after ${afterMs} ms of ${writeWaitMs}` });
		if (afterMs > writeWaitMs + NOISE_MS) found.push({ rule: "G-26", text: `a message was refused only after ${afterMs} ms` });
	}
	if (heldMs > writeWaitMs + 500 && firsts.length === 0)
		found.push({ rule: "G-26", text: `the database was held for ${heldMs} ms and nobody was told` });
	return found;
}

export const busy: Suite = {
	name: "busy",
	what: "while another program holds the database, nothing stalls and nothing is dropped (G-26)",
	async run(trial) {
		const all = trial.long ? [100, 200, 400, 800, 1_200, 1_600, 3_000, 5_000, 100, 3_000] : [100, 500, 1_500, 3_000];
		await trial.check(`the database held for ${all.join(", ")} ms`, 240_000, async () => none(await holds(trial, all)));
		await trial.check("finds out a server that waits for locks where everybody is served", 120_000, async () => {
			caught("waits on the loop", await holds(trial, [500], "waits on the loop"), ["G-26"]);
		});
		await trial.check("finds out a server that lets a write wait for ever", 120_000, async () => {
			caught("never gives up", await holds(trial, [3_000], "never gives up"), ["G-26"]);
		});
	},
};
