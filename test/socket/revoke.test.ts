/**
 * T-REVOKE (reliability.md G-20): whoever is shut out, as a key, a guest, a site or an embed, hears nothing that is said a second
 * later, on none of many sockets, while everybody else hears all of it; and is not let in again. Time is the injected clock's, and
 * what is said carries in its words whether it was said in time: no real clock is looked at. The same at another node: `revoke-nodes.test.ts`.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { a2aDoor } from "../../server/a2a/door.js";
import type { Desk, Engine } from "../../server/engine/engine.js";
import { WIDE_LIMITS } from "../limits.js";
import { type Client, dial, message, Refused } from "./client.js";
import { type Crier, crier } from "./crier.js";
import { type Attached, attach, openSocketDesk, type SocketDesk, settle } from "./open.js";

const KINDS = ["key", "guest", "site", "embed"] as const;
type Kind = (typeof KINDS)[number];

interface Group {
	clients: Client[];
	/** Hello of one more of them. */
	come(): Promise<Client>;
}

let made = 0;

/** Sockets of every kind that can be shut out, and of everybody who stands beside them and must stay. */
class World {
	private constructor(
		private readonly desk: SocketDesk,
		private readonly answerer: Crier,
		readonly groups: Record<Kind, Group>,
		readonly others: Group[],
		private readonly shut: Record<Kind, () => Promise<void>>,
	) {}

	static async open(desk: SocketDesk, answerer: Crier, there: Pick<Attached, "port" | "handle">, size: number): Promise<World> {
		const { engine, handle } = desk;
		const { owner } = engine;
		const row = (await engine.desk(handle)) as Desk;
		const name = ++made;
		const [site, otherSite] = [`https://shop${name}.example`, `https://blog${name}.example`];
		for (const one of [site, otherSite]) await owner.setSite(handle, one, "allowed");
		const [embed, otherEmbed] = [await owner.saveEmbed(handle, { mode: "pet" }), await owner.saveEmbed(handle, { mode: "pet" })];
		const [key, otherKey] = [await owner.createKey(handle, `key ${name}`), await owner.createKey(handle, `other ${name}`)];
		const keyUid = (await owner.keys(handle)).find((k) => k.name === `key ${name}`)?.uid as string;
		let guestUid = "";

		/** One principal, one conversation in which somebody speaks, as many sockets as are wanted. */
		const group = async (count: number, come: { credential?: string; ticket?: () => string }): Promise<Group & { you: string }> => {
			const first = await dial(there);
			const { you, guestToken } = await first.hello({
				...(come.credential === undefined ? {} : { credential: come.credential }),
				...(come.ticket ? { ticket: come.ticket() } : {}),
				new: true,
			});
			const credential = come.credential ?? (guestToken as string);
			const { task } = await first.call<{ task: { contextId: string } }>("SendMessage", {
				...message(`m${name}`, "Tell me everything"),
				configuration: { returnImmediately: true },
			});
			const follow = [{ contextId: task.contextId, after: 0 }];
			const one = async (): Promise<Client> => {
				const client = await dial(there);
				await client.hello({ credential, follow, ...(come.ticket ? { ticket: come.ticket() } : {}) });
				return client;
			};
			const clients = [first];
			while (clients.length < count)
				clients.push(...(await Promise.all(Array.from({ length: Math.min(20, count - clients.length) }, one))));
			return { clients, come: one, you: you.id };
		};
		const ticket = (at: string | null, number?: number) => () => engine.embed.issueTicket(row, at, number);

		const guest = await group(size, {});
		guestUid = guest.you;
		const few = Math.max(1, Math.round(size / 5));
		return new World(
			desk,
			answerer,
			{
				key: await group(size, { credential: key }),
				guest,
				site: await group(size, { ticket: ticket(site) }),
				embed: await group(size, { ticket: ticket(otherSite, embed.number) }),
			},
			[
				await group(few, { credential: otherKey }),
				await group(few, {}),
				await group(few, { ticket: ticket(otherSite) }),
				await group(few, { ticket: ticket(otherSite, otherEmbed.number) }),
				await group(few, { ticket: ticket(null) }),
			],
			{
				key: () => owner.revokeKey(handle, keyUid),
				guest: () => owner.revokeGuest(handle, guestUid),
				site: async () => void (await owner.setSite(handle, site, "blocked")),
				embed: () => owner.deleteEmbed(handle, embed.number),
			},
		);
	}

	/** Shuts somebody out while everybody is spoken to. Gives what is wrong afterwards, as sentences. */
	async revoke(kind: Kind): Promise<string[]> {
		const { clock } = this.desk;
		const say = async (words: string): Promise<void> => {
			this.answerer.cry(words);
			clock.turn(50);
			await settle();
		};
		await say("in time. ");
		await this.shut[kind]();
		// One second, in which what was on its way may still arrive.
		for (let i = 0; i < 20; i++) await say("in time. ");
		const late = `late after ${kind}. `;
		for (let i = 0; i < 5; i++) await say(late);
		const end = `the end of ${kind}. `;
		this.answerer.cry(end);
		// The others have heard all of it: so has everybody who hears at all.
		await Promise.all(
			this.others
				.flatMap(({ clients }) => clients)
				.map(async (client) => {
					const heard = client.until(() => hears(client, end));
					let done = false;
					void heard.then(
						() => (done = true),
						() => (done = true),
					);
					while (!done) {
						clock.turn(10);
						await settle();
					}
					await heard;
				}),
		);
		await settle();
		const { clients } = this.groups[kind];
		const deaf = clients.filter((client) => client.socket.readyState !== client.socket.OPEN && !hears(client, late) && !hears(client, end));
		const wrong = deaf.length === clients.length ? [] : [`${clients.length - deaf.length} of ${clients.length} sockets by ${kind} hear on`];
		return [...wrong, ...(await this.comeBack(kind))];
	}

	/** Those that come again with what they had: a new guest may, the old conversation is nobody's. */
	private async comeBack(kind: Kind): Promise<string[]> {
		const client = await this.groups[kind].come().catch((error: unknown) => {
			if (!(error instanceof Refused)) throw error;
			return undefined;
		});
		if (!client) return [];
		const { result } = await client.find((f) => f.result !== undefined);
		const { following, you } = result as { following: unknown[]; you: { kind: string } };
		await client.close();
		return following.length === 0 && kind === "guest" && you.kind === "guest" ? [] : [`whoever was shut out by ${kind} is let in again`];
	}

	/** Others that were cut too. */
	cutAmongOthers(): number {
		return this.others.flatMap(({ clients }) => clients).filter(({ socket }) => socket.readyState !== socket.OPEN).length;
	}

	get size(): number {
		return [...Object.values(this.groups), ...this.others].flatMap(({ clients }) => clients).length;
	}

	close(): void {
		for (const { clients } of [...Object.values(this.groups), ...this.others]) for (const { socket } of clients) socket.terminate();
	}
}

const hears = (client: Client, words: string): boolean => client.frames.some((frame) => JSON.stringify(frame).includes(words));

const answerer = crier();
let desk: SocketDesk;
let world: World | undefined;
beforeAll(async () => {
	desk = await openSocketDesk({ answerer, limits: WIDE_LIMITS });
});
afterAll(async () => {
	answerer.hush();
	await desk.close();
});
afterEach(() => world?.close());

interface Stream {
	text: string;
	ended: Promise<void>;
	leave(): void;
}

/** Twenty event streams that follow one task of somebody's. */
async function streamsOf(credential: string): Promise<Stream[]> {
	const rpc = (method: string, params: object, signal?: AbortSignal) =>
		fetch(`${desk.url}/a2a/mira`, {
			method: "POST",
			headers: { "content-type": "application/json", "a2a-version": "1.0", authorization: `Bearer ${credential}` },
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
			...(signal ? { signal } : {}),
		});
	const sent = await rpc("SendMessage", { ...message(`m${++made}`, "Tell me"), configuration: { returnImmediately: true } });
	const { result } = (await sent.json()) as { result: { task: { id: string } } };
	const follow = async (): Promise<Stream> => {
		const leaving = new AbortController();
		const { body } = await rpc("SubscribeToTask", { id: result.task.id }, leaving.signal);
		const decoder = new TextDecoder();
		const stream: Stream = { text: "", ended: Promise.resolve(), leave: () => leaving.abort() };
		stream.ended = (async () => {
			for await (const chunk of body ?? []) stream.text += decoder.decode(chunk as Uint8Array, { stream: true });
		})();
		stream.ended.catch(() => undefined);
		return stream;
	};
	return await Promise.all(Array.from({ length: 20 }, follow));
}

describe("of 500 sockets", () => {
	it("those that are shut out hear nothing a second later, whoever they are, and all others hear on", async () => {
		world = await World.open(desk, answerer, desk, 100);
		expect(world.size).toBe(500);
		for (const kind of KINDS) expect(await world.revoke(kind)).toEqual([]);
		expect(world.cutAmongOthers()).toBe(0);
	}, 120_000);

	it("none is alone: event streams of who is shut out end as well, and others' go on, those by another key of the account too", async () => {
		const { owner } = desk.engine;
		const row = (await desk.engine.desk("mira")) as Desk;
		const [key, otherKey] = [await owner.createKey("mira", "streams"), await owner.createKey("mira", "other streams")];
		const [guest, other] = await Promise.all([1, 2].map((n) => desk.engine.welcomeGuest(row, `a nonce of streams ${n}`)));
		const gone = [await streamsOf(key), await streamsOf(guest?.token as string)].flat();
		const kept = [await streamsOf(other?.token as string), await streamsOf(otherKey)].flat();
		const heard = async (words: string): Promise<void> => {
			answerer.cry(words);
			while (!kept.every(({ text }) => text.includes(words))) {
				desk.clock.turn(10);
				await settle();
			}
		};
		await heard("in time to all. ");
		const keyUid = (await owner.keys("mira")).find((k) => k.name === "streams")?.uid as string;
		await owner.revokeKey("mira", keyUid);
		await owner.revokeGuest("mira", guest?.principal.uid as string);
		for (let i = 0; i < 20; i++) {
			desk.clock.turn(50);
			await settle();
		}
		await heard("late to some. ");
		for (const stream of gone) {
			await stream.ended;
			expect(stream.text).toContain("in time to all.");
			expect(stream.text).not.toContain("late to some.");
		}
		for (const stream of kept) stream.leave();
	});

	it("none is an event stream that was about to be opened", async () => {
		const { engine, config } = desk;
		const row = (await engine.desk("mira")) as Desk;
		const { principal, token } = await engine.welcomeGuest(row, "a nonce of one who is late");
		const [first] = await streamsOf(token);
		first?.leave();
		let reached: () => void = () => undefined;
		let letIn: () => void = () => undefined;
		const known = new Promise<void>((resolve) => (reached = resolve));
		const held = new Promise<void>((resolve) => (letIn = resolve));
		const door = a2aDoor({
			engine: {
				...engine,
				// Whose the token is was found out while it was still good.
				async identify(...who) {
					const found = await engine.identify(...who);
					reached();
					await held;
					return found;
				},
			},
			config,
			log: () => undefined,
			version: "1",
		});
		const headers = { "content-type": "application/json", "a2a-version": "1.0", authorization: `Bearer ${token}` };
		const { tasks } = (await (await desk.app.request("/a2a/mira/tasks", { headers })).json()) as { tasks: { id: string }[] };
		const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: tasks[0]?.id } });
		const opening = door.request("/a2a/mira", { method: "POST", headers, body });
		await known;
		await engine.owner.revokeGuest("mira", principal.uid);
		letIn();
		const text = await (await opening).text();
		expect(text).toContain("UNAUTHENTICATED");
	});

	it("none speaks by an owner's session, so that none outlives it", async () => {
		const { owner } = desk.engine;
		const session = (await owner.signIn(await owner.createSignIn("mira"))) as string;
		const cookie = `eol_session=${session}; __Host-eol_session=${session}`;
		const client = await dial(desk, { headers: { cookie } });
		expect((await client.hello()).you.kind).toBe("guest");
		await client.close();
		await owner.signOut(session);
		expect((await desk.app.request("/agent", { headers: { cookie } })).status).toBe(401);
	});
});

describe("a server that is broken", () => {
	const known = new Map<string, unknown>();
	const BROKEN: Record<string, { engine: (engine: Engine) => Engine; found: Kind[] }> = {
		"is told of nobody who is shut out": {
			engine: (engine) => ({ ...engine, onShutOut: () => () => undefined }),
			found: ["key", "guest", "site", "embed"],
		},
		"is told of principals alone": {
			engine: (engine) => ({ ...engine, onShutOut: (tell) => engine.onShutOut((who) => who.principalId !== undefined && tell(who)) }),
			found: ["site", "embed"],
		},
		"remembers who came by which credential": {
			engine: (engine) => ({
				...engine,
				async identify(credential, at) {
					const who = (known.get(credential) ?? (await engine.identify(credential, at))) as Awaited<ReturnType<Engine["identify"]>>;
					known.set(credential, who);
					return who;
				},
			}),
			found: ["key", "guest"],
		},
		"looks at no site's rule": {
			engine: (engine) => ({ ...engine, embed: { ...engine.embed, check: async () => ({ show: true }) } }),
			found: ["site", "embed"],
		},
		"looks at no embed": {
			engine: (engine) => ({ ...engine, embed: { ...engine.embed, check: (at, site) => engine.embed.check(at, site) } }),
			found: ["embed"],
		},
	};

	it.each(Object.entries(BROKEN))("and %s is found out", async (_name, { engine, found }) => {
		const there = await attach(desk, engine(desk.engine));
		try {
			world = await World.open(desk, answerer, there, 5);
			const wrong: Kind[] = [];
			for (const kind of KINDS) if ((await world.revoke(kind)).length > 0) wrong.push(kind);
			expect(wrong).toEqual(found);
		} finally {
			world?.close();
			await there.close();
		}
	});
});
