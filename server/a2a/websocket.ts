/**
 * The WebSocket binding (docs/bindings/websocket.md) on an HTTP server: A2A's operations and a context's events as JSON-RPC in text
 * frames, for agents and for the visitor's chat, which is one. Puts its parts together; promises that no client can stall,
 * crash or outgrow the server, and that every event of a followed context arrives once and in order.
 */
import type { Server } from "node:http";
import { WebSocketServer } from "ws";
import { CLOSE } from "../../shared/channel.js";
import { DeskError } from "../../shared/errors.js";
import { LIMITS, type Limits } from "../../shared/limits.js";
import type { Engine } from "../engine/engine.js";
import { inBatches } from "./batches.js";
import type { Log } from "./call.js";
import type { Cards } from "./card.js";
import { type Gate, SlidingWindow } from "./limits.js";
import { Fanout } from "./websocket-follow.js";
import { EventFrames, frameOf, notification } from "./websocket-frames.js";
import { Link, type SocketParts } from "./websocket-parts.js";
import { Places } from "./websocket-places.js";
import { Session } from "./websocket-session.js";
import { endThoseShutOut } from "./websocket-shutout.js";
import { Sweep } from "./websocket-sweep.js";
import { refuse, upgrades } from "./websocket-upgrade.js";

export interface WebsocketOptions {
	/** Its upgrades become the binding's; those to other protocols are answered as plain requests. */
	server: Server;
	engine: Engine;
	config: {
		/** The one origin whose pages may open sockets. Read at each handshake. */
		publicUrl: string;
		/** How many proxies before us are ours. */
		trustProxy: number;
		limits?: Limits;
	};
	log: Log;
	/** Shared with the HTTP bindings, so that a caller has one allowance. */
	gate: Gate;
	/** Shared with them too. */
	cards: Cards;
}

export interface Websocket {
	/** Sockets that are open or closing. */
	readonly count: number;
	/** Refuses new sockets, tells those there are to come back (`bye`, 1012), and resolves when all have gone. */
	close(): Promise<void>;
}

/** Chunks of one message as the network cuts it: far more than any real path makes of a frame. */
const CHUNKS = 1_024;
/** What a client has for its side of the closing handshake, milliseconds. */
const CLOSE_MS = 3_000;
/** Sockets written to before the loop gets a turn. */
const BATCH = 64;
const MINUTE_MS = 60_000;
/** Shortest and longest time after which clients are asked to come back; the more there are, the more they are spread. */
const COME_BACK_MS = 500;
const COME_BACK_MAX_MS = 20_000;

/** Mounts the binding on a server. */
export function attachWebsocket(options: WebsocketOptions): Websocket {
	const { server, engine, config, log, gate } = options;
	const limits = config.limits ?? LIMITS;
	const parts: SocketParts = {
		engine,
		gate,
		cards: options.cards,
		log,
		limits,
		places: new Places(limits),
		newGuests: new SlidingWindow(MINUTE_MS, limits.newGuestsPerMinutePerAddress, engine.clock),
		fanout: new Fanout(),
		frames: new EventFrames(),
		sessions: new Set(),
		shutOuts: 0,
	};
	let stopping = false;

	const handshakes = new WebSocketServer<typeof Link>({
		noServer: true,
		clientTracking: false,
		// Never: a few bytes would unpack into megabytes, and an active connection would cost 229 KB.
		perMessageDeflate: false,
		maxPayload: limits.frameBytes,
		maxFragments: limits.frameFragments,
		maxBufferedChunks: CHUNKS,
		// There is no subprotocol: the path says what is spoken.
		handleProtocols: () => false,
		WebSocket: Link,
		...{ closeTimeout: CLOSE_MS },
	});
	handshakes.on("wsClientError", (error, socket) => {
		refuse(socket, new DeskError("invalid_request", `This is no WebSocket handshake (RFC 6455): ${error.message}.`), 400);
	});

	const onUpgrade = upgrades({
		server,
		engine,
		config,
		gate,
		places: parts.places,
		log,
		stopping: () => stopping,
		accept(request, socket, head, desk, network) {
			if (stopping)
				return refuse(
					socket,
					new DeskError("unavailable", "The server is restarting. Try again in a few seconds.", { retryAfterSeconds: 2 }),
				);
			handshakes.handleUpgrade(request, socket, head, (link) => {
				new Session(parts, link, socket, desk.row.handle, desk.row.id, network).begin();
			});
		},
	});
	server.on("upgrade", onUpgrade);

	const stopShutOut = endThoseShutOut(parts);
	const stopPresence = engine.onPresence((deskId, { online, opensAt }) => {
		// Without a time the key is left out.
		const frame = frameOf(notification("event", JSON.stringify({ contextId: "", signal: { kind: "presence", online, opensAt } })));
		const there = [...parts.sessions].filter((session) => session.deskId === deskId && session.chats);
		void inBatches(there, BATCH, (session) => session.write(frame));
	});
	const sweep = new Sweep(parts, engine.clock);
	sweep.start();

	return {
		get count() {
			return parts.sessions.size;
		},
		async close() {
			stopping = true;
			sweep.stop();
			stopShutOut();
			stopPresence();
			const spread = Math.min(COME_BACK_MAX_MS, COME_BACK_MS + parts.sessions.size);
			await inBatches(parts.sessions, BATCH, (session) => {
				const retryAfterMs = Math.round(COME_BACK_MS + Math.random() * spread);
				session.say(notification("bye", JSON.stringify({ retryAfterMs })));
				session.close(CLOSE.restarting, "The server is restarting. Come back.");
			});
			// The library cuts whoever does not answer the closing handshake in time.
			await Promise.all([...parts.sessions].map((session) => session.over()));
		},
	};
}
