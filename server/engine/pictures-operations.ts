/**
 * Pictures as they are written down: who sent one to which desk, how much room they take, and which have to go. The bytes are
 * a hand's; a row is there before anybody learns the picture's address, and goes after its bytes have gone.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS, type Limits } from "../../shared/limits.js";

/** What of a picture its readers need. */
export interface PictureRow {
	uid: string;
	mediaType: PictureType;
	bytes: number;
	width: number;
	height: number;
}

export type PictureType = "image/png" | "image/jpeg" | "image/webp";

/** A picture as its desk's owner sees it. */
export interface ListedPicture extends PictureRow {
	/** Public id of who sent it. */
	from: string;
	/** It stands in a conversation. */
	sent: boolean;
	at: number;
}

export type PictureLimits = Pick<Limits, "picturesPerGuestPerHour" | "picturesPerDesk" | "pictureBytesPerDesk">;

export interface KeepPictureInput extends PictureRow {
	deskId: number;
	principalId: number;
	guest: boolean;
	/** Pictures of a guest since then are counted. */
	since: number;
	limits: PictureLimits;
	now: number;
}
/** What a desk's pictures take up. */
export interface PictureRoom {
	pictures: number;
	bytes: number;
}
export interface KeepPictureRows {
	desk: PictureRoom;
	/** Pictures of this principal since `since`. */
	lately: number;
}

/** Throws `rate_limited` for a guest who sends too many, `unavailable` where the desk's room is full. */
export function checkRoom(rows: KeepPictureRows, input: { guest: boolean; bytes: number; limits: PictureLimits }): void {
	const { limits } = input;
	if (input.guest && rows.lately >= limits.picturesPerGuestPerHour) {
		throw new DeskError("rate_limited", "Too many pictures within an hour. Send more later.", { retryAfterSeconds: 600 });
	}
	if (rows.desk.pictures >= limits.picturesPerDesk || rows.desk.bytes + input.bytes > limits.pictureBytesPerDesk) {
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
	/** Of those that were marked before, the ones after this id; empty: all. */
	after: string;
	/** Rows of one slice. */
	limit: number;
}
/**
 * Marks those that have to go: never sent, or their conversation is gone. Answers them and those marked before whose bytes may still be there,
 * and after which id there may be more of the latter.
 */
export const decideDropPictures = (
	rows: { loose: string[]; marked: string[] },
	input: DropPicturesInput,
): { plan: string[]; answer: { gone: string[]; after: string } } => ({
	plan: rows.loose,
	answer: { gone: [...rows.marked, ...rows.loose], after: rows.marked.at(-1) ?? input.after },
});

/** Pictures that a desk's owner has done with: by their ids, or all that came within a time, `from` somebody or anybody. */
export interface RemovePicturesInput {
	deskId: number;
	uids: string[] | null;
	/** Public id of who sent them; null: whoever. */
	from: string | null;
	/** Milliseconds; `until` is not in it. */
	since: number;
	until: number;
	/** Rows of one slice. */
	limit: number;
}
/** Marks them, which ends them at once; their bytes go with the next tidying. */
export const decideRemovePictures = (
	rows: { uids: string[] },
	input: RemovePicturesInput,
): { plan: string[]; answer: { removed: number; more: boolean } } => ({
	plan: rows.uids,
	answer: { removed: rows.uids.length, more: rows.uids.length === input.limit },
});

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

/** Ids of the pictures of ours that a message names. Throws `invalid_params` for more than one message may carry. */
export function picturesOf(message: { parts: readonly { url?: string }[] }): string[] {
	const uids = new Set<string>();
	for (const { url } of message.parts) {
		const uid = url === undefined ? undefined : OURS.exec(url)?.[1];
		if (uid !== undefined) uids.add(uid);
	}
	if (uids.size > LIMITS.picturesPerMessage) {
		const description = `Give at most ${LIMITS.picturesPerMessage} pictures; send the others as another message.`;
		throw new DeskError("invalid_params", `message.parts: ${description}`, { violations: [{ field: "message.parts", description }] });
	}
	return [...uids];
}

/** By the names under which `operations.ts` lists them. */
export const pictureDecides = {
	keepPicture: decideKeepPicture,
	dropPictures: decideDropPictures,
	removePictures: decideRemovePictures,
	forgetPictures: decideForgetPictures,
};
