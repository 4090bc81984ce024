/**
 * One client of the desk, as a careful program would be one: a message that nobody acknowledged is sent again under the same id
 * until somebody does, a socket that closed is opened again, a stream that broke off is taken up. It keeps all that it was shown.
 */
import type { Task as AnyTask } from "../../shared/a2a.schema.js";
import type { EventsResult, LogEvent } from "../../shared/channel.js";
import { isTerminal } from "../../shared/task-states.js";
import type { Seeded } from "../seeded.js";
import type { History, Sending } from "./history.js";
import { Line } from "./line.js";
import { pause } from "./time.js";
import { Away, Http, Refusal, Unknown } from "./transport.js";

/** A task as this desk gives it: always in a context. */
export type Task = AnyTask & { contextId: string };

/** `socket`: sends and reads over one socket · `rpc`, `rest`: sends at once · `wait`: waits for the answer in its request · `stream`: over SSE · `poll`: reads with Events. */
export const KINDS = ["socket", "rpc", "rest", "wait", "stream", "poll"] as const;
export type Kind = (typeof KINDS)[number];

export interface VisitorOptions {
	name: string;
	kind: Kind;
	/** Number of its address: 127.0.x.y. */
	number: number;
	port: () => number | undefined;
	history: History;
	random: Seeded;
	/** How many of its messages it sends once more although they were acknowledged, as if it had not heard. */
	repeats?: number;
}

/** An event of a task's stream, with the number under which it stands in the log. */
export interface Streamed {
	taskId: string;
	contextId: string;
	seq: number;
	event: Record<string, unknown>;
}

/** How long one message is sent again and again. */
const PERSIST_MS = 240_000;

export class Visitor {
	readonly name: string;
	readonly kind: Kind;
	/** The conversation that it goes on with; undefined before its first message was acknowledged. */
	contextId: string | undefined;
	/** Events of its conversation in the order in which they came. */
	readonly seen: LogEvent[] = [];
	readonly streamed: Streamed[] = [];
	readonly closes: { code: number; bye: boolean }[] = [];
	readonly http: Http;
	readonly line: Line;
	private readonly streams = new Set<Promise<void>>();
	private left = false;
	private count = 0;

	constructor(private readonly options: VisitorOptions) {
		const { name, kind, number, port, random } = options;
		this.name = name;
		this.kind = kind;
		const localAddress = `127.0.${1 + Math.floor(number / 200)}.${1 + (number % 200)}`;
		this.line = new Line({
			port,
			localAddress,
			random,
			nonce: `nonce of ${name} ${process.pid} ${Date.now()}`,
			held: () => (this.kind === "socket" && this.contextId !== undefined ? [{ contextId: this.contextId, after: this.head }] : []),
			onEvent: (event) => this.keep(event),
			onClosed: (code, bye) => this.closes.push({ code, bye }),
		});
		this.http = new Http(port, localAddress, () => this.line.token);
	}

	/** Highest number that it holds. */
	get head(): number {
		return this.seen.at(-1)?.seq ?? 0;
	}

	private keep(event: LogEvent): void {
		if (this.kind === "socket" || this.kind === "poll") {
			if (this.contextId === undefined || event.contextId === this.contextId) this.seen.push(event);
		}
	}

	/** Becomes somebody: a guest with a token. Only those who read over it keep the socket. */
	async arrive(): Promise<void> {
		await this.line.connect();
		if (this.kind === "poll") void this.poll();
	}

	/** Sends a message until it is acknowledged. Rejects where it is refused for good or nobody answers for too long. */
	async say(text: string, metadata?: object): Promise<Sending> {
		const { history, random, name } = this.options;
		const messageId = `${name}-${++this.count}`;
		const message = {
			messageId,
			role: "ROLE_USER",
			parts: [{ text }],
			...(this.contextId === undefined ? {} : { contextId: this.contextId }),
			...(metadata === undefined ? {} : { metadata }),
		};
		const sending = history.invoke(name, messageId, text);
		const end = Date.now() + PERSIST_MS;
		for (;;) {
			try {
				const { id, contextId } = await this.send(message);
				history.ok(sending, id, contextId);
				this.contextId ??= contextId;
				if (random.chance(this.options.repeats ?? 0)) await this.repeat(message, sending);
				return sending;
			} catch (error) {
				const again = error instanceof Unknown || (error instanceof Refusal && error.retry);
				if (error instanceof Refusal) history.refused(sending, error.code, error.retry);
				else if (!(error instanceof Away)) history.info(sending, String(error));
				if (!again || Date.now() > end || this.left) {
					history.fail(sending, String(error));
					throw error;
				}
				await pause(20 + random.int(200));
			}
		}
	}

	/** The same message again is the same task (G-03). That this try may be lost is no matter. */
	private async repeat(message: object, sending: Sending): Promise<void> {
		try {
			const { id } = await this.send(message);
			if (id !== sending.ack?.taskId) this.options.history.twice(sending, id);
		} catch (error) {
			if (error instanceof Refusal && !error.retry) this.options.history.refused(sending, error.code, false);
		}
	}

	/** Sends once; the task that the message belongs to. */
	private async send(message: object): Promise<Pick<Task, "id" | "contextId">> {
		const now = { message, configuration: { returnImmediately: true } };
		switch (this.kind) {
			case "socket":
				return (await this.line.call<{ task: Task }>("SendMessage", now)).task;
			case "rpc":
			case "poll":
				return (await this.http.rpc<{ task: Task }>("SendMessage", now)).task;
			case "rest":
				return (await this.http.rest<{ task: Task }>("POST", "/message:send", now)).task;
			case "wait":
				return (await this.http.rpc<{ task: Task }>("SendMessage", { message })).task;
			case "stream":
				return await this.sendAndFollow(message);
		}
	}

	private async sendAndFollow(message: object): Promise<Pick<Task, "id" | "contextId">> {
		const stream = this.http.stream("POST", "/message:stream", { message });
		const first = await stream.next();
		if (first.done) throw new Unknown("the stream ended before its first event");
		const task = first.value.event.task as Task;
		const following = this.follow(task, stream).finally(() => this.streams.delete(following));
		this.streams.add(following);
		return task;
	}

	/** Reads a task's stream to its end, however often it breaks off. */
	private async follow({ id, contextId }: Task, first: ReturnType<Http["stream"]>): Promise<void> {
		let stream = first;
		while (!this.left) {
			try {
				for await (const { seq, event } of stream) {
					if ("task" in event) {
						if (isTerminal((event.task as Task).status.state)) return;
						continue;
					}
					this.streamed.push({ taskId: id, contextId, seq, event });
					const { statusUpdate } = event as { statusUpdate?: { status: Task["status"] } };
					if (statusUpdate && isTerminal(statusUpdate.status.state)) return;
				}
			} catch (error) {
				// It has ended meanwhile: there is nothing left to follow.
				if (error instanceof Refusal && error.code === "UNSUPPORTED_OPERATION") return;
			}
			await pause(20 + this.options.random.int(200));
			stream = this.http.stream("GET", `/tasks/${id}:subscribe`);
		}
	}

	private async poll(): Promise<void> {
		while (!this.left) {
			try {
				if (this.contextId === undefined) await pause(20);
				else {
					const { events } = await this.line.call<EventsResult>("Events", { contextId: this.contextId, after: this.head, waitMs: 1_000 });
					for (const event of events) this.keep(event);
				}
			} catch {
				await pause(20 + this.options.random.int(100));
			}
		}
	}

	/** The state of a task, as the desk says it. */
	async task(id: string): Promise<Task> {
		for (let tries = 0; ; tries++) {
			try {
				return await this.http.rpc<Task>("GetTask", { id });
			} catch (error) {
				if (error instanceof Refusal ? !error.retry : tries >= 50) throw error;
				await pause(100);
			}
		}
	}

	/** Streams that it still reads. */
	get streaming(): number {
		return this.streams.size;
	}

	leave(): void {
		this.left = true;
		this.line.close();
		this.http.close();
	}
}
