/** Loads and writes of `engine/people-operations.ts`: accounts, guests, keys, sign-ins, desks, memory. */
import type * as people from "../engine/people-operations.js";
import type { DeskRow, PrincipalRow } from "../engine/rows.js";
import { DESK, DESK_FROM, PRINCIPAL } from "./columns.js";
import { insertPrincipal } from "./conversations.js";
import { one, run, type Steps } from "./sql.js";

function* nothing(): Steps<null> {
	return null;
}

function* desk(input: { deskId: number }): Steps<{ desk?: DeskRow }> {
	return { desk: yield* one<DeskRow>(`select ${DESK} from ${DESK_FROM} where d.id = ?`, input.deskId) };
}

export const peopleHalves = {
	createOwner: {
		*load(input: people.CreateOwnerInput): Steps<{ taken: boolean }> {
			return { taken: (yield* one("select 1 as taken from desk where handle = ?", input.handle)) !== undefined };
		},
		*write(input: people.CreateOwnerInput): Steps<void> {
			const ownerId = yield* insertPrincipal({
				uid: input.accountUid,
				kind: "account",
				deskId: null,
				generation: 1,
				name: input.ownerName,
				seenAt: input.now,
				createdAt: input.now,
			});
			yield* run(
				"insert into desk (handle, name, about, suggestions, settings, owner_id, language, created_at, changed_at) values (?, ?, ?, ?, '{}', ?, ?, ?, ?)",
				...[input.handle, input.name, input.about, JSON.stringify(input.suggestions), ownerId, input.language, input.now, input.now],
			);
		},
	},
	createGuest: {
		load: nothing,
		*write(_input: people.CreateGuestInput, _rows: null, plan: Omit<PrincipalRow, "id">): Steps<void> {
			yield* insertPrincipal(plan);
		},
	},
	touch: {
		load: nothing,
		*write(input: people.TouchInput): Steps<void> {
			yield* run("update principal set seen_at = ? where id = ?", input.now, input.principalId);
		},
	},
	revokeGuest: {
		*load(input: people.RevokeGuestInput): Steps<{ guest?: PrincipalRow }> {
			return { guest: yield* one<PrincipalRow>(`select ${PRINCIPAL} from principal p where p.uid = ? and p.kind = 'guest'`, input.uid) };
		},
		*write(_input: people.RevokeGuestInput, _rows: unknown, plan: { principalId: number; generation: number }): Steps<void> {
			yield* run("update principal set generation = ? where id = ?", plan.generation, plan.principalId);
		},
	},
	createKey: {
		load: desk,
		*write(input: people.CreateKeyInput, _rows: unknown, plan: { principalId: number }): Steps<void> {
			yield* run(
				"insert into access_key (uid, hash, principal_id, name, last4, created_at) values (?, ?, ?, ?, ?, ?)",
				...[input.uid, input.hash, plan.principalId, input.name, input.last4, input.now],
			);
		},
	},
	revokeKey: {
		*load(input: people.RevokeKeyInput): Steps<{ key?: { id: number; principalId: number; revokedAt: number | null } }> {
			const key = yield* one<{ id: number; principalId: number; revokedAt: number | null }>(
				'select k.id, k.principal_id as "principalId", k.revoked_at as "revokedAt" from access_key k join desk d on d.owner_id = k.principal_id where k.uid = ? and d.id = ?',
				input.uid,
				input.deskId,
			);
			return { key };
		},
		*write(_input: people.RevokeKeyInput, _rows: unknown, plan: { id: number; at: number } | null): Steps<void> {
			if (plan) yield* run("update access_key set revoked_at = ? where id = ?", plan.at, plan.id);
		},
	},
	createSignIn: {
		load: desk,
		*write(input: people.CreateSignInInput, _rows: unknown, plan: { principalId: number }): Steps<void> {
			yield* run("delete from sign_in where expires_at <= ?", input.now);
			yield* run(
				"insert into sign_in (hash, principal_id, kind, expires_at, created_at) values (?, ?, 'link', ?, ?)",
				input.hash,
				plan.principalId,
				input.expiresAt,
				input.now,
			);
		},
	},
	signIn: {
		*load(input: people.SignInInput): Steps<{ link?: { principalId: number; expiresAt: number } }> {
			const link = yield* one<{ principalId: number; expiresAt: number }>(
				'select principal_id as "principalId", expires_at as "expiresAt" from sign_in where hash = ? and kind = \'link\' {lock}',
				input.hash,
			);
			return { link };
		},
		*write(input: people.SignInInput, _rows: unknown, plan: { principalId: number; good: boolean } | null): Steps<void> {
			if (!plan) return;
			yield* run("delete from sign_in where hash = ?", input.hash);
			if (plan.good) {
				yield* run(
					"insert into sign_in (hash, principal_id, kind, expires_at, created_at) values (?, ?, 'session', ?, ?)",
					...[input.sessionHash, plan.principalId, input.sessionExpiresAt, input.now],
				);
			}
		},
	},
	signOut: {
		load: nothing,
		*write(input: people.SignOutInput): Steps<void> {
			yield* run("delete from sign_in where hash = ? and kind = 'session'", input.sessionHash);
		},
	},
	changeProfile: {
		*load(input: people.ChangeProfileInput): Steps<{ profile?: people.Profile & { ownerId: number } }> {
			const row = yield* one<Pick<DeskRow, "name" | "ownerName" | "about" | "language" | "suggestions" | "ownerId">>(
				`select ${DESK} from ${DESK_FROM} where d.id = ? {lock of d}`,
				input.deskId,
			);
			if (!row) return {};
			const { name, ownerName, about, language, ownerId } = row;
			return { profile: { name, ownerName, about, language, ownerId, suggestions: JSON.parse(row.suggestions) as string[] } };
		},
		*write(input: people.ChangeProfileInput, _rows: unknown, plan: people.Profile & { ownerId: number }): Steps<void> {
			yield* run(
				"update desk set name = ?, about = ?, suggestions = ?, language = ?, changed_at = ? where id = ?",
				...[plan.name, plan.about, JSON.stringify(plan.suggestions), plan.language, input.now, input.deskId],
			);
			yield* run("update principal set name = ? where id = ?", plan.ownerName, plan.ownerId);
		},
	},
	changeDesk: {
		*load(input: people.ChangeDeskInput): Steps<{ settings?: string }> {
			return { settings: (yield* one<{ settings: string }>("select settings from desk where id = ? {lock}", input.deskId))?.settings };
		},
		*write(input: people.ChangeDeskInput, _rows: unknown, plan: { settings: string }): Steps<void> {
			yield* run("update desk set settings = ?, changed_at = ? where id = ?", plan.settings, input.now, input.deskId);
		},
	},
	putMemory: {
		load: nothing,
		*write(input: people.PutMemoryInput): Steps<void> {
			if (input.text === "") {
				yield* run("delete from memory_file where desk_id = ? and path = ?", input.deskId, input.path);
				return;
			}
			yield* run(
				"insert into memory_file (desk_id, path, text, changed_at) values (?, ?, ?, ?) on conflict (desk_id, path) do update set text = excluded.text, changed_at = excluded.changed_at",
				...[input.deskId, input.path, input.text, input.now],
			);
		},
	},
	ensureSecret: {
		load: (input: people.EnsureSecretInput): Steps<{ value?: string }> =>
			(function* () {
				return { value: (yield* one<{ value: string }>("select value from secret where name = ?", input.name))?.value };
			})(),
		*write(_input: people.EnsureSecretInput, _rows: unknown, plan: people.EnsureSecretInput | null): Steps<void> {
			if (plan) yield* run("insert into secret (name, value) values (?, ?)", plan.name, plan.value);
		},
	},
};
