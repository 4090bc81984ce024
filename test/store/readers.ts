/**
 * A thread that reads a SQLite file all the time, by two connections whose short transactions overlap: at no moment does
 * nobody read. Started with `{ file, holdMs }`; ends on any message.
 */
import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";

const { file, holdMs } = workerData as { file: string; holdMs: number };
const readers = [1, 2].map(() => new Database(file, { readonly: true }));
let turn = 0;

function next(): void {
	const [one, other] = turn++ % 2 ? readers : [...readers].reverse();
	one?.exec("begin");
	one?.prepare("select count(*) from item").get();
	if (other?.inTransaction) other.exec("commit");
	timer = setTimeout(next, holdMs);
}
let timer = setTimeout(next, 0);

parentPort?.once("message", () => {
	clearTimeout(timer);
	for (const reader of readers) reader.close();
	parentPort?.close();
});
