/** A writer thread that keeps no retry keys and finds none: every send is the first. What a suite about retries has to catch. */
import type { ConversationChange } from "../../server/engine/changes.js";
import { decides } from "../../server/engine/operations.js";
import type { SendInput, SendRows } from "../../server/engine/send.js";
import { operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { runWriter } from "../../server/store/sqlite-writer.js";
import type { Steps } from "../../server/store/sql.js";

const { load, write, lanes } = halves.sendMessage;

runWriter({
	table: operationTable(decides, {
		...halves,
		sendMessage: {
			*load(input: SendInput): Steps<SendRows> {
				const { retry: _forgotten, ...rows } = yield* load(input);
				return rows;
			},
			write: (input: SendInput, rows: SendRows, plan: ConversationChange) => write(input, rows, { ...plan, keys: [] }),
			lanes,
		},
	}),
});
