/**
 * What both HTTP bindings do alike: find the desk, find out who calls, run the operation, and answer whole or as a stream.
 * How an answer and a refusal are written is the binding's `Codec`.
 */
import { DeskError } from "../../shared/errors.js";
import { credentialOf, unknownCredential } from "../callers.js";
import type { Caller, Desk, Engine } from "../engine/engine.js";
import type { PrincipalRow } from "../engine/rows.js";
import type { Cards } from "./card.js";
import { asDeskError, errorHeaders } from "./errors.js";
import { echoHeader, requestedExtensions } from "./extensions.js";
import { type Exchange, STREAM_HEADERS } from "./http.js";
import type { Gate } from "./limits.js";
import { type CallContext, isStreaming, type MethodName, type Outcome, operations } from "./operations.js";
import { type Held, type Holder, type OpenStreams, type StreamCodec, streamResponse } from "./stream.js";

export type Log = (level: "info" | "warn" | "error", fields: Record<string, unknown>, text: string) => void;

/** What the door is made of, once a process. */
export interface DoorParts {
	engine: Engine;
	gate: Gate;
	cards: Cards;
	streams: OpenStreams;
	log: Log;
}

/** How a binding writes. `headers` are besides its usual ones. */
export interface Codec {
	answer(json: string, headers?: Record<string, string>): Response;
	refuse(error: DeskError, headers?: Record<string, string>): Response;
	stream: StreamCodec;
}

/** Handles as accounts may have them (design.md, Storage). What is none asks the store for nothing. */
const HANDLE = /^[a-z0-9_-]{2,32}$/;

/** The desk at a handle. Throws `not_found`, the same for one that is not there and one with A2A off (A2A-15). */
export async function deskAt(parts: DoorParts, handle: string): Promise<Desk> {
	const desk = HANDLE.test(handle) ? await parts.engine.desk(handle) : undefined;
	if (!desk?.settings.a2a) throw new DeskError("not_found", "There is no desk at this address. The site's card lists those there are.");
	return desk;
}

/** Who calls and what for. Throws `unauthenticated`. */
export async function contextOf(parts: DoorParts, exchange: Exchange, network: string, desk: Desk): Promise<Call> {
	const { shutOuts } = parts.streams;
	const credential = credentialOf(exchange, desk.settings.apiKey);
	const principal = await principalOf(parts, desk, credential);
	const caller: Caller = { principal, provenance: { channel: "a2a" }, extensions: requestedExtensions(exchange) };
	return new Call(parts, exchange, network, desk, caller, credential, shutOuts);
}

/** Whose a credential is; null where there is none and guests are taken. Throws `unauthenticated`. */
async function principalOf({ engine }: DoorParts, desk: Desk, credential: string | undefined): Promise<PrincipalRow | null> {
	const principal = credential === undefined ? null : await engine.identify(credential, desk);
	if (principal === undefined) throw unknownCredential();
	if (!desk.settings.guests && principal?.kind !== "account") {
		throw new DeskError("unauthenticated", "This desk takes no guests. Send an account's key as Authorization: Bearer.");
	}
	return principal;
}

/** The context of one call. Its signal is made only when an operation asks for it: most never wait. */
class Call implements CallContext, Holder {
	readonly engine: Engine;
	readonly gate: Gate;
	readonly cards: Cards;

	constructor(
		private readonly parts: DoorParts,
		private readonly exchange: Exchange,
		readonly network: string,
		readonly desk: Desk,
		readonly caller: Caller,
		private readonly credential: string | undefined,
		readonly since: number,
	) {
		this.engine = parts.engine;
		this.gate = parts.gate;
		this.cards = parts.cards;
	}

	get authenticated(): boolean {
		return this.credential !== undefined;
	}

	get version(): string | undefined {
		return versionOf(this.exchange);
	}

	get signal(): AbortSignal {
		return this.exchange.controller.signal;
	}

	wait(): Held {
		return this.parts.streams.wait(this, this.exchange);
	}

	// Holder

	get principal(): PrincipalRow | null {
		return this.caller.principal;
	}

	get deskId(): number {
		return this.desk.row.id;
	}

	async refusal(principal: PrincipalRow | null): Promise<DeskError | undefined> {
		// A guest that this call made is looked at by the token that was given out for it.
		const credential = this.credential ?? (principal?.kind === "guest" ? this.engine.tokenOf(principal) : undefined);
		try {
			await principalOf(this.parts, await deskAt(this.parts, this.desk.row.handle), credential);
			return undefined;
		} catch (thrown) {
			return asDeskError(thrown, (fault) => report(this.parts, fault, undefined));
		}
	}
}

/** A2A-Version of a request: its header, else its query (A2A-4: the header wins). */
function versionOf(exchange: Exchange): string | undefined {
	const header = exchange.header("a2a-version");
	if (header !== undefined && header.trim() !== "") return header;
	if (!/[?&]a2a-version=/i.test(exchange.query)) return header;
	for (const [name, value] of new URLSearchParams(exchange.query)) if (name.toLowerCase() === "a2a-version") return value;
	return header;
}

/** Runs an operation and writes what it comes to. Never throws. */
export async function answer(
	parts: DoorParts,
	exchange: Exchange,
	context: Call,
	method: MethodName,
	params: unknown,
	codec: Codec,
): Promise<Response> {
	let stream: Held | undefined;
	try {
		const { caller } = context;
		// A caller with too many streams is refused before its message is taken in, not after.
		if (isStreaming(method)) stream = parts.streams.open(context, context.network, exchange);
		const outcome = await operations[method](context, params);
		const headers = headersOf(outcome, caller.extensions);
		if ("json" in outcome) return codec.answer(outcome.json, headers);
		const open = stream as Held;
		open.principal = outcome.principal;
		return streamResponse(exchange.outgoing, outcome.events, {
			clock: parts.engine.clock,
			codec: codec.stream,
			headers: { ...STREAM_HEADERS, ...headers },
			abort: exchange.controller,
			asError: (thrown) => asDeskError(thrown, (error) => report(parts, error, method)),
			onEnd: open.close,
		});
	} catch (thrown) {
		stream?.close();
		return refusal(parts, thrown, codec, method);
	}
}

/** Headers that an outcome needs besides the usual ones; undefined, which is most often, for none. */
function headersOf(outcome: Outcome, extensions: readonly string[]): Record<string, string> | undefined {
	const special = "headers" in outcome ? outcome.headers : undefined;
	if (!outcome.guest && extensions.length === 0) return special;
	return { ...echoHeader(extensions), ...(outcome.guest ? { "eol-guest-token": outcome.guest.token } : undefined), ...special };
}

/** Writes a refusal in a binding's form. What is not a DeskError is logged and told to nobody. */
export function refusal(parts: DoorParts, thrown: unknown, codec: Pick<Codec, "refuse">, method?: string): Response {
	const error = asDeskError(thrown, (fault) => report(parts, fault, method));
	return codec.refuse(error, errorHeaders(error));
}

const report = (parts: DoorParts, error: unknown, method: string | undefined): void =>
	parts.log("error", { error, method }, "An A2A request failed");
