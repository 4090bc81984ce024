/**
 * T-DRAIN (G-21): the server is asked to stop under load and started again. Sockets are told to come back, what is being answered is
 * finished or handed over, and nobody's message fails.
 */
import { EXTENSIONS } from "../../shared/extensions.js";
import { LIMITS } from "../../shared/limits.js";
import type { MutantName } from "./broken.js";
import type { Breach } from "./checker.js";
import { Crowd, logOf } from "./crowd.js";
import { dump } from "./database.js";
import type { Place } from "./node.js";
import { caught, none, type Suite, type Trial } from "./suite.js";
import { pause } from "./time.js";
import type { Visitor } from "./visitor.js";

/** The clock runs so much faster: running turns have two seconds to end. */
const SPEED = 10;
/** On that clock: longer than a stop waits, so this answer is handed over each time. */
const LONG_MS = 40_000;
/** On the world's: for the turns, the closing handshakes, the store. */
const STOP_MS = LIMITS.stopMs / SPEED + 8_000;

interface Plan {
	restarts: number;
	visitors: number;
	rate: number;
	mutant?: MutantName;
}

/** One stop, and what its clients and its database say of it. */
async function stopped(place: Place, crowd: Crowd, dir: string): Promise<Breach[]> {
	const found: Breach[] = [];
	const say = (text: string): void => void found.push({ rule: "G-21", text });
	const before = crowd.visitors.map((v) => v.closes.length);
	const { code, signal } = await place.stop(STOP_MS);
	if (code !== 0) say(`the server ended with ${code ?? signal}`);
	await pause(50);
	crowd.visitors.forEach((visitor, i) => {
		const [close] = visitor.closes.slice(before[i]);
		if (!close) say(`${visitor.name} was not told that the server stops`);
		else if (close.code !== 1012 || !close.bye)
			say(`the socket of ${visitor.name} was closed with ${close.code}${close.bye ? "" : ", without a bye"}`);
	});
	for (const { uid, state, attempts } of dump(dir).turns) {
		if (state === "running") say(`the turn ${uid} was neither finished nor handed over`);
		else if (attempts > 0) say(`the turn ${uid} was handed over as if it had crashed`);
	}
	return found;
}

async function restarts(trial: Trial, { restarts: count, visitors, rate, mutant }: Plan): Promise<Breach[]> {
	const dir = trial.newFolder();
	const place = trial.place({ dir, speed: SPEED, since: Date.now(), mutant });
	await place.start();
	const crowd = new Crowd({
		port: () => place.port,
		visitors,
		rate,
		seed: trial.seed,
		slowly: 0.2,
		historyFile: `${trial.folder}/drain.jsonl`,
	});
	trial.onEnd(() => crowd.leave());
	await crowd.arrive();
	const first = crowd.visitors[0] as Visitor;
	// What is asked in the same conversation meanwhile belongs to the same turn.
	crowd.resting.add(first);
	crowd.start();
	await crowd.say(first, crowd.words(` long ${LONG_MS}`));
	const found: Breach[] = [];
	for (let i = 1; i <= count; i++) {
		await pause(500 + trial.random.int(1_000));
		crowd.history.event(`stop ${i}`);
		found.push(...(await stopped(place, crowd, dir)));
		if (mutant && found.length > 0) return found;
		await place.start();
		// Everybody is back before the next one.
		await Promise.all(crowd.visitors.map((v) => v.line.connect()));
	}
	await crowd.stop();
	found.push(...(await crowd.judge({ dir })));
	found.push(...(await marked(crowd)));
	for (const { messageId, refusals } of crowd.history.sendings) {
		for (const { code, retry } of refusals) if (!retry) found.push({ rule: "G-21", text: `${messageId} was refused for good: ${code}` });
	}
	trial.say(`${count} restarts, ${crowd.numbers}`);
	return found;
}

/** Answers shorter than a stop waits were finished, not broken off; none failed. */
async function marked(crowd: Crowd): Promise<Breach[]> {
	const found: Breach[] = [];
	for (const visitor of crowd.visitors) {
		const long = new Set<string>();
		for (const { message, statusUpdate } of await logOf(visitor)) {
			if (message?.parts.some((p) => p.text?.includes(" long ")) && message.taskId) long.add(message.taskId);
			if (!statusUpdate) continue;
			const { taskId, status, metadata } = statusUpdate;
			const chat = metadata?.[EXTENSIONS.chat] as { interrupted?: boolean } | undefined;
			if (chat?.interrupted && !long.has(taskId)) found.push({ rule: "G-21", text: `the short answer to ${taskId} was broken off` });
			if (status.state === "TASK_STATE_FAILED") found.push({ rule: "G-21", text: `${taskId} failed` });
		}
	}
	return found;
}

export const drain: Suite = {
	name: "drain",
	what: "asked to stop under load and started again, with no message that fails for anybody (G-21)",
	async run(trial) {
		const plan: Plan = trial.long ? { restarts: 10, visitors: 50, rate: 200 } : { restarts: 2, visitors: 24, rate: 100 };
		await trial.check(`${plan.restarts} restarts under ${plan.rate} messages a second from ${plan.visitors} clients`, 600_000, async () =>
			none(await restarts(trial, plan)),
		);
		const few: Plan = { restarts: 1, visitors: 8, rate: 30 };
		await trial.check("finds out a server that just ends", 60_000, async () => {
			caught("ends at once", await restarts(trial, { ...few, mutant: "ends at once" }), ["G-21"]);
		});
		await trial.check("finds out a server that does not hand its turns over", 60_000, async () => {
			caught("hands nothing over", await restarts(trial, { ...few, mutant: "hands nothing over" }), ["G-21"]);
		});
	},
};
