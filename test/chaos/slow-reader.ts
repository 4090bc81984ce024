/**
 * A reader of a conversation over a bare connection, that can stop reading altogether: the system then holds what it can, and the
 * rest is the server's to keep, or not. It looks at nothing but the numbers of events, since there are hundreds of it.
 */
import { connect, type Socket } from "node:net";

const EVENT = /^\{"jsonrpc":"2\.0","method":"event","params":\{"contextId":"[^"]+","seq":(\d+)/;
/** Bytes of a frame that say its number. */
const HEAD_BYTES = 160;

export interface SlowReaderOptions {
	port: () => number | undefined;
	localAddress: string;
	token: string;
	contextId: string;
	nonce: string;
}

export class SlowReader {
	/** Last number that it has. */
	head = 0;
	events = 0;
	/** Numbers that came after another one than the one before. */
	readonly gaps: string[] = [];
	reconnects = -1;
	private socket: Socket | undefined;
	private rest: Buffer = Buffer.alloc(0);
	private upgraded = false;
	private reading = true;
	private left = false;
	private greeted: () => void = () => undefined;

	constructor(private readonly options: SlowReaderOptions) {}

	/** Opens and says Hello, from what it has on; `from`: as if it had everything up to there. */
	open(from?: number): Promise<void> {
		this.head = from ?? this.head;
		const { port, localAddress, token, contextId, nonce } = this.options;
		this.reconnects++;
		this.upgraded = false;
		this.rest = Buffer.alloc(0);
		const socket = connect({ port: port() ?? 0, host: "127.0.0.1", localAddress });
		this.socket = socket;
		socket.setNoDelay(true);
		socket.write(
			"GET /a2a/mira/ws HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
		);
		const hello = { version: "1.0", nonce, credential: token, follow: [{ contextId, after: this.head }] };
		socket.write(masked(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "Hello", params: hello })));
		socket.on("data", (data) => this.take(data as Buffer));
		socket.on("error", () => undefined);
		// Cut off by the server while it did not read: it comes back and goes on.
		socket.on("close", () => {
			if (!this.left && this.reading && this.socket === socket) void this.open();
		});
		return new Promise((resolve) => {
			this.greeted = resolve;
		});
	}

	/** Reads no more. */
	stop(): void {
		this.reading = false;
		this.socket?.pause();
	}

	/** Reads on; on a new connection where the old one is gone. */
	resume(): void {
		this.reading = true;
		if (this.socket?.destroyed) void this.open();
		else this.socket?.resume();
	}

	leave(): void {
		this.left = true;
		this.socket?.destroy();
	}

	private take(data: Buffer): void {
		this.rest = this.rest.length === 0 ? data : Buffer.concat([this.rest, data]);
		if (!this.upgraded) {
			const end = this.rest.indexOf("\r\n\r\n");
			if (end < 0) return;
			this.rest = this.rest.subarray(end + 4);
			this.upgraded = true;
		}
		let at = 0;
		for (;;) {
			const frame = frameAt(this.rest, at);
			if (!frame) break;
			if (frame.opcode === 1) this.hear(this.rest.toString("latin1", frame.from, Math.min(frame.to, frame.from + HEAD_BYTES)));
			at = frame.to;
		}
		this.rest = this.rest.subarray(at);
	}

	private hear(text: string): void {
		if (text.startsWith('{"jsonrpc":"2.0","id":1,')) return this.greeted();
		const seq = Number(EVENT.exec(text)?.[1]);
		if (!seq) return;
		if (seq !== this.head + 1) this.gaps.push(`${seq} after ${this.head}`);
		this.head = seq;
		this.events++;
	}
}

/** A text frame of a client's: masked, by zeros. */
function masked(text: string): Buffer {
	const body = Buffer.from(text);
	const head = Buffer.alloc(8);
	head[0] = 0x81;
	head[1] = 0x80 | 126;
	head.writeUInt16BE(body.length, 2);
	return Buffer.concat([head, body]);
}

/** The frame that begins at `at`, if it is there whole. */
function frameAt(bytes: Buffer, at: number): { opcode: number; from: number; to: number } | undefined {
	if (bytes.length < at + 2) return undefined;
	const short = (bytes[at + 1] as number) & 0x7f;
	const head = short < 126 ? 2 : short === 126 ? 4 : 10;
	if (bytes.length < at + head) return undefined;
	const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
	if (bytes.length < at + head + length) return undefined;
	return { opcode: (bytes[at] as number) & 0x0f, from: at + head, to: at + head + length };
}
