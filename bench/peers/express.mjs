/** Express with its own JSON reader: a POST answered with as many bytes as its `x-answer` says. */
import express from "express";

const app = express();
app.use(express.json());
app.post("/", (request, response) =>
	response.json({ jsonrpc: "2.0", id: request.body.id, result: "x".repeat(Number(request.headers["x-answer"] ?? 0)) }),
);
const server = app.listen(0, "127.0.0.1", () => process.send({ ready: { port: server.address().port } }));
