/**
 * Where the games of `sends.ts` are played: the engine by itself on a real store, or a listening server with all its bindings. Both
 * can be ended and begun again on what they have kept.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { Caller, Engine } from "../../server/engine/engine.js";
import type { Answerer, Turn } from "../../server/engine/ports.js";
import type { PrincipalRow } from "../../server/engine/rows.js";
import { DeskError } from "../../shared/errors.js";
import { openTestDesk, type TestDesk } from "../desk.js";
import { openEngine, type Script, type TestEngine, textsOf } from "../engine.js";
import { type Binding, httpJson, jsonRpc, webSocket } from "../interop/bindings.js";
import { WIDE_LIMITS } from "../limits.js";
import type { StorePlace } from "../stores.js";
import { CALLERS, DESKS, type Outcome, type Send, type World } from "./sends.js";

/** A text that wants a question in return. */
const asks = (text: string): boolean => text.includes("?>");
/** Answers with what it was told, and ends as the words say. */
export const script: Script = function* (turn) {
	const texts = textsOf(turn);
	if (texts.includes("<message>")) return yield { type: "message", parts: [{ text: "No task, just this." }] };
	yield { type: "text", text: `You said: ${texts.join(" | ")}` };
	if (texts.includes("<sign>")) yield { type: "needs_authorisation", explanation: "Sign in." };
	else if (texts.includes("<refused>")) yield { type: "rejected", explanation: "No." };
	else if (texts.includes("<broken>")) yield { type: "failed", explanation: "Broken." };
	else yield { type: "reply", asks: texts.some(asks) };
};

/** Makes the desks of the game where they are not there yet. */
async function furnish(engine: Engine): Promise<void> {
	for (const handle of DESKS) {
		if (!(await engine.desk(handle))) await engine.owner.createOwner({ handle, name: handle });
		if (handle === "kit") await engine.owner.changeSettings(handle, { retryScope: "context" });
	}
}

interface Person {
	principal: PrincipalRow;
	token: string;
}

/** The callers of each sequence: its own guests, and the accounts, which are the same in all. */
export class People {
	private readonly of = new Map<number, Person[]>();
	constructor(private readonly accounts: readonly Person[]) {}

	/** Makes the guests of some sequences. Returns everybody there is in them. */
	async invite(engine: Engine, first: number, count: number): Promise<Set<PrincipalRow>> {
		const desks = await Promise.all(DESKS.map((handle) => engine.desk(handle)));
		const invited = Array.from({ length: count }, async (_, i) => {
			const guests = CALLERS.filter((desk) => desk !== undefined).map(async (desk, n): Promise<Person> => {
				const at = desks[desk];
				if (!at) throw new Error("a desk is gone");
				return await engine.welcomeGuest(at, `guest ${n} of sequence ${first + i}`);
			});
			this.of.set(first + i, [...(await Promise.all(guests)), ...this.accounts]);
		});
		await Promise.all(invited);
		return new Set(
			Array.from({ length: count }, (_, i) => this.of.get(first + i) ?? []).flatMap((people) => people.map(({ principal }) => principal)),
		);
	}

	who(sequence: number, caller: number): Person {
		const found = this.of.get(sequence)?.[caller];
		if (!found) throw new Error("nobody by that number");
		return found;
	}
}

/** Keys of the accounts of two owners: callers at any desk. */
async function accountsOf(engine: Engine): Promise<Person[]> {
	const keys = ["mira", "juno"].map(async (handle) => {
		const token = await engine.owner.createKey(handle, "idempotency");
		const desk = await engine.desk(handle);
		const principal = desk && (await engine.identify(token, desk));
		if (!principal) throw new Error("a key just made is not good");
		return { principal, token };
	});
	return await Promise.all(keys);
}

const refusedAs = (error: unknown): Outcome => {
	if (error instanceof DeskError) return { refused: error.code };
	throw error;
};

export async function openEngineWorld(
	place: StorePlace,
): Promise<World & { people: People; restart(): Promise<void>; close(): Promise<void> }> {
	const open = (): Promise<TestEngine> => openEngine(place, { script, limits: WIDE_LIMITS });
	let now = await open();
	await furnish(now.engine);
	const people = new People(await accountsOf(now.engine));
	return {
		people,
		principal: (sequence, caller) => people.who(sequence, caller).principal,
		engine: () => now.engine,
		async send(sequence, { caller, desk, message }) {
			const at = await now.engine.desk(DESKS[desk] as string);
			if (!at) throw new Error("a desk is gone");
			const who: Caller = { principal: people.who(sequence, caller).principal, provenance: { channel: "a2a" }, extensions: [] };
			return await now.engine
				.send(who, at, message, {})
				.then(({ taskId, contextId, attached }) => ({ taskId, contextId, attached }), refusedAs);
		},
		async breathe() {
			await turnOfTheLoop();
			now.clock.turn(50);
		},
		async restart() {
			await now.crash();
			now = await open();
		},
		close: () => now.close(),
	};
}

const answering: Answerer = { name: "scripted", inProcess: true, maySilence: false, answer: (turn: Turn, signal) => script(turn, signal) };

/** The same message in another spelling: snake_case, its keys in another order, the role by its number. */
function spelled(message: Send["message"], spelling: number): Record<string, unknown> {
	const turned = Object.fromEntries(Object.entries(message).reverse());
	if (spelling === 1) return turned;
	if (spelling === 2) return { ...turned, role: 1 };
	if (spelling !== 3) return { ...message };
	const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
	return Object.fromEntries(Object.entries(message).map(([name, value]) => [snake(name), value]));
}

/** What may differ between two times of the same send, and changes nothing of what it is. */
const CONFIGURATIONS = [{}, { returnImmediately: true }, { historyLength: 0 }, { returnImmediately: true, historyLength: 1 }];

export async function openDoors(options: { workerUrl?: URL } = {}) {
	const dir = await mkdtemp(join(tmpdir(), "idempotency-"));
	let desk: TestDesk;
	let doors: Binding[][] = [];
	const open = async (): Promise<void> => {
		desk = await openTestDesk({ dir, answerer: answering, config: { limits: WIDE_LIMITS }, ...options });
		await furnish(desk.engine);
		const { url } = await desk.serve();
		doors = DESKS.map((handle) => [jsonRpc(url, handle), httpJson(url, handle), webSocket(url, handle)]);
	};
	const hangUp = (): void => {
		for (const door of doors.flat()) door.close();
	};
	const bindingAt = (desk: number, door: number): Binding => {
		const found = doors[desk]?.[door];
		if (!found) throw new Error("there is no such door");
		return found;
	};
	await open();
	const people = new People(await accountsOf((desk! as TestDesk).engine));
	const call = async (
		desk: number,
		door: number,
		credential: string | undefined,
		message: Record<string, unknown>,
	): Promise<Outcome & { token?: string }> => {
		const binding = bindingAt(desk, door % 3);
		const method = door % 12 < 9 ? "SendMessage" : "SendStreamingMessage";
		const { result, events, error, headers } = await binding.call(
			method,
			{ message, configuration: CONFIGURATIONS[door % 4] },
			{ credential },
		);
		if (error) return { refused: (error.reason ?? String(error.code)).toLowerCase() };
		const { id, contextId } = ((events?.[0] ?? result) as { task: { id: string; contextId: string } }).task;
		const token = headers.get("eol-guest-token");
		return { taskId: id, contextId, ...(token ? { token } : {}) };
	};
	/** The answer itself: a task or a message, of a stream its last event of either. */
	const answerOf = async (
		binding: number,
		method: string,
		credential: string,
		params: Record<string, unknown>,
	): Promise<Record<string, unknown>> => {
		const { result, events, error } = await bindingAt(0, binding).call(method, params, { credential });
		if (error) throw new Error(`${method} was refused: ${error.message}`);
		return (events?.findLast((event) => "task" in (event as object) || "message" in (event as object)) ?? result) as Record<
			string,
			unknown
		>;
	};
	return {
		people,
		call,
		answerOf,
		principal: (sequence: number, caller: number) => people.who(sequence, caller).principal,
		engine: () => desk.engine,
		send: (sequence: number, { caller, desk, message, door, spelling }: Send) =>
			call(desk, door, people.who(sequence, caller).token, spelled(message, spelling)),
		breathe: async () => void (await turnOfTheLoop()),
		async restart() {
			hangUp();
			await desk.close();
			await open();
		},
		async close() {
			hangUp();
			await desk.close();
			await rm(dir, { recursive: true, force: true });
		},
	};
}
