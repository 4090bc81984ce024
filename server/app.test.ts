import { afterEach, describe, expect, it, vi } from "vitest";
import { DeskError } from "../shared/errors.js";
import { LIMITS } from "../shared/limits.js";
import { openTestDesk, type TestDesk } from "../test/desk.js";

const fail = (): never => {
	throw new Error("the inside");
};

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

	it("refuses at the addresses that other sites' pages ask in a form that their scripts can read", async () => {
		desk = await openTestDesk({ config: { limits: { ...LIMITS, requestsPerMinutePerAddress: 1 } } });
		const { url } = await desk.serve();
		await fetch(`${url}/embed/mira`);
		const busy = await fetch(`${url}/embed/mira?embed=1`, { headers: { origin: "https://site.com" } });
		expect(busy.status).toBe(429);
		expect(Number(busy.headers.get("retry-after"))).toBeGreaterThan(0);
		expect(busy.headers.get("access-control-allow-origin")).toBe("*");
		expect(busy.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
		expect(busy.headers.get("cache-control")).toBe("no-store");
		// What the embed's script says to the site's owner is what is the matter.
		const told = await busy.json();
		expect(told).toMatchObject({ show: false, handle: "mira" });
		expect(told.help).toContain("Too many requests");
		// Nobody else's script reads the pages of this server.
		expect((await fetch(`${url}/@mira`)).headers.get("access-control-allow-origin")).toBeNull();
		// The files of the embed are not counted: a page that has begun gets the rest.
		for (const file of ["embed.js", "embed-chat.js", "embed-button.js", "embed-greeting.js", "embed-pet.js"]) {
			const answer = await fetch(`${url}/${file}`);
			expect([200, 404], file).toContain(answer.status);
			expect(answer.headers.get("access-control-allow-origin"), file).toBe("*");
		}
	});

	it.each([
		[
			"what an embed asks for cannot be looked up",
			"/embed/mira",
			() => vi.spyOn((desk as TestDesk).engine, "desk").mockImplementation(fail),
		],
		["a rule cannot be read", "/embed/mira", () => vi.spyOn((desk as TestDesk).engine.embed, "ask").mockImplementation(fail)],
	])("tells a site's script that it is our side where %s", async (_, path, breakIt) => {
		desk = await openTestDesk();
		breakIt();
		const broken = await desk.app.request(path, { headers: { origin: "https://site.com" } });
		expect(broken.status).toBe(500);
		expect(broken.headers.get("access-control-allow-origin")).toBe("*");
		const told = (await broken.json()) as { show: boolean; help: string };
		expect(told.show).toBe(false);
		expect(told.help).toMatch(/our side/);
		expect(JSON.stringify(told)).not.toContain("the inside");
		expect(desk.logged.map(({ fields }) => String(fields.err))).toEqual(["Error: the inside"]);
	});

	it("tells a site's script how long to wait where the store does not take it", async () => {
		desk = await openTestDesk();
		vi.spyOn(desk.engine.embed, "ask").mockRejectedValue(
			new DeskError("unavailable", "The store is busy. Try again in a moment.", { retryAfterSeconds: 3 }),
		);
		const answer = await desk.app.request("/embed/mira", { headers: { origin: "https://site.com" } });
		expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("access-control-allow-origin")]).toEqual([503, "3", "*"]);
		expect(await answer.json()).toEqual({ show: false, handle: "mira", help: "The store is busy. Try again in a moment." });
	});

	it("tells browsers to come by https from everywhere, where it is reached so", async () => {
		desk = await openTestDesk({ config: { publicUrl: "https://desk.test" } });
		const { url } = await desk.serve();
		for (const path of ["/healthz", "/", "/agent", "/nothing", "/a2a/mira/card", "/a2a/nobody", "/embed/mira", "/site.css", "/embed.js"])
			expect((await fetch(url + path)).headers.get("strict-transport-security"), path).toBe("max-age=31536000");
	});

	it("sends pages that are opened by a number to its name, and nothing else", async () => {
		desk = await openTestDesk();
		const from = (path: string, accept = "text/html,*/*", host = "127.0.0.1:8787") =>
			(desk as TestDesk).app.request(`http://${host}${path}`, { headers: { accept } });
		for (const path of ["/", "/@mira", "/@mira/chat?lang=zh", "/sign-in", "/agent"]) {
			const sent = await from(path);
			expect([path, sent.status, sent.headers.get("location")]).toEqual([path, 307, `http://localhost:8787${path}`]);
		}
		for (const path of ["/embed.js", "/embed/mira", "/a2a/mira/card", "/healthz", "/site.css", "/@mira/embed"])
			expect((await from(path)).status, path).not.toBe(307);
		expect((await from("/", "*/*")).status).toBe(200);
		expect((await from("/", "text/html", "localhost:8787")).status).toBe(200);
		// Another port is another server's to name.
		expect((await from("/", "text/html", "127.0.0.1:9999")).status).toBe(200);
	});

	it.each(["/", "/@mira", "/@mira/chat", "/agent", "/sign-in.js", "/sign-out", "/embed/mira", "/nothing"])(
		"refuses other verbs at %s with a page that nobody may frame",
		async (path) => {
			desk = await openTestDesk();
			for (const method of ["PUT", "DELETE", "PATCH"]) {
				const refused = await desk.app.request(path, { method });
				expect(refused.status).toBe(405);
				expect(refused.headers.get("allow")).toBeTruthy();
				expect(refused.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
				expect(refused.headers.get("x-content-type-options")).toBe("nosniff");
				expect(await refused.text()).toContain("<html");
			}
		},
	);

	it.each([
		["/metrics", () => vi.spyOn((desk as TestDesk).engine, "counts").mockImplementation(fail)],
		["/agent", () => vi.spyOn((desk as TestDesk).engine.owner, "session").mockImplementation(fail)],
	])("tells nothing of what broke at %s, and logs it whole", async (path, breakIt) => {
		desk = await openTestDesk({ config: { metrics: true } });
		breakIt();
		const broken = await desk.app.request(path, { headers: { cookie: "eol_session=x" } });
		expect(broken.status).toBe(500);
		expect(broken.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
		expect(broken.headers.get("x-content-type-options")).toBe("nosniff");
		expect(await broken.text()).not.toMatch(/the inside|\bat /);
		expect(desk.logged.map(({ fields }) => String(fields.err))).toEqual(["Error: the inside"]);
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
