/**
 * The desk's row, held. Whatever decides what may be done at a desk (its preset and apps, its sites, its embeds, whether it takes guests)
 * is judged and written with this row held, so that on PostgreSQL such changes, and the calls that they allow, come one after the other.
 */
import { one, type Steps } from "./sql.js";

export interface HeldDesk {
	preset: string;
	apps: string;
	settings: string;
	/** The greatest number ever given to an embed; 0 for none. */
	lastEmbed: number;
}

/** Asked first in a load, after a conversation's row and before anything that is judged by it. */
export const holdDesk = (deskId: number): Steps<HeldDesk | undefined> =>
	one<HeldDesk>('select preset, apps, settings, last_embed as "lastEmbed" from desk where id = ? {lock}', deskId);
