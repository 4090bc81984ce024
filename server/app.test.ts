import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../shared/limits.js";
import { openTestDesk, type TestDesk } from "../test/desk.js";

describe("the program", () => {
	let desk: TestDesk | undefined;
	afterEach(async () => {
		await desk?.close();
		desk = undefined;
	});

	it("says that it is alive and ready, and no longer ready once it stops", async () => {
		desk = await openTestDesk();
		const one = await desk.serve();
		expect((await desk.app.request("/healthz")).status).toBe(200);
		expect((await desk.app.request("/readyz")).status).toBe(200);
		await one.close();
		expect((await desk.app.request("/readyz")).status).toBe(503);
	});

	it("tells nobody its numbers unless it was set to", async () => {
		desk = await openTestDesk();
		expect((await desk.app.request("/metrics")).status).toBe(404);
		await desk.close();
		desk = await openTestDesk({ config: { metrics: true } });
		await desk.serve();
		const body = JSON.stringify({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } });
		await desk.app.request("/a2a/mira/message:send", {
			method: "POST",
			headers: { "content-type": "application/json", "a2a-version": "1.0" },
			body,
		});
		const text = await (await desk.app.request("/metrics")).text();
		expect(text).toContain("earthonline_messages 1\n");
		expect(text).toContain("earthonline_sockets 0\n");
		expect(text).not.toContain("mira");
	});

	it("has one allowance for an address, whichever door it comes to, and reads no more of a sign-in than it is worth", async () => {
		desk = await openTestDesk({ config: { limits: { ...LIMITS, requestsPerMinutePerAddress: 4 } } });
		const { url } = await desk.serve();
		const statuses: number[] = [];
		for (const path of ["/embed/mira", "/@mira", "/sign-in", "/agent", "/@mira", "/embed.js"])
			statuses.push((await fetch(url + path)).status);
		expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 401]);
		expect(statuses[4]).toBe(429);
		expect(statuses[5]).not.toBe(429);
		const { publicUrl } = desk.config;
		let pulled = 0;
		const endless = new ReadableStream({
			pull(controller) {
				pulled++;
				controller.enqueue(new Uint8Array(1_024).fill(120));
			},
		});
		const init = { method: "POST", headers: { origin: publicUrl, "content-type": "application/json" }, body: endless, duplex: "half" };
		expect((await desk.app.request("/sign-in", init)).status).toBe(401);
		expect(pulled).toBeLessThan(10);
	});

	it("signs an owner in by a link that is good once", async () => {
		desk = await openTestDesk();
		const { publicUrl } = desk.config;
		const secret = await desk.engine.owner.createSignIn("mira");
		const post = (origin: string): Promise<Response> =>
			Promise.resolve(
				(desk as TestDesk).app.request("/sign-in", {
					method: "POST",
					headers: { "content-type": "application/json", origin },
					body: JSON.stringify({ secret }),
				}),
			);
		expect((await post("https://evil.test")).status).toBe(403);
		const signedIn = await post(publicUrl);
		expect(signedIn.status).toBe(200);
		const cookie = signedIn.headers.get("set-cookie") ?? "";
		expect(cookie).toMatch(/^eol_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
		expect((await post(publicUrl)).status).toBe(401);
		const page = await desk.app.request("/agent", { headers: { cookie: cookie.split(";")[0] ?? "" } });
		expect(page.status).toBe(200);
		expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
		expect(await page.text()).toContain(`${publicUrl}/embed.js`);
		expect((await desk.app.request("/agent")).status).toBe(401);
		expect((await desk.app.request("/agent", { headers: { cookie: "eol_session=x" } })).status).toBe(401);
	});
});
