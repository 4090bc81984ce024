/**
 * How a connection to an address that somebody typed is made: every address of its name is looked at, one of exactly those is dialled,
 * and the other end is looked at again, so that no second answer of a name server is ever believed (reliability.md 71, 77, 78). Names and
 * sockets come from outside, so that tests bring their own.
 */
import { lookup } from "node:dns/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { DeskError } from "../../shared/errors.js";
import { reachOfText, sameAddress } from "./addresses.js";

/** What the world outside is reached with. */
export interface Dial {
	/** Every address of a name. Rejects where there is none or nobody answers. */
	resolve(host: string): Promise<string[]>;
	/** A connection that is on its way to an address. */
	connect(address: string, port: number): Socket;
	/** Certificates trusted besides the usual ones. */
	ca?: string;
}

export const systemDial: Dial = {
	resolve: async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
	connect: (host, port) => connectTcp({ host, port }),
};

/** Why nothing was fetched; in `detail.metadata.reason` of the error, so that nobody has to read its sentence. */
export type Reason =
	| "scheme"
	| "port"
	| "userinfo"
	| "malformed"
	| "own"
	| "private"
	| "unresolved"
	| "unreachable"
	| "certificate"
	| "redirect"
	| "encoded"
	| "too_large"
	| "too_slow"
	| "broken"
	| "stopped";

/** Reasons that lie in the address itself: trying again helps nobody. */
const OF_ADDRESS: ReadonlySet<Reason> = new Set(["scheme", "port", "userinfo", "malformed", "own", "private"]);

export const refused = (reason: Reason, message: string): DeskError =>
	new DeskError(OF_ADDRESS.has(reason) ? "invalid_params" : "unavailable", message, { metadata: { reason } });

/** A host that may be dialled: what of it is checked. */
export interface Target {
	host: string;
	port: number;
	secure: boolean;
	/** The operator named this origin: its addresses may be of their own network. */
	mayBePrivate: boolean;
}

/** Addresses of a target, each of which may be dialled. Throws where any may not (R5): half a good answer is a trick. */
export async function addressesOf(target: Target, dial: Dial, isOwn: (address: string) => boolean): Promise<string[]> {
	const { host } = target;
	const literal = host.startsWith("[") ? host.slice(1, -1) : isIP(host) === 4 ? host : undefined;
	let addresses: string[];
	try {
		addresses = literal === undefined ? await dial.resolve(host) : [literal];
	} catch {
		throw refused("unresolved", `No name server knows ${host}, or none answers. Check the name, or try again later.`);
	}
	if (addresses.length === 0) throw refused("unresolved", `The name ${host} has no address. Check the name.`);
	for (const address of addresses) {
		const reach = reachOfText(address);
		if (!target.mayBePrivate && isOwn(address)) throw refused("own", `${host} is this server itself. Give an address elsewhere.`);
		if (reach === "never" || (reach === "private" && !target.mayBePrivate))
			throw refused(
				"private",
				`${host} has an address of a private network, which is not called from here. If it is your own, name its origin in ALLOW_PRIVATE_APPS.`,
			);
	}
	return addresses;
}

/** A socket to a target, TLS included, within `ms`. The first address that answers counts. */
export async function reach(target: Target, dial: Dial, isOwn: (address: string) => boolean, ms: number): Promise<Socket | TLSSocket> {
	const until = performance.now() + ms;
	const addresses = await within(addressesOf(target, dial, isOwn), ms, target.host);
	let last: unknown;
	for (const address of addresses) {
		const left = until - performance.now();
		if (left <= 0) break;
		const socket = dial.connect(address, target.port);
		try {
			await opened(socket, "connect", left);
			// What answers is what was asked for: nothing between may have turned it elsewhere.
			if (!sameAddress(socket.remoteAddress ?? "", address)) throw refused("private", `${target.host} was answered from another address.`);
			return target.secure ? await secured(socket, target, dial, until - performance.now()) : socket;
		} catch (error) {
			socket.destroy();
			if (error instanceof DeskError) throw error;
			last = error;
		}
	}
	const { code } = (last ?? {}) as { code?: string };
	throw refused(
		"unreachable",
		`${target.host} does not answer${code === undefined ? "" : ` (${code})`}. Check the address, or try again later.`,
	);
}

async function secured(socket: Socket, { host }: Target, dial: Dial, ms: number): Promise<TLSSocket> {
	const name = host.startsWith("[") ? host.slice(1, -1) : host;
	const options = {
		socket,
		host: name,
		ALPNProtocols: ["http/1.1"],
		minVersion: "TLSv1.2",
		...(dial.ca === undefined ? {} : { ca: dial.ca }),
	} as const;
	// A number is no server name; its certificate is still held against it.
	const tls = connectTls(isIP(name) === 0 ? { ...options, servername: name } : options);
	try {
		await opened(tls, "secureConnect", ms);
		return tls;
	} catch (error) {
		tls.destroy();
		const { code } = error as { code?: string };
		if (code === undefined || code === "ETIMEDOUT" || code === "ECONNRESET") throw error;
		throw refused("certificate", `The certificate of ${host} is not good (${code}), so nothing was sent. It has to be mended there.`);
	}
}

const tooSlow = (): NodeJS.ErrnoException => Object.defineProperty(new Error("too slow"), "code", { value: "ETIMEDOUT" });

function opened(socket: Socket, event: "connect" | "secureConnect", ms: number): Promise<void> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => end(tooSlow()), Math.max(1, ms));
		const end = (error?: Error): void => {
			clearTimeout(timer);
			socket.off("error", end).off("close", closed).off(event, done);
			// What is destroyed may fail once more, to nobody.
			if (error) socket.on("error", () => undefined);
			if (error) reject(error);
			else resolve();
		};
		const closed = (): void => end(Object.defineProperty(new Error("closed"), "code", { value: "ECONNRESET" }));
		const done = (): void => end();
		socket.on("error", end).on("close", closed).on(event, done);
	});
}

function within<T>(work: Promise<T>, ms: number, host: string): Promise<T> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(refused("unresolved", `The name ${host} was not found in time. Try again later.`)), ms);
		work.then(resolve, reject).finally(() => clearTimeout(timer));
	});
}
