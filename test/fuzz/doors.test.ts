/**
 * T-FUZZ, over sockets (reliability.md 85, 86, 89 to 91): whatever is sent to a listening server, by whichever door, is answered in the
 * protocol's own form or let go of, soon; it tells nothing of its insides, keeps nothing, and serves the next one.
 */
import { describe, expect, it } from "vitest";
import { breaking } from "./breaking.js";
import { fuzzDoors } from "./doors.js";

const SEED = Number(process.env.SEED ?? 20_260_104);
const CASES = process.env.LONG ? 20_000 : 5_000;
const HEAP_BYTES = 32 * 1024 * 1024;
const minutes = (n: number): number => n * 60_000;

describe("a server that listens to everybody", () => {
	it(`takes ${CASES} cases of bad input`, { timeout: minutes(20) }, async () => {
		const { wrong, tally, grown } = await fuzzDoors({ seed: SEED, cases: CASES });
		expect(wrong.slice(0, 20), `seed ${SEED}`).toEqual([]);
		expect(grown).toBeLessThan(HEAP_BYTES);
		// It means something only if every door was gone through and each was closed to some.
		for (const kind of [
			"JSON-RPC 200",
			"HTTP+JSON 200",
			"HTTP+JSON 400",
			"HTTP+JSON 404",
			"HTTP+JSON 405",
			"pages 200",
			"pages 404",
			"raw 400",
			"stream enough",
			"handshake 101",
			"handshake 400",
			"socket enough",
			"socket close 1002",
			"socket close 1009",
			"socket close 4401",
		]) {
			expect(tally.get(kind), `${kind} of ${[...tally.keys()].sort().join(", ")}`).toBeGreaterThan(0);
		}
	});

	it("says only that something went wrong where its database breaks", { timeout: minutes(5) }, async () => {
		const { wrong, tally } = await fuzzDoors({ seed: SEED, cases: 800, driver: breaking });
		expect(wrong.slice(0, 20), `seed ${SEED}`).toEqual([]);
		expect(tally.get("broke")).toBeGreaterThan(5);
	});
});
