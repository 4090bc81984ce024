/**
 * What an owner asks for about presets, approvals and apps (PRE-1 to PRE-5). A key may ask for a change of the preset; deciding what waits,
 * and connecting apps, is the owner's alone, for which only the command line has a door until their pages have one.
 */
import { DeskError, type FieldViolation } from "../../shared/errors.js";
import { APP_ACCESS, type AppAccess, isAppAccess, type PresetChange, type Widening } from "../../shared/presets.js";
import type { UseParts } from "./apps.js";
import type { ConnectInput } from "./apps-ports.js";
import type { Desk } from "./engine.js";
import type { DecideApprovalAnswer, DeskPreset } from "./presets-operations.js";
import { mostOf, presetOf } from "./presets-operations.js";
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
	preset: DeskPreset;
	/** The most that could be given, by what is connected: with the preset this comes to what is given. */
	most: { webSearch: boolean; apps: Readonly<Record<string, AppAccess>> };
	/** What waits for the owner. */
	waiting: Approval[];
}

export interface PresetsDoor {
	get(handle: string): Promise<PresetState>;
	/**
	 * Narrows at once and asks its owner for the rest (PRE-3). `change` is what somebody sent. Throws `invalid_params` naming
	 * every value that is none, an app that is not connected among them.
	 */
	change(handle: string, change: unknown): Promise<PresetState & { underWay: number }>;
	/** The last approvals, newest first. */
	approvals(handle: string): Promise<Approval[]>;
	/** The first decision counts; a later one is told what it was. Throws `not_found`. */
	decide(handle: string, uid: string, decision: "approved" | "denied"): Promise<DecideApprovalAnswer>;
	/** What is connected, without what is secret of it. */
	apps(handle: string): Promise<ConnectionRow[]>;
	/** Tries an app once and connects it, in the place of the one before, of which nothing stays given. */
	connectApp(handle: string, input: ConnectInput): Promise<{ app: string; label: string; narrowed: boolean }>;
	/** Ends a connection, and with it what was given of it. Throws `not_found`. */
	removeApp(handle: string, app: string): Promise<{ narrowed: boolean; underWay: number }>;
	/** What turns have done outside, newest first. */
	calls(handle: string): Promise<AppCallRow[]>;
}

/** How many are shown of what is listed. */
const LISTED = 100;
const CONNECT_MS = 20_000;

export function presetsDoor(parts: UseParts & { deskAt(handle: string): Promise<Desk>; forget(handle: string): void }): PresetsDoor {
	const { store, clock, newId, apps, deskAt, forget } = parts;
	const deskId = async (handle: string): Promise<number> => (await deskAt(handle)).row.id;

	const stateOf = async (handle: string): Promise<PresetState> => {
		forget(handle);
		const { row } = await deskAt(handle);
		const approvals = await store.read.approvals(row.id, LISTED);
		const now = clock.now();
		const waiting = approvals.filter((a) => a.state === "open" && a.expiresAt > now).map(approvalOf);
		return { preset: presetOf(row.preset), most: mostOf(row.apps), waiting: waiting.reverse() };
	};

	return {
		get: stateOf,
		async change(handle, asked) {
			const change = readPresetChange(asked);
			const parts = 1 + Object.keys(change.apps ?? {}).length;
			const approvalUids = Array.from({ length: parts }, () => newId("apr"));
			const input = { deskId: await deskId(handle), change, approvalUids, conversationId: null, now: clock.now() };
			const { underWay } = await store.write("changePreset", input);
			return { ...(await stateOf(handle)), underWay };
		},
		async approvals(handle) {
			const rows = await store.read.approvals(await deskId(handle), LISTED);
			const now = clock.now();
			return rows.map((row) => approvalOf(row.state === "open" && row.expiresAt <= now ? { ...row, state: "expired" } : row));
		},
		async decide(handle, uid, decision) {
			const answer = await store.write("decideApproval", { deskId: await deskId(handle), uid, decision, now: clock.now() });
			forget(handle);
			return answer;
		},
		apps: async (handle) => await store.read.connections(await deskId(handle)),
		async connectApp(handle, input) {
			const id = await deskId(handle);
			const connected = await apps.connect(input, AbortSignal.timeout(CONNECT_MS));
			const { narrowed } = await store.write("connectApp", { deskId: id, uid: newId("app"), ...connected, now: clock.now() });
			forget(handle);
			return { app: connected.app, label: connected.label, narrowed };
		},
		async removeApp(handle, app) {
			const answer = await store.write("removeApp", { deskId: await deskId(handle), app, now: clock.now() });
			forget(handle);
			return answer;
		},
		calls: async (handle) => await store.read.calls(await deskId(handle), LISTED),
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

/** Reads a change as somebody sent it: nothing but `webSearch` and `apps`, and no value that is none (PRE-1). Throws `invalid_params`. */
export function readPresetChange(asked: unknown): PresetChange {
	const violations: FieldViolation[] = [];
	const wrong = (field: string, description: string): void => void violations.push({ field, description });
	const change: { webSearch?: boolean; apps?: Record<string, AppAccess> } = {};
	if (!isRecord(asked)) wrong("", "Give webSearch, apps or both.");
	else {
		for (const field of Object.keys(asked))
			if (field !== "webSearch" && field !== "apps") wrong(field, "Presets have webSearch and apps, nothing else.");
		if (typeof asked.webSearch === "boolean") change.webSearch = asked.webSearch;
		else if (asked.webSearch !== undefined) wrong("webSearch", "Give true or false.");
		if (isRecord(asked.apps)) {
			const levels: [string, AppAccess][] = [];
			for (const [app, access] of Object.entries(asked.apps)) {
				if (isAppAccess(access)) levels.push([app, access]);
				else wrong(`apps.${app}`, `Give one of ${APP_ACCESS.join(", ")}. Nothing can be written ahead of time.`);
			}
			change.apps = Object.fromEntries(levels);
		} else if (asked.apps !== undefined) wrong("apps", 'Give an object such as {"calendar": "busy"}.');
	}
	if (violations.length === 0 && change.webSearch === undefined && change.apps === undefined) wrong("", "Give webSearch, apps or both.");
	if (violations.length > 0)
		throw new DeskError("invalid_params", `The presets cannot be changed like that: ${violations.map((v) => v.description).join(" ")}`, {
			violations: violations.filter(({ field }) => field !== ""),
		});
	return change;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
