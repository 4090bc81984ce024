/**
 * What every client asked for and how it ended, in the order in which it was known (reliability.md 5.2). `info` is an attempt of
 * which nobody knows what became: it must turn out to be there once or not at all. Kept in memory, and in a file for a person.
 */
import { createWriteStream, type WriteStream } from "node:fs";

/** One message of one client, however often it was sent. */
export interface Sending {
	client: string;
	messageId: string;
	text: string;
	/** Milliseconds on this process's clock. */
	invokedAt: number;
	/** Attempts that nobody answered. */
	unknown: number;
	/** Refusals that said to come back, and those that did not. */
	refusals: { code: string; afterMs: number; retry: boolean }[];
	ack?: { taskId: string; contextId: string; afterMs: number };
	/** Another task that it was given when it was sent again. */
	doubled?: string;
	/** Its client gave it up. */
	failed?: string;
}

export class History {
	readonly sendings: Sending[] = [];
	private readonly file: WriteStream | undefined;

	constructor(readonly path?: string) {
		this.file = path === undefined ? undefined : createWriteStream(path);
	}

	invoke(client: string, messageId: string, text: string): Sending {
		const sending: Sending = { client, messageId, text, invokedAt: Date.now(), unknown: 0, refusals: [] };
		this.sendings.push(sending);
		this.write("invoke", sending, { text });
		return sending;
	}

	ok(sending: Sending, taskId: string, contextId: string): void {
		sending.ack = { taskId, contextId, afterMs: Date.now() - sending.invokedAt };
		this.write("ok", sending, { taskId, contextId });
	}

	info(sending: Sending, why: string): void {
		sending.unknown++;
		this.write("info", sending, { why });
	}

	/** Refused: it was not done. `retry`: it may be sent again. */
	refused(sending: Sending, code: string, retry: boolean): void {
		sending.refusals.push({ code, afterMs: Date.now() - sending.invokedAt, retry });
		this.write("refused", sending, { code, retry });
	}

	fail(sending: Sending, why: string): void {
		sending.failed = why;
		this.write("fail", sending, { why });
	}

	/** Sent again after its acknowledgement, it was another message. */
	twice(sending: Sending, taskId: string): void {
		sending.doubled = taskId;
		this.write("twice", sending, { taskId });
	}

	/** Something that happened to the server. */
	event(what: string): void {
		this.file?.write(`${JSON.stringify({ at: Date.now(), what })}\n`);
	}

	get acked(): Sending[] {
		return this.sendings.filter((s) => s.ack);
	}

	private write(type: string, { client, messageId }: Sending, more: object): void {
		this.file?.write(`${JSON.stringify({ at: Date.now(), type, client, messageId, ...more })}\n`);
	}
}
