/**
 * T-REAPER (G-06): the server dies at each step of a turn, before and after each commit. Whatever died with it, every question that
 * was acknowledged comes to its end within its deadline.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { MutantName } from "./broken.js";
import type { Breach } from "./checker.js";
import { Crowd } from "./crowd.js";
import { type Moment, orderToDie } from "./dying.js";
import { caught, none, type Suite, type Trial } from "./suite.js";
import { until } from "./time.js";
import type { Visitor } from "./visitor.js";

const OPERATIONS = ["sendMessage", "claimTurn", "appendPieces", "finishTurn"] as const;
const MOMENTS: readonly Moment[] = ["before", "after", "told"];

interface Step {
	operation: (typeof OPERATIONS)[number];
	moment: Moment;
}

const STEPS: Step[] = OPERATIONS.flatMap((operation) => MOMENTS.map((moment) => ({ operation, moment })));

/** From the acknowledgement to the end of a slow answer, a crash and a start of the server in between. */
const DEADLINE_MS = 30_000;

async function deaths(trial: Trial, steps: readonly Step[], mutant?: MutantName): Promise<Breach[]> {
	const dir = trial.newFolder();
	const place = trial.place({ dir, dies: true, mutant });
	await place.start();
	const crowd = new Crowd({ port: () => place.port, visitors: 6, rate: 10, seed: trial.seed, slowly: 0.3 });
	trial.onEnd(() => crowd.leave());
	await crowd.arrive();
	crowd.start();
	const found: Breach[] = [];
	for (const { operation, moment } of steps) {
		const visitor = trial.random.pick(crowd.visitors) as Visitor;
		const order = orderToDie(operation, moment);
		const ended = place.node?.ended;
		// A turn is claimed by an operation of its own where another one runs before it.
		if (operation === "claimTurn") void crowd.say(visitor, crowd.words(" slowly"));
		void crowd.say(visitor, crowd.words(` ${order} slowly`), { die: order });
		await until(20_000, `the death at ${order}`, () => existsSync(join(dir, `died-${operation}-${moment}`)));
		await ended;
		await place.start();
		const { text } = crowd.history.sendings.find((s) => s.text.includes(order)) ?? { text: "" };
		let state = "nothing";
		const isOver = async (): Promise<boolean> => {
			const { ack } = crowd.history.sendings.find((s) => s.text === text) ?? {};
			if (ack) state = (await visitor.task(ack.taskId)).status.state;
			return state === "TASK_STATE_COMPLETED";
		};
		await until(mutant ? 4_000 : DEADLINE_MS, "the end of the task", isOver, 50).catch((error: Error) =>
			found.push({ rule: "G-06", text: `${order}: ${error.message}, the task is ${state}` }),
		);
		if (mutant && found.length > 0) return found;
	}
	await crowd.stop();
	found.push(...(await crowd.judge({ dir })));
	trial.say(`${steps.length} deaths, ${crowd.numbers}`);
	return found;
}

export const reaper: Suite = {
	name: "reaper",
	what: "dead at any step of a turn, every question that was taken comes to its end (G-06)",
	async run(trial) {
		const rounds = trial.long ? 3 : 1;
		for (let i = 1; i <= rounds; i++) {
			await trial.check(`${STEPS.length} deaths at the steps of a turn${rounds > 1 ? `, ${i} of ${rounds}` : ""}`, 300_000, async () =>
				none(await deaths(trial, STEPS)),
			);
		}
		await trial.check("finds out a server that takes up nothing that was left", 120_000, async () => {
			caught("does not reap", await deaths(trial, [{ operation: "appendPieces", moment: "after" }], "does not reap"), ["G-06"]);
		});
	},
};
