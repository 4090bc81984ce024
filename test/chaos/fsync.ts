/**
 * T-FSYNC (G-01), the proof by order of system calls: between a message that comes in and its acknowledgement that goes out, the
 * log is written and then synced. Runs the server under strace, one message at a time, with nobody to answer, so that what is
 * written in between is that message.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "../seeded.js";
import type { MutantName } from "./broken.js";
import type { Breach } from "./checker.js";
import { History } from "./history.js";
import { caught, none, type Suite, type Trial } from "./suite.js";
import { Visitor } from "./visitor.js";

/** One system call, begun and ended. */
interface Call {
	name: string;
	/** What stands in the brackets: descriptors with their paths. */
	on: string;
	begun: number;
	ended: number;
	/** Bytes, for those that move some. */
	result: number;
}

/** Reads what `strace -f -y` wrote, in which a call that was overtaken stands in two lines. */
export function callsOf(trace: string): Call[] {
	const calls: Call[] = [];
	const open = new Map<string, Call>();
	trace.split("\n").forEach((line, at) => {
		const [, pid = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
		const begun = /^(\w+)\((.*?)(?:\)\s+=\s+(-?\d+).*| <unfinished \.\.\.>)$/.exec(rest);
		if (begun) {
			const call: Call = { name: begun[1] ?? "", on: begun[2] ?? "", begun: at, ended: at, result: Number(begun[3] ?? Number.NaN) };
			calls.push(call);
			if (begun[3] === undefined) open.set(pid, call);
			return;
		}
		const resumed = /^<\.\.\. (\w+) resumed>.*\)\s+=\s+(-?\d+)/.exec(rest);
		const call = open.get(pid);
		if (!resumed || !call || call.name !== resumed[1]) return;
		open.delete(pid);
		call.ended = at;
		call.result = Number(resumed[2]);
	});
	return calls;
}

const READS = new Set(["read", "recvfrom", "recvmsg", "readv"]);
const WRITES = new Set(["write", "writev", "sendto", "sendmsg"]);

/** For each answer that went out on a connection: whether a write of the log and a sync of it stand between it and its request. */
export function answersOf(calls: readonly Call[]): { synced: number; unsynced: number } {
	const count = { synced: 0, unsynced: 0 };
	/** Where the last request of each connection had been read. */
	const asked = new Map<string, number>();
	for (const call of calls) {
		const [, connection] = /^(\d+)<(?:TCP|socket):/.exec(call.on) ?? [];
		if (connection === undefined) continue;
		if (READS.has(call.name) && call.result > 0) asked.set(connection, call.ended);
		const askedAt = asked.get(connection);
		if (!WRITES.has(call.name) || askedAt === undefined) continue;
		asked.delete(connection);
		const between = calls.filter((c) => c.begun > askedAt && c.ended < call.begun && c.on.includes("desk.db-wal"));
		const written = between.find((c) => c.name === "pwrite64");
		const isSync = (c: Call): boolean => (c.name === "fdatasync" || c.name === "fsync") && c.result === 0;
		if (written && between.some((c) => isSync(c) && c.begun > written.ended)) count.synced++;
		else count.unsynced++;
	}
	return count;
}

/** A socket's handshake, its Hello and its close are answered too, and there is nothing to write for them. */
const NOTHING_TO_WRITE = 3;

async function trace(trial: Trial, messages: number, mutant?: MutantName): Promise<Breach[]> {
	const dir = trial.newFolder();
	const out = join(trial.newFolder(), "trace");
	const place = trial.place({ dir, answers: false });
	const visitor = new Visitor({
		name: "v",
		kind: "rest",
		number: 1,
		port: () => place.port,
		history: new History(),
		random: seeded(trial.seed),
	});
	trial.onEnd(() => visitor.leave());
	await place.start();
	await visitor.arrive();
	await visitor.say("#first.");
	await place.stop();
	const under = ["strace", "-f", "-y", "-s", "0", "-e", `trace=pwrite64,fsync,fdatasync,${[...READS, ...WRITES].join(",")}`, "-o", out];
	await place.start({ under, mutant });
	await visitor.line.connect();
	for (let i = 0; i < messages; i++) await visitor.say(`#${i}.`);
	visitor.leave();
	// Killed, it might leave the last line unwritten.
	await place.stop();
	const { synced, unsynced } = answersOf(callsOf(readFileSync(out, "utf8")));
	trial.say(`${messages} messages; ${synced} answers went out after a sync of the log, ${unsynced} without one`);
	const found: Breach[] = [];
	if (synced + unsynced < messages) found.push({ rule: "trace", text: `only ${synced + unsynced} answers stand in the trace` });
	if (synced < messages)
		found.push({ rule: "G-01", text: `${messages - synced} of ${messages} acknowledgements went out before a sync of the log` });
	if (unsynced > NOTHING_TO_WRITE) found.push({ rule: "G-01", text: `${unsynced} answers went out without a sync of the log` });
	return found;
}

export const fsync: Suite = {
	name: "fsync",
	what: "system calls in their order: the log written, synced, and only then the acknowledgement (G-01)",
	async run(trial) {
		if (spawnSync("strace", ["-f", "-o", "/dev/null", "true"]).status !== 0) {
			trial.say(
				"left out: strace is not there, or may not trace (on Debian: apt-get install strace; in a container: --cap-add SYS_PTRACE)",
			);
			return;
		}
		const messages = trial.long ? 500 : 150;
		await trial.check(`${messages} acknowledgements in a trace`, 240_000, async () => none(await trace(trial, messages)));
		await trial.check("finds out a server that does not wait for the disk (synchronous=NORMAL)", 120_000, async () => {
			caught("does not sync", await trace(trial, 60, "does not sync"), ["G-01"]);
		});
	},
};
