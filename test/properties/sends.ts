/**
 * Sequences of sends and what must have come of them (reliability.md G-03, G-04; requirements.md A2A-14): several callers at several
 * desks say new things, go on in contexts and in tasks, with message ids that collide on purpose, each send up to five times. Knows
 * no transport: whoever plays a sequence says how one send is made, and the judge looks at outcomes and at the log.
 */
import fc from "fast-check";
import type { Engine } from "../../server/engine/engine.js";
import type { PrincipalRow } from "../../server/engine/rows.js";
import type { Message } from "../../shared/a2a.schema.js";

/** Desks of the game. At the last one a message without a context is always new (`retryScope: context`). */
export const DESKS = ["mira", "juno", "kit"] as const;
/** Where each caller belongs: a guest to one desk, an account (undefined) to none. */
export const CALLERS: readonly (number | undefined)[] = [0, 0, 1, 2, undefined, undefined];

const ROUNDS_APART = 3;

/** One time of saying it. */
interface Copy {
	/** Rounds after the first moment at which it could be said. */
	after: number;
	/** Which door, and which of the spellings that mean the same; for whoever has doors. */
	door: number;
	spelling: number;
}

interface Planned {
	caller: number;
	desk: number;
	to: "new" | "context" | "task";
	/** Which of the earlier sends it goes on from. */
	of: number;
	/** As somebody else than the one who said that. */
	foreign: boolean;
	messageId: number;
	content: number;
	/** The answer asks something, so that the task goes on. */
	asks: boolean;
	copies: Copy[];
}

/** What fast-check makes and shrinks. */
export const sequences = (atOnce: number): fc.Arbitrary<Planned[][]> => {
	const copy = fc.record({ after: fc.nat(ROUNDS_APART), door: fc.nat(11), spelling: fc.nat(3) });
	const rarely = fc.nat(9).map((n) => n === 0);
	const planned = fc.record({
		caller: fc.nat(CALLERS.length - 1),
		desk: fc.nat(DESKS.length - 1),
		to: fc.constantFrom<Planned["to"][]>("new", "context", "task", "task"),
		of: fc.nat(7),
		foreign: rarely,
		messageId: fc.nat(3),
		content: fc.constantFrom(0, 0, 0, 1, 2),
		asks: fc.boolean(),
		copies: fc.array(copy, { minLength: 1, maxLength: 5 }),
	});
	return fc.array(fc.array(planned, { minLength: 1, maxLength: 8 }), { minLength: atOnce, maxLength: atOnce });
};

/** Codes in lower case, as the engine has them. */
export type Outcome = { taskId: string; contextId: string; attached?: boolean } | { refused: string };

/** One send as it is made. */
export interface Send {
	caller: number;
	desk: number;
	message: Message;
	door: number;
	spelling: number;
}

/** Where a game is played. */
export interface World {
	/** Who somebody is, in one sequence of the game. */
	principal(sequence: number, caller: number): PrincipalRow;
	send(sequence: number, send: Send): Promise<Outcome>;
	engine(): Engine;
	/** Lets time go by while answers are waited for. */
	breathe(): Promise<void>;
}

interface Made {
	plan: Planned;
	/** New too where there is nothing yet to go on from. */
	to: Planned["to"];
	caller: number;
	desk: number;
	/** The first round in which it can be said. */
	from: number;
	base: Made | undefined;
	message: Message | undefined;
	outcomes: Outcome[];
}

const won = (made: Made): { taskId: string; contextId: string } | undefined =>
	made.outcomes.find((outcome): outcome is { taskId: string; contextId: string } => "taskId" in outcome);

/** Fits a plan together: an account is at any desk, a guest at its own, and whoever goes on goes on with their own. */
function fit(plans: readonly Planned[]): Made[] {
	const made: Made[] = [];
	for (const plan of plans) {
		const base = plan.to === "new" ? undefined : made[plan.of % Math.max(1, made.length)];
		const caller = base && !plan.foreign ? base.caller : plan.caller;
		const desk = CALLERS[caller] ?? (base && !plan.foreign ? base.desk : plan.desk);
		made.push({ plan, to: base ? plan.to : "new", caller, desk, base, from: base ? base.from + 1 : 0, message: undefined, outcomes: [] });
	}
	return made;
}

const textOf = ({ message }: Made): string => message?.parts[0]?.text ?? "";

/** The message of a send, once it is known what it goes on from. Undefined: there is nothing to go on from. */
function compose(made: Made, sequence: number): Message | undefined {
	const { plan, base, to } = made;
	const at = base && won(base);
	if (base && !at) return undefined;
	const content = plan.content === 2 ? 0 : plan.content;
	return {
		// Of one world many games are played by the same accounts: the ids of each are its own.
		messageId: `s${sequence}-m${plan.messageId}`,
		role: "ROLE_USER",
		parts: [{ text: `<s${sequence}-m${plan.messageId}-c${content}${plan.asks ? "?" : ""}>` }],
		...(plan.content === 2 ? { metadata: { other: true } } : {}),
		...(at && to === "context" ? { contextId: at.contextId } : {}),
		...(at && to === "task" ? { taskId: at.taskId } : {}),
	};
}

export interface Game {
	sequence: number;
	made: Made[];
}

/**
 * Plays sequences side by side, round by round: within a round all that can be said is said at once. `between` is called
 * between rounds. Resolves when everything that was said is answered.
 */
export async function play(
	world: World,
	plans: readonly Planned[][],
	first: number,
	between: (round: number) => Promise<void>,
): Promise<Game[]> {
	const games = plans.map((plan, i): Game => ({ sequence: first + i, made: fit(plan) }));
	const last = Math.max(0, ...games.flatMap((game) => game.made.map((made) => made.from + ROUNDS_APART)));
	for (let round = 0; round <= last; round++) {
		const saying: Promise<void>[] = [];
		for (const { sequence, made: all } of games) {
			for (const made of all) {
				const copies = made.plan.copies.filter((copy) => made.from + copy.after === round);
				if (copies.length === 0) continue;
				made.message ??= compose(made, sequence);
				const { message, caller, desk } = made;
				if (!message) continue;
				for (const { door, spelling } of copies) {
					saying.push(world.send(sequence, { caller, desk, message, door, spelling }).then((outcome) => void made.outcomes.push(outcome)));
				}
			}
		}
		await Promise.all(saying);
		await between(round);
	}
	await settle(world, games);
	return games;
}

/** Waits until no task works any more. */
async function settle(world: World, games: readonly Game[]): Promise<void> {
	for (const { sequence, made: all } of games) {
		for (const made of all) {
			const at = won(made);
			if (!at) continue;
			const caller = callerOf(world, sequence, made.caller);
			for (let tries = 0; ; tries++) {
				const desk = await deskOf(world, made.desk);
				const open = await world.engine().openContext(caller, desk, at.contextId, 1);
				if (open?.state.tasks.every((task) => task.status.state === "TASK_STATE_INPUT_REQUIRED")) break;
				if (tries > 20_000) throw new Error(`what was said in ${at.contextId} was never answered`);
				await world.breathe();
			}
		}
	}
}

const callerOf = (world: World, sequence: number, caller: number) => ({
	principal: world.principal(sequence, caller),
	provenance: { channel: "a2a" as const },
	extensions: [],
});

async function deskOf(world: World, desk: number) {
	const found = await world.engine().desk(DESKS[desk] as string);
	if (!found) throw new Error("a desk is gone");
	return found;
}

/** Everything that is wrong with how a game went; empty: nothing. Adds to `made` the tasks that there must be of it, as `totals` counts them. */
export async function judge(world: World, { sequence, made: all }: Game, made: Map<string, number>): Promise<string[]> {
	const wrong: string[] = [];
	const keys = new Map<string, Made[]>();
	/** Of each conversation: whose it is, and what was taken into it, by its key: the same message id in a task and at a desk are two. */
	const logs = new Map<string, TakenIn>();
	const tasks = new Map<string, Set<string>>();
	const add = (key: string, one: Made, outcome: { taskId: string; contextId: string }, isNew: boolean): void => {
		const log = logs.get(outcome.contextId) ?? { caller: one.caller, desk: one.desk, messages: new Map() };
		logs.set(outcome.contextId, log);
		log.messages.set(key, { entry: `${outcome.taskId} ${one.message?.messageId}`, text: textOf(one) });
		if (!isNew) return;
		const at = `${world.principal(sequence, one.caller).uid} ${one.desk}`;
		tasks.set(at, (tasks.get(at) ?? new Set()).add(outcome.taskId));
	};

	/** Those that went on from what is somebody else's. */
	const foreign: Made[] = [];
	for (const one of all) {
		const { message, base, to } = one;
		if (!message || one.outcomes.length === 0) continue;
		if (base && (base.caller !== one.caller || base.desk !== one.desk)) {
			foreign.push(one);
			continue;
		}
		const at = `${one.caller} ${one.desk} ${message.messageId}`;
		const context = message.contextId ?? (to === "new" ? won(one)?.contextId : undefined);
		if (DESKS[one.desk] === "kit" && to === "new") {
			// Always new: each time of saying it is another message, with a key of its own in its own conversation.
			for (const outcome of one.outcomes) {
				if ("refused" in outcome) wrong.push(`a new message was refused: ${outcome.refused}`);
				else group(keys, `context ${outcome.contextId} ${at}`, { ...one, outcomes: [outcome] });
			}
		} else
			group(
				keys,
				to === "task" ? `task ${message.taskId} ${at}` : DESKS[one.desk] === "kit" ? `context ${context} ${at}` : `desk ${at}`,
				one,
			);
	}

	for (const [key, said] of keys) {
		const winners = said.filter((one) => won(one));
		const [winner] = winners;
		if (!winner) {
			// Only a task that has ended takes no message, and none of it was kept.
			for (const outcome of said.flatMap((one) => one.outcomes)) {
				if (!key.startsWith("task") || !("refused" in outcome) || outcome.refused !== "unsupported_operation")
					wrong.push(`${key}: never taken in, but ${JSON.stringify(outcome)}`);
			}
			continue;
		}
		const content = JSON.stringify(winner.message);
		const first = won(winner) as { taskId: string; contextId: string };
		const outcomes = said.flatMap((one) => one.outcomes.map((outcome) => ({ same: JSON.stringify(one.message) === content, outcome })));
		for (const { same, outcome } of outcomes) {
			if (!same) {
				if (!("refused" in outcome) || outcome.refused !== "idempotency_conflict")
					wrong.push(`${key}: other content came to ${JSON.stringify(outcome)}`);
			} else if ("refused" in outcome) wrong.push(`${key}: a retry was refused: ${outcome.refused}`);
			else if (outcome.taskId !== first.taskId || outcome.contextId !== first.contextId)
				wrong.push(`${key}: one message, two tasks: ${first.taskId}, ${outcome.taskId}`);
			else add(key, winner, outcome, winner.to !== "task");
		}
		const fresh = outcomes.filter(({ outcome }) => "attached" in outcome && outcome.attached === false).length;
		if (fresh !== 1 && outcomes.some(({ outcome }) => "attached" in outcome)) wrong.push(`${key}: taken in ${fresh} times`);
	}

	for (const { to, caller, desk, message, outcomes } of foreign) {
		const expected = to === "task" ? "task_not_found" : "context_not_found";
		// One's own key comes first, whatever else is wrong with what it is used for.
		const used = to === "context" && keys.get(`desk ${caller} ${desk} ${message?.messageId}`)?.some((one) => won(one));
		for (const outcome of outcomes) {
			const good = "refused" in outcome && (outcome.refused === expected || (used && outcome.refused === "idempotency_conflict"));
			if (!good) wrong.push(`somebody else's: ${expected} was due, not ${JSON.stringify(outcome)}`);
		}
	}

	for (const [contextId, log] of logs) wrong.push(...(await judgeLog(world, sequence, contextId, log)));
	for (const [at, ids] of tasks) made.set(at, (made.get(at) ?? 0) + ids.size);
	return wrong;
}

const group = (keys: Map<string, Made[]>, key: string, made: Made): void => void keys.set(key, [...(keys.get(key) ?? []), made]);

interface TakenIn {
	caller: number;
	desk: number;
	messages: Map<string, { entry: string; text: string }>;
}

/** One effect: each message stands in the log once, and is answered once. */
async function judgeLog(world: World, sequence: number, contextId: string, log: TakenIn): Promise<string[]> {
	const wrong: string[] = [];
	const desk = await deskOf(world, log.desk);
	const caller = callerOf(world, sequence, log.caller);
	const open = await world.engine().openContext(caller, desk, contextId, 1_000);
	const messages = (open?.state.messages ?? []).map(({ message }) => message);
	const asked = messages.filter((message) => message.role === "ROLE_USER").map((message) => `${message.taskId} ${message.messageId}`);
	const taken = [...log.messages.values()];
	if (
		asked.sort().join() !==
		taken
			.map(({ entry }) => entry)
			.sort()
			.join()
	)
		wrong.push(`${contextId}: the log holds ${asked.join()}, and ${taken.map(({ entry }) => entry).join()} were taken in`);
	const answers = messages
		.filter((message) => message.role === "ROLE_AGENT")
		.map((message) => message.parts.map((part) => part.text ?? "").join(""));
	const answered = answers.flatMap((text) => text.match(/<[^>]*>/g) ?? []);
	if (
		answered.sort().join() !==
		taken
			.map(({ text }) => text)
			.sort()
			.join()
	)
		wrong.push(`${contextId}: answered were ${answered.join()}, and asked ${taken.map(({ text }) => text).join()}`);
	return wrong;
}

/** How many tasks callers have at each desk, as `<uid> <desk>`: the count that is kept, which must be what counting gives. */
export async function totals(world: World, principals: Iterable<PrincipalRow>): Promise<Map<string, number>> {
	const found = new Map<string, number>();
	for (const principal of principals) {
		for (const [i] of DESKS.entries()) {
			const desk = await deskOf(world, i);
			const count = async (filter: { statusTimestampAfter?: number }): Promise<number> => {
				const caller = { principal, provenance: { channel: "a2a" as const }, extensions: [] };
				return (
					JSON.parse(await world.engine().listTasks(caller, desk, { pageSize: 1, includeArtifacts: false, ...filter })) as {
						totalSize: number;
					}
				).totalSize;
			};
			const [kept, counted] = [await count({}), await count({ statusTimestampAfter: 0 })];
			if (kept !== counted) throw new Error(`${principal.uid} has ${counted} tasks at ${DESKS[i]}, and ${kept} are kept count of`);
			if (counted > 0) found.set(`${principal.uid} ${i}`, counted);
		}
	}
	return found;
}
