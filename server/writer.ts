/**
 * The thread that writes to SQLite. It joins the rules of every operation with the store's half and runs them beside the
 * database, so that what may happen is judged inside the transaction that makes it happen.
 */
import { decides } from "./engine/operations.js";
import { operationTable } from "./store/db.js";
import { halves } from "./store/operations.js";
import { runWriter } from "./store/sqlite-writer.js";

runWriter({ table: operationTable(decides, halves) });
