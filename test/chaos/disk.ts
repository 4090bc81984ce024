/**
 * T-DISK (G-25): the disk is full, or fails. Messages are refused in a way that says to come back, none is acknowledged and lost,
 * reading goes on, a start succeeds, and everything goes on by itself once there is room again.
 */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { EventsResult } from "../../shared/channel.js";
import type { MutantName } from "./broken.js";
import type { Breach } from "./checker.js";
import { Crowd } from "./crowd.js";
import { dump } from "./database.js";
import { compileShim } from "./shim.js";
import { caught, none, type Suite, type Trial } from "./suite.js";
import { pause, until } from "./time.js";
import type { Visitor } from "./visitor.js";

/** A disk that can be made to take nothing, and mended. */
interface Disk {
	dir: string;
	env: Record<string, string>;
	/** Nothing at all is written while it is broken; a full disk still takes what fits into files that are there. */
	strict: boolean;
	break(): void;
	mend(): void;
}

/** A file system of 16 MiB in memory. Undefined where this process may not mount. */
function smallDisk(trial: Trial): Disk | undefined {
	const dir = trial.newFolder();
	try {
		execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m,mode=700", "chaos", dir], { stdio: "ignore" });
	} catch {
		return undefined;
	}
	trial.onEnd(() => execFileSync("umount", ["-l", dir]));
	const ballast = join(dir, "ballast");
	return {
		dir,
		env: {},
		strict: false,
		break() {
			const file = openSync(ballast, "w");
			try {
				for (let size = 1024 * 1024; size >= 1; ) {
					try {
						writeSync(file, Buffer.alloc(size, 1));
					} catch {
						size = Math.floor(size / 16);
					}
				}
			} finally {
				closeSync(file);
			}
		},
		mend() {
			rmSync(ballast);
			execFileSync("mount", ["-o", "remount,size=64m", dir]);
		},
	};
}

/** A folder below a shim whose writes fail with an errno. */
function failingDisk(trial: Trial, errno: number): Disk {
	const dir = trial.newFolder();
	const sign = join(dir, ".fail");
	return {
		dir,
		env: { LD_PRELOAD: compileShim(trial.folder), SHIM_DIR: dir, SHIM_FAILS: "1" },
		strict: true,
		break: () => writeFileSync(sign, String(errno)),
		mend: () => rmSync(sign),
	};
}

async function outage(trial: Trial, disk: Disk, options: { restart?: boolean; mutant?: MutantName } = {}): Promise<Breach[]> {
	const { dir, env } = disk;
	const { mutant } = options;
	const place = trial.place({ dir, env, mutant });
	await place.start();
	const crowd = new Crowd({ port: () => place.port, visitors: 12, rate: 60, seed: trial.seed, slowly: 0.2 });
	trial.onEnd(() => crowd.leave());
	await crowd.arrive();
	crowd.start();
	await pause(1_000);
	const { history } = crowd;
	const found: Breach[] = [];

	disk.break();
	await until(mutant ? 2_000 : 30_000, "the first refusal", () => history.sendings.some((s) => s.refusals.length > 0)).catch(
		(error: Error) => {
			if (!mutant) found.push({ rule: "G-25", text: error.message });
		},
	);
	if (options.restart) {
		await place.kill();
		await place.start().catch((error: Error) => found.push({ rule: "G-25", text: `a start on a full disk: ${error.message}` }));
		if (found.length > 0) return found;
	}
	await pause(200);
	const acked = history.acked.length;
	const pid = place.node?.pid;
	found.push(...(await readingGoesOn(crowd)));
	await pause(1_000);
	if (disk.strict && history.acked.length > acked)
		found.push({ rule: "I1", text: `${history.acked.length - acked} messages were acknowledged while nothing could be written` });

	disk.mend();
	const mended = history.acked.length;
	await until(mutant ? 5_000 : 20_000, "messages taken again", () => history.acked.length > mended + 10).catch((error: Error) =>
		found.push({ rule: "G-25", text: error.message }),
	);
	if (mutant && found.length > 0) return found;
	if (place.node?.pid !== pid || !place.node?.isRunning) found.push({ rule: "G-25", text: "the server did not live through it" });
	await crowd.stop();
	found.push(...(await crowd.judge({ dir, waitMs: mutant ? 3_000 : 30_000 })));
	for (const fault of dump(dir, { check: true }).faults) found.push({ rule: "G-24", text: fault });
	for (const { messageId, refusals } of history.sendings) {
		for (const { code, retry } of refusals)
			if (code !== "UNAVAILABLE" || !retry)
				found.push({ rule: "G-25", text: `${messageId} was refused with ${code}, which does not say to come back` });
	}
	trial.say(crowd.numbers);
	return found;
}

/** Tasks, logs, cards and the desk's page, while nothing can be written. */
async function readingGoesOn(crowd: Crowd): Promise<Breach[]> {
	const found: Breach[] = [];
	const visitor = crowd.visitors.find((v) => v.contextId !== undefined) as Visitor;
	const taskId = crowd.history.acked.find((s) => s.client === visitor.name)?.ack?.taskId;
	const reads: [string, () => Promise<unknown>][] = [
		["a task", () => visitor.http.rpc("GetTask", { id: taskId })],
		["a list of tasks", () => visitor.http.rpc("ListTasks", { pageSize: 10 })],
		[
			"the log",
			() => visitor.line.connect().then(() => visitor.line.call<EventsResult>("Events", { contextId: visitor.contextId, after: 0 })),
		],
		["the desk's card", () => visitor.http.exchange("GET", "/a2a/mira/card")],
		[
			"readiness",
			() =>
				visitor.http
					.open("GET", "/readyz", undefined)
					.then((r) => r.resume().statusCode === 200 || Promise.reject(new Error(`answers ${r.statusCode}`))),
		],
	];
	for (const [what, read] of reads)
		await read().catch((error: unknown) => found.push({ rule: "G-25", text: `${what} could not be read: ${String(error)}` }));
	return found;
}

/** errno of a disk that fails, of one that is full, and of a user who has used up theirs. */
const ERRNO = { EIO: 5, ENOSPC: 28, EDQUOT: 122 } as const;

export const disk: Suite = {
	name: "disk",
	what: "with a disk that is full or fails, nothing is acknowledged that is not kept, reading goes on, and all goes on by itself afterwards (G-25)",
	async run(trial) {
		const isMountable = smallDiskIsThere(trial);
		if (!isMountable) trial.say("no tmpfs may be mounted here: the disk is made full by the shim alone");
		const full = (): Disk => (isMountable && smallDisk(trial)) || failingDisk(trial, ERRNO.ENOSPC);
		const rounds = trial.long ? 3 : 1;
		for (let i = 1; i <= rounds; i++) {
			const round = rounds > 1 ? `, ${i} of ${rounds}` : "";
			await trial.check(`a full disk${isMountable ? " of 16 MiB" : ""}${round}`, 120_000, async () => none(await outage(trial, full())));
			await trial.check(`a full disk, and a start while it is full${round}`, 120_000, async () =>
				none(await outage(trial, full(), { restart: true })),
			);
			for (const name of trial.long ? (["EIO", "ENOSPC", "EDQUOT"] as const) : (["EIO"] as const)) {
				await trial.check(`a disk that says ${name}${round}`, 120_000, async () =>
					none(await outage(trial, failingDisk(trial, ERRNO[name]))),
				);
			}
		}
		await trial.check("finds out a server that answers also when its commit has failed", 120_000, async () => {
			caught("answers anyway", await outage(trial, failingDisk(trial, ERRNO.ENOSPC), { mutant: "answers anyway" }), ["I1"]);
		});
		await trial.check("finds out a server that does not come back by itself", 120_000, async () => {
			caught("stays broken", await outage(trial, failingDisk(trial, ERRNO.EIO), { mutant: "stays broken" }), ["G-25"]);
		});
	},
};

function smallDiskIsThere(trial: Trial): boolean {
	const dir = trial.newFolder();
	try {
		execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "chaos", dir], { stdio: "ignore" });
		execFileSync("umount", [dir]);
		return true;
	} catch {
		return false;
	}
}
