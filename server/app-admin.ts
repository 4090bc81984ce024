/** What the command line asks about presets, approvals and apps: a part of the table of admin.ts, with the shapes of its arguments. */
import { z } from "zod";
import type { Administered } from "./admin.js";
import { KINDS } from "./engine/apps-ports.js";

const name = z.string().max(200);
const text = z.string().max(4_000);

function operation<A extends z.ZodTuple, R>(args: A, run: (desk: Administered, ...args: z.output<A>) => Promise<R>) {
	return { args, run };
}

const connection = z.object({
	kind: z.enum(KINDS),
	address: text.optional(),
	key: text.optional(),
	most: z.enum(["busy", "read"]).optional(),
	timeZone: name.optional(),
	hours: name.optional(),
	days: name.optional(),
});

export const APP_OPERATIONS = {
	presets: operation(z.tuple([name]), (desk, handle) => desk.engine.presets.get(handle)),
	changePresets: operation(z.tuple([name, z.unknown()]), (desk, handle, change) => desk.engine.presets.change(handle, change)),
	approvals: operation(z.tuple([name]), (desk, handle) => desk.engine.presets.approvals(handle)),
	decideApproval: operation(z.tuple([name, name, z.enum(["approved", "denied"])]), (desk, handle, uid, decision) =>
		desk.engine.presets.decide(handle, uid, decision),
	),
	apps: operation(z.tuple([name]), (desk, handle) => desk.engine.presets.apps(handle)),
	connectApp: operation(z.tuple([name, connection]), (desk, handle, input) => desk.engine.presets.connectApp(handle, input)),
	removeApp: operation(z.tuple([name, name]), (desk, handle, app) => desk.engine.presets.removeApp(handle, app)),
	appCalls: operation(z.tuple([name]), (desk, handle) => desk.engine.presets.calls(handle)),
};
