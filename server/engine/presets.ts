/**
 * What an owner asks for about presets, approvals and apps (PRE-1 to PRE-5). A key may ask for a change of the preset; deciding what waits,
 * and connecting apps, is the owner's alone, for which only the command line has a door until their pages have one.
 */
import { LIMITS } from "../../shared/limits.js";
import type { Preset, PresetChange, Widening } from "../../shared/presets.js";
import type { UseParts } from "./apps.js";
import type { ConnectInput } from "./apps-ports.js";
import type { Desk } from "./engine.js";
import { type DecideApprovalAnswer, mostOf, presetOf } from "./presets-operations.js";
import type { AppCallRow, ApprovalRow, ConnectionRow } from "./reads.js";

/** An approval as it is shown: what it asks for, and what became of it. */
export interface Approval {
	uid: string;
	widening: Widening;
	state: ApprovalRow["state"];
	/** Of a void one: `narrowed`, `replaced`, `disconnected`, `changed`. */
	reason: string;
	createdAt: number;
	expiresAt: number;
}

export interface PresetState {
	/** As its owner left it; `version` counts its changes. */
	preset: Preset & { version: number };
	/** The most that could be given, by what is connected: with the preset this comes to what is given. */
	most: Preset;
	/** What waits for the owner. */
	waiting: Approval[];
}

export interface PresetsDoor {
	get(handle: string): Promise<PresetState>;
	/** Narrows at once and asks its owner for the rest (PRE-3). Throws `invalid_params` for an app that is not connected, and for a change of nothing. */
	change(handle: string, change: PresetChange): Promise<PresetState & { underWay: number }>;
	/** Approvals that wait, then the last of the others; each newest first. */
	approvals(handle: string): Promise<Approval[]>;
	/** The first decision counts; a later one is told what it was. Throws `not_found`. */
	decide(handle: string, uid: string, decision: "approved" | "denied"): Promise<DecideApprovalAnswer>;
	/** What is connected, without what is secret of it. */
	apps(handle: string): Promise<ConnectionRow[]>;
	/** Tries an app once and connects it, in the place of the one before. Of a calendar before, nothing stays given. */
	connectApp(handle: string, input: ConnectInput): Promise<{ app: string; label: string; narrowed: boolean }>;
	/** Ends a connection, and with it what was given of it. Throws `not_found`. */
	removeApp(handle: string, app: string): Promise<{ narrowed: boolean; underWay: number }>;
	/** What turns have done outside, newest first. */
	calls(handle: string): Promise<AppCallRow[]>;
}

/** `deskAt` throws `not_found` naming the desks there are. It gives the desk as every write that has resolved left it. */
export function presetsDoor(parts: UseParts & { deskAt(handle: string): Promise<Desk> }): PresetsDoor {
	const { store, clock, newId, apps, deskAt } = parts;
	const deskId = async (handle: string): Promise<number> => (await deskAt(handle)).row.id;

	const stateOf = async (handle: string): Promise<PresetState> => {
		const { row } = await deskAt(handle);
		const approvals = await store.read.approvals(row.id, LIMITS.listedApprovals);
		const now = clock.now();
		const waiting = approvals.filter((a) => a.state === "open" && a.expiresAt > now).map(approvalOf);
		const { webSearch, apps, version } = presetOf(row.preset);
		return { preset: { webSearch, apps, version }, most: mostOf(row.apps), waiting: waiting.reverse() };
	};

	return {
		get: stateOf,
		async change(handle, change) {
			const parts = 1 + Object.keys(change.apps ?? {}).length;
			const approvalUids = Array.from({ length: parts }, () => newId("apr"));
			const { underWay } = await store.write("changePreset", { deskId: await deskId(handle), change, approvalUids, now: clock.now() });
			return { ...(await stateOf(handle)), underWay };
		},
		async approvals(handle) {
			const rows = await store.read.approvals(await deskId(handle), LIMITS.listedApprovals);
			const now = clock.now();
			return rows.map((row) => approvalOf(row.state === "open" && row.expiresAt <= now ? { ...row, state: "expired" } : row));
		},
		decide: async (handle, uid, decision) =>
			await store.write("decideApproval", { deskId: await deskId(handle), uid, decision, now: clock.now() }),
		apps: async (handle) => await store.read.connections(await deskId(handle)),
		async connectApp(handle, input) {
			const id = await deskId(handle);
			const connected = await apps.connect(input, AbortSignal.timeout(LIMITS.appConnectMs));
			const { narrowed } = await store.write("connectApp", { deskId: id, uid: newId("app"), ...connected, now: clock.now() });
			return { app: connected.app, label: connected.label, narrowed };
		},
		removeApp: async (handle, app) => await store.write("removeApp", { deskId: await deskId(handle), app, now: clock.now() }),
		calls: async (handle) => await store.read.calls(await deskId(handle), LIMITS.listedCalls),
	};
}

const approvalOf = ({ uid, widening, state, reason, createdAt, expiresAt }: ApprovalRow): Approval => ({
	uid,
	widening: JSON.parse(widening) as Widening,
	state,
	reason,
	createdAt,
	expiresAt,
});
