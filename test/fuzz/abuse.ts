/** What is sent below the level of requests: frames that break the WebSocket protocol, and bytes that are no HTTP (reliability.md 89, 91). */
import type { Seeded } from "../seeded.js";
import { anyBody } from "./generate.js";
import { rpcRequest } from "./requests.js";
import { CLOSE, clientFrame } from "./wire.js";

/** A Hello that is right. */
export const hello = (random: Seeded, tokens: readonly string[]) => ({
	jsonrpc: "2.0",
	id: 1,
	method: "Hello",
	params: {
		version: "1.0",
		nonce: `nonce of a case ${random.int(1_000_000)}`,
		...(random.chance(0.6) ? { credential: random.pick(tokens) } : {}),
		...(random.chance(0.3) ? { follow: [{ contextId: "ctx_x", after: 3 }] } : {}),
	},
});

const OWN = ["Follow", "Unfollow", "History", "Events", "Hello", "https://lobby.earthonlines.com/a2a/ext/chat/v1/Typing"];
/** A frame that should not be: by what it says, or by what it is. */
export function anyFrame(random: Seeded): Uint8Array {
	const request = random.chance(0.6)
		? rpcRequest(random)
		: {
				jsonrpc: "2.0",
				id: random.int(9),
				method: random.pick(OWN),
				params: { contextId: "ctx_x", after: 0, before: 9, waitMs: 0, limit: 3 },
			};
	const body = anyBody(random, request);
	switch (random.int(15)) {
		case 0:
			return clientFrame(body.subarray(0, 1_000), { opcode: random.int(16) });
		case 1:
			return clientFrame(body, { reserved: 1 + random.int(7) });
		case 2:
			return clientFrame(body.subarray(0, 2_000), { masked: false });
		case 3:
			return clientFrame(body.subarray(0, 100), { length: random.pick([65_537, 2 ** 31, Number.MAX_SAFE_INTEGER]) });
		case 4:
			return clientFrame(
				Uint8Array.from({ length: 2 }, () => random.int(256)),
				{ opcode: CLOSE },
			);
		case 5:
			return clientFrame(body.subarray(0, random.int(3)), { opcode: CLOSE });
		case 6:
			return clientFrame(body.subarray(0, random.int(300)), { opcode: 9, fin: random.chance(0.8) });
		case 7:
			return Buffer.concat(
				Array.from({ length: random.int(24) }, (_, i) => clientFrame(body.subarray(i, i + 1), { opcode: i === 0 ? 1 : 0, fin: false })),
			);
		case 8:
			return clientFrame(Uint8Array.from({ length: random.int(60) }, () => 128 + random.int(128)));
		case 9:
			return clientFrame(Buffer.alloc(random.pick([65_536, 65_537, 200_000]), "x"));
		default:
			return clientFrame(body);
	}
}

const POST = "POST /a2a/mira HTTP/1.1\r\nHost: x\r\n";
/** What is no HTTP request, or one that no good client sends. */
export const NO_REQUESTS: ((random: Seeded) => string)[] = [
	() => `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
	() => `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
	() => `${POST}Content-Length: -1\r\n\r\n{}`,
	() => `${POST}Content-Length: 99999999999999999999\r\n\r\n{}`,
	() => `${POST}Content-Length: 100\r\n\r\n{}`,
	() => `${POST}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}`,
	() => `${POST}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`,
	() => `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
	() => `${POST}Transfer-Encoding: x\r\n\r\n{}`,
	(random) => `${POST}X: ${"x".repeat(random.int(100_000))}\r\n\r\n`,
	(random) => `${POST}${"a: b\r\n".repeat(random.int(4_000))}\r\n`,
	() => "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
	() => "GET / HTTP/1.1\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
	() => "GET / HTTP/1.1\nHost: x\n\n",
	() => "GET  /  HTTP/1.1\r\nHost: x\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n",
	() => "GET http://evil.example/a2a/mira HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	() => "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	() => "CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	() => "GET //evil.example/%2e%2e HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	() => "GET ?x HTTP/1.1\r\nHost: x\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: [::\r\nConnection: close\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: 127.0.0.999\r\nConnection: close\r\n\r\n",
	() => "GET /a2a/mira/tasks HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n",
	() => "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /a2a/mira/tasks HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	() => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	() => "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
	() => `${POST}Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 2\r\n\r\n{}`,
	() => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	() => "\r\n\r\n\r\n",
	(random) => Array.from({ length: random.int(300) }, () => String.fromCharCode(random.int(256))).join(""),
];
