/**
 * The A2A door over HTTP: which of the bindings, or which card, a path asks for, and what is refused before anything of a
 * request is read. Promises JSON for everything below /a2a, whatever was asked, and never an error that was not foreseen.
 */
import { type Context, Hono } from "hono";
import { LIMITS, type Limits } from "../../shared/limits.js";
import { addressOf, networkOf, refuseTokenInQuery } from "../callers.js";
import type { Engine } from "../engine/engine.js";
import { type DoorParts, deskAt, type Log } from "./call.js";
import { type CardBytes, Cards, isFresh } from "./card.js";
import { Exchange, preflight } from "./http.js";
import { answerRpc, rpcRefusal } from "./jsonrpc.js";
import { Gate } from "./limits.js";
import { answerRest, restRefusal, wrongVerb } from "./rest.js";
import { OpenStreams } from "./stream.js";

export interface A2aDoorOptions {
	engine: Engine;
	config: {
		/** Origin under which people reach this server, without a slash at its end. */
		publicUrl: string;
		brandName: string;
		/** How many proxies before us are ours. */
		trustProxy: number;
		limits?: Limits;
	};
	log: Log;
	/** Of the program, for the cards. */
	version: string;
	/** Shared with the WebSocket binding; made here without. */
	gate?: Gate;
	cards?: Cards;
	/** For whoever ends what is held open when the server stops. */
	streams?: OpenStreams;
}

const WELL_KNOWN = ".well-known/agent-card.json";

/** Builds the door; `app.ts` mounts it at the root. */
export function a2aDoor(options: A2aDoorOptions): Hono {
	const { engine, config } = options;
	const gate = options.gate ?? new Gate(engine.clock, config.limits ?? LIMITS);
	const parts: DoorParts = {
		engine,
		gate,
		cards: options.cards ?? new Cards({ config, version: options.version }),
		streams: options.streams ?? new OpenStreams(engine, gate),
		log: options.log,
	};

	const route = (c: Context): Promise<Response> => {
		const exchange = new Exchange(c);
		if (exchange.method === "OPTIONS") return Promise.resolve(preflight());
		return answerAt(parts, exchange, config.trustProxy);
	};
	return new Hono().all(`/${WELL_KNOWN}`, route).all("/a2a", route).all("/a2a/*", route);
}

/** `/a2a/mira/tasks/x` → `mira`, [`tasks`, `x`]. The alias of clients that append the tenant, `/a2a/mira/mira/…`, is the same (a2a.md C8). */
function place(path: string): { handle: string | undefined; segments: string[] } {
	const segments = path.split("/").slice(2);
	const handle = segments.shift();
	if (segments[0] === handle) segments.shift();
	// The desk's own address, with or without a slash at its end.
	if (segments.length === 1 && segments[0] === "") segments.pop();
	return { handle: handle === "" ? undefined : handle, segments };
}

async function answerAt(parts: DoorParts, exchange: Exchange, trustProxy: number): Promise<Response> {
	const { path, method } = exchange;
	const isGet = method === "GET" || method === "HEAD";
	if (path === `/${WELL_KNOWN}` || path === `/a2a/${WELL_KNOWN}`) return cardAnswer(parts, exchange, siteCard);
	const { handle, segments } = place(path);
	const below = segments.join("/");
	if (handle !== undefined && (below === "card" || below === WELL_KNOWN)) return cardAnswer(parts, exchange, (p) => deskCard(p, handle));

	const isRpc = segments.length === 0;
	const address = addressOf(exchange, trustProxy);
	const network = networkOf(address);
	try {
		if (address !== "") parts.gate.request(network);
		refuseTokenInQuery(exchange.query);
	} catch (thrown) {
		return isRpc && !isGet ? rpcRefusal(parts, thrown) : restRefusal(parts, exchange, thrown);
	}
	if (!isRpc) return answerRest(parts, exchange, network, handle ?? "", segments);
	if (method === "POST") return answerRpc(parts, exchange, network, handle);
	return wrongVerb(exchange, { verbs: { POST: "SendMessage" } });
}

const siteCard = async ({ engine, cards }: DoorParts): Promise<CardBytes> => cards.siteCard(await engine.desks());
const deskCard = async (parts: DoorParts, handle: string): Promise<CardBytes> => parts.cards.deskCard(await deskAt(parts, handle));

/** Cards are bytes that stand ready: they are not counted against an address. */
async function cardAnswer(parts: DoorParts, exchange: Exchange, find: (parts: DoorParts) => Promise<CardBytes>): Promise<Response> {
	if (exchange.method !== "GET" && exchange.method !== "HEAD") return wrongVerb(exchange, { verbs: { GET: "GetExtendedAgentCard" } });
	try {
		refuseTokenInQuery(exchange.query);
		const card = await find(parts);
		if (isFresh(card, exchange.header("if-none-match"), exchange.header("if-modified-since")))
			return new Response(null, { status: 304, headers: card.headers });
		return new Response(card.bytes, { headers: card.headers });
	} catch (thrown) {
		return restRefusal(parts, exchange, thrown);
	}
}
