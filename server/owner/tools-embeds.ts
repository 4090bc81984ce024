/** The tools about numbered embeds (EMB-2): made, changed, listed, deleted, each with the line to paste. */
import { tagLine } from "../../shared/embed.js";
import { EMBED_TOOLS } from "../../shared/tools.schema.js";
import type { EmbedRow } from "../engine/reads.js";
import { runs, type ToolCall, type ToolTable, timeOf } from "./tools-run.js";

/** What a website's owner pastes: the handle and the number, nothing of the look. */
export const codeOf = (publicUrl: string, handle: string, number: number): string => tagLine(publicUrl, { handle, embed: String(number) });

const shown = ({ desk, publicUrl }: ToolCall, row: EmbedRow) => ({
	id: row.number,
	mode: row.mode,
	name: row.name,
	theme: row.theme,
	accent: row.accent,
	greeting: row.greeting === 1,
	greeting_text: row.greetingText,
	code: codeOf(publicUrl, desk.row.handle, row.number),
	created_at: timeOf(row.createdAt),
	changed_at: timeOf(row.changedAt),
});

export const embedTools: ToolTable = {
	eol_list_embeds: runs(EMBED_TOOLS.eol_list_embeds, async (call) => ({
		embeds: (await call.owner.embeds(call.desk.row.handle)).map((row) => shown(call, row)),
	})),
	eol_save_embed: runs(EMBED_TOOLS.eol_save_embed, async (call, { id, accent, greeting_text: greetingText, ...rest }) => {
		const change = {
			...rest,
			...(accent === undefined ? {} : { accent: accent ?? "" }),
			...(greetingText === undefined ? {} : { greetingText }),
		};
		return { embed: shown(call, await call.owner.saveEmbed(call.desk.row.handle, change, id)) };
	}),
	eol_delete_embed: runs(EMBED_TOOLS.eol_delete_embed, async ({ owner, desk }, { id }) => {
		await owner.deleteEmbed(desk.row.handle, id);
		return { deleted: id };
	}),
};
