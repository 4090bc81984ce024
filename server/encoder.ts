/** Where the process that makes pictures anew begins: a build of its own, as the writer's thread is. */
import { runEncoder } from "./files/encode.js";

runEncoder(process);
