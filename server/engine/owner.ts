/** What the owner's side asks for: today the command line, later their pages and tools. Whom a change shuts out stands in `notices-operations.ts`. */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { type Access, hashOf } from "./access.js";
import type { Desks } from "./desks.js";
import { embedsOwner } from "./embeds-owner.js";
import type { Desk, EngineParts, OwnerDoor } from "./engine.js";
import type { NewId } from "./ids.js";
import type { StoredEvent } from "./ports.js";
import type { Ratings } from "./ratings.js";
import { checkSettings, isThere } from "./settings.js";
import { sitesOwner } from "./sites-owner.js";
import type { Turns } from "./turns.js";

/** How many desks a refusal names. */
const NAMED_DESKS = 20;

export interface OwnerParts extends EngineParts {
	newId: NewId;
	access: Access;
	desks: Desks;
	turns: Turns;
	ratings: Ratings;
	grown: (conversationId: number, events: StoredEvent[]) => void;
}

/** The desk that an owner means. Throws `not_found`, naming the desks that there are: a handle that is not there is most often a slip of the finger. */
export async function deskNamed(desks: Desks, handle: string): Promise<Desk> {
	const desk = await desks.get(handle);
	if (desk) return desk;
	const handles = (await desks.all()).map(({ row }) => row.handle);
	const others = handles.length > NAMED_DESKS ? `${handles.slice(0, NAMED_DESKS).join(", ")} and others` : handles.join(", ");
	const there = handles.length === 0 ? "There is none yet." : `Those that are here: ${others}.`;
	throw new DeskError("not_found", `There is no desk ${handle}. ${there} Make it with: npx earthonline owner create ${handle}`);
}

export function ownerDoor(parts: OwnerParts): OwnerDoor {
	const { store, clock, random, newId, access, desks, turns } = parts;
	const secret = (): string => Buffer.from(random.bytes(32)).toString("base64url");
	const deskAt = (handle: string): Promise<Desk> => deskNamed(desks, handle);

	const changeSettings: OwnerDoor["changeSettings"] = async (handle, change) => {
		const desk = await deskAt(handle);
		await store.write("changeDesk", { deskId: desk.row.id, change: checkSettings(change), now: clock.now() });
		const after = await deskAt(handle);
		if (isThere(after.settings, clock.now()) && !desk.face.online) await turns.look();
		return after;
	};

	return {
		...embedsOwner({ ...parts, deskAt }),
		...sitesOwner({ ...parts, deskAt }),
		async createOwner(input) {
			const now = clock.now();
			await store.write("createOwner", {
				accountUid: newId("acc"),
				handle: input.handle,
				name: input.name,
				ownerName: input.ownerName ?? input.name,
				about: input.about ?? "",
				language: input.language ?? "en",
				suggestions: input.suggestions ?? [],
				now,
			});
			return await deskAt(input.handle);
		},
		async changeProfile(handle, change) {
			const desk = await deskAt(handle);
			await store.write("changeProfile", { deskId: desk.row.id, change, now: clock.now() });
			return await deskAt(handle);
		},
		async createSignIn(handle) {
			const desk = await deskAt(handle);
			const link = secret();
			await store.write("createSignIn", {
				deskId: desk.row.id,
				hash: hashOf(link),
				expiresAt: clock.now() + LIMITS.signInLinkMs,
				now: clock.now(),
			});
			return link;
		},
		async signIn(link) {
			const session = secret();
			const now = clock.now();
			const { good } = await store.write("signIn", {
				hash: hashOf(link),
				sessionHash: hashOf(session),
				sessionExpiresAt: now + LIMITS.sessionMs,
				now,
			});
			return good ? session : undefined;
		},
		session: (session) => store.read.accountBySession(hashOf(session), clock.now()),
		async signOut(session) {
			await store.write("signOut", { sessionHash: hashOf(session) });
		},
		async createKey(handle, name) {
			const desk = await deskAt(handle);
			const key = access.newKey();
			await store.write("createKey", {
				deskId: desk.row.id,
				uid: newId("key"),
				hash: hashOf(key),
				name,
				last4: key.slice(-4),
				now: clock.now(),
			});
			return key;
		},
		async keys(handle) {
			const keys = await store.read.keys((await deskAt(handle)).row.ownerId);
			return keys.filter((k) => k.revokedAt === null).map(({ uid, name, last4 }) => ({ uid, name, last4 }));
		},
		async deskByKey(key) {
			const found = await access.ownKey(key);
			const desk = found && (await desks.get(found.handle));
			return desk && found && { desk, key: { uid: found.uid, name: found.name, last4: found.last4 } };
		},
		async revokeKey(handle, uid) {
			const desk = await deskAt(handle);
			await store.write("revokeKey", { deskId: desk.row.id, uid, now: clock.now() });
		},
		async putMemory(handle, path, text) {
			const desk = await deskAt(handle);
			if (text.trim() === "")
				throw new DeskError("invalid_params", `${path} is empty, so there is nothing to answer from. Write something in it first.`);
			await store.write("putMemory", { deskId: desk.row.id, path, text, now: clock.now() });
		},
		async removeMemory(handle, path) {
			const desk = await deskAt(handle);
			const files = await store.read.memory(desk.row.id);
			if (!files.some((file) => file.path === path))
				throw new DeskError("not_found", `There is no file ${path} in the memory of ${handle}. See: npx earthonline memory list ${handle}`);
			await store.write("putMemory", { deskId: desk.row.id, path, text: "", now: clock.now() });
		},
		async memory(handle) {
			return await store.read.memory((await deskAt(handle)).row.id);
		},
		async ratings(handle) {
			return await parts.ratings.ofDesk((await deskAt(handle)).row.id);
		},
		async gaps(handle) {
			return await store.read.gaps((await deskAt(handle)).row.id, LIMITS.listedGaps);
		},
		async settings(handle) {
			return (await deskAt(handle)).settings;
		},
		changeSettings,
		async takeMicrophone(handle, contextId) {
			const desk = await deskAt(handle);
			const answer = await store.write("takeMicrophone", {
				deskId: desk.row.id,
				contextUid: contextId,
				name: desk.row.ownerName,
				turnUid: newId("trn"),
				now: clock.now(),
			});
			if (answer.fencedTurn) turns.stop(answer.fencedTurn);
			parts.grown(answer.conversationId, answer.events);
		},
		async handBack(handle, contextId) {
			const desk = await deskAt(handle);
			const answer = await store.write("handBack", {
				deskId: desk.row.id,
				contextUid: contextId,
				name: desk.row.ownerName,
				turnUid: newId("trn"),
				now: clock.now(),
			});
			parts.grown(answer.conversationId, answer.events);
			if (answer.next) turns.wake(answer.next);
		},
		async revokeGuest(handle, principalUid) {
			const desk = await deskAt(handle);
			await store.write("revokeGuest", { deskId: desk.row.id, uid: principalUid, now: clock.now() });
		},
	};
}
