/** Bytes to a server and what comes back, over a connection of our own: nothing here minds what it is made to send. */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

export interface Heard {
	/** Everything that came, or up to where it was enough. */
	bytes: Buffer;
	/** Who ended it: the server, or we at the deadline. */
	ended: "server" | "enough" | "deadline";
}

export interface SayOptions {
	deadlineMs: number;
	/** How the bytes are cut into writes. */
	chunks?: number;
	/** Our side is closed after the last byte. */
	half?: boolean;
	/** Enough was heard: we go. */
	enough?: (heard: Buffer) => boolean;
	/** We go after so many bytes were sent, whatever comes. */
	goAfter?: number;
}

/** Says bytes to a port and listens until the server closes, until it is enough, or until the deadline. */
export function say(
	port: number,
	bytes: Uint8Array,
	{ deadlineMs, chunks = 1, half = false, enough, goAfter }: SayOptions,
): Promise<Heard> {
	return new Promise((resolve) => {
		const heard: Buffer[] = [];
		const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
		let over = false;
		const end = (ended: Heard["ended"]): void => {
			if (over) return;
			over = true;
			clearTimeout(timer);
			socket.destroy();
			resolve({ bytes: Buffer.concat(heard), ended });
		};
		const timer = setTimeout(() => end("deadline"), deadlineMs);
		socket.on("error", () => end("server"));
		socket.on("close", () => end("server"));
		socket.on("end", () => end("server"));
		socket.on("data", (chunk: Buffer) => {
			heard.push(chunk);
			if (enough?.(Buffer.concat(heard))) end("enough");
		});
		socket.on("connect", () => {
			const sent = goAfter === undefined ? bytes : bytes.subarray(0, goAfter);
			const size = Math.max(1, Math.ceil(sent.length / chunks));
			for (let at = 0; at < sent.length; at += size) socket.write(sent.subarray(at, at + size));
			if (goAfter !== undefined) socket.end(() => end("enough"));
			else if (half) socket.end();
		});
	});
}

export interface HttpAnswer {
	status: number;
	headers: Map<string, string>;
	body: string;
}

/** The last answer in what came; interim ones are passed over. Undefined: none is whole enough to be one. */
export function readAnswer(bytes: Buffer): HttpAnswer | undefined {
	let rest = bytes.toString("latin1");
	for (;;) {
		const end = rest.indexOf("\r\n\r\n");
		const first = /^HTTP\/1\.[01] (\d{3})/.exec(rest);
		if (end < 0 || !first) return undefined;
		const status = Number(first[1]);
		const head = rest.slice(0, end).split("\r\n").slice(1);
		rest = rest.slice(end + 4);
		if (status === 100) continue;
		const headers = new Map(head.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]));
		const body =
			headers.get("transfer-encoding") === "chunked"
				? unchunked(rest)
				: rest.slice(0, Number(headers.get("content-length") ?? rest.length));
		return { status, headers, body: Buffer.from(body, "latin1").toString() };
	}
}

function unchunked(text: string): string {
	let body = "";
	for (let rest = text; ; ) {
		const end = rest.indexOf("\r\n");
		const size = Number.parseInt(rest.slice(0, end), 16);
		if (end < 0 || !size) return body;
		body += rest.slice(end + 2, end + 2 + size);
		rest = rest.slice(end + 2 + size + 2);
	}
}

/** The request that opens a WebSocket. */
export const upgradeRequest = (path: string): string =>
	`GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`;

/** Opcode of the frame that ends a socket. */
export const CLOSE = 8;

export interface FrameOptions {
	opcode?: number;
	fin?: boolean;
	masked?: boolean;
	/** RSV1 to RSV3, as bits. */
	reserved?: number;
	/** The length that is told, where it is not the true one. */
	length?: number;
}

/** A frame as a client sends it (RFC 6455, 5.2), right unless told otherwise. */
export function clientFrame(
	payload: Uint8Array,
	{ opcode = 1, fin = true, masked = true, reserved = 0, length = payload.length }: FrameOptions = {},
): Buffer {
	const first = (fin ? 0x80 : 0) | ((reserved & 7) << 4) | (opcode & 15);
	const bit = masked ? 0x80 : 0;
	const head =
		length < 126
			? Buffer.from([first, bit | length])
			: length < 65_536
				? Buffer.from([first, bit | 126, length >> 8, length & 255])
				: Buffer.concat([Buffer.from([first, bit | 127]), sized(length)]);
	if (!masked) return Buffer.concat([head, payload]);
	const mask = randomBytes(4);
	return Buffer.concat([head, mask, Buffer.from(payload.map((byte, i) => byte ^ (mask[i & 3] as number)))]);
}

function sized(length: number): Buffer {
	const bytes = Buffer.alloc(8);
	bytes.writeBigUInt64BE(BigInt(length));
	return bytes;
}

export interface ServerFrame {
	opcode: number;
	payload: Buffer;
}

/** The frames that a server sent after its handshake. */
export function serverFrames(bytes: Buffer): ServerFrame[] {
	const frames: ServerFrame[] = [];
	const head = bytes.indexOf("\r\n\r\n");
	for (let at = head < 0 ? bytes.length : head + 4; at + 2 <= bytes.length; ) {
		const opcode = (bytes[at] as number) & 15;
		let length = (bytes[at + 1] as number) & 127;
		let from = at + 2;
		if (length === 126) {
			if (from + 2 > bytes.length) break;
			length = bytes.readUInt16BE(from);
			from += 2;
		} else if (length === 127) {
			if (from + 8 > bytes.length) break;
			length = Number(bytes.readBigUInt64BE(from));
			from += 8;
		}
		if (from + length > bytes.length) break;
		frames.push({ opcode, payload: bytes.subarray(from, from + length) });
		at = from + length;
	}
	return frames;
}
