/** What can answer: one line an answerer, in the order in which the engine asks them (requirements.md RUN-6). */
import type { Answerer } from "../engine/ports.js";
import { knowledge } from "./knowledge.js";

/** `now`: milliseconds, by the program's clock. */
export const answerers = (now: () => number): Answerer[] => [knowledge(now)];
