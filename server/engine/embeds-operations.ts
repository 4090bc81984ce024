/**
 * Numbered embeds (EMB-2): each code snippet that an owner pastes is one, and its look lives here, so that a change shows on
 * the site with nothing pasted again. Numbers count up a desk and are never given twice: a site that still carries a deleted one
 * shows nothing, and not somebody's next. Judged inside the transaction, like everything that writes.
 */
import { GREETING_CHARS, isAccent, MODES, type Mode, THEMES, type Theme } from "../../shared/embed.js";
import { DeskError, type FieldViolation } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { isVisible } from "../../shared/names.js";
import type { EmbedRow } from "./reads.js";

/** What an owner may say of an embed; what is not given stays, or gets its default where the embed is new. */
export interface EmbedChange {
	/** One of MODES. Needed for a new embed; of one that is there it may only be said again. */
	mode?: string;
	name?: string;
	/** One of THEMES; `auto` unless given. */
	theme?: string;
	/** `#rgb` or `#rrggbb`; empty: none. */
	accent?: string;
	/** Whether the agent greets; off, unless a new embed comes with words of its own. */
	greeting?: boolean;
	/** A line of plain text; empty: the usual words. */
	greetingText?: string;
}

export interface SaveEmbedInput {
	deskId: number;
	/** Absent: a new one is made. */
	number?: number;
	change: EmbedChange;
	now: number;
}
export interface SaveEmbedRows {
	/** The greatest number ever given at this desk, deleted ones too; 0 for none. */
	last: number;
	/** How many there are. */
	count: number;
	/** The one that is to change. */
	embed?: EmbedRow;
}

/** A character that is no plain text: a line of its own, or what a terminal or a page would obey. */
const UNPLAIN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

function violationsOf({ mode, name, theme, accent, greetingText }: EmbedChange): FieldViolation[] {
	const violations: FieldViolation[] = [];
	const wrong = (field: string, description: string): void => void violations.push({ field, description });
	if (mode !== undefined && !MODES.some((m) => m === mode)) wrong("mode", `Give one of: ${MODES.join(", ")}.`);
	if (name !== undefined && (name.length > LIMITS.embedNameChars || UNPLAIN.test(name)))
		wrong("name", `Give at most ${LIMITS.embedNameChars} characters on one line.`);
	else if (name !== undefined && name.trim() !== "" && !isVisible(name))
		wrong("name", "Give a name of which a character can be seen, or nothing for none.");
	if (theme !== undefined && !THEMES.some((t) => t === theme)) wrong("theme", `Give one of: ${THEMES.join(", ")}.`);
	if (accent !== undefined && accent !== "" && !isAccent(accent)) wrong("accent", "Give a colour such as #2563eb, or nothing for none.");
	if (greetingText !== undefined && (greetingText.length > GREETING_CHARS || UNPLAIN.test(greetingText)))
		wrong("greeting_text", `Give one line of plain text, at most ${GREETING_CHARS} characters.`);
	return violations;
}

const refuse = (violations: FieldViolation[]): never => {
	throw new DeskError("invalid_params", "This embed cannot be saved; see the fields named.", { violations });
};

/** A greeting stands beside the face in the page's corner (EMB-9), and only these have one. */
const GREETERS: readonly string[] = ["floating", "pet"] satisfies Mode[];

/** Refuses a greeting that would never show. One that is off or empty is none. */
function refuseUnseenGreeting(mode: string, { greeting, greetingText }: EmbedChange): void {
	if (GREETERS.includes(mode)) return;
	const description = `A greeting shows beside a ${GREETERS.join(" or ")} embed only, and this one is ${mode}. Leave the greeting out.`;
	if (greeting) refuse([{ field: "greeting", description }]);
	if (greetingText?.trim()) refuse([{ field: "greeting_text", description }]);
}

/** Makes an embed, or changes one. Throws `invalid_params` naming each field that is wrong, `not_found` for a number that is none (any more). */
export function decideSaveEmbed(rows: SaveEmbedRows, input: SaveEmbedInput): { plan: EmbedRow; answer: EmbedRow } {
	const { change, now, number } = input;
	const violations = violationsOf(change);
	if (violations.length > 0) refuse(violations);
	if (number === undefined) {
		if (change.mode === undefined) refuse([{ field: "mode", description: `Say which the new embed is: ${MODES.join(", ")}.` }]);
		refuseUnseenGreeting(change.mode as string, change);
		if (rows.count >= LIMITS.embeds)
			throw new DeskError("invalid_params", `A desk has at most ${LIMITS.embeds} embeds. Delete one that no site carries any more.`);
		const fresh = {
			mode: change.mode as Mode,
			name: "",
			theme: "auto",
			accent: null,
			greeting: change.greetingText ? 1 : 0,
			greetingText: "",
		};
		const row = { ...changed({ ...fresh, number: rows.last + 1, createdAt: now, changedAt: now } as EmbedRow, change), changedAt: now };
		return { plan: row, answer: row };
	}
	const { embed } = rows;
	if (!embed) throw noEmbed(number);
	if (change.mode !== undefined && change.mode !== embed.mode)
		refuse([
			{
				field: "mode",
				description: `Embed ${number} is ${embed.mode}, which is fixed: each type is pasted differently. Make a new embed.`,
			},
		]);
	refuseUnseenGreeting(embed.mode, change);
	const row = { ...changed(embed, change), changedAt: now };
	return { plan: row, answer: row };
}

const changed = (row: EmbedRow, { name, theme, accent, greeting, greetingText }: EmbedChange): EmbedRow => ({
	...row,
	...(name === undefined ? {} : { name: name.trim() }),
	...(theme === undefined ? {} : { theme: theme as Theme }),
	...(accent === undefined ? {} : { accent: accent === "" ? null : accent.toLowerCase() }),
	...(greeting === undefined ? {} : { greeting: greeting ? 1 : 0 }),
	...(greetingText === undefined ? {} : { greetingText: greetingText.trim() }),
});

const noEmbed = (number: number): DeskError => new DeskError("not_found", `There is no embed ${number} at this desk (any more).`);

export interface DeleteEmbedInput {
	deskId: number;
	number: number;
	now: number;
}
/** Throws `not_found` for a number that is none, or deleted already. */
export function decideDeleteEmbed(rows: { embed?: EmbedRow }, input: DeleteEmbedInput): { plan: { number: number }; answer: null } {
	if (!rows.embed) throw noEmbed(input.number);
	return { plan: { number: rows.embed.number }, answer: null };
}

/** By the names under which `operations.ts` lists them. */
export const embedDecides = { saveEmbed: decideSaveEmbed, deleteEmbed: decideDeleteEmbed };
