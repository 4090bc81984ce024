/** T-KILL (G-02, G-03, G-08): the process is killed at any moment, again and again, under load. Nothing acknowledged is lost or doubled. */

import type { MutantName } from "./broken.js";
import { type Breach, summary } from "./checker.js";
import { Crowd } from "./crowd.js";
import { dump } from "./database.js";
import { caught, none, type Suite, type Trial } from "./suite.js";
import { pause } from "./time.js";

interface Plan {
	rounds: number;
	visitors: number;
	rate: number;
	mutant?: MutantName;
}

/** After each kill: what was acknowledged is in the file, once, and its log has no holes. */
function afterKill(dir: string, crowd: Crowd): Breach[] {
	const found: Breach[] = [];
	const { messages, faults, logs } = dump(dir);
	for (const { messageId } of crowd.history.acked) {
		const times = messages.get(messageId) ?? 0;
		if (times !== 1) found.push({ rule: "I1", text: `after a kill ${messageId} stands ${times} times in the database` });
	}
	for (const fault of faults) found.push({ rule: "I3", text: fault });
	// What somebody was shown is on disk.
	for (const { name, contextId, head } of crowd.visitors) {
		const last = contextId === undefined ? head : (logs.get(contextId)?.length ?? 0);
		if (head > last) found.push({ rule: "I4", text: `${name} was shown ${head} of ${contextId}, and after a kill it ends at ${last}` });
	}
	return found;
}

async function kills(trial: Trial, { rounds, visitors, rate, mutant }: Plan): Promise<Breach[]> {
	const dir = trial.newFolder();
	const place = trial.place({ dir });
	await place.start();
	const crowd = new Crowd({
		port: () => place.port,
		visitors,
		rate,
		seed: trial.seed,
		slowly: mutant === "joins answers" ? 0.5 : 0.15,
		repeats: 0.1,
		historyFile: `${dir}/history.jsonl`,
	});
	trial.onEnd(() => crowd.leave());
	await crowd.arrive();
	if (mutant) {
		await place.kill();
		await place.start({ mutant });
	}
	crowd.start();
	const found: Breach[] = [];
	let upMs = 0;
	for (let round = 1; round <= rounds; round++) {
		const up = 50 + trial.random.int(1_450);
		upMs += up;
		await pause(up);
		crowd.history.event(`kill ${round}`);
		await place.kill();
		found.push(...afterKill(dir, crowd));
		if (found.length > 0 && mutant) return found;
		await place.start({ mutant });
	}
	await crowd.stop();
	found.push(...(await crowd.judge({ dir })));
	for (const { level, text, detail } of place.node?.logged ?? [])
		if (level === "error") found.push({ rule: "logged", text: `${text} ${detail}` });
	const really = Math.round(crowd.sent / (upMs / 1_000));
	trial.say(`${rounds} kills, the server up for ${(upMs / 1_000).toFixed(1)} s in all, ${really} messages a second of that time`);
	trial.say(
		`${crowd.numbers}; ${dump(dir).parked} turns set aside after three kills${found.length > 0 ? `; ${summary(found).split("\n")[0]}` : ""}`,
	);
	return found;
}

export const kill: Suite = {
	name: "kill",
	what: "killed at any moment under load, nothing acknowledged is lost or doubled (G-02, G-03, G-08)",
	async run(trial) {
		const { long } = trial;
		const plan: Plan = long ? { rounds: 25, visitors: 50, rate: 200 } : { rounds: 10, visitors: 24, rate: 100 };
		await trial.check(
			`${plan.rounds} kills under ${plan.rate} messages a second from ${plan.visitors} clients`,
			long ? 600_000 : 180_000,
			async () => none(await kills(trial, plan)),
		);
		const few: Plan = { rounds: 3, visitors: 12, rate: 60 };
		await trial.check("finds out a server that answers before it commits", 120_000, async () => {
			caught("answers first", await kills(trial, { ...few, rounds: 10, mutant: "answers first" }), ["I1", "I4"]);
		});
		await trial.check("finds out a server that forgets which messages it has had", 120_000, async () => {
			caught("forgets keys", await kills(trial, { ...few, mutant: "forgets keys" }), ["I1"]);
		});
		await trial.check("finds out a server that goes on with half an answer", 120_000, async () => {
			caught("joins answers", await kills(trial, { ...few, mutant: "joins answers" }), ["G-08"]);
		});
	},
};
