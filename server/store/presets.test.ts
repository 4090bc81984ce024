import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import type { AppAccess, PresetChange } from "../../shared/presets.js";
import { type ScriptedApps, scriptedApps } from "../../test/apps/scripted.js";
import { gate, openEngine, type TestEngine } from "../../test/engine.js";
import { DATABASES, type StorePlace, storePlace } from "../../test/stores.js";
import type { CallResult } from "../engine/apps-ports.js";
import type { Caller, Desk } from "../engine/engine.js";
import type { Channel, Turn } from "../engine/ports.js";

const SITE = "https://site.example";
const SEARCH = { tool: "webSearch", query: "opening hours" } as const;
const WEEK = { tool: "calendar", from: 0, to: 7 * 24 * 60 * 60 * 1000 } as const;

describe.each(DATABASES)("presets, approvals and calls on %s", (database) => {
	let place: StorePlace;
	let world: TestEngine;
	let apps: ScriptedApps;
	let made = 0;

	beforeAll(async () => {
		place = await storePlace(database);
		apps = scriptedApps();
		world = await openEngine(place, { apps });
	});
	afterAll(async () => {
		await world.close();
		await place.remove();
	});

	/** A desk whose chat shows on SITE, with both apps unless told otherwise. */
	async function fresh(connect: ("ical" | "brave")[] = ["ical", "brave"]) {
		const handle = `desk${++made}`;
		const { owner, presets } = world.engine;
		await owner.createOwner({ handle, name: "Mira" });
		await owner.setSite(handle, SITE, "allowed");
		for (const kind of connect) await presets.connectApp(handle, { kind, address: "https://app.example/secret" });
		const desk = async () => (await world.engine.desk(handle)) as Desk;
		const guest = async (): Promise<Caller> => {
			const { principal } = await world.engine.welcomeGuest(await desk(), `nonce-${handle}-${++made}`);
			return { principal, provenance: { channel: "embed", site: SITE }, extensions: [] };
		};
		/** A turn that stays open until it is ended. */
		const turn = async (
			channel: Channel = "embed",
			more: { who?: Caller; contextId?: string; site?: string | null; embed?: string } = {},
		) => {
			const { site = SITE } = more;
			const begun = gate<Turn>();
			const end = gate();
			world.script(async function* (turn) {
				begun.open(turn);
				await end.promise;
				yield { type: "text", text: "Done." };
				yield { type: "reply" };
			});
			const { embed } = more;
			const provenance = { channel, ...(site === null ? {} : { site }), ...(embed === undefined ? {} : { embed }) };
			const who: Caller = { ...(more.who ?? (await guest())), provenance };
			const message = { messageId: `m-${++made}`, role: "ROLE_USER" as const, parts: [{ text: "?" }] };
			const sent = await world.engine.send(who, await desk(), { ...message, ...(more.contextId ? { contextId: more.contextId } : {}) }, {});
			const running = await begun.promise;
			return {
				...sent,
				who,
				may: running.may,
				use: running.use,
				end: async () => {
					end.open();
					await world.engine.answer(who, await desk(), sent, { waitMs: 10_000 });
				},
			};
		};
		const widen = async (change: PresetChange): Promise<void> => {
			const { waiting } = await presets.change(handle, change);
			for (const { uid } of waiting) await presets.decide(handle, uid, "approved");
		};
		return { handle, presets, owner, desk, guest, turn, widen, approvals: () => presets.approvals(handle) };
	}

	it("are web search and nothing else until the owner says so, and no app that is not connected can be set", async () => {
		const { handle, presets } = await fresh([]);
		expect(await presets.get(handle)).toEqual({
			preset: { webSearch: true, apps: {}, version: 0 },
			most: { webSearch: false, apps: {} },
			waiting: [],
		});
		const unconnected = [
			'{"calendar":"busy"}',
			'{"calendar":"none"}',
			'{"gmail":"read"}',
			'{"constructor":"read"}',
			'{"__proto__":"read"}',
		];
		for (const apps of unconnected)
			await expect(presets.change(handle, { apps: JSON.parse(apps) as PresetChange["apps"] & object })).rejects.toMatchObject({
				code: "invalid_params",
				message: expect.stringContaining("not connected"),
			});
		for (const nothing of [{}, { apps: {} }])
			await expect(presets.change(handle, nothing)).rejects.toMatchObject({ code: "invalid_params" });
		expect((await presets.get(handle)).preset.version).toBe(0);
	});

	it("wait for the owner where they widen and hold at once where they narrow", async () => {
		const { handle, presets, approvals } = await fresh();
		const asked = await presets.change(handle, { webSearch: false, apps: { calendar: "busy" } });
		expect(asked.preset).toMatchObject({ webSearch: false, apps: {}, version: 1 });
		expect(asked.waiting).toMatchObject([{ widening: { part: "calendar", from: "none", to: "busy" }, state: "open" }]);
		// The same asked again is the same card.
		expect((await presets.change(handle, { apps: { calendar: "busy" } })).waiting).toEqual(asked.waiting);
		const uid = asked.waiting[0]?.uid ?? "";
		expect(await presets.decide(handle, uid, "approved")).toMatchObject({ state: "approved", first: true });
		expect((await presets.get(handle)).preset).toMatchObject({ webSearch: false, apps: { calendar: "busy" }, version: 2 });
		// The first decision counts; later ones are told it.
		for (const decision of ["approved", "denied"] as const)
			expect(await presets.decide(handle, uid, decision)).toMatchObject({ state: "approved", first: false });
		expect((await presets.get(handle)).preset.version).toBe(2);
		await presets.change(handle, { apps: { calendar: "none" } });
		expect((await presets.get(handle)).preset.apps).toEqual({});
		expect((await approvals()).map((a) => a.state)).toEqual(["approved"]);
	});

	it("void an approval that a narrowing contradicts, that another takes the place of, or whose app goes", async () => {
		const { handle, presets, approvals } = await fresh();
		const ask = async (access: AppAccess) => (await presets.change(handle, { apps: { calendar: access } })).waiting.at(-1)?.uid ?? "";
		const first = await ask("busy");
		const second = await ask("read");
		expect(second).not.toBe(first);
		expect(await presets.decide(handle, first, "approved")).toMatchObject({ state: "void", reason: "replaced" });
		await presets.change(handle, { apps: { calendar: "none" } });
		expect(await presets.decide(handle, second, "approved")).toMatchObject({ state: "void", reason: "narrowed" });
		const third = await ask("busy");
		// What concerns something else lets it stand.
		await presets.change(handle, { webSearch: false });
		expect(await presets.decide(handle, third, "approved")).toMatchObject({ state: "approved" });
		const fourth = await ask("read");
		expect(await presets.removeApp(handle, "calendar")).toMatchObject({ narrowed: true });
		expect(await presets.decide(handle, fourth, "approved")).toMatchObject({ state: "void", reason: "disconnected" });
		expect(await presets.get(handle)).toMatchObject({ preset: { apps: {} }, most: { apps: {} } });
		await expect(presets.removeApp(handle, "calendar")).rejects.toMatchObject({ code: "not_found" });
		await presets.connectApp(handle, { kind: "ical", most: "busy" });
		await expect(ask("read")).rejects.toMatchObject({ code: "invalid_params", message: expect.stringContaining("busy at most") });
		expect((await approvals()).filter((a) => a.state === "open")).toEqual([]);
	});

	it("let an approval run out", async () => {
		const { handle, presets, approvals, desk } = await fresh();
		const { waiting } = await presets.change(handle, { apps: { calendar: "busy" } });
		world.clock.turn(LIMITS.approvalMs);
		expect((await presets.get(handle)).waiting).toEqual([]);
		expect((await approvals())[0]?.state).toBe("expired");
		expect(await presets.decide(handle, waiting[0]?.uid ?? "", "approved")).toMatchObject({ state: "expired", first: false });
		expect((await presets.get(handle)).preset.apps).toEqual({});
		// Another can be asked for, whether or not anybody has tidied up.
		expect((await presets.change(handle, { apps: { calendar: "busy" } })).waiting).toHaveLength(1);
		world.clock.turn(LIMITS.approvalMs);
		expect((await presets.change(handle, { apps: { calendar: "busy" } })).waiting).toHaveLength(1);
		world.clock.turn(LIMITS.approvalMs);
		// Upkeep, whose hour came as the clock was turned, may have done it before.
		while ((await world.store.write("expireApprovals", { now: world.clock.now() })).more);
		const rows = await world.store.read.approvals((await desk()).row.id, 50);
		expect(rows.map((row) => row.state)).toEqual(["expired", "expired", "expired"]);
		expect(await world.store.write("expireApprovals", { now: world.clock.now() })).toMatchObject({ expired: 0 });
	});

	it("show what waits however much became of others, and keep no more void ones than may be kept", async () => {
		const { handle, presets, approvals, desk } = await fresh();
		await presets.change(handle, { webSearch: false });
		const waiting = (await presets.change(handle, { webSearch: true })).waiting[0]?.uid;
		// What the owner decided is not pushed out by what a key asks for.
		const denied = (await presets.change(handle, { apps: { calendar: "busy" } })).waiting.at(-1)?.uid ?? "";
		await presets.decide(handle, denied, "denied");
		const rounds = LIMITS.approvalsVoidPerDesk + 20;
		for (let i = 0; i < rounds; i++) await presets.change(handle, { apps: { calendar: i % 2 === 0 ? "busy" : "read" } });
		expect((await presets.get(handle)).waiting.map(({ uid, widening }) => uid === waiting || widening.to)).toEqual([true, "read"]);
		expect((await approvals()).slice(0, 2).map(({ state }) => state)).toEqual(["open", "open"]);
		const rows = await world.store.read.approvals((await desk()).row.id, 10_000);
		const count = (state: string): number => rows.filter((row) => row.state === state).length;
		expect([count("open"), count("denied"), count("void")]).toEqual([2, 1, LIMITS.approvalsVoidPerDesk]);
	});

	it("read a desk that has not changed no second time", async () => {
		const { handle, presets } = await fresh();
		await presets.get(handle);
		const read = vi.spyOn(world.store.read, "deskByHandle");
		onTestFinished(() => read.mockRestore());
		for (let i = 0; i < 5; i++) await presets.get(handle);
		expect(read).not.toHaveBeenCalled();
		expect((await presets.change(handle, { webSearch: false })).preset.webSearch).toBe(false);
		expect(read).toHaveBeenCalledTimes(1);
		await expect(presets.get("nobody")).rejects.toMatchObject({
			code: "not_found",
			message: expect.stringContaining("Those that are here: desk"),
		});
	});

	it("have one decision, of fifty at once, and one card, of fifty asked for at once", async () => {
		const { handle, presets, approvals } = await fresh();
		const asked = await Promise.allSettled(Array.from({ length: 50 }, () => presets.change(handle, { apps: { calendar: "busy" } })));
		expect(asked.filter((a) => a.status === "fulfilled")).toHaveLength(50);
		expect(await approvals()).toHaveLength(1);
		const uid = (await approvals())[0]?.uid ?? "";
		const decided = await Promise.all(
			Array.from({ length: 50 }, (_, i) => presets.decide(handle, uid, i % 2 === 0 ? "approved" : "denied")),
		);
		expect(decided.filter((d) => d.first)).toHaveLength(1);
		expect(new Set(decided.map((d) => d.state)).size).toBe(1);
		expect((await presets.get(handle)).preset.version).toBe(decided[0]?.state === "approved" ? 1 : 0);
	});

	const onTwoNodes = database === "postgres" ? it : undefined;
	onTwoNodes?.("have one decision on two nodes at once, and a narrowing on one holds for a turn of the other", async () => {
		const { handle, presets, turn } = await fresh();
		const node = await openEngine(place, { apps, clock: world.clock });
		const { waiting } = await presets.change(handle, { apps: { calendar: "busy" } });
		const uid = waiting[0]?.uid ?? "";
		const nodes = [presets, node.engine.presets];
		const decided = await Promise.all(
			Array.from({ length: 40 }, (_, i) => nodes[i % 2]?.decide(handle, uid, i % 3 === 0 ? "denied" : "approved")),
		);
		expect(decided.filter((d) => d?.first)).toHaveLength(1);
		expect(new Set(decided.map((d) => d?.state)).size).toBe(1);
		const running = await turn();
		expect(await running.use(SEARCH)).toMatchObject({ done: true });
		await node.engine.presets.change(handle, { webSearch: false });
		expect(await running.use(SEARCH)).toEqual({ done: false, why: "not_allowed" });
		expect(await running.use({ ...SEARCH, query: "more" })).toEqual({ done: false, why: "not_allowed" });
		await running.end();
		await node.close();
	});

	it("keep each desk's approvals and apps to itself", async () => {
		const [one, other] = [await fresh(), await fresh([])];
		const { waiting } = await one.presets.change(one.handle, { apps: { calendar: "read" } });
		await expect(one.presets.decide(other.handle, waiting[0]?.uid ?? "", "approved")).rejects.toMatchObject({ code: "not_found" });
		await expect(one.presets.removeApp(other.handle, "calendar")).rejects.toMatchObject({ code: "not_found" });
		expect(await other.presets.apps(other.handle)).toEqual([]);
		expect(JSON.stringify(await one.presets.apps(one.handle))).not.toContain("secret");
	});

	it("let a visitor's turn in the embed search, once for the same words, and say what was done", async () => {
		const { handle, presets, turn } = await fresh();
		const running = await turn();
		expect(running.may).toEqual({ webSearch: true, apps: { calendar: "none" } });
		const before = apps.made.length;
		const first = await running.use(SEARCH);
		expect(first).toMatchObject({ done: true, found: [{ url: "https://page.example/a" }] });
		expect(await running.use({ ...SEARCH, query: " opening\n hours " })).toEqual(first);
		expect(apps.made).toHaveLength(before + 1);
		expect(apps.made.at(-1)?.connection.settings).toContain("secret");
		expect(await running.use(WEEK)).toEqual({ done: false, why: "not_allowed" });
		for (const call of [
			{ tool: "write" },
			{ tool: "calendar", from: 5, to: 1 },
			{ tool: "webSearch", query: " " },
			{ tool: "calendar", from: 0, to: 1e15 },
		])
			expect(await running.use(call as never)).toEqual({ done: false, why: "invalid" });
		await running.end();
		expect(await running.use({ ...SEARCH, query: "later" })).toMatchObject({ done: false, why: "stopped" });
		expect(await presets.calls(handle)).toMatchObject([{ tool: "webSearch", state: "done", call: JSON.stringify(SEARCH) }]);
	});

	it.each([["page"], ["a2a"], ["mcp"], ["ask"]] as const)("give nothing to a turn of the door %s", async (channel) => {
		const { turn, widen } = await fresh();
		await widen({ apps: { calendar: "read" } });
		const running = await turn(channel, { site: channel === "page" ? null : SITE });
		const before = apps.made.length;
		expect(running.may).toEqual({ webSearch: false, apps: {} });
		expect(await running.use(SEARCH)).toEqual({ done: false, why: "not_allowed" });
		expect(await running.use(WEEK)).toEqual({ done: false, why: "not_allowed" });
		expect(apps.made).toHaveLength(before);
		await running.end();
	});

	it("give nothing where a visitor's words came by another door into the embed's conversation, nor afterwards", async () => {
		const { turn, widen, guest } = await fresh();
		await widen({ apps: { calendar: "read" } });
		const who = await guest();
		const first = await turn("embed", { who });
		expect(await first.use(SEARCH)).toMatchObject({ done: true });
		await first.end();
		const other = await turn("a2a", { who, contextId: first.contextId });
		expect(await other.use(SEARCH)).toEqual({ done: false, why: "not_allowed" });
		await other.end();
		const again = await turn("embed", { who, contextId: first.contextId });
		expect(await again.use(WEEK)).toEqual({ done: false, why: "not_allowed" });
		await again.end();
	});

	it("give nothing on our own pages, nor on a site that may not show the chat any more, nor where no guests are taken", async () => {
		const { handle, owner, turn, desk } = await fresh();
		const own = await turn("embed", { site: null });
		expect(await own.use(SEARCH)).toEqual({ done: false, why: "not_allowed" });
		await own.end();
		const running = await turn();
		await owner.setSite(handle, SITE, "blocked");
		expect(await running.use(SEARCH)).toEqual({ done: false, why: "not_allowed" });
		await owner.setSite(handle, SITE, "allowed");
		await owner.changeSettings(handle, { guests: false });
		expect(await running.use(SEARCH)).toEqual({ done: false, why: "not_allowed" });
		await owner.changeSettings(handle, { guests: true });
		expect(await running.use(SEARCH)).toMatchObject({ done: true });
		await running.end();
		expect((await desk()).row.preset).toBe("");
	});

	it("end with the numbered embed that the visitor came by", async () => {
		const { handle, owner, turn } = await fresh();
		const { number } = await owner.saveEmbed(handle, { mode: "floating" });
		const running = await turn("embed", { embed: String(number) });
		expect(await running.use(SEARCH)).toMatchObject({ done: true });
		await owner.deleteEmbed(handle, number);
		expect(await running.use({ ...SEARCH, query: "more" })).toEqual({ done: false, why: "not_allowed" });
		await running.end();
	});

	it("are the lowest of now and of the turn's beginning: narrowing bites at once, widening in the next turn", async () => {
		const { handle, presets, turn, widen } = await fresh();
		const running = await turn();
		await widen({ apps: { calendar: "read" } });
		expect(await running.use(WEEK)).toEqual({ done: false, why: "not_allowed" });
		await running.end();
		const next = await turn();
		expect(next.may.apps).toEqual({ calendar: "read" });
		expect(await next.use(WEEK)).toMatchObject({ done: true, found: { engagements: [{ title: "Lunch with Ada" }, {}, {}] } });
		await presets.change(handle, { apps: { calendar: "busy" } });
		// Also what it brought before is given only as far as is in force now.
		const busy = (await next.use(WEEK)) as CallResult<"calendar">;
		expect(busy).toMatchObject({
			done: true,
			found: {
				engagements: [
					{ from: 1_000, to: 3_000 },
					{ from: 5_000, to: 6_000 },
				],
			},
		});
		expect(JSON.stringify(busy)).not.toMatch(/title|Lunch|Dentist|lawyer/);
		await presets.change(handle, { webSearch: false, apps: { calendar: "none" } });
		expect(await next.use(WEEK)).toEqual({ done: false, why: "not_allowed" });
		expect(await next.use(SEARCH)).toEqual({ done: false, why: "not_allowed" });
		await widen({ webSearch: true, apps: { calendar: "read" } });
		// Given back within the turn: it began with both.
		expect(await next.use(SEARCH)).toMatchObject({ done: true });
		await next.end();
	});

	it("withhold what a call brings that was under way when its preset was narrowed, and say so", async () => {
		const { handle, presets, turn } = await fresh();
		const running = await turn();
		const [dialled, answered] = [gate(), gate()];
		apps.before(async () => {
			dialled.open();
			await answered.promise;
		});
		const call = running.use(SEARCH);
		await dialled.promise;
		apps.before(() => Promise.resolve());
		expect(await presets.change(handle, { webSearch: false })).toMatchObject({ underWay: 1 });
		answered.open();
		expect(await call).toEqual({ done: false, why: "not_allowed" });
		expect(await presets.calls(handle)).toMatchObject([{ state: "withheld" }]);
		await running.end();
	});

	it("wait for no call longer than one may take, and count none that is older as under way", async () => {
		const { handle, presets, turn } = await fresh();
		const running = await turn();
		const dialled = gate();
		apps.before(async (_call, signal) => {
			dialled.open();
			// A hand that listens to nobody.
			await new Promise(() => signal.aborted);
		});
		const call = running.use(SEARCH);
		await dialled.promise;
		apps.before(() => Promise.resolve());
		world.clock.jump(LIMITS.callMs - 1);
		expect(await presets.change(handle, { webSearch: false })).toMatchObject({ underWay: 1 });
		world.clock.jump(1);
		// Nobody has ended it, as after a crash.
		expect(await presets.removeApp(handle, "search")).toMatchObject({ underWay: 0 });
		world.clock.turn(LIMITS.callMs);
		expect(await call).toEqual({ done: false, why: "failed" });
		expect(await presets.calls(handle)).toMatchObject([{ state: "failed" }]);
		await running.end();
	});

	it("end with the app: what was allowed of one calendar is not allowed of the next", async () => {
		const { handle, presets, turn, widen } = await fresh();
		await widen({ apps: { calendar: "read" } });
		const running = await turn();
		await presets.connectApp(handle, { kind: "ical", address: "https://app.example/other" });
		expect(await running.use(WEEK)).toEqual({ done: false, why: "not_allowed" });
		await running.end();
		expect(await presets.removeApp(handle, "search")).toMatchObject({ narrowed: false });
		const next = await turn();
		expect(next.may).toEqual({ webSearch: false, apps: { calendar: "none" } });
		expect(await next.use(SEARCH)).toEqual({ done: false, why: "not_allowed" });
		await next.end();
	});

	it("do no more than a turn and a guest may, and forget in time", async () => {
		const { handle, presets, turn } = await fresh();
		const running = await turn();
		for (let i = 0; i < LIMITS.callsPerTurn; i++) expect(await running.use({ ...SEARCH, query: `q${i}` })).toMatchObject({ done: true });
		expect(await running.use({ ...SEARCH, query: "one more" })).toEqual({ done: false, why: "too_many" });
		apps.before(() => Promise.reject(new Error("out of order")));
		const other = await turn();
		expect(await other.use(SEARCH)).toEqual({ done: false, why: "failed" });
		apps.before(() => Promise.resolve());
		expect(await other.use(SEARCH)).toEqual({ done: false, why: "failed" });
		await running.end();
		await other.end();
		const prune = (resultsBefore: number, callsBefore: number) =>
			world.store.write("pruneCalls", { resultsBefore, callsBefore, limit: 50 });
		await prune(world.clock.now() + 1, 0);
		expect(await presets.calls(handle)).toHaveLength(LIMITS.callsPerTurn + 1);
		await prune(0, world.clock.now() + 1);
		expect(await presets.calls(handle)).toEqual([]);
	});

	it("make no call twice over a crash: one that was done is told again, one that was cut off stays unknown", async () => {
		const crashing = await storePlace(database);
		const hand = scriptedApps();
		const first = await openEngine(crashing, { apps: hand });
		await first.engine.owner.setSite("mira", SITE, "allowed");
		await first.engine.presets.connectApp("mira", { kind: "brave", key: "k" });
		const stuck = gate();
		hand.before((call) => (call.tool === "webSearch" && call.query === "cut off" ? new Promise(() => stuck.open()) : Promise.resolve()));
		const told: unknown[] = [];
		first.script(async function* (turn) {
			await turn.use({ tool: "webSearch", query: "done" });
			await turn.use({ tool: "webSearch", query: "cut off" });
			yield { type: "reply" };
		});
		const who: Caller = { ...(await first.caller()), provenance: { channel: "embed", site: SITE } };
		await first.send(who, "?");
		await stuck.promise;
		await first.crash();

		const second = await openEngine(crashing, {
			apps: hand,
			clock: first.clock,
			async *script(turn) {
				told.push(await turn.use({ tool: "webSearch", query: "done" }), await turn.use({ tool: "webSearch", query: "cut off" }));
				yield { type: "text", text: "Answered." };
				yield { type: "reply" };
			},
		});
		// Another node's lease has to run out first.
		await second.pass(5_000, () => told.length === 2);
		expect(told).toMatchObject([
			{ done: true, found: [{ title: "A page" }] },
			{ done: false, why: "unknown" },
		]);
		expect(hand.made.map(({ call }) => call)).toEqual([
			{ tool: "webSearch", query: "done" },
			{ tool: "webSearch", query: "cut off" },
		]);
		await second.close();
		await crashing.remove();
	});

	it.each(["a crash", "a stop"])("give a turn that is begun anew after %s nothing that came after it had begun", async (how) => {
		const place = await storePlace(database);
		const hand = scriptedApps();
		const first = await openEngine(place, { apps: hand });
		await first.engine.owner.setSite("mira", SITE, "allowed");
		const begun = gate();
		first.script(async function* () {
			begun.open();
			await new Promise(() => undefined);
			yield { type: "reply" };
		});
		const who: Caller = { ...(await first.caller()), provenance: { channel: "embed", site: SITE } };
		await first.send(who, "?");
		await begun.promise;
		// It began with nothing connected.
		await first.engine.presets.connectApp("mira", { kind: "brave", key: "k" });
		if (how === "a crash") await first.crash();
		else {
			const stopped = first.close();
			first.clock.turn(0);
			await stopped;
		}
		const told: unknown[] = [];
		const second = await openEngine(place, {
			apps: hand,
			clock: first.clock,
			async *script(turn) {
				told.push(await turn.use(SEARCH));
				yield { type: "text", text: "Answered." };
				yield { type: "reply" };
			},
		});
		await second.pass(5_000, () => told.length === 1);
		expect(told).toEqual([{ done: false, why: "not_allowed" }]);
		// What begins now has it.
		const other: Caller = { ...(await second.caller()), provenance: { channel: "embed", site: SITE } };
		await second.ask(other, "and now?");
		expect(told.at(-1)).toMatchObject({ done: true });
		await second.close();
		await place.remove();
	});
});
