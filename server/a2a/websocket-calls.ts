/**
 * The requests of a socket that has said Hello: every operation of A2A through the same core as over HTTP, and the binding's
 * own. What a request makes followed is followed here, so that its events come by the log and never as copies.
 */
import { z } from "zod";
import { type Message, read, SendMessageRequestSchema } from "../../shared/a2a.schema.js";
import { callerId, explicit, int32 } from "../../shared/a2a-fields.schema.js";
import { CHAT_METHODS, type FollowResult, type RatingsResult } from "../../shared/channel.js";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Caller, Desk, Engine, JsonText, Sent } from "../engine/engine.js";
import { type Cards, PROTOCOL_VERSION } from "./card.js";
import { type RpcRequest, unknownMethod } from "./jsonrpc.js";
import type { Gate } from "./limits.js";
import { type CallContext, isStreaming, type MethodName, methodNamed, operations } from "./operations.js";
import { notification } from "./websocket-frames.js";
import { openingOf, reopen, seqNumber } from "./websocket-hello.js";
import type { SocketParts } from "./websocket-parts.js";
import type { Session } from "./websocket-session.js";

/** What one request is answered. `afterwards`: what happens once the answer is written. */
interface Reply {
	json: JsonText;
	afterwards?: () => void;
}

/** The context of one request of a socket. Its signal is made only when something waits. */
export class SocketCall implements CallContext {
	readonly engine: Engine;
	readonly gate: Gate;
	readonly cards: Cards;
	readonly network: string;
	/** A socket has always said who it is, if only with the token that Hello gave it. */
	readonly authenticated = true;
	/** Hello has judged it. */
	readonly version = PROTOCOL_VERSION;
	desk!: Desk;
	private controller: AbortController | undefined;
	private aborted = false;

	constructor(
		private readonly session: Session,
		parts: SocketParts,
		readonly caller: Caller,
	) {
		this.engine = parts.engine;
		this.gate = parts.gate;
		this.cards = parts.cards;
		this.network = session.network;
	}

	get signal(): AbortSignal {
		this.controller ??= new AbortController();
		if (this.aborted) this.controller.abort();
		return this.controller.signal;
	}

	abort(): void {
		this.aborted = true;
		this.controller?.abort();
	}

	/**
	 * A message was taken in: its context is followed, if it was not. One that named no context or task: from its beginning,
	 * the client holds nothing of it. Any other: from where the send left it, with the task as it is there.
	 */
	onSent(sent: Sent, message: Message): void {
		const begun = message.contextId === undefined && message.taskId === undefined;
		followFrom(
			this.session,
			this,
			sent.contextId,
			begun ? undefined : { seq: sent.seq, task: sent.message === undefined ? sent.task : undefined },
		);
	}
}

/** Follows a context that is not followed yet. `point`: where to begin, and the task as it is there if there is one; without it at the beginning. */
function followFrom(session: Session, call: SocketCall, contextId: string, point?: { seq: number; task?: JsonText }): void {
	if (session.isClosed() || session.follower(contextId) || session.followsEnough) return;
	const follower = session.reserve(contextId);
	if (point?.task !== undefined)
		session.say(notification("event", `{"contextId":${JSON.stringify(contextId)},"at":${call.engine.clock.now()},"task":${point.task}}`));
	call.engine.openContext(call.caller, call.desk, contextId, 1).then(
		(open) => {
			if (!open) return session.unfollow(contextId);
			const { seq, hash } = openingOf(open.conversationId, open.state, 0);
			follower.hash = hash;
			follower.hashedSeq = seq;
			follower.start(open.conversationId, point?.seq ?? 0, session.chats);
		},
		(error: unknown) => session.failed(error),
	);
}

/** Runs one request. Throws DeskError. */
export async function perform(session: Session, call: SocketCall, request: RpcRequest): Promise<Reply> {
	const { method: name, params } = request;
	const method = methodNamed(name);
	if (method) return isStreaming(method) ? await stream(session, call, method, params) : await whole(call, method, params);
	const own = Object.hasOwn(METHODS, name) ? METHODS[name as keyof typeof METHODS] : undefined;
	// Methods of an extension are not there until it is turned on (a2a.md 1.9).
	if (!own || (CHATTING.has(name) && !session.chats)) throw unknownMethod(name);
	return await own(session, call, params);
}

async function whole(call: SocketCall, method: MethodName, params: unknown): Promise<Reply> {
	const outcome = await operations[method](call, params);
	if (!("json" in outcome)) throw new Error(`${method} answered with a stream`);
	return { json: outcome.json };
}

/**
 * A streaming method: its events are those of the followed context, so it answers once, at its end, when all of them have been
 * written: the task as it is then, or the message that was the answer.
 */
async function stream(session: Session, call: SocketCall, method: MethodName, params: unknown): Promise<Reply> {
	const giveBack = call.gate.openStream(call.caller.principal?.uid ?? "");
	try {
		const outcome = await operations[method](call, params);
		if ("json" in outcome) throw new Error(`${method} answered whole`);
		let about: { id: string; contextId: string } | undefined;
		for await (const { seq, json, last } of outcome.events) {
			if (!about) {
				const { task, message } = JSON.parse(json) as { task?: { id: string; contextId: string }; message?: { contextId: string } };
				about = { id: task?.id ?? "", contextId: (task ?? message)?.contextId ?? "" };
				// Subscribing to a task of a context that is not followed: its task, then what comes after.
				if (method === "SubscribeToTask") followFrom(session, call, about.contextId, { seq, task: json.slice('{"task":'.length, -1) });
			}
			if (!last) continue;
			await session.follower(about.contextId)?.reached(seq);
			if (json.startsWith('{"message":')) return { json };
		}
		const historyLength =
			method === "SendStreamingMessage" ? read(SendMessageRequestSchema, params).configuration?.historyLength : undefined;
		return { json: `{"task":${await call.engine.getTask(call.caller, call.desk, about?.id ?? "", historyLength)}}` };
	} finally {
		giveBack();
	}
}

// The binding's own methods

const FollowSchema = z.strictObject({ contextId: callerId, after: explicit(seqNumber) });
const ContextSchema = z.strictObject({ contextId: callerId });
const HistorySchema = z.strictObject({ contextId: callerId, before: int32(1), limit: explicit(int32(1, LIMITS.historyPage)) });
const EventsSchema = z.strictObject({
	contextId: callerId,
	after: seqNumber,
	limit: explicit(int32(1, LIMITS.pageSizeMax)),
	waitMs: explicit(int32(0, LIMITS.sendWaitMs)),
});
const RateSchema = z.strictObject({ contextId: callerId, seq: seqNumber, value: z.enum(["up", "down", "none"]) });
const SeenSchema = z.strictObject({ contextId: callerId, seq: seqNumber });

const noContext = (): DeskError => new DeskError("context_not_found", "There is no such conversation of yours with this desk.");

type OwnMethod = (session: Session, call: SocketCall, params: unknown) => Promise<Reply>;

const METHODS = {
	async Hello() {
		throw new DeskError("invalid_request", "This socket has said Hello already. Open another socket to come as somebody else.");
	},

	async Follow(session, { engine, desk, caller }, params) {
		const { contextId, after } = read(FollowSchema, params);
		const whole = after === undefined ? await engine.openContext(caller, desk, contextId) : undefined;
		const reopened = after === undefined ? undefined : await reopen(engine, desk, caller, contextId, after);
		const opening = whole ? openingOf(whole.conversationId, whole.state, whole.state.seq) : reopened?.opening;
		if (!opening) throw noContext();
		if (!session.follower(contextId) && session.followsEnough) {
			throw new DeskError("rate_limited", "This socket follows as many contexts as it may. Unfollow one, then send this again.");
		}
		const context = whole?.state ?? reopened?.gap?.state;
		const result: FollowResult = { ...(context ? { context } : {}), following: [{ contextId, after: opening.seq }] };
		return { json: JSON.stringify(result), afterwards: () => session.follow(opening) };
	},

	async Unfollow(session, _call, params) {
		session.unfollow(read(ContextSchema, params).contextId);
		return { json: "{}" };
	},

	async History(_session, { engine, desk, caller }, params) {
		const { contextId, before, limit = LIMITS.historyPage } = read(HistorySchema, params);
		const { messages, more } = await engine.history(caller, desk, contextId, before, limit);
		return { json: `{"messages":${messages},"more":${more}}` };
	},

	async Events(_session, call, params) {
		const { engine, desk, caller } = call;
		const { contextId, after, limit = LIMITS.pageSizeMax, waitMs = 0 } = read(EventsSchema, params);
		// Somebody ahead of the log would wait for ever: it is told so (reliability.md G-30).
		const open = await engine.openContext(caller, desk, contextId, 1);
		if (!open) throw noContext();
		const { seq } = open.state;
		if (after > seq) return { json: `{"events":[],"seq":${seq},"gap":{"from":${seq + 1},"to":${after}}}` };
		const query = waitMs > 0 ? { contextId, after, limit, waitMs, signal: call.signal } : { contextId, after, limit, waitMs };
		const page = await engine.events(caller, desk, query);
		return { json: `{"events":[${page.events.join(",")}],"seq":${page.seq}}` };
	},

	async [CHAT_METHODS.typing](session, { engine, desk, caller }, params) {
		const { contextId } = read(ContextSchema, params);
		await muted(session, contextId, { kind: "typing", side: "asker" }, () => engine.typing(caller, desk, contextId));
		return { json: "{}" };
	},

	async [CHAT_METHODS.seen](session, { engine, desk, caller }, params) {
		const { contextId, seq } = read(SeenSchema, params);
		await muted(session, contextId, { kind: "seen", side: "asker", seq }, () => engine.seen(caller, desk, contextId, seq));
		return { json: "{}" };
	},

	async [CHAT_METHODS.rate](_session, { engine, desk, caller }, params) {
		const { contextId, seq, value } = read(RateSchema, params);
		await engine.rate(caller, desk, contextId, seq, value);
		return { json: "{}" };
	},

	async [CHAT_METHODS.ratings](_session, { engine, desk, caller }, params) {
		const { contextId } = read(ContextSchema, params);
		const result: RatingsResult = { ratings: await engine.ratings(caller, desk, contextId) };
		return { json: JSON.stringify(result) };
	},
} satisfies Record<string, OwnMethod>;

const CHATTING = new Set<string>(Object.values(CHAT_METHODS));

/** Does what gives a signal to all readers of a context but this one, which knows it. */
async function muted(session: Session, contextId: string, signal: object, act: () => Promise<void>): Promise<void> {
	const follower = session.follower(contextId);
	if (!follower) return await act();
	const own = JSON.stringify({ contextId, signal });
	follower.muted = [...(follower.muted ?? []), own];
	try {
		await act();
	} finally {
		follower.muted = follower.muted.filter((text) => text !== own);
		if (follower.muted.length === 0) follower.muted = undefined;
	}
}
