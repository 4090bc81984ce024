/** A writer thread that forgets what was asked by a link, or gives everybody's link the same conversation: which of the two stands in a variable of its process. */
import type { LinkRow, OpenAskRows } from "../../server/engine/follow-ups-operations.js";
import { decides } from "../../server/engine/operations.js";
import { operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { runWriter } from "../../server/store/sqlite-writer.js";

const forgets: Partial<typeof decides> = {
	openAsk: (rows: OpenAskRows, input) => decides.openAsk({ stale: rows.stale || rows.asked !== undefined }, input),
};
const shares: Partial<typeof decides> = {
	askMore: (rows: { link?: LinkRow }, input) =>
		decides.askMore(rows.link ? { link: { ...rows.link, speakerUid: null, free: 1 } } : rows, input),
};

runWriter({ table: operationTable({ ...decides, ...(process.env.GOSSIP === "forgets" ? forgets : shares) }, halves) });
