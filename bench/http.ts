/** HTTP without a store: cards, which are bytes that stand ready, and what all that stands before an operation costs a request. */
import { SDK } from "./a2a-send.js";
import type { Bench } from "./bench.js";
import { get, post, runLoad } from "./http-load.js";
import { inTurn, OURS, type Sample, target } from "./measure.js";
import { cpuOf, type Program } from "./programs.js";
import { headersOf, rpc } from "./requests.js";

const CONNECTIONS = 16;
const WINDOW_MS = 2_000;
/** Windows that nobody counts, until the compiled code is what runs. */
const WARM = 2;

async function load(program: Program, request: string, expect: string): Promise<Sample> {
	const { result, cpu } = await cpuOf(program, () =>
		runLoad({ port: program.port, connections: CONNECTIONS, ms: WINDOW_MS, request: () => request, expect }),
	);
	return { ...result, cpu: (cpu * 1_000) / result.requests };
}

const CARD = "/.well-known/agent-card.json";
const OUR_CARD = "/a2a/mira/card";

const etagOf = async (program: Program): Promise<string> => {
	const answer = await fetch(`http://127.0.0.1:${program.port}${OUR_CARD}`);
	return answer.headers.get("etag") ?? "";
};

const card: Bench = {
	name: "a2a card",
	async run({ pairs, peers, programs }) {
		const ours = await programs.ours();
		const sdk = peers ? await programs.sdk() : undefined;
		const again = get(OUR_CARD, { "if-none-match": await etagOf(ours) });
		const fresh = {
			[OURS]: () => load(ours, get(OUR_CARD), "protocolVersion"),
			...(sdk ? { [SDK]: () => load(sdk, get(CARD), "protocolVersion") } : {}),
		};
		const known = {
			[OURS]: () => load(ours, again, "304 Not Modified"),
			...(sdk ? { [SDK]: () => load(sdk, get(CARD), "protocolVersion") } : {}),
		};
		await inTurn(WARM, fresh);
		const cards = await inTurn(pairs, fresh);
		const unchanged = await inTurn(pairs, known);
		return [
			cards.row("cards a second", "perSecond", { peer: SDK }, target("ratio", "least", 4)),
			cards.row("CPU a card, µs", "cpu", { peer: SDK }),
			unchanged.row("304 a second, over the peer's cards", "perSecond", { peer: SDK }, target("ratio", "least", 4)),
			unchanged.row("CPU a 304, µs", "cpu", { peer: SDK }),
		];
	},
};

const NODE = "node:http";
const EXPRESS = "express";

/** The operation that does least: its answer stands ready. So what is measured is all that comes before it. */
const METHOD = "GetExtendedAgentCard";

async function answerBytes(program: Program): Promise<number> {
	let bytes = 0;
	await runLoad({
		port: program.port,
		connections: 1,
		requests: 1,
		request: () => rpc(program, METHOD, {}),
		expect: "protocolVersion",
		heard: (body) => (bytes = Buffer.byteLength(JSON.stringify((JSON.parse(body) as { result: object }).result))),
	});
	return bytes;
}

const floor: Bench = {
	name: "http floor",
	async run({ pairs, peers, programs }) {
		const ours = await programs.ours();
		const bare = await programs.floor("http");
		const express = peers ? await programs.express() : undefined;
		const bytes = await answerBytes(ours);
		const request = post("/", JSON.stringify({ jsonrpc: "2.0", id: 1, method: METHOD, params: {} }), {
			...headersOf(ours),
			"x-answer": String(bytes),
		});
		const sides = {
			[OURS]: () => load(ours, rpc(ours, METHOD, {}), "protocolVersion"),
			[NODE]: () => load(bare, request, "xxx"),
			...(express ? { [EXPRESS]: () => load(express, request, "xxx") } : {}),
		};
		await inTurn(WARM, sides);
		const samples = await inTurn(pairs, sides);
		return [
			samples.row(
				"JSON POST, all that stands before an operation: CPU a request, µs",
				"cpu",
				{ floor: NODE },
				target("ratio", "most", 1.6),
			),
			samples.row("JSON POST: CPU a request, µs", "cpu", { peer: EXPRESS }),
			samples.row("JSON POST: requests a second", "perSecond", { floor: NODE }),
		];
	},
};

export const httpBenches = [card, floor];
