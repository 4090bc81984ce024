/**
 * One socket: its Hello, its requests, what is written to it and when it ends. State stands in plain fields and handlers are
 * shared, since there may be thousands that say nothing. Whatever a client does ends at most its own socket.
 */
import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import { CLOSE } from "../../shared/channel.js";
import { DeskError } from "../../shared/errors.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { readJson } from "../../shared/json-scan.js";
import type { Caller, Desk, Engine } from "../engine/engine.js";
import type { PrincipalRow } from "../engine/rows.js";
import { asDeskError, rpcErrorText } from "./errors.js";
import { type RpcRequest, readRequest, rpcResultText } from "./jsonrpc.js";
import { perform, SocketCall } from "./websocket-calls.js";
import { Follower, type Line } from "./websocket-follow.js";
import { notification } from "./websocket-frames.js";
import { checkDoor, checkGuest, type Greeting, greet, type Opening } from "./websocket-hello.js";
import { SocketLine } from "./websocket-line.js";
import type { Link, SocketParts } from "./websocket-parts.js";
import type { Place } from "./websocket-places.js";
import type { Look } from "./websocket-shutout.js";

/** Requests that may come before Hello is answered. */
const EARLY = 16;
/** A socket that was not heard for this long although it was asked is thought dead when its guest needs the place. */
const DOUBTFUL_MS = 25_000;
const CLOSE_UNSUPPORTED = 1003;

/** Shared by all that follow nothing. */
const NONE: readonly Follower[] = [];

/** `new`: no Hello yet · `greeting`: it is being judged · `open` · `closed`: nothing is read or written any more. */
type Stage = "new" | "greeting" | "open" | "closed";

export class Session extends SocketLine implements Place, Line {
	stage: Stage = "new";
	guestId: number | undefined;
	greeted = false;
	caller: Caller | undefined;
	credential = "";
	/** A tick is being made. */
	ticking = false;
	followers: readonly Follower[] = NONE;
	private calls: Set<SocketCall> | undefined;
	private early: Buffer[] | undefined;
	/** Until when the frames so far have been paid for (a bucket that fills at framesPerSecond). */
	private paidUntil = 0;
	private gone = false;

	constructor(
		private readonly parts: SocketParts,
		link: Link,
		wire: Duplex,
		readonly handle: string,
		readonly deskId: number,
		readonly network: string,
	) {
		super(parts, link, wire);
	}

	/** Takes its place and begins to hear. */
	begin(): void {
		const { link, parts } = this;
		parts.places.enter(this);
		parts.sessions.add(this);
		(link as Link).session = this;
	}

	// What is heard

	hear(data: Buffer, isBinary: boolean): void {
		if (this.stage === "closed" || !this.pay()) return;
		if (isBinary) return this.close(CLOSE_UNSUPPORTED, "Send text frames.");
		if (this.stage === "greeting") {
			this.early ??= [];
			if (this.early.length >= EARLY) return this.close(CLOSE.limits, "Wait for Hello's answer.");
			this.early.push(data);
			return;
		}
		let request: RpcRequest;
		try {
			request = readRequest(readJson(data));
		} catch (thrown) {
			this.refuse("null", thrown);
			if (this.stage === "new") this.close(CLOSE.credential, "Say Hello first.");
			return;
		}
		if (this.stage === "open") void this.answer(request);
		else void this.hello(request);
	}

	/** A sign of life that says nothing. */
	pulse(): void {
		if (this.stage !== "closed") this.pay();
	}

	/** Counts a frame. False: too many, and the socket is closed. */
	private pay(): boolean {
		const { framesPerSecond, framesBurst } = this.parts.limits;
		const now = this.parts.engine.clock.elapsed();
		this.heardAt = now;
		this.pinged = false;
		this.paidUntil = Math.max(this.paidUntil, now) + 1_000 / framesPerSecond;
		if (this.paidUntil - now <= (framesBurst * 1_000) / framesPerSecond) return true;
		this.close(CLOSE.limits, "Too many frames. Send fewer a second.");
		return false;
	}

	private async hello(request: RpcRequest): Promise<void> {
		this.stage = "greeting";
		const { shutOuts } = this.parts;
		try {
			if (request.method !== "Hello") throw new DeskError("unauthenticated", "Say Hello first: the first request of a socket is Hello.");
			const greeting = await greet(this, this.handle, this.network, request.params);
			if (this.isClosed()) return;
			this.open(request, greeting);
		} catch (thrown) {
			const error = this.refuse(request.id, thrown);
			return this.close(closeCodeOf(error), "Hello was refused.");
		}
		if (shutOuts !== this.parts.shutOuts) void this.recheck({ credential: true, checkSite: this.engine.embed.check });
		const { early = [] } = this;
		this.early = undefined;
		for (const data of early) this.hearEarly(data);
	}

	private open(request: RpcRequest, { caller, credential, result, gaps, openings }: Greeting): void {
		this.caller = caller;
		this.credential = credential;
		this.stage = "open";
		this.say(rpcResultText(request.id, JSON.stringify(result)));
		for (const gap of gaps) this.say(notification("gap", JSON.stringify(gap)));
		for (const opening of openings) this.follow(opening);
	}

	/** It was paid for when it came. */
	private hearEarly(data: Buffer): void {
		if (this.isClosed()) return;
		try {
			void this.answer(readRequest(readJson(data)));
		} catch (thrown) {
			this.refuse("null", thrown);
		}
	}

	private async answer(request: RpcRequest): Promise<void> {
		const { parts, caller } = this;
		this.calls ??= new Set();
		if (!caller) return;
		if (this.calls.size >= parts.limits.socketCalls) {
			const text = `More than ${parts.limits.socketCalls} requests of this socket wait for their answers. Send this again when one has come.`;
			this.refuse(request.id, new DeskError("rate_limited", text, { retryAfterSeconds: 1 }));
			return;
		}
		const call = new SocketCall(this, parts, caller);
		this.calls.add(call);
		try {
			call.desk = await this.deskNow();
		} catch (thrown) {
			this.close(closeCodeOf(this.refuse(request.id, thrown)), "Not allowed any more.");
			return;
		}
		try {
			const { json, afterwards } = await perform(this, call, request);
			this.say(rpcResultText(request.id, json));
			if (!this.isClosed()) afterwards?.();
		} catch (thrown) {
			this.refuse(request.id, thrown, request.method);
		} finally {
			this.calls.delete(call);
		}
	}

	/** The desk as it is now; what its owner has closed since Hello is closed. Throws `forbidden`. */
	private async deskNow(): Promise<Desk> {
		const desk = await this.parts.engine.desk(this.handle);
		const { caller } = this;
		if (!desk || !caller) throw new DeskError("forbidden", "There is no desk at this address any more.");
		checkGuest(desk, caller.principal);
		if (caller.provenance.channel === "a2a") await checkDoor(this.parts.engine, desk, caller.provenance);
		return desk;
	}

	// HelloParts

	get engine(): Engine {
		return this.parts.engine;
	}

	newGuest(network: string): void {
		const { newGuests } = this.parts;
		if (network === "") return;
		const seconds = newGuests.waitSeconds(network);
		if (seconds > 0) {
			const text = "Too many new guests come from this address. Come back later, or with the token of before.";
			throw new DeskError("rate_limited", text, { retryAfterSeconds: seconds });
		}
		newGuests.count(network);
	}

	takePlace(principal: PrincipalRow): void {
		if (this.isClosed()) throw new DeskError("unavailable", "The socket was closed.");
		const { places, sessions, engine } = this.parts;
		const guestId = principal.kind === "guest" ? principal.id : undefined;
		if (guestId !== undefined && !places.hasRoomFor(guestId)) {
			// A connection that was lost is known to its guest before it is known here.
			const now = engine.clock.elapsed();
			for (const other of sessions) if (other.guestId === guestId && now - other.heardAt > DOUBTFUL_MS) other.cut();
			if (!places.hasRoomFor(guestId)) {
				throw new DeskError("rate_limited", "You have too many sockets open at this desk. Close one, then open this again.", {
					retryAfterSeconds: 5,
				});
			}
		}
		places.greet(this, guestId);
	}

	// Following

	follower(contextId: string): Follower | undefined {
		return this.followers.find((f) => f.contextId === contextId);
	}

	/** As many contexts are followed as may be. */
	get followsEnough(): boolean {
		return this.followers.length >= this.parts.limits.socketContexts;
	}

	/** Makes room for a context and does not read it yet. */
	reserve(contextId: string): Follower {
		const { engine, fanout } = this.parts;
		const follower = new Follower({ engine, fanout, line: this }, contextId);
		// Most follow one context: a list of exactly that size.
		this.followers = [...this.followers, follower];
		return follower;
	}

	/** Follows a context from where the opening says, whether or not it was followed before. */
	follow({ contextId, conversationId, after, seq, hash }: Opening): void {
		this.unfollow(contextId);
		const follower = this.reserve(contextId);
		follower.hash = hash;
		follower.hashedSeq = seq;
		follower.start(conversationId, after, this.chats);
	}

	unfollow(contextId: string): void {
		const follower = this.follower(contextId);
		if (!follower) return;
		this.followers = this.followers.filter((f) => f !== follower);
		follower.close();
	}

	/** The chat's extension is on: typing, seen, presence. */
	get chats(): boolean {
		return this.caller?.extensions.includes(EXTENSIONS.chat) ?? false;
	}

	failed(error: unknown): void {
		this.parts.log("error", { err: error }, "The log could not be read for a socket");
		this.close(CLOSE.busy, "The log cannot be read now. Come back.");
	}

	protected drained(): void {
		for (const follower of this.followers) follower.drained();
	}

	/** Writes a refusal. Returns it as a DeskError; what is not one is logged whole and told to nobody. */
	refuse(id: string, thrown: unknown, method?: string): DeskError {
		const error = asDeskError(thrown, (fault) => this.parts.log("error", { err: fault, method }, "A request over a socket failed"));
		this.say(rpcErrorText(id, error));
		return error;
	}

	// The end

	isClosed(): boolean {
		return this.stage === "closed";
	}

	/**
	 * Looks again whether this caller may be here, after somebody was shut out (reliability.md G-20): the desk, the credential, the
	 * site. What cannot be looked at is closed. Never rejects.
	 */
	async recheck({ credential, checkSite }: Look): Promise<void> {
		const { caller, parts } = this;
		if (!caller || this.isClosed()) return;
		try {
			const desk = await this.deskNow();
			if (credential && !(await parts.engine.identify(this.credential, desk)))
				return this.shut(CLOSE.credential, "This token or key was ended.");
			await checkDoor(parts.engine, desk, caller.provenance, checkSite);
		} catch (thrown) {
			const error = asDeskError(thrown, (fault) => parts.log("error", { err: fault }, "A socket could not be checked"));
			this.shut(closeCodeOf(error), "Not allowed any more.");
		}
	}

	/** Closes; and where the client does not read, cuts: nothing that waits may reach somebody who was shut out. */
	private shut(code: number, reason: string): void {
		this.close(code, reason);
		if (this.full) this.cut();
	}

	/** Closes in good order. `reason` is for whoever debugs a client, at most 123 bytes. */
	close(code: number, reason: string): void {
		if (this.isClosed()) return;
		this.detach();
		this.link.resume();
		this.link.close(code, reason);
	}

	/** Resolves when the connection has ended. */
	over(): Promise<void> {
		return this.link.readyState === WebSocket.CLOSED
			? Promise.resolve()
			: new Promise((resolve) => this.link.once("close", () => resolve()));
	}

	/** Ends the connection at once. */
	cut(): void {
		this.detach();
		this.leave();
		this.link.terminate();
	}

	/** Nothing is read, waited for or followed any more; tasks go on. */
	private detach(): void {
		this.stage = "closed";
		this.early = undefined;
		for (const follower of this.followers) follower.close();
		this.followers = [];
		for (const call of this.calls ?? []) call.abort();
	}

	/** Gives its place back. */
	private leave(): void {
		if (this.gone) return;
		this.gone = true;
		this.parts.places.leave(this);
	}

	ended(): void {
		this.detach();
		this.leave();
		this.parts.sessions.delete(this);
	}
}

/** How a socket is closed after a refusal. */
function closeCodeOf({ code }: DeskError): number {
	if (code === "forbidden" || code === "not_found") return CLOSE.forbidden;
	if (code === "rate_limited") return CLOSE.limits;
	return code === "unavailable" || code === "deadline_exceeded" || code === "internal" ? CLOSE.busy : CLOSE.credential;
}
