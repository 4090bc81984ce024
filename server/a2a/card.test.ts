import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentCard } from "../../shared/a2a.schema.js";
import { AgentCardSchema } from "../../shared/a2a-card.schema.js";
import { WEBSOCKET_BINDING } from "../../shared/extensions.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import { Cards } from "./card.js";

let desk: TestDesk;
beforeAll(async () => {
	desk = await openTestDesk({ config: { publicUrl: "https://desks.example" } });
	await desk.engine.owner.createOwner({ handle: "nova", name: "Nova", ownerName: "Ada", suggestions: [] });
});
afterAll(() => desk.close());

const SITE = "/.well-known/agent-card.json";
const read = async (path: string, headers: Record<string, string> = {}) => {
	const response = await desk.app.request(path, { headers });
	return { response, card: (await response.json()) as AgentCard };
};

/** Every value of a card that is empty: signers differ in what they make of such (a2a.md C9). */
const empties = (value: unknown, path = "card"): string[] => {
	if (value === "" || value === null) return [path];
	if (typeof value !== "object" || value === null) return [];
	const entries = Object.entries(value);
	return entries.length === 0 ? [path] : entries.flatMap(([key, member]) => empties(member, `${path}.${key}`));
};

describe("the site's card", () => {
	it.each([SITE, "/a2a/.well-known/agent-card.json"])("at %s lists each desk twice, by its address and its tenant", async (path) => {
		const { response, card } = await read(path);
		expect(response.status).toBe(200);
		expect(response.headers.get("content-type")).toBe("application/json");
		expect(AgentCardSchema.parse(card)).toEqual(card);
		expect(card.supportedInterfaces).toEqual(
			["mira", "nova"].flatMap((handle) =>
				["JSONRPC", "HTTP+JSON"].map((protocolBinding) => ({
					url: `https://desks.example/a2a/${handle}`,
					protocolBinding,
					protocolVersion: "1.0",
					tenant: handle,
				})),
			),
		);
		expect(card.capabilities).toMatchObject({ streaming: true, pushNotifications: false, extendedAgentCard: true });
		expect(card).not.toHaveProperty("securityRequirements");
		expect(empties(card)).toEqual([]);
	});

	it("is made of PUBLIC_URL, whatever a request claims", async () => {
		const { response } = await read(SITE);
		const forged = await desk.app.request(`http://evil.example${SITE}`, {
			headers: { host: "evil.example", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" },
		});
		expect(await forged.text()).not.toContain("evil");
		expect(forged.headers.get("etag")).toBe(response.headers.get("etag"));
	});

	it("is valid with no desk at all, and offers the address at which one would be named", () => {
		const cards = new Cards({ config: { publicUrl: "https://desks.example", brandName: "Desks" }, version: "1" });
		const card = JSON.parse(cards.siteCard([]).text) as AgentCard;
		expect(AgentCardSchema.parse(card)).toEqual(card);
		expect(card.supportedInterfaces).toEqual([{ url: "https://desks.example/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" }]);
		expect(empties(card)).toEqual([]);
	});
});

describe("a desk's card", () => {
	it.each(["/a2a/mira/card", "/a2a/mira/.well-known/agent-card.json", "/a2a/mira/mira/.well-known/agent-card.json"])(
		"at %s adds the WebSocket binding third",
		async (path) => {
			const { card } = await read(path);
			expect(AgentCardSchema.parse(card)).toEqual(card);
			expect(card.name).toBe("Mira");
			expect(card.supportedInterfaces.map(({ protocolBinding }) => protocolBinding)).toEqual(["JSONRPC", "HTTP+JSON", WEBSOCKET_BINDING]);
			expect(card.supportedInterfaces[2]).toMatchObject({ url: "wss://desks.example/a2a/mira/ws", tenant: "mira" });
			expect(card.iconUrl).toMatch(/^https:\/\/desks\.example\/@mira\//);
			expect(empties(card)).toEqual([]);
		},
	);

	it("says nothing where nothing is known", async () => {
		const { card } = await read("/a2a/nova/card");
		expect(card.description).toContain("Ada");
		expect(card.skills).toHaveLength(1);
		expect(card.skills[0]).not.toHaveProperty("examples");
		expect(empties(card)).toEqual([]);
		const extended = (await read("/a2a/nova/extendedAgentCard", { "a2a-version": "1.0" })).card;
		expect(AgentCardSchema.parse(extended)).toEqual(extended);
		expect(empties(extended)).toEqual([]);
	});

	it("lists as input exactly what the desk takes", async () => {
		for (const [parts, modes] of [
			["text", ["text/plain", "text/markdown"]],
			["text+data", ["text/plain", "text/markdown", "application/json"]],
			["all", ["text/plain", "text/markdown", "application/json", "image/png", "image/jpeg", "image/webp"]],
		] as const) {
			await desk.engine.owner.changeSettings("mira", { parts });
			expect((await read("/a2a/mira/card")).card.defaultInputModes).toEqual(modes);
			// The site's says no more than every desk of it takes.
			expect((await read(SITE)).card.defaultInputModes).toEqual(modes);
		}
	});
});

describe("a card that was read before", () => {
	it.each([SITE, "/a2a/mira/card"])("at %s is not sent again while it is the same, and is when it is another", async (path) => {
		const { response } = await read(path);
		const etag = response.headers.get("etag") as string;
		const modified = response.headers.get("last-modified") as string;
		expect(response.headers.get("cache-control")).toMatch(/^public, max-age=\d+$/);
		expect(etag).toMatch(/^"[\w-]+"$/);
		const asked: Record<string, string>[] = [
			{ "if-none-match": etag },
			{ "if-none-match": `"other", W/${etag}` },
			{ "if-none-match": "*" },
			{ "if-modified-since": modified },
			{ "if-none-match": etag, "if-modified-since": new Date(0).toUTCString() },
		];
		for (const headers of asked) {
			const again = await desk.app.request(path, { headers });
			expect(again.status, JSON.stringify(headers)).toBe(304);
			expect(again.headers.get("etag")).toBe(etag);
			expect(await again.text()).toBe("");
		}
		for (const headers of [
			{ "if-none-match": '"other"' },
			{ "if-modified-since": new Date(0).toUTCString() },
			{ "if-modified-since": "nonsense" },
			{ "if-none-match": '"other"', "if-modified-since": modified },
		]) {
			expect((await desk.app.request(path, { headers: headers as Record<string, string> })).status, JSON.stringify(headers)).toBe(200);
		}
		const { guests } = (await desk.engine.desk("mira"))?.settings ?? { guests: true };
		await desk.engine.owner.changeSettings("mira", { apiKey: !(await desk.engine.desk("mira"))?.settings.apiKey, guests });
		const changed = await desk.app.request(path, { headers: { "if-none-match": etag } });
		expect(changed.status).toBe(200);
		expect(changed.headers.get("etag")).not.toBe(etag);
	});

	it("is the same bytes each time, from HEAD only its headers", async () => {
		const one = await desk.app.request("/a2a/mira/card");
		const two = await desk.app.request("/a2a/mira/card");
		expect(await two.text()).toBe(await one.text());
		const head = await desk.app.request("/a2a/mira/card", { method: "HEAD" });
		expect(head.headers.get("etag")).toBe(one.headers.get("etag"));
		expect(await head.text()).toBe("");
	});
});

describe("what a card does not show", () => {
	it("is a desk with A2A off", async () => {
		await desk.engine.owner.changeSettings("nova", { a2a: false });
		expect((await read(SITE)).card.supportedInterfaces.map(({ tenant }) => tenant)).toEqual(["mira", "mira"]);
		expect((await desk.app.request("/a2a/nova/card")).status).toBe(404);
		await desk.engine.owner.changeSettings("nova", { a2a: true });
		expect((await read(SITE)).card.supportedInterfaces).toHaveLength(4);
	});

	it("is a requirement while any desk of the site takes guests, and is there when none does", async () => {
		await desk.engine.owner.changeSettings("nova", { guests: false });
		expect((await read(SITE)).card).not.toHaveProperty("securityRequirements");
		expect((await read("/a2a/nova/card")).card.securityRequirements).toEqual([{ schemes: { bearer: { list: ["a2a"] } } }]);
		await desk.engine.owner.changeSettings("mira", { guests: false, apiKey: true });
		expect((await read(SITE)).card.securityRequirements).toEqual([
			{ schemes: { bearer: { list: ["a2a"] } } },
			{ schemes: { apiKey: { list: ["a2a"] } } },
		]);
	});
});
