/**
 * Numbered embeds in SQL: what the operations of `engine/embeds-operations.ts` are shown, and how their plans are written.
 * The desk's row is locked first: two embeds made at once get two numbers.
 */
import type { DeleteEmbedInput, SaveEmbedInput, SaveEmbedRows } from "../engine/embeds-operations.js";
import type { EmbedRow } from "../engine/reads.js";
import { all, one, run, type Steps } from "./sql.js";

const EMBED =
	'number, mode, name, theme, accent, greeting, greeting_text as "greetingText", created_at as "createdAt", changed_at as "changedAt"';

/** Those that are not deleted, oldest first. */
export const loadEmbeds = (deskId: number): Steps<EmbedRow[]> =>
	all<EmbedRow>(`select ${EMBED} from embed where desk_id = ? and deleted_at is null order by number`, deskId);

/** One that is not deleted. */
export const loadEmbed = (deskId: number, number: number): Steps<EmbedRow | undefined> =>
	one<EmbedRow>(`select ${EMBED} from embed where desk_id = ? and number = ? and deleted_at is null`, deskId, number);

const lock = (deskId: number): Steps<unknown> => one("select id from desk where id = ? {lock}", deskId);

const saveEmbed = {
	*load({ deskId, number }: SaveEmbedInput): Steps<SaveEmbedRows> {
		yield* lock(deskId);
		const given = yield* one<{ last: number | null; alive: number }>(
			"select max(number) as last, count(*) - count(deleted_at) as alive from embed where desk_id = ?",
			deskId,
		);
		const embed = number === undefined ? undefined : yield* loadEmbed(deskId, number);
		return { last: given?.last ?? 0, count: given?.alive ?? 0, ...(embed ? { embed } : {}) };
	},
	*write({ deskId }: SaveEmbedInput, _rows: SaveEmbedRows, row: EmbedRow): Steps<void> {
		yield* run(
			`insert into embed (desk_id, number, mode, name, theme, accent, greeting, greeting_text, created_at, changed_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			on conflict (desk_id, number) do update set name = excluded.name, theme = excluded.theme, accent = excluded.accent,
				greeting = excluded.greeting, greeting_text = excluded.greeting_text, changed_at = excluded.changed_at`,
			...[deskId, row.number, row.mode, row.name, row.theme, row.accent, row.greeting, row.greetingText, row.createdAt, row.changedAt],
		);
	},
};

const deleteEmbed = {
	*load({ deskId, number }: DeleteEmbedInput): Steps<{ embed?: EmbedRow }> {
		yield* lock(deskId);
		const embed = yield* loadEmbed(deskId, number);
		return embed ? { embed } : {};
	},
	*write({ deskId, now }: DeleteEmbedInput, _rows: { embed?: EmbedRow }, plan: { number: number }): Steps<void> {
		yield* run("update embed set deleted_at = ? where desk_id = ? and number = ?", now, deskId, plan.number);
	},
};

/** By the names under which `operations.ts` lists them. */
export const embedHalves = { saveEmbed, deleteEmbed };
