/**
 * Pictures as they are written down: who sent one to which desk, how much room they take, and which have to go. The bytes are
 * a hand's; a row is there before anybody learns the picture's address, and goes after its bytes have gone.
 */
import { DeskError } from "../../shared/errors.js";
import type { Limits } from "../../shared/limits.js";

/** What of a picture its readers need. */
export interface PictureRow {
	uid: string;
	mediaType: PictureType;
	bytes: number;
	width: number;
	height: number;
}

export type PictureType = "image/png" | "image/jpeg" | "image/webp";

export type PictureLimits = Pick<Limits, "picturesPerGuestPerHour" | "pictureBytesPerDesk">;

export interface KeepPictureInput extends PictureRow {
	deskId: number;
	principalId: number;
	guest: boolean;
	/** Pictures of a guest since then are counted. */
	since: number;
	limits: PictureLimits;
	now: number;
}
export interface KeepPictureRows {
	/** Bytes of all pictures of the desk. */
	deskBytes: number;
	/** Pictures of this principal since `since`. */
	lately: number;
}

/** Throws `rate_limited` for a guest who sends too many, `unavailable` where the desk's room is full. */
export function checkRoom(rows: KeepPictureRows, input: { guest: boolean; bytes: number; limits: PictureLimits }): void {
	if (input.guest && rows.lately >= input.limits.picturesPerGuestPerHour) {
		throw new DeskError("rate_limited", "Too many pictures within an hour. Send more later.", { retryAfterSeconds: 600 });
	}
	if (rows.deskBytes + input.bytes > input.limits.pictureBytesPerDesk) {
		throw new DeskError("unavailable", "This desk has no room for more pictures. Say it in words, or name the picture's address.", {
			retryAfterSeconds: 3_600,
		});
	}
}

export function decideKeepPicture(rows: KeepPictureRows, input: KeepPictureInput): { plan: KeepPictureInput; answer: null } {
	checkRoom(rows, input);
	return { plan: input, answer: null };
}

export interface DropPicturesInput {
	/** Pictures that nobody has sent by then are not going to be sent. */
	unsentBefore: number;
	/** Rows of one slice. */
	limit: number;
}
/** Marks those that have to go: never sent, or their conversation is gone. Answers them and those marked before whose bytes may still be there. */
export const decideDropPictures = (
	rows: { loose: string[]; marked: string[] },
	_input: DropPicturesInput,
): { plan: string[]; answer: { gone: string[] } } => ({ plan: rows.loose, answer: { gone: [...rows.marked, ...rows.loose] } });

export interface ForgetPicturesInput {
	uids: string[];
}
/** Their bytes have gone: now the rows. */
export const decideForgetPictures = (_rows: null, input: ForgetPicturesInput): { plan: string[]; answer: null } => ({
	plan: input.uids,
	answer: null,
});

/** A picture of ours in an address: `…/f/<id>`. Whose it is, the store knows. */
const OURS = /^https?:\/\/[^/?#]+\/f\/([\w-]{32})$/;

/** Ids of the pictures of ours that a message names. */
export function picturesOf(message: { parts: readonly { url?: string }[] }): string[] {
	const uids = new Set<string>();
	for (const { url } of message.parts) {
		const uid = url === undefined ? undefined : OURS.exec(url)?.[1];
		if (uid !== undefined) uids.add(uid);
	}
	return [...uids];
}

/** By the names under which `operations.ts` lists them. */
export const pictureDecides = {
	keepPicture: decideKeepPicture,
	dropPictures: decideDropPictures,
	forgetPictures: decideForgetPictures,
};
