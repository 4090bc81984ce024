/**
 * Reads the body of a request: its type first, then its bytes, counted as they come and never past the limit, then JSON
 * through the gate of `shared/json-scan.ts`. Promises that nothing larger or deeper than the limits is ever held, and that
 * everything refused is a DeskError.
 */
import type { IncomingMessage } from "node:http";
import { DeskError } from "../../shared/errors.js";
import { readJson } from "../../shared/json-scan.js";
import { LIMITS } from "../../shared/limits.js";
import { cutOff, readStream, tooLarge } from "../callers.js";
import type { Exchange } from "./http.js";
import { mediaTypeOf } from "./http.js";

const TYPES: Record<"rpc" | "rest", readonly string[]> = {
	rpc: ["application/json"],
	rest: ["application/json", "application/a2a+json"],
};

/**
 * The JSON value of a request's body; undefined where there is none and `optional` allows it. Throws
 * `content_type_not_supported`, `too_large`, `parse_error`, `invalid_request`.
 */
export async function readBody(exchange: Exchange, binding: "rpc" | "rest", optional = false): Promise<unknown> {
	const declared = exchange.header("content-length");
	if (optional && (declared === "0" || (declared === undefined && exchange.header("transfer-encoding") === undefined && exchange.incoming)))
		return undefined;
	// A request without a type is taken for what the binding speaks (a2a.md 1.13).
	const type = mediaTypeOf(exchange.header("content-type"));
	if (type !== "" && !TYPES[binding].includes(type)) {
		throw new DeskError("content_type_not_supported", `Send the body as ${TYPES[binding].join(" or ")}.`);
	}
	const encoding = exchange.header("content-encoding");
	if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
		throw new DeskError("content_type_not_supported", "Send the body as it is, without Content-Encoding.");
	}
	if (declared !== undefined && Number(declared) > LIMITS.bodyBytes) throw tooLarge();
	const bytes = exchange.incoming ? await readIncoming(exchange.incoming) : await readStream(exchange.body);
	if (optional && bytes.length === 0) return undefined;
	return readJson(bytes);
}

function readIncoming(incoming: IncomingMessage): Promise<Uint8Array> {
	return new Promise((resolve, reject) => {
		if (incoming.destroyed) {
			reject(cutOff());
			return;
		}
		const chunks: Buffer[] = [];
		let size = 0;
		const settle = (): void => {
			incoming.off("data", onData);
			incoming.off("end", onEnd);
			incoming.off("error", onCut);
			incoming.off("close", onCut);
		};
		const onData = (chunk: Buffer): void => {
			size += chunk.length;
			if (size > LIMITS.bodyBytes) {
				settle();
				// What is still to come is for the server to let run out, not for us to keep.
				incoming.pause();
				reject(tooLarge());
				return;
			}
			chunks.push(chunk);
		};
		const onEnd = (): void => {
			settle();
			resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
		};
		const onCut = (): void => {
			settle();
			// Later errors of the same stream concern nobody, and must not be nobody's either.
			incoming.on("error", () => undefined);
			reject(cutOff());
		};
		incoming.on("data", onData);
		incoming.on("end", onEnd);
		incoming.on("error", onCut);
		incoming.on("close", onCut);
	});
}
