import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { get, post, runLoad } from "./http-load.js";

describe("a load", () => {
	let close: () => void = () => undefined;
	afterEach(() => close());

	async function serve(listener: RequestListener, requestsPerSocket = 0): Promise<number> {
		const server = createServer(listener);
		server.maxRequestsPerSocket = requestsPerSocket;
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		close = () => server.close();
		return (server.address() as AddressInfo).port;
	}

	it("asks as often as it is told, each request whole", async () => {
		const heard: string[] = [];
		const port = await serve((request, response) => {
			request.setEncoding("utf8");
			request.on("data", (text: string) => heard.push(text));
			request.on("end", () => response.end(`took ${heard.length}`));
		});
		const { requests } = await runLoad({ port, connections: 3, requests: 30, request: (n) => post("/", `nr ${n}`), expect: "took" });
		expect(requests).toBe(30);
		expect(heard.sort()).toEqual(Array.from({ length: 30 }, (_, n) => `nr ${n}`).sort());
	});

	it("reads answers of a length, in chunks and of another length each time", async () => {
		let n = 0;
		const port = await serve((_, response) => {
			const text = "x".repeat(++n * 7);
			if (n % 2) response.end(text);
			else {
				response.write(text.slice(0, 3));
				response.end(text.slice(3));
			}
		});
		const bodies: string[] = [];
		await runLoad({ port, connections: 1, requests: 10, request: () => get("/"), expect: "xxx", heard: (body) => bodies.push(body) });
		expect(bodies).toEqual(Array.from({ length: 10 }, (_, i) => "x".repeat((i + 1) * 7)));
	});

	it("goes on with another connection where the server wants no more on one", async () => {
		const ports = new Set<number | undefined>();
		const port = await serve((request, response) => {
			ports.add(request.socket.remotePort);
			response.end("ok");
		}, 10);
		const { requests } = await runLoad({ port, connections: 1, requests: 35, request: () => get("/"), expect: "ok" });
		expect(requests).toBe(35);
		expect(ports.size).toBe(4);
	});

	it("does not take a refusal for an answer, even among many good ones", async () => {
		let n = 0;
		const port = await serve((_, response) => response.end(++n === 20 ? "bad bad" : "all ok "));
		await expect(runLoad({ port, connections: 1, requests: 40, request: () => get("/"), expect: "ok" })).rejects.toThrow(
			"An answer without ok",
		);
	});
});
