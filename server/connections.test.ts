import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../shared/limits.js";
import { openTestDesk, type TestDesk } from "../test/desk.js";

let desk: TestDesk | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
	for (const socket of sockets.splice(0)) socket.destroy();
	await desk?.close();
	desk = undefined;
});

async function opened(port: number): Promise<Socket> {
	const socket = connect(port, "127.0.0.1");
	sockets.push(socket);
	socket.on("error", () => undefined);
	await once(socket, "connect");
	return socket;
}

/** What a connection answers to the smallest question; empty where it was closed instead. */
async function answerOf(socket: Socket): Promise<string> {
	socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
	return await new Promise<string>((resolve) => {
		const onData = (chunk: Buffer): void => end(String(chunk));
		const onClose = (): void => end("");
		const end = (said: string): void => {
			socket.off("data", onData);
			socket.off("close", onClose);
			resolve(said);
		};
		socket.on("data", onData);
		socket.on("close", onClose);
	});
}

describe("connections of one address", () => {
	it("are so many and no more, and one that is closed makes room", async () => {
		desk = await openTestDesk({ config: { limits: { ...LIMITS, connectionsPerAddress: 2 } } });
		const { port } = await desk.serve();
		const [first, second] = [await opened(port), await opened(port)];
		expect(await answerOf(first)).toContain("200 OK");
		expect(await answerOf(second)).toContain("200 OK");
		expect(await answerOf(await opened(port))).toBe("");
		first.end();
		await once(first, "close");
		let last = "";
		while (last === "") last = await answerOf(await opened(port));
		expect(last).toContain("200 OK");
	});

	it("are not counted behind a proxy of ours, whose they all are", async () => {
		desk = await openTestDesk({ config: { trustProxy: 1, limits: { ...LIMITS, connectionsPerAddress: 1 } } });
		const { port } = await desk.serve();
		expect(await answerOf(await opened(port))).toContain("200 OK");
		expect(await answerOf(await opened(port))).toContain("200 OK");
	});

	it("end after so many requests, with a word", async () => {
		desk = await openTestDesk();
		const { port } = await desk.serve();
		const socket = await opened(port);
		for (let i = 1; i < LIMITS.requestsPerConnection; i++) expect(await answerOf(socket)).toMatch(/connection: keep-alive/i);
		expect(await answerOf(socket)).toMatch(/connection: close/i);
	});
});
