/**
 * The writing half of a socket, and its back-pressure: nothing more of the log goes out until what was written has drained, and
 * who does not read its answers is not read from. So a client that stops reading costs its page and its answers, and nobody else.
 */
import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { Limits } from "../../shared/limits.js";
import type { Engine, JsonText } from "../engine/engine.js";
import { type EventFrames, frameOf } from "./websocket-frames.js";

export interface LineParts {
	engine: Pick<Engine, "clock">;
	limits: Pick<Limits, "socketBufferBytes">;
	frames: EventFrames;
}

export abstract class SocketLine {
	/** When something was last written; until then, when the socket was opened. Milliseconds. */
	saidAt: number;
	heardAt: number;
	/** A ping is on its way. */
	pinged = false;
	/** What was written has not drained. */
	full = false;

	constructor(
		private readonly line: LineParts,
		protected readonly link: WebSocket,
		/** The connection below the link. */
		private readonly wire: Duplex,
	) {
		this.saidAt = this.heardAt = line.engine.clock.elapsed();
	}

	say(text: string): void {
		this.write(frameOf(text));
	}

	/** Writes one frame. Dropped when the socket is not open any more. */
	write(frame: Buffer): void {
		if (this.link.readyState !== WebSocket.OPEN) return;
		this.wire.write(frame);
		this.written();
	}

	/** Writes events in order. Returns their bytes. */
	writeEvents(events: readonly JsonText[]): number {
		if (this.link.readyState !== WebSocket.OPEN) return 0;
		let bytes = 0;
		if (events.length > 1) this.wire.cork();
		for (const event of events) {
			const frame = this.line.frames.of(event);
			bytes += frame.length;
			this.wire.write(frame);
		}
		if (events.length > 1) this.wire.uncork();
		this.written();
		return bytes;
	}

	ping(): void {
		this.pinged = true;
		if (this.link.readyState === WebSocket.OPEN) this.link.ping();
	}

	private written(): void {
		this.saidAt = this.line.engine.clock.elapsed();
		if (!this.wire.writableNeedDrain) return;
		if (!this.full) {
			this.full = true;
			this.wire.once("drain", () => {
				this.full = false;
				// Bytes have gone through: somebody is there.
				this.heardAt = this.line.engine.clock.elapsed();
				if (this.link.isPaused) this.link.resume();
				this.drained();
			});
		}
		if (this.wire.writableLength > this.line.limits.socketBufferBytes) this.link.pause();
	}

	/** What was written has gone out. */
	protected abstract drained(): void;
}
