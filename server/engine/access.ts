/**
 * Who somebody is: credentials to principals. A guest's token is its id, its generation and an HMAC, so it can be made again and
 * is kept nowhere; a key is kept as a hash. A credential that is not valid (any more) and one that never was are the same
 * undefined. What was found is remembered for a second, and forgotten at once when a notice says that it was revoked.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { LIMITS } from "../../shared/limits.js";
import type { Desk } from "./engine.js";
import type { NewId } from "./ids.js";
import type { Clock, Random, Store } from "./ports.js";
import type { PrincipalRow } from "./rows.js";

const GUEST = "eolg_";
const KEY = "eolc_";
const REMEMBER_MS = 1_000;
const REMEMBER_MAX = 10_000;
/** How long the nonce of a Hello gives the same guest. */
const NONCE_MS = 10 * 60 * 1000;
/** A token's use is written down this often. */
const TOUCH_MS = 24 * 60 * 60 * 1000;

export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

export class Access {
	private readonly known = new Map<string, { principal: PrincipalRow; until: number }>();
	/** Raised when something is forgotten: what was being looked up meanwhile is not remembered. */
	private forgotten = 0;
	private readonly nonces = new Map<string, { guest: Promise<PrincipalRow>; until: number }>();

	constructor(
		private readonly parts: { store: Store; clock: Clock; random: Random; newId: NewId },
		private readonly secret: string,
	) {}

	/** Who holds a credential at one desk. */
	async identify(credential: string, desk: Desk): Promise<PrincipalRow | undefined> {
		if (credential.length > LIMITS.idChars) return undefined;
		const { clock } = this.parts;
		const at = `${desk.row.id} ${credential}`;
		const known = this.known.get(at);
		if (known && known.until > clock.now()) return known.principal;
		const { forgotten } = this;
		const principal = credential.startsWith(GUEST)
			? await this.guestOf(credential, desk)
			: credential.startsWith(KEY)
				? await this.parts.store.read.accountByKey(hashOf(credential))
				: undefined;
		if (!principal) return undefined;
		if (this.known.size >= REMEMBER_MAX) this.known.clear();
		if (forgotten === this.forgotten) this.known.set(at, { principal, until: clock.now() + REMEMBER_MS });
		if (principal.seenAt + TOUCH_MS < clock.now())
			void this.parts.store.write("touch", { principalId: principal.id, now: clock.now() }).catch(() => undefined);
		return principal;
	}

	/** Forgets what was remembered of a principal: its credentials are looked up again. */
	forget(principalId: number): void {
		this.forgotten++;
		for (const [at, { principal }] of this.known) if (principal.id === principalId) this.known.delete(at);
	}

	forgetAll(): void {
		this.forgotten++;
		this.known.clear();
	}

	private async guestOf(token: string, desk: Desk): Promise<PrincipalRow | undefined> {
		const [id, generation, seal] = token.slice(GUEST.length).split(".");
		if (!id || !generation || !seal) return undefined;
		const uid = `gst_${id}`;
		const expected = Buffer.from(this.seal(uid, generation));
		const given = Buffer.from(seal);
		if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
		const guest = await this.parts.store.read.principal(uid);
		if (guest?.kind !== "guest" || guest.deskId !== desk.row.id || String(guest.generation) !== generation) return undefined;
		return guest.seenAt + LIMITS.guestIdleMs > this.parts.clock.now() ? guest : undefined;
	}

	tokenOf(guest: Pick<PrincipalRow, "uid" | "generation">): string {
		return `${GUEST}${guest.uid.slice(4)}.${guest.generation}.${this.seal(guest.uid, String(guest.generation))}`;
	}

	private seal(uid: string, generation: string): string {
		return createHmac("sha256", this.secret).update(`guest ${uid} ${generation}`).digest("base64url").slice(0, 32);
	}

	/** A new guest; the same one again where the answer to the first call with this nonce was lost. */
	async welcome(desk: Desk, nonce: string): Promise<PrincipalRow> {
		const now = this.parts.clock.now();
		const at = `${desk.row.id} ${nonce}`;
		const before = this.nonces.get(at);
		if (before && before.until > now) return before.guest;
		for (const [key, { until }] of this.nonces) {
			if (until > now) break;
			this.nonces.delete(key);
		}
		const guest = this.makeGuest(desk);
		this.nonces.set(at, { guest, until: now + NONCE_MS });
		guest.catch(() => this.nonces.delete(at));
		return guest;
	}

	private async makeGuest(desk: Desk): Promise<PrincipalRow> {
		const uid = this.parts.newId("gst");
		await this.parts.store.write("createGuest", { uid, deskId: desk.row.id, now: this.parts.clock.now() });
		const guest = await this.parts.store.read.principal(uid);
		if (!guest) throw new Error("a guest just made is not there");
		return guest;
	}

	/** A key that is not revoked, and the desk of its account. Asked of the store each time: it opens what only an owner may do. */
	async ownKey(key: string): Promise<{ handle: string; uid: string; name: string; last4: string } | undefined> {
		if (key.length > LIMITS.idChars || !key.startsWith(KEY)) return undefined;
		return await this.parts.store.read.deskByKey(hashOf(key));
	}

	/** A new key: 256 random bits. */
	newKey(): string {
		return `${KEY}${Buffer.from(this.parts.random.bytes(32)).toString("base64url")}`;
	}
}
