/** Writer threads that forget one rule of presets and approvals: what T-PRESET has to catch. Which one stands in a variable of their process. */
import { decideBeginCall, type UseRows } from "../../server/engine/apps-operations.js";
import { decides } from "../../server/engine/operations.js";
import { decideChangePreset, decideDecideApproval, given } from "../../server/engine/presets-operations.js";
import { operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { runWriter } from "../../server/store/sqlite-writer.js";
import { LENIENCE, type LenienceName } from "./lenient.js";

const name = process.env[LENIENCE] as LenienceName;

const begin = (change: (rows: UseRows) => Partial<UseRows>) => ({
	beginCall: ((rows, input) => decideBeginCall({ ...rows, ...change(rows) }, input)) as typeof decideBeginCall,
});

const FORGOTTEN: Record<LenienceName, Partial<typeof decides>> = {
	// What the turn began with does not count.
	pinned: begin((rows) => ({ pinned: rows.now ? JSON.stringify(given(rows.now)) : "" })),
	// What the owner says now does not count.
	now: begin((rows) => ({
		now: rows.now && { ...rows.now, preset: JSON.stringify({ version: 1, webSearch: true, apps: { calendar: "read" } }) },
	})),
	// Neither does the site, nor by which door somebody wrote.
	site: begin(() => ({ rules: [{ rule: "*.site.example", state: "allowed", asked: 0, seenAt: 0, createdAt: 0 }] })),
	elsewhere: begin(() => ({ elsewhere: false })),
	// What is decided may be decided again.
	decided: {
		decideApproval: ((rows, input) =>
			decideDecideApproval(
				rows.approval ? { ...rows, approval: { ...rows.approval, state: "open", expiresAt: input.now + 1 } } : rows,
				input,
			)) as typeof decideDecideApproval,
	},
	// A narrowing leaves open what it contradicts.
	contradicted: {
		changePreset: ((rows, input) => {
			const decided = decideChangePreset(rows, input);
			if (decided.plan) decided.plan.closed = decided.plan.closed.filter(({ reason }) => reason !== "narrowed");
			return decided;
		}) as typeof decideChangePreset,
	},
};

runWriter({ table: operationTable({ ...decides, ...FORGOTTEN[name] } as typeof decides, halves) });
