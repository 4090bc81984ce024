/**
 * Bytes of what the server says on a socket. A frame for many sockets is built once: the engine gives the same text object
 * for the same event, and here it becomes the same bytes. Text frames only, never compressed, never in fragments.
 */
import type { JsonText } from "../engine/engine.js";

/** FIN and the opcode of text (RFC 6455, 5.2). */
const TEXT = 0x81;

/** A whole unmasked text frame. Written to the connection as it is: the library would build its head anew for every socket. */
export function frameOf(text: string): Buffer {
	const length = Buffer.byteLength(text);
	const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
	const frame = Buffer.allocUnsafe(head + length);
	frame[0] = TEXT;
	if (head === 2) {
		frame[1] = length;
	} else if (head === 4) {
		frame[1] = 126;
		frame.writeUInt16BE(length, 2);
	} else {
		frame[1] = 127;
		frame.writeBigUInt64BE(BigInt(length), 2);
	}
	frame.write(text, head);
	return frame;
}

/** A notification around params that are wire JSON already. */
export const notification = (method: "event" | "tick" | "gap" | "bye", params: JsonText): string =>
	`{"jsonrpc":"2.0","method":"${method}","params":${params}}`;

/** How many events are kept framed, those that other sockets are about to ask for; and the largest that is. */
const RECENT = 64;
const KEPT_BYTES = 64 * 1024;

/** Frames of events, each built once for all who read it at about the same time. */
export class EventFrames {
	private readonly recent = new Map<JsonText, Buffer>();

	of(event: JsonText): Buffer {
		let frame = this.recent.get(event);
		if (!frame) {
			frame = frameOf(notification("event", event));
			if (frame.length > KEPT_BYTES) return frame;
			if (this.recent.size >= RECENT) this.recent.delete(this.recent.keys().next().value as JsonText);
			this.recent.set(event, frame);
		}
		return frame;
	}
}
