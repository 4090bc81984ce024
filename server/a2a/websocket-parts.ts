/** What the sockets of one server have in common: its engine and doors, its counts, and who is there. Types, and the library's socket with ours on it. */
import { WebSocket } from "ws";
import type { Limits } from "../../shared/limits.js";
import type { Engine } from "../engine/engine.js";
import type { Log } from "./call.js";
import type { Cards } from "./card.js";
import type { Gate, SlidingWindow } from "./limits.js";
import type { Fanout } from "./websocket-follow.js";
import type { EventFrames } from "./websocket-frames.js";
import type { Places } from "./websocket-places.js";
import type { Session } from "./websocket-session.js";

/** What all sockets of a server share. */
export interface SocketParts {
	engine: Engine;
	gate: Gate;
	cards: Cards;
	log: Log;
	limits: Limits;
	places: Places;
	newGuests: SlidingWindow;
	fanout: Fanout;
	frames: EventFrames;
	/** Those that are open or closing. */
	sessions: Set<Session>;
	/** Raised whenever somebody is shut out: a Hello that was being judged meanwhile is judged again. */
	shutOuts: number;
}

/**
 * The library's socket with ours on it. What it has to say goes to the session directly: as listeners of an emitter, five a socket
 * would take more memory than the session does.
 */
export class Link extends WebSocket {
	session: Session | undefined;

	override emit(event: string | symbol, ...given: unknown[]): boolean {
		switch (event) {
			case "message":
				this.session?.hear(given[0] as Buffer, given[1] as boolean);
				return true;
			case "ping":
			case "pong":
				this.session?.pulse();
				return true;
			// What is wrong with a frame: the library has closed the socket with its code (1002, 1007, 1008, 1009).
			case "error":
				return true;
			case "close":
				this.session?.ended();
		}
		return super.emit(event, ...given);
	}
}
