/** A writer thread that answers first and commits a while later: what a suite about acknowledgements has to catch. */
import { runWriter } from "../../server/store/sqlite-writer.js";
import { table } from "./table.js";

runWriter({
	table,
	settle(commit, answer) {
		answer();
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
		commit();
	},
});
