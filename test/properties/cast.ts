/**
 * Who plays in T-TAINT and how they ask: eight principals at two desks of one server, each with words and ids that nobody else may ever
 * see, over every binding. What comes back to somebody, whatever it is, is looked at by a `Watch`, which knows whose every mark is.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as startTimer } from "node:timers";
import type { Answerer, Turn } from "../../server/engine/ports.js";
import { CHAT_METHODS } from "../../shared/channel.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { openTestDesk, type TestDesk, type TestDeskOptions } from "../desk.js";
import { restRequest } from "../interop/bindings.js";
import { WIDE_LIMITS } from "../limits.js";
import { type Client, dial } from "../socket/client.js";

export const DESKS = ["mira", "juno"] as const;
export type DeskName = (typeof DESKS)[number];

export const BINDINGS = ["JSON-RPC", "HTTP+JSON", "WebSocket"] as const;
export type BindingName = (typeof BINDINGS)[number];

export interface Player {
	number: number;
	name: string;
	/** Where it is somebody: a guest at its own desk, an account at any, nobody nowhere. */
	at: readonly DeskName[];
	credential?: string;
	/** The session of an owner, whose page shows one desk. */
	session?: { cookie: string; desk: DeskName };
	tasks: { id: string; contextId: string; desk: DeskName; message: Record<string, unknown> }[];
	/** Ids of all tasks it has at each desk. */
	made: Map<DeskName, Set<string>>;
	pageTokens: { token: string; desk: DeskName }[];
	/** Marks of others that it has itself put into what it said: they come back to it. */
	knows: Set<string>;
	sockets: Map<DeskName, Client>;
}

/** What came back, as far as the one who asked can tell it from another answer. */
export interface Answer {
	status: number;
	headers: string[];
	body: string;
}

/** What is answered at all is answered within this. */
const DEADLINE_MS = 10_000;
const after = (ms: number): Promise<undefined> => new Promise((resolve) => void startTimer(() => resolve(undefined), ms).unref());

const MARK = /canary-\d+-\d+|(?:tsk|ctx|msg|gst|acc|key|trn|clm)_[0-9a-hj-kmnp-tv-z]{26}|eol[gc]_[\w.-]+/g;

/** Whose every word and id is. What is not known belongs to the first who sees it. */
export class Watch {
	readonly findings: string[] = [];
	/** Marks of their own that came back to their owners: none would mean that nothing was looked at. */
	seen = 0;
	private readonly owners = new Map<string, string>();
	/** Where each word was said. */
	private readonly desks = new Map<string, Set<string>>();
	private made = 0;

	/** A new word of somebody's, said at a desk. */
	canary(owner: string, number: number, desk: DeskName): string {
		const canary = `canary-${number}-${++this.made}`;
		this.owners.set(canary, owner);
		this.said(canary, desk);
		return canary;
	}

	/** The same word is said at a desk, whoever's it is. */
	said(canary: string, desk: DeskName): void {
		this.desks.set(canary, (this.desks.get(canary) ?? new Set()).add(desk));
	}

	own(owner: string, mark: string): void {
		this.owners.set(mark, owner);
	}

	ownerOf(mark: string): string | undefined {
		return this.owners.get(mark);
	}

	/** Looks at everything that somebody was given. */
	look(who: string, knows: ReadonlySet<string>, text: string, where: string): void {
		for (const [mark] of text.matchAll(MARK)) {
			const owner = this.owners.get(mark);
			if (owner === undefined) this.owners.set(mark, who);
			else if (owner === who) this.seen++;
			else if (!knows.has(mark)) this.findings.push(`${who} was shown ${mark} of ${owner}: ${where}`);
		}
	}

	/** An owner's page shows what was said at their desk, and no other. */
	lookAtDesk(desk: DeskName, text: string): void {
		for (const [mark] of text.matchAll(/canary-\d+-\d+/g)) {
			if (!this.desks.get(mark)?.has(desk)) this.findings.push(`the page of ${desk}'s owner shows ${mark}, which was not said there`);
			else this.seen++;
		}
	}
}

/** Tells whoever asks everything that it was told: what it heard, what was said before, what is noted. So whatever it should not know comes out. */
class Gossip implements Answerer {
	readonly name = "gossip";
	readonly inProcess = true;
	readonly maySilence = false;
	private readonly held = new Set<() => void>();
	private over = false;

	async *answer(turn: Turn, signal: AbortSignal) {
		const words = (messages: Turn["incoming"]): string =>
			messages
				.filter(({ from }) => from === "visitor")
				.map(({ message }) => message.parts.map((part) => part.text ?? "").join(" "))
				.join(" ");
		const heard = words(turn.incoming);
		const notes = (await turn.memory()).map(({ text }) => text).join(" ");
		yield { type: "gap" as const, question: heard };
		yield { type: "text" as const, text: `Heard: ${heard}. Before: ${words(turn.history).slice(-2_000)}. Notes: ${notes}.` };
		yield {
			type: "artifact" as const,
			artifactId: "metadata",
			parts: [{ data: turn.incoming.map(({ message }) => message.metadata ?? null) }],
		};
		if (heard.includes("hold") && !this.over) {
			await new Promise<void>((resolve) => {
				this.held.add(resolve);
				signal.addEventListener("abort", () => resolve());
			});
		}
		yield { type: "reply" as const, asks: heard.includes("ask") };
	}

	/** Lets everything end that was held. */
	release(): void {
		this.over = true;
		for (const resolve of this.held) resolve();
	}
}

/** How somebody is known to the watch: nobody is somebody else each time. */
let nobodies = 0;
export const identityOf = (player: Player): string => (player.at.length === 0 ? `${player.name} ${++nobodies}` : player.name);

export class Cast {
	private lastId = 0;
	private constructor(
		readonly desk: TestDesk,
		readonly url: string,
		readonly watch: Watch,
		readonly players: readonly Player[],
		private readonly gossip: Gossip,
		private readonly clientDir: string,
	) {}

	static async open(options: Pick<TestDeskOptions, "driver" | "workerUrl"> = {}): Promise<Cast> {
		const gossip = new Gossip();
		const clientDir = await mkdtemp(join(tmpdir(), "client-"));
		await mkdir(join(clientDir, "assets"));
		await writeFile(join(clientDir, "embed.js"), "0");
		await writeFile(join(clientDir, "assets/chat.js"), "0");
		const desk = await openTestDesk({ ...options, answerer: gossip, clientDir, config: { limits: WIDE_LIMITS } });
		const { engine } = desk;
		for (const handle of ["juno", "kai", "lena"]) await engine.owner.createOwner({ handle, name: handle });
		await engine.owner.changeSettings("juno", { apiKey: true });
		for (const handle of DESKS) await engine.owner.setSite(handle, "https://shop.example", "allowed");
		const { url } = await desk.serve();
		const watch = new Watch();
		const players: Player[] = [];
		const player = async (name: string, at: readonly DeskName[], credential?: string, session?: Player["session"]): Promise<void> => {
			const made: Player = {
				number: players.length,
				name,
				at,
				credential,
				session,
				tasks: [],
				made: new Map(),
				pageTokens: [],
				knows: new Set(),
				sockets: new Map(),
			};
			players.push(made);
			if (credential === undefined) return;
			watch.own(name, credential);
			for (const handle of at) {
				const found = await engine.desk(handle);
				const principal = found && (await engine.identify(credential, found));
				if (!principal) throw new Error(`${name} is nobody at ${handle}`);
				watch.own(name, principal.uid);
				await engine.owner.putMemory(handle, `people/${principal.uid}.md`, `Note of ${name}: ${watch.canary(name, made.number, handle)}`);
			}
		};
		const guest = async (name: string, at: DeskName): Promise<void> => {
			const found = await engine.desk(at);
			if (found) await player(name, [at], (await engine.welcomeGuest(found, `the nonce of ${name}`)).token);
		};
		for (const handle of DESKS) {
			const session = await engine.owner.signIn(await engine.owner.createSignIn(handle));
			await player(`owner of ${handle}`, DESKS, await engine.owner.createKey(handle, "key"), {
				cookie: `eol_session=${session}`,
				desk: handle,
			});
		}
		await guest("first guest", "mira");
		await guest("second guest", "mira");
		await guest("third guest", "juno");
		for (const handle of ["kai", "lena"]) await player(`key of ${handle}`, DESKS, await engine.owner.createKey(handle, "key"));
		await player("nobody", []);
		return new Cast(desk, url, watch, players, gossip, clientDir);
	}

	/** An HTTP request as it comes. */
	async http(path: string, init: RequestInit & { headers?: Record<string, string> }, stop = false): Promise<Answer> {
		const abort = new AbortController();
		const response = await fetch(this.url + path, { ...init, redirect: "manual", signal: abort.signal });
		const headers = [...response.headers].filter(([name]) => name !== "date").map(([name, value]) => `${name}: ${value}`);
		if (!stop || response.headers.get("content-type") !== "text/event-stream")
			return { status: response.status, headers, body: await response.text() };
		const reader = (response.body as ReadableStream<Uint8Array>).getReader();
		let body = "";
		while (!body.includes("\n\n")) {
			const { done, value } = await reader.read();
			if (done) break;
			body += new TextDecoder().decode(value);
		}
		abort.abort();
		return { status: response.status, headers, body };
	}

	private credentialsOf(player: Player, desk: DeskName): Record<string, string> {
		if (player.credential === undefined) return {};
		return player.name === "key of lena" && desk === "juno"
			? { "x-api-key": player.credential }
			: { authorization: `Bearer ${player.credential}` };
	}

	/** One call over one binding, at one of the addresses that mean the same. `stop`: the answer is a stream, of which the first event is enough. */
	async ask(
		player: Player,
		binding: BindingName,
		desk: DeskName,
		method: string,
		params: Record<string, unknown>,
		options: { alias?: number; stop?: boolean } = {},
	): Promise<Answer> {
		const headers = { "content-type": "application/json", "a2a-version": "1.0", ...this.credentialsOf(player, desk) };
		const { alias = 0, stop = false } = options;
		if (binding === "HTTP+JSON") {
			const { verb, path, body } = restRequest(method, params);
			const base = alias % 2 === 0 ? `/a2a/${desk}` : `/a2a/${desk}/${desk}`;
			return await this.http(`${base}/${path}`, { method: verb, headers, ...(body === undefined ? {} : { body }) }, stop);
		}
		if (binding === "JSON-RPC") {
			const path = ["/a2a/", `/a2a/${desk}`, `/a2a/${desk}/`, `/a2a/${desk}/${desk}`][alias % 4] as string;
			const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: path === "/a2a/" ? { tenant: desk, ...params } : params });
			return await this.http(path, { method: "POST", headers, body }, stop);
		}
		const client = await this.socket(player, desk);
		const id = `call ${++this.lastId}`;
		const from = client.frames.length;
		client.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
		// A stream answers at its end: its first event is one of the followed context, and whatever comes is looked at anyway.
		if (stop) return { status: 0, headers: [], body: "" };
		const frame = await Promise.race([client.find((f) => f.id === id, from), after(DEADLINE_MS)]);
		return { status: 0, headers: [], body: frame ? JSON.stringify({ ...frame, id: 1 }) : "no answer" };
	}

	dial(desk: DeskName): Promise<Client> {
		return dial({ port: Number(new URL(this.url).port), handle: desk });
	}

	/** The socket of somebody at a desk. Every frame of it is looked at, whatever it came for. */
	async socket(player: Player, desk: DeskName): Promise<Client> {
		const open = player.sockets.get(desk);
		if (open) return open;
		const client = await this.dial(desk);
		client.socket.on("message", (data) => this.watch.look(player.name, player.knows, String(data), `a frame at ${desk}`));
		await client.hello({ credential: player.credential, new: true, extensions: [EXTENSIONS.chat] });
		player.sockets.set(desk, client);
		return client;
	}

	async close(): Promise<void> {
		this.gossip.release();
		for (const player of this.players) for (const client of player.sockets.values()) client.socket.terminate();
		await this.desk.close();
		await rm(this.clientDir, { recursive: true, force: true });
	}
}

/** The methods that only sockets have, and which of their params are wanted beside the context. */
export const OF_SOCKETS: Record<string, (contextId: string) => Record<string, unknown>> = {
	Events: (contextId) => ({ contextId, after: 0 }),
	History: (contextId) => ({ contextId, before: 1_000 }),
	Follow: (contextId) => ({ contextId, after: 0 }),
	Unfollow: (contextId) => ({ contextId }),
	[CHAT_METHODS.typing]: (contextId) => ({ contextId }),
	[CHAT_METHODS.seen]: (contextId) => ({ contextId, seq: 1 }),
};
