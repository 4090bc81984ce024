import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Client, dial, message, newNonce } from "../../test/socket/client.js";
import { attach, openSocketDesk, paced, type SocketDesk, settle } from "../../test/socket/open.js";

const SITE = "https://shop.example.com";
const OTHER = "https://blog.example.org";
const NOW = { configuration: { returnImmediately: true } };

let desk: SocketDesk;
beforeEach(async () => {
	desk = await openSocketDesk({ answerer: paced() });
	for (const site of [SITE, OTHER]) await desk.engine.owner.setSite("mira", site, "allowed");
});
afterEach(() => desk.close());

async function onSite(site: string | null, credential?: string): Promise<Client> {
	const row = await desk.engine.desk("mira");
	if (!row) throw new Error("no desk");
	const client = await dial(desk);
	await client.hello({ ticket: desk.engine.embed.issueTicket(row, site), ...(credential ? { credential } : {}) });
	return client;
}

const isOpen = (client: Client): boolean => client.socket.readyState === client.socket.OPEN;

/** What was cut hears nothing of what happens after. */
async function hearsNothingMore(client: Client): Promise<void> {
	const heard = client.frames.length;
	await settle();
	expect(client.frames).toHaveLength(heard);
}

describe("whoever is shut out", () => {
	it("as a guest loses every socket at once, and others none", async () => {
		const first = await dial(desk);
		const { you, guestToken } = await first.hello();
		const credential = guestToken as string;
		const second = await onSite(SITE, credential);
		const other = await dial(desk);
		await other.hello();
		await first.call("SendMessage", { ...message("m", "hi"), ...NOW });
		await first.until(() => first.events.length === 3);

		await desk.engine.owner.revokeGuest("mira", you.id);
		for (const client of [first, second]) {
			expect((await client.closed).code).toBe(4401);
			await hearsNothingMore(client);
		}
		expect(isOpen(other)).toBe(true);
		// The token has ended: with it comes a new guest, who sees nothing of the old one's.
		const again = await (await dial(desk)).hello({ credential });
		expect(again.renewed).toBe(true);
		expect(again.you.id).not.toBe(you.id);
		expect(again).not.toHaveProperty("context");
	});

	it("by an ended key keeps the sockets of another key", async () => {
		const second = await desk.engine.owner.createKey("mira", "second");
		const [one, two] = [await dial(desk), await dial(desk)];
		await one.hello({ credential: desk.key });
		await two.hello({ credential: second });
		const [key] = await desk.engine.owner.keys("mira");
		await desk.engine.owner.revokeKey("mira", key?.uid as string);
		expect((await one.closed).code).toBe(4401);
		await settle();
		expect(isOpen(two)).toBe(true);
		expect(await two.call("ListTasks")).toMatchObject({ tasks: [] });
	});

	it.each<[string, () => Promise<unknown>]>([
		["blocked", () => desk.engine.owner.setSite("mira", SITE, "blocked")],
		["no longer allowed", () => desk.engine.owner.removeSite("mira", SITE)],
	])("with a site that is %s loses the sockets of that site alone", async (_name, act) => {
		const shop = await onSite(SITE);
		const blog = await onSite(OTHER);
		const page = await onSite(null);
		const agent = await dial(desk);
		await agent.hello();
		await act();
		expect((await shop.closed).code).toBe(4403);
		await settle();
		expect([blog, page, agent].map(isOpen)).toEqual([true, true, true]);
	});

	it("with an embed that is deleted loses the sockets of that embed alone, and its tickets let nobody in", async () => {
		const { owner } = desk.engine;
		const [gone, kept] = [await owner.saveEmbed("mira", { mode: "pet" }), await owner.saveEmbed("mira", { mode: "pet" })];
		const row = (await desk.engine.desk("mira")) ?? expect.fail();
		const by = async (number?: number) => {
			const client = await dial(desk);
			const ticket = desk.engine.embed.issueTicket(row, SITE, number);
			return { client, ticket, token: (await client.hello({ ticket })).guestToken };
		};
		const one = await by(gone.number);
		const others = [await by(kept.number), await by()];
		await owner.deleteEmbed("mira", gone.number);
		expect((await one.client.closed).code).toBe(4403);
		await settle();
		expect(others.map(({ client }) => isOpen(client))).toEqual([true, true]);
		// The ticket's holder comes again with it; a document that was loaded before comes with a fresh one.
		for (const ticket of [one.ticket, desk.engine.embed.issueTicket(row, SITE, gone.number)]) {
			const again = await dial(desk);
			const refused = await again.refusal("Hello", { version: "1.0", nonce: newNonce(), ticket, credential: one.token });
			expect(refused.message).toMatch(/embed that this chat came by was deleted/);
			expect((await again.closed).code).toBe(4403);
		}
	});

	it("by one rule of two that cover its site stays", async () => {
		const { rule } = await desk.engine.owner.setSite("mira", "*.example.com", "allowed");
		const shop = await onSite(SITE);
		await desk.engine.owner.removeSite("mira", SITE);
		await settle();
		expect(isOpen(shop)).toBe(true);
		await desk.engine.owner.removeSite("mira", rule);
		expect((await shop.closed).code).toBe(4403);
	});

	it("with all guests leaves accounts where they are", async () => {
		const guest = await dial(desk);
		await guest.hello();
		const owner = await dial(desk);
		await owner.hello({ credential: desk.key });
		await desk.engine.owner.changeSettings("mira", { guests: false });
		expect((await guest.closed).code).toBe(4403);
		await settle();
		expect(isOpen(owner)).toBe(true);
	});

	it("while its Hello is being judged does not slip in", async () => {
		const { engine } = desk;
		let reached: () => void = () => undefined;
		let judge: () => void = () => undefined;
		const atContexts = new Promise<void>((resolve) => (reached = resolve));
		const held = new Promise<void>((resolve) => (judge = resolve));
		const there = await attach(desk, {
			...engine,
			// The credential is known by then, and its contexts are still to be read.
			async openContext(...what) {
				reached();
				await held;
				return await engine.openContext(...what);
			},
		});
		const first = await dial(desk);
		const { you, guestToken } = await first.hello();
		const late = await dial(there);
		late.send(
			JSON.stringify({ jsonrpc: "2.0", id: 1, method: "Hello", params: { version: "1.0", nonce: newNonce(), credential: guestToken } }),
		);
		await atContexts;
		await desk.engine.owner.revokeGuest("mira", you.id);
		judge();
		expect((await late.closed).code).toBe(4401);
		await there.close();
	});

	it("does not get what still waited for a socket that did not read", async () => {
		const there = await attach(desk);
		const slow = await dial(there);
		const { you } = await slow.hello();
		const { task } = await slow.call<{ task: { contextId: string } }>("SendMessage", { ...message("m0", "x".repeat(16_000)), ...NOW });
		slow.socket.pause();
		const [wire] = there.wires as [Socket];
		// Its own log, over and over, until the connection holds no more.
		while (wire.writableLength === 0) {
			desk.clock.turn(1_000);
			for (let i = 0; i < 20; i++)
				slow.send(JSON.stringify({ jsonrpc: "2.0", id: i, method: "Follow", params: { contextId: task.contextId, after: 0 } }));
			await settle();
		}
		await desk.engine.owner.revokeGuest("mira", you.id);
		await settle();
		expect(wire.destroyed).toBe(true);
		slow.socket.resume();
		await slow.closed;
		await there.close();
	});
});

describe("a server that stops", () => {
	it("tells everybody when to come back, and closes with 1012", async () => {
		const clients = await Promise.all(
			Array.from({ length: 5 }, async () => {
				const client = await dial(desk);
				await client.hello();
				return client;
			}),
		);
		const unsaid = await dial(desk);
		const closing = desk.close();
		for (const client of clients) {
			const bye = await client.find((f) => f.method === "bye");
			expect(bye.params).toEqual({ retryAfterMs: expect.any(Number) });
			expect(bye.params?.retryAfterMs).toBeGreaterThanOrEqual(500);
			expect(bye.params?.retryAfterMs).toBeLessThanOrEqual(20_500);
			expect((await client.closed).code).toBe(1012);
		}
		expect((await unsaid.closed).code).toBe(1012);
		await closing;
		const waits = clients.map((c) => c.frames.find((f) => f.method === "bye")?.params?.retryAfterMs);
		expect(new Set(waits).size).toBeGreaterThan(1);
		desk = await openSocketDesk();
	});

	it("does not wait for ever for a client that does not close", async () => {
		const client = await dial(desk);
		await client.hello();
		client.socket.pause();
		await desk.close();
		client.socket.resume();
		await client.closed;
		desk = await openSocketDesk();
	});
});
