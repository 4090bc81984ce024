/**
 * A socket of the WebSocket binding that stays with a desk: opens again when it was closed, says Hello with what it holds, and
 * gives every event to whoever keeps them. What is asked while it is closed is told so.
 */
import { WebSocket } from "ws";
import { decodeServerFrame, type HelloResult, type LogEvent } from "../../shared/channel.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import type { Seeded } from "../seeded.js";
import { pause, within } from "./time.js";
import { Away, Refusal, refusalOf, Unknown } from "./transport.js";

export interface LineOptions {
	port: () => number | undefined;
	localAddress: string;
	random: Seeded;
	nonce: string;
	/** Told of each event in the order in which it came; `connection` counts from 1. */
	onEvent?: (event: LogEvent, connection: number) => void;
	/** Told of every close that this side did not ask for, and whether a `bye` came before. */
	onClosed?: (code: number, bye: boolean) => void;
	/** Contexts to go on with at a Hello. */
	held: () => { contextId: string; after: number }[];
}

const OPEN_MS = 5_000;
const CALL_MS = 8_000;

interface Waiting {
	connection: number;
	resolve(result: never): void;
	reject(error: Error): void;
}

export class Line {
	token: string | undefined;
	connections = 0;
	private socket: WebSocket | undefined;
	private opening: Promise<WebSocket> | undefined;
	private readonly waiting = new Map<number, Waiting>();
	private lastId = 0;
	private closed = false;
	/** Connections on which the desk has said that they will be closed. */
	private readonly byes = new Set<number>();
	private readonly numbers = new WeakMap<WebSocket, number>();

	constructor(private readonly options: LineOptions) {}

	/** Opens and says Hello, unless it is open; tries again until `waitMs` have gone by. */
	async connect(waitMs = 30_000): Promise<void> {
		const end = Date.now() + waitMs;
		for (;;) {
			try {
				await this.ready();
				return;
			} catch (error) {
				if (this.closed || Date.now() > end || (error instanceof Refusal && !error.retry)) throw error;
				await pause(20 + this.options.random.int(150));
			}
		}
	}

	private ready(): Promise<WebSocket> {
		if (this.socket?.readyState === WebSocket.OPEN) return Promise.resolve(this.socket);
		this.opening ??= this.dial().finally(() => {
			this.opening = undefined;
		});
		return this.opening;
	}

	private async dial(): Promise<WebSocket> {
		const { port, localAddress, held } = this.options;
		const at = port();
		if (at === undefined || this.closed) throw new Away();
		const socket = new WebSocket(`ws://127.0.0.1:${at}/a2a/mira/ws`, { localAddress, perMessageDeflate: false, handshakeTimeout: OPEN_MS });
		const connection = ++this.connections;
		socket.on("message", (data) => this.hear(String(data), connection));
		await new Promise<void>((resolve, reject) => {
			socket.once("open", resolve);
			socket.on("error", () => reject(new Away()));
			socket.on("close", () => reject(new Away()));
		});
		this.socket = socket;
		this.numbers.set(socket, connection);
		socket.on("close", (code) => this.lost(socket, connection, code));
		const follow = held();
		const hello = {
			version: "1.0",
			nonce: this.options.nonce,
			extensions: [EXTENSIONS.chat],
			...(this.token === undefined ? {} : { credential: this.token }),
			...(follow.length > 0 ? { follow } : { new: true }),
		};
		try {
			const greeted = await this.ask<HelloResult>(socket, "Hello", hello);
			this.token = greeted.guestToken ?? this.token;
		} catch (error) {
			socket.terminate();
			throw error;
		}
		return socket;
	}

	private lost(socket: WebSocket, connection: number, code: number): void {
		if (this.socket === socket) this.socket = undefined;
		for (const [id, waiting] of this.waiting) {
			if (waiting.connection !== connection) continue;
			this.waiting.delete(id);
			waiting.reject(new Unknown(`the socket was closed (${code})`));
		}
		if (this.closed) return;
		this.options.onClosed?.(code, this.byes.has(connection));
		// A client stays with its desk.
		void this.connect().catch(() => undefined);
	}

	private hear(text: string, connection: number): void {
		const frame = decodeServerFrame(text);
		if (!frame) return;
		if ("method" in frame) {
			if (frame.method === "bye") this.byes.add(connection);
			if (frame.method === "event" && frame.params.seq !== undefined) this.options.onEvent?.(frame.params, connection);
			return;
		}
		const waiting = this.waiting.get(frame.id as number);
		this.waiting.delete(frame.id as number);
		if (!waiting) return;
		if ("error" in frame) waiting.reject(refusalOf(frame.error as Parameters<typeof refusalOf>[0]));
		else waiting.resolve(frame.result as never);
	}

	private ask<T>(socket: WebSocket, method: string, params: unknown): Promise<T> {
		const id = ++this.lastId;
		const connection = this.numbers.get(socket) ?? 0;
		const answer = new Promise<T>((resolve, reject) => this.waiting.set(id, { connection, resolve: resolve as never, reject }));
		socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }), () => undefined);
		return within(CALL_MS, `an answer to ${method}`, answer).catch((error: unknown) => {
			throw error instanceof Refusal ? error : new Unknown(String(error));
		});
	}

	/** Rejects with `Refusal` or `Unknown`. */
	async call<T>(method: string, params: unknown): Promise<T> {
		return await this.ask<T>(await this.ready(), method, params);
	}

	close(): void {
		this.closed = true;
		this.socket?.close();
		this.socket = undefined;
	}
}
