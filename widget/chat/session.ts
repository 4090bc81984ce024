/**
 * One visitor at one desk while the chat is open: joins connection, conversation, store and tabs, and offers what the
 * visitor can do. It draws nothing and touches no window: what it needs of one is given to it, so that a whole session
 * runs in a test.
 */
import {
	CHANNEL_VERSION,
	CHAT_METHODS,
	type HelloParams,
	type HelloResult,
	type HistoryResult,
	type Rating,
	type RatingsResult,
} from "../../shared/channel.js";
import type { Claim } from "../../shared/embed.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { LIMITS } from "../../shared/limits.js";
import { type Connection, createConnection, type Notice } from "./connection.js";
import { type Action, agrees, beingAnswered, EMPTY, reactionOf, reduce, unreadCount } from "./conversation.js";
import { createDelivery } from "./delivery.js";
import { again, type Outgoing } from "./outbox.js";
import type { Closed, Session, SessionParts, SessionState } from "./session-parts.js";
import type { TabMessage, Tabs } from "./tabs.js";

export type { Closed, Session, SessionState } from "./session-parts.js";

/** A short break is not worth a word. */
const GRACE_MS = 2_500;
const TYPING_EVERY_MS = 3_000;
const TYPING_LASTS_MS = 6_000;
/** A conversation that a send has begun is followed at once; this much later it is asked for. */
const BEGUN_MS = 2_000;
/** A tab that is looked at says so within this: then no other makes a sound. */
const RING_MS = 300;

const SPOKEN = [EXTENSIONS.chat, EXTENSIONS.humanTakeover, EXTENSIONS.ownerWait, EXTENSIONS.ended, EXTENSIONS.ackReaction];

export function createSession(parts: SessionParts): Session {
	const { boot, store, clock, page } = parts;
	const listeners = new Set<() => void>();
	const timers = new Map<string, () => void>();
	let state: SessionState = { conversation: EMPTY, link: "idle", away: false, kept: true, older: "idle", sound: false, ratings: {} };
	let nonce = "";
	/** The token that this window speaks with. */
	let credential: string | undefined;
	let tabs: Tabs | undefined;
	/** The conversation that the last Hello asked to go on with. */
	let asked: string | undefined;
	let reopening = false;
	/** seq at which the conversation was last read anew because the server's differed: once is enough. */
	let doubted = -1;
	let typedAt = Number.NEGATIVE_INFINITY;
	/** What the page around the chat was told last. */
	let told: { unread?: number; online?: boolean } = {};
	/** The last message that was looked at as it came, in another tab. */
	let watched = "";
	/** It was at work when it was hidden away. */
	let resumes = false;
	let claim: Claim = {};

	const connection: Connection = createConnection({
		dial: parts.dial,
		clock,
		random: parts.random,
		hello,
		onReady: ready,
		onNotice: noticed,
		onLink(link, why) {
			if (link === "stopped") return stopped(why === "forbidden" ? "forbidden" : "reload");
			if (link === "open") {
				later("away", undefined);
				set({ link, away: false });
			} else {
				if (!state.away && !timers.has("away") && link !== "idle") later("away", GRACE_MS, () => set({ away: true }));
				set({ link });
			}
		},
	});

	const delivery = createDelivery({
		store,
		connection,
		clock,
		random: parts.random,
		conversation: () => state.conversation,
		dispatch,
		begun(contextId) {
			if (state.conversation.contextId !== contextId) return;
			tabs?.post({ type: "begun", contextId });
			// Its events come by themselves; if the server had it already (a retry), they are asked for.
			later("begun", BEGUN_MS, () => state.conversation.contextId === contextId && state.conversation.seq === 0 && connection.renew());
		},
	});

	function later(name: string, ms: number | undefined, call?: () => void): void {
		timers.get(name)?.();
		timers.delete(name);
		if (ms === undefined || !call) return;
		const stop = clock.after(ms, () => {
			timers.delete(name);
			call();
		});
		timers.set(name, stop);
	}

	function set(change: Partial<SessionState>): void {
		state = { ...state, ...change };
		if (state.desk) tell(unreadCount(state.conversation), state.desk.online);
		for (const listener of listeners) listener();
	}

	/** The first time in any case: what the page believes may be its config's, or an earlier document's. */
	function tell(unread: number, online: boolean): void {
		if (unread !== told.unread) page.post({ type: "unread", count: unread });
		if (online !== told.online) page.post({ type: "online", online });
		told = { unread, online };
	}

	function dispatch(action: Action): void {
		const before = state.conversation;
		const conversation = reduce(before, action);
		if (conversation === before) return;
		state = { ...state, conversation };
		// They go by seq: the next conversation's first answer would bear this one's thumb.
		if (conversation.contextId !== before.contextId) state = { ...state, ratings: {}, older: "idle" };
		if (conversation.outgoing !== before.outgoing) delivery.keep();
		if (conversation.contextId !== undefined && conversation.contextId !== before.contextId) store.set("new", undefined);
		look();
		set({ kept: store.kept });
		if (conversation.lost && !before.lost) reopen();
	}

	function hello(): HelloParams {
		credential = store.get("token");
		if (!credential) {
			// The same in every tab until one of them has a token: they are one guest.
			if (!store.get("nonce")) store.set("nonce", parts.newId());
			nonce = store.get("nonce") ?? nonce;
		}
		nonce ||= parts.newId();
		const params: HelloParams = { version: CHANNEL_VERSION, nonce, credential, ticket: boot.ticket, extensions: SPOKEN };
		const { contextId, seq } = state.conversation;
		asked = reopening ? undefined : contextId;
		if (asked !== undefined) params.follow = [{ contextId: asked, after: seq }];
		else if (contextId === undefined && store.get("new") !== undefined) params.new = true;
		return params;
	}

	function ready(result: HelloResult): void {
		reopening = false;
		if (result.guestToken) {
			credential = result.guestToken;
			store.set("token", credential);
			store.set("nonce", undefined);
			tabs?.post({ type: "token" });
		}
		// A new one that was begun while Hello was under way is not taken back.
		if (result.context && store.get("new") === undefined) {
			dispatch({ type: "opened", state: result.context });
			set({ older: "idle" });
			askRatings(result.context.contextId);
		} else if (state.conversation.contextId !== undefined && !result.following.some((f) => f.contextId === asked)) {
			// It was another guest's, or is deleted.
			dispatch({ type: "fresh" });
		}
		// Only now: the page is told of both at once.
		set({ desk: result.desk, kept: store.kept });
		delivery.pump();
	}

	/** Not in the log: asked for where there is anything that can have one. */
	function askRatings(contextId: string): void {
		if (!state.conversation.messages.some((m) => m.message.role === "ROLE_AGENT")) return;
		connection.call(CHAT_METHODS.ratings, { contextId }).then(
			(result) => {
				if (state.conversation.contextId !== contextId) return;
				const said = (result as RatingsResult).ratings ?? [];
				set({ ratings: Object.fromEntries(said.map(({ seq, value }) => [seq, value])) });
			},
			// A server that keeps none, or a connection that goes: then none is shown.
			() => undefined,
		);
	}

	function rated(contextId: string, seq: number, value: Rating | "none"): void {
		if (state.conversation.contextId !== contextId) return;
		const { [seq]: _, ...others } = state.ratings;
		set({ ratings: value === "none" ? others : { ...others, [seq]: value } });
	}

	function noticed(notice: Notice): void {
		if (notice.method === "event") {
			const event = notice.params;
			const { signal, message } = event;
			if (signal?.kind === "presence" && state.desk) set({ desk: { ...state.desk, online: signal.online, opensAt: signal.opensAt } });
			dispatch({ type: "event", event });
			if (signal?.kind === "typing") later("typing", TYPING_LASTS_MS, () => dispatch({ type: "typing over" }));
			const held = state.conversation.messages.at(-1);
			if (message?.role === "ROLE_AGENT" && held?.message === message && !reactionOf(message)) {
				set({ said: held });
				sound(message.messageId);
			}
		} else if (notice.method === "tick") {
			if (agrees(state.conversation, notice.params) || doubted === state.conversation.seq) return;
			doubted = state.conversation.seq;
			reopen();
		} else if (notice.method === "gap" && notice.params.contextId === state.conversation.contextId) {
			dispatch({ type: "opened", state: notice.params.state });
		}
	}

	/** Nobody needs a sound for what is before their eyes, in whichever tab. */
	function sound(messageId: string): void {
		if (page.shown()) tabs?.post({ type: "watched", messageId });
		else if (state.sound) later("ring", RING_MS, () => watched !== messageId && !page.shown() && page.ring(messageId));
	}

	function reopen(): void {
		reopening = true;
		connection.renew();
	}

	function stopped(closed: Closed): void {
		later("away", undefined);
		set({ closed, link: "stopped", away: false });
		if (closed === "reload" && !page.reloadedLately()) page.reload();
	}

	function look(): void {
		const { conversation } = state;
		const last = conversation.messages.at(-1);
		if (conversation.contextId === undefined || !last || unreadCount(conversation) === 0 || !page.looking()) return;
		const seen = { contextId: conversation.contextId, seq: last.seq };
		state = { ...state, conversation: reduce(conversation, { type: "seen", ...seen }) };
		tabs?.post({ type: "seen", ...seen });
		// Lost is not lost: the next Hello brings the mark that the server holds, and it is looked at again.
		connection.call(CHAT_METHODS.seen, seen).catch(() => undefined);
		set({});
	}

	function heard(message: TabMessage): void {
		if (message.type === "seen") dispatch({ type: "seen", contextId: message.contextId, seq: message.seq });
		else if (message.type === "sound") set({ sound: message.on });
		else if (message.type === "watched") watched = message.messageId;
		else if (message.type === "rated") rated(message.contextId, message.seq, message.value);
		else if (message.type === "new") dispatch({ type: "fresh" });
		else if (message.type === "begun" && message.contextId !== state.conversation.contextId) reopen();
		else if (message.type === "token" && credential !== undefined && store.get("token") !== credential) connection.renew();
		else if (message.type === "forgotten") forgotten();
	}

	function forgotten(): void {
		// The next document may never be opened: then nobody else would say it.
		page.post({ type: "unread", count: 0 });
		page.reload();
	}

	function open(): void {
		if (state.closed) return;
		if (parts.sandboxed || boot.ticket === undefined) return set({ closed: parts.sandboxed ? "sandboxed" : "forbidden" });
		if (!tabs) {
			tabs = parts.tabs(heard);
			delivery.restore();
			// What is still to be sent belongs to the conversation before the one that the visitor has begun.
			if (store.get("new") !== undefined) dispatch({ type: "fresh" });
			set({ kept: store.kept, sound: store.get("sound") !== undefined });
		}
		connection.open();
	}

	return {
		get state() {
			return state;
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		open,
		wait() {
			if (parts.sandboxed || boot.ticket === undefined || store.get("token") || store.get("outbox")) open();
			else set({ desk: boot.desk, kept: store.kept });
		},
		suspend() {
			later("away", undefined);
			resumes = connection.link !== "idle";
			connection.close();
		},
		resume: () => resumes && open(),
		nudge: () => connection.nudge(),
		offline: () => connection.link === "open" && connection.renew(),
		look,
		draft: () => store.get("draft") ?? "",
		write(text) {
			store.set("draft", text === "" ? undefined : text);
			const { contextId } = state.conversation;
			if (text === "" || contextId === undefined || clock.now() - typedAt < TYPING_EVERY_MS) return;
			typedAt = clock.now();
			connection.call(CHAT_METHODS.typing, { contextId }).catch(() => undefined);
		},
		send(text, { pictures, byPage } = {}) {
			if (connection.link === "idle") open();
			const said = { ...(byPage ? { byPage } : {}), ...(claim.name || claim.email ? { claim } : {}) };
			const outgoing: Outgoing = {
				messageId: parts.newId(),
				text,
				...(pictures && pictures.length > 0 ? { pictures } : {}),
				...(Object.keys(said).length > 0 ? { metadata: { [EXTENSIONS.chat]: said } } : {}),
				at: clock.now(),
				state: "waiting",
				tries: 0,
				contextId: state.conversation.contextId,
			};
			typedAt = Number.NEGATIVE_INFINITY;
			dispatch({ type: "queued", outgoing: [outgoing] });
			delivery.pump();
		},
		retry(messageId) {
			dispatch({ type: "moved", messageId, change: again });
			delivery.pump();
		},
		withdraw: (messageId) => dispatch({ type: "withdrawn", messageId }),
		stop() {
			for (const { id } of beingAnswered(state.conversation)) connection.call("CancelTask", { id }).catch(() => undefined);
		},
		begin() {
			store.set("new", "1");
			dispatch({ type: "fresh" });
			tabs?.post({ type: "new" });
		},
		older() {
			const { contextId, messages, more } = state.conversation;
			const before = messages[0]?.seq;
			if (contextId === undefined || before === undefined || !more || state.older === "loading") return;
			set({ older: "loading" });
			connection.call("History", { contextId, before, limit: LIMITS.historyPage }).then(
				(result) => {
					const page = result as HistoryResult;
					dispatch({ type: "history", contextId, messages: page.messages, more: page.more });
					set({ older: "idle" });
				},
				() => set({ older: "failed" }),
			);
		},
		identify({ name, email }) {
			claim = { name, email };
		},
		rate(seq, value) {
			const { contextId } = state.conversation;
			if (contextId === undefined) return;
			const before = state.ratings[seq] ?? "none";
			rated(contextId, seq, value);
			connection.call(CHAT_METHODS.rate, { contextId, seq, value }).then(
				() => tabs?.post({ type: "rated", contextId, seq, value }),
				() => rated(contextId, seq, before),
			);
		},
		async whole() {
			const { contextId } = state.conversation;
			let { messages, more } = state.conversation;
			try {
				while (more) {
					const before = messages[0]?.seq ?? 0;
					const page = (await connection.call("History", { contextId, before, limit: LIMITS.historyPage })) as HistoryResult;
					messages = [...page.messages, ...messages];
					more = page.more && page.messages.length > 0;
				}
			} catch {
				// Then it is a part.
			}
			return { messages, more };
		},
		token: () => (connection.link === "open" ? credential : undefined),
		setSound(on) {
			store.set("sound", on ? "1" : undefined);
			tabs?.post({ type: "sound", on });
			set({ sound: on });
		},
		forget() {
			connection.close();
			store.forget();
			// Also where the chat was not opened in this tab: in another one it may be.
			(tabs ?? parts.tabs(heard)).post({ type: "forgotten" });
			forgotten();
		},
		tryAgain() {
			set({ closed: undefined });
			connection.open();
		},
	};
}
