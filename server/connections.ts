/**
 * How many TCP connections one address may hold, whatever is spoken on them or is not (reliability.md 91): descriptors are the
 * machine's, and one address must not have them all. Looks at sockets only, before a byte of theirs is read.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { bareAddress, networkOf } from "./callers.js";

const NETWORK = Symbol("network");

/** Where it is counted stands on the socket: there may be ten thousand, and a listener of its own for each would be felt. */
interface Counted extends Socket {
	[NETWORK]?: string;
}

/** Closes at once what an address opens beyond `perAddress`. Not for a server behind a proxy, whose connections are all the proxy's. */
export function limitConnections(server: Server, perAddress: number): void {
	const open = new Map<string, number>();
	function leave(this: Counted): void {
		const network = this[NETWORK] ?? "";
		const left = (open.get(network) ?? 1) - 1;
		if (left > 0) open.set(network, left);
		else open.delete(network);
	}
	server.on("connection", (socket: Counted) => {
		// A connection whose wish for another protocol was passed over is given to the server a second time (websocket-upgrade.ts).
		if (socket[NETWORK] !== undefined || socket.remoteAddress === undefined) return;
		const network = networkOf(bareAddress(socket.remoteAddress));
		const held = open.get(network) ?? 0;
		if (held >= perAddress) return void socket.destroy();
		socket[NETWORK] = network;
		open.set(network, held + 1);
		socket.on("close", leave);
	});
}
