/** Streams of events over HTTP, many at once, by bare sockets: when the first event came, when the last, and all that was said. */
import { connect } from "node:net";
import { addressOf, readAnswer } from "./http-load.js";

export interface StreamResult {
	/** Milliseconds from the request to the first event. */
	first: number;
	/** To the end of the stream. */
	whole: number;
	body: string;
}

const EVENT = Buffer.from("data:");

/** One stream on a connection of its own. `i` chooses the address it comes from. */
export function openStream(port: number, i: number, request: string): Promise<StreamResult> {
	return new Promise((resolve, reject) => {
		const socket = connect({ port, host: "127.0.0.1", noDelay: true, localAddress: addressOf(i) });
		const chunks: Buffer[] = [];
		let startedAt = 0;
		let first = -1;
		socket.on("connect", () => {
			startedAt = performance.now();
			socket.write(request);
		});
		socket.on("error", reject);
		socket.on("close", () => reject(new Error("A stream ended before its end.")));
		socket.on("data", (chunk) => {
			chunks.push(chunk);
			if (first < 0 && chunk.includes(EVENT)) first = performance.now() - startedAt;
			// The last chunk of a chunked answer.
			if (chunk.subarray(-5).toString("latin1") !== "0\r\n\r\n") return;
			const whole = performance.now() - startedAt;
			socket.destroy();
			const answer = readAnswer(Buffer.concat(chunks));
			if (!answer || first < 0) reject(new Error(`No stream: ${Buffer.concat(chunks).toString("utf8").slice(0, 2_000)}`));
			else resolve({ first, whole, body: answer.body() });
		});
	});
}

/** How many pieces of the bench's answerers a stream bore, gathered or one by one. */
export const piecesOf = (body: string): number => body.match(/piece \d+/g)?.length ?? 0;
