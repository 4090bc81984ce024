/** What is done from time to time: tasks that nobody answered expire, what is no longer needed goes, readers look again. In slices, so that no write runs long. */
import { LIMITS } from "../../shared/limits.js";
import type { EngineParts } from "./engine.js";
import type { Events } from "./events.js";
import type { Clock, Store, StoredEvent } from "./ports.js";

const EVERY_MS = 60_000;
const SLICE = 50;
/** A missed hint is made good by looking at the log (reliability.md G-31). */
const POLL_MS = 2_000;

export interface UpkeepParts {
	store: Store;
	clock: Clock;
	log: EngineParts["log"];
	events: Events;
	grown: (conversationId: number, events: StoredEvent[]) => void;
	/** Pictures that have to go. */
	tidyPictures: () => Promise<void>;
}

export class Upkeep {
	private readonly stops: (() => void)[] = [];
	private stopped = false;
	constructor(private readonly parts: UpkeepParts) {}

	start(): void {
		const { store, events } = this.parts;
		this.stops.push(store.onHint((hint) => events.publish(hint)));
		this.every(EVERY_MS, () => this.tidy());
		if (store.shared) this.every(POLL_MS, async () => events.wakeAll());
	}

	stop(): void {
		this.stopped = true;
		for (const stop of this.stops.splice(0)) stop();
	}

	private every(ms: number, work: () => Promise<void>): void {
		const { clock, log } = this.parts;
		let stopTimer: () => void = () => undefined;
		let stopped = false;
		const again = (): void => {
			stopTimer = clock.after(ms, () => {
				void work()
					.catch((error: unknown) => log("warn", { err: error }, "upkeep did not finish; it is tried again"))
					.finally(() => {
						if (!stopped) again();
					});
			});
		};
		again();
		this.stops.push(() => {
			stopped = true;
			stopTimer();
		});
	}

	/** Everything once. What fails is logged and tried again the next time; it keeps nothing else from being done. */
	async tidy(): Promise<void> {
		for (const [what, step] of Object.entries(this.steps())) {
			if (this.stopped) return;
			await step().catch((error: unknown) => {
				// The store that closes under it is no news.
				if (!this.stopped) this.parts.log("error", { err: error }, `Upkeep failed at ${what}; it is tried again.`);
			});
		}
	}

	/** By what each does. `more` of a slice: another is waiting. */
	private steps(): Record<string, () => Promise<void>> {
		const { store, clock, events, tidyPictures } = this.parts;
		const inSlices = async (slice: (now: number) => Promise<{ more: boolean }>): Promise<void> => {
			while ((await slice(clock.now())).more);
		};
		const limit = SLICE;
		return {
			"ending interrupted tasks": () => this.expireTasks(),
			"clearing pictures away": tidyPictures,
			"forgetting tickets": () => inSlices((now) => store.write("pruneTickets", { now, limit })),
			"forgetting private links": () =>
				inSlices((now) => store.write("pruneFollowUps", { now, askedBefore: now - LIMITS.askRepeatMs, limit })),
			"ending approvals": () => inSlices((now) => store.write("expireApprovals", { now })),
			"forgetting approvals": () => inSlices((now) => store.write("pruneApprovals", { before: now - LIMITS.callsKeptMs, limit })),
			"forgetting calls": () =>
				inSlices((now) =>
					store.write("pruneCalls", { resultsBefore: now - LIMITS.callResultMs, callsBefore: now - LIMITS.callsKeptMs, limit }),
				),
			"folding answers": () =>
				inSlices(async (now) => {
					const { folded } = await store.write("foldChunks", { before: now - LIMITS.chunkRowsMs, limit });
					if (folded > 0) events.forgetRecent();
					return { more: folded > 0 };
				}),
		};
	}

	/** One that cannot be expired keeps no other from it. */
	private async expireTasks(): Promise<void> {
		const { store, clock, grown } = this.parts;
		const changedBefore = clock.now() - LIMITS.interruptedTaskMs;
		const failed = new Map<string, unknown>();
		for (let more = true; more; ) {
			const idle = await store.read.idleTasks(changedBefore, SLICE + failed.size);
			more = idle.length === SLICE + failed.size;
			for (const taskUid of idle.filter((uid) => !failed.has(uid))) {
				try {
					const answer = await store.write("expireTask", { taskUid, changedBefore, now: clock.now() });
					grown(answer.conversationId, answer.events);
				} catch (error) {
					failed.set(taskUid, error);
				}
			}
			// A store that takes nothing is not asked about each of them.
			if (failed.size >= SLICE) break;
		}
		if (failed.size > 0) throw new Error(`${failed.size} of them could not be ended`, { cause: [...failed.values()][0] });
	}
}
