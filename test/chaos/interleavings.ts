/**
 * One conversation, several holders that each believe the turn is theirs, and everything that may happen between: a model says of
 * each write whether it has to be refused as too late, and the checker judges the log. The order is drawn from a seed.
 */
import { pathToFileURL } from "node:url";
import type { Caller } from "../../server/engine/engine.js";
import { decides } from "../../server/engine/operations.js";
import type { Store } from "../../server/engine/ports.js";
import type { ArtifactPiece } from "../../server/engine/turn-operations.js";
import { logEventText } from "../../server/engine/views.js";
import { operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { openPostgres } from "../../server/store/postgres.js";
import { openSqlite } from "../../server/store/sqlite.js";
import { storeOf } from "../../server/store/store.js";
import type { LogEvent } from "../../shared/channel.js";
import { LIMITS } from "../../shared/limits.js";
import { openEngine, type TestEngine } from "../engine.js";
import { freshDatabase } from "../postgres.js";
import { type Seeded, seeded } from "../seeded.js";
import { answerTo } from "./answerer.js";
import type { MutantName } from "./broken.js";
import { type Breach, breaches } from "./checker.js";
import type { Sending } from "./history.js";
import type { Trial } from "./suite.js";

export interface Interleaving {
	database: "sqlite" | "postgres";
	count: number;
	/** Writes that are on their way at one time. More than one: their order is the database's, and only the log is judged. */
	atOnce?: number;
	mutant?: MutantName;
}

const STEPS = 24;

/** Somebody who claimed a turn once. */
interface Holder {
	turnUid: string;
	claim: string;
	/** Tasks that it covers, oldest first. */
	covered: string[];
	wrote: string;
	begun: boolean;
}

async function openPlace(trial: Trial, { database, mutant }: Interleaving): Promise<TestEngine> {
	const log = (): void => undefined;
	if (database === "postgres") {
		const { url, drop } = await freshDatabase();
		trial.onEnd(drop);
		const table = operationTable(decides, halves);
		return await openEngine({ open: async (clock) => storeOf(await openPostgres({ url, table, clock, log }), true), remove: drop });
	}
	const dir = trial.newFolder();
	const workerUrl = new URL("writer.js", pathToFileURL(trial.entry));
	process.env.CHAOS = JSON.stringify(mutant === undefined ? {} : { mutant });
	return await openEngine({
		open: async (clock) => storeOf(await openSqlite({ dir, workerUrl, clock, log }), false),
		remove: async () => undefined,
	});
}

export async function interleavings(trial: Trial, plan: Interleaving): Promise<Breach[]> {
	const desk = await openPlace(trial, plan);
	trial.onEnd(() => desk.close());
	// Nobody answers of itself: the holders here are the only ones.
	await desk.engine.owner.changeSettings("mira", { builtInAnswerer: false });
	const found: Breach[] = [];
	let writes = 0;
	let late = 0;
	for (let i = 0; i < plan.count; i++) {
		const seed = (trial.seed + i) >>> 0;
		const game = new Game(desk, seeded(seed), plan.atOnce ?? 1, await desk.caller());
		await game.play();
		writes += game.writes;
		late += game.late;
		const breached = game.found;
		found.push(...breached.map(({ rule, text }) => ({ rule, text: `interleaving ${seed}: ${text}` })));
		if (found.length > 0) break;
	}
	trial.say(`${plan.count} interleavings, ${writes} writes of holders, ${late} of them too late and refused`);
	return found;
}

class Game {
	writes = 0;
	late = 0;
	readonly found: Breach[] = [];
	private readonly store: Store;
	private readonly holders: Holder[] = [];
	private readonly sendings: Sending[] = [];
	/** Words of each task, in the order in which they were said. */
	private readonly words = new Map<string, string[]>();
	private contextId: string | undefined;
	private conversationId = 0;
	private deskId = 0;
	/** The claim that holds; known only where one write is made at a time. */
	private holding: string | undefined;
	private owner = false;
	private ids = 0;

	constructor(
		private readonly desk: TestEngine,
		private readonly random: Seeded,
		private readonly atOnce: number,
		private readonly caller: Caller,
	) {
		this.store = desk.store;
	}

	async play(): Promise<void> {
		this.deskId = (await this.desk.desk()).row.id;
		await this.send();
		for (let i = 0; i < STEPS && this.found.length === 0; i += this.atOnce) {
			await Promise.all(Array.from({ length: this.atOnce }, () => this.step()));
		}
		await this.finishAll();
		const context = await this.desk.engine.openContext(this.caller, await this.desk.desk(), this.contextId);
		const logs = new Map([[this.contextId ?? "", await this.log()]]);
		this.found.push(...breaches({ sendings: this.sendings, logs, observers: [], streamed: [], settled: true }));
		if (context?.state.tasks.length) this.found.push({ rule: "G-06", text: `${context.state.tasks.length} tasks are still open` });
	}

	/** As the store has it: the engine knows nothing of what holders write here. */
	private async log(): Promise<LogEvent[]> {
		const log: LogEvent[] = [];
		for (;;) {
			const page = await this.store.read.events(this.conversationId, log.at(-1)?.seq ?? 0, 500, LIMITS.catchUpPageBytes);
			if (page.length === 0) return log;
			for (const event of page) log.push(JSON.parse(logEventText(this.contextId ?? "", event, event.seq)) as LogEvent);
		}
	}

	private step(): Promise<void> {
		const steps: [weight: number, step: () => Promise<void>][] = [
			[2, () => this.send()],
			[4, () => this.claim()],
			[6, () => this.write("appendPieces")],
			[3, () => this.write("finishTurn")],
			[1, () => this.write("releaseTurn")],
			[1, () => this.cancel()],
			[1, () => this.microphone()],
			[2, async () => this.desk.clock.turn(this.random.pick([1, 1_000, LIMITS.turnLeaseMs + 1]))],
		];
		let at = this.random.int(steps.reduce((sum, [weight]) => sum + weight, 0));
		for (const [weight, step] of steps) {
			if (at < weight) return step();
			at -= weight;
		}
		return Promise.resolve();
	}

	private newId(prefix: string): string {
		return `${prefix}_${this.caller.principal?.uid}_${++this.ids}`;
	}

	private get now(): number {
		return this.desk.clock.now();
	}

	private async send(): Promise<void> {
		const text = `#${++this.ids}.`;
		const messageId = `m${this.ids}-${this.caller.principal?.uid}`;
		const sending: Sending = { client: "one", messageId, text, invokedAt: 0, unknown: 0, refusals: [] };
		this.sendings.push(sending);
		const claim = this.newId("clm");
		const isClaim = this.random.chance(0.4);
		const sent = await this.store.write("sendMessage", {
			deskId: this.deskId,
			callerId: this.caller.principal?.id ?? null,
			guest: true,
			message: { messageId, role: "ROLE_USER", parts: [{ text }] },
			hash: messageId,
			scope: "desk",
			...(this.contextId === undefined ? {} : { contextUid: this.contextId }),
			ids: { task: this.newId("tsk"), context: this.newId("ctx"), turn: this.newId("trn") },
			provenance: { channel: "a2a" },
			...(isClaim ? { claim: { claim, leaseUntil: this.now + LIMITS.turnLeaseMs } } : {}),
			limits: { turnsPerGuest: 1_000, turnsPerEmbed: 1_000, turnsPerDesk: 1_000 },
			now: this.now,
		});
		this.contextId = sent.contextUid;
		this.conversationId = sent.conversationId;
		this.words.set(sent.taskUid, [...(this.words.get(sent.taskUid) ?? []), text]);
		if (sent.turn) this.hold(sent.turn.uid, claim, sent.turn.covered);
		sending.ack = { taskId: sent.taskUid, contextId: sent.contextUid, afterMs: 0 };
	}

	private hold(turnUid: string, claim: string, covered: readonly { uid: string }[]): void {
		this.holders.push({ turnUid, claim, covered: covered.map((task) => task.uid), wrote: "", begun: false });
		this.holding = claim;
	}

	/** Claims a turn that may be had, or tries one that may not. */
	private async claim(): Promise<void> {
		const due = await this.due();
		const held = this.holders.at(-1)?.turnUid;
		const turnUid = due[0] ?? held;
		if (turnUid === undefined) return;
		const claim = this.newId("clm");
		const answer = await this.store.write("claimTurn", {
			turnUid,
			claim,
			leaseUntil: this.now + LIMITS.turnLeaseMs,
			orphaned: false,
			now: this.now,
		});
		const { claimed } = answer;
		if (!claimed) {
			// One whose lease was over, and that was begun too often or has nothing left to answer: nobody holds it any more.
			if (due.includes(turnUid) && this.holders.find((h) => h.claim === this.holding)?.turnUid === turnUid) this.holding = undefined;
			return;
		}
		if (this.atOnce === 1 && this.holding !== undefined && due.length === 0)
			this.found.push({ rule: "G-07", text: `${turnUid} was given away while its lease ran` });
		this.hold(turnUid, claim, claimed.covered);
	}

	private async due(): Promise<string[]> {
		return (await this.store.read.dueTurns(this.now, 1_000)).filter((t) => t.conversationId === this.conversationId).map((t) => t.uid);
	}

	/** A write of somebody who holds the turn, or held it once. */
	private async write(operation: "appendPieces" | "finishTurn" | "releaseTurn"): Promise<void> {
		if (this.holders.length === 0) return;
		const holder = this.random.chance(0.6) ? (this.holders.at(-1) as Holder) : this.random.pick(this.holders);
		const holds = this.holding === holder.claim;
		if (operation !== "appendPieces" && holds) this.holding = undefined;
		const { fenced } = await this.writeOf(holder, operation);
		this.writes++;
		if (fenced) this.late++;
		if (this.atOnce === 1 && fenced === holds)
			this.found.push({
				rule: "G-07",
				text: `${operation} of ${holds ? "the holder was refused" : "somebody who had lost the turn was taken"}`,
			});
	}

	private writeOf(holder: Holder, operation: "appendPieces" | "finishTurn" | "releaseTurn"): Promise<{ fenced: boolean }> {
		const { turnUid, claim } = holder;
		const now = this.now;
		if (operation === "releaseTurn") return this.store.write("releaseTurn", { turnUid, claim, now });
		const whole = answerTo(
			holder.covered.flatMap((task) => this.words.get(task) ?? []),
			claim,
		);
		const upTo = operation === "finishTurn" ? whole.length : Math.min(whole.length, holder.wrote.length + 1 + this.random.int(8));
		const text = whole.slice(holder.wrote.length, upTo);
		const pieces: ArtifactPiece[] =
			text === ""
				? []
				: [{ artifactId: "result", name: "result", parts: [{ text }], append: holder.begun, lastChunk: operation === "finishTurn" }];
		holder.wrote += text;
		holder.begun ||= text !== "";
		if (operation === "appendPieces")
			return this.store.write("appendPieces", { turnUid, claim, leaseUntil: now + LIMITS.turnLeaseMs, pieces, gaps: [], now });
		const artifacts = [{ artifactId: "result", name: "result", parts: [{ text: whole }] }];
		const outcome = { kind: "reply" as const, asks: false, text: whole };
		return this.store.write("finishTurn", {
			turnUid,
			claim,
			outcome,
			pieces,
			artifacts,
			gaps: [],
			messageId: `reply-${claim}`,
			ends: false,
			now,
		});
	}

	private async cancel(): Promise<void> {
		const context = await this.desk.engine.openContext(this.caller, await this.desk.desk(), this.contextId);
		const open = context?.state.tasks ?? [];
		if (open.length === 0) return;
		const { id } = this.random.pick(open);
		if (this.holders.find((h) => h.claim === this.holding)?.covered.includes(id)) this.holding = undefined;
		const input = { deskId: this.deskId, callerId: this.caller.principal?.id ?? 0, taskUid: id, turnUid: this.newId("trn"), now: this.now };
		await this.store.write("cancelTask", input).catch((error: { code?: string }) => {
			// It ended at the same moment.
			if (error.code !== "task_not_cancelable") throw error;
		});
	}

	private async microphone(): Promise<void> {
		this.owner = !this.owner;
		if (this.owner) this.holding = undefined;
		await this.take(this.owner ? "takeMicrophone" : "handBack");
	}

	private async take(operation: "takeMicrophone" | "handBack"): Promise<void> {
		await this.store.write(operation, {
			deskId: this.deskId,
			contextUid: this.contextId ?? "",
			name: "Mira",
			turnUid: this.newId("trn"),
			now: this.now,
		});
	}

	/** The desk has its say again, and somebody answers all that is open. */
	private async finishAll(): Promise<void> {
		await this.take("handBack");
		this.owner = false;
		for (let i = 0; i < 20; i++) {
			this.desk.clock.turn(LIMITS.turnLeaseMs + 1);
			const before = this.holders.length;
			if ((await this.due()).length === 0) return;
			await this.claim();
			const last = this.holders.at(-1);
			if (this.holders.length > before && last) {
				await this.writeOf(last, "appendPieces");
				await this.writeOf(last, "finishTurn");
			}
		}
	}
}
