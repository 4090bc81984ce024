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
	constructor(private readonly parts: UpkeepParts) {}

	start(): void {
		const { store, events } = this.parts;
		this.stops.push(store.onHint((hint) => events.publish(hint)));
		this.every(EVERY_MS, () => this.tidy());
		if (store.shared) this.every(POLL_MS, async () => events.wakeAll());
	}

	stop(): void {
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

	private async tidy(): Promise<void> {
		const { store, clock, log, events } = this.parts;
		// One that cannot be expired keeps nothing else from being tidied.
		await this.expire().catch((error: unknown) => log("error", { err: error }, "interrupted tasks could not be expired"));
		await this.parts.tidyPictures().catch((error: unknown) => log("error", { err: error }, "pictures could not be cleaned away"));
		while ((await store.write("pruneTickets", { now: clock.now(), limit: SLICE })).more);
		const askedBefore = clock.now() - LIMITS.askRepeatMs;
		while ((await store.write("pruneFollowUps", { now: clock.now(), askedBefore, limit: SLICE })).more);
		while ((await store.write("expireApprovals", { now: clock.now(), limit: SLICE })).more);
		const now = clock.now();
		const calls = { resultsBefore: now - LIMITS.callResultMs, callsBefore: now - LIMITS.callsKeptMs, limit: SLICE };
		while ((await store.write("pruneCalls", calls)).more);
		while ((await store.write("foldChunks", { before: clock.now() - LIMITS.chunkRowsMs, limit: SLICE })).folded > 0) events.forgetRecent();
	}

	private async expire(): Promise<void> {
		const { store, clock, grown } = this.parts;
		const changedBefore = clock.now() - LIMITS.interruptedTaskMs;
		for (let idle = await store.read.idleTasks(changedBefore, SLICE); idle.length > 0; ) {
			for (const taskUid of idle) {
				const answer = await store.write("expireTask", { taskUid, changedBefore, now: clock.now() });
				grown(answer.conversationId, answer.events);
			}
			idle = idle.length < SLICE ? [] : await store.read.idleTasks(changedBefore, SLICE);
		}
	}
}
