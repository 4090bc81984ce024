import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dial, message } from "../../test/socket/client.js";
import { openSocketDesk, type SocketDesk } from "../../test/socket/open.js";

/** Writes to the server and gives everything that it says until it closes, or until the client has `enough` and leaves. */
function raw(port: number, text: string | Buffer, enough: (answer: string) => boolean = () => false): Promise<string> {
	return new Promise((resolve, reject) => {
		const socket = connect(port, "127.0.0.1", () => socket.write(text));
		let answer = "";
		socket.on("data", (data) => {
			answer += data.toString("latin1");
			if (enough(answer)) socket.end();
		});
		socket.on("close", () => resolve(answer));
		socket.on("error", (error) => (answer === "" ? reject(error) : resolve(answer)));
	});
}

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

function handshake(
	change: { path?: string; method?: string; drop?: string[]; set?: Record<string, string>; before?: string[] } = {},
): string {
	const headers: Record<string, string> = {
		Host: "desk.test",
		Connection: "Upgrade",
		Upgrade: "websocket",
		"Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": KEY,
		...change.set,
	};
	for (const name of change.drop ?? []) delete headers[name];
	const lines = [...(change.before ?? []), ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
	return `${change.method ?? "GET"} ${change.path ?? "/a2a/mira/ws"} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const bodyOf = (answer: string): { error: { code: number; status: string; message: string } } =>
	JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));

let desk: SocketDesk;
beforeAll(async () => {
	desk = await openSocketDesk();
});
afterAll(() => desk.close());

/** The server still answers. */
async function alive(): Promise<void> {
	const client = await dial(desk);
	expect((await client.hello()).desk.handle).toBe("mira");
	await client.close();
}

describe("a handshake that is refused", () => {
	it.each<[string, number, Parameters<typeof handshake>[0]]>([
		["of a page of another origin", 403, { set: { Origin: "https://evil.example" } }],
		["of a sandboxed frame", 403, { set: { Origin: "null" } }],
		["of an origin that only begins like ours", 403, { set: { Origin: "http://127.0.0.1.evil.example" } }],
		["of an origin with another port", 403, { set: { Origin: "http://127.0.0.1:1" } }],
		["of an empty origin", 403, { set: { Origin: "" } }],
		["for a desk that is not there", 404, { path: "/a2a/nobody/ws" }],
		["for a handle that cannot be", 404, { path: "/a2a/..%2fmira/ws" }],
		["elsewhere", 404, { path: "/ws" }],
		["at another path below the desk", 404, { path: "/a2a/mira/wss" }],
		["under another desk's name", 404, { path: "/a2a/mira/nobody/ws" }],
		["with a token in the address", 400, { path: "/a2a/mira/ws?access_token=eolg_x" }],
		["with a token under any name", 400, { path: "/a2a/mira/ws?x=eolc_abc" }],
		["with another verb", 400, { method: "POST", set: { "Content-Length": "0" } }],
		["of an older version", 426, { set: { "Sec-WebSocket-Version": "8", "Sec-WebSocket-Origin": "https://evil.example" } }],
		["without a version", 426, { drop: ["Sec-WebSocket-Version"] }],
		["without a key", 400, { drop: ["Sec-WebSocket-Key"] }],
		["with a key that is none", 400, { set: { "Sec-WebSocket-Key": "short" } }],
		["with a key of control characters in base64 that is too long", 400, { set: { "Sec-WebSocket-Key": "A".repeat(4_000) } }],
		["with a subprotocol list that is none", 400, { set: { "Sec-WebSocket-Protocol": ",,;" } }],
	])("%s", async (_name, status, change) => {
		const answer = await raw(desk.port, handshake(change));
		expect(statusOf(answer)).toBe(status);
		expect(answer).toMatch(/content-type: application\/json/i);
		const { error } = bodyOf(answer);
		expect(error.code).toBe(status);
		expect(error.message).toMatch(/\.$/);
		expect(answer).not.toContain("evil");
	});

	it("says which version it speaks", async () => {
		expect(await raw(desk.port, handshake({ set: { "Sec-WebSocket-Version": "7" } }))).toMatch(/sec-websocket-version: 13\r\n/i);
	});

	it("of 2,000 headers ends in a 4xx, and the process goes on (CVE-2024-37890)", async () => {
		const before = Array.from({ length: 2_000 }, (_, i) => `${(i % 36).toString(36)}: 1`);
		const status = statusOf(await raw(desk.port, handshake({ before })));
		expect(status).toBeGreaterThanOrEqual(400);
		expect(status).toBeLessThan(500);
		await alive();
	});

	it.each([
		["bytes that are no HTTP", Buffer.from("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "latin1")],
		["a request line that is none", "GARBAGE\r\n\r\n"],
		["header names that cannot be", "GET /a2a/mira/ws HTTP/1.1\r\nHo st: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"],
		["a length and chunks at once", handshake({ set: { "Content-Length": "3", "Transfer-Encoding": "chunked" } })],
	])("by %s does not end the process", async (_name, text) => {
		const answer = await raw(desk.port, text);
		if (answer !== "") expect(statusOf(answer)).toBeLessThan(500);
		await alive();
	});
});

describe("a handshake that is taken", () => {
	it.each<[string, Parameters<typeof dial>[1]]>([
		["without an origin", {}],
		["with the tenant appended", { path: "/a2a/mira/mira/ws" }],
		["with a slash at its end", { path: "/a2a/mira/ws/" }],
		["with a query that says nothing", { path: "/a2a/mira/ws?v=1" }],
	])("%s", async (_name, options) => {
		const client = await dial(desk, options);
		expect((await client.hello()).desk.handle).toBe("mira");
		await client.close();
	});

	it("of a page of our own", async () => {
		const client = await dial(desk, { origin: desk.url });
		expect((await client.hello()).you.kind).toBe("guest");
		await client.close();
	});

	it("agrees on no compression and no subprotocol, whatever is offered", async () => {
		const answer = await raw(
			desk.port,
			handshake({
				set: { "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits", "Sec-WebSocket-Protocol": "a2a, chat" },
			}),
			(said) => said.includes("\r\n\r\n"),
		);
		expect(statusOf(answer)).toBe(101);
		expect(answer).not.toMatch(/sec-websocket-(extensions|protocol)/i);
		const client = await dial(desk);
		expect(client.socket.extensions).toBe("");
		await client.close();
	});

	it("may bring its first frames with it", async () => {
		const hello = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "Hello", params: { version: "1.0", nonce: "pipelined-nonce-1" } });
		const frame = Buffer.concat([Buffer.from([0x81, 0x80 | hello.length, 0, 0, 0, 0]), Buffer.from(hello)]);
		expect(hello.length).toBeLessThan(126);
		const answer = await raw(desk.port, Buffer.concat([Buffer.from(handshake()), frame]), (said) => said.includes('"guestToken"'));
		expect(statusOf(answer)).toBe(101);
		expect(answer).toContain('"you":{"id":"gst_');
	});
});

describe("a wish for another upgrade", () => {
	const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: message("java-1", "hello") });
	const head = `POST /a2a/mira HTTP/1.1\r\nHost: desk.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;

	// Java's HTTP client asks for HTTP/2 so, on the first request to every server without TLS.
	it("is passed over: the request is answered, and the connection serves the next", async () => {
		const socket = connect(desk.port, "127.0.0.1");
		const answers: string[] = [];
		const answered = (count: number): Promise<void> =>
			new Promise((resolve) => {
				const look = (): void => void (answers.join("").split("HTTP/1.1 200").length > count && resolve());
				socket.on("data", look);
				look();
			});
		socket.on("data", (data) => answers.push(String(data)));
		socket.write(head + body.slice(0, 10));
		await new Promise((resolve) => setImmediate(resolve));
		socket.write(body.slice(10));
		await answered(1);
		expect(answers.join("")).toContain("TASK_STATE_COMPLETED");
		socket.write(`${head}${body.replace("java-1", "java-2")}`);
		await answered(2);
		socket.destroy();
	});

	it("for something unknown gets what a plain request would", async () => {
		const answer = await raw(desk.port, handshake({ path: "/a2a/nobody", set: { Upgrade: "imaginary", Connection: "upgrade, close" } }));
		expect(statusOf(answer)).toBeGreaterThanOrEqual(400);
		expect(statusOf(answer)).toBeLessThan(500);
		expect(bodyOf(answer).error).toBeDefined();
	});
});

describe("limits of the handshake", () => {
	it("counts sockets an address, and gives a place back when one closes", async () => {
		const own = await openSocketDesk({ limits: { socketsPerAddress: 2 } });
		try {
			const first = await dial(own);
			const second = await dial(own);
			const answer = await raw(own.port, handshake());
			expect(statusOf(answer)).toBe(429);
			expect(answer).toMatch(/retry-after: 5\r\n/i);
			await first.close();
			const third = await dial(own);
			expect((await third.hello()).you.kind).toBe("guest");
			await second.close();
		} finally {
			await own.close();
		}
	});

	it("counts sockets a desk and those without a Hello", async () => {
		const own = await openSocketDesk({ limits: { socketsPerDesk: 3, socketsUnauthenticated: 2 } });
		try {
			const one = await dial(own);
			const two = await dial(own);
			expect(statusOf(await raw(own.port, handshake()))).toBe(503);
			await one.hello();
			const three = await dial(own);
			await two.hello();
			await three.hello();
			const answer = await raw(own.port, handshake());
			expect(statusOf(answer)).toBe(503);
			expect(bodyOf(answer).error.message).toContain("desk");
			await Promise.all([one.close(), two.close(), three.close()]);
			expect((await (await dial(own)).hello()).you.kind).toBe("guest");
		} finally {
			await own.close();
		}
	});

	it("believes a proxy's word about the address as far as it is told to, and says so when a proxy is not trusted", async () => {
		const own = await openSocketDesk({ limits: { socketsPerAddress: 1 }, trustProxy: 1 });
		const distrustful = await openSocketDesk({ limits: { socketsPerAddress: 1 } });
		try {
			await dial(own, { headers: { "x-forwarded-for": "192.0.2.1" } });
			await dial(own, { headers: { "x-forwarded-for": "192.0.2.2" } });
			expect(statusOf(await raw(own.port, handshake({ set: { "X-Forwarded-For": "198.51.100.9, 192.0.2.2" } })))).toBe(429);
			expect(own.logged).toEqual([]);

			await dial(distrustful, { headers: { "x-forwarded-for": "192.0.2.1" } });
			expect(statusOf(await raw(distrustful.port, handshake({ set: { "X-Forwarded-For": "192.0.2.2" } })))).toBe(429);
			expect(distrustful.logged.map(({ text }) => text)).toEqual([expect.stringContaining("TRUST_PROXY")]);
		} finally {
			await own.close();
			await distrustful.close();
		}
	});

	it("counts handshakes like any request of the address", async () => {
		const own = await openSocketDesk({ limits: { requestsPerMinutePerAddress: 2 } });
		try {
			await dial(own);
			await dial(own);
			expect(statusOf(await raw(own.port, handshake()))).toBe(429);
		} finally {
			await own.close();
		}
	});

	it("refuses with 503 while it stops", async () => {
		const own = await openSocketDesk();
		const client = await dial(own);
		await client.hello();
		const text = handshake();
		const late = connect(own.port, "127.0.0.1");
		// Half a request: the server keeps its connection for it.
		await new Promise<void>((resolve) => late.write(text.slice(0, 20), () => resolve()));
		await (await dial(own)).hello();
		const closed = own.close();
		await client.find((frame) => frame.method === "bye");
		let answer = "";
		late.on("data", (data) => (answer += String(data)));
		late.write(text.slice(20));
		await new Promise((resolve) => late.once("close", resolve));
		expect(statusOf(answer)).toBe(503);
		expect(answer).toMatch(/retry-after: 2\r\n/i);
		await closed;
	});
});
