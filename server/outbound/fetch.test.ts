import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DeskError } from "../../shared/errors.js";
import { type HostOptions, openWeb, type Records, type Web } from "../../test/apps/web.js";
import { reachOfText } from "./addresses.js";
import { createOutbound, type Outbound, type OutboundOptions } from "./fetch.js";

let web: Web;
let outbound: Outbound;
const OWN = "93.184.216.200";

const open = (more: Partial<OutboundOptions> = {}): Outbound =>
	createOutbound({
		privateOrigins: [],
		ownHosts: ["desk.example"],
		ownAddresses: [OWN],
		dial: web.dial,
		times: { connect: 400, headers: 400, total: 800 },
		...more,
	});

beforeEach(async () => {
	web = await openWeb();
	outbound = open();
});
afterEach(async () => {
	await outbound.close();
	await web.close();
});

const reason = async (url: string, from = outbound): Promise<string> =>
	await from.ask(url).then(
		(told) => `answered ${told.status}`,
		(error: DeskError) => error.detail?.metadata?.reason ?? String(error),
	);

describe("asking an address", () => {
	it("gives what a public host says, in UTF-8, having asked for nothing packed", async () => {
		const asked = await web.serve("feed.example", (_, response) =>
			response.setHeader("content-type", "Text/Calendar; charset=utf-8").end("早上好"),
		);
		expect(await outbound.ask("https://feed.example/a?b=c", { headers: { authorization: "Bearer x", "accept-encoding": "gzip" } })).toEqual(
			{
				status: 200,
				type: "text/calendar",
				text: "早上好",
			},
		);
		expect(asked[0]?.url).toBe("/a?b=c");
		expect(asked[0]?.headers).toMatchObject({ host: "feed.example", "accept-encoding": "identity", authorization: "Bearer x" });
		expect(await outbound.ask("https://feed.example/", { method: "POST", body: "{}" })).toMatchObject({ status: 200 });
		expect(web.dialled).toHaveLength(2);
	});

	it.each([
		["scheme", "http://feed.example/"],
		["scheme", "ftp://feed.example/"],
		["scheme", "file:///etc/passwd"],
		["scheme", "gopher://feed.example:70/_x"],
		["scheme", "ws://feed.example/"],
		["scheme", "javascript:alert(1)"],
		["port", "https://feed.example:22/"],
		["port", "https://feed.example:6379/"],
		["port", "https://feed.example:8443/"],
		["userinfo", "https://a@feed.example/"],
		["userinfo", "https://a:b@feed.example/"],
		["malformed", "https://feed.example/#x"],
		["malformed", "https://feed.example\\@other.example/"],
		["malformed", "https://feed.example/\u0000"],
		["malformed", " https://feed.example/"],
		["malformed", "https://fe\ted.example/"],
		["malformed", "feed.example"],
		["malformed", "https://"],
		["malformed", `https://feed.example/${"x".repeat(3_000)}`],
		["own", "https://desk.example/"],
		["own", "https://DESK.example./"],
		["own", "https://localhost/"],
		["own", "https://x.localhost/"],
		["private", "https://127.0.0.1/"],
		["private", "https://2130706433/"],
		["private", "https://[::1]/"],
		["private", "https://[::ffff:93.184.216.34]/"],
		["private", "https://169.254.169.254/latest/meta-data"],
		["own", `https://${OWN}/`],
	])("refuses (%s) %j before anything is dialled", async (why, url) => {
		await web.serve("feed.example", (_, response) => response.end());
		expect(await reason(url)).toBe(why);
		expect(web.dialled).toEqual([]);
	});

	const LIVE: [string, Records, string][] = [
		["a public name", ["93.184.216.100"], "answered 200"],
		["one of several that is private", ["93.184.216.100", "10.0.0.1"], "private"],
		["one of several that is private, first", ["10.0.0.1", "93.184.216.100"], "private"],
		["a private one in IPv6 beside a public one", ["93.184.216.100", "fd00::1"], "private"],
		["loopback", ["127.0.0.1"], "private"],
		["loopback of IPv6", ["::1"], "private"],
		["any", ["0.0.0.0"], "private"],
		["any of IPv6", ["::"], "private"],
		["10/8", ["10.255.255.254"], "private"],
		["172.16/12", ["172.31.0.1"], "private"],
		["192.168/16", ["192.168.0.10"], "private"],
		["shared by a provider", ["100.100.100.200"], "private"],
		["metadata", ["169.254.169.254"], "private"],
		["metadata in IPv6", ["fd00:ec2::254"], "private"],
		["link-local", ["fe80::1"], "private"],
		["unique local", ["fc00::1"], "private"],
		["a group", ["224.0.0.251"], "private"],
		["a group in IPv6", ["ff02::fb"], "private"],
		["everybody", ["255.255.255.255"], "private"],
		["reserved", ["240.0.0.1"], "private"],
		["documentation", ["192.0.2.1"], "private"],
		["documentation, second", ["198.51.100.1"], "private"],
		["documentation, third", ["203.0.113.1"], "private"],
		["documentation in IPv6", ["2001:db8::1"], "private"],
		["benchmarks", ["198.18.0.1"], "private"],
		["IETF", ["192.0.0.1"], "private"],
		["an IPv4 in IPv6", ["::ffff:7f00:1"], "private"],
		["an IPv4 in IPv6, old", ["::7f00:1"], "private"],
		["NAT64", ["64:ff9b::7f00:1"], "private"],
		["local NAT64", ["64:ff9b:1::7f00:1"], "private"],
		["6to4", ["2002:7f00:1::1"], "private"],
		["Teredo", ["2001:0:4136::1"], "private"],
		["documentation, large", ["3fff::1"], "private"],
		["discard", ["100::1"], "private"],
		["this very machine", [OWN], "own"],
		["this machine beside another", ["93.184.216.100", OWN], "own"],
		["no such name", [], "unresolved"],
		["a name server that fails", "servfail", "unresolved"],
		["a name server that is silent", "silent", "unresolved"],
		["a host that is not up", ["93.184.216.250"], "unreachable"],
		["two hosts, the first of which is not up", ["93.184.216.250", "93.184.216.100"], "answered 200"],
	];
	it(`holds for ${LIVE.length} live names, whatever the name server says`, async () => {
		expect(LIVE.length).toBeGreaterThanOrEqual(40);
		await web.serve("live.example", (_, response) => response.end("ok"), { addresses: ["93.184.216.100"] });
		expect(await wrongOf(() => reason("https://live.example/"))).toEqual([]);
		expect(await reason("https://nowhere.example/")).toBe("unresolved");
	});

	/** What of the live names is answered otherwise than it should be, or dialled though it should not. */
	async function wrongOf(ask: () => Promise<string>): Promise<string[]> {
		const wrong: string[] = [];
		for (const [what, records, expected] of LIVE) {
			web.names.set("live.example", records);
			const before = web.dialled.length;
			const found = await ask();
			if (found !== expected) wrong.push(`${what}: ${found}`);
			if ((expected === "private" || expected === "own") && web.dialled.length > before) wrong.push(`${what}: dialled`);
		}
		return wrong;
	}

	it.each([
		["looks at nothing", (addresses: string[]) => addresses],
		[
			"looks at the first address only",
			(addresses: string[]) => (reachOfText(addresses[0] ?? "") === "public" ? addresses.slice(0, 1) : []),
		],
		["knows IPv4 only", (addresses: string[]) => (addresses.every((a) => a.includes(":") || reachOfText(a) === "public") ? addresses : [])],
	])("would be found out if it were a door that %s", async (_, admits) => {
		await web.serve("live.example", (_, response) => response.end("ok"), { addresses: ["93.184.216.100"] });
		const careless = async (): Promise<string> => {
			const addresses = await web.dial.resolve("live.example").catch(() => undefined);
			if (!addresses || addresses.length === 0) return "unresolved";
			const admitted = admits(addresses);
			for (const address of admitted)
				web.dial
					.connect(address, 443)
					.on("error", () => undefined)
					.destroy();
			return admitted.length === 0 ? "private" : "answered 200";
		};
		expect((await wrongOf(careless)).length).toBeGreaterThan(0);
	});

	it("dials the address that it looked at, though the name changes in between", async () => {
		await web.serve("flip.example", (_, response) => response.end("ok"), { addresses: ["93.184.216.100"] });
		const { resolve } = web.dial;
		let asked = 0;
		const flipping = open({
			dial: { ...web.dial, ca: web.dial.ca, resolve: async (host) => (++asked === 1 ? await resolve(host) : ["127.0.0.1"]) },
		});
		expect(await reason("https://flip.example/", flipping)).toBe("answered 200");
		expect(asked).toBe(1);
		expect(await reason("https://flip.example/", flipping)).toBe("private");
		expect(web.dialled).toEqual(["93.184.216.100:443"]);
		await flipping.close();
	});

	it("hangs up on whoever answers from another address than was dialled", async () => {
		const asked = await web.serve("far.example", (_, response) => response.end("ok"), { addresses: ["93.184.216.100"] });
		await web.serve("near.example", (_, response) => response.end("inside"), { addresses: ["127.0.0.1"] });
		web.divert("93.184.216.100", "127.0.0.1");
		expect(await reason("https://far.example/")).toBe("private");
		expect(asked).toEqual([]);
	});

	it.each(["unknown", "wrong", "expired"] as NonNullable<HostOptions["tls"]>[])(
		"sends nothing to a certificate that is not good: %s",
		async (tls) => {
			const asked = await web.serve("bad.example", (_, response) => response.end("ok"), { tls });
			expect(await reason("https://bad.example/")).toBe("certificate");
			expect(asked).toEqual([]);
		},
	);

	it("does not step down to plain http on the port of https", async () => {
		await web.serve("plain.example", (_, response) => response.end("ok"), { tls: "plain" });
		expect(await reason("https://plain.example/")).toMatch(/certificate|unreachable/);
	});

	it.each([301, 302, 303, 307, 308, 300, 304])("follows no redirect (%i), not even to itself", async (status) => {
		const asked = await web.serve("away.example", (_, response) => {
			response.writeHead(status, { location: "https://169.254.169.254/" }).end();
		});
		expect(await reason("https://away.example/")).toBe("redirect");
		expect(asked).toHaveLength(1);
		expect(web.dialled).toHaveLength(1);
	});

	it.each(["gzip", "br", "deflate", "x-unknown"])("unpacks nothing (%s)", async (encoding) => {
		const bomb = gzipSync(Buffer.alloc(20_000_000));
		await web.serve("bomb.example", (_, response) => response.setHeader("content-encoding", encoding).end(bomb));
		const before = process.memoryUsage().rss;
		expect(await reason("https://bomb.example/")).toBe("encoded");
		expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
	});

	it("takes no more than it was told to, said beforehand or not", async () => {
		let written = 0;
		await web.serve("large.example", (request, response) => {
			if (request.url === "/said") return void response.setHeader("content-length", 10_000_000).flushHeaders();
			if (request.url === "/exact") return void response.end("x".repeat(1_000));
			const more = (): void => {
				while (response.write("x".repeat(65_536))) written += 65_536;
				response.once("drain", more);
			};
			more();
		});
		const ask = (path: string) =>
			outbound.ask(`https://large.example${path}`, { maxBytes: 1_000 }).catch((e: DeskError) => e.detail.metadata?.reason);
		expect(await ask("/exact")).toMatchObject({ text: "x".repeat(1_000) });
		expect(await ask("/said")).toBe("too_large");
		expect(await ask("/endless")).toBe("too_large");
		expect(written).toBeLessThan(20_000_000);
		await web.serve("heads.example", (_, response) => response.setHeader("x-many", "x".repeat(30_000)).end());
		expect(await reason("https://heads.example/")).toBe("too_large");
	});

	it("waits no longer than it may: for the connection, the headers, the last byte, whoever trickles", async () => {
		const stops: (() => void)[] = [];
		await web.serve("slow.example", (request, response) => {
			if (request.url === "/headers") return;
			response.flushHeaders();
			const timer = setInterval(() => response.write("."), 50);
			stops.push(() => clearInterval(timer));
		});
		const from = performance.now();
		expect(await reason("https://slow.example/headers")).toBe("too_slow");
		expect(await reason("https://slow.example/trickle")).toBe("too_slow");
		expect(performance.now() - from).toBeLessThan(4_000);
		for (const stop of stops) stop();
	});

	it("stops when nobody waits any more", async () => {
		await web.serve("slow.example", () => undefined);
		const stop = new AbortController();
		const asked = outbound.ask("https://slow.example/", { signal: stop.signal }).catch((e: DeskError) => e.detail.metadata?.reason);
		stop.abort();
		expect(await asked).toBe("stopped");
	});

	it("calls a private network only at the origins that its operator named, and never its metadata", async () => {
		await web.serve("searx.lan", (_, response) => response.end("inside"), { addresses: ["192.168.1.5"], port: 8080, tls: "plain" });
		await web.serve("other.lan", (_, response) => response.end("inside"), { addresses: ["192.168.1.6"], port: 8080, tls: "plain" });
		const named = open({ privateOrigins: ["http://searx.lan:8080", "http://169.254.169.254", "http://meta.lan"] });
		web.names.set("meta.lan", ["169.254.169.254"]);
		expect(await reason("http://searx.lan:8080/search", named)).toBe("answered 200");
		expect(await reason("http://searx.lan:8081/", named)).toBe("scheme");
		expect(await reason("https://searx.lan:8080/", named)).toBe("port");
		expect(await reason("http://other.lan:8080/", named)).toBe("scheme");
		expect(await reason("http://169.254.169.254/", named)).toBe("private");
		expect(await reason("http://meta.lan/", named)).toBe("private");
		expect(await reason("http://searx.lan:8080/")).toBe("scheme");
		await named.close();
	});
});
