/**
 * A load of HTTP requests over kept connections, by bare sockets: what a bench measures must be the server, not its client.
 * Knows just enough of HTTP/1.1 for the answers of the servers here: a length or chunks.
 */
import { connect, type Socket } from "node:net";

export interface Load {
	port: number;
	/** Address that connection `i` comes from: addresses of their own keep limits by address out of the measurement. */
	localAddress?: (i: number) => string;
	connections: number;
	/** Requests in all, or until `ms` have passed. */
	requests?: number;
	ms?: number;
	/** The whole request as bytes. `n` counts all requests of the load. */
	request: (n: number, connection: number) => string;
	/** Throws where an answer is not what was asked for; called for every one. */
	check?: (body: string, status: number) => void;
}

export interface LoadResult {
	requests: number;
	perSecond: number;
	p50: number;
	p99: number;
	bytes: number;
}

/** Percentile of unsorted milliseconds. */
export function percentile(values: readonly number[], p: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? 0;
}

export async function runLoad(load: Load): Promise<LoadResult> {
	const times: number[] = [];
	let sent = 0;
	let bytes = 0;
	const until = load.ms === undefined ? Number.POSITIVE_INFINITY : performance.now() + load.ms;
	const limit = load.requests ?? Number.POSITIVE_INFINITY;
	const began = performance.now();
	await Promise.all(
		Array.from({ length: load.connections }, (_, i) =>
			onConnection(load, i, () => (sent < limit && performance.now() < until ? sent++ : -1), (ms, size) => {
				times.push(ms);
				bytes += size;
			}),
		),
	);
	const seconds = (performance.now() - began) / 1_000;
	return { requests: times.length, perSecond: times.length / seconds, p50: percentile(times, 50), p99: percentile(times, 99), bytes };
}

function onConnection(load: Load, i: number, next: () => number, done: (ms: number, bytes: number) => void): Promise<void> {
	return new Promise((resolve, reject) => {
		const socket: Socket = connect({ port: load.port, host: "127.0.0.1", noDelay: true, ...(load.localAddress ? { localAddress: load.localAddress(i) } : {}) });
		let startedAt = 0;
		let waiting: Buffer = Buffer.alloc(0);
		const send = (): void => {
			const n = next();
			if (n < 0) {
				socket.end();
				resolve();
				return;
			}
			startedAt = performance.now();
			socket.write(load.request(n, i));
		};
		socket.on("connect", send);
		socket.on("error", reject);
		socket.on("close", () => resolve());
		socket.on("data", (chunk) => {
			waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
			const answer = readAnswer(waiting);
			if (!answer) return;
			waiting = waiting.subarray(answer.length);
			done(performance.now() - startedAt, answer.length);
			try {
				load.check?.(answer.body, answer.status);
			} catch (error) {
				socket.destroy();
				reject(error as Error);
				return;
			}
			send();
		});
	});
}

/** The first whole answer in these bytes; undefined while it is not all there. */
function readAnswer(bytes: Buffer): { status: number; body: string; length: number } | undefined {
	const end = bytes.indexOf("\r\n\r\n");
	if (end < 0) return undefined;
	const head = bytes.toString("latin1", 0, end);
	const status = Number(head.slice(9, 12));
	const at = end + 4;
	const size = /\r\ncontent-length: *(\d+)/i.exec(head);
	if (size) {
		const length = at + Number(size[1]);
		return bytes.length < length ? undefined : { status, body: bytes.toString("utf8", at, length), length };
	}
	if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return { status, body: "", length: at };
	let body = "";
	for (let from = at; ; ) {
		const line = bytes.indexOf("\r\n", from);
		if (line < 0) return undefined;
		const chunk = Number.parseInt(bytes.toString("latin1", from, line), 16);
		const data = line + 2;
		if (bytes.length < data + chunk + 2) return undefined;
		if (chunk === 0) return { status, body, length: data + 2 };
		body += bytes.toString("utf8", data, data + chunk);
		from = data + chunk + 2;
	}
}

/** A POST of JSON as bytes. */
export const post = (path: string, body: string, headers: Record<string, string> = {}): string => {
	const more = Object.entries(headers)
		.map(([name, value]) => `${name}: ${value}\r\n`)
		.join("");
	return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${more}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

export const get = (path: string, headers: Record<string, string> = {}): string => {
	const more = Object.entries(headers)
		.map(([name, value]) => `${name}: ${value}\r\n`)
		.join("");
	return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;
};
