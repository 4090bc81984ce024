/** Tasks read and listed, with a thousand stored and with a hundred thousand: what is stored must not be felt. */

import { join } from "node:path";
import Database from "better-sqlite3";
import { SDK, SDK_SQLITE } from "./a2a-send.js";
import type { Bench, Run } from "./bench.js";
import { runLoad } from "./http-load.js";
import { inTurn, OURS, type Sample, target } from "./measure.js";
import { cpuOf, type Program } from "./programs.js";
import { message, rpc } from "./requests.js";

const FEW = 1_000;
const MANY = 100_000;
const CONNECTIONS = 16;
const SEED_CONNECTIONS = 64;
const WINDOW_MS = 1_000;
/** Windows that nobody counts, until the compiled code is what runs. */
const WARM = 4;
/** Ids kept of a store, to be asked for at random. */
const KEPT = 1_000;
const PAGE = 50;

interface Stored {
	program: Program;
	ids: string[];
}

/** Fills a program with tasks by sending, and keeps some of their ids, evenly over all. */
async function fill(program: Program, count: number): Promise<Stored> {
	const ids: string[] = [];
	let heard = 0;
	await runLoad({
		port: program.port,
		connections: SEED_CONNECTIONS,
		requests: count,
		request: () => rpc(program, "SendMessage", message("echo hello")),
		expect: "TASK_STATE_COMPLETED",
		heard(body) {
			if (heard++ % (count / KEPT) === 0) ids.push((JSON.parse(body) as { result: { task: { id: string } } }).result.task.id);
		},
	});
	return { program, ids };
}

/** The peer's SQLite takes minutes to be filled by sending: one task is sent, and its row is copied under other ids and times. */
async function fillSdkSqlite(program: Program, count: number): Promise<Stored> {
	const stored = await fill(program, KEPT);
	const db = new Database(join(program.dir, "sdk.db"));
	db.prepare(
		`with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
		insert into tasks select tenant, owner, id || '-' || i, context_id, status_last_updated - i, status_state, status, artifacts, history, metadata, protocol_version
		from n, (select * from tasks limit 1)`,
	).run(count - KEPT);
	db.close();
	return stored;
}

const reads = async (program: Program, method: string, params: (n: number) => object, expect: string): Promise<Sample> => {
	const { result, cpu } = await cpuOf(program, () =>
		runLoad({ port: program.port, connections: CONNECTIONS, ms: WINDOW_MS, request: (n) => rpc(program, method, params(n)), expect }),
	);
	return { ...result, cpu: (cpu * 1_000) / result.requests };
};

/** In an order that no cache can foresee, the same for all. */
const gets = ({ program, ids }: Stored): Promise<Sample> =>
	reads(program, "GetTask", (n) => ({ id: ids[(n * 7_919) % ids.length] }), "TASK_STATE_COMPLETED");
const lists = ({ program }: Stored): Promise<Sample> => reads(program, "ListTasks", () => ({ pageSize: PAGE }), "TASK_STATE_COMPLETED");

const get: Bench = {
	name: "a2a get",
	async run({ pairs, peers, programs }: Run) {
		const rows = [];
		for (const count of [FEW, MANY]) {
			const ours = await fill(await programs.ours(), count);
			const sdk = peers ? await fill(await programs.sdk(), count) : undefined;
			const sides = { [OURS]: () => gets(ours), ...(sdk ? { [SDK]: () => gets(sdk) } : {}) };
			await inTurn(WARM, sides);
			const samples = await inTurn(pairs, sides);
			rows.push(
				samples.row(`${count} stored: GetTask a second`, "perSecond", { peer: SDK }, target("ratio", "least", 3)),
				samples.row(`${count} stored: CPU a GetTask, µs`, "cpu", { peer: SDK }),
			);
			await programs.stopAll();
		}
		return rows;
	},
};

/** The name of our own side with few tasks stored. */
const OURS_FEW = `ours with ${FEW}`;

const list: Bench = {
	name: "a2a list",
	async run({ pairs, peers, programs }: Run) {
		const few = await fill(await programs.ours(), FEW);
		const many = await fill(await programs.ours(), MANY);
		const sdkFew = peers ? await fill(await programs.sdk(), FEW) : undefined;
		const sdkMany = peers ? await fill(await programs.sdk(), MANY) : undefined;
		const sdkSqlite = peers ? await fillSdkSqlite(await programs.sdk("sqlite"), MANY) : undefined;
		const small = { [OURS]: () => lists(few), ...(sdkFew ? { [SDK]: () => lists(sdkFew) } : {}) };
		const large = {
			[OURS]: () => lists(many),
			[OURS_FEW]: () => lists(few),
			...(sdkMany && sdkSqlite ? { [SDK]: () => lists(sdkMany), [SDK_SQLITE]: () => lists(sdkSqlite) } : {}),
		};
		await inTurn(2, { ...small, ...large });
		const atFew = await inTurn(pairs, small);
		const atMany = await inTurn(pairs, large);
		return [
			atFew.row(`${FEW} stored: ListTasks a second`, "perSecond", { peer: SDK }, target("ratio", "least", 4)),
			atFew.row(`${FEW} stored: CPU a ListTasks, µs`, "cpu", { peer: SDK }),
			atMany.row(`${MANY} stored: ListTasks a second`, "perSecond", { peer: SDK }, target("ratio", "least", 50)),
			atMany.row(`${MANY} stored: ListTasks a second`, "perSecond", { peer: SDK_SQLITE }),
			atMany.row(`${MANY} stored: ListTasks a second`, "perSecond", { floor: OURS_FEW }, target("ratio", "least", 0.85)),
			atMany.row(`${MANY} stored: CPU a ListTasks, µs`, "cpu", { peer: SDK }),
		];
	},
};

export const readBenches = [get, list];
