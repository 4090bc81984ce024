import { describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { decideChangePreset, decideDecideApproval, given, mostOf, type PresetRows, pinOf, presetOf } from "./presets-operations.js";
import type { ApprovalRow } from "./reads.js";

const desk = {
	preset: JSON.stringify({ version: 3, webSearch: false, apps: {} }),
	apps: JSON.stringify({ webSearch: true, apps: { calendar: "read" } }),
};
const open = (id: number, more: Partial<ApprovalRow> = {}): ApprovalRow => ({
	id,
	uid: `apr_${id}`,
	conversationId: null,
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
const ask = (approvals: ApprovalRow[], conversationId: number | null = null) =>
	decideChangePreset(rows(approvals), {
		deskId: 1,
		change: { webSearch: true, apps: { calendar: "busy" } },
		approvalUids: ["apr_a", "apr_b"],
		conversationId,
		now: 500,
	});

describe("approvals", () => {
	it(`wait for nobody in greater number than ${LIMITS.approvalsPerDesk} a desk and ${LIMITS.approvalsPerConversation} a conversation`, () => {
		const others = Array.from({ length: LIMITS.approvalsPerDesk - 2 }, (_, i) => open(i + 1));
		expect(ask(others).plan?.opened).toHaveLength(2);
		expect(() => ask([...others, open(99)])).toThrow(expect.objectContaining({ code: "rate_limited" }));
		// One that has run out takes no room.
		expect(ask([...others, open(99, { expiresAt: 500 })]).plan?.opened).toHaveLength(2);
		const here = Array.from({ length: LIMITS.approvalsPerConversation - 2 }, (_, i) => open(i + 1, { conversationId: 7 }));
		expect(ask(here, 7).plan?.opened).toHaveLength(2);
		expect(() => ask([...here, open(99, { conversationId: 7 })], 7)).toThrow(expect.objectContaining({ code: "rate_limited" }));
		expect(ask([...here, open(99, { conversationId: 7 })], 8).plan?.opened).toHaveLength(2);
	});

	it("are of the preset that they were asked of: of another one they do not stand", () => {
		const approval = open(1, { part: "calendar", widening: JSON.stringify({ part: "calendar", from: "none", to: "busy" }) });
		const decide = (more: Partial<ApprovalRow>, preset = desk.preset) =>
			decideDecideApproval(
				{ ...rows([approval]), desk: { ...desk, preset }, approval: { ...approval, ...more } },
				{ deskId: 1, uid: "apr_1", decision: "approved", now: 500 },
			).answer.state;
		expect(decide({})).toBe("approved");
		expect(decide({ presetVersion: 2 })).toBe("void");
		expect(decide({}, JSON.stringify({ version: 3, webSearch: false, apps: { calendar: "busy" } }))).toBe("void");
		expect(decide({ expiresAt: 500 })).toBe("expired");
	});
});

describe("what is given", () => {
	it("is the preset as far as apps are connected, and is kept only with a turn of the embed", () => {
		expect(presetOf("")).toEqual({ webSearch: true, apps: {}, version: 0 });
		expect(mostOf("")).toEqual({ webSearch: false, apps: {} });
		expect(given({ preset: "", apps: "" })).toEqual({ webSearch: false, apps: {} });
		expect(given({ preset: "", apps: desk.apps })).toEqual({ webSearch: true, apps: {} });
		expect(pinOf({ preset: "", apps: desk.apps }, "embed", "trn_1")).toEqual({ turnUid: "trn_1", preset: '{"webSearch":true,"apps":{}}' });
		for (const channel of ["page", "a2a", "mcp", "ask"] as const)
			expect(pinOf({ preset: "", apps: desk.apps }, channel, "trn_1")).toBeUndefined();
		expect(pinOf({ preset: "", apps: "" }, "embed", "trn_1")).toBeUndefined();
	});
});
