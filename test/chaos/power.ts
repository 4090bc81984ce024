/**
 * T-POWER (G-01, G-24): the power is cut under load. What the disk had not been made to keep is gone; nothing acknowledged is.
 * Its control, a server that does not wait for the disk, must lose something, else the suite itself is broken (F1).
 */
import { rmSync } from "node:fs";
import { type Breach, summary } from "./checker.js";
import { Crowd } from "./crowd.js";
import { dump } from "./database.js";
import type { Place } from "./node.js";
import { compileShim, cut, putBack, settleShadows } from "./shim.js";
import { caught, none, type Suite, type Trial } from "./suite.js";
import { pause } from "./time.js";

/** Cuts that the control may take before it has to have lost something. */
const CONTROL_AT_MOST = 20;

interface Desk {
	dir: string;
	place: Place;
	crowd: Crowd;
	env: Record<string, string>;
}

/** A desk with its visitors, on a sound disk. */
async function open(trial: Trial): Promise<Desk> {
	const dir = trial.newFolder();
	const env = { LD_PRELOAD: compileShim(trial.folder), SHIM_DIR: dir };
	const place = trial.place({ dir });
	await place.start();
	const crowd = new Crowd({
		port: () => place.port,
		visitors: 16,
		rate: 150,
		seed: trial.seed,
		slowly: 0.1,
		historyFile: `${trial.folder}/history-${trial.random.int(1e9)}.jsonl`,
	});
	trial.onEnd(() => crowd.leave());
	await crowd.arrive();
	await place.kill();
	return { dir, place, crowd, env };
}

/** What of the acknowledged is not in a folder, and what else is wrong there. */
function lostIn(folder: string, crowd: Crowd): Breach[] {
	const { messages, logs, faults } = dump(folder, { check: true });
	const found: Breach[] = [];
	for (const { messageId } of crowd.history.acked) {
		const times = messages.get(messageId) ?? 0;
		if (times !== 1)
			found.push({ rule: times === 0 ? "G-01" : "I1", text: `${messageId} was acknowledged and stands ${times} times on the disk` });
	}
	for (const { name, contextId, head } of crowd.visitors) {
		const last = contextId === undefined ? head : (logs.get(contextId)?.length ?? 0);
		if (head > last) found.push({ rule: "I4", text: `${name} was shown ${head} of ${contextId}, and the disk ends at ${last}` });
	}
	for (const fault of faults) found.push({ rule: "G-24", text: fault });
	return found;
}

/** Cuts the power once, some time after a start. What was on its way to clients then has left the server, and counts. */
async function cutOnce(
	trial: Trial,
	{ dir, place, crowd, env }: Desk,
	options: { torn: boolean; mutant?: "does not sync" },
): Promise<{ left: string; found: Breach[] }> {
	settleShadows(dir);
	await place.start({ env, ...(options.mutant ? { mutant: options.mutant } : {}) });
	crowd.start();
	await pause(200 + trial.random.int(1_300));
	await place.kill();
	await pause(100);
	const left = trial.newFolder();
	cut(dir, left, trial.random, options.torn);
	return { left, found: lostIn(left, crowd) };
}

async function cuts(trial: Trial, rounds: number): Promise<void> {
	const desk = await open(trial);
	const { dir, place, crowd } = desk;
	for (let round = 1; round <= rounds; round++) {
		const torn = round % 2 === 0;
		const { left, found } = await cutOnce(trial, desk, { torn });
		if (found.length > 0) trial.say(`cut ${round}${torn ? ", torn" : ""}: ${summary(found)}`);
		none(found);
		putBack(left, dir);
		rmSync(left, { recursive: true });
	}
	await place.start();
	await crowd.stop();
	const found = await crowd.judge({ dir });
	trial.say(`${rounds} cuts, half of them with a torn tail; ${crowd.numbers}`);
	none(found);
}

/** The same with a server that does not wait: what is judged is a copy, so that it may go on from what it had written. */
async function control(trial: Trial): Promise<void> {
	const desk = await open(trial);
	const found: Breach[] = [];
	let lossy = 0;
	let rounds = 0;
	while (rounds < 5 || (lossy === 0 && rounds < CONTROL_AT_MOST)) {
		rounds++;
		const one = await cutOnce(trial, desk, { torn: false, mutant: "does not sync" });
		if (one.found.length > 0) lossy++;
		found.push(...one.found);
		rmSync(one.left, { recursive: true });
	}
	trial.say(`${lossy} of ${rounds} cuts lost something acknowledged: ${found.filter(({ rule }) => rule === "G-01").length} messages`);
	caught("does not sync", found, ["G-01"]);
}

export const power: Suite = {
	name: "power",
	what: "the power is cut under load, nothing acknowledged is lost and the database opens without repair (G-01, G-24)",
	async run(trial) {
		const rounds = trial.long ? 20 : 10;
		await trial.check(`${rounds} power cuts`, rounds * 20_000, () => cuts(trial, rounds));
		await trial.check("finds out a server that does not wait for the disk (synchronous=NORMAL)", 180_000, () => control(trial));
	},
};
