/**
 * For the tests of the chat: a clock that is turned by hand, and a server at the other end of a pretended socket that
 * keeps a log as the real one does. Nothing of the product imports this.
 */
import type { Message, Task } from "../../shared/a2a.schema.js";
import type { ClientFrame, ContextState, DeskFace, HelloParams, HelloResult, LogEvent } from "../../shared/channel.js";
import type { FrameBoot, FrameMessage } from "../../shared/embed.js";
import type { Clock, Socket } from "./connection.js";
import { createSession, type Session } from "./session.js";
import { createStore, type Store } from "./store.js";
import type { TabMessage } from "./tabs.js";

export interface TurnedClock extends Clock {
	/** Lets time pass: calls back everything that is due, in order, and lets promises settle in between. */
	pass(ms: number): Promise<void>;
	/** Calls that are waited for. */
	readonly waiting: number;
}

export function turnedClock(start = 1_000_000): TurnedClock {
	let now = start;
	let calls: { at: number; call: () => void }[] = [];
	return {
		now: () => now,
		after(ms, call) {
			const entry = { at: now + ms, call };
			calls.push(entry);
			return () => {
				calls = calls.filter((c) => c !== entry);
			};
		},
		async pass(ms) {
			const until = now + ms;
			await settle();
			for (;;) {
				const next = calls.filter((c) => c.at <= until).sort((a, b) => a.at - b.at)[0];
				if (!next) break;
				calls = calls.filter((c) => c !== next);
				now = Math.max(now, next.at);
				next.call();
				await settle();
			}
			now = until;
		},
		get waiting() {
			return calls.length;
		},
	};
}

/** Lets everything that waits only for other promises go on. */
export async function settle(): Promise<void> {
	for (let i = 0; i < 20; i++) await Promise.resolve();
}

/** One end of a socket, the other is held by the test. */
export class FakeSocket implements Socket {
	onopen: (() => void) | null = null;
	onmessage: ((event: { data: unknown }) => void) | null = null;
	onclose: ((event: { code: number }) => void) | null = null;
	readonly sent: ClientFrame[] = [];
	/** Called with every frame of the client's. */
	onframe: ((frame: ClientFrame) => void) | undefined;
	closed = false;

	send(text: string): void {
		if (this.closed) throw new Error("closed");
		const frame = JSON.parse(text) as ClientFrame;
		this.sent.push(frame);
		this.onframe?.(frame);
	}
	close(): void {
		this.closed = true;
	}
	/** The server says something. */
	say(frame: object): void {
		this.onmessage?.({ data: JSON.stringify({ jsonrpc: "2.0", ...frame }) });
	}
	/** The connection ends. */
	end(code = 1006): void {
		this.closed = true;
		this.onclose?.({ code });
	}
}

export const DESK: DeskFace = {
	handle: "mira",
	name: "Mira",
	about: "About Mira",
	face: "/face.svg",
	online: true,
	suggestions: ["What do you do?"],
	ownerName: "Mira Okafor",
	brand: "EarthOnline",
};

export const message = (messageId: string, role: "ROLE_USER" | "ROLE_AGENT", text: string, more: Partial<Message> = {}): Message => ({
	messageId,
	role,
	parts: [{ text }],
	...more,
});

interface Context {
	contextId: string;
	log: LogEvent[];
	tasks: Map<string, Task["status"]["state"]>;
	read: { asker: number; desk: number };
	ended: boolean;
}

/** A server for one guest: takes messages once by their id, keeps a log a context, follows as the binding says. */
export class FakeServer {
	readonly contexts: Context[] = [];
	readonly sockets: FakeSocket[] = [];
	readonly hellos: HelloParams[] = [];
	/** Every SendMessage as it came. */
	readonly sends: Message[] = [];
	/** What it answers to a method instead of doing it; undefined: nothing, the answer is lost. */
	readonly refuse = new Map<string, (() => object | undefined)[]>();
	desk = DESK;
	/** Dialling fails. */
	down = false;
	private readonly following = new Map<FakeSocket, Set<string>>();
	private known = new Set<string>();
	private made = 0;
	private begun = 0;

	constructor(private readonly now: () => number) {}

	dial = (): Socket => {
		const socket = new FakeSocket();
		this.sockets.push(socket);
		socket.onframe = (frame) => queueMicrotask(() => this.answer(socket, frame));
		queueMicrotask(() => (this.down ? socket.end() : socket.onopen?.()));
		return socket;
	};

	get socket(): FakeSocket {
		return this.sockets.at(-1) as FakeSocket;
	}

	/** Ends all connections. */
	cut(code = 1006): void {
		for (const socket of this.sockets) if (!socket.closed) socket.end(code);
	}

	/** Adds to a log and tells those who follow it. */
	add(contextId: string, event: Omit<LogEvent, "contextId" | "seq">, more: { silent?: boolean } = {}): number {
		const context = this.context(contextId);
		const seq = context.log.length + 1;
		const logged: LogEvent = { contextId, seq, at: this.now(), ...event };
		context.log.push(logged);
		if (event.task) context.tasks.set(event.task.id, event.task.status.state);
		if (event.statusUpdate) context.tasks.set(event.statusUpdate.taskId, event.statusUpdate.status.state);
		if (event.ended) context.ended = true;
		if (!more.silent) this.tell(contextId, logged);
		return seq;
	}

	/** Tells those who follow a context something that may not stand in its log. */
	tell(contextId: string, event: LogEvent): void {
		for (const [socket, contexts] of this.following) {
			if (!socket.closed && contexts.has(contextId)) socket.say({ method: "event", params: event });
		}
	}

	tick(contexts: { contextId: string; seq: number; hash: string }[]): void {
		this.socket.say({ method: "tick", params: { contexts } });
	}

	/** The desk answers a task in pieces, then whole. */
	reply(contextId: string, taskId: string, pieces: string[], state: Task["status"]["state"] = "TASK_STATE_COMPLETED"): void {
		this.add(contextId, { statusUpdate: { taskId, contextId, status: { state: "TASK_STATE_WORKING" } } });
		pieces.forEach((text, i) => {
			const artifact = { artifactId: "result", parts: [{ text }] };
			this.add(contextId, { artifactUpdate: { taskId, contextId, artifact, ...(i > 0 ? { append: true } : {}) } });
		});
		this.add(contextId, { message: message(`reply-${taskId}`, "ROLE_AGENT", pieces.join(""), { contextId, taskId }) });
		this.add(contextId, { statusUpdate: { taskId, contextId, status: { state } } });
	}

	state(contextId: string): ContextState {
		const context = this.context(contextId);
		const messages = context.log.flatMap((e) => (e.message ? [{ seq: e.seq as number, at: e.at as number, message: e.message }] : []));
		return {
			contextId,
			seq: context.log.length,
			messages,
			more: false,
			tasks: [...context.tasks]
				.filter(([, state]) => !/COMPLETED|CANCELED|FAILED|REJECTED/.test(state))
				.map(([id, state]) => ({ id, contextId, status: { state } })),
			microphone: "desk",
			read: { ...context.read },
			...(context.ended ? { ended: { by: "desk", at: 0 } } : {}),
		};
	}

	private context(contextId: string): Context {
		const context = this.contexts.find((c) => c.contextId === contextId);
		if (!context) throw new Error(`no context ${contextId}`);
		return context;
	}

	begin(contextId = `ctx${++this.begun}`): string {
		this.contexts.push({ contextId, log: [], tasks: new Map(), read: { asker: 0, desk: 0 }, ended: false });
		return contextId;
	}

	private answer(socket: FakeSocket, frame: ClientFrame): void {
		if (socket.closed) return;
		if (frame.method === "SendMessage") this.sends.push((frame.params as { message: Message }).message);
		const instead = this.refuse.get(frame.method)?.shift();
		if (instead) {
			const answer = instead();
			if (answer) socket.say({ id: frame.id, ...answer });
			return;
		}
		if (frame.method === "Hello") this.hello(socket, frame);
		else if (frame.method === "SendMessage") this.send(socket, frame);
		else socket.say({ id: frame.id, result: {} });
	}

	private hello(socket: FakeSocket, frame: ClientFrame): void {
		const params = frame.params as HelloParams;
		this.hellos.push(params);
		const follow = (params.follow ?? []).filter((f) => this.contexts.some((c) => c.contextId === f.contextId));
		const newest = params.new || params.follow ? undefined : this.contexts.at(-1)?.contextId;
		const ids = newest ? [newest] : follow.map((f) => f.contextId);
		this.following.set(socket, new Set(ids));
		const result: HelloResult = {
			you: { id: "usr_1", kind: "guest" },
			desk: this.desk,
			following: ids.map((contextId) => ({ contextId, after: this.context(contextId).log.length })),
			extensions: params.extensions ?? [],
		};
		if (!params.credential) result.guestToken = `eolg_${params.nonce}`;
		if (newest) result.context = this.state(newest);
		socket.say({ id: frame.id, result });
		for (const { contextId, after } of follow) {
			for (const event of this.context(contextId).log.slice(after)) socket.say({ method: "event", params: event });
		}
	}

	private send(socket: FakeSocket, frame: ClientFrame): void {
		const sent = (frame.params as { message: Message }).message;
		if (sent.contextId !== undefined && !this.contexts.some((c) => c.contextId === sent.contextId)) {
			socket.say({ id: frame.id, error: { code: -32602, message: "no such context", data: [{ reason: "CONTEXT_NOT_FOUND" }] } });
			return;
		}
		const before = this.contexts.find((c) => c.log.some((e) => e.message?.messageId === sent.messageId));
		const contextId = before?.contextId ?? sent.contextId ?? this.begin();
		this.following.get(socket)?.add(contextId);
		const taskId = sent.taskId ?? `tsk${++this.made}`;
		socket.say({ id: frame.id, result: { task: { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED" } } } });
		if (this.known.has(sent.messageId)) return;
		this.known.add(sent.messageId);
		this.add(contextId, { message: { ...sent, contextId, taskId } });
		if (!sent.taskId) this.add(contextId, { task: { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED" } } });
	}
}

/** localStorage as a page has it; several pages may share one. */
export function memoryStorage(): Storage {
	const held = new Map<string, string>();
	return {
		get length() {
			return held.size;
		},
		key: (i) => [...held.keys()][i] ?? null,
		getItem: (key) => held.get(key) ?? null,
		setItem: (key, value) => void held.set(key, value),
		removeItem: (key) => void held.delete(key),
		clear: () => held.clear(),
	};
}

export interface Visit {
	session: Session;
	clock: TurnedClock;
	server: FakeServer;
	store: Store;
	posted: FrameMessage[];
	rung: string[];
	reloads: number;
	looking: boolean;
	/** The chat is before the visitor, though not the newest line of it. */
	shown: boolean;
	lately: boolean;
}

/** One window of a visitor. `tabs`: windows that hear each other. */
export function visit(
	options: {
		boot?: Partial<FrameBoot>;
		clock?: TurnedClock;
		server?: FakeServer;
		storage?: Storage;
		tabs?: Set<(message: TabMessage) => void>;
		sandboxed?: boolean;
	} = {},
): Visit {
	const clock = options.clock ?? turnedClock();
	const server = options.server ?? new FakeServer(clock.now);
	const storage = options.storage ?? memoryStorage();
	const tabs = options.tabs ?? new Set();
	const window = ++windows;
	let ids = 0;
	const visit: Visit = {
		clock,
		server,
		store: createStore("mira", () => storage),
		posted: [],
		rung: [],
		reloads: 0,
		looking: true,
		shown: false,
		lately: false,
		session: undefined as unknown as Session,
	};
	visit.session = createSession({
		boot: { handle: "mira", ticket: "eolt_1", mode: "page", theme: "auto", socket: "/a2a/mira/ws", brand: "EarthOnline", ...options.boot },
		store: visit.store,
		clock,
		random: () => 0.5,
		newId: () => `id-of-16-or-more-${window}-${++ids}`,
		dial: server.dial,
		tabs(on) {
			tabs.add(on);
			return {
				post: (message) => {
					for (const other of [...tabs]) if (other !== on) other(message);
				},
				close: () => void tabs.delete(on),
			};
		},
		page: {
			looking: () => visit.looking,
			shown: () => visit.looking || visit.shown,
			post: (message) => visit.posted.push(message),
			reload: () => {
				visit.reloads++;
			},
			reloadedLately: () => visit.lately,
			ring: (id) => visit.rung.push(id),
		},
		sandboxed: options.sandboxed ?? false,
	});
	return visit;
}

let windows = 0;

/** What the visitor reads, top to bottom, with what is on its way. */
export const read = ({ session }: Visit): string[] => [
	...session.state.conversation.messages.map((m) => m.message.parts[0]?.text ?? ""),
	...session.state.conversation.outgoing.map((o) => `${o.text} (${o.state})`),
];
/** What a method was called with, on whatever socket. */
export const called = (v: Visit, method: string): unknown[] =>
	v.server.sockets.flatMap((s) => s.sent.filter((f) => f.method === method).map((f) => f.params));

/** A window whose chat is open and has said Hello. */
export async function opened(options: Parameters<typeof visit>[0] = {}): Promise<Visit> {
	const v = visit(options);
	v.session.open();
	await settle();
	return v;
}
