/**
 * Who asks in the suite of the echo: visitors and agents, each by a door of its own, as browsers and programs really come. Whatever
 * comes back to somebody, headers and frames of open sockets included, is looked at before anything else is done with it.
 */
import { EXTENSIONS } from "../../shared/extensions.js";
import type { TestDesk } from "../desk.js";
import { dial } from "../socket/client.js";
import { type Canaries, only } from "./canaries.js";

export const DOORS = [
	"embed",
	"chat page",
	"JSON-RPC",
	"JSON-RPC stream",
	"HTTP+JSON",
	"HTTP+JSON stream",
	"ask link",
	"ask page",
] as const;
export type Door = (typeof DOORS)[number];
/** The website that carries the embed. */
export const SITE = "https://shop.example";

/** Where they are: a desk that listens, and what watches. */
export interface Place {
	desk: TestDesk;
	port: number;
	canaries: Canaries;
}

export interface Person {
	/** `JSON-RPC 2 at mira`. */
	readonly name: string;
	readonly door: Door;
	readonly handle: string;
	/** Says something and waits until it is answered. `more`: parts and metadata besides the words, where the door takes them. */
	ask(words: string, more?: { parts: object[]; metadata: Record<string, unknown> }): Promise<void>;
	/** Of their last question, where the door tells. */
	context: string;
	task: string;
	/** Id of their principal, where the door tells. */
	uid: string;
	/** A socket that stays open. */
	close(): void;
}

let messages = 0;

abstract class Somebody implements Person {
	context = "";
	task = "";
	uid = "";

	constructor(
		protected readonly place: Place,
		readonly name: string,
		readonly door: Door,
		readonly handle: string,
	) {}

	abstract ask(words: string, more?: { parts: object[]; metadata: Record<string, unknown> }): Promise<void>;
	close(): void {}

	/** A request of theirs; gives the body. */
	protected async read(path: string, init: RequestInit = {}): Promise<{ body: string; headers: Headers }> {
		return await request(this.place, this.name, path, init);
	}

	/** A secret that only they may be shown. */
	protected mine(secret: string | undefined, what: string): string {
		if (!secret) throw new Error(`${this.name} was given no ${what}.`);
		this.place.canaries.guard(secret, `the ${what} of ${this.name}`, only(this.name));
		return secret;
	}

	protected message(words: string, more: { parts: object[]; metadata: Record<string, unknown> } = { parts: [], metadata: {} }) {
		const parts = [{ text: words }, ...more.parts];
		const messageId = `message ${++messages}`;
		return { messageId, role: "ROLE_USER", parts, metadata: more.metadata, ...(this.context ? { contextId: this.context } : {}) };
	}

	protected remember(answer: string): void {
		this.context = /"contextId":"(ctx_\w{26})"/.exec(answer)?.[1] ?? this.context;
		this.task = /"(?:id|taskId)":"(tsk_\w{26})"/.exec(answer)?.[1] ?? this.task;
	}
}

/** Asks for something at an address, as `reader`, who is shown all that comes. */
export async function request({ desk, canaries }: Place, reader: string, path: string, init: RequestInit = {}) {
	const answer = await desk.app.request(path, init);
	// Pictures as well as words: each byte is a character.
	const body = Buffer.from(await answer.arrayBuffer());
	const headers = [...answer.headers].map((line) => line.join(": ")).join("\n");
	canaries.look(
		reader,
		`${headers}\n${body.toString("utf8")}\n${body.toString("latin1")}`,
		`${init.method ?? "GET"} ${path.slice(0, 120)}`,
	);
	return { status: answer.status, body: body.toString("utf8"), headers: answer.headers };
}

/** In the chat, on a website or on its page: the document, its ticket, the socket. */
class Visitor extends Somebody {
	private client: Awaited<ReturnType<typeof dial>> | undefined;

	async come(): Promise<this> {
		const { canaries, port } = this.place;
		const path = this.door === "embed" ? `/@${this.handle}/embed?site=${encodeURIComponent(SITE)}` : `/@${this.handle}/chat`;
		const { body } = await this.read(path);
		const ticket = this.mine(/"ticket":"([^"]+)"/.exec(body)?.[1], "ticket");
		this.client = await dial({ port, handle: this.handle });
		this.client.socket.on("message", (data) => canaries.look(this.name, String(data), "a frame of the socket"));
		const { you, guestToken } = await this.client.hello({ ticket, new: true, extensions: [EXTENSIONS.chat] });
		this.mine(guestToken, "guest's token");
		this.uid = you.id;
		return this;
	}

	async ask(words: string, more?: { parts: object[]; metadata: Record<string, unknown> }): Promise<void> {
		this.remember(JSON.stringify(await this.client?.call("SendMessage", { message: this.message(words, more) })));
	}

	override close(): void {
		this.client?.socket.terminate();
	}
}

/** An agent, over one of the bindings of HTTP, whole or as a stream. Without a key it is a guest. */
class Agent extends Somebody {
	constructor(
		place: Place,
		name: string,
		door: Door,
		handle: string,
		private credential?: string,
	) {
		super(place, name, door, handle);
	}

	async ask(words: string, more?: { parts: object[]; metadata: Record<string, unknown> }): Promise<void> {
		const isStream = this.door.endsWith("stream");
		const params = { message: this.message(words, more) };
		const [path, body] = this.door.startsWith("JSON-RPC")
			? [`/a2a/${this.handle}`, { jsonrpc: "2.0", id: 1, method: isStream ? "SendStreamingMessage" : "SendMessage", params }]
			: [`/a2a/${this.handle}/message:${isStream ? "stream" : "send"}`, params];
		const headers = {
			"content-type": "application/json",
			"a2a-version": "1.0",
			...(this.credential ? { authorization: `Bearer ${this.credential}` } : {}),
		};
		const { body: answer } = await this.read(path, { method: "POST", headers, body: JSON.stringify(body) });
		this.remember(answer);
		this.credential ??= this.mine(/"eolGuestToken":"([^"]+)"/.exec(answer)?.[1], "guest's token");
		const desk = await this.place.desk.engine.desk(this.handle);
		if (desk) this.uid ||= (await this.place.desk.engine.identify(this.credential, desk))?.uid ?? "";
		// What was answered is also there to be read again.
		if (this.task) await this.read(`/a2a/${this.handle}/tasks/${this.task}`, { headers });
	}
}

/** By an address alone: a program that reads text, or somebody's browser. */
class Asker extends Somebody {
	private key = "";

	async ask(words: string): Promise<void> {
		const browser = this.door === "ask page";
		const headers: Record<string, string> = browser ? { accept: "text/html", "sec-fetch-mode": "navigate" } : { accept: "text/markdown" };
		const at = `/@${this.handle}/ask${this.key && `/${this.key}`}`;
		const first = await this.read(`${at}?q=${encodeURIComponent(words)}`, { headers });
		const link = `${first.headers.get("location") ?? ""}\n${first.body}`;
		this.key ||= this.mine(/eolf_[\w-]{43}/.exec(link)?.[0], "private link");
		if (browser) await this.read(`/@${this.handle}/ask/${this.key}`, { headers });
	}
}

/** Somebody who comes by a door. `key`: an account's, for an agent. */
export async function come(place: Place, door: Door, handle: string, number: number, key?: string): Promise<Person> {
	const name = `${door} ${number} at ${handle}`;
	if (door === "embed" || door === "chat page") return await new Visitor(place, name, door, handle).come();
	if (door.startsWith("ask")) return new Asker(place, name, door, handle);
	return new Agent(place, name, door, handle, key);
}
