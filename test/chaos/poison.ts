/**
 * T-POISON (G-35): a question whose answerer ends the process. It may do so three times; then it is set aside as failed, and
 * everybody else is answered, those too whose own answers were under way each time.
 */
import type { Task } from "../../shared/a2a.schema.js";
import { LIMITS } from "../../shared/limits.js";
import type { MutantName } from "./broken.js";
import type { Breach } from "./checker.js";
import { Crowd } from "./crowd.js";
import type { Place } from "./node.js";
import { caught, none, type Suite, type Trial } from "./suite.js";
import { pause, until } from "./time.js";
import type { Visitor } from "./visitor.js";

/** Starts of a server, as a supervisor makes them; more than the poison may cost. */
const STARTS_MAX = LIMITS.turnAttempts + 4;

/** Starts it again whenever it has ended. Returns how often it did, and what ends this. */
function supervise(place: Place, mutant?: MutantName): { ends(): number; stop(): void } {
	let ends = 0;
	let over = false;
	const watch = async (): Promise<void> => {
		while (!over && ends < STARTS_MAX) {
			await place.node?.ended;
			if (over) return;
			ends++;
			// It may end again before it listens: then it is only counted.
			await place.start({ mutant }).catch(() => undefined);
		}
	};
	void watch();
	return {
		ends: () => ends,
		stop: () => {
			over = true;
		},
	};
}

async function poisoned(trial: Trial, mutant?: MutantName): Promise<Breach[]> {
	const dir = trial.newFolder();
	const place = trial.place({ dir });
	await place.start();
	const crowd = new Crowd({ port: () => place.port, visitors: 8, rate: 20, seed: trial.seed, slowly: 0.2 });
	trial.onEnd(() => crowd.leave());
	await crowd.arrive();
	if (mutant) {
		await place.kill();
		await place.start({ mutant });
	}
	const supervised = supervise(place, mutant);
	trial.onEnd(() => supervised.stop());
	const [victim, ...others] = crowd.visitors as [Visitor, ...Visitor[]];
	// What is asked in the same conversation meanwhile belongs to the same turn, and is set aside with it.
	crowd.resting.add(victim);
	crowd.start();
	// Answers that are under way whenever the process ends: none of them is the one that ends it.
	const innocent = Promise.all(others.slice(0, 4).map((v) => crowd.say(v, crowd.words(" long 3000"))));
	await innocent;
	await pause(100);
	void crowd.say(victim, crowd.words(" poison"));
	const poison = crowd.history.sendings.find((s) => s.client === victim.name && s.text.includes("poison"));
	let task: Task | undefined;
	await until(
		mutant ? 15_000 : 60_000,
		"the end of the poisoned task",
		async () => {
			if (supervised.ends() > LIMITS.turnAttempts) return true;
			if (!poison?.ack) return false;
			task = await victim.task(poison.ack.taskId).catch(() => undefined);
			return task?.status.state === "TASK_STATE_FAILED";
		},
		100,
	).catch(() => undefined);
	const found: Breach[] = [];
	if (task?.status.state !== "TASK_STATE_FAILED")
		found.push({ rule: "G-35", text: `the poisoned task is ${task?.status.state} after ${supervised.ends()} ends of the server` });
	if (supervised.ends() > LIMITS.turnAttempts) found.push({ rule: "G-35", text: `the server was ended ${supervised.ends()} times` });
	if (found.length > 0) return found;
	if (!task?.status.message) found.push({ rule: "G-35", text: "the failed task does not say why" });
	// Its conversation goes on.
	await crowd.say(victim, crowd.words());
	await pause(500);
	await crowd.stop();
	found.push(...(await crowd.judge({ dir })));
	for (const { client, text, ack } of crowd.history.acked) {
		if (text.includes("poison") || !ack) continue;
		const visitor = crowd.visitors.find((v) => v.name === client) as Visitor;
		const { status } = await visitor.task(ack.taskId);
		if (status.state !== "TASK_STATE_COMPLETED")
			found.push({ rule: "G-35", text: `${client} asked ${text} and its task is ${status.state}` });
	}
	trial.say(`the server was ended ${supervised.ends()} times; ${crowd.numbers}`);
	return found;
}

export const poison: Suite = {
	name: "poison",
	what: "a question that ends the process is set aside after three times, and everybody else is answered (G-35)",
	async run(trial) {
		const rounds = trial.long ? 5 : 1;
		for (let i = 1; i <= rounds; i++) {
			await trial.check(`an answerer that ends the process${rounds > 1 ? `, ${i} of ${rounds}` : ""}`, 120_000, async () =>
				none(await poisoned(trial)),
			);
		}
		await trial.check("finds out a server that does not count how often a turn was begun", 120_000, async () => {
			caught("does not count", await poisoned(trial, "does not count"), ["G-35"]);
		});
		await trial.check("finds out a server that sets everybody aside with the one", 120_000, async () => {
			caught("tries all at once", await poisoned(trial, "tries all at once"), ["G-35"]);
		});
	},
};
