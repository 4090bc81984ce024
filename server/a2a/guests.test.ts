import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { testClock } from "../../test/clock.js";
import { bare, openTestDesk, type TestDesk } from "../../test/desk.js";

const V = { "a2a-version": "1.0" };
const JSON_TYPE = { "content-type": "application/json", ...V };
let made = 0;
const message = (more: Record<string, unknown> = {}) => ({
	role: "ROLE_USER",
	messageId: `m${++made}`,
	parts: [{ text: "hello" }],
	...more,
});

const bearer = (credential: string): Record<string, string> => ({ authorization: `Bearer ${credential}` });

/** Both bindings, as far as who calls is concerned: what comes back, its status, its headers. */
const ways = (desk: TestDesk) => ({
	async rpc(headers: Record<string, string>, method = "ListTasks", params: Record<string, unknown> = {}) {
		const response = await desk.app.request(`/a2a/${desk.handle}`, {
			method: "POST",
			headers: { ...JSON_TYPE, ...headers },
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
		});
		return { status: response.status, headers: response.headers, body: await response.json() };
	},
	async send(headers: Record<string, string>, more: Record<string, unknown> = {}) {
		const response = await desk.app.request(`/a2a/${desk.handle}/message:send`, {
			method: "POST",
			headers: { ...JSON_TYPE, ...headers },
			body: JSON.stringify({ message: message(more) }),
		});
		return { status: response.status, headers: response.headers, body: await response.json() };
	},
	async get(headers: Record<string, string>, path = "tasks") {
		const response = await desk.app.request(`/a2a/${desk.handle}/${path}`, { headers: { ...V, ...headers } });
		return { status: response.status, headers: response.headers, body: await response.json() };
	},
});

describe("a guest", () => {
	let desk: TestDesk;
	let ask: ReturnType<typeof ways>;
	beforeAll(async () => {
		desk = await openTestDesk();
		ask = ways(desk);
	});
	afterAll(() => desk.close());

	it("gets a token with its first send, in a header and once in the task, over both bindings", async () => {
		const first = await ask.send({});
		const token = first.headers.get("eol-guest-token");
		expect(token).toMatch(/^eolg_/);
		expect(first.body.task.metadata.eolGuestToken).toBe(token);
		const again = await ask.send(bearer(token as string), { contextId: first.body.task.contextId });
		expect(again.headers.get("eol-guest-token")).toBeNull();
		expect(JSON.stringify(again.body)).not.toContain("eolg_");
		expect(JSON.stringify((await ask.get(bearer(token as string), `tasks/${first.body.task.id}`)).body)).not.toContain("eolg_");

		const rpc = await ask.rpc({}, "SendMessage", { message: message({ metadata: { mine: 1 } }) });
		expect(rpc.body.result.task.metadata).toEqual({ mine: 1, eolGuestToken: rpc.headers.get("eol-guest-token") });
	});

	it("gets it with the first event of a stream, and when it does not wait", async () => {
		const stream = await desk.app.request("/a2a/mira/message:stream", {
			method: "POST",
			headers: JSON_TYPE,
			body: JSON.stringify({ message: message() }),
		});
		const token = stream.headers.get("eol-guest-token") as string;
		expect(token).toMatch(/^eolg_/);
		const [first, ...rest] = (await stream.text()).split("\n\n");
		expect(first).toContain(`"eolGuestToken":"${token}"`);
		expect(rest.join()).not.toContain("eolg_");
		const quick = await ask.rpc({}, "SendMessage", { message: message(), configuration: { returnImmediately: true } });
		expect(quick.body.result.task.metadata.eolGuestToken).toBe(quick.headers.get("eol-guest-token"));
	});

	it("gets it with an answer that is a message and no task, in a header and once in the message, over both bindings", async () => {
		const silent = await openTestDesk({ answerer: bare });
		onTestFinished(() => silent.close());
		const there = ways(silent);
		const rest = await there.send({});
		const rpc = await there.rpc({}, "SendMessage", { message: message() });
		const stream = (path: string, body: object) =>
			silent.app.request(`/a2a/mira${path}`, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
		const restStream = await stream("/message:stream", { message: message() });
		const rpcStream = await stream("", { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message: message() } });
		/** The one event that such a stream has. */
		const said = async (answer: Response) => {
			const events = (await answer.text()).match(/^data: .*$/gm) ?? [];
			expect(events).toHaveLength(1);
			return JSON.parse((events[0] as string).slice("data: ".length));
		};
		const answers = [
			[rest.headers, rest.body.message],
			[rpc.headers, rpc.body.result.message],
			[restStream.headers, (await said(restStream)).message],
			[rpcStream.headers, (await said(rpcStream)).result.message],
		];
		for (const [headers, answered] of answers) {
			const token = headers.get("eol-guest-token");
			expect(token).toMatch(/^eolg_/);
			expect(answered).toMatchObject({ role: "ROLE_AGENT", parts: [{ text: "Hello." }], metadata: { eolGuestToken: token } });
			// From then on they are who they were, and are told nothing again.
			const again = await there.send(bearer(token), { contextId: answered.contextId });
			expect([again.status, again.body.message.contextId]).toEqual([200, answered.contextId]);
			expect(again.headers.get("eol-guest-token")).toBeNull();
			expect(JSON.stringify(again.body)).not.toContain("eolGuestToken");
		}
	});

	it("sees its own tasks and nobody else's, and without a token none", async () => {
		const one = await ask.send({});
		const two = await ask.send({});
		const mine = bearer(one.headers.get("eol-guest-token") as string);
		expect((await ask.get(mine)).body.tasks.map((task: { id: string }) => task.id)).toEqual([one.body.task.id]);
		const missing = await ask.get(mine, "tasks/tsk_01aaaaaaaaaaaaaaaaaaaaaaaa");
		const others = await ask.get(mine, `tasks/${two.body.task.id}`);
		expect([others.status, others.body, [...others.headers]]).toEqual([missing.status, missing.body, [...missing.headers]]);
		expect((await ask.get({}, `tasks/${one.body.task.id}`)).body).toEqual(missing.body);
		expect((await ask.get({})).body).toEqual({ tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 });
	});

	it.each(["eolg_", "eolg_x.1.y", "eolc_nothing", "something", "x".repeat(5_000)])(
		"with the token %.20s is nobody: 401, and how to say who one is",
		async (token) => {
			for (const answer of [await ask.rpc(bearer(token)), await ask.send(bearer(token)), await ask.get(bearer(token))]) {
				expect(answer.status).toBe(401);
				expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
			}
			expect((await ask.rpc(bearer(token))).body).toMatchObject({
				jsonrpc: "2.0",
				error: { code: -32000, data: [{ reason: "UNAUTHENTICATED" }] },
			});
		},
	);

	it("is refused with another scheme than Bearer", async () => {
		const answer = await ask.get({ authorization: "Basic bWlyYTpwYXNz" });
		expect(answer.status).toBe(401);
		expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
	});

	it("may not put a token into an address, even a good one", async () => {
		const token = (await ask.send({})).headers.get("eol-guest-token");
		for (const path of [`tasks?access_token=${token}`, `tasks?token=${desk.key}`, `tasks?contextId=${token}`, `card?key=${desk.key}`]) {
			const response = await desk.app.request(`/a2a/mira/${path}`, { headers: { ...V, ...bearer(token as string) } });
			expect(response.status, path).toBe(400);
			expect(await response.text()).not.toContain(token as string);
		}
		const rpc = await desk.app.request(`/a2a/mira?access_token=${token}`, { method: "POST", headers: JSON_TYPE, body: "{}" });
		expect((await rpc.json()).error.code).toBe(-32600);
	});

	it("whose token was ended is nobody", async () => {
		const first = await ask.send({});
		const mine = bearer(first.headers.get("eol-guest-token") as string);
		expect((await ask.get(mine)).status).toBe(200);
		const guest = await desk.engine.identify(first.headers.get("eol-guest-token") as string, (await desk.engine.desk("mira")) as never);
		await desk.engine.owner.revokeGuest("mira", guest?.uid as string);
		expect((await ask.get(mine)).status).toBe(401);
	});
});

describe("a desk that takes no guests", () => {
	let desk: TestDesk;
	let ask: ReturnType<typeof ways>;
	let token: string;
	beforeAll(async () => {
		desk = await openTestDesk();
		ask = ways(desk);
		token = (await ask.send({})).headers.get("eol-guest-token") as string;
		await desk.engine.owner.changeSettings("mira", { guests: false });
	});
	afterAll(() => desk.close());

	it("refuses whoever shows nothing, and the guests it once took, over both bindings", async () => {
		for (const headers of [{}, bearer(token)]) {
			for (const answer of [
				await ask.rpc(headers),
				await ask.rpc(headers, "SendMessage", { message: message() }),
				await ask.send(headers),
				await ask.get(headers),
			]) {
				expect(answer.status).toBe(401);
				expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="a2a"');
			}
		}
	});

	it("takes an account's key", async () => {
		const answer = await ask.send(bearer(desk.key));
		expect(answer.status).toBe(200);
		expect(answer.headers.get("eol-guest-token")).toBeNull();
	});

	it("says so in its card", async () => {
		const card = await (await desk.app.request("/a2a/mira/card")).json();
		expect(card.securityRequirements).toEqual([{ schemes: { bearer: { list: ["a2a"] } } }]);
	});
});

describe("a key in a header of its own", () => {
	let desk: TestDesk;
	let ask: ReturnType<typeof ways>;
	beforeAll(async () => {
		desk = await openTestDesk();
		ask = ways(desk);
	});
	afterAll(() => desk.close());

	it("counts only where the desk's settings say so, and Authorization wins", async () => {
		const { id } = (await ask.send(bearer(desk.key))).body.task;
		const key = { "x-api-key": desk.key };
		expect((await ask.get(key, `tasks/${id}`)).status).toBe(404);
		await desk.engine.owner.changeSettings("mira", { apiKey: true });
		expect((await ask.get(key, `tasks/${id}`)).status).toBe(200);
		expect((await ask.get({ ...key, ...bearer("eolc_wrong") }, `tasks/${id}`)).status).toBe(401);
		expect((await ask.get({ "x-api-key": "eolc_wrong", ...bearer(desk.key) }, `tasks/${id}`)).status).toBe(200);
		const card = await (await desk.app.request("/a2a/mira/card")).json();
		expect(Object.keys(card.securitySchemes)).toEqual(["bearer", "apiKey"]);
		expect(card).not.toHaveProperty("securityRequirements");
	});
});

describe("how much a caller may ask", () => {
	const clock = testClock();
	let desk: TestDesk;
	let ask: ReturnType<typeof ways>;
	const later = { configuration: { returnImmediately: true } };
	beforeAll(async () => {
		const limits = { ...LIMITS, guestMessagesPerMinute: 3, guestMessagesPerHour: 5, turnsPerGuest: 1_000, turnsPerDesk: 1_000 };
		desk = await openTestDesk({ clock, config: { limits } });
		ask = ways(desk);
	});
	afterAll(() => desk.close());

	it("is so many messages of a guest, refused alike over both bindings, and not more of a key", async () => {
		clock.turn(3_600_000 * 3);
		const first = await ask.rpc({}, "SendMessage", { message: message(), ...later });
		const mine = bearer(first.headers.get("eol-guest-token") as string);
		for (let i = 0; i < 3; i++) expect((await ask.rpc(mine, "SendMessage", { message: message(), ...later })).status).toBe(200);
		const rpc = await ask.rpc(mine, "SendMessage", { message: message(), ...later });
		const rest = await ask.send(mine);
		const stream = await desk.app.request("/a2a/mira/message:stream", {
			method: "POST",
			headers: { ...JSON_TYPE, ...mine },
			body: JSON.stringify({ message: message() }),
		});
		for (const { status, headers } of [rpc, rest, stream]) {
			expect(status).toBe(429);
			expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
			expect(headers.get("ratelimit-limit")).toBe("3");
			expect(headers.get("ratelimit-remaining")).toBe("0");
			expect(headers.get("ratelimit-reset")).toBe(headers.get("retry-after"));
		}
		expect(rpc.body).toMatchObject({
			jsonrpc: "2.0",
			id: 1,
			error: { data: [{ reason: "RATE_LIMITED", domain: "a2a-protocol.org" }, {}] },
		});
		expect(rest.body).toMatchObject({ error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ reason: "RATE_LIMITED" }, {}] } });
		expect(stream.headers.get("content-type")).toBe("application/json");
		// Reading goes on.
		expect((await ask.get(mine)).body.totalSize).toBe(4);
		for (let i = 0; i < 10; i++)
			expect((await ask.rpc(bearer(desk.key), "SendMessage", { message: message(), ...later })).status).toBe(200);

		clock.turn(Number(rest.headers.get("retry-after")) * 1000);
		expect((await ask.rpc(mine, "SendMessage", { message: message(), ...later })).status).toBe(200);
	});

	it("takes nothing for a message sent again whose answer was lost", async () => {
		clock.turn(3_600_000 * 3);
		const first = await ask.rpc({}, "SendMessage", { message: message(), ...later });
		const mine = bearer(first.headers.get("eol-guest-token") as string);
		const once = { message: message(), ...later };
		const ids = [];
		for (let i = 0; i < 8; i++) ids.push((await ask.rpc(mine, "SendMessage", once)).body.result.task.id);
		expect(new Set(ids).size).toBe(1);
		for (let i = 0; i < 2; i++) expect((await ask.rpc(mine, "SendMessage", { message: message(), ...later })).status).toBe(200);
		expect((await ask.rpc(mine, "SendMessage", { message: message(), ...later })).status).toBe(429);
		expect((await ask.rpc(mine, "SendMessage", once)).status).toBe(200);
	});

	it("is so many first messages of an address that nobody is known at", async () => {
		clock.turn(3_600_000 * 3);
		for (let i = 0; i < 3; i++) expect((await ask.rpc({}, "SendMessage", { message: message(), ...later })).status).toBe(200);
		expect((await ask.rpc({}, "SendMessage", { message: message(), ...later })).status).toBe(429);
	});
});

describe("how much an address may ask", () => {
	let desk: TestDesk;
	let url: string;
	beforeAll(async () => {
		desk = await openTestDesk({ clock: testClock(), config: { limits: { ...LIMITS, requestsPerMinutePerAddress: 4 }, trustProxy: 1 } });
		({ url } = await desk.serve());
	});
	afterAll(() => desk.close());

	it("is refused before anything is parsed, in the form of the binding, and cards are still there", async () => {
		const from = (address: string) => ({ "x-forwarded-for": `198.51.100.${made % 200}, ${address}` });
		const garbage = { method: "POST", body: "{", headers: { ...JSON_TYPE, ...from("2001:db8::1") } };
		for (let i = 0; i < 4; i++) expect((await fetch(`${url}/a2a/mira`, garbage)).status).toBe(200);
		const rpc = await fetch(`${url}/a2a/mira`, garbage);
		expect(rpc.status).toBe(429);
		expect(await rpc.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { data: [{ reason: "RATE_LIMITED" }, {}] } });
		const rest = await fetch(`${url}/a2a/mira/tasks`, { headers: { ...V, ...from("2001:db8::2:1") } });
		expect(rest.status).toBe(429);
		expect(rest.headers.get("ratelimit-limit")).toBe("4");
		expect((await rest.json()).error.status).toBe("RESOURCE_EXHAUSTED");
		expect((await fetch(`${url}/a2a/mira/card`, { headers: from("2001:db8::1") })).status).toBe(200);
		expect((await fetch(`${url}/a2a/mira/tasks`, { headers: { ...V, ...from("2001:db8:0:1::1") } })).status).toBe(200);
	});
});
