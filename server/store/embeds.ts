/**
 * Numbered embeds in SQL: what the operations of `engine/embeds-operations.ts` are shown, and how their plans are written.
 * The desk's row is held first: two embeds made at once get two numbers.
 */
import type { DeleteEmbedInput, SaveEmbedInput, SaveEmbedRows } from "../engine/embeds-operations.js";
import type { EmbedRow } from "../engine/reads.js";
import { holdDesk } from "./desks.js";
import { all, one, run, type Steps } from "./sql.js";

const EMBED =
	'number, mode, name, theme, accent, greeting, greeting_text as "greetingText", created_at as "createdAt", changed_at as "changedAt"';

/** Oldest first. */
export const loadEmbeds = (deskId: number): Steps<EmbedRow[]> =>
	all<EmbedRow>(`select ${EMBED} from embed where desk_id = ? order by number`, deskId);

export const loadEmbed = (deskId: number, number: number): Steps<EmbedRow | undefined> =>
	one<EmbedRow>(`select ${EMBED} from embed where desk_id = ? and number = ?`, deskId, number);

const saveEmbed = {
	*load({ deskId, number }: SaveEmbedInput): Steps<SaveEmbedRows> {
		const desk = yield* holdDesk(deskId);
		const kept = yield* one<{ n: number }>("select count(*) as n from embed where desk_id = ?", deskId);
		const embed = number === undefined ? undefined : yield* loadEmbed(deskId, number);
		return { last: desk?.lastEmbed ?? 0, count: kept?.n ?? 0, ...(embed ? { embed } : {}) };
	},
	*write({ deskId }: SaveEmbedInput, { embed }: SaveEmbedRows, row: EmbedRow): Steps<void> {
		// The number stays with the desk, whatever becomes of the embed: sites may carry it for ever.
		if (!embed) yield* run("update desk set last_embed = ? where id = ?", row.number, deskId);
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
		yield* holdDesk(deskId);
		const embed = yield* loadEmbed(deskId, number);
		return embed ? { embed } : {};
	},
	*write({ deskId }: DeleteEmbedInput, _rows: { embed?: EmbedRow }, plan: { number: number }): Steps<void> {
		yield* run("delete from embed where desk_id = ? and number = ?", deskId, plan.number);
	},
};

/** By the names under which `operations.ts` lists them. */
export const embedHalves = { saveEmbed, deleteEmbed };
