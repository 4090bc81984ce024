/**
 * Whatever decides what may be done at a desk is judged and written with the desk's row held. That each operation asks for it first is
 * looked at in its questions; that it holds is seen on PostgreSQL, where one operation is stopped between its rule and its writes while
 * another, judged otherwise without the row, tries to come in between.
 */
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { type ScriptedApps, scriptedApps } from "../../test/apps/scripted.js";
import { gate, openEngine, type TestEngine } from "../../test/engine.js";
import { freshDatabase, type TestDatabase } from "../../test/postgres.js";
import type { Caller, Desk } from "../engine/engine.js";
import { decides, type OperationInput, type OperationName } from "../engine/operations.js";
import type { Turn } from "../engine/ports.js";
import { type Driver, operationTable } from "./db.js";
import { halves } from "./operations.js";
import { openPostgres } from "./postgres.js";
import type { Query, Row } from "./sql.js";
import { storeOf } from "./store.js";

/** What an operation asks before it decides; `answer` gives the rows of some of its questions. */
function questionsOf(name: OperationName, answer: (text: string) => Row[] = () => []): string[] {
	const asked: string[] = [];
	const steps = halves[name].load({ deskId: 1, turnUid: "trn_1", now: 1, limit: 5 } as never) as Generator<Query, unknown, Row[]>;
	for (let step = steps.next(); !step.done; step = steps.next(answer(step.value.text))) asked.push(step.value.text);
	return asked;
}
const HOLDS = /from desk\b.*\{lock\b/;

describe("the desk's row", () => {
	const owners: OperationName[] = [
		"changePreset",
		"decideApproval",
		"connectApp",
		"removeApp",
		"setSite",
		"removeSite",
		"changeSites",
		"saveEmbed",
		"deleteEmbed",
		"changeDesk",
		"changeProfile",
	];
	it.each(owners)("is held before %s looks at anything", (name) => expect(questionsOf(name)[0]).toMatch(HOLDS));

	it("is held before expireApprovals looks at what has run out at it", () => {
		const asked = questionsOf("expireApprovals", (text) => (/select desk_id/.test(text) ? [{ deskId: 1 }] : []));
		expect(asked).toHaveLength(3);
		expect(asked[1]).toMatch(HOLDS);
	});

	it.each(["beginCall", "endCall"] as const)("is held before %s looks at what it is judged by, the conversation's being held", (name) => {
		const conversation = { id: 1, deskId: 1, embed: "3", site: "https://a.example" };
		const asked = questionsOf(name, (text) => {
			if (/\{lock of c\}/.test(text)) return [conversation];
			return /from turn where/.test(text) ? [{ uid: "trn_1" }] : [];
		});
		const at = (pattern: RegExp): number => asked.findIndex((text) => pattern.test(text));
		expect(at(/\{lock of c\}/)).toBe(0);
		for (const table of ["site", "embed", "app_connection", "turn_preset"]) {
			const looked = at(new RegExp(`from ${table}\\b`));
			expect(looked, table).toBeGreaterThan(at(HOLDS));
		}
	});
});

/** Any number: what the one that is stopped waits for. */
const STOP = 4_711;
const SITE = "https://site.example";
const SEARCH = { tool: "webSearch", query: "opening hours" } as const;

describe("two operations at a desk at once, on PostgreSQL", () => {
	let database: TestDatabase;
	let admin: Client;
	let world: TestEngine;
	let apps: ScriptedApps;
	/** A second node, whose operations stop before they write. */
	let stopping: Driver;
	let made = 0;

	beforeAll(async () => {
		database = await freshDatabase();
		admin = new Client({ connectionString: database.url });
		await admin.connect();
		const open = (table = operationTable(decides, halves)) =>
			openPostgres({ url: database.url, table, clock: { now: () => 0 }, log: () => undefined });
		apps = scriptedApps();
		world = await openEngine({ open: async () => storeOf(await open(), true), remove: () => database.drop() }, { apps });
		const table = operationTable(decides, halves);
		for (const operation of Object.values(table)) {
			const { write } = operation;
			operation.write = function* (...args) {
				yield { text: `select pg_advisory_xact_lock(${STOP})`, values: [] };
				yield* write(...args);
			};
		}
		stopping = await open(table);
	});
	afterAll(async () => {
		await stopping.close();
		await world.close();
		await admin.end();
		await database.drop();
	});

	/** How many wait for something that another holds. */
	const waiting = async (): Promise<number> =>
		Number(
			(
				await admin.query(
					"select count(*) as n from pg_locks l join pg_stat_activity a using (pid) where not granted and a.datname = current_database()",
				)
			).rows[0].n,
		);

	/** Runs `first` up to its writes, then `second` until it waits or is done, then lets both end. Both must come to an end that is none of a race's. */
	async function interleave<N extends OperationName, T>(first: [N, OperationInput<N>], second: () => Promise<T>): Promise<T> {
		await admin.query(`select pg_advisory_lock(${STOP})`);
		const one = stopping.write(...first);
		one.catch(() => undefined);
		while ((await waiting()) < 1);
		let done = false;
		const other = second().finally(() => {
			done = true;
		});
		other.catch(() => undefined);
		while (!done && (await waiting()) < 2);
		await admin.query(`select pg_advisory_unlock(${STOP})`);
		await one;
		return await other;
	}

	/** A desk with both apps, whose chat shows on SITE. */
	async function fresh() {
		const handle = `desk${++made}`;
		const { owner, presets } = world.engine;
		const { row } = await owner.createOwner({ handle, name: "Mira" });
		await owner.setSite(handle, SITE, "allowed");
		for (const kind of ["ical", "brave"]) await presets.connectApp(handle, { kind, address: "https://app.example/secret" });
		const deskId = row.id;
		const now = () => world.clock.now();
		/** An approval that has run out, with nobody having said so. */
		const expired = async (): Promise<string> => {
			const { waiting } = await presets.change(handle, { apps: { calendar: "busy" } });
			world.clock.jump(LIMITS.approvalMs);
			return waiting[0]?.uid ?? "";
		};
		const turn = async (embed?: number) => {
			const begun = gate<Turn>();
			const end = gate();
			world.script(async function* (running) {
				begun.open(running);
				await end.promise;
				yield { type: "text", text: "Done." };
				yield { type: "reply" };
			});
			const desk = (await world.engine.desk(handle)) as Desk;
			const { principal } = await world.engine.welcomeGuest(desk, `nonce-of-${handle}`);
			const provenance = { channel: "embed" as const, site: SITE, ...(embed === undefined ? {} : { embed: String(embed) }) };
			const caller: Caller = { principal, provenance, extensions: [] };
			const sent = await world.engine.send(caller, desk, { messageId: `m-${handle}`, role: "ROLE_USER", parts: [{ text: "?" }] }, {});
			const { use } = await begun.promise;
			return {
				use,
				end: async () => {
					end.open();
					await world.engine.answer(caller, desk, sent, { waitMs: 10_000 });
				},
			};
		};
		const states = async () => (await presets.approvals(handle)).map(({ state }) => state);
		const rules = async () => Object.fromEntries((await world.store.read.sites(deskId)).map(({ rule, state }) => [rule, state]));
		return { handle, deskId, now, owner, presets, expired, turn, states, rules };
	}

	const expire = () => world.store.write("expireApprovals", { now: world.clock.now() });

	it("let an approval run out at the same moment, and fail no change, decision or connection for it", async () => {
		const calls = {
			changePreset: (deskId: number, now: number) => ({
				deskId,
				change: { apps: { calendar: "none" } },
				approvalUids: [`apr_n${deskId}`],
				now,
			}),
			connectApp: (deskId: number, now: number) =>
				({ deskId, app: "calendar", uid: `app_n${deskId}`, kind: "ical", label: "x", most: "read", settings: "{}", now }) as const,
			removeApp: (deskId: number, now: number) => ({ deskId, app: "calendar", now }),
		};
		for (const [name, inputOf] of Object.entries(calls)) {
			const { deskId, expired, states, now } = await fresh();
			await expired();
			const operation = [name, inputOf(deskId, now())] as [OperationName, never];
			await expect(interleave(operation, expire), name).resolves.toBeDefined();
			expect(await states(), name).toHaveLength(1);
			expect(await states(), name).not.toContain("open");
		}
		for (const decision of ["approved", "denied"] as const) {
			const { deskId, expired, states, presets, handle } = await fresh();
			const uid = await expired();
			// A clock that is a little behind: there it has not run out yet.
			const first = ["decideApproval", { deskId, uid, decision, now: world.clock.now() - 1 }] as const;
			await expect(interleave([...first], expire)).resolves.toMatchObject({ expired: 0 });
			expect(await states()).toEqual([decision]);
			expect((await presets.get(handle)).preset.apps).toEqual(decision === "approved" ? { calendar: "busy" } : {});
		}
		// The other way round: what runs out now is not decided.
		const { deskId, expired, states, presets, handle } = await fresh();
		const uid = await expired();
		expect(deskId).toBeGreaterThan(0);
		expect(await interleave(["expireApprovals", { now: world.clock.now() }], () => presets.decide(handle, uid, "approved"))).toMatchObject({
			state: "expired",
			first: false,
		});
		expect(await states()).toEqual(["expired"]);
	});

	it("leave a site blocked that is blocked while something else of the list is written", async () => {
		const block = (handle: string) => world.engine.owner.setSite(handle, SITE, "blocked");
		for (const firstOf of [
			(deskId: number, now: number) => ["setSite", { deskId, rule: SITE, state: "allowed", now }],
			(deskId: number, now: number) => ["removeSite", { deskId, rule: SITE, now }],
			(deskId: number, now: number) => ["changeSites", { deskId, sites: [SITE], allow: [], block: [], remove: [], unblock: [], now }],
			(deskId: number, now: number) => ["changeSites", { deskId, allow: [], block: [], remove: [SITE], unblock: [], now }],
		] as ((deskId: number, now: number) => [OperationName, never])[]) {
			const { deskId, handle, rules, now } = await fresh();
			await interleave(firstOf(deskId, now()), () => block(handle));
			expect(await rules(), String(firstOf(deskId, 0)[0])).toEqual({ [SITE]: "blocked" });
		}
	});

	it("keep both of two changes of what is kept together", async () => {
		const { deskId, handle, owner, now } = await fresh();
		const lists = { allow: [], block: [], remove: [], unblock: [] };
		await interleave(["changeSites", { deskId, anySite: true, ...lists, now: now() }], () =>
			owner.changeSettings(handle, { parts: "text" }),
		);
		await interleave(["changeDesk", { deskId, change: { apiKey: true }, now: now() }], () => owner.changeSites(handle, { anySite: false }));
		await interleave(["changeDesk", { deskId, change: { statusMessage: "reply" }, now: now() }], () =>
			owner.changeSites(handle, { anySite: true }),
		);
		expect(JSON.parse((await world.store.read.deskById(deskId))?.settings ?? "")).toEqual({
			parts: "text",
			apiKey: true,
			statusMessage: "reply",
			allowAnySite: true,
		});
		const numbers = await Promise.all([
			interleave(["saveEmbed", { deskId, change: { mode: "pet" }, now: now() }], () => owner.saveEmbed(handle, { mode: "pet" })),
		]);
		expect([...numbers.map(({ number }) => number), (await owner.embeds(handle)).length]).toEqual([2, 2]);
	});

	it("let no call begin after what forbids it: narrowed, blocked, guests off, any site off, the embed deleted, the app gone", async () => {
		const forbids: Record<string, (deskId: number, embed: number) => [OperationName, unknown]> = {
			narrowed: (deskId) => ["changePreset", { deskId, change: { webSearch: false }, approvalUids: ["a"], now: world.clock.now() }],
			blocked: (deskId) => ["setSite", { deskId, rule: SITE, state: "blocked", now: world.clock.now() }],
			"guests off": (deskId) => ["changeDesk", { deskId, change: { guests: false }, now: world.clock.now() }],
			"any site off": (deskId) => [
				"changeSites",
				{ deskId, anySite: false, sites: [], allow: [], block: [], remove: [], unblock: [], now: world.clock.now() },
			],
			"embed deleted": (deskId, embed) => ["deleteEmbed", { deskId, number: embed, now: world.clock.now() }],
			"app gone": (deskId) => ["removeApp", { deskId, app: "search", now: world.clock.now() }],
		};
		for (const [name, firstOf] of Object.entries(forbids)) {
			const { deskId, handle, owner, turn } = await fresh();
			await owner.changeSites(handle, { anySite: true });
			const { number } = await owner.saveEmbed(handle, { mode: "pet" });
			const running = await turn(number);
			expect(await running.use(SEARCH), name).toMatchObject({ done: true });
			const more = { ...SEARCH, query: "more" };
			const found = await interleave(firstOf(deskId, number) as [OperationName, never], () => running.use(more));
			await running.end();
			expect(found, name).toEqual({ done: false, why: "not_allowed" });
			expect(
				apps.made.filter(({ call }) => JSON.stringify(call) === JSON.stringify(more)),
				name,
			).toEqual([]);
		}
	});
});
