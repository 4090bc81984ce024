/** Pictures in SQL: load and write of `engine/pictures-operations.ts`. No rule stands here. */
import type {
	DropPicturesInput,
	ForgetPicturesInput,
	KeepPictureInput,
	KeepPictureRows,
	ListedPicture,
	PictureRoom,
	PictureRow,
	RemovePicturesInput,
} from "../engine/pictures-operations.js";
import { all, one, run, type Steps } from "./sql.js";

/** How much room a desk's pictures take, and how many a principal has sent since. Their rows are not read: `picture_by_desk` has both. */
export function* loadRoom(deskId: number, principalId: number, since: number): Steps<KeepPictureRows> {
	const desk = yield* one<{ pictures: number; bytes: number }>(
		"select count(*) as pictures, cast(coalesce(sum(bytes), 0) as bigint) as bytes from picture where desk_id = ?",
		deskId,
	);
	const theirs = yield* one<{ count: number }>(
		"select count(*) as count from picture where principal_id = ? and created_at > ?",
		principalId,
		since,
	);
	const room: PictureRoom = { pictures: Number(desk?.pictures ?? 0), bytes: Number(desk?.bytes ?? 0) };
	return { desk: room, lately: Number(theirs?.count ?? 0) };
}

/** Those of a desk that have not gone, the newest first. */
export function* loadDeskPictures(deskId: number, limit: number): Steps<ListedPicture[]> {
	const rows = yield* all<Omit<ListedPicture, "sent"> & { sent: number }>(
		'select p.uid, p.media_type as "mediaType", p.bytes, p.width, p.height, g.uid as "from", p.sent, p.created_at as at from picture p join principal g on g.id = p.principal_id where p.desk_id = ? and p.gone = 0 order by p.created_at desc, p.uid limit ?',
		deskId,
		limit,
	);
	return rows.map((row) => ({ ...row, sent: row.sent === 1 }));
}

/** One that may be shown: not yet sent, or sent in a conversation that is there. */
export const loadPicture = (uid: string): Steps<PictureRow | undefined> =>
	one<PictureRow>(
		'select uid, media_type as "mediaType", bytes, width, height from picture where uid = ? and gone = 0 and (sent = 0 or conversation_id is not null)',
		uid,
	);

/** Those of a message, put into its conversation: the sender's own that are in none yet. */
export function* attachPictures(
	uids: readonly string[],
	place: { principalId: number; deskId: number; conversationId: number },
): Steps<void> {
	for (const uid of uids) {
		yield* run(
			"update picture set conversation_id = ?, sent = 1 where uid = ? and principal_id = ? and desk_id = ? and sent = 0 and gone = 0",
			place.conversationId,
			uid,
			place.principalId,
			place.deskId,
		);
	}
}

const keepPicture = {
	load: (input: KeepPictureInput): Steps<KeepPictureRows> => loadRoom(input.deskId, input.principalId, input.since),
	*write(_input: KeepPictureInput, _rows: KeepPictureRows, plan: KeepPictureInput): Steps<void> {
		yield* run(
			"insert into picture (uid, desk_id, principal_id, media_type, bytes, width, height, created_at) values (?, ?, ?, ?, ?, ?, ?, ?)",
			...[plan.uid, plan.deskId, plan.principalId, plan.mediaType, plan.bytes, plan.width, plan.height, plan.now],
		);
	},
};

const dropPictures = {
	*load(input: DropPicturesInput): Steps<{ loose: string[]; marked: string[] }> {
		const marked = yield* all<{ uid: string }>(
			"select uid from picture where gone = 1 and uid > ? order by uid limit ?",
			input.after,
			input.limit,
		);
		const loose = yield* all<{ uid: string }>(
			"select uid from picture where conversation_id is null and gone = 0 and (sent = 1 or (sent = 0 and created_at < ?)) limit ? {lock}",
			input.unsentBefore,
			input.limit,
		);
		return { loose: loose.map((r) => r.uid), marked: marked.map((r) => r.uid) };
	},
	*write(_input: DropPicturesInput, _rows: unknown, plan: string[]): Steps<void> {
		for (const uid of plan) yield* run("update picture set gone = 1 where uid = ?", uid);
	},
};

const removePictures = {
	*load(input: RemovePicturesInput): Steps<{ uids: string[] }> {
		const found: string[] = [];
		for (const uid of input.uids ?? []) {
			const row = yield* one<{ uid: string }>("select uid from picture where uid = ? and desk_id = ? and gone = 0", uid, input.deskId);
			if (row) found.push(row.uid);
		}
		if (input.uids) return { uids: found };
		const rows = yield* all<{ uid: string }>(
			`select uid from picture where desk_id = ? and gone = 0 and created_at >= ? and created_at < ?${input.from === null ? "" : " and principal_id = (select id from principal where uid = ?)"} order by uid limit ?`,
			...[input.deskId, input.since, input.until, ...(input.from === null ? [] : [input.from]), input.limit],
		);
		return { uids: rows.map((r) => r.uid) };
	},
	*write(_input: RemovePicturesInput, _rows: unknown, plan: string[]): Steps<void> {
		for (const uid of plan) yield* run("update picture set gone = 1 where uid = ?", uid);
	},
};

const forgetPictures = {
	*load(): Steps<null> {
		return null;
	},
	*write(_input: ForgetPicturesInput, _rows: null, plan: string[]): Steps<void> {
		for (const uid of plan) yield* run("delete from picture where uid = ? and gone = 1", uid);
	},
};

/** By the names under which `operations.ts` lists them. */
export const pictureHalves = { keepPicture, dropPictures, removePictures, forgetPictures };
