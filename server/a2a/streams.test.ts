import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.js";
import { openTestDesk, type TestDesk } from "../../test/desk.js";
import type { Answerer, Ending, Piece } from "../engine/ports.js";

/** Says what it is told to, when it is told to: one open turn a word of the question. */
class Told implements Answerer {
	readonly name = "told";
	readonly inProcess = true;
	readonly maySilence = false;
	private readonly open = new Map<string, { said: (Piece | Ending)[]; wake: () => void; stopped: boolean }>();

	private turn(word: string) {
		let turn = this.open.get(word);
		if (!turn) {
			turn = { said: [], wake: () => undefined, stopped: false };
			this.open.set(word, turn);
		}
		return turn;
	}

	say(word: string, ...said: (Piece | Ending)[]): void {
		const turn = this.turn(word);
		turn.said.push(...said);
		turn.wake();
	}

	async *answer({ incoming }: Parameters<Answerer["answer"]>[0], signal: AbortSignal): AsyncGenerator<Piece | Ending> {
		const turn = this.turn(incoming.at(-1)?.message.parts[0]?.text ?? "");
		signal.addEventListener("abort", () => {
			turn.stopped = true;
			turn.wake();
		});
		while (!turn.stopped) {
			const next = turn.said.shift();
			if (next) yield next;
			else await new Promise<void>((resolve) => (turn.wake = resolve));
		}
	}
}

const told = new Told();
let desk: TestDesk;
let url: string;
beforeAll(async () => {
	desk = await openTestDesk({ answerer: told, config: { limits: { ...LIMITS, streamsPerCaller: 3, turnsPerGuest: 100 } } });
	({ url } = await desk.serve());
});
afterAll(() => desk.close());

const DONE: Ending = { type: "reply", asks: false };
const ASKS: Ending = { type: "reply", asks: true };

let made = 0;
const message = (text: string, more: Record<string, unknown> = {}) => ({
	role: "ROLE_USER",
	messageId: `m${++made}`,
	parts: [{ text }],
	...more,
});
const word = () => `word-${++made}`;

interface Event {
	id: number | undefined;
	data: Record<string, unknown>;
}

/** A stream read event by event over a real socket; `leave` breaks it off. */
class Reading {
	private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
	private text = "";
	constructor(
		readonly response: Response,
		private readonly abort: AbortController,
	) {
		this.reader = (response.body as ReadableStream<Uint8Array>).getReader();
	}

	/** The next event, or undefined at the end. */
	async next(): Promise<Event | undefined> {
		for (;;) {
			const end = this.text.indexOf("\n\n");
			if (end >= 0) {
				const lines = this.text.slice(0, end).split("\n");
				this.text = this.text.slice(end + 2);
				const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
				const data = field("data");
				if (data !== undefined) return { id: field("id") === undefined ? undefined : Number(field("id")), data: JSON.parse(data) };
				continue;
			}
			const { done, value } = await this.reader.read();
			if (done) return undefined;
			this.text += new TextDecoder().decode(value);
		}
	}

	async all(): Promise<Event[]> {
		const events: Event[] = [];
		for (let event = await this.next(); event; event = await this.next()) events.push(event);
		return events;
	}

	leave() {
		this.abort.abort();
	}
}

interface Who {
	credential?: string;
}
const headersOf = ({ credential = desk.key }: Who) => ({
	"content-type": "application/json",
	"a2a-version": "1.0",
	authorization: `Bearer ${credential}`,
});

async function read(path: string, init: RequestInit): Promise<Reading> {
	const abort = new AbortController();
	const response = await fetch(`${url}/a2a/mira/${path}`, { ...init, signal: abort.signal });
	if (response.headers.get("content-type") !== "text/event-stream") throw new Error(`${response.status} ${await response.text()}`);
	return new Reading(response, abort);
}

const stream = (text: string, more: Record<string, unknown> = {}, who: Who = {}) =>
	read("message:stream", { method: "POST", headers: headersOf(who), body: JSON.stringify({ message: message(text, more) }) });
const subscribe = (id: string, who: Who = {}, method = "POST") => read(`tasks/${id}:subscribe`, { method, headers: headersOf(who) });

const task = ({ data }: Event) => data.task as { id: string; contextId: string; status: { state: string }; artifacts?: unknown[] };
const stateOf = ({ data }: Event) => ((data.statusUpdate ?? data.task) as { status?: { state: string } } | undefined)?.status?.state;
const textsOf = (events: Event[]) =>
	events
		.flatMap(({ data }) =>
			((data.artifactUpdate as { artifact: { parts: { text: string }[] } } | undefined)?.artifact.parts ?? []).map((part) => part.text),
		)
		.join("");
const cancel = (id: string) => fetch(`${url}/a2a/mira/tasks/${id}:cancel`, { method: "POST", headers: headersOf({}) });

describe("the stream of a message", () => {
	it("begins with its task, gives each piece as it is said, and ends with the task", async () => {
		const w = word();
		const reading = await stream(w);
		const first = (await reading.next()) as Event;
		expect(Object.keys(first.data)).toEqual(["task"]);
		told.say(w, { type: "text", text: "One. " });
		const early: Event[] = [];
		while (textsOf(early) === "") early.push((await reading.next()) as Event);
		told.say(w, { type: "text", text: "Two." }, DONE);
		const events = [...early, ...(await reading.all())];
		expect(textsOf(events)).toBe("One. Two.");
		expect(stateOf(events.at(-1) as Event)).toBe("TASK_STATE_COMPLETED");
		for (const { data } of events) {
			const [kind] = Object.keys(data);
			expect(["statusUpdate", "artifactUpdate"]).toContain(kind);
			expect(data[kind as string]).toMatchObject({ taskId: task(first).id, contextId: task(first).contextId });
		}
		const ids = [first, ...events].map((event) => event.id as number);
		expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] as number))).toBe(true);
	});

	it("closes when the caller is asked something, and begins anew with the task when it answers", async () => {
		const w = word();
		const asked = await stream(w);
		told.say(w, { type: "text", text: "Which day?" }, ASKS);
		const events = await asked.all();
		expect(stateOf(events.at(-1) as Event)).toBe("TASK_STATE_INPUT_REQUIRED");
		const w2 = word();
		const answered = await stream(w2, { taskId: task(events[0] as Event).id });
		told.say(w2, { type: "text", text: "Fine." }, DONE);
		const more = await answered.all();
		expect(task(more[0] as Event).id).toBe(task(events[0] as Event).id);
		expect(stateOf(more.at(-1) as Event)).toBe("TASK_STATE_COMPLETED");
	});

	it("stays open while the caller has to authorise something", async () => {
		const w = word();
		const reading = await stream(w);
		told.say(w, { type: "needs_authorisation", explanation: "Sign in." });
		let event = await reading.next();
		const { id } = task(event as Event);
		while (event && stateOf(event) !== "TASK_STATE_AUTH_REQUIRED") event = await reading.next();
		expect(event).toBeDefined();
		await cancel(id);
		expect(stateOf((await reading.all()).at(-1) as Event)).toBe("TASK_STATE_CANCELED");
	});

	it("over JSON-RPC is one JSON-RPC response an event, with the request's id", async () => {
		const w = word();
		told.say(w, { type: "text", text: "Hi." }, DONE);
		const reading = await read("", {
			method: "POST",
			headers: headersOf({}),
			body: JSON.stringify({ jsonrpc: "2.0", id: "s-1", method: "SendStreamingMessage", params: { message: message(w) } }),
		});
		const events = await reading.all();
		expect(events.length).toBeGreaterThan(1);
		for (const { data } of events) expect(data).toMatchObject({ jsonrpc: "2.0", id: "s-1", result: {} });
		expect(Object.keys(events[0]?.data.result as object)).toEqual(["task"]);
	});

	it("for a message sent twice shows the task that there is", async () => {
		const w = word();
		told.say(w, { type: "text", text: "Hi." }, DONE);
		const once = message(w);
		const send = () => read("message:stream", { method: "POST", headers: headersOf({}), body: JSON.stringify({ message: once }) });
		const first = await (await send()).all();
		const second = await (await send()).all();
		expect(second).toHaveLength(1);
		expect(task(second[0] as Event)).toMatchObject({ id: task(first[0] as Event).id, status: { state: "TASK_STATE_COMPLETED" } });
	});
});

describe("a subscription", () => {
	it.each(["GET", "POST"])("by %s begins with the task as it is, loses nothing, and ends with it", async (method) => {
		const w = word();
		const sending = await stream(w);
		const { id } = task((await sending.next()) as Event);
		told.say(w, { type: "text", text: "One. " });
		const before: Event[] = [];
		while (textsOf(before) === "") before.push((await sending.next()) as Event);
		const following = await subscribe(id, {}, method);
		const first = (await following.next()) as Event;
		expect(task(first).artifacts).toMatchObject([{ artifactId: "result", parts: [{ text: "One. " }] }]);
		told.say(w, { type: "text", text: "Two." }, DONE);
		const rest = await following.all();
		expect(textsOf(rest)).toBe("Two.");
		const sent = await sending.all();
		// What both had still to hear, they heard alike.
		expect(rest).toEqual(sent);
	});

	it("stays open while the caller is asked something, to the task's end", async () => {
		const w = word();
		const asked = await stream(w);
		told.say(w, { type: "text", text: "Which day?" }, ASKS);
		const { id } = task(((await asked.all()) as [Event])[0]);
		const following = await subscribe(id);
		expect(stateOf((await following.next()) as Event)).toBe("TASK_STATE_INPUT_REQUIRED");
		const w2 = word();
		told.say(w2, { type: "text", text: "Fine." }, DONE);
		await (await stream(w2, { taskId: id })).all();
		const states = (await following.all()).map(stateOf).filter((state) => state !== undefined);
		expect(states).toEqual(["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
	});

	it("that is left changes nothing for the task or for others who follow it", async () => {
		const w = word();
		const sending = await stream(w);
		const { id } = task((await sending.next()) as Event);
		const leaving = await subscribe(id);
		await leaving.next();
		const staying = await subscribe(id);
		await staying.next();
		leaving.leave();
		sending.leave();
		told.say(w, { type: "text", text: "Still here." }, DONE);
		const events = await staying.all();
		expect(textsOf(events)).toBe("Still here.");
		expect(stateOf(events.at(-1) as Event)).toBe("TASK_STATE_COMPLETED");
	});
});

describe("streams that a caller holds open", () => {
	it("are so many and no more, and a message refused for it was not taken in", async () => {
		const w = word();
		const reading = await stream(w);
		const { id } = task((await reading.next()) as Event);
		const others = [await subscribe(id), await subscribe(id)];
		const count = async () => (await (await fetch(`${url}/a2a/mira/tasks?pageSize=1`, { headers: headersOf({}) })).json()).totalSize;
		const before = await count();
		const refused = await fetch(`${url}/a2a/mira/message:stream`, {
			method: "POST",
			headers: headersOf({}),
			body: JSON.stringify({ message: message(word()) }),
		});
		expect(refused.status).toBe(429);
		expect(refused.headers.get("retry-after")).not.toBeNull();
		expect((await refused.json()).error.details[0].reason).toBe("RATE_LIMITED");
		expect(await count()).toBe(before);
		told.say(w, DONE);
		for (const one of [reading, ...others]) await one.all();
		const w2 = word();
		told.say(w2, DONE);
		expect(await (await stream(w2)).all()).not.toHaveLength(0);
	});

	it("end with the reason when its token is ended", async () => {
		const w = word();
		const first = await fetch(`${url}/a2a/mira/message:stream`, {
			method: "POST",
			headers: { "content-type": "application/json", "a2a-version": "1.0" },
			body: JSON.stringify({ message: message(w) }),
		});
		const token = first.headers.get("eol-guest-token") as string;
		const sending = new Reading(first, new AbortController());
		const { id } = task((await sending.next()) as Event);
		const following = await subscribe(id, { credential: token });
		await following.next();
		const guest = await desk.engine.identify(token, (await desk.engine.desk("mira")) as never);
		await desk.engine.owner.revokeGuest("mira", guest?.uid as string);
		for (const one of [sending, following]) {
			const last = (await one.all()).at(-1) as Event;
			expect(last.id).toBeUndefined();
			expect(last.data).toMatchObject({ error: { code: 401, status: "UNAUTHENTICATED" } });
		}
		told.say(w, DONE);
	});
});

it("has had no fault of ours in any of this", () => expect(desk.logged.filter(({ level }) => level === "error")).toEqual([]));
