/** What an address may send and fetch of pictures: new guests are made in a moment, so nothing less than the address is counted. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { testClock } from "../../test/clock.js";
import { refusal } from "../../test/refusal.js";
import { Gate, type GateLimits } from "./limits.js";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FEW: GateLimits = {
	...LIMITS,
	picturesPerAddressPerMinute: 3,
	picturesPerAddressPerDay: 5,
	pictureBytesPerAddressPerDay: 1_000,
	pictureUploadsPerAddress: 2,
	pictureUploadBytesPerAddress: 100,
	pictureUploadBytes: 250,
	pictureReadsPerAddress: 2,
	pictureAddressesPerSite: 2,
};
const opened = (limits: Partial<GateLimits> = {}) => {
	const clock = testClock();
	return { clock, gate: new Gate(clock, { ...FEW, ...limits }).pictures };
};
const [ONE, OTHER] = ["192.0.2.1", "192.0.2.2"];
const network = (n: number, site = "1"): string => `2001:db8:${site}:${n}::/64`;

describe("pictures that come from an address", () => {
	it("are so many a minute, whatever becomes of them", () => {
		const { gate, clock } = opened();
		for (let i = 0; i < 3; i++) gate.upload(ONE).end();
		expect(refusal(() => gate.upload(ONE))).toMatchObject({ code: "rate_limited", detail: { metadata: { limit: "3" } } });
		gate.upload(OTHER).end();
		clock.jump(2 * MINUTE_MS);
		gate.upload(ONE).end();
	});

	it("are so many a day, and so many bytes, whoever's they are; what was refused is not counted", () => {
		const { gate, clock } = opened();
		const send = (from: string, bytes: number | null): void => {
			clock.jump(2 * MINUTE_MS);
			const coming = gate.upload(from);
			if (bytes !== null) coming.kept(bytes);
			coming.end();
		};
		for (let i = 0; i < 20; i++) send(ONE, null);
		for (let i = 0; i < 5; i++) send(ONE, 10);
		const day = refusal(() => send(ONE, 10));
		expect(day).toMatchObject({ code: "rate_limited", message: "Too many pictures from this address within a day. Send more tomorrow." });
		expect(day?.detail.retryAfterSeconds).toBeGreaterThan(3_600);
		send(OTHER, 999);
		send(OTHER, 1);
		expect(refusal(() => send(OTHER, 1))?.code).toBe("rate_limited");
		clock.jump(2 * DAY_MS);
		send(ONE, 10);
		send(OTHER, 10);
	});

	it("are counted for a /48 of IPv6 too, which has the allowance of a few addresses and no more", () => {
		const { gate, clock } = opened();
		const kept = (n: number, site?: string): void => {
			const coming = gate.upload(network(n, site));
			coming.kept(1);
			coming.end();
		};
		for (let n = 0; n < 6; n++) kept(n);
		expect(refusal(() => kept(9))?.code).toBe("rate_limited");
		kept(9, "2");
		clock.jump(2 * MINUTE_MS);
		for (let n = 10; n < 14; n++) kept(n);
		clock.jump(2 * MINUTE_MS);
		expect(refusal(() => kept(20))?.message).toContain("within a day");
	});

	it("have so many places at a time: whoever sends slowly takes none of anybody else's", () => {
		const { gate } = opened({ picturesPerAddressPerMinute: 1_000 });
		const slow = [gate.upload(ONE), gate.upload(ONE)];
		expect(refusal(() => gate.upload(ONE))).toMatchObject({ code: "rate_limited", detail: { retryAfterSeconds: 2 } });
		for (let n = 3; n < 100; n++) gate.upload(`192.0.2.${n}`);
		slow[0]?.end();
		slow[0]?.end();
		gate.upload(ONE);
		expect(refusal(() => gate.upload(ONE))?.code).toBe("rate_limited");
		for (let n = 0; n < 4; n++) gate.upload(network(n));
		expect(refusal(() => gate.upload(network(5)))?.code).toBe("rate_limited");
	});

	it("take up so much memory: what has not come takes none", () => {
		const { gate } = opened({ picturesPerAddressPerMinute: 1_000 });
		const [first, second] = [gate.upload(ONE), gate.upload(ONE)];
		first.grow(60);
		second.grow(40);
		expect(refusal(() => second.grow(1))).toMatchObject({ code: "rate_limited" });
		first.end();
		second.grow(60);
		const others = [gate.upload(OTHER), gate.upload("192.0.2.3")];
		others[0]?.grow(100);
		others[1]?.grow(50);
		expect(refusal(() => others[1]?.grow(1))).toMatchObject({ code: "unavailable" });
		for (const one of [second, ...others]) one.end();
		for (const one of others) one.end();
		const after = gate.upload("192.0.2.3");
		after.grow(100);
	});
});

describe("pictures that an address fetches", () => {
	it("are so many at a time; a place is given back once", () => {
		const { gate } = opened();
		const end = gate.read(ONE);
		gate.read(ONE);
		expect(refusal(() => gate.read(ONE))?.code).toBe("rate_limited");
		gate.read(OTHER);
		end();
		end();
		gate.read(ONE);
		expect(refusal(() => gate.read(ONE))?.code).toBe("rate_limited");
		for (let n = 0; n < 4; n++) gate.read(network(n));
		expect(refusal(() => gate.read(network(5)))?.code).toBe("rate_limited");
	});
});
