/** Bare ws, with nothing of ours: says back what it hears, or five events to who asks to go on, or one event to all. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { questions, ready } from "../child.js";

/** As long as an event of ours is on the wire. */
const EVENT = `{"jsonrpc":"2.0","method":"event","params":{"contextId":"ctx_0123456789abcdef0123456789","seq":7,"at":1700000000000,"statusUpdate":{"taskId":"tsk_0123456789abcdef0123456789","contextId":"ctx_0123456789abcdef0123456789","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:00.000Z"}}}}`;
const RESUMED = 5;

const server = createServer();
const sockets = new Set<WebSocket>();
const all = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false, backlog: 511 });
all.on("connection", (socket) => {
	sockets.add(socket);
	socket.on("close", () => sockets.delete(socket));
	socket.on("message", (data, isBinary) => {
		socket.send(data, { binary: isBinary });
		if (data.toString().includes('"resume"')) for (let i = 0; i < RESUMED; i++) socket.send(EVENT);
	});
});
questions.fanout = () => {
	for (const socket of sockets) socket.send(EVENT);
};
server.listen(0, "127.0.0.1", () => ready({ port: (server.address() as AddressInfo).port }));
