/** What must hold while much is written: how fast messages are kept, that memory does not grow with them, that the loop never waits. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { SDK } from "./a2a-send.js";
import type { Bench } from "./bench.js";
import { runLoad } from "./http-load.js";
import { inTurn, OURS, type Sample, target } from "./measure.js";
import { cpuOf, type Program } from "./programs.js";
import { message, rpc } from "./requests.js";
import { GROUPED } from "./ws-turn.js";

const CONNECTIONS = 64;
const CONVERSATIONS = 500;
const WINDOW_MS = 3_000;
const MESSAGES = "grouped messages";
const AT_ONCE = { configuration: { returnImmediately: true } };

async function conversations(program: Program): Promise<string[]> {
	const contextIds: string[] = [];
	await runLoad({
		port: program.port,
		connections: CONNECTIONS,
		requests: CONVERSATIONS,
		request: () => rpc(program, "SendMessage", message("echo hello")),
		expect: "TASK_STATE_COMPLETED",
		heard: (body) => contextIds.push((JSON.parse(body) as { result: { task: { contextId: string } } }).result.task.contextId),
	});
	return contextIds;
}

const ingest: Bench = {
	name: "ingest",
	async run({ pairs, programs }) {
		const ours = await programs.ours();
		const disk = await programs.floor("disk");
		const contextIds = await conversations(ours);
		await ours.ask("microphone", { contextIds, owner: true });
		const take = async (): Promise<Sample> => {
			const request = (n: number): string =>
				rpc(ours, "SendMessage", { ...message("echo hello", { contextId: contextIds[n % CONVERSATIONS] }), ...AT_ONCE });
			const { result, cpu } = await cpuOf(ours, () =>
				runLoad({ port: ours.port, connections: CONNECTIONS, ms: WINDOW_MS, request, expect: "TASK_STATE_SUBMITTED" }),
			);
			return { ...result, cpu: (cpu * 1_000) / result.requests };
		};
		const sides = {
			[OURS]: take,
			[GROUPED]: () => disk.ask<Sample>("turns", WINDOW_MS),
			[MESSAGES]: () => disk.ask<Sample>("messages", WINDOW_MS),
		};
		await inTurn(1, sides);
		const samples = await inTurn(pairs, sides);
		const at = `${CONVERSATIONS} conversations, the owner holding the microphone`;
		return [
			samples.row(`${at}: messages a second`, "perSecond", { floor: GROUPED }, target("ratio", "least", 0.5)),
			samples.row(`${at}: messages a second`, "perSecond", { floor: MESSAGES }),
			samples.row(`${at}: p99, ms`, "p99"),
			samples.row(`${at}: CPU a message, µs`, "cpu"),
		];
	},
};

/** Tasks before the first weighing, and between the first and the last. */
const BEFORE = 20_000;
const BETWEEN = 40_000;

async function growth(program: Program): Promise<Sample> {
	const send = (requests: number): Promise<unknown> =>
		runLoad({
			port: program.port,
			connections: CONNECTIONS,
			requests,
			request: () => rpc(program, "SendMessage", message("echo hello")),
			expect: "TASK_STATE_COMPLETED",
		});
	await send(BEFORE);
	const before = await program.ask<{ heapUsed: number }>("memory");
	await send(BETWEEN);
	const after = await program.ask<{ heapUsed: number }>("memory");
	return { kb: (after.heapUsed - before.heapUsed) / BETWEEN / 1_024 };
}

const heap: Bench = {
	name: "heap",
	async run({ peers, programs }) {
		const ours = await programs.ours();
		const sdk = peers ? await programs.sdk() : undefined;
		// Growth of one process over a hundred thousand tasks: once is enough.
		const samples = await inTurn(1, { [OURS]: () => growth(ours), ...(sdk ? { [SDK]: () => growth(sdk) } : {}) });
		return [samples.row(`heap KB a stored task, over ${BETWEEN} tasks`, "kb", { peer: SDK }, target("ours", "most", 0.02))];
	},
};

const STALL_MS = 5_000;
const LOOK_MS = 50;
const MEGABYTE = 1_024 * 1_024;

const stall: Bench = {
	name: "stall",
	async run({ pairs, programs }) {
		const ours = await programs.ours();
		const saturate = async (): Promise<Sample> => {
			let wal = 0;
			const look = setInterval(() => {
				wal = Math.max(wal, statSync(join(ours.dir, "desk.db-wal"), { throwIfNoEntry: false })?.size ?? 0);
			}, LOOK_MS);
			await ours.ask("watch");
			const { perSecond } = await runLoad({
				port: ours.port,
				connections: CONNECTIONS,
				ms: STALL_MS,
				request: () => rpc(ours, "SendMessage", message(`echo ${"x".repeat(8_000)}`)),
				expect: "TASK_STATE_COMPLETED",
			});
			const { p99, max } = await ours.ask<{ p99: number; max: number }>("stalls");
			clearInterval(look);
			return { p99, max, wal: wal / MEGABYTE, perSecond };
		};
		const samples = await inTurn(pairs, { [OURS]: saturate });
		return [
			samples.row("sends of 8 KB, as many as go: the loop's stalls, p99, ms", "p99", {}, target("ours", "most", 10)),
			samples.row("the longest, ms", "max"),
			samples.row("length of the WAL, MB", "wal", {}, target("ours", "most", 128)),
			samples.row("sends a second meanwhile", "perSecond"),
		];
	},
};

export const upkeepBenches = [ingest, heap, stall];
