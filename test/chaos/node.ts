/**
 * A server process, and the place where servers come and go: whoever talks to the desk asks the place where it is now. Ends only
 * processes that it started, and all of them when the run is over.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { MutantName, Orders } from "./broken.js";
import type { FromServer, ServerOptions, Stats, ToServer } from "./protocol.js";
import { within } from "./time.js";

export interface NodeOptions extends Partial<ServerOptions> {
	mutant?: MutantName | undefined;
	/** Carries out orders to die. */
	dies?: boolean;
	env?: Record<string, string>;
	/** What it is started under: `strace` and its options. */
	under?: string[];
}

export interface Logged {
	level: "warn" | "error";
	text: string;
	detail: string;
}

export interface Ended {
	code: number | null;
	signal: NodeJS.Signals | null;
}

/** From the spawn to the port. Generous: the machine may be busy with other things. */
const START_MS = 30_000;

const running = new Set<ChildProcess>();
/** What servers have logged as an error of late, for whoever looks for a cause. */
export const lately: string[] = [];
process.on("exit", () => {
	for (const child of running) child.kill("SIGKILL");
});

export class ServerNode {
	/** Warnings and errors that it logged. */
	readonly logged: Logged[] = [];
	readonly ended: Promise<Ended>;
	port = 0;
	pid = 0;
	private stderr = "";
	private lastId = 0;
	private readonly asked = new Map<number, (stats: Stats) => void>();

	private constructor(private readonly child: ChildProcess) {
		running.add(child);
		child.stderr?.on("data", (data: Buffer) => {
			this.stderr = (this.stderr + String(data)).slice(-4_000);
		});
		child.on("message", (message: FromServer) => this.hear(message));
		child.on("error", () => undefined);
		this.ended = new Promise((resolve) => {
			child.once("exit", (code, signal) => {
				running.delete(child);
				resolve({ code, signal });
			});
		});
	}

	/** Resolves when it listens. Rejects with what it said where it ended before. */
	static async start(entry: string, options: NodeOptions): Promise<ServerNode> {
		const { mutant, dies, env, under = [], ...rest } = options;
		const given: ServerOptions = { node: "Mira", speed: 1, since: 0, ...rest };
		const chaos: Orders = {
			...(given.dir === undefined ? {} : { dir: given.dir }),
			...(mutant === undefined ? {} : { mutant }),
			...(dies ? { dies } : {}),
		};
		const [program, ...args] = [...under, process.execPath, "--expose-gc", entry, JSON.stringify(given)];
		const child = spawn(program as string, args, {
			stdio: ["ignore", "ignore", "pipe", "ipc"],
			env: { ...process.env, ...env, CHAOS: JSON.stringify(chaos) },
		});
		const node = new ServerNode(child);
		const ready = new Promise<void>((resolve, reject) => {
			child.on("message", (message: FromServer) => {
				if (message.type !== "ready") return;
				node.port = message.port;
				node.pid = message.pid;
				resolve();
			});
			child.once("error", reject);
			child.once("exit", (code, signal) => reject(new Error(`The server ended at its start (${code ?? signal}): ${node.stderr}`)));
		});
		ready.catch(() => undefined);
		await within(START_MS, "the server's start", ready);
		return node;
	}

	private hear(message: FromServer): void {
		if (message.type === "log") {
			this.logged.push(message);
			if (message.level === "error") lately.push(`${message.text} ${message.detail}`);
			if (lately.length > 3) lately.shift();
		}
		if (message.type === "stats") {
			this.asked.get(message.id)?.(message.stats);
			this.asked.delete(message.id);
		}
	}

	/** What it measures of itself. `reset`: of its event loop's delay from now on. `collect`: after a garbage collection. */
	stats(options: { reset?: boolean; collect?: boolean } = {}): Promise<Stats> {
		const id = ++this.lastId;
		const answer = new Promise<Stats>((resolve) => this.asked.set(id, resolve));
		this.child.send({ type: "stats", id, ...options } satisfies ToServer, () => undefined);
		return within(20_000, "the server's measures", answer);
	}

	/** Sends a signal to the server itself, also where it runs under something else. */
	signal(signal: NodeJS.Signals): void {
		try {
			process.kill(this.pid, signal);
		} catch {
			// It is gone already.
		}
	}

	/** Ends it as a crash does. */
	async kill(): Promise<Ended> {
		this.signal("SIGKILL");
		return within(10_000, "the end of a killed server", this.ended);
	}

	/** Asks it to end. */
	async stop(waitMs = 40_000): Promise<Ended> {
		this.signal("SIGTERM");
		return within(waitMs, "the end of a server that was asked to stop", this.ended);
	}

	get isRunning(): boolean {
		return running.has(this.child);
	}
}

/** One desk's address while servers come and go. */
export class Place {
	node: ServerNode | undefined;
	/** Everything that servers here have logged. */
	readonly logged: Logged[] = [];
	private closed = false;

	constructor(
		private readonly entry: string,
		private readonly options: NodeOptions,
	) {}

	/** Where the desk is now; undefined while nobody serves it. */
	get port(): number | undefined {
		return this.node?.isRunning ? this.node.port : undefined;
	}

	async start(more: NodeOptions = {}): Promise<ServerNode> {
		const node = await ServerNode.start(this.entry, { ...this.options, ...more });
		if (this.closed) await node.kill();
		this.node = node;
		return node;
	}

	async kill(): Promise<void> {
		const { node } = this;
		if (!node) return;
		await node.kill();
		this.logged.push(...node.logged.splice(0));
	}

	async stop(waitMs?: number): Promise<Ended> {
		const { node } = this;
		if (!node) return { code: 0, signal: null };
		const ended = await node.stop(waitMs);
		this.logged.push(...node.logged.splice(0));
		return ended;
	}

	/** Nothing is started here any more. */
	async close(): Promise<void> {
		this.closed = true;
		if (this.node?.isRunning) await this.kill();
	}
}
