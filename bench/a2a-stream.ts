/** Answers that come in pieces: as many as fit, the time to the first word, how the cost grows with the length, and at the pace of a model. */
import { SDK } from "./a2a-send.js";
import type { Bench } from "./bench.js";
import { inTurn, median, OURS, type Sample, target } from "./measure.js";
import { cpuOf, type Program } from "./programs.js";
import { message, rpc } from "./requests.js";
import { openStream, piecesOf, type StreamResult } from "./stream-load.js";

const PIECES = 200;
const STREAMS = 16;
/** Streams of one sample, sixteen at a time: some seconds of ours, and of the peer. */
const OUR_STREAMS = 160;
const PEER_STREAMS = 32;
const FIRSTS = 200;
const SHORT = 400;
const LONG = 1_600;
const LENGTHS = 5;
const PACED_STREAMS = 100;
const PACE_MS = 20;

/** One stream whose answer has `pieces`. Throws where some did not come. */
async function stream(program: Program, i: number, words: string, pieces: number): Promise<StreamResult> {
	const result = await openStream(program.port, i, rpc(program, "SendStreamingMessage", message(words), { accept: "text/event-stream" }));
	const came = piecesOf(result.body);
	if (came !== pieces) throw new Error(`A stream of ${pieces} pieces bore ${came}.`);
	return result;
}

async function manyStreams(program: Program, count: number): Promise<Sample> {
	let next = 0;
	const firsts: number[] = [];
	const began = performance.now();
	const one = async (i: number): Promise<void> => {
		while (next++ < count) firsts.push((await stream(program, i, `pieces ${PIECES}`, PIECES)).first);
	};
	const { cpu } = await cpuOf(program, () => Promise.all(Array.from({ length: STREAMS }, (_, i) => one(i))));
	const pieces = count * PIECES;
	return { perSecond: (pieces / (performance.now() - began)) * 1_000, first: median(firsts), cpu: (cpu * 1_000) / pieces };
}

async function firstEvents(program: Program): Promise<Sample> {
	const times: number[] = [];
	for (let i = 0; i < FIRSTS; i++) times.push((await stream(program, i, "echo hello", 0)).first);
	return { ms: median(times) };
}

/** How much longer an answer of four times the length takes. */
async function growth(program: Program): Promise<Sample> {
	const time = async (pieces: number): Promise<number> => {
		const times: number[] = [];
		for (let i = 0; i < LENGTHS; i++) times.push((await stream(program, i, `pieces ${pieces}`, pieces)).whole);
		return median(times);
	};
	const short = await time(SHORT);
	const long = await time(LONG);
	return { short, long, growth: long / short };
}

const streams: Bench = {
	name: "a2a stream",
	async run({ pairs, peers, programs }) {
		const ours = await programs.ours();
		const sdk = peers ? await programs.sdk() : undefined;
		const sides = (measure: (program: Program) => Promise<Sample>): Record<string, () => Promise<Sample>> => ({
			[OURS]: () => measure(ours),
			...(sdk ? { [SDK]: () => measure(sdk) } : {}),
		});
		const many = sides((program) => manyStreams(program, program === ours ? OUR_STREAMS : PEER_STREAMS));
		await inTurn(1, many);
		const pieces = await inTurn(pairs, many);
		const first = await inTurn(pairs, sides(firstEvents));
		const grown = await inTurn(pairs, sides(growth));
		return [
			pieces.row(`${STREAMS} streams: pieces a second`, "perSecond", { peer: SDK }, target("ratio", "least", 10)),
			pieces.row(`${STREAMS} streams: CPU a piece, µs`, "cpu", { peer: SDK }),
			pieces.row(`${STREAMS} streams: first event, ms`, "first", { peer: SDK }, target("ratio", "most", 1)),
			first.row("one at a time: first event, ms", "ms", { peer: SDK }, target("ratio", "most", 1)),
			grown.row(`${LONG} pieces over ${SHORT}: time`, "growth", { peer: SDK }, target("ours", "most", 5)),
			grown.row(`${LONG} pieces, ms`, "long", { peer: SDK }),
		];
	},
};

async function pacedStreams(program: Program): Promise<Sample> {
	const began = performance.now();
	const { cpu } = await cpuOf(program, () =>
		Promise.all(Array.from({ length: PACED_STREAMS }, (_, i) => stream(program, i, `paced ${PIECES}`, PIECES))),
	);
	const ms = performance.now() - began;
	return { seconds: ms / 1_000, overIdeal: ms / (PIECES * PACE_MS), cpu };
}

const paced: Bench = {
	name: "a2a paced",
	async run({ pairs, peers, programs }) {
		const ours = await programs.ours();
		const sdk = peers ? await programs.sdk() : undefined;
		const samples = await inTurn(pairs, { [OURS]: () => pacedStreams(ours), ...(sdk ? { [SDK]: () => pacedStreams(sdk) } : {}) });
		const at = `${PACED_STREAMS} streams, ${PIECES} pieces, one every ${PACE_MS} ms`;
		return [
			samples.row(`${at}: seconds`, "seconds", { peer: SDK }),
			samples.row(`${at}: over the ideal`, "overIdeal", { peer: SDK }, target("ours", "most", 1.1)),
			samples.row(`${at}: CPU, ms`, "cpu", { peer: SDK }, target("ratio", "most", 0.3)),
		];
	},
};

export const streamBenches = [streams, paced];
