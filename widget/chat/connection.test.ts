import { beforeEach, describe, expect, test } from "vitest";
import type { HelloResult } from "../../shared/channel.js";
import { type Connection, createConnection, type Link, Lost, type Notice, Refusal, type Stop } from "./connection.js";
import { DESK, FakeSocket, settle, type TurnedClock, turnedClock } from "./fakes.js";

const RESULT: HelloResult = { you: { id: "usr_1", kind: "guest" }, desk: DESK, following: [], extensions: [] };

let clock: TurnedClock;
let sockets: FakeSocket[];
let links: (Link | Stop)[];
let ready: HelloResult[];
let notices: Notice[];
let chance: number;
let refuseToDial: boolean;
let connection: Connection;
const last = (): FakeSocket => sockets.at(-1) as FakeSocket;

beforeEach(() => {
	clock = turnedClock();
	sockets = [];
	links = [];
	ready = [];
	notices = [];
	chance = 0.5;
	refuseToDial = false;
	connection = createConnection({
		dial() {
			if (refuseToDial) throw new Error("refused");
			sockets.push(new FakeSocket());
			return last();
		},
		clock,
		random: () => chance,
		hello: () => ({ version: "1.0", nonce: "n".repeat(16) }),
		onReady: (result) => ready.push(result),
		onNotice: (notice) => notices.push(notice),
		onLink: (link, why) => links.push(link, ...(why ? [why] : [])),
	});
});

async function opened(): Promise<void> {
	connection.open();
	await greet();
}

async function greet(): Promise<void> {
	last().onopen?.();
	last().say({ id: last().sent[0]?.id, result: RESULT });
	await settle();
}

describe("opening", () => {
	test("says Hello first, and is open when it is answered", async () => {
		connection.open();
		expect(links).toEqual(["dialling"]);
		last().onopen?.();
		expect(last().sent).toEqual([{ jsonrpc: "2.0", id: 1, method: "Hello", params: { version: "1.0", nonce: "n".repeat(16) } }]);
		await greet();
		expect(links).toEqual(["dialling", "open"]);
		expect(ready).toEqual([RESULT]);
	});

	test("tries again when nothing answers within ten seconds", async () => {
		connection.open();
		last().onopen?.();
		await clock.pass(9_999);
		expect(sockets).toHaveLength(1);
		await clock.pass(500);
		expect(sockets).toHaveLength(2);
	});

	test("takes a socket that cannot even be made for one that was lost", async () => {
		refuseToDial = true;
		connection.open();
		expect(connection.link).toBe("waiting");
		refuseToDial = false;
		await clock.pass(1_000);
		expect(sockets).toHaveLength(1);
	});

	test("refuses calls before Hello is answered", async () => {
		connection.open();
		last().onopen?.();
		await expect(connection.call("SendMessage", {})).rejects.toBeInstanceOf(Lost);
	});
});

describe("calls", () => {
	test("get their own answers, in whatever order those come", async () => {
		await opened();
		const first = connection.call("GetTask", { id: "a" });
		const second = connection.call("GetTask", { id: "b" });
		const [, a, b] = last().sent;
		last().say({ id: b?.id, result: "B" });
		last().say({ id: a?.id, result: "A" });
		expect(await first).toBe("A");
		expect(await second).toBe("B");
	});

	test("bear a refusal's reason and when to come back", async () => {
		await opened();
		const call = connection.call("SendMessage", {});
		const data = [
			{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "RATE_LIMITED", domain: "x" },
			{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" },
		];
		last().say({ id: last().sent[1]?.id, error: { code: -32000, message: "Too many", data } });
		const refusal = (await call.catch((e: unknown) => e)) as Refusal;
		expect(refusal).toBeInstanceOf(Refusal);
		expect(refusal).toMatchObject({ code: -32000, reason: "RATE_LIMITED", retryAfterMs: 7_000 });
	});

	test("that are not answered in time mean a socket that does not work", async () => {
		await opened();
		const call = connection.call("SendMessage", {}, 3_000);
		const outcome = call.catch((e: unknown) => e);
		await clock.pass(3_000);
		expect(await outcome).toBeInstanceOf(Lost);
		expect(connection.link).toBe("waiting");
	});

	test("are lost with the socket", async () => {
		await opened();
		const outcome = connection.call("SendMessage", {}).catch((e: unknown) => e);
		last().end();
		expect(await outcome).toBeInstanceOf(Lost);
	});

	test("unreadable frames and answers to nobody are dropped", async () => {
		await opened();
		last().onmessage?.({ data: "{" });
		last().onmessage?.({ data: new ArrayBuffer(4) });
		last().say({ id: 99, result: 1 });
		last().say({ id: null, error: { code: -32700, message: "?" } });
		expect(connection.link).toBe("open");
	});
});

describe("coming back", () => {
	/** How long it waited after each of so many losses in a row. */
	async function waits(times: number): Promise<number[]> {
		const found: number[] = [];
		for (let i = 0; i < times; i++) {
			const from = clock.now();
			const dialled = sockets.length;
			last().end();
			while (sockets.length === dialled) await clock.pass(1);
			found.push(clock.now() - from);
		}
		return found;
	}

	test("waits twice as long each time, up to half a minute", async () => {
		chance = 0.999_999;
		connection.open();
		const found = await waits(9);
		expect(found.slice(0, 7)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
		expect(found[8]).toBe(30_000);
	});

	test("with full jitter: anything from nothing up to that", async () => {
		chance = 0;
		connection.open();
		expect(await waits(3)).toEqual([1, 1, 1]);
		chance = 0.5;
		expect(await waits(1)).toEqual([2_000]);
	});

	test("starts over only after five stable seconds", async () => {
		chance = 0.999_999;
		await opened();
		await waits(3);
		await greet();
		await clock.pass(4_999);
		expect(await waits(1)).toEqual([4_000]);
		await greet();
		await clock.pass(5_000);
		expect(await waits(1)).toEqual([500]);
	});

	test("is back within a second of a server that restarts for five, whatever chance says, and waits longer after that", async () => {
		for (const luck of [0.25, 0.5, 0.75, 0.999_999]) {
			chance = luck;
			await opened();
			await clock.pass(5_000);
			const from = clock.now();
			const found: number[] = [];
			while (clock.now() - from < 5_000) found.push(...(await waits(1)));
			expect(clock.now() - from).toBeLessThanOrEqual(6_000);
			expect(Math.max(...found)).toBeLessThanOrEqual(1_000);
			const later = await waits(3);
			expect(later).toEqual([1_000, 2_000, 4_000].map((most) => Math.ceil(most * luck)));
			connection.close();
		}
	});

	test("after 45 seconds of silence, but not when anything was heard", async () => {
		await opened();
		await clock.pass(40_000);
		last().say({ method: "tick", params: { contexts: [] } });
		await clock.pass(44_999);
		expect(connection.link).toBe("open");
		await clock.pass(1);
		expect(connection.link).toBe("waiting");
	});

	test("as the server asks when it restarts", async () => {
		await opened();
		last().say({ method: "bye", params: { retryAfterMs: 4_000 } });
		expect(notices.map((n) => n.method)).toEqual(["bye"]);
		last().end(1012);
		await clock.pass(5_999);
		expect(sockets).toHaveLength(1);
		await clock.pass(1);
		expect(sockets).toHaveLength(2);
	});

	test("soon after a restart that did not say", async () => {
		await opened();
		last().end(1012);
		await clock.pass(1_000);
		expect(sockets).toHaveLength(2);
	});

	test.each([1008, 1013])("later when told that there is too much (%i)", async (code) => {
		await opened();
		last().end(code);
		await clock.pass(5_000);
		expect(sockets).toHaveLength(1);
		await clock.pass(250);
		expect(sockets).toHaveLength(2);
	});

	test.each([
		[4401, "ticket"],
		[4403, "forbidden"],
	] as const)("not at all after %i", async (code, why) => {
		await opened();
		last().end(code);
		expect(links.slice(-2)).toEqual(["stopped", why]);
		await clock.pass(120_000);
		expect(sockets).toHaveLength(1);
		connection.open();
		expect(sockets).toHaveLength(2);
	});

	test.each([
		["TICKET_USED", "ticket"],
		["TICKET_INVALID", "ticket"],
		["UNAUTHENTICATED", "ticket"],
		["VERSION_NOT_SUPPORTED", "ticket"],
		["FORBIDDEN", "forbidden"],
		["NOT_FOUND", "forbidden"],
	] as const)("not at all when Hello is refused with %s", async (reason, why) => {
		connection.open();
		last().onopen?.();
		last().say({ id: 1, error: { code: -32000, message: "no", data: [{ reason }] } });
		await settle();
		expect(links.slice(-2)).toEqual(["stopped", why]);
	});

	test("when Hello is refused for now, not before the time it was told", async () => {
		connection.open();
		last().onopen?.();
		last().say({ id: 1, error: { code: -32000, message: "later", data: [{ reason: "RATE_LIMITED" }, { retryDelay: "20s" }] } });
		await clock.pass(29_999);
		expect(sockets).toHaveLength(1);
		await clock.pass(1);
		expect(sockets).toHaveLength(2);
	});

	test("when Hello is refused for another reason, as the close says", async () => {
		connection.open();
		last().onopen?.();
		last().say({ id: 1, error: { code: -32602, message: "what?" } });
		await settle();
		expect(connection.link).toBe("dialling");
		last().end(4401);
		expect(links.slice(-2)).toEqual(["stopped", "ticket"]);
	});

	test("at once when nudged", async () => {
		await opened();
		last().end(1013);
		connection.nudge();
		expect(sockets).toHaveLength(2);
		await greet();
		connection.nudge();
		expect(sockets).toHaveLength(2);
	});

	test("nothing that an old socket still says is heard", async () => {
		await opened();
		const old = last();
		connection.renew();
		await greet();
		old.say({ method: "tick", params: { contexts: [] } });
		old.end(4403);
		expect(notices).toEqual([]);
		expect(connection.link).toBe("open");
	});

	test("closed by us stays closed, and leaves no timer", async () => {
		await opened();
		const outcome = connection.call("GetTask", {}).catch((e: unknown) => e);
		connection.close();
		expect(await outcome).toBeInstanceOf(Lost);
		expect(clock.waiting).toBe(0);
		await clock.pass(120_000);
		expect(sockets).toHaveLength(1);
		expect(connection.link).toBe("idle");
	});
});
