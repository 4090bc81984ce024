import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scriptedApps } from "../../test/apps/scripted.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";

let desk: TestDesk;
beforeAll(async () => {
	desk = await openTestDesk({ apps: scriptedApps() });
});
afterAll(() => desk.close());

async function call(tool: string, args: unknown = {}) {
	const headers = { authorization: `Bearer ${desk.key}`, "content-type": "application/json" };
	const answer = await desk.app.request(`/api/tools/${tool}`, { method: "POST", headers, body: JSON.stringify(args) });
	// biome-ignore lint/suspicious/noExplicitAny: wire JSON as a test reads it
	return { status: answer.status, ...((await answer.json()) as any) };
}

describe("the tools about presets", () => {
	it("read, narrow at once and ask for more, which a key cannot decide", async () => {
		expect(await call("eol_get_embed_presets")).toEqual({ status: 200, ok: true, result: { presets: { webSearch: true, apps: {} } } });
		for (const args of [
			{ apps: { calendar: "busy" } },
			{ apps: { calendar: "write" } },
			{ apps: { calendar: true } },
			{ apps: { constructor: "read" } },
			JSON.parse('{"apps":{"__proto__":"read"}}'),
			{ apps: [] },
			{ apps: {} },
			{ webSearch: "on" },
			{ everything: true },
			{},
			[],
			null,
		])
			expect(await call("eol_update_embed_presets", args)).toMatchObject({ status: 400, error: { code: "invalid_argument" } });

		await desk.engine.presets.connectApp("mira", { kind: "ical" });
		const asked = await call("eol_update_embed_presets", { webSearch: false, apps: { calendar: "busy" } });
		expect(asked.result).toEqual({ presets: { webSearch: false, apps: {} }, waiting: { apps: { calendar: "busy" } } });
		expect((await call("eol_update_embed_presets", { webSearch: true })).result.waiting).toEqual({
			webSearch: true,
			apps: { calendar: "busy" },
		});
		// Nothing that a key can call decides.
		const { tools } = (await (await desk.app.request("/api/tools")).json()) as { tools: { name: string }[] };
		expect(tools.map(({ name }) => name).filter((name) => /approv|decide|connect|app/.test(name))).toEqual([]);
		expect((await desk.engine.presets.get("mira")).preset).toMatchObject({ webSearch: false, apps: {} });

		for (const { uid } of (await desk.engine.presets.get("mira")).waiting) await desk.engine.presets.decide("mira", uid, "approved");
		expect((await call("eol_get_embed_presets")).result).toEqual({ presets: { webSearch: true, apps: { calendar: "busy" } } });
		expect((await call("eol_update_embed_presets", { apps: { calendar: "none" } })).result).toEqual({
			presets: { webSearch: true, apps: {} },
		});
	});
});
