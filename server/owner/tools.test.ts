import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { ToolDefinition } from "../../shared/tools.schema.js";
import { testClock } from "../../test/clock.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";

const clock = testClock();
let desk: TestDesk;
/** Each test has a desk and a key of its own on the one server. */
let handle: string;
let key: string;
let desks = 0;

beforeAll(async () => {
	desk = await openTestDesk({ clock, config: { publicUrl: "https://desk.example", allowLocalhostSites: false } });
});
afterAll(() => desk.close());
beforeEach(async () => {
	({ handle, key } = await somebody());
});

async function somebody() {
	const made = `desk${++desks}`;
	await desk.engine.owner.createOwner({ handle: made, name: "Mira", ownerName: "Mira Lin", about: "Pots", suggestions: ["When?"] });
	return { handle: made, key: await desk.engine.owner.createKey(made, "ci") };
}

interface Reply {
	status: number;
	headers: Headers;
	ok: boolean;
	// biome-ignore lint/suspicious/noExplicitAny: wire JSON as a test reads it
	result: any;
	error: { code: string; message: string };
}

async function post(tool: string, body: string | undefined, headers: Record<string, string>): Promise<Reply> {
	const answer = await desk.app.request(`/api/tools/${tool}`, { method: "POST", headers, ...(body === undefined ? {} : { body }) });
	const wire = (await answer.json()) as Pick<Reply, "ok" | "result" | "error">;
	// One of two shapes, and nothing else ever.
	expect(Object.keys(wire)).toEqual(wire.ok ? ["ok", "result"] : ["ok", "error"]);
	if (!wire.ok) expect(wire.error).toEqual({ code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/\S[.…?>]$/) });
	return { status: answer.status, headers: answer.headers, ...wire };
}

const call = (tool: string, args: unknown = {}, as = key): Promise<Reply> =>
	post(tool, JSON.stringify(args), { authorization: `Bearer ${as}`, "content-type": "application/json" });

async function refused(tool: string, args: unknown, status: number, code: string, words: RegExp): Promise<void> {
	const reply = await call(tool, args);
	expect([reply.status, reply.error?.code]).toEqual([status, code]);
	expect(reply.error.message).toMatch(words);
}

describe("eol_whoami", () => {
	it("says whose key it is, and what the desk says of itself", async () => {
		const { result, status } = await call("eol_whoami");
		expect(status).toBe(200);
		expect(result).toEqual({
			handle,
			name: "Mira",
			about: "Pots",
			owner_name: "Mira Lin",
			language: "en",
			suggestions: ["When?"],
			guests: true,
			online: true,
			profile_url: `https://desk.example/@${handle}`,
			chat_url: `https://desk.example/@${handle}/chat`,
			key: { id: expect.stringMatching(/^key_/), name: "ci", last4: key.slice(-4) },
			keys: [{ id: expect.stringMatching(/^key_/), name: "ci", last4: key.slice(-4) }],
		});
		expect(JSON.stringify(result)).not.toContain(key);
	});
	it("follows what its owner changes", async () => {
		await desk.engine.owner.changeSettings(handle, { guests: false, builtInAnswerer: false });
		expect((await call("eol_whoami")).result).toMatchObject({ guests: false, online: false });
	});
	it("takes no arguments", () => refused("eol_whoami", { handle: "mira" }, 400, "invalid_argument", /"handle"\. This tool takes none/));
});

describe("eol_save_embed", () => {
	it("makes an embed and answers the line to paste", async () => {
		const { result } = await call("eol_save_embed", { mode: "pet" });
		expect(result.embed).toEqual({
			id: 1,
			mode: "pet",
			name: "",
			theme: "auto",
			accent: null,
			greeting: false,
			greeting_text: "",
			code: `<script src="https://desk.example/embed.js" data-handle="${handle}" data-embed="1" async></script>`,
			created_at: new Date(clock.now()).toISOString(),
			changed_at: new Date(clock.now()).toISOString(),
		});
	});
	it("changes what is said and leaves the rest, its mode above all", async () => {
		await call("eol_save_embed", { mode: "floating", name: "Shop", accent: "#2563eb", greeting_text: "Hello!" });
		const { result } = await call("eol_save_embed", { id: 1, theme: "dark", accent: null });
		expect(result.embed).toMatchObject({
			id: 1,
			mode: "floating",
			name: "Shop",
			theme: "dark",
			accent: null,
			greeting: true,
			greeting_text: "Hello!",
		});
		expect((await call("eol_save_embed", { id: 1, mode: "floating", greeting: false })).result.embed.greeting).toBe(false);
		await refused("eol_save_embed", { id: 1, mode: "inline" }, 400, "invalid_argument", /^mode: Embed 1 is floating, which is fixed/);
	});
	it.each<[object, RegExp]>([
		[{}, /^mode: Say which/],
		[{ mode: "parrot" }, /^mode: Give one of: floating, pet, button, inline\.$/],
		[{ mode: "pet", accent: "red" }, /^accent: Give a colour/],
		[{ mode: "pet", theme: "blue" }, /^theme: /],
		[{ mode: "pet", greeting: "yes" }, /^greeting: Give true or false\.$/],
		[{ mode: "pet", greeting_text: "x".repeat(121) }, /^greeting_text: Give at most 120 characters\.$/],
		[{ mode: "pet", greeting_text: "two\nlines" }, /^greeting_text: Give one line/],
		[{ mode: "pet", greeting_text: "nul\u0000" }, /greeting_text|U\+0000/],
		[{ mode: "pet", name: "x".repeat(61) }, /^name: /],
		[{ mode: "pet", colour: "#fff" }, /^There is no argument "colour"\. Those are id, mode, /],
		[{ id: "1", theme: "dark" }, /^id: Give a /],
		[{ id: 0, theme: "dark" }, /^id: /],
		[{ id: 1.5, theme: "dark" }, /^id: Give a whole number\.$/],
	])("refuses %j and says which", (args, words) => refused("eol_save_embed", args, 400, "invalid_argument", words));
	it("knows no embed that was never made or is deleted", async () => {
		await refused("eol_save_embed", { id: 1, theme: "dark" }, 404, "not_found", /no embed 1/);
		await call("eol_save_embed", { mode: "pet" });
		await call("eol_delete_embed", { id: 1 });
		await refused("eol_save_embed", { id: 1, theme: "dark" }, 404, "not_found", /no embed 1/);
	});
});

describe("eol_list_embeds and eol_delete_embed", () => {
	it("list what there is, delete one, and never give its number again", async () => {
		expect((await call("eol_list_embeds")).result).toEqual({ embeds: [] });
		const first = (await call("eol_save_embed", { mode: "pet" })).result.embed;
		const second = (await call("eol_save_embed", { mode: "button", name: "Footer" })).result.embed;
		expect((await call("eol_list_embeds")).result).toEqual({ embeds: [first, second] });
		expect((await call("eol_delete_embed", { id: 2 })).result).toEqual({ deleted: 2 });
		expect((await call("eol_list_embeds")).result).toEqual({ embeds: [first] });
		expect((await call("eol_save_embed", { mode: "pet" })).result.embed.id).toBe(3);
	});
	it("refuse what is not there and what is not asked", async () => {
		await refused("eol_delete_embed", { id: 1 }, 404, "not_found", /no embed 1/);
		await refused("eol_delete_embed", {}, 400, "invalid_argument", /^id: /);
		await refused("eol_list_embeds", { all: true }, 400, "invalid_argument", /all/);
	});
});

describe("eol_get_embed_sites and eol_update_embed_sites", () => {
	const shown = (origin: string) => desk.app.request(`/embed/${handle}`, { headers: { origin } });

	it("read a list that is empty, and closed, for a new account", async () => {
		expect((await call("eol_get_embed_sites")).result).toEqual({
			any_site: false,
			sites: [],
			pending: [],
			pending_more: 0,
			blocked: [],
			recent: [],
		});
	});
	it("show what waits, allow it, block it, and where it has shown", async () => {
		const at = new Date(clock.now()).toISOString();
		await shown("https://a.new.com");
		await shown("https://bad.com");
		expect((await call("eol_get_embed_sites")).result.pending).toEqual([
			{ site: "https://a.new.com", asked: 1, first_seen: at, last_seen: at },
			{ site: "https://bad.com", asked: 1, first_seen: at, last_seen: at },
		]);
		const { result } = await call("eol_update_embed_sites", { allow: ["*.new.com"], block: ["https://bad.com"] });
		expect(result).toEqual({
			any_site: false,
			sites: [{ site: "*.new.com", since: at, last_seen: null, silent: false }],
			pending: [],
			pending_more: 0,
			blocked: [{ site: "https://bad.com", since: at }],
			recent: [],
		});
		clock.turn(LIMITS.siteVisitMs);
		await shown("https://a.new.com");
		const later = new Date(clock.now()).toISOString();
		expect((await call("eol_get_embed_sites")).result).toMatchObject({
			sites: [{ site: "*.new.com", last_seen: later }],
			recent: [{ site: "https://a.new.com", last_seen: later }],
		});
	});
	it("set the whole list, open the door to any site, and take back what was said", async () => {
		await call("eol_update_embed_sites", { allow: ["https://old.com"], block: ["https://bad.com"] });
		const { result } = await call("eol_update_embed_sites", { sites: ["HTTPS://Site.com", "https://shop.com"], any_site: true });
		expect(result.any_site).toBe(true);
		expect(result.sites.map((s: { site: string }) => s.site).sort()).toEqual(["https://shop.com", "https://site.com"]);
		expect(result.blocked).toHaveLength(1);
		const after = await call("eol_update_embed_sites", { any_site: false, unblock: ["https://bad.com"], remove: ["https://shop.com"] });
		expect(after.result).toMatchObject({ any_site: false, sites: [{ site: "https://site.com" }], blocked: [] });
	});
	it("name a site that has been silent for 90 days, and one whose name may be another's", async () => {
		await call("eol_update_embed_sites", { allow: ["https://quiet.com", "https://xn--80ak6aa92e.com", "https://seen.com"] });
		clock.turn(LIMITS.siteSilentMs - 1);
		await shown("https://seen.com");
		clock.turn(1);
		const { sites } = (await call("eol_get_embed_sites")).result as { sites: { site: string; silent: boolean; warning?: string }[] };
		expect(Object.fromEntries(sites.map((s) => [s.site, s.silent]))).toEqual({
			"https://quiet.com": true,
			"https://xn--80ak6aa92e.com": true,
			"https://seen.com": false,
		});
		expect(sites.map((s) => s.warning !== undefined)).toEqual(sites.map((s) => s.site.includes("xn--")));
	});
	it("count those for whom the list had no room, without their names", async () => {
		for (let i = 0; i < LIMITS.pendingSitesPerHour + 3; i++) await shown(`https://${i}.com`);
		const { result } = await call("eol_get_embed_sites");
		expect(result.pending).toHaveLength(LIMITS.pendingSitesPerHour);
		expect(result.pending_more).toBe(3);
	});
	it.each<[object, number, string, RegExp]>([
		[{ sites: ["https://site.com/path"] }, 400, "invalid_argument", /^"https:\/\/site\.com\/path": /],
		[{ allow: ["*.co.uk"] }, 400, "invalid_argument", /Anybody can have a name/],
		[{ allow: ["http://site.com"] }, 400, "invalid_argument", /https/],
		[{ allow: ["https://a.com"], block: ["https://a.com"] }, 400, "invalid_argument", /twice/],
		[{ remove: ["https://nowhere.com"] }, 404, "not_found", /not on this desk's list/],
		[{ unblock: ["https://nowhere.com"] }, 404, "not_found", /not blocked/],
		[{ sites: "https://site.com" }, 400, "invalid_argument", /^sites: /],
		[{ any_site: "yes" }, 400, "invalid_argument", /^any_site: /],
		[{ allow: [`https://${"x".repeat(300)}.com`] }, 400, "invalid_argument", /^allow\.0: /],
		[{ allow: Array.from({ length: LIMITS.siteRules + 1 }, (_, i) => `https://${i}.com`) }, 400, "invalid_argument", /^allow: /],
		[{ allowAnySite: true }, 400, "invalid_argument", /allowAnySite/],
	])("refuse %j, and change nothing", async (args, status, code, words) => {
		await call("eol_update_embed_sites", { sites: ["https://kept.com"] });
		await refused("eol_update_embed_sites", args, status, code, words);
		expect((await call("eol_get_embed_sites")).result).toMatchObject({
			any_site: false,
			sites: [{ site: "https://kept.com" }],
			blocked: [],
		});
	});
});

describe("a tool", () => {
	const NAMES = [
		"eol_whoami",
		"eol_list_embeds",
		"eol_save_embed",
		"eol_delete_embed",
		"eol_get_embed_sites",
		"eol_update_embed_sites",
		"eol_get_embed_presets",
		"eol_update_embed_presets",
	];

	it("is listed with its schemas, for anybody", async () => {
		const answer = await desk.app.request("/api/tools");
		const { tools } = (await answer.json()) as { tools: ToolDefinition[] };
		expect(tools.map((t) => t.name).sort()).toEqual([...NAMES].sort());
		for (const definition of tools) {
			expect(definition).toMatchObject({
				title: expect.stringMatching(/\S/),
				description: expect.stringMatching(/\.$/),
				inputSchema: { type: "object", additionalProperties: false },
				outputSchema: { type: "object" },
			});
			expect(await (await desk.app.request(`/api/tools/${definition.name}`)).json()).toEqual(definition);
		}
		const save = tools.find((t) => t.name === "eol_save_embed")?.inputSchema as { properties: Record<string, { enum?: string[] }> };
		expect(save.properties.mode?.enum).toEqual(["floating", "pet", "button", "inline"]);
		expect((await desk.app.request("/api/tools/eol_nothing")).status).toBe(404);
	});
	it("that is none is not found, for whoever has a key", async () => {
		await refused("eol_nothing", {}, 404, "not_found", /no tool "eol_nothing".*\/api\/tools/);
		for (const name of ["constructor", "__proto__", "toString"]) await refused(name, {}, 404, "not_found", /no tool/);
	});
	it("is for owners: no key, a wrong one, one that was revoked and a guest's token are one answer", async () => {
		const row = (await desk.engine.desk(handle)) ?? expect.fail();
		const { token } = await desk.engine.welcomeGuest(row, "a nonce of sixteen");
		const [{ uid } = expect.fail()] = await desk.engine.owner.keys(handle);
		await desk.engine.owner.revokeKey(handle, uid);
		const session = await desk.engine.owner.signIn(await desk.engine.owner.createSignIn(handle));
		const json = { "content-type": "application/json" };
		for (const name of ["eol_whoami", "eol_save_embed", "eol_update_embed_sites", "eol_nothing"]) {
			const replies = await Promise.all([
				post(name, "{}", json),
				post(name, "{}", { ...json, authorization: `Bearer ${key}` }),
				post(name, "{}", { ...json, authorization: "Bearer eolc_nobody" }),
				post(name, "{}", { ...json, authorization: `Bearer ${token}` }),
				// Nothing that a browser sends by itself counts.
				post(name, "{}", { ...json, cookie: `eol_session=${session}; __Host-eol_session=${session}`, origin: "https://desk.example" }),
				post(name, "{}", { ...json, "x-api-key": key }),
			]);
			for (const reply of replies) {
				expect(reply.status).toBe(401);
				expect(reply.headers.get("www-authenticate")).toBe('Bearer realm="tools"');
				expect(reply.error).toEqual(replies[0]?.error);
				expect(reply.error.code).toBe("unauthenticated");
			}
			expect((await post(name, "{}", { ...json, authorization: "Basic abc" })).status).toBe(401);
		}
	});
	it("reaches the desk of its key, and no other, whatever it is told", async () => {
		const other = await somebody();
		await call("eol_save_embed", { mode: "pet", name: "theirs" }, other.key);
		await call("eol_update_embed_sites", { sites: ["https://theirs.com"] }, other.key);
		const before = [await call("eol_list_embeds", {}, other.key), await call("eol_get_embed_sites", {}, other.key)].map((r) => r.result);
		expect((await call("eol_list_embeds")).result).toEqual({ embeds: [] });
		expect((await call("eol_get_embed_sites")).result.sites).toEqual([]);
		await refused("eol_save_embed", { id: 1, theme: "dark" }, 404, "not_found", /no embed 1/);
		await refused("eol_delete_embed", { id: 1 }, 404, "not_found", /no embed 1/);
		await refused("eol_update_embed_sites", { remove: ["https://theirs.com"] }, 404, "not_found", /not on this/);
		for (const args of [{ handle: other.handle }, { desk: other.handle }, { tenant: other.handle }])
			for (const name of ["eol_list_embeds", "eol_get_embed_sites", "eol_whoami"]) expect((await call(name, args)).status).toBe(400);
		await call("eol_save_embed", { mode: "button" });
		await call("eol_update_embed_sites", { sites: [], any_site: true });
		const after = [await call("eol_list_embeds", {}, other.key), await call("eol_get_embed_sites", {}, other.key)].map((r) => r.result);
		expect(after).toEqual(before);
	});
	it("takes a JSON object of its own type, and no body for no arguments", async () => {
		const authorization = `Bearer ${key}`;
		expect((await post("eol_whoami", undefined, { authorization })).ok).toBe(true);
		expect((await post("eol_whoami", "{}", { authorization, "content-type": "application/json; charset=utf-8" })).ok).toBe(true);
		for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/a2a+json"]) {
			const reply = await post("eol_whoami", "{}", { authorization, "content-type": type });
			expect([reply.status, reply.error.code]).toEqual([415, "invalid_argument"]);
		}
		const gzip = await post("eol_whoami", "{}", { authorization, "content-type": "application/json", "content-encoding": "gzip" });
		expect(gzip.status).toBe(415);
		const json = { authorization, "content-type": "application/json" };
		for (const body of ["", " ", "{", "[]", "null", '"x"', "1", "\ufeff{}", `${"[".repeat(40)}${"]".repeat(40)}`, '{"a":1}{"b":2}']) {
			const reply = await post("eol_save_embed", body, json);
			expect([reply.status, reply.error.code]).toEqual([400, "invalid_argument"]);
		}
		for (const body of ['{"mode":"pet","__proto__":{}}', '{"mode":"pet","name":"\\u0000"}', '{"mode":"pet","name":"\\ud800"}'])
			expect((await post("eol_save_embed", body, json)).error.code).toBe("invalid_argument");
		expect((await call("eol_list_embeds")).result.embeds).toEqual([]);
	});
	it("never breaks, whatever it is given", async () => {
		const field = fc.constantFrom(
			"id",
			"mode",
			"name",
			"theme",
			"accent",
			"greeting",
			"greeting_text",
			"sites",
			"allow",
			"block",
			"any_site",
			"x",
		);
		const value = fc.oneof(
			fc.jsonValue({ maxDepth: 3 }),
			fc.string({ unit: "binary" }),
			fc.constantFrom(
				"pet",
				"dark",
				"#fff",
				true,
				1,
				2 ** 53,
				-1,
				1e300,
				"",
				["https://a.com"],
				["*.a.com", "*"],
				[`https://${"a".repeat(64)}.com`],
			),
		);
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...NAMES), fc.dictionary(field, value, { maxKeys: 4 }), async (name, args) => {
				const { status } = await call(name, args);
				expect([200, 400, 404]).toContain(status);
			}),
			{ numRuns: 400, seed: 20_260_103 },
		);
	});
	it("refuses a body that is too large", async () => {
		const body = JSON.stringify({ mode: "pet", name: "x".repeat(LIMITS.bodyBytes) });
		const json = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		for (const more of [{}, { "content-length": String(body.length) }] as Record<string, string>[]) {
			const reply = await post("eol_save_embed", body, { ...json, ...more });
			expect([reply.status, reply.error.code]).toEqual([413, "invalid_argument"]);
		}
	});
	it("refuses a key in its address, also a good one", async () => {
		for (const query of [`key=${key}`, "token=x", `a=${key}`]) {
			const reply = await post(`eol_whoami?${query}`, "{}", { authorization: `Bearer ${key}`, "content-type": "application/json" });
			expect([reply.status, reply.error.code]).toEqual([400, "invalid_argument"]);
		}
	});
	it("may be read by no other origin, and asked by no other method", async () => {
		for (const [method, path, allow] of [
			["OPTIONS", "/api/tools/eol_whoami", "GET, HEAD, POST"],
			["PUT", "/api/tools/eol_whoami", "GET, HEAD, POST"],
			["DELETE", "/api/tools/eol_delete_embed", "GET, HEAD, POST"],
			["POST", "/api/tools", "GET, HEAD"],
		] as const) {
			const answer = await desk.app.request(path, {
				method,
				headers: { origin: "https://evil.test", "access-control-request-method": "POST" },
			});
			expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
			expect(answer.headers.get("access-control-allow-origin")).toBeNull();
		}
		const { headers } = await post("eol_whoami", "{}", {
			authorization: `Bearer ${key}`,
			"content-type": "application/json",
			origin: "https://evil.test",
		});
		expect(Object.fromEntries(headers)).toMatchObject({
			"cache-control": "no-store",
			"cross-origin-resource-policy": "same-origin",
			"x-content-type-options": "nosniff",
			"content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
		});
		expect([...headers.keys()].filter((name) => name.startsWith("access-control") || name === "set-cookie")).toEqual([]);
	});
	it("says when to come back where the store cannot write, and tells nothing of a fault", async () => {
		const { write } = desk.store;
		const failing = async (error: unknown) => {
			desk.store.write = (() => Promise.reject(error)) as typeof write;
			try {
				return await call("eol_save_embed", { mode: "pet" });
			} finally {
				desk.store.write = write;
			}
		};
		const busy = await failing(new DeskError("unavailable", "The disk is full.", { retryAfterSeconds: 2 }));
		expect([busy.status, busy.error, busy.headers.get("retry-after")]).toEqual([
			503,
			{ code: "unavailable", message: "The disk is full." },
			"2",
		]);
		const broken = await failing(new Error("canary in the cellar"));
		expect([broken.status, broken.error.code]).toEqual([500, "internal"]);
		expect(broken.error.message).not.toContain("canary");
		expect(String(desk.logged.at(-1)?.fields.err)).toContain("canary");
	});
});

describe("an address that asks too often", () => {
	it("is told so in the tools' own form, over a real connection, whatever it asks", async () => {
		const busy = await openTestDesk({ clock: testClock(), config: { limits: { ...LIMITS, requestsPerMinutePerAddress: 3 } } });
		try {
			const { url } = await busy.serve();
			const ask = () =>
				fetch(`${url}/api/tools/eol_whoami`, {
					method: "POST",
					headers: { authorization: `Bearer ${busy.key}`, "content-type": "application/json" },
					body: "{}",
				});
			for (let i = 0; i < 3; i++) expect((await ask()).status).toBe(200);
			const answer = await ask();
			expect(answer.status).toBe(429);
			expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
			expect(await answer.json()).toEqual({ ok: false, error: { code: "rate_limited", message: expect.stringMatching(/Try again in/) } });
			expect((await fetch(`${url}/api/tools`)).status).toBe(429);
		} finally {
			await busy.close();
		}
	});
	it("is refused a body that is too large over a real connection", async () => {
		const there = await openTestDesk();
		try {
			const { url } = await there.serve();
			const answer = await fetch(`${url}/api/tools/eol_save_embed`, {
				method: "POST",
				headers: { authorization: `Bearer ${there.key}`, "content-type": "application/json" },
				body: JSON.stringify({ name: "x".repeat(LIMITS.bodyBytes) }),
			});
			expect(answer.status).toBe(413);
			expect(await answer.json()).toMatchObject({ ok: false, error: { code: "invalid_argument" } });
		} finally {
			await there.close();
		}
	});
});
