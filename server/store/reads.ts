/**
 * Everything that is read, once for both databases. A read that asks more than one question sees one point in time: the driver
 * runs it inside one transaction. Reads for a caller name the caller in the question itself.
 */
import { LIMITS } from "../../shared/limits.js";
import { isTerminal } from "../../shared/task-states.js";
import type { MemoryFile, StoredEvent } from "../engine/ports.js";
import type { ConversationView, GapRow, KeyRow, Reads, TaskPage, TaskPageQuery, TaskView, TurnView } from "../engine/reads.js";
import type { ConversationRow, DeskRow, ParticipantRow, PrincipalRow, TaskRow } from "../engine/rows.js";
import { loadCalls } from "./apps.js";
import { CONVERSATION, DESK, DESK_FROM, EVENT, EVENT_FROM, OPEN_STATES, PARTICIPANT, PRINCIPAL, TASK, TASK_FROM } from "./columns.js";
import { loadEmbed, loadEmbeds } from "./embeds.js";
import { loadFollowUp } from "./follow-ups.js";
import { loadLastNotice, loadNotices } from "./notices.js";
import { loadDeskPictures, loadPicture, loadRoom } from "./pictures.js";
import { loadApprovals, loadConnections } from "./presets.js";
import { loadRatedAnswers, loadRatings } from "./ratings.js";
import { loadOverflow, loadRecentSites, loadRules } from "./sites.js";
import { all, one, type SqlValue, type Steps } from "./sql.js";

// Texts stand here whole: one put together at each call would cost more to look up among the prepared than its statement takes.
const ONE_TASK = `select ${TASK}, c.seq from ${TASK_FROM} where t.uid = ? and t.caller_id = ? and t.desk_id = ? and t.hidden = 0`;
const SHOWN_OPEN_TASKS_OF = `select ${TASK} from ${TASK_FROM} where t.conversation_id = ? and t.hidden = 0 and t.state in ${OPEN_STATES} order by t.id`;
const PARTICIPANTS_OF = `select ${PARTICIPANT} from participant where conversation_id = ?`;
// Sizes first: a page is bounded by bytes, and what does not fit must not be read on the event loop to find that out.
const SIZES_AFTER = "select seq, octet_length(body) as bytes from event where conversation_id = ? and seq > ? order by seq limit ?";
const EVENTS_AMONG = `select ${EVENT} from ${EVENT_FROM} where e.conversation_id = ? and e.seq between ? and ? order by e.seq`;
const MESSAGE_SIZES_BEFORE =
	"select seq, octet_length(body) as bytes from event where conversation_id = ? and seq < ? and kind in ('message', 'bare') order by seq desc limit ?";
const MESSAGES_AMONG = `select ${EVENT} from ${EVENT_FROM} where e.conversation_id = ? and e.seq between ? and ? and e.kind in ('message', 'bare') order by e.seq`;
const TASK_SIZES =
	"select seq, octet_length(body) as bytes from event where conversation_id = ? and seq between ? and ? and kind = 'message' and task_id = ? order by seq desc limit ?";
const TASK_PIECES =
	"select body from event where conversation_id = ? and seq > ? and seq <= ? and kind in ('artifact', 'whole') and task_id = ? order by seq";
const TASK_MESSAGES =
	"select body from event where conversation_id = ? and seq between ? and ? and kind = 'message' and task_id = ? order by seq";
/** As a caller: an owner who calls their own desk sees what they asked, not what others did (A2A-3). */
const THEIRS = `select ${CONVERSATION} from conversation c join participant p on p.conversation_id = c.id where p.principal_id = ? and p.side = 'asker' and c.desk_id = ?`;
const THEIR_NEWEST = `${THEIRS} order by c.id desc limit 1`;
const THEIRS_BY_UID = `${THEIRS} and c.uid = ?`;
/** Somebody else's conversation is none: a filter by it must not take as long as there is in it (a2a.md, ListTasks). */
const OWN_CONVERSATION =
	"select own.id from conversation own join participant me on me.conversation_id = own.id where own.uid = ? and me.principal_id = ? and me.side = 'asker' and own.desk_id = ?";
const TOLD = "select seq, body from event where conversation_id = ? and seq < ? and kind in ('message', 'bare') order by seq desc limit ?";
const ASKED =
	"select seq, body from event where conversation_id = ? and seq between ? and ? and kind in ('message', 'bare') order by seq limit 500";
const ASKER = `select ${PRINCIPAL} from participant s join principal p on p.id = s.principal_id where s.conversation_id = ? and s.side = 'asker'`;
const CONVERSATION_BY_ID = `select ${CONVERSATION} from conversation c where c.id = ?`;

/** More than any history that is asked for: stands for "all of it". */
const ALL = 1_000_000;

function* viewOf(task: TaskRow, seq: number, historyLength: number, historyBytes: number, artifacts: boolean): Steps<TaskView> {
	const ended = isTerminal(task.state);
	const history = historyLength > 0 ? yield* historyOf(task, ended ? task.lastSeq : seq, historyLength, historyBytes) : [];
	const pieces =
		artifacts && !ended && seq > task.lastSeq
			? yield* all<{ body: string }>(TASK_PIECES, task.conversationId, task.lastSeq, seq, task.id)
			: [];
	return { task, seq, history: history.map((h) => h.body), pieces: pieces.map((p) => p.body) };
}

/** The last messages of a task, oldest first: as many as were asked for and as fit. */
function* historyOf(task: TaskRow, last: number, count: number, maxBytes: number): Steps<{ body: string }[]> {
	const sizes = yield* all<Sized>(TASK_SIZES, task.conversationId, task.firstSeq, last, task.id, Math.min(count, ALL));
	const first = fitting(sizes, maxBytes).at(-1);
	return first ? yield* all<{ body: string }>(TASK_MESSAGES, task.conversationId, first.seq, last, task.id) : [];
}

type TaskWithSeq = TaskRow & { seq: number };

function* task(callerId: number, deskId: number, uid: string, historyLength: number): Steps<TaskView | undefined> {
	const row = yield* one<TaskWithSeq>(ONE_TASK, uid, callerId, deskId);
	if (!row) return undefined;
	return yield* viewOf(row, row.seq, historyLength, LIMITS.taskHistoryBytes, true);
}

function* tasks(query: TaskPageQuery): Steps<TaskPage> {
	const where: string[] = ["t.caller_id = ?", "t.desk_id = ?", "t.hidden = 0"];
	const values: SqlValue[] = [query.callerId, query.deskId];
	if (query.contextId !== undefined) {
		where.push(`t.conversation_id = (${OWN_CONVERSATION})`);
		values.push(query.contextId, query.callerId, query.deskId);
	}
	if (query.state !== undefined) {
		where.push("t.state = ?");
		values.push(query.state);
	}
	if (query.changedSince !== undefined) {
		where.push("t.status_at >= ?");
		values.push(query.changedSince);
	}
	const filtered = where.length > 3;
	const total = filtered
		? yield* one<{ n: number }>(`select count(*) as n from task t where ${where.join(" and ")}`, ...values)
		: yield* one<{ n: number }>("select tasks as n from task_tally where caller_id = ? and desk_id = ?", query.callerId, query.deskId);
	if (query.after) {
		where.push("(t.status_at < ? or (t.status_at = ? and t.id < ?))");
		values.push(query.after.statusAt, query.after.statusAt, query.after.id);
	}
	const rows = yield* all<TaskWithSeq>(
		`select ${TASK}, c.seq from ${TASK_FROM} where ${where.join(" and ")} order by t.status_at desc, t.id desc limit ?`,
		...values,
		query.limit + 1,
	);
	const page: TaskView[] = [];
	for (const row of rows.slice(0, query.limit))
		page.push(yield* viewOf(row, row.seq, query.historyLength, LIMITS.listedHistoryBytes, query.artifacts));
	return { tasks: page, total: total?.n ?? 0, more: rows.length > query.limit };
}

interface Sized {
	seq: number;
	bytes: number;
}

/** How many of these fit, at least one. */
function fitting(sizes: readonly Sized[], maxBytes: number): Sized[] {
	let bytes = 0;
	const over = sizes.findIndex((row) => {
		bytes += row.bytes;
		return bytes > maxBytes;
	});
	return over < 0 ? [...sizes] : sizes.slice(0, Math.max(1, over));
}

function* messages(conversationId: number, before: number, limit: number): Steps<{ events: StoredEvent[]; more: boolean }> {
	const sizes = yield* all<Sized>(MESSAGE_SIZES_BEFORE, conversationId, before, limit + 1);
	const kept = fitting(sizes.slice(0, limit), LIMITS.historyBytes);
	const [last, first] = [kept[0], kept.at(-1)];
	if (!last || !first) return { events: [], more: false };
	return { events: yield* all<StoredEvent>(MESSAGES_AMONG, conversationId, first.seq, last.seq), more: sizes.length > kept.length };
}

function* conversation(principalId: number, deskId: number, uid: string | null, count: number): Steps<ConversationView | undefined> {
	const row =
		uid === null
			? yield* one<ConversationRow>(THEIR_NEWEST, principalId, deskId)
			: yield* one<ConversationRow>(THEIRS_BY_UID, principalId, deskId, uid);
	if (!row) return undefined;
	const participants = yield* all<ParticipantRow>(PARTICIPANTS_OF, row.id);
	const last = count > 0 ? yield* messages(row.id, row.seq + 1, count) : { events: [], more: false };
	const open = yield* all<TaskRow>(SHOWN_OPEN_TASKS_OF, row.id);
	const openTasks: TaskView[] = [];
	for (const t of open) openTasks.push(yield* viewOf(t, row.seq, 0, 0, true));
	return { conversation: row, participants, messages: last.events, more: last.more, openTasks };
}

function* events(conversationId: number, after: number, limit: number, maxBytes: number): Steps<StoredEvent[]> {
	const sizes = yield* all<Sized>(SIZES_AFTER, conversationId, after, limit);
	const last = fitting(sizes, maxBytes).at(-1);
	return last ? yield* all<StoredEvent>(EVENTS_AMONG, conversationId, after + 1, last.seq) : [];
}

/** How a message of the desk's side begins: its ids come before its role, in a visitor's they stand at the end (`send.ts`). */
const OF_DESK = /^\{"messageId":"[^"]*","contextId":"[^"]*",(?:"taskId":"[^"]*",)?"role":"ROLE_AGENT"/;

function* turn(conversationId: number, from: number, throughSeq: number, before: number): Steps<TurnView> {
	const told = yield* all<{ seq: number; body: string }>(TOLD, conversationId, from, before);
	const asked = yield* all<{ seq: number; body: string }>(ASKED, conversationId, from, throughSeq);
	const asker = yield* one<PrincipalRow>(ASKER, conversationId);
	const conversation = yield* one<ConversationRow>(CONVERSATION_BY_ID, conversationId);
	if (!asker || !conversation) throw new Error("a conversation without an asker");
	const messages = [...told.reverse(), ...asked];
	return { asker, conversation, messages: messages.map(({ seq, body }) => ({ seq, body, from: OF_DESK.test(body) ? "desk" : "visitor" })) };
}

/** Every read by its name in `Reads`: the steps that answer it. */
export const reads: { [N in keyof Reads]: (...args: Parameters<Reads[N]>) => Steps<Awaited<ReturnType<Reads[N]>>> } = {
	*ready() {
		return (yield* one("select 1 as ready")) !== undefined;
	},
	*secret(name) {
		return (yield* one<{ value: string }>("select value from secret where name = ?", name))?.value;
	},
	deskByHandle: (handle) => one<DeskRow>(`select ${DESK} from ${DESK_FROM} where d.handle = ?`, handle),
	deskById: (id) => one<DeskRow>(`select ${DESK} from ${DESK_FROM} where d.id = ?`, id),
	desks: () => all<DeskRow>(`select ${DESK} from ${DESK_FROM} order by d.handle limit 1000`),
	principal: (uid) => one<PrincipalRow>(`select ${PRINCIPAL} from principal p where p.uid = ?`, uid),
	accountByKey: (hash) =>
		one<PrincipalRow>(
			`select ${PRINCIPAL} from access_key k join principal p on p.id = k.principal_id where k.hash = ? and k.revoked_at is null`,
			hash,
		),
	deskByKey: (hash) =>
		one(
			"select d.handle, k.uid, k.name, k.last4 from access_key k join desk d on d.owner_id = k.principal_id where k.hash = ? and k.revoked_at is null order by d.id limit 1",
			hash,
		),
	accountBySession: (hash, now) =>
		one<PrincipalRow>(
			`select ${PRINCIPAL} from sign_in s join principal p on p.id = s.principal_id where s.hash = ? and s.kind = 'session' and s.expires_at > ?`,
			hash,
			now,
		),
	keys: (principalId) =>
		all<KeyRow>(
			'select uid, name, last4, created_at as "createdAt", revoked_at as "revokedAt" from access_key where principal_id = ? order by id',
			principalId,
		),
	task,
	tasks,
	conversation,
	messages,
	events,
	turn,
	dueTurns: (now, limit, after = 0) =>
		all(
			"select id, uid, desk_id as \"deskId\", conversation_id as \"conversationId\", attempts from turn where (state = 'queued' or state = 'running') and lease_until <= ? and id > ? order by id limit ?",
			...[now, after, limit],
		),
	*idleTasks(changedBefore, limit) {
		const rows = yield* all<{ uid: string }>(
			"select uid from task where state in ('TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED') and status_at <= ? order by status_at limit ?",
			...[changedBefore, limit],
		);
		return rows.map((r) => r.uid);
	},
	memory: (deskId) => all<MemoryFile>("select path, text from memory_file where desk_id = ? order by path", deskId),
	gaps: (deskId, limit) =>
		all<GapRow>("select id, question, at from gap where desk_id = ? and dismissed_at is null order by id desc limit ?", deskId, limit),
	approvals: loadApprovals,
	connections: loadConnections,
	calls: loadCalls,
	notices: loadNotices,
	lastNotice: loadLastNotice,
	sites: loadRules,
	recentSites: loadRecentSites,
	followUp: loadFollowUp,
	picture: loadPicture,
	pictureRoom: loadRoom,
	deskPictures: loadDeskPictures,
	ratings: loadRatings,
	ratedAnswers: loadRatedAnswers,
	siteOverflow: loadOverflow,
	embeds: loadEmbeds,
	embed: loadEmbed,
};
