/** What each holder of a private link reads of a conversation that more than one of them opened (LINK-3). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { echoScript, gate, openEngine, type TestEngine, textsOf } from "../../test/engine.js";
import { DATABASES, type StorePlace, storePlace } from "../../test/stores.js";
import type { Desk, Thread } from "./engine.js";

const NO_WAIT = { waitMs: 0 };
const WAIT = { waitMs: 60_000 };
const words = ({ lines }: Thread): string[] => lines.map(({ from, message }) => `${from}: ${message.parts.map((p) => p.text).join("")}`);

describe.each(DATABASES)("private links of one question, on %s", (database) => {
	let place: StorePlace;
	let at: TestEngine;
	let desk: Desk;
	let made = 0;
	/** Another one each time: the same is the same question for a while. */
	let question: string;

	beforeAll(async () => {
		place = await storePlace(database);
		at = await openEngine(place, { maySilence: true });
	});
	afterAll(async () => {
		await at.close();
		await place.remove();
	});
	beforeEach(async () => {
		at.script(echoScript);
		await there(true);
		question = `May I visit? (${++made})`;
	});

	const there = async (isThere: boolean) => {
		desk = await at.engine.owner.changeSettings("mira", { builtInAnswerer: isThere });
	};
	const ask = (wait: { waitMs: number } = WAIT) => at.engine.followUps.ask(desk, question, wait);
	const more = async (key: string, text: string, wait: { waitMs: number } = WAIT) =>
		(await at.engine.followUps.more(desk, key, text, wait)) ?? expect.fail();
	const read = async (key: string, wait: { waitMs: number } = WAIT) => (await at.engine.followUps.read(desk, key, wait)) ?? expect.fail();
	/** Asks for the day, then for a telephone number, then is content. */
	const asking = () => {
		const says = ["Which day?", "And your telephone number?", "Done."];
		at.script(function* () {
			yield { type: "text", text: says.shift() ?? "Done." };
			yield { type: "reply" };
		});
	};

	it("show nobody else what the one who took the conversation answers to the desk's question", async () => {
		asking();
		const [mine, other] = [await ask(), await ask()];
		expect(other.thread).toMatchObject({ state: "asks" });
		expect(words(await more(mine.key, "My secret is Friday"))).toEqual([
			`asker: ${question}`,
			"desk: Which day?",
			"asker: My secret is Friday",
			"desk: And your telephone number?",
		]);
		const late = await ask();
		const seen = [await read(other.key), late.thread];
		expect(words(await more(mine.key, "0123, and it is a secret"))).toHaveLength(6);
		for (const thread of [...seen, await read(other.key), await read(late.key)]) {
			expect(words(thread)).toEqual([`asker: ${question}`, "desk: Which day?"]);
			expect(thread.state).toBe("elsewhere");
			expect(thread.seq).toBe(seen[0]?.seq);
		}
		// Whoever holds another link still gets an answer of their own.
		at.script(echoScript);
		const own = await more(other.key, "Monday would be fine");
		expect(words(own)).toEqual([
			`asker: ${question}`,
			"desk: Which day?",
			"asker: Monday would be fine",
			"desk: You said: Monday would be fine",
		]);
		expect(own.state).toBe("answered");
	});

	it("show it to nobody either who looked just before it was taken", async () => {
		asking();
		const [mine, other] = [await ask(), await ask()];
		const { read: reads } = at.store;
		const look = reads.followUp;
		const held = gate();
		let looks = 0;
		// What the link was at first is known late: everything after it is read when somebody else has taken the conversation.
		reads.followUp = async (...args) => {
			const found = await look(...args);
			if (++looks <= 2) await held.promise;
			return found;
		};
		const reading = read(other.key, NO_WAIT);
		await expect.poll(() => looks).toBe(1);
		reads.followUp = look;
		await more(mine.key, "My secret is Friday");
		held.open();
		expect(words(await reading)).toEqual([`asker: ${question}`, "desk: Which day?"]);
	});

	it("say that there is no answer to read where one was given to somebody else's later words as well", async () => {
		await there(false);
		const [mine, other] = [await ask(), await ask()];
		expect([mine.thread.state, other.thread.state]).toEqual(["kept", "kept"]);
		await more(mine.key, "and my secret");
		await there(true);
		await expect.poll(async () => words(await read(mine.key)).at(-1)).toContain("You said:");
		expect((await read(mine.key)).state).toBe("answered");
		const theirs = await read(other.key);
		expect(words(theirs)).toEqual([`asker: ${question}`]);
		expect(theirs.state).toBe("elsewhere");
		const own = await more(other.key, `${question} Please tell me.`);
		expect([own.state, words(own).at(-1)]).toEqual(["answered", `desk: You said: ${question} Please tell me.`]);
	});

	it("do not call answered what nothing was said to", async () => {
		at.script(function* () {
			yield { type: "no_reply" };
		});
		const [mine, other] = [await ask(), await ask()];
		expect([mine.thread.state, other.thread.state]).toEqual(["silent", "silent"]);
		at.script(echoScript);
		expect((await more(mine.key, "Hello.")).state).toBe("answered");
		expect((await read(other.key)).state).toBe("silent");
	});

	it("say how each kind of ending stands, before and after somebody else has gone on", async () => {
		for (const [ending, before, after] of [
			[{ type: "reply", asks: false }, "answered", "answered"],
			[{ type: "reply", asks: true }, "asks", "elsewhere"],
			[{ type: "needs_authorisation", explanation: "Sign in." }, "authorise", "elsewhere"],
			[{ type: "rejected", explanation: "No." }, "failed", "failed"],
			[{ type: "failed", explanation: "It broke." }, "failed", "failed"],
			[{ type: "message", parts: [{ text: "Bare." }] }, "answered", "answered"],
		] as const) {
			question = `${ending.type} (${++made})`;
			at.script(function* () {
				if (ending.type === "reply") yield { type: "text", text: "Well" };
				yield ending.type === "message" ? { ...ending, parts: [{ text: "Bare." }] } : ending;
			});
			const [mine, other] = [await ask(), await ask()];
			expect([ending.type, other.thread.state]).toEqual([ending.type, before]);
			const seen = words(other.thread);
			at.script(echoScript);
			await more(mine.key, "my secret");
			const thread = await read(other.key);
			expect([ending.type, thread.state, words(thread)]).toEqual([ending.type, after, seen]);
		}
	});

	it("give each line the time at which it was said", async () => {
		const turns = [0, 1].map(() => ({ begun: gate<void>(), answered: gate<void>() }));
		let turn = 0;
		at.script(async function* (asked) {
			const own = turns[turn++] ?? expect.fail();
			own.begun.open();
			await own.answered.promise;
			yield* echoScript(asked, new AbortController().signal);
		});
		const answerAfter = async (ms: number, which: number) => {
			await turns[which]?.begun.promise;
			at.clock.jump(ms);
			turns[which]?.answered.open();
		};
		const begun = at.clock.now();
		const times = (thread: Thread) => thread.lines.map((line) => line.at - begun);
		const [mine, other] = [await ask(NO_WAIT), await ask(NO_WAIT)];
		await answerAfter(5_000, 0);
		for (const { key } of [mine, other]) expect(times(await read(key))).toEqual([0, 5_000]);
		at.clock.jump(60_000);
		await more(mine.key, "more", NO_WAIT);
		await answerAfter(5_000, 1);
		expect(times(await read(mine.key))).toEqual([0, 5_000, 65_000, 70_000]);
		// Read as somebody else's, the times are the same.
		expect(times(await read(other.key))).toEqual([0, 5_000]);
	});

	it("say that earlier words are left out where a conversation is longer than a page", async () => {
		const { key, thread } = await ask();
		expect(thread.earlier).toBe(false);
		const other = await ask();
		const rounds = LIMITS.historyPage / 2;
		for (let i = 1; i < rounds; i++) await more(key, `round ${i}`);
		const full = await read(key);
		expect([full.earlier, full.lines.length]).toEqual([false, LIMITS.historyPage]);
		const over = await more(key, "one more");
		expect([over.earlier, over.lines.length]).toEqual([true, LIMITS.historyPage]);
		expect(words(over)[0]).toBe("asker: round 1");
		// The first question stands before a conversation of one's own, and is left out with its beginning.
		for (let i = 0; i < rounds; i++) await more(other.key, `own ${i}`);
		expect(words(await read(other.key)).slice(0, 3)).toEqual([`asker: ${question}`, `desk: You said: ${question}`, "asker: own 0"]);
		const cut = await more(other.key, "own, one more");
		expect([cut.earlier, words(cut)[0]]).toEqual([true, "asker: own 1"]);
		expect(textsOf(at.turns.at(-1) ?? expect.fail())).toEqual(["own, one more"]);
	});
});
