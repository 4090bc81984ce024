/** Slow senders and slow readers of pictures, over real connections from several addresses: none of them costs anybody else anything. */
import { writeFile } from "node:fs/promises";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import * as some from "../../test/pictures.js";
import type { Desk } from "../engine/engine.js";

const ONE = "192.0.2.1";
const OTHER = "192.0.2.2";
let site: TestDesk;
let url: string;
let guests = 0;
let picture: Buffer;
const open: ClientRequest[] = [];

beforeEach(async () => {
	site = await openTestDesk({ config: { trustProxy: 1, limits: { ...LIMITS, pictureReadsPerAddress: 3 } } });
	({ url } = await site.serve());
	picture = await some.png(30, 20);
});
afterEach(async () => {
	for (const one of open.splice(0)) one.destroy();
	await site.close();
});

const token = async (): Promise<string> =>
	(await site.engine.welcomeGuest((await site.engine.desk("mira")) as Desk, `a nonce of a guest ${++guests}`)).token;

/** A request from an address, as the proxy in front tells it. */
function ask(from: string, path: string, headers: Record<string, string>, method = "GET") {
	const asked = request(`${url}${path}`, { method, headers: { "x-forwarded-for": from, ...headers }, agent: false });
	open.push(asked);
	const answered = new Promise<IncomingMessage>((resolve, reject) => {
		asked.once("response", resolve).once("error", reject);
	});
	answered.catch(() => undefined);
	return { asked, answered };
}

/** Begins to send a picture and stops in the middle; what is returned sends the rest. */
async function begin(from: string, as?: string) {
	const headers = {
		authorization: `Bearer ${as ?? (await token())}`,
		"content-type": "image/png",
		"content-length": String(picture.byteLength),
	};
	const { asked, answered } = ask(from, "/@mira/files", headers, "POST");
	const half = Math.floor(picture.byteLength / 2);
	await new Promise((resolve) => asked.write(picture.subarray(0, half), resolve));
	return { asked, answered, end: () => void asked.end(picture.subarray(half)) };
}

async function send(from: string): Promise<{ status: number | undefined; body: { url?: string; error?: { code: string } } }> {
	const { answered, end } = await begin(from);
	end();
	const answer = await answered;
	const chunks: Buffer[] = [];
	for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
	return { status: answer.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) };
}

describe("a picture that comes slowly", () => {
	it("takes a place of its own address and of nobody else, and is taken when it is whole", async () => {
		const slow = await Promise.all(Array.from({ length: LIMITS.pictureUploadsPerAddress }, () => begin(ONE)));
		// All of them have their places when one more is told so.
		await expect.poll(async () => (await send(ONE)).status).toBe(429);
		expect(await send(OTHER)).toMatchObject({ status: 201, body: { url: expect.any(String) } });
		for (const { end } of slow) end();
		for (const { answered } of slow) expect((await answered).statusCode).toBe(201);
		expect((await send(ONE)).status).toBe(201);
	});

	it("takes its place for as long as it is sent, also where it is not taken", async () => {
		const slow = await Promise.all(Array.from({ length: LIMITS.pictureUploadsPerAddress }, () => begin(ONE, "eolg_nobody.1.x")));
		await expect.poll(async () => (await send(ONE)).status).toBe(429);
		for (const { end } of slow) end();
		for (const { answered } of slow) expect((await answered).statusCode).toBe(401);
		await expect.poll(async () => (await send(ONE)).status).toBe(201);
	});

	it("leaves nothing behind when its sender goes away: neither its place, nor a row, nor a word in the log", async () => {
		const slow = await Promise.all(Array.from({ length: LIMITS.pictureUploadsPerAddress }, () => begin(ONE)));
		let kept = 0;
		const another = async (): Promise<number | undefined> => {
			const { status } = await send(ONE);
			if (status === 201) kept++;
			return status;
		};
		await expect.poll(another).toBe(429);
		for (const { asked } of slow) asked.destroy();
		await expect.poll(another).toBe(201);
		const { room } = await site.engine.pictures.list("mira");
		expect(room.pictures).toBe(kept);
		expect(site.logged).toEqual([]);
	});
});

describe("a picture that is fetched slowly", () => {
	/** Far more than a connection holds on its way. */
	const LARGE = 32 * 1024 * 1024;
	let path: string;
	beforeEach(async () => {
		path = new URL((await send(OTHER)).body.url ?? "").pathname;
		const uid = path.slice("/f/".length);
		await writeFile(join(site.dir, "files", uid.slice(0, 2), uid), Buffer.alloc(LARGE));
	});
	const fetchOne = async (from: string, method = "GET") => {
		const { asked, answered } = ask(from, path, {}, method);
		asked.end();
		const answer = await answered;
		return { asked, answer, status: answer.statusCode };
	};

	it("takes one of its address's places until it is read or given up", async () => {
		const [first, second, third] = [await fetchOne(ONE), await fetchOne(ONE), await fetchOne(ONE)];
		expect([first, second, third].map((one) => one.status)).toEqual([200, 200, 200]);
		const { answer, status } = await fetchOne(ONE);
		expect(status).toBe(429);
		expect(answer.headers["retry-after"]).toBe("2");
		expect((await fetchOne(OTHER)).status).toBe(200);
		first.asked.destroy();
		let bytes = 0;
		for await (const chunk of second.answer as AsyncIterable<Buffer>) bytes += chunk.byteLength;
		expect(bytes).toBe(LARGE);
		const free: (number | undefined)[] = [];
		await expect.poll(async () => free.push((await fetchOne(ONE)).status) && free.filter((one) => one === 200).length).toBe(2);
		expect((await fetchOne(ONE)).status).toBe(429);
	});

	it("takes none where its headers alone are asked for, or it is not there", async () => {
		for (let i = 0; i < 10; i++) {
			const { answer, status } = await fetchOne(ONE, "HEAD");
			expect(status).toBe(200);
			expect(answer.headers).toMatchObject({
				"content-length": String(LARGE),
				"content-type": "image/png",
				"x-content-type-options": "nosniff",
			});
		}
		path = `/f/${"a".repeat(32)}`;
		for (let i = 0; i < 10; i++) expect((await fetchOne(ONE)).status).toBe(404);
	});
});
