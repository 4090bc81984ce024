/** Visitors of the desk over its WebSocket binding, as the chat is one: Hello with a page's ticket, then a conversation. */
import { EXTENSIONS } from "../shared/extensions.js";
import type { Program } from "./programs.js";
import { message, TURNS_EACH } from "./requests.js";
import { openMany, openSocket, type WsClient } from "./ws-load.js";

let nonces = 0;

/** Opens a socket, says Hello, and waits for `more` frames after its answer. Rejects where it is refused. */
export async function hello(program: Program, i: number, params: object, { more = 0, handle = "mira" } = {}): Promise<WsClient> {
	const client = await openSocket(program.port, `/a2a/${handle}/ws`, i);
	const heard = client.next(1 + more);
	client.send(
		JSON.stringify({
			jsonrpc: "2.0",
			id: 0,
			method: "Hello",
			params: { version: "1.0", nonce: `nonce-of-the-bench-${++nonces}`, ...params },
		}),
	);
	const [answer] = await heard;
	if (!answer?.includes('"result"')) throw new Error(`Hello was refused: ${answer}`);
	return client;
}

/** New visitors who have opened the chat and said nothing yet. */
export async function visitors(program: Program, count: number): Promise<WsClient[]> {
	const tickets = await program.ask<{ handle: string; ticket: string }[]>("tickets", count);
	return await openMany(count, (i) => {
		const { handle, ticket } = tickets[i] as (typeof tickets)[number];
		return hello(program, i, { ticket, extensions: [EXTENSIONS.chat], new: true }, { handle });
	});
}

export const sendText = (id: number, text: string, contextId: string | undefined, configuration?: object): string =>
	JSON.stringify({
		jsonrpc: "2.0",
		id,
		method: "SendMessage",
		params: { ...message(text, contextId === undefined ? {} : { contextId }), ...(configuration ? { configuration } : {}) },
	});

const ANSWER = Buffer.from('{"jsonrpc":"2.0","id":1,');
const ERROR = Buffer.from('"error"');
const COMPLETED = Buffer.from("TASK_STATE_COMPLETED");
const STATUS = Buffer.from('"statusUpdate"');

/**
 * Says one thing and waits for the reply's last frame: the answer to the call, and the event that the task has ended, whichever
 * comes last. Resolves with the call's answer.
 */
export function turn(client: WsClient, text: string, contextId?: string): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		let answer: Buffer | undefined;
		let ended = false;
		client.hear = (frame) => {
			if (frame.subarray(0, ANSWER.length).equals(ANSWER)) {
				answer = frame;
				if (frame.subarray(0, ANSWER.length + ERROR.length).includes(ERROR)) reject(new Error(frame.toString("utf8")));
			} else {
				ended ||= frame.includes(STATUS) && frame.includes(COMPLETED);
			}
			if (answer && ended) resolve(answer);
		};
		client.send(sendText(1, text, contextId));
	});
}

/** Somebody who chats: turn after turn, and from time to time a new conversation. */
export class Visitor {
	private contextId: string | undefined;
	private turns = 0;

	constructor(private readonly client: WsClient) {}

	/** Asks, and waits for the reply's last frame. */
	async ask(): Promise<void> {
		const answer = await turn(this.client, "echo hello", this.contextId);
		if (++this.turns % TURNS_EACH === 0) this.leave();
		else this.contextId ??= (JSON.parse(answer.toString("utf8")) as { result: { task: { contextId: string } } }).result.task.contextId;
	}

	/** A socket follows no more than so many; what is left is followed no longer. */
	private leave(): void {
		this.client.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "Unfollow", params: { contextId: this.contextId } }));
		this.contextId = undefined;
	}

	end(): void {
		this.client.end();
	}
}
