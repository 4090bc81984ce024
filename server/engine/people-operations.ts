/** Who there is: owners with their desks, guests, keys, sign-ins; a desk's settings and memory. Judged inside the transaction, like everything that writes. */
import { DeskError, type FieldViolation } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { isVisible } from "../../shared/names.js";
import type { DeskRow, PrincipalRow } from "./rows.js";
import { DEFAULT_SETTINGS, type DeskSettings, settingsOf } from "./settings.js";

/** Handles are also paths of the site: these are taken by it (A2A-1). */
const RESERVED = new Set([
	"card",
	"tasks",
	"ws",
	"example",
	"a2a",
	"api",
	"assets",
	"docs",
	"embed",
	"inbox",
	"agent",
	"settings",
	"connect",
	"mcp",
	"guest",
	"sign-in",
]);

/** Whether a text is a handle: `[a-z0-9_-]{2,32}`, not starting `ag_`, not one of the site's own paths (A2A-1). */
export const isHandle = (text: string): boolean => /^[a-z0-9_-]{2,32}$/.test(text) && !text.startsWith("ag_") && !RESERVED.has(text);

/** Paths of memory files (reliability.md 98): segments of letters, digits, `_`, `-`, dots inside; `/` between, at most four. */
export const isMemoryPath = (path: string): boolean =>
	path.length <= 128 &&
	/^[\p{L}\p{N}_-][\p{L}\p{N}._-]*(?:\/[\p{L}\p{N}_-][\p{L}\p{N}._-]*){0,3}$/u.test(path) &&
	!path.includes("..") &&
	!isTwinOfPeople(path.split("/", 1)[0] as string);

/** What is under `people` is told to one person only: a folder that merely looks like it would be told to everybody. */
const isTwinOfPeople = (folder: string): boolean => folder !== "people" && folder.normalize("NFKC").toLowerCase() === "people";

export interface CreateOwnerInput {
	accountUid: string;
	handle: string;
	name: string;
	ownerName: string;
	about: string;
	language: "en" | "zh";
	suggestions: string[];
	now: number;
}

/** What people and cards read of a desk. */
export interface Profile {
	name: string;
	/** The person whom the desk stands for. */
	ownerName: string;
	about: string;
	language: "en" | "zh";
	suggestions: string[];
}

/** What is wrong with a profile, or with the part of one that is to change. */
function profileViolations({ name, ownerName, suggestions }: Partial<Profile>): FieldViolation[] {
	const violations: FieldViolation[] = [];
	if (name !== undefined && (!isVisible(name) || name.length > 40))
		violations.push({ field: "name", description: "Give a name of 1 to 40 characters, of which one can be seen." });
	if (ownerName !== undefined && !isVisible(ownerName))
		violations.push({ field: "ownerName", description: "Give a name of which a character can be seen." });
	if (suggestions && (suggestions.length > 3 || suggestions.some((s) => s.length > 80)))
		violations.push({ field: "suggestions", description: "Give at most 3, of at most 80 characters each." });
	return violations;
}

export function decideCreateOwner(rows: { taken: boolean }, input: CreateOwnerInput) {
	const violations: FieldViolation[] = [];
	if (!isHandle(input.handle))
		violations.push({
			field: "handle",
			description: "Use 2 to 32 of a-z, 0-9, _ and -, not beginning with ag_, and none of the site's own names.",
		});
	violations.push(...profileViolations(input));
	if (violations.length > 0) throw new DeskError("invalid_params", "This desk cannot be made; see the fields named.", { violations });
	if (rows.taken)
		throw new DeskError("invalid_params", `The handle ${input.handle} is taken. Choose another.`, {
			violations: [{ field: "handle", description: "Taken." }],
		});
	return { plan: input, answer: { handle: input.handle } };
}

export interface ChangeProfileInput {
	deskId: number;
	/** What of the profile changes. */
	change: Partial<Profile>;
	now: number;
}
/** Joins a change with what stands there now: two changes of different things at once are both kept. */
export function decideChangeProfile(
	rows: { profile?: Profile & { ownerId: number } },
	input: ChangeProfileInput,
): { plan: Profile & { ownerId: number }; answer: null } {
	if (!rows.profile) throw new DeskError("not_found", "There is no such desk.");
	const violations = profileViolations(input.change);
	if (violations.length > 0) throw new DeskError("invalid_params", "This desk cannot be changed; see the fields named.", { violations });
	return { plan: { ...rows.profile, ...input.change }, answer: null };
}

export interface CreateGuestInput {
	uid: string;
	deskId: number;
	now: number;
}
export const decideCreateGuest = (_rows: null, input: CreateGuestInput): { plan: Omit<PrincipalRow, "id">; answer: { uid: string } } => ({
	plan: { uid: input.uid, kind: "guest", deskId: input.deskId, generation: 1, name: "", seenAt: input.now, createdAt: input.now },
	answer: { uid: input.uid },
});

export interface TouchInput {
	principalId: number;
	now: number;
}
/** A guest's token lives while it is used: written at most once a day. */
export const decideTouch = (_rows: null, input: TouchInput) => ({ plan: input, answer: null });

export interface RevokeGuestInput {
	deskId: number;
	uid: string;
	now: number;
}
/** Ends every token given out for a guest. */
export function decideRevokeGuest(rows: { guest?: PrincipalRow }, input: RevokeGuestInput) {
	if (!rows.guest || rows.guest.deskId !== input.deskId) throw new DeskError("not_found", "There is no such guest at this desk.");
	return { plan: { principalId: rows.guest.id, generation: rows.guest.generation + 1 }, answer: { principalId: rows.guest.id } };
}

export interface CreateKeyInput {
	deskId: number;
	uid: string;
	/** Hex SHA-256 of the key; the key itself is shown once and kept nowhere. */
	hash: string;
	name: string;
	last4: string;
	now: number;
}
export function decideCreateKey(rows: { desk?: DeskRow }, input: CreateKeyInput) {
	if (!rows.desk) throw new DeskError("not_found", "There is no such desk.");
	if (!isVisible(input.name) || input.name.length > 80)
		throw new DeskError("invalid_params", "Give the key a name of 1 to 80 characters, of which one can be seen.", {
			violations: [{ field: "name", description: "1 to 80 characters, of which one can be seen." }],
		});
	return { plan: { ...input, principalId: rows.desk.ownerId }, answer: { uid: input.uid } };
}

export interface RevokeKeyInput {
	deskId: number;
	uid: string;
	now: number;
}
export function decideRevokeKey(rows: { key?: { id: number; principalId: number; revokedAt: number | null } }, input: RevokeKeyInput) {
	if (!rows.key) throw new DeskError("not_found", "There is no such key. List them with: npx earthonline key list <handle>");
	return { plan: rows.key.revokedAt === null ? { id: rows.key.id, at: input.now } : null, answer: { principalId: rows.key.principalId } };
}

export interface CreateSignInInput {
	deskId: number;
	hash: string;
	expiresAt: number;
	now: number;
}
export function decideCreateSignIn(rows: { desk?: DeskRow }, input: CreateSignInInput) {
	if (!rows.desk) throw new DeskError("not_found", "There is no such desk.");
	return { plan: { ...input, principalId: rows.desk.ownerId }, answer: null };
}

export interface SignInInput {
	/** Of the link's secret. */
	hash: string;
	/** Of the session's secret that it is exchanged for. */
	sessionHash: string;
	sessionExpiresAt: number;
	now: number;
}
/** A link is good once: the row that it was is the session's from here on. */
export function decideSignIn(rows: { link?: { principalId: number; expiresAt: number } }, input: SignInInput) {
	const good = rows.link !== undefined && rows.link.expiresAt > input.now;
	return { plan: rows.link ? { ...input, principalId: rows.link.principalId, good } : null, answer: { good } };
}

export interface SignOutInput {
	sessionHash: string;
}
/** Whoever holds a session may end it. */
export const decideSignOut = (_rows: null, input: SignOutInput): { plan: SignOutInput; answer: null } => ({ plan: input, answer: null });

export interface ChangeDeskInput {
	deskId: number;
	/** What of the settings changes, as `checkSettings` let it through. */
	change: Partial<DeskSettings>;
	now: number;
}
/** Joins a change with what stands there now: two changes at once are both kept. */
export function decideChangeDesk(rows: { settings?: string }, input: ChangeDeskInput): { plan: { settings: string }; answer: null } {
	if (rows.settings === undefined) throw new DeskError("not_found", "There is no such desk.");
	const next = { ...settingsOf(rows.settings), ...input.change };
	const kept = Object.entries(next).filter(([name, value]) => DEFAULT_SETTINGS[name as keyof DeskSettings] !== value);
	return { plan: { settings: JSON.stringify(Object.fromEntries(kept)) }, answer: null };
}

export interface PutMemoryInput {
	deskId: number;
	path: string;
	/** Empty: the file goes. */
	text: string;
	now: number;
}
export function decidePutMemory(_rows: null, input: PutMemoryInput) {
	if (!isMemoryPath(input.path)) {
		throw new DeskError(
			"invalid_params",
			"That is no path for a memory file. Use letters, digits, _ and -, with / between at most four names.",
			{ violations: [{ field: "path", description: "Use letters, digits, _ and -, with / between at most four names." }] },
		);
	}
	if ([...input.text].length > LIMITS.memoryFileChars) {
		throw new DeskError("invalid_params", `A memory file holds at most ${LIMITS.memoryFileChars} characters. Split it in two.`, {
			violations: [{ field: "text", description: `At most ${LIMITS.memoryFileChars} characters.` }],
		});
	}
	return { plan: input, answer: null };
}

export interface EnsureSecretInput {
	name: string;
	/** Taken where there is none yet. */
	value: string;
}
/** A secret of the installation: made at the first start, the same for every node. */
export const decideEnsureSecret = (rows: { value?: string }, input: EnsureSecretInput) => ({
	plan: rows.value === undefined ? input : null,
	answer: { value: rows.value ?? input.value },
});
