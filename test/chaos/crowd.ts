/**
 * Many visitors at once, of all kinds, each in a conversation of its own, sending at a steady rate whatever becomes of the server;
 * and at the end, when the desk is quiet, everything that there is to judge.
 */
import { type ContextState, type EventsResult, type FollowResult, type LogEvent, stateHash } from "../../shared/channel.js";
import { LIMITS } from "../../shared/limits.js";
import { isInterrupted, isTerminal } from "../../shared/task-states.js";
import { type Seeded, seeded } from "../seeded.js";
import { type Breach, breaches, type Evidence, type Observer } from "./checker.js";
import { dump } from "./database.js";
import { History } from "./history.js";
import { Late, pause, until } from "./time.js";
import { KINDS, type Kind, type Task, Visitor } from "./visitor.js";

export interface CrowdOptions {
	/** Where the desk is; one address a visitor, where there are several nodes. */
	port: (number: number) => number | undefined;
	visitors: number;
	/** Messages a second of all together. */
	rate: number;
	seed: number;
	kinds?: readonly Kind[];
	/** How many of the answers come in pieces. */
	slowly?: number;
	/** How many of the messages are sent again although they were acknowledged. */
	repeats?: number;
	historyFile?: string;
}

/** Messages of one visitor that may wait for their acknowledgement; a server that is away is not to be met by thousands. */
const OUTSTANDING = 8;
/** Numbers given to all visitors of this process, for addresses of their own. */
let lastNumber = 0;

export class Crowd {
	readonly history: History;
	readonly visitors: Visitor[];
	private readonly random: Seeded;
	private readonly sends = new Set<Promise<unknown>>();
	private readonly outstanding = new Map<Visitor, number>();
	/** Those who say nothing of themselves. */
	readonly resting = new Set<Visitor>();
	private said = 0;
	private sending = false;
	private loop: Promise<void> | undefined;
	/** Messages that were sent at the rate. */
	sent = 0;

	constructor(private readonly options: CrowdOptions) {
		this.random = seeded(options.seed);
		this.history = new History(options.historyFile);
		const kinds = options.kinds ?? KINDS;
		this.visitors = Array.from({ length: options.visitors }, (_, i) => {
			return new Visitor({
				name: `v${i}`,
				kind: kinds[i % kinds.length] as Kind,
				number: lastNumber++ % 40_000,
				port: () => options.port(i),
				history: this.history,
				random: seeded(options.seed * 1_000 + i),
				repeats: options.repeats ?? 0,
			});
		});
	}

	/** All come in, and each begins its conversation. */
	async arrive(): Promise<void> {
		for (let at = 0; at < this.visitors.length; at += 16) await Promise.all(this.visitors.slice(at, at + 16).map((v) => v.arrive()));
		await Promise.all(this.visitors.map((v) => this.say(v, this.words())));
	}

	/** Words that nobody else says. */
	words(more = ""): string {
		const slowly = this.random.chance(this.options.slowly ?? 0) ? " slowly" : "";
		return `#${++this.said}${more}${slowly}.`;
	}

	/** Sends for one visitor; its failure is in the history. */
	async say(visitor: Visitor, text: string, metadata?: object): Promise<void> {
		this.outstanding.set(visitor, (this.outstanding.get(visitor) ?? 0) + 1);
		const send = visitor.say(text, metadata).catch(() => undefined);
		this.sends.add(send);
		await send;
		this.sends.delete(send);
		this.outstanding.set(visitor, (this.outstanding.get(visitor) ?? 1) - 1);
	}

	/** Begins to send at the rate. */
	start(): void {
		if (this.sending) return;
		this.sending = true;
		this.loop = this.run();
	}

	private async run(): Promise<void> {
		const begun = Date.now();
		const before = this.history.sendings.length;
		let due = 0;
		while (this.sending) {
			const now = Math.floor(((Date.now() - begun) / 1_000) * this.options.rate);
			for (; due < now; due++) {
				const visitor = this.random.pick(this.visitors);
				if (!this.resting.has(visitor) && (this.outstanding.get(visitor) ?? 0) < OUTSTANDING) void this.say(visitor, this.words());
			}
			await pause(10);
		}
		this.sent = this.history.sendings.length - before;
	}

	/** Sends no more; resolves when everything that was sent is acknowledged or given up. */
	async stop(waitMs = 90_000): Promise<void> {
		this.sending = false;
		await this.loop;
		await until(waitMs, "an answer to every message", () => this.sends.size === 0);
	}

	/** Waits until the desk owes nobody anything, as far as `waitMs` allows, then gathers and judges everything. */
	async judge(options: { dir?: string; waitMs?: number; sample?: number } = {}): Promise<Breach[]> {
		const { dir, waitMs = 30_000, sample = 200 } = options;
		const here = this.visitors.filter((v) => v.contextId !== undefined);
		const late: Breach[] = [];
		const logs = await this.quiet(here, waitMs).catch((error: unknown) => {
			if (!(error instanceof Late)) throw error;
			late.push({ rule: "G-06", text: error.message });
			return this.logs(here);
		});
		// What the desk has said may still be on its way.
		const whole = (v: Visitor): boolean =>
			(v.kind !== "socket" && v.kind !== "poll") || v.head >= (logs.get(v.contextId ?? "")?.length ?? 0);
		await until(waitMs, "every reader's last event", () => here.every((v) => whole(v) && v.streaming === 0)).catch((error: Late) =>
			late.push({ rule: "I8", text: error.message }),
		);
		const observers = here
			.filter((v) => v.kind === "socket" || v.kind === "poll")
			.map((v): Observer => ({ name: `${v.name} (${v.kind})`, contextId: v.contextId ?? "", events: v.seen, whole: true }));
		const stored = dir === undefined ? undefined : dump(dir);
		const evidence: Evidence = {
			sendings: this.history.sendings,
			logs,
			observers,
			streamed: here.flatMap((v) => v.streamed),
			hashes: await this.hashes(here),
			tasks: await this.tasks(sample),
			settled: true,
			...(stored
				? {
						stored: stored.logs,
						unfinished: [...stored.faults, ...stored.turns.map((t) => `the turn ${t.uid} is ${t.state}: ${t.text}`), ...stored.outbox],
					}
				: {}),
		};
		return [...late, ...breaches(evidence)];
	}

	/** The logs, once no task in them is open. */
	private async quiet(here: Visitor[], waitMs: number): Promise<Map<string, LogEvent[]>> {
		let logs = new Map<string, LogEvent[]>();
		await until(
			waitMs,
			"the end of every task",
			async () => {
				logs = await this.logs(here);
				return [...logs.values()].every((log) => openTasks(log).length === 0);
			},
			200,
		);
		return logs;
	}

	private async logs(here: Visitor[]): Promise<Map<string, LogEvent[]>> {
		return new Map(await Promise.all(here.map(async (v): Promise<[string, LogEvent[]]> => [v.contextId ?? "", await logOf(v)])));
	}

	private async hashes(here: Visitor[]): Promise<Map<string, string>> {
		return new Map(await Promise.all(here.map(async (v): Promise<[string, string]> => [v.contextId ?? "", await hashOf(v)])));
	}

	/** Some of the tasks that were acknowledged, asked for by whoever sent them. */
	private async tasks(sample: number): Promise<Task[]> {
		const acked = this.history.acked;
		const some = acked.length <= sample ? acked : Array.from({ length: sample }, () => this.random.pick(acked));
		const byName = new Map(this.visitors.map((v) => [v.name, v]));
		const tasks: Task[] = [];
		for (const { client, ack } of some) if (ack) tasks.push(await (byName.get(client) as Visitor).task(ack.taskId));
		return tasks;
	}

	leave(): void {
		this.sending = false;
		for (const visitor of this.visitors) visitor.leave();
	}

	/** Numbers for a person. */
	get numbers(): string {
		const { sendings, acked } = this.history;
		const unknown = sendings.reduce((sum, s) => sum + s.unknown, 0);
		const refused = sendings.reduce((sum, s) => sum + s.refusals.length, 0);
		return `${sendings.length} messages, ${acked.length} acknowledged, ${unknown} attempts lost and ${refused} refused on the way`;
	}
}

const openTasks = (log: readonly LogEvent[]): string[] => {
	const open = new Set<string>();
	for (const { message, task, statusUpdate } of log) {
		if (message?.role === "ROLE_USER" && message.taskId) open.add(message.taskId);
		const state = task?.status.state ?? statusUpdate?.status.state;
		const id = task?.id ?? statusUpdate?.taskId;
		if (id && state && (isTerminal(state) || isInterrupted(state))) open.delete(id);
	}
	return [...open];
};

/** A visitor's whole conversation, page by page. */
export async function logOf({ line, contextId }: Visitor): Promise<LogEvent[]> {
	const log: LogEvent[] = [];
	await line.connect();
	for (let page = 0; ; page++) {
		// A socket may send so many frames at once, and then so many a second.
		if (page > LIMITS.framesBurst / 2) await pause(1_000 / LIMITS.framesPerSecond + 10);
		const { events } = await line.call<EventsResult>("Events", { contextId, after: log.at(-1)?.seq ?? 0 });
		if (events.length === 0) return log;
		log.push(...events);
	}
}

/** What the desk says a conversation comes to. */
async function hashOf({ line, contextId, kind }: Visitor): Promise<string> {
	const { context } = await line.call<FollowResult>("Follow", { contextId });
	if (kind !== "socket") await line.call("Unfollow", { contextId });
	const { seq, messages, tasks, microphone } = context as ContextState;
	const last = messages.at(-1);
	return stateHash({
		seq,
		...(last ? { lastMessage: { seq: last.seq, messageId: last.message.messageId } } : {}),
		openTasks: tasks.map(({ id, status }) => ({ id, state: status.state })),
		microphone,
	});
}
