import Database from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { type TestClock, testClock } from "../../test/clock.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import * as some from "../../test/pictures.js";
import type { Caller, Desk } from "../engine/engine.js";
import { databaseFile } from "../store/sqlite-connection.js";

const clock: TestClock = testClock();
let site: TestDesk;
let desk: Desk;
let made = 0;
/** Each test has a desk of its own and a guest at it. */
let handle: string;
let token: string;
let caller: Caller;

beforeAll(async () => {
	site = await openTestDesk({ clock, config: { publicUrl: "https://desk.example" } });
});
afterAll(() => site.close());
beforeEach(async () => {
	// What one address may send is not what is tried here.
	clock.jump(2 * 24 * 60 * 60 * 1000);
	handle = `desk${++made}`;
	desk = await site.engine.owner.createOwner({ handle, name: "Mira" });
	const guest = await site.engine.welcomeGuest(desk, `a nonce of this test ${made}`);
	token = guest.token;
	caller = { principal: guest.principal, provenance: { channel: "page" }, extensions: [] };
});

const upload = (body: BodyInit, headers: Record<string, string> = {}, at = `/@${handle}/files`) =>
	site.app.request(at, { method: "POST", body, headers: { authorization: `Bearer ${token}`, "content-type": "image/png", ...headers } });
const told = async (answer: Response) => ({
	status: answer.status,
	...((await answer.json()) as { error?: { code: string; message: string }; url?: string }),
});
const bytes = (buffer: Buffer): ArrayBuffer => new Uint8Array(buffer).buffer as ArrayBuffer;
const pathOf = (url: string | undefined): string => new URL(url ?? "").pathname;
const sent = async (url: string): Promise<string> => {
	const message = { messageId: `m ${url}`, role: "ROLE_USER" as const, parts: [{ text: "Look" }, { url, mediaType: "image/png" }] };
	return (await site.engine.send(caller, desk, message, {})).contextId;
};

describe("POST /@<handle>/files", () => {
	it("takes a picture of a guest's and says where it is", async () => {
		const answer = await upload(bytes(await some.png(30, 20)));
		expect(answer.status).toBe(201);
		expect(answer.headers.get("cache-control")).toBe("no-store");
		const said = (await answer.json()) as { url: string };
		expect(said).toMatchObject({ mediaType: "image/png", width: 30, height: 20, bytes: expect.any(Number) });
		expect(said.url).toMatch(/^https:\/\/desk\.example\/f\/[\w-]{32}$/);
	});

	it("is made in the line of the network that it comes from", async () => {
		const take = vi.spyOn(site.engine.pictures, "take");
		for (const remoteAddress of ["198.51.100.7", "2001:db8:1:2:3::4", "2001:db8:1:2:9::9"]) {
			const init = {
				method: "POST",
				body: bytes(await some.png()),
				headers: { authorization: `Bearer ${token}`, "content-type": "image/png" },
			};
			const answer = await site.app.request(`/@${handle}/files`, init, { incoming: { socket: { remoteAddress } } });
			expect(answer.status).toBe(201);
		}
		const [one, two, three] = take.mock.calls.map(([, , , origin]) => origin.network);
		take.mockRestore();
		expect(one).toBe("198.51.100.7");
		expect(two).not.toBe(one);
		expect(three).toBe(two);
	});

	it("asks for a token in its header and nowhere else", async () => {
		const one = bytes(await some.png());
		expect(
			await told(await site.app.request(`/@${handle}/files`, { method: "POST", body: one, headers: { "content-type": "image/png" } })),
		).toMatchObject({
			status: 401,
		});
		expect(await told(await upload(one, { authorization: "Bearer eolg_nobody.1.x" }))).toMatchObject({ status: 401 });
		expect(await told(await upload(one, {}, `/@${handle}/files?token=${token}`))).toMatchObject({
			status: 400,
			error: { code: "invalid_request" },
		});
		expect(await told(await upload(one, {}, "/@nobody/files"))).toMatchObject({ status: 404 });
	});

	it("takes none of another desk's guest, and none where no guests or no pictures are taken", async () => {
		const one = bytes(await some.png());
		const other = await site.engine.owner.createOwner({ handle: `${handle}b`, name: "Other" });
		expect(await told(await upload(one, {}, `/@${other.row.handle}/files`))).toMatchObject({ status: 401 });
		await site.engine.owner.changeSettings(handle, { parts: "text" });
		expect(await told(await upload(one))).toMatchObject({
			status: 415,
			error: { message: "This desk takes no pictures. Say it in words." },
		});
		await site.engine.owner.changeSettings(handle, { parts: "all", guests: false });
		expect(await told(await upload(one))).toMatchObject({ status: 403 });
	});

	it("refuses by what the bytes are, whatever type is said, with a word that helps", async () => {
		expect(await told(await upload("<svg/>", { "content-type": "image/svg+xml" }))).toMatchObject({ status: 415 });
		expect(await told(await upload("<script>alert(1)</script>"))).toMatchObject({
			status: 415,
			error: { message: "This is a web page. This desk takes PNG, JPEG and WebP pictures: save it as one of these." },
		});
		expect(await told(await upload(bytes(await some.jpeg())))).toMatchObject({
			status: 415,
			error: { code: "content_type_not_supported" },
		});
		expect(await told(await upload(bytes(some.enormous(20_000, 20_000))))).toMatchObject({ status: 413, error: { code: "too_large" } });
		expect(await told(await upload(bytes((await some.png(100, 100)).subarray(0, 100))))).toMatchObject({ status: 400 });
	});

	it("reads no more than a picture may have, whatever length is said", async () => {
		const large = new Uint8Array(LIMITS.pictureBytes + 1);
		expect(await told(await upload(large.buffer, { "content-length": String(large.byteLength) }))).toMatchObject({ status: 413 });
		let read = 0;
		const endless = new ReadableStream({
			pull(controller) {
				read += 1024 * 1024;
				controller.enqueue(new Uint8Array(1024 * 1024));
			},
		});
		const answer = await site.app.request(`/@${handle}/files`, {
			method: "POST",
			body: endless,
			duplex: "half",
			headers: { authorization: `Bearer ${token}`, "content-type": "image/png" },
		} as RequestInit);
		expect(await told(answer)).toMatchObject({ status: 413, error: { message: expect.stringContaining("10 MiB") } });
		expect(read).toBeLessThan(LIMITS.pictureBytes + 4 * 1024 * 1024);
	});

	it("knows no names: what a file is called, twice over or with a path, changes nothing", async () => {
		const at = `/@${handle}/files`;
		for (const name of ["evil.png.html", "..\\..\\x.svg", `${"n".repeat(4_000)}.png`]) {
			const answer = await upload(bytes(await some.png()), { "content-disposition": `attachment; filename="${name}"` }, at);
			const { url } = await told(answer);
			const got = await site.app.request(pathOf(url));
			expect(got.headers.get("content-disposition")).toBe('attachment; filename="picture.png"');
		}
	});

	it("takes so many of one address a minute and a day, whoever comes from it, and says so before it asks the store anything", async () => {
		const limits = { ...LIMITS, picturesPerAddressPerMinute: 4, picturesPerAddressPerDay: 5 };
		const strict = await openTestDesk({ clock, config: { limits } });
		const mira = (await strict.engine.desk("mira")) as Desk;
		const one = bytes(await some.png());
		let guests = 0;
		const send = async (bearer?: string) => {
			const guest = bearer ?? (await strict.engine.welcomeGuest(mira, `another new guest ${++guests}`)).token;
			const headers = { authorization: `Bearer ${guest}`, "content-type": "image/png" };
			return (await strict.app.request("/@mira/files", { method: "POST", body: one, headers })).status;
		};
		for (let i = 0; i < 4; i++) expect(await send()).toBe(201);
		expect(await send()).toBe(429);
		clock.jump(2 * 60_000);
		for (let i = 0; i < 4; i++) expect(await send("eolg_nobody.1.x")).toBe(401);
		expect(await send("eolg_nobody.1.x")).toBe(429);
		clock.jump(2 * 60_000);
		expect(await send()).toBe(201);
		expect(await send()).toBe(429);
		clock.jump(2 * 24 * 60 * 60_000);
		expect(await send()).toBe(201);
		await strict.close();
	});

	it("takes so many an hour of one guest", async () => {
		const now = clock.now();
		for (let i = 0; i < LIMITS.picturesPerGuestPerHour; i++) {
			const row = { uid: `${handle}-${i}`.padEnd(32, "x"), mediaType: "image/png" as const, bytes: 10, width: 1, height: 1 };
			const who = { deskId: desk.row.id, principalId: caller.principal?.id ?? 0, guest: true, since: now - 1, limits: LIMITS, now };
			await site.store.write("keepPicture", { ...row, ...who });
		}
		const answer = await upload(bytes(await some.png()));
		expect(answer.headers.get("retry-after")).toBe("600");
		expect(await told(answer)).toMatchObject({ status: 429 });
	});
});

describe("GET /f/<id>", () => {
	it("gives the picture as a file to keep: no page, no guessing, no cache, nobody else's page", async () => {
		const { url } = await told(await upload(bytes(await some.png())));
		const got = await site.app.request(pathOf(url));
		expect(Object.fromEntries(got.headers)).toMatchObject({
			"content-type": "image/png",
			"content-disposition": 'attachment; filename="picture.png"',
			"content-security-policy": "default-src 'none'; sandbox",
			"x-content-type-options": "nosniff",
			"cache-control": "private, no-store",
			"cross-origin-resource-policy": "same-origin",
			"referrer-policy": "no-referrer",
		});
		expect(got.headers.get("access-control-allow-origin")).toBeNull();
		const picture = Buffer.from(await got.arrayBuffer());
		expect(picture.subarray(1, 4).toString()).toBe("PNG");
		expect(got.headers.get("content-length")).toBe(String(picture.byteLength));
	});

	it("knows nothing of what is no id, or nobody's", async () => {
		for (const path of ["/f/x", `/f/${"a".repeat(32)}`, "/f/..%2f..%2fdatabase", `/f/${"a".repeat(5_000)}`]) {
			expect((await site.app.request(path)).status).toBe(404);
		}
	});

	it("ends with its conversation, at once; its bytes go with the next tidying", async () => {
		const { url } = await told(await upload(bytes(await some.png())));
		const contextId = await sent(url ?? "");
		expect((await site.app.request(pathOf(url))).status).toBe(200);
		const view = await site.store.read.conversation(caller.principal?.id ?? 0, desk.row.id, contextId, 0);
		const id = view?.conversation.id ?? 0;
		const database = new Database(databaseFile(site.dir), { timeout: 5_000 });
		database.pragma("foreign_keys = on");
		for (const table of ["turn", "event", "message", "task", "participant"])
			database.prepare(`delete from ${table} where conversation_id = ?`).run(id);
		database.prepare("delete from conversation where id = ?").run(id);
		database.close();
		expect((await site.app.request(pathOf(url))).status).toBe(404);
		const { gone } = await site.store.write("dropPictures", { unsentBefore: 0, after: "", limit: 50 });
		expect(gone).toContain(pathOf(url).slice("/f/".length));
	});

	it("gives none that was never sent, a day later", async () => {
		const { url } = await told(await upload(bytes(await some.png())));
		const other = await told(await upload(bytes(await some.png())));
		await sent(other.url ?? "");
		await site.store.write("dropPictures", { unsentBefore: clock.now() + LIMITS.pictureUnsentMs, after: "", limit: 500 });
		expect((await site.app.request(pathOf(url))).status).toBe(404);
		expect((await site.app.request(pathOf(other.url))).status).toBe(200);
	});
});
