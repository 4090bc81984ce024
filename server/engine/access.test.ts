import { describe, expect, it } from "vitest";
import { testClock } from "../../test/clock.js";
import { Access } from "./access.js";
import type { Desk } from "./engine.js";
import type { Store } from "./ports.js";
import type { PrincipalRow } from "./rows.js";

const KEY = `eolc_${"k".repeat(43)}`;
const desk = { row: { id: 1 } } as Desk;

/** Access to a store whose answers about keys wait until they are given. */
function world() {
	const clock = testClock();
	const asked: ((row: PrincipalRow | undefined) => void)[] = [];
	const store = {
		read: { accountByKey: () => new Promise<PrincipalRow | undefined>((resolve) => asked.push(resolve)) },
	} as unknown as Store;
	const account = { id: 7, uid: "acc_1", kind: "account", seenAt: clock.now() } as PrincipalRow;
	const access = new Access({ store, clock, random: { bytes: (n) => new Uint8Array(n) }, newId: () => "id" }, "secret");
	return { access, account, asked, clock };
}

describe("a credential", () => {
	it("is remembered for a second, and looked up again when its account is forgotten", async () => {
		const { access, account, asked, clock } = world();
		const first = access.identify(KEY, desk);
		asked[0]?.(account);
		expect(await first).toBe(account);
		clock.turn(999);
		expect(await access.identify(KEY, desk)).toBe(account);
		expect(asked).toHaveLength(1);
		access.forget(8);
		expect(await access.identify(KEY, desk)).toBe(account);
		access.forget(7);
		const second = access.identify(KEY, desk);
		asked[1]?.(undefined);
		expect(await second).toBeUndefined();
	});

	it("that was being looked up when something was forgotten is not remembered: it may have been revoked meanwhile", async () => {
		const { access, account, asked } = world();
		for (const forget of [() => access.forget(account.id), () => access.forgetAll()]) {
			asked.length = 0;
			const early = access.identify(KEY, desk);
			forget();
			asked[0]?.(account);
			expect(await early).toBe(account);
			const next = access.identify(KEY, desk);
			asked[1]?.(undefined);
			expect(await next).toBeUndefined();
		}
	});
});
