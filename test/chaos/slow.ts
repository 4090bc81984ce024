/**
 * T-SLOW (G-15): readers that stop reading cost the server little and others nothing, and are served from the log when they read
 * again, without a gap.
 */
import type { LogEvent } from "../../shared/channel.js";
import { LIMITS } from "../../shared/limits.js";
import { seeded } from "../seeded.js";
import type { MutantName } from "./broken.js";
import type { Breach } from "./checker.js";
import { Crowd } from "./crowd.js";
import type { ServerNode } from "./node.js";
import type { Stats } from "./protocol.js";
import { SlowReader } from "./slow-reader.js";
import { caught, none, type Suite, type Trial } from "./suite.js";
import { pause, until } from "./time.js";
import { Visitor } from "./visitor.js";

/** Events of one answer, and characters of each. */
const FLOOD = { events: 100, chars: 2_000 };
/** What waits in the server for a reader that does not read, at the least: what the system takes for it is not felt. */
const FELT_BYTES = 16 * 1024;
/** What the process may grow by, whatever waits for its readers. */
const GROWTH_BYTES = 160 * 1024 * 1024;
/** Between others' answers with and without slow readers, milliseconds: what a busy machine makes of it is no breach. */
const NOISE_MS = 1_000;

interface Plan {
	readers: number;
	floods: number;
	mutant?: MutantName;
}

type Most = Pick<Stats, "rss" | "unsentMax" | "unsentSum">;

/** The worst that a server says of itself while something goes on, which may look at it as it grows. */
async function worst(node: ServerNode, during: (most: Most) => Promise<unknown>): Promise<Most> {
	const most: Most = { rss: 0, unsentMax: 0, unsentSum: 0 };
	let over = false;
	const done = during(most).finally(() => {
		over = true;
	});
	// Awaited below, once the last look is over; a failure until then is not one that nobody hears of.
	done.catch(() => undefined);
	while (!over) {
		const stats = await node.stats();
		for (const key of Object.keys(most) as (keyof Most)[]) most[key] = Math.max(most[key], stats[key]);
		await pause(100);
	}
	await done;
	return most;
}

async function slowReaders(trial: Trial, plan: Plan): Promise<Breach[]> {
	const { readers: count, floods, mutant } = plan;
	const dir = trial.newFolder();
	const place = trial.place({ dir, mutant });
	const node = await place.start();
	const port = (): number | undefined => place.port;
	const crowd = new Crowd({ port, visitors: 10, rate: 40, seed: trial.seed });
	trial.onEnd(() => crowd.leave());
	await crowd.arrive();
	const { history } = crowd;
	const flooded = new Visitor({ name: "flooded", kind: "socket", number: 38_000, port, history, random: seeded(trial.seed) });
	crowd.visitors.push(flooded);
	crowd.resting.add(flooded);
	await flooded.arrive();
	await flooded.say(crowd.words());

	const open = async (): Promise<SlowReader[]> => {
		const readers = Array.from({ length: count }, (_, i) => {
			const [localAddress, nonce] = [`127.0.200.${1 + (i % 200)}`, `nonce of slow ${i} ${trial.seed}`];
			return new SlowReader({ port, localAddress, token: flooded.line.token ?? "", contextId: flooded.contextId ?? "", nonce });
		});
		trial.onEnd(() => leave(readers));
		await Promise.all(readers.map((reader) => reader.open(flooded.head)));
		return readers;
	};
	const before = await node.stats({ collect: true });
	crowd.start();
	const at = [history.sendings.length];
	if (!mutant) {
		// The same answers to as many readers that read: what those cost others is what is compared.
		const readers = await open();
		await flood(crowd, flooded, Math.min(floods, 6));
		leave(readers);
	}
	at.push(history.sendings.length);
	const readers = await open();
	const begin = flooded.head;
	for (const reader of readers) reader.stop();
	const isFelt = ({ unsentSum }: Most): boolean => unsentSum >= count * FELT_BYTES;
	const most = await worst(node, (most) => flood(crowd, flooded, floods, () => isFelt(most)));
	at.push(history.sendings.length);
	for (const reader of readers) reader.resume();

	const found = await caughtUp(readers, flooded, begin);
	if (!isFelt(most)) found.push({ rule: "suite", text: "the system took everything: nobody was slow" });
	if (most.unsentMax > LIMITS.socketBufferBytes)
		found.push({ rule: "G-15", text: `a reader that does not read costs ${most.unsentMax} bytes` });
	if (most.rss - before.rss > GROWTH_BYTES) found.push({ rule: "G-15", text: `the server grew by ${most.rss - before.rss} bytes` });
	await crowd.stop();
	const [quietly, slowly] = [p99(crowd, flooded, at[0], at[1]), p99(crowd, flooded, at[1], at[2])];
	if (!mutant && slowly > 2 * quietly + NOISE_MS) found.push({ rule: "G-15", text: `others' p99 went from ${quietly} to ${slowly} ms` });
	if (!mutant) found.push(...(await crowd.judge({ dir })));
	leave(readers);
	await leavesNothing(node, before, found);
	trial.say(
		`${count} readers, ${flooded.head - begin} events to each; unsent at most ${mib(most.unsentMax)} a socket and ${mib(most.unsentSum)} in all`,
	);
	trial.say(
		`the server grew by ${mib(most.rss - before.rss)}; others' p99 ${quietly} ms while the readers read, ${slowly} ms while they did not`,
	);
	return found;
}

const leave = (readers: readonly SlowReader[]): void => {
	for (const reader of readers) reader.leave();
};

const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/**
 * Answers of many pieces, one after another, until they are enough: one system takes half a megabyte for a reader that does not
 * read, another five before its server feels anything.
 */
async function flood(crowd: Crowd, flooded: Visitor, times: number, isEnough = (): boolean => true): Promise<void> {
	for (let i = 0; i < times || (i < 4 * times && !isEnough()); i++) {
		const words = crowd.words(` flood ${FLOOD.events} ${FLOOD.chars}`);
		await crowd.say(flooded, words);
		const isReply = (e: LogEvent): boolean => e.message?.role === "ROLE_AGENT" && e.message.parts.some((p) => p.text?.endsWith(words));
		await until(20_000, "an answer of many pieces", () => flooded.seen.some(isReply), 5);
	}
}

/** Every reader gets all that it missed, in order and once. */
async function caughtUp(readers: readonly SlowReader[], flooded: Visitor, begin: number): Promise<Breach[]> {
	const found: Breach[] = [];
	const haveAll = (): boolean => readers.every((r) => r.head >= flooded.head);
	await until(60_000, "the last event at every reader", haveAll).catch((error: Error) => found.push({ rule: "I4", text: error.message }));
	for (const [i, { gaps, events }] of readers.entries()) {
		for (const gap of gaps.slice(0, 3)) found.push({ rule: "I4", text: `slow reader ${i} was given ${gap}` });
		const missing = flooded.head - begin - events;
		if (missing !== 0) found.push({ rule: "I4", text: `slow reader ${i} lacks ${missing} events` });
	}
	return found;
}

/** Of the others' acknowledgements, milliseconds, among the messages from one number to another. */
function p99({ history }: Crowd, flooded: Visitor, from = 0, to = 0): number {
	const took = history.sendings.slice(from, to).flatMap(({ client, ack }) => (ack && client !== flooded.name ? [ack.afterMs] : []));
	return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0;
}

/** Leak gate (G-36): sockets and files are what they were. */
async function leavesNothing(node: ServerNode, before: Stats, found: Breach[]): Promise<void> {
	let now = before;
	const isBack = async (): Promise<boolean> => {
		now = await node.stats();
		return now.sockets <= before.sockets + 10 && now.files <= before.files + 10;
	};
	await until(10_000, "the end of every socket", isBack, 100).catch(() => {
		found.push({ rule: "G-36", text: `${before.sockets} sockets and ${before.files} files have become ${now.sockets} and ${now.files}` });
	});
}

export const slow: Suite = {
	name: "slow",
	what: "readers that stop reading cost little, harm nobody and miss nothing (G-15, G-36)",
	async run(trial) {
		const plan: Plan = trial.long ? { readers: 200, floods: 60 } : { readers: 200, floods: 20 };
		await trial.check(`${plan.readers} sockets that stop reading, ${plan.floods * FLOOD.events} events to each`, 240_000, async () =>
			none(await slowReaders(trial, plan)),
		);
		await trial.check("finds out a server that heeds no reader", 120_000, async () => {
			caught("heeds no reader", await slowReaders(trial, { readers: 10, floods: 45, mutant: "heeds no reader" }), ["G-15"]);
		});
		await trial.check("finds out a server that skips what a slow reader has missed", 120_000, async () => {
			caught("skips for the slow", await slowReaders(trial, { readers: 5, floods: 20, mutant: "skips for the slow" }), ["I4"]);
		});
	},
};
