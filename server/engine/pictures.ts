/**
 * Pictures that visitors send: taken in, made anew so that nothing of the file that came is left, kept, found by their address,
 * and cleaned away. An address is 192 random bits: it stands in the conversation and nowhere else, so whoever holds it was given
 * it by one of its two sides. It ends with the conversation.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Desk } from "./engine.js";
import { checkRoom, type PictureRow, type PictureType } from "./pictures-operations.js";
import type { Clock, PictureHand, Random, Store } from "./ports.js";
import type { PrincipalRow } from "./rows.js";

const HOUR_MS = 60 * 60 * 1000;
/** Pictures that are cleaned away at a time. */
const SLICE = 50;
const ID_BYTES = 24;
const ID = /^[\w-]{32}$/;

export interface PicturesDoor {
	/** Judges, makes anew and keeps one. Throws `content_type_not_supported`, `too_large`, `invalid_params`, `rate_limited`, `unavailable`. */
	take(principal: PrincipalRow, desk: Desk, bytes: Uint8Array, said: string | undefined): Promise<PictureRow>;
	/** Throws what `take` would throw whatever the picture is: asked before it is uploaded. */
	mayTake(principal: PrincipalRow, desk: Desk): Promise<void>;
	/** One by its id, with its bytes; undefined where there is none (any more). */
	open(uid: string): Promise<{ row: PictureRow; bytes: Uint8Array } | undefined>;
}

/** Where a server has no place for them. */
export const NO_PICTURES: PictureHand = {
	async make() {
		throw new DeskError("unavailable", "This server takes no pictures. Say it in words.");
	},
	put: async () => undefined,
	get: async () => undefined,
	remove: async () => undefined,
};

interface PicturesParts {
	store: Store;
	clock: Clock;
	random: Random;
	hand: PictureHand;
	limits: { picturesPerGuestPerHour: number; pictureBytesPerDesk: number };
}

export class Pictures implements PicturesDoor {
	constructor(private readonly parts: PicturesParts) {}

	async mayTake(principal: PrincipalRow, desk: Desk): Promise<void> {
		if (desk.settings.parts !== "all") throw new DeskError("content_type_not_supported", "This desk takes no pictures. Say it in words.");
		const { store, clock, limits } = this.parts;
		const rows = await store.read.pictureRoom(desk.row.id, principal.id, clock.now() - HOUR_MS);
		checkRoom(rows, { guest: principal.kind === "guest", bytes: 0, limits });
	}

	async take(principal: PrincipalRow, desk: Desk, bytes: Uint8Array, said: string | undefined): Promise<PictureRow> {
		await this.mayTake(principal, desk);
		const { store, clock, random, hand, limits } = this.parts;
		const made = await hand.make(bytes, said);
		const row: PictureRow = {
			uid: Buffer.from(random.bytes(ID_BYTES)).toString("base64url"),
			mediaType: made.mediaType as PictureType,
			bytes: made.bytes.byteLength,
			width: made.width,
			height: made.height,
		};
		const now = clock.now();
		const about = { deskId: desk.row.id, principalId: principal.id, guest: principal.kind === "guest", since: now - HOUR_MS, limits, now };
		// The row first: bytes that no row knows would lie there for ever.
		await store.write("keepPicture", { ...row, ...about });
		await hand.put(row.uid, made.bytes);
		return row;
	}

	async open(uid: string): Promise<{ row: PictureRow; bytes: Uint8Array } | undefined> {
		const row = ID.test(uid) ? await this.parts.store.read.picture(uid) : undefined;
		const bytes = row && (await this.parts.hand.get(uid));
		return row && bytes && { row, bytes };
	}

	/** Cleans away what was never sent and what belonged to a conversation that is gone. */
	async tidy(): Promise<void> {
		const { store, clock, hand } = this.parts;
		for (;;) {
			const { gone } = await store.write("dropPictures", { unsentBefore: clock.now() - LIMITS.pictureUnsentMs, limit: SLICE });
			if (gone.length === 0) return;
			for (const uid of gone) await hand.remove(uid);
			await store.write("forgetPictures", { uids: gone });
		}
	}
}
