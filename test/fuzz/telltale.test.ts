/** A server that tells its callers what broke inside: the fuzzing has to find it out (reliability.md, before section 1). */
import { expect, it, vi } from "vitest";
import { DeskError } from "../../shared/errors.js";
import { breaking } from "./breaking.js";
import { fuzzDoors } from "./doors.js";

vi.mock("../../server/a2a/errors.js", async (original) => ({
	...(await original<typeof import("../../server/a2a/errors.js")>()),
	asDeskError: (thrown: unknown) =>
		thrown instanceof DeskError ? thrown : new DeskError("internal", `It broke: ${(thrown as Error).stack}`),
}));

it("is found out", { timeout: 120_000 }, async () => {
	const { wrong } = await fuzzDoors({ seed: 1, cases: 1_000, untilFound: true, driver: breaking });
	expect(wrong.join("\n")).toMatch(/told of/);
});
