/**
 * T-TAINT (reliability.md G-46, G-47): eight principals ask for everything, in every binding, by ids of their own, of others and of
 * nobody. Nobody is ever shown a word or an id of somebody else, and what is not theirs is answered as what is not there.
 */
import { describe, expect, it } from "vitest";
import { type Seeded, seeded } from "../seeded.js";
import { INDISCRETIONS, type IndiscretionName, indiscreetDriver, OF_WRITES, VARIABLE } from "../store/indiscreet.js";
import { type Answer, BINDINGS, type BindingName, Cast, DESKS, type DeskName, identityOf, OF_SOCKETS, type Player } from "./cast.js";

const SEED = Number(process.env.SEED ?? 20_260_102);
const CALLS = process.env.LONG ? 20_000 : 5_000;
/** Within so many calls each indiscretion is found out. */
const CALLS_OF_MUTANTS = 3_000;
const minutes = (n: number): number => n * 60_000;

type Whose = "own" | "foreign" | "absent";

class Play {
	readonly tally = new Map<string, number>();
	calls = 0;
	private readonly random: Seeded;

	constructor(
		private readonly cast: Cast,
		seed: number,
	) {
		this.random = seeded(seed);
	}

	/** Asks until enough was asked, or until somebody was shown what they must not see. */
	async run(calls: number, untilFound = false): Promise<string[]> {
		const { findings } = this.cast.watch;
		while (this.calls < calls && !(untilFound && findings.length > 0)) {
			// Everybody at once: what one is told while another writes is looked at too.
			await Promise.all(this.cast.players.map((player) => this.turn(player)));
		}
		return findings;
	}

	private async turn(player: Player): Promise<void> {
		const desk = this.random.pick(DESKS);
		const binding = this.random.pick(BINDINGS);
		// Where it is nobody, a socket would make it somebody new.
		const where = binding === "WebSocket" && !player.at.includes(desk) ? "JSON-RPC" : binding;
		switch (this.random.int(10)) {
			case 0:
			case 1:
			case 2:
				return await this.say(player, where, desk);
			case 3:
			case 4:
			case 5:
				return await this.askForTask(player, where, desk);
			case 6:
				return await this.list(player, where, desk);
			case 7:
				return player.at.includes(desk) ? await this.askOnSocket(player, desk) : await this.askForTask(player, where, desk);
			case 8:
				return await this.come(player, desk);
			default:
				return await this.browse(player, desk);
		}
	}

	/** One call, looked at. */
	private async call(
		player: Player,
		binding: BindingName,
		desk: DeskName,
		method: string,
		params: Record<string, unknown>,
		whose: Whose,
		options: { stop?: boolean; who?: string; alias?: number } = {},
	): Promise<Answer> {
		const { who = identityOf(player), stop, alias = this.random.int(4) } = options;
		const answer = await this.cast.ask(player, binding, desk, method, params, { alias, stop });
		this.look(player, who, answer, `${method} over ${binding} at ${desk}, of what is ${whose}`);
		const at = `${method} ${binding} ${whose}`;
		this.tally.set(at, (this.tally.get(at) ?? 0) + 1);
		return answer;
	}

	private look(player: Player, who: string, { headers, body }: Answer, where: string): void {
		this.calls++;
		this.cast.watch.look(who, player.knows, `${headers.join("\n")}\n${body}`, where);
	}

	/** What is not theirs must be answered as what is not there: the same call for both, and the same answer to it. */
	private async same(
		player: Player,
		binding: BindingName,
		desk: DeskName,
		method: string,
		paramsOf: (id: string) => Record<string, unknown>,
		foreign: string,
	): Promise<void> {
		const absent = this.nowhere(foreign);
		const alias = this.random.int(4);
		const ask = async (id: string, whose: Whose) =>
			plain(
				await this.call(player, binding, desk, method, paramsOf(id), whose, {
					alias,
					stop: method === "SubscribeToTask" && binding !== "WebSocket",
				}),
				id,
			);
		const [theirs, nobodys] = this.random.chance(0.5)
			? [await ask(foreign, "foreign"), await ask(absent, "absent")]
			: await (async () => {
					const first = await ask(absent, "absent");
					return [await ask(foreign, "foreign"), first];
				})();
		if (theirs !== nobodys)
			this.cast.watch.findings.push(
				`${method} over ${binding} at ${desk} tells ${foreign} of somebody else from nothing:\n${theirs}\n${nobodys}`,
			);
	}

	/** An id that nobody has, of the same kind and length. */
	private nowhere(id: string): string {
		// A page token has no kind, and may have that sign anywhere.
		const prefix = /^(?:tsk|ctx)_/.exec(id)?.[0] ?? "";
		const rest = id.slice(prefix.length);
		const letters = prefix === "" ? "ABCDEFGHabcdefgh01234567" : "0123456789abcdefghjkmnpqrstvwxyz";
		const text = Array.from(rest, () => this.random.pick([...letters])).join("");
		return prefix + text;
	}

	/** A task that this player has at this desk, or one that it has not: another's, or its own at the other desk. */
	private target(player: Player, desk: DeskName): { id: string; contextId: string; own: boolean } | undefined {
		const own = player.tasks.filter((task) => task.desk === desk);
		if (own.length > 0 && this.random.chance(0.4)) return { ...this.random.pick(own.slice(-8)), own: true };
		const others = this.cast.players.flatMap((other) => other.tasks.filter((task) => other !== player || task.desk !== desk).slice(-8));
		return others.length > 0 ? { ...this.random.pick(others), own: false } : undefined;
	}

	private async say(player: Player, binding: BindingName, desk: DeskName): Promise<void> {
		const who = identityOf(player);
		const { watch } = this.cast;
		const text = `${watch.canary(who, player.number, desk)} ${this.random.pick(["", "", "ask", "hold"])}`;
		const messageId = watch.canary(who, player.number, desk);
		const message: Record<string, unknown> = {
			messageId,
			role: "ROLE_USER",
			parts: [{ text }],
			metadata: { [watch.canary(who, player.number, desk)]: text },
		};
		const foreign = this.target(player, desk);
		if (foreign && !foreign.own && this.random.chance(0.1)) {
			// Naming what one cannot see is no way to see it: it comes back as it was given, and no more.
			message.referenceTaskIds = [foreign.id];
			player.knows.add(foreign.id);
		}
		const theirs = this.random.pick(this.cast.players);
		const copied = theirs !== player && theirs.tasks.length > 0 && this.random.chance(0.1) ? this.random.pick(theirs.tasks) : undefined;
		if (copied) {
			// The very message of somebody else, under its own messageId: another's key is another.
			delete message.referenceTaskIds;
			Object.assign(message, copied.message);
			for (const mark of JSON.stringify(copied.message).match(/canary-\d+-\d+/g) ?? []) {
				player.knows.add(mark);
				watch.said(mark, desk);
			}
		}
		const method = this.random.chance(0.3) && !JSON.stringify(message.parts).includes("hold") ? "SendStreamingMessage" : "SendMessage";
		const send = (more: Record<string, unknown>, name = method) => ({
			message: { ...message, ...more },
			...(name === "SendMessage" ? { configuration: { returnImmediately: true } } : {}),
		});
		const target = copied || this.random.chance(0.4) ? undefined : foreign;
		if (target) {
			const field = this.random.chance(0.5) ? "taskId" : "contextId";
			const id = field === "taskId" ? target.id : target.contextId;
			if (!target.own) return await this.same(player, binding, desk, method, (named) => send({ [field]: named }), id);
			return void (await this.send(player, binding, desk, "SendMessage", send({ [field]: id }, "SendMessage"), who));
		}
		if (this.random.chance(0.05))
			return void (await this.call(player, binding, desk, method, { ...send({}), tenant: desk === "mira" ? "juno" : "mira" }, "foreign", {
				alias: 1,
			}));
		const { body, id, contextId } = await this.send(player, binding, desk, method, send({}), who);
		if (id && contextId) player.tasks.push({ id, contextId, desk, message: { ...message, referenceTaskIds: undefined } });
		const owned = watch.ownerOf(String(message.messageId)) === player.name;
		if (copied && !owned && !id && player.at.includes(desk))
			watch.findings.push(`${who} cannot use the messageId of ${theirs.name}: ${body}`);
	}

	/** Sends what should be taken in, and counts its task. */
	private async send(player: Player, binding: BindingName, desk: DeskName, method: string, params: Record<string, unknown>, who: string) {
		const { body } = await this.call(player, binding, desk, method, params, "own", { who });
		const id = /"id":"(tsk_\w{26})"/.exec(body)?.[1];
		if (id) player.made.set(desk, (player.made.get(desk) ?? new Set()).add(id));
		return { body, id, contextId: /"contextId":"(ctx_\w{26})"/.exec(body)?.[1] };
	}

	private async askForTask(player: Player, binding: BindingName, desk: DeskName): Promise<void> {
		const target = this.target(player, desk);
		if (!target) return;
		const configs = [
			"CreateTaskPushNotificationConfig",
			"GetTaskPushNotificationConfig",
			"ListTaskPushNotificationConfigs",
			"DeleteTaskPushNotificationConfig",
		];
		const method = this.random.pick([
			"GetTask",
			"GetTask",
			"CancelTask",
			"SubscribeToTask",
			"GetExtendedAgentCard",
			this.random.pick(configs),
		]);
		const paramsOf = (id: string): Record<string, unknown> => {
			if (method === "GetExtendedAgentCard") return {};
			if (!configs.includes(method)) return { id };
			if (method === "CreateTaskPushNotificationConfig") return { taskId: id, url: "https://hook.example/" };
			return method === "ListTaskPushNotificationConfigs" ? { taskId: id } : { taskId: id, id: target.contextId };
		};
		if (!target.own) return await this.same(player, binding, desk, method, paramsOf, target.id);
		await this.call(player, binding, desk, method, paramsOf(target.id), "own", { stop: method === "SubscribeToTask" });
	}

	private async list(player: Player, binding: BindingName, desk: DeskName): Promise<void> {
		// A time before everything leaves out nothing, but has the tasks counted anew.
		const since = this.random.chance(0.3) ? { statusTimestampAfter: "2020-01-01T00:00:00Z" } : {};
		const filters = { pageSize: 1 + this.random.int(3), includeArtifacts: true, historyLength: 5, ...since };
		const target = this.target(player, desk);
		if (target && !target.own && this.random.chance(0.4)) {
			return await this.same(player, binding, desk, "ListTasks", (contextId) => ({ ...filters, contextId }), target.contextId);
		}
		const other = this.random.pick(this.cast.players);
		const theirs = this.random.chance(0.5) ? other.pageTokens.find((known) => other !== player || known.desk !== desk) : undefined;
		if (theirs) return await this.same(player, binding, desk, "ListTasks", (pageToken) => ({ ...filters, pageToken }), theirs.token);
		const own =
			this.random.chance(0.3) && !("statusTimestampAfter" in filters) ? player.pageTokens.find((known) => known.desk === desk) : undefined;
		const params = own
			? { ...filters, pageToken: own.token }
			: this.random.chance(0.3) && target?.own
				? { ...filters, contextId: target.contextId }
				: filters;
		const { body } = await this.call(player, binding, desk, "ListTasks", params, "own");
		const total = Number(/"totalSize":(\d+)/.exec(body)?.[1] ?? 0);
		const has = player.at.includes(desk) ? (player.made.get(desk)?.size ?? 0) : 0;
		const wrong = "contextId" in params ? total > has : total !== has;
		if (wrong) this.cast.watch.findings.push(`${player.name} is told of ${total} tasks at ${desk}, and has ${has}`);
		const token = /"nextPageToken":"([^"]+)"/.exec(body)?.[1];
		if (token && params === filters && !("statusTimestampAfter" in filters)) player.pageTokens.unshift({ token, desk });
	}

	private async askOnSocket(player: Player, desk: DeskName): Promise<void> {
		const target = this.target(player, desk);
		if (!target) return;
		const method = this.random.pick(Object.keys(OF_SOCKETS));
		const paramsOf = OF_SOCKETS[method] as (contextId: string) => Record<string, unknown>;
		if (!target.own) return await this.same(player, "WebSocket", desk, method, paramsOf, target.contextId);
		await this.call(player, "WebSocket", desk, method, paramsOf(target.contextId), "own");
	}

	/** A new socket that asks at its Hello to follow what is not its own: it is left out, and the rest is as it is without. */
	private async come(player: Player, desk: DeskName): Promise<void> {
		const target = this.target(player, desk);
		if (!player.at.includes(desk) || !target || target.own) return;
		const hello = async (contextId: string): Promise<string> => {
			const client = await this.cast.dial(desk);
			try {
				await client.hello({ credential: player.credential, nonce: "the nonce of a newcomer", follow: [{ contextId, after: 0 }] });
				await client.ping();
			} finally {
				client.socket.terminate();
			}
			const heard = client.frames.map((frame) => JSON.stringify(frame)).join("\n");
			this.look(player, player.name, { status: 0, headers: [], body: heard }, `Hello at ${desk} that follows what is foreign`);
			return heard.replaceAll(contextId, "ID");
		};
		const [theirs, nobodys] = [await hello(target.contextId), await hello(this.nowhere(target.contextId))];
		if (theirs !== nobodys)
			this.cast.watch.findings.push(`Hello at ${desk} tells ${target.contextId} of somebody else from nothing:\n${theirs}\n${nobodys}`);
	}

	/** Pages, cards and embeds are the same for everybody; an owner's page is that owner's. */
	private async browse(player: Player, desk: DeskName): Promise<void> {
		const paths = [
			"/",
			`/@${desk}`,
			`/@${desk}/chat`,
			`/@${desk}/embed?site=${encodeURIComponent("https://shop.example")}`,
			`/embed/${desk}`,
			`/a2a/${desk}/card`,
			`/a2a/${desk}/.well-known/agent-card.json`,
			"/.well-known/agent-card.json",
			"/metrics",
			"/agent",
		];
		const path = this.random.pick(paths);
		const other = this.target(player, desk);
		const bearer: Record<string, string> = player.credential ? { authorization: `Bearer ${player.credential}` } : {};
		const page = await this.cast.http(path, { headers: { ...bearer, origin: "https://shop.example" } });
		this.look(player, identityOf(player), page, path);
		if (other) {
			const odd = this.random.pick([
				`/@${desk}/chat?context=${other.contextId}`,
				`/agent?task=${other.id}`,
				`/a2a/${desk}/card?task=${other.id}`,
				`/@${desk}/${other.id}`,
			]);
			this.look(player, identityOf(player), await this.cast.http(odd, { headers: bearer }), odd);
		}
		if (player.session && this.random.chance(0.3)) {
			const { body } = await this.cast.http("/agent", { headers: { cookie: player.session.cookie } });
			this.calls++;
			this.cast.watch.lookAtDesk(player.session.desk, body);
		}
	}
}

/** An answer without what differs because another id was asked for. */
const plain = ({ status, headers, body }: Answer, id: string): string => [status, ...headers, body].join("\n").replaceAll(id, "ID");

async function play(
	calls: number,
	options: Parameters<typeof Cast.open>[0] & { untilFound?: boolean } = {},
): Promise<{ findings: string[]; play: Play; cast: Cast }> {
	const cast = await Cast.open(options);
	try {
		const play = new Play(cast, SEED);
		return { findings: await play.run(calls, options.untilFound), play, cast };
	} finally {
		await cast.close();
	}
}

describe("eight principals on one server", () => {
	it(`are never shown what is another's in ${CALLS} calls`, { timeout: minutes(20) }, async () => {
		const { findings, play: played, cast } = await play(CALLS);
		expect(findings.slice(0, 20), `seed ${SEED}`).toEqual([]);
		expect(cast.desk.logged).toEqual([]);
		// It means something only if everybody was told enough of their own, and everything was asked of others in each binding.
		expect(cast.watch.seen).toBeGreaterThan(CALLS);
		const methods = ["SendMessage", "SendStreamingMessage", "GetTask", "CancelTask", "SubscribeToTask", "ListTasks"];
		for (const method of methods)
			for (const binding of BINDINGS)
				expect(played.tally.get(`${method} ${binding} foreign`), `${method} over ${binding}`).toBeGreaterThan(5);
		for (const method of Object.keys(OF_SOCKETS)) expect(played.tally.get(`${method} WebSocket foreign`), method).toBeGreaterThan(5);
	});
});

describe("a store that leaves the owner out of one question", () => {
	it.each(Object.keys(INDISCRETIONS) as IndiscretionName[])("is found out: %s", { timeout: minutes(2) }, async (name) => {
		const inWriter = OF_WRITES.includes(name);
		process.env[VARIABLE] = name;
		try {
			const broken = inWriter
				? { workerUrl: new URL("../store/indiscreet-writer.js", import.meta.url) }
				: { driver: indiscreetDriver(name) };
			const { findings } = await play(CALLS_OF_MUTANTS, { ...broken, untilFound: true });
			expect(findings).not.toEqual([]);
		} finally {
			delete process.env[VARIABLE];
		}
	});
});
