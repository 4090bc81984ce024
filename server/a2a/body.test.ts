import { request as dial } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { readBody } from "./body.js";
import { Exchange } from "./http.js";

/** Answers with what `readBody` made of the request, or with the code of its refusal. */
const reader = (seen: (outcome: unknown) => void = () => undefined) =>
	new Hono().all("*", async (c) => {
		const binding = c.req.path === "/rest" ? "rest" : "rpc";
		try {
			const value = await readBody(new Exchange(c), binding, c.req.query("optional") !== undefined);
			seen(value);
			return c.json({ value: value === undefined ? "nothing" : value });
		} catch (error) {
			const code = error instanceof DeskError ? error.code : String(error);
			seen(code);
			return c.json({ code }, 400);
		}
	});

async function listening(seen?: (outcome: unknown) => void) {
	const server = createAdaptorServer({ fetch: reader(seen).fetch });
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		port,
		url: `http://127.0.0.1:${port}`,
		close: () => {
			if ("closeAllConnections" in server) server.closeAllConnections();
			server.close();
		},
	};
}

/** The same request with and without a socket under it. */
const WAYS = {
	"without a socket": async (path: string, init: RequestInit) => (await reader().request(path, init)).json(),
	"over a socket": async (path: string, init: RequestInit) => {
		const server = await listening();
		try {
			return await (await fetch(server.url + path, init)).json();
		} finally {
			server.close();
		}
	},
};

const post = (body: BodyInit | undefined, headers: Record<string, string> = { "content-type": "application/json" }): RequestInit => ({
	method: "POST",
	body,
	headers,
});

describe.each(Object.entries(WAYS))("a body %s", (_name, ask) => {
	it("is its JSON", async () => expect(await ask("/", post('{"a":[1,"ä"]}'))).toEqual({ value: { a: [1, "ä"] } }));

	it.each(["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])("may be %s", async (type) =>
		expect(await ask("/", post("1", { "content-type": type }))).toEqual({ value: 1 }),
	);

	it("may be of A2A's own type over HTTP+JSON, and not over JSON-RPC", async () => {
		const init = post("1", { "content-type": "application/a2a+json" });
		expect(await ask("/rest", init)).toEqual({ value: 1 });
		expect(await ask("/", init)).toEqual({ code: "content_type_not_supported" });
	});

	it("may come without a type", async () => expect(await ask("/", post(new Blob(["1"]), {}))).toEqual({ value: 1 }));

	it.each(["text/plain", "application/x-www-form-urlencoded", "application/json-patch+json"])("may not be %s", async (type) =>
		expect(await ask("/", post("1", { "content-type": type }))).toEqual({ code: "content_type_not_supported" }),
	);

	it("may not be packed", async () => {
		const headers = { "content-type": "application/json", "content-encoding": "gzip" };
		expect(await ask("/", post("1", headers))).toEqual({ code: "content_type_not_supported" });
	});

	it.each(["", "{", "nul", "\ufeff1", "1 2"])("that is no JSON is a parse error: %j", async (text) =>
		expect(await ask("/", post(text))).toEqual({ code: "parse_error" }),
	);

	it("that is no UTF-8 is a parse error", async () =>
		expect(await ask("/", post(new Uint8Array([0x22, 0xff, 0x22])))).toEqual({ code: "parse_error" }));

	it("is taken up to the limit and not a byte further", async () => {
		const text = `"${"x".repeat(LIMITS.bodyBytes - 2)}"`;
		expect(((await ask("/", post(text))) as { value: string }).value).toHaveLength(LIMITS.bodyBytes - 2);
		expect(await ask("/", post(`${text} `))).toEqual({ code: "too_large" });
	});

	it("may be absent where that is allowed, though its type is named", async () => {
		expect(await ask("/?optional", post(undefined))).toEqual({ value: "nothing" });
		expect(await ask("/?optional", post(""))).toEqual({ value: "nothing" });
		expect(await ask("/?optional", post("{}"))).toEqual({ value: {} });
		expect(await ask("/", post(undefined))).toEqual({ code: "parse_error" });
	});
});

describe("a body that lies about itself", () => {
	it("is counted while it comes in chunks, and refused before it has all come", async () => {
		const server = await listening();
		try {
			const answer = await new Promise<string>((resolve, reject) => {
				const call = dial(`${server.url}/`, { method: "POST", headers: { "content-type": "application/json" } }, (response) => {
					let text = "";
					response.on("data", (chunk) => (text += chunk));
					response.on("end", () => resolve(text));
				});
				call.on("error", reject);
				// Never ended: the answer must not wait for it.
				for (let i = 0; i < 17; i++) call.write("x".repeat(64 * 1024));
			});
			expect(JSON.parse(answer)).toEqual({ code: "too_large" });
		} finally {
			server.close();
		}
	});

	it("by its length is refused without a byte of it", async () => {
		const server = await listening();
		try {
			const answer = await new Promise<string>((resolve, reject) => {
				const socket = connect(server.port, "127.0.0.1", () => {
					socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${LIMITS.bodyBytes + 1}\r\n\r\n`);
				});
				socket.on("data", (chunk) => {
					resolve(chunk.toString());
					socket.destroy();
				});
				socket.on("error", reject);
			});
			expect(answer).toContain('{"code":"too_large"}');
		} finally {
			server.close();
		}
	});

	it("and is cut off half-way ends the wait for it", async () => {
		let told: (outcome: unknown) => void = () => undefined;
		const outcome = new Promise((resolve) => (told = resolve));
		const server = await listening(told);
		try {
			const socket = connect(server.port, "127.0.0.1", () => {
				socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a"');
				setImmediate(() => socket.destroy());
			});
			expect(await outcome).toBe("invalid_request");
		} finally {
			server.close();
		}
	});
});
