/** A writer thread over the operations of `table.ts`. */
import { runWriter } from "../../server/store/sqlite-writer.js";
import { table } from "./table.js";

runWriter({ table });
