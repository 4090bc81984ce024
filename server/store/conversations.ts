/**
 * The one load and the one write that all operations on a conversation share. The load takes the conversation's row for itself
 * (`{lock}`, in a join `{lock of c}`), so that on PostgreSQL two operations on one conversation come one after the other, as they do on SQLite.
 */
import type { ConversationChange, ConversationRows, DeskOf, NewTask } from "../engine/changes.js";
import type { CancelInput, CancelRows, ExpireInput, MicrophoneInput, SeenInput, SeenRows } from "../engine/conversation-operations.js";
import type { StoredEvent } from "../engine/ports.js";
import type { ConversationRow, DeskRow, ParticipantRow, PrincipalRow, TaskRow, TurnRow } from "../engine/rows.js";
import type { SendInput, SendRows } from "../engine/send.js";
import type { TurnRows } from "../engine/turn-operations.js";
import { CONVERSATION, DESK, DESK_FROM, OPEN_STATES, PARTICIPANT, TASK, TASK_FROM, TURN } from "./columns.js";
import { attachPictures } from "./pictures.js";
import { all, one, run, type SqlValue, type Steps } from "./sql.js";

// Texts stand here whole: one put together at each call would cost more to look up among the prepared than its statement takes.
const DESK_BY_ID = `select ${DESK} from ${DESK_FROM} where d.id = ?`;
const PARTICIPANTS_OF = `select ${PARTICIPANT} from participant where conversation_id = ?`;
const OPEN_TASKS_OF = `select ${TASK} from ${TASK_FROM} where t.conversation_id = ? and t.state in ${OPEN_STATES} order by t.id`;
const TURNS_OF = `select ${TURN} from turn where conversation_id = ? and state <> 'parked' order by id`;
const LOCK_BY_ID = `select ${CONVERSATION} from conversation c where c.id = ? {lock}`;
const LOCK_THEIRS = `select ${CONVERSATION} from conversation c where c.uid = ? and c.desk_id = ? and exists (select 1 from participant p where p.conversation_id = c.id and p.principal_id = ? and p.side = ?) {lock}`;
const TASK_OF = `select ${TASK} from ${TASK_FROM} where t.uid = ? and t.caller_id = ? and t.desk_id = ?`;
const RETRY_OF = `select m.hash, m.seq as "keptSeq", ${TASK} from message m join task t on t.id = m.task_id join conversation c on c.id = t.conversation_id where m.caller_id = ? and m.scope = ? and m.scope_id = ? and m.message_id = ?`;
/** A conversation with what its desk says about every answer. One question: it is asked for each piece of each answer. */
const WITH_DESK = `select ${CONVERSATION}, d.name as "deskName", d.settings as "deskSettings", d.preset as "deskPreset", d.apps as "deskApps", d.language, d.owner_id as "ownerId", o.name as "ownerName" from conversation c join desk d on d.id = c.desk_id join principal o on o.id = d.owner_id where`;
const WITH_DESK_BY_TURN = `${WITH_DESK} c.id = (select conversation_id from turn where uid = ?) {lock of c}`;
const WITH_DESK_BY_ID = `${WITH_DESK} c.id = ? {lock of c}`;
const WITH_DESK_BY_UID = `${WITH_DESK} c.uid = ? and c.desk_id = ? {lock of c}`;

const deskById = (id: number): Steps<DeskRow | undefined> => one<DeskRow>(DESK_BY_ID, id);

const participantsOf = (conversationId: number): Steps<ParticipantRow[]> => all<ParticipantRow>(PARTICIPANTS_OF, conversationId);
const openTasksOf = (conversationId: number): Steps<TaskRow[]> => all<TaskRow>(OPEN_TASKS_OF, conversationId);
const turnsOf = (conversationId: number): Steps<TurnRow[]> => all<TurnRow>(TURNS_OF, conversationId);

/**
 * The conversation, locked, with everything that the rules of a send look at. What waits in it counts only where the send may begin
 * a turn that answers it: while the owner speaks, or nobody answers, that may be hundreds of tasks.
 */
function* around(desk: DeskRow, conversation: ConversationRow, { claim }: SendInput): Steps<ConversationRows> {
	const participants = yield* participantsOf(conversation.id);
	const turns = yield* turnsOf(conversation.id);
	const answers = claim && conversation.endedAt === null && !turns.some((t) => t.state === "running");
	const deskSpeaks = participants.some((p) => p.side === "desk" && p.microphone === "desk");
	const openTasks = answers && deskSpeaks ? yield* openTasksOf(conversation.id) : [];
	return { desk, conversation, participants, openTasks, turns };
}

const lockById = (id: number): Steps<ConversationRow | undefined> => one<ConversationRow>(LOCK_BY_ID, id);

/** By its public id, if the principal holds that side of it. An owner who calls their own desk is no more than a caller (A2A-3). */
const lockTheirs = (deskId: number, uid: string, principalId: number, side: ParticipantRow["side"]): Steps<ConversationRow | undefined> =>
	one<ConversationRow>(LOCK_THEIRS, uid, deskId, principalId, side);

/** Hidden ones too. */
const anyTaskOf = (callerId: number, deskId: number, uid: string): Steps<TaskRow | undefined> =>
	one<TaskRow>(TASK_OF, uid, callerId, deskId);

function* taskOf(callerId: number, deskId: number, uid: string): Steps<TaskRow | undefined> {
	const task = yield* anyTaskOf(callerId, deskId, uid);
	return task?.hidden === 0 ? task : undefined;
}

export function* loadSend(input: SendInput): Steps<SendRows> {
	const desk = yield* deskById(input.deskId);
	if (!desk) throw new Error("a message for a desk that is gone");
	const none: SendRows = { desk, participants: [], openTasks: [], turns: [], openTurns: { guest: 0, place: 0, desk: 0 } };
	if (input.callerId === null) return input.guest ? { ...none, openTurns: yield* openTurns(input) } : none;
	// One that is not shown any more takes no message, but what was sent to it before is still answered.
	const found = input.taskUid === undefined ? undefined : yield* anyTaskOf(input.callerId, input.deskId, input.taskUid);
	let conversation: ConversationRow | undefined;
	if (found) conversation = yield* lockById(found.conversationId);
	else if (input.contextUid !== undefined && input.taskUid === undefined)
		conversation = yield* lockTheirs(input.deskId, input.contextUid, input.callerId, "asker");
	const rows: SendRows = conversation ? { ...none, ...(yield* around(desk, conversation, input)) } : none;
	// Read again under the lock: what was an open task may have ended while this waited.
	rows.named = found && conversation ? yield* taskOf(input.callerId, input.deskId, found.uid) : undefined;
	const { scope } = input;
	const scopeId = scope === "desk" ? input.deskId : scope === "task" ? found?.id : conversation?.id;
	if (scope !== null && scopeId !== undefined) rows.retry = yield* retryOf(input, scope, scopeId);
	if (input.guest && !rows.retry) rows.openTurns = yield* openTurns(input);
	return rows;
}

function* retryOf(input: SendInput, scope: string, scopeId: number): Steps<SendRows["retry"]> {
	const row = yield* one<TaskRow & { hash: string; keptSeq: number }>(RETRY_OF, input.callerId, scope, scopeId, input.message.messageId);
	if (!row) return undefined;
	const { hash, keptSeq, ...task } = row;
	return { hash, task, seq: keptSeq };
}

/** Counted no further than they may be: ever so many guests must not make each other's sends slower. */
const OPEN_TURNS = `select
	(select count(*) from (select 1 from turn where asker_id = ? and desk_id = ? and guest = 1 and state <> 'parked' limit ?) g) as guest,
	(select count(*) from (select 1 from turn where desk_id = ? and place = ? and guest = 1 and state <> 'parked' limit ?) p) as place,
	(select count(*) from (select 1 from turn where desk_id = ? and guest = 1 and state <> 'parked' limit ?) t) as desk`;

function* openTurns(input: SendInput): Steps<SendRows["openTurns"]> {
	const { deskId, limits } = input;
	const place = input.provenance.embed ?? input.provenance.site ?? "";
	const { turnsPerGuest, turnsPerEmbed, turnsPerDesk } = limits;
	const row = yield* one<SendRows["openTurns"]>(
		OPEN_TURNS,
		...[input.callerId ?? 0, deskId, turnsPerGuest, deskId, place, turnsPerEmbed, deskId, turnsPerDesk],
	);
	return row ?? { guest: 0, place: 0, desk: 0 };
}

type WithDesk = ConversationRow & {
	deskName: string;
	deskSettings: string;
	deskPreset: string;
	deskApps: string;
	language: DeskRow["language"];
	ownerId: number;
	ownerName: string;
};

function* turnRows(found: WithDesk, loaded: { turns?: TurnRow[]; participants: boolean; pieces: boolean }): Steps<TurnRows> {
	const { deskName, deskSettings, deskPreset, deskApps, language, ownerId, ownerName, ...conversation } = found;
	const openTasks = yield* openTasksOf(conversation.id);
	const turns = loaded.turns ?? (yield* turnsOf(conversation.id));
	const participants = loaded.participants ? yield* participantsOf(conversation.id) : [];
	const asker = participants.find((p) => p.side === "asker");
	const kind = asker && (yield* one<{ kind: string }>("select kind from principal where id = ?", asker.principalId))?.kind;
	const pieces = loaded.pieces ? yield* piecesOf(openTasks) : [];
	const policies = { settings: deskSettings, preset: deskPreset, apps: deskApps };
	const desk = { id: conversation.deskId, name: deskName, ...policies, ownerId, ownerName, language };
	return { desk, conversation, participants, openTasks, turns, pieces, askerIsGuest: kind === "guest" };
}

function* piecesOf(tasks: readonly TaskRow[]): Steps<TurnRows["pieces"]> {
	const pieces: TurnRows["pieces"] = [];
	for (const task of tasks) {
		const rows = yield* all<{ body: string }>(
			"select body from event where conversation_id = ? and seq > ? and kind in ('artifact', 'whole') and task_id = ? order by seq",
			task.conversationId,
			task.lastSeq,
			task.id,
		);
		for (const row of rows) pieces.push({ taskUid: task.uid, body: row.body });
	}
	return pieces;
}

const NOTHING: TurnRows = { pieces: [], askerIsGuest: false };

/** The conversation of a turn, locked before anything of it is read, and the turn as it then stands. */
function* turnByUid(uid: string, loaded: { participants: boolean; pieces: (turn: TurnRow) => boolean }): Steps<TurnRows> {
	const conversation = yield* one<WithDesk>(WITH_DESK_BY_TURN, uid);
	if (!conversation) return NOTHING;
	const turns = yield* turnsOf(conversation.id);
	const turn = turns.find((t) => t.uid === uid);
	if (!turn) return NOTHING;
	return { ...(yield* turnRows(conversation, { turns, participants: loaded.participants, pieces: loaded.pieces(turn) })), turn };
}

/** Pieces are looked at only where the turn may be parked: its tasks then end with what had been said. */
export const loadClaim = (input: { turnUid: string }): Steps<TurnRows> =>
	turnByUid(input.turnUid, { participants: true, pieces: (turn) => turn.wrote === 1 });
export const loadTurn = (input: { turnUid: string }): Steps<TurnRows> =>
	turnByUid(input.turnUid, { participants: false, pieces: () => false });

const WHOLE = { participants: true, pieces: true };

export function* loadCancel(input: CancelInput): Steps<CancelRows> {
	const named = yield* taskOf(input.callerId, input.deskId, input.taskUid);
	const conversation = named && (yield* one<WithDesk>(WITH_DESK_BY_ID, named.conversationId));
	if (!named || !conversation) return NOTHING;
	const rows = yield* turnRows(conversation, WHOLE);
	return { ...rows, named: yield* taskOf(input.callerId, input.deskId, input.taskUid) };
}

export function* loadExpire(input: ExpireInput): Steps<CancelRows> {
	const at = yield* one<{ conversationId: number }>('select conversation_id as "conversationId" from task where uid = ?', input.taskUid);
	const conversation = at && (yield* one<WithDesk>(WITH_DESK_BY_ID, at.conversationId));
	if (!conversation) return NOTHING;
	const rows = yield* turnRows(conversation, { participants: false, pieces: false });
	return { ...rows, named: rows.openTasks?.find((t) => t.uid === input.taskUid) };
}

export function* loadMicrophone(input: MicrophoneInput): Steps<TurnRows> {
	const conversation = yield* one<WithDesk>(WITH_DESK_BY_UID, input.contextUid, input.deskId);
	return conversation ? yield* turnRows(conversation, WHOLE) : NOTHING;
}

export function* loadSeen(input: SeenInput): Steps<SeenRows> {
	const conversation = yield* lockTheirs(input.deskId, input.contextUid, input.principalId, input.side);
	if (!conversation) return {};
	const participant = yield* one<ParticipantRow>(
		`select ${PARTICIPANT} from participant where conversation_id = ? and side = ? and principal_id = ?`,
		conversation.id,
		input.side,
		input.principalId,
	);
	return { conversation, participant };
}

export function* writeSeen(
	_input: SeenInput,
	_rows: SeenRows,
	plan: { conversationId: number; side: string; readSeq: number } | null,
): Steps<void> {
	if (plan)
		yield* run("update participant set read_seq = ? where conversation_id = ? and side = ?", plan.readSeq, plan.conversationId, plan.side);
}

/** Writes a change, as `ConversationChange` describes it. */
export function* writeChange(
	_input: unknown,
	rows: { conversation?: ConversationRow; desk?: DeskOf; openTasks?: TaskRow[]; named?: TaskRow },
	change: ConversationChange | null,
): Steps<void> {
	if (!change) return;
	const deskId = rows.desk?.id ?? 0;
	let made: number | undefined;
	if (change.newPrincipal) {
		const p = change.newPrincipal;
		made = yield* insertPrincipal(p);
	}
	let conversationId = rows.conversation?.id ?? 0;
	const { conversation: c } = change;
	if (change.newConversation) {
		const n = change.newConversation;
		conversationId = yield* insert(
			"insert into conversation (uid, desk_id, seq, epoch, ended_at, channel, site, embed, changed_at, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id",
			...[n.uid, deskId, c.seq, c.epoch, c.endedAt, n.channel, n.site, n.embed, c.changedAt, change.at],
		);
		if (change.made) change.made.conversationId = conversationId;
		yield* run(
			"insert into participant (conversation_id, side, principal_id, read_seq, microphone) values (?, 'asker', ?, 0, 'desk'), (?, 'desk', ?, 0, 'desk')",
			...[conversationId, must(n.askerId ?? made), conversationId, n.ownerId],
		);
	} else {
		yield* run(
			"update conversation set seq = ?, epoch = ?, ended_at = ?, changed_at = ? where id = ?",
			c.seq,
			c.epoch,
			c.endedAt,
			c.changedAt,
			conversationId,
		);
	}
	if (change.microphone)
		yield* run("update participant set microphone = ? where conversation_id = ? and side = 'desk'", change.microphone, conversationId);
	const ids = yield* writeTasks(change, deskId, conversationId, made, rows);
	yield* writeTurns(change, deskId, conversationId, made);
	if (change.pin)
		yield* run(
			"insert into turn_preset (turn_uid, preset) values (?, ?) on conflict (turn_uid) do nothing",
			change.pin.turnUid,
			change.pin.preset,
		);
	if (change.pictures) yield* attachPictures(change.pictures.uids, { principalId: change.pictures.principalId, deskId, conversationId });
	if (change.elsewhere)
		yield* run("insert into conversation_elsewhere (conversation_id) values (?) on conflict (conversation_id) do nothing", conversationId);
	for (const key of change.keys) {
		yield* run(
			"insert into message (caller_id, scope, scope_id, message_id, hash, conversation_id, task_id, seq) values (?, ?, ?, ?, ?, ?, ?, ?)",
			...[
				must(key.callerId ?? made),
				key.scope,
				key.scopeId ?? conversationId,
				key.messageId,
				key.hash,
				conversationId,
				must(ids.get(key.taskUid)),
				key.seq,
			],
		);
	}
	yield* insertEvents(conversationId, change.events, ids);
	for (const question of change.gaps)
		yield* run("insert into gap (desk_id, conversation_id, question, at) values (?, ?, ?, ?)", deskId, conversationId, question, change.at);
}

/** Rows a statement: a text a number of rows is prepared, so there are few. */
const EVENTS_AT_ONCE = 4;
/** By the number of rows. */
const INSERT_EVENTS = Array.from(
	{ length: EVENTS_AT_ONCE + 1 },
	(_, rows) =>
		`insert into event (conversation_id, seq, kind, task_id, body, at) values ${Array(rows).fill("(?, ?, ?, ?, ?, ?)").join(", ")}`,
);

function* insertEvents(conversationId: number, events: readonly StoredEvent[], ids: ReadonlyMap<string, number>): Steps<void> {
	for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
		const some = events.slice(at, at + EVENTS_AT_ONCE);
		const values: SqlValue[] = [];
		for (const e of some) values.push(conversationId, e.seq, e.kind, e.taskId === null ? null : must(ids.get(e.taskId)), e.body, e.at);
		yield* run(INSERT_EVENTS[some.length] as string, ...values);
	}
}

function* writeTasks(
	change: ConversationChange,
	deskId: number,
	conversationId: number,
	made: number | undefined,
	rows: { openTasks?: TaskRow[]; named?: TaskRow },
): Steps<Map<string, number>> {
	const ids = new Map<string, number>();
	for (const task of rows.openTasks ?? []) ids.set(task.uid, task.id);
	if (rows.named) ids.set(rows.named.uid, rows.named.id);
	for (const task of change.newTasks) {
		const callerId = must(task.callerId ?? made);
		ids.set(task.uid, yield* insertTask(task, callerId, deskId, conversationId));
		yield* run(
			"insert into task_tally (caller_id, desk_id, tasks) values (?, ?, 1) on conflict (caller_id, desk_id) do update set tasks = task_tally.tasks + 1",
			callerId,
			deskId,
		);
	}
	for (const t of change.tasks) {
		ids.set(t.uid, t.id);
		yield* run(
			"update task set state = ?, status = ?, status_at = ?, artifacts = ?, metadata = ?, last_seq = ?, asked_seq = ?, asked_from = ?, hidden = ? where id = ?",
			...[t.state, t.status, t.statusAt, t.artifacts, t.metadata, t.lastSeq, t.askedSeq, t.askedFrom, t.hidden, t.id],
		);
		// A task that is not shown is not counted either.
		if (t.hidden === 1) yield* run("update task_tally set tasks = tasks - 1 where caller_id = ? and desk_id = ?", t.callerId, t.deskId);
	}
	return ids;
}

const insertTask = (t: NewTask, callerId: number, deskId: number, conversationId: number): Steps<number> =>
	insert(
		"insert into task (uid, desk_id, caller_id, conversation_id, state, status, status_at, artifacts, metadata, first_seq, last_seq, asked_seq, asked_from, hidden) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id",
		...[
			t.uid,
			deskId,
			callerId,
			conversationId,
			t.state,
			t.status,
			t.statusAt,
			t.artifacts,
			t.metadata,
			t.firstSeq,
			t.lastSeq,
			t.askedSeq,
			t.askedFrom,
			t.hidden,
		],
	);

function* writeTurns(change: ConversationChange, deskId: number, conversationId: number, made: number | undefined): Steps<void> {
	for (const id of change.endedTurns) yield* run("delete from turn where id = ?", id);
	for (const t of change.turns) {
		yield* run(
			"update turn set state = ?, epoch = ?, claim = ?, lease_until = ?, attempts = ?, through_seq = ?, wrote = ? where id = ?",
			...[t.state, t.epoch, t.claim, t.leaseUntil, t.attempts, t.throughSeq, t.wrote, t.id],
		);
	}
	const n = change.newTurn;
	if (n) {
		yield* run(
			"insert into turn (uid, conversation_id, desk_id, state, epoch, claim, lease_until, attempts, through_seq, wrote, asker_id, guest, place, queued_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			...[
				n.uid,
				conversationId,
				deskId,
				n.state,
				n.epoch,
				n.claim,
				n.leaseUntil,
				n.attempts,
				n.throughSeq,
				n.wrote,
				must(n.askerId ?? made),
				n.guest,
				n.place,
				n.queuedAt,
			],
		);
	}
}

export const insertPrincipal = (p: Omit<PrincipalRow, "id">): Steps<number> =>
	insert(
		"insert into principal (uid, kind, desk_id, generation, name, seen_at, created_at) values (?, ?, ?, ?, ?, ?, ?) returning id",
		...[p.uid, p.kind, p.deskId, p.generation, p.name, p.seenAt, p.createdAt],
	);

function* insert(text: string, ...values: SqlValue[]): Steps<number> {
	const row = yield* one<{ id: number }>(text, ...values);
	return must(row?.id);
}

function must<T>(value: T | undefined): T {
	if (value === undefined) throw new Error("a row that this change stands on is missing");
	return value;
}
