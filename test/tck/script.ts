/**
 * The answerer of the conformance kit's server: does what the prefix of a message's id says (a2a.md, section 2). Pure but for
 * the one task that has to take its time.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Answerer, Ending, Piece } from "../../server/engine/ports.js";
import type { Part } from "../../shared/a2a.schema.js";

/** Twice as long as the kit listens to a stream that says nothing. */
const LONG_MS = 4_000;

type Act = (signal: AbortSignal) => AsyncIterable<Piece | Ending> | Iterable<Piece | Ending>;

const reply = (text: string, asks = false): Act =>
	function* () {
		yield { type: "text", text };
		yield { type: "reply", asks };
	};

/** Done, with nothing to say. */
const silence: Act = function* () {
	yield { type: "no_reply" };
};

const artifact = (...chunks: Part[]): Act =>
	function* () {
		for (const [i, part] of chunks.entries()) {
			yield {
				type: "artifact",
				artifactId: "generated",
				name: "generated",
				parts: [part],
				append: i > 0,
				lastChunk: i === chunks.length - 1,
			};
		}
		yield { type: "reply", asks: false };
	};

/** The first prefix that fits counts: longer ones stand before those that they begin with. */
const ACTS: readonly [prefix: string, act: Act][] = [
	["tck-complete-task", reply("Hello from TCK")],
	["tck-artifact-file-url", artifact({ url: "https://example.com/output.txt", filename: "output.txt", mediaType: "text/plain" })],
	["tck-artifact-file", artifact({ raw: Buffer.from("tck").toString("base64"), filename: "output.txt", mediaType: "text/plain" })],
	["tck-artifact-text", artifact({ text: "Generated text content" })],
	["tck-artifact-data", artifact({ data: { key: "value", count: 42 } })],
	[
		"tck-message-response",
		function* () {
			yield { type: "message", parts: [{ text: "Direct message response" }] };
		},
	],
	["tck-input-required", reply("What else should I know?", true)],
	[
		"tck-reject-task",
		function* () {
			yield { type: "rejected", explanation: "rejected" };
		},
	],
	["tck-stream-001", artifact({ text: "Stream hello from TCK" })],
	["tck-stream-002", silence],
	["tck-stream-003", artifact({ text: "Stream task lifecycle" })],
	["tck-stream-ordering-001", artifact({ text: "Ordered output" })],
	["tck-stream-artifact-text", artifact({ text: "Streamed text content" })],
	["tck-stream-artifact-file", artifact({ raw: Buffer.from("tck").toString("base64"), filename: "output.txt", mediaType: "text/plain" })],
	["tck-stream-artifact-chunked", artifact({ text: "chunk-1 " }, { text: "chunk-2" })],
	[
		"test-resubscribe-message-id",
		async function* (signal) {
			await pause(LONG_MS, undefined, { signal });
			yield { type: "no_reply" };
		},
	],
];

export const script: Answerer = {
	name: "conformance kit",
	inProcess: true,
	maySilence: false,
	answer(turn, signal) {
		const id = turn.incoming.at(-1)?.message.messageId ?? "";
		const act = ACTS.find(([prefix]) => id.startsWith(prefix))?.[1] ?? reply("Hello from TCK");
		return act(signal);
	},
};
