/** An engine on a real store, with an answerer that each test writes anew, and a clock turned by hand. For what needs no door. */
import { randomBytes } from "node:crypto";
import type { Apps } from "../server/engine/apps-ports.js";
import { createEngine } from "../server/engine/create.js";
import type { Caller, Desk, Engine } from "../server/engine/engine.js";
import type { Answerer, Ending, Piece, Store, Turn } from "../server/engine/ports.js";
import type { Message } from "../shared/a2a.schema.js";
import { LIMITS, type Limits } from "../shared/limits.js";
import { type TestClock, testClock } from "./clock.js";
import type { StorePlace } from "./stores.js";

export type Script = (turn: Turn, signal: AbortSignal) => AsyncIterable<Piece | Ending> | Iterable<Piece | Ending>;

export const textsOf = (turn: Turn): string[] => turn.incoming.map((m) => m.message.parts.map((p) => p.text ?? "").join(""));

export const echoScript: Script = function* (turn) {
	yield { type: "text", text: `You said: ${textsOf(turn).join(" | ")}` };
	yield { type: "reply" };
};

export interface TestEngine {
	engine: Engine;
	store: Store;
	clock: TestClock;
	desk: () => Promise<Desk>;
	/** What the answerer does from now on. */
	script(script: Script): void;
	/** Turns that have begun. */
	turns: Turn[];
	caller(options?: { channel?: Caller["provenance"]["channel"] }): Promise<Caller>;
	nobody: Caller;
	send(caller: Caller, text: string, more?: Partial<Message>): ReturnType<Engine["send"]>;
	/** Sends and waits for the answer: the task. */
	ask(caller: Caller, text: string, more?: Partial<Message>): Promise<Asked>;
	task(caller: Caller, id: string): Promise<Asked>;
	log(caller: Caller, contextId: string): Promise<LogLine[]>;
	/** Lets time pass in steps, with everything that is due done between them, until `done`. */
	pass(stepMs: number, done: () => boolean): Promise<void>;
	/** Ends this process's engine as a crash would: nothing is handed over. */
	crash(): Promise<void>;
	close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: wire JSON as a test reads it
export type Asked = any;
// biome-ignore lint/suspicious/noExplicitAny: wire JSON as a test reads it
export type LogLine = any;

let made = 0;
/** Real milliseconds after which what is waited for is not coming. */
const PASS_MS = 20_000;

export async function openEngine(
	place: StorePlace,
	options: { clock?: TestClock; maySilence?: boolean; inProcess?: boolean; script?: Script; limits?: Limits; apps?: Apps } = {},
): Promise<TestEngine> {
	const clock = options.clock ?? testClock();
	const store = await place.open(clock);
	let script: Script = options.script ?? echoScript;
	const turns: Turn[] = [];
	const answerer: Answerer = {
		name: "scripted",
		inProcess: options.inProcess ?? true,
		maySilence: options.maySilence ?? false,
		answer(turn, signal) {
			turns.push(turn);
			return script(turn, signal);
		},
	};
	let crashed = false;
	// A process that is gone writes nothing more.
	const mortal: Store = { ...store, write: (name, input) => (crashed ? new Promise(() => undefined) : store.write(name, input)) };
	const engine = await createEngine({
		store: mortal,
		answerers: [answerer],
		clock,
		random: { bytes: (length) => randomBytes(length) },
		log: () => undefined,
		sites: { localhost: true, isPublicSuffix: () => false },
		brand: "Test",
		limits: options.limits ?? LIMITS,
		...(options.apps ? { apps: options.apps } : {}),
	});
	if (!(await engine.desk("mira"))) await engine.owner.createOwner({ handle: "mira", name: "Mira" });
	await engine.start();
	const desk = async (): Promise<Desk> => (await engine.desk("mira")) as Desk;
	const nobody: Caller = { principal: null, provenance: { channel: "a2a" }, extensions: [] };
	const self: TestEngine = {
		engine,
		store,
		clock,
		desk,
		script: (next) => {
			script = next;
		},
		turns,
		nobody,
		async caller({ channel = "a2a" } = {}) {
			const { principal } = await engine.welcomeGuest(await desk(), `nonce-${++made}-${randomBytes(8).toString("hex")}`);
			return { principal, provenance: { channel }, extensions: [] };
		},
		async send(caller, text, more = {}) {
			return engine.send(caller, await desk(), { messageId: `m-${++made}`, role: "ROLE_USER", parts: [{ text }], ...more }, {});
		},
		async ask(caller, text, more = {}) {
			const sent = await self.send(caller, text, more);
			const answered = await engine.answer(caller, await desk(), sent, { waitMs: 60_000 });
			return JSON.parse(answered.json);
		},
		task: async (caller, id) => JSON.parse(await engine.getTask(caller, await desk(), id)),
		async log(caller, contextId) {
			const { events } = await engine.events(caller, await desk(), { contextId, after: 0, limit: 1_000, waitMs: 0 });
			return events.map((e) => JSON.parse(e));
		},
		async pass(stepMs, done) {
			const until = performance.now() + PASS_MS;
			while (!done()) {
				if (performance.now() > until) throw new Error("what was waited for never came");
				clock.turn(stepMs);
				await new Promise((resolve) => setImmediate(resolve));
			}
		},
		async crash() {
			crashed = true;
			await store.close();
		},
		async close() {
			if (!crashed) {
				await engine.stop(0);
				await store.close();
			}
		},
	};
	return self;
}

/** A promise and what settles it. */
export function gate<T = void>(): { promise: Promise<T>; open(value: T): void } {
	let open: (value: T) => void = () => undefined;
	const promise = new Promise<T>((resolve) => {
		open = resolve;
	});
	return { promise, open };
}
