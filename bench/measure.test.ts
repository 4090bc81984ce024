import { describe, expect, it } from "vitest";
import { inTurn, missedBy, OURS, percentile, type Row, target } from "./measure.js";

describe("sides taken in turn", () => {
	it("go in the opposite order every other time", async () => {
		const order: string[] = [];
		const side = (name: string) => async () => {
			order.push(name);
			return { n: 1 };
		};
		await inTurn(3, { [OURS]: side("ours"), peer: side("peer") });
		expect(order).toEqual(["ours", "peer", "peer", "ours", "ours", "peer"]);
	});

	it("are compared pair by pair, not median by median", async () => {
		const ours = [10, 40, 30];
		const theirs = [5, 10, 30];
		const samples = await inTurn(3, {
			[OURS]: async () => ({ perSecond: ours.shift() as number }),
			peer: async () => ({ perSecond: theirs.shift() as number }),
		});
		const row = samples.row("sends a second", "perSecond", { peer: "peer" });
		expect(row).toEqual({ what: "sends a second", ours: 30, peer: { name: "peer", value: 10 }, ratio: { median: 2, low: 1, high: 4 } });
	});

	it("say nothing of a peer that was not measured", async () => {
		const samples = await inTurn(1, { [OURS]: async () => ({ ms: 3 }) });
		const row = samples.row("p50, ms", "ms", { peer: "peer" }, target("ratio", "most", 1));
		expect(row).toMatchObject({ ours: 3 });
		expect(row.ratio).toBeUndefined();
		expect(missedBy(row)).toBeUndefined();
	});
});

describe("a target", () => {
	const row = (more: Partial<Row>): Row => ({ what: "", ours: 12, ...more });
	const ratio = { median: 2, low: 1, high: 9 };

	it.each([
		["at its bound", row({ ratio, target: target("ratio", "least", 2) }), 0],
		["below what is wanted at least", row({ ratio, target: target("ratio", "least", 4) }), 0.5],
		["above what is wanted at most", row({ ratio, target: target("ratio", "most", 1) }), 1],
		["of our own number", row({ target: target("ours", "most", 10) }), 0.2],
	])("%s is missed by that share of the bound", (_, judged, missed) => {
		expect(missedBy(judged)).toBeCloseTo(missed);
	});
});

it("takes a percentile of numbers in any order", () => {
	const values = Array.from({ length: 100 }, (_, i) => 99 - i);
	expect([percentile(values, 0), percentile(values, 50), percentile(values, 99)]).toEqual([0, 50, 99]);
});
