/**
 * What the disk and SQLite give without a server around them: one fdatasync, and the rows of whole turns and of messages written in
 * groups at synchronous=FULL, in one loop, by statements prepared once, into our own tables. Judges nothing and reads nothing.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { migrateSqlite } from "../../server/store/migrate.js";
import { questions, ready } from "../child.js";
import { percentile } from "../measure.js";
import { TURNS_EACH } from "../requests.js";

const dir = process.env.DATA_DIR ?? "";
/** Turns of one commit: as many as wait where sixty-four clients do. */
const GROUP = 64;
const PAGE = 4_096;
const FILE_PAGES = 4_096;

const file = join(dir, "floor.db");
const db = new Database(file);
for (const pragma of ["journal_mode = wal", "synchronous = full", "cache_size = -65536"]) db.pragma(pragma);
migrateSqlite(db, file, Date.now());
db.exec(
	"insert into principal (uid, kind, seen_at, created_at) values ('acc_floor', 'account', 0, 0); insert into desk (handle, name, owner_id, created_at, changed_at) values ('mira', 'Mira', 1, 0, 0)",
);

const statement = {
	conversation: db.prepare(
		"insert into conversation (uid, desk_id, seq, epoch, channel, changed_at, created_at) values (?, 1, 0, 0, 'page', ?, ?)",
	),
	participants: db.prepare(
		"insert into participant (conversation_id, side, principal_id, read_seq, microphone) values (?, 'asker', 1, 0, 'desk'), (?, 'desk', 1, 0, 'desk')",
	),
	grow: db.prepare("update conversation set seq = ?, epoch = ?, changed_at = ? where id = ?"),
	task: db.prepare(
		"insert into task (uid, desk_id, caller_id, conversation_id, state, status, status_at, first_seq, last_seq, asked_seq, asked_from) values (?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?)",
	),
	endTask: db.prepare(
		"update task set state = 'TASK_STATE_COMPLETED', status = ?, status_at = ?, artifacts = ?, last_seq = ? where id = ?",
	),
	tally: db.prepare(
		"insert into task_tally (caller_id, desk_id, tasks) values (1, 1, 1) on conflict (caller_id, desk_id) do update set tasks = task_tally.tasks + 1",
	),
	key: db.prepare(
		"insert into message (caller_id, scope, scope_id, message_id, hash, conversation_id, task_id, seq) values (1, 'desk', 1, ?, ?, ?, ?, ?)",
	),
	event: db.prepare("insert into event (conversation_id, seq, kind, task_id, body, at) values (?, ?, ?, ?, ?, ?)"),
	turn: db.prepare(
		"insert into turn (uid, conversation_id, desk_id, state, epoch, claim, lease_until, attempts, through_seq, asker_id, guest, queued_at) values (?, ?, 1, 'running', 1, ?, 0, 1, 1, 1, 0, 0)",
	),
	endTurn: db.prepare("delete from turn where id = ?"),
};

let made = 0;
let conversation = 0;
let seq = 0;
const uid = (prefix: string): string => `${prefix}_${Date.now().toString(16)}${String(made).padStart(20, "0")}`;

function nextConversation(): void {
	conversation = Number(statement.conversation.run(uid("ctx"), Date.now(), Date.now()).lastInsertRowid);
	statement.participants.run(conversation, conversation);
	seq = 0;
}

/** The rows of one message that is taken in. Gives its task's id and public id. */
function message(state: string, events: number): { id: number; task: string } {
	const now = Date.now();
	if (made++ % TURNS_EACH === 0) nextConversation();
	const task = uid("tsk");
	const status = `{"state":"${state}","timestamp":"${new Date(now).toISOString()}"}`;
	statement.grow.run(seq + events, 1, now, conversation);
	const id = Number(statement.task.run(task, conversation, state, status, now, seq + 1, seq + events, seq + 1, seq + 1).lastInsertRowid);
	statement.tally.run();
	statement.key.run(uid("m"), "x".repeat(43), conversation, id, seq + 1);
	const words = `{"messageId":"${task}","role":"ROLE_USER","parts":[{"text":"echo hello"}],"contextId":"${task}","taskId":"${task}"}`;
	statement.event.run(conversation, ++seq, "message", id, words, now);
	statement.event.run(conversation, ++seq, "task", id, `{"id":"${task}","contextId":"${task}","status":${status}}`, now);
	return { id, task };
}

/** The rows of a whole turn: six events, the task begun and ended, its key, the turn that came and went. */
function turn(): void {
	const { id, task } = message("TASK_STATE_WORKING", 3);
	const now = Date.now();
	const status = `{"taskId":"${task}","contextId":"${task}","status":{"state":"TASK_STATE_COMPLETED","timestamp":"${new Date(now).toISOString()}"}}`;
	const row = Number(statement.turn.run(uid("trn"), conversation, task).lastInsertRowid);
	statement.event.run(conversation, ++seq, "status", id, status, now);
	statement.grow.run(seq + 3, 1, now, conversation);
	const artifact = `{"artifactId":"result","name":"result","parts":[{"text":"echo hello"}]}`;
	statement.event.run(
		conversation,
		++seq,
		"whole",
		id,
		`{"taskId":"${task}","contextId":"${task}","artifact":${artifact},"lastChunk":true}`,
		now,
	);
	statement.event.run(
		conversation,
		++seq,
		"message",
		id,
		`{"messageId":"${task}","contextId":"${task}","taskId":"${task}","role":"ROLE_AGENT","parts":[{"text":"echo hello"}]}`,
		now,
	);
	statement.event.run(conversation, ++seq, "status", id, status, now);
	statement.endTask.run(status, now, `[${artifact}]`, seq, id);
	statement.endTurn.run(row);
}

/** Groups for `ms`; how many a second were on disk. */
function grouped(ms: number, one: () => void): { perSecond: number } {
	const began = performance.now();
	let done = 0;
	while (performance.now() - began < ms) {
		db.exec("begin immediate");
		for (let i = 0; i < GROUP; i++) one();
		db.exec("commit");
		done += GROUP;
	}
	return { perSecond: (done / (performance.now() - began)) * 1_000 };
}

questions.turns = (ms: number) => grouped(ms, turn);
questions.messages = (ms: number) => grouped(ms, () => message("TASK_STATE_SUBMITTED", 2));

/** One page written over and synced, again and again for `ms`: milliseconds each. */
questions.fdatasync = (ms: number) => {
	const descriptor = openSync(join(dir, "floor.bin"), "w");
	const page = Buffer.alloc(PAGE, 1);
	for (let i = 0; i < FILE_PAGES; i++) writeSync(descriptor, page, 0, PAGE, i * PAGE);
	fdatasyncSync(descriptor);
	const times: number[] = [];
	const began = performance.now();
	for (let i = 0; performance.now() - began < ms; i++) {
		const at = performance.now();
		writeSync(descriptor, page, 0, PAGE, (i % FILE_PAGES) * PAGE);
		fdatasyncSync(descriptor);
		times.push(performance.now() - at);
	}
	closeSync(descriptor);
	return { p50: percentile(times, 50) };
};

ready({ port: 0 });
