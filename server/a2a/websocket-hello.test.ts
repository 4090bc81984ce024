import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HelloResult } from "../../shared/channel.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { LIMITS } from "../../shared/limits.js";
import { type Client, dial, message, newNonce } from "../../test/socket/client.js";
import { openSocketDesk, type SocketDesk, settle } from "../../test/socket/open.js";

const SITE = "https://shop.example.com";

let desk: SocketDesk;
beforeAll(async () => {
	desk = await openSocketDesk({ limits: { newGuestsPerMinutePerAddress: 1_000 } });
	await desk.engine.owner.setSite("mira", SITE, "allowed");
});
afterAll(() => desk.close());

const ticket = async (site: string | null = SITE, at = desk): Promise<string> => {
	const row = await at.engine.desk("mira");
	if (!row) throw new Error("no desk");
	return at.engine.embed.issueTicket(row, site);
};

/** A guest that has said something: its token and its context. */
async function visitor(at = desk): Promise<{ token: string; contextId: string; client: Client }> {
	const client = await dial(at);
	const { guestToken } = await client.hello();
	const { task } = await client.call<{ task: { contextId: string } }>("SendMessage", message(newNonce(), "hello"));
	await client.find((f) => JSON.stringify(f).includes("COMPLETED") && f.method === "event");
	return { token: guestToken as string, contextId: task.contextId, client };
}

describe("a Hello that is answered", () => {
	it("makes a guest where there is no credential, and tells it its token once", async () => {
		const client = await dial(desk);
		const result = await client.hello();
		expect(result).toEqual({
			you: { id: expect.stringMatching(/^gst_/), kind: "guest" },
			guestToken: expect.stringMatching(/^eolg_/),
			desk: {
				handle: "mira",
				name: "Mira",
				about: "A desk for tests",
				face: "/@mira/face.svg",
				online: true,
				pictures: true,
				suggestions: ["What are your hours?"],
				ownerName: "Mira",
				brand: "EarthOnline",
			},
			following: [],
			extensions: [],
		});
		const again = await (await dial(desk)).hello({ credential: result.guestToken as string });
		expect(again.you).toEqual(result.you);
		expect(again).not.toHaveProperty("guestToken");
		expect(again).not.toHaveProperty("renewed");
	});

	it("gives the same guest for the same nonce, for an answer that was lost", async () => {
		const nonce = newNonce();
		const first = await (await dial(desk)).hello({ nonce });
		const second = await (await dial(desk)).hello({ nonce });
		expect(second.you).toEqual(first.you);
		expect(second.guestToken).toBe(first.guestToken);
		const other = await (await dial(desk)).hello();
		expect(other.you.id).not.toBe(first.you.id);
	});

	it.each([
		["that was never given", "eolg_01abcdefghjkmnpqrstvwxyz01.1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
		["of another shape", "something-else"],
		["of nothing", "eolg_"],
	])("makes a new guest for a token %s, and says so", async (_name, credential) => {
		const result = await (await dial(desk)).hello({ credential });
		expect(result.renewed).toBe(true);
		expect(result.guestToken).toMatch(/^eolg_/);
		expect(result.guestToken).not.toBe(credential);
	});

	it("knows an account by its key", async () => {
		const result = await (await dial(desk)).hello({ credential: desk.key });
		expect(result.you).toEqual({ id: expect.stringMatching(/^acc_/), kind: "account" });
		expect(result).not.toHaveProperty("guestToken");
	});

	it("takes a version with a patch for what it is", async () => {
		expect((await (await dial(desk)).hello({ version: "1.0.7" })).you.kind).toBe("guest");
	});

	it("turns on the extensions that it knows, each once, and passes over the rest", async () => {
		const result = await (await dial(desk)).hello({ extensions: ["urn:unknown", EXTENSIONS.chat, EXTENSIONS.chat] });
		expect(result.extensions).toEqual([EXTENSIONS.chat]);
	});

	it("opens the newest context with its messages where none is named", async () => {
		const { token, contextId } = await visitor();
		const client = await dial(desk);
		const { context, following } = await client.hello({ credential: token });
		expect(context).toMatchObject({ contextId, seq: 6, more: false, tasks: [], microphone: "desk", read: { asker: 0, desk: 0 } });
		expect(context?.messages.map(({ seq, message: m }) => [seq, m.parts[0]?.text])).toEqual([
			[1, "hello"],
			[5, "You said: hello"],
		]);
		expect(following).toEqual([{ contextId, after: 6 }]);
	});

	it("opens none when a new one is wanted, and none is there", async () => {
		const { token } = await visitor();
		const fresh = await (await dial(desk)).hello({ credential: token, new: true });
		expect(fresh).not.toHaveProperty("context");
		expect(fresh.following).toEqual([]);
	});

	it("goes on with the contexts that are named, and leaves out what is not the caller's", async () => {
		const { token, contextId } = await visitor();
		const { contextId: foreign } = await visitor();
		const client = await dial(desk);
		const result = await client.hello({
			credential: token,
			follow: [
				{ contextId, after: 4 },
				{ contextId: foreign, after: 0 },
				{ contextId: "ctx_invented", after: 0 },
			],
		});
		expect(result.following).toEqual([{ contextId, after: 6 }]);
		expect(result).not.toHaveProperty("context");
		await client.until(() => client.events.length === 2);
		expect(client.seqs).toEqual([5, 6]);
		expect(JSON.stringify(client.frames)).not.toContain(foreign);
	});

	it("takes requests that were sent before its answer, in their order and after it", async () => {
		const client = await dial(desk);
		const nonce = newNonce();
		client.send(JSON.stringify({ jsonrpc: "2.0", id: "h", method: "Hello", params: { version: "1.0", nonce } }));
		client.send(JSON.stringify({ jsonrpc: "2.0", id: "a", method: "ListTasks" }));
		client.send(JSON.stringify({ jsonrpc: "2.0", id: "b", method: "Hello", params: { version: "1.0", nonce } }));
		await client.until(() => client.frames.length === 3);
		expect(client.frames[0]?.id).toBe("h");
		expect(client.frames.find((f) => f.id === "a")?.result).toMatchObject({ tasks: [], totalSize: 0 });
		expect(client.frames.find((f) => f.id === "b")?.error?.code).toBe(-32600);
	});

	it("leaves what it does not know aside, and reads null as absent", async () => {
		const client = await dial(desk);
		const params = { version: "1.0", nonce: newNonce(), credential: null, ticket: null, later: { deep: [1] } };
		expect((await client.call<HelloResult>("Hello", params)).you.kind).toBe("guest");
	});
});

describe("a Hello that is refused ends the socket", () => {
	const nonce = newNonce();
	it.each<[string, unknown, number, string | undefined, number]>([
		["of another version", { version: "0.3", nonce }, -32009, "VERSION_NOT_SUPPORTED", 4401],
		["without a version, which is one of 0.3", { nonce }, -32009, "VERSION_NOT_SUPPORTED", 4401],
		["without a nonce", { version: "1.0" }, -32602, undefined, 4401],
		["with a short nonce", { version: "1.0", nonce: "short" }, -32602, undefined, 4401],
		["with a nonce of 129 characters", { version: "1.0", nonce: "n".repeat(129) }, -32602, undefined, 4401],
		["with a nonce that is no text", { version: "1.0", nonce: { $gt: "" } }, -32602, undefined, 4401],
		["with params that are a list", ["1.0"], -32602, undefined, 4401],
		["with a follow that is no list", { version: "1.0", nonce, follow: { contextId: "c", after: 0 } }, -32602, undefined, 4401],
		["that follows from below zero", { version: "1.0", nonce, follow: [{ contextId: "c", after: -1 }] }, -32602, undefined, 4401],
		[
			"that follows too many",
			{ version: "1.0", nonce, follow: Array.from({ length: LIMITS.socketContexts + 1 }, (_, i) => ({ contextId: `c${i}`, after: 0 })) },
			-32602,
			undefined,
			4401,
		],
		["with a key that is not valid", { version: "1.0", nonce, credential: `eolc_${"A".repeat(43)}` }, -32000, "UNAUTHENTICATED", 4401],
		["with a credential that is too long", { version: "1.0", nonce, credential: "e".repeat(129) }, -32602, undefined, 4401],
		["with a ticket that is none", { version: "1.0", nonce, ticket: "eolt_x.y" }, -32000, "TICKET_INVALID", 4401],
		["with a character that cannot be kept", { version: "1.0", nonce: `${nonce}\u0000` }, -32602, undefined, 4401],
	])("%s", async (_name, params, code, reason, close) => {
		const client = await dial(desk);
		const refused = await client.refusal("Hello", params);
		expect(refused.error.code).toBe(code);
		expect(refused.reason).toBe(reason);
		expect(refused.error.message).toMatch(/\.( |$)|\)$/);
		expect((await client.closed).code).toBe(close);
	});

	it("names the field that was wrong", async () => {
		const client = await dial(desk);
		const { error } = await client.refusal("Hello", { version: "1.0", nonce: "short" });
		expect(error.data).toEqual([
			{
				"@type": "type.googleapis.com/google.rpc.BadRequest",
				fieldViolations: [{ field: "nonce", description: "Give 16 to 128 characters." }],
			},
		]);
	});

	it("that is another request", async () => {
		const client = await dial(desk);
		const { reason } = await client.refusal("ListTasks", {});
		expect(reason).toBe("UNAUTHENTICATED");
		expect((await client.closed).code).toBe(4401);
	});

	it("that is no JSON", async () => {
		const client = await dial(desk);
		client.send("{");
		expect((await client.find((f) => f.id === null)).error?.code).toBe(-32700);
		expect((await client.closed).code).toBe(4401);
	});

	it("that does not come within five seconds", async () => {
		const own = await openSocketDesk();
		try {
			const client = await dial(own);
			own.clock.turn(LIMITS.helloMs - 1_000);
			await settle();
			expect(client.socket.readyState).toBe(client.socket.OPEN);
			// Signs of life are no Hello.
			await client.ping();
			own.clock.turn(1_500);
			expect((await client.closed).code).toBe(4401);
		} finally {
			await own.close();
		}
	});

	it("of a guest who has as many sockets as it may, but takes the place of one that is gone without a word", async () => {
		const own = await openSocketDesk({ limits: { socketsPerGuest: 2 } });
		try {
			const first = await dial(own);
			const { guestToken: credential } = await first.hello();
			const second = await dial(own);
			await second.hello({ credential: credential as string });
			const third = await dial(own);
			const refused = await third.refusal("Hello", { version: "1.0", nonce: newNonce(), credential });
			expect(refused.reason).toBe("RATE_LIMITED");
			expect((await third.closed).code).toBe(1008);

			// The first one's wire is cut: it answers no ping.
			first.socket.pause();
			own.clock.turn(LIMITS.tickMs);
			await second.find((f) => f.method === "tick");
			await second.ping();
			own.clock.turn(6_000);
			await second.ping();
			const fourth = await dial(own);
			expect((await fourth.hello({ credential: credential as string })).you.kind).toBe("guest");
			first.socket.resume();
			expect((await first.closed).code).toBe(1006);
			expect(second.socket.readyState).toBe(second.socket.OPEN);
		} finally {
			await own.close();
		}
	});

	it("of more new guests than an address may make; those of before are let in", async () => {
		const own = await openSocketDesk({ limits: { newGuestsPerMinutePerAddress: 2 } });
		try {
			const { guestToken: credential } = await (await dial(own)).hello();
			await (await dial(own)).hello();
			const client = await dial(own);
			const refused = await client.refusal("Hello", { version: "1.0", nonce: newNonce() });
			expect(refused.reason).toBe("RATE_LIMITED");
			expect(JSON.stringify(refused.error.data)).toContain("retryDelay");
			expect((await client.closed).code).toBe(1008);
			expect((await (await dial(own)).hello({ credential: credential as string })).you.kind).toBe("guest");
			expect((await (await dial(own)).hello({ credential: own.key })).you.kind).toBe("account");
			own.clock.turn(121_000);
			expect((await (await dial(own)).hello()).you.kind).toBe("guest");
		} finally {
			await own.close();
		}
	});
});

describe("a ticket", () => {
	it("speaks for a person on that site, and is bound to the guest who shows it first", async () => {
		const mine = await ticket();
		const first = await (await dial(desk)).hello({ ticket: mine });
		const back = await (await dial(desk)).hello({ ticket: mine, credential: first.guestToken as string });
		expect(back.you).toEqual(first.you);

		const other = await dial(desk);
		const refused = await other.refusal("Hello", { version: "1.0", nonce: newNonce(), ticket: mine });
		expect(refused.reason).toBe("TICKET_USED");
		expect((await other.closed).code).toBe(4401);
	});

	it("gives everything said on its socket its site, and the chat page's has none", async () => {
		const came: unknown[] = [];
		const own = await openSocketDesk({
			answerer: {
				name: "looks",
				inProcess: true,
				maySilence: false,
				*answer(turn) {
					came.push(turn.asker);
					yield { type: "text", text: "ok" };
					yield { type: "reply", asks: false };
				},
			},
		});
		try {
			await own.engine.owner.setSite("mira", SITE, "allowed");
			for (const site of [SITE, null, undefined]) {
				const client = await dial(own);
				await client.hello(site === undefined ? {} : { ticket: await ticket(site, own) });
				await client.call("SendMessage", message(newNonce(), "hello"));
			}
			expect(came).toMatchObject([
				{ kind: "person", channel: "embed" },
				{ kind: "person", channel: "page" },
				{ kind: "agent", channel: "a2a" },
			]);
		} finally {
			await own.close();
		}
	});

	it("is no good after a day, for another desk, or with a letter changed", async () => {
		const own = await openSocketDesk();
		try {
			await own.engine.owner.createOwner({ handle: "noor", name: "Noor" });
			const noor = await own.engine.desk("noor");
			if (!noor) throw new Error("no desk");
			const old = await ticket(null, own);
			const refusalOf = async (bad: string): Promise<string | undefined> => {
				const client = await dial(own);
				const { reason } = await client.refusal("Hello", { version: "1.0", nonce: newNonce(), ticket: bad });
				expect((await client.closed).code).toBe(4401);
				return reason;
			};
			expect(await refusalOf(own.engine.embed.issueTicket(noor, null))).toBe("TICKET_INVALID");
			expect(await refusalOf(`${old.slice(0, -1)}${old.endsWith("A") ? "B" : "A"}`)).toBe("TICKET_INVALID");
			own.clock.turn(LIMITS.ticketMs);
			expect(await refusalOf(old)).toBe("TICKET_INVALID");
		} finally {
			await own.close();
		}
	});

	it("of a site whose rule has gone is refused, though it was good when it was given", async () => {
		const site = "https://once.example.org";
		await desk.engine.owner.setSite("mira", site, "allowed");
		const mine = await ticket(site);
		const { guestToken: credential } = await (await dial(desk)).hello({ ticket: mine });
		await desk.engine.owner.removeSite("mira", site);
		const client = await dial(desk);
		const { reason } = await client.refusal("Hello", { version: "1.0", nonce: newNonce(), ticket: mine, credential });
		expect(reason).toBe("FORBIDDEN");
		expect((await client.closed).code).toBe(4403);
	});
});

describe("a desk that is not open to everybody", () => {
	it("takes no guests where it says so, new or known, and takes accounts", async () => {
		const own = await openSocketDesk();
		try {
			const { guestToken: credential } = await (await dial(own)).hello();
			await own.engine.owner.changeSettings("mira", { guests: false });
			for (const known of [undefined, credential, "eolg_unknown"]) {
				const client = await dial(own);
				const { reason } = await client.refusal("Hello", { version: "1.0", nonce: newNonce(), credential: known });
				expect(reason).toBe("FORBIDDEN");
				expect((await client.closed).code).toBe(4403);
			}
			expect((await (await dial(own)).hello({ credential: own.key })).you.kind).toBe("account");
		} finally {
			await own.close();
		}
	});

	it("keeps its chat where A2A is off: only sockets with a ticket get in", async () => {
		const own = await openSocketDesk({ settings: { a2a: false } });
		try {
			const agent = await dial(own);
			expect((await agent.refusal("Hello", { version: "1.0", nonce: newNonce(), credential: own.key })).reason).toBe("FORBIDDEN");
			expect((await agent.closed).code).toBe(4403);
			const chat = await dial(own);
			await chat.hello({ ticket: await ticket(null, own) });
			const { task } = await chat.call<{ task: { status: { state: string } } }>("SendMessage", message("m-1", "hello"));
			expect(task.status.state).toBe("TASK_STATE_COMPLETED");
		} finally {
			await own.close();
		}
	});

	it("closes agents' sockets when A2A is switched off, and leaves chats open", async () => {
		const own = await openSocketDesk();
		try {
			const agent = await dial(own);
			await agent.hello({ credential: own.key });
			const chat = await dial(own);
			await chat.hello({ ticket: await ticket(null, own) });
			await own.engine.owner.changeSettings("mira", { a2a: false });
			expect((await agent.closed).code).toBe(4403);
			expect(await chat.call("ListTasks")).toMatchObject({ tasks: [] });
		} finally {
			await own.close();
		}
	});
});
