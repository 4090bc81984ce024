/** Where the thread that reads a calendar begins: a build of its own, as the writer's thread is. */
import { parentPort } from "node:worker_threads";
import { runFeedReader } from "./apps/feed.js";

if (parentPort) runFeedReader(parentPort);
