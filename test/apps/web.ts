/**
 * A small internet for tests of what the server asks others: a name server of its own over UDP, hosts with public addresses and real TLS,
 * behind a `Dial` that carries a connection to such an address to a port of this machine. Nothing leaves the machine.
 */
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { createServer as createHttp, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Dial } from "../../server/outbound/dial.js";
import { makeCertificate } from "../certificate.js";

/** What the name server says of a name: its addresses, or how it fails. */
export type Records = string[] | "servfail" | "silent";

export interface HostOptions {
	/** The addresses that it stands at; one of its own unless given. */
	addresses?: string[];
	port?: number;
	/** `plain`: no TLS at all · `unknown`: signed by nobody we know · `wrong`: another name · `expired`. */
	tls?: "good" | "plain" | "unknown" | "wrong" | "expired";
}

export interface Web {
	dial: Dial;
	/** Names and their addresses; changed at will. */
	names: Map<string, Records>;
	/** Every connection that was begun: `address:port`. */
	dialled: string[];
	/** Stands a host up and gives what it was asked. */
	serve(name: string, listener: RequestListener, options?: HostOptions): Promise<IncomingMessage[]>;
	/** A connection to `address` ends up at what stands at `other` instead, and says so. */
	divert(address: string, other: string): void;
	close(): Promise<void>;
}

const dnsName = (packet: Buffer): { name: string; end: number } => {
	const labels: string[] = [];
	let at = 12;
	for (let length = packet[at] as number; length > 0; length = packet[at] as number) {
		labels.push(packet.toString("latin1", at + 1, at + 1 + length));
		at += 1 + length;
	}
	return { name: labels.join(".").toLowerCase(), end: at + 5 };
};

const v6Bytes = (address: string): Buffer => {
	const [head = "", tail = ""] = address.split("::");
	const groups = (text: string): number[] =>
		text
			.split(":")
			.filter(Boolean)
			.map((group) => Number.parseInt(group, 16));
	const [first, last] = [groups(head), groups(tail)];
	const all = address.includes("::") ? [...first, ...Array(8 - first.length - last.length).fill(0), ...last] : first;
	return Buffer.from(all.flatMap((group: number) => [group >> 8, group & 255]));
};

/** Answers questions for A and AAAA by the table (RFC 1035, 3596). */
async function nameServer(names: ReadonlyMap<string, Records>) {
	const socket = createSocket("udp4");
	socket.on("message", (packet, from) => {
		const { name, end } = dnsName(packet);
		const type = packet.readUInt16BE(end - 4);
		const records = names.get(name);
		if (records === "silent") return;
		const answers = Array.isArray(records) ? records.filter((address) => (type === 28) === address.includes(":")) : [];
		const head = Buffer.from(packet.subarray(0, 12));
		head.writeUInt16BE(0x8180 | (records === "servfail" ? 2 : records === undefined ? 3 : 0), 2);
		head.writeUInt16BE(answers.length, 6);
		head.writeUInt32BE(0, 8);
		const rows = answers.map((address) => {
			const bytes = type === 28 ? v6Bytes(address) : Buffer.from(address.split(".").map(Number));
			const row = Buffer.alloc(12);
			row.writeUInt16BE(0xc00c, 0);
			row.writeUInt16BE(type, 2);
			row.writeUInt16BE(1, 4);
			row.writeUInt16BE(bytes.length, 10);
			return Buffer.concat([row, bytes]);
		});
		socket.send(Buffer.concat([head, packet.subarray(12, end), ...rows]), from.port, from.address);
	});
	await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
	return { port: socket.address().port, close: () => socket.close() };
}

const EXPIRED = Date.UTC(2020, 0, 1);

export async function openWeb(): Promise<Web> {
	const names: Web["names"] = new Map();
	const server = await nameServer(names);
	const resolver = new Resolver({ timeout: 300, tries: 1 });
	resolver.setServers([`127.0.0.1:${server.port}`]);
	const servers: Server[] = [];
	const ports = new Map<string, number>();
	const diverted = new Map<string, string>();
	const dialled: string[] = [];
	let trusted = "";
	let hosts = 0;

	const none = (error: NodeJS.ErrnoException): string[] => {
		if (error.code === "ENODATA") return [];
		throw error;
	};
	const dial: Dial = {
		resolve: async (host) => (await Promise.all([resolver.resolve4(host).catch(none), resolver.resolve6(host).catch(none)])).flat(),
		connect(address, port) {
			dialled.push(`${address}:${port}`);
			const at = diverted.get(address) ?? address;
			const socket: Socket = connect({ host: "127.0.0.1", port: ports.get(`${at}:${port}`) ?? 1 });
			// The far end of a connection on the real net bears the address that was dialled.
			Object.defineProperty(socket, "remoteAddress", { get: () => at });
			return socket;
		},
		get ca() {
			return trusted;
		},
	};

	return {
		dial,
		names,
		dialled,
		divert: (address, other) => void diverted.set(address, other),
		async serve(name, listener, { addresses = [`93.184.216.${++hosts}`], port = 443, tls = "good" } = {}) {
			const asked: IncomingMessage[] = [];
			const noted: RequestListener = (request, response) => {
				asked.push(request);
				listener(request, response);
			};
			const certificate = makeCertificate([tls === "wrong" ? "other.example" : name], tls === "expired" ? EXPIRED : undefined);
			if (tls !== "unknown") trusted += certificate.cert;
			const host = tls === "plain" ? createHttp(noted) : createHttps(certificate, noted);
			await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
			servers.push(host);
			names.set(name, addresses);
			for (const address of addresses) ports.set(`${address}:${port}`, (host.address() as AddressInfo).port);
			return asked;
		},
		async close() {
			server.close();
			resolver.cancel();
			for (const host of servers) {
				host.closeAllConnections();
				await new Promise((resolve) => host.close(resolve));
			}
		},
	};
}
