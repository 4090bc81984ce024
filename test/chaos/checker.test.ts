/** The judge is judged: a history in which all is well, and one with each thing that must not be. */
import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../shared/channel.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { type Breach, breaches, type Evidence, hashOfLog } from "./checker.js";
import { answersOf, callsOf } from "./fsync.js";
import type { Sending } from "./history.js";

const CONTEXT = "ctx_1";
const REPLY = "Mira was asked: #1.";

const sending = (more: Partial<Sending> = {}): Sending => ({
	client: "v0",
	messageId: "v0-1",
	text: "#1.",
	invokedAt: 0,
	unknown: 0,
	refusals: [],
	ack: { taskId: "tsk_1", contextId: CONTEXT, afterMs: 3 },
	...more,
});

type Body = Omit<LogEvent, "contextId" | "seq" | "at">;
const status = (state: string, metadata?: object): Body =>
	({ statusUpdate: { taskId: "tsk_1", contextId: CONTEXT, status: { state }, ...(metadata ? { metadata } : {}) } }) as Body;
const piece = (text: string, append = false): Body =>
	({
		artifactUpdate: {
			taskId: "tsk_1",
			contextId: CONTEXT,
			artifact: { artifactId: "result", parts: [{ text }] },
			...(append ? { append } : {}),
		},
	}) as Body;
const said = (role: string, text: string, messageId: string): Body =>
	({ message: { messageId, role, taskId: "tsk_1", contextId: CONTEXT, parts: [{ text }] } }) as Body;

const ASKED: Body[] = [
	said("ROLE_USER", "#1.", "v0-1"),
	{ task: { id: "tsk_1", contextId: CONTEXT, status: { state: "TASK_STATE_SUBMITTED" } } } as Body,
	status("TASK_STATE_WORKING"),
];
const ANSWERED: Body[] = [piece(REPLY), said("ROLE_AGENT", REPLY, "msg_1"), status("TASK_STATE_COMPLETED")];

const logOf = (bodies: Body[]): LogEvent[] => bodies.map((body, i) => ({ contextId: CONTEXT, seq: i + 1, at: 0, ...body }));

/** Evidence over one conversation; `shown`: what its reader was given. */
function evidence(bodies: Body[], more: Partial<Evidence> = {}, shown = logOf(bodies)): Evidence {
	const log = logOf(bodies);
	return {
		sendings: [sending()],
		logs: new Map([[CONTEXT, log]]),
		stored: new Map([[CONTEXT, log]]),
		observers: [{ name: "v0", contextId: CONTEXT, events: shown, whole: true }],
		streamed: [],
		hashes: new Map([[CONTEXT, hashOfLog(log)]]),
		settled: true,
		...more,
	};
}

const rules = (found: Breach[]): string[] => [...new Set(found.map(({ rule }) => rule))].sort();
const WELL = [...ASKED, ...ANSWERED];
const interrupted = status("TASK_STATE_WORKING", { [EXTENSIONS.chat]: { interrupted: true } });

describe("the checker", () => {
	it("finds nothing where all is well", () => {
		expect(breaches(evidence(WELL))).toEqual([]);
	});

	it.each<[string, string, Evidence]>([
		[
			"I1",
			"a message that was acknowledged and is not there",
			evidence(WELL, { sendings: [sending(), sending({ messageId: "v0-2", text: "#2." })] }),
		],
		["I1", "one that is there twice", evidence([said("ROLE_USER", "#1.", "v0-1"), ...WELL])],
		[
			"I2",
			"one that nobody acknowledged, there twice",
			evidence([said("ROLE_USER", "#1.", "v0-1"), ...WELL], { sendings: [sending({ ack: undefined })] }),
		],
		["I1", "one that was changed", evidence(WELL, { sendings: [sending({ text: "#1!" })] })],
		["I1", "one that became another when it was sent again", evidence(WELL, { sendings: [sending({ doubled: "tsk_2" })] })],
		[
			"sending",
			"one that was refused for good",
			evidence(WELL, { sendings: [sending({ refusals: [{ code: "X", afterMs: 1, retry: false }] })] }),
		],
		["sending", "one that was given up", evidence(WELL, { sendings: [sending({ failed: "refused" })] })],
		["I3", "a hole in the numbers", evidence(WELL, { logs: new Map([[CONTEXT, logOf(WELL).filter((e) => e.seq !== 4)]]) })],
		[
			"I4",
			"a reader who missed something",
			evidence(
				WELL,
				{},
				logOf(WELL).filter((e) => e.seq !== 4),
			),
		],
		[
			"I4",
			"a reader who was shown something twice",
			evidence(
				WELL,
				{},
				logOf(WELL).flatMap((e) => (e.seq === 4 ? [e, e] : [e])),
			),
		],
		["I4", "a reader who was shown what is no more", evidence(WELL, {}, [...logOf(WELL), { contextId: CONTEXT, seq: 7, at: 0 }])],
		[
			"I4",
			"a stream that showed something else",
			evidence(WELL, { streamed: [{ taskId: "tsk_1", contextId: CONTEXT, seq: 6, event: { statusUpdate: {} } }] }),
		],
		["I4", "a database that says something else", evidence(WELL, { stored: new Map([[CONTEXT, logOf(ASKED)]]) })],
		["I5", "a reply before its question", evidence([said("ROLE_AGENT", REPLY, "msg_0"), ...ASKED])],
		[
			"I5",
			"a reply to another question",
			evidence([
				...ASKED,
				piece("Mira was asked: #7."),
				said("ROLE_AGENT", "Mira was asked: #7.", "msg_1"),
				status("TASK_STATE_COMPLETED"),
			]),
		],
		[
			"I6",
			"a second reply",
			evidence([...ASKED, ...ANSWERED.slice(0, 2), said("ROLE_AGENT", REPLY, "msg_2"), status("TASK_STATE_COMPLETED")]),
		],
		["I6", "an end without a reply", evidence([...ASKED, status("TASK_STATE_COMPLETED")])],
		["I7", "a task that goes on after its end", evidence([...WELL, status("TASK_STATE_WORKING"), status("TASK_STATE_COMPLETED")])],
		["I8", "a reader who does not agree with the desk", evidence(WELL, { hashes: new Map([[CONTEXT, hashOfLog(logOf(ASKED))]]) })],
		[
			"I9",
			"somebody's conversation given to another",
			evidence(WELL, { sendings: [sending(), sending({ client: "v1", ack: undefined }), sending({ client: "v1" })] }),
		],
		["I9", "words that nobody sent", evidence([...WELL, said("ROLE_USER", "#9.", "v9-1")])],
		["I10", "work that nobody will do", evidence(WELL, { unfinished: ["a row"] })],
		["G-06", "a task that does not end", evidence(ASKED)],
		["G-08", "an answer begun anew without a word", evidence([...ASKED, piece("Mira"), ...ANSWERED])],
		[
			"G-08",
			"an answer that goes on where it broke off",
			evidence([...ASKED, piece("Mira"), interrupted, piece(" was asked: #1.", true), ...ANSWERED.slice(1)]),
		],
		["G-08", "an artifact that is not the reply", evidence([...ASKED, piece("Mira was"), ...ANSWERED.slice(1)])],
	])("finds %s: %s", (rule, _what, given) => {
		expect(rules(breaches(given))).toContain(rule);
	});

	it("takes an answer begun anew that was marked", () => {
		expect(breaches(evidence([...ASKED, piece("Mira"), interrupted, ...ANSWERED]))).toEqual([]);
	});
});

describe("the reading of a trace", () => {
	const line = (text: string): string => `10 ${text}`;
	const asked = line("read(20<TCP:[1]>, ..., 65536) = 200");
	const written = "11 pwrite64(18</d/desk.db-wal>, ..., 4096, 32) = 4096";
	const synced = "11 fdatasync(18</d/desk.db-wal>) = 0";
	const answered = line("write(20<TCP:[1]>, ..., 300) = 300");

	it("sees the log written and synced before the answer", () => {
		expect(answersOf(callsOf([asked, written, synced, answered].join("\n")))).toEqual({ synced: 1, unsynced: 0 });
	});

	it.each([
		["no sync", [asked, written, answered]],
		["the sync before the write", [asked, synced, written, answered]],
		["the sync before the question", [written, synced, asked, answered]],
		["the sync after the answer", [asked, written, answered, synced]],
		["a sync that failed", [asked, written, "11 fdatasync(18</d/desk.db-wal>) = -1 EIO (Input/output error)", answered]],
		[
			"a sync that had not ended",
			[asked, written, "11 fdatasync(18</d/desk.db-wal> <unfinished ...>", answered, "11 <... fdatasync resumed>) = 0"],
		],
		["an answer to somebody else", [asked, line("write(3<socket:[2]>, ..., 41) = 41"), written, answered]],
		["a sync of another file", [asked, written, "11 fdatasync(19</d/desk.db>) = 0", answered]],
	])("sees %s", (_what, lines) => {
		expect(answersOf(callsOf(lines.join("\n")))).toEqual({ synced: 0, unsynced: 1 });
	});
});
