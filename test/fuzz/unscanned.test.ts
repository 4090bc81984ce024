/** A server that parses JSON without a look at its bytes: the fuzzing has to find it out (reliability.md, before section 1). */
import { expect, it, vi } from "vitest";
import { fuzzDoors } from "./doors.js";

vi.mock("../../shared/json-scan.js", async (original) => ({
	...(await original<typeof import("../../shared/json-scan.js")>()),
	readJson: (input: Uint8Array | string): unknown =>
		JSON.parse(typeof input === "string" ? input : Buffer.from(input).toString()) as unknown,
	refuseUnstorable: () => undefined,
}));

it("is found out", { timeout: 120_000 }, async () => {
	const { wrong } = await fuzzDoors({ seed: 1, cases: 1_000, untilFound: true });
	expect(wrong.join("\n")).toMatch(/answered 500|broke in a request|-32603|logged/);
});
