/**
 * WebSocket clients by bare sockets, thousands in one process: a handshake, masked text frames out, whole text frames in. Knows
 * just enough of RFC 6455 for the servers here, which send no fragments.
 */
import { connect, type Socket } from "node:net";
import { addressOf } from "./http-load.js";

/** Handshakes on their way at a time: below the backlog of a listening socket, past which the kernel drops them for a second. */
const AT_ONCE = 400;

const OPEN = 0x81;
const PING = 0x89;
const PONG = 0x8a;
const MASKED = 0x80;

export class WsClient {
	/** Called with each text frame. */
	hear: (frame: Buffer) => void = () => undefined;
	private waiting: Buffer | undefined;

	constructor(private readonly socket: Socket) {}

	/** The key of the mask is 0, so that the payload goes as it is. */
	send(text: string): void {
		this.socket.write(frameOf(OPEN, Buffer.from(text)));
	}

	/** Resolves with the next frames that come. Called before they can: what comes while nobody hears is gone. */
	next(count = 1): Promise<Buffer[]> {
		const heard: Buffer[] = [];
		return new Promise((resolve) => {
			this.hear = (frame) => {
				if (heard.push(frame) < count) return;
				this.hear = () => undefined;
				resolve(heard);
			};
		});
	}

	take(chunk: Buffer): void {
		let bytes = this.waiting ? Buffer.concat([this.waiting, chunk]) : chunk;
		for (;;) {
			const frame = firstFrame(bytes);
			if (!frame) break;
			const payload = bytes.subarray(frame.from, frame.to);
			bytes = bytes.subarray(frame.to);
			if (frame.head === OPEN) this.hear(payload);
			else if (frame.head === PING) this.socket.write(frameOf(PONG, payload));
		}
		// Copied: what is left must not keep the whole chunk alive in ten thousand clients.
		this.waiting = bytes.length === 0 ? undefined : Buffer.from(bytes);
	}

	end(): void {
		this.socket.destroy();
	}
}

function frameOf(head: number, payload: Buffer): Buffer {
	const { length } = payload;
	const lengths = length < 126 ? Buffer.from([MASKED | length]) : Buffer.from([MASKED | 126, length >> 8, length & 255]);
	return Buffer.concat([Buffer.from([head]), lengths, Buffer.alloc(4), payload]);
}

function firstFrame(bytes: Buffer): { head: number; from: number; to: number } | undefined {
	if (bytes.length < 2) return undefined;
	const short = bytes[1] as number;
	const from = short < 126 ? 2 : short === 126 ? 4 : 10;
	if (bytes.length < from) return undefined;
	const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
	return bytes.length < from + length ? undefined : { head: bytes[0] as number, from, to: from + length };
}

/** Opens one socket; resolves after the handshake. `i` chooses the address it comes from. */
export function openSocket(port: number, path: string, i: number): Promise<WsClient> {
	return new Promise((resolve, reject) => {
		const socket = connect({ port, host: "127.0.0.1", noDelay: true, localAddress: addressOf(i) });
		const client = new WsClient(socket);
		let head = "";
		socket.on("error", reject);
		socket.on("close", () => reject(new Error(`The server closed a socket: ${head.slice(0, 500)}`)));
		socket.on("connect", () => {
			socket.write(
				`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
			);
		});
		const onHandshake = (chunk: Buffer): void => {
			head += chunk.toString("latin1");
			const end = head.indexOf("\r\n\r\n");
			if (end < 0) return;
			if (!head.startsWith("HTTP/1.1 101")) return void socket.destroy();
			socket.off("data", onHandshake);
			socket.on("data", (more) => client.take(more));
			resolve(client);
			const rest = Buffer.from(head.slice(end + 4), "latin1");
			if (rest.length > 0) client.take(rest);
		};
		socket.on("data", onHandshake);
	});
}

/** Does something for each of `count` clients, as many at a time as a server takes. Rejects with the first that fails. */
export async function openMany<T>(count: number, open: (i: number) => Promise<T>): Promise<T[]> {
	const made: T[] = [];
	let next = 0;
	const one = async (): Promise<void> => {
		while (next < count) {
			const i = next++;
			made[i] = await open(i);
		}
	};
	await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, one));
	return made;
}
