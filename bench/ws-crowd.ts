/** Ten thousand sockets: what one costs that says nothing, how one event reaches all, and how all come back at once. */
import type { Bench } from "./bench.js";
import { runLoad } from "./http-load.js";
import { inTurn, median, OURS, type Sample, target } from "./measure.js";
import { cpuOf, type Program, type Programs } from "./programs.js";
import { anonymousRpc, message, rpc } from "./requests.js";
import { openMany, openSocket, type WsClient } from "./ws-load.js";
import { hello, visitors } from "./ws-visitors.js";

const SOCKETS = 10_000;
/** Opened and closed before anything is weighed, so that what is loaded once is not counted. */
const WARM = 1_000;
/** Until what the handshakes left has settled. */
const SETTLE_MS = 1_000;
/** Until memory that is free has been given back, too. */
const IDLE_MS = 4_000;
const WS = "ws";

const settle = (ms = SETTLE_MS): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const bareSockets = (program: Program, count: number): Promise<WsClient[]> => openMany(count, (i) => openSocket(program.port, "/", i));

const end = (clients: readonly WsClient[]): void => {
	for (const client of clients) client.end();
};

interface Memory {
	rss: number;
	heapUsed: number;
	external: number;
}

/** Memory a socket, in a program of its own: bytes that one has grown to are not given back for the next. */
async function weigh(
	programs: Programs,
	start: () => Promise<Program>,
	open: (program: Program, count: number) => Promise<WsClient[]>,
): Promise<Sample> {
	const program = await start();
	end(await open(program, WARM));
	await settle(IDLE_MS);
	const before = await program.ask<Memory>("memory");
	const clients = await open(program, SOCKETS);
	// Twice: what the first look frees is given back after it.
	await program.ask("memory");
	await settle(IDLE_MS);
	const after = await program.ask<Memory>("memory");
	end(clients);
	await programs.stopAll();
	const kb = (bytes: number): number => bytes / SOCKETS / 1_024;
	return { rss: kb(after.rss - before.rss), heap: kb(after.heapUsed + after.external - before.heapUsed - before.external) };
}

const hold: Bench = {
	name: "ws hold",
	async run({ pairs, programs }) {
		const samples = await inTurn(pairs, {
			[OURS]: () => weigh(programs, programs.ours, visitors),
			[WS]: () => weigh(programs, () => programs.floor("ws"), bareSockets),
		});
		return [
			samples.row(`${SOCKETS} idle after Hello: resident KB a socket`, "rss", { floor: WS }, target("ratio", "most", 1.5)),
			samples.row(`${SOCKETS} idle after Hello: heap KB a socket`, "heap", { floor: WS }),
		];
	},
};

/** Milliseconds from `act` to the last of all sockets that hears one frame, and the longest stall of the server meanwhile. */
async function reachAll(program: Program, clients: readonly WsClient[], act: () => Promise<void>): Promise<Sample> {
	await program.ask("watch");
	let ms = 0;
	const { cpu } = await cpuOf(program, async () => {
		const began = performance.now();
		const all = Promise.all(clients.map((client) => client.next()));
		await act();
		await all;
		ms = performance.now() - began;
	});
	const { max } = await program.ask<{ max: number }>("stalls");
	return { ms, cpu, stall: max };
}

/** A conversation of the account's, read by everybody. */
async function conversation(program: Program): Promise<string> {
	let contextId = "";
	await runLoad({
		port: program.port,
		connections: 1,
		requests: 1,
		request: () => rpc(program, "SendMessage", message("echo hello")),
		expect: "TASK_STATE_COMPLETED",
		heard: (body) => ({ contextId } = (JSON.parse(body) as { result: { task: { contextId: string } } }).result.task),
	});
	return contextId;
}

const LOOP = "ws loop";
/** Events of one opening of the sockets, after one that is not counted. */
const TIMES = 3;
/** Events of one turn. */
const TURN_EVENTS = 6;

/** Events to all, one after the other: the median of each number. */
async function reachAgain(program: Program, clients: readonly WsClient[], act: () => Promise<void>): Promise<Sample> {
	await reachAll(program, clients, act);
	const times: Sample[] = [];
	for (let i = 0; i < TIMES; i++) times.push(await reachAll(program, clients, act));
	end(clients);
	await settle();
	const of = (key: string): number => median(times.map((sample) => sample[key] as number));
	return { ms: of("ms"), cpu: of("cpu"), stall: of("stall") };
}

const fanout: Bench = {
	name: "ws fanout",
	async run({ pairs, programs }) {
		const ours = await programs.ours();
		const bare = await programs.floor("ws");
		const contextId = await conversation(ours);
		let owner = false;
		let seq = TURN_EVENTS;
		// One event in the log: the owner takes the microphone, or hands it back.
		const pass = async (): Promise<void> => {
			seq++;
			owner = !owner;
			await ours.ask("microphone", { contextIds: [contextId], owner });
		};
		// Opened anew each time: one process may not hold twenty thousand.
		const samples = await inTurn(pairs, {
			[OURS]: async () =>
				reachAgain(
					ours,
					await openMany(SOCKETS, (i) => hello(ours, i, { credential: ours.key, follow: [{ contextId, after: seq }] })),
					pass,
				),
			[LOOP]: async () => reachAgain(bare, await bareSockets(bare, SOCKETS), () => bare.ask("fanout")),
		});
		return [
			samples.row(`one event to ${SOCKETS} sockets: ms to the last`, "ms", { floor: LOOP }, target("ratio", "most", 1)),
			samples.row(`one event to ${SOCKETS} sockets: longest stall, ms`, "stall", { floor: LOOP }, target("ours", "most", 20)),
			samples.row(`one event to ${SOCKETS} sockets: CPU, ms`, "cpu", { floor: LOOP }),
		];
	},
};

/** Events of a turn that a client has missed who has heard the first. */
const MISSED = TURN_EVENTS - 1;

interface Guest {
	credential: string;
	contextId: string;
}

/** Ten thousand guests with a conversation each, begun over HTTP without a credential. */
async function guests(program: Program): Promise<Guest[]> {
	const made: Guest[] = [];
	await runLoad({
		port: program.port,
		connections: 64,
		requests: SOCKETS,
		request: () => anonymousRpc("SendMessage", message("echo hello")),
		expect: "TASK_STATE_COMPLETED",
		heard(body) {
			const { task } = (JSON.parse(body) as { result: { task: { contextId: string; metadata: { eolGuestToken: string } } } }).result;
			made.push({ credential: task.metadata.eolGuestToken, contextId: task.contextId });
		},
	});
	return made;
}

/** All come back at once and each is told what it has missed. Seconds until the last holds everything; rejects where one does not. */
async function storm(program: Program, comeBack: (i: number) => Promise<WsClient>): Promise<Sample> {
	let seconds = 0;
	const { cpu } = await cpuOf(program, async () => {
		const began = performance.now();
		const clients = await openMany(SOCKETS, comeBack);
		seconds = (performance.now() - began) / 1_000;
		end(clients);
	});
	await settle();
	return { seconds, cpu: (cpu * 1_000) / SOCKETS };
}

const storms: Bench = {
	name: "ws storm",
	async run({ pairs, programs }) {
		const ours = await programs.ours();
		const known = await guests(ours);
		const bare = await programs.floor("ws");
		const sides = {
			[OURS]: () =>
				storm(ours, (i) => {
					const { credential, contextId } = known[i] as Guest;
					return hello(ours, i, { credential, follow: [{ contextId, after: 1 }] }, { more: MISSED });
				}),
			[WS]: () =>
				storm(bare, async (i) => {
					const client = await openSocket(bare.port, "/", i);
					const heard = client.next(1 + MISSED);
					client.send(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "resume", params: { contextId: "ctx_0123456789abcdef", after: 1 } }));
					await heard;
					return client;
				}),
		};
		const samples = await inTurn(pairs, sides);
		return [
			samples.row(
				`${SOCKETS} come back and resume ${MISSED} events, none fails: seconds`,
				"seconds",
				{ floor: WS },
				target("ratio", "most", 2),
			),
			samples.row(`${SOCKETS} come back: CPU a socket, µs`, "cpu", { floor: WS }),
		];
	},
};

export const crowdBenches = [hold, fanout, storms];
