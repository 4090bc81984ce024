/**
 * The database as a file, read beside the server and not by it: a copy is opened, so that nothing of the original is changed, and
 * what a crash left in its log is recovered as the server would.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { LogEvent } from "../../shared/channel.js";

export interface Dump {
	/** Logs by the public id of their conversation. */
	logs: Map<string, LogEvent[]>;
	/** How often each message of a visitor's stands in them. */
	messages: Map<string, number>;
	/** What is not as the schema promises: number of a conversation and its events, SQLite's own check. */
	faults: string[];
	/** Turns that are queued or running. */
	turns: { uid: string; state: string; attempts: number; text: string }[];
	/** How many were set aside. */
	parked: number;
	/** Rows of the outbox that are neither done nor dead with a reason, and not due. */
	outbox: string[];
}

const KEYS: Record<string, string> = {
	message: "message",
	bare: "message",
	task: "task",
	status: "statusUpdate",
	artifact: "artifactUpdate",
	whole: "artifactUpdate",
	microphone: "signal",
	ended: "ended",
};

interface EventRow {
	conversation: string;
	seq: number;
	kind: string;
	body: string;
	at: number;
}

/** Reads what a folder holds now. */
export function dump(dir: string, options: { check?: boolean } = {}): Dump {
	const copy = mkdtempSync(join(tmpdir(), "chaos-dump-"));
	try {
		for (const name of ["desk.db", "desk.db-wal"]) if (existsSync(join(dir, name))) copyFileSync(join(dir, name), join(copy, name));
		const db = new Database(join(copy, "desk.db"));
		try {
			return read(db, options.check ?? false);
		} finally {
			db.close();
		}
	} finally {
		rmSync(copy, { recursive: true, force: true });
	}
}

function read(db: Database.Database, check: boolean): Dump {
	const found: Dump = { logs: new Map(), messages: new Map(), faults: [], turns: [], parked: 0, outbox: [] };
	if (check) {
		const said = db.pragma("integrity_check(5)", { simple: true });
		if (said !== "ok") found.faults.push(`the database is damaged: ${String(said)}`);
	}
	for (const { uid, seq } of db.prepare("select uid, seq from conversation").all() as { uid: string; seq: number }[]) {
		const count = db
			.prepare(
				"select count(*) as n, coalesce(max(e.seq), 0) as last from event e join conversation c on c.id = e.conversation_id where c.uid = ?",
			)
			.get(uid) as { n: number; last: number };
		if (count.n !== seq || count.last !== seq) found.faults.push(`${uid} stands at ${seq} and has ${count.n} events up to ${count.last}`);
		found.logs.set(uid, []);
	}
	const rows = db
		.prepare(
			"select c.uid as conversation, e.seq, e.kind, e.body, e.at from event e join conversation c on c.id = e.conversation_id order by c.id, e.seq",
		)
		.iterate() as Iterable<EventRow>;
	for (const { conversation, seq, kind, body, at } of rows) {
		const event = { contextId: conversation, seq, at, [KEYS[kind] ?? kind]: JSON.parse(body) } as unknown as LogEvent;
		found.logs.get(conversation)?.push(event);
		if (event.message?.role === "ROLE_USER")
			found.messages.set(event.message.messageId, (found.messages.get(event.message.messageId) ?? 0) + 1);
	}
	found.turns = db
		.prepare(
			"select uid, state, attempts, (select body from event e where e.conversation_id = turn.conversation_id and e.kind = 'message' order by e.seq desc limit 1) as text from turn where state <> 'parked'",
		)
		.all() as Dump["turns"];
	found.parked = db.prepare("select count(*) from turn where state = 'parked'").pluck().get() as number;
	found.outbox = (
		db.prepare("select uid from outbox where state not in ('done', 'due') and not (state = 'dead' and reason is not null)").all() as {
			uid: string;
		}[]
	).map(({ uid }) => uid);
	return found;
}
