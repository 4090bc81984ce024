/** A visitor's question to the last frame of its reply, with a thousand who chat: at a steady pace, and as fast as the desk answers. */
import type { Bench } from "./bench.js";
import { inTurn, OURS, percentile, type Sample, target } from "./measure.js";
import { cpuOf, type Program } from "./programs.js";
import { openMany, openSocket, type WsClient } from "./ws-load.js";
import { Visitor, visitors } from "./ws-visitors.js";

const SOCKETS = 1_000;
const PER_SECOND = 300;
const PACED_MS = 5_000;
const CLOSED_MS = 3_000;
const TICK_MS = 5;
export const GROUPED = "grouped turns";
const WS = "ws echo";

/** Asks `PER_SECOND` questions a second, one socket after the other, whether or not the last has been answered. Milliseconds of each. */
async function paced(program: Program, ask: (i: number) => Promise<unknown>): Promise<Sample> {
	const times: number[] = [];
	const asked: Promise<void>[] = [];
	const total = (PER_SECOND * PACED_MS) / 1_000;
	const { cpu } = await cpuOf(program, async () => {
		const began = performance.now();
		await new Promise<void>((resolve) => {
			const tick = setInterval(() => {
				const due = Math.min(total, ((performance.now() - began) * PER_SECOND) / 1_000);
				while (asked.length < due) {
					const at = performance.now();
					asked.push(ask(asked.length % SOCKETS).then(() => void times.push(performance.now() - at)));
				}
				if (asked.length < total) return;
				clearInterval(tick);
				resolve();
			}, TICK_MS);
		});
		await Promise.all(asked);
	});
	return { p50: percentile(times, 50), p99: percentile(times, 99), cpu: (cpu * 1_000) / total };
}

/** Every socket asks again as soon as it is answered. */
async function closedLoop(program: Program, ask: (i: number) => Promise<unknown>): Promise<Sample> {
	let done = 0;
	const began = performance.now();
	const one = async (i: number): Promise<void> => {
		while (performance.now() - began < CLOSED_MS) {
			await ask(i);
			done++;
		}
	};
	const { cpu } = await cpuOf(program, () => Promise.all(Array.from({ length: SOCKETS }, (_, i) => one(i))));
	return { perSecond: (done / (performance.now() - began)) * 1_000, cpu: (cpu * 1_000) / done };
}

function echo(client: WsClient): Promise<unknown> {
	const answer = client.next();
	client.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "echo", params: "x".repeat(100) }));
	return answer;
}

const turns: Bench = {
	name: "ws turn",
	async run({ pairs, programs }) {
		const ours = await programs.ours();
		const bare = await programs.floor("ws");
		const disk = await programs.floor("disk");
		const people = (await visitors(ours, SOCKETS)).map((client) => new Visitor(client));
		const echoes = await openMany(SOCKETS, (i) => openSocket(bare.port, "/", i));
		const ask = (i: number): Promise<void> => (people[i] as Visitor).ask();
		const steady = {
			[OURS]: () => paced(ours, ask),
			[WS]: () => paced(bare, (i) => echo(echoes[i] as WsClient)),
		};
		const loop = {
			[OURS]: () => closedLoop(ours, ask),
			[GROUPED]: () => disk.ask<Sample>("turns", CLOSED_MS),
		};
		await inTurn(1, { ...loop, [WS]: steady[WS] });
		const atPace = await inTurn(pairs, steady);
		const fast = await inTurn(pairs, loop);
		for (const one of [...people, ...echoes]) one.end();
		return [
			atPace.row(`${SOCKETS} sockets, ${PER_SECOND} turns a second: p50, ms`, "p50", { floor: WS }),
			atPace.row(`${SOCKETS} sockets, ${PER_SECOND} turns a second: p99, ms`, "p99", { floor: WS }, target("ratio", "most", 8)),
			atPace.row(`${SOCKETS} sockets, ${PER_SECOND} turns a second: CPU a turn, µs`, "cpu", { floor: WS }),
			fast.row(`${SOCKETS} sockets, closed loop: turns a second`, "perSecond", { floor: GROUPED }, target("ratio", "least", 0.5)),
			fast.row(`${SOCKETS} sockets, closed loop: CPU a turn, µs`, "cpu"),
		];
	},
};

export const turnBenches = [turns];
