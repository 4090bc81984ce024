import { describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import type { Preset } from "../../shared/presets.js";
import { decideConnectApp, decideRemoveApp } from "./apps-operations.js";
import {
	decideChangePreset,
	decideDecideApproval,
	given,
	mostOf,
	type PresetRows,
	pinOf,
	presetOf,
	revised,
} from "./presets-operations.js";
import type { ApprovalRow } from "./reads.js";

const before = { version: 3, webSearch: false, apps: {}, changed: { webSearch: 3 } };
const desk = {
	preset: JSON.stringify(before),
	apps: JSON.stringify({ webSearch: true, apps: { calendar: "read" } }),
};
const open = (id: number, more: Partial<ApprovalRow> = {}): ApprovalRow => ({
	id,
	uid: `apr_${id}`,
	part: `part${id}`,
	widening: JSON.stringify({ part: `part${id}`, from: "none", to: "busy" }),
	presetVersion: 3,
	state: "open",
	reason: "",
	createdAt: 0,
	expiresAt: 1_000,
	decidedAt: null,
	...more,
});
const rows = (approvals: ApprovalRow[]): PresetRows => ({ desk, approvals, connections: [], underWay: 0 });
const ask = (approvals: ApprovalRow[]) =>
	decideChangePreset(rows(approvals), {
		deskId: 1,
		change: { webSearch: true, apps: { calendar: "busy" } },
		approvalUids: ["apr_a", "apr_b"],
		now: 500,
	});

describe("approvals", () => {
	it(`wait for nobody in greater number than ${LIMITS.approvalsPerDesk} a desk`, () => {
		const others = Array.from({ length: LIMITS.approvalsPerDesk - 2 }, (_, i) => open(i + 1));
		expect(ask(others).plan?.opened).toHaveLength(2);
		expect(() => ask([...others, open(99)])).toThrow(expect.objectContaining({ code: "rate_limited" }));
		// One that has run out takes no room.
		expect(ask([...others, open(99, { expiresAt: 500 })]).plan?.opened).toHaveLength(2);
	});

	it("are of the preset that was shown: a change of that part in between voids them, whatever it is now; a change of another does not", () => {
		const approval = open(1, { part: "calendar", widening: JSON.stringify({ part: "calendar", from: "none", to: "busy" }) });
		const decide = (preset: Preset, more: Partial<ApprovalRow> = {}) => {
			const { answer, plan } = decideDecideApproval(
				{ ...rows([approval]), desk: { ...desk, preset: JSON.stringify(preset) }, approval: { ...approval, ...more } },
				{ deskId: 1, uid: "apr_1", decision: "approved", now: 500 },
			);
			return { state: answer.state, reason: answer.reason, calendar: plan?.preset ? presetOf(plan.preset).apps.calendar : undefined };
		};
		expect(decide(before)).toEqual({ state: "approved", reason: "", calendar: "busy" });
		const otherPart = revised(before, { webSearch: true, apps: {} });
		expect(otherPart.version).toBe(4);
		expect(decide(otherPart).state).toBe("approved");
		const given = revised(before, { webSearch: false, apps: { calendar: "busy" } });
		expect(decide(given)).toEqual({ state: "void", reason: "changed", calendar: undefined });
		// There and back again: the value that was shown, and not what was shown.
		expect(decide(revised(given, before))).toEqual({ state: "void", reason: "changed", calendar: undefined });
		// Asked after that change, it is of the preset as it is.
		expect(decide(revised(given, before), { presetVersion: 5 }).state).toBe("approved");
		expect(decide(before, { expiresAt: 500 }).state).toBe("expired");
	});

	it("say of which preset they are, whatever else their change does", () => {
		expect(ask([]).plan?.opened.map((o) => o.presetVersion)).toEqual([3, 3]);
		const input = { deskId: 1, change: { webSearch: false, apps: { calendar: "read" as const } }, approvalUids: ["apr_a"], now: 500 };
		const { plan, answer } = decideChangePreset({ ...rows([]), desk: { ...desk, preset: "" } }, input);
		expect(answer.preset).toMatchObject({ version: 1, webSearch: false });
		expect(plan?.opened).toMatchObject([{ part: "calendar", presetVersion: 1 }]);
	});

	it("are not made by a change of nothing", () => {
		for (const change of [{}, { apps: {} }])
			expect(() => decideChangePreset(rows([]), { deskId: 1, change, approvalUids: ["a"], now: 1 })).toThrow(
				expect.objectContaining({ code: "invalid_params" }),
			);
	});
});

describe("an app that is connected anew, or removed", () => {
	const connected = { ...rows([open(1, { part: "calendar" }), open(2, { part: "webSearch" })]) };
	const preset = JSON.stringify({ version: 7, webSearch: true, apps: { calendar: "read" }, changed: { calendar: 7 } });
	const held = { ...connected, desk: { ...desk, preset } };
	const to = { deskId: 1, uid: "app_1", label: "x", most: "read" as const, settings: "{}", now: 9 };

	it("has nothing given of a calendar, and voids what was asked of the one before", () => {
		for (const { plan, answer } of [
			decideConnectApp(held, { ...to, app: "calendar", kind: "ical" }),
			decideRemoveApp(
				{ ...held, connections: [{ app: "calendar", uid: "app_0", kind: "ical", label: "x", most: "read", connectedAt: 1 }] },
				{ deskId: 1, app: "calendar", now: 9 },
			),
		]) {
			expect(answer.narrowed).toBe(true);
			expect(presetOf(plan.preset ?? "")).toEqual({ version: 8, webSearch: true, apps: {}, changed: { calendar: 8 } });
			expect(plan.closed).toEqual([{ id: 1, state: "void", reason: "disconnected" }]);
		}
		// What had run out by then has run out.
		expect(decideConnectApp(held, { ...to, app: "calendar", kind: "ical", now: 1_000 }).plan.closed).toEqual([
			{ id: 1, state: "expired", reason: "" },
		]);
	});

	it("leaves leave to search as it is, whatever is searched with", () => {
		const { plan, answer } = decideConnectApp(held, { ...to, app: "search", kind: "brave" });
		expect(answer.narrowed).toBe(false);
		expect(plan).toMatchObject({ preset: null, closed: [] });
	});
});

describe("what is given", () => {
	it("is the preset as far as apps are connected, and is kept only with a turn of the embed", () => {
		expect(presetOf("")).toEqual({ webSearch: true, apps: {}, version: 0, changed: {} });
		expect(mostOf("")).toEqual({ webSearch: false, apps: {} });
		expect(given({ preset: "", apps: "" })).toEqual({ webSearch: false, apps: {} });
		expect(given({ preset: "", apps: desk.apps })).toEqual({ webSearch: true, apps: {} });
		const turn = { uid: "trn_1", epoch: 0 };
		expect(pinOf({ preset: "", apps: desk.apps }, "embed", turn)).toEqual({ turnUid: "trn_1", preset: '{"webSearch":true,"apps":{}}' });
		for (const channel of ["page", "a2a", "mcp", "ask"] as const)
			expect(pinOf({ preset: "", apps: desk.apps }, channel, turn)).toBeUndefined();
		expect(pinOf({ preset: "", apps: "" }, "embed", turn)).toBeUndefined();
		// Begun anew, it is given nothing that it had not.
		expect(pinOf({ preset: "", apps: desk.apps }, "embed", { uid: "trn_1", epoch: 3 })).toBeUndefined();
	});
});
