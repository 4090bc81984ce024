/** Questions asked by a link and their private links in SQL: load and write of `engine/follow-ups-operations.ts`. No rule stands here. */
import type {
	AskMoreInput,
	AskMorePlan,
	EndFollowUpInput,
	LinkRow,
	OpenAskInput,
	OpenAskPlan,
	OpenAskRows,
	PruneFollowUpsInput,
	PruneFollowUpsRows,
} from "../engine/follow-ups-operations.js";
import type { FollowUpView } from "../engine/reads.js";
import type { PrincipalRow } from "../engine/rows.js";
import { PRINCIPAL } from "./columns.js";
import { insertPrincipal } from "./conversations.js";
import { all, one, run, type Steps } from "./sql.js";

/** Links are guests': raising a guest's generation, which ends tokens, ends its links. */
const GOOD = "f.hash = ? and f.desk_id = ? and f.expires_at > ? and a.generation = 1 and coalesce(s.generation, 1) = 1";
const LINK_FROM = "follow_up f join principal a on a.id = f.first_id left join principal s on s.id = f.speaker_id";

/** A private link that is good; undefined for any other. */
export function* loadFollowUp(hash: string, deskId: number, now: number): Steps<FollowUpView | undefined> {
	const link = yield* one<{ firstId: number; speakerId: number | null; free: number }>(
		`select f.first_id as "firstId", f.speaker_id as "speakerId", f.free from ${LINK_FROM} where ${GOOD}`,
		...[hash, deskId, now],
	);
	if (!link) return undefined;
	const principal = (id: number) => one<PrincipalRow>(`select ${PRINCIPAL} from principal p where p.id = ?`, id);
	const first = yield* principal(link.firstId);
	const speaker = link.speakerId === null ? undefined : yield* principal(link.speakerId);
	return first && { first, speaker, free: link.free === 1 };
}

const openAsk = {
	*load(input: OpenAskInput): Steps<OpenAskRows> {
		const asked = yield* one<NonNullable<OpenAskRows["asked"]> & { generation: number }>(
			`select a.principal_id as "principalId", p.uid as "principalUid", p.generation, a.claimed, a.at from asked a join principal p on p.id = a.principal_id where a.hash = ? {lock of a}`,
			input.hash,
		);
		if (!asked) return { stale: false };
		const { generation, ...row } = asked;
		return generation === 1 ? { asked: row, stale: false } : { stale: true };
	},
	*write(input: OpenAskInput, _rows: OpenAskRows, plan: OpenAskPlan): Steps<void> {
		let firstId = plan.firstId;
		if (plan.guest) {
			firstId = yield* insertPrincipal(plan.guest);
			if (plan.known) yield* run("update asked set principal_id = ?, claimed = 0, at = ? where hash = ?", firstId, input.now, input.hash);
			else yield* run("insert into asked (hash, principal_id, claimed, at) values (?, ?, 0, ?)", input.hash, firstId, input.now);
		}
		yield* run(
			"insert into follow_up (hash, desk_id, first_id, speaker_id, free, expires_at, created_at) values (?, ?, ?, null, ?, ?, ?)",
			...[input.linkHash, input.deskId, firstId, plan.free ? 1 : 0, plan.expiresAt, input.now],
		);
	},
};

const askMore = {
	*load(input: AskMoreInput): Steps<{ link?: LinkRow }> {
		// First the question, then its links: whoever makes another link at this moment holds the question.
		yield* all(
			"select hash from asked where principal_id = (select first_id from follow_up where hash = ?) order by hash {lock}",
			input.linkHash,
		);
		yield* all(
			"select hash from follow_up where first_id = (select first_id from follow_up where hash = ?) order by hash {lock}",
			input.linkHash,
		);
		const link = yield* one<LinkRow>(
			`select f.first_id as "firstId", a.uid as "firstUid", s.uid as "speakerUid", f.free from ${LINK_FROM} where ${GOOD}`,
			...[input.linkHash, input.deskId, input.now],
		);
		return { link };
	},
	*write(input: AskMoreInput, _rows: unknown, plan: AskMorePlan): Steps<void> {
		yield* run("update follow_up set expires_at = ? where hash = ?", plan.expiresAt, input.linkHash);
		if (plan.speaker === "keep") return;
		if (plan.speaker === "take") {
			yield* run("update asked set claimed = 1 where principal_id = ?", plan.firstId);
			yield* run("update follow_up set free = 0 where first_id = ?", plan.firstId);
			yield* run("update follow_up set speaker_id = ? where hash = ?", plan.firstId, input.linkHash);
			return;
		}
		const speakerId = yield* insertPrincipal(plan.speaker);
		yield* run("update follow_up set speaker_id = ? where hash = ?", speakerId, input.linkHash);
	},
};

const endFollowUp = {
	*load(): Steps<null> {
		return null;
	},
	*write(input: EndFollowUpInput): Steps<void> {
		yield* run("delete from follow_up where hash = ? and desk_id = ?", input.linkHash, input.deskId);
	},
};

const pruneFollowUps = {
	*load(input: PruneFollowUpsInput): Steps<PruneFollowUpsRows> {
		const links = yield* all<{ hash: string }>(
			"select hash from follow_up where expires_at <= ? order by expires_at, hash limit ?",
			...[input.now, input.limit],
		);
		const asked = yield* all<{ hash: string }>(
			"select hash from asked where at <= ? order by at, hash limit ?",
			input.askedBefore,
			input.limit,
		);
		return { links: links.map((r) => r.hash), asked: asked.map((r) => r.hash) };
	},
	*write(_input: PruneFollowUpsInput, _rows: unknown, plan: PruneFollowUpsRows): Steps<void> {
		for (const hash of plan.links) yield* run("delete from follow_up where hash = ?", hash);
		for (const hash of plan.asked) yield* run("delete from asked where hash = ?", hash);
	},
};

/** By the names under which `operations.ts` lists them. */
export const followUpHalves = { openAsk, askMore, endFollowUp, pruneFollowUps };
