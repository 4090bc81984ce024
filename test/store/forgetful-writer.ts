/** A writer thread that keeps no retry keys and finds none: every send is the first. What a suite about retries has to catch. */
import { decides } from "../../server/engine/operations.js";
import { operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { runWriter } from "../../server/store/sqlite-writer.js";

const sendMessage: typeof decides.sendMessage = (rows, input) => {
	const { plan, answer } = decides.sendMessage({ ...rows, retry: undefined }, input);
	return { plan: plan && { ...plan, keys: [] }, answer };
};

runWriter({ table: operationTable({ ...decides, sendMessage }, halves) });
