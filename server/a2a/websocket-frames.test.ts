import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { EventFrames, frameOf, notification } from "./websocket-frames.js";

describe("a text frame", () => {
	// Read back by the library's own reader, which is not ours.
	const server = createServer();
	const sockets = new WebSocketServer({ noServer: true });
	let write: (frame: Buffer) => void;
	let client: WebSocket;
	beforeAll(async () => {
		server.on("upgrade", (request, socket, head) => {
			sockets.handleUpgrade(request, socket, head, () => undefined);
			write = (frame) => socket.write(frame);
		});
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
		await once(client, "open");
	});
	afterAll(() => {
		client.terminate();
		server.close();
	});

	it.each([0, 1, 125, 126, 127, 65_535, 65_536, 200_000])("of %i bytes is read back as it was", async (length) => {
		const text = "x".repeat(length);
		const came = once(client, "message");
		write(frameOf(text));
		const [data, isBinary] = (await came) as [Buffer, boolean];
		expect(String(data) === text).toBe(true);
		expect(isBinary).toBe(false);
	});

	it("counts bytes, not characters", async () => {
		const text = "问".repeat(42);
		const came = once(client, "message");
		write(frameOf(text));
		expect(String((await came)[0])).toBe(text);
		expect(frameOf(text)).toHaveLength(4 + 126);
	});
});

describe("frames of events", () => {
	it("are built once for everybody who is given the same event", () => {
		const frames = new EventFrames();
		const event = JSON.stringify({ contextId: "c", seq: 1 });
		expect(frames.of(event)).toBe(frames.of(JSON.stringify({ contextId: "c", seq: 1 })));
		expect(frames.of(event).subarray(2).toString()).toBe(notification("event", event));
	});

	it("forget the oldest, and never keep one that is large", () => {
		const frames = new EventFrames();
		const first = frames.of("0");
		for (let i = 1; i <= 64; i++) frames.of(String(i));
		expect(frames.of("0")).not.toBe(first);
		const large = JSON.stringify("x".repeat(70_000));
		expect(frames.of(large)).not.toBe(frames.of(large));
	});
});
