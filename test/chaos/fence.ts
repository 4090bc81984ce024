/**
 * T-FENCE (G-07, G-34): who lost a turn writes nothing more of it. Once for real, with two nodes on one PostgreSQL of which one is
 * stopped in the middle of an answer until its lease is over; and in thousands of interleavings of everything that ends a claim.
 */
import { freshDatabase } from "../postgres.js";
import { seeded } from "../seeded.js";
import type { MutantName } from "./broken.js";
import type { Breach } from "./checker.js";
import { Crowd } from "./crowd.js";
import { interleavings } from "./interleavings.js";
import { caught, none, type Suite, type Trial } from "./suite.js";
import { until } from "./time.js";
import { Visitor } from "./visitor.js";

/** The clock of both nodes runs so much faster: a lease of a minute is over in three seconds. */
const SPEED = 20;
/** Milliseconds on that clock that the answer takes. */
const ANSWER_MS = 60_000;

/** `during`: the stopped node wakes up while the other one is answering. `after`: when it has answered. */
type Waking = "during" | "after";

async function pausedNode(trial: Trial, waking: Waking, mutant?: MutantName): Promise<Breach[]> {
	const { url, drop } = await freshDatabase();
	trial.onEnd(drop);
	const shared = { databaseUrl: url, speed: SPEED, since: Date.now(), ...(mutant ? { mutant } : {}) };
	const a = trial.place({ ...shared, node: "A" });
	const b = trial.place({ ...shared, node: "B" });
	await a.start();
	await b.start();
	// One is asked on the node that will be stopped, the others go on with the one that will not.
	const crowd = new Crowd({
		port: (number) => (number === 0 ? a : b).port,
		visitors: 6,
		rate: 20,
		seed: trial.seed,
		kinds: ["socket", "rpc", "poll"],
		slowly: 0.2,
	});
	trial.onEnd(() => crowd.leave());
	await crowd.arrive();
	crowd.start();
	const asker = crowd.visitors[0] as Visitor;
	const before = asker.head;
	const words = crowd.words(` long ${ANSWER_MS}`);
	await crowd.say(asker, words);
	await until(20_000, "the first piece of the answer", () => asker.seen.some((e) => (e.seq ?? 0) > before && e.artifactUpdate));

	const watcher = new Visitor({
		name: "watcher",
		kind: "socket",
		number: 39_000,
		port: () => b.port,
		history: crowd.history,
		random: seeded(trial.seed),
	});
	trial.onEnd(() => watcher.leave());
	watcher.line.token = asker.line.token;
	watcher.contextId = asker.contextId;
	await watcher.arrive();
	const said = (node: string): boolean =>
		watcher.seen.some((e) => e.artifactUpdate?.artifact.parts.some((p) => p.text?.startsWith(`${node} `)));
	const ended = (): boolean =>
		watcher.seen.some((e) => e.message?.role === "ROLE_AGENT" && e.message.parts.some((p) => p.text?.includes(words)));

	a.node?.signal("SIGSTOP");
	trial.onEnd(() => a.node?.signal("SIGCONT"));
	await until(60_000, "the other node's answer", waking === "during" ? () => said("B") : ended);
	a.node?.signal("SIGCONT");
	const found: Breach[] = [];
	await until(
		mutant ? 3_000 : 30_000,
		"the late write of the node that was stopped",
		async () => ((await a.node?.stats())?.fenced ?? 0) > 0,
	).catch((error: Error) => found.push({ rule: "G-07", text: error.message }));
	await until(60_000, "the end of the answer", ended).catch((error: Error) => found.push({ rule: "G-06", text: error.message }));
	await crowd.stop();
	found.push(...(await crowd.judge({ waitMs: mutant ? 5_000 : 30_000 })));
	const reply = watcher.seen.find((e) => e.message?.role === "ROLE_AGENT" && e.message.parts.some((p) => p.text?.includes(words)))?.message;
	if (!reply?.parts.some((p) => p.text?.startsWith("B ")))
		found.push({
			rule: "G-07",
			text: `the answer that stands is not the one of the node that held the turn: ${JSON.stringify(reply?.parts)}`,
		});
	trial.say(`${crowd.numbers}; writes that came too late and were refused: ${(await a.node?.stats())?.fenced ?? 0}`);
	return found;
}

export const fence: Suite = {
	name: "fence",
	what: "a node that was stopped past its lease, and everybody else who lost a turn, writes nothing more of it (G-07, G-34)",
	async run(trial) {
		for (const waking of ["during", "after"] as const) {
			await trial.check(`a node of two stopped past its lease, woken ${waking} the other's answer`, 180_000, async () =>
				none(await pausedNode(trial, waking)),
			);
		}
		await trial.check("finds out a node that lets a late write in", 180_000, async () => {
			caught("does not fence", await pausedNode(trial, "during", "does not fence"), ["G-07", "G-08", "I6", "I7"]);
		});
		const many = trial.long ? 2_000 : 500;
		await trial.check(
			`${many} interleavings of claim, pieces, end, release, cancel, takeover and lost leases on SQLite`,
			600_000,
			async () => none(await interleavings(trial, { database: "sqlite", count: many })),
		);
		await trial.check("finds out a store that lets a late write in", 60_000, async () => {
			caught("does not fence", await interleavings(trial, { database: "sqlite", count: 50, mutant: "does not fence" }), ["G-07"]);
		});
		const some = trial.long ? 400 : 30;
		await trial.check(`${some} interleavings on PostgreSQL, three writes at a time`, 600_000, async () =>
			none(await interleavings(trial, { database: "postgres", count: some, atOnce: 3 })),
		);
	},
};
