/** Builds the engine from its parts: the one place where its rooms are joined. */
import { Access } from "./access.js";
import { Announcer } from "./announcer.js";
import { NO_APPS, useOf } from "./apps.js";
import { Contexts } from "./contexts.js";
import { Desks } from "./desks.js";
import { embedDoor } from "./embed-door.js";
import type { Desk, Engine, EngineParts, ShutOut } from "./engine.js";
import { Events } from "./events.js";
import { FollowUps } from "./follow-ups.js";
import { createIds } from "./ids.js";
import { Notices } from "./notices.js";
import { Opening } from "./opening.js";
import { deskNamed, ownerDoor } from "./owner.js";
import { PageTokens } from "./page-tokens.js";
import { NO_PICTURES, Pictures } from "./pictures.js";
import type { StoredEvent } from "./ports.js";
import { presetsDoor } from "./presets.js";
import { Ratings } from "./ratings.js";
import type { DeskRow, PrincipalRow } from "./rows.js";
import { Tasks } from "./tasks.js";
import { Turns } from "./turns.js";
import { Upkeep } from "./upkeep.js";

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
	const apps = { store, clock, newId, log, apps: parts.apps ?? NO_APPS };
	const turns = new Turns({
		store,
		clock,
		log,
		newId,
		answerers: parts.answerers,
		deskById,
		grown,
		published: () => undefined,
		use: (claim, signal) => useOf(apps, claim, signal),
	});

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

	const contexts = new Contexts({ store, clock, events });
	const ratings = new Ratings({ store, clock });
	const pictures = new Pictures({
		store,
		clock,
		random,
		log,
		hand: parts.pictures ?? NO_PICTURES,
		limits: parts.limits,
		deskAt: (handle) => deskNamed(desks, handle),
	});
	const upkeep = new Upkeep({ store, clock, log, events, grown, tidyPictures: () => pictures.tidy() });
	const shutOuts = new Announcer<ShutOut>();
	const presences = new Announcer<Desk>();
	const opening = new Opening({ store, clock, desks, log, presence: (desk) => presences.tell(desk) });
	const notices = new Notices({
		store,
		clock,
		log,
		access,
		desks,
		shutOut: (who) => shutOuts.tell(who),
		presence: (desk) => presences.tell(desk),
	});
	const owner = ownerDoor({ ...parts, newId, access, desks, turns, ratings, grown });

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

		openContext: (caller, desk, contextId, messages) => contexts.open(caller, desk, contextId, messages),
		history: (caller, desk, contextId, before, limit) => contexts.history(caller, desk, contextId, before, limit),
		events: (caller, desk, query) => contexts.poll(caller, desk, query),
		follow: (conversationId, contextId, after, wake) => events.follow(conversationId, contextId, after, wake),
		rate: (caller, desk, contextId, seq, value) => ratings.rate(caller, desk, contextId, seq, value),
		ratings: (caller, desk, contextId) => ratings.ofContext(caller, desk, contextId),
		typing: (caller, desk, contextId) => contexts.typing(caller, desk, contextId),
		seen: (caller, desk, contextId, seq) => contexts.seen(caller, desk, contextId, seq),
		onSignal: (conversationId, listener) => events.onSignal(conversationId, listener),
		onShutOut: (listener) => shutOuts.on(listener),
		onPresence: (listener) => presences.on(({ row, face }) => listener(row.id, face)),

		embed: embedDoor({ store, clock, random, secret, limits: parts.limits, sites: parts.sites, log }),
		followUps: new FollowUps({
			store,
			clock,
			random,
			newId,
			events,
			tasks,
			answers: (desk) => turns.answererOf(desk.row) !== undefined,
		}),
		presets: presetsDoor({ ...apps, deskAt: (handle) => deskNamed(desks, handle) }),
		pictures,
		owner,

		counts: () => ({ turns: turns.running, messages: tasks.taken }),
		async start() {
			await notices.start();
			await turns.start();
			upkeep.start();
			opening.start();
		},
		async stop(graceMs) {
			upkeep.stop();
			opening.stop();
			await turns.drain(graceMs);
			notices.stop();
		},
	};
}
