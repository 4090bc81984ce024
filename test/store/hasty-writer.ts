/** A writer thread that empties its log soon after the last write. */
import { runWriter } from "../../server/store/sqlite-writer.js";
import { table } from "./table.js";

runWriter({ table, idleMs: 50 });
