/**
 * A load of HTTP requests over kept connections, by bare sockets: what a bench measures must be the server, not its client.
 * Knows just enough of HTTP/1.1 for the answers of the servers here: a length or chunks.
 */
import { connect, type Socket } from "node:net";
import { percentile, type Sample } from "./measure.js";

export interface Load {
	port: number;
	connections: number;
	/** Requests in all, or until `ms` have passed. */
	requests?: number;
	ms?: number;
	/** The whole request as bytes. `n` counts all requests of the load. */
	request: (n: number) => string;
	/** What every answer has to hold: an error would else be measured as an answer. */
	expect: string;
	/** Called with the body of each answer. */
	heard?: (body: string) => void;
}

export interface LoadResult extends Sample {
	requests: number;
	/** Requests a second. */
	perSecond: number;
	/** Milliseconds. */
	p50: number;
	p99: number;
}

const NONE = Buffer.alloc(0);

/** Connection `i` comes from an address of its own: limits by address stay out of what is measured. */
export const addressOf = (i: number): string => `127.0.${(i >> 7) & 127}.${2 + (i & 127)}`;

/** Rejects where an answer is not what was asked for, or a connection ends. */
export async function runLoad(load: Load): Promise<LoadResult> {
	const times: number[] = [];
	let sent = 0;
	const until = load.ms === undefined ? Number.POSITIVE_INFINITY : performance.now() + load.ms;
	const limit = load.requests ?? Number.POSITIVE_INFINITY;
	const began = performance.now();
	const next = (): number => (sent < limit && performance.now() < until ? sent++ : -1);
	await Promise.all(Array.from({ length: load.connections }, (_, i) => onConnection(load, i, next, times)));
	const seconds = (performance.now() - began) / 1_000;
	return { requests: times.length, perSecond: times.length / seconds, p50: percentile(times, 50), p99: percentile(times, 99) };
}

/** One request after the other, on as many connections as the server wants to have them on. */
function onConnection(load: Load, i: number, next: () => number, times: number[]): Promise<void> {
	const expect = Buffer.from(load.expect);
	let head = NONE;
	let length = 0;
	return new Promise((resolve, reject) => {
		const open = (): void => {
			const socket: Socket = connect({ port: load.port, host: "127.0.0.1", noDelay: true, localAddress: addressOf(i) });
			let startedAt = 0;
			let waiting: Buffer = NONE;
			const leave = (then: () => void): void => {
				socket.removeAllListeners("close");
				socket.destroy();
				then();
			};
			const send = (): void => {
				const n = next();
				if (n < 0) return leave(resolve);
				startedAt = performance.now();
				socket.write(load.request(n));
			};
			socket.on("connect", send);
			socket.on("error", reject);
			socket.on("close", () => reject(new Error("The server closed a connection of the load.")));
			socket.on("data", (chunk) => {
				waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
				// Answers with the same head are as long: most need not be taken apart. What this client costs, the server cannot have.
				const known = head.length > 0 && waiting.length === length && waiting.subarray(0, head.length).equals(head);
				const answer = known && !load.heard ? undefined : readAnswer(waiting);
				if (!known && !answer) return;
				times.push(performance.now() - startedAt);
				if (answer && !known) {
					head = answer.sized && !answer.isLast ? Buffer.from(waiting.subarray(0, answer.bodyAt)) : NONE;
					length = answer.length;
				}
				const whole = waiting.subarray(0, length);
				waiting = waiting.subarray(length);
				if (!whole.includes(expect)) {
					return leave(() => reject(new Error(`An answer without ${load.expect}: ${whole.toString("utf8").slice(0, 2_000)}`)));
				}
				if (answer) load.heard?.(answer.body());
				if (answer?.isLast) leave(open);
				else send();
			});
		};
		open();
	});
}

interface Answer {
	body: () => string;
	/** Of all of it, and where its body begins. */
	length: number;
	bodyAt: number;
	/** Its head says how long it is. */
	sized: boolean;
	/** The server takes no more on this connection. */
	isLast: boolean;
}

/** The first whole answer in these bytes; undefined while it is not all there. */
export function readAnswer(bytes: Buffer): Answer | undefined {
	const end = bytes.indexOf("\r\n\r\n");
	if (end < 0) return undefined;
	const head = bytes.toString("latin1", 0, end);
	const bodyAt = end + 4;
	const isLast = /\r\nconnection: *close/i.test(head);
	const size = /\r\ncontent-length: *(\d+)/i.exec(head);
	if (size) {
		const length = bodyAt + Number(size[1]);
		return bytes.length < length ? undefined : { body: () => bytes.toString("utf8", bodyAt, length), length, bodyAt, sized: true, isLast };
	}
	if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return { body: () => "", length: bodyAt, bodyAt, sized: true, isLast };
	const pieces: Buffer[] = [];
	for (let from = bodyAt; ; ) {
		const line = bytes.indexOf("\r\n", from);
		if (line < 0) return undefined;
		const chunk = Number.parseInt(bytes.toString("latin1", from, line), 16);
		const data = line + 2;
		if (bytes.length < data + chunk + 2) return undefined;
		if (chunk === 0) return { body: () => Buffer.concat(pieces).toString("utf8"), length: data + 2, bodyAt, sized: false, isLast };
		pieces.push(bytes.subarray(data, data + chunk));
		from = data + chunk + 2;
	}
}

const lines = (headers: Record<string, string>): string =>
	Object.entries(headers)
		.map(([name, value]) => `${name}: ${value}\r\n`)
		.join("");

/** A POST of JSON as bytes. */
export const post = (path: string, body: string, headers: Record<string, string> = {}): string =>
	`POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${lines(headers)}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

export const get = (path: string, headers: Record<string, string> = {}): string =>
	`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${lines(headers)}\r\n`;
