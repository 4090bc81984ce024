/** Messages taken in and answered, one by one and many at once: ours on disk before it answers, the peer in memory and on SQLite at FULL. */
import type { Bench, Run } from "./bench.js";
import { runLoad } from "./http-load.js";
import { inTurn, OURS, type Sample, target } from "./measure.js";
import { cpuOf, type Program } from "./programs.js";
import { message, rpc } from "./requests.js";

const WINDOW_MS = 2_000;
/** Programs run for days: what is measured is what their compiled code does. */
const WARM_MS = 4_000;
const CONNECTIONS = [16, 64];
export const SDK = "SDK";
export const SDK_SQLITE = "SDK on SQLite";

/** Blocking sends of new messages for `ms`. */
async function sends(program: Program, connections: number, ms: number): Promise<Sample> {
	const { result, cpu } = await cpuOf(program, () =>
		runLoad({
			port: program.port,
			connections,
			ms,
			request: () => rpc(program, "SendMessage", message("echo hello")),
			expect: "TASK_STATE_COMPLETED",
		}),
	);
	return { ...result, cpu: (cpu * 1_000) / result.requests };
}

async function sidesOf({ peers, programs }: Run): Promise<Record<string, Program>> {
	const ours = await programs.ours();
	return peers ? { [OURS]: ours, [SDK]: await programs.sdk(), [SDK_SQLITE]: await programs.sdk("sqlite") } : { [OURS]: ours };
}

const each = (sides: Record<string, Program>, measure: (program: Program) => Promise<Sample>): Record<string, () => Promise<Sample>> =>
	Object.fromEntries(Object.entries(sides).map(([name, program]) => [name, () => measure(program)]));

const send: Bench = {
	name: "a2a send",
	async run(run) {
		const sides = await sidesOf(run);
		const rows = [];
		for (const connections of CONNECTIONS) {
			for (const program of Object.values(sides)) await sends(program, connections, WARM_MS);
			const samples = await inTurn(
				run.pairs,
				each(sides, (program) => sends(program, connections, WINDOW_MS)),
			);
			const at = `${connections} connections`;
			rows.push(
				samples.row(`${at}: sends a second`, "perSecond", { peer: SDK }, target("ratio", "least", connections === 16 ? 1.5 : 2.5)),
				samples.row(`${at}: sends a second`, "perSecond", { peer: SDK_SQLITE }, target("ratio", "least", 10)),
				samples.row(`${at}: p50, ms`, "p50", { peer: SDK }),
				samples.row(`${at}: p99, ms`, "p99", { peer: SDK }, target("ratio", "most", 1)),
				samples.row(`${at}: CPU a send, µs`, "cpu", { peer: SDK }),
			);
		}
		return rows;
	},
};

const DISK = "fdatasync";
const SYNC_MS = 500;

const one: Bench = {
	name: "a2a send 1",
	async run(run) {
		const sides = await sidesOf(run);
		const disk = await run.programs.floor("disk");
		for (const program of Object.values(sides)) await sends(program, 1, WARM_MS);
		const samples = await inTurn(run.pairs, {
			...each(sides, (program) => sends(program, 1, WINDOW_MS)),
			[DISK]: () => disk.ask<Sample>("fdatasync", SYNC_MS),
		});
		return [
			samples.row("p50, ms, over one fdatasync", "p50", { floor: DISK }, target("ratio", "most", 6)),
			samples.row("sends a second", "perSecond", { peer: SDK_SQLITE }, target("ratio", "least", 2)),
			samples.row("sends a second", "perSecond", { peer: SDK }),
			samples.row("CPU a send, µs", "cpu", { peer: SDK }),
		];
	},
};

export const sendBenches = [send, one];
