/** What the command line asks about presets, approvals and apps: a part of the table of admin.ts. */
import { z } from "zod";
import { APP_ACCESS } from "../shared/presets.js";
import { name, operation } from "./admin-parts.js";

/** An address, a key. */
const given = z.string().max(4_000);

const connection = z.object({
	kind: name,
	address: given.optional(),
	key: given.optional(),
	most: z.enum(["busy", "read"]).optional(),
	timeZone: name.optional(),
	hours: name.optional(),
	days: name.optional(),
});
const change = z.strictObject({ webSearch: z.boolean().optional(), apps: z.record(name, z.enum(APP_ACCESS)).optional() });

export const APP_OPERATIONS = {
	presets: operation(z.tuple([name]), (desk, handle) => desk.engine.presets.get(handle)),
	changePresets: operation(z.tuple([name, change]), (desk, handle, asked) => desk.engine.presets.change(handle, asked)),
	approvals: operation(z.tuple([name]), (desk, handle) => desk.engine.presets.approvals(handle)),
	decideApproval: operation(z.tuple([name, name, z.enum(["approved", "denied"])]), (desk, handle, uid, decision) =>
		desk.engine.presets.decide(handle, uid, decision),
	),
	apps: operation(z.tuple([name]), (desk, handle) => desk.engine.presets.apps(handle)),
	connectApp: operation(z.tuple([name, connection]), (desk, handle, input) => desk.engine.presets.connectApp(handle, input)),
	removeApp: operation(z.tuple([name, name]), (desk, handle, app) => desk.engine.presets.removeApp(handle, app)),
	appCalls: operation(z.tuple([name]), (desk, handle) => desk.engine.presets.calls(handle)),
};
