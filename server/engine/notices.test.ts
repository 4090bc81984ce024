import { describe, expect, it } from "vitest";
import { testClock } from "../../test/clock.js";
import { settle } from "../../test/socket/open.js";
import type { Desk, ShutOut } from "./engine.js";
import { Notices } from "./notices.js";
import type { Notice } from "./notices-operations.js";
import type { NoticeHint, Store } from "./ports.js";
import type { NoticeRow } from "./reads.js";

/** A store of which notices can be left by this process and by others, and everything that is done about them. */
function world({ shared = true, before = 0 } = {}) {
	const clock = testClock();
	const rows: NoticeRow[] = Array.from({ length: before }, (_, i) => ({ id: i + 1, what: '{"about":"desk","deskId":1}' }));
	const listeners = new Set<(hint: NoticeHint) => void>();
	const done: unknown[] = [];
	const logged: string[] = [];
	const state = { away: false, reads: 0, last: before };
	const ask = <T>(answer: () => T): Promise<T> => (state.away ? Promise.reject(new Error("away")) : Promise.resolve().then(answer));
	const store = {
		shared,
		onNotice(listener: (hint: NoticeHint) => void) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		read: {
			lastNotice: () => ask(() => state.last),
			notices(from: number, limit: number) {
				state.reads++;
				return ask(() => rows.filter(({ id }) => id >= from).slice(0, limit));
			},
			deskById: (id: number) => ask(() => ({ id, handle: `desk${id}` })),
		},
	} as unknown as Store;
	const notices = new Notices({
		store,
		clock,
		log: (_level, _fields, text) => logged.push(text),
		access: { forget: (id) => done.push({ forget: id }), forgetAll: () => done.push("forget all") },
		desks: {
			get: async (handle) => ({ row: { handle } }) as Desk,
			all: async () => [{ row: { handle: "each" } } as Desk],
			changed: (id) => done.push({ changed: id }),
			forgetAll: () => done.push("forget desks"),
		},
		shutOut: (who) => done.push(who),
		presence: ({ row }) => done.push({ presence: row.handle }),
	});
	const write = (what: string): number => {
		rows.push({ id: ++state.last, what });
		return state.last;
	};
	return {
		clock,
		notices,
		rows,
		state,
		logged,
		/** What was done since this was asked before. */
		done: (): unknown[] => done.splice(0),
		heard: () => listeners.size,
		/** Another process leaves one; `told`: its hint arrives. */
		other(notice: Notice | { about: string }, told = true): void {
			const id = write(JSON.stringify(notice));
			if (told) for (const listener of listeners) listener({ id });
		},
		/** This process leaves one. */
		own(notice: Notice): void {
			const id = write(JSON.stringify(notice));
			for (const listener of listeners) listener({ id, notice });
		},
	};
}

const gone = (principalId: number): { about: "access"; who: ShutOut } => ({ about: "access", who: { principalId } });
const acts = (...ids: number[]): unknown[] => ids.flatMap((id) => [{ forget: id }, { principalId: id }]);
const EVERYTHING = ["forget all", "forget desks", { anybody: true }, { presence: "each" }];

async function started(options: Parameters<typeof world>[0] = {}): Promise<ReturnType<typeof world>> {
	const w = world(options);
	await w.notices.start();
	expect(w.done()).toEqual(["forget all", "forget desks"]);
	return w;
}

describe("a notice", () => {
	it("of this process is acted on at once, and read by nobody", async () => {
		const w = await started();
		w.own(gone(1));
		w.own({ about: "desk", deskId: 7 });
		expect(w.done()).toEqual([...acts(1), { changed: 7 }]);
		await settle();
		expect(w.state.reads).toBe(0);
		expect(w.done()).toEqual([]);
	});

	it("of another is acted on when its hint comes, in order with what came before it", async () => {
		const w = await started({ before: 3 });
		w.other(gone(1), false);
		w.other(gone(2));
		await settle();
		expect(w.done()).toEqual(acts(1, 2));
	});

	it("whose hint was lost is found within half a second, once", async () => {
		const w = await started();
		w.other(gone(1), false);
		w.clock.turn(499);
		await settle();
		expect(w.done()).toEqual([]);
		w.clock.turn(1);
		await settle();
		expect(w.done()).toEqual(acts(1));
		for (let i = 0; i < 4; i++) {
			w.clock.turn(500);
			await settle();
		}
		expect(w.done()).toEqual([]);
		expect(w.state.reads).toBe(5);
	});

	it("of another that was committed before this process's own is not passed over", async () => {
		const w = await started();
		w.other(gone(1), false);
		w.own(gone(2));
		expect(w.done()).toEqual(acts(2));
		await settle();
		// The own one again: looking twice changes nothing.
		expect(w.done()).toEqual(acts(1, 2));
		w.own(gone(3));
		await settle();
		expect(w.done()).toEqual(acts(3));
	});

	it("says that somebody is there again, once the desk has been read anew", async () => {
		const w = await started();
		w.other({ about: "desk", deskId: 4, presence: true });
		w.own({ about: "desk", deskId: 5, presence: true });
		w.own({ about: "desk", deskId: 6 });
		await settle();
		expect(w.done()).toEqual(
			expect.arrayContaining([{ changed: 4 }, { changed: 5 }, { changed: 6 }, { presence: "desk4" }, { presence: "desk5" }]),
		);
	});

	it("of a kind that is not known, or that cannot be read, means anything", async () => {
		const w = await started();
		w.other({ about: "the weather" });
		await settle();
		expect(w.done()).toEqual(EVERYTHING);
		w.rows.push({ id: ++w.state.last, what: "{" });
		w.clock.turn(500);
		await settle();
		expect(w.done()).toEqual(EVERYTHING);
	});

	it("comes in pages where there are many, each one in its turn", async () => {
		const w = await started();
		const many = Array.from({ length: 250 }, (_, i) => i + 1);
		for (const id of many) w.other(gone(id), false);
		w.clock.turn(500);
		await settle();
		expect(w.done()).toEqual(acts(...many));
	});
});

describe("where notices are missing", () => {
	it("because too many came, everything is looked at again, and then what comes after", async () => {
		const w = await started({ before: 2 });
		for (let id = 1; id <= 5; id++) w.other(gone(id), false);
		w.rows.splice(0, 4);
		w.clock.turn(500);
		await settle();
		expect(w.done()).toEqual(EVERYTHING);
		w.other(gone(9));
		await settle();
		expect(w.done()).toEqual(acts(9));
	});

	it("because the database is an older one now, the same", async () => {
		const w = await started({ before: 9 });
		w.rows.splice(4);
		w.state.last = 4;
		w.clock.turn(500);
		await settle();
		expect(w.done()).toEqual(EVERYTHING);
		w.other(gone(1));
		await settle();
		expect(w.done()).toEqual(expect.arrayContaining(acts(1)));
	});

	it("because the database is away, they are read when it is back, and that is said once", async () => {
		const w = await started();
		w.state.away = true;
		w.other({ about: "desk", deskId: 4, presence: true });
		for (let i = 0; i < 3; i++) {
			w.clock.turn(500);
			await settle();
		}
		expect(w.done()).toEqual([]);
		expect(w.logged).toHaveLength(1);
		w.state.away = false;
		w.clock.turn(500);
		await settle();
		expect(w.done()).toEqual([{ changed: 4 }, { presence: "desk4" }]);
	});

	it("a presence that could not be read is told later", async () => {
		const w = await started();
		w.state.away = true;
		w.own({ about: "desk", deskId: 4, presence: true });
		await settle();
		expect(w.done()).toEqual([{ changed: 4 }]);
		w.state.away = false;
		w.clock.turn(500);
		await settle();
		expect(w.done()).toEqual([{ presence: "desk4" }]);
	});
});

describe("a process", () => {
	it("that nobody shares its store with looks for none", async () => {
		const w = await started({ shared: false });
		w.clock.turn(10_000);
		await settle();
		expect(w.state.reads).toBe(0);
		w.own(gone(1));
		expect(w.done()).toEqual(acts(1));
	});

	it("that has not started forgets what it changed itself", () => {
		const w = world();
		w.own({ about: "desk", deskId: 3, presence: true });
		expect(w.done()).toEqual([{ changed: 3 }]);
	});

	it("that stops hears nothing more", async () => {
		const w = await started();
		w.notices.stop();
		expect(w.heard()).toBe(0);
		w.other(gone(1), false);
		w.clock.turn(10_000);
		await settle();
		expect(w.done()).toEqual([]);
	});
});
