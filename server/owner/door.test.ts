import { afterEach, describe, expect, it } from "vitest";
import { openTestDesk, type TestDesk } from "../../test/desk.js";

let desk: TestDesk;
afterEach(() => desk.close());

const post = (path: string, headers: Record<string, string> = {}, body = "{}"): Promise<Response> =>
	Promise.resolve(
		desk.app.request(path, {
			method: "POST",
			headers: { "content-type": "application/json", origin: desk.config.publicUrl, ...headers },
			body,
		}),
	);

/** The cookie of an owner who opened their link, and the link's secret. */
async function signedIn(): Promise<{ cookie: string; secret: string }> {
	const secret = await desk.engine.owner.createSignIn("mira");
	const answer = await post("/sign-in", {}, JSON.stringify({ secret }));
	return { secret, cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

const statusOf = async (cookie: string): Promise<number> => (await desk.app.request("/agent", { headers: { cookie } })).status;

describe("an owner's session", () => {
	it("ends when they sign out, on the server too, and only from our own page", async () => {
		desk = await openTestDesk();
		const { cookie } = await signedIn();
		const other = await signedIn();
		expect((await post("/sign-out", { cookie, origin: "https://evil.test" })).status).toBe(403);
		expect((await post("/sign-out", { cookie, "content-type": "text/plain" })).status).toBe(403);
		expect(await statusOf(cookie)).toBe(200);
		const out = await post("/sign-out", { cookie });
		expect(out.status).toBe(200);
		expect(out.headers.get("set-cookie")).toMatch(/^eol_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/);
		expect(await statusOf(cookie)).toBe(401);
		expect(await statusOf(other.cookie)).toBe(200);
		expect((await post("/sign-out")).status).toBe(200);
	});

	it("makes a link that was used lead to the page, and to nobody else's", async () => {
		desk = await openTestDesk();
		const { cookie, secret } = await signedIn();
		const body = JSON.stringify({ secret });
		const again = await post("/sign-in", { cookie }, body);
		expect([again.status, again.headers.get("set-cookie")]).toEqual([200, null]);
		expect((await post("/sign-in", { cookie: "eol_session=x" }, body)).status).toBe(401);
	});
});

describe("an owner's page", () => {
	it("shows commands that reach this server's folder, and what ends the session", async () => {
		desk = await openTestDesk();
		const page = await (await desk.app.request("/agent", { headers: { cookie: (await signedIn()).cookie } })).text();
		expect(page).toContain(`<pre>DATA_DIR=${desk.dir} npx earthonline memory put mira hours.md</pre>`);
		expect(page).toContain(`<pre>DATA_DIR=${desk.dir} npx earthonline sites add mira https://your-site.com</pre>`);
		expect(page).toContain("<h2>Keys</h2>");
		expect(page).toMatch(/<button[^>]* id="sign-out"/);
		expect((await desk.app.request("/agent.js")).headers.get("content-type")).toContain("text/javascript");
		expect(await (await desk.app.request("/agent")).text()).toContain(`DATA_DIR=${desk.dir} npx earthonline owner link`);
	});
});
