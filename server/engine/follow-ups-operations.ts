/**
 * What is written about questions asked by a link (LINK-3), judged inside the transaction.
 *
 * An address may be opened twice: by a reload, a retry, a scanner of mail, a second person who was given the same link. So the
 * same words to the same desk within a while are one question of one guest. Each opening gets a private link of its
 * own, since nobody can tell whose it is: all of them read that first question and its answer, and the first link that is used to
 * ask more takes the conversation for itself. Whoever holds another one and asks more begins a conversation of their own.
 */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import type { PrincipalRow } from "./rows.js";

export interface OpenAskInput {
	deskId: number;
	/** Of the desk and the question's words. */
	hash: string;
	/** For the guest that this may make. */
	guestUid: string;
	/** Of the private link that goes with the answer. */
	linkHash: string;
	now: number;
}
export interface OpenAskRows {
	/** The last time that these words were asked here, by a guest who was not revoked since. */
	asked?: { principalId: number; principalUid: string; claimed: number; at: number };
	/** A row of a guest who was. */
	stale: boolean;
}
export interface OpenAskPlan {
	/** Who asks; null: the one who asked before. */
	guest: Omit<PrincipalRow, "id"> | null;
	/** Of the one who asked before. */
	firstId: number | null;
	/** There is a row for these words already. */
	known: boolean;
	/** The link may still take the conversation. */
	free: boolean;
	expiresAt: number;
}

/** Finds who asks a question, or makes them, and makes a private link. */
export function decideOpenAsk(rows: OpenAskRows, input: OpenAskInput): { plan: OpenAskPlan; answer: { guestUid: string; free: boolean } } {
	const { asked } = rows;
	const expiresAt = input.now + LIMITS.followUpMs;
	const known = asked !== undefined || rows.stale;
	if (asked && asked.at + LIMITS.askRepeatMs > input.now) {
		const free = asked.claimed === 0;
		const plan = { guest: null, firstId: asked.principalId, known, free, expiresAt };
		return { plan, answer: { guestUid: asked.principalUid, free } };
	}
	return {
		plan: { guest: newGuest(input), firstId: null, known, free: true, expiresAt },
		answer: { guestUid: input.guestUid, free: true },
	};
}

export interface AskMoreInput {
	deskId: number;
	linkHash: string;
	/** For the guest that this may make. */
	guestUid: string;
	now: number;
}
export interface LinkRow {
	firstId: number;
	firstUid: string;
	speakerUid: string | null;
	free: number;
}
export interface AskMorePlan {
	firstId: number;
	/** `keep`: it has spoken before. `take`: the first conversation is its own from now on. Else a guest of its own. */
	speaker: "keep" | "take" | Omit<PrincipalRow, "id">;
	expiresAt: number;
}

/** As whom a link asks more. Its time begins anew. Throws `not_found` for one that is ended, has run out, or is another desk's. */
export function decideAskMore(rows: { link?: LinkRow }, input: AskMoreInput): { plan: AskMorePlan; answer: { speakerUid: string } } {
	const { link } = rows;
	if (!link) throw new DeskError("not_found", "This private link has ended. Ask again to get another.");
	const { firstId } = link;
	const expiresAt = input.now + LIMITS.followUpMs;
	if (link.speakerUid !== null) return { plan: { firstId, speaker: "keep", expiresAt }, answer: { speakerUid: link.speakerUid } };
	if (link.free === 1) return { plan: { firstId, speaker: "take", expiresAt }, answer: { speakerUid: link.firstUid } };
	return { plan: { firstId, speaker: newGuest(input), expiresAt }, answer: { speakerUid: input.guestUid } };
}

export interface EndFollowUpInput {
	deskId: number;
	linkHash: string;
}
/** Whoever holds a link may end it. One that is not there (any more) is ended already. */
export const decideEndFollowUp = (_rows: null, input: EndFollowUpInput): { plan: EndFollowUpInput; answer: null } => ({
	plan: input,
	answer: null,
});

export interface PruneFollowUpsInput {
	now: number;
	/** Questions asked until then are forgotten. */
	askedBefore: number;
	/** Rows of one slice: no operation runs over 5 ms. */
	limit: number;
}
export interface PruneFollowUpsRows {
	/** Hashes of links that have run out, and of questions that may be asked anew. */
	links: string[];
	asked: string[];
}
/** Forgets links that have run out and questions asked long ago, a slice at a time. `more`: another slice is waiting. */
export const decidePruneFollowUps = (
	rows: PruneFollowUpsRows,
	input: PruneFollowUpsInput,
): { plan: PruneFollowUpsRows; answer: { pruned: number; more: boolean } } => ({
	plan: rows,
	answer: { pruned: rows.links.length + rows.asked.length, more: rows.links.length === input.limit || rows.asked.length === input.limit },
});

const newGuest = (input: { guestUid: string; deskId: number; now: number }): Omit<PrincipalRow, "id"> => ({
	uid: input.guestUid,
	kind: "guest",
	deskId: input.deskId,
	generation: 1,
	name: "",
	seenAt: input.now,
	createdAt: input.now,
});

/** By the names under which `operations.ts` lists them. */
export const followUpDecides = {
	openAsk: decideOpenAsk,
	askMore: decideAskMore,
	endFollowUp: decideEndFollowUp,
	pruneFollowUps: decidePruneFollowUps,
};
