import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { type Client, dial, message, newNonce } from "../../test/socket/client.js";
import { openSocketDesk, paced, type SocketDesk, turnUntil } from "../../test/socket/open.js";

let desk: SocketDesk;
beforeAll(async () => {
	desk = await openSocketDesk({ limits: { newGuestsPerMinutePerAddress: 1_000 } });
});
afterAll(() => desk.close());

async function greeted(at = desk): Promise<Client> {
	const client = await dial(at);
	await client.hello({ credential: at.key });
	return client;
}

/** The server still serves others. */
async function alive(at = desk): Promise<void> {
	const client = await greeted(at);
	expect(await client.call("ListTasks", { contextId: "none" })).toMatchObject({ tasks: [] });
	await client.close();
}

/** Opens a socket and writes bytes of the test's own below it; resolves with the code of the close frame that comes. */
function closeCodeAfter(bytes: Buffer): Promise<number> {
	return new Promise((resolve, reject) => {
		const socket = connect(desk.port, "127.0.0.1", () => {
			socket.write(
				"GET /a2a/mira/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
			);
		});
		let came = Buffer.alloc(0);
		let sent = false;
		socket.on("data", (data) => {
			came = Buffer.concat([came, data]);
			const end = came.indexOf("\r\n\r\n");
			if (end < 0) return;
			if (!sent) {
				sent = true;
				socket.write(bytes);
			}
			// Nothing but a close frame can come: no Hello was said.
			const frame = came.subarray(end + 4);
			if (frame.length >= 4 && frame[0] === 0x88) {
				resolve(frame.readUInt16BE(2));
				socket.destroy();
			}
		});
		socket.on("close", () => reject(new Error("closed without a close frame")));
		socket.on("error", reject);
	});
}

/** A frame of a client's with a mask of zeros. */
function frame(first: number, payload: Buffer | string, masked = true): Buffer {
	const body = Buffer.from(payload);
	const mask = masked ? 0x80 : 0;
	const head =
		body.length < 126 ? Buffer.from([first, mask | body.length]) : Buffer.from([first, mask | 126, body.length >> 8, body.length & 0xff]);
	return Buffer.concat([head, Buffer.alloc(masked ? 4 : 0), body]);
}

const FIN_TEXT = 0x81;
const TEXT = 0x01;
const MORE = 0x00;

describe("frames that end the socket", () => {
	it.each([
		["binary, which is not spoken", frame(0x82, "{}"), 1003],
		["not UTF-8", frame(FIN_TEXT, Buffer.from([0x22, 0xc3, 0x28, 0x22])), 1007],
		["half a character at the end of a message", frame(FIN_TEXT, Buffer.from([0xe9, 0x97])), 1007],
		["not masked", frame(FIN_TEXT, "{}", false), 1002],
		["of an opcode that is none", frame(0x83, "{}"), 1002],
		["with a reserved bit, as of a compressed message", frame(0xc1, "{}"), 1002],
		["that go on with nothing", frame(0x80, "{}"), 1002],
		["a control frame in fragments", frame(0x09, "x"), 1002],
		["a control frame that is too long", frame(0x89, "x".repeat(126)), 1002],
		["a close of a code that may not be sent", frame(0x88, Buffer.from([0x03, 0xed])), 1002],
		["a text that begins before the last has ended", Buffer.concat([frame(TEXT, "{"), frame(FIN_TEXT, "}")]), 1002],
		["more than 16 fragments", Buffer.concat([frame(TEXT, "{"), ...Array.from({ length: 16 }, () => frame(MORE, " "))]), 1008],
		[
			"a length beyond 64 KiB, before any of it has come",
			Buffer.concat([Buffer.from([FIN_TEXT, 0xff]), Buffer.from([0, 0, 0, 0, 0, 1, 0, 1]), Buffer.alloc(4)]),
			1009,
		],
		["fragments that are too much together", Buffer.concat([frame(TEXT, "x".repeat(40_000)), frame(MORE, "x".repeat(30_000))]), 1009],
	])("%s", async (_name, bytes, code) => {
		expect(await closeCodeAfter(bytes)).toBe(code);
		await alive();
	});

	it("are not those of 16 fragments with 64 KiB in all", async () => {
		const client = await greeted();
		const text = JSON.stringify({ jsonrpc: "2.0", id: "large", method: "GetTask", params: { id: "x", pad: "" } });
		const padded = text.replace('"pad":""', `"pad":"${"p".repeat(LIMITS.frameBytes - text.length)}"`);
		expect(Buffer.byteLength(padded)).toBe(LIMITS.frameBytes);
		const size = Math.ceil(padded.length / LIMITS.frameFragments);
		for (let at = 0; at < padded.length; at += size) client.socket.send(padded.slice(at, at + size), { fin: at + size >= padded.length });
		expect((await client.find((f) => f.id === "large")).error?.code).toBe(-32001);
		client.send(`${padded} `);
		expect((await client.closed).code).toBe(1009);
	});
});

describe("frames that are refused, and the socket goes on", () => {
	it.each<[string, string, number]>([
		["no JSON", "nonsense", -32700],
		["nothing", "", -32700],
		["a byte order mark", '\uFEFF{"jsonrpc":"2.0","id":1,"method":"ListTasks"}', -32700],
		["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]', -32600],
		["an empty batch", "[]", -32600],
		["a number", "7", -32600],
		["null", "null", -32600],
		["no request", "{}", -32600],
		["another version of JSON-RPC", '{"jsonrpc":"1.0","id":1,"method":"ListTasks"}', -32600],
		["a notification", '{"jsonrpc":"2.0","method":"ListTasks"}', -32600],
		["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ListTasks"}', -32600],
		["a method that is no text", '{"jsonrpc":"2.0","id":1,"method":7}', -32600],
		["JSON that is too deep", `${"[".repeat(40)}${"]".repeat(40)}`, -32600],
		["JSON of too many values", `[${"0,".repeat(6_000)}0]`, -32600],
		["a response", '{"jsonrpc":"2.0","id":1,"result":{}}', -32600],
	])("%s", async (_name, text, code) => {
		const client = await greeted();
		client.send(text);
		expect((await client.find((f) => f.id === null)).error?.code).toBe(code);
		expect(await client.call("ListTasks", { contextId: "none" })).toMatchObject({ tasks: [] });
		await client.close();
	});

	it.each([
		["of no method", "Nonsense", -32601],
		["of one spelt as over HTTP", "message/send", -32601],
		["of a prototype's", "toString", -32601],
		["of an extension that is not on", "https://lobby.earthonlines.com/a2a/ext/chat/v1/Typing", -32601],
	])("a request %s", async (_name, method, code) => {
		const client = await greeted();
		expect((await client.refusal(method, {})).error.code).toBe(code);
		await client.close();
	});

	it("keys that could reach a prototype, which stays as it was", async () => {
		const client = await greeted();
		client.send(
			'{"jsonrpc":"2.0","id":"p","method":"ListTasks","params":{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}}',
		);
		expect((await client.find((f) => f.id === "p")).error?.code).toBe(-32602);
		expect(({} as { admin?: unknown }).admin).toBeUndefined();
		await client.close();
	});
});

describe("ids of requests", () => {
	it.each(["7", "0", "-1", "1.5", '"seven"', '""', "null"])("come back exactly: %s", async (id) => {
		const client = await greeted();
		client.send(`{"jsonrpc":"2.0","id":${id},"method":"ListTasks","params":{"contextId":"none"}}`);
		const answer = await client.find((f) => f.result !== undefined, 1);
		expect(JSON.stringify(answer.id)).toBe(id);
		await client.close();
	});
});

describe("how much one socket may ask", () => {
	it("is 60 frames at once and 20 a second after that", async () => {
		const own = await openSocketDesk();
		try {
			const client = await greeted(own);
			for (let i = 1; i < LIMITS.framesBurst; i++)
				client.send(`{"jsonrpc":"2.0","id":${1_000 + i},"method":"Unfollow","params":{"contextId":"x"}}`);
			await client.find((f) => f.id === 1_000 + LIMITS.framesBurst - 1);
			own.clock.turn(500);
			for (let i = 0; i < 10; i++) client.send(`{"jsonrpc":"2.0","id":${2_000 + i},"method":"Unfollow","params":{"contextId":"x"}}`);
			await client.find((f) => f.id === 2_009);
			client.send('{"jsonrpc":"2.0","id":3000,"method":"Unfollow","params":{"contextId":"x"}}');
			expect((await client.closed).code).toBe(1008);
			expect(client.frames.some((f) => f.id === 3_000)).toBe(false);
			await alive(own);
		} finally {
			await own.close();
		}
	});

	it("counts pings and unasked pongs too", async () => {
		const client = await greeted();
		for (let i = 0; i < LIMITS.framesBurst; i++) client.socket[i % 2 === 0 ? "ping" : "pong"]();
		expect((await client.closed).code).toBe(1008);
		await alive();
	});

	it("counts what comes before Hello is answered, and lets few wait for it", async () => {
		const client = await dial(desk);
		client.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "Hello", params: { version: "1.0", nonce: newNonce() } }));
		for (let i = 0; i < 30; i++) client.send('{"jsonrpc":"2.0","id":2,"method":"ListTasks"}');
		expect((await client.closed).code).toBe(1008);
	});

	it("is 32 requests that wait for their answers", async () => {
		const own = await openSocketDesk({ answerer: paced() });
		try {
			const client = await greeted(own);
			const { task } = await client.call<{ task: { contextId: string } }>("SendMessage", {
				...message("m", "hi"),
				configuration: { returnImmediately: true },
			});
			await client.until(() => client.events.length >= 3);
			const polls = Array.from({ length: LIMITS.socketCalls }, (_, i) => 100 + i);
			for (const id of polls)
				client.send(
					JSON.stringify({ jsonrpc: "2.0", id, method: "Events", params: { contextId: task.contextId, after: 3, waitMs: 1_000 } }),
				);
			expect((await client.refusal("ListTasks")).reason).toBe("RATE_LIMITED");
			await turnUntil(own.clock, () => polls.every((id) => client.frames.some((f) => f.id === id && f.result)), 500);
			expect(await client.call("ListTasks")).toMatchObject({ totalSize: 1 });
		} finally {
			await own.close();
		}
	});

	it("is 100 contexts that it follows", async () => {
		const own = await openSocketDesk({ limits: { socketContexts: 2 } });
		try {
			const client = await greeted(own);
			const contexts: string[] = [];
			for (const id of ["a", "b", "c"]) {
				const { task } = await client.call<{ task: { contextId: string; status: { state: string } } }>("SendMessage", message(id, "hi"));
				// The third is answered all the same.
				expect(task.status.state).toBe("TASK_STATE_COMPLETED");
				contexts.push(task.contextId);
			}
			await client.until(() => client.events.length === 12);
			expect(new Set(client.events.map((e) => e.contextId))).toEqual(new Set(contexts.slice(0, 2)));
			expect((await client.refusal("Follow", { contextId: contexts[2], after: 0 })).reason).toBe("RATE_LIMITED");
			await client.call("Unfollow", { contextId: contexts[0] });
			await client.call("Follow", { contextId: contexts[2], after: 0 });
			await client.until(() => client.events.filter((e) => e.contextId === contexts[2]).length === 6);
		} finally {
			await own.close();
		}
	});

	it("is as many messages as a guest may send by any door", async () => {
		const own = await openSocketDesk({ limits: { guestMessagesPerMinute: 2 } });
		try {
			const client = await dial(own);
			const { guestToken } = await client.hello();
			await client.call("SendMessage", message("a", "one"));
			const answer = await fetch(`${own.url}/a2a/mira`, {
				method: "POST",
				headers: { "content-type": "application/json", "a2a-version": "1.0", authorization: `Bearer ${guestToken}` },
				body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: message("b", "two") }),
			});
			expect(answer.status).toBe(200);
			const refused = await client.refusal("SendMessage", message("c", "three"));
			expect(refused.reason).toBe("RATE_LIMITED");
			expect(client.socket.readyState).toBe(client.socket.OPEN);
		} finally {
			await own.close();
		}
	});
});
