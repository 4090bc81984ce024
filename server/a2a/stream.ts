/**
 * A task's stream as Server-Sent Events (a2a.md 1.5; reliability.md G-15, G-16), written straight to Node's response where
 * there is one. It takes the next event only when the reader has taken the last ones, so a slow reader costs one buffer
 * and nobody else anything; a reader that leaves detaches itself from the task and nothing more.
 */
import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Engine, JsonText, TaskEvent } from "../engine/engine.js";
import type { Clock } from "../engine/ports.js";
import type { PrincipalRow } from "../engine/rows.js";
import { manyAtOnce } from "./batches.js";
import type { Exchange } from "./http.js";
import type { Gate } from "./limits.js";
import { isMeant } from "./meant.js";

/** How one binding writes what is inside `data:`. */
export interface StreamCodec {
	event(json: JsonText): string;
	/** What stands in place of the next event when a stream fails that has begun. */
	error(error: DeskError): string;
}

export interface StreamOptions {
	clock: Clock;
	codec: StreamCodec;
	headers: Record<string, string>;
	/** Detaches the reader from the task; aborted by its maker when the client has gone. With a DeskError as its reason, the reader is told why. */
	abort: AbortController;
	/** Says what was thrown as a DeskError, and logs what has to be. */
	asError(thrown: unknown): DeskError;
	/** Called once, when the stream is over for whatever reason. */
	onEnd(): void;
}

/** Characters gathered before they are written, whatever else is ready. */
const WRITE_CHARS = 64 * 1024;
/** Heartbeats that may go by while a reader takes nothing; then it is cut off. */
const STUCK_BEATS = 4;

/** Where the text goes. `write` returns undefined while more is welcome, else a promise of when it is again, or of the end. */
interface Sink {
	write(text: string): Promise<void> | undefined;
	end(text: string): void;
	/** Cuts off a reader that takes nothing any more. */
	cut(): void;
}

/** Answers with a stream, over the socket itself or, in a request that has none, as a body. */
export function streamResponse(outgoing: ServerResponse | undefined, events: AsyncIterable<TaskEvent>, options: StreamOptions): Response {
	if (!outgoing) return bodyResponse(events, options);
	if (!outgoing.destroyed) outgoing.writeHead(200, options.headers);
	// A socket that breaks says so by closing.
	outgoing.on("error", () => undefined);
	const gate = new DrainGate();
	outgoing.on("drain", gate.open);
	outgoing.once("close", gate.open);
	// With nothing to say yet, at least say that there is a stream.
	const head = setImmediate(() => {
		if (!outgoing.destroyed) outgoing.flushHeaders();
	});
	void pump(events, options, {
		write(text) {
			clearImmediate(head);
			return outgoing.destroyed || outgoing.write(text) ? undefined : gate.wait();
		},
		end(text) {
			clearImmediate(head);
			if (!outgoing.destroyed) outgoing.end(text);
		},
		cut: () => outgoing.destroy(),
	});
	return RESPONSE_ALREADY_SENT;
}

function bodyResponse(events: AsyncIterable<TaskEvent>, options: StreamOptions): Response {
	const encoder = new TextEncoder();
	const gate = new DrainGate();
	let left = false;
	const body = new ReadableStream<Uint8Array>({
		start(controller) {
			void pump(events, options, {
				write(text) {
					if (left) return undefined;
					controller.enqueue(encoder.encode(text));
					return (controller.desiredSize ?? 0) > 0 ? undefined : gate.wait();
				},
				end(text) {
					if (left) return;
					if (text !== "") controller.enqueue(encoder.encode(text));
					controller.close();
				},
				cut() {
					left = true;
					controller.error(new Error("the reader took nothing"));
				},
			});
		},
		pull: gate.open,
		cancel() {
			left = true;
			options.abort.abort();
			gate.open();
		},
	});
	return new Response(body, { status: 200, headers: options.headers });
}

/** Lets one waiter go on when the reader has room again. */
class DrainGate {
	private wake: (() => void) | undefined;
	readonly open = (): void => {
		this.wake?.();
		this.wake = undefined;
	};
	wait(): Promise<void> {
		return new Promise((resolve) => {
			this.wake = resolve;
		});
	}
}

async function pump(events: AsyncIterable<TaskEvent>, options: StreamOptions, sink: Sink): Promise<void> {
	const { codec } = options;
	const { signal } = options.abort;
	let gathered = "";
	let waiting: Promise<void> | undefined;
	let missed = 0;

	const flush = (): void => {
		if (gathered === "" || waiting) return;
		const out = gathered;
		gathered = "";
		waiting = sink.write(out)?.then(() => {
			waiting = undefined;
			missed = 0;
		});
	};
	let stopBeat = options.clock.after(LIMITS.streamHeartbeatMs, function beat() {
		if (!waiting) {
			gathered += ": ka\n\n";
			flush();
		} else if (++missed >= STUCK_BEATS) {
			options.abort.abort();
			sink.cut();
			return;
		}
		stopBeat = options.clock.after(LIMITS.streamHeartbeatMs, beat);
	});

	const iterator = events[Symbol.asyncIterator]();
	let begun = false;
	let scheduled: NodeJS.Immediate | undefined;
	try {
		for (let last = false; !last && !signal.aborted; ) {
			if (waiting) {
				await waiting;
				flush();
				continue;
			}
			const next = await iterator.next();
			if (next.done || signal.aborted) break;
			last = next.value.last;
			gathered += `id: ${next.value.seq}\ndata: ${codec.event(next.value.json)}\n\n`;
			// The first goes at once; what follows within the same moment goes together.
			if (!begun || gathered.length >= WRITE_CHARS) flush();
			else
				scheduled ??= setImmediate(() => {
					scheduled = undefined;
					flush();
				});
			begun = true;
		}
	} catch (thrown) {
		if (!signal.aborted) gathered += `data: ${codec.error(options.asError(thrown))}\n\n`;
	}
	clearImmediate(scheduled);
	stopBeat();
	if (signal.reason instanceof DeskError) gathered += `data: ${codec.error(signal.reason)}\n\n`;
	sink.end(gathered);
	options.onEnd();
	// Detaches from the log. What it throws was told above, or concerns nobody who is still here.
	await iterator.return?.().catch(() => undefined);
}

/** What somebody holds open: a stream, or a send that waits for its answer. */
export interface Held {
	/** Whose it is, as soon as that is known. */
	principal: PrincipalRow | null;
	/** Gives its place back, once. */
	close(): void;
}

/** Who wants to hold something open at a desk, and how it is found out later whether they still may. */
export interface Holder {
	readonly principal: PrincipalRow | null;
	readonly deskId: number;
	/** What `OpenStreams.shutOuts` was before it was looked at who they are. */
	readonly since: number;
	/** Looks again at the desk and the credential; `principal` is whose it is by now. Gives what refuses them, if something does. Never rejects. */
	refusal(principal: PrincipalRow | null): Promise<DeskError | undefined>;
}

interface Holding {
	held: Held;
	holder: Holder;
	exchange: Pick<Exchange, "controller" | "outgoing">;
}

/** Who calls by HTTP came by no site and no embed. */
const AGENT = { channel: "a2a" } as const;

/** Why nothing waits any more when the server stops: who waited is told what there is, without a reason. */
const STOPPING = new DOMException("The server stops.", "AbortError");

/** What is now held open on a door: streams are counted a caller; all of it ends when its caller is shut out (reliability.md G-20), and when the server stops (G-21). */
export class OpenStreams {
	/** How often somebody may have been shut out: whoever was looked at before is looked at again. */
	shutOuts = 0;
	private readonly holdings = new Set<Holding>();
	private ended = false;

	constructor(
		engine: Engine,
		private readonly gate: Gate,
	) {
		engine.onShutOut((who) => {
			this.shutOuts++;
			const meant = [...this.holdings].filter(({ held, holder }) =>
				isMeant(who, { principalId: held.principal?.id, deskId: holder.deskId, provenance: AGENT }),
			);
			void manyAtOnce(meant, (holding) => this.recheck(holding));
		});
	}

	/** Ends what is held by who may not be here any more, and says why. */
	private async recheck(holding: Holding): Promise<void> {
		const refusal = await holding.holder.refusal(holding.held.principal);
		if (refusal && this.holdings.has(holding)) holding.exchange.controller.abort(refusal);
	}

	/** Takes a stream's place for a caller, or for a network while nobody is known. Throws `rate_limited` where there are as many as may be. */
	open(holder: Holder, network: string, exchange: Holding["exchange"]): Held {
		this.mustBeOpen();
		return this.add(holder, exchange, this.gate.openStream(holder.principal ? holder.principal.uid : `at ${network}`));
	}

	/** A send that waits. It is no stream and takes no place of one. */
	wait(holder: Holder, exchange: Holding["exchange"]): Held {
		this.mustBeOpen();
		return this.add(holder, exchange, () => undefined);
	}

	/** Takes in no more, ends all there is as it stands, and resolves when the last of it has been written. */
	async end(): Promise<void> {
		this.ended = true;
		const written: Promise<unknown>[] = [];
		for (const { exchange } of this.holdings) {
			const { outgoing } = exchange;
			if (outgoing && !outgoing.closed) {
				// Says `Connection: close` where there is still something to say: the next request is for another process.
				outgoing.shouldKeepAlive = false;
				written.push(new Promise((resolve) => outgoing.once("close", resolve)));
			}
			exchange.controller.abort(STOPPING);
		}
		await Promise.all(written);
	}

	private mustBeOpen(): void {
		if (this.ended) throw new DeskError("unavailable", "The server is restarting. Try again in a few seconds.", { retryAfterSeconds: 2 });
	}

	private add(holder: Holder, exchange: Holding["exchange"], giveBack: () => void): Held {
		const close = (): void => {
			giveBack();
			this.holdings.delete(holding);
		};
		const holding: Holding = { held: { principal: holder.principal, close }, holder, exchange };
		this.holdings.add(holding);
		if (holder.since !== this.shutOuts) void this.recheck(holding);
		return holding.held;
	}
}
