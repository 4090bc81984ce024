import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { EXTENSIONS } from "../../shared/extensions.js";
import { LIMITS } from "../../shared/limits.js";
import { type Asked, echoScript, gate, type LogLine, openEngine, type Script, type TestEngine, textsOf } from "../../test/engine.js";
import { rejection } from "../../test/refusal.js";
import { DATABASES, type StorePlace, storePlace } from "../../test/stores.js";
import type { Caller, Desk } from "../engine/engine.js";

const states = (lines: Asked[], taskId: string): string[] =>
	lines.flatMap((l) => (l.statusUpdate?.taskId === taskId ? [l.statusUpdate.status.state.slice(11)] : []));
const words = (task: Asked): string =>
	task.artifacts
		?.find((a: Asked) => a.artifactId === "result")
		?.parts.map((p: Asked) => p.text)
		.join("") ?? "";

describe.each(DATABASES)("a conversation on %s", (database) => {
	let place: StorePlace;
	let desk: TestEngine;
	beforeAll(async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
	});
	afterEach(() => {
		desk.script(function* (turn) {
			yield { type: "text", text: `You said: ${textsOf(turn).join(" | ")}` };
			yield { type: "reply" };
		});
	});
	afterAll(async () => {
		await desk.close();
		await place.remove();
	});

	it("makes a task of a first message and completes it, in one gapless log", async () => {
		const sent = await desk.send(desk.nobody, "hello");
		const me = { ...desk.nobody, principal: sent.principal };
		await desk.engine.answer(me, await desk.desk(), sent, { waitMs: 60_000 });
		const task = await desk.task(me, sent.taskId);
		expect(task.status.state).toBe("TASK_STATE_COMPLETED");
		expect(words(task)).toBe("You said: hello");
		expect(task.history.map((m: Asked) => m.role)).toEqual(["ROLE_USER", "ROLE_AGENT"]);
		expect(task.status.message).toBeUndefined();
		const log = await desk.log(me, sent.contextId);
		expect(log.map((l) => l.seq)).toEqual(log.map((_, i) => i + 1));
		expect(log.map((l) => Object.keys(l).find((k) => !["contextId", "seq", "at"].includes(k)))).toEqual([
			"message",
			"task",
			"statusUpdate",
			"artifactUpdate",
			"message",
			"statusUpdate",
		]);
		expect(states(log, sent.taskId)).toEqual(["WORKING", "COMPLETED"]);
	});

	it("gives a guest made by a send a token that finds its tasks again", async () => {
		const sent = await desk.send(desk.nobody, "hello");
		const principal = await desk.engine.identify(sent.guestToken ?? "", await desk.desk());
		expect(principal?.uid).toBe(sent.principal.uid);
		expect(JSON.parse(sent.task).metadata.eolGuestToken).toBe(sent.guestToken);
	});

	it("answers a send that waits with what GetTask reads, to the last member", async () => {
		const me = await desk.caller();
		desk.script(async function* (turn) {
			yield { type: "text", text: "In " };
			yield { type: "artifact", artifactId: "data", name: "numbers", parts: [{ data: [1, null] }] };
			yield { type: "text", text: `pieces${textsOf(turn)[0]}` };
			yield { type: "reply" };
		});
		for (const text of ["?", "."]) {
			const asked = await desk.ask(me, text, { metadata: { "urn:x": { kept: true } } });
			expect(asked).toEqual(await desk.task(me, asked.id));
		}
		const d = await desk.desk();
		for (const historyLength of [0, 1, 2]) {
			const sent = await desk.send(me, "short");
			const { json } = await desk.engine.answer(me, d, sent, { waitMs: 60_000, historyLength });
			expect(JSON.parse(json)).toEqual(JSON.parse(await desk.engine.getTask(me, d, sent.taskId, historyLength)));
		}
	});

	it("waits for its caller when the reply asks, goes on with the answer, and never moves back in time", async () => {
		const me = await desk.caller();
		desk.script(function* () {
			yield { type: "text", text: "Which day suits you?" };
			yield { type: "reply" };
		});
		const asked = await desk.ask(me, "book me");
		expect(asked.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
		desk.script(function* () {
			yield { type: "text", text: "Booked." };
			yield { type: "reply" };
		});
		const done = await desk.ask(me, "Friday", { taskId: asked.id, contextId: asked.contextId });
		expect(done.id).toBe(asked.id);
		expect(done.status.state).toBe("TASK_STATE_COMPLETED");
		expect(words(done)).toBe("Booked.");
		expect(done.history).toHaveLength(4);
		const log = await desk.log(me, asked.contextId);
		expect(states(log, asked.id)).toEqual(["WORKING", "INPUT_REQUIRED", "WORKING", "COMPLETED"]);
		const times = log.flatMap((l) => (l.statusUpdate ? [l.statusUpdate.status.timestamp] : []));
		expect([...new Set(times)].sort()).toEqual(times);
	});

	it("refuses a message into a task that has ended, and starts a new task in the same context", async () => {
		const me = await desk.caller();
		const first = await desk.ask(me, "one");
		expect((await rejection(desk.send(me, "two", { taskId: first.id }))).code).toBe("unsupported_operation");
		const second = await desk.ask(me, "two", { contextId: first.contextId });
		expect(second.contextId).toBe(first.contextId);
		expect(second.id).not.toBe(first.id);
	});

	it("takes the same message once, whatever the door, the order and the number of tries", async () => {
		const me = await desk.caller();
		const tries = await Promise.all(Array.from({ length: 50 }, () => desk.send(me, "only once", { messageId: "same" })));
		expect(new Set(tries.map((t) => t.taskId)).size).toBe(1);
		expect(tries.filter((t) => !t.attached)).toHaveLength(1);
		const later = await desk.send(me, "only once", { messageId: "same" });
		expect(later.attached).toBe(true);
		const log = await desk.log(me, later.contextId);
		expect(log.filter((l) => l.message?.role === "ROLE_USER")).toHaveLength(1);
		expect((await rejection(desk.send(me, "something else", { messageId: "same" }))).code).toBe("idempotency_conflict");
		const other = await desk.send(await desk.caller(), "something else", { messageId: "same" });
		expect(other.attached).toBe(false);
	});

	it("scopes the key of a continuation to its task", async () => {
		const me = await desk.caller();
		desk.script(function* () {
			yield { type: "text", text: "Which one?" };
			yield { type: "reply" };
		});
		const a = await desk.ask(me, "a");
		const b = await desk.ask(me, "b");
		const first = await desk.send(me, "this", { taskId: a.id, messageId: "cont" });
		const other = await desk.send(me, "this", { taskId: b.id, messageId: "cont" });
		const again = await desk.send(me, "this", { taskId: a.id, messageId: "cont" });
		expect([first.attached, other.attached, again.attached]).toEqual([false, false, true]);
	});

	it("answers what is not the caller's as what is not there", async () => {
		const mine = await desk.ask(await desk.caller(), "mine");
		const d = await desk.desk();
		// The owner's own key is no more than a caller's at their own desk.
		const owner = await desk.engine.identify(await desk.engine.owner.createKey("mira", "own"), d);
		for (const stranger of [await desk.caller(), { ...desk.nobody, principal: owner ?? null }]) await sameAnswers(stranger, mine, d);
	});

	async function sameAnswers(stranger: Caller, mine: Asked, d: Desk): Promise<void> {
		const gone = { task: "tsk_00000000000000000000000000", context: "ctx_00000000000000000000000000" };
		const calls: ((task: string, context: string) => Promise<unknown>)[] = [
			(task) => desk.engine.getTask(stranger, d, task),
			(task) => desk.engine.cancelTask(stranger, d, task),
			(task) => desk.engine.subscribe(stranger, d, task, { signal: new AbortController().signal }),
			(task) => desk.send(stranger, "x", { taskId: task }),
			(_, context) => desk.send(stranger, "x", { contextId: context }),
			(_, context) => desk.engine.history(stranger, d, context, 100, 10),
			(_, context) => desk.engine.events(stranger, d, { contextId: context, after: 0, limit: 10, waitMs: 0 }),
			(_, context) => desk.engine.seen(stranger, d, context, 1),
		];
		for (const call of calls) {
			expect((await rejection(call(mine.id, mine.contextId))).toWire()).toEqual((await rejection(call(gone.task, gone.context))).toWire());
		}
		expect(await desk.engine.openContext(stranger, d, mine.contextId)).toBeUndefined();
		expect(
			JSON.parse(await desk.engine.listTasks(stranger, d, { pageSize: 10, includeArtifacts: true, contextId: mine.contextId })).tasks,
		).toEqual([]);
	}

	it("runs one turn at a time and answers what came meanwhile in the next, closing every task it covers", async () => {
		const me = await desk.caller();
		const hold = gate();
		desk.script(async function* () {
			await hold.promise;
			yield { type: "text", text: "first" };
			yield { type: "reply" };
		});
		const a = await desk.send(me, "a");
		const d = await desk.desk();
		const [b, c] = [await desk.send(me, "b", { contextId: a.contextId }), await desk.send(me, "c", { contextId: a.contextId })];
		expect([b.state, c.state]).toEqual(["TASK_STATE_SUBMITTED", "TASK_STATE_SUBMITTED"]);
		const before = desk.turns.length;
		desk.script(function* (turn) {
			yield { type: "text", text: textsOf(turn).join("+") };
			yield { type: "reply" };
		});
		hold.open();
		await desk.engine.answer(me, d, c, { waitMs: 60_000 });
		await desk.engine.answer(me, d, b, { waitMs: 60_000 });
		expect(desk.turns.length).toBe(before + 1);
		const [taskB, taskC] = [await desk.task(me, b.taskId), await desk.task(me, c.taskId)];
		expect([words(taskB), words(taskC)]).toEqual(["b+c", "b+c"]);
		expect(taskB.metadata.answeredIn).toBe(c.taskId);
		expect(taskC.metadata?.answeredIn).toBeUndefined();
	});

	it("cancels a running task, refuses what its turn still writes, and leaves the others to the next claim", async () => {
		const me = await desk.caller();
		const begun = gate();
		const hold = gate();
		let aborted = false;
		desk.script(async function* (_turn, signal) {
			signal.addEventListener("abort", () => {
				aborted = true;
			});
			begun.open();
			await hold.promise;
			yield { type: "text", text: "too late" };
			yield { type: "reply" };
		});
		const a = await desk.send(me, "a");
		await begun.promise;
		desk.script(function* (turn) {
			yield { type: "text", text: textsOf(turn).join("+") };
			yield { type: "reply" };
		});
		const d = await desk.desk();
		const b = await desk.send(me, "b", { contextId: a.contextId });
		const canceled = JSON.parse(await desk.engine.cancelTask(me, d, a.taskId));
		expect(canceled.status.state).toBe("TASK_STATE_CANCELED");
		expect(aborted).toBe(true);
		await desk.engine.answer(me, d, b, { waitMs: 60_000 });
		hold.open();
		const again = JSON.parse(await desk.engine.cancelTask(me, d, a.taskId));
		expect(again).toEqual(canceled);
		expect((await rejection(desk.engine.cancelTask(me, d, b.taskId))).code).toBe("task_not_cancelable");
		const log = await desk.log(me, a.contextId);
		expect(JSON.stringify(log)).not.toContain("too late");
		expect(states(log, a.taskId)).toEqual(["WORKING", "CANCELED"]);
	});

	it.each([false, true])(
		"marks what had been said to the other of two questions when one is canceled (a third one waits: %s)",
		async (third) => {
			const me = await desk.caller();
			const d = await desk.desk();
			const hold = gate();
			desk.script(async function* () {
				await hold.promise;
				yield { type: "text", text: "first" };
				yield { type: "reply" };
			});
			const first = await desk.send(me, "a");
			const b = await desk.send(me, "b", { contextId: first.contextId });
			const c = await desk.send(me, "c", { contextId: first.contextId });
			const said = gate();
			desk.script(async function* (_turn, signal) {
				yield { type: "text", text: "half of" };
				said.open();
				await new Promise((resolve) => signal.addEventListener("abort", resolve));
			});
			hold.open();
			await said.promise;
			const pieces = async (): Promise<LogLine[]> =>
				(await desk.log(me, first.contextId)).filter((e) => e.artifactUpdate?.taskId === c.taskId);
			while ((await pieces()).length === 0) {
				desk.clock.turn(10);
				await new Promise((resolve) => setImmediate(resolve));
			}
			desk.script(echoScript);
			const last = third ? await desk.send(me, "d", { contextId: first.contextId }) : c;
			await desk.engine.cancelTask(me, d, b.taskId);
			await desk.engine.answer(me, d, last, { waitMs: 60_000 });
			const log = await desk.log(me, first.contextId);
			const marks = log.filter((e) => e.statusUpdate?.taskId === c.taskId && e.statusUpdate.metadata?.[EXTENSIONS.chat]?.interrupted);
			expect(marks).toHaveLength(1);
			const [half, whole] = (await pieces()).filter((e) => !e.artifactUpdate.append);
			expect(half.seq).toBeLessThan(marks[0].seq);
			expect(whole.seq).toBeGreaterThan(marks[0].seq);
		},
	);

	it("lets nothing of the agent's into the log once the owner has the microphone, and answers after hand-back", async () => {
		const me = await desk.caller();
		const begun = gate();
		const hold = gate();
		desk.script(async function* () {
			begun.open();
			await hold.promise;
			yield { type: "text", text: "too late" };
			yield { type: "reply" };
		});
		const a = await desk.send(me, "a");
		await begun.promise;
		await desk.engine.owner.takeMicrophone("mira", a.contextId);
		const taken = (await desk.log(me, a.contextId)).length;
		hold.open();
		const b = await desk.send(me, "b", { contextId: a.contextId });
		expect(b.state).toBe("TASK_STATE_SUBMITTED");
		desk.script(function* (turn) {
			yield { type: "text", text: textsOf(turn).join("+") };
			yield { type: "reply" };
		});
		await desk.engine.owner.handBack("mira", a.contextId);
		await desk.engine.answer(me, await desk.desk(), b, { waitMs: 60_000 });
		const log = await desk.log(me, a.contextId);
		const signals = log.filter((l) => l.signal);
		expect(signals.map((l) => l.signal.microphone)).toEqual(["owner", "desk"]);
		const between = log.filter((l) => l.seq > taken && l.seq < (signals[1]?.seq ?? 0));
		expect(between.every((l) => l.message?.role !== "ROLE_AGENT" && !l.artifactUpdate)).toBe(true);
		expect(JSON.stringify(log)).not.toContain("too late");
		expect(words(await desk.task(me, a.taskId))).toBe("a+b");
	});

	it("streams the first piece at once, then what has gathered, then just the rest", async () => {
		const me = await desk.caller();
		const [one, two] = [gate(), gate()];
		desk.script(async function* () {
			yield { type: "text", text: "Once " };
			await one.promise;
			yield { type: "text", text: "upon " };
			yield { type: "text", text: "a " };
			await two.promise;
			yield { type: "text", text: "time." };
			yield { type: "reply" };
		});
		const sent = await desk.send(me, "tell");
		const pieces: Asked[] = [];
		for await (const { json } of desk.engine.followSent(me, await desk.desk(), sent, { signal: new AbortController().signal })) {
			const event = JSON.parse(json);
			if (event.statusUpdate?.status.state === "TASK_STATE_WORKING") desk.clock.turn(0);
			if (!event.artifactUpdate) continue;
			pieces.push(event.artifactUpdate);
			if (pieces.length === 1) {
				one.open();
				await new Promise((resolve) => setImmediate(resolve));
				desk.clock.turn(LIMITS.pieceGapMs);
			}
			if (pieces.length === 2) two.open();
		}
		expect(pieces.map((p) => p.artifact.parts[0].text)).toEqual(["Once ", "upon a ", "time."]);
		expect(pieces.map((p) => [p.append ?? false, p.lastChunk ?? false])).toEqual([
			[false, false],
			[true, false],
			[true, true],
		]);
		expect(words(await desk.task(me, sent.taskId))).toBe("Once upon a time.");
	});

	it("folds the pieces of an old answer into one, which a reader in their midst gets whole", async () => {
		const me = await desk.caller();
		const d = await desk.desk();
		const steps = Array.from({ length: 3 }, () => gate());
		desk.script(async function* () {
			for (const [i, step] of steps.entries()) {
				yield { type: "text", text: `${i} ` };
				await step.promise;
			}
			yield { type: "reply" };
		});
		const sent = await desk.send(me, "tell");
		let pieces = 0;
		for await (const { json } of desk.engine.followSent(me, d, sent, { signal: new AbortController().signal })) {
			if (json.includes("TASK_STATE_WORKING")) desk.clock.turn(0);
			if (!json.includes("artifactUpdate")) continue;
			steps[pieces++]?.open();
			await new Promise((resolve) => setImmediate(resolve));
			desk.clock.turn(LIMITS.pieceGapMs);
		}
		const before = await desk.task(me, sent.taskId);
		const log = await desk.log(me, sent.contextId);
		const chunks = log.filter((l) => l.artifactUpdate);
		expect(chunks.length).toBeGreaterThan(2);
		const { conversationId } = (await desk.engine.openContext(me, d, sent.contextId)) ?? { conversationId: 0 };
		let folded = false;
		desk.clock.turn(LIMITS.chunkRowsMs);
		const look = (async () => {
			while (!folded) {
				folded = (await desk.store.read.events(conversationId, 0, 1_000, 1e6)).length < log.length;
				await new Promise((resolve) => setImmediate(resolve));
			}
		})();
		await desk.pass(10_000, () => folded);
		await look;
		expect(await desk.task(me, sent.taskId)).toEqual(before);
		const { events } = await desk.engine.events(me, d, { contextId: sent.contextId, after: chunks[0]?.seq, limit: 100, waitMs: 0 });
		const whole = JSON.parse(events[0] ?? "");
		expect(whole).toMatchObject({
			from: chunks[0]?.seq + 1,
			seq: chunks.at(-1)?.seq,
			artifactUpdate: { artifact: { parts: [{ text: "0 1 2 " }] }, lastChunk: true },
		});
		expect(whole.artifactUpdate.append).toBeUndefined();
	});

	it("expires what waited for its caller a day", async () => {
		const me = await desk.caller();
		desk.script(function* () {
			yield { type: "text", text: "Which one?" };
			yield { type: "reply" };
		});
		const asked = await desk.ask(me, "a");
		expect(asked.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
		const d = await desk.desk();
		const stream = await desk.engine.subscribe(me, d, asked.id, { signal: new AbortController().signal });
		const seen: Asked[] = [];
		let over = false;
		const read = (async () => {
			for await (const { json } of stream) seen.push(JSON.parse(json));
			over = true;
		})();
		desk.clock.turn(LIMITS.interruptedTaskMs);
		await desk.pass(1_000, () => over);
		await read;
		expect(seen.at(-1).statusUpdate.status).toMatchObject({
			state: "TASK_STATE_CANCELED",
			message: { parts: [{ text: "Expired: no answer within 24 hours" }] },
		});
	});

	it("gives a person who wrote a reply, and lets an agent hear nothing", async () => {
		desk.script(function* () {
			yield { type: "text", text: "thinking aloud" };
			yield { type: "no_reply" };
		});
		const agent = await desk.ask(await desk.caller(), "fyi");
		expect(agent.status.state).toBe("TASK_STATE_COMPLETED");
		expect(agent.artifacts).toBeUndefined();
		expect(agent.history).toHaveLength(1);
		const person = await desk.ask(await desk.caller({ channel: "embed" }), "hello?");
		expect(person.history.at(-1).role).toBe("ROLE_AGENT");
	});

	it("takes words after the do-not-disturb sign, wakes nobody and completes at once", async () => {
		const me = await desk.caller();
		desk.script(function* () {
			yield { type: "text", text: "That is all." };
			yield { type: "end_conversation" };
		});
		const last = await desk.ask(me, "again and again");
		expect(last.status).toMatchObject({
			state: "TASK_STATE_COMPLETED",
			message: { parts: [{ text: "Mira's agent ended this conversation" }] },
		});
		const turns = desk.turns.length;
		const later = await desk.ask(me, "hello?", { contextId: last.contextId });
		expect(later.status.state).toBe("TASK_STATE_COMPLETED");
		expect(later.history).toHaveLength(1);
		expect(desk.turns.length).toBe(turns);
		expect((await desk.engine.openContext(me, await desk.desk(), last.contextId))?.state.ended?.by).toBe("desk");
	});

	it("keeps a message while nobody is there, and answers it when somebody is", async () => {
		const me = await desk.caller();
		await desk.engine.owner.changeSettings("mira", { builtInAnswerer: false });
		const sent = await desk.send(me, "anybody there");
		expect(sent.state).toBe("TASK_STATE_SUBMITTED");
		expect((await desk.task(me, sent.taskId)).status.state).toBe("TASK_STATE_SUBMITTED");
		await desk.engine.owner.changeSettings("mira", { builtInAnswerer: true });
		const answered = await desk.engine.answer(me, await desk.desk(), sent, { waitMs: 60_000 });
		expect(JSON.parse(answered.json).status.state).toBe("TASK_STATE_COMPLETED");
	});

	it("fails a task whose answerer breaks, without a word of why to the caller", async () => {
		const me = await desk.caller();
		desk.script(() => {
			throw new Error("secret cause");
		});
		const task = await desk.ask(me, "a");
		expect(task.status.state).toBe("TASK_STATE_FAILED");
		expect(JSON.stringify(task)).not.toContain("secret cause");
	});

	it("lists a caller's tasks newest first, by a cursor that is good for nothing else", async () => {
		const me = await desk.caller();
		const d = await desk.desk();
		const ids: string[] = [];
		for (let i = 0; i < 7; i++) ids.unshift((await desk.ask(me, `task ${i}`)).id);
		const seen: string[] = [];
		let pageToken = "";
		do {
			const page = JSON.parse(
				await desk.engine.listTasks(me, d, { pageSize: 3, includeArtifacts: false, ...(pageToken ? { pageToken } : {}) }),
			);
			expect(page).toMatchObject({ pageSize: 3, totalSize: 7 });
			seen.push(...page.tasks.map((t: Asked) => t.id));
			pageToken = page.nextPageToken;
			if (pageToken) {
				const bad = await rejection(
					desk.engine.listTasks(me, d, { pageSize: 3, includeArtifacts: false, state: "TASK_STATE_COMPLETED", pageToken }),
				);
				expect(bad.code).toBe("invalid_params");
				const stranger = await rejection(
					desk.engine.listTasks(await desk.caller(), d, { pageSize: 3, includeArtifacts: false, pageToken }),
				);
				expect(stranger.toWire()).toEqual(bad.toWire());
			}
		} while (pageToken);
		expect(seen).toEqual(ids);
		const filtered = JSON.parse(await desk.engine.listTasks(me, d, { pageSize: 10, includeArtifacts: true, state: "TASK_STATE_CANCELED" }));
		expect(filtered).toEqual({ tasks: [], nextPageToken: "", pageSize: 10, totalSize: 0 });
	});

	it("marks a guest's words as seen, never back and never past the log", async () => {
		const me = await desk.caller();
		const task = await desk.ask(me, "a");
		const d = await desk.desk();
		const seen: number[] = [];
		const open = await desk.engine.openContext(me, d, task.contextId);
		const off = desk.engine.onSignal(open?.conversationId ?? 0, (json) => seen.push(JSON.parse(json).signal.seq));
		for (const seq of [3, 2, 1_000_000]) await desk.engine.seen(me, d, task.contextId, seq);
		off();
		expect(seen).toEqual([3, open?.state.seq]);
	});

	it("shuts a guest out whose tokens were revoked", async () => {
		const sent = await desk.send(desk.nobody, "hello");
		const d = await desk.desk();
		expect(await desk.engine.identify(sent.guestToken ?? "", d)).toBeDefined();
		const out: unknown[] = [];
		const off = desk.engine.onShutOut((who) => out.push(who));
		await desk.engine.owner.revokeGuest("mira", sent.principal.uid);
		off();
		expect(await desk.engine.identify(sent.guestToken ?? "", d)).toBeUndefined();
		expect(out).toEqual([{ principalId: sent.principal.id }]);
	});
});

describe.each(DATABASES)("a process that dies on %s", (database) => {
	let place: StorePlace;
	let desk: TestEngine;
	afterEach(async () => {
		await desk.close();
		await place.remove();
	});
	const again = async (script: Script): Promise<void> => {
		const { clock } = desk;
		await desk.crash();
		// Where other processes may write, a claim is void only when its lease has run out.
		clock.turn(LIMITS.turnLeaseMs + 1);
		desk = await openEngine(place, { clock, script });
	};

	it("leaves a turn that another claim begins anew: the part is marked, then replaced, never joined", async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
		const me = await desk.caller();
		desk.script(async function* () {
			yield { type: "text", text: "Half of an ans" };
			await new Promise(() => undefined);
		});
		const sent = await desk.send(me, "a");
		for await (const { json } of desk.engine.followSent(me, await desk.desk(), sent, { signal: new AbortController().signal })) {
			if (json.includes("TASK_STATE_WORKING")) desk.clock.turn(0);
			if (json.includes("Half of")) break;
		}
		const { clock } = desk;
		await desk.crash();
		clock.turn(LIMITS.turnLeaseMs + 1);
		const hold = gate();
		desk = await openEngine(place, {
			clock,
			async *script() {
				await hold.promise;
				yield { type: "text", text: "A whole answer." };
				yield { type: "reply" };
			},
		});
		hold.open();
		const answered = await desk.engine.answer(
			me,
			await desk.desk(),
			await desk.send(me, "a", { messageId: "again", contextId: sent.contextId }),
			{ waitMs: 60_000 },
		);
		expect(answered.kind).toBe("task");
		const task = await desk.task(me, sent.taskId);
		expect(task.status.state).toBe("TASK_STATE_COMPLETED");
		expect(words(task)).not.toContain("Half");
		const log = await desk.log(me, sent.contextId);
		expect(log.some((l) => JSON.stringify(l.statusUpdate?.metadata ?? {}).includes('"interrupted":true'))).toBe(true);
	});

	it("parks a turn that took its process down three times, and answers the others", async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
		const me = await desk.caller();
		const poison: Script = async function* () {
			await new Promise(() => undefined);
		};
		desk.script(poison);
		const sent = await desk.send(me, "poison");
		await again(poison);
		await again(poison);
		await again(poison);
		const task = await desk.task(me, sent.taskId);
		expect(task.status.state).toBe("TASK_STATE_FAILED");
		expect(task.status.message.parts[0].text).toContain("set aside");
		desk.script(function* () {
			yield { type: "text", text: "fine" };
			yield { type: "reply" };
		});
		expect(words(await desk.ask(me, "next", { contextId: sent.contextId }))).toBe("fine");
	});

	it("answers whoever was under way beside a turn that took the process down three times", async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
		const [poisoner, other] = [await desk.caller(), await desk.caller()];
		const hang: Script = async function* () {
			await new Promise(() => undefined);
		};
		desk.script(hang);
		const poison = await desk.send(poisoner, "poison");
		const fine = await desk.send(other, "fine");
		await again(hang);
		await again(hang);
		await again((turn) =>
			textsOf(turn).includes("poison") ? hang(turn, new AbortController().signal) : echoScript(turn, new AbortController().signal),
		);
		const d = await desk.desk();
		await desk.engine.answer(other, d, await desk.send(other, "more", { contextId: fine.contextId }), { waitMs: 60_000 });
		expect((await desk.task(other, fine.taskId)).status.state).toBe("TASK_STATE_COMPLETED");
		expect((await desk.task(poisoner, poison.taskId)).status.state).toBe("TASK_STATE_FAILED");
	});

	it("takes up all turns of a process that died, however many", async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
		const me = await desk.caller();
		desk.script(async function* () {
			await new Promise(() => undefined);
		});
		const account: typeof me = { ...me, principal: me.principal && { ...me.principal, kind: "account" } };
		const sends = await Promise.all(Array.from({ length: 205 }, (_, i) => desk.send(account, `question ${i}`)));
		await again(echoScript);
		const d = await desk.desk();
		for (const sent of sends) {
			const answered = await desk.engine.answer(account, d, sent, { waitMs: 60_000 });
			expect(answered).toMatchObject({ kind: "task", state: "TASK_STATE_COMPLETED" });
		}
	});

	it("ends what a message that was on its way begins, before it stops", async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
		const me = await desk.caller();
		const { contextId } = await desk.ask(me, "a");
		const d = await desk.desk();
		const saying = (text: string, context: object): ReturnType<typeof desk.send> =>
			desk.engine.send(me, d, { messageId: text, role: "ROLE_USER", parts: [{ text }], ...context }, {});
		const sends = [saying("b", {}), saying("c", { contextId })];
		await desk.engine.stop(60_000);
		for (const sent of sends) expect((await desk.task(me, (await sent).taskId)).status.state).toBe("TASK_STATE_COMPLETED");
	});

	it("claims a turn that was handed over before one that waits behind it, and marks what it had said", async () => {
		place = await storePlace(database);
		desk = await openEngine(place);
		const me = await desk.caller();
		desk.script(async function* () {
			yield { type: "text", text: "Half of" };
			await new Promise(() => undefined);
		});
		const sent = await desk.send(me, "a");
		await desk.send(me, "b", { contextId: sent.contextId });
		while (!(await desk.log(me, sent.contextId)).some((e) => e.artifactUpdate)) {
			desk.clock.turn(10);
			await new Promise((resolve) => setImmediate(resolve));
		}
		const stopped = desk.engine.stop(0);
		desk.clock.turn(0);
		await stopped;
		const { store, clock } = desk;
		const [first, second] = await store.read.dueTurns(clock.now(), 10);
		const lease = { claim: "clm_one", leaseUntil: clock.now() + 1_000 };
		const claim = (turnUid = ""): ReturnType<typeof store.write<"claimTurn">> =>
			store.write("claimTurn", { turnUid, ...lease, orphaned: false, now: clock.now() });
		expect((await claim(second?.uid)).claimed).toBeUndefined();
		const more = await store.write("sendMessage", {
			deskId: (await desk.desk()).row.id,
			callerId: me.principal?.id ?? null,
			guest: true,
			message: { messageId: "c", role: "ROLE_USER", parts: [{ text: "c" }] },
			hash: "c",
			scope: "desk",
			contextUid: sent.contextId,
			ids: { task: "tsk_c", context: "ctx_c", turn: "trn_c" },
			provenance: { channel: "a2a" },
			claim: lease,
			limits: LIMITS,
			now: clock.now(),
		});
		expect(more.turn).toBeUndefined();
		const { claimed, events } = await claim(first?.uid);
		expect(claimed?.covered).toHaveLength(3);
		expect(events.filter((e) => e.body.includes('"interrupted":true')).map((e) => e.taskId)).toEqual([sent.taskId]);
		await desk.crash();
	});
});
