import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDesk, type TestDesk } from "../../test/desk.js";

let desk: TestDesk;
beforeAll(async () => {
	desk = await openTestDesk();
	await desk.engine.owner.createOwner({ handle: "quiet", name: "Quiet" });
	await desk.engine.owner.changeSettings("quiet", { a2a: false });
});
afterAll(() => desk.close());

const V = { "a2a-version": "1.0" };
const JSON_TYPE = { "content-type": "application/json", ...V };
let made = 0;
const message = (text = "hello") => ({ role: "ROLE_USER", messageId: `m${++made}`, parts: [{ text }] });
const rpc = (method = "SendMessage", params: unknown = { message: message() }, id: unknown = 1) =>
	JSON.stringify({ jsonrpc: "2.0", id, method, params });

const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
	desk.app.request(path, { method: "POST", body, headers });
/** Status and JSON body of an answer, whatever it is. */
const told = async (answer: Response | Promise<Response>) => {
	const response = await answer;
	return { status: response.status, body: await response.json() };
};

describe("where a desk is found", () => {
	it.each(["/a2a/mira", "/a2a/mira/", "/a2a/mira/mira", "/a2a/mira/mira/"])("JSON-RPC at POST %s", async (path) => {
		const { status, body } = await told(post(path, rpc()));
		expect(status).toBe(200);
		expect(body.result.task.status.state).toBe("TASK_STATE_COMPLETED");
	});

	it.each(["/a2a", "/a2a/"])("JSON-RPC at POST %s, where the tenant names the desk", async (path) => {
		const { status, body } = await told(post(path, rpc("SendMessage", { tenant: "mira", message: message() })));
		expect(status).toBe(200);
		expect(body.result.task.status.state).toBe("TASK_STATE_COMPLETED");
		const without = await told(post(path, rpc()));
		expect(without.status).toBe(200);
		expect(without.body).toMatchObject({ id: 1, error: { code: -32602, data: [{ fieldViolations: [{ field: "tenant" }] }] } });
	});

	it.each(["/a2a/mira", "/a2a/mira/mira"])("HTTP+JSON below %s", async (base) => {
		const { status, body } = await told(post(`${base}/message:send`, JSON.stringify({ message: message() })));
		expect(status).toBe(200);
		expect(body.task.status.state).toBe("TASK_STATE_COMPLETED");
	});

	it("takes its own name as the tenant, and no other's", async () => {
		for (const tenant of ["mira", "", null])
			expect((await told(post("/a2a/mira", rpc("ListTasks", { tenant })))).body).toHaveProperty("result");
		for (const params of [{ tenant: "quiet" }, { tenant: 7 }]) {
			expect((await told(post("/a2a/mira", rpc("ListTasks", params)))).body.error.code).toBe(-32602);
		}
		expect((await told(desk.app.request("/a2a/mira/tasks?tenant=mira", { headers: V }))).status).toBe(200);
		expect((await told(desk.app.request("/a2a/mira/tasks?tenant=quiet", { headers: V }))).status).toBe(400);
	});

	it("answers a desk that is not there and one with A2A off alike, to the byte", async () => {
		const answers = async (handle: string) => {
			const given = [
				post(`/a2a/${handle}`, rpc()),
				post("/a2a", rpc("SendMessage", { tenant: handle, message: message() })),
				post(`/a2a/${handle}/message:send`, JSON.stringify({ message: message() })),
				desk.app.request(`/a2a/${handle}/tasks`, { headers: V }),
				desk.app.request(`/a2a/${handle}/nothing/here`, { headers: V }),
				desk.app.request(`/a2a/${handle}/card`),
				desk.app.request(`/a2a/${handle}/.well-known/agent-card.json`),
			];
			return Promise.all(given.map(async (answer) => [(await answer).status, [...(await answer).headers], await (await answer).text()]));
		};
		const absent = await answers("nobody");
		expect(absent.map(([status]) => status)).toEqual([404, 404, 404, 404, 404, 404, 404]);
		expect(await answers("quiet")).toEqual(absent);
		// No handle could be written so.
		for (const handle of ["x", "Mira", "mi.ra", "%6dira", "a".repeat(33)]) expect(await answers(handle), handle).toEqual(absent);
		expect(JSON.parse(absent[0]?.[2] as string)).toMatchObject({ jsonrpc: "2.0", id: null, error: { data: [{ reason: "NOT_FOUND" }] } });
		expect(JSON.parse(absent[2]?.[2] as string)).toMatchObject({
			error: { code: 404, status: "NOT_FOUND", details: [{ reason: "NOT_FOUND" }] },
		});
	});

	it.each([
		"/a2a/mira/nothing",
		"/a2a/mira/tasks/x/y",
		"/a2a/mira/v1/message:send",
		"/a2a/mira//",
		"/a2a//tasks",
		"/a2a/mira/tasks/x:explode",
		"/a2a/mira/ws",
	])("says in JSON that there is nothing at %s", async (path) => {
		for (const method of ["GET", "POST", "DELETE"]) {
			const { status, body } = await told(desk.app.request(path, { method, headers: V }));
			expect(status).toBe(404);
			expect(body.error).toMatchObject({ code: 404, status: "NOT_FOUND" });
		}
	});

	it.each([
		["PUT", "/a2a/mira", "POST, OPTIONS"],
		["GET", "/a2a/mira", "POST, OPTIONS"],
		["GET", "/a2a", "POST, OPTIONS"],
		["GET", "/a2a/mira/message:send", "POST, OPTIONS"],
		["POST", "/a2a/mira/tasks", "GET, OPTIONS"],
		["DELETE", "/a2a/mira/tasks/x", "GET, OPTIONS"],
		["PATCH", "/a2a/mira/tasks/x:subscribe", "GET, POST, OPTIONS"],
		["HEAD", "/a2a/mira/tasks/x:subscribe", "GET, POST, OPTIONS"],
		["POST", "/a2a/mira/card", "GET, OPTIONS"],
		["POST", "/.well-known/agent-card.json", "GET, OPTIONS"],
	])("refuses %s %s and says what is taken", async (method, path, allow) => {
		const response = await desk.app.request(path, { method, headers: V });
		expect(response.status).toBe(405);
		expect(response.headers.get("allow")).toBe(allow);
		if (method !== "HEAD") expect((await response.json()).error.code).toBe(405);
	});
});

describe("a JSON-RPC request", () => {
	it.each([1, 0, -3, 1.5, "a", "", "ü", null, Number.MAX_SAFE_INTEGER])("gets its id %j back as it was", async (id) => {
		expect((await told(post("/a2a/mira", rpc("ListTasks", {}, id)))).body.id).toStrictEqual(id);
		expect((await told(post("/a2a/mira", rpc("GetTask", { id: "tsk_x" }, id)))).body).toMatchObject({ id, error: { code: -32001 } });
	});

	it.each([
		["a batch", `[${rpc()}]`],
		["an empty batch", "[]"],
		["a notification", '{"jsonrpc":"2.0","method":"SendMessage","params":{}}'],
		["another version", '{"jsonrpc":"1.0","id":1,"method":"SendMessage"}'],
		["no version", '{"id":1,"method":"SendMessage"}'],
		["no method", '{"jsonrpc":"2.0","id":1}'],
		["a method that is no string", '{"jsonrpc":"2.0","id":1,"method":7}'],
		["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"SendMessage"}'],
		["an id that JSON numbers cannot keep", '{"jsonrpc":"2.0","id":9007199254740993,"method":"SendMessage"}'],
		["an id that is too long", rpc("SendMessage", {}, "x".repeat(129))],
		["a string", '"SendMessage"'],
		["null", "null"],
		["what is nested too deep", `${"[".repeat(40)}${"]".repeat(40)}`],
	])("that is %s is none", async (_name, body) => {
		expect(await told(post("/a2a/mira", body))).toMatchObject({ status: 200, body: { jsonrpc: "2.0", id: null, error: { code: -32600 } } });
	});

	it.each(["", "{", '{"jsonrpc":"2.0"', "\ufeff{}"])("that is no JSON is a parse error: %j", async (body) => {
		expect(await told(post("/a2a/mira", body))).toMatchObject({ status: 200, body: { id: null, error: { code: -32700 } } });
	});

	it.each(["Nothing", "sendMessage", "message/send", "constructor", "__proto__", "toString"])(
		"for the method %s is told that there is none",
		async (method) => {
			expect(await told(post("/a2a/mira", rpc(method)))).toMatchObject({ status: 200, body: { id: 1, error: { code: -32601 } } });
		},
	);

	it("for a method that is not there, in a version that is not spoken, is told of the version", async () => {
		expect((await told(post("/a2a/mira", rpc("Nothing"), { "content-type": "application/json" }))).body).toMatchObject({
			id: 1,
			error: { code: -32009 },
		});
	});

	it.each([[[]], ["x"], [7], [true]])("with params that are no object is refused: %j", async (params) => {
		expect((await told(post("/a2a/mira", rpc("GetTask", params)))).body).toMatchObject({ id: 1, error: { code: -32602 } });
	});

	it("of another type is refused by HTTP, with a JSON-RPC body", async () => {
		for (const type of ["text/plain", "application/a2a+json", "application/x-www-form-urlencoded"]) {
			const answer = await told(post("/a2a/mira", rpc(), { "content-type": type, ...V }));
			expect(answer).toMatchObject({ status: 415, body: { jsonrpc: "2.0", id: null, error: { code: -32005 } } });
		}
	});

	it("that is too large is refused by HTTP, with a JSON-RPC body", async () => {
		const answer = await told(post("/a2a/mira", `${rpc()}${" ".repeat(1024 * 1024)}`));
		expect(answer).toMatchObject({ status: 413, body: { jsonrpc: "2.0", id: null, error: { data: [{ reason: "TOO_LARGE" }] } } });
	});

	it("may write its names as protobuf does", async () => {
		const sent = await told(
			post(
				"/a2a/mira",
				rpc("SendMessage", { message: { ...message(), message_id: "snake", messageId: undefined }, configuration: { history_length: 0 } }),
			),
		);
		expect(sent.body.result.task).not.toHaveProperty("history");
		const listed = await told(post("/a2a/mira", rpc("ListTasks", { page_size: "7", include_artifacts: true, status: 3 })));
		expect(listed.body.result.pageSize).toBe(7);
	});

	it("always gets application/json, whatever it accepts", async () => {
		const response = await post("/a2a/mira", rpc(), { ...JSON_TYPE, accept: "application/a2a+json" });
		expect(response.headers.get("content-type")).toBe("application/json");
	});
});

describe("an HTTP+JSON request", () => {
	it.each([
		[undefined, "application/json", "application/json"],
		["*/*", "application/json", "application/json"],
		["application/json", "application/json", "application/json"],
		["application/a2a+json, application/json", "application/json", "application/a2a+json"],
		["application/a2a+json;q=0, application/json", "application/json", "application/json"],
		[undefined, "application/a2a+json", "application/a2a+json"],
		["*/*", "application/a2a+json", "application/a2a+json"],
		["application/json", "application/a2a+json", "application/json"],
	])("that accepts %s and is %s gets %s", async (accept, type, expected) => {
		const headers = { "content-type": type, ...V, ...(accept === undefined ? {} : { accept }) };
		for (const body of [JSON.stringify({ message: message() }), "{}"]) {
			const response = await post("/a2a/mira/message:send", body, headers);
			expect(response.headers.get("content-type")).toBe(expected);
			expect(response.headers.get("vary")).toContain("Accept");
		}
	});

	it("may cancel and subscribe without a body, though it names a type", async () => {
		for (const path of ["/a2a/mira/tasks/x:cancel", "/a2a/mira/tasks/x:subscribe"]) {
			for (const body of [undefined, "", "{}"]) {
				const { status, body: answer } = await told(
					desk.app.request(path, { method: "POST", headers: JSON_TYPE, ...(body === undefined ? {} : { body }) }),
				);
				expect(status).toBe(404);
				expect(answer.error.details[0].reason).toBe("TASK_NOT_FOUND");
			}
		}
	});

	it.each([
		["text/plain", "{}", 415],
		["application/json", "{", 400],
		["application/json", "[]", 400],
		["application/json", "7", 400],
		["application/json", "", 400],
		["application/json", `"${"x".repeat(1024 * 1024)}"`, 413],
	])("of type %s that says %.9s is refused with %i", async (type, body, expected) => {
		const { status, body: answer } = await told(post("/a2a/mira/message:send", body, { "content-type": type, ...V }));
		expect(status).toBe(expected);
		expect(answer.error.code).toBe(expected);
		expect(answer.error.message).toMatch(/\.$/);
	});

	it("names its task in the path, whatever its body says", async () => {
		const sent = await post("/a2a/mira/message:send", JSON.stringify({ message: message() }));
		const authorization = `Bearer ${sent.headers.get("eol-guest-token")}`;
		const { id } = (await sent.json()).task;
		const answer = await told(
			post(`/a2a/mira/tasks/${id}:cancel`, JSON.stringify({ id: "tsk_other", tenant: "mira" }), { ...JSON_TYPE, authorization }),
		);
		expect(answer.body.error.details[0].reason).toBe("TASK_NOT_CANCELABLE");
		const read = await told(desk.app.request(`/a2a/mira/tasks/${id}?id=tsk_other&historyLength=1`, { headers: { ...V, authorization } }));
		expect(read.body).toMatchObject({ id, history: [{ role: "ROLE_AGENT" }] });
	});

	it("answers HEAD as it would GET, without a body", async () => {
		const response = await desk.app.request("/a2a/mira/tasks", { method: "HEAD", headers: V });
		expect(response.status).toBe(200);
		expect(await response.text()).toBe("");
	});
});

describe("the version", () => {
	const ask = (headers: Record<string, string>, query = "") => desk.app.request(`/a2a/mira/tasks${query}`, { headers });

	it.each(["1.0", "1.0.1", " 1.0 ", "1.0.99"])("may be %j", async (version) =>
		expect((await ask({ "a2a-version": version })).status).toBe(200),
	);

	it.each(["0.3", "0.3.0", "1", "1.1", "2.0", "10.0", "latest", "1.0, 1.0", "1.0-beta", "v1.0"])(
		"may not be %j, and is told which there is",
		async (version) => {
			const { status, body } = await told(ask({ "a2a-version": version }));
			expect(status).toBe(400);
			expect(body.error.details[0].reason).toBe("VERSION_NOT_SUPPORTED");
			expect(body.error.message).toContain("1.0");
		},
	);

	it("may stand in the query instead, in any case of letters, and the header wins", async () => {
		expect((await ask({}, "?A2A-Version=1.0")).status).toBe(200);
		expect((await ask({}, "?a2a-version=1.0&pageSize=3")).status).toBe(200);
		expect((await ask({}, "?A2A-Version=0.3")).status).toBe(400);
		expect((await ask({ "a2a-version": "0.3" }, "?A2A-Version=1.0")).status).toBe(400);
		expect((await ask({ "a2a-version": "1.0" }, "?A2A-Version=0.3")).status).toBe(200);
		expect((await told(post("/a2a/mira?A2A-Version=1.0", rpc(), { "content-type": "application/json" }))).body).toHaveProperty("result");
	});

	it("missing means 0.3, or 1.0 where the desk's settings say so", async () => {
		expect((await ask({})).status).toBe(400);
		expect((await ask({ "a2a-version": "" })).status).toBe(400);
		await desk.engine.owner.changeSettings("mira", { missingVersion: "1.0" });
		expect((await ask({})).status).toBe(200);
		expect((await ask({ "a2a-version": "" })).status).toBe(200);
		expect((await ask({ "a2a-version": "0.3" })).status).toBe(400);
		await desk.engine.owner.changeSettings("mira", { missingVersion: "0.3" });
	});
});

describe("browsers of other origins", () => {
	it("may ask before they ask, at every address of the door", async () => {
		for (const path of ["/a2a", "/a2a/mira", "/a2a/mira/tasks/x:cancel", "/.well-known/agent-card.json", "/a2a/nobody"]) {
			const response = await desk.app.request(path, {
				method: "OPTIONS",
				headers: {
					origin: "https://evil.example",
					"access-control-request-method": "POST",
					"access-control-request-headers": "authorization",
				},
			});
			expect(response.status).toBe(204);
			expect(response.headers.get("access-control-allow-origin")).toBe("*");
			expect(response.headers.get("access-control-allow-credentials")).toBeNull();
			for (const header of ["authorization", "content-type", "a2a-version", "a2a-extensions", "x-api-key", "idempotency-key", "accept"]) {
				expect(response.headers.get("access-control-allow-headers")?.split(", ")).toContain(header);
			}
		}
	});

	it("may read every answer and the headers that matter, and no cookie is ever set", async () => {
		const headers = { ...JSON_TYPE, origin: "https://evil.example" };
		const answers = [
			await post("/a2a/mira", rpc(), headers),
			await post("/a2a/mira", "{", headers),
			await post("/a2a/mira/message:send", "{}", headers),
			await desk.app.request("/a2a/mira/tasks", { headers: { origin: "null" } }),
			await desk.app.request("/a2a/mira/card", { headers }),
			await desk.app.request("/a2a/nobody/card", { headers }),
		];
		for (const { headers: given } of answers) {
			expect(given.get("access-control-allow-origin")).toBe("*");
			expect(given.get("access-control-allow-credentials")).toBeNull();
			expect(given.get("access-control-expose-headers")?.split(", ")).toEqual(
				expect.arrayContaining(["eol-guest-token", "retry-after", "a2a-extensions", "www-authenticate"]),
			);
			expect(given.get("set-cookie")).toBeNull();
			expect(given.get("x-content-type-options")).toBe("nosniff");
		}
	});

	it("are given no answer to keep that is somebody's own", async () => {
		for (const answer of [
			await post("/a2a/mira", rpc()),
			await post("/a2a/mira/message:send", JSON.stringify({ message: message() })),
			await desk.app.request("/a2a/mira/tasks"),
		]) {
			expect(answer.headers.get("cache-control")).toBe("no-store");
		}
	});
});

describe("the extended card", () => {
	it("answers whoever may call, over both bindings, with nothing to be kept by a cache", async () => {
		const rest = await desk.app.request("/a2a/mira/extendedAgentCard", { headers: V });
		expect(rest.headers.get("cache-control")).toBe("private, no-store");
		expect(rest.headers.get("vary")).toContain("Authorization");
		const card = await rest.json();
		expect(card.skills.length).toBeGreaterThan(1);
		expect((await told(post("/a2a/mira", rpc("GetExtendedAgentCard", undefined)))).body.result).toEqual(card);
	});

	it("needs a version, like every operation", async () => expect((await desk.app.request("/a2a/mira/extendedAgentCard")).status).toBe(400));
});

it("has had no fault of ours in any of this", () => expect(desk.logged.filter(({ level }) => level === "error")).toEqual([]));
