/**
 * T-REVOKE on two nodes (reliability.md G-20): whoever is shut out by one server loses what they hold open at the other, sockets and event
 * streams, and everybody else keeps it. With hints no time goes by for it; where the hint is lost, at most a second of the injected clock. What is
 * heard is what was said: nobody who was shut out hears what is said later, and whoever stays hears it.
 */
import { Client as Database } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Desk, Engine } from "../../server/engine/engine.js";
import { decides } from "../../server/engine/operations.js";
import { operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { dial } from "./client.js";
import { crier } from "./crier.js";
import { HANDLE, type Node, type Nodes, openNodes } from "./nodes.js";
import { settle } from "./open.js";
import { arrive, type Coming, ended, heardBy, heardByAny, isWhole, leave, type Party } from "./parties.js";

const answerer = crier();
let nodes: Nodes;
let made = 0;

const parties: Party[] = [];
afterEach(() => {
	for (const one of parties.splice(0)) leave(one);
});

const party = async (coming: Partial<Coming>): Promise<Party> => {
	const one = await arrive({ at: [nodes.far], ...coming });
	parties.push(one);
	return one;
};

const owner = (): Engine["owner"] => nodes.near.engine.owner;
const desk = async (node: Node): Promise<Desk> => (await node.engine.desk(HANDLE)) as Desk;
const agent = (more: Partial<Coming> = {}): Promise<Party> => party({ streams: 2, ...more });

async function visitor(site: string | null, number?: number, more: Partial<Coming> = {}): Promise<Party> {
	const { engine } = nodes.far;
	const row = await desk(nodes.far);
	const ticket = engine.embed.issueTicket(row, site, number);
	return await party({ ticket: () => ticket, ...more });
}

/** Says something to everybody; resolves when these have heard it, wherever they hold something open. */
async function say(words: string, to: readonly Party[]): Promise<void> {
	answerer.cry(words);
	while (!to.every((one) => heardBy(one, words))) {
		nodes.clock.turn(10);
		await settle();
		for (const one of to) if (!isWhole(one)) throw new Error(`somebody who was to hear "${words}" was cut`);
	}
}

/** A second goes by, in which the other node gets to do what it does from time to time. */
async function second(): Promise<void> {
	for (let i = 0; i < 10; i++) {
		nodes.clock.turn(100);
		await settle();
		// What it has asked its database before is answered by then.
		await nodes.far.store.read.ready();
	}
}

/** Lets time go by until the other node sees the desk as it is, so that what comes next begins as it should. */
async function farAgrees(): Promise<void> {
	while ((await nodes.near.store.read.deskByHandle(HANDLE))?.settings !== (await desk(nodes.far)).row.settings) await second();
}

/** Opens what there is; `gone` loses it by `act`, which is done at the other node. */
type Open = () => Promise<{ gone: Party[]; stay: Party[]; act: () => Promise<unknown>; undo?: () => Promise<unknown> }>;

const site = (name: string): string => `https://${name}${++made}.example`;
async function allowed(name: string): Promise<string> {
	const origin = site(name);
	await owner().setSite(HANDLE, origin, "allowed");
	return origin;
}
async function keyNamed(name: string): Promise<{ key: string; uid: string }> {
	const key = await owner().createKey(HANDLE, name);
	const uid = (await owner().keys(HANDLE)).find((k) => k.name === name)?.uid as string;
	return { key, uid };
}

const KINDS: Record<string, Open> = {
	async "a guest who is revoked"() {
		const [gone, stay] = [await agent(), await agent()];
		return { gone: [gone], stay: [stay], act: () => owner().revokeGuest(HANDLE, gone.uid) };
	},
	async "a key that is revoked, and no other key of its account"() {
		const [one, other] = [await keyNamed(`key ${++made}`), await keyNamed(`key ${++made}`)];
		const gone = await agent({ credential: one.key });
		const stay = await agent({ credential: other.key });
		expect(gone.uid).toBe(stay.uid);
		return { gone: [gone], stay: [stay, await agent()], act: () => owner().revokeKey(HANDLE, one.uid) };
	},
	async "a site that is blocked"() {
		const [shop, blog] = [await allowed("shop"), await allowed("blog")];
		return {
			gone: [await visitor(shop)],
			stay: [await visitor(blog), await visitor(null), await agent()],
			act: () => owner().setSite(HANDLE, shop, "blocked"),
		};
	},
	async "a site that is taken off the list"() {
		const [shop, blog] = [await allowed("shop"), await allowed("blog")];
		return { gone: [await visitor(shop)], stay: [await visitor(blog)], act: () => owner().removeSite(HANDLE, shop) };
	},
	async "sites that a change of several leaves out"() {
		const [shop, blog] = [await allowed("shop"), await allowed("blog")];
		return { gone: [await visitor(shop)], stay: [await visitor(blog)], act: () => owner().changeSites(HANDLE, { remove: [shop] }) };
	},
	async "any site, when that is switched off"() {
		await owner().changeSettings(HANDLE, { allowAnySite: true });
		await farAgrees();
		const blog = await allowed("blog");
		return {
			gone: [await visitor(site("anywhere"))],
			stay: [await visitor(blog), await visitor(null)],
			act: () => owner().changeSettings(HANDLE, { allowAnySite: false }),
		};
	},
	async "an embed that is deleted"() {
		const blog = await allowed("blog");
		const [one, other] = [await owner().saveEmbed(HANDLE, { mode: "pet" }), await owner().saveEmbed(HANDLE, { mode: "pet" })];
		return {
			gone: [await visitor(blog, one.number)],
			stay: [await visitor(blog, other.number), await visitor(blog)],
			act: () => owner().deleteEmbed(HANDLE, one.number),
		};
	},
	async "guests, when they are not taken any more"() {
		const { key } = await keyNamed(`key ${++made}`);
		return {
			gone: [await agent(), await visitor(null)],
			stay: [await agent({ credential: key })],
			act: () => owner().changeSettings(HANDLE, { guests: false }),
			undo: () => owner().changeSettings(HANDLE, { guests: true }),
		};
	},
	async "agents, when A2A is switched off"() {
		const { key } = await keyNamed(`key ${++made}`);
		return {
			gone: [await agent(), await agent({ credential: key })],
			stay: [await visitor(null)],
			act: () => owner().changeSettings(HANDLE, { a2a: false }),
			undo: () => owner().changeSettings(HANDLE, { a2a: true }),
		};
	},
};

/** Does it, lets at most a second go by, and says what is wrong afterwards. */
async function shutOut(open: Open, secondGoesBy: boolean): Promise<string[]> {
	const { gone, stay, act, undo } = await open();
	try {
		await say(`in time ${++made}. `, [...gone, ...stay]);
		await act();
		if (secondGoesBy) await second();
		await ended(gone);
		const late = `late ${++made}. `;
		await say(late, stay);
		const wrong: string[] = [];
		if (gone.some((one) => heardByAny(one, late))) wrong.push("somebody who was shut out hears on");
		if (!stay.every(isWhole)) wrong.push("somebody who was not shut out was cut");
		return wrong;
	} finally {
		await undo?.();
		await farAgrees();
	}
}

describe("at another node, with its hint", () => {
	beforeAll(async () => {
		nodes = await openNodes({ answerer });
	});
	afterAll(async () => {
		answerer.hush();
		expect([...nodes.near.logged, ...nodes.far.logged]).toEqual([]);
		await nodes.close();
	});

	it.each(Object.entries(KINDS))("%s: all of it ends before any time has gone by", async (_name, open) => {
		expect(await shutOut(open, false)).toEqual([]);
	});

	it("500 sockets on both nodes: those that are shut out hear nothing more, and all others hear on", async () => {
		const at = [nodes.near, nodes.far];
		const [shop, blog] = [await allowed("shop"), await allowed("blog")];
		const embed = await owner().saveEmbed(HANDLE, { mode: "pet" });
		const [one, other] = [await keyNamed("one of two"), await keyNamed("the other of two")];
		const guest = await agent({ at, sockets: 100, streams: 10 });
		const byKey = await agent({ at, sockets: 100, streams: 10, credential: one.key });
		const onSite = await visitor(shop, undefined, { at, sockets: 100 });
		const byEmbed = await visitor(blog, embed.number, { at, sockets: 100 });
		const stay = [
			await agent({ at, sockets: 20, streams: 10 }),
			await agent({ at, sockets: 20, streams: 10, credential: other.key }),
			await visitor(blog, undefined, { at, sockets: 30 }),
			await visitor(null, undefined, { at, sockets: 30 }),
		];
		expect(parties.flatMap(({ sockets }) => sockets)).toHaveLength(500);
		const acts: [Party, () => Promise<unknown>][] = [
			[guest, () => owner().revokeGuest(HANDLE, guest.uid)],
			[byKey, () => owner().revokeKey(HANDLE, one.uid)],
			[onSite, () => owner().setSite(HANDLE, shop, "blocked")],
			[byEmbed, () => owner().deleteEmbed(HANDLE, embed.number)],
		];
		for (const [gone, act] of acts) {
			await act();
			await ended([gone]);
			const late = `late ${++made}. `;
			await say(late, stay);
			expect(heardByAny(gone, late)).toBe(false);
		}
		expect(stay.every(isWhole)).toBe(true);
	}, 120_000);

	it("chats hear that nobody is there any more, and when somebody will be", async () => {
		const chat = await dial(nodes.far);
		await chat.hello({ extensions: [EXTENSIONS.chat] });
		const presence = async (from: number) =>
			(await chat.find((f) => (f.params as { signal?: { kind: string } } | undefined)?.signal?.kind === "presence", from)).params;
		await owner().changeSettings(HANDLE, { builtInAnswerer: false });
		expect(await presence(0)).toEqual({ contextId: "", signal: { kind: "presence", online: false } });
		let from = chat.frames.length;
		await owner().changeSettings(HANDLE, { builtInAnswerer: true });
		expect(await presence(from)).toEqual({ contextId: "", signal: { kind: "presence", online: true } });
		from = chat.frames.length;
		// Two days from now, whatever weekday that is by this clock.
		const day = new Intl.DateTimeFormat("en", { weekday: "short", timeZone: "UTC" }).format(nodes.clock.now() + 2 * 86_400_000);
		await owner().changeSettings(HANDLE, { hours: `${day} 09:00-17:00 UTC` });
		expect(await presence(from)).toEqual({ contextId: "", signal: { kind: "presence", online: false, opensAt: expect.any(Number) } });
		await owner().changeSettings(HANDLE, { hours: "" });
		await chat.close();
	});

	it("a desk is what its owner made of it a moment ago, a new one is there, and nobody's time has gone by", async () => {
		const before = nodes.clock.now();
		const was = await desk(nodes.far);
		await owner().changeProfile(HANDLE, { name: "Mira's studio", about: "Portraits" });
		await vi.waitUntil(async () => (await desk(nodes.far)).face.name === "Mira's studio");
		await owner().changeSettings(HANDLE, { waitMs: 1_000 });
		await vi.waitUntil(async () => (await desk(nodes.far)).settings.waitMs === 1_000);
		expect(await desk(nodes.far)).not.toBe(was);
		expect(await nodes.far.engine.desk("anna")).toBeUndefined();
		await owner().createOwner({ handle: "anna", name: "Anna" });
		await vi.waitUntil(async () => (await nodes.far.engine.desk("anna")) !== undefined);
		expect(nodes.clock.now()).toBe(before);
	});

	it("a key that was used a moment ago is refused by the first request after", async () => {
		const { key, uid } = await keyNamed("a moment ago");
		const ask = async (): Promise<number> =>
			(await fetch(`${nodes.far.url}/a2a/${HANDLE}/tasks`, { headers: { "a2a-version": "1.0", authorization: `Bearer ${key}` } })).status;
		expect(await ask()).toBe(200);
		await owner().revokeKey(HANDLE, uid);
		await vi.waitUntil(async () => (await ask()) === 401);
	});
});

describe("at another node that hears of nothing", () => {
	beforeAll(async () => {
		nodes = await openNodes({ answerer });
		nodes.deafen();
	});
	afterAll(async () => {
		answerer.hush();
		await nodes.close();
	});

	it.each(Object.entries(KINDS))("%s: all of it ends within a second", async (_name, open) => {
		expect(await shutOut(open, true)).toEqual([]);
	});

	it("more notices than are kept were missed: all is looked at again, and whoever may stay stays", async () => {
		const [gone, stay] = [await agent(), await agent()];
		const chat = await dial(nodes.far);
		await chat.hello({ extensions: [EXTENSIONS.chat] });
		await owner().revokeGuest(HANDLE, gone.uid);
		await owner().changeProfile(HANDLE, { name: "Not to be seen in a notice" });
		await owner().changeSettings(HANDLE, { builtInAnswerer: false });
		const admin = new Database({ connectionString: nodes.database });
		await admin.connect();
		await admin.query("delete from notice where id < (select max(id) from notice)");
		await admin.end();
		await second();
		await ended([gone]);
		const { params } = await chat.find((f) => (f.params as { signal?: object } | undefined)?.signal !== undefined);
		expect(params).toMatchObject({ signal: { kind: "presence", online: false } });
		expect((await desk(nodes.far)).face.name).toBe("Not to be seen in a notice");
		await owner().changeSettings(HANDLE, { builtInAnswerer: true });
		await say("after the gap. ", [stay]);
		// And what comes after the gap is heard of as before.
		await owner().revokeGuest(HANDLE, stay.uid);
		await second();
		await ended([stay]);
		await chat.close();
	});
});

describe("a server that is broken", () => {
	const silent = Object.fromEntries(
		Object.entries(decides).map(([name, decide]) => [
			name,
			(rows: never, input: never) => ({ ...(decide as (r: never, i: never) => object)(rows, input), notices: [] }),
		]),
	) as unknown as typeof decides;
	const BROKEN: Record<string, { options: Partial<Parameters<typeof openNodes>[0]>; deaf: boolean }> = {
		"leaves no notices": { options: { table: operationTable(silent, halves) }, deaf: false },
		"looks for none that it was not told of": { options: { farLooks: false }, deaf: true },
	};

	describe.each(Object.entries(BROKEN))("and %s", (_broken, { options, deaf }) => {
		beforeAll(async () => {
			nodes = await openNodes({ answerer, ...options });
			if (deaf) nodes.deafen();
		});
		afterAll(async () => {
			answerer.hush();
			await nodes.close();
		});

		it.each(Object.entries(KINDS))("is found out by %s", async (_name, open) => {
			const { gone, act, undo } = await open();
			await act();
			await second();
			// What is said later reaches those who were shut out.
			await say(`late ${++made}. `, gone);
			await undo?.();
			await farAgrees();
		});
	});
});
