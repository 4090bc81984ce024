/** A writer thread whose loads leave the owner out of one question (`indiscreet.ts`): which one stands in a variable of its process. */
import { decides } from "../../server/engine/operations.js";
import { type Operation, operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { runWriter } from "../../server/store/sqlite-writer.js";
import { type IndiscretionName, indiscreet, VARIABLE } from "./indiscreet.js";

const name = process.env[VARIABLE] as IndiscretionName;
const changed = (half: Pick<Operation, "load" | "write" | "lanes">): typeof half => ({
	...half,
	load: (input) => indiscreet(name, half.load(input)),
});

runWriter({
	table: operationTable(
		decides,
		Object.fromEntries(Object.entries(halves).map(([operation, half]) => [operation, changed(half as Operation)])),
	),
});
