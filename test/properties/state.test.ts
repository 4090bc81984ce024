/**
 * T-STATE (reliability.md G-12): whatever happens, a snapshot taken at any moment and the log after it come to the snapshot taken
 * later. The reader is the chat's own reducer, the server the real engine on a real store, the actions a seeded mixture.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "../../server/engine/engine.js";
import type { ContextState, LogEvent } from "../../shared/channel.js";
import { type Conversation, EMPTY, reduce } from "../../widget/chat/conversation.js";
import { openEngine, type Script, type TestEngine, textsOf } from "../engine.js";
import { seeded } from "../seeded.js";
import { type StorePlace, storePlace } from "../stores.js";

const CUTS = process.env.LONG ? 50_000 : 10_000;
const CONVERSATIONS_AT_ONCE = 20;
const ACTIONS = 30;

/** Everything that a client must agree on with the server after the same log. */
const shown = (c: Conversation): unknown => ({
	seq: c.seq,
	messages: c.messages.slice(-50),
	// What has been said of a task that waits for its caller stands as a message; the chat keeps no draft of it.
	tasks: c.tasks.map(({ id, state, artifacts, waitsForOwner }) => ({
		id,
		state,
		artifacts: state === "TASK_STATE_WORKING" ? artifacts : [],
		waitsForOwner,
	})),
	microphone: c.microphone,
	ended: c.ended,
	lost: c.lost,
});
const opened = (state: ContextState): Conversation => reduce(EMPTY, { type: "opened", state });
const after = (from: ContextState, events: readonly LogEvent[]): Conversation => {
	let now = opened(from);
	for (const event of events) if ((event.seq ?? 0) > from.seq) now = reduce(now, { type: "event", event });
	return now;
};

/** Answers in ways that make every kind of event: pieces, questions, failures, artifacts beside the words. */
const script: Script = async function* (turn) {
	const words = textsOf(turn).join(" ");
	if (words.includes("broken")) throw new Error("broken on purpose");
	for (const piece of words.split(" ")) {
		yield { type: "text", text: `${piece} ` };
		await new Promise((resolve) => setImmediate(resolve));
	}
	if (words.includes("data")) yield { type: "artifact", artifactId: "data", parts: [{ data: { words } }] };
	if (words.includes("sign")) yield { type: "needs_authorisation", explanation: "x" };
	else yield { type: "reply", asks: words.includes("which") };
};

describe("a snapshot and the log after it", () => {
	let place: StorePlace;
	let desk: TestEngine;
	let ticking: NodeJS.Timeout;
	beforeAll(async () => {
		place = await storePlace("sqlite");
		desk = await openEngine(place, { script });
		// Time passes by itself here: what streams does so in pieces that other actions come between.
		ticking = setInterval(() => desk.clock.turn(25), 1);
	});
	afterAll(async () => {
		clearInterval(ticking);
		await desk.close();
		await place.remove();
	});

	/** Plays one conversation and takes snapshots in its midst. */
	async function play(seed: number, cuts: number): Promise<{ snapshots: ContextState[]; last: ContextState; log: LogEvent[] }> {
		const random = seeded(seed);
		const d = await desk.desk();
		const me: Caller = await desk.caller();
		const first = await desk.send(me, "begin which");
		const { contextId } = first;
		const snapshots: ContextState[] = [];
		const look = async (): Promise<ContextState> => {
			const open = await desk.engine.openContext(me, d, contextId);
			if (!open) throw new Error("the conversation is gone");
			return open.state;
		};
		const tasks = [first.taskId];
		const act = async (): Promise<unknown> => {
			const text = `${random.pick(["one two three", "which one of these", "some data here", "broken now", "sign here please", "a longer tale in many words"])} ${seed}`;
			switch (random.int(7)) {
				case 0:
				case 1:
				case 2:
					return desk.send(me, text, { contextId }).then((sent) => tasks.push(sent.taskId));
				case 3:
					return desk.send(me, text, { taskId: random.pick(tasks) });
				case 4:
					return desk.engine.cancelTask(me, d, random.pick(tasks));
				case 5:
					return desk.engine.owner.takeMicrophone("mira", contextId);
				default:
					return desk.engine.owner.handBack("mira", contextId);
			}
		};
		for (let i = 0; i < ACTIONS; i++) {
			const doing = act().catch((error: { code?: string }) => {
				// What the protocol refuses is part of the game; anything else is not.
				if (error.code === undefined || error.code === "internal") throw error;
			});
			for (let n = 0; n < Math.ceil(cuts / ACTIONS); n++) {
				snapshots.push(await look());
				if (random.int(3) === 0) await new Promise((resolve) => setImmediate(resolve));
			}
			await doing;
		}
		await desk.engine.owner.handBack("mira", contextId);
		const last = await settled(look);
		const log: LogEvent[] = [];
		for (let seq = 0; seq < last.seq; ) {
			const page = await desk.engine.events(me, d, { contextId, after: seq, limit: 1_000, waitMs: 0 });
			log.push(...page.events.map((text) => JSON.parse(text) as LogEvent));
			seq = page.seq;
			// On disk, and not told yet: the loop must get a turn for it.
			if (page.events.length === 0) await new Promise((resolve) => setImmediate(resolve));
		}
		return { snapshots, last, log };
	}

	/** The state once nothing moves any more: no task works. */
	async function settled(look: () => Promise<ContextState>): Promise<ContextState> {
		for (let i = 0; i < 5_000; i++) {
			const state = await look();
			if (state.tasks.every((t) => t.status.state === "TASK_STATE_INPUT_REQUIRED" || t.status.state === "TASK_STATE_AUTH_REQUIRED"))
				return state;
			await new Promise((resolve) => setImmediate(resolve));
		}
		throw new Error("the conversation never came to rest");
	}

	it(`agree at ${CUTS} cut points`, { timeout: 600_000 }, async () => {
		let checked = 0;
		const kinds = new Set<string>();
		for (let round = 0; checked < CUTS; round++) {
			const games = Array.from({ length: CONVERSATIONS_AT_ONCE }, (_, i) => play(round * 1_000 + i, Math.ceil(CUTS / 100)));
			for (const { snapshots, last, log } of await Promise.all(games)) {
				expect(log.map((e) => e.seq)).toEqual(log.map((_, i) => i + 1));
				for (const event of log) kinds.add(Object.keys(event).find((k) => !["contextId", "seq", "at", "from"].includes(k)) ?? "");
				const whole = shown(opened(last));
				for (const [i, snapshot] of snapshots.entries()) {
					expect(shown(after(snapshot, log))).toEqual(whole);
					// And to the next one, taken in the midst of answers that were being written.
					const next = snapshots[i + 1];
					if (next && next.seq > snapshot.seq) {
						const between = log.filter((e) => (e.seq ?? 0) <= next.seq);
						expect(shown(after(snapshot, between))).toEqual(shown(opened(next)));
					}
					checked++;
				}
			}
		}
		expect([...kinds].sort()).toEqual(["artifactUpdate", "message", "signal", "statusUpdate", "task"]);
	});

	it("disagree where a reader loses one event, or a snapshot is not of one moment", async () => {
		const { snapshots, last, log } = await play(7, 300);
		const whole = shown(opened(last));
		const tell = (mutant: (from: ContextState) => Conversation): number =>
			snapshots.filter((from) => JSON.stringify(shown(mutant(from))) !== JSON.stringify(whole)).length;
		expect(tell((from) => after(from, log))).toBe(0);
		expect(
			tell((from) =>
				after(
					from,
					log.filter((e) => e.seq !== from.seq + 2),
				),
			),
		).toBeGreaterThan(snapshots.length / 2);
		expect(tell((from) => after({ ...from, seq: from.seq + 2 }, log))).toBeGreaterThan(snapshots.length / 2);
	});
});
