/**
 * All turns of this process: claims what waits, runs an answerer for each, begins the next when one ends, and stops those that a
 * write has fenced. One runs at a time a conversation; conversations run side by side (DESK-3). What happens after a crash is
 * the same as at any start: what nobody holds is claimed.
 */
import type { Message } from "../../shared/a2a.schema.js";
import { LIMITS } from "../../shared/limits.js";
import { mayOf } from "./apps.js";
import type { Use } from "./apps-ports.js";
import type { NewId } from "./ids.js";
import type { Answerer, Clock, Provenance, Store, StoredEvent, Turn, TurnMessage } from "./ports.js";
import { isPerson, provenanceOf } from "./provenance.js";
import type { DueTurn } from "./reads.js";
import type { DeskRow } from "./rows.js";
import { isThere, settingsOf } from "./settings.js";
import type { Covered } from "./turn-operations.js";
import { type RunParts, TurnRun } from "./turn-run.js";

/** How often turns that nobody holds are looked for. */
const SWEEP_MS = 2_000;
const SWEEP_LIMIT = 200;
/** How long a turn that may have taken its process down runs before the next such one does. */
const SUSPECT_MS = 30_000;
/** Messages of the conversation that a turn is told besides those that it answers. */
const TOLD = 50;

export interface TurnsParts extends RunParts {
	store: Store;
	clock: Clock;
	newId: NewId;
	answerers: readonly Answerer[];
	/** What a turn may do outside, under its claim. */
	use: (claim: { turnUid: string; claim: string }, signal: AbortSignal) => Use;
	deskById: (id: number) => Promise<DeskRow | undefined>;
	/** The log of a conversation has grown by these. */
	grown: (conversationId: number, events: StoredEvent[]) => void;
}

/** What is known of a turn at its claim, without reading it again. */
export interface Begin {
	turnUid: string;
	claim: string;
	desk: DeskRow;
	answerer: Answerer;
	contextUid: string;
	askerUid: string;
	provenance: Provenance;
	acceptedOutputModes: string[] | null;
	history: TurnMessage[];
	incoming: TurnMessage[];
}

export class Turns {
	private readonly runs = new Map<string, { run: TurnRun; done: Promise<void>; claim: string }>();
	private stopSweep: (() => void) | undefined;
	private started = false;
	private stopping = false;
	/** Sends that may begin a turn. */
	private readonly expected = new Set<Promise<void>>();
	/** Suspects are run one after another. */
	private trying = false;

	constructor(private readonly parts: TurnsParts) {}

	/** Turns that run in this process. */
	get running(): number {
		return this.runs.size;
	}

	/** The answerer of a desk, if somebody is there (RUN-6). */
	answererOf(desk: DeskRow): Answerer | undefined {
		return isThere(settingsOf(desk.settings), this.parts.clock.now()) && !this.stopping ? this.parts.answerers[0] : undefined;
	}

	/** A claim for a turn that a send may start. */
	offer(): { claim: string; leaseUntil: number } {
		return { claim: this.parts.newId("clm"), leaseUntil: this.parts.clock.now() + LIMITS.turnLeaseMs };
	}

	/** Runs a turn that is claimed, or whose claim is queued before anything that it will write. */
	begin(begin: Begin): void {
		const { desk, answerer } = begin;
		const person = isPerson(begin.provenance.channel);
		const turn: Turn = {
			id: begin.turnUid,
			desk: { handle: desk.handle, name: desk.name, about: desk.about, language: desk.language, ownerName: desk.ownerName },
			conversationId: begin.contextUid,
			asker: { id: begin.askerUid, kind: person ? "person" : "agent", channel: begin.provenance.channel },
			history: begin.history,
			incoming: begin.incoming,
			acceptedOutputModes: begin.acceptedOutputModes,
			memory: async () =>
				(await this.parts.store.read.memory(desk.id)).filter(
					(f) => !f.path.startsWith("people/") || f.path === `people/${begin.askerUid}.md`,
				),
			may: mayOf(desk, begin.provenance),
			use: (call) => this.parts.use(claim, run.signal)(call),
		};
		const claim = { turnUid: begin.turnUid, claim: begin.claim, messageId: this.parts.newId("msg") };
		let next: string | undefined;
		const parts: RunParts = {
			...this.parts,
			published: (answer) => {
				next = answer.next ?? next;
				this.parts.grown(answer.conversationId, answer.events);
			},
		};
		const run = new TurnRun(parts, claim, answerer, turn, answerer.maySilence && !person);
		const done = run.run().finally(() => {
			if (this.runs.get(begin.turnUid)?.run === run) this.runs.delete(begin.turnUid);
			if (next !== undefined) this.wake(next);
		});
		this.runs.set(begin.turnUid, { run, done, claim: begin.claim });
	}

	/** Stops a turn that a write has fenced. */
	stop(turnUid: string): void {
		this.runs.get(turnUid)?.run.stop();
	}

	/** Claims a waiting turn and runs it; nothing where it is not to be had. */
	wake(turnUid: string): void {
		if (this.stopping) return;
		void this.tryClaim(turnUid, false);
	}

	private async claim(turnUid: string, orphaned = false): Promise<void> {
		const offer = this.offer();
		const { store, clock } = this.parts;
		const answer = await store.write("claimTurn", { turnUid, ...offer, orphaned, now: clock.now() });
		this.parts.grown(answer.conversationId, answer.events);
		const { claimed } = answer;
		if (!claimed) return;
		await this.orRelease(claimed, async () => {
			const { conversation, asker } = await store.read.turn(claimed.conversationId, 0, 0, 0);
			const desk = await this.parts.deskById(conversation.deskId);
			const answerer = desk && this.answererOf(desk);
			if (!desk || !answerer) return false;
			const about = {
				turnUid,
				claim: claimed.claim,
				desk,
				answerer,
				contextUid: claimed.contextUid,
				askerUid: asker.uid,
				provenance: provenanceOf(conversation),
				acceptedOutputModes: null,
			};
			return await this.beginWith(about, claimed.conversationId, claimed.throughSeq, claimed.covered);
		});
	}

	/** Begins a turn that is claimed, or gives it back: a claim that nobody serves would hold up its conversation for its whole lease. */
	private async orRelease(claimed: { turnUid: string; claim: string }, begin: () => Promise<boolean>): Promise<void> {
		const { store, clock, log } = this.parts;
		const begun = await begin().catch((error: unknown) => {
			log("warn", { turn: claimed.turnUid, err: error }, "a turn that was claimed could not be begun yet");
			return false;
		});
		if (begun) return;
		const release = { turnUid: claimed.turnUid, claim: claimed.claim, now: clock.now() };
		await store.write("releaseTurn", release).catch(() => undefined);
	}

	/** Runs a turn that is claimed and on disk, with what was said before it. Never rejects: the send that made it has been taken in. */
	async beginClaimed(
		about: Omit<Begin, "history" | "incoming">,
		conversationId: number,
		throughSeq: number,
		covered: readonly Covered[],
	): Promise<void> {
		await this.orRelease(about, () => this.beginWith(about, conversationId, throughSeq, covered));
	}

	private async beginWith(
		about: Omit<Begin, "history" | "incoming">,
		conversationId: number,
		throughSeq: number,
		covered: readonly Covered[],
	): Promise<true> {
		const from = Math.min(...covered.map((c) => c.askedFrom));
		const view = await this.parts.store.read.turn(conversationId, from, throughSeq, TOLD);
		const messages = view.messages.map(({ seq, from, body }) => new Told(seq, from, body));
		const isAsked = (m: Told): boolean => m.from === "visitor" && covered.some(({ uid, askedFrom }) => m.seq >= askedFrom && m.isOf(uid));
		const history: TurnMessage[] = [];
		const incoming: TurnMessage[] = [];
		for (const m of messages) (isAsked(m) ? incoming : history).push(m);
		this.begin({ ...about, history, incoming });
		return true;
	}

	/**
	 * Looks for turns that nobody holds, now and from time to time. Where this process alone writes, nobody holds any at its start.
	 * Never rejects: a server whose disk is full starts too, and takes them up when it can.
	 */
	async start(): Promise<void> {
		this.started = true;
		let orphaned = !this.parts.store.shared;
		const look = async (): Promise<void> => {
			if (await this.sweep(orphaned)) orphaned = false;
		};
		await look();
		const again = (): void => {
			this.stopSweep = this.parts.clock.after(SWEEP_MS, () => void look().finally(() => !this.stopping && again()));
		};
		again();
	}

	/** Somebody is there to answer now: what has waited is claimed. */
	async look(): Promise<void> {
		// A command that opens the store for a moment claims nothing.
		if (this.started && !this.stopping) await this.sweep();
	}

	/** Claims what nobody holds. False: the store does not answer now, and somebody has to look again. */
	private async sweep(orphaned = false): Promise<boolean> {
		const { store, clock } = this.parts;
		const now = orphaned ? Number.MAX_SAFE_INTEGER : clock.now();
		const isServed = new Map<number, boolean>();
		const suspects: DueTurn[] = [];
		try {
			let due = await store.read.dueTurns(now, SWEEP_LIMIT);
			for (; due.length > 0; due = await store.read.dueTurns(now, SWEEP_LIMIT, due.at(-1)?.id)) {
				for (const turn of due) {
					if (!isServed.has(turn.deskId)) {
						const desk = await this.parts.deskById(turn.deskId);
						isServed.set(turn.deskId, desk !== undefined && this.answererOf(desk) !== undefined);
					}
					if (!isServed.get(turn.deskId) || this.runs.has(turn.uid)) continue;
					if (this.stopping) return true;
					if (turn.attempts === LIMITS.turnAttempts - 1) suspects.push(turn);
					// The others would meet the same.
					else if (!(await this.tryClaim(turn.uid, orphaned))) return false;
				}
			}
		} catch (error) {
			this.parts.log("warn", { err: error }, "could not look for waiting turns");
			return false;
		}
		if (suspects.length > 0 && !this.trying) await this.oneByOne(suspects, orphaned);
		return true;
	}

	/**
	 * Turns that have been under way at every crash, and of which the next one parks whatever runs: one of them may be why. They run
	 * one after another, so that only that one is parked and the others are answered (reliability.md G-35).
	 */
	private async oneByOne([suspect, ...others]: readonly DueTurn[], orphaned: boolean): Promise<void> {
		this.trying = suspect !== undefined && !this.stopping;
		if (!suspect || !this.trying) return;
		if (!this.runs.has(suspect.uid)) await this.tryClaim(suspect.uid, orphaned);
		let stopTimer: () => void = () => undefined;
		const longEnough = new Promise<void>((resolve) => {
			stopTimer = this.parts.clock.after(SUSPECT_MS, resolve);
		});
		void Promise.race([this.runs.get(suspect.uid)?.done, longEnough]).then(() => {
			stopTimer();
			void this.oneByOne(others, orphaned);
		});
	}

	/** Claims and runs a turn. False where the store takes no writes now (disk full, busy): it is looked for again. */
	private async tryClaim(turnUid: string, orphaned: boolean): Promise<boolean> {
		try {
			await this.claim(turnUid, orphaned);
			return true;
		} catch (error) {
			this.parts.log("warn", { turn: turnUid, err: error }, "a turn could not be claimed yet");
			return (error as { code?: string }).code !== "unavailable";
		}
	}

	/** A send that may begin a turn: a stop waits for it. */
	expect(send: Promise<unknown>): void {
		if (this.stopping) return;
		const settled = send.then(
			() => void this.expected.delete(settled),
			() => void this.expected.delete(settled),
		);
		this.expected.add(settled);
	}

	/** No new turns. Those that run, and those that sends on their way begin, have `graceMs` to end; then they are handed over. */
	async drain(graceMs: number): Promise<void> {
		this.stopping = true;
		this.stopSweep?.();
		let isOver = false;
		let stopTimer: () => void = () => undefined;
		const timeUp = new Promise<void>((resolve) => {
			stopTimer = this.parts.clock.after(graceMs, () => {
				isOver = true;
				resolve();
			});
		});
		while (!isOver && this.runs.size + this.expected.size > 0) {
			await Promise.race([Promise.all([...this.expected, ...[...this.runs.values()].map((r) => r.done)]), timeUp]);
		}
		stopTimer();
		const left = [...this.runs];
		this.runs.clear();
		for (const [turnUid, { run, claim }] of left) {
			run.stop();
			await this.parts.store.write("releaseTurn", { turnUid, claim, now: this.parts.clock.now() }).catch(() => undefined);
		}
	}
}

/** A message as its turn is told of it. Read from its text when somebody looks at it: most of fifty are looked at by nobody. */
class Told implements TurnMessage {
	private read: Message | undefined;

	constructor(
		readonly seq: number,
		readonly from: TurnMessage["from"],
		private readonly body: string,
	) {}

	get message(): Message {
		this.read ??= JSON.parse(this.body) as Message;
		return this.read;
	}

	isOf(taskId: string): boolean {
		return this.body.includes(taskId) && this.message.taskId === taskId;
	}
}
