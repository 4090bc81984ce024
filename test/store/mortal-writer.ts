/** A writer thread with an operation that ends it. */
import { runWriter } from "../../server/store/sqlite-writer.js";
import { table } from "./table.js";

runWriter({
	table: {
		...table,
		die: {
			*load() {
				process.exit(1);
			},
			decide: () => ({ plan: null, answer: null }),
			*write() {},
		},
	},
});
