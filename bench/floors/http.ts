/** Bare node:http. A POST is read, parsed and answered with as many bytes as its `x-answer` says; a GET is answered with a word. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ready } from "../child.js";

const server = createServer((request, response) => {
	if (request.method !== "POST") {
		response.writeHead(200, { "content-type": "text/plain", "content-length": 2 }).end("ok");
		return;
	}
	const chunks: Buffer[] = [];
	request.on("data", (chunk: Buffer) => chunks.push(chunk));
	request.on("end", () => {
		const { id } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { id: unknown };
		const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":"${"x".repeat(Number(request.headers["x-answer"] ?? 0))}"}`;
		response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text);
	});
});
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => ready({ port: (server.address() as AddressInfo).port }));
