/**
 * A client of the WebSocket binding for tests: every frame that comes is kept in order, and waiting for one is waiting for what
 * comes, never for a while.
 */
import { WebSocket } from "ws";
import type { HelloParams, HelloResult, LogEvent, RpcError } from "../../shared/channel.js";

export interface Frame {
	jsonrpc: "2.0";
	id?: number | string | null;
	method?: string;
	params?: Record<string, unknown>;
	result?: unknown;
	error?: RpcError;
}

export class Refused extends Error {
	constructor(readonly error: RpcError) {
		super(error.message);
	}
	get reason(): string | undefined {
		return (this.error.data as { reason?: string }[] | undefined)?.find((d) => d.reason !== undefined)?.reason;
	}
}

let lastNonce = 0;
/** A nonce that no other Hello of this process has. */
export const newNonce = (): string => `nonce-of-a-test-${++lastNonce}`;

export class Client {
	readonly frames: Frame[] = [];
	/** Code and reason of the close. */
	readonly closed: Promise<{ code: number; reason: string }>;
	private readonly waiters = new Set<() => void>();
	private lastId = 0;
	private readonly opened: Promise<void>;

	constructor(readonly socket: WebSocket) {
		this.opened = new Promise((resolve, reject) => {
			socket.once("open", resolve);
			socket.once("error", reject);
		});
		this.opened.catch(() => undefined);
		socket.on("error", () => undefined);
		socket.on("message", (data) => {
			this.frames.push(JSON.parse(String(data)) as Frame);
			this.wake();
		});
		this.closed = new Promise((resolve) => {
			socket.once("close", (code, reason) => {
				resolve({ code, reason: String(reason) });
				this.wake();
			});
		});
	}

	private wake(): void {
		for (const wake of this.waiters) wake();
	}

	/** Resolves when the handshake is done. */
	async ready(): Promise<this> {
		await this.opened;
		return this;
	}

	/** The first frame, from `from` on, that is what is looked for. Rejects when the socket closes before. */
	find(is: (frame: Frame) => boolean, from = 0): Promise<Frame> {
		return new Promise((resolve, reject) => {
			let at = from;
			const look = (): void => {
				for (; at < this.frames.length; at++) {
					const frame = this.frames[at] as Frame;
					if (!is(frame)) continue;
					this.waiters.delete(look);
					return resolve(frame);
				}
				if (this.socket.readyState === WebSocket.CLOSED) {
					this.waiters.delete(look);
					reject(new Error(`The socket closed before that came. What came: ${JSON.stringify(this.frames).slice(0, 2_000)}`));
				}
			};
			this.waiters.add(look);
			look();
		});
	}

	/** Resolves when what is looked for holds; looked at after every frame. */
	until(holds: () => boolean): Promise<void> {
		return new Promise((resolve, reject) => {
			const look = (): void => {
				if (holds()) {
					this.waiters.delete(look);
					resolve();
				} else if (this.socket.readyState === WebSocket.CLOSED) {
					this.waiters.delete(look);
					reject(new Error("The socket closed before that held."));
				}
			};
			this.waiters.add(look);
			look();
		});
	}

	send(text: string): void {
		this.socket.send(text);
	}

	/** Rejects with `Refused` for an error. */
	async call<T = unknown>(method: string, params?: unknown): Promise<T> {
		const id = ++this.lastId;
		this.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
		const frame = await this.find((f) => f.id === id);
		if (frame.error) throw new Refused(frame.error);
		return frame.result as T;
	}

	/** Says Hello with a fresh nonce unless given. */
	async hello(params: Partial<HelloParams> = {}): Promise<HelloResult> {
		return await this.call<HelloResult>("Hello", { version: "1.0", nonce: newNonce(), ...params });
	}

	/** Params of the events so far, of the log's alone. */
	get events(): LogEvent[] {
		return this.frames
			.filter((f) => f.method === "event" && (f.params as unknown as LogEvent).seq !== undefined)
			.map((f) => f.params as unknown as LogEvent);
	}

	/** Events without a number: signals, and tasks as they stand where following begins. */
	get signals(): LogEvent[] {
		return this.frames
			.filter((f) => f.method === "event" && (f.params as unknown as LogEvent).seq === undefined)
			.map((f) => f.params as unknown as LogEvent);
	}

	get seqs(): number[] {
		return this.events.map((e) => e.seq as number);
	}

	/** Resolves with the result of the refusal of a call. */
	async refusal(method: string, params?: unknown): Promise<Refused> {
		return await this.call(method, params).then(
			(result) => {
				throw new Error(`${method} was not refused: ${JSON.stringify(result)}`);
			},
			(error: unknown) => {
				if (error instanceof Refused) return error;
				throw error;
			},
		);
	}

	/** Resolves when the server has answered a ping: everything sent before has been heard. */
	async ping(): Promise<void> {
		const answered = new Promise<void>((resolve) => this.socket.once("pong", () => resolve()));
		this.socket.ping();
		await answered;
	}

	async close(): Promise<void> {
		this.socket.close();
		await this.closed;
	}
}

/** Opens a socket; resolves when it is open. */
export async function dial(
	desk: { port: number; handle: string },
	options: { path?: string; origin?: string; headers?: Record<string, string> } = {},
): Promise<Client> {
	const path = options.path ?? `/a2a/${desk.handle}/ws`;
	const { origin, headers } = options;
	return await new Client(
		new WebSocket(`ws://127.0.0.1:${desk.port}${path}`, {
			perMessageDeflate: true,
			...(origin === undefined ? {} : { origin }),
			...(headers ? { headers } : {}),
		}),
	).ready();
}

/** A message of the visitor's. */
export const message = (messageId: string, text: string, more: Record<string, unknown> = {}): { message: Record<string, unknown> } => ({
	message: { messageId, role: "ROLE_USER", parts: [{ text }], ...more },
});
