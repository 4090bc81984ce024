import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { DeskError } from "../shared/errors.js";
import { addressOf, credentialOf, networkOf, type RequestLike, refuseTokenInQuery, siteOf } from "./callers.js";

const request = (headers: Record<string, string>, target = "/a2a/mira"): RequestLike => ({ header: (name) => headers[name], target });

const code = (call: () => unknown): string | undefined => {
	try {
		call();
		return undefined;
	} catch (error) {
		return error instanceof DeskError ? error.code : String(error);
	}
};

/** What `addressOf` says of a real request over loopback. */
async function addressSeen(hops: number, headers: Record<string, string>): Promise<string> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	try {
		const seen = new Promise<IncomingMessage>((resolve) =>
			server.once("request", (incoming, outgoing) => {
				resolve(incoming);
				outgoing.end();
			}),
		);
		await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers });
		return addressOf({ header: () => undefined, target: "/", incoming: await seen }, hops);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

describe("the credential of a request", () => {
	it("is the Bearer token, whatever the case of the word", () => {
		expect(credentialOf(request({ authorization: "Bearer eolg_abc" }), false)).toBe("eolg_abc");
		expect(credentialOf(request({ authorization: "bearer  eolc_x " }), false)).toBe("eolc_x");
	});

	it("is nothing where nothing was sent", () => {
		expect(credentialOf(request({}), true)).toBeUndefined();
		expect(credentialOf(request({ authorization: " " }), true)).toBeUndefined();
	});

	it.each(["Basic bWlyYTpw", "eolg_abc", "Bearer", "Bearer a b", "Bearer ключ"])("refuses Authorization: %s", (authorization) => {
		expect(code(() => credentialOf(request({ authorization }), false))).toBe("unauthenticated");
	});

	it("is X-API-Key only where the desk takes it, and Authorization wins", () => {
		expect(credentialOf(request({ "x-api-key": "eolc_k" }), false)).toBeUndefined();
		expect(credentialOf(request({ "x-api-key": "eolc_k" }), true)).toBe("eolc_k");
		expect(credentialOf(request({ "x-api-key": "eolc_k", authorization: "Bearer eolc_a" }), true)).toBe("eolc_a");
	});
});

describe("a token in an address", () => {
	it.each([
		"?access_token=x",
		"?a=1&token=x",
		"?apiKey=x",
		"?api_key=x",
		"?guest_token=x",
		"?q=eolg_abc",
		"?q=eolc%5Fabc",
		"?authorization=Bearer%20x",
	])("is refused: %s", (query) => expect(code(() => refuseTokenInQuery(`/a2a/mira/tasks${query}`))).toBe("invalid_request"));

	it.each(["", "?pageToken=abc", "?A2A-Version=1.0", "?contextId=ctx_1&pageSize=5", "?tokens=1"])("is not seen in %s", (query) =>
		expect(code(() => refuseTokenInQuery(`/a2a/mira/tasks${query}`))).toBeUndefined(),
	);

	it("is not looked for in a path", () => expect(code(() => refuseTokenInQuery("/a2a/mira/tasks/token=x"))).toBeUndefined());
});

describe("the address of a request", () => {
	it("is the socket's, and what a header claims counts for nothing, while no proxy is ours", async () => {
		expect(await addressSeen(0, { "x-forwarded-for": "203.0.113.9", forwarded: "for=203.0.113.9", "x-real-ip": "203.0.113.9" })).toBe(
			"127.0.0.1",
		);
	});

	it("is what our own proxies add, counted from the right", async () => {
		const headers = { "x-forwarded-for": "198.51.100.1, 203.0.113.9, 10.0.0.5" };
		expect(await addressSeen(1, headers)).toBe("10.0.0.5");
		expect(await addressSeen(2, headers)).toBe("203.0.113.9");
	});

	it("is bare, without the port or the mapping that some proxies write", async () => {
		expect(await addressSeen(1, { "x-forwarded-for": "203.0.113.9:4711" })).toBe("203.0.113.9");
		expect(await addressSeen(1, { "x-forwarded-for": "::ffff:203.0.113.9" })).toBe("203.0.113.9");
		expect(await addressSeen(1, { "x-forwarded-for": "[2001:db8::1]:443" })).toBe("2001:db8::1");
	});

	it("is empty where there is no socket", () => expect(addressOf(request({}), 0)).toBe(""));
});

describe("the network that a limit counts", () => {
	it.each([
		["192.0.2.7", "192.0.2.7"],
		["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
		["2001:db8:1:2::ffff", "2001:db8:1:2::/64"],
		["2001:DB8:0001:2::1", "2001:db8:1:2::/64"],
		["2001:db8::1", "2001:db8:0:0::/64"],
		["::1", "0:0:0:0::/64"],
		["fe80::1%eth0", "fe80:0:0:0::/64"],
		["2001:db8:1:3::ffff", "2001:db8:1:3::/64"],
	])("of %s is %s", (address, network) => expect(networkOf(address)).toBe(network));

	it.each([
		["192.0.2.7", undefined],
		["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
		["2001:db8:1:ffff::1", "2001:db8:1::/48"],
		["2001:db8:2:2::1", "2001:db8:2::/48"],
		["2001:db8::1", "2001:db8:0::/48"],
	])("of %s lies in %s", (address, site) => expect(siteOf(networkOf(address))).toBe(site));
});
