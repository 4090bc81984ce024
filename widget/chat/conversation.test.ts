import { describe, expect, test } from "vitest";
import type { Artifact, Message, Task } from "../../shared/a2a.schema.js";
import { type ContextState, type LogEvent, stateHash } from "../../shared/channel.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { isTerminal, type TaskState } from "../../shared/task-states.js";
import {
	type Action,
	agrees,
	askingTask,
	beingAnswered,
	type Conversation,
	EMPTY,
	reduce,
	unreadCount,
	wordsSoFar,
} from "./conversation.js";
import { message } from "./fakes.js";
import type { Outgoing } from "./outbox.js";

const C = "ctx1";
const task = (id: string, state: TaskState, more: Partial<Task> = {}): Task => ({ id, contextId: C, status: { state }, ...more });
const status = (taskId: string, state: TaskState, more: { metadata?: Record<string, unknown>; message?: Message } = {}) => ({
	statusUpdate: { taskId, contextId: C, status: { state, message: more.message }, metadata: more.metadata } as NonNullable<
		LogEvent["statusUpdate"]
	>,
});
const piece = (taskId: string, text: string, more: { append?: boolean; lastChunk?: boolean; artifactId?: string } = {}) => {
	const { artifactId = "result", ...rest } = more;
	return { artifactUpdate: { taskId, contextId: C, artifact: { artifactId, parts: [{ text }] } as Artifact, ...rest } };
};
const asked = (id: string, text = id) => ({ message: message(id, "ROLE_USER", text) });
const said = (id: string, text = id, metadata?: Record<string, unknown>) => ({
	message: message(id, "ROLE_AGENT", text, { metadata } as Partial<Message>),
});

/** A log out of its events' contents. */
const log = (...bodies: Partial<LogEvent>[]): LogEvent[] =>
	bodies.map((body, i) => ({ contextId: C, seq: i + 1, at: 1_000 * (i + 1), ...body }));
const play = (before: Conversation, events: readonly LogEvent[]): Conversation =>
	events.reduce((c, event) => reduce(c, { type: "event", event }), before);
const act = (before: Conversation, ...actions: Action[]): Conversation => actions.reduce(reduce, before);
const outgoing = (messageId: string, more: Partial<Outgoing> = {}): Outgoing => ({
	messageId,
	text: messageId,
	at: 0,
	state: "waiting",
	tries: 0,
	...more,
});
const words = (c: Conversation): string[] => c.tasks.map(wordsSoFar);
const ids = (c: Conversation): string[] => c.messages.map((m) => m.message.messageId);

const TURN = log(
	asked("q1"),
	{ task: task("t1", "TASK_STATE_SUBMITTED") },
	status("t1", "TASK_STATE_WORKING"),
	piece("t1", "Once "),
	piece("t1", "upon ", { append: true }),
	piece("t1", "a time", { append: true, lastChunk: true }),
	said("a1", "Once upon a time"),
	status("t1", "TASK_STATE_INPUT_REQUIRED"),
	asked("q2"),
	status("t1", "TASK_STATE_WORKING"),
	said("a2"),
	status("t1", "TASK_STATE_COMPLETED"),
	{ signal: { kind: "microphone", microphone: "owner", name: "Mira" } },
	said("a3", "In person", { [EXTENSIONS.humanTakeover]: { by: "human", name: "Mira" } }),
	{ signal: { kind: "microphone", microphone: "desk" } },
	{ ended: { by: "desk" } },
);

describe("the log", () => {
	test("is read in the order of its numbers", () => {
		const c = play(EMPTY, TURN);
		expect(c).toMatchObject({ contextId: C, seq: 16, microphone: "desk", ended: true, lost: false, tasks: [] });
		expect(ids(c)).toEqual(["q1", "a1", "q2", "a2", "a3"]);
		expect(c.messages.map((m) => m.seq)).toEqual([1, 7, 9, 11, 14]);
	});

	test("holds every number once", () => {
		const doubled = TURN.flatMap((event, i) => [event, ...TURN.slice(Math.max(0, i - 3), i + 1)]);
		expect(play(EMPTY, doubled)).toEqual(play(EMPTY, TURN));
	});

	test("with a number missing is lost, and stays so until it is read anew", () => {
		const broken = play(play(EMPTY, TURN.slice(0, 3)), TURN.slice(4, 8));
		expect(broken).toMatchObject({ lost: true, seq: 3 });
		const state: ContextState = {
			contextId: C,
			seq: 8,
			messages: [],
			more: false,
			tasks: [],
			microphone: "desk",
			read: { asker: 0, desk: 0 },
		};
		expect(reduce(broken, { type: "opened", state })).toMatchObject({ lost: false, seq: 8 });
	});

	test("may come with old pieces folded into one", () => {
		const c = play(play(EMPTY, TURN.slice(0, 3)), [
			{ ...(TURN[5] as LogEvent), from: 4, ...piece("t1", "Once upon a time") },
			...TURN.slice(6),
		]);
		expect(c).toEqual(play(EMPTY, TURN));
	});

	test("may hold what this version does not know", () => {
		const c = play(play(EMPTY, TURN.slice(0, 3)), [
			{ contextId: C, seq: 4, at: 1 },
			{ contextId: C, seq: 5, at: 1, ...said("x") },
		]);
		expect(c).toMatchObject({ seq: 5, lost: false });
	});

	test("of another conversation is not this one's", () => {
		const c = play(EMPTY, TURN.slice(0, 3));
		expect(play(c, [{ contextId: "other", seq: 4, ...said("x") }])).toBe(c);
		const fresh = reduce(c, { type: "fresh" });
		expect(play(fresh, [{ contextId: C, seq: 4, ...said("x") }])).toBe(fresh);
	});

	test("opened at any number and gone on from there is the same as read from the start", () => {
		/** What the server would give at `seq`, worked out apart from the reducer. */
		const stateAt = (seq: number): ContextState => {
			const past = TURN.slice(0, seq);
			const states = new Map<string, TaskState>();
			let text = "";
			for (const e of past) {
				if (e.task) states.set(e.task.id, e.task.status.state);
				if (e.statusUpdate) states.set(e.statusUpdate.taskId, e.statusUpdate.status.state);
				if (e.artifactUpdate) text += e.artifactUpdate.artifact.parts[0]?.text;
				if (e.message?.role === "ROLE_AGENT") text = "";
			}
			const microphones = past.flatMap((e) => (e.signal?.kind === "microphone" ? [e.signal.microphone] : []));
			return {
				contextId: C,
				seq,
				messages: past.flatMap((e) => (e.message ? [{ seq: e.seq as number, at: e.at as number, message: e.message }] : [])),
				more: false,
				tasks: [...states]
					.filter(([, state]) => !isTerminal(state))
					.map(([id, state]) => task(id, state, text ? { artifacts: [{ artifactId: "result", parts: [{ text }] }] } : {})),
				microphone: microphones.at(-1) ?? "desk",
				read: { asker: 0, desk: 0 },
				...(past.some((e) => e.ended) ? { ended: { by: "desk", at: 0 } } : {}),
			};
		};
		for (let seq = 0; seq <= TURN.length; seq++) {
			for (let until = seq; until <= TURN.length; until++) {
				const opened = play(reduce(EMPTY, { type: "opened", state: stateAt(seq) }), TURN.slice(seq, until));
				const whole = play({ ...EMPTY, contextId: C }, TURN.slice(0, until));
				expect(opened, `opened at ${seq}, read to ${until}`).toEqual(whole);
			}
		}
	});
});

describe("an answer on its way", () => {
	test("grows piece by piece, and its message takes its place", () => {
		expect(words(play(EMPTY, TURN.slice(0, 4)))).toEqual(["Once "]);
		expect(words(play(EMPTY, TURN.slice(0, 6)))).toEqual(["Once upon a time"]);
		expect(words(play(EMPTY, TURN.slice(0, 7)))).toEqual([""]);
	});

	test("that comes whole is drawn by its message alone", () => {
		const c = play(EMPTY, log(asked("q"), { task: task("t", "TASK_STATE_WORKING") }, piece("t", "All of it", { lastChunk: true })));
		expect(words(c)).toEqual([""]);
	});

	test("of another task with the same words is not said twice", () => {
		const open = log(asked("q1"), { task: task("t1", "TASK_STATE_WORKING") }, asked("q2"), { task: task("t2", "TASK_STATE_WORKING") });
		const c = play(EMPTY, [
			...open,
			...log(...open, piece("t2", "Both", {}), said("a", "Both"), piece("t1", "Both", { lastChunk: true })).slice(4),
		]);
		expect(words(c)).toEqual(["", ""]);
	});

	test("that was interrupted says so until it is written anew", () => {
		const begun = log(
			asked("q"),
			{ task: task("t", "TASK_STATE_WORKING") },
			piece("t", "Hal"),
			status("t", "TASK_STATE_WORKING", { metadata: { [EXTENSIONS.chat]: { interrupted: true } } }),
		);
		const interrupted = play(EMPTY, begun);
		expect(interrupted.tasks[0]).toMatchObject({ interrupted: true });
		expect(words(interrupted)).toEqual(["Hal"]);
		const again = play(interrupted, [{ contextId: C, seq: 5, ...piece("t", "Again") }]);
		expect(again.tasks[0]).toMatchObject({ interrupted: false });
		expect(words(again)).toEqual(["Again"]);
	});

	test("that the visitor stopped leaves what had been said", () => {
		const c = play(
			EMPTY,
			log(asked("q"), { task: task("t", "TASK_STATE_WORKING") }, piece("t", "Half of"), status("t", "TASK_STATE_CANCELED")),
		);
		expect(c).toMatchObject({ tasks: [], marks: [{ seq: 4, kind: "stopped", text: "Half of" }] });
	});

	test("that could not be finished says what the server says", () => {
		const why = message("s", "ROLE_AGENT", "Try again later");
		const c = play(EMPTY, log(asked("q"), { task: task("t", "TASK_STATE_WORKING") }, status("t", "TASK_STATE_FAILED", { message: why })));
		expect(c.marks).toEqual([{ seq: 3, kind: "failed", text: "Try again later" }]);
	});

	test("an expired question says nothing", () => {
		const c = play(
			EMPTY,
			log(
				asked("q"),
				{ task: task("t", "TASK_STATE_INPUT_REQUIRED") },
				status("t", "TASK_STATE_CANCELED", { message: message("s", "ROLE_AGENT", "Expired") }),
			),
		);
		expect(c).toMatchObject({ tasks: [], marks: [] });
	});
});

describe("what stands open", () => {
	test("names the one task that asks the visitor something", () => {
		expect(askingTask(play(EMPTY, TURN.slice(0, 7)))).toBeUndefined();
		expect(askingTask(play(EMPTY, TURN.slice(0, 8)))).toBe("t1");
		expect(askingTask(play(EMPTY, TURN.slice(0, 10)))).toBeUndefined();
	});

	test("waits for the owner as long as the server says so", () => {
		const waiting = play(
			EMPTY,
			log(
				asked("q"),
				{ task: task("t", "TASK_STATE_SUBMITTED") },
				status("t", "TASK_STATE_WORKING", { metadata: { [EXTENSIONS.ownerWait]: { waitingOn: "owner" } } }),
			),
		);
		expect(waiting.tasks[0]?.waitsForOwner).toBe(true);
		expect(beingAnswered(waiting)).toEqual([]);
		const over = play(waiting, [{ contextId: C, seq: 4, ...status("t", "TASK_STATE_WORKING") }]);
		expect(over.tasks[0]?.waitsForOwner).toBe(false);
		expect(beingAnswered(over)).toHaveLength(1);
	});

	test("is nobody's to stop while the owner speaks", () => {
		const c = play(
			EMPTY,
			log(asked("q"), { task: task("t", "TASK_STATE_WORKING") }, { signal: { kind: "microphone", microphone: "owner" } }),
		);
		expect(beingAnswered(c)).toEqual([]);
	});

	test("the end is taken down by whoever of the desk's side speaks", () => {
		const ended = play(EMPTY, TURN);
		expect(play(ended, [{ contextId: C, seq: 17, ...asked("q3") }]).ended).toBe(true);
		expect(play(ended, [{ contextId: C, seq: 17, ...said("a4") }]).ended).toBe(false);
	});

	test("typing, presence and seen have no number and change no seq", () => {
		const c = play(EMPTY, TURN.slice(0, 7));
		const signals: LogEvent[] = [
			{ contextId: C, signal: { kind: "typing", side: "desk" } },
			{ contextId: C, signal: { kind: "typing", side: "asker" } },
			{ contextId: C, signal: { kind: "seen", side: "desk", seq: 5 } },
			{ contextId: C, signal: { kind: "seen", side: "desk", seq: 2 } },
		];
		expect(play(c, signals)).toEqual({ ...c, deskTyping: true, read: { asker: 0, desk: 5 } });
		expect(reduce(play(c, signals), { type: "typing over" }).deskTyping).toBe(false);
	});

	test("counts what the visitor has not seen of the desk's side", () => {
		const c = play(EMPTY, TURN);
		expect(unreadCount(c)).toBe(3);
		expect(unreadCount(reduce(c, { type: "seen", contextId: C, seq: 11 }))).toBe(1);
		expect(unreadCount(reduce(c, { type: "seen", contextId: "other", seq: 99 }))).toBe(3);
	});
});

describe("the visitor's own messages", () => {
	test("go from waiting to the log without being there twice", () => {
		let c = act(EMPTY, { type: "queued", outgoing: [outgoing("q1")] }, { type: "moved", messageId: "q1", change: { state: "sending" } });
		expect(c.outgoing).toMatchObject([{ state: "sending" }]);
		c = act(c, { type: "accepted", messageId: "q1", contextId: C });
		expect(c).toMatchObject({ contextId: C, seq: 0, outgoing: [{ state: "sent", contextId: C }] });
		c = play(c, TURN.slice(0, 2));
		expect(c.outgoing).toEqual([]);
		expect(ids(c)).toEqual(["q1"]);
	});

	test("may be in the log before the send is answered", () => {
		const c = play(act(EMPTY, { type: "queued", outgoing: [outgoing("q1", { state: "sending" })] }), TURN.slice(0, 2));
		expect(act(c, { type: "accepted", messageId: "q1", contextId: C })).toBe(c);
		expect(c).toMatchObject({ contextId: C, seq: 2, outgoing: [] });
	});

	test("that the log holds already are not queued again", () => {
		const c = play(EMPTY, TURN.slice(0, 2));
		expect(act(c, { type: "queued", outgoing: [outgoing("q1"), outgoing("q9")] }).outgoing.map((o) => o.messageId)).toEqual(["q9"]);
	});

	test("are kept when another conversation begins", () => {
		const c = act(play(EMPTY, TURN), { type: "queued", outgoing: [outgoing("q9", { contextId: C })] }, { type: "fresh" });
		expect(c.contextId).toBeUndefined();
		expect(c).toMatchObject({ seq: 0, messages: [], left: [C], outgoing: [{ messageId: "q9", contextId: C }] });
		expect(act(c, { type: "accepted", messageId: "q9", contextId: C }).contextId).toBeUndefined();
	});
});

test("older messages go before the others, each once", () => {
	const c = play({ ...EMPTY, contextId: C, seq: 10 }, [{ contextId: C, seq: 11, at: 1, ...said("a11") }]);
	const older = [
		{ seq: 9, at: 0, message: message("a9", "ROLE_AGENT", "") },
		{ seq: 11, at: 0, message: message("a11", "ROLE_AGENT", "") },
	];
	expect(ids(reduce(c, { type: "history", contextId: C, messages: older, more: false }))).toEqual(["a9", "a11"]);
	expect(reduce(c, { type: "history", contextId: "other", messages: older, more: false })).toBe(c);
});

test("agrees with a server that holds the same, and with none that holds anything else", () => {
	const c = play(EMPTY, TURN.slice(0, 9));
	const hash = stateHash({
		seq: 9,
		lastMessage: { seq: 9, messageId: "q2" },
		openTasks: [{ id: "t1", state: "TASK_STATE_INPUT_REQUIRED" }],
		microphone: "desk",
	});
	expect(agrees(c, { contexts: [{ contextId: C, seq: 9, hash }] })).toBe(true);
	expect(agrees(c, { contexts: [{ contextId: C, seq: 10, hash }] })).toBe(false);
	expect(agrees(c, { contexts: [{ contextId: C, seq: 9, hash: "00000000" }] })).toBe(false);
	expect(agrees(c, { contexts: [{ contextId: "other", seq: 1, hash: "00000000" }] })).toBe(true);
});
