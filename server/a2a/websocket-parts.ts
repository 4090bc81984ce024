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

/** The library's socket with ours on it, so that its handlers need not be made anew for each. */
export class Link extends WebSocket {
	session: Session | undefined;
}
