/**
 * Pictures that visitors send: taken in, made anew so that nothing of the file that came is left, kept, found by their address,
 * and cleaned away. An address is 192 random bits: it stands in the conversation and nowhere else, so whoever holds it was given
 * it by one of its two sides. It ends with the conversation, or when the desk's owner has done with it.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { Desk, EngineParts } from "./engine.js";
import {
	checkRoom,
	type ListedPicture,
	type PictureLimits,
	type PictureRoom,
	type PictureRow,
	type PictureType,
} from "./pictures-operations.js";
import type { Clock, PictureFile, PictureHand, PictureOrigin, Random, Store } from "./ports.js";
import type { PrincipalRow } from "./rows.js";

const HOUR_MS = 60 * 60 * 1000;
/** Pictures that are cleaned away at a time, and marked at a time. */
const SLICE = 50;
const MARKED = 500;
const ID_BYTES = 24;
const ID = /^[\w-]{32}$/;

/** Which of a desk's pictures: one of these, or all of a time (milliseconds), of a guest or of everybody. */
export type PictureChoice = { uids: string[] } | { from?: string; since: number; until: number };

export interface PicturesDoor {
	/**
	 * Has one made anew and keeps it. Throws `content_type_not_supported`, `too_large`, `invalid_params`, `deadline_exceeded`, `rate_limited`,
	 * `unavailable`, and has then kept nothing.
	 */
	take(principal: PrincipalRow, desk: Desk, bytes: Uint8Array, origin: PictureOrigin): Promise<PictureRow>;
	/** Throws what `take` would throw whatever the picture is: asked before it is uploaded. */
	mayTake(principal: PrincipalRow, desk: Desk): Promise<void>;
	/** One by its id; undefined where there is none (any more). */
	open(uid: string): Promise<{ row: PictureRow; file: PictureFile } | undefined>;
	/** For the desk's owner: how much room its pictures take, and the newest of them. */
	list(handle: string): Promise<{ room: PictureRoom; newest: ListedPicture[] }>;
	/** For the desk's owner: they are gone for everybody when this resolves. Returns how many. */
	remove(handle: string, choice: PictureChoice): Promise<number>;
}

/** Where a server has no place for them. */
export const NO_PICTURES: PictureHand = {
	async make() {
		throw new DeskError("unavailable", "This server takes no pictures. Say it in words.");
	},
	put: async () => undefined,
	open: async () => undefined,
	remove: async () => undefined,
};

interface PicturesParts {
	store: Store;
	clock: Clock;
	random: Random;
	log: EngineParts["log"];
	hand: PictureHand;
	limits: PictureLimits;
	/** Throws `not_found`. */
	deskAt(handle: string): Promise<Desk>;
}

const takesPictures = (desk: Desk): void => {
	if (desk.settings.parts !== "all") throw new DeskError("content_type_not_supported", "This desk takes no pictures. Say it in words.");
};

export class Pictures implements PicturesDoor {
	constructor(private readonly parts: PicturesParts) {}

	async mayTake(principal: PrincipalRow, desk: Desk): Promise<void> {
		takesPictures(desk);
		const { store, clock, limits } = this.parts;
		const rows = await store.read.pictureRoom(desk.row.id, principal.id, clock.now() - HOUR_MS);
		checkRoom(rows, { guest: principal.kind === "guest", bytes: 0, limits });
	}

	async take(principal: PrincipalRow, desk: Desk, bytes: Uint8Array, origin: PictureOrigin): Promise<PictureRow> {
		takesPictures(desk);
		const { store, clock, random, hand, limits } = this.parts;
		const made = await hand.make(bytes, origin);
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
		try {
			await hand.put(row.uid, made.bytes);
		} catch (error) {
			// What cannot be undone now goes with the other unsent ones.
			await this.undo(desk, row.uid).catch(() => undefined);
			throw error;
		}
		return row;
	}

	private async undo(desk: Desk, uid: string): Promise<void> {
		const { store } = this.parts;
		await store.write("removePictures", { deskId: desk.row.id, uids: [uid], from: null, since: 0, until: 0, limit: 1 });
		await store.write("forgetPictures", { uids: [uid] });
	}

	async open(uid: string): Promise<{ row: PictureRow; file: PictureFile } | undefined> {
		const row = ID.test(uid) ? await this.parts.store.read.picture(uid) : undefined;
		const file = row && (await this.parts.hand.open(uid));
		return row && file && { row, file };
	}

	async list(handle: string): Promise<{ room: PictureRoom; newest: ListedPicture[] }> {
		const desk = await this.parts.deskAt(handle);
		const { read } = this.parts.store;
		const { desk: room } = await read.pictureRoom(desk.row.id, 0, 0);
		return { room, newest: await read.deskPictures(desk.row.id, LIMITS.listedPictures) };
	}

	async remove(handle: string, choice: PictureChoice): Promise<number> {
		const desk = await this.parts.deskAt(handle);
		const { store } = this.parts;
		const which = "uids" in choice ? { uids: choice.uids, from: null, since: 0, until: 0 } : { uids: null, from: null, ...choice };
		let removed = 0;
		for (let more = true; more; ) {
			const marked = await store.write("removePictures", { deskId: desk.row.id, ...which, limit: MARKED });
			removed += marked.removed;
			more = marked.more;
		}
		await this.tidy();
		return removed;
	}

	/** Cleans away what was never sent, what belonged to a conversation that is gone, and what an owner has done with. What cannot be removed from the disk is tried again next time. */
	async tidy(): Promise<void> {
		const { store, clock, hand, log } = this.parts;
		const unsentBefore = clock.now() - LIMITS.pictureUnsentMs;
		const failed = new Map<string, unknown>();
		for (let after = ""; ; ) {
			const slice = await store.write("dropPictures", { unsentBefore, after, limit: SLICE });
			if (slice.gone.length === 0) break;
			after = slice.after;
			const removed: string[] = [];
			for (const uid of slice.gone) {
				try {
					await hand.remove(uid);
					removed.push(uid);
				} catch (error) {
					failed.set(uid, error);
				}
			}
			if (removed.length > 0) await store.write("forgetPictures", { uids: removed });
		}
		const [why] = failed.values();
		if (failed.size > 0)
			log("error", { err: why, pictures: failed.size }, "pictures could not be removed from the disk; it is tried again");
	}
}
