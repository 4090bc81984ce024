import { expect, test } from "vitest";
import type { Message } from "../../shared/a2a.schema.js";
import { EXTENSIONS } from "../../shared/extensions.js";
import { type Conversation, EMPTY, type OpenTask } from "./conversation.js";
import { message } from "./fakes.js";
import type { Outgoing } from "./outbox.js";
import { rowsOf, tailOf } from "./rows.js";

const MINUTE = 60_000;
const logged = (seq: number, at: number, said: Message) => ({ seq, at, message: said });
const asked = (id: string): Message => message(id, "ROLE_USER", id);
const said = (id: string, metadata?: Message["metadata"]): Message => message(id, "ROLE_AGENT", id, { metadata });
const person = { [EXTENSIONS.humanTakeover]: { by: "human", name: "Mira", signed: "Mira · via phone" } };
const conversation = (more: Partial<Conversation>): Conversation => ({ ...EMPTY, contextId: "ctx1", ...more });
const outgoing = (more: Partial<Outgoing> = {}): Outgoing => ({ messageId: "o1", text: "Hi", at: 0, state: "sending", tries: 0, ...more });
const task = (more: Partial<OpenTask>): OpenTask => ({
	id: "t",
	state: "TASK_STATE_WORKING",
	waitsForOwner: false,
	artifacts: [],
	interrupted: false,
	explanation: "",
	...more,
});

const short = (c: Conversation): unknown[] =>
	rowsOf(c).map((row) => {
		if (row.kind === "message")
			return [row.key, row.author.side, ...(row.first ? ["first"] : []), ...row.reactions, ...(row.delivery ? [row.delivery] : [])];
		return row.kind === "time" ? "time" : row.kind === "mark" ? [row.mark.kind] : [row.outgoing.messageId, row.outgoing.state];
	});

test("gives the face to the first of several lines, and names who speaks", () => {
	const messages = [
		logged(1, 0, asked("q1")),
		logged(2, 1, said("a1")),
		logged(3, 2, said("a2")),
		logged(4, 3, said("p1", person)),
		logged(5, 4, said("a3")),
	];
	expect(short(conversation({ messages }))).toEqual([
		"time",
		["q1", "visitor"],
		["a1", "desk", "first"],
		["a2", "desk"],
		["p1", "person", "first"],
		["a3", "desk", "first"],
	]);
	expect(rowsOf(conversation({ messages }))[4]).toMatchObject({ author: { side: "person", name: "Mira · via phone" } });
});

test("says the time where there was a silence, and nowhere else", () => {
	const messages = [0, 1, 29, 60, 61].map((minute, i) => logged(i + 1, minute * MINUTE, asked(`q${i}`)));
	expect(short(conversation({ messages })).map((row) => (row === "time" ? row : "line"))).toEqual([
		"time",
		"line",
		"line",
		"line",
		"time",
		"line",
		"line",
	]);
});

test("says how far only the visitor's last word has come", () => {
	const messages = [logged(1, 0, asked("q1")), logged(2, 0, said("a1")), logged(3, 0, asked("q2"))];
	expect(short(conversation({ messages })).at(-1)).toEqual(["q2", "visitor", "first", "sent"]);
	expect(short(conversation({ messages, read: { asker: 0, desk: 3 } })).at(-1)).toEqual(["q2", "visitor", "first", "seen"]);
	expect(short(conversation({ messages, outgoing: [outgoing()] })).slice(-2)).toEqual([
		["q2", "visitor", "first"],
		["o1", "sending"],
	]);
});

test("shows of what is on its way only what belongs here", () => {
	const all = [outgoing(), outgoing({ messageId: "o2", contextId: "other" }), outgoing({ messageId: "o3", contextId: "ctx1" })];
	expect(short(conversation({ outgoing: all }))).toEqual([
		["o1", "sending"],
		["o3", "sending"],
	]);
});

test("shows what is on its way also before its conversation has come, but not one that the visitor has left", () => {
	const all = [outgoing({ contextId: "ctx1" }), outgoing({ messageId: "o2", contextId: "old" })];
	const short = rowsOf({ ...EMPTY, left: ["old"], outgoing: all }).map((row) => row.key);
	expect(short).toEqual(["o1"]);
});

test("puts a reaction on the message it is about", () => {
	const reaction = said("r1", { [EXTENSIONS.ackReaction]: { messageId: "q1", emoji: "👍" } });
	expect(short(conversation({ messages: [logged(1, 0, asked("q1")), logged(2, 1, reaction)] }))).toEqual([
		"time",
		["q1", "visitor", "👍", "sent"],
	]);
});

test("puts what was stopped where it was stopped", () => {
	const messages = [logged(1, 0, asked("q1")), logged(9, 1, asked("q2"))];
	expect(short(conversation({ messages, marks: [{ seq: 5, kind: "stopped", text: "Half" }] }))).toEqual([
		"time",
		["q1", "visitor"],
		["stopped"],
		["q2", "visitor", "first", "sent"],
	]);
});

test("the tail says what is going on", () => {
	const result = (text: string) => [{ artifactId: "result", parts: [{ text }] }];
	const tail = (more: Partial<Conversation>, online = true) => tailOf(conversation(more), online);
	expect(tail({})).toEqual({ draft: undefined, interrupted: false, writing: false, waitsForOwner: false, queued: false, explanation: "" });
	expect(tail({ tasks: [task({})] })).toMatchObject({ writing: true, draft: undefined });
	expect(tail({ tasks: [task({ artifacts: result("So far") })] })).toMatchObject({ writing: false, draft: "So far" });
	expect(tail({ tasks: [task({ waitsForOwner: true })] })).toMatchObject({ writing: false, waitsForOwner: true });
	expect(tail({ tasks: [task({})], microphone: "owner" })).toMatchObject({ writing: false });
	expect(tail({ deskTyping: true, microphone: "owner" })).toMatchObject({ writing: true });
	expect(tail({ tasks: [task({ state: "TASK_STATE_SUBMITTED" })] }, false)).toMatchObject({ queued: true, writing: false });
	expect(tail({ tasks: [task({ state: "TASK_STATE_AUTH_REQUIRED", explanation: "Sign in" })] })).toMatchObject({ explanation: "Sign in" });
});
