/** Builds the engine from its parts: the one place where its rooms are joined. */
import { DeskError } from "../../shared/errors.js";
import { LIMITS } from "../../shared/limits.js";
import { Access } from "./access.js";
import { Desks } from "./desks.js";
import { embedDoor } from "./embed-door.js";
import type { Caller, Desk, Engine, EngineParts, JsonText, OpenContext, ShutOut } from "./engine.js";
import { Events } from "./events.js";
import { createIds } from "./ids.js";
import { ownerDoor } from "./owner.js";
import { PageTokens } from "./page-tokens.js";
import type { StoredEvent } from "./ports.js";
import type { ConversationView } from "./reads.js";
import type { DeskRow, PrincipalRow } from "./rows.js";
import { Tasks } from "./tasks.js";
import { Turns } from "./turns.js";
import { contextState, logEventText, loggedMessagesText } from "./views.js";

/** How often what expires is looked for. */
const HOUSEKEEPING_MS = 60_000;
const SLICE = 50;
/** A missed hint is made good by looking at the log (reliability.md G-31). */
const POLL_MS = 2_000;

/** Makes the secrets of the installation where there are none, and everything else in memory. `start()` sets it going. */
export async function createEngine(parts: EngineParts): Promise<Engine> {
	const { store, clock, random, log } = parts;
	const newId = createIds(clock, random);
	const fresh = (): string => Buffer.from(random.bytes(32)).toString("base64url");
	const secret = (await store.read.secret("seal")) ?? (await store.write("ensureSecret", { name: "seal", value: fresh() })).value;

	const desks = new Desks(store, clock, parts.brand);
	const access = new Access({ store, clock, random, newId }, secret);
	const events = new Events(store.read, !store.shared);
	const grown = (conversationId: number, added: StoredEvent[]): void => {
		const last = added.at(-1);
		if (last) events.publish({ conversationId, seq: last.seq, events: added });
	};
	const deskById = (id: number): Promise<DeskRow | undefined> => store.read.deskById(id);
	const turns = new Turns({ store, clock, log, newId, answerers: parts.answerers, deskById, grown, published: () => undefined });

	const shared = new Map<number, Promise<PrincipalRow>>();
	const sharedGuest = (desk: Desk): Promise<PrincipalRow> => {
		const guest = shared.get(desk.row.id) ?? access.welcome(desk, "everybody without a credential");
		shared.set(desk.row.id, guest);
		guest.catch(() => shared.delete(desk.row.id));
		return guest;
	};
	const { turnsPerGuest, turnsPerEmbed, turnsPerDesk } = parts.limits;
	const openTurns = { turnsPerGuest, turnsPerEmbed, turnsPerDesk };
	const tasks = new Tasks({
		store,
		clock,
		newId,
		access,
		turns,
		events,
		pageTokens: new PageTokens(secret, random),
		sharedGuest,
		grown,
		openTurns,
	});

	const shutOutListeners = new Set<(who: ShutOut) => void>();
	const shutOut = (who: ShutOut): void => {
		for (const listener of shutOutListeners) listener(who);
	};
	const presenceListeners = new Set<(deskId: number, online: boolean) => void>();
	const presence = (desk: Desk): void => {
		for (const listener of presenceListeners) listener(desk.row.id, desk.face.online);
	};
	const owner = ownerDoor({ ...parts, newId, access, desks, turns, grown, shutOut, presence });

	const theirs = async (caller: Caller, desk: Desk, contextId: string | null, messages: number): Promise<ConversationView | undefined> =>
		caller.principal ? await store.read.conversation(caller.principal.id, desk.row.id, contextId, messages) : undefined;
	const mustTheirs = async (caller: Caller, desk: Desk, contextId: string): Promise<ConversationView> => {
		const view = await theirs(caller, desk, contextId, 0);
		if (!view) throw new DeskError("context_not_found", "There is no such conversation of yours with this desk.");
		return view;
	};

	const stops: (() => void)[] = [];
	const every = (ms: number, what: string, work: () => Promise<void>): void => {
		let stopTimer: () => void = () => undefined;
		let stopped = false;
		const again = (): void => {
			stopTimer = clock.after(ms, () => {
				void work()
					.catch((error: unknown) => log("warn", { err: error }, what))
					.finally(() => {
						if (!stopped) again();
					});
			});
		};
		again();
		stops.push(() => {
			stopped = true;
			stopTimer();
		});
	};

	async function expire(): Promise<void> {
		const changedBefore = clock.now() - LIMITS.interruptedTaskMs;
		for (let idle = await store.read.idleTasks(changedBefore, SLICE); idle.length > 0; ) {
			for (const taskUid of idle) {
				const answer = await store.write("expireTask", { taskUid, changedBefore, now: clock.now() });
				grown(answer.conversationId, answer.events);
			}
			idle = idle.length < SLICE ? [] : await store.read.idleTasks(changedBefore, SLICE);
		}
	}
	async function housekeeping(): Promise<void> {
		// One that cannot be expired keeps nothing else from being tidied.
		await expire().catch((error: unknown) => log("error", { err: error }, "interrupted tasks could not be expired"));
		while ((await store.write("pruneTickets", { now: clock.now(), limit: SLICE })).more);
		while ((await store.write("foldChunks", { before: clock.now() - LIMITS.chunkRowsMs, limit: SLICE })).folded > 0) events.forgetRecent();
	}

	return {
		clock,
		desk: (handle) => desks.get(handle),
		desks: () => desks.all(),
		identify: (credential, desk) => access.identify(credential, desk),
		async welcomeGuest(desk, nonce) {
			const principal = await access.welcome(desk, nonce);
			return { principal, token: access.tokenOf(principal) };
		},
		tokenOf: (guest) => access.tokenOf(guest),
		send: (caller, desk, message, options) => tasks.send(caller, desk, message, options),
		answer: (caller, desk, sent, options) => tasks.answer(caller, desk, sent, options),
		getTask: (caller, desk, taskId, historyLength) => tasks.get(caller, desk, taskId, historyLength),
		listTasks: (caller, desk, query) => tasks.list(caller, desk, query),
		cancelTask: (caller, desk, taskId) => tasks.cancel(caller, desk, taskId),
		followSent: (caller, desk, sent, options) => tasks.followSent(caller, desk, sent, options),
		subscribe: (caller, desk, taskId, options) => tasks.subscribe(caller, desk, taskId, options),

		async openContext(caller, desk, contextId, messages = LIMITS.historyPage): Promise<OpenContext | undefined> {
			const view = await theirs(caller, desk, contextId ?? null, messages);
			return view && { conversationId: view.conversation.id, state: contextState(view) };
		},
		async history(caller, desk, contextId, before, limit): Promise<{ messages: JsonText; more: boolean }> {
			const view = await mustTheirs(caller, desk, contextId);
			const page = await store.read.messages(view.conversation.id, before, limit);
			return { messages: loggedMessagesText(page.events), more: page.more };
		},
		async events(caller, desk, query) {
			const view = await mustTheirs(caller, desk, query.contextId);
			let woken: () => void = () => undefined;
			const reader = events.read(view.conversation.id, query.after, () => woken());
			try {
				let page = await reader.next(LIMITS.catchUpPageBytes);
				const until = clock.now() + query.waitMs;
				// A wake is only a hint to look: nothing may have come.
				while (page === null && clock.now() < until && !query.signal?.aborted) {
					await new Promise<void>((resolve) => {
						const stop = clock.after(until - clock.now(), () => end());
						const end = (): void => {
							stop();
							query.signal?.removeEventListener("abort", end);
							resolve();
						};
						woken = end;
						query.signal?.addEventListener("abort", end);
					});
					page = await reader.next(LIMITS.catchUpPageBytes);
				}
				const given = (page ?? []).slice(0, query.limit);
				return {
					events: given.map(({ event, from }) => logEventText(query.contextId, event, from)),
					seq: given.at(-1)?.event.seq ?? query.after,
				};
			} finally {
				reader.close();
			}
		},
		follow: (conversationId, contextId, after, wake) => events.follow(conversationId, contextId, after, wake),

		async typing(caller, desk, contextId) {
			const view = await mustTheirs(caller, desk, contextId);
			events.signal(view.conversation.id, JSON.stringify({ contextId, signal: { kind: "typing", side: "asker" } }));
		},
		async seen(caller, desk, contextId, seq) {
			if (!caller.principal) throw new DeskError("context_not_found", "There is no such conversation of yours with this desk.");
			const {
				conversationId,
				seq: at,
				moved,
			} = await store.write("seen", {
				deskId: desk.row.id,
				principalId: caller.principal.id,
				contextUid: contextId,
				side: "asker",
				seq,
				now: clock.now(),
			});
			if (moved) events.signal(conversationId, JSON.stringify({ contextId, signal: { kind: "seen", side: "asker", seq: at } }));
		},
		onSignal: (conversationId, listener) => events.onSignal(conversationId, listener),
		onShutOut(listener) {
			shutOutListeners.add(listener);
			return () => shutOutListeners.delete(listener);
		},
		onPresence(listener) {
			presenceListeners.add(listener);
			return () => presenceListeners.delete(listener);
		},
		embed: embedDoor({ store, clock, random, secret, limits: parts.limits, log }),
		owner,

		counts: () => ({ turns: turns.running, messages: tasks.taken }),
		async start() {
			stops.push(store.onHint((hint) => events.publish(hint)));
			await turns.start();
			every(HOUSEKEEPING_MS, "housekeeping did not finish", housekeeping);
			if (store.shared) every(POLL_MS, "readers could not be woken", async () => events.wakeAll());
		},
		async stop(graceMs) {
			for (const stop of stops) stop();
			await turns.drain(graceMs);
		},
	};
}
