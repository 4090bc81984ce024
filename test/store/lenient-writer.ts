/** Writer threads that forget one rule of presets and approvals: what T-PRESET has to catch. Which one stands in a variable of their process. */
import type { UseRows } from "../../server/engine/apps-operations.js";
import { decides } from "../../server/engine/operations.js";
import { given } from "../../server/engine/presets-operations.js";
import type { ApprovalRow } from "../../server/engine/reads.js";
import type { DeskSettings } from "../../server/engine/settings.js";
import { operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { runWriter } from "../../server/store/sqlite-writer.js";
import { LENIENCE, type LenienceName } from "./lenient.js";

const name = process.env[LENIENCE] as LenienceName;

const begin = (change: (rows: UseRows) => Partial<UseRows>) => ({
	beginCall: ((rows, input) => decides.beginCall({ ...rows, ...change(rows) }, input)) as typeof decides.beginCall,
});
const withSettings = (settings: Partial<DeskSettings>) =>
	begin(({ now }) => (now ? { now: { ...now, settings: JSON.stringify({ ...JSON.parse(now.settings), ...settings }) } } : {}));
const decide = (change: (approval: ApprovalRow, now: number) => Partial<ApprovalRow>) => ({
	decideApproval: ((rows, input) =>
		decides.decideApproval(
			rows.approval ? { ...rows, approval: { ...rows.approval, ...change(rows.approval, input.now) } } : rows,
			input,
		)) as typeof decides.decideApproval,
});

const FORGOTTEN: Record<LenienceName, Partial<typeof decides>> = {
	// What the turn began with does not count.
	pinned: begin((rows) => ({ pinned: rows.now ? JSON.stringify(given(rows.now)) : "" })),
	// A turn that a crash cut off is taken for one that begins now.
	"begun anew": {
		claimTurn: ((rows, input) =>
			decides.claimTurn(rows.turn ? { ...rows, turn: { ...rows.turn, epoch: 0 } } : rows, input)) as typeof decides.claimTurn,
	},
	// What the owner says now does not count.
	now: begin(({ now }) =>
		now ? { now: { ...now, preset: JSON.stringify({ version: 1, webSearch: true, apps: { calendar: "read" }, changed: {} }) } } : {},
	),
	// Neither does the site, nor that no other may show the chat, nor that no guests are taken, nor that the embed is gone, nor by which door somebody wrote.
	site: begin(() => ({ rules: [{ rule: "*.site.example", state: "allowed", asked: 0, seenAt: 0, createdAt: 0 }] })),
	"any site": withSettings({ allowAnySite: true }),
	guests: withSettings({ guests: true }),
	embed: begin(() => ({ embedGone: false })),
	elsewhere: begin(() => ({ elsewhere: false })),
	// What a call brings is given as it was begun, whatever has been narrowed meanwhile.
	ended: {
		endCall: ((rows, input) => {
			const { result } = input;
			return result === null ? decides.endCall(rows, input) : { plan: { state: "done", result }, answer: { access: "read" } };
		}) as typeof decides.endCall,
	},
	// A call that a crash cut off is taken for one that failed.
	"cut off": begin(({ calls }) => ({ calls: calls.map((call) => (call.state === "begun" ? { ...call, state: "failed" } : call)) })),
	// What is decided may be decided again.
	decided: decide((_approval, now) => ({ state: "open", expiresAt: now + 1 })),
	// What has run out may be decided.
	expired: decide((_approval, now) => ({ expiresAt: now + 1 })),
	// A narrowing leaves open what it contradicts.
	contradicted: {
		changePreset: ((rows, input) => {
			const decided = decides.changePreset(rows, input);
			if (decided.plan) decided.plan.closed = decided.plan.closed.filter(({ reason }) => reason !== "narrowed");
			return decided;
		}) as typeof decides.changePreset,
	},
};

runWriter({ table: operationTable({ ...decides, ...FORGOTTEN[name] } as typeof decides, halves) });
