/** The table of kinds says what the hands do: what each needs, and that nothing else will do. */
import { describe, expect, it } from "vitest";
import { DeskError } from "../../shared/errors.js";
import type { Outbound } from "../outbound/fetch.js";
import type { FeedReader } from "./feed-reader.js";
import { createApps } from "./index.js";
import { KIND_NAMES, KINDS } from "./kinds.js";

const GIVEN = { address: "https://app.example/feed", key: "key-12345678" };

describe.each(KIND_NAMES)("an app of kind %s", (kind) => {
	const connect = async (given: Partial<typeof GIVEN>) => {
		let asked = 0;
		const outbound = {
			check: (url: string) => new URL(url),
			ask() {
				asked++;
				return Promise.reject(new DeskError("unavailable", "Nobody is there."));
			},
		} as unknown as Outbound;
		const code = await createApps({ outbound, feeds: {} as FeedReader, now: () => 0 })
			.connect({ kind, ...given }, AbortSignal.timeout(5_000))
			.catch((error: unknown) => (error as DeskError).code);
		return { code, asked };
	};

	it("is asked with what it needs, and refuses to begin without", async () => {
		const { needs } = KINDS[kind];
		const { [needs]: value, ...other } = GIVEN;
		expect(await connect({ [needs]: value })).toEqual({ code: "unavailable", asked: 1 });
		for (const nothing of [{}, other, { [needs]: " " }]) expect(await connect(nothing)).toEqual({ code: "invalid_params", asked: 0 });
	});
});

it("a kind that is none is refused, whether it is typed or was kept", async () => {
	const apps = createApps({ outbound: {} as Outbound, feeds: {} as FeedReader, now: () => 0 });
	for (const kind of ["gmail", "", "constructor", "__proto__"]) {
		await expect(apps.connect({ kind, ...GIVEN }, AbortSignal.timeout(5_000))).rejects.toMatchObject({ code: "invalid_params" });
		const kept = { app: "search", kind, label: "", most: "read", settings: "{}", uid: "app_1" } as const;
		await expect(apps.call({ tool: "webSearch", query: "x" }, kept, "read", AbortSignal.timeout(5_000))).rejects.toMatchObject({
			message: expect.stringContaining("Connect one of ical"),
		});
	}
});
